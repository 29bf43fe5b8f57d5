//! Memory for the steps of plans, kept from one operation for the next: memory that the kernel gives anew costs a page fault
//! for each page, and in a large reduction they take longer than everything else.
//!
//! Up to 8 MiB are kept.

use parking_lot::Mutex;

/// Memory of fewer bytes the allocator keeps by itself.
const LEAST: usize = 64 << 10;
/// At most so many bytes are kept.
const KEPT: usize = 8 << 20;

/// What is kept.
static FREE: Mutex<Vec<Box<[u128]>>> = Mutex::new(Vec::new());

/// Memory whose content is anything. It is given back when this ends.
pub struct Scratch(Box<[u128]>);

fn bytes(memory: &[u128]) -> usize {
    size_of_val(memory)
}

impl Scratch {
    /// Room for `len` bytes.
    pub fn new(len: usize) -> Scratch {
        // What is much larger stays for those that need it.
        let fits = |memory: &[u128]| (len..=4 * len).contains(&bytes(memory));
        let kept = (len >= LEAST).then(|| {
            let mut free = FREE.lock();
            let found = free.iter().position(|memory| fits(memory))?;
            Some(free.swap_remove(found))
        });
        let new = || vec![0; len.div_ceil(16).max(1)].into_boxed_slice();
        Scratch(kept.flatten().unwrap_or_else(new))
    }

    /// Where it begins.
    pub fn address(&mut self) -> usize {
        self.0.as_mut_ptr().expose_provenance()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.0);
        if !(LEAST..=KEPT).contains(&bytes(&memory)) {
            return;
        }
        let mut free = FREE.lock();
        free.push(memory);
        // The oldest go, which have not been asked for since.
        let mut held: usize = free.iter().map(|memory| bytes(memory)).sum();
        while held > KEPT {
            held -= bytes(&free.remove(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held() -> usize {
        FREE.lock().iter().map(|memory| bytes(memory)).sum()
    }

    #[test]
    fn memory_is_used_again_and_not_hoarded() {
        let mut first = Scratch::new(1 << 20);
        let address = first.address();
        drop(first);
        assert_eq!(Scratch::new((1 << 20) - 5).address(), address);
        // A little does not take much, nor much a little.
        assert_ne!(Scratch::new(LEAST).address(), address);
        assert_ne!(Scratch::new((1 << 20) + 1).address(), address);
        for len in [1 << 20, 1, 0, 3 << 20, KEPT, KEPT + 1, 5 << 20] {
            let all: Vec<Scratch> = (0..4).map(|_| Scratch::new(len)).collect();
            assert!(all.iter().all(|scratch| bytes(&scratch.0) >= len.max(1)));
            drop(all);
            assert!(held() <= KEPT);
        }
    }
}
