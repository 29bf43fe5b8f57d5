//! Parcels: each is stored by the receiver or taken back by its sender, never both, and touched by one side at a time.

use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::parcel::{Desk, Receipt};

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
        answer == Some(true)
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
        self.parcel(from).receipt.answer(!refuses);
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
