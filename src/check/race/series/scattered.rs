//! Operations of one note that go anywhere: programs update a table at random places. They differ in where they begin alone, and that is all that is
//! kept of each.
//!
//! None of them is in the way of another: what would be does not [come here](Scattered::takes), and is found when it is compared with these. Where
//! there is no room for more the first half is complete from then on, as with [others](super::super::own).

use super::super::log::{Fence, KEPT, Log, Logged, On};
use super::super::span::Span;
use super::super::touched::Places;
use super::super::{Content, Kind};
use super::Operation;
use super::note::Note;
use crate::check::{Place, clock};

/// So many are kept: as many as a log has.
const MOST: usize = KEPT as usize;
/// So long they are at most, in bytes: as those are of which [`Places`] knows the last one.
const SMALL: u64 = 64;
/// So many operations that go elsewhere in a row go anywhere.
const MANY: usize = 3;

pub struct Scattered {
    /// Where each begins in the target's part.
    fars: [u64; MOST],
    /// What each has put, if that has to be known.
    contents: [u64; MOST],
    count: usize,
    /// So many of them, the first, are logged and compared: from this number in the log on.
    compared: usize,
    first: u64,
    /// Of which note they are.
    owner: usize,
    /// Where puts are.
    places: Places,
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
            count: 0,
            compared: 0,
            first: 0,
            owner: NOBODY,
            places: Places::new(),
        }
    }

    /// Whether they are of the note of this number.
    #[inline(always)]
    pub fn are_of(&self, note: usize) -> bool {
        self.owner == note
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
        let is_like = |note: &Note| {
            (note.on, note.what, note.place, note.known)
                == (last.on, last.what, last.place, last.known)
                && note.far.is_one_block()
                && note.near.is_one_block()
                && note.far.block == last.far.block
        };
        let mut first = notes.len();
        while first > 0 && notes[first - 1].as_ref().is_some_and(is_like) {
            first -= 1;
        }
        let is_small = last.far.block <= SMALL;
        let are_free = self.owner == NOBODY && is_small;
        (are_free && notes.len() - first >= MANY).then_some(first)
    }

    /// The note of this number is one of operations that go anywhere, of which it has the first.
    #[inline(always)]
    pub fn begin(&mut self, number: usize, note: &Note) {
        if self.count > 0 {
            self.places.clear();
        }
        (self.owner, self.count, self.compared) = (number, 0, 0);
        let content = note.content.and_then(Content::one);
        if note.what.is(Kind::Put) {
            self.places.add(note.on, note.what, &note.far, 0);
        }
        self.add(note.far.low, content);
    }

    /// Takes the operation in, if it is one of those of the note.
    #[inline(always)]
    pub fn takes(&mut self, note: &mut Note, operation: &Operation, place: Place) -> bool {
        let on = On::new(operation.window.id, operation.target);
        note.is_like(operation, on, place)
            && self.take(note, operation.far, operation.near, operation.content())
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
        let is_from_one = note.near.low == near && note.near.is_one_block();
        let may_share = !what.fetches() || what.has_request();
        let mut next = None;
        if !(is_from_one && may_share) {
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
        if what.is(Kind::Put) && !self.places.add_apart(on, &span, self.count) {
            match self.beside(on, &{ span }, is_from_one, content) {
                Beside::Elsewhere => self.places.add(on, what, &{ span }, self.count),
                Beside::Same => return true,
                Beside::InTheWay => return false,
            }
        }
        // Word by word, as above: what was written so, and is read two words at once, has to be waited for.
        (note.far.low, note.far.high) = (span.low, span.high);
        if let Some((high, stride)) = next {
            (note.near.high, note.near.stride) = (high, stride);
        }
        self.add(far, content);
        true
    }

    #[inline(always)]
    fn add(&mut self, far: u64, content: Option<u64>) {
        let count = self.count;
        if let Some(place) = self.fars.get_mut(count) {
            *place = far;
            if let Some(content) = content {
                self.contents[count] = content;
            }
            self.count = count + 1;
        }
    }

    #[inline(never)]
    fn beside(&self, on: On, far: &Span, is_from_one: bool, content: Option<u64>) -> Beside {
        if !self.places.may_meet(on, far) {
            return Beside::Elsewhere;
        }
        let kept = &self.fars[..self.count];
        let meets = |low: u64| low < far.low + far.block && far.low < low + far.block;
        let newest = self.places.newest(on, far);
        let newest = newest.filter(|at| kept.get(*at).is_some_and(|low| meets(*low)));
        let other = newest.or_else(|| kept.iter().rposition(|low| meets(*low)));
        match other {
            None => Beside::Elsewhere,
            Some(at) => {
                let has_same = content.is_none_or(|content| self.contents[at] == content);
                match is_from_one && kept[at] == far.low && has_same {
                    true => Beside::Same,
                    false => Beside::InTheWay,
                }
            }
        }
    }

    /// Logs those that are not, complete at that time if it is not 0, and gives the number of the first of these.
    #[inline(always)]
    pub fn log(&mut self, note: &mut Note, log: &Log, done: u64) -> u64 {
        let first = log.count() + 1;
        if self.compared == 0 {
            self.first = first;
        }
        for low in &self.fars[self.compared..self.count] {
            if log
                .add_to(note.of, *low, (0, done), Fence::Follows)
                .is_some()
            {
                continue;
            }
            note.of = log.next_call();
            let logged = Logged {
                done,
                ..note.logged_at(&Span::run(*low, note.far.block))
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
        self.fars.copy_within(half..self.count, 0);
        self.contents.copy_within(half..self.count, 0);
        self.first += half as u64;
        self.count -= half;
        self.compared = self.count;
        if !note.near.is_one_block() {
            note.near.low += half as u64 * note.near.stride;
        }
        if note.what.is(Kind::Put) {
            self.places.clear();
            for (at, low) in self.fars[..self.count].iter().enumerate() {
                let span = Span::run(*low, note.far.block);
                self.places.add(note.on, note.what, &span, at);
            }
        }
    }

    /// Where in the target's part the operations of a note are that are not compared.
    pub fn fresh(&self, number: usize, note: &Note) -> impl Iterator<Item = Span> + use<'_> {
        let fars = match self.owner == number {
            true => &self.fars[self.compared..self.count],
            false => &[],
        };
        let whole = (self.owner != number).then_some(note.far);
        let block = note.far.block;
        let scattered = fars.iter().map(move |low| Span::run(*low, block));
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

    /// Those that are not compared, as notes of their own.
    pub fn fresh_single(&self, note: &Note) -> impl Iterator<Item = Note> {
        (self.compared..self.count).map(|at| self.one(note, at).0)
    }

    fn one(&self, note: &Note, at: usize) -> (Note, Option<u64>) {
        let (mut one, block) = (*note, note.far.block);
        one.far = Span::run(self.fars[at], block);
        if !note.near.is_one_block() {
            one.near = Span::run(note.near.low + at as u64 * note.near.stride, block);
        }
        one.content = note.content.map(|_| Content::One(self.contents[at]));
        let logged = (at < self.compared).then_some(self.first + at as u64);
        if logged.is_some() {
            // It may have been another time: no one that is made once more has known as much.
            one.known = u64::MAX;
        }
        (one, logged)
    }
}
