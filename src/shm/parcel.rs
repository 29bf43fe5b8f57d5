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
//! | REFUSED | nothing of it was stored                                      |
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
//! A sender that was killed leaves its parcel on the desk; the receiver looks whether the sender lives, as memory that it was
//! meant for may be the program's again. A receiver that was killed has taken the parcel or not: its sender waits for the
//! receipt only as long as it lives.

use super::Offset;
use super::atomic::{AtomicU32, AtomicU64, Ordering};

const STORED: u32 = 1;
const REFUSED: u32 = 2;

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

/// What the receiver answers.
#[repr(transparent)]
#[derive(Default)]
pub struct Receipt(AtomicU32);

impl Receipt {
    /// Before the parcel is laid anywhere.
    pub fn blank(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// The receiver does not touch the parcel any more.
    pub fn answer(&self, stored: bool) {
        let answer = if stored { STORED } else { REFUSED };
        // Release: what was stored, and the parcel itself, which the sender uses again.
        self.0.store(answer, Ordering::Release);
    }

    /// Whether the parcel was stored, if the receiver has answered.
    #[inline]
    pub fn answered(&self) -> Option<bool> {
        match self.0.load(Ordering::Acquire) {
            0 => None,
            answer => Some(answer == STORED),
        }
    }
}
