//! Who is in a process's private memory, and its door: others copy there through the kernel while the process may want to move
//! that memory, and what they write must not stay behind.
//!
//! Each process writes down itself where it is: for each of its threads that visits, the rank in whose memory.
//!
//! | word                     | means                                                    |
//! |--------------------------|----------------------------------------------------------|
//! | door: 0                  | who comes may stay                                       |
//! | door: [`SHUT`]           | who comes goes away and waits; once nobody is there the owner may move its memory |
//! | a place: 0               | free                                                     |
//! | a place: 1 + a rank      | a thread is in that rank's memory, or is about to look at its door |
//!
//! | who     | does                                                                                        |
//! |---------|---------------------------------------------------------------------------------------------|
//! | visitor | takes a place; full fence; finds the door shut: leaves, and waits; else (acquire) looks where the memory is now; copies; leaves (release) |
//! | owner   | shuts; full fence; finds itself in nobody's places (acquire); moves; says where the memory is now; opens (release) |
//!
//! So one of the two sees the other: what a visitor wrote is there before the memory is moved, and who comes in afterwards sees
//! where it went. A place's last user may have been another thread: the fence makes its writes known to who has the place now,
//! and so, with those of the latter, to an owner who finds the place free.
//!
//! A process that was killed in somebody's memory stays written down there. As its places are its own, the owner knows whose
//! they are, and waits for nobody who is dead.

use super::VISITS;
use super::atomic::{AtomicU32, Ordering, full_fence};

const SHUT: u32 = 1;

#[repr(transparent)]
#[derive(Default)]
pub struct Door(AtomicU32);

impl Door {
    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed) != SHUT
    }

    /// From here on nobody comes in, and who is in can be seen. For the owner, one thread at a time.
    pub fn shut(&self) {
        self.0.store(SHUT, Ordering::Relaxed);
        full_fence();
    }

    /// Lets others come in, who see all that the owner did meanwhile.
    pub fn open(&self) {
        self.0.store(0, Ordering::Release);
    }
}

/// Whose memory the threads of a process are in.
#[repr(C)]
#[derive(Default)]
pub struct Whereabouts([AtomicU32; VISITS]);

/// What came of an attempt to come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Inside, until [`Whereabouts::leave`] of this place.
    In(usize),
    Shut,
    /// So many threads of this process are on visits that there is no place to write one more down.
    Full,
}

impl Whereabouts {
    /// Comes into the memory of the rank that has the door.
    #[inline]
    pub fn enter(&self, rank: u32, door: &Door) -> Entry {
        if !door.is_open() {
            return Entry::Shut;
        }
        let take = |place: &AtomicU32| {
            place
                .compare_exchange(0, rank + 1, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        };
        let Some(place) = self.0.iter().position(take) else {
            return Entry::Full;
        };
        full_fence();
        // Acquire: with the owner's `open`.
        if door.0.load(Ordering::Acquire) == SHUT {
            self.leave(place);
            return Entry::Shut;
        }
        Entry::In(place)
    }

    /// Leaves: all that the visitor wrote is there.
    #[inline]
    pub fn leave(&self, place: usize) {
        self.0[place].store(0, Ordering::Release);
    }

    /// Whether a thread of the process is in a rank's memory. If not, all that it wrote there is there.
    pub fn is_at(&self, rank: u32) -> bool {
        let is_there = |place: &AtomicU32| place.load(Ordering::Acquire) == rank + 1;
        self.0.iter().any(is_there)
    }
}
