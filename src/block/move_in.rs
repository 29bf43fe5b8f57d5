//! What a control block says of memory that its owner takes into the segment (`win/moving.rs` has the protocol).

use crate::shm::Offset;
use crate::shm::atomic::{AtomicU64, Ordering};

/// In the control block, for one process as an owner.
#[repr(C, align(64))]
pub struct MoveIn {
    /// 0 while it is private memory; then where the list of its pieces is.
    pub place: AtomicU64,
    /// Nanoseconds that the others have spent in visits since the last move, or refusal.
    pub spent: AtomicU64,
    /// From so many on they ask the owner; 0: it is not to be asked.
    pub price: AtomicU64,
    /// An address of the owner in what is wanted; 0 if nothing is.
    pub asked: AtomicU64,
}

impl MoveIn {
    pub fn place(&self) -> Option<Offset> {
        // Acquire: with what the owner has written there.
        let place = self.place.load(Ordering::Acquire) as Offset;
        (place != 0).then_some(place)
    }

    /// Whether the memory was taken in.
    pub fn has_moved(&self) -> bool {
        self.place().is_some()
    }

    /// Whether others ask for a move.
    #[inline(always)]
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed) != 0
    }

    /// The owner has answered: how much is to be spent before it is asked again.
    pub fn answer(&self, price: u64) {
        self.spent.store(0, Ordering::Relaxed);
        self.price_is(price);
    }

    /// The same, of what is to be spent with what has been.
    pub fn price_is(&self, price: u64) {
        self.price.store(price, Ordering::Relaxed);
        self.asked.store(0, Ordering::Release);
    }
}
