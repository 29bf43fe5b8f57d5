//! What is noted is logged and compared, and pending from then on where it is not complete.

use super::super::again::NOWHERE;
use super::super::log::Fence;
use super::super::span::Span;
use super::super::{Race, STATE, State, element, log, requests};
use super::note::{Found, Note, end};
use super::scattered::Scattered;
use super::{ROOM, SITES, Series};
use crate::check::threads::Turn;
use crate::check::{Checker, checker, clock};
use crate::shm::atomic::full_fence;
use smallvec::SmallVec;

impl Series {
    /// What is in use here has notes of its own from now on.
    fn part(&mut self) {
        for number in 0..self.count {
            if !self.scattered.are_of(number)
                && self.count < ROOM
                && let Some(note) = &mut self.notes[number]
                && let Some(before) = note.part()
            {
                self.notes[self.count] = Some(before);
                self.count += 1;
            }
        }
    }

    /// Makes room for more of those that go anywhere: whether there is some. Else nothing is noted any more.
    #[cold]
    #[inline(never)]
    pub(super) fn keep_half(&mut self, checker: &Checker) -> bool {
        if !self.enter_scattered(checker) {
            self.settle();
            return false;
        }
        if let [Some(note), ..] = &mut self.notes {
            self.scattered.make_room(note, checker.own.log);
        }
        true
    }

    /// Logs and compares those that go anywhere, where nothing else is noted, and nothing that is pending is in their way: whether that is so. They
    /// are kept.
    pub(super) fn enter_scattered(&mut self, checker: &Checker) -> bool {
        let mut state = STATE.lock();
        let [Some(note)] = &mut self.notes[..self.count] else {
            return false;
        };
        if !state.is_alone() || note.is_over() || note.beyond().is_some() {
            return false;
        }
        if !state.is_idle() && !are_free(&state, &self.scattered, note) {
            return false;
        }
        state.stay(checker.own.log);
        self.scattered.log(note, checker.own.log, 0);
        let found = self.compare_scattered(&mut state, checker);
        self.scattered.are_compared();
        drop(state);
        self.tell(checker, found);
        true
    }

    /// Compares those that go anywhere, the only note, and have just been logged. Gives the first that nothing orders.
    pub(super) fn compare_scattered(
        &mut self,
        state: &mut State,
        checker: &Checker,
    ) -> Option<(Note, Race)> {
        full_fence();
        let note = self.notes[0]?;
        let mut found = None;
        let mut others = note.window.members.iter();
        if others.any(|rank| *rank != checker.rank && state.may_have_unordered(checker, *rank)) {
            self.compare(state, checker.rank, 1, |note, race| {
                found = Some((*note, race));
            });
        }
        found
    }

    /// That of the first note was found, which is compared.
    pub(super) fn tell(&self, checker: &Checker, found: Option<(Note, Race)>) {
        if let Some((note, race)) = found {
            note.tell(checker.rank, Found::Race(race));
        }
        if let [Some(note), ..] = &self.notes {
            note.learn(checker);
        }
    }

    /// Compares the first `count` with what the others have logged, and tells of each the first that nothing orders.
    pub(super) fn compare(
        &mut self,
        state: &mut State,
        own: u32,
        count: usize,
        mut tell: impl FnMut(&Note, Race),
    ) {
        let notes = &self.notes[..count];
        let (mut told, mut is_noted) = (0_u64, false);
        for (number, note) in notes.iter().enumerate() {
            let Some(Note { window, .. }) = note else {
                continue;
            };
            let is_of_it = |other: &&Note| other.window.id == window.id;
            if notes[..number]
                .iter()
                .flatten()
                .any(|other| is_of_it(&other))
            {
                continue;
            }
            let of_it = notes.iter().flatten().filter(|note| is_of_it(note));
            let may_conflict = |on, what| of_it.clone().any(|note| note.may_conflict(on, what));
            for &rank in window.members.iter().filter(|rank| **rank != own) {
                let Some(others) = state.unordered(rank, clock::as_it_is(rank)) else {
                    continue;
                };
                for theirs in others.of_calls(may_conflict) {
                    let (on, what, outline) = others.log.outline(theirs);
                    if !is_noted {
                        for (number, note) in notes.iter().enumerate() {
                            let Some(note) = note else { continue };
                            let spans = self.scattered.fresh(number, note);
                            spans.for_each(|span| self.noted.add(note.on, &span));
                        }
                        is_noted = true;
                    }
                    if !self.noted.may_meet(on, &outline) {
                        continue;
                    }
                    for (number, note) in notes.iter().enumerate().skip(number) {
                        let Some(note) = note.as_ref().filter(is_of_it) else {
                            continue;
                        };
                        if told >> number & 1 != 0 || !note.may_conflict(on, what) {
                            continue;
                        }
                        let reading = note.words.reading();
                        let spans = self.scattered.fresh(number, note);
                        let race = spans
                            .filter(|span| span.meets(&outline))
                            .find_map(|span| others.race(theirs, &note.logged_at(&span), reading));
                        if let Some(race) = race {
                            told |= 1 << number;
                            tell(note, race);
                        }
                    }
                }
            }
        }
        if is_noted {
            self.noted.clear();
        }
    }

    /// Logs all, and compares it with what there is.
    #[cold]
    pub(super) fn settle(&mut self) {
        if self.count == 0 {
            return;
        }
        // What is pending may be in the way of what comes there.
        element::settle();
        // What is in use here comes first where there is no room for both.
        self.part();
        (0..SITES).for_each(|site| _ = self.halve(site));
        let count = std::mem::take(&mut self.count);
        self.fetched_from = NOWHERE;
        self.flushed = None;
        let Some(checker) = checker() else { return };
        if let [Some(note)] = &self.notes[..count]
            && !self.scattered.are_of(0)
        {
            note.settle(checker);
            return self.hold(checker, count);
        }
        let mut found: SmallVec<[(Note, Found); 1]> = SmallVec::new();
        let mut state = STATE.lock();
        // What was put behind something that was fetched may be in its place.
        if self.log_all(&mut state, checker, count, true, &mut found) {
            end(&mut state);
        }
        self.log_all(&mut state, checker, count, false, &mut found);
        full_fence();
        // What others log from here on they compare with what is logged now.
        self.compare(&mut state, checker.rank, count, |note, race| {
            found.push((*note, Found::Race(race)));
        });
        drop(state);
        self.scattered.end();
        self.hold(checker, count);
        for (note, found) in found {
            note.tell(checker.rank, found);
        }
        let notes = self.notes[..count].iter().flatten();
        notes.for_each(|note| note.learn(checker));
    }

    /// The same of the last one alone, which is one block that was fetched, and for which the program has waited.
    pub(super) fn settle_last(&mut self, checker: &Checker) {
        element::settle();
        self.count -= 1;
        self.flushed = None;
        if let Some(note) = &self.notes[self.count] {
            note.settle(checker);
        }
    }

    /// Logs those of the first `count` that are [over](Note::is_over), or those that are not, and looks at their buffers: whether there is one.
    fn log_all(
        &mut self,
        state: &mut Turn<'_, State>,
        checker: &Checker,
        count: usize,
        are_over: bool,
        found: &mut SmallVec<[(Note, Found); 1]>,
    ) -> bool {
        let Series {
            notes,
            scattered,
            fits,
            ..
        } = self;
        let notes = notes[..count].iter().enumerate();
        let notes = notes.filter_map(|(number, note)| Some((number, *note.as_ref()?)));
        let notes = notes.filter(|(_, note)| note.is_over() == are_over);
        let mut are_some = false;
        for (note, logged) in notes.flat_map(|(number, note)| scattered.single(number, note)) {
            are_some = true;
            let (far, near) = ([note.far], [note.near]);
            let access = note.access(&far, &near);
            if let Some(number) = logged {
                let pair = access.written(&note.far);
                state.keep(checker.own.log, number, &note.logged(), pair, note.content);
                _ = state.use_buffers(&access, note.on, note.place);
                continue;
            }
            let (window, words, place) = (&note.window, note.words, note.place);
            let entered = log(
                state,
                checker,
                window,
                &access,
                words,
                place,
                Fence::Follows,
            );
            let Span { low, high, .. } = note.near;
            if fits[0] != (low, high) {
                match note.beyond() {
                    Some(finding) => found.push((note, Found::Beyond(finding))),
                    None if note.near.is_one_block() => fits[0] = (low, high),
                    None => {}
                }
            }
            if let Some(race) = entered.own {
                found.push((note, Found::Race(*race)));
            }
            if let Some(clash) = state.use_buffers(&access, entered.on, note.place) {
                found.push((note, Found::Clash(clash)));
            }
        }
        are_some
    }

    /// What the program has not waited for is not complete.
    #[inline(always)]
    fn hold(&self, checker: &Checker, count: usize) {
        if self.notes[..count].iter().flatten().any(Note::is_over) {
            self.hold_given(checker, count);
        }
    }

    #[cold]
    #[inline(never)]
    fn hold_given(&self, checker: &Checker, count: usize) {
        requests::log_noted(|back, request, uses| {
            let site = &self.sites[back >> 1 & (SITES - 1)];
            let is_it =
                |note: &&Note| (note.place, note.on, note.is_over()) == (site.place, uses.on, true);
            let mut notes = self.notes[..count].iter().flatten();
            let note = notes.find(is_it).filter(|_| site.back == back);
            if let Some(note) = note {
                let given = note.logged_at(&uses.fetched());
                let mut state = STATE.lock();
                state.log_bound(checker.own.log, &given, request);
            }
            note.is_some()
        });
    }
}

/// Whether nothing that is pending is in the way of those of the note that are not compared.
pub(super) fn are_free(state: &State, scattered: &Scattered, note: &Note) -> bool {
    let meets = |span: &Span| state.may_meet(note.on, span);
    let mut fresh = scattered.fresh_single(note, meets);
    let clash = state.clash(&note.near, note.what.fetches(), |_| false);
    clash.is_none() && fresh.all(|one| one.own_conflict(state).is_none())
}
