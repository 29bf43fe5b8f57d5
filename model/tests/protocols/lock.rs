//! The reader/writer lock: mutual exclusion, and nobody sleeps for ever.

use loom::sync::atomic::{AtomicU32, Ordering::Relaxed};
use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::lock::{Lock, Ring};

pub const KEY: u64 = 77;
const MEETING: u64 = 66;
/// What those sleep for that wait for another's claim.
const CLAIMS: u64 = 55;

pub struct Room {
    pub actors: Actors,
    pub lock: Lock,
    pub data: Watched,
}

impl Room {
    pub fn new(actors: usize) -> Room {
        Room {
            actors: Actors::new(actors),
            lock: Lock::default(),
            data: Watched::default(),
        }
    }

    pub fn ring(&self, whom: Ring) {
        match whom {
            Ring::Nobody => {}
            Ring::Rank(rank) => self.actors.ring(rank as usize),
            Ring::Sleepers => self.actors.ring_key(KEY),
        }
    }

    /// As `Window::lock_quickly`, which a reader that comes in vain takes back.
    fn take_quickly(&self, me: usize, exclusive: bool) -> bool {
        if exclusive {
            return self.lock.take_unwanted(me as u32);
        }
        let taken = self.lock.begin_shared();
        if !taken {
            self.ring(self.lock.release_shared());
        }
        taken
    }

    /// As `MPI_Win_lock`: quickly, else as `Window::acquire`, then `waiting::take`; with `claim` the patience is over when the
    /// first attempt is.
    pub fn take(&self, me: usize, exclusive: bool, claim: bool) {
        if self.take_quickly(me, exclusive) {
            return;
        }
        let rank = me as u32;
        let (taken, to_ring) = if exclusive {
            (self.lock.try_exclusive(rank), Ring::Nobody)
        } else {
            self.lock.try_shared(rank)
        };
        self.ring(to_ring);
        if taken {
            return;
        }
        let announce = || self.lock.announce_sleeper();
        let attempt = || self.attempt(me, exclusive, claim);
        self.actors.wait_for(me, KEY, announce, attempt);
    }

    /// As `Waiter::attempt`, without going past claims.
    fn attempt(&self, me: usize, exclusive: bool, claim: bool) -> bool {
        let rank = me as u32;
        let standing = self.lock.claim_standing();
        let mut claimed = standing.is_some_and(|(claimant, _)| claimant == rank);
        if standing.is_some() && !claimed {
            return false;
        }
        if claim && !claimed {
            claimed = self.lock.claim(rank, 0);
            self.actors.ring_key(CLAIMS);
        }
        let (taken, to_ring) = self.lock.try_take(rank, exclusive);
        self.ring(to_ring);
        if taken && exclusive && claimed {
            self.actors.ring_one(me, KEY);
        }
        taken
    }

    fn is_claimed(&self) -> bool {
        self.lock.claim_standing().is_some()
    }

    pub fn give_back(&self, exclusive: bool) {
        self.ring(if exclusive {
            let holder = self.lock.writer().expect("it is held");
            self.lock.release_exclusive(holder)
        } else {
            self.lock.release_shared()
        });
    }

    /// Takes the lock and touches what it guards; loom watches that nobody else does at the same time.
    pub fn visit(&self, me: usize, exclusive: bool, claim: bool) {
        self.take(me, exclusive, claim);
        self.touch(exclusive);
        self.give_back(exclusive);
    }

    pub fn touch(&self, exclusive: bool) {
        if exclusive {
            self.data.add(1);
        } else {
            self.data.read();
        }
    }
}

fn visits(name: &str, preemptions: usize, exclusive: &'static [bool], claim: &'static [bool]) {
    explore(name, preemptions, move || {
        let actors = exclusive.len();
        act(Room::new(actors), actors, move |room, me| {
            room.visit(me, exclusive[me], claim[me]);
        });
    });
}

#[test]
fn two_writers() {
    explore("lock, 2 writers twice", 4, || {
        act(Room::new(2), 2, |room, me| {
            for _ in 0..2 {
                room.visit(me, true, false);
            }
        });
    });
}

#[test]
fn three_writers() {
    visits("lock, 3 writers", 2, &[true; 3], &[false; 3]);
}

#[test]
fn three_writers_one_claims() {
    let claim = &[false, true, false];
    visits("lock, 3 writers, 1 claims", 2, &[true; 3], claim);
}

#[test]
fn writer_and_two_readers() {
    visits(
        "lock, 1 writer, 2 readers",
        2,
        &[false, false, true],
        &[false; 3],
    );
}

#[test]
fn two_writers_and_a_reader_that_claims() {
    let exclusive = &[true, true, false];
    visits(
        "lock, 2 writers, 1 reader claims",
        2,
        exclusive,
        &[false, false, true],
    );
}

#[test]
fn all_claim() {
    let exclusive = &[true, false, true];
    visits("lock, all claim", 2, exclusive, &[true; 3]);
}

/// A reader that comes when a writer has claimed the lock stays until that writer has been there: it may not be let in before,
/// though another reader is inside.
#[test]
fn readers_after_a_claim_wait() {
    explore("lock, 1 writer claims, 2 readers", 2, || {
        let room = Room::new(3);
        assert!(room.lock.try_shared(1).0);
        act(
            (room, AtomicU32::new(0)),
            3,
            |(room, written), me| match me {
                0 => {
                    room.take(me, true, true);
                    room.touch(true);
                    written.store(1, Relaxed);
                    room.give_back(true);
                    room.actors.ring_key(MEETING);
                    room.actors.ring_key(CLAIMS);
                }
                1 => {
                    room.actors
                        .wait_for(me, CLAIMS, || (), || room.is_claimed());
                    room.touch(false);
                    room.give_back(false);
                }
                _ => {
                    let may_come = || room.is_claimed() || written.load(Relaxed) == 1;
                    room.actors.wait_for(me, CLAIMS, || (), may_come);
                    room.take(me, false, false);
                    let is_written = || written.load(Relaxed) == 1;
                    room.actors.wait_for(me, MEETING, || (), is_written);
                    room.touch(false);
                    room.give_back(false);
                }
            },
        );
    });
}

/// The first of two writers that claim leaves only when the other has claimed the lock in turn.
#[test]
fn claims_follow_each_other() {
    explore("lock, 2 writers that claim in turn", 2, || {
        let room = Room::new(3);
        assert!(room.lock.try_exclusive(2));
        act((room, AtomicU32::new(0)), 3, |(room, been), me| {
            if me == 2 {
                room.actors
                    .wait_for(me, CLAIMS, || (), || room.is_claimed());
                return room.give_back(true);
            }
            room.take(me, true, true);
            room.touch(true);
            if been.fetch_add(1, Relaxed) == 0 {
                room.actors
                    .wait_for(me, CLAIMS, || (), || room.is_claimed());
            }
            room.give_back(true);
        });
    });
}

/// Two readers hold the lock until both do: a reader that claimed keeps no other reader waiting.
#[test]
fn readers_meet_inside() {
    explore("lock, readers meet inside", 2, || {
        let stage = (Room::new(3), AtomicU32::new(0));
        act(stage, 3, |(room, inside), me| {
            if me == 2 {
                return room.visit(me, true, false);
            }
            room.take(me, false, me == 0);
            inside.fetch_add(1, Relaxed);
            // With a key of its own: whoever still sleeps for the lock is not woken by this.
            room.actors.ring_key(MEETING);
            let met = || inside.load(Relaxed) == 2;
            room.actors.wait_for(me, MEETING, || (), met);
            room.touch(false);
            room.give_back(false);
        });
    });
}

/// A reader that goes past claims meets writers, one of which claims.
#[test]
fn reader_goes_past_a_claim() {
    explore("lock, 2 writers, 1 reader past claims", 2, || {
        act(Room::new(3), 3, |room, me| {
            if me < 2 {
                return room.visit(me, true, me == 0);
            }
            let attempt = || {
                let (taken, to_ring) = room.lock.try_past_claim(me as u32);
                room.ring(to_ring);
                taken
            };
            let announce = || room.lock.announce_sleeper();
            room.actors.wait_for(me, KEY, announce, attempt);
            room.touch(false);
            room.give_back(false);
        });
    });
}

/// Who holds the lock shared gives it back only when another has it too, while a third has claimed it.
#[test]
fn readers_that_need_each_other() {
    explore(
        "lock, 1 writer that claims, 2 readers in a chain",
        2,
        || {
            let room = Room::new(3);
            assert!(room.lock.try_shared(1).0);
            act(
                (room, AtomicU32::new(0)),
                3,
                |(room, second), me| match me {
                    0 => room.visit(me, true, true),
                    1 => {
                        room.actors.wait(me, || second.load(Relaxed) != 0);
                        room.touch(false);
                        room.give_back(false);
                    }
                    _ => {
                        let attempt = || {
                            let (taken, to_ring) = room.lock.try_past_claim(me as u32);
                            room.ring(to_ring);
                            taken
                        };
                        let announce = || room.lock.announce_sleeper();
                        room.actors.wait_for(me, KEY, announce, attempt);
                        room.touch(false);
                        second.store(1, Relaxed);
                        room.actors.ring(1);
                        room.give_back(false);
                    }
                },
            );
        },
    );
}
