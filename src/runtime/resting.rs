//! The threads of this process that sleep in waits: a rank rests if all of them do, and no other thread of it can act.
//!
//! | another thread                                                  | can it act for a wait of this rank's?                     |
//! |-----------------------------------------------------------------|-----------------------------------------------------------|
//! | sleeps in a wait, as this one                                   | no: it looks, and is counted                              |
//! | sleeps in a futex until a thread of this process wakes it ([`idle`]) | no: none of those that wait does                     |
//! | anything else                                                   | it may                                                    |
//!
//! **A look in vain of the rank** ([`Rest`]) is one of each of those that wait. Each look that counts for one has begun after the last
//! one was counted: so, as with one thread, between two readings that differ by two counts each thread has looked from beginning to end.
//! A thread that begins to wait, or ends that, disturbs the rest. One whose wait may end by the clock alone is not said to have looked, and so
//! nothing is counted.

use super::rest::{self, Rest};
use crate::shm::idle::{self, Words};
use parking_lot::Mutex;
use std::cell::Cell;

/// A thread that sleeps in a wait.
struct Sleeper {
    thread: i32,
    /// Whether it has looked in vain since the last count.
    has_looked: bool,
}

struct All {
    /// How often has been counted.
    counts: u64,
    sleepers: Vec<Sleeper>,
}

static ALL: Mutex<All> = Mutex::new(All {
    counts: 0,
    sleepers: Vec::new(),
});

/// This thread sleeps in a wait until it is dropped.
pub(super) struct Resting {
    rest: &'static Rest,
    thread: i32,
    /// How often had been counted when its last look began.
    looks: Cell<u64>,
}

impl Resting {
    pub fn begin(rest: &'static Rest) -> Resting {
        let thread = nix::unistd::gettid().as_raw();
        let mut all = ALL.lock();
        all.sleepers.push(Sleeper {
            thread,
            has_looked: false,
        });
        rest.disturb();
        Resting {
            rest,
            thread,
            looks: Cell::new(all.counts),
        }
    }

    /// It is about to look.
    pub fn looks(&self) {
        self.looks.set(ALL.lock().counts);
    }

    /// It has looked in vain. `say`: what is known of the wait is told, unless there are others.
    pub fn looked_in_vain(&self, say: impl FnOnce(bool)) {
        let mut all = ALL.lock();
        say(all.sleepers.len() == 1);
        if self.looks.get() != all.counts {
            return;
        }
        let mut sleepers = all.sleepers.iter_mut();
        if let Some(sleeper) = sleepers.find(|sleeper| sleeper.thread == self.thread) {
            sleeper.has_looked = true;
        }
        if all.sleepers.iter().all(|sleeper| sleeper.has_looked) {
            let threads: Vec<i32> = all.sleepers.iter().map(|it| it.thread).collect();
            all.counts += 1;
            all.sleepers
                .iter_mut()
                .for_each(|sleeper| sleeper.has_looked = false);
            // While nobody of them ends its wait.
            self.rest.count(nobody_else_acts(&threads));
        }
    }
}

impl Drop for Resting {
    fn drop(&mut self) {
        let mut all = ALL.lock();
        all.sleepers.retain(|sleeper| sleeper.thread != self.thread);
        self.rest.disturb();
    }
}

/// Whether nothing in this process but the threads that wait can do anything for their waits: no other thread, no handler of a signal that comes by
/// itself, and no debugger.
fn nobody_else_acts(waiting: &[i32]) -> bool {
    rest::is_left_alone()
        && (rest::threads() == waiting.len() as u64 || idle::all_others_sleep(waiting, Words::Own))
}
