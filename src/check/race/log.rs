//! What a rank has accessed in windows: the last of it, in the segment, for the others to compare with theirs.
//!
//! | word     | written                                                                                    |
//! |----------|--------------------------------------------------------------------------------------------|
//! | `number` | last: the entry's number, from 1; 0 while it is being written                               |
//! | `done`   | 0 until the access is complete at its target, then at which [time](crate::check::clock) of its rank |
//! | `issued` | of an access that is atomic: before which time of its rank it began, the last time           |
//! | `known`  | until which time its rank knew the process whose memory it is, before it began               |
//! | `high`   | may grow until it is done, where accesses side by side are one entry                        |
//!
//! Who reads an entry looks at its number before and after.

use super::What;
use super::span::Span;
use crate::check::Place;
use crate::shm::atomic::{AtomicU64, Ordering};

/// So many accesses of a rank are kept.
pub const KEPT: u64 = 512;

#[repr(C)]
#[derive(Default)]
struct Entry {
    number: AtomicU64,
    on: AtomicU64,
    what: AtomicU64,
    place: AtomicU64,
    low: AtomicU64,
    high: AtomicU64,
    block: AtomicU64,
    stride: AtomicU64,
    issued: AtomicU64,
    known: AtomicU64,
    done: AtomicU64,
}

/// A rank's. It alone writes, one thread at a time.
#[repr(C)]
pub struct Log {
    /// How many there were.
    count: AtomicU64,
    /// The number of an entry whose access is complete though it does not say so, or 0: see [`again`](super::again).
    complete: AtomicU64,
    _line: [u64; 6],
    entries: [Entry; KEPT as usize],
}

/// Of which window an access is, and at which of its ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct On(u64);

impl On {
    /// No window has this number.
    pub const NONE: On = On(u64::MAX);

    pub fn new(window: u64, target: usize) -> On {
        On(window << 16 | target as u64)
    }

    pub fn target(self) -> usize {
        (self.0 & 0xffff) as usize
    }

    pub fn bits(self) -> u64 {
        self.0
    }

    pub fn of_bits(bits: u64) -> On {
        On(bits)
    }

    pub fn is_of(self, window: u64) -> bool {
        self.0 >> 16 == window & (u64::MAX >> 16)
    }
}

/// Where the full fence is that has to lie between what is logged and the look at what others have logged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    Here,
    Follows,
}

impl Fence {
    #[inline(always)]
    fn ordering(self) -> Ordering {
        match self {
            Fence::Here => Ordering::SeqCst,
            Fence::Follows => Ordering::Release,
        }
    }
}

/// An access, as it was when it was read.
#[derive(Clone, Copy)]
pub struct Logged {
    pub on: On,
    pub what: What,
    pub place: Place,
    pub span: Span,
    pub issued: u64,
    pub known: u64,
    /// 0: it was not complete.
    pub done: u64,
}

impl Log {
    #[inline]
    fn entry(&self, number: u64) -> &Entry {
        &self.entries[(number % KEPT) as usize]
    }

    /// How many there were.
    #[inline(always)]
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// The same, and the number of the oldest that is there.
    #[inline]
    pub fn range(&self) -> (u64, u64) {
        let count = self.count();
        ((count + 1).saturating_sub(KEPT).max(1), count)
    }

    /// Adds an access, and gives its number. What others have added before this is then found by their counts, or they find this one.
    #[inline(always)]
    pub fn add(&self, access: &Logged) -> u64 {
        let number = self.fill(access);
        self.count.swap(number, Ordering::SeqCst);
        number
    }

    /// The same if a full fence follows, and all that is said of others' here does behind that.
    #[inline(always)]
    pub fn add_before_fence(&self, access: &Logged) -> u64 {
        let number = self.fill(access);
        self.count.store(number, Ordering::Release);
        number
    }

    /// One of both.
    #[inline(always)]
    pub fn add_with(&self, access: &Logged, fence: Fence) -> u64 {
        match fence {
            Fence::Here => self.add(access),
            Fence::Follows => self.add_before_fence(access),
        }
    }

    #[inline(always)]
    fn fill(&self, access: &Logged) -> u64 {
        let number = self.count.load(Ordering::Relaxed) + 1;
        let entry = self.entry(number);
        entry.number.store(0, Ordering::Relaxed);
        // Release, each: who finds one of them finds that the number is gone.
        entry.on.store(access.on.0, Ordering::Release);
        entry.what.store(access.what.0.into(), Ordering::Release);
        entry.place.store(access.place.bits(), Ordering::Release);
        entry.low.store(access.span.low, Ordering::Release);
        entry.high.store(access.span.high, Ordering::Release);
        entry.block.store(access.span.block, Ordering::Release);
        entry.stride.store(access.span.stride, Ordering::Release);
        entry.issued.store(access.issued, Ordering::Release);
        entry.known.store(access.known, Ordering::Release);
        entry.done.store(access.done, Ordering::Release);
        entry.number.store(number, Ordering::Release);
        number
    }

    /// The access of this number goes on to `high`, without gaps.
    pub fn extend(&self, number: u64, low: u64, high: u64, fence: Fence) {
        let entry = self.entry(number);
        entry.block.store(high - low, Ordering::Release);
        entry.stride.store(high - low, Ordering::Release);
        entry.high.store(high, fence.ordering());
    }

    /// The access of this number was made once more, before this time of its rank.
    pub fn begin_again(&self, number: u64, issued: u64, fence: Fence) {
        let entry = self.entry(number);
        entry.issued.store(issued, fence.ordering());
    }

    /// The access of this number is complete at its target, since `time`.
    pub fn complete(&self, number: u64, time: u64) {
        let entry = self.entry(number);
        if entry.number.load(Ordering::Relaxed) == number {
            entry.done.store(time, Ordering::Release);
        }
    }

    /// Whether the access of this number is complete by now, though nobody can know of that but by a load.
    #[inline(always)]
    pub fn say_complete(&self, number: u64, is_complete: bool) {
        let number = if is_complete { number } else { 0 };
        self.complete.store(number, Ordering::Release);
    }

    /// Which access is so. Asked before its entry is read.
    pub fn said_complete(&self) -> u64 {
        self.complete.load(Ordering::Acquire)
    }

    /// The access of this number was none.
    pub fn void(&self, number: u64) {
        self.entry(number).high.store(0, Ordering::Release);
        self.complete(number, 1);
    }

    /// Whether the access of this number was complete at a time that is known, without reading the rest; `None` if it is gone.
    #[inline]
    pub fn done(&self, number: u64) -> Option<u64> {
        let entry = self.entry(number);
        let done = entry.done.load(Ordering::Acquire);
        (entry.number.load(Ordering::Acquire) == number).then_some(done)
    }

    /// The access of this number, if it is on `on` and has bytes between `low` and `high`.
    #[inline]
    pub fn find(&self, number: u64, on: On, low: u64, high: u64) -> Option<Logged> {
        let entry = self.entry(number);
        let get = |word: &AtomicU64| word.load(Ordering::Acquire);
        if get(&entry.on) != on.0 || get(&entry.low) >= high || get(&entry.high) <= low {
            return None;
        }
        self.read(number)
    }

    /// On what, and between which bytes, the access of this number is, as far as that is known without a look whether it is there.
    #[inline]
    pub fn outline(&self, number: u64) -> (On, Span) {
        let entry = self.entry(number);
        let get = |word: &AtomicU64| word.load(Ordering::Acquire);
        let (low, high) = (get(&entry.low), get(&entry.high));
        (On(get(&entry.on)), Span::run(low, high.saturating_sub(low)))
    }

    /// Of which window the access of this number is; `None` if it is gone.
    pub fn on(&self, number: u64) -> Option<On> {
        let entry = self.entry(number);
        let on = On(entry.on.load(Ordering::Acquire));
        (entry.number.load(Ordering::Acquire) == number).then_some(on)
    }

    /// The access of this number; `None` if it is gone, or was none.
    pub fn read(&self, number: u64) -> Option<Logged> {
        let entry = self.entry(number);
        let get = |word: &AtomicU64| word.load(Ordering::Acquire);
        if get(&entry.number) != number {
            return None;
        }
        let (low, high) = (get(&entry.low), get(&entry.high));
        let (mut block, mut stride) = (get(&entry.block), get(&entry.stride));
        if block == stride {
            // It may be growing.
            (block, stride) = (high.saturating_sub(low), high.saturating_sub(low));
        }
        let found = Logged {
            on: On(get(&entry.on)),
            what: What(get(&entry.what) as u32),
            place: Place::of_bits(get(&entry.place)),
            span: Span {
                low,
                high,
                block,
                stride,
            },
            issued: get(&entry.issued),
            known: get(&entry.known),
            done: get(&entry.done),
        };
        (get(&entry.number) == number && low < high).then_some(found)
    }
}
