//! Memory for small things where the process can have no more: the sentence that says so, the value of an environment variable,
//! a list that is one entry longer.
//!
//! Rust ends a process in which a string or a list cannot grow. What takes much memory asks first and returns
//! `MPI_ERR_NO_MEM`; what takes little on the way to that error is served from here, so that the error reaches the program.
//! The blocks are static, and take no page before the first of them is used. A bit tells which are taken: without a lock, so that
//! a child that was forked from a process with threads finds none that nobody gives back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a block, of each kind.
const SIZES: [usize; 5] = [64, 256, 1024, 4096, 16384];
/// Of the smaller kinds there are 16 KiB or 32.
const COUNTS: [usize; 5] = [256, 64, 32, 8, 8];
const WORDS: usize = 4;
/// What the reserve is aligned to.
const PAGE: usize = 4096;
const BYTES: usize = begin(SIZES.len());

/// Where the blocks of a kind begin: at a multiple of their size where the kinds before take multiples of it.
const fn begin(kind: usize) -> usize {
    let (mut at, mut before) = (0, 0);
    while before < kind {
        at += SIZES[before] * COUNTS[before];
        before += 1;
    }
    at
}

#[global_allocator]
static MEMORY: Reserve = Reserve::new();

/// Whether memory is of the reserve: what lies there should not stay for long.
pub fn holds(memory: *const u8) -> bool {
    MEMORY.place(memory).is_some()
}

#[repr(C, align(4096))]
struct Reserve {
    blocks: UnsafeCell<[u8; BYTES]>,
    taken: [[AtomicU64; WORDS]; SIZES.len()],
}

// SAFETY: a block belongs to the one who set its bit.
unsafe impl Sync for Reserve {}

impl Reserve {
    const fn new() -> Reserve {
        Reserve {
            blocks: UnsafeCell::new([0; BYTES]),
            taken: [const { [const { AtomicU64::new(0) }; WORDS] }; SIZES.len()],
        }
    }

    /// A block for `layout`; null where none is left that is large enough.
    #[cold]
    fn take(&self, layout: Layout) -> *mut u8 {
        if layout.align() > PAGE {
            return ptr::null_mut();
        }
        let need = layout.size().max(layout.align());
        let large_enough = (0..SIZES.len()).filter(|&kind| SIZES[kind] >= need);
        for (kind, block) in large_enough.flat_map(|kind| (0..COUNTS[kind]).map(move |b| (kind, b)))
        {
            let (word, bit) = (&self.taken[kind][block / 64], 1 << (block % 64));
            if word.load(Ordering::Relaxed) & bit == 0
                && word.fetch_or(bit, Ordering::Acquire) & bit == 0
            {
                let at = begin(kind) + block * SIZES[kind];
                return self.blocks.get().cast::<u8>().wrapping_add(at);
            }
        }
        ptr::null_mut()
    }

    fn place(&self, block: *const u8) -> Option<usize> {
        let place = (block as usize).wrapping_sub(self.blocks.get() as usize);
        (place < BYTES).then_some(place)
    }

    #[cold]
    fn give_back(&self, place: usize) {
        let kind = (1..SIZES.len())
            .rfind(|&kind| begin(kind) <= place)
            .unwrap_or(0);
        let block = (place - begin(kind)) / SIZES[kind];
        self.taken[kind][block / 64].fetch_and(!(1 << (block % 64)), Ordering::Release);
    }
}

// SAFETY: a block of the reserve is as large as the layout says and aligned to its own size or to a page, neither of which is smaller
// than the alignment; what is not in the reserve is the system's.
unsafe impl GlobalAlloc for Reserve {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout.
        let memory = unsafe { System.alloc(layout) };
        match memory.is_null() {
            false => memory,
            true => self.take(layout),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if !memory.is_null() {
            return memory;
        }
        let block = self.take(layout);
        if !block.is_null() {
            // SAFETY: the block is as large, and ours alone.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        match self.place(memory) {
            // SAFETY: it came from the system, with this layout.
            None => unsafe { System.dealloc(memory, layout) },
            Some(place) => self.give_back(place),
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if self.place(memory).is_none() {
            // SAFETY: it came from the system, with this layout.
            let larger = unsafe { System.realloc(memory, layout, size) };
            if !larger.is_null() {
                return larger;
            }
        }
        // SAFETY: the alignment is that of a layout, and the caller says that the size is none too large for it.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the size is not zero, says the caller; both have as many bytes as are copied, and the old one ends here.
        unsafe {
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(memory, layout.size().min(size));
                self.dealloc(memory, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).expect("a layout")
    }

    /// All blocks: each in its place, none given twice, and all to be had again afterwards.
    #[test]
    fn every_block_is_given_once() {
        let reserve = Box::new(Reserve::new());
        for _ in 0..3 {
            let all: usize = COUNTS.iter().sum();
            let mut blocks: Vec<_> = (0..all)
                .map(|_| reserve.take(layout(1, 1)) as usize)
                .collect();
            assert!(reserve.take(layout(1, 1)).is_null());
            assert!(blocks.iter().all(|&block| block != 0));
            blocks.sort_unstable();
            blocks.dedup();
            assert_eq!(blocks.len(), all);
            for block in blocks {
                let place = reserve.place(block as *mut u8).expect("in the reserve");
                reserve.give_back(place);
            }
        }
    }

    #[test]
    fn blocks_are_as_large_and_aligned_as_wanted() {
        let reserve = Box::new(Reserve::new());
        for (size, align) in [
            (1, 64),
            (64, 8),
            (65, 1),
            (257, 16),
            (1024, 1024),
            (1025, 8),
            (4096, 4096),
            (4097, 8),
            (16384, 4096),
            (8, 2048),
        ] {
            let wanted = layout(size, align);
            let (one, other) = (reserve.take(wanted) as usize, reserve.take(wanted) as usize);
            assert!(one % align == 0 && other % align == 0, "{size} {align}");
            assert!(other - one >= size, "{size} {align}");
        }
        assert!(reserve.take(layout(16385, 1)).is_null());
        assert!(reserve.take(layout(1, 32768)).is_null());
    }

    /// What is in the reserve moves with its bytes where it grows, shrinks, or finds memory of the system again.
    #[test]
    fn bytes_move_with_what_grows() {
        let reserve = Box::new(Reserve::new());
        let small = layout(60, 1);
        let block = reserve.take(small);
        // SAFETY: blocks with these layouts, each used until it is moved or given back.
        unsafe {
            block.write_bytes(7, 60);
            let moved = reserve.realloc(block, small, 5000);
            assert!(reserve.place(moved).is_none());
            assert!((0..60).all(|i| *moved.add(i) == 7));
            reserve.dealloc(moved, layout(5000, 1));
            assert_eq!(reserve.take(small), block);
            // A block that was used is cleared where that is wanted.
            reserve.give_back(0);
            let zeroed = reserve.alloc_zeroed(small);
            assert!(*zeroed == 0);
            reserve.dealloc(zeroed, small);
        }
    }

    #[test]
    fn threads_never_share_a_block() {
        let reserve = Reserve::new();
        std::thread::scope(|scope| {
            for me in 1..=4u8 {
                let reserve = &reserve;
                scope.spawn(move || {
                    for _ in 0..20_000 {
                        let block = reserve.take(layout(64, 1));
                        let Some(place) = reserve.place(block) else {
                            continue;
                        };
                        // SAFETY: the block is this thread's until it is given back.
                        unsafe {
                            block.write_bytes(me, 64);
                            std::hint::spin_loop();
                            assert!((0..64).all(|i| *block.add(i) == me));
                        }
                        reserve.give_back(place);
                    }
                });
            }
        });
    }
}
