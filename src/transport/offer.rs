//! The word by which an announced message is taken: by its receiver when a receive or a matched probe has met it, or back by
//! its sender. One of them gets it.
//!
//! | word          | meaning                                                                            |
//! |---------------|------------------------------------------------------------------------------------|
//! | 0             | nothing is on offer: a receive has the message, or its sender has taken it back    |
//! | n             | the sender's message of number n is to have                                        |
//! | `HELD` + n    | a matched probe holds message n, whose data is in the sender's buffer              |
//! | `COPY` + at   | a matched probe holds the message, whose data is at the offset `at` of the segment |
//! | `FETCHED` + n | the receiver has the data of message n                                             |
//! | `REFUSED` + n | the receiver may not read the sender's memory: it waits for a copy                 |
//!
//! A number is never used again. So a word serves the next message as soon as the last one was taken and fetched: a receiver
//! that still has the older announcement finds another number, and knows that the message is gone.
//!
//! A message that is held can only be received, so its sender cannot take it back, but need not wait for that either: it puts a
//! copy where the receiver finds it, and is done: a receiver that finds `COPY` finds the copy.
//!
//! What a receiver answers goes through the ring, which may be full until the receiver calls MPI again. So it is in the word
//! too, for a sender that has cancelled the message and so need not wait for that: a sender that finds the answer there may use
//! the buffer. Nothing else is ordered by the word. That it says n before the announcement arrives is the ring's doing.
//!
//! So a wait for a cancelled send needs no other process. A sender that finds *fetched* in the word is complete; one that finds
//! *refused* makes the copy, and is complete. The word serves the next message only after the answer in the ring, which is the
//! last that the receiver does about it; if that may never come, because a process died, the word rests for ever. Words are
//! never freed: there are as many as messages were on offer at a time. Eager messages have none, as their sends are complete.
//!
//! **Orderings.** A number is taken out by a compare-and-swap: the one that does it has the message. A receiver that comes too
//! late drops the announcement, and its receive stays in its place. `COPY` is written by a compare-and-swap (release) when the
//! copy is there, and found by the receive (acquire). An answer is written (release) when the data was read, and the sender
//! that is woken by it looks (acquire).

use crate::shm::Offset;
use crate::shm::atomic::{AtomicU64, Ordering};

const HELD: u64 = 1 << 63;
const COPY: u64 = 1 << 62;
const FETCHED: u64 = 1 << 61;
const REFUSED: u64 = 1 << 60;

/// What a receiver answers. It touches the sender's buffer no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It has the data.
    Fetched,
    /// It may not read the data where it is.
    Refused,
}

#[repr(transparent)]
#[derive(Default)]
pub struct Offer(AtomicU64);

impl Offer {
    /// Puts the message `id` on offer, before it is announced.
    pub fn make(&self, id: u64) {
        self.0.store(id, Ordering::Relaxed);
    }

    /// Whether the message is still to have, to all one knows.
    pub fn stands(&self, id: u64) -> bool {
        self.0.load(Ordering::Relaxed) == id
    }

    /// Takes the message, for a receive or back; false if the other side has it.
    pub fn take(&self, id: u64) -> bool {
        self.change(id, 0, Ordering::Relaxed)
    }

    /// Takes the message for a matched probe; false if its sender has taken it back.
    pub fn hold(&self, id: u64) -> bool {
        self.change(id, HELD | id, Ordering::Relaxed)
    }

    /// Whether a matched probe holds the message, and its data is in the sender's buffer, to all one knows.
    pub fn is_held(&self, id: u64) -> bool {
        self.stands(HELD | id)
    }

    /// Gives a message that is held over to its receiver: its data is at `copy` now. False if it is being received.
    pub fn hand_over(&self, id: u64, copy: Offset) -> bool {
        self.change(HELD | id, COPY | copy as u64, Ordering::Release)
    }

    /// Takes a message that this process holds, for its receive: where the sender has put a copy, if the data is not in the
    /// sender's buffer any more.
    pub fn take_held(&self, id: u64) -> Option<Offset> {
        let taken = self
            .0
            .compare_exchange(HELD | id, 0, Ordering::Relaxed, Ordering::Acquire);
        taken.err().map(|word| (word & !COPY) as Offset)
    }

    /// Answers the sender, which reads it here or in the ring.
    pub fn answer(&self, id: u64, answer: Answer) {
        let word = match answer {
            Answer::Fetched => FETCHED | id,
            Answer::Refused => REFUSED | id,
        };
        self.0.store(word, Ordering::Release);
    }

    /// What the receiver of the message has answered.
    pub fn answered(&self, id: u64) -> Option<Answer> {
        match self.0.load(Ordering::Acquire) {
            word if word == FETCHED | id => Some(Answer::Fetched),
            word if word == REFUSED | id => Some(Answer::Refused),
            _ => None,
        }
    }

    fn change(&self, from: u64, to: u64, order: Ordering) -> bool {
        self.0
            .compare_exchange(from, to, order, Ordering::Relaxed)
            .is_ok()
    }
}
