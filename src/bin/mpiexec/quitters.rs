//! Ranks that left with status 0 and without MPI_Finalize. Whether that is a death depends on the others: one that waits for
//! such a rank says so in the process table. Where nobody does, it is worth a line of warning.
//!
//! A waiter that finds such a rank in its way looks once more, as all that the rank did was done before. If it finds nothing,
//! it marks the rank as missed and goes on waiting. The launcher, which looks every 50 ms while there are such ranks, makes a
//! death of it. Where it is not known which rank of several is in the way (readers of a lock, origins of an exposure epoch),
//! one that has quit is given the benefit of the doubt. The line of warning comes at the end of the job, or after 5 s: what the
//! others wait for may be a number in memory.

use std::time::{Duration, Instant};

use rmashm::launching::JobSegment;

/// If the others go on without them for so long, it is said: what they wait for may be something that the library does not
/// see, such as a number in shared memory.
const LONG: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Quitters {
    /// Those that nobody has missed so far.
    ranks: Vec<u32>,
    /// When the first of them that was not told of left.
    since: Option<Instant>,
    told: bool,
}

impl Quitters {
    pub fn add(&mut self, rank: u32) {
        self.ranks.push(rank);
        self.since.get_or_insert_with(Instant::now);
    }

    pub fn is_any(&self) -> bool {
        !self.ranks.is_empty()
    }

    /// One that somebody waits for. It is no longer among them.
    pub fn take_missed(&mut self, segment: &JobSegment) -> Option<u32> {
        let missed = |rank: &u32| segment.is_missed(*rank as usize);
        let at = self.ranks.iter().position(missed)?;
        Some(self.ranks.remove(at))
    }

    /// The ranks, once: at the end of the job, or after long. Else none.
    pub fn news(&mut self, now: Instant, at_end: bool) -> Vec<u32> {
        let due = at_end || self.since.is_some_and(|since| now >= since + LONG);
        if !due || self.told || self.ranks.is_empty() {
            return Vec::new();
        }
        self.told = true;
        self.ranks.sort();
        self.ranks.clone()
    }
}
