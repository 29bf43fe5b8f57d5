//! The tray: lines for payloads that the two rings of a pair use in turn.
//!
//! Two that answer each other with long messages copy each byte through shared lines twice. In rings of their own, an end writes to lines that the
//! other one read last, and reads from lines that the other one wrote; what it has just read it does not meet again. On the tray the
//! answer goes into the very lines that the message came in, which its writer still has in its caches. (Two bare processes, Intel Xeon of model 207, one
//! way of there and back, µs, in rings of 2 MiB and on a tray: 64 KiB 7.5 and 6.4, 256 KiB 24 and 19, 1 MiB 90 and 80. AMD EPYC of family 25, by
//! `MPI_Send` and `MPI_Recv`, without it and with it: 2 KiB 0.27 and 0.24, 4 KiB 0.54 and 0.31, 8 KiB 0.63 and 0.45.) What only goes one way
//! comes sooner through the ring, and so does what is longer than the tray: its writer would come to lines that are in the other core's cache, dirty or
//! not. (The same processor, bare, 1 MiB on a tray of 512 KiB and in a ring of 2 MiB: 58 and 35 µs.)
//!
//! **Whose turn it is** says no word that both write. The turn goes over with the last part of a message: its cell says so, and the receiver, when it has released
//! that, is the one who may write to the tray. So an end has its turn until it sends a message by the tray, one
//! that has no turn sends through its ring, and where an end dies the turn is lost with the pair.
//!
//! | state of an end | what happens | state |
//! |---|---|---|
//! | no turn | releases a cell that hands the turn over | turn, no payload there |
//! | turn, fewer payloads than places not taken | writes a part that is not the last | turn, one more |
//! | turn, fewer payloads than places not taken | writes the last part of a message | no turn |
//! | turn, all places not taken | leaves a wish, as in the [ring](super), looks once more | the same |
//!
//! **Places** are used in order, from the first one on in each turn. Their payloads are taken in that order, as their cells are; how many were taken is counted
//! beside the ring's head, and the receiver looks for a wish after each. (The head would not tell: the ring may grow in between.)

use super::Control;
use crate::shm::atomic::Ordering;

/// Bytes of a place: of a part in the largest ring.
pub const PLACE: usize = 16 << 10;

/// A sender's view of the tray that it shares with its receiver.
pub struct Tray {
    base: *mut u8,
    places: u32,
    is_turn: bool,
    /// How many payloads this end has put there since the beginning, and had before its turn; wrap.
    put: u32,
    before: u32,
    /// How many of them the receiver had taken when last looked at.
    taken: u32,
}

// SAFETY: who may touch which bytes when is the protocol.
unsafe impl Send for Tray {}

impl Tray {
    /// # Safety
    /// The `len` bytes at `base`, aligned to 64, are this pair's tray for ever. `is_first` is true at one end.
    pub unsafe fn new(base: *mut u8, len: usize, is_first: bool) -> Tray {
        Tray {
            base,
            places: (len / PLACE) as u32,
            is_turn: is_first,
            put: 0,
            before: 0,
            taken: 0,
        }
    }

    /// Whether a message of `len` bytes comes to each place once at most: else the ring is the better one for it.
    #[inline]
    pub fn fits(&self, len: usize) -> bool {
        len <= self.places as usize * PLACE
    }

    /// Whether this end may put payloads there.
    #[inline]
    pub fn is_turn(&self) -> bool {
        self.is_turn
    }

    /// The other end has handed the turn over.
    pub fn take_turn(&mut self) {
        self.is_turn = true;
        self.before = self.put;
    }

    /// Where the next payload goes.
    pub fn next(&self) -> *mut u8 {
        let place = self.put.wrapping_sub(self.before) % self.places;
        self.base.wrapping_add(place as usize * PLACE)
    }

    /// A payload was put there, the `last` one of a message or not.
    pub fn put(&mut self, last: bool) {
        self.put = self.put.wrapping_add(1);
        self.is_turn = !last;
    }

    /// Whether there are places for so many payloads, as far as is known.
    #[inline]
    pub fn has_places(&self, payloads: usize) -> bool {
        let in_use = self.put.wrapping_sub(self.taken);
        payloads <= (self.places - in_use) as usize
    }

    /// Looks how many payloads the receiver has taken.
    pub fn look(&mut self, control: &Control) {
        // Acquire: what the receiver read there happened before it is written again.
        self.taken = control.taken.load(Ordering::Acquire);
    }
}
