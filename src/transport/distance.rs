//! How far the other core is, and so how data is best copied into a ring that it reads.
//!
//! An ordinary copy fetches every line from the cache of the core that read there last, unless it is by the string instruction
//! (`shm/copy.rs`), which then looks like one to a core beside. Between cores that share all caches that costs nothing, and a copy
//! past the caches several times as much; between those that share the last one it is right for a message of one cell, but not for
//! one of many, in which the other core reads while this one writes; between others it takes longer than everything else. The
//! kernel may move ranks, and a hypervisor the cores below them: so an ordinary copy is timed now and then. (Figures:
//! `bench/RESULTS.md`.)
//!
//! There are three states, which a message of 8 bytes tells by its 0.12, 0.15 or 0.37 µs. Past the caches goes what is for a
//! far core, and pieces of a larger message for a near one that go where both cores have been a short time ago.
//!
//! The bounds are found again by `make bench BENCH="--families messages,sizes --peers none"`.

use crate::shm::copy::{IN_TWO, Way};
use std::time::{Duration, Instant};

/// Smaller pieces are copied as any others.
pub const LEAST: usize = 1 << 10;
/// Fewer bytes go into the ring: to know that its shelf is free costs a line.
pub const SHELVED: usize = 256;
/// Pieces of fewer bytes fit into the core's store buffer and do not tell who shares all caches.
pub const TELLING: usize = 4 << 10;
/// So many pieces are copied in one way before an ordinary copy is timed again: one that was good, and one that was not. To time
/// one takes 60 ns.
const AGAIN: u32 = 64;
const LATER: u32 = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// The cores share all caches.
    Beside,
    /// They share the last one.
    Near,
    Far,
}

/// Where the other core is, if an ordinary copy of `bytes` took so long. (`make bench BENCH=--thresholds` shows what it takes between
/// the cores of a machine, and what each way of copying is worth there.)
pub fn nearness(bytes: usize, took: Duration) -> Nearness {
    let (took, bytes) = (took.as_nanos() as usize, bytes);
    match () {
        () if took > 200 + bytes / 16 * 3 => Nearness::Far,
        () if took > 50 + bytes / 16 => Nearness::Near,
        () => Nearness::Beside,
    }
}

/// A line that the other core wrote last comes sooner than this where both share a cache: with the clock in 50 to 100 ns, else in
/// 180 to 300 (AMD EPYC 9004).
///
/// It is asked for messages from [`LEAST`] bytes on. Without a shared cache 8 KiB take 1.97 µs on the shelf and 1.60 in the ring,
/// but 256 bytes 0.57 and 0.65.
const SHARING_CACHE: Duration = Duration::from_nanos(130);

/// What is known of the other core.
pub struct Distance {
    nearness: Nearness,
    /// Whether it shares a cache, as far as lines tell.
    shares_cache: bool,
    /// Pieces to be copied before the next one is timed.
    rest: u32,
}

/// How one piece is copied.
#[derive(Clone, Copy)]
pub struct Manner {
    pub way: Way,
    /// Whether a whole message is better written to lines that both cores have used last.
    shelf: bool,
    /// When it was begun, if it is for [`Distance::learn`].
    begun: Option<Instant>,
}

impl Manner {
    fn timed() -> Manner {
        Manner {
            way: Way::Ordinary,
            // The times that are known are those of lines that were used before others.
            shelf: false,
            begun: Some(Instant::now()),
        }
    }

    /// Whether the ring's shelf is the better place, if it is free.
    pub fn is_for_shelf(&self) -> bool {
        self.shelf
    }

    pub fn is_timed(&self) -> bool {
        self.begun.is_some()
    }

    /// Whether the other core is not far, and that is not to be found out now.
    pub fn is_near(&self) -> bool {
        self.begun.is_none() && self.way != Way::PastCaches
    }
}

impl Distance {
    pub const fn new() -> Distance {
        Distance {
            nearness: Nearness::Near,
            shares_cache: true,
            rest: 0,
        }
    }

    /// How to copy the next piece, of so many `bytes`, which is one of `many` in lines that both cores have in their caches, or not.
    #[inline]
    pub fn next(&mut self, bytes: usize, many: bool) -> Manner {
        let way = match bytes < LEAST {
            true => Way::Ordinary,
            false if self.rest == 0 => return Manner::timed(),
            false => self.next_way(bytes, many),
        };
        Manner {
            way,
            shelf: bytes >= SHELVED && (bytes < LEAST || self.shares_cache),
            begun: None,
        }
    }

    #[inline]
    fn next_way(&mut self, bytes: usize, many: bool) -> Way {
        self.rest -= 1;
        let ordinary = if many {
            Nearness::Beside
        } else {
            Nearness::Near
        };
        match self.nearness {
            nearness if nearness > ordinary => Way::PastCaches,
            Nearness::Beside if IN_TWO.contains(&bytes) => Way::InTwo,
            _ => Way::Ordinary,
        }
    }

    /// The copy of a piece of `bytes` has ended. The caller has passed a fence since, so that what it has written is there.
    #[inline]
    pub fn learn(&mut self, manner: Manner, bytes: usize) {
        if let Some(begun) = manner.begun {
            self.took(bytes, begun.elapsed());
        }
    }

    /// Learns more, if the piece was timed: `look` loads from a line that the other core wrote last.
    #[inline]
    pub fn learn_by(&mut self, manner: Manner, look: impl FnOnce()) {
        if manner.is_timed() {
            let begun = Instant::now();
            look();
            self.shares_cache = begun.elapsed() < SHARING_CACHE;
        }
    }

    fn took(&mut self, bytes: usize, took: Duration) {
        let now = nearness(bytes, took);
        if bytes >= TELLING || self.nearness == Nearness::Far || now == Nearness::Far {
            self.nearness = now;
        }
        self.rest = match self.nearness {
            Nearness::Far => LATER,
            _ => AGAIN,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanoseconds(bytes: usize, took: u64) -> Nearness {
        nearness(bytes, Duration::from_nanos(took))
    }

    #[test]
    fn what_copies_take_tells_where_the_other_core_is() {
        // As measured, with the fence that publishes the data. (AMD EPYC of family 25, far: 8 KiB 2350 to 5000.)
        for (bytes, beside, near, far) in [
            (1 << 10, 80, 106, 600),
            (4 << 10, 130, 560, 2500),
            (8 << 10, 250, 1200, 5000),
        ] {
            assert!(bytes < TELLING || nanoseconds(bytes, beside) == Nearness::Beside);
            assert!(nanoseconds(bytes, near) <= Nearness::Near);
            assert!(bytes < TELLING || nanoseconds(bytes, near) == Nearness::Near);
            assert_eq!(nanoseconds(bytes, far), Nearness::Far);
        }
    }

    #[test]
    fn ordinary_copies_are_timed_again() {
        let mut distance = Distance::new();
        assert!(!distance.next(LEAST - 1, false).is_timed());
        for _ in 0..3 {
            let manner = distance.next(8000, true);
            assert!(manner.is_timed() && manner.way == Way::Ordinary);
            distance.took(8000, Duration::from_micros(100));
            for _ in 0..LATER {
                let manner = distance.next(8000, false);
                assert!(manner.way == Way::PastCaches && !manner.is_timed());
            }
        }
    }
}
