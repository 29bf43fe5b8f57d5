//! Parcels: each is stored by the receiver or taken back by its sender, never both, and touched by one side at a time. Updates:
//! none is lost, whether the receiver makes it or its sender under the lock.

use super::lock::Room;
use loom::sync::atomic::{AtomicU32, Ordering::Relaxed};
use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::parcel::{Answer, Desk, Receipt};

/// What a sender has in the segment, by its number, which is the parcel's place.
#[derive(Default)]
struct Parcel {
    receipt: Receipt,
    data: Watched,
}

struct Stage {
    actors: Actors,
    desk: Desk,
    parcels: [Parcel; 3],
    /// The receiver's memory, a word for each sender: the sum of what was sent.
    memory: [Watched; 3],
}

fn stage(actors: usize) -> Stage {
    Stage {
        actors: Actors::new(actors),
        desk: Desk::default(),
        parcels: Default::default(),
        memory: Default::default(),
    }
}

const RECEIVER: usize = 0;

impl Stage {
    fn parcel(&self, me: usize) -> &Parcel {
        &self.parcels[me]
    }

    /// Whether it lies on the desk.
    fn lay(&self, me: usize, value: u32) -> bool {
        self.parcel(me).data.write(value);
        self.parcel(me).receipt.blank();
        let laid = self.desk.lay(me);
        if laid {
            self.actors.ring(RECEIVER);
        }
        laid
    }

    /// Waits for the receipt: whether it was stored.
    fn is_stored(&self, me: usize) -> bool {
        let mut answer = None;
        self.actors.wait(me, || {
            answer = self.parcel(me).receipt.answered();
            answer.is_some()
        });
        answer == Some(Answer::Stored)
    }

    /// As a sender whose patience has come to its end.
    fn send(&self, me: usize, value: u32) {
        let by_kernel = !self.lay(me, value) || self.desk.take_back(me) || !self.is_stored(me);
        if by_kernel {
            self.memory[me].add(value);
        }
    }

    /// Stores what lies there, or refuses.
    fn look(&self, refuses: bool) -> bool {
        let Some(from) = self.desk.take() else {
            return false;
        };
        if !refuses {
            self.memory[from].add(self.parcel(from).data.read());
        }
        let answer = match refuses {
            true => Answer::Refused,
            false => Answer::Stored,
        };
        self.parcel(from).receipt.answer(answer);
        self.actors.ring(from);
        true
    }
}

#[test]
fn stored_or_taken_back() {
    explore("parcel, 1 sends twice, 1 looks twice", 4, || {
        act(stage(2), 2, |stage, me| {
            if me == RECEIVER {
                stage.look(false);
                stage.look(true);
            } else {
                stage.send(me, 1);
                assert_eq!(stage.memory[me].read(), 1);
                stage.send(me, 2);
                assert_eq!(stage.memory[me].read(), 3);
            }
        });
    });
}

/// One desk serves both; who finds it full does without.
#[test]
fn several_send() {
    explore("parcel, 2 send twice, 1 looks twice", 3, || {
        act(stage(3), 3, |stage, me| {
            if me == RECEIVER {
                stage.look(false);
                stage.look(false);
            } else {
                stage.send(me, 1);
                stage.send(me, 2);
                assert_eq!(stage.memory[me].read(), 3);
            }
        });
    });
}

/// A receiver that waits, and a sender that has patience: both are rung.
#[test]
fn patience_ends() {
    explore("parcel, 1 sends and waits, 1 waits", 4, || {
        act(stage(2), 2, |stage, me| {
            for turn in 0..2 {
                let refuses = turn == 1;
                if me == RECEIVER {
                    stage.actors.wait(me, || stage.look(refuses));
                } else {
                    assert!(stage.lay(me, 1));
                    assert_eq!(stage.is_stored(me), !refuses);
                    assert_eq!(stage.memory[me].read(), 1);
                }
            }
        });
    });
}

/// The memory of the receiver that all update, under its lock.
struct Updates {
    room: Room,
    desk: Desk,
    parcels: [Parcel; 3],
    /// Actors that are done.
    done: AtomicU32,
}

fn updates(actors: usize) -> Updates {
    Updates {
        room: Room::new(actors),
        desk: Desk::default(),
        parcels: Default::default(),
        done: AtomicU32::new(0),
    }
}

impl Updates {
    fn release(&self, me: usize) {
        self.room.ring(self.room.lock.release_exclusive(me as u32));
    }

    /// As one who does without the receiver: fetches and puts back under the lock, for which it waits.
    fn update(&self, me: usize, more: u32) {
        self.room.take(me, true, false);
        self.room.data.add(more);
        self.release(me);
    }

    /// Leaves it to the receiver, with so much patience that this one gets it if it is there, and holds no lock meanwhile.
    fn send(&self, me: usize, more: u32) {
        let parcel = &self.parcels[me];
        parcel.data.write(more);
        parcel.receipt.blank();
        let mut answer = None;
        if self.desk.lay(me) {
            self.room.actors.ring(RECEIVER);
            self.room.actors.wait(me, || {
                answer = parcel.receipt.answered();
                answer.is_some()
            });
        }
        if answer == Some(Answer::Stored) {
            // The parcel is the sender's again, with what was there.
            assert!(parcel.data.read() < 100);
        } else {
            self.update(me, more);
        }
    }

    /// Updates if the lock is free, and says that it is busy else; never waits. What was there goes back.
    fn look(&self) -> bool {
        let Some(from) = self.desk.take() else {
            return false;
        };
        let parcel = &self.parcels[from];
        let (taken, _) = self.room.lock.try_take(RECEIVER as u32, true);
        if taken {
            let before = self.room.data.read();
            self.room.data.write(before + parcel.data.read());
            parcel.data.write(before);
            self.release(RECEIVER);
        }
        let answer = match taken {
            true => Answer::Stored,
            false => Answer::Busy,
        };
        parcel.receipt.answer(answer);
        self.room.actors.ring(from);
        true
    }

    /// Who of so many actors is the last finds all updates.
    fn leave(&self, me: usize, actors: u32, all: u32) {
        if self.done.fetch_add(1, Relaxed) + 1 == actors {
            self.room.take(me, true, false);
            assert_eq!(self.room.data.read(), all);
            self.release(me);
        }
    }
}

/// One sends, and another goes by the lock: who holds it when the receiver looks gets the sender there, too.
#[test]
fn updates_by_the_receiver_and_by_the_lock() {
    explore("parcel, 1 sends an update, 1 updates, 1 looks", 3, || {
        act(updates(3), 3, |stage, me| {
            match me {
                RECEIVER => stage.room.actors.wait(me, || stage.look()),
                1 => stage.send(me, 1),
                _ => stage.update(me, 10),
            }
            stage.leave(me, 3, 11);
        });
    });
}

#[test]
fn a_receiver_updates_too() {
    explore(
        "parcel, 1 sends 2 updates, 1 updates and looks by turns",
        4,
        || {
            act(updates(2), 2, |stage, me| {
                for _ in 0..2 {
                    if me == RECEIVER {
                        stage.update(me, 10);
                        stage.room.actors.wait(me, || stage.look());
                    } else {
                        stage.send(me, 1);
                    }
                }
                stage.leave(me, 2, 22);
            });
        },
    );
}

/// A receiver that looks while it holds the lock, as it may while it waits for another.
#[test]
fn a_receiver_that_holds_the_lock_is_busy() {
    explore(
        "parcel, 1 sends an update, 1 holds the lock and looks",
        4,
        || {
            act(updates(2), 2, |stage, me| {
                if me == RECEIVER {
                    stage.room.take(me, true, false);
                    stage.room.actors.wait(me, || stage.look());
                    stage.room.data.add(10);
                    stage.release(me);
                } else {
                    stage.send(me, 1);
                }
                stage.leave(me, 2, 11);
            });
        },
    );
}
