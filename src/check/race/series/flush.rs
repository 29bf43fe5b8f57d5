//! What is noted is complete: nothing is kept of it that would be forgotten at once.

use super::super::again::NOWHERE;
use super::super::log::{Fence, Of, On};
use super::super::span::Span;
use super::super::{Kind, STATE, complete_on, requests};
use super::note::{Found, Here, Note};
use super::settle::are_free;
use super::{ROOM, Series};
use crate::check::{Checker, checker, clock};
use crate::shm::atomic::full_fence;
use smallvec::SmallVec;

/// So many notes at most are complete without a look at each once more.
pub(super) const FEW: usize = 16;
/// With so many that were noted before, at most, one may become one that is complete here.
const LOOKS: usize = 4;

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
        self.flush_last(checker, 0, may)
    }

    /// The same of the note of this number, the last one. Those before it stay.
    #[inline(always)]
    fn flush_last(
        &mut self,
        checker: &Checker,
        number: usize,
        may: impl FnOnce() -> bool,
    ) -> Option<bool> {
        let note = self.notes[number].as_mut()?;
        let mut state = STATE.lock();
        if !state.is_alone() {
            return None;
        }
        let fits = self.is_elsewhere || fits(&mut self.fits, number, note);
        if !state.is_idle() || !fits {
            return None;
        }
        // As `settle`, without what would be forgotten at once.
        let (log, own) = (checker.own.log, clock::Own::of(checker));
        // Nobody knows that time before it has come, and nothing else gets it.
        let done = own.time() + 1;
        let of = match self.is_elsewhere {
            true => note.of,
            false => Of::NONE,
        };
        let logged = match log.add_to(of, note.far.low, (0, done), Fence::Follows) {
            Some(logged) => logged,
            None => note.log(log, done),
        };
        if !may() {
            log.void(logged);
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
        self.count = number;
        self.is_locked = false;
        // One with a request has a note of its own each time.
        if !self.is_elsewhere {
            let is_one = number == 0 && !note.what.has_request() && self.fetched_from == NOWHERE;
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
        let may_be = |note: &Option<Note>| note.as_ref().is_some_and(|note| is_one(note.on));
        if self.scattered.are_some_compared() || !(2..=FEW).contains(&count) {
            return None;
        }
        let scattered = &mut self.scattered;
        let mut state = STATE.lock();
        if !state.is_alone() || !state.is_idle() || !notes.iter().all(may_be) {
            return None;
        }
        for (number, note) in notes.iter().flatten().enumerate() {
            let mut others = notes[..number].iter().flatten().enumerate();
            let is_in_the_way = |(before, other): (usize, &Note)| {
                let meet = || match scattered.are_of(number) {
                    true => scattered.may_meet(note, &other.far),
                    false => scattered.note_may_meet(before, other, &note.far),
                };
                note.may_be_in_the_way(other, meet)
            };
            if others.any(is_in_the_way) {
                return None;
            }
            if !fits(&mut self.fits, number, note) {
                return None;
            }
        }
        // As of one.
        let (log, own) = (checker.own.log, clock::Own::of(checker));
        let (done, first) = (own.time() + 1, log.count() + 1);
        for (number, note) in notes.iter_mut().flatten().enumerate() {
            match scattered.are_of(number) {
                true => scattered.log(note, log, done),
                false => note.log(log, done),
            };
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
        self.scattered.end();
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
        note.here = Here::InUse;
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

    /// Completes what was fetched with requests, behind a full fence, if the program has waited for all of those, and leaves what was put noted: whether
    /// that could be done.
    pub(super) fn end_fetched(&mut self) -> bool {
        let Some(checker) = checker() else {
            return false;
        };
        // What knows more than it did is not noted together with what was before.
        let learns = |note: &Note| note.is_over() && clock::is_behind(checker, note.process());
        let mut notes = self.notes[..self.count].iter().flatten();
        if requests::are_fetching() || !self.scattered.is_nobodys() || notes.any(learns) {
            return false;
        }
        let are_over = |notes: &[Option<Note>]| notes.iter().flatten().any(Note::is_over);
        if let [before @ .., Some(last)] = &self.notes[..self.count]
            && last.is_over()
            && last.far.is_one_block()
            && !are_over(before)
        {
            if self.flush_last(checker, self.count - 1, || true) != Some(true) {
                self.settle_last(checker);
            }
            self.fetched_from = NOWHERE;
            return true;
        }
        let kept = self.set_aside(|note| !note.is_over());
        if self.flush(|_| true, || true) != Some(true) {
            self.settle();
        }
        self.fetched_from = NOWHERE;
        if !kept.is_empty() {
            self.flushed = None;
            self.count = kept.len();
            for (place, note) in self.notes.iter_mut().zip(kept) {
                *place = Some(note);
            }
        }
        true
    }

    /// Takes those notes out, for which there are the first places when the others are gone.
    fn set_aside(&mut self, is_one: impl Fn(&Note) -> bool) -> SmallVec<[Note; 2]> {
        let mut aside = SmallVec::new();
        let mut places = [ROOM; ROOM];
        let mut left = 0;
        for (number, place) in places[..self.count].iter_mut().enumerate() {
            let Some(note) = self.notes[number] else {
                continue;
            };
            if is_one(&note) {
                *place = aside.len();
                aside.push(note);
            } else {
                self.notes[left] = Some(note);
                left += 1;
            }
        }
        if !aside.is_empty() {
            for site in &mut self.sites {
                site.note = places.get(site.note).copied().unwrap_or(ROOM);
            }
        }
        self.count = left;
        aside
    }

    /// The same at the origin alone: whether it was done. What has fetched is complete at the target, too.
    #[inline(always)]
    pub(super) fn leave(
        &mut self,
        is_one: impl Fn(On) -> bool,
        may: impl FnOnce() -> bool,
    ) -> bool {
        let Some(checker) = checker() else {
            return false;
        };
        let mut all = self.notes[..self.count].iter().flatten();
        if all.all(|note| note.what.fetches()) {
            return self.flush(is_one, may) == Some(true);
        }
        let state = STATE.lock();
        let is_alone = state.is_alone() && state.has_left();
        drop(state);
        is_alone && self.may_leave(is_one) && may() && {
            full_fence();
            self.leave_all();
            if self.scattered.are_of(0) && self.scattered.are_many() {
                self.keep_half(checker);
            }
            true
        }
    }

    /// Whether all are puts on those targets, from buffers that they fit, and what is in use is no repetition.
    #[inline(always)]
    fn may_leave(&mut self, is_one: impl Fn(On) -> bool) -> bool {
        let Series {
            notes,
            fits: all,
            count,
            ..
        } = self;
        let mut notes = notes[..*count].iter().flatten().enumerate();
        let may = notes.all(|(number, note)| {
            let is_put = note.what.is(Kind::Put) && !note.what.has_request();
            is_put && is_one(note.on) && (note.here == Here::Left || fits(all, number, note))
        });
        may && (self.count == 1 || !self.may_repeat())
    }

    /// Whether something that is in use may have bytes of another note: it may be the same once more, which is not seen any more behind this.
    #[inline(never)]
    fn may_repeat(&self) -> bool {
        let notes = || self.notes[..self.count].iter().flatten().enumerate();
        let scattered = |number: usize| self.scattered.are_of(number);
        notes().any(|(number, note)| {
            let Some(far) = note.in_use() else {
                return false;
            };
            let all_scattered = note.here == Here::InUse && scattered(number);
            notes().any(|(other_number, other)| {
                let meets = || match scattered(other_number) {
                    true => self.scattered.may_meet(other, &far),
                    false if all_scattered => self.scattered.may_meet(note, &other.far),
                    false => other.far.common(&far).is_some(),
                };
                number != other_number && note.on == other.on && meets()
            })
        })
    }

    /// All are complete here.
    #[inline(always)]
    fn leave_all(&mut self) {
        (self.flushed, self.is_elsewhere) = (None, false);
        let mut first = 0;
        while let Some(Some(note)) = self.notes[..self.count].get_mut(first)
            && note.here != Here::InUse
        {
            note.here = Here::Left;
            first += 1;
        }
        if first < self.count {
            self.leave_from(first);
        }
    }

    /// From this one on; those before it are. Those of one call go to one note, if that may be.
    #[inline(never)]
    fn leave_from(&mut self, first: usize) {
        let mut left = first;
        for number in first..self.count {
            let Some(mut note) = self.notes[number] else {
                continue;
            };
            note.here = Here::Left;
            let is_scattered = self.scattered.are_of(number);
            let mut others = left.saturating_sub(LOOKS)..left;
            if !is_scattered && let Some(other) = others.find(|it| self.goes_into(*it, &note)) {
                self.moved(number, other);
                continue;
            }
            self.notes[left] = Some(note);
            if is_scattered {
                self.scattered.are_now_of(left);
            }
            self.moved(number, left);
            left += 1;
        }
        self.count = left;
        if self.scatter_last() {
            let last = self.count - 1;
            (last..left).for_each(|number| self.moved(number, last));
        }
    }

    /// The last operation of a site is in another note.
    fn moved(&mut self, from: usize, to: usize) {
        if from != to {
            let sites = self.sites.iter_mut();
            sites
                .filter(|site| site.note == from)
                .for_each(|site| site.note = to);
        }
    }

    /// Whether one note, which is complete here, takes in another one.
    fn goes_into(&mut self, number: usize, other: &Note) -> bool {
        let Some(note) = &mut self.notes[number] else {
            return false;
        };
        if !note.is_as(other) {
            return false;
        }
        if self.scattered.are_of(number) {
            return other.far.is_one_block() && self.scattered.take_note(note, other);
        }
        let both = note.far.with_all(&other.far);
        if let Some(both) = both {
            note.far = both;
        }
        both.is_some()
    }
}

/// Whether the buffer of the note of this number ends with what it begins in.
#[inline(always)]
fn fits(known: &mut [(u64, u64); FEW], number: usize, note: &Note) -> bool {
    let Span { low, high, .. } = note.near;
    let known = &mut known[number % FEW];
    if *known == (low, high) && note.near.is_one_block() {
        return true;
    }
    let fits = note.beyond().is_none();
    if fits {
        *known = (low, high);
    }
    fits
}
