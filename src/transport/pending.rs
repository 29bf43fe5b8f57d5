//! A bit for each ring of an inbox that may have something in it.
//!
//! Why no message is overlooked. The sender: (1) publishes the cell, (2) full fence, (3) sets its bit if it is clear, (4) looks
//! for sleepers. The receiver polls a ring while its bit is set. After many looks in vain it (a) clears the bit, (b) full
//! fence, (c) looks once more. If (2) comes before (b), then (c) sees the cell; else (3) sees the bit clear and sets it. If (c)
//! sees a cell, the receiver sets the bit again, as it may have seen one of many. While two ranks talk, the bit stays set and
//! nobody writes to its line.

use crate::shm::atomic::{AtomicU64, Ordering, full_fence};

/// The bits of 64 rings.
#[repr(transparent)]
#[derive(Default)]
pub struct Pending(AtomicU64);

impl Pending {
    /// The rings that may have something.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Says that the ring with this `bit` has something, after it was put there. Then look for sleepers: the fence for
    /// that, or a locked instruction, is in here.
    #[inline]
    pub fn set(&self, bit: u64) {
        full_fence();
        if self.0.load(Ordering::Relaxed) & bit == 0 {
            self.0.fetch_or(bit, Ordering::SeqCst);
        }
    }

    /// Stops polling the ring with this `bit`, which has to be looked at once more after that.
    #[inline]
    pub fn clear(&self, bit: u64) {
        self.0.fetch_and(!bit, Ordering::SeqCst);
        full_fence();
    }

    /// Goes on polling the ring with this `bit`: the look after [`Pending::clear`] found something, behind which there may be
    /// more of which the sender has told while the bit was still set.
    #[cold]
    pub fn keep(&self, bit: u64) {
        self.0.fetch_or(bit, Ordering::Relaxed);
    }
}
