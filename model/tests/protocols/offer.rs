//! Announced messages: each is received or taken back, never both, and its buffer is touched by one side at a time.

use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::atomic::{AtomicU64, Ordering};
use rmashm_model::transport::offer::{Answer, Data, Offer};

/// What the rings carry: the numbers of announced messages, and those of fetched ones.
#[derive(Default)]
struct Wire {
    announced: [AtomicU64; 2],
    fetched: [AtomicU64; 2],
}

struct Stage {
    actors: Actors,
    offer: Offer,
    wire: Wire,
    /// The send buffer, which both messages use.
    buffer: Watched,
    /// What a sender leaves of a message that a matched probe holds.
    copy: Watched,
    /// Whether the receiver has received it.
    received: [Watched; 2],
}

fn stage() -> Stage {
    Stage {
        actors: Actors::new(2),
        offer: Offer::default(),
        wire: Wire::default(),
        buffer: Watched::default(),
        copy: Watched::default(),
        received: Default::default(),
    }
}

const SENDER: usize = 0;
const RECEIVER: usize = 1;

/// Where the copy is.
const COPY: usize = 0x1000;
/// The announcement of a message whose sender has waited for the end of its cancelled send.
const CANCELLED: u64 = 1 << 32;

impl Stage {
    fn send(&self, at: usize) {
        let id = at as u64 + 1;
        self.buffer.write(id as u32);
        self.offer.make(id);
        self.wire.announced[at].store(id, Ordering::Release);
        self.actors.ring(RECEIVER);
    }

    /// Waits until the message is announced.
    fn wait_for_announcement(&self, at: usize) {
        let announced = || self.wire.announced[at].load(Ordering::Acquire) != 0;
        self.actors.wait(RECEIVER, announced);
    }

    /// Waits until the message was fetched.
    fn wait_for_receipt(&self, at: usize) {
        let id = at as u64 + 1;
        let fetched = || self.wire.fetched[at].load(Ordering::Acquire) == id;
        self.actors.wait(SENDER, fetched);
        assert_eq!(self.received[at].read(), 1);
    }

    /// Takes the message back, or waits until it was fetched.
    fn cancel(&self, at: usize) {
        let id = at as u64 + 1;
        let taken_back = self.offer.take_back(id);
        if !taken_back {
            self.wait_for_receipt(at);
        }
        // The buffer is the program's again.
        self.buffer.write(77);
    }

    /// Leaves a copy of the message; false if it was taken.
    fn leave(&self, id: u64) -> bool {
        self.copy.write(self.buffer.read());
        self.offer.leave(id, COPY)
    }

    /// Leaves the message, or waits until it was fetched.
    fn lose_patience(&self, at: usize) {
        let id = at as u64 + 1;
        let over = self.offer.is_with_sender(id) && self.leave(id);
        if !over {
            self.wait_for_receipt(at);
        }
        // The buffer is the program's again.
        self.buffer.write(77);
    }

    /// Takes the message back, or leaves it to the matched probe that holds it, or waits until it was fetched.
    fn cancel_or_hand_over(&self, at: usize) {
        let id = at as u64 + 1;
        if !self.offer.take_back(id) {
            let over = self.offer.is_with_sender(id) && self.leave(id);
            if !over {
                self.wait_for_receipt(at);
            }
        }
        // The buffer is the program's again.
        self.buffer.write(77);
    }

    /// Takes the message back, or waits until the receiver has answered in the word; leaves a copy if it was refused.
    fn cancel_and_watch(&self, at: usize) {
        let id = at as u64 + 1;
        if !self.offer.take_back(id) {
            let mut answer = None;
            self.actors.wait(SENDER, || {
                answer = self.offer.answered(id);
                answer.is_some()
            });
            if answer == Some(Answer::Refused) {
                self.copy.write(self.buffer.read());
            } else {
                assert_eq!(self.received[at].read(), 1);
            }
        }
        // The buffer is the program's again.
        self.buffer.write(77);
    }

    /// Receives a message that a matched probe holds, from wherever it is.
    fn receive_held(&self, at: usize, id: u64) {
        let data = self.offer.take_held(id);
        self.fetch(at, id, data.expect("nobody takes back what is held"));
    }

    fn fetch(&self, at: usize, id: u64, data: Data) {
        let data = match data {
            Data::Announced => self.buffer.read(),
            Data::Left(place) => {
                assert_eq!(place, COPY);
                self.copy.read()
            }
        };
        assert_eq!(u64::from(data), id);
        self.received[at].add(1);
        self.wire.fetched[at].store(id, Ordering::Release);
        self.actors.ring(SENDER);
    }

    /// Receives the message with the number, if it is still to have.
    fn receive(&self, at: usize, id: u64) {
        if let Some(data) = self.offer.take(id) {
            self.fetch(at, id, data);
        }
    }
}

/// The word serves the second message when the first was taken back or fetched, while the receiver may still be about to
/// take the first.
#[test]
fn cancelled_or_received() {
    explore("offer, 2 messages, each cancelled", 3, || {
        act(stage(), 2, |stage, me| {
            for at in 0..2 {
                if me == SENDER {
                    stage.send(at);
                    stage.cancel(at);
                } else {
                    let id = stage.wire.announced[at].load(Ordering::Acquire);
                    if id != 0 {
                        stage.receive(at, id);
                    }
                }
            }
        });
    });
}

/// The receiver learns of both, and takes what stands.
#[test]
fn taken_late() {
    explore("offer, 2 messages, taken late", 3, || {
        act(stage(), 2, |stage, me| {
            if me == SENDER {
                stage.send(0);
                stage.cancel(0);
                stage.send(1);
                let fetched = || stage.wire.fetched[1].load(Ordering::Acquire) == 2;
                stage.actors.wait(SENDER, fetched);
                assert_eq!(stage.received[1].read(), 1);
                stage.buffer.write(77);
            } else {
                stage.wait_for_announcement(0);
                if stage.offer.stands(1) {
                    stage.receive(0, 1);
                }
                stage.wait_for_announcement(1);
                assert!(stage.offer.stands(2));
                stage.receive(0, 1);
                stage.receive(1, 2);
            }
        });
    });
}

/// A matched probe takes the message while its sender cancels it: the sender need not wait for what it does with it later,
/// unless that has begun. Its word and its copy serve the second message when the first was received.
#[test]
fn held_and_cancelled() {
    explore("offer, 2 messages, held and cancelled", 3, || {
        act(stage(), 2, |stage, me| {
            for at in 0..2 {
                let id = at as u64 + 1;
                if me == SENDER {
                    stage.send(at);
                    stage.cancel_or_hand_over(at);
                    // A word that was handed over, and the copy, are free when the message was fetched.
                    if !stage.offer.stands(0) {
                        let fetched = || stage.wire.fetched[at].load(Ordering::Acquire) == id;
                        stage.actors.wait(SENDER, fetched);
                    }
                } else {
                    stage.wait_for_announcement(at);
                    if stage.offer.hold(id) {
                        assert!(!stage.offer.take_back(id));
                        stage.receive_held(at, id);
                    }
                }
            }
        });
    });
}

/// The wait of a sender that hands its message over needs no other process: the receiver receives what it holds when the
/// sender is done.
#[test]
fn handed_over_without_the_receiver() {
    explore("offer, held until the sender is done", 3, || {
        act(stage(), 2, |stage, me| {
            if me == SENDER {
                stage.send(0);
                let held = || stage.wire.announced[1].load(Ordering::Acquire) != 0;
                stage.actors.wait(SENDER, held);
                stage.cancel_or_hand_over(0);
                stage.wire.fetched[1].store(1, Ordering::Relaxed);
                stage.actors.ring(RECEIVER);
            } else {
                stage.wait_for_announcement(0);
                assert!(stage.offer.hold(1));
                stage.wire.announced[1].store(1, Ordering::Release);
                stage.actors.ring(SENDER);
                let done = || stage.wire.fetched[1].load(Ordering::Relaxed) != 0;
                stage.actors.wait(RECEIVER, done);
                stage.receive_held(0, 1);
            }
        });
    });
}

/// The wait of a sender that has cancelled what a receive took needs no answer in the ring: the receiver's is in the word,
/// and the ring's comes when the sender is done. Nor does it take the second message's answer for the first one's.
#[test]
fn answered_in_the_word() {
    explore("offer, 2 messages, answered in the word", 3, || {
        act(stage(), 2, |stage, me| {
            if me == SENDER {
                for at in 0..2 {
                    let id = at as u64 + 1;
                    stage.send(at);
                    stage.cancel_and_watch(at);
                    stage.wire.announced[at].store(CANCELLED, Ordering::Release);
                    stage.actors.ring(RECEIVER);
                    // The word is free when the message was taken back, or the ring's answer has come.
                    if !stage.offer.stands(0) {
                        let fetched = || stage.wire.fetched[at].load(Ordering::Acquire) == id;
                        stage.actors.wait(SENDER, fetched);
                    }
                }
            } else {
                for at in 0..2 {
                    let id = at as u64 + 1;
                    stage.wait_for_announcement(at);
                    if stage.offer.take(id).is_none() {
                        continue;
                    }
                    let refused = at == 1;
                    let answer = match refused {
                        true => Answer::Refused,
                        false => {
                            assert_eq!(u64::from(stage.buffer.read()), id);
                            stage.received[at].add(1);
                            Answer::Fetched
                        }
                    };
                    stage.offer.answer(id, answer);
                    stage.actors.ring(SENDER);
                    let over = || stage.wire.announced[at].load(Ordering::Acquire) == CANCELLED;
                    stage.actors.wait(RECEIVER, over);
                    if refused {
                        assert_eq!(u64::from(stage.copy.read()), id);
                    }
                    stage.wire.fetched[at].store(id, Ordering::Release);
                    stage.actors.ring(SENDER);
                }
            }
        });
    });
}

/// A sender out of patience leaves its message while a receive takes it, or a matched probe holds it and receives it then. The word
/// and the copy serve the second message when the first was received.
#[test]
fn left() {
    for is_held in [false, true] {
        explore("offer, 2 messages, left", 3, move || {
            act(stage(), 2, move |stage, me| {
                for at in 0..2 {
                    let id = at as u64 + 1;
                    if me == SENDER {
                        stage.send(at);
                        stage.lose_patience(at);
                        stage.wait_for_receipt(at);
                    } else {
                        stage.wait_for_announcement(at);
                        assert!(stage.offer.stands(id));
                        if is_held {
                            assert!(stage.offer.hold(id));
                            stage.receive_held(at, id);
                        } else {
                            stage.receive(at, id);
                        }
                    }
                }
            });
        });
    }
}

/// The wait of a sender out of patience needs no other process: the receiver takes the message when the sender is done.
#[test]
fn left_without_the_receiver() {
    explore("offer, left until the sender is done", 3, || {
        act(stage(), 2, |stage, me| {
            if me == SENDER {
                stage.send(0);
                stage.lose_patience(0);
                stage.wire.fetched[1].store(1, Ordering::Relaxed);
                stage.actors.ring(RECEIVER);
            } else {
                let done = || stage.wire.fetched[1].load(Ordering::Relaxed) != 0;
                stage.actors.wait(RECEIVER, done);
                stage.receive(0, 1);
                assert_eq!(stage.received[0].read(), 1);
            }
        });
    });
}
