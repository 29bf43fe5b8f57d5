//! lock_all against exclusive locks: never both inside, and nobody waits for ever.

use super::lock::Room;
use rmashm_model::actor::{act, explore};
use rmashm_model::shm::atomic::{AtomicU32, Ordering};
use rmashm_model::shm::gate::{Flag, Gate, Look};

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
            if !gate.is_empty(&mut Look::default(), |i| self.flags.get(i)) {
                if gate.want() {
                    room.actors.ring_key(WAITERS);
                }
                room.give_back(true);
                self.wait_for_lock_alls(me);
            }
        }
        room.touch(true);
        if counted && gate.uncount() {
            room.actors.ring_key(WAITERS);
        }
        room.give_back(true);
    }

    fn wait_for_lock_alls(&self, me: usize) {
        let (room, gate) = (&self.room, &self.gate);
        let mut look = Look::default();
        loop {
            room.actors.wait_for(
                me,
                EXCLUSIVES,
                || (),
                || gate.is_empty(&mut look, |i| self.flags.get(i)),
            );
            room.take(me, true, false);
            if gate.confirm(&look) {
                return;
            }
            room.give_back(true);
        }
    }

    /// As `Window::lock_all` and `Window::unlock_all`.
    fn lock_all(&self, me: usize, first_time: bool) {
        self.enter(me, first_time);
        self.room.touch(false);
        self.leave(me);
    }

    fn enter(&self, me: usize, first_time: bool) {
        let (room, gate, flag) = (&self.room, &self.gate, &self.flags[me]);
        if first_time {
            gate.open();
            room.take(me, false, false);
            room.give_back(false);
        }
        if !gate.enter(flag) {
            self.wait_to_enter(me, false);
        }
    }

    fn leave(&self, me: usize) {
        if self.gate.leave(&self.flags[me]) {
            self.room.actors.ring_key(EXCLUSIVES);
        }
    }

    /// With `pass` the patience is over at once.
    fn wait_to_enter(&self, me: usize, pass: bool) {
        let (room, gate, flag) = (&self.room, &self.gate, &self.flags[me]);
        let ring = || room.actors.ring_key(EXCLUSIVES);
        gate.come();
        room.actors
            .wait_for(me, WAITERS, || (), || gate.try_again(flag, pass, ring));
        if gate.go() {
            room.actors.ring_key(EXCLUSIVES);
        }
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
                window.wait_to_enter(me, false);
                window.room.touch(false);
                window.leave(me);
            }
        });
    });
}

/// One that has lost its patience meets a locker, and both are never inside together.
#[test]
fn waiter_passes() {
    explore("gate, 1 locker, 1 waiter that passes", 3, || {
        act(Window::new(2, true), 2, |window, me| match me {
            0 => window.lock_exclusive(me),
            _ => {
                for _ in 0..2 {
                    window.wait_to_enter(me, true);
                    window.room.touch(false);
                    window.leave(me);
                }
            }
        });
    });
}

/// Who is inside leaves only when another has entered, while a third wants an exclusive lock.
fn chain(inside: usize, passing: usize) {
    let name = format!("gate, 1 locker, lock_all {passing} that passes while {inside} is inside");
    explore(&name, 2, move || {
        let window = Window::new(3, true);
        assert!(window.gate.enter(&window.flags[inside]));
        act(
            (window, AtomicU32::new(0)),
            3,
            move |(window, second), me| {
                let actors = &window.room.actors;
                if me == inside {
                    actors.wait(me, || second.load(Ordering::SeqCst) != 0);
                    window.room.touch(false);
                    window.leave(me);
                } else if me == passing {
                    window.wait_to_enter(me, true);
                    window.room.touch(false);
                    second.store(1, Ordering::SeqCst);
                    actors.ring(inside);
                    // Still inside when the other has left.
                    window.room.touch(false);
                    window.leave(me);
                } else {
                    window.lock_exclusive(me);
                }
            },
        );
    });
}

#[test]
fn lock_alls_that_need_each_other() {
    chain(1, 2);
}

/// The locker has seen the flag down of the one that passes.
#[test]
fn lock_alls_that_need_each_other_the_other_way_round() {
    chain(2, 1);
}

#[test]
fn waiter_passes_two_lockers() {
    explore("gate, 2 lockers, 1 waiter that passes", 2, || {
        act(Window::new(3, true), 3, |window, me| match me {
            0 | 1 => window.lock_exclusive(me),
            _ => {
                window.wait_to_enter(me, true);
                window.room.touch(false);
                window.leave(me);
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
