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
//! | `GROWN` and the phase      | the next cell is the first of the large ring   |
//! | `SHELF`, n and the phase   | the same, its payload is on the shelf          |
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
//!
//! **What is told on the way.** To look at `head` takes a line from the receiver, which it has written to with each cell. Where both
//! ends send, each of their cells says how far its sender has released what came the other way ([`Header::released`]): so a sender that gets
//! an answer knows without a look that the shelf is free. The cell is published after the reads that it tells of.
//!
//! **Growing.** Most pairs of ranks of a large job say little to each other or nothing. So a ring may begin small, two lines
//! behind its control block, and grow once. Where a cell finds no room in the small ring, or 8 KiB have gone through it, the
//! sender writes `GROWN` and goes on in the large ring. A slot of the small ring stays free for that word. Each ring has a head
//! of its own: what the receiver still says of the small one means nothing to the large one. (1,000 ranks that all send each
//! other a few bytes take 0.4 GiB, not 4.)

use super::slots::{SLOT, Slots, front};
use crate::shm::LINE;
use crate::shm::atomic::{AtomicU32, Ordering, full_fence};
use std::ops::Range;

/// Words that are no size of a cell: cells are shorter.
const SKIP: u32 = 1 << 30;
const GROWN: u32 = 1 << 29;
/// Beside the size of a cell: its payload is on the shelf.
const SHELF: u32 = 1 << 28;
/// A sender that found the shelf in use looks again after so many cells: the receiver writes to the head's line.
const IN_USE: u32 = 32;
/// A small ring through which so many bytes went grows, though they fit: its sender has to look at the head in every lap.
const MUCH: u32 = 8 << 10;
/// Of cells of so many bytes the next one is fetched while one is taken. (Two messages of 256 bytes each way, as in IMB's Exchange: 0.36 µs
/// instead of 0.38 between cores that share a cache, 1.00 instead of 1.12 between others.)
const FETCHED_AHEAD: usize = 1 << 10;
/// Beside how far a receiver has released, in whole slots: it is the large ring.
const LARGE: u32 = 1;
/// The phase of every other lap.
const PHASE: u32 = 1 << 31;

/// What a cell says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
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
    /// Bytes of the small ring that the receiver is done with, and of the large one, since the beginning; wrap.
    heads: [AtomicU32; 2],
    /// 1: the sender found no room, and wants to be rung when there is some.
    wanted: AtomicU32,
    /// 1: the receiver holds many messages of this sender that no receive has met, and wants them announced, not sent. The
    /// sender follows when it learns of it; nothing is wrong if that is late.
    announce: AtomicU32,
    _line: [u8; LINE - 16],
}

impl Control {
    /// The head of the small ring, which has a `larger` one to grow to, or of the large one, which has none.
    fn head(&self, larger: Option<Slots>) -> &AtomicU32 {
        match larger {
            Some(_) => &self.heads[0],
            None => &self.heads[1],
        }
    }

    /// Tells the sender to announce its messages, or to send them again.
    pub fn set_announce(&self, announce: bool) {
        self.announce.store(announce.into(), Ordering::Relaxed);
    }
}

impl Default for Control {
    fn default() -> Control {
        Control {
            heads: [AtomicU32::new(0), AtomicU32::new(0)],
            wanted: AtomicU32::new(0),
            announce: AtomicU32::new(0),
            _line: [0; LINE - 16],
        }
    }
}

/// The sender's end.
pub struct Sender {
    control: &'static Control,
    slots: Slots,
    /// The large ring, while this is the small one.
    larger: Option<Slots>,
    /// Bytes that cells must leave free, for the word `GROWN`.
    kept: usize,
    /// Bytes sent since the beginning; wraps.
    tail: u32,
    /// What the head was when last looked at.
    head: u32,
    /// What `announce` was when last looked at.
    announce: bool,
    /// A bit for each slot whose word may be anything.
    wild: Box<[u64]>,
    /// What `tail` was behind the last cell with its payload on the shelf.
    shelved: u32,
    /// Cells before the sender looks again whether the shelf is free.
    in_use: u32,
}

/// The receiver's end.
pub struct Receiver {
    control: &'static Control,
    slots: Slots,
    /// The large ring, while this is the small one.
    larger: Option<Slots>,
    head: u32,
    /// Bytes released since the last look for a wish.
    unlooked: u32,
}

/// A cell that the receiver looks at.
pub struct Cell<'a> {
    pub header: &'a Header,
    pub payload: &'a [u8],
    size: u32,
}

impl Sender {
    /// The sending end of the ring with `control` and `slots`, and with those of the large ring, if this is a small one.
    ///
    /// # Safety
    /// There is only one sending end.
    pub unsafe fn new(control: &'static Control, slots: Slots, larger: Option<Slots>) -> Sender {
        Sender {
            control,
            slots,
            larger,
            kept: if larger.is_some() { SLOT } else { 0 },
            tail: 0,
            head: 0,
            wild: all_tame(slots),
            announce: false,
            shelved: 0,
            in_use: 0,
        }
    }

    /// The longest payload of a cell in a ring of `len` bytes: with what it skips, the cell takes at most half of it.
    pub const fn longest(len: usize) -> usize {
        len / 4 - SLOT
    }

    fn fits(&self, need: usize) -> bool {
        let used = self.tail.wrapping_sub(self.head) as usize;
        need + self.kept <= self.slots.len() - used
    }

    /// Bytes to be skipped in front of a cell of `size` bytes, which goes there next.
    #[inline]
    fn skip(&self, size: usize) -> usize {
        let to_end = self.slots.len() - self.begin();
        if size > to_end { to_end } else { 0 }
    }

    /// Where what comes next begins.
    #[inline]
    fn begin(&self) -> usize {
        self.tail as usize & (self.slots.len() - 1)
    }

    /// Looks what the receiver has released.
    pub fn look(&mut self) {
        // Acquire: what the receiver read in the slots and on the shelf happened before they are written again.
        self.head = self.control.head(self.larger).load(Ordering::Acquire);
    }

    /// The receiver has said in a cell of its own how far it has released. What was said earlier, or of the small ring when this is the
    /// large one, is nothing new.
    #[inline]
    pub fn learn(&mut self, released: u32) {
        let (head, is_large) = (released & !LARGE, released & LARGE != 0);
        let unreleased = self.tail.wrapping_sub(self.head);
        if is_large == self.larger.is_none() && head.wrapping_sub(self.head) <= unreleased {
            let half = |head: u32| head as usize & !(self.slots.len() / 2 - 1);
            if half(head) != half(self.head) {
                self.look_at_announce();
            }
            self.head = head;
        }
    }

    /// Looks whether there is room for a cell of `size` bytes by now, or in the large ring; if not, asks to be rung when there
    /// is, then looks once more.
    #[cold]
    fn fits_later(&mut self, size: usize) -> bool {
        self.look();
        self.look_at_announce();
        let fits = self.fits(self.skip(size) + size);
        if let Some(larger) = self.larger
            && (!fits || self.tail >= MUCH)
        {
            self.grow(larger);
            return true;
        }
        if fits {
            return true;
        }
        // Written only when it changes: the receiver writes to the line.
        if self.control.wanted.load(Ordering::Relaxed) == 0 {
            self.control.wanted.store(1, Ordering::Relaxed);
        }
        // With the fence of `Receiver::is_wanted`: either this sees the new head, or the receiver sees the wish.
        full_fence();
        self.look();
        self.fits(self.skip(size) + size)
    }

    /// Goes on with the large ring, which is empty.
    fn grow(&mut self, larger: Slots) {
        // The slot was kept free. Relaxed: cells are published by words of their own.
        let word = GROWN | phase(self.tail, self.slots.len());
        self.slots.word(self.begin()).store(word, Ordering::Relaxed);
        (self.slots, self.larger, self.kept) = (larger, None, 0);
        (self.tail, self.head, self.shelved) = (0, 0, 0);
        self.wild = all_tame(larger);
    }

    /// Whether the receiver wants messages announced. The sender looks at that word when it has to look at the head, or is told that it has
    /// come to the next half of the ring, so at the latest after a ring's length, and each time while it says so. Where messages are received it costs nothing.
    #[inline]
    pub fn is_to_announce(&mut self) -> bool {
        if self.announce {
            self.look_at_announce();
        }
        self.announce
    }

    fn look_at_announce(&mut self) {
        self.announce = self.control.announce.load(Ordering::Relaxed) != 0;
    }

    /// Whether a payload of `len` bytes can go on the shelf now.
    #[inline]
    fn is_shelf_free(&mut self, len: usize) -> bool {
        if len > self.slots.shelf() {
            return false;
        }
        // What is not released yet came after it.
        let is_free = |ring: &Sender| {
            let unreleased = ring.tail.wrapping_sub(ring.head);
            unreleased <= ring.tail.wrapping_sub(ring.shelved)
        };
        if is_free(self) {
            return true;
        }
        if self.in_use > 0 {
            self.in_use -= 1;
            return false;
        }
        self.look();
        let is_free = is_free(self);
        if !is_free {
            self.in_use = IN_USE;
        }
        is_free
    }

    /// Puts a cell into the ring, its payload written by `write`, on the `shelf` if that is wanted and it is free; false if there is
    /// no room now.
    ///
    /// `write` gets room for `header.payload` bytes, which is at most [`Sender::longest`].
    #[inline]
    pub fn push(&mut self, header: &Header, shelf: bool, write: impl FnOnce(*mut u8)) -> bool {
        let len = header.payload as usize;
        let shelf = shelf && self.is_shelf_free(len);
        let size = match shelf {
            true => SLOT,
            false => (front(len) + len + SLOT - 1) & !(SLOT - 1),
        };
        if !self.fits(self.skip(size) + size) && !self.fits_later(size) {
            return false;
        }
        let (at, skip) = (self.begin(), self.skip(size));
        let mask = self.slots.len() - 1;
        let begin = (at + skip) & mask;
        let next = (begin + size) & mask;
        if self.tame(next) {
            self.slots.word(next).store(0, Ordering::Relaxed);
        }
        self.set_wild(begin + SLOT..begin + size);
        // SAFETY: the cell's bytes are free (`fits`), and so is the shelf: only this end touches them until the word is published.
        unsafe { self.slots.write(begin, header, shelf, write) };
        // Release: the cell, and what the word behind it is, are there before its word says so.
        let start = self.tail.wrapping_add(skip as u32);
        let kind = if shelf { SHELF } else { 0 };
        let word = size as u32 | kind | phase(start, self.slots.len());
        self.slots.word(begin).store(word, Ordering::Release);
        if skip > 0 {
            self.set_wild(at + SLOT..at + skip);
            let word = SKIP | phase(self.tail, self.slots.len());
            self.slots.word(at).store(word, Ordering::Release);
        }
        self.tail = start.wrapping_add(size as u32);
        if shelf {
            self.shelved = self.tail;
        }
        true
    }

    /// Whether the word at `at` may be anything. From now on it is one that begins a cell.
    #[inline]
    fn tame(&mut self, at: usize) -> bool {
        let (word, bit) = (at / (SLOT * 64), 1 << (at / SLOT % 64));
        let is_wild = self.wild[word] & bit != 0;
        self.wild[word] &= !bit;
        is_wild
    }

    /// The words of these slots may be anything.
    #[inline]
    fn set_wild(&mut self, bytes: Range<usize>) {
        let (mut slot, end) = (bytes.start / SLOT, bytes.end / SLOT);
        while slot < end {
            let next = end.min((slot / 64 + 1) * 64);
            let ones = u64::MAX >> (64 - (next - slot));
            self.wild[slot / 64] |= ones << (slot % 64);
            slot = next;
        }
    }
}

/// As long as nothing was sent, all words are zero.
fn all_tame(slots: Slots) -> Box<[u64]> {
    vec![0; slots.len().div_ceil(SLOT * 64)].into()
}

/// The phase of the lap at `position` of a ring of `len` bytes.
#[inline]
fn phase(position: u32, len: usize) -> u32 {
    match position as usize & len {
        0 => 0,
        _ => PHASE,
    }
}

impl Receiver {
    /// The receiving end; as [`Sender::new`].
    ///
    /// # Safety
    /// There is only one receiving end.
    pub unsafe fn new(control: &'static Control, slots: Slots, larger: Option<Slots>) -> Receiver {
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
                SKIP => self.release((self.slots.len() - at) as u32),
                GROWN => self.grow(),
                word => {
                    // SAFETY: the word says that the sender has published a cell here; it does not touch it until `head`
                    // has passed it, which takes the `&mut self` that the cell borrows.
                    let (header, payload) = unsafe { self.slots.read(at, word & SHELF != 0) };
                    let size = word & !SHELF;
                    self.fetch_next(at, size as usize);
                    return Some(Cell {
                        header,
                        payload,
                        size,
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
        if let Some(larger) = self.larger.take() {
            (self.slots, self.head) = (larger, 0);
        }
    }

    /// Gives back the room of the oldest cell, whose size [`Cell::size`] told.
    #[inline]
    pub fn release(&mut self, size: u32) {
        self.head = self.head.wrapping_add(size);
        self.unlooked += size;
        // Release: the reads of the cell are over before the sender sees that it is free.
        let head = self.control.head(self.larger);
        head.store(self.head, Ordering::Release);
    }

    /// How far it has released, for cells that go the other way, and of which ring.
    #[inline]
    pub fn released(&self) -> u32 {
        match self.larger {
            Some(_) => self.head,
            None => self.head | LARGE,
        }
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
    /// Bytes of the ring that it takes, for [`Receiver::release`].
    pub fn size(&self) -> u32 {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = 4096;
    const SMALL: usize = 256;

    const SHELF: usize = 512;

    #[repr(C, align(64))]
    struct Memory([u8; LEN + SHELF]);

    fn slots(len: usize) -> Slots {
        let memory = Box::leak(Box::new(Memory([0; LEN + SHELF])));
        let shelf = if len == LEN { SHELF } else { 0 };
        // SAFETY: leaked, zero, aligned.
        unsafe { Slots::new(memory.0.as_mut_ptr(), len, shelf) }
    }

    fn ends(slots: Slots, larger: Option<Slots>) -> (Sender, Receiver) {
        let control: &'static Control = Box::leak(Box::default());
        // SAFETY: one end each.
        unsafe {
            (
                Sender::new(control, slots, larger),
                Receiver::new(control, slots, larger),
            )
        }
    }

    fn ring() -> (Sender, Receiver) {
        ends(slots(LEN), None)
    }

    fn header(id: u64, payload: usize) -> Header {
        Header {
            kind: Kind::Eager,
            context: 7,
            source: 1,
            tag: id as i32,
            payload: payload as u16,
            released: 0,
            bytes: payload as u64,
            id,
        }
    }

    /// Payloads that look like published words, of all lengths that matter.
    fn payload(id: u64) -> Vec<u8> {
        vec![if id.is_multiple_of(3) { 0xff } else { id as u8 }; (id * 37 % 950) as usize]
    }

    fn push(sender: &mut Sender, id: u64) -> bool {
        let bytes = payload(id);
        sender.push(&header(id, bytes.len()), id.is_multiple_of(2), |to| {
            // SAFETY: `push` gives room for the payload.
            unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
        })
    }

    fn check(receiver: &mut Receiver, id: u64) -> bool {
        let Some(cell) = receiver.peek() else {
            return false;
        };
        let header = *cell.header;
        assert_eq!(({ header.id }, { header.tag }), (id, id as i32));
        assert_eq!(cell.payload, payload(id));
        let size = cell.size();
        receiver.release(size);
        true
    }

    #[test]
    fn a_full_ring_refuses_and_goes_on() {
        let (mut sender, mut receiver) = ring();
        let (mut sent, mut got) = (0, 0);
        for round in 0..2000 {
            while push(&mut sender, sent) {
                sent += 1;
            }
            assert!(sent > got);
            for _ in 0..=round % 3 {
                got += u64::from(check(&mut receiver, got));
            }
        }
        while check(&mut receiver, got) {
            got += 1;
        }
        assert_eq!(sent, got);
        assert!(receiver.peek().is_none());
    }

    #[test]
    fn the_longest_payload_always_fits_an_empty_ring() {
        let (mut sender, mut receiver) = ring();
        for id in 0..500 {
            assert!(push(&mut sender, id));
            assert!(check(&mut receiver, id));
            let longest = Sender::longest(LEN);
            // SAFETY: `push` gives room for the payload.
            assert!(sender.push(&header(id, longest), true, |to| unsafe {
                to.write_bytes(0xff, longest)
            }));
            let cell = receiver.peek().unwrap();
            assert!(cell.payload.len() == longest && cell.payload.iter().all(|&b| b == 0xff));
            let size = cell.size();
            receiver.release(size);
        }
    }

    /// A small ring grows when a cell finds no room, and when many have gone through it, and not before.
    #[test]
    fn a_small_ring_grows_once() {
        let short = |sender: &mut Sender, id| sender.push(&header(id, 0), false, |_| ());
        let next = |receiver: &mut Receiver| {
            let cell = receiver.peek()?;
            let (id, size) = (cell.header.id, cell.size());
            receiver.release(size);
            Some(id)
        };
        for ahead in 1..=5 {
            let (mut sender, mut receiver) = ends(slots(SMALL), Some(slots(LEN)));
            let (mut sent, mut got) = (0, 0);
            while sent < 3 * u64::from(MUCH) / SLOT as u64 {
                let is_small = sender.larger.is_some();
                while sent < got + ahead {
                    assert!(short(&mut sender, sent));
                    sent += 1;
                }
                let grown = is_small && sender.larger.is_none();
                let much = sent as usize * SLOT > MUCH as usize;
                assert!(!grown || ahead > 3 || much, "{ahead} {sent}");
                while let Some(id) = next(&mut receiver) {
                    assert_eq!(id, got);
                    got += 1;
                }
            }
            assert_eq!(sent, got);
            assert!(sender.larger.is_none() && receiver.larger.is_none());
        }
        // What is too long for it grows it at once.
        let (mut sender, mut receiver) = ends(slots(SMALL), Some(slots(LEN)));
        assert!(short(&mut sender, 0) && push(&mut sender, 3));
        assert!(sender.larger.is_none() && next(&mut receiver) == Some(0));
        assert!(check(&mut receiver, 3) && next(&mut receiver).is_none());
    }

    /// Who hears how far the receiver is knows that the shelf is free without a look; what was said before is nothing new.
    #[test]
    fn what_the_receiver_says_is_known_without_a_look() {
        let (mut sender, mut receiver) = ends(slots(SMALL), Some(slots(LEN)));
        let take = |receiver: &mut Receiver| {
            let size = receiver.peek().unwrap().size();
            receiver.release(size);
        };
        for id in 0..2 {
            assert!(sender.push(&header(id, 0), false, |_| ()));
            take(&mut receiver);
        }
        // Of the small ring; as many bytes of the large one are in use.
        let mut before = receiver.released();
        assert!(sender.push(&header(2, SHELF), false, |_| ()));
        sender.learn(before);
        assert!(sender.larger.is_none() && sender.head == 0 && sender.tail > before);
        take(&mut receiver);
        sender.learn(receiver.released());
        for id in 0..500 {
            let len = SHELF - id as usize % 2;
            // SAFETY: `push` gives room for the payload.
            assert!(sender.push(&header(id, len), true, |to| unsafe {
                to.write_bytes(id as u8, len)
            }));
            let cell = receiver.peek().unwrap();
            assert_eq!(cell.payload, vec![id as u8; len]);
            let size = cell.size();
            // What the receiver has not released yet is in use, whatever was said.
            for said in [before, receiver.released()] {
                sender.learn(said);
                assert_ne!(sender.head, sender.tail, "{id}");
            }
            receiver.release(size);
            before = receiver.released();
            sender.learn(before);
            assert_eq!(sender.head, sender.tail, "{id}");
            assert!(sender.larger.is_some() || size as usize == SLOT, "{id}");
            if id == 250 {
                assert!(!sender.is_to_announce());
                receiver.control().set_announce(true);
            }
        }
        assert!(sender.larger.is_none() && sender.is_to_announce());
    }

    #[test]
    fn two_threads() {
        two_threads_with(ring());
        for _ in 0..20 {
            two_threads_with(ends(slots(SMALL), Some(slots(LEN))));
        }
    }

    fn two_threads_with((mut sender, mut receiver): (Sender, Receiver)) {
        const N: u64 = 100_000;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for id in 0..N {
                    while !push(&mut sender, id) {
                        std::thread::yield_now();
                    }
                }
            });
            for id in 0..N {
                while !check(&mut receiver, id) {
                    std::thread::yield_now();
                }
            }
        });
    }
}
