//! Memory of the job segment for this process to give away.
//!
//! A process leases ranges of the segment for itself, for good: 2 MiB at first, then as much as all before together, up to 64
//! MiB, or what an allocation needs. A lease is one atomic update ([`Segment::lease`]). It is relaxed, because it publishes
//! nothing, and because two successful updates of one word never overlap.
//!
//! The books of these ranges are private memory. So an allocator's state is never shared: a process that is killed inside it
//! leaves nothing locked and nothing half changed for the others, and an allocation touches no shared line unless it leases.
//! The price: only the process that allocated can free, and what it leased is of no use to others. What others may still be
//! looking at is freed by [`leave`].
//!
//! - Up to [`LARGEST_SMALL`] bytes come from pages cut into blocks of one power of two. More is whole pages: best fit,
//!   neighbours joined when freed.
//! - From 2 MiB on an allocation begins where a huge page can. What is aligned are addresses in this process, as the segment
//!   may begin anywhere on a page elsewhere. Where the machine gives huge pages to those that ask, they are asked for: a first
//!   touch then takes 2 MiB, at ten times the speed.
//! - A freed range of 1 MiB or more goes back to the system at once, smaller ones together when 8 MiB have gathered. What was
//!   never touched has nothing to go back, which is asked first: a hole in 512 MiB takes 3 µs for each process that maps the
//!   segment, the question one. Memory that the program has locked stays, as the kernel refuses.
//! - [`alloc`] does not zero: fresh pages are zero, and the owner touches them first. [`alloc_zeroed`] is for control blocks.
//!
//! **Ending.** What a process has leased it tells in a [`Ledger`], by which another gives the memory back to the system when the
//! process has ended and nobody looks at anything of it any more. The ranges stay leased: who writes there by mistake or too late
//! does no harm.
//!
//! **Leaving.** Each process that looks at a block counts itself out when it leaves for good (release). The owner frees the
//! block when all have (acquire): every use happened before the block is given to anybody else. The owner looks whenever it
//! allocates, or leaves the next block.

use super::atomic::{AtomicU32, AtomicU64, Ordering};
use super::segment::{Segment, segment};
use super::{HUGE, Offset, PAGE, memory, round_up};
use crate::shm::error::{Result, failed};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The smallest block: a cache line.
const SMALLEST: usize = 64;
const LARGEST_SMALL: usize = PAGE / 2;
const CLASSES: usize = (LARGEST_SMALL / SMALLEST).ilog2() as usize + 1;
/// A freed range of this size goes back to the system at once…
const PUNCH_ALONE: usize = 1 << 20;
/// …and all free pages do when this much has gathered.
const PUNCH_ALL: usize = 8 << 20;
/// The least that is leased. Later leases are as large as all before them together, up to a limit: a process that needs little
/// takes little of what is there for all, and one that needs much asks rarely.
const FIRST_LEASE: usize = HUGE;
const LARGEST_LEASE: usize = 64 << 20;

#[derive(Default)]
struct Heap {
    /// Free blocks of each class.
    small: [Vec<Offset>; CLASSES],
    /// Free page ranges: offset to length, and the same by length.
    free: BTreeMap<Offset, usize>,
    by_len: BTreeSet<(usize, Offset)>,
    /// What was given out: offset to length as rounded.
    live: HashMap<Offset, usize>,
    /// Freed pages that may still hold memory of the system.
    dirty: usize,
    /// Bytes leased so far.
    leased: usize,
    /// Where that is told, and what was leased before there was such a place.
    ledger: Option<&'static Ledger>,
    leases: Vec<(Offset, usize)>,
    /// Bytes of what is live.
    promised: usize,
    /// To be freed when the counter has reached the number: what others may still look at.
    dying: Vec<(Offset, &'static AtomicU32, u32)>,
}

static HEAP: Mutex<Option<Heap>> = Mutex::new(None);

fn with<R>(work: impl FnOnce(&mut Heap) -> R) -> R {
    work(HEAP.lock().get_or_insert_default())
}

/// How many ranges a ledger has room for. As each is as large as all before, and neighbours are one, few have more.
const RANGES: usize = 16;

/// What a process tells the others of its heap, in the segment.
#[repr(C)]
pub struct Ledger {
    /// What it has leased: offset and length of ranges. What there is no room for is not given back.
    ranges: [[AtomicU64; 2]; RANGES],
    /// Bytes that are promised to its users.
    promised: AtomicU64,
    /// 1: something there is for all, also when the process has ended.
    bequeathed: AtomicU32,
    _pad: u32,
}

impl Ledger {
    /// Something of the heap is for all, for as long as there are any.
    pub fn bequeath(&self) {
        self.bequeathed.store(1, Ordering::Release);
    }

    /// Whether there is something to be given back.
    pub fn has_any(&self) -> bool {
        let lengths = self.ranges.iter().map(|[_, len]| len);
        lengths
            .chain([&self.promised])
            .any(|bytes| bytes.load(Ordering::Acquire) != 0)
    }

    /// The process has ended, and nobody has to do with what was its own: gives the memory back to the system. False if something of it
    /// is for all.
    pub fn settle(&self, segment: &Segment) -> bool {
        if self.bequeathed.load(Ordering::Acquire) != 0 {
            return false;
        }
        for [offset, len] in &self.ranges {
            let (offset, len) = (
                offset.load(Ordering::Acquire) as usize,
                len.swap(0, Ordering::AcqRel) as usize,
            );
            let is_range = |at: usize| at > 0 && at.is_multiple_of(HUGE);
            let end = offset.checked_add(len);
            let is_leased = offset != 0 && end.is_some_and(|end| end <= segment.leased());
            if is_range(len) && is_leased && segment.reach(offset, len).is_ok() {
                segment.punch(offset, len);
            }
        }
        let promised = self.promised.swap(0, Ordering::AcqRel);
        memory::release(segment, promised as usize);
        true
    }

    /// Adds a range, behind one that ends where it begins if there is such.
    fn add(&self, at: Offset, len: usize) {
        let relaxed = Ordering::Relaxed;
        let fits = |[offset, size]: &&[AtomicU64; 2]| {
            let (offset, size) = (offset.load(relaxed), size.load(relaxed));
            size == 0 || offset + size == at as u64
        };
        if let Some([offset, size]) = self.ranges.iter().find(fits) {
            if size.load(relaxed) == 0 {
                offset.store(at as u64, relaxed);
            }
            size.fetch_add(len as u64, Ordering::Release);
        }
    }
}

/// From now on this process tells in `ledger` what it has.
pub fn tell(ledger: &'static Ledger) {
    with(|heap| {
        for &(at, len) in &heap.leases {
            ledger.add(at, len);
        }
        heap.ledger = Some(ledger);
        heap.tell_promised();
    });
}

/// Gives `len` bytes aligned to `align` (a power of two); a length of 0 is as one of 1. The contents are undefined: only
/// fresh pages are zero.
pub fn alloc(len: usize, align: usize) -> Result<Offset> {
    memory::promise(segment(), len)?;
    let given = with(|heap| {
        heap.bury();
        heap.alloc(segment(), len, align)
    });
    if given.is_err() {
        memory::release(segment(), len);
    }
    given.map(|(offset, rounded)| {
        // The books keep the rounded length: promise what is really taken.
        segment()
            .header()
            .promised
            .fetch_add((rounded - len) as u64, Ordering::Relaxed);
        prefer_huge(offset, rounded);
        offset
    })
}

/// An allocation, and where in it `len` bytes lie in the same place of a huge page as at `address`. For whole pages.
pub fn alloc_like(len: usize, address: usize) -> Result<(Owned, Offset)> {
    let skipped = if len < HUGE { 0 } else { address % HUGE };
    let offset = alloc(len + skipped, PAGE)?;
    Ok((Owned::new(offset), offset + skipped))
}

/// Asks for huge pages for an allocation, this process's or another's, that is large enough for one, where asking helps.
pub fn prefer_huge(offset: Offset, len: usize) {
    if len >= HUGE && memory::huge_on_request() {
        segment().prefer_huge(offset, len);
    }
}

/// Like [`alloc`], and all bytes are zero. For control blocks.
pub fn alloc_zeroed(len: usize, align: usize) -> Result<Offset> {
    let offset = alloc(len, align)?;
    // SAFETY: the range was just given to this process, and no other knows of it.
    unsafe { segment().at::<u8>(offset).write_bytes(0, len) };
    Ok(offset)
}

/// Takes back what [`alloc`] of this process gave.
pub fn free(offset: Offset) -> Result<()> {
    let len = with(|heap| heap.free(segment(), offset));
    let len = len.ok_or_else(|| {
        failed!(
            NotAllocated,
            "offset {offset:#x} of the job segment is not allocated by this process"
        )
    })?;
    memory::release(segment(), len);
    Ok(())
}

/// An allocation that is freed when this is dropped.
#[derive(Debug)]
pub struct Owned(Offset);

impl Owned {
    /// Takes over an allocation of this process.
    pub fn new(offset: Offset) -> Owned {
        Owned(offset)
    }

    pub fn offset(&self) -> Offset {
        self.0
    }

    /// Leaves the allocation to somebody else.
    pub fn keep(self) -> Offset {
        std::mem::ManuallyDrop::new(self).0
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // It came from `alloc` and is freed here alone.
        let _ = free(self.0);
    }
}

/// This process leaves the allocation at `offset` for good: it counts itself out in `gone`, which may lie in the allocation.
/// Its owner (`own`) takes the allocation back when `all` have left. It looks for that whenever it allocates.
pub fn leave(offset: Offset, gone: &'static AtomicU32, all: u32, own: bool) {
    gone.fetch_add(1, Ordering::AcqRel);
    if !own {
        return;
    }
    with(|heap| {
        heap.dying.push((offset, gone, all));
        heap.bury();
    });
}

/// Bytes given out by this process and not freed.
pub fn in_use() -> usize {
    with(|heap| heap.promised)
}

impl Heap {
    fn alloc(&mut self, segment: &Segment, len: usize, align: usize) -> Result<(Offset, usize)> {
        if self.live.try_reserve(1).is_err() {
            return Err(failed!(NoMemory, "no memory for the books of the job's"));
        }
        let size = len.max(align).max(SMALLEST);
        let (offset, rounded) = if size <= LARGEST_SMALL {
            let class = (size.next_power_of_two() / SMALLEST).ilog2() as usize;
            (self.block(segment, class)?, SMALLEST << class)
        } else {
            let too_large = || {
                failed!(
                    TooLarge,
                    "{len} bytes aligned to {align} are more than an address range can hold"
                )
            };
            let align = align.max(if len >= HUGE { HUGE } else { PAGE });
            let rounded = round_up(len.max(1), PAGE).ok_or_else(too_large)?;
            if rounded > isize::MAX as usize || align > isize::MAX as usize - rounded {
                return Err(too_large());
            }
            (self.pages(segment, rounded, align)?, rounded)
        };
        self.live.insert(offset, rounded);
        self.promised += rounded;
        self.tell_promised();
        Ok((offset, rounded))
    }

    fn tell_promised(&self) {
        if let Some(ledger) = self.ledger {
            let promised = self.promised as u64;
            ledger.promised.store(promised, Ordering::Relaxed);
        }
    }

    fn block(&mut self, segment: &Segment, class: usize) -> Result<Offset> {
        if let Some(offset) = self.small[class].pop() {
            return Ok(offset);
        }
        let page = self.pages(segment, PAGE, PAGE)?;
        let size = SMALLEST << class;
        self.small[class].extend((1..PAGE / size).rev().map(|i| page + i * size));
        Ok(page)
    }

    fn pages(&mut self, segment: &Segment, len: usize, align: usize) -> Result<Offset> {
        // What is aligned are the addresses that this process sees: elsewhere the segment may begin anywhere on a page.
        let base = segment.base() as usize;
        let skip = |at: Offset| (base + at).next_multiple_of(align) - (base + at);
        let fits = |&(l, at): &(usize, Offset)| l >= len + skip(at);
        // The best fit is among the ranges just long enough; with a large alignment a longer one may be needed.
        let found = self.by_len.range((len, 0)..).take(64).copied().find(fits);
        let (have, at) =
            match found.or_else(|| self.by_len.iter().next_back().copied().filter(fits)) {
                Some(range) => range,
                None => {
                    let leases_are_aligned = align <= HUGE && base.is_multiple_of(align);
                    let spare = if leases_are_aligned { 0 } else { align };
                    let Some(need) = round_up(len + spare, HUGE) else {
                        return Err(failed!(
                            NoMemory,
                            "{len} bytes do not fit into the job segment"
                        ));
                    };
                    let usual = self.leased.clamp(FIRST_LEASE, LARGEST_LEASE);
                    let want = need.max(usual);
                    // Where there is no room for more than is needed, that will do.
                    let (at, want) = match segment.lease(want) {
                        Ok(at) => (at, want),
                        Err(_) => (segment.lease(need)?, need),
                    };
                    self.leased += want;
                    match self.ledger {
                        Some(ledger) => ledger.add(at, want),
                        None => self.leases.push((at, want)),
                    }
                    self.put(at, want);
                    return self.pages(segment, len, align);
                }
            };
        self.free.remove(&at);
        self.by_len.remove(&(have, at));
        let begin = at + skip(at);
        self.put(at, begin - at);
        self.put(begin + len, at + have - begin - len);
        Ok(begin)
    }

    /// Adds a free range to the books, joined with its neighbours.
    fn put(&mut self, mut at: Offset, mut len: usize) {
        if len == 0 {
            return;
        }
        if let Some((&before, &l)) = self.free.range(..at).next_back()
            && before + l == at
        {
            self.free.remove(&before);
            self.by_len.remove(&(l, before));
            (at, len) = (before, len + l);
        }
        if let Some(l) = self.free.remove(&(at + len)) {
            self.by_len.remove(&(l, at + len));
            len += l;
        }
        self.free.insert(at, len);
        self.by_len.insert((len, at));
    }

    fn free(&mut self, segment: &Segment, offset: Offset) -> Option<usize> {
        let len = self.live.remove(&offset)?;
        self.promised -= len;
        self.tell_promised();
        if len <= LARGEST_SMALL {
            self.small[(len / SMALLEST).ilog2() as usize].push(offset);
            return Some(len);
        }
        if len >= PUNCH_ALONE {
            segment.punch(offset, len);
        } else {
            self.dirty += len;
        }
        self.put(offset, len);
        if self.dirty > PUNCH_ALL {
            for (&at, &len) in &self.free {
                segment.punch(at, len);
            }
            self.dirty = 0;
        }
        Some(len)
    }

    /// Frees what nobody looks at any more.
    fn bury(&mut self) {
        let mut i = 0;
        while i < self.dying.len() {
            let (offset, gone, all) = self.dying[i];
            // Acquire: what the others did with the block happened before it is given out again.
            if gone.load(Ordering::Acquire) >= all {
                self.dying.swap_remove(i);
                if let Some(len) = self.free(segment(), offset) {
                    memory::release(segment(), len);
                }
            } else {
                i += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reproducible sequence of numbers (xorshift).
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut x = 0x2545_f491_4f6c_dd1d_u64;
        move |below| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            (x % below as u64) as usize
        }
    }

    #[test]
    fn allocations_never_overlap_and_join_again() {
        let segment = Segment::create(PAGE).unwrap();
        let mut heap = Heap::default();
        let mut next = numbers();
        let mut live: Vec<(Offset, usize)> = Vec::new();
        for _ in 0..4000 {
            if live.len() > 200 || (!live.is_empty() && next(3) == 0) {
                let (at, len) = live.swap_remove(next(live.len()));
                assert_eq!(heap.free(&segment, at), Some(len));
                continue;
            }
            let len = [next(64), next(5000), next(200_000), next(5 << 20)][next(4)];
            let align = SMALLEST << next(10);
            let (at, rounded) = heap.alloc(&segment, len, align).unwrap();
            let address = segment.at::<u8>(at) as usize;
            assert!(rounded >= len && address.is_multiple_of(align));
            assert!(len < HUGE || address.is_multiple_of(HUGE));
            assert!(live.iter().all(|&(o, l)| at + rounded <= o || o + l <= at));
            live.push((at, rounded));
        }
        for (at, _) in live.drain(..) {
            heap.free(&segment, at).unwrap();
        }
        assert!(heap.live.is_empty());
        let free: usize = heap.free.values().sum::<usize>()
            + heap
                .small
                .iter()
                .enumerate()
                .map(|(c, v)| v.len() * (SMALLEST << c))
                .sum::<usize>();
        assert!(free == heap.leased, "nothing is lost: {free}");
    }

    #[test]
    fn what_has_ended_gives_its_memory_back() {
        let segment = Segment::create(PAGE).unwrap();
        // SAFETY: all of it are numbers.
        let ledger: Ledger = unsafe { std::mem::zeroed() };
        let ledger: &'static Ledger = Box::leak(Box::new(ledger));
        let before = segment.in_use();
        let mut heap = Heap {
            ledger: Some(ledger),
            ..Heap::default()
        };
        let fill = |heap: &mut Heap, len: usize| {
            let (at, len) = heap.alloc(&segment, len, 64).unwrap();
            // SAFETY: it was just allocated.
            unsafe { segment.at::<u8>(at).write_bytes(1, len) };
            memory::promise(&segment, len).unwrap();
        };
        for len in [100, 10_000, 1 << 20] {
            fill(&mut heap, len);
        }
        // Somebody else's is between the two.
        let other = segment.lease(HUGE).unwrap();
        // SAFETY: it was just leased.
        unsafe { segment.at::<u8>(other).write_bytes(1, 100) };
        fill(&mut heap, 3 << 20);
        let taken = segment.in_use() - before;
        assert!(taken > 4 << 20, "{taken}");
        assert!(ledger.settle(&segment));
        assert_eq!(segment.in_use() - before, PAGE as u64);
        assert_eq!(segment.header().promised.load(Ordering::Relaxed), 0);
        // Once.
        fill(&mut heap, 100);
        ledger.promised.store(0, Ordering::Relaxed);
        assert!(ledger.settle(&segment));
        assert!(segment.in_use() - before > PAGE as u64);
        ledger.bequeath();
        assert!(!ledger.settle(&segment));
    }

    #[test]
    fn a_million_pairs_lease_once() {
        let segment = Segment::create(PAGE).unwrap();
        let mut heap = Heap::default();
        let (first, _) = heap.alloc(&segment, 10_000, 64).unwrap();
        heap.free(&segment, first).unwrap();
        for _ in 0..100_000 {
            let (at, _) = heap.alloc(&segment, 10_000, 64).unwrap();
            assert_eq!(at, first);
            heap.free(&segment, at).unwrap();
        }
    }

    #[test]
    fn what_is_not_allocated_is_not_freed() {
        let segment = Segment::create(PAGE).unwrap();
        let mut heap = Heap::default();
        let (at, _) = heap.alloc(&segment, 100, 64).unwrap();
        assert_eq!(heap.free(&segment, at + 64), None);
        assert_eq!(heap.free(&segment, at), Some(128));
        assert_eq!(heap.free(&segment, at), None);
    }

    #[test]
    fn sizes_that_overflow_are_errors() {
        let segment = Segment::create(PAGE).unwrap();
        let mut heap = Heap::default();
        for len in [usize::MAX, isize::MAX as usize, segment.len()] {
            assert!(heap.alloc(&segment, len, 64).is_err());
        }
        assert!(heap.alloc(&segment, 8, 1 << 63).is_err());
    }
}
