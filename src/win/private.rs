//! Private memory, where load and store do not reach: that of other processes, and this process's own where it may not be
//! written. Data is moved through the kernel, which finds out what is not there; or by the target itself, if it waits in MPI
//! ([`parcel`]).
//!
//! Nothing here grows with the counts of the call: where a side is not one run, 256 KiB are moved at a time.
//!
//! | side, in a step                                   | how                                                      |
//! |---------------------------------------------------|----------------------------------------------------------|
//! | here: one run, or up to 64                        | pieces of the kernel's call                              |
//! | here: more                                        | gathered or scattered by way of a buffer                 |
//! | there, read: runs that begin up to 2 KiB apart    | read with the gaps, and what is wanted taken out of that |
//! | there: all others                                 | pieces, 1024 a call; runs that follow each other are one |
//!
//! The kernel takes 350 ns for each piece, as long as for some KiB. Gaps may be read but not written, as the target may change
//! them at any time. So a put of many short runs costs the kernel's time for each: 1024 doubles, one in two, take 370 µs; to get
//! them takes 3.
//!
//! A process changes its own private memory by store, unless it may not be written: then through the kernel, which refuses with
//! an error where a store would end the process. Before the first changes the kernel is asked to do as if they were made, which takes
//! 0.5 µs for each page; then `/proc/self/maps` is read, 27 µs, and the answer kept for the whole mapping.

use super::elements::buffer;
use super::{Reach, Target, Window, parcel};
use crate::datatype::{self, Datatype, Message};
use crate::error::{Error, Result};
use crate::runtime::reach;
use crate::shm::PAGE;
use crate::shm::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use crate::shm::mapping;
use crate::shm::maps::Maps;
use crate::shm::peer::{self, Piece, Pieces, Way};
use parking_lot::Mutex;
use std::mem::take;
use std::ops::Range;
use std::ptr::with_exposed_provenance_mut;

/// Bytes that are moved at a time where a side is not one run: what goes through a buffer fits the cache.
const STEP: usize = 256 << 10;
/// So many runs of the near side in a step are pieces of their own; more are gathered and scattered by way of a buffer.
const FEW: usize = 64;
/// The kernel takes longer for a piece than for copying so many bytes, a run of it and the gap behind, twice.
const PIECE_COST: usize = 2048;
/// Bytes that are read with their gaps at a time.
const SPAN: usize = 1 << 20;
/// Room for those, to be used again.
static ROOM: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Moves the data of `near`, a message here, to or from `far`, one of as many bytes at addresses of the target.
///
/// Errors: `MPI_ERR_OTHER` if the kernel refuses, or there is no such memory; `MPI_ERR_PROC_FAILED`, `MPI_ERR_NO_MEM`.
///
/// # Safety
/// `near` is readable (`ToPeer`) or writable (`FromPeer`).
pub(super) unsafe fn move_data(
    way: Way,
    target: &Target,
    near: Message<'_>,
    far: Message<'_>,
) -> Result<()> {
    let all = 0..near.size();
    // SAFETY: the caller's promise.
    unsafe { move_range(way, target, near, far, all) }
}

/// The same for the positions `range` of both sides.
///
/// # Safety
/// As [`move_data`], for these positions.
pub(super) unsafe fn move_range(
    way: Way,
    target: &Target,
    near: Message<'_>,
    far: Message<'_>,
    range: Range<usize>,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let done = unsafe { parcel::leave_to(target, way, near, far, range.clone()) }?;
    if done == range.end {
        return Ok(());
    }
    let range = done..range.end;
    if let (Some(here), Some(there)) = (near.as_run(), far.as_run()) {
        let piece = |run: usize| Piece::at(run.wrapping_add(range.start), range.len());
        let (here, there) = (piece(here), piece(there));
        return reach(target.process(), |pid| {
            // SAFETY: the caller's promise.
            unsafe { peer::copy_run(pid, way, here, there) }.map_err(Error::from)
        });
    }
    let stage = match near.as_run() {
        Some(_) => Vec::new(),
        None => buffer(range.len().min(STEP))?,
    };
    reach(target.process(), |pid| {
        let mut mover = Mover {
            pid,
            way,
            near,
            far,
            stage,
            span: ROOM.try_lock().as_deref_mut().map(take).unwrap_or_default(),
        };
        let mut begin = range.start;
        while begin < range.end {
            let end = range.end.min(begin + STEP);
            // SAFETY: the caller's promise.
            unsafe { mover.step(begin..end) }?;
            begin = end;
        }
        Ok(())
    })
}

/// Moves the data of two messages, a step at a time.
struct Mover<'a> {
    pid: i32,
    way: Way,
    near: Message<'a>,
    far: Message<'a>,
    /// Room for the bytes of a step, if the near side is not one run.
    stage: Vec<u8>,
    /// Room for the far side with its gaps.
    span: Vec<u8>,
}

impl Drop for Mover<'_> {
    fn drop(&mut self) {
        if !self.span.is_empty()
            && let Some(mut room) = ROOM.try_lock()
        {
            *room = take(&mut self.span);
        }
    }
}

impl Mover<'_> {
    /// Moves some positions.
    ///
    /// # Safety
    /// As [`move_range`].
    unsafe fn step(&mut self, range: Range<usize>) -> Result<()> {
        // SAFETY: the caller's promise, here and below.
        if self.way == Way::FromPeer && unsafe { self.read_span(&range) } {
            return Ok(());
        }
        let mut runs = Batch::<FEW>::new();
        let mut many = false;
        let mut add = |at: usize, len: usize| many |= !runs.add(at, len);
        self.near.walk_range(range.clone(), &mut add);
        if many {
            runs = Batch::new();
            runs.add(self.stage.as_mut_ptr().expose_provenance(), range.len());
            if self.way == Way::ToPeer {
                // SAFETY: the stage is as long as a step.
                unsafe { datatype::pack(self.near, range.clone(), self.stage.as_mut_ptr()) };
            }
        }
        let mut here = runs.pieces();
        let mut there = Batch::<{ peer::MAX_PIECES }>::new();
        let mut result = Ok(());
        self.far
            .walk_range(range.clone(), &mut |at: usize, len: usize| {
                if result.is_ok() && !there.add(at, len) {
                    let mut pieces = there.pieces();
                    // SAFETY: the near pieces are this side's data of the step.
                    result = unsafe { peer::copy(self.pid, self.way, &mut here, &mut pieces) };
                    there = Batch::new();
                    there.add(at, len);
                }
            });
        result?;
        // SAFETY: as above.
        unsafe { peer::copy(self.pid, self.way, &mut here, &mut there.pieces()) }?;
        if many && self.way == Way::FromPeer {
            // SAFETY: the stage holds the step's bytes.
            unsafe { datatype::unpack(self.near, range, self.stage.as_ptr()) };
        }
        Ok(())
    }

    /// Reads the far side from its first byte to its last, and takes out of that what is wanted, if its runs lie so near to each
    /// other that this is the faster way, and all of it can be read: whether it was so.
    ///
    /// # Safety
    /// As [`move_range`].
    unsafe fn read_span(&mut self, range: &Range<usize>) -> bool {
        let (mut runs, mut low, mut high) = (0, usize::MAX, 0);
        self.far
            .walk_range(range.clone(), &mut |at: usize, len: usize| {
                runs += 1;
                low = low.min(at);
                high = high.max(at.saturating_add(len));
            });
        let span = high.saturating_sub(low);
        if runs < 2 || span / runs > PIECE_COST {
            return false;
        }
        if span > SPAN {
            let middle = range.start + range.len() / 2;
            // SAFETY: the caller's promise.
            let mut move_half = |half| unsafe { self.step(half) }.is_ok();
            return move_half(range.start..middle) && move_half(middle..range.end);
        }
        if self.span.len() < span {
            match buffer(span) {
                Ok(room) => self.span = room,
                Err(_) => return false,
            }
        }
        let room = self.span.as_mut_ptr();
        let (here, there) = (Piece::new(room.cast(), span), Piece::at(low, span));
        // SAFETY: the room is ours, and as long.
        if unsafe { peer::copy_run(self.pid, self.way, here, there) }.is_err() {
            return false;
        }
        let read = Message {
            base: self
                .far
                .base
                .wrapping_sub(low)
                .wrapping_add(room.expose_provenance()),
            ..self.far
        };
        let range = range.clone();
        // SAFETY: `read` lies in what was read; the near side is the caller's promise, the stage as long as a step.
        unsafe {
            match self.near.as_run() {
                Some(run) => {
                    let to = with_exposed_provenance_mut::<u8>(run.wrapping_add(range.start));
                    datatype::pack(read, range, to);
                }
                None => {
                    datatype::pack(read, range.clone(), self.stage.as_mut_ptr());
                    datatype::unpack(self.near, range, self.stage.as_ptr());
                }
            }
        }
        true
    }
}

/// Up to `N` pieces of memory.
struct Batch<const N: usize> {
    pieces: [Piece; N],
    count: usize,
}

impl<const N: usize> Batch<N> {
    fn new() -> Batch<N> {
        Batch {
            pieces: [Piece::at(0, 0); N],
            count: 0,
        }
    }

    /// Adds a run, to the last piece if it follows that; false if it is full.
    fn add(&mut self, at: usize, len: usize) -> bool {
        if let Some(last) = self.pieces[..self.count].last_mut()
            && last.end() == at
        {
            last.len += len;
            return true;
        }
        let free = self.pieces.get_mut(self.count);
        let added = free.map(|free| *free = Piece::at(at, len)).is_some();
        self.count += usize::from(added);
        added
    }

    fn pieces(&mut self) -> Pieces<'_> {
        Pieces::new(&mut self.pieces[..self.count])
    }
}

/// Ranges of this process's private memory that were found to be writable: the first page, and how many, in a word each.
#[derive(Default)]
pub struct Writable {
    known: [AtomicU64; 4],
    next: AtomicUsize,
}

/// Bits of the number of pages.
const PAGES: u32 = 28;

/// So many times a few pages are asked for, no more than a change of a few bytes reaches.
const TOUCHES: usize = 50;
const FEW_PAGES: usize = 2;

impl Writable {
    /// Whether all of a range can be written, as far as is known. What was writable once is not asked for again: a program that
    /// takes the right to write from a window's memory afterwards is as if it wrote there itself.
    pub(super) fn covers(&self, range: Range<usize>) -> bool {
        let (first, behind) = (range.start / PAGE, range.end.div_ceil(PAGE));
        let holds = |word: &AtomicU64| {
            let word = word.load(Relaxed);
            let (begin, pages) = ((word >> PAGES) as usize, word as usize & ((1 << PAGES) - 1));
            begin <= first && behind <= begin + pages
        };
        self.known.iter().any(holds) || self.touch(first..behind) || self.ask(range)
    }

    /// Asks the kernel for these pages alone, if they are few and that is still cheaper.
    #[cold]
    fn touch(&self, pages: Range<usize>) -> bool {
        let addresses = pages.start * PAGE..pages.end * PAGE;
        let touched = pages.len() <= FEW_PAGES
            && self.next.load(Relaxed) < TOUCHES
            && mapping::make_written(&addresses);
        if touched {
            self.keep(addresses);
        }
        touched
    }

    /// Asks the kernel for the mappings.
    #[cold]
    fn ask(&self, range: Range<usize>) -> bool {
        let Some(maps) = Maps::read() else {
            // A process that cannot know does what it did before.
            return true;
        };
        let Some(found) = writable_around(&maps, &range) else {
            return false;
        };
        self.keep(found);
        true
    }

    fn keep(&self, found: Range<usize>) {
        let (first, pages) = (found.start / PAGE, found.len() / PAGE);
        // What does not fit into the word is asked for each time.
        if pages < 1 << PAGES && first < 1 << (u64::BITS - PAGES) {
            let turn = self.next.fetch_add(1, Relaxed) % self.known.len();
            self.known[turn].store((first as u64) << PAGES | pages as u64, Relaxed);
        }
    }
}

/// The writable mappings without a gap of which `range` is a part.
fn writable_around(maps: &Maps, range: &Range<usize>) -> Option<Range<usize>> {
    let mut found = 0..0;
    for mapping in maps.iter() {
        if !mapping.writable || mapping.range.start != found.end {
            if found.end > range.start {
                break;
            }
            found = mapping.range.start..mapping.range.start;
        }
        if mapping.writable {
            found.end = mapping.range.end;
        }
    }
    (found.start <= range.start && range.end <= found.end).then_some(found)
}

impl Window {
    /// How this process changes `count` elements of `datatype` at `address` of its own private memory: through the kernel
    /// where they may not be written, which says so.
    pub(super) fn reach_to_change(
        &self,
        address: usize,
        datatype: &Datatype,
        count: usize,
    ) -> Reach {
        let Some((low, high)) = datatype.span(count) else {
            return Reach::Own;
        };
        let range = address.wrapping_add_signed(low)..address.wrapping_add_signed(high);
        match self.writable.covers(range) {
            true => Reach::Own,
            false => Reach::Peer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::mapping::tests::Pages;

    #[test]
    fn few_pages_and_many_are_covered_where_they_can_be_written() {
        let pages = Pages::new(8 * PAGE);
        let place = |first, behind| pages.0.start + first..pages.0.start + behind;
        // SAFETY: the mapping's third page.
        let refused =
            unsafe { libc::mprotect((pages.0.start + 2 * PAGE) as *mut _, PAGE, libc::PROT_READ) };
        assert_eq!(refused, 0);
        let writable = Writable::default();
        assert!(writable.covers(place(8, 16)) && writable.next.load(Relaxed) == 1);
        assert!(writable.covers(place(0, PAGE)) && writable.next.load(Relaxed) == 1);
        assert!(!writable.covers(place(2 * PAGE - 1, 2 * PAGE + 1)));
        assert!(!writable.covers(place(2 * PAGE, 2 * PAGE + 1)));
        assert!(!writable.covers(place(0, 8 * PAGE)));
        // Many: the mapping is known then.
        assert!(writable.covers(place(3 * PAGE, 6 * PAGE)) && writable.next.load(Relaxed) == 2);
        assert!(writable.covers(place(7 * PAGE, 8 * PAGE)) && writable.next.load(Relaxed) == 2);
    }

    #[test]
    fn what_is_writable_is_found_with_its_neighbours() {
        let maps = Maps::of(
            "1000-3000 r-xp 00000000 00:00 0 [x]\n\
             3000-5000 rw-p 00000000 00:00 0\n\
             5000-6000 rw-s 00000000 00:00 0 /a b\n\
             6000-7000 r--p 00000000 00:00 0\n\
             8000-9000 -w-p 00000000 00:00 0\n",
        );
        let around = |range: Range<usize>| writable_around(&maps, &range);
        assert_eq!(around(0x3000..0x3001), Some(0x3000..0x6000));
        assert_eq!(around(0x4fff..0x6000), Some(0x3000..0x6000));
        assert_eq!(around(0x2fff..0x4000), None);
        assert_eq!(around(0x5000..0x6001), None);
        assert_eq!(around(0x7000..0x7001), None);
        assert_eq!(around(0x8000..0x9000), Some(0x8000..0x9000));
        assert_eq!(around(0x8fff..0x9001), None);
        assert_eq!(around(0x9000..0x9001), None);
    }
}
