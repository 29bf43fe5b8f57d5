//! A job in which every rank waits in MPI and none can go on: seen from the counts of looks in vain that the ranks keep
//! (`src/runtime/rest.rs` says what follows from them, and why), and told with what waits for what.
//!
//! Where it is certain, the job is ended. Where a thread or a signal's handler of some rank might still do something, it is
//! only told, and after longer.
//!
//! The first reading is taken after 4 looks of each rank, in which all that goes by the clock is over (claims and courtesies of
//! locks, less than a second), the second after 8 more: 6 s. A rank with another thread, or with a handler for a signal that
//! may come by itself, is in doubt: such a job is told after a minute. Where all are in the same collective call (whose counts
//! then differ so much that some give their data to the board and others send it), that is asked about.

use rmashm::launching::{NAP, Reading};

use crate::report::Fate;
use crate::supervise::{SHORT_GRACE, Supervisor};

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
    told: bool,
}

impl Standstill {
    /// Takes a reading of all living ranks; `None` where one does not wait in MPI.
    fn read(&mut self, now: Option<Vec<(u32, Reading)>>) -> Verdict {
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

impl Supervisor<'_> {
    /// Does every rank wait for another? Then says what each waits for, and ends the job if that is certain.
    pub fn look_for_standstill(&mut self) {
        if self.ending.is_some() || self.standstill.told {
            return;
        }
        let living = (0..self.fates.len()).filter(|rank| self.fates[*rank].is_none());
        let segment = &self.job.segment;
        let reading = |rank: usize| {
            segment
                .is_in_mpi(rank)
                .then(|| (rank as u32, segment.rest(rank)))
        };
        let verdict = self.standstill.read(living.map(reading).collect());
        // A rank may be killed from outside, by a timer of its own too; where others survive that, it is what they go on by.
        let survived = self.others_survive();
        let ends = verdict == Verdict::Certain && !self.request.no_cleanup && !survived;
        let text = match verdict {
            Verdict::Open => return,
            Verdict::Doubtful => {
                "all ranks wait in MPI, and nothing has moved for a minute: unless another thread of theirs still works, or a \
                 signal comes, they wait for ever"
            }
            Verdict::Certain if ends => {
                "all ranks wait in MPI, each for what only others could do: none can ever go on, so the job is ended"
            }
            Verdict::Certain if survived => {
                "all ranks wait in MPI, each for what only others could do: none can go on, unless one of them dies"
            }
            Verdict::Certain => {
                "all ranks wait in MPI, each for what only others could do: none can ever go on"
            }
        };
        self.standstill.told = true;
        self.job.output.say(text);
        self.say_waiting(&[]);
        if let Some(call) = self.one_call() {
            let text = format!(
                "do they call {call} on the same communicator, with counts, datatypes and a root that match?"
            );
            self.job.output.say(&text);
        }
        self.say_gone();
        if ends {
            self.end(1, SHORT_GRACE);
        }
    }

    /// The collective call that all ranks of the job wait in, if it is one.
    fn one_call(&self) -> Option<String> {
        let ranks = 0..self.fates.len();
        if self.fates.iter().any(Option::is_some) {
            return None;
        }
        let mut waits = ranks.flat_map(|rank| self.job.segment.waiting_for(rank));
        let first = waits.next()?;
        // Other waits are told with what they wait for.
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_call = first.starts_with("MPI_") && first.chars().all(is_name);
        (is_call && waits.all(|other| other == first)).then_some(first)
    }

    /// Says which ranks the others wait for in vain, perhaps: those that have left.
    fn say_gone(&mut self) {
        let gone = (0..self.fates.len()).filter_map(|rank| Some((rank as u32, self.fates[rank]?)));
        let lines = crate::report::gone_lines(gone.map(|(rank, fate)| (rank, Fate::text(fate))));
        for line in lines {
            self.job.output.say(&line);
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
