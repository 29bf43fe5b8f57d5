//! A number that one process makes known, and that others may ask for before.
//!
//! Why no process that asked too early sleeps on. One that asks and finds nothing (1) says that it is wanted, (2) full fence,
//! (3) looks again, and then may sleep. The one that makes it known (a) writes it, (b) full fence, (c) looks whether it was
//! wanted, and if so rings those that sleep. If (2) comes before (b), then (c) sees the wish; else (3) sees the number.

use super::atomic::{AtomicU32, AtomicU64, Ordering, full_fence};

/// The number. Zero is one that is not known yet.
#[repr(C)]
#[derive(Default)]
pub struct Late {
    number: AtomicU64,
    wanted: AtomicU32,
    _pad: u32,
}

impl Late {
    /// The number, if it is known. If it is not, who makes it known will ring.
    #[inline]
    pub fn get(&self) -> Option<u64> {
        match self.number.load(Ordering::Acquire) {
            0 => self.ask(),
            number => Some(number),
        }
    }

    #[cold]
    fn ask(&self) -> Option<u64> {
        self.wanted.store(1, Ordering::Relaxed);
        full_fence();
        let number = self.number.load(Ordering::Acquire);
        (number != 0).then_some(number)
    }

    /// Makes the number known, which is not 0, and all that was done before. True if others are to be rung.
    #[must_use]
    pub fn set(&self, number: u64) -> bool {
        self.number.store(number, Ordering::Release);
        full_fence();
        self.wanted.load(Ordering::Relaxed) != 0
    }
}
