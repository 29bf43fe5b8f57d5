//! Memory for the steps of plans, kept from one operation for the next: memory that the kernel gives anew costs a page fault
//! for each page, and in a large reduction they take longer than everything else. Several pieces that are much together cost them, too: the
//! allocator gives the end of its heap back to the kernel when 128 KiB of it are free.
//!
//! Up to 8 MiB are kept.

use crate::err;
use crate::error::Result;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::mem::MaybeUninit;

/// Memory of fewer bytes the allocator keeps by itself.
const LEAST: usize = 8 << 10;
/// At most so many bytes are kept.
const KEPT: usize = 8 << 20;

/// Aligned as any element wants it.
type Word = MaybeUninit<u128>;

/// What is kept, the oldest first, and how many bytes that are.
struct Free {
    pieces: VecDeque<Box<[Word]>>,
    bytes: usize,
}

static FREE: Mutex<Free> = Mutex::new(Free {
    pieces: VecDeque::new(),
    bytes: 0,
});

impl Free {
    /// A piece with room for `len` bytes, the newest: that may be in the caches. What is much larger stays for those that need it.
    fn take(&mut self, len: usize) -> Option<Box<[Word]>> {
        let fits = |memory: &[Word]| (len..=4 * len).contains(&bytes(memory));
        let found = self.pieces.iter().rposition(|memory| fits(memory))?;
        let piece = self.pieces.remove(found)?;
        self.bytes -= bytes(&piece);
        Some(piece)
    }

    /// Keeps a piece. The oldest go, which have not been asked for since.
    fn keep(&mut self, piece: Box<[Word]>) {
        self.bytes += bytes(&piece);
        self.pieces.push_back(piece);
        while self.bytes > KEPT
            && let Some(oldest) = self.pieces.pop_front()
        {
            self.bytes -= bytes(&oldest);
        }
    }
}

/// Memory whose content is anything. It is given back when this ends.
pub struct Scratch(Box<[Word]>);

fn bytes(memory: &[Word]) -> usize {
    size_of_val(memory)
}

impl Scratch {
    /// Room for `len` bytes. Error: `MPI_ERR_NO_MEM`.
    pub fn new(len: usize) -> Result<Scratch> {
        if len >= LEAST
            && let Some(kept) = FREE.lock().take(len)
        {
            return Ok(Scratch(kept));
        }
        let words = len.div_ceil(16).max(1);
        let mut new = Vec::new();
        new.try_reserve_exact(words)
            .map_err(|_| err!(NoMem, "no memory for {len} bytes on their way"))?;
        // SAFETY: there is room for so many words, of which nobody has to have written any.
        unsafe { new.set_len(words) };
        Ok(Scratch(new.into_boxed_slice()))
    }

    /// Where it begins.
    pub fn address(&mut self) -> usize {
        self.0.as_mut_ptr().expose_provenance()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.0);
        if (LEAST..=KEPT).contains(&bytes(&memory)) {
            FREE.lock().keep(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held() -> usize {
        let free = FREE.lock();
        let held = free.pieces.iter().map(|memory| bytes(memory)).sum();
        assert_eq!(free.bytes, held);
        held
    }

    #[test]
    fn memory_is_used_again_and_not_hoarded() {
        let mut first = Scratch::new(1 << 20).unwrap();
        let address = first.address();
        drop(first);
        assert_eq!(Scratch::new((1 << 20) - 5).unwrap().address(), address);
        // A little does not take much, nor much a little.
        assert_ne!(Scratch::new(LEAST).unwrap().address(), address);
        assert_ne!(Scratch::new((1 << 20) + 1).unwrap().address(), address);
        for len in [1 << 20, 1, 0, 3 << 20, KEPT, KEPT + 1, 5 << 20] {
            let all: Vec<Scratch> = (0..4).map(|_| Scratch::new(len).unwrap()).collect();
            assert!(all.iter().all(|scratch| bytes(&scratch.0) >= len.max(1)));
            drop(all);
            assert!(held() <= KEPT);
        }
    }
}
