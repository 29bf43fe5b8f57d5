//! A job in which every rank waits in MPI and none can go on, as the [`readings`](crate::readings) say: told with what waits for
//! what.
//!
//! Where it is certain, the job is ended. Where a thread or a signal's handler of some rank might still do something, it is
//! only told. Where all are in the same collective call (whose counts then differ so much that some give their data to the
//! board and others send it), that is asked about.

use crate::readings::Verdict;
use crate::report::Fate;
use crate::supervise::{SHORT_GRACE, Supervisor};

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
