//! Which words of a ring may be anything, as they were within a cell or skipped.

use crate::transport::slots::SLOT;
use std::ops::Range;

/// A bit for each slot whose word may be anything.
pub(super) struct Wild(Box<[u64]>);

impl Wild {
    /// Of a ring of `len` bytes. As long as nothing was sent, all words are zero.
    pub fn new(len: usize) -> Wild {
        Wild(vec![0; len.div_ceil(SLOT * 64)].into())
    }

    /// Whether the word at `at` may be anything. From now on it is one that begins a cell.
    #[inline]
    pub fn tame(&mut self, at: usize) -> bool {
        let (word, bit) = (at / (SLOT * 64), 1 << (at / SLOT % 64));
        let is_wild = self.0[word] & bit != 0;
        self.0[word] &= !bit;
        is_wild
    }

    /// The words of these slots may be anything.
    #[inline]
    pub fn set(&mut self, bytes: Range<usize>) {
        let (mut slot, end) = (bytes.start / SLOT, bytes.end / SLOT);
        while slot < end {
            let next = end.min((slot / 64 + 1) * 64);
            let ones = u64::MAX >> (64 - (next - slot));
            self.0[slot / 64] |= ones << (slot % 64);
            slot = next;
        }
    }
}
