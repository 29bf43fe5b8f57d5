//! The bytes of a ring, as loom can watch them: a word and the rest of each slot on its own. A cell is written and read in
//! whole; two ends that touch a slot at the same time are found out.

use super::ring::Header;
use crate::shm::atomic::{AtomicU32, Ordering};
use loom::cell::UnsafeCell;
use std::ops::Range;

pub const SLOT: usize = 64;
/// The most bytes of a ring.
const MOST: usize = 16 * SLOT;

#[derive(Default)]
struct Slot {
    word: AtomicU32,
    rest: UnsafeCell<()>,
}

/// Bytes of a cell in front of its payload of `len` bytes, as the library's.
pub const fn front(len: usize) -> usize {
    if len <= 24 { 40 } else { SLOT }
}

/// The memory of a ring.
pub struct Memory {
    slots: Vec<Slot>,
    cells: Vec<std::cell::UnsafeCell<(Option<Header>, [u8; MOST])>>,
    shelf: UnsafeCell<[u8; MOST]>,
}

impl Memory {
    pub fn new(len: usize) -> Memory {
        assert!(len <= MOST);
        Memory {
            slots: (0..len / SLOT).map(|_| Slot::default()).collect(),
            cells: (0..len / SLOT)
                .map(|_| std::cell::UnsafeCell::new((None, [0; MOST])))
                .collect(),
            shelf: UnsafeCell::new([0; MOST]),
        }
    }

    /// What a ring's ends are made with.
    pub fn base(&self) -> *mut u8 {
        std::ptr::from_ref(self).cast_mut().cast()
    }
}

#[derive(Clone, Copy)]
pub struct Slots {
    memory: *const Memory,
    len: usize,
    shelf: usize,
}

// SAFETY: the memory is shared by design, and loom watches who touches it when.
unsafe impl Send for Slots {}

impl Slots {
    /// # Safety
    /// `base` is a [`Memory`]'s of `len` bytes, which lives as long as this does.
    pub unsafe fn new(base: *mut u8, len: usize, shelf: usize) -> Slots {
        Slots {
            memory: base.cast(),
            len,
            shelf,
        }
    }

    pub fn shelf(&self) -> usize {
        self.shelf
    }

    #[expect(clippy::len_without_is_empty, reason = "as the library's")]
    pub fn len(&self) -> usize {
        self.len
    }

    fn memory(&self) -> &Memory {
        // SAFETY: the promise to `new`.
        unsafe { &*self.memory }
    }

    pub fn word(&self, at: usize) -> &AtomicU32 {
        &self.memory().slots[at / SLOT].word
    }

    /// A hint.
    pub fn prefetch(&self, _at: usize, _bytes: usize) {}

    /// Changes nothing.
    pub fn make_pages(&self, _bytes: Range<usize>) {}

    fn covered(&self, at: usize, header: &Header, on_shelf: bool) -> &[Slot] {
        let first = at / SLOT;
        let len = if on_shelf { 0 } else { header.payload as usize };
        let slots = (front(len) + len).div_ceil(SLOT);
        &self.memory().slots[first..first + slots]
    }

    /// # Safety
    /// As the library's; loom checks it.
    pub unsafe fn write(
        &self,
        at: usize,
        header: &Header,
        on_shelf: bool,
        payload: impl FnOnce(*mut u8),
    ) {
        for (i, slot) in self.covered(at, header, on_shelf).iter().enumerate() {
            slot.rest.with_mut(|_| ());
            // The payload may be anything, so also what looks like a word that publishes a cell, in this lap or another.
            if i > 0 {
                let even = u32::from(header.id.is_multiple_of(2));
                slot.word.store(SLOT as u32 | even << 31, Ordering::Relaxed);
            }
        }
        // SAFETY: nobody else has a reference to the cell: otherwise loom would have stopped at a slot of it.
        let (there, bytes) = unsafe { &mut *self.memory().cells[at / SLOT].get() };
        *there = Some(*header);
        if on_shelf {
            let shelf = &self.memory().shelf;
            // SAFETY: loom stops if anybody else reads there or writes.
            return shelf.with_mut(|shelf| payload(unsafe { (*shelf).as_mut_ptr() }));
        }
        payload(bytes.as_mut_ptr());
    }

    /// # Safety
    /// As the library's; loom checks it.
    pub unsafe fn read<'a>(&self, at: usize, on_shelf: bool) -> (&'a Header, &'a [u8]) {
        // SAFETY: nobody writes to the cell: otherwise loom stops below, before the references are used.
        let (header, bytes) = unsafe { &*(&(*self.memory).cells)[at / SLOT].get() };
        let header = header.as_ref().expect("there is a cell");
        for slot in self.covered(at, header, on_shelf) {
            slot.rest.with(|_| ());
        }
        let len = header.payload as usize;
        if on_shelf {
            // SAFETY: the promise to `new`.
            let shelf = unsafe { &(*self.memory).shelf };
            // SAFETY: loom stops if somebody writes there now.
            return (header, shelf.with(|shelf| unsafe { &(&*shelf)[..len] }));
        }
        (header, &bytes[..len])
    }
}
