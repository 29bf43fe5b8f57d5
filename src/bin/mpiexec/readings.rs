//! The readings that tell a job in which every rank waits in MPI and none can go on: the counts of looks in vain that the ranks
//! keep (`src/runtime/rest.rs` says what follows from them, and why).
//!
//! The first reading is taken after 4 looks of each rank, in which all that goes by the clock is over (claims and courtesies of
//! locks, less than a second), the second after 8 more: 6 s. A rank with another thread, or with a handler for a signal that
//! may come by itself, is in doubt: such a job is told after a minute.

use rmashm::launching::{NAP, Reading};

/// So many looks in vain every rank has behind it at the first reading...
const BEFORE: u32 = looks(2);
/// ...and so many more at the second.
const MORE: u32 = looks(4);
/// As many where something besides the ranks may have a hand in it.
const DOUBTFUL: u32 = looks(60);

/// How many looks a rank that rests takes in so many seconds.
const fn looks(seconds: u32) -> u32 {
    seconds * 1000 / NAP.as_millis() as u32
}

/// What the readings say of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Open,
    /// No rank has done anything for long, but one that is more than its waiting thread may yet.
    Doubtful,
    /// None ever will.
    Certain,
}

/// The first reading of all ranks that rest, and whether it was told.
#[derive(Default)]
pub struct Standstill {
    first: Vec<(u32, Reading)>,
    pub told: bool,
}

impl Standstill {
    /// Takes a reading of all living ranks; `None` where one does not wait in MPI.
    pub fn read(&mut self, now: Option<Vec<(u32, Reading)>>) -> Verdict {
        let rested = |ranks: &Vec<(u32, Reading)>| {
            !ranks.is_empty() && ranks.iter().all(|(_, reading)| reading.looks >= BEFORE)
        };
        let Some(now) = now.filter(rested) else {
            self.first.clear();
            return Verdict::Open;
        };
        let same = |(first, now): (&(u32, Reading), &(u32, Reading))| {
            first.0 == now.0 && first.1.number == now.1.number
        };
        if self.first.len() != now.len() || !self.first.iter().zip(&now).all(same) {
            self.first = now;
            return Verdict::Open;
        }
        let more = |(first, now): (&(u32, Reading), &(u32, Reading))| now.1.looks - first.1.looks;
        let more = self.first.iter().zip(&now).map(more).min().unwrap_or(0);
        match now.iter().all(|(_, reading)| reading.sure) {
            true if more >= MORE => Verdict::Certain,
            false if more >= DOUBTFUL => Verdict::Doubtful,
            _ => Verdict::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(rank: u32, number: u32, looks: u32, sure: bool) -> (u32, Reading) {
        (
            rank,
            Reading {
                number,
                looks,
                sure,
            },
        )
    }

    #[test]
    fn two_readings_of_the_same_rests_are_a_standstill() {
        let mut still = Standstill::default();
        let at = |looks: u32| {
            Some(vec![
                reading(0, 7, looks, true),
                reading(2, 3, looks + 1, true),
            ])
        };
        assert_eq!(still.read(at(BEFORE - 1)), Verdict::Open);
        for looks in BEFORE..BEFORE + MORE {
            assert_eq!(still.read(at(looks)), Verdict::Open);
        }
        assert_eq!(still.read(at(BEFORE + MORE)), Verdict::Certain);
    }

    #[test]
    fn whatever_moves_begins_anew() {
        let late = BEFORE + MORE;
        let first = vec![reading(0, 7, late, true), reading(2, 3, late, true)];
        for second in [
            None,
            // One begins another rest, one is gone, one looks no more, one has only begun to wait.
            Some(vec![
                reading(0, 8, 2 * late, true),
                reading(2, 3, 2 * late, true),
            ]),
            Some(vec![reading(0, 7, 2 * late, true)]),
            Some(vec![
                reading(0, 7, 2 * late, true),
                reading(2, 3, late, true),
            ]),
            Some(vec![reading(0, 7, 2 * late, true), reading(2, 4, 0, true)]),
        ] {
            let mut still = Standstill::default();
            assert_eq!(still.read(Some(first.clone())), Verdict::Open);
            assert_eq!(still.read(second.clone()), Verdict::Open, "{second:?}");
        }
    }

    #[test]
    fn a_doubt_is_told_late() {
        let mut still = Standstill::default();
        let at = |looks: u32| {
            Some(vec![
                reading(0, 0, looks, true),
                reading(1, 0, looks, false),
            ])
        };
        assert_eq!(still.read(at(BEFORE)), Verdict::Open);
        assert_eq!(still.read(at(BEFORE + DOUBTFUL - 1)), Verdict::Open);
        assert_eq!(still.read(at(BEFORE + DOUBTFUL)), Verdict::Doubtful);
    }
}
