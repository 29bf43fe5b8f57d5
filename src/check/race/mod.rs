//! Races of one-sided operations: accesses of the same bytes of a window, of which one changes them, that nothing orders.
//!
//! Each access is [logged](log) in its rank's part of the area when it has been made, and compared with those of all ranks of the
//! window that are there. Two are ordered if the one was complete at its target at a [time](super::clock) which the other's rank knew
//! of. Accesses of one rank are ordered by their completion alone, but for accumulates. The same way, [buffers](buffers) at the
//! origin are compared with those of operations that are not complete there.
//!
//! | two accesses of the same bytes           | are a race if nothing orders them                              |
//! |------------------------------------------|----------------------------------------------------------------|
//! | both get, or get without effect          | no                                                             |
//! | both of the accumulate family            | if their basic types differ; if their operations do, unless one is MPI_NO_OP or MPI_Compare_and_swap, or the hint `accumulate_ops` allows it; none of these if one rank made both |
//! | any others                               | yes                                                            |
//!
//! **Atomic operations order** as programs use them, for flags: each leaves its rank's clock at the element before it is carried out, and one
//! that fetches takes what was left there. So what a rank completed before it set a flag is ordered before what another does that has
//! fetched it.
//!
//! **Not seen** are loads and stores of the program's own, and what it orders by other means than MPI. A rank may have seen by a load what
//! others put into its memory: so it knows what they knew then. Where memory is shared with other ranks for load and store
//! ([`clock::loads_unseen`]), each knows at any time what all others have completed, and only accesses that are not complete are told.
//! A rank keeps its last accesses only ([`log::KEPT`]).

pub mod buffers;
pub mod log;
pub mod report;
pub mod span;

use super::{Place, checker, clock, here};
use buffers::{Buffers, Held};
use log::{Log, Logged, On};
use parking_lot::Mutex;
pub use report::Words;
use span::Span;

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
/// Without a request.
const REQUEST: u32 = 1 << 31;

impl What {
    /// `op` and `basic`: of the accumulate family, else [`NONE`].
    pub fn new(kind: Kind, op: u8, basic: u8, has_request: bool) -> What {
        let request = if has_request { REQUEST } else { 0 };
        What(kind as u32 | u32::from(op) << 8 | u32::from(basic) << 16 | request)
    }

    #[inline]
    pub fn is_atomic(self) -> bool {
        self.0 & 0xff >= Kind::Accumulate as u32
    }

    pub fn is(self, kind: Kind) -> bool {
        self.0 & 0xff == kind as u32
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

    /// Whether two accesses of the same bytes must be ordered. `reading`: the operation that changes nothing. `mixed`: operations may be.
    #[inline]
    fn conflicts(
        self,
        other: What,
        same_rank: bool,
        reading: u8,
        mixed: &dyn Fn() -> bool,
    ) -> bool {
        let reads = |what: What| what.is(Kind::Get) || what.is_atomic() && what.op() == reading;
        if reads(self) && reads(other) {
            return false;
        }
        if !(self.is_atomic() && other.is_atomic()) {
            return true;
        }
        if same_rank {
            return false;
        }
        let differ = |a: u8, b: u8| a != b && a != NONE && b != NONE;
        let swaps = self.is(Kind::CompareAndSwap) || other.is(Kind::CompareAndSwap);
        let idle = self.op() == reading || other.op() == reading;
        differ(self.basic(), other.basic())
            || !swaps && !idle && differ(self.op(), other.op()) && !mixed()
    }
}

/// A window, as the check needs it.
pub struct Window<'a> {
    /// A number that no other window has at the same time.
    pub id: u64,
    /// The ranks in the job, by their ranks in the window.
    pub members: &'a [u32],
    /// Whether different operations of the accumulate family may be concurrent.
    pub mixed: &'a dyn Fn() -> bool,
}

/// An operation that was carried out.
pub struct Access<'a> {
    pub target: usize,
    pub what: What,
    /// Bytes of the target's part; addresses in a dynamic window.
    pub spans: &'a [Span],
    /// What [`begin`] gave.
    pub issued: u64,
}

/// An access of this rank that is not complete at its target.
struct Pending {
    number: u64,
    on: On,
    what: What,
    place: Place,
    span: Span,
}

/// What this process knows of its own accesses, and how far those of others are known to be ordered before all that comes.
struct State {
    pending: Vec<Pending>,
    /// Between which bytes those are.
    low: u64,
    high: u64,
    /// By rank in the job: the number of the first that is not known to be.
    seen: Vec<u64>,
    reads: Buffers,
    writes: Buffers,
}

static STATE: Mutex<State> = Mutex::new(State {
    pending: Vec::new(),
    low: u64::MAX,
    high: 0,
    seen: Vec::new(),
    reads: Buffers::new(),
    writes: Buffers::new(),
});

/// So many own accesses that are not complete are compared with, the last ones.
const PENDING: usize = log::KEPT as usize;

fn log_of(rank: u32) -> Option<&'static Log> {
    Some(checker()?.area.block(rank).log)
}

/// Where in a window an atomic operation of one element is, for those that order by it; else the whole of a target.
fn element(window: &Window, target: usize, span: Option<&Span>) -> clock::Key {
    let at = span.map_or(u64::MAX, |span| span.low / 8);
    clock::Key::new(clock::ELEMENT, window.id, target as u64, at)
}

/// An operation is about to be carried out: leaves this rank's clock where its effect is found. Gives what [`Access::issued`] is.
#[cold]
pub fn begin(window: &Window, target: usize, what: What, spans: &[Span], reading: u8) -> u64 {
    let process = window.members[target];
    if what.is(Kind::Get) || what.op() == reading && what.is_atomic() {
        return 0;
    }
    clock::come(process);
    if !what.is_atomic() {
        return 0;
    }
    let issued = clock::tick();
    clock::keep(process, element(window, target, single(spans)));
    issued
}

/// The span, if it is one element.
fn single(spans: &[Span]) -> Option<&Span> {
    match spans {
        [span] if span.high - span.low <= 16 => Some(span),
        _ => None,
    }
}

/// The operation was carried out: compares it with all others, and logs it.
#[cold]
pub fn end(window: &Window, access: &Access, words: &dyn Words) {
    let Some(checker) = checker() else { return };
    let (target, what) = (access.target, access.what);
    let process = window.members[target];
    let fetches = what.is_atomic() && !what.is(Kind::Accumulate);
    if fetches {
        let all = element(window, target, None);
        match single(access.spans) {
            Some(span) => {
                clock::take(process, element(window, target, Some(span)));
                clock::take(process, all);
            }
            // It may have read any of the flags.
            None => window
                .members
                .iter()
                .for_each(|&rank| clock::meet_now(rank)),
        }
    }
    let place = here();
    let on = On::new(window.id, target);
    let known = clock::look();
    // What a request completes is complete at once, here: a get.
    let is_done = what.has_request() && fetches_only(what);
    let mut state = STATE.lock();
    let mut found = None;
    for span in access.spans {
        let logged = Logged {
            on,
            what,
            place,
            span: *span,
            issued: access.issued,
            done: u64::from(is_done),
        };
        found = found.or_else(|| state.own_conflict(window, &logged, words.reading()));
        state.log(checker.own.log, &logged);
        for &rank in window.members.iter().filter(|&&rank| rank != checker.rank) {
            if found.is_none() {
                found = state.conflict(window, rank, &logged, known(rank), words.reading());
            }
        }
    }
    drop(state);
    if let Some(race) = found {
        report::race(window, checker.rank, target, what, &race, words);
    }
}

fn fetches_only(what: What) -> bool {
    what.is(Kind::Get) || what.is(Kind::GetAccumulate)
}

/// Two accesses that nothing orders.
pub struct Race {
    /// The rank in the job of the other one.
    pub rank: u32,
    pub other: Logged,
    /// The bytes that both have.
    pub low: u64,
    pub high: u64,
}

impl State {
    /// An access of this rank that `new` has to wait for.
    fn own_conflict(&self, window: &Window, new: &Logged, reading: u8) -> Option<Race> {
        let span = &new.span;
        if span.high <= self.low || span.low >= self.high {
            return None;
        }
        self.pending.iter().find_map(|old| {
            if old.on != new.on || !new.what.conflicts(old.what, true, reading, window.mixed) {
                return None;
            }
            let (low, high) = span.common(&old.span)?;
            let other = Logged {
                on: old.on,
                what: old.what,
                place: old.place,
                span: old.span,
                issued: 0,
                done: 0,
            };
            Some(Race {
                rank: checker()?.rank,
                other,
                low,
                high,
            })
        })
    }

    fn log(&mut self, log: &Log, new: &Logged) {
        if new.done == 0 {
            let is_simple = !new.what.is_atomic() && new.span.block == new.span.stride;
            if is_simple
                && let Some(last) = self.pending.last_mut()
                && (last.on, last.what, last.place) == (new.on, new.what, new.place)
                && last.span.block == last.span.stride
                && last.span.high == new.span.low
                && last.number == log.range().1
            {
                last.span = Span::run(last.span.low, new.span.high - last.span.low);
                self.high = self.high.max(new.span.high);
                return log.extend(last.number, last.span.low, last.span.high);
            }
        }
        // What is complete at once was so before this rank's first completion, if it had none.
        let done = match new.done {
            0 => 0,
            _ => clock::tick(),
        };
        let number = log.add(&Logged { done, ..*new });
        if done == 0 {
            if self.pending.len() == PENDING {
                // When they will be complete is not noted any more: it may be now.
                let now = clock::tick();
                for pending in self.pending.drain(..PENDING / 2) {
                    log.complete(pending.number, now);
                }
            }
            let (on, what, place, span) = (new.on, new.what, new.place, new.span);
            self.low = self.low.min(span.low);
            self.high = self.high.max(span.high);
            self.pending.push(Pending {
                number,
                on,
                what,
                place,
                span,
            });
        }
    }

    /// An access of `rank`, which this one knows until `known`, that is not ordered before `new`.
    fn conflict(
        &mut self,
        window: &Window,
        rank: u32,
        new: &Logged,
        known: u64,
        reading: u8,
    ) -> Option<Race> {
        let log = log_of(rank)?;
        let (oldest, last) = log.range();
        if self.seen.len() <= rank as usize {
            self.seen.resize(rank as usize + 1, 1);
        }
        let mut first = self.seen[rank as usize].max(oldest);
        let is_ordered = |done: u64| done != 0 && done <= known;
        while first <= last && log.done(first).is_none_or(is_ordered) {
            first += 1;
        }
        self.seen[rank as usize] = first;
        (first..=last).find_map(|number| {
            let old = log.find(number, new.on, new.span.low, new.span.high)?;
            let (low, high) = old.span.common(&new.span)?;
            let both_atomic = old.what.is_atomic() && new.what.is_atomic();
            let ordered = is_ordered(old.done) || both_atomic && old.issued <= known;
            let is_race = !ordered && new.what.conflicts(old.what, false, reading, window.mixed);
            is_race.then_some(Race {
                rank,
                other: old,
                low,
                high,
            })
        })
    }
}

/// Operations of this rank are complete at their targets, and here: on `target` of the window, or on all.
#[cold]
pub fn complete(window: u64, target: Option<usize>) {
    let Some(checker) = checker() else { return };
    let mut state = STATE.lock();
    let is_one = |on: On| is_on(on, window, target);
    if state.pending.iter().any(|pending| is_one(pending.on)) {
        let now = clock::tick();
        state.pending.retain(|pending| {
            let is_complete = is_one(pending.on);
            if is_complete {
                checker.own.log.complete(pending.number, now);
            }
            !is_complete
        });
        if state.pending.is_empty() {
            (state.low, state.high) = (u64::MAX, 0);
        }
    }
    state.reads.free(is_one);
    state.writes.free(is_one);
}

fn is_on(on: On, window: u64, target: Option<usize>) -> bool {
    match target {
        Some(target) => on == On::new(window, target),
        None => on.is_of(window),
    }
}

/// The same at the origin alone.
#[cold]
pub fn complete_here(window: u64, target: Option<usize>) {
    let mut state = STATE.lock();
    state.reads.free(|on| is_on(on, window, target));
    state.writes.free(|on| is_on(on, window, target));
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

/// An operation is about to read and write these addresses of this process: one of the first kind that another one, not complete here,
/// writes to, or of the second that another one uses, is told.
#[cold]
pub fn use_buffers(
    window: &Window,
    target: usize,
    what: What,
    reads: &[Span],
    writes: &[Span],
    words: &dyn Words,
) {
    let place = here();
    let on = On::new(window.id, target);
    let mut state = STATE.lock();
    let found = {
        let State {
            reads: read,
            writes: written,
            ..
        } = &*state;
        let of_reads = reads
            .iter()
            .find_map(|span| Some((*span, *written.find(span)?, true, false)));
        let of_writes = || {
            writes.iter().find_map(|span| {
                let by_writer = written.find(span).map(|held| (*held, true));
                let (held, writes) =
                    by_writer.or_else(|| read.find(span).map(|held| (*held, false)))?;
                Some((*span, held, writes, true))
            })
        };
        of_reads.or_else(of_writes)
    };
    if !what.has_request() {
        for span in reads {
            state.reads.add(Held {
                on,
                what,
                place,
                span: *span,
            });
        }
        for span in writes {
            state.writes.add(Held {
                on,
                what,
                place,
                span: *span,
            });
        }
    }
    drop(state);
    if let Some((span, held, held_writes, writes)) = found {
        report::buffer(what, &span, writes, &held, held_writes, words);
    }
}

/// Another operation of MPI is about to use these addresses.
#[cold]
pub fn use_elsewhere(span: &Span, writes: bool) {
    let state = STATE.lock();
    let written = state.writes.find(span).map(|held| (*held, true));
    let read = || {
        state
            .reads
            .find(span)
            .filter(|_| writes)
            .map(|held| (*held, false))
    };
    let found = written.or_else(read);
    drop(state);
    if let Some((held, held_writes)) = found {
        report::elsewhere(span, writes, &held, held_writes);
    }
}

#[cfg(test)]
mod tests;
