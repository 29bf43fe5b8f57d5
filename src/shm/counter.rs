//! Counters of events that only grow, and wrap. A process that waits for events keeps privately how many it expects in all, so
//! nothing is ever reset, and an event that nobody waited for is not mistaken for a later one.

use super::atomic::{AtomicU32, Ordering};

/// How many events there were, modulo 2^32.
#[repr(transparent)]
#[derive(Default)]
pub struct Counter(AtomicU32);

/// How many events one process expects to have been by the end of what it does now, modulo 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected(u32);

impl Counter {
    /// A counter that has come to `count`.
    #[allow(dead_code, reason = "models and tests begin near the overflow")]
    pub fn at(count: u32) -> Counter {
        Counter(AtomicU32::new(count))
    }

    /// Counts an event.
    #[inline]
    pub fn count(&self) {
        // Release: what the caller stored before is visible to who sees the count. AcqRel, because what one sees who waits
        // for several events must not depend on whose was the last.
        self.0.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether all events that are `expected` have been.
    #[inline]
    pub fn reached(&self, expected: Expected) -> bool {
        let ahead = self.0.load(Ordering::Acquire).wrapping_sub(expected.0);
        ahead as i32 >= 0
    }
}

impl Expected {
    /// Expects what a counter at `count` has counted.
    #[allow(dead_code, reason = "models and tests begin near the overflow")]
    pub fn at(count: u32) -> Expected {
        Expected(count)
    }

    /// The same and `more` events.
    #[must_use]
    pub fn and(self, more: usize) -> Expected {
        Expected(self.0.wrapping_add(more as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap() {
        let reached = |counter, expected| Counter::at(counter).reached(Expected::at(expected));
        assert!(reached(5, 5) && reached(6, 5) && !reached(4, 5));
        assert!(reached(0, u32::MAX) && !reached(u32::MAX, 0));
        assert_eq!(Expected::at(u32::MAX).and(2), Expected::at(1));
    }
}
