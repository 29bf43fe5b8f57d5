//! What a rank has accessed in windows: the last of it, in the segment, for the others to compare with theirs.
//!
//! Programs do the same elsewhere, over and over: so what such accesses have in common, a [`Call`], is written once, and each is an [`Entry`] that says
//! where it begins, and when it was. Entries of one call follow each other.
//!
//! | word     | written                                                                                    |
//! |----------|--------------------------------------------------------------------------------------------|
//! | `number` | last: the entry's number, from 1, and the place of its call; 0 while it is being written     |
//! | `done`   | 0 until the access is complete at its target, then at which [time](crate::check::clock) of its rank; or the next time, where nothing else gets that, or which its target knows that has [waited](by_wait) for it |
//! | `issued` | of an access that is atomic: before which time of its rank it began, the last time           |
//! | `known`  | until which time its rank knew the process whose memory it is, before it began               |
//! | `bytes`  | may grow until it is done, where accesses side by side are one entry                        |
//!
//! Who reads an entry looks at its number before and after. While it is there, so is its call: there is room for as many of them, and none has no entry.

use super::What;
use super::span::Span;
use crate::check::Place;
use crate::shm::atomic::{AtomicU64, Ordering, prefetch_to_write};

/// So many accesses of a rank are kept.
pub const KEPT: u64 = 512;
/// In `done`: since the target has waited for it, of an epoch of MPI_Win_start.
const WAITED: u64 = 1 << 63;

/// That time, of an access whose target has waited for it by then.
pub fn by_wait(time: u64) -> u64 {
    time | WAITED
}

/// The line of an entry is asked for so many entries before.
const AHEAD: u64 = 4;

#[repr(C)]
#[derive(Default)]
struct Entry {
    number: AtomicU64,
    low: AtomicU64,
    issued: AtomicU64,
    done: AtomicU64,
}

/// What accesses have in common that differ in where they begin.
#[repr(C)]
#[derive(Default)]
struct Call {
    on: AtomicU64,
    what: AtomicU64,
    place: AtomicU64,
    known: AtomicU64,
    /// From the first to the last byte; of which blocks, at which distance.
    bytes: AtomicU64,
    block: AtomicU64,
    stride: AtomicU64,
    /// The number of its first entry.
    first: AtomicU64,
}

/// Which call accesses are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Of(u64);

impl Of {
    /// No call has this number.
    pub const NONE: Of = Of(u64::MAX);
}

/// A rank's. It alone writes, one thread at a time.
#[repr(C)]
pub struct Log {
    /// How many there were.
    count: AtomicU64,
    /// The number of an entry whose access is complete though it does not say so, or 0: see [`again`](super::again).
    complete: AtomicU64,
    /// How many calls there were.
    calls: AtomicU64,
    _line: [u64; 5],
    entries: [Entry; KEPT as usize],
    calls_kept: [Call; KEPT as usize],
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
    /// It is complete since its target has waited for it.
    pub by_wait: bool,
}

impl Log {
    #[inline]
    fn entry(&self, number: u64) -> &Entry {
        &self.entries[(number % KEPT) as usize]
    }

    /// The call of an entry whose `number` is this.
    #[inline]
    fn call(&self, word: u64) -> &Call {
        &self.calls_kept[(word % KEPT) as usize]
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

    /// Of which call the last access was.
    #[inline(always)]
    pub fn last_call(&self) -> Of {
        Of(self.calls.load(Ordering::Relaxed))
    }

    /// Of which one the next is that is [added](Log::add).
    #[inline(always)]
    pub fn next_call(&self) -> Of {
        Of(self.last_call().0 + 1)
    }

    /// Adds an access, and gives its number. What others have added before this is then found by their counts, or they find this one.
    #[inline(always)]
    pub fn add(&self, access: &Logged, fence: Fence) -> u64 {
        let (number, entry) = self.next();
        let call = self.calls.load(Ordering::Relaxed) + 1;
        let common = &self.calls_kept[(call % KEPT) as usize];
        // Release, each: who finds one of them finds that the number is gone.
        common.on.store(access.on.0, Ordering::Release);
        common.what.store(access.what.0.into(), Ordering::Release);
        common.place.store(access.place.bits(), Ordering::Release);
        common.known.store(access.known, Ordering::Release);
        let span = &access.span;
        common.bytes.store(span.high - span.low, Ordering::Release);
        common.block.store(span.block, Ordering::Release);
        common.stride.store(span.stride, Ordering::Release);
        common.first.store(number, Ordering::Release);
        self.calls.store(call, Ordering::Relaxed);
        let when = (access.issued, access.done);
        self.put(number, entry, call, span.low, when, fence)
    }

    /// The same quicker, of an access that differs from those of a call in where it begins and `when` it was `issued`, and `done`; `None` if that is
    /// not the last call.
    #[inline(always)]
    pub fn add_to(&self, call: Of, low: u64, when: (u64, u64), fence: Fence) -> Option<u64> {
        if call != self.last_call() {
            return None;
        }
        let (number, entry) = self.next();
        Some(self.put(number, entry, call.0, low, when, fence))
    }

    /// The entry that the next access gets, which is not there any more.
    #[inline(always)]
    fn next(&self) -> (u64, &Entry) {
        let number = self.count.load(Ordering::Relaxed) + 1;
        let entry = self.entry(number);
        // All of the log has no room in the first cache, beside the rest: without that the fence that follows would wait for its line.
        prefetch_to_write(self.entry(number + AHEAD));
        entry.number.store(0, Ordering::Relaxed);
        (number, entry)
    }

    #[inline(always)]
    fn put(
        &self,
        number: u64,
        entry: &Entry,
        call: u64,
        low: u64,
        (issued, done): (u64, u64),
        fence: Fence,
    ) -> u64 {
        entry.low.store(low, Ordering::Release);
        entry.issued.store(issued, Ordering::Release);
        entry.done.store(done, Ordering::Release);
        let word = number * KEPT + call % KEPT;
        entry.number.store(word, Ordering::Release);
        match fence {
            Fence::Here => _ = self.count.swap(number, Ordering::SeqCst),
            Fence::Follows => self.count.store(number, Ordering::Release),
        }
        number
    }

    /// Whether the access of this number is the only one of its call by now.
    #[inline]
    pub fn has_call(&self, number: u64) -> bool {
        let word = |number: u64| self.entry(number).number.load(Ordering::Relaxed);
        word(number) % KEPT != word(number - 1) % KEPT
    }

    /// The last access, the only one of its call, goes on to `high`, without gaps.
    pub fn extend(&self, number: u64, low: u64, high: u64, fence: Fence) {
        let word = self.entry(number).number.load(Ordering::Relaxed);
        let common = self.call(word);
        common.block.store(high - low, Ordering::Release);
        common.stride.store(high - low, Ordering::Release);
        common.bytes.store(high - low, fence.ordering());
    }

    /// The access of this number was made once more, before this time of its rank.
    pub fn begin_again(&self, number: u64, issued: u64, fence: Fence) {
        let entry = self.entry(number);
        entry.issued.store(issued, fence.ordering());
    }

    /// The access of this number is complete at its target, since `time`.
    pub fn complete(&self, number: u64, time: u64) {
        let entry = self.entry(number);
        if entry.is(number, Ordering::Relaxed) {
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
        self.entry(number).low.store(u64::MAX, Ordering::Release);
        self.complete(number, 1);
    }

    /// Whether the access of this number was complete at a time that is known, without reading the rest; `None` if it is gone.
    #[inline]
    pub fn done(&self, number: u64) -> Option<u64> {
        let entry = self.entry(number);
        let done = entry.done.load(Ordering::Acquire);
        entry
            .is(number, Ordering::Acquire)
            .then_some(done & !WAITED)
    }

    /// The access of this number, if it is on `on` and has bytes between `low` and `high`.
    #[inline]
    pub fn find(&self, number: u64, on: On, low: u64, high: u64) -> Option<Logged> {
        let (other, _, outline) = self.outline(number);
        if other != on || outline.low >= high || outline.high <= low {
            return None;
        }
        self.read(number)
    }

    /// On what the access of this number is, what it does, and between which bytes, as far as that is known without a look whether it is there.
    #[inline]
    pub fn outline(&self, number: u64) -> (On, What, Span) {
        let entry = self.entry(number);
        let get = |word: &AtomicU64| word.load(Ordering::Acquire);
        let common = self.call(get(&entry.number));
        let (on, what) = (On(get(&common.on)), What(get(&common.what) as u32));
        (on, what, Span::run(get(&entry.low), get(&common.bytes)))
    }

    /// On what the access of this number is, and what it does, as all of its call do: those to the number that is given, too, which is at most `last`, a
    /// number that was [there](Log::count) before. `None` if it is gone.
    #[inline]
    pub fn call_of(&self, number: u64, last: u64) -> Option<(On, What, u64)> {
        let entry = self.entry(number);
        let get = |word: &AtomicU64| word.load(Ordering::Acquire);
        let word = get(&entry.number);
        let (common, next) = (self.call(word), self.call(word + 1));
        let (on, what) = (On(get(&common.on)), What(get(&common.what) as u32));
        // If that is a call of long ago, this one goes on to the last entry.
        let behind = get(&next.first);
        let until = if behind > number { behind - 1 } else { last };
        let is_there = word / KEPT == number && entry.is(number, Ordering::Acquire);
        is_there.then_some((on, what, until.min(last)))
    }

    /// Of which window the access of this number is; `None` if it is gone.
    pub fn on(&self, number: u64) -> Option<On> {
        let (on, ..) = self.outline(number);
        let is_there = self.entry(number).is(number, Ordering::Acquire);
        is_there.then_some(on)
    }

    /// The access of this number; `None` if it is gone, or was none.
    pub fn read(&self, number: u64) -> Option<Logged> {
        let entry = self.entry(number);
        let get = |word: &AtomicU64| word.load(Ordering::Acquire);
        if !entry.is(number, Ordering::Acquire) {
            return None;
        }
        let common = self.call(get(&entry.number));
        let Span { low, high, .. } = Span::run(get(&entry.low), get(&common.bytes));
        let (mut block, mut stride) = (get(&common.block), get(&common.stride));
        if block == stride {
            // It may be growing.
            (block, stride) = (high - low, high - low);
        }
        let done = get(&entry.done);
        let found = Logged {
            on: On(get(&common.on)),
            what: What(get(&common.what) as u32),
            place: Place::of_bits(get(&common.place)),
            span: Span {
                low,
                high,
                block,
                stride,
            },
            issued: get(&entry.issued),
            known: get(&common.known),
            done: done & !WAITED,
            by_wait: done & WAITED != 0,
        };
        (entry.is(number, Ordering::Acquire) && low < high).then_some(found)
    }
}

impl Entry {
    /// Whether it is that of this number.
    #[inline(always)]
    fn is(&self, number: u64, ordering: Ordering) -> bool {
        self.number.load(ordering) / KEPT == number
    }
}
