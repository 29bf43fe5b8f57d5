//! A ring of cells from one sender to one receiver, in shared memory.
//!
//! A cell is a [`Header`] and its payload, in a whole number of 64-byte slots, and never bent around the ring's end. One word
//! says whether there is a cell, and it is on the cell's own first cache line. So a short message travels as one line, and the
//! receiver polls no other.
//!
//! | word at a slot's beginning | meaning to the receiver whose place it is      |
//! |----------------------------|------------------------------------------------|
//! | 0, or of the other phase   | nothing here yet                               |
//! | n and the phase            | a cell of n bytes                              |
//! | `SKIP` and the phase       | the next cell is at the ring's beginning       |
//! | `GROWN` and the phase      | the next cell is the first of the larger ring  |
//! | `SHELF`, n and the phase   | the same, its payload is on the shelf          |
//! | `AWAY`, n and the phase    | the same, its payload is on the [tray]         |
//! | `LAST`, beside that        | and the turn at the tray goes over with it     |
//!
//! **Phase.** It is one bit, and changes with every lap around the ring. So what a cell of the last lap left in its first slot
//! means nothing, and short messages touch no line but their own. (To zero the word behind each cell cost 60 ns of 250 one way
//! between near cores, 70 of 460 between far ones.) A slot that was within a cell, or skipped, may begin with any word. The
//! sender has a bit for each of these, and zeroes such a word before it publishes the cell in front of it. Where the ring is
//! full by that cell, the slot behind it begins the oldest one: its word needs no zeroing.
//!
//! **Orderings.** The sender writes the cell, then its word (release). The receiver reads the word (acquire), then the cell,
//! and then moves `head` (release). The sender reads `head` (acquire) only when it seems to have no room. If there is none, it
//! leaves a wish to be rung when there is. A process that dies leaves at worst a cell unpublished.
//!
//! **Wishes.** The receiver passes a fence and looks for one when it has released half a ring since it last did, not after each
//! cell. No cell takes more than a quarter of the ring, and so none with what is skipped in front of it more than half: where one
//! finds no room, more than half of the ring is yet to be released, and the receiver looks while it does that. (To look each time
//! cost 5 ns of 104 one way, 15 of 134 where both send at once.)
//!
//! **The shelf.** Lines that both cores used last are in their first caches, and go over in half the time of those that only the
//! second ones have: 8 KiB between cores that share no more than the last cache in 0.57 µs if it is the same 8 KiB each time, in 1.07
//! if they are the next ones of a ring of 32 KiB. So a large ring has lines beside it for one payload, which the sender uses if
//! it wants to, and all cells up to the last one that had it there are released. It looks at `head` for that. (One way, AMD EPYC
//! 9004, in the ring and on the shelf: 256 bytes 0.22 and 0.16 µs, 1 KiB 0.23 and 0.18, 4 KiB 0.54 and 0.35, 8 KiB 1.22 and 0.60.)
//! A ring that is longer than a core's second cache is the better place for 4 KiB and more: the receiver has lost its lines.
//!
//! **What is told on the way.** To look at `head` takes a line from the receiver, which it has written to with each cell. Where both
//! ends send, each of their cells says how far its sender has released what came the other way ([`Header::released`]): so a sender that gets
//! an answer knows without a look that the shelf is free. The cell is published after the reads that it tells of.
//!
//! **Growing.** Most pairs of ranks of a large job say little to each other or nothing. So a ring may begin small, two lines
//! behind its control block, and grow: where a cell finds no room in the small ring, or 8 KiB have gone through it, the
//! sender writes `GROWN` and goes on in a larger ring; where one finds none there, or the sender, when a part of that ring is behind
//! it, is far ahead or has sent much in long payloads, in the largest. A slot of a ring that may grow stays free for that word. Each ring has a head of its own: what the receiver
//! still says of one means nothing to the next. (1,000 ranks that all send each other a few bytes take 0.4 GiB, not 4. The pages of the
//! largest ring, used for the first time, take 2 µs each: a sender that waits for an answer to each short message does not come to it.)

mod receiver;
mod sender;
#[cfg(test)]
mod tests;
mod tray;
mod wild;

use super::slots::{Place, SLOT, Slots};
use crate::shm::LINE;
use crate::shm::atomic::{AtomicU32, Ordering};
pub use receiver::{Cell, Receiver, Room};
pub use sender::Sender;
pub use tray::{PLACE, Tray};

/// Words that are no size of a cell: cells are shorter.
const SKIP: u32 = 1 << 30;
const GROWN: u32 = 1 << 29;
/// Beside the size of a cell: its payload is on the shelf.
const SHELF: u32 = 1 << 28;
/// It is where the cell says.
const AWAY: u32 = 1 << 27;
/// And from then on the receiver may write there.
const LAST: u32 = 1 << 26;
/// The phase of every other lap.
const PHASE: u32 = 1 << 31;
/// A ring may grow so often.
const GROWS: usize = 2;
/// The larger rings to which one may grow yet, the next one first.
pub type Larger = [Option<Slots>; GROWS];
/// Beside how far a receiver has released, in whole slots: how often the ring has grown.
const GROWTH: u32 = SLOT as u32 - 1;

/// What a cell says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A message with its data.
    Eager = 1,
    /// A message whose data the receiver fetches: the payload is a [`super::transfer::Announced`].
    Announce = 2,
    /// The receiver has fetched the data of the sender's message `id`.
    Fetched = 3,
    /// The receiver may not read the sender's memory: it asks for the data of `id` in the segment.
    Refused = 4,
    /// The data of `id` is in the segment now: the payload says where.
    Moved = 5,
    /// The receiver asks the sender, which waits, to send the data of `id` in parts.
    Wanted = 6,
    /// The next part of the data of `id`.
    Part = 7,
}

/// The beginning of a cell, without the word that publishes it. (Packed to 4, so that the word fits in front of it.)
#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub kind: Kind,
    /// Whether the call that sends also receives.
    pub exchanged: bool,
    /// Bytes of payload in this cell.
    pub payload: u16,
    /// The context of the communicator, and whether it is a collective's message.
    pub context: u32,
    /// The sender's rank in the communicator.
    pub source: u32,
    pub tag: i32,
    /// How far the sender has got with what comes from the receiver: [`Receiver::released`], or 0.
    pub released: u32,
    /// Bytes of the whole message.
    pub bytes: u64,
    /// The sender's number of the message, for answers.
    pub id: u64,
}

/// What both ends share beside the slots.
#[repr(C, align(128))]
pub struct Control {
    /// Bytes of the first ring that the receiver is done with, and of each larger one, since the beginning; wrap.
    heads: [AtomicU32; GROWS + 1],
    /// 1: the sender found no room, and wants to be rung when there is some.
    wanted: AtomicU32,
    /// 1: the receiver holds many messages of this sender that no receive has met, and wants them announced, not sent. The
    /// sender follows when it learns of it; nothing is wrong if that is late.
    announce: AtomicU32,
    /// The sorts of long messages that the receiver fetches sooner: see [`ways`](super::ways).
    fetched: AtomicU32,
    /// Payloads on the [tray] that the receiver is done with, since the beginning; wraps.
    taken: AtomicU32,
    _line: [u8; LINE - 28],
}

impl Control {
    /// The head of the ring that has these `larger` ones to grow to.
    #[inline]
    fn head(&self, larger: &Larger) -> &AtomicU32 {
        &self.heads[growth(larger) as usize]
    }

    /// Tells the sender to announce long messages of these sorts alone.
    pub fn set_fetched(&self, sorts: u32) {
        self.fetched.store(sorts, Ordering::Relaxed);
    }

    /// Of which sorts that is.
    #[inline]
    pub fn fetched(&self) -> u32 {
        self.fetched.load(Ordering::Relaxed)
    }

    /// Tells the sender to announce its messages, or to send them again.
    pub fn set_announce(&self, announce: bool) {
        self.announce.store(announce.into(), Ordering::Relaxed);
    }
}

/// How often a ring has grown that has these `larger` ones to grow to.
#[inline]
fn growth(larger: &Larger) -> u32 {
    match larger {
        [None, _] => 2,
        [_, None] => 1,
        _ => 0,
    }
}

impl Default for Control {
    fn default() -> Control {
        Control {
            heads: std::array::from_fn(|_| AtomicU32::new(0)),
            wanted: AtomicU32::new(0),
            announce: AtomicU32::new(0),
            fetched: AtomicU32::new(0),
            taken: AtomicU32::new(0),
            _line: [0; LINE - 28],
        }
    }
}

/// Where the payload is of the cell that has this `word`.
#[inline(always)]
fn place(word: u32) -> Place {
    match word & (SHELF | AWAY) {
        0 => Place::Cell,
        SHELF => Place::Shelf,
        _ => Place::Away,
    }
}

/// The phase of the lap at `position` of a ring of `len` bytes.
#[inline]
fn phase(position: u32, len: usize) -> u32 {
    match position as usize & len {
        0 => 0,
        _ => PHASE,
    }
}
