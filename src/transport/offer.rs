//! The word by which an announced message is taken: by its receiver when a receive or a matched probe has met it, or back by
//! its sender. One of them gets it.
//!
//! | word          | meaning                                                                            |
//! |---------------|------------------------------------------------------------------------------------|
//! | 0             | nothing is on offer: a receive has the message, or its sender has taken it back    |
//! | n             | the sender's message of number n is to have                                        |
//! | `HELD` + n    | a matched probe holds message n, whose data is in the sender's buffer              |
//! | `LEFT` + n    | the sender has left a copy of message n, where the word `left` says                |
//! | `FETCHED` + n | the receiver has the data of message n                                             |
//! | `REFUSED` + n | the receiver may not read the sender's memory: it waits for a copy                 |
//! | `ASKED` + n   | the receiver of message n does not read it: it has asked for the data in parts      |
//!
//! A number is never used again. So a word serves the next message as soon as the last one was taken and fetched: a receiver
//! that still has the older announcement finds another number, and knows that the message is gone.
//!
//! A sender that is not to wait leaves a copy in the segment, and is done: one that has cancelled what a matched probe holds, which
//! can only be received, and one of a short message that no receive has met for a while. Whoever receives the message then, or
//! holds it, finds the copy.
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
//! A sender that comes to do nothing else until its message has left says so beside the word. That is a hint: a receiver that sees it
//! may ask for the data in parts, and who has asked in vain gets them a little later.
//!
//! **Orderings.** A number is taken out by a compare-and-swap: the one that does it has the message. A receiver that comes too
//! late drops the announcement, and its receive stays in its place. `LEFT` is written by a compare-and-swap (release) when the
//! copy is there, and found by the receive (acquire). An answer is written (release) when the data was read, and the sender
//! that is woken by it looks (acquire).

use crate::shm::Offset;
use crate::shm::atomic::{AtomicU64, Ordering};

const HELD: u64 = 1 << 63;
const LEFT: u64 = 1 << 62;
const FETCHED: u64 = 1 << 61;
const REFUSED: u64 = 1 << 60;
const ASKED: u64 = 1 << 59;

/// What a receiver answers. It touches the sender's buffer no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It has the data.
    Fetched,
    /// It may not read the data where it is.
    Refused,
}

/// Where the data of a message is that its receiver has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Where the announcement says.
    Announced,
    /// At an offset of the segment: its sender has left it.
    Left(Offset),
}

/// So many looks tell whether the sender of a message comes to wait for it.
const LOOKS: u32 = 128;

#[repr(C)]
#[derive(Default)]
pub struct Offer {
    word: AtomicU64,
    /// The offset of the copy that the sender has left, if the word says so.
    left: AtomicU64,
    /// The number of a message whose sender does nothing else until it has left.
    awaited: AtomicU64,
}

impl Offer {
    /// Puts the message `id` on offer, before it is announced.
    pub fn make(&self, id: u64) {
        self.word.store(id, Ordering::Relaxed);
    }

    /// The sender does nothing else until the message has left.
    pub fn set_awaited(&self, id: u64) {
        self.awaited.store(id, Ordering::Relaxed);
    }

    /// Whether the sender of a message that this process has taken does nothing else, now or in a tenth of a microsecond: many begin
    /// a send and then wait for it.
    pub fn comes_to_be_awaited(&self, id: u64) -> bool {
        (0..LOOKS).any(|_| self.awaited.load(Ordering::Relaxed) == id)
    }

    /// Whether the message is still to have, to all one knows.
    pub fn stands(&self, id: u64) -> bool {
        let word = self.word.load(Ordering::Relaxed);
        word == id || word == LEFT | id
    }

    /// Takes the message back; false if it was taken, is held, or was left.
    pub fn take_back(&self, id: u64) -> bool {
        self.change(id, 0, Ordering::Relaxed).is_ok()
    }

    /// Takes the message for a receive: where its data is. `None`: its sender has taken it back.
    pub fn take(&self, id: u64) -> Option<Data> {
        match self.change(id, 0, Ordering::Relaxed) {
            Ok(_) => Some(Data::Announced),
            Err(word) => self.left(word, id),
        }
    }

    /// Takes the message for a matched probe; false if its sender has taken it back.
    pub fn hold(&self, id: u64) -> bool {
        let held = self.change(id, HELD | id, Ordering::Relaxed);
        held.is_ok() || held == Err(LEFT | id)
    }

    /// Takes a message that this process holds, for its receive: where its data is.
    pub fn take_held(&self, id: u64) -> Option<Data> {
        match self.change(HELD | id, 0, Ordering::Relaxed) {
            Ok(_) => Some(Data::Announced),
            Err(word) => self.left(word, id),
        }
    }

    /// Whether the message is with its sender yet, on offer or held, to all one knows.
    pub fn is_with_sender(&self, id: u64) -> bool {
        let word = self.word.load(Ordering::Relaxed);
        word == id || word == HELD | id
    }

    /// Leaves a copy of the message, which is at `copy`, to whoever receives it: the sender needs its buffer no more. False if it
    /// was taken.
    pub fn leave(&self, id: u64, copy: Offset) -> bool {
        self.left.store(copy as u64, Ordering::Relaxed);
        // What is on offer at first may be held at the second attempt; what is held is never on offer again.
        [id, HELD | id]
            .into_iter()
            .any(|word| self.change(word, LEFT | id, Ordering::Release).is_ok())
    }

    /// Where the sender has left the message, if the word that was found (acquired) says so.
    fn left(&self, word: u64, id: u64) -> Option<Data> {
        let at = || self.left.load(Ordering::Relaxed) as Offset;
        (word == LEFT | id).then(|| Data::Left(at()))
    }

    /// Answers the sender, which reads it here or in the ring.
    pub fn answer(&self, id: u64, answer: Answer) {
        let word = match answer {
            Answer::Fetched => FETCHED | id,
            Answer::Refused => REFUSED | id,
        };
        self.word.store(word, Ordering::Release);
    }

    /// The receiver of the message, who has taken it, asks the sender for the data in parts.
    pub fn ask(&self, id: u64) {
        self.word.store(ASKED | id, Ordering::Release);
    }

    /// Whether the receiver of a message that is not with its sender any more may be reading its data, now or soon.
    pub fn may_be_read(&self) -> bool {
        self.word.load(Ordering::Acquire) == 0
    }

    /// What the receiver of the message has answered.
    pub fn answered(&self, id: u64) -> Option<Answer> {
        match self.word.load(Ordering::Acquire) {
            word if word == FETCHED | id => Some(Answer::Fetched),
            word if word == REFUSED | id => Some(Answer::Refused),
            _ => None,
        }
    }

    /// Changes the word, if it is as expected; else what it is, with all that its writer did before.
    fn change(&self, from: u64, to: u64, order: Ordering) -> Result<u64, u64> {
        self.word
            .compare_exchange(from, to, order, Ordering::Acquire)
    }
}
