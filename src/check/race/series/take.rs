//! Which operations are noted, and as which note: of one call, those that go on by one step, or anywhere.

use super::super::again::NOWHERE;
use super::super::log::{Of, On};
use super::super::span::Span;
use super::super::{Content, Kind, STATE, again, element, requests};
use super::note::{Here, Note, is_over};
use super::{MOST, OPEN, Once, Operation, REPEATED, ROOM, SITES, Series, Site};
use crate::check::{Checker, checker, clock, is_inside, place};
use crate::shm::atomic::Ordering::Relaxed;

impl Series {
    #[inline(always)]
    pub(super) fn note(&mut self, operation: &Operation) -> bool {
        let Some(checker) = checker() else {
            return false;
        };
        if clock::Own::of(checker).may_have_seen() {
            self.catch_up(checker);
        }
        let Operation {
            what,
            far,
            near,
            bytes,
            ..
        } = *operation;
        element::let_beside(far, near, bytes, what);
        let back = place::came_from();
        let number = back >> 1 & (SITES - 1);
        let on = On::new(operation.window.id, operation.target);
        let site = self.sites[number];
        let is_known = site.back == back;
        if what.has_request() && self.is_for_repetition(operation, on, back) {
            self.settle();
            return false;
        }
        if self.count > 0 {
            if !self.may_join(operation, on) || self.may_have_told() {
                self.settle();
            } else if is_known && let Some(Some(note)) = self.notes[..self.count].get_mut(site.note)
            {
                let goes_on = match self.scattered.are_of(site.note) {
                    true => self.scattered.takes(note, operation, site.place),
                    false => {
                        note.goes_on(operation, site.place)
                            || self.goes_elsewhere(number, *operation)
                    }
                };
                if goes_on {
                    self.is_elsewhere = false;
                    self.keep_in_mind(operation);
                    return true;
                }
                if self.scattered.are_of(site.note)
                    && self.scattered.are_many()
                    && self.keep_half(checker)
                    && let Some(note) = &mut self.notes[site.note]
                    && self.scattered.takes(note, operation, site.place)
                {
                    return true;
                }
            }
        } else if self.scattered.are_of(0)
            && let [Some(note), ..] = &mut self.notes
            && is_known
            && note.is_like(operation, on, site.place)
        {
            let process = operation.window.members[operation.target];
            note.begin_again(checker, process, operation, self.is_alone);
            self.scattered.begin(0, note);
            self.count = 1;
            self.keep_in_mind(operation);
            return true;
        } else if let (Some(flushed), [Some(note), ..]) = (&self.flushed, &self.notes)
            && is_known
            && flushed.is(operation, on, site.place)
        {
            if note.far.low == operation.far && !self.is_locked && !self.has_beside {
                // The same once more, and a flush between: to [repeat](again) that is quicker.
                self.flushed = None;
                return false;
            }
            let process = flushed.process;
            self.has_beside = false;
            self.note_elsewhere(checker, process, operation);
            return true;
        }
        let is_open = self.open == Some(on) && is_known && self.count < MOST;
        if !is_open {
            let process = operation.window.members[operation.target];
            if !self.open(checker, on, process, back) {
                return false;
            }
        }
        self.begin(operation, back);
        self.keep_in_mind(operation);
        true
    }

    /// Whether an operation with a request was made so often without another one between, and waited for, that to [repeat](again) it is quicker. Others
    /// than these come to that where they are flushed.
    #[inline(always)]
    fn is_for_repetition(&mut self, operation: &Operation, on: On, back: usize) -> bool {
        let one = Once {
            on,
            what: operation.what,
            back,
            far: operation.far,
            near: operation.near,
            bytes: operation.bytes,
        };
        if self.last != one {
            (self.last, self.times) = (one, 0);
            return false;
        }
        self.times += 1;
        self.times == REPEATED && {
            self.times = 0;
            requests::are_waited_for()
        }
    }

    /// Whether the operation, which does not go on as those of a site's last note, goes on as the second half of that, or goes anywhere as the
    /// last ones do.
    #[inline(never)]
    // It gets a copy, as what is given is in registers else.
    fn goes_elsewhere(&mut self, site: usize, operation: Operation) -> bool {
        let place = self.sites[site].place;
        if self.halve(site)
            && let Some(note) = &mut self.notes[self.sites[site].note]
            && note.goes_on(&operation, place)
        {
            return true;
        }
        self.scatter(site)
            && self.notes[self.count - 1]
                .as_mut()
                .is_some_and(|note| self.scattered.takes(note, &operation, place))
    }

    /// Makes one note of the last ones of a site, if those [go anywhere](super::scattered::Scattered).
    fn scatter(&mut self, site: usize) -> bool {
        let is_last = self.sites[site].note + 1 == self.count;
        is_last && self.scatter_last() && {
            self.sites[site].note = self.count - 1;
            true
        }
    }

    /// The same of the last ones of all.
    #[inline(never)]
    pub(super) fn scatter_last(&mut self) -> bool {
        let notes = &self.notes[..self.count];
        let Some(first) = self.scattered.of_notes(notes) else {
            return false;
        };
        let Some(mut all) = notes[first] else {
            return false;
        };
        self.scattered.begin(first, &all);
        let mut others = notes[first + 1..].iter().flatten();
        if !others.all(|note| self.scattered.take_note(&mut all, note)) {
            self.scattered.end();
            return false;
        }
        self.notes[first] = Some(all);
        self.count = first + 1;
        true
    }

    /// Makes two notes of the last one of a site, if that is [no series](Note::halve) and there is room.
    #[inline(always)]
    pub(super) fn halve(&mut self, site: usize) -> bool {
        let count = self.count;
        let site = &mut self.sites[site];
        if count < ROOM
            && let Some(Some(note)) = self.notes[..count].get_mut(site.note)
            && let Some(second) = note.halve()
        {
            self.notes[count] = Some(second);
            (site.note, self.count) = (count, count + 1);
            return true;
        }
        false
    }

    /// Whether an operation on an element may be listed beside the notes: none of its bytes, there or here, is one of theirs that one of both
    /// writes to.
    pub(super) fn lets(&self, operation: &element::Operation) -> bool {
        let element::Operation {
            on,
            what,
            bytes,
            far,
            near,
            ..
        } = *operation;
        let far = Span::run(far, bytes);
        let [reads, writes] = near.spans(bytes, what);
        let mut notes = self.notes[..self.count].iter().flatten().enumerate();
        notes.all(|(number, note)| {
            let is_used = |span: &Span| note.near.meets(span);
            let is_in_use = note.here != Here::Left
                && (writes.iter().any(is_used) || note.what.fetches() && reads.iter().any(is_used));
            let meets = || self.scattered.note_may_meet(number, note, &far);
            let is_in_the_way = note.what.has_request() || is_in_use || note.on == on && meets();
            !is_in_the_way
        })
    }

    /// The first note, which was flushed, is this operation's, too, that goes elsewhere: all else is known of it.
    #[inline(always)]
    fn note_elsewhere(&mut self, checker: &Checker, process: u32, operation: &Operation) {
        let [Some(note), ..] = &mut self.notes else {
            return;
        };
        note.begin_again(checker, process, operation, self.is_alone);
        (self.count, self.is_elsewhere) = (1, true);
    }

    /// Whether what is noted may be completed together with this operation.
    #[inline(always)]
    fn may_join(&self, operation: &Operation, on: On) -> bool {
        let [Some(first), ..] = &self.notes[..self.count] else {
            return true;
        };
        let what = operation.what;
        match first.what.has_request() || what.has_request() {
            true if self.is_mixed || first.what != what => self.may_be_among(operation, on),
            _ => true,
        }
    }

    /// The same of one with a request, among such as differ: none of its bytes, there or here, is one of those. What was fetched is complete where the
    /// program has waited for all, and so what is put may be in its place.
    #[inline(never)]
    fn may_be_among(&self, operation: &Operation, on: On) -> bool {
        let what = operation.what;
        let is_behind = what.is(Kind::Put) && requests::are_waited_for();
        let far = Span::run(operation.far, operation.bytes);
        let near = Span::run(operation.near, operation.bytes);
        let mut notes = self.notes[..self.count].iter().flatten().enumerate();
        notes.all(|(number, note)| {
            let meets = || self.scattered.note_may_meet(number, note, &far);
            let is_apart = || !note.near.meets(&near) && (note.on != on || !meets());
            note.what == what
                || note.what.has_request() && what.has_request() && (is_behind || is_apart())
        })
    }

    /// Whether the program may have seen a flag in what the last operation has fetched, whose request is over.
    #[inline(always)]
    fn may_have_told(&self) -> bool {
        self.fetched_from != NOWHERE
            && checker().is_some_and(|checker| clock::is_behind(checker, self.fetched_from))
    }

    /// Such an operation is noted.
    #[inline(always)]
    fn keep_in_mind(&mut self, operation: &Operation) {
        if is_over(operation.what) {
            self.fetched_from = operation.window.members[operation.target];
        }
    }

    /// Others have changed this process's memory. What was noted before that is compared by what it knew before.
    #[cold]
    fn catch_up(&mut self, checker: &Checker) {
        element::settle();
        if self.count == 0 || !self.scattered.are_of(0) || !self.enter_scattered(checker) {
            self.settle();
        }
        clock::catch_up();
        if self.count > 0
            && let [Some(note), ..] = &mut self.notes
        {
            note.know(clock::Own::of(checker), note.process());
        }
    }

    /// Whether an operation like this may be noted.
    #[cold]
    #[inline(never)]
    fn open(&mut self, checker: &Checker, on: On, process: u32, back: usize) -> bool {
        // A call that this one is inside of may tell others something before it makes another one.
        if is_inside() {
            return false;
        }
        if checker.area.block(process).parts.are_shared() {
            return false;
        }
        // Where the call comes by a library of ours, only the stack says from where.
        let site = &mut self.sites[back >> 1 & (SITES - 1)];
        if site.back != back {
            let Some(place) = checker.own.modules.place_of_program(back) else {
                return false;
            };
            *site = Site {
                back,
                place,
                note: ROOM,
            };
        }
        if self.count >= MOST {
            self.settle();
        }
        if self.count == 0 {
            again::settle();
        }
        self.is_alone = STATE.lock().is_alone();
        self.open = Some(on);
        OPEN.store(true, Relaxed);
        true
    }

    #[inline(always)]
    fn begin(&mut self, operation: &Operation, back: usize) {
        let Operation {
            window,
            words,
            function,
            target,
            what,
            far,
            near,
            bytes,
        } = *operation;
        let process = window.members[target];
        let site = &mut self.sites[back >> 1 & (SITES - 1)];
        if what.changes() {
            clock::come(process, self.is_alone);
        }
        self.is_mixed = match self.notes[..self.count].last() {
            Some(Some(last)) => self.is_mixed || last.what != what,
            _ => false,
        };
        let Some(note) = self.notes.get_mut(self.count) else {
            return;
        };
        if self.count == 0 {
            self.scattered.end();
        }
        site.note = self.count;
        (self.is_elsewhere, self.has_beside) = (false, false);
        *note = Some(Note {
            window,
            words,
            function,
            target,
            on: On::new(window.id, target),
            what,
            place: site.place,
            known: clock::known_as_it_is(process),
            far: Span::run(far, bytes),
            near: Span::run(near, bytes),
            content: operation.content().map(Content::One),
            of: Of::NONE,
            here: Here::InUse,
        });
        self.count += 1;
    }
}
