//! Data that a process leaves to another, which stores it into its own memory: the word by which it is taken, by the one
//! that it is for or back by its sender, and the word that says that it is stored.
//!
//! | desk | of the receiver                                                  |
//! |------|------------------------------------------------------------------|
//! | 0    | nothing lies there                                               |
//! | at   | the parcel at this offset of the segment, for whom takes it      |
//!
//! | receipt | in the parcel                                                 |
//! |---------|---------------------------------------------------------------|
//! | 0       | the receiver has not answered                                 |
//! | STORED  | all of it is where it belongs                                 |
//! | REFUSED | nothing of it was stored, and others like it are not either   |
//! | BUSY    | nothing of it was stored: another one was at the memory       |
//!
//! | who      | does                                                                                        |
//! |----------|---------------------------------------------------------------------------------------------|
//! | sender   | packs; blanks the receipt; lays the parcel on an empty desk (release); asks and rings the receiver; finds the receipt (acquire) |
//! | receiver | takes the parcel (acquire), and so empties the desk; stores; answers (release); rings the sender |
//! | sender, out of patience | takes the parcel back: then nobody has touched it, else it waits for the receipt |
//!
//! One of the two gets the parcel, by one change of the desk. A parcel has one place, so the desk may hold the same number
//! again, for the next data: a receiver that comes late takes that, with all that was packed for it.
//!
//! **Updates.** Where what is there is combined with what is in the parcel, senders that do without the receiver take a lock,
//! and the receiver must not wait for them: they may wait for it. So it tries to take the lock, and is busy otherwise. A sender
//! holds no lock while it waits for the receipt, and takes it when the answer is BUSY.
//!
//! A sender that was killed leaves its parcel on the desk; the receiver looks whether the sender lives, as memory that it was
//! meant for may be the program's again. A receiver that was killed has taken the parcel or not: its sender waits for the
//! receipt only as long as it lives. The lock names the receiver while that updates, so those that wait for it learn the same.

use super::Offset;
use super::atomic::{AtomicU32, AtomicU64, Ordering};

/// Where parcels for a process are laid, one at a time.
#[repr(transparent)]
#[derive(Default)]
pub struct Desk(AtomicU64);

impl Desk {
    /// Lays a parcel there, with all that was written into it; false if another one lies there.
    pub fn lay(&self, parcel: Offset) -> bool {
        self.change(0, parcel as u64, Ordering::Release)
    }

    /// Takes what lies there.
    pub fn take(&self) -> Option<Offset> {
        // Acquire: with `lay`.
        let parcel = self.0.swap(0, Ordering::Acquire) as Offset;
        (parcel != 0).then_some(parcel)
    }

    /// Takes one's own parcel back; false if the receiver has it.
    pub fn take_back(&self, parcel: Offset) -> bool {
        self.change(parcel as u64, 0, Ordering::Relaxed)
    }

    fn change(&self, from: u64, to: u64, order: Ordering) -> bool {
        self.0
            .compare_exchange(from, to, order, Ordering::Relaxed)
            .is_ok()
    }
}

/// What the receiver answers. 0 is none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Answer {
    Stored = 1,
    Refused = 2,
    Busy = 3,
}

/// Where it answers.
#[repr(transparent)]
#[derive(Default)]
pub struct Receipt(AtomicU32);

impl Receipt {
    /// Before the parcel is laid anywhere.
    pub fn blank(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// The receiver does not touch the parcel any more.
    pub fn answer(&self, answer: Answer) {
        // Release: what was stored, and the parcel itself, which the sender uses again.
        self.0.store(answer as u32, Ordering::Release);
    }

    /// The receiver's answer, if it has answered.
    #[inline]
    pub fn answered(&self) -> Option<Answer> {
        let answer = self.0.load(Ordering::Acquire);
        [Answer::Stored, Answer::Refused, Answer::Busy]
            .into_iter()
            .find(|&known| known as u32 == answer)
    }
}
