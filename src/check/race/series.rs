//! Puts and gets that go elsewhere each time: programs move pieces of a row or a table in a loop. What is known of one at its call is only noted
//! here; it is logged and compared when the process makes any other call ([`settle`]), or when there is no [room](MOST) for more. Calls
//! from one place of the program that go on by the same step on both sides are one [`Note`], one entry of the log, and are compared once.
//!
//! **Why nothing is missed or told wrongly.** Between a note and its settling this process makes no other call. So its clock stays as it was, and
//! what the operation is ordered after is the same when it is compared ([`clock::as_it_is`]). None of the operations is complete at
//! its target, so that nothing can be ordered behind one, and who conflicts with one does so whenever it comes. Of two processes that
//! compare, one finds the other's entry: each logs before it looks. Operations that are atomic order others by their effect alone, and so cannot be late.
//!
//! Only the thread that has initialized MPI is here, where no other one may call ([`Alone`]). While something is noted, nothing
//! [repeats](super::again).

use super::log::{Logged, On};
use super::span::Span;
use super::touched::Touched;
use super::{Access, Begun, Clash, Race, State, What, Window, Words, again, report};
use crate::check::threads::{Alone, is_alone};
use crate::check::{Finding, Place, buffers, called, checker, clock, local, place};
use crate::shm::atomic::{AtomicBool, Ordering::Relaxed};
use smallvec::SmallVec;

/// So many notes are taken before they are compared.
const MOST: usize = u64::BITS as usize;
/// Places of the program of which the last note is known: a power of two.
const SITES: usize = 32;

/// Operations that are noted: all of one call of the program's, on one target.
#[derive(Clone, Copy)]
struct Note {
    window: Window<'static>,
    words: &'static dyn Words,
    function: &'static str,
    target: usize,
    what: What,
    place: Place,
    known: u64,
    far: Span,
    near: Span,
}

/// A place of the program that has made such calls.
#[derive(Clone, Copy)]
struct Site {
    /// Where the call returns to.
    back: usize,
    place: Place,
    /// Which note was its last one.
    note: usize,
}

/// An operation, as it is given.
#[derive(Clone, Copy)]
pub struct Operation {
    pub window: Window<'static>,
    pub words: &'static dyn Words,
    pub function: &'static str,
    pub target: usize,
    pub what: What,
    /// Where the bytes are: in the target's part, or at which address; in this process.
    pub far: u64,
    pub near: u64,
    pub bytes: u64,
}

/// What makes an operation the last one once more.
#[derive(Clone, Copy, PartialEq)]
struct Last {
    back: usize,
    on: On,
    far: u64,
    near: u64,
    bytes: u64,
}

struct Series {
    notes: [Option<Note>; MOST],
    count: usize,
    sites: [Site; SITES],
    last: Option<Last>,
    /// Where the notes are that are compared.
    noted: Touched,
}

static SERIES: Alone<Series> = Alone::new(Series {
    notes: [None; MOST],
    count: 0,
    sites: [const {
        Site {
            back: 0,
            place: Place::UNKNOWN,
            note: MOST,
        }
    }; SITES],
    last: None,
    noted: Touched::new(),
});
/// Whether something is noted.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Whether operations of this thread may be noted now, as far as the process is concerned.
#[inline(always)]
pub fn may_note() -> bool {
    is_alone() && !local::is_seen() && !clock::sees_loads() && !clock::has_come()
}

/// Notes an operation that is about to be carried out: whether it could be. [`may_note`] holds.
#[inline(always)]
pub fn note(operation: &Operation) -> bool {
    SERIES
        .with(|series| series.note(operation))
        .unwrap_or(false)
}

impl Note {
    /// Takes the operation in, if it goes on as those before.
    #[inline(always)]
    fn goes_on(&mut self, operation: &Operation, place: Place) -> bool {
        let Operation {
            window,
            target,
            what,
            far,
            near,
            bytes,
            ..
        } = *operation;
        if (self.window.id, self.target, self.what, self.place) != (window.id, target, what, place)
        {
            return false;
        }
        let is_from_one = self.near == Span::run(near, bytes);
        if is_from_one && self.far == Span::run(far, bytes) {
            return true;
        }
        let Some(all) = self.far.with(far, bytes) else {
            return false;
        };
        // What is fetched has a place of its own.
        if is_from_one && !what.fetches() {
            self.far = all;
            return true;
        }
        // Where the first ones had one buffer, the others have it too.
        let is_paired = self.near.blocks() == self.far.blocks();
        match self.near.with(near, bytes) {
            Some(all_near) if is_paired => {
                (self.far, self.near) = (all, all_near);
                true
            }
            _ => false,
        }
    }

    fn on(&self) -> On {
        On::new(self.window.id, self.target)
    }

    /// What others find of it.
    fn logged(&self) -> Logged {
        let (far, near) = ([self.far], [self.near]);
        self.access(&far, &near)
            .logged(self.on(), self.place, &self.far)
    }

    /// As one access, of which it gives the parts.
    fn access<'a>(&self, far: &'a [Span; 1], near: &'a [Span; 1]) -> Access<'a> {
        let (reads, writes): (&[Span], &[Span]) = match self.what.fetches() {
            true => (&[], near),
            false => (near, &[]),
        };
        Access {
            target: self.target,
            what: self.what,
            spans: far,
            begun: Begun {
                issued: 0,
                known: self.known,
            },
            reads,
            writes,
            is_series: true,
        }
    }
}

impl Series {
    #[inline(always)]
    fn note(&mut self, operation: &Operation) -> bool {
        let back = place::came_from();
        let site = &mut self.sites[back >> 1 & (SITES - 1)];
        let last = Last {
            back,
            on: On::new(operation.window.id, operation.target),
            far: operation.far,
            near: operation.near,
            bytes: operation.bytes,
        };
        if self.count == 0 && self.last == Some(last) {
            // The same once more, and something between: that is quicker elsewhere.
            self.last = None;
            return false;
        }
        self.last = Some(last);
        if site.back == back
            && let Some(Some(note)) = self.notes[..self.count].get_mut(site.note)
            && note.goes_on(operation, site.place)
        {
            return true;
        }
        self.begin(operation, back)
    }

    #[inline(never)]
    fn begin(&mut self, operation: &Operation, back: usize) -> bool {
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
        // A call that this one is inside of may tell others something before it makes another one.
        if !called().is_empty() {
            return false;
        }
        let Some(checker) = checker() else {
            return false;
        };
        let process = window.members[target];
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
                note: MOST,
            };
        }
        if self.count == MOST {
            self.settle();
        }
        if self.count == 0 {
            again::settle();
        }
        let site = &mut self.sites[back >> 1 & (SITES - 1)];
        if what.changes() {
            clock::come(process);
        }
        site.note = self.count;
        self.notes[self.count] = Some(Note {
            window,
            words,
            function,
            target,
            what,
            place: site.place,
            known: clock::as_it_is(process),
            far: Span::run(far, bytes),
            near: Span::run(near, bytes),
        });
        self.count += 1;
        OPEN.store(true, Relaxed);
        true
    }

    /// Compares the first `count` with what the others have logged, and tells of each the first that nothing orders.
    fn compare(
        &mut self,
        state: &mut State,
        own: u32,
        count: usize,
        mut tell: impl FnMut(&Note, Race),
    ) {
        let notes = &self.notes[..count];
        let mut told = 0_u64;
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
            for &rank in window.members.iter().filter(|rank| **rank != own) {
                let Some(others) = state.unordered(rank, clock::as_it_is(rank)) else {
                    continue;
                };
                for theirs in others.first..=others.last {
                    let (on, outline) = others.log.outline(theirs);
                    if !self.noted.may_meet(on, &outline) {
                        continue;
                    }
                    for (number, note) in notes.iter().enumerate().skip(number) {
                        let Some(note) = note.as_ref().filter(is_of_it) else {
                            continue;
                        };
                        if told >> number & 1 == 0
                            && let Some(race) =
                                others.race(theirs, &note.logged(), note.words.reading())
                        {
                            told |= 1 << number;
                            tell(note, race);
                        }
                    }
                }
            }
        }
        self.noted.clear();
    }

    /// Logs all, and compares it with what there is.
    #[cold]
    fn settle(&mut self) {
        OPEN.store(false, Relaxed);
        let count = std::mem::take(&mut self.count);
        let Some(checker) = checker() else { return };
        let mut found: SmallVec<[(Note, Found); 1]> = SmallVec::new();
        let mut state = super::STATE.lock();
        for note in self.notes[..count].iter().flatten() {
            self.noted.add(note.on(), &note.far);
            let (far, near) = ([note.far], [note.near]);
            let access = note.access(&far, &near);
            let entered = super::log(
                &mut state,
                checker,
                &note.window,
                &access,
                note.words,
                note.place,
            );
            let use_of_buffer = match note.what.fetches() {
                true => buffers::Access::Write,
                false => buffers::Access::Read,
            };
            let blocks = note.near.blocks_from(note.near.low);
            let blocks = blocks.map(|(from, to)| (from as usize, to as usize));
            if let Some(finding) = buffers::beyond(use_of_buffer, "origin_addr", blocks) {
                found.push((*note, Found::Beyond(finding)));
            }
            if let Some(race) = entered.own {
                found.push((*note, Found::Race(*race)));
            }
            if let Some(clash) = state.use_buffers(&access, entered.on, note.place) {
                found.push((*note, Found::Clash(clash)));
            }
        }
        // What others log from here on they compare with what is logged now.
        self.compare(&mut state, checker.rank, count, |note, race| {
            found.push((*note, Found::Race(race)));
        });
        drop(state);
        for (note, found) in found {
            let from = report::From {
                function: note.function,
                place: note.place,
            };
            let Note {
                window,
                words,
                target,
                what,
                ..
            } = note;
            match found {
                Found::Race(race) => {
                    report::race(from, &window, checker.rank, target, what, &race, words);
                }
                Found::Clash(clash) => report::buffer(from, what, &clash, words),
                Found::Beyond(finding) => from.tell(finding),
            }
        }
    }
}

/// What is wrong with an operation.
enum Found {
    Race(Race),
    Clash(Clash),
    Beyond(Finding),
}

/// Whether something is noted.
#[inline(always)]
pub fn is_open() -> bool {
    OPEN.load(Relaxed)
}

/// This process makes another call, or one inside another ends.
#[inline(always)]
pub fn settle() {
    if is_open() {
        settle_all();
    }
}

#[cold]
#[inline(never)]
fn settle_all() {
    SERIES.with(Series::settle);
}
