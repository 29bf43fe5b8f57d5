//! The accesses of this process that are not complete at their targets.

use super::log::{self, Fence, Log, Logged, Of, On, by_wait};
use super::own::{Race, STATE, State};
use super::span::{Pair, Span};
use super::{Access, Content, Entered, What};
use crate::check::room::Room;
use crate::check::{Place, checker, clock};
use crate::shm::atomic::{AtomicUsize, Ordering};

/// An access of this rank that is not complete at its target.
pub struct Pending {
    pub number: u64,
    /// That of its entry before, or 0: see [`State::stay`].
    former: u64,
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

/// So many own accesses that are not complete are compared with, the last ones.
const PENDING: usize = log::KEPT as usize;
/// So many at most stay in the log however much comes behind them. With more of them there would be little else in it.
const STAY: usize = 64;

impl Pending {
    /// It is complete since that time.
    #[inline]
    fn end(&self, log: &Log, time: u64) {
        log.complete(self.number, time);
        if self.former != 0 {
            log.complete(self.former, time);
        }
    }

    /// Whether it is complete by the end of a request.
    pub fn is_bound(&self) -> bool {
        self.request != 0
    }

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
                pending.end(log, clock::own_time() + 1);
            }
            let now = clock::tick(alone);
            if !alone {
                pending.end(log, now);
            }
            self.pending.clear();
            return self.places.clear();
        }
        let now = clock::tick(alone);
        self.pending.retain(|pending| {
            let is_complete = are_complete(pending);
            if is_complete {
                pending.end(checker.own.log, now);
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
            last.end(checker.own.log, now);
        }
        if self.pending.is_empty() {
            self.places.clear();
        }
    }

    /// The epoch of MPI_Win_start ends for those accesses. What has fetched is complete; the rest is so when its target has waited. `alone` as in
    /// [`clock::tick`].
    pub fn end_epoch(&mut self, alone: bool, are_of_it: impl Fn(On) -> bool) {
        let Some(checker) = checker() else { return };
        let log = checker.own.log;
        if !self.pending.iter().any(|pending| are_of_it(pending.on)) {
            return;
        }
        let (now, promised) = clock::promise(alone);
        self.pending.retain(|pending| {
            let is_of_it = are_of_it(pending.on);
            if is_of_it {
                let is_complete = pending.what.fetches();
                pending.end(log, if is_complete { now } else { by_wait(promised) });
            }
            !is_of_it
        });
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
            by_wait: false,
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
        let is_run = new.span.block == new.span.stride;
        // Of several contents not all is kept that is known.
        let is_simple = !new.what.is_atomic() && is_run && content.is_none();
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

    /// An access is about to be logged. The log keeps the last ones: what is pending and has half of the log behind it gets another entry. Its first
    /// one stays as it is until something takes its place, as others may be about to look at that.
    #[inline(always)]
    pub fn stay(&mut self, log: &Log) {
        if log.count() >= self.stay_until && !self.pending.is_empty() {
            self.log_old(log);
        }
    }

    #[cold]
    #[inline(never)]
    fn log_old(&mut self, log: &Log) {
        let old = log.count().saturating_sub(log::KEPT / 2);
        if self.pending.len() <= STAY {
            for pending in &mut self.pending {
                if pending.number <= old
                    && let Some(logged) = log.read(pending.number)
                {
                    pending.former = pending.number;
                    pending.number = log.add(&logged, Fence::Follows);
                }
            }
        }
        self.stay_until = log.count() + log::KEPT / 8;
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
                pending.end(log, now);
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
            former: 0,
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
    // What is noted began before this, and is compared with what was not complete then.
    super::settle_operations();
    let mut state = STATE.lock();
    let alone = state.is_alone();
    state.complete(alone, |pending| pending.request == request);
    let bound = state.pending.iter().filter(|pending| pending.request != 0);
    BOUND.store(bound.count(), Ordering::Relaxed);
}

/// With which buffer two accesses are, side by side, that become one; `None` if that would be forgotten, and they are not to become one.
fn together(last: Option<Pair>, new: Option<Pair>) -> Option<Option<Pair>> {
    match (last, new) {
        (Some(last), Some(new)) => last.with(&new).map(Some),
        (None, None) => Some(None),
        // One of them alone is in use here.
        _ => None,
    }
}
