//! Whether a yield is worth its price.
//!
//! Among ranks that wait for each other it costs a microsecond, and the core goes to one that may make the condition true.
//! Where a process that computes has the core too, it goes to that for a whole time slice; but a rank that sleeps and is woken
//! mostly gets it back at once. So a rank whose yield took that long sleeps at once for a number of waits, and then tries
//! again.
//!
//! A yield of over 2 ms is such a one. The number of waits is 4 at first, then 16, up to 4096. Calls that look and do not block
//! (`MPI_Test`, `MPI_Iprobe`) give their core away by the same rule. (A barrier of 4 ranks beside two processes that compute,
//! on 2 cores: 40 to 90 µs, and 1,700 to 7,000 without this; `bench/RESULTS.md`.)
//!
//! Who computes may be a rank of the job, and begin to wait with the others: then each of those waits costs them wake-ups. So no try is longer
//! than 16 such yields away, by the clock. (8 ranks on 2 cores, `MPI_Bcast` of 64 bytes behind a part in which ranks work beside
//! `MPI_Iallreduce`: 80 to 180 µs instead of 5, for half a second.)

use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::shm::clock;

/// A yield of so many nanoseconds has met somebody who computes. Ranks of the job that all wait for one that computes less
/// than this are better off yielding. (What one costs otherwise: `make bench BENCH=--thresholds`.)
const SLICE: u32 = 2_000_000;
/// The waits between two tries: at first, and at most. A try costs a slice, a needless sleep some ten microseconds.
const LEAST: u32 = 4;
const MOST: u32 = 4096;
/// The next try is so many dear yields away at most: tries cost a sixteenth of the time.
const AWAY: u32 = 16;

/// What a rank has learnt of its yields. Threads that learn at the same time may overwrite each other's.
pub(super) struct Yields {
    /// Waits that are to come before the next try.
    left: AtomicU32,
    /// So many there will be after the next dear one.
    next: AtomicU32,
    /// When the next try is due, in nanoseconds of the machine's clock.
    due: AtomicU64,
}

impl Yields {
    pub(super) const fn new() -> Yields {
        Yields {
            left: AtomicU32::new(0),
            next: AtomicU32::new(LEAST),
            due: AtomicU64::new(0),
        }
    }

    /// Whether this wait is one to sleep in at once.
    pub(super) fn are_dear(&self) -> bool {
        self.are_dear_at(clock::nanoseconds)
    }

    /// Learns from a wait whose longest yield took so many nanoseconds.
    pub(super) fn took(&self, longest: u32) {
        self.took_at(longest, clock::nanoseconds);
    }

    fn are_dear_at(&self, now: impl FnOnce() -> u64) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 {
            return false;
        }
        let is_due = now() >= self.due.load(Ordering::Relaxed);
        let left = if is_due { 0 } else { left - 1 };
        self.left.store(left, Ordering::Relaxed);
        !is_due
    }

    fn took_at(&self, longest: u32, now: impl FnOnce() -> u64) {
        let next = self.next.load(Ordering::Relaxed);
        if longest >= SLICE {
            let due = now() + u64::from(longest) * u64::from(AWAY);
            self.due.store(due, Ordering::Relaxed);
            self.left.store(next, Ordering::Relaxed);
            self.next.store((next * 4).min(MOST), Ordering::Relaxed);
        } else if next > LEAST {
            // Slowly: some yields are short beside a process that computes too, when another rank has the core between.
            self.next.store(next - next.div_ceil(16), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many waits in a row the next ones sleep in at once.
    fn row(yields: &Yields) -> u32 {
        (0..).take_while(|_| yields.are_dear_at(|| 0)).count() as u32
    }

    /// All at one time.
    fn took(yields: &Yields, longest: u32) {
        yields.took_at(longest, || 0);
    }

    #[test]
    fn cheap_yields_go_on() {
        let yields = Yields::new();
        for _ in 0..100 {
            took(&yields, SLICE - 1);
            assert_eq!(row(&yields), 0);
        }
    }

    #[test]
    fn dear_yields_are_tried_less_and_less() {
        let yields = Yields::new();
        let mut rows = vec![];
        for _ in 0..7 {
            took(&yields, SLICE);
            rows.push(row(&yields));
        }
        assert_eq!(rows, [4, 16, 64, 256, 1024, 4096, 4096]);
    }

    /// By the clock, however few waits there were.
    #[test]
    fn a_try_is_never_far_away() {
        let yields = Yields::new();
        for _ in 0..9 {
            took(&yields, SLICE);
            row(&yields);
        }
        took(&yields, SLICE);
        let due = u64::from(AWAY * SLICE);
        assert!(yields.are_dear_at(|| due - 1));
        assert!(!yields.are_dear_at(|| due) && !yields.are_dear_at(|| 0));
        took(&yields, SLICE);
        assert!(yields.are_dear_at(|| 0));
    }

    #[test]
    fn what_was_dear_may_be_cheap_again() {
        let yields = Yields::new();
        for _ in 0..9 {
            took(&yields, 3 * SLICE);
            row(&yields);
        }
        for _ in 0..200 {
            took(&yields, 1000);
        }
        assert_eq!(row(&yields), 0);
        took(&yields, SLICE);
        assert_eq!(row(&yields), LEAST);
    }
}
