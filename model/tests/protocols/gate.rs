//! lock_all against exclusive locks: never both inside, and nobody waits for ever.

use super::lock::{KEY, Room};
use rmashm_model::actor::{act, explore};
use rmashm_model::shm::gate::{Flag, Gate};

/// What lockers sleep for until nobody is inside, and lock_all until there are no exclusive locks.
const EXCLUSIVES: u64 = 88;
const WAITERS: u64 = 99;

/// A window with one target.
struct Window {
    room: Room,
    gate: Gate,
    flags: Vec<Flag>,
}

impl Window {
    /// `used`: everybody has called lock_all before.
    fn new(actors: usize, used: bool) -> Window {
        let gate = Gate::default();
        if used {
            gate.open();
        }
        Window {
            room: Room::new(actors),
            gate,
            flags: (0..actors).map(|_| Flag::default()).collect(),
        }
    }

    /// As `Window::lock` and `Window::unlock`.
    fn lock_exclusive(&self, me: usize) {
        let (room, gate) = (&self.room, &self.gate);
        room.take(me, true, false);
        let counted = gate.is_used();
        if counted {
            gate.count();
            let mut first = 0;
            room.actors.wait_for(
                me,
                EXCLUSIVES,
                || (),
                || gate.is_empty(&mut first, |i| self.flags.get(i)),
            );
        }
        room.touch(true);
        if counted && gate.uncount() {
            room.actors.ring_key(WAITERS);
        }
        room.give_back(true);
    }

    /// As `Window::lock_all` and `Window::unlock_all`.
    fn lock_all(&self, me: usize, first_time: bool) {
        let (room, gate, flag) = (&self.room, &self.gate, &self.flags[me]);
        let ring = || room.actors.ring_key(EXCLUSIVES);
        if first_time {
            gate.open();
            let first = room.lock.writer();
            room.actors.wait_for(
                me,
                KEY,
                || room.lock.announce_sleeper(),
                || {
                    let now = room.lock.writer();
                    now.is_none() || now != first
                },
            );
        }
        if !gate.enter(flag) {
            self.wait_to_enter(me);
        }
        room.touch(false);
        if gate.leave(flag) {
            ring();
        }
    }

    fn wait_to_enter(&self, me: usize) {
        let (room, gate, flag) = (&self.room, &self.gate, &self.flags[me]);
        let ring = || room.actors.ring_key(EXCLUSIVES);
        gate.come();
        room.actors
            .wait_for(me, WAITERS, || (), || gate.try_again(flag, ring));
        gate.go();
    }
}

#[test]
fn one_each() {
    explore("gate, 1 locker, 1 lock_all, twice", 3, || {
        act(Window::new(2, true), 2, |window, me| {
            for _ in 0..2 {
                match me {
                    0 => window.lock_exclusive(me),
                    _ => window.lock_all(me, false),
                }
            }
        });
    });
}

/// One that has been waiting already meets a locker.
#[test]
fn waiter_tries_again() {
    explore("gate, 1 locker, 1 waiter", 3, || {
        act(Window::new(2, true), 2, |window, me| match me {
            0 => window.lock_exclusive(me),
            _ => {
                window.wait_to_enter(me);
                window.room.touch(false);
                if window.gate.leave(&window.flags[me]) {
                    window.room.actors.ring_key(EXCLUSIVES);
                }
            }
        });
    });
}

#[test]
fn first_lock_all() {
    explore("gate, 1 locker twice, first lock_all", 3, || {
        act(Window::new(2, false), 2, |window, me| match me {
            0 => (0..2).for_each(|_| window.lock_exclusive(me)),
            _ => window.lock_all(me, true),
        });
    });
}

#[test]
fn two_lockers_first_lock_all() {
    explore("gate, 2 lockers, first lock_all", 2, || {
        act(Window::new(3, false), 3, |window, me| match me {
            0 | 1 => window.lock_exclusive(me),
            _ => window.lock_all(me, true),
        });
    });
}

#[test]
fn two_first_lock_alls() {
    explore("gate, 1 locker, 2 first lock_alls", 2, || {
        act(Window::new(3, false), 3, |window, me| match me {
            0 => window.lock_exclusive(me),
            _ => window.lock_all(me, true),
        });
    });
}

#[test]
fn two_lock_alls() {
    explore("gate, 1 locker, 2 lock_alls", 2, || {
        act(Window::new(3, true), 3, |window, me| match me {
            0 => window.lock_exclusive(me),
            _ => window.lock_all(me, false),
        });
    });
}
