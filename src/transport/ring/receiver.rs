//! The receiving end.

use super::{AWAY, Control, GROWN, Header, LAST, Larger, PHASE, SHELF, SKIP, growth, phase, place};
use crate::shm::atomic::{Ordering, full_fence};
use crate::transport::slots::Slots;

/// Of cells of so many bytes the next one is fetched while one is taken. (Two messages of 256 bytes each way, as in IMB's Exchange: 0.36 µs
/// instead of 0.38 between cores that share a cache, 1.00 instead of 1.12 between others.)
const FETCHED_AHEAD: usize = 1 << 10;

/// The receiver's end.
pub struct Receiver {
    control: &'static Control,
    slots: Slots,
    pub(super) larger: Larger,
    head: u32,
    /// Bytes released since the last look for a wish.
    unlooked: u32,
}

/// A cell that the receiver looks at.
pub struct Cell<'a> {
    pub header: &'a Header,
    pub payload: &'a [u8],
    room: Room,
}

/// What an oldest cell takes, to be given back.
#[derive(Clone, Copy)]
pub struct Room(u32);

impl Room {
    /// Bytes of the ring.
    #[inline(always)]
    pub fn size(self) -> u32 {
        self.0 & !(SHELF | AWAY | LAST)
    }

    /// Whether the turn at the tray comes with it.
    #[inline(always)]
    pub fn hands_over(self) -> bool {
        self.0 & LAST != 0
    }
}

impl Receiver {
    /// The receiving end; as [`super::Sender::new`].
    ///
    /// # Safety
    /// There is only one receiving end.
    pub unsafe fn new(control: &'static Control, slots: Slots, larger: Larger) -> Receiver {
        Receiver {
            control,
            slots,
            larger,
            head: 0,
            unlooked: 0,
        }
    }

    /// The oldest cell, if there is one.
    #[inline]
    pub fn peek(&mut self) -> Option<Cell<'_>> {
        loop {
            let at = self.head as usize & (self.slots.len() - 1);
            let word = self.slots.word(at).load(Ordering::Acquire);
            if word == 0 || word & PHASE != phase(self.head, self.slots.len()) {
                return None;
            }
            match word & !PHASE {
                SKIP => self.release(Room((self.slots.len() - at) as u32)),
                GROWN => self.grow(),
                word => {
                    // SAFETY: the word says that the sender has published a cell here; it does not touch it until `head`
                    // has passed it, which takes the `&mut self` that the cell borrows.
                    let (header, payload) = unsafe { self.slots.read(at, place(word)) };
                    let room = Room(word);
                    self.fetch_next(at, room.size() as usize);
                    return Some(Cell {
                        header,
                        payload,
                        room,
                    });
                }
            }
        }
    }

    /// Begins to fetch the lines of the cell behind that of `size` bytes at `at`, as if they were as many: they come while this one is
    /// taken.
    #[inline]
    fn fetch_next(&self, at: usize, size: usize) {
        if size <= FETCHED_AHEAD {
            self.slots.prefetch(at + size, size);
        }
    }

    #[cold]
    fn grow(&mut self) {
        if let Some(larger) = self.larger[0] {
            (self.slots, self.head) = (larger, 0);
            self.larger = [self.larger[1], None];
        }
    }

    /// Gives back the room of the oldest cell, which [`Cell::room`] told.
    #[inline]
    pub fn release(&mut self, room: Room) {
        self.head = self.head.wrapping_add(room.size());
        self.unlooked += room.size();
        if room.0 & AWAY != 0 {
            self.take_off(room.hands_over());
        }
        // Release: the reads of the cell are over before the sender sees that it is free.
        let head = self.control.head(&self.larger);
        head.store(self.head, Ordering::Release);
    }

    /// The payload of the oldest cell has been taken from the tray, the `last` one of its sender's turn or not.
    fn take_off(&mut self, last: bool) {
        let taken = &self.control.taken;
        // Release: the reads of the payload are over before the sender sees that its place is free. Nobody else writes to the word.
        taken.store(
            taken.load(Ordering::Relaxed).wrapping_add(1),
            Ordering::Release,
        );
        // A sender that waits for a place is rung at once: it may have nothing else in the ring. Without the turn it waits for none.
        if !last {
            self.unlooked = self.slots.len() as u32;
        }
    }

    /// How far it has released, for cells that go the other way, and of which ring.
    #[inline]
    pub fn released(&self) -> u32 {
        self.head | growth(&self.larger)
    }

    /// What it shares with the sender.
    pub fn control(&self) -> &'static Control {
        self.control
    }

    /// Whether the sender wants to be rung, after cells were released; not asked each time.
    #[inline]
    pub fn is_wanted(&mut self) -> bool {
        if (self.unlooked as usize) < self.slots.len() / 2 {
            return false;
        }
        self.unlooked = 0;
        full_fence();
        let wanted = self.control.wanted.load(Ordering::Relaxed) != 0;
        if wanted {
            // Before the ring, so that a wish renewed after it stays.
            self.control.wanted.store(0, Ordering::Relaxed);
        }
        wanted
    }
}

impl Cell<'_> {
    /// What it takes, for [`Receiver::release`].
    pub fn room(&self) -> Room {
        self.room
    }
}
