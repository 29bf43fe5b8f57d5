//! Operations of one note that go anywhere: programs update a table at random places. They differ in where they begin alone, and that is all that is
//! kept of each.
//!
//! None of them is in the way of another: what would be does not [come here](Scattered::takes), and is found when it is compared with these. Where
//! there is no room for more the first half is complete from then on, as with [others](super::super::own).

use super::super::log::{Fence, KEPT, Log, Logged, On};
use super::super::span::Span;
use super::super::touched::Halves;
use super::super::{Content, Kind};
use super::Operation;
use super::note::{Here, Note};
use crate::check::{Place, clock};
use std::hint::black_box;

/// So many are kept: as many as a log has.
const MOST: usize = KEPT as usize;
/// So long they are at most, in bytes: as those are of which [`Halves`] knows the last one.
const SMALL: u64 = 64;
/// Where so many are kept at most, where they are is forgotten one by one.
const FEW: usize = 32;
/// So many operations that go elsewhere in a row go anywhere.
const MANY: usize = 3;

pub struct Scattered {
    /// Where each begins in the target's part: by its [place](Scattered::place), as all that is kept of each.
    fars: [u64; MOST],
    /// What each has put, if that has to be known.
    contents: [u64; MOST],
    /// Which was the last one before each, of those whose lines share a [place](Halves).
    befores: [u16; MOST],
    /// Whether there are some of two lines, which may be the last ones of others, too.
    have_wide: bool,
    /// So many there were, and so many of these, the last ones, are kept.
    total: u16,
    count: usize,
    /// So many of them, the first, are logged and compared: from this number in the log on.
    compared: usize,
    first: u64,
    /// Of which note they are: on what, and how long.
    owner: usize,
    on: On,
    block: u64,
    /// Where puts are.
    halves: Halves,
}

/// No note has this number.
const NOBODY: usize = usize::MAX;

/// How an operation is to those that are kept.
enum Beside {
    Elsewhere,
    /// One of them is the same.
    Same,
    InTheWay,
}

impl Scattered {
    pub const fn new() -> Scattered {
        Scattered {
            fars: [0; MOST],
            contents: [0; MOST],
            befores: [0; MOST],
            have_wide: false,
            total: 0,
            count: 0,
            compared: 0,
            first: 0,
            owner: NOBODY,
            on: On::NONE,
            block: 0,
            halves: Halves::new(),
        }
    }

    /// Whether they are of the note of this number.
    #[inline(always)]
    pub fn are_of(&self, note: usize) -> bool {
        self.owner == note
    }

    /// Their note has this number from now on.
    pub fn are_now_of(&mut self, note: usize) {
        self.owner = note;
    }

    /// Whether they are of no note.
    pub fn is_nobodys(&self) -> bool {
        self.owner == NOBODY
    }

    /// Whether some are logged, and not complete.
    pub fn are_some_compared(&self) -> bool {
        !self.is_nobodys() && self.compared > 0
    }

    /// There are none any more.
    #[inline(always)]
    pub fn end(&mut self) {
        self.owner = NOBODY;
    }

    /// Whether there is no room for one more.
    pub fn are_many(&self) -> bool {
        self.count == MOST
    }

    /// Where the last of the notes begin that are of one call of the program's, one operation each, and go anywhere: these may become one.
    pub fn of_notes(&self, notes: &[Option<Note>]) -> Option<usize> {
        let [.., Some(last)] = notes else {
            return None;
        };
        let is_like =
            |note: &Note| note.is_as(last) && note.far.is_one_block() && note.near.is_one_block();
        let mut first = notes.len();
        while first > 0 && notes[first - 1].as_ref().is_some_and(is_like) {
            first -= 1;
        }
        let is_small = last.far.block <= SMALL;
        let are_free = self.is_nobodys() && is_small;
        (are_free && notes.len() - first >= MANY).then_some(first)
    }

    /// The note of this number is one of operations that go anywhere, of which it has the first.
    #[inline(always)]
    pub fn begin(&mut self, number: usize, note: &Note) {
        self.forget_places();
        (self.owner, self.count, self.compared) = (number, 0, 0);
        (self.on, self.block) = (note.on, note.far.block);
        self.have_wide = false;
        let content = note.content.and_then(Content::one);
        let last = match note.what.is(Kind::Put) {
            true => self.add_place(note.on, &note.far),
            false => self.total,
        };
        self.add(note.far.low, content, last, true);
    }

    #[inline(always)]
    fn forget_places(&mut self) {
        if self.count > FEW {
            return self.halves.clear();
        }
        for before in 0..self.count {
            let far = self.fars[self.place(before)];
            self.halves.take_away(self.on, &Span::run(far, self.block));
        }
    }

    /// Takes the operation in, if it is one of those of the note.
    #[inline(always)]
    pub fn takes(&mut self, note: &mut Note, operation: &Operation, place: Place) -> bool {
        let on = On::new(operation.window.id, operation.target);
        let Operation {
            far, near, bytes, ..
        } = *operation;
        let takes =
            note.is_like(operation, on, place) && self.take(note, far, near, operation.content());
        if takes && note.here == Here::Left {
            note.stays(near, bytes);
        }
        takes
    }

    /// The same of one that is noted, and like them.
    pub fn take_note(&mut self, note: &mut Note, other: &Note) -> bool {
        let content = other.content.and_then(Content::one);
        self.take(note, other.far.low, other.near.low, content)
    }

    /// The same of one that differs from those in where it begins alone.
    #[inline(always)]
    pub fn take(&mut self, note: &mut Note, far: u64, near: u64, content: Option<u64>) -> bool {
        let Note { on, what, .. } = *note;
        let bytes = note.far.block;
        if self.are_many() {
            return false;
        }
        let may_share = !what.fetches() || what.has_request();
        // What has left its buffer is no other one's repetition: the buffer may have had something else in it.
        let has_left = note.here != Here::InUse;
        let is_from_one = note.near.low == near && note.near.is_one_block() && !has_left;
        let mut next = None;
        if !(has_left || is_from_one && may_share) {
            // Where the first ones had one buffer, the others have it too.
            if note.near.is_one_block() && self.count > 1 {
                return false;
            }
            match note.near.with(near, bytes) {
                Some(all) => next = Some((all.high, all.stride)),
                None => return false,
            }
        }
        let span = Span::run(far, bytes);
        let (mut is_new, mut before) = (true, self.total);
        if what.is(Kind::Put) {
            let (is_apart, last) = self.halves.add_apart(on, &span, self.total);
            let at = usize::from(last) % MOST;
            let has_same = content.is_none_or(|content| self.contents[at] == content);
            let is_same = self.has(last) & (self.fars[at] == far) & is_from_one & has_same;
            (is_new, before) = (is_apart, last);
            if !black_box(is_apart | is_same) {
                match self.beside(on, &{ span }, is_from_one, content) {
                    Beside::Elsewhere => {
                        (is_new, before) = (true, self.add_place(on, &{ span }));
                    }
                    Beside::Same => {}
                    Beside::InTheWay => return false,
                }
            }
        }
        // Word by word, as above: what was written so, and is read two words at once, has to be waited for.
        (note.far.low, note.far.high) = (span.low, span.high);
        if let Some((high, stride)) = next {
            (note.near.high, note.near.stride) = (high, stride);
        }
        self.add(far, content, before, is_new);
        true
    }

    /// Keeps one, if it `is_new`: see [`Halves::add_apart`].
    #[inline(always)]
    fn add(&mut self, far: u64, content: Option<u64>, before: u16, is_new: bool) {
        let at = usize::from(self.total) % MOST;
        (self.fars[at], self.befores[at]) = (far, before);
        if let Some(content) = content {
            self.contents[at] = content;
        }
        self.total = self.total.wrapping_add(is_new.into());
        self.count += usize::from(is_new);
    }

    /// Where the one is of which so many were kept before it.
    #[inline(always)]
    fn place(&self, before: usize) -> usize {
        (usize::from(self.total) + before).wrapping_sub(self.count) % MOST
    }

    /// Whether the one of this number is kept.
    #[inline(always)]
    fn has(&self, number: u16) -> bool {
        let since = self.total.wrapping_sub(number);
        usize::from(since.wrapping_sub(1)) < self.count
    }

    /// Where some of those that are kept begin in the target's part.
    #[inline(always)]
    fn fars(&self, some: std::ops::Range<usize>) -> impl Iterator<Item = u64> + use<'_> {
        some.map(|before| self.fars[self.place(before)])
    }

    /// Where the one of this number is, and those before it whose lines share a place with its own, as far as they are kept.
    fn befores(&self, number: u16) -> impl Iterator<Item = usize> + use<'_> {
        let since = |number: u16| self.total.wrapping_sub(number);
        let next = move |number: &u16| {
            let before = self.befores[usize::from(*number) % MOST];
            // What is not older was said of another one, of long ago.
            (self.has(before) && since(before) > since(*number)).then_some(before)
        };
        let first = Some(number).filter(|number| self.has(*number));
        std::iter::successors(first, next).map(|number| usize::from(number) % MOST)
    }

    /// Keeps in mind where the next one is, and gives the last one before it that shares its place.
    #[cold]
    fn add_place(&mut self, on: On, far: &Span) -> u16 {
        let last = self.halves.newest(on, far);
        self.have_wide |= last.is_none();
        self.halves.add(on, far, self.total);
        last.unwrap_or(self.total)
    }

    #[inline(never)]
    fn beside(&self, on: On, far: &Span, is_from_one: bool, content: Option<u64>) -> Beside {
        if !self.halves.may_meet(on, far) {
            return Beside::Elsewhere;
        }
        let meets = |at: usize| self.fars[at] < far.high && far.low < self.fars[at] + far.block;
        let newest = self.halves.newest(on, far).filter(|_| !self.have_wide);
        let other = match newest {
            Some(newest) => self.befores(newest).find(|at| meets(*at)),
            None => (0..self.count)
                .map(|before| self.place(before))
                .rfind(|at| meets(*at)),
        };
        match other {
            None => Beside::Elsewhere,
            Some(at) => {
                let has_same = content.is_none_or(|content| self.contents[at] == content);
                match is_from_one && self.fars[at] == far.low && has_same {
                    true => Beside::Same,
                    false => Beside::InTheWay,
                }
            }
        }
    }

    /// Whether one of them may have bytes of `far`, or that is not known.
    pub fn may_meet(&self, note: &Note, far: &Span) -> bool {
        let meets = || {
            let mut all = self.fars(0..self.count);
            all.any(|low| Span::run(low, note.far.block).meets(far))
        };
        // Those that are compared have numbers in a row.
        let is_known = self.compared == 0 && (note.what.is(Kind::Put) || self.count <= FEW);
        !is_known || self.halves.may_meet(note.on, far) || (!note.what.is(Kind::Put) && meets())
    }

    /// Whether an operation of the note of this number may have bytes of `far`: of these, if they are of that one.
    pub fn note_may_meet(&self, number: usize, note: &Note, far: &Span) -> bool {
        match self.are_of(number) {
            true => self.may_meet(note, far),
            false => note.far.meets(far),
        }
    }

    /// Logs those that are not, complete at that time if it is not 0, and gives the number of the first of these.
    #[inline(always)]
    pub fn log(&mut self, note: &mut Note, log: &Log, done: u64) -> u64 {
        let first = log.count() + 1;
        if self.compared == 0 {
            self.first = first;
        }
        for low in self.fars(self.compared..self.count) {
            if log
                .add_to(note.of, low, (0, done), Fence::Follows)
                .is_some()
            {
                continue;
            }
            note.of = log.next_call();
            let logged = Logged {
                done,
                by_wait: false,
                ..note.logged_at(&Span::run(low, note.far.block))
            };
            log.add(&logged, Fence::Follows);
        }
        first
    }

    /// Those that were logged before are complete by now, too.
    #[inline(always)]
    pub fn complete(&self, log: &Log, now: u64) {
        for at in 0..self.compared {
            log.complete(self.first + at as u64, now);
        }
    }

    /// All are logged, and compared by now.
    pub fn are_compared(&mut self) {
        self.compared = self.count;
    }

    /// Keeps the last half, where all are compared.
    #[inline(never)]
    pub fn make_room(&mut self, note: &mut Note, log: &Log) {
        let half = self.count / 2;
        self.compared = half;
        self.complete(log, clock::tick(false));
        self.halves.turn();
        self.first += half as u64;
        self.count -= half;
        self.compared = self.count;
        if !note.near.is_one_block() {
            note.near.low += half as u64 * note.near.stride;
        }
    }

    /// Where in the target's part the operations of a note are that are not compared.
    pub fn fresh(&self, number: usize, note: &Note) -> impl Iterator<Item = Span> + use<'_> {
        let fars = match self.owner == number {
            true => self.compared..self.count,
            false => 0..0,
        };
        let whole = (self.owner != number).then_some(note.far);
        let block = note.far.block;
        let scattered = self.fars(fars).map(move |low| Span::run(low, block));
        scattered.chain(whole)
    }

    /// The operations of a note, as notes of their own if they are scattered: with the number that each has in the log, if it is compared.
    pub fn single(
        &self,
        number: usize,
        note: Note,
    ) -> impl Iterator<Item = (Note, Option<u64>)> + use<'_> {
        let is_one = self.owner != number;
        let count = if is_one { 1 } else { self.count };
        (0..count).map(move |at| match is_one {
            true => (note, None),
            false => self.one(&note, at),
        })
    }

    /// Those that are not compared, as notes of their own, as far as they may `meet` something.
    pub fn fresh_single(
        &self,
        note: &Note,
        meets: impl Fn(&Span) -> bool,
    ) -> impl Iterator<Item = Note> {
        let span = |at| Span::run(self.fars[self.place(at)], note.far.block);
        let met = (self.compared..self.count).filter(move |at| meets(&span(*at)));
        met.map(|at| self.one(note, at).0)
    }

    fn one(&self, note: &Note, at: usize) -> (Note, Option<u64>) {
        let (mut one, block) = (*note, note.far.block);
        let place = self.place(at);
        one.far = Span::run(self.fars[place], block);
        if !note.near.is_one_block() {
            one.near = Span::run(note.near.low + at as u64 * note.near.stride, block);
        }
        if note.here == Here::LeftButLast {
            one.here = match at + 1 == self.count {
                true => Here::InUse,
                false => Here::Left,
            };
        }
        one.content = note.content.map(|_| Content::One(self.contents[place]));
        let logged = (at < self.compared).then_some(self.first + at as u64);
        if logged.is_some() {
            // It may have been another time: no one that is made once more has known as much.
            one.known = u64::MAX;
        }
        (one, logged)
    }
}
