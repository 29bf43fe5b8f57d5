//! What is noted is complete: nothing is kept of it that would be forgotten at once.

use super::super::again::NOWHERE;
use super::super::log::{Fence, Of, On};
use super::super::span::Span;
use super::super::{STATE, complete_on};
use super::note::{Found, Note};
use super::{Series, are_free};
use crate::check::{Checker, checker, clock};
use crate::shm::atomic::full_fence;

/// So many notes at most are complete without a look at each once more.
pub(super) const FEW: usize = 16;
impl Series {
    /// Completes the operations on those targets behind a full fence, if `may` says that they may be, and no other call is made: what it says.
    /// `None`: it cannot be done so.
    #[inline(always)]
    pub(super) fn flush(
        &mut self,
        is_one: impl Fn(On) -> bool,
        may: impl FnOnce() -> bool,
    ) -> Option<bool> {
        let checker = checker()?;
        let [Some(note)] = &mut self.notes[..self.count] else {
            return self.flush_several(checker, is_one, may);
        };
        if !is_one(note.on) {
            return None;
        }
        if self.scattered.are_of(0) {
            return self.flush_scattered(checker, is_one, may);
        }
        let mut state = STATE.lock();
        if !state.is_alone() {
            return None;
        }
        if !self.is_elsewhere {
            let Span { low, high, .. } = note.near;
            if !state.is_idle() {
                return None;
            }
            if self.fits[0] != (low, high) || !note.near.is_one_block() {
                if note.beyond().is_some() {
                    return None;
                }
                self.fits[0] = (low, high);
            }
        }
        // As `settle`, without what would be forgotten at once.
        let (log, own) = (checker.own.log, clock::Own::of(checker));
        // Nobody knows that time before it has come, and nothing else gets it.
        let done = own.time() + 1;
        let of = match self.is_elsewhere {
            true => note.of,
            false => Of::NONE,
        };
        let number = match log.add_to(of, note.far.low, (0, done), Fence::Follows) {
            Some(number) => number,
            None => note.log(log, done),
        };
        if !may() {
            log.void(number);
            return Some(false);
        }
        full_fence();
        let mut is_met = false;
        for &rank in note.window.members {
            is_met |= rank != checker.rank && state.may_have_unordered(checker, rank);
        }
        let race = match is_met {
            true => note.conflict(checker, &mut state),
            false => None,
        };
        own.tick(true);
        drop(state);
        self.count = 0;
        self.is_locked = false;
        // One with a request has a note of its own each time.
        if !self.is_elsewhere {
            let is_one = !note.what.has_request() && self.fetched_from == NOWHERE;
            self.flushed = (is_one && note.near.is_one_block()).then(|| note.flushed());
        }
        if let Some(race) = race {
            note.tell(checker.rank, Found::Race(race));
        }
        note.learn(checker);
        Some(true)
    }

    /// The same of several notes, if none is in the way of another one.
    #[inline(never)]
    fn flush_several(
        &mut self,
        checker: &Checker,
        is_one: impl Fn(On) -> bool,
        may: impl FnOnce() -> bool,
    ) -> Option<bool> {
        let count = self.count;
        let notes = &mut self.notes[..count];
        let may_be = |note: &Option<Note>| {
            note.as_ref()
                .is_some_and(|note| is_one(note.on) && !note.is_over())
        };
        let (true, true) = (self.scattered.is_nobodys(), (2..=FEW).contains(&count)) else {
            return None;
        };
        let mut state = STATE.lock();
        if !state.is_alone() || !state.is_idle() || !notes.iter().all(may_be) {
            return None;
        }
        for (number, note) in notes.iter().flatten().enumerate() {
            let mut others = notes[..number].iter().flatten();
            if others.any(|other| note.may_be_in_the_way(other)) {
                return None;
            }
            let Span { low, high, .. } = note.near;
            if self.fits[number] != (low, high) || !note.near.is_one_block() {
                if note.beyond().is_some() {
                    return None;
                }
                self.fits[number] = (low, high);
            }
        }
        // As of one.
        let (log, own) = (checker.own.log, clock::Own::of(checker));
        let (done, first) = (own.time() + 1, log.count() + 1);
        for note in notes.iter_mut().flatten() {
            note.log(log, done);
        }
        if !may() {
            (first..=log.count()).for_each(|number| log.void(number));
            return Some(false);
        }
        full_fence();
        let mut found = Vec::new();
        let is_alone = |note: &Note| {
            let mut others = note.window.members.iter();
            others.all(|&rank| rank == checker.rank || !state.may_have_unordered(checker, rank))
        };
        if !notes.iter().flatten().all(is_alone) {
            self.compare(&mut state, checker.rank, count, |note, race| {
                found.push((*note, race));
            });
        }
        own.tick(true);
        drop(state);
        self.count = 0;
        self.is_locked = false;
        self.flushed = None;
        for (note, race) in found {
            note.tell(checker.rank, Found::Race(race));
        }
        for note in self.notes[..count].iter().flatten() {
            note.learn(checker);
        }
        Some(true)
    }

    /// The same of those that go anywhere, where nothing else is noted.
    fn flush_scattered(
        &mut self,
        checker: &Checker,
        is_one: impl Fn(On) -> bool,
        may: impl FnOnce() -> bool,
    ) -> Option<bool> {
        let [Some(note), ..] = &mut self.notes else {
            return None;
        };
        let mut state = STATE.lock();
        let is_idle = state.is_idle();
        let are_free = is_idle || are_free(&state, &self.scattered, note);
        if !state.is_alone() || !are_free || note.beyond().is_some() {
            return None;
        }
        // As of one.
        let (log, own) = (checker.own.log, clock::Own::of(checker));
        let done = own.time() + 1;
        let first = self.scattered.log(note, log, done);
        if !may() {
            (first..=log.count()).for_each(|number| log.void(number));
            return Some(false);
        }
        self.scattered.complete(log, done);
        let found = self.compare_scattered(&mut state, checker);
        own.tick(true);
        drop(state);
        if !is_idle {
            complete_on(is_one);
        }
        self.count = 0;
        self.is_locked = false;
        self.flushed = None;
        self.tell(checker, found);
        Some(true)
    }
}
