//! The word by which an announced message is taken: by its receiver when a receive has met it, or back by its sender. One
//! of them gets it.
//!
//! | word | meaning                                    |
//! |------|--------------------------------------------|
//! | 0    | nothing is on offer                        |
//! | n    | the sender's message of number n is to have |
//!
//! A number is never used again. So a word serves the next message as soon as the last one was taken: whoever still has
//! the older announcement finds another number, and knows that the message is gone.
//!
//! Nothing is ordered by the word. That it says n before the announcement arrives, and that a receiver is done before the
//! sender goes on, is the rings' doing.

use crate::shm::atomic::{AtomicU64, Ordering};

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

    /// Takes the message; false if the other side has it.
    pub fn take(&self, id: u64) -> bool {
        let taken = self
            .0
            .compare_exchange(id, 0, Ordering::Relaxed, Ordering::Relaxed);
        taken.is_ok()
    }
}
