//! Races of one-sided operations: accesses of the same bytes of a window, of which one changes them, that nothing orders.
//!
//! Each access is [logged](mod@log) in its rank's part of the area when it has been made, and compared with those of all ranks of the
//! window that are there. Two are ordered if the one was complete at its target at a [time](super::clock) which the other's rank knew
//! of. Accesses of one rank are ordered by their completion alone, but for accumulates. The same way, [buffers] at the
//! origin are compared with those of operations that are not complete there.
//!
//! | two accesses of the same bytes           | are a race if nothing orders them                              |
//! |------------------------------------------|----------------------------------------------------------------|
//! | both get, or get without effect          | no                                                             |
//! | both of the accumulate family            | if their basic types differ; if their operations do, unless one is MPI_NO_OP or MPI_Compare_and_swap (the hint `accumulate_ops`); not if one rank made both |
//! | any others                               | yes                                                            |
//!
//! **Atomic operations order** as programs use them, for flags: each leaves its rank's clock at the element before it is carried out, and one
//! that fetches takes what was left there. So what a rank completed before it set a flag is ordered before what another does that has
//! fetched it. The flag itself need not be complete by then: where [somebody may have seen](super::area::Area::say_seen) such elements, it is
//! enough that who comes later knows the time before which it was set.
//!
//! **Not seen** are loads and stores of the program's own (but see [local](super::local)), and what it orders by other means than MPI. A rank may have seen by
//! a load what others put into its memory: so it knows what they knew then. The target's program may have stored what is fetched, to tell
//! something: so who fetches knows what the target knows. Where memory is shared with other ranks for load and store
//! ([`clock::loads_unseen`]), each knows at any time what all others have completed, and only accesses that are not complete are told. A rank keeps
//! its last accesses only ([`log::KEPT`]).

pub mod again;
pub mod buffers;
mod content;
pub mod element;
pub mod log;
mod own;
mod pending;
pub mod report;
pub mod requests;
pub mod series;
pub mod span;
mod steps;
mod touched;
pub mod watch;
pub mod windows;

use super::buffers::Used;
use super::ranges::Ranges;
use super::threads;
use super::{Finding, Place, checker, clock, sums};
use crate::shm::atomic::full_fence;
use content::Content;
use log::Logged;
pub use log::On;
pub use own::{Clash, Race};
use own::{STATE, State};
pub(super) use pending::ended;
pub use report::Words;
use span::{Pair, Span};
pub use steps::{Entered, begin, end, enter, enter_and_end, fetched, take_back};
use steps::{LIMITS, compare, log, say_seen, single, take_flags};

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct What(pub u32);

/// The operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Put = 1,
    Get,
    Accumulate,
    GetAccumulate,
    FetchAndOp,
    CompareAndSwap,
}

/// No operation or basic type, or more than one.
pub const NONE: u8 = u8::MAX;
/// Marks what has a request, and what changes nothing at the target.
const REQUEST: u32 = 1 << 31;
const READS: u32 = 1 << 30;
/// Where the elements of an atomic operation begin: how many bytes behind a whole number of them, or [`ANYWHERE`].
const BEGINS: u32 = 24;
const ANYWHERE: u32 = 0x3f;

impl What {
    /// `op` and `basic`: of the accumulate family, else [`NONE`].
    pub fn new(kind: Kind, op: u8, basic: u8, has_request: bool) -> What {
        let request = if has_request { REQUEST } else { 0 };
        What(kind as u32 | u32::from(op) << 8 | u32::from(basic) << 16 | request)
            .with_elements_at(0, 0)
    }

    /// The same, whose elements, one after the other or anywhere else at whole distances, each have so many bytes in an array, and one of which begins at
    /// `far`; 0: that is not so, or not known.
    #[inline(always)]
    pub fn with_elements_at(self, far: u64, extent: u64) -> What {
        let begins = match extent.is_power_of_two() && extent < ANYWHERE.into() {
            true => (far & (extent - 1)) as u32,
            false => ANYWHERE,
        };
        What(self.0 & !(ANYWHERE << BEGINS) | begins << BEGINS)
    }

    fn begins(self) -> u32 {
        self.0 >> BEGINS & ANYWHERE
    }

    /// Whether elements of both that have bytes in common may be other ones: not whole.
    pub fn cuts(self, other: What) -> bool {
        let both = (self.begins(), other.begins());
        both.0 != both.1 && both.0 != ANYWHERE && both.1 != ANYWHERE
    }

    /// The same, of an operation that changes nothing at the target.
    pub fn that_reads(self) -> What {
        What(self.0 | READS)
    }

    /// Whether it changes something at the target.
    pub fn changes(self) -> bool {
        !self.is(Kind::Get) && self.0 & READS == 0
    }

    #[inline]
    pub fn is_atomic(self) -> bool {
        self.0 & 0xff >= Kind::Accumulate as u32
    }

    pub fn is(self, kind: Kind) -> bool {
        self.0 & 0xff == kind as u32
    }

    /// Whether it has a result at the origin.
    pub fn fetches(self) -> bool {
        !self.is(Kind::Put) && !self.is(Kind::Accumulate)
    }

    pub fn op(self) -> u8 {
        (self.0 >> 8) as u8
    }

    pub fn basic(self) -> u8 {
        (self.0 >> 16) as u8
    }

    pub fn has_request(self) -> bool {
        self.0 & REQUEST != 0
    }

    /// Whether it has to be known what it puts: by its request the program may know before it is complete that its buffer is its own again.
    #[inline(always)]
    fn has_content(self) -> bool {
        self.is(Kind::Put) && self.has_request()
    }

    /// Whether two accesses of the same bytes must be ordered. `reading`: the operation that changes nothing.
    #[inline]
    fn conflicts(self, other: What, same_rank: bool, reading: u8) -> bool {
        let reads = |what: What| what.is(Kind::Get) || what.is_atomic() && what.op() == reading;
        if reads(self) && reads(other) {
            return false;
        }
        if !(self.is_atomic() && other.is_atomic()) {
            return true;
        }
        let differ = |a: u8, b: u8| a != b && a != NONE && b != NONE;
        let swaps = self.is(Kind::CompareAndSwap) || other.is(Kind::CompareAndSwap);
        let idle = self.op() == reading || other.op() == reading;
        let types = differ(self.basic(), other.basic()) || self.cuts(other);
        !same_rank && (types || !swaps && !idle && differ(self.op(), other.op()))
    }
}

/// A window, as the check needs it.
#[derive(Clone, Copy)]
pub struct Window<'a> {
    /// A number that no other window has at the same time.
    pub id: u64,
    /// The ranks in the job, by their ranks in the window.
    pub members: &'a [u32],
}

/// When an operation began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Begun {
    /// Of one that is atomic: before which time of this rank.
    pub issued: u64,
    /// Until which time this rank knew the target.
    pub known: u64,
}

/// An operation that was carried out.
pub struct Access<'a> {
    pub target: usize,
    pub what: What,
    /// Bytes of the target's part; addresses in a dynamic window.
    pub spans: &'a [Span],
    /// What [`begin`] gave.
    pub begun: Begun,
    /// Addresses of this process that it has read, and written to.
    pub reads: &'a [Span],
    pub writes: &'a [Span],
    /// It stands for several, one for each block.
    pub is_series: bool,
    /// What [`content()`] gave when it was made.
    pub content: Option<Content>,
}

impl Access<'_> {
    fn logged(&self, on: On, place: Place, span: &Span) -> Logged {
        Logged {
            on,
            what: self.what,
            place,
            span: *span,
            issued: self.begun.issued,
            known: self.begun.known,
            done: 0,
            by_wait: false,
        }
    }

    /// Bytes of the target and a buffer, if nothing else says what is written.
    fn written(&self, far: &Span) -> Option<Pair> {
        match self.reads {
            [near, ..] if self.what.is(Kind::Put) => Some(self.pair(far, near)),
            _ => None,
        }
    }

    /// Its buffers.
    pub fn used(&self) -> Used {
        Used::of(own::blocks(self.reads), own::blocks(self.writes))
    }

    fn pair(&self, far: &Span, near: &Span) -> Pair {
        Pair {
            far: *far,
            near: *near,
            // One block alone is the same, however it came to be noted.
            is_series: self.is_series && !far.is_one_block(),
        }
    }
}

/// What an operation puts, as a sum, if that [has to be known](What::has_content).
#[inline(always)]
pub fn content(what: What, buffer: &[Span]) -> Option<Content> {
    what.has_content().then(|| Content::One(sum(buffer)))
}

/// The same of a buffer that nobody has looked at.
#[cold]
pub fn content_if_there(what: What, buffer: &[Span]) -> Option<Content> {
    let mut ranges = buffer
        .iter()
        .map(|span| (span.low as usize, span.high as usize));
    (what.has_content() && ranges.all(sums::is_there)).then(|| Content::One(sum(buffer)))
}

/// What is in a buffer, as a sum.
#[cold]
fn sum(buffer: &[Span]) -> u64 {
    let blocks = buffer.iter().flat_map(|span| span.blocks_from(span.low));
    sums::of_present(blocks.map(|(from, to)| (from as usize, to as usize)))
}

/// Where in a window an atomic operation of one element is, for those that order by it; else the whole of a target.
fn element(window: &Window, target: usize, span: Option<&Span>) -> clock::Key {
    element_of(elements(window, target), span)
}

/// The same of a target with those [`elements`].
#[inline(always)]
fn element_of(elements: clock::Keys, span: Option<&Span>) -> clock::Key {
    elements.at(span.map_or(u64::MAX, |span| span.low / 8))
}

/// What keys of a target's elements begin with.
#[inline(always)]
fn elements(window: &Window, target: usize) -> clock::Keys {
    clock::Keys::new(clock::ELEMENT, window.id, target as u64)
}

/// Operations of this rank are complete at their targets, and here: on `target` of the window, or on all.
#[cold]
pub fn complete(window: u64, target: Option<usize>) {
    let is_one = |on: On| is_on(on, window, target);
    requests::flushed(is_one);
    complete_on(is_one);
}

/// Those on which `is_one` holds.
fn complete_on(is_one: impl Fn(On) -> bool) {
    let mut state = STATE.lock();
    let alone = state.is_alone();
    state.complete(alone, |pending| is_one(pending.on));
    state.give_buffers_back(is_one);
}

/// An epoch of MPI_Win_start ends: operations of this rank are complete here, and at their targets when these have
/// [waited](clock::promise) for that.
#[cold]
pub fn end_epoch(window: u64) {
    let is_one = |on: On| on.is_of(window);
    requests::flushed(is_one);
    let mut state = STATE.lock();
    let alone = state.is_alone();
    state.end_epoch(alone, is_one);
    state.give_buffers_back(is_one);
}

/// The same at the origin alone. What was to fetch has fetched by that, and so is complete.
#[cold]
pub fn complete_here(window: u64, target: Option<usize>) {
    let is_one = |on: On| is_on(on, window, target);
    requests::flushed(is_one);
    let mut state = STATE.lock();
    let alone = state.is_alone();
    state.complete(alone, |pending| {
        is_one(pending.on) && pending.what.fetches()
    });
    state.leave(is_one);
}

fn is_on(on: On, window: u64, target: Option<usize>) -> bool {
    match target {
        Some(target) => on == On::new(window, target),
        None => on.is_of(window),
    }
}

/// An operation that is not complete, and where in the program it was called.
pub fn first_pending(window: u64) -> Option<(What, Place)> {
    let state = STATE.lock();
    let pending = state
        .pending
        .iter()
        .find(|pending| pending.on.is_of(window));
    pending.map(|pending| (pending.what, pending.place))
}

/// The process is checked from now on, which may have one thread that calls.
pub(super) fn favour() {
    STATE.favour();
}

/// Whether no other thread of this process has anything of this meanwhile.
#[inline(always)]
pub fn is_alone() -> bool {
    STATE.is_alone()
}

/// The process makes another call than those that go on quickly, or one inside another ends.
#[inline(always)]
pub fn settle() {
    settle_operations();
    requests::settle();
}

/// The same of a call of the function `name`, if that has nothing to do with requests that there are.
#[inline(always)]
pub fn begins(name: &str) {
    settle_operations();
    if !requests::makes(name) {
        requests::settle();
    }
}

#[inline(always)]
fn settle_operations() {
    series::settle();
    element::settle();
    again::settle();
}

/// The process takes a lock, or has given one back: what is noted is settled.
#[inline(always)]
pub fn settle_noted() {
    series::settle_noted();
    element::settle_noted();
    again::settle();
}

/// Makes operations of this rank on those targets complete behind a full fence, where nothing else is called and `may` says that they may be: what it
/// says. Then the same as [`complete`], quicker where these are but noted.
#[inline(always)]
fn complete_quickly(is_one: impl Fn(On) -> bool + Copy, may: impl Fn() -> bool + Copy) -> bool {
    complete_noted(is_one, may).unwrap_or_else(|| complete_all_on(is_one, may))
}

/// The same at the end of an epoch: nothing is noted behind it.
#[inline(always)]
pub fn complete_and_settle(is_one: impl Fn(On) -> bool + Copy) {
    complete_quickly(is_one, || true);
    // Puts and gets are done with.
    element::settle_noted();
    again::settle();
    requests::flushed(is_one);
}

/// The same if something is noted; else `None`.
#[inline(always)]
pub fn complete_noted(
    is_one: impl Fn(On) -> bool + Copy,
    may: impl Fn() -> bool + Copy,
) -> Option<bool> {
    requests::flushed(is_one);
    if element::is_open() {
        return Some(may() && complete_listed(is_one));
    }
    if !series::is_open() {
        return None;
    }
    let is_complete = series::flush(is_one, may);
    Some(is_complete.unwrap_or_else(|| complete_all_on(is_one, may)))
}

/// The same where something is listed, of which it is known that it may be.
#[inline(always)]
fn complete_listed(is_one: impl Fn(On) -> bool + Copy) -> bool {
    // What is listed is compared first: by what is noted this process may come to know more.
    let is_complete = element::flush(is_one);
    if series::has_notes() {
        return is_complete && series::flush(is_one, || true).is_some()
            || complete_all_on(is_one, || true);
    }
    // Those on the list take no fence: the CPU's atomic instructions are seen by all as soon as they are done.
    if !is_complete {
        full_fence();
        complete_on(is_one);
    }
    true
}

/// Makes operations of this rank on those targets, which are but noted, complete behind a full fence at the origin alone, where nothing else is
/// called and `may` says that they may be: whether that was done.
#[inline(always)]
pub fn leave_noted(is_one: impl Fn(On) -> bool + Copy, may: impl Fn() -> bool + Copy) -> bool {
    requests::flushed(is_one);
    if element::is_open() {
        let is_left = may() && element::leave(is_one);
        return is_left && (!series::has_notes() || series::leave(is_one, || true));
    }
    series::is_open() && series::leave(is_one, may)
}

#[cold]
#[inline(never)]
fn complete_all_on(is_one: impl Fn(On) -> bool, may: impl Fn() -> bool) -> bool {
    let is_complete = may();
    if is_complete {
        full_fence();
        settle_operations();
        complete_on(is_one);
    }
    is_complete
}

/// The process exits. What [repeats](again) is logged already, and nobody comes to know of its completion. Where a signal has interrupted
/// the looking at an operation, whose function exits, that never ends.
#[cold]
pub(super) fn settle_at_exit() {
    if STATE.is_free() {
        series::settle();
        element::settle();
    }
}

/// This process is a child of a fork, and has nothing that is noted.
pub(super) fn forget() {
    threads::forget();
    again::forget();
}

/// The present call, which is none of one-sided operations, is about to use this data: what is wrong with that if a buffer of an operation that is not
/// complete here has some of it.
#[cold]
pub(super) fn in_use(data: &Ranges, writes: bool) -> Option<Finding> {
    let state = STATE.lock();
    if state.are_buffers_free() {
        return None;
    }
    let mut spans = data
        .iter()
        .map(|(from, to)| Span::run(from as u64, (to - from) as u64));
    let clash = spans.find_map(|span| state.clash(&span, writes, |_| false))?;
    drop(state);
    Some(report::elsewhere(&clash))
}

#[cfg(test)]
mod tests;
