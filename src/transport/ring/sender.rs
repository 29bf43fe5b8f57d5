//! The sending end.

use super::wild::Wild;
use super::{
    AWAY, Control, GROWN, GROWTH, Header, LAST, Larger, PLACE, SHELF, SKIP, Tray, growth, phase,
    place,
};
use crate::shm::atomic::{Ordering, full_fence};
use crate::transport::slots::{Place, SLOT, Slots, front};

/// A sender that found the shelf in use looks again after so many cells: the receiver writes to the head's line.
const IN_USE: u32 = 32;
/// A small ring through which so many bytes went grows, though they fit: its sender has to look at the head in every lap.
pub(super) const MUCH: u32 = 8 << 10;
/// After so many bytes, or half a ring, a sender looks whether it is to announce its messages and whether it is far ahead, which takes lines
/// from the receiver. And when it comes to them first it has the kernel make their pages at once.
const PART: usize = 64 << 10;
/// A sender that is more bytes ahead, or a third of a ring, is far ahead. (One that waits for an answer to 8 KiB is not; one that sends 256
/// messages of 8 bytes before it waits for anything may be.)
const FAR: usize = 12 << 10;
/// A ring of so many bytes has more than the second cache of a core, which makes it the better place than the shelf for payloads of
/// [`LONG`] bytes. (One way, AMD EPYC of family 25, on the shelf and in the ring: 3 KB 322 and 394 ns, 4 KiB 460 and 422, 5 KB 553 and 431, 8 KiB
/// 857 and 553.)
pub(super) const BEYOND_CACHE: usize = 1 << 20;
/// Shorter payloads are better on the shelf in any ring.
pub(super) const LONG: usize = 4 << 10;
/// So many bytes in payloads of that length are worth the pages of a ring [`BEYOND_CACHE`]: 2 MiB of them take the kernel 1.8 ms, which as much
/// in cells of 8 KiB gains.
pub(super) const WORTH_PAGES: u32 = 32 << 20;
/// And those of a tray, of which there are fewer; what takes one place alone is always worth it.
pub(super) const WORTH_TRAY: u32 = WORTH_PAGES / 4;
/// Shorter messages go the shortest way, which knows the ring and its shelf alone.
const LEAST_ON_TRAY: usize = 1 << 10;

/// The sender's end.
pub struct Sender {
    control: &'static Control,
    slots: Slots,
    pub(super) larger: Larger,
    /// Bytes that cells must leave free, for the word `GROWN`.
    kept: usize,
    /// Bytes sent since the beginning; wraps.
    pub(super) tail: u32,
    /// What the head was when last looked at.
    pub(super) head: u32,
    /// What `announce` was when last looked at.
    announce: bool,
    wild: Wild,
    /// What `tail` was behind the last cell with its payload on the shelf.
    shelved: u32,
    /// Cells before the sender looks again whether the shelf is free.
    in_use: u32,
    /// Bytes sent in long payloads, up to more than any count.
    pub(super) long: u32,
    tray: Option<Tray>,
}

impl Sender {
    /// The sending end of the ring with `control` and `slots`, which may grow to `larger` ones, and of a pair with a `tray`, if it has one.
    ///
    /// # Safety
    /// There is only one sending end.
    pub unsafe fn new(
        control: &'static Control,
        slots: Slots,
        larger: Larger,
        tray: Option<Tray>,
    ) -> Sender {
        Sender {
            control,
            slots,
            larger,
            kept: kept(&larger),
            tail: 0,
            head: 0,
            wild: Wild::new(slots.len()),
            announce: false,
            shelved: 0,
            in_use: 0,
            long: 0,
            tray,
        }
    }

    /// The longest payload of a cell in a ring of `len` bytes: with what it skips, the cell takes at most half of it.
    pub const fn longest(len: usize) -> usize {
        len / 4 - SLOT
    }

    fn fits(&self, need: usize) -> bool {
        need + self.kept <= self.slots.len() - self.unreleased() as usize
    }

    /// Whether there is room for a message of `len` bytes in cells with payloads of up to `piece`, here and in larger rings, and a quarter of the
    /// ring stays free for announcements; and on the tray, if it is to go there.
    pub fn has_room(&mut self, len: usize, piece: usize) -> bool {
        if self.is_for_tray(len) && !self.has_places(len.div_ceil(PLACE)) {
            return false;
        }
        // As much as a cell takes may be skipped.
        let need = (len.div_ceil(piece) + 1) * size(piece);
        let mut larger = self.larger.iter().flatten();
        if larger.any(|ring| need + SLOT <= ring.len() / 4 * 3) {
            return true;
        }
        let need = need + self.slots.len() / 4;
        if self.fits(need) {
            return true;
        }
        self.look();
        self.fits(need)
    }

    /// Bytes that the receiver has not released, when last looked at.
    #[inline]
    fn unreleased(&self) -> u32 {
        self.tail.wrapping_sub(self.head)
    }

    /// Whether it is the ring of a pair that has not said much, which is too small for a shelf.
    fn is_small(&self) -> bool {
        self.slots.shelf() == 0
    }

    /// Whether its lines leave a core's second cache before they are used again.
    #[inline]
    pub fn is_beyond_cache(&self) -> bool {
        self.slots.len() >= BEYOND_CACHE
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
        self.head = self.control.head(&self.larger).load(Ordering::Acquire);
    }

    /// The receiver has said in a cell of its own how far it has released. What was said earlier, or of the small ring when this is the
    /// large one, is nothing new.
    #[inline]
    pub fn learn(&mut self, released: u32) {
        let (head, of) = (released & !GROWTH, released & GROWTH);
        if of == growth(&self.larger) && head.wrapping_sub(self.head) <= self.unreleased() {
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
        if let [Some(larger), _] = self.larger
            && (!fits || self.is_small() && self.tail >= MUCH)
        {
            self.grow(larger);
            return true;
        }
        if fits {
            return true;
        }
        self.wish();
        self.look();
        self.fits(self.skip(size) + size)
    }

    /// Asks to be rung when there is room.
    fn wish(&self) {
        // Written only when it changes: the receiver writes to the line.
        if self.control.wanted.load(Ordering::Relaxed) == 0 {
            self.control.wanted.store(1, Ordering::Relaxed);
        }
        // With the fence of `Receiver::is_wanted`: either this sees what was released, or the receiver sees the wish.
        full_fence();
    }

    /// The receiver has handed over the turn at the tray.
    pub fn take_turn(&mut self) {
        if let Some(tray) = &mut self.tray {
            tray.take_turn();
        }
    }

    /// Whether this end may put payloads on a tray.
    #[inline]
    pub fn is_turn(&self) -> bool {
        self.tray.as_ref().is_some_and(Tray::is_turn)
    }

    /// Whether a message of `len` bytes is to go by the tray.
    #[inline]
    pub fn is_for_tray(&self, len: usize) -> bool {
        let fits = || self.tray.as_ref().is_some_and(|tray| tray.fits(len));
        let is_worth_it = len >= LEAST_ON_TRAY && (len <= PLACE || self.long >= WORTH_TRAY);
        is_worth_it && self.is_turn() && fits()
    }

    /// Whether there are so many places on the tray.
    pub(super) fn has_places(&mut self, payloads: usize) -> bool {
        let control = self.control;
        self.tray.as_mut().is_some_and(|tray| {
            tray.has_places(payloads) || {
                tray.look(control);
                tray.has_places(payloads)
            }
        })
    }

    /// Where the next payload on the tray goes; `None` if there is no place now.
    fn place_on_tray(&mut self) -> Option<*mut u8> {
        if !self.has_places(1) {
            self.wish();
            if !self.has_places(1) {
                return None;
            }
        }
        self.tray.as_ref().map(Tray::next)
    }

    /// As [`Sender::push`], of a payload of at most [`PLACE`] bytes on the tray, where it is this end's turn: up to the `last` one of a message.
    pub fn push_on_tray(
        &mut self,
        header: &Header,
        last: bool,
        write: impl FnOnce(*mut u8),
    ) -> bool {
        debug_assert!(header.payload as usize <= PLACE);
        let Some(payload) = self.place_on_tray() else {
            return false;
        };
        let kind = if last { AWAY | LAST } else { AWAY };
        if !self.put(header, kind, Some(payload), write) {
            return false;
        }
        if let Some(tray) = &mut self.tray {
            tray.put(last);
        }
        true
    }

    /// Goes on with the next larger ring, which is empty.
    fn grow(&mut self, larger: Slots) {
        // The slot was kept free. Relaxed: cells are published by words of their own.
        let word = GROWN | phase(self.tail, self.slots.len());
        self.slots.word(self.begin()).store(word, Ordering::Relaxed);
        (self.slots, self.larger) = (larger, [self.larger[1], None]);
        self.kept = kept(&self.larger);
        (self.tail, self.head, self.shelved) = (0, 0, 0);
        self.wild = Wild::new(larger.len());
    }

    /// Whether the receiver wants messages announced. The sender looks at that word when it has to look at the head, when it has sent half a
    /// ring or [`PART`] bytes since, and each time while it says so.
    #[inline]
    pub fn is_to_announce(&mut self) -> bool {
        if self.announce {
            self.look_at_announce();
        }
        self.announce
    }

    /// The sorts of long messages that the receiver wants announced.
    pub fn fetched(&self) -> u32 {
        self.control.fetched()
    }

    /// Whether it is to be asked if messages are to be announced.
    #[inline]
    pub fn may_announce(&self) -> bool {
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
        let is_free = |ring: &Sender| ring.unreleased() <= ring.tail.wrapping_sub(ring.shelved);
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
        let far = len >= LONG && self.is_beyond_cache();
        let shelf = shelf && !far && self.is_shelf_free(len);
        let kind = if shelf { SHELF } else { 0 };
        self.put(header, kind, None, write)
    }

    /// Puts a cell of that `kind` into the ring; `away` is where its payload goes if that is neither there nor on the shelf.
    #[inline(always)]
    fn put(
        &mut self,
        header: &Header,
        kind: u32,
        away: Option<*mut u8>,
        write: impl FnOnce(*mut u8),
    ) -> bool {
        let len = header.payload as usize;
        let place = place(kind);
        let size = match place {
            Place::Cell => size(len),
            Place::Shelf | Place::Away => SLOT,
        };
        if !self.fits(self.skip(size) + size) && !self.fits_later(size) {
            return false;
        }
        let (at, skip) = (self.begin(), self.skip(size));
        let mask = self.slots.len() - 1;
        let begin = (at + skip) & mask;
        let next = (begin + size) & mask;
        if self.wild.tame(next) {
            self.slots.word(next).store(0, Ordering::Relaxed);
        }
        self.wild.set(begin + SLOT..begin + size);
        // SAFETY: the cell's bytes are free (`fits`), and so are the shelf and the place on the tray: only this end touches them until the word is
        // published.
        unsafe {
            if let Some(away) = away {
                self.slots.set_away(begin, away);
            }
            self.slots.write(begin, header, place, write);
        }
        // Release: the cell, and what the word behind it is, are there before its word says so.
        let start = self.tail.wrapping_add(skip as u32);
        let word = size as u32 | kind | phase(start, self.slots.len());
        self.slots.word(begin).store(word, Ordering::Release);
        if skip > 0 {
            self.wild.set(at + SLOT..at + skip);
            let word = SKIP | phase(self.tail, self.slots.len());
            self.slots.word(at).store(word, Ordering::Release);
        }
        let tail = start.wrapping_add(size as u32);
        let part = self.slots.len().min(2 * PART) / 2;
        let before = std::mem::replace(&mut self.tail, tail);
        if place == Place::Shelf {
            self.shelved = tail;
        }
        if len >= LONG {
            self.long = self.long.saturating_add(len as u32);
        }
        if (tail ^ before) as usize & part != 0 {
            self.come_to_next_part();
        }
        true
    }

    /// A part of the ring, half of it or [`PART`] bytes, is behind, and the next one begins.
    #[cold]
    fn come_to_next_part(&mut self) {
        self.look_at_announce();
        if !self.is_small()
            && let [Some(largest), _] = self.larger
        {
            self.look();
            let is_far = self.unreleased() as usize > FAR.min(self.slots.len() / 3);
            let is_worth_it = self.long >= WORTH_PAGES && largest.len() >= BEYOND_CACHE;
            if is_far || is_worth_it {
                return self.grow(largest);
            }
        }
        // In the first lap (and in one after 4 GiB, when they are there).
        let begin = self.tail as usize & !(PART - 1);
        if (PART..self.slots.len()).contains(&begin) {
            self.slots.make_pages(begin..begin + PART);
        }
    }
}

/// Bytes of a cell with a payload of `len` bytes in the ring.
#[inline]
const fn size(len: usize) -> usize {
    (front(len) + len + SLOT - 1) & !(SLOT - 1)
}

/// What cells leave free of a ring that may grow, for the word that says so.
fn kept(larger: &Larger) -> usize {
    if larger[0].is_some() { SLOT } else { 0 }
}
