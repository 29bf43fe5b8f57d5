//! The bytes of a ring, as loom can watch them: a word and the rest of each slot on its own. A cell is written and read in
//! whole; two ends that touch a slot at the same time are found out.

use super::ring::{Header, PLACE};
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

/// Where a cell's payload is, as the library's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Cell,
    Shelf,
    Away,
}

/// A tray's places.
pub struct Places(Vec<UnsafeCell<[u8; MOST]>>);

// SAFETY: the memory is shared by design, and loom watches who touches it when.
unsafe impl Send for Places {}
// SAFETY: as above.
unsafe impl Sync for Places {}

impl Places {
    pub fn new(places: usize) -> Places {
        Places((0..places).map(|_| UnsafeCell::new([0; MOST])).collect())
    }

    /// What a tray is made with, and of how many bytes it is one then. Its places are names here, and no memory.
    pub fn base(&self) -> (*mut u8, usize) {
        let base = std::ptr::from_ref(self).cast_mut().cast();
        (base, self.0.len() * PLACE)
    }

    fn place(&self, name: *mut u8) -> &UnsafeCell<[u8; MOST]> {
        &self.0[(name.addr() - self.base().0.addr()) / PLACE]
    }
}

/// The memory of a ring.
pub struct Memory {
    slots: Vec<Slot>,
    tray: *const Places,
    /// By the cell: the name of the place of its payload, if that is away.
    away: Vec<std::cell::Cell<*mut u8>>,
    cells: Vec<std::cell::UnsafeCell<(Option<Header>, [u8; MOST])>>,
    shelf: UnsafeCell<[u8; MOST]>,
}

impl Memory {
    pub fn new(len: usize) -> Memory {
        assert!(len <= MOST);
        Memory {
            slots: (0..len / SLOT).map(|_| Slot::default()).collect(),
            tray: std::ptr::null(),
            away: vec![std::cell::Cell::new(std::ptr::null_mut()); len / SLOT],
            cells: (0..len / SLOT)
                .map(|_| std::cell::UnsafeCell::new((None, [0; MOST])))
                .collect(),
            shelf: UnsafeCell::new([0; MOST]),
        }
    }

    /// The same of a ring whose pair has a tray, which lives as long.
    pub fn with_tray(len: usize, tray: *const Places) -> Memory {
        Memory {
            tray,
            ..Memory::new(len)
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

    /// # Safety
    /// As the library's; loom checks it.
    pub unsafe fn set_away(&self, at: usize, payload: *mut u8) {
        self.memory().slots[at / SLOT].rest.with_mut(|_| ());
        self.memory().away[at / SLOT].set(payload);
    }

    fn covered(&self, at: usize, header: &Header, place: Place) -> &[Slot] {
        let first = at / SLOT;
        let len = match place {
            Place::Cell => header.payload as usize,
            Place::Shelf | Place::Away => 0,
        };
        let slots = (front(len) + len).div_ceil(SLOT);
        &self.memory().slots[first..first + slots]
    }

    /// # Safety
    /// As the library's; loom checks it.
    pub unsafe fn write(
        &self,
        at: usize,
        header: &Header,
        place: Place,
        payload: impl FnOnce(*mut u8),
    ) {
        for (i, slot) in self.covered(at, header, place).iter().enumerate() {
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
        if let Some(memory) = self.elsewhere(at, place) {
            // SAFETY: loom stops if anybody else reads there or writes.
            return memory.with_mut(|memory| payload(unsafe { (*memory).as_mut_ptr() }));
        }
        payload(bytes.as_mut_ptr());
    }

    /// Where the payload of the cell at `at` is, if not in the cell.
    fn elsewhere(&self, at: usize, place: Place) -> Option<&UnsafeCell<[u8; MOST]>> {
        let memory = self.memory();
        match place {
            Place::Cell => None,
            Place::Shelf => Some(&memory.shelf),
            // SAFETY: the promise to `with_tray`.
            Place::Away => Some(unsafe { &*memory.tray }.place(memory.away[at / SLOT].get())),
        }
    }

    /// # Safety
    /// As the library's; loom checks it.
    pub unsafe fn read<'a>(&self, at: usize, place: Place) -> (&'a Header, &'a [u8]) {
        // SAFETY: nobody writes to the cell: otherwise loom stops below, before the references are used.
        let (header, bytes) = unsafe { &*(&(*self.memory).cells)[at / SLOT].get() };
        let header = header.as_ref().expect("there is a cell");
        for slot in self.covered(at, header, place) {
            slot.rest.with(|_| ());
        }
        let len = header.payload as usize;
        if let Some(memory) = self.elsewhere(at, place) {
            // SAFETY: loom stops if somebody writes there now; the memory lives as long as the ring.
            return (header, memory.with(|memory| unsafe { &(&*memory)[..len] }));
        }
        (header, &bytes[..len])
    }
}
