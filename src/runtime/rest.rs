//! For how long a rank's waits have been in vain: by this the launcher tells a job that can never go on from one that is slow.
//!
//! A thread that sleeps in a wait looks at least twice a second whether the wait is over, rung or not. A look in vain that ends
//! half a second of sleeps that nothing disturbed is counted here, and so is one that the launcher has asked for, by a ring that
//! is no disturbance; whatever else happens to a wait of the rank begins the count anew, under a new number.
//!
//! | bits  | meaning                                                                                                |
//! |-------|--------------------------------------------------------------------------------------------------------|
//! | 32-63 | number of the rest: changes when a wait begins or ends, messages were moved in it, or it was rung      |
//! | 31    | something in the process besides its peers may end the wait: [another thread](super::resting), or a handler of a signal |
//! | 0-30  | looks in vain of this rest: one each half second, and those that were asked for                        |
//!
//! **What follows from it.** Read all ranks, and read them again when each has counted two more looks under the same number and
//! none has bit 31: between the readings every rank did nothing but look, each looked at least once from beginning to end (the
//! second of the two began after the first was counted, and so after the first reading), and no look found anything. A look reads what the ranks share and the rank's own memory. Nothing else writes those: the ranks
//! did not, no other thread of theirs acts and no signal's handler. So the next look will find what the last one did, and
//! so will all others: the job can never go on by itself. What waits by the clock, as a lock does for others that come first,
//! does not rest; what only looks more often, as nobody would ring it, does. (From outside a rank may still be killed: where
//! others would survive that, nothing is certain. A debugger may do anything: who is traced has bit 31.) What follows where others do
//! not rest, [`super::deadlock`] says.

use super::signals;
use crate::shm::atomic::{AtomicU64, Ordering};
use crate::shm::maps;

const DOUBT: u64 = 1 << 31;
const LOOKS: u64 = DOUBT - 1;

/// The word of a rank. Zero: it does not rest.
#[repr(transparent)]
pub struct Rest(AtomicU64);

/// What a rank's word said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Which rest it is.
    pub number: u32,
    /// Looks in vain.
    pub looks: u32,
    /// Only its peers can end it.
    pub sure: bool,
}

impl Rest {
    /// A wait of the rank begins, moves something, is rung, or ends.
    pub fn disturb(&self) {
        let anew = |word: u64| Some((word >> 32).wrapping_add(1) << 32);
        let _ = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, anew);
    }

    /// A thread has looked in vain. `sure`: only its peers can end its wait.
    pub fn count(&self, sure: bool) {
        let doubt = if sure { 0 } else { DOUBT };
        let one_more = |word: u64| (word & LOOKS < LOOKS).then_some((word + 1) | doubt);
        let _ = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_more);
    }

    pub fn read(&self) -> Reading {
        let word = self.0.load(Ordering::Acquire);
        Reading {
            number: (word >> 32) as u32,
            looks: (word & LOOKS) as u32,
            sure: word & DOUBT == 0,
        }
    }
}

/// How many threads this process has, if that is known.
pub(super) fn threads() -> u64 {
    use std::os::unix::fs::MetadataExt;
    // A folder for each thread in it, besides its own two names.
    let task = std::fs::metadata("/proc/self/task");
    task.map_or(u64::MAX, |task| task.nlink().saturating_sub(2))
}

/// Whether there is no handler of a signal that comes by itself, and no debugger.
pub(super) fn is_left_alone() -> bool {
    !(1..=libc::SIGRTMAX()).any(may_act) && !is_traced()
}

/// Whether a debugger has its hands on this process, or that cannot be known.
fn is_traced() -> bool {
    let status = maps::read("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let tracer = lines.find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_none_or(|tracer| tracer.trim() != "0")
}

/// Signals that come only because the process has done something wrong itself: their handlers do nothing for a wait.
const IDLE: [i32; 6] = [
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGSEGV,
    libc::SIGSYS,
];

/// Whether the program has a handler for this signal, by which it may do something while it waits.
fn may_act(signal: i32) -> bool {
    let acts = |handler| {
        handler != libc::SIG_DFL && handler != libc::SIG_IGN && !signals::is_idle(handler)
    };
    !IDLE.contains(&signal) && signals::handler(signal).is_some_and(acts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_disturbs_a_rest_begins_another() {
        let rest = Rest(AtomicU64::new(0));
        rest.count(true);
        rest.count(true);
        let reading = |number, looks, sure| Reading {
            number,
            looks,
            sure,
        };
        assert_eq!(rest.read(), reading(0, 2, true));
        rest.count(false);
        rest.count(true);
        assert_eq!(rest.read(), reading(0, 4, false), "a doubt stays");
        rest.disturb();
        assert_eq!(rest.read(), reading(1, 0, true));
        let last = Rest(AtomicU64::new(u64::MAX));
        last.count(true);
        assert_eq!(last.read().looks, LOOKS as u32);
        last.disturb();
        assert_eq!(last.read(), reading(0, 0, true));
    }

    #[test]
    fn tests_run_in_threads() {
        assert!(threads() > 1);
    }
}
