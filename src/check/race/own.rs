//! What a process knows of its own accesses, and how it compares them with those of others.

use super::buffers::{Buffers, Held};
use super::log::{self, Fence, Log, Logged, Of, On};
use super::span::{Pair, Span};
use super::touched::Places;
use super::{Access, Content, Entered, Kind, What};
use crate::check::room::Room;
use crate::check::threads::OneByOne;
use crate::check::{Checker, Place, checker, clock, local};
use crate::shm::atomic::{AtomicUsize, Ordering};

/// An access of this rank that is not complete at its target.
pub struct Pending {
    pub number: u64,
    pub on: On,
    pub what: What,
    pub place: Place,
    span: Span,
    known: u64,
    /// With its buffer, while that may not be changed.
    pub pair: Option<Pair>,
    /// What was in the buffer, if that may be changed before: where a request says when.
    content: Option<Content>,
    /// By the end of which request it is complete, or 0.
    request: i32,
}

/// How many accesses are bound to a request, at least.
static BOUND: AtomicUsize = AtomicUsize::new(0);

/// What this process knows of its own accesses, and how far those of others are known to be ordered before all that comes.
pub struct State {
    pub pending: Vec<Pending>,
    /// Whether one of them may not be complete here, either.
    are_in_use: bool,
    /// Where those are.
    places: Places,
    /// By rank in the job: the number of the first that is not known to be.
    seen: Vec<u64>,
    pub reads: Buffers,
    pub writes: Buffers,
    /// What the program is told by for what of those.
    uses: Vec<(On, local::Use)>,
}

pub static STATE: OneByOne<State> = OneByOne::new(State {
    pending: Vec::new(),
    are_in_use: false,
    places: Places::new(),
    seen: Vec::new(),
    reads: Buffers::new(),
    writes: Buffers::new(),
    uses: Vec::new(),
});

/// So many own accesses that are not complete are compared with, the last ones.
const PENDING: usize = log::KEPT as usize;

/// Two accesses that nothing orders.
#[derive(Clone, Copy)]
pub struct Race {
    /// The rank in the job of the other one.
    pub rank: u32,
    pub other: Logged,
    /// The bytes that both have.
    pub low: u64,
    pub high: u64,
}

/// Accesses of another rank; some of those after the first may be ordered all the same.
pub struct Unordered {
    rank: u32,
    pub log: &'static Log,
    known: u64,
    complete: u64,
    pub first: u64,
    pub last: u64,
}

impl Unordered {
    /// The numbers of those whose calls `may` be in conflict, which is asked once for several.
    #[inline]
    pub fn of_calls(&self, may: impl Fn(On, What) -> bool) -> impl Iterator<Item = u64> {
        let (mut next, mut until) = (self.first, 0);
        std::iter::from_fn(move || {
            while next <= self.last {
                let number = next;
                if number > until {
                    match self.log.call_of(number, self.last) {
                        Some((on, what, last)) if may(on, what) => until = last,
                        Some((_, _, last)) => {
                            next = last + 1;
                            continue;
                        }
                        // What has taken its place finds this process's.
                        None => {
                            next += 1;
                            continue;
                        }
                    }
                }
                next += 1;
                return Some(number);
            }
            None
        })
    }

    /// Whether nothing orders the one of this number before `new`, and they conflict.
    pub fn race(&self, number: u64, new: &Logged, reading: u8) -> Option<Race> {
        let old = self.log.find(number, new.on, new.span.low, new.span.high)?;
        let (low, high) = old.span.common(&new.span)?;
        let both_atomic = old.what.is_atomic() && new.what.is_atomic();
        let is_done = old.done != 0 && old.done <= self.known;
        let ordered = is_done || number == self.complete || both_atomic && old.issued <= self.known;
        let is_race = !ordered && new.what.conflicts(old.what, false, reading);
        is_race.then_some(Race {
            rank: self.rank,
            other: old,
            low,
            high,
        })
    }
}

impl Pending {
    /// Whether `new` is the same with these bytes once more: then it does not matter which is first.
    #[inline]
    fn agrees(&self, new: &Logged, pair: Option<&Pair>, content: Option<Content>) -> bool {
        let Some((old, pair)) = self.pair.as_ref().zip(pair) else {
            return false;
        };
        // With something else in the buffer, either may be first.
        let is_changed = || match self.content.zip(content) {
            Some((was, is)) => is.differs(&pair.far, was, &old.far),
            None => false,
        };
        self.what == new.what && old.agrees(pair) && !is_changed()
    }

    /// Whether `new` differs from this one in where it begins alone.
    #[inline]
    fn is_like(&self, new: &Logged) -> bool {
        let shape = |span: &Span| (span.high - span.low, span.block, span.stride);
        (self.on, self.what, self.place, self.known) == (new.on, new.what, new.place, new.known)
            && shape(&self.span) == shape(&new.span)
    }

    /// Whether those before this one, which [agrees](Pending::agrees) with `new`, need not be compared with that: they were with this one.
    #[inline]
    fn stands_for(&self, new: &Logged, content: Option<Content>) -> bool {
        let is_known = content.is_none() || self.content.is_some();
        self.place == new.place && self.span.has(&new.span) && is_known
    }
}

impl State {
    /// Whether nothing is pending, nor any buffer in use.
    pub fn is_idle(&self) -> bool {
        self.pending.is_empty() && self.are_buffers_free()
    }

    /// Whether what is pending is complete here, and no buffer is in use.
    pub fn has_left(&self) -> bool {
        (!self.are_in_use || self.pending.is_empty()) && self.are_buffers_free()
    }

    /// Accesses on those targets, none of which fetches, are complete here.
    pub fn leave(&mut self, are_complete: impl Fn(On) -> bool) {
        let mut are_in_use = false;
        for pending in &mut self.pending {
            if are_complete(pending.on) {
                pending.pair = None;
            } else {
                are_in_use = true;
            }
        }
        self.are_in_use = are_in_use;
        self.reads.free(&are_complete);
        self.writes.free(&are_complete);
        self.end_uses(&are_complete);
    }

    /// Whether no buffer is in use.
    pub fn are_buffers_free(&self) -> bool {
        self.reads.are_free() && self.writes.are_free() && self.uses.is_empty()
    }

    /// Those accesses are complete at their targets. `alone` as in [`clock::tick`].
    #[inline]
    pub fn complete(&mut self, alone: bool, are_complete: impl Fn(&Pending) -> bool) {
        let Some(checker) = checker() else { return };
        if !self.pending.iter().any(&are_complete) {
            return;
        }
        if let [pending] = &*self.pending {
            let log = checker.own.log;
            // Before the clock comes to that time, which some may know already.
            if alone {
                log.complete(pending.number, clock::own_time() + 1);
            }
            let now = clock::tick(alone);
            if !alone {
                log.complete(pending.number, now);
            }
            self.pending.clear();
            return self.places.clear();
        }
        let now = clock::tick(alone);
        self.pending.retain(|pending| {
            let is_complete = are_complete(pending);
            if is_complete {
                checker.own.log.complete(pending.number, now);
            }
            !is_complete
        });
        if self.pending.is_empty() {
            self.places.clear();
        }
    }

    /// The last accesses, those for which `are_complete`, are complete at their targets. `alone` as in [`clock::tick`].
    pub fn complete_last(&mut self, alone: bool, are_complete: impl Fn(&Pending) -> bool) {
        let Some(checker) = checker() else { return };
        let mut now = None;
        while let Some(last) = self.pending.pop_if(|pending| are_complete(pending)) {
            let now = *now.get_or_insert_with(|| clock::tick(alone));
            checker.own.log.complete(last.number, now);
        }
        if self.pending.is_empty() {
            self.places.clear();
        }
    }

    /// Whether something that is pending may have bytes of `span`.
    #[inline]
    pub fn may_meet(&self, on: On, span: &Span) -> bool {
        self.places.may_meet(on, span)
    }

    /// An access of this rank that `new` has to wait for.
    pub fn own_conflict(
        &self,
        new: &Logged,
        pair: Option<&Pair>,
        content: Option<Content>,
        reading: u8,
    ) -> Option<Race> {
        let span = &new.span;
        if !self.may_meet(new.on, span) {
            return None;
        }
        let stands = |old: &Pending| old.agrees(new, pair, content) && old.stands_for(new, content);
        if let Some(at) = self.newest(new)
            && stands(&self.pending[at])
        {
            return None;
        }
        let mut found = None;
        for old in self.pending.iter().rev() {
            // Asked first, as most are elsewhere.
            if old.on != new.on || !span.meets(&old.span) {
                continue;
            }
            if old.agrees(new, pair, content) {
                if old.stands_for(new, content) {
                    break;
                }
                continue;
            }
            if new.what.conflicts(old.what, true, reading)
                && let Some((low, high)) = span.common(&old.span)
            {
                found = Some((old, low, high));
            }
        }
        let (old, low, high) = found?;
        let other = Logged {
            on: old.on,
            what: old.what,
            place: old.place,
            span: old.span,
            issued: 0,
            known: 0,
            done: 0,
        };
        Some(Race {
            rank: checker()?.rank,
            other,
            low,
            high,
        })
    }

    /// Where the last of the pending ones is that has bytes of this one, if that is seen at once.
    #[inline]
    fn newest(&self, new: &Logged) -> Option<usize> {
        let at = self.places.newest(new.on, &new.span)?;
        let old = self.pending.get(at)?;
        (old.on == new.on && old.span.common(&new.span).is_some()).then_some(at)
    }

    /// Whether this access is the only one that is not complete, with an entry of its own.
    pub fn has_only(&self, access: &Access, entered: &Entered) -> bool {
        let [pending] = &*self.pending else {
            return false;
        };
        let (first, last) = entered.numbers;
        first == last && pending.number == last && [pending.span] == *access.spans
    }

    /// Logs an access, and gives its number.
    #[inline]
    pub fn log(
        &mut self,
        log: &Log,
        new: &Logged,
        pair: Option<Pair>,
        content: Option<Content>,
        fence: Fence,
    ) -> u64 {
        if let Some(number) = self.merge(log, new, pair, content, fence) {
            return number;
        }
        let behind = self.pending.len();
        let is_simple = !new.what.is_atomic() && new.span.block == new.span.stride;
        if is_simple
            && let Some(last) = self.pending.last_mut()
            && (last.on, last.what, last.place) == (new.on, new.what, new.place)
            && last.span.block == last.span.stride
            && last.span.high == new.span.low
            && last.known == new.known
            && last.number == log.count()
            && log.has_call(last.number)
            && let Some(both) = together(last.pair, pair)
        {
            last.pair = both;
            last.content = None;
            last.span = Span::run(last.span.low, new.span.high - last.span.low);
            log.extend(last.number, last.span.low, last.span.high, fence);
            let number = last.number;
            self.places.add(new.on, new.what, &new.span, behind - 1);
            return number;
        }
        let mut of = Of::NONE;
        if let Some(last) = self.pending.last()
            && last.number == log.count()
            && last.is_like(new)
        {
            of = log.last_call();
        }
        let when = (new.issued, new.done);
        let number = match log.add_to(of, new.span.low, when, fence) {
            Some(number) => number,
            None => log.add(new, fence),
        };
        self.keep(log, number, new, pair, content);
        number
    }

    /// Forgets where others were than those that are pending.
    #[cold]
    fn touch_anew(&mut self) {
        self.places.clear();
        for (place, pending) in self.pending.iter().enumerate() {
            self.places
                .add(pending.on, pending.what, &pending.span, place);
        }
    }

    /// Keeps in mind an access that is logged, and not complete.
    #[inline]
    pub fn keep(
        &mut self,
        log: &Log,
        number: u64,
        new: &Logged,
        pair: Option<Pair>,
        content: Option<Content>,
    ) {
        if self.pending.len() == PENDING {
            // When they will be complete is not noted any more: it may be now.
            let now = clock::tick(false);
            for pending in self.pending.drain(..PENDING / 2) {
                log.complete(pending.number, now);
            }
            self.touch_anew();
        } else if self.places.are_crowded() {
            self.touch_anew();
        }
        let Logged {
            on,
            what,
            place,
            span,
            known,
            ..
        } = *new;
        self.are_in_use =
            pair.is_some() || what.fetches() || self.are_in_use && !self.pending.is_empty();
        self.places.add(on, what, &span, self.pending.len());
        if !self.pending.has_room(1) {
            return log.complete(number, clock::tick(false));
        }
        self.pending.push(Pending {
            number,
            on,
            what,
            place,
            span,
            known,
            pair,
            content,
            request: 0,
        });
    }

    /// Accesses of these numbers, which have fetched something, are complete by the end of this request, if they are not before.
    #[cold]
    pub fn bind(&mut self, (first, last): (u64, u64), request: i32) {
        for pending in &mut self.pending {
            if (first..=last).contains(&pending.number) {
                pending.request = request;
                BOUND.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Logs once more what is found complete in the log, but is so by the end of this request.
    #[cold]
    pub fn log_bound(&mut self, log: &Log, new: &Logged, request: i32) {
        let number = log.add(new, Fence::Here);
        self.keep(log, number, new, None, None);
        self.bind((number, number), request);
    }

    /// The number of the last entry, if it is of the same access, which is not complete: it stands for both.
    #[inline]
    fn merge(
        &mut self,
        log: &Log,
        new: &Logged,
        pair: Option<Pair>,
        content: Option<Content>,
        fence: Fence,
    ) -> Option<u64> {
        let last = self.pending.last_mut()?;
        let is_same = (last.on, last.what, last.place, last.span, last.known)
            == (new.on, new.what, new.place, new.span, new.known)
            && last.number == log.count();
        if !is_same {
            return None;
        }
        if last.pair != pair {
            last.pair = None;
        }
        last.content = content;
        log.begin_again(last.number, new.issued, fence);
        Some(last.number)
    }

    /// Whether there may be accesses of `rank` that are not ordered before now.
    #[inline(always)]
    pub fn may_have_unordered(&self, checker: &Checker, rank: u32) -> bool {
        let last = checker.area.block(rank).log.count();
        let seen = self.seen.get(rank as usize);
        seen.is_none_or(|seen| *seen <= last)
    }

    /// The accesses of `rank`, which this one knows until `known`, from the first that is not ordered before now; `None` if there
    /// is none.
    #[inline(always)]
    pub fn unordered(&mut self, rank: u32, known: u64) -> Option<Unordered> {
        let checker = checker()?;
        match self.may_have_unordered(checker, rank) {
            true => self.unordered_of(checker.area.block(rank).log, rank, known),
            false => None,
        }
    }

    /// The same where there may be some.
    #[inline(never)]
    fn unordered_of(&mut self, log: &'static Log, rank: u32, known: u64) -> Option<Unordered> {
        let (oldest, last) = log.range();
        let complete = clock::was_complete(rank, known);
        let seen = match self.seen.get_mut(rank as usize) {
            Some(seen) => seen,
            None => self.see(rank)?,
        };
        *seen = oldest.max(*seen);
        let is_ordered = |done: u64| done != 0 && done <= known;
        while *seen <= last && log.done(*seen).is_none_or(is_ordered) {
            *seen += 1;
        }
        (*seen <= last).then_some(Unordered {
            rank,
            log,
            known,
            complete,
            first: *seen,
            last,
        })
    }

    #[cold]
    #[inline(never)]
    fn see(&mut self, rank: u32) -> Option<&mut u64> {
        let ranks = rank as usize + 1;
        let more = ranks.saturating_sub(self.seen.len());
        if !self.seen.has_room(more) {
            return None;
        }
        self.seen.resize(ranks, 1);
        self.seen.last_mut()
    }

    /// An access of `rank`, until its number `limit`, which this one knows until `known`, that is not ordered before `new`.
    pub fn conflict(
        &mut self,
        rank: u32,
        limit: u64,
        new: &Logged,
        known: u64,
        reading: u8,
    ) -> Option<Race> {
        let mut all = self.unordered(rank, known)?;
        all.last = all.last.min(limit);
        all.of_calls(|on, what| on == new.on && new.what.conflicts(what, false, reading))
            .find_map(|number| all.race(number, new, reading))
    }

    /// Tells of a buffer of the access that another operation, not complete here, writes to, or uses and this one writes to. Keeps its
    /// buffers as in use.
    pub fn use_buffers(&mut self, access: &Access, on: On, place: Place) -> Option<Clash> {
        let what = access.what;
        let far = access.spans.first();
        let held = |span: &Span| Held {
            on,
            what,
            place,
            span: *span,
            pair: far.map(|far| access.pair(far, span)),
        };
        // To fetch the same once more to the same place changes nothing.
        let again = |old: &Held, span: &Span| {
            let pairs = old.pair.zip(far.map(|far| access.pair(far, span)));
            let agree = || pairs.is_some_and(|(old, new)| old.agrees(&new));
            what.is(Kind::Get) && (old.on, old.what) == (on, what) && agree()
        };
        let mut reads = access.reads.iter();
        let of_reads = reads.find_map(|span| self.clash(span, false, |_| false));
        let clash = of_reads.or_else(|| {
            let mut writes = access.writes.iter();
            writes.find_map(|span| self.clash(span, true, |old| again(old, span)))
        });
        // A request that is there is complete.
        if !what.has_request() {
            access
                .reads
                .iter()
                .for_each(|span| self.reads.add(held(span)));
            access
                .writes
                .iter()
                .for_each(|span| self.writes.add(held(span)));
            if local::is_seen() {
                self.begin_use(on, access);
            }
        }
        clash
    }

    /// The program's own loads and stores are no good in the access's buffers from now on.
    fn begin_use(&mut self, on: On, access: &Access) {
        let known = self.uses.iter().find(|(other, _)| *other == on);
        let more = known.map(|(_, it)| *it);
        let begun = local::uses(more, blocks(access.reads), blocks(access.writes));
        if more.is_none() {
            self.uses.extend(begun.map(|begun| (on, begun)));
        }
    }

    /// They are good again in those for which `are_free` are free.
    pub fn end_uses(&mut self, are_free: impl Fn(On) -> bool) {
        self.uses.retain(|(on, it)| {
            let is_free = are_free(*on);
            if is_free {
                local::used(*it);
            }
            !is_free
        });
    }

    /// A buffer in use that has bytes of `span` and is written to, or read while these bytes are to be written; none of those that `fit`.
    pub fn clash(&self, span: &Span, writes: bool, fit: impl Fn(&Held) -> bool) -> Option<Clash> {
        let clash = |held: &Held, held_writes| Clash {
            span: *span,
            writes,
            held: *held,
            held_writes,
        };
        let written = self.writes.find(span).filter(|held| !fit(held));
        let read = || self.reads.find(span).filter(|_| writes);
        written
            .map(|held| clash(held, true))
            .or_else(|| Some(clash(read()?, false)))
    }
}

/// The program has heard of the end of a request.
#[inline(always)]
pub fn ended(request: i32) {
    if BOUND.load(Ordering::Relaxed) != 0 {
        end_bound(request);
    }
}

#[cold]
#[inline(never)]
fn end_bound(request: i32) {
    let mut state = STATE.lock();
    let alone = state.is_alone();
    state.complete(alone, |pending| pending.request == request);
    let bound = state.pending.iter().filter(|pending| pending.request != 0);
    BOUND.store(bound.count(), Ordering::Relaxed);
}

/// With which buffer two accesses are, side by side, that become one; `None` if that would be forgotten, and they are not to become one.
fn together(last: Option<Pair>, new: Option<Pair>) -> Option<Option<Pair>> {
    match last.zip(new) {
        Some((last, new)) => last.with(&new).map(Some),
        None => Some(None),
    }
}

/// Addresses from and to which those bytes lie.
fn blocks(spans: &[Span]) -> impl Iterator<Item = (usize, usize)> {
    let blocks = spans.iter().flat_map(|span| span.blocks_from(span.low));
    blocks.map(|(from, to)| (from as usize, to as usize))
}

/// Two uses of one buffer.
pub struct Clash {
    pub span: Span,
    pub writes: bool,
    pub held: Held,
    pub held_writes: bool,
}
