//! Puts and gets that go elsewhere each time: programs move pieces of a row or a table in a loop. What is known of one at its call is only noted
//! here; it is logged and compared when the process makes any other call ([`settle`]), or when there is no [room](MOST) for more. Calls
//! from one place of the program that go on by the same step on both sides are one [`Note`], one entry of the log, and are compared once. Where
//! there is only one, and it is flushed, it is logged and compared before that, and complete at once ([`flush`]). The same call may go elsewhere behind that:
//! it takes the same [note](Series::note_elsewhere).
//!
//! **Why nothing is missed or told wrongly.** Between a note and its settling this process makes no other call. So its clock stays as it was, and
//! what the operation is ordered after is the same when it is compared ([`clock::as_it_is`]). (What it may see by loads of its own it takes before a
//! note: how far all others are by then. What the target's program may have told by what is fetched it takes when that is complete.) None of the operations is complete at its target, so
//! that nothing can be ordered behind one, and who conflicts with one does so whenever it comes. Of two processes that compare, one finds the
//! other's entry: each logs before it looks. Operations that are atomic order others by their effect alone, and so cannot be late.
//!
//! **Operations with requests** end sooner: what MPI_Rget fetches is complete when its request is, and by MPI_Wait the program has its buffer back.
//! So they are never among others: all notes are of puts with requests, or all of gets, or none is of either. What MPI_Rput puts may be something
//! else the next time: of what goes side by side from one buffer the [content](mod@super::content) of each block is kept, with a sum of that, and what
//! goes elsewhere is a note of its own. What MPI_Rget fetches is complete in the log as soon as it is compared, but what the program has not
//! waited for: that is [logged](State::log_bound) once more.
//!
//! Only the thread that has initialized MPI is here, where no other one may call ([`Alone`]). While something is noted, nothing
//! [repeats](super::again).

use super::again::NOWHERE;
use super::log::{Fence, Log, Logged, Of, On};
use super::span::Span;
use super::touched::Touched;
use super::{
    Access, Begun, Clash, Content, Race, State, What, Window, Words, again, element, report,
    requests,
};
use crate::check::threads::{Alone, Turn, is_alone};
use crate::check::{
    Checker, Finding, Place, buffers, checker, clock, is_inside, local, place, sums,
};
use crate::shm::atomic::{AtomicBool, Ordering::Relaxed, full_fence};
use smallvec::SmallVec;

/// So many notes are taken before they are compared.
const MOST: usize = 48;
/// So many there is room for: what was [no series](Note::halve) becomes two.
const ROOM: usize = u64::BITS as usize;
/// Places of the program of which the last note is known: a power of two.
const SITES: usize = 32;

/// Operations that are noted: all of one call of the program's, on one target.
#[derive(Clone, Copy)]
struct Note {
    window: Window<'static>,
    words: &'static dyn Words,
    function: &'static str,
    target: usize,
    on: On,
    what: What,
    place: Place,
    known: u64,
    far: Span,
    near: Span,
    /// See [`Access`].
    content: Option<Content>,
    /// Of which call in the log it was when it was flushed, if it went to one block then and has known as much.
    of: Of,
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

/// What is asked of an operation that may go elsewhere.
#[derive(Clone, Copy)]
struct Flushed {
    on: On,
    what: What,
    place: Place,
    /// Whose memory it is.
    process: u32,
    near: u64,
    bytes: u64,
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

impl Operation {
    /// What it puts, if that has to be known.
    #[inline(always)]
    fn content(&self) -> Option<u64> {
        if self.what.has_content() && self.bytes == 8 {
            return Some(sums::of_word(self.near as usize));
        }
        let buffer = [Span::run(self.near, self.bytes)];
        super::content(self.what, &buffer).and_then(Content::one)
    }
}

struct Series {
    notes: [Option<Note>; ROOM],
    count: usize,
    sites: [Site; SITES],
    /// The operation of the first note, if that was flushed alone, when nothing else was pending, and nothing was noted since.
    flushed: Option<Flushed>,
    /// Whether this process has taken a lock, or given one back, since.
    is_locked: bool,
    /// Whether the only note is such a one, of an operation that has gone [elsewhere](Series::note_elsewhere) since.
    is_elsewhere: bool,
    /// Whose memory the last operation was from, if that is noted and has a request.
    fetched_from: u32,
    /// Where operations may be noted, as was found since this process has made another call.
    open: Option<On>,
    /// Whether no other thread of this process has anything of the check meanwhile.
    is_alone: bool,
    /// A buffer that was found to end before what it begins in, since the process has made another call.
    fits: (u64, u64),
    /// Where the notes are that are compared.
    noted: Touched,
}

static SERIES: Alone<Series> = Alone::new(Series {
    notes: [None; ROOM],
    count: 0,
    open: None,
    is_alone: false,
    fits: (0, 0),
    fetched_from: NOWHERE,
    sites: [const {
        Site {
            back: 0,
            place: Place::UNKNOWN,
            note: ROOM,
        }
    }; SITES],
    flushed: None,
    is_locked: false,
    is_elsewhere: false,
    noted: Touched::new(),
});
/// Whether something is noted, or may be more quickly.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Whether operations of this thread may be noted now, as far as the process is concerned.
#[inline(always)]
pub fn may_note() -> bool {
    is_alone() && !local::is_seen()
}

/// Notes an operation that is about to be carried out: whether it could be. [`may_note`] holds.
#[inline(always)]
pub fn note(operation: &Operation) -> bool {
    match SERIES.get() {
        Some(mut series) => series.note(operation),
        None => false,
    }
}

impl Flushed {
    /// Whether it is this operation, called from there, wherever that goes.
    #[inline(always)]
    fn is(&self, operation: &Operation, on: On, place: Place) -> bool {
        let Operation {
            what, near, bytes, ..
        } = *operation;
        (self.on, self.what, self.place, self.near, self.bytes) == (on, what, place, near, bytes)
    }
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
        if (self.on, self.what, self.place) != (On::new(window.id, target), what, place) {
            return false;
        }
        let is_from_one = self.near == Span::run(near, bytes);
        if is_from_one && self.far == Span::run(far, bytes) {
            return self.content.and_then(Content::one) == operation.content();
        }
        // Those with gaps would be many that are between each other.
        if self.content.is_some() && !(is_from_one && self.far.high == far) {
            return false;
        }
        let Some(all) = self.far.with(far, bytes) else {
            return false;
        };
        if let Some(content) = &mut self.content {
            let next = operation.content().unwrap_or(0);
            if !content.goes_on(self.far.is_one_block(), next) {
                return false;
            }
        }
        // What is fetched has a place of its own, until it is complete.
        if is_from_one && (!what.fetches() || what.has_request()) {
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

    /// Two blocks apart may have been no series, but operations at any two places, and one note of these would be in the way of all that lies
    /// between them: it is the first one's from now on, and this gives the second one's.
    #[inline(always)]
    fn halve(&mut self) -> Option<Note> {
        let Span { block, stride, .. } = self.far;
        if stride == block || self.far.blocks() != 2 {
            return None;
        }
        let mut second = *self;
        for (first, second) in [
            (&mut self.far, &mut second.far),
            (&mut self.near, &mut second.near),
        ] {
            let Span { low, high, .. } = *first;
            *first = Span::run(low, block);
            *second = Span::run(high - block, block);
        }
        Some(second)
    }

    /// Logs it as one of a new call, complete at that time.
    #[cold]
    #[inline(never)]
    fn log(&mut self, log: &Log, done: u64) -> u64 {
        let logged = Logged {
            done,
            ..self.logged()
        };
        self.of = match self.far.is_one_block() {
            true => log.next_call(),
            false => Of::NONE,
        };
        log.add(&logged, Fence::Follows)
    }

    fn flushed(&self) -> Flushed {
        let Span { low, high, .. } = self.near;
        Flushed {
            on: self.on,
            what: self.what,
            place: self.place,
            process: self.window.members[self.target],
            near: low,
            bytes: high - low,
        }
    }

    /// What others find of it.
    fn logged(&self) -> Logged {
        let (far, near) = ([self.far], [self.near]);
        self.access(&far, &near)
            .logged(self.on, self.place, &self.far)
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
            content: self.content,
        }
    }

    /// It is complete as soon as it is done, and the program hears of that by a request.
    fn is_over(&self) -> bool {
        is_over(self.what)
    }
}

fn is_over(what: What) -> bool {
    what.fetches() && what.has_request()
}

impl Note {
    /// What is wrong if its buffer goes on behind the end of what it begins in.
    #[inline(always)]
    fn beyond(&self) -> Option<Finding> {
        let use_of_buffer = match self.what.fetches() {
            true => buffers::Access::Write,
            false => buffers::Access::Read,
        };
        let blocks = self.near.blocks_from(self.near.low);
        let blocks = blocks.map(|(from, to)| (from as usize, to as usize));
        buffers::beyond(use_of_buffer, "origin_addr", blocks)
    }

    /// Logs it alone, and compares it with what there is.
    fn settle(&self, checker: &Checker) {
        let (far, near) = ([self.far], [self.near]);
        let access = self.access(&far, &near);
        let mut state = super::STATE.lock();
        let (window, words) = (&self.window, self.words);
        let entered = super::log(
            &mut state,
            checker,
            window,
            &access,
            words,
            self.place,
            Fence::Here,
        );
        let clash = state.use_buffers(&access, entered.on, self.place);
        let race = entered.own.map(|race| *race);
        let race = race.or_else(|| self.conflict(checker, &mut state));
        if self.is_over() {
            end(&mut state);
        }
        drop(state);
        let beyond = self.beyond();
        if race.is_some() || clash.is_some() || beyond.is_some() {
            let found = [
                beyond.map(Found::Beyond),
                race.map(Found::Race),
                clash.map(Found::Clash),
            ];
            found
                .into_iter()
                .flatten()
                .for_each(|found| self.tell(checker.rank, found));
        }
        self.learn(checker);
    }

    /// What it has fetched may be a flag that the target's program has stored. Asked when all is compared.
    #[inline(always)]
    fn learn(&self, checker: &Checker) {
        if self.what.fetches() {
            clock::fetched(checker, self.window.members[self.target]);
        }
    }

    /// What others have logged that nothing orders before it.
    #[cold]
    fn conflict(&self, checker: &Checker, state: &mut State) -> Option<Race> {
        let (logged, reading) = (self.logged(), self.words.reading());
        let mut others = self
            .window
            .members
            .iter()
            .filter(|rank| **rank != checker.rank);
        others.find_map(|&rank| {
            state.conflict(rank, u64::MAX, &logged, clock::as_it_is(rank), reading)
        })
    }

    #[cold]
    fn tell(&self, me: u32, found: Found) {
        let (target, what) = (self.target, self.what);
        let from = report::From {
            function: self.function,
            place: self.place,
        };
        match found {
            Found::Race(race) => {
                report::race(from, &self.window, me, target, what, &race, self.words);
            }
            Found::Clash(clash) => report::buffer(from, what, &clash, self.words),
            Found::Beyond(finding) => from.tell(finding),
        }
    }
}

impl Series {
    #[inline(always)]
    fn note(&mut self, operation: &Operation) -> bool {
        let Some(checker) = checker() else {
            return false;
        };
        if clock::Own::of(checker).may_have_seen() {
            self.catch_up();
        }
        let back = place::came_from();
        let number = back >> 1 & (SITES - 1);
        let on = On::new(operation.window.id, operation.target);
        let site = &self.sites[number];
        let is_known = site.back == back;
        if self.count > 0 {
            if !self.may_join(operation.what) || self.may_have_told() {
                self.settle();
            } else if is_known
                && let Some(Some(note)) = self.notes[..self.count].get_mut(site.note)
                && (note.goes_on(operation, site.place) || self.goes_on_by_half(number, *operation))
            {
                self.is_elsewhere = false;
                self.keep_in_mind(operation);
                return true;
            }
        } else if let (Some(flushed), [Some(note), ..]) = (&self.flushed, &self.notes)
            && is_known
            && flushed.is(operation, on, site.place)
        {
            if note.far.low == operation.far && !self.is_locked {
                // The same once more, and a flush between: to [repeat](again) that is quicker.
                self.flushed = None;
                return false;
            }
            let process = flushed.process;
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

    /// Whether the operation, which does not go on as those of a site's last note, goes on as the second half of that.
    #[inline(never)]
    // It gets a copy, as what is given is in registers else.
    fn goes_on_by_half(&mut self, site: usize, operation: Operation) -> bool {
        self.halve(site) && {
            let Site { note, place, .. } = self.sites[site];
            let note = self.notes[note].as_mut();
            note.is_some_and(|note| note.goes_on(&operation, place))
        }
    }

    /// Makes two notes of the last one of a site, if that is [no series](Note::halve) and there is room.
    #[inline(always)]
    fn halve(&mut self, site: usize) -> bool {
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

    /// The first note, which was flushed, is this operation's, too, that goes elsewhere: all else is known of it.
    #[inline(always)]
    fn note_elsewhere(&mut self, checker: &Checker, process: u32, operation: &Operation) {
        let [Some(note), ..] = &mut self.notes else {
            return;
        };
        let own = clock::Own::of(checker);
        if operation.what.changes() {
            own.come(process, checker.area.block(process).clock, self.is_alone);
        }
        let known = own.known_as_it_is(process);
        if note.known != known {
            note.of = Of::NONE;
        }
        note.far = Span::run(operation.far, operation.bytes);
        note.known = known;
        (self.count, self.is_elsewhere) = (1, true);
    }

    /// Whether what is noted may be completed together with an operation like this.
    #[inline(always)]
    fn may_join(&self, what: What) -> bool {
        match &self.notes[..self.count] {
            [Some(first), ..] => {
                let have_requests = first.what.has_request() || what.has_request();
                !have_requests || first.what == what
            }
            _ => true,
        }
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
    fn catch_up(&mut self) {
        self.settle();
        clock::catch_up();
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
            element::settle();
            again::settle();
        }
        self.is_alone = super::STATE.lock().is_alone();
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
        let Some(note) = self.notes.get_mut(self.count) else {
            return;
        };
        site.note = self.count;
        self.is_elsewhere = false;
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
        });
        self.count += 1;
    }

    /// Completes the operations on a target behind a full fence, if `may` says that they may be, and no other call is made: what it says.
    /// `None`: it cannot be done so.
    #[inline(always)]
    fn flush(&mut self, on: On, may: impl FnOnce() -> bool) -> Option<bool> {
        let ([Some(note)], Some(checker)) = (&mut self.notes[..self.count], checker()) else {
            return None;
        };
        let mut state = super::STATE.lock();
        if note.on != on || !state.is_alone() {
            return None;
        }
        if !self.is_elsewhere {
            let Span { low, high, .. } = note.near;
            if !state.is_idle() {
                return None;
            }
            if self.fits != (low, high) || !note.near.is_one_block() {
                if note.beyond().is_some() {
                    return None;
                }
                self.fits = (low, high);
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

    /// Compares the first `count` with what the others have logged, and tells of each the first that nothing orders.
    fn compare(
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
            for &rank in window.members.iter().filter(|rank| **rank != own) {
                let Some(others) = state.unordered(rank, clock::as_it_is(rank)) else {
                    continue;
                };
                for theirs in others.first..=others.last {
                    if !is_noted {
                        let all = notes.iter().flatten();
                        all.for_each(|note| self.noted.add(note.on, &note.far));
                        is_noted = true;
                    }
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
        if is_noted {
            self.noted.clear();
        }
    }

    /// Logs all, and compares it with what there is.
    #[cold]
    fn settle(&mut self) {
        if self.count == 0 {
            return;
        }
        (0..SITES).for_each(|site| _ = self.halve(site));
        let count = std::mem::take(&mut self.count);
        self.fetched_from = NOWHERE;
        self.flushed = None;
        let Some(checker) = checker() else { return };
        if let [Some(note)] = &self.notes[..count] {
            note.settle(checker);
            return self.hold(checker, count);
        }
        let mut found: SmallVec<[(Note, Found); 1]> = SmallVec::new();
        let mut state = super::STATE.lock();
        for note in self.notes[..count].iter().flatten() {
            let (far, near) = ([note.far], [note.near]);
            let access = note.access(&far, &near);
            let entered = super::log(
                &mut state,
                checker,
                &note.window,
                &access,
                note.words,
                note.place,
                Fence::Follows,
            );
            let Span { low, high, .. } = note.near;
            if self.fits != (low, high) {
                match note.beyond() {
                    Some(finding) => found.push((*note, Found::Beyond(finding))),
                    None if note.near.is_one_block() => self.fits = (low, high),
                    None => {}
                }
            }
            if let Some(race) = entered.own {
                found.push((*note, Found::Race(*race)));
            }
            if let Some(clash) = state.use_buffers(&access, entered.on, note.place) {
                found.push((*note, Found::Clash(clash)));
            }
        }
        full_fence();
        // What others log from here on they compare with what is logged now.
        self.compare(&mut state, checker.rank, count, |note, race| {
            found.push((*note, Found::Race(race)));
        });
        // All are, or none is.
        if self.notes[..count].iter().flatten().any(Note::is_over) {
            end(&mut state);
        }
        drop(state);
        self.hold(checker, count);
        for (note, found) in found {
            note.tell(checker.rank, found);
        }
        let notes = self.notes[..count].iter().flatten();
        notes.for_each(|note| note.learn(checker));
    }

    /// What was fetched last from each place of the program is not complete, if it has not waited for that.
    #[inline(always)]
    fn hold(&self, checker: &Checker, count: usize) {
        if self.notes[..count].iter().flatten().any(Note::is_over) {
            self.hold_last(checker, count);
        }
    }

    #[cold]
    #[inline(never)]
    fn hold_last(&self, checker: &Checker, count: usize) {
        for site in &self.sites {
            if let Some(Some(note)) = self.notes[..count].get(site.note)
                && (note.place, note.is_over()) == (site.place, true)
                && let Some(request) = requests::given(site.back)
            {
                let Span { high, block, .. } = note.far;
                let last = Logged {
                    span: Span::run(high - block, block),
                    ..note.logged()
                };
                super::STATE
                    .lock()
                    .log_bound(checker.own.log, &last, request);
            }
        }
    }
}

/// What was logged and is over is complete.
fn end(state: &mut Turn<'_, State>) {
    let alone = state.is_alone();
    state.complete_last(alone, |pending| is_over(pending.what));
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

/// This process makes another call or exits, or one inside another ends.
#[inline(always)]
pub fn settle() {
    if is_open() {
        settle_all();
    }
}

#[cold]
#[inline(never)]
fn settle_all() {
    if let Some(mut series) = SERIES.get() {
        OPEN.store(false, Relaxed);
        series.settle();
        (series.open, series.flushed, series.fits) = (None, None, (0, 0));
    }
}

/// The same for what is noted alone.
#[inline(always)]
pub fn settle_noted() {
    if is_open() {
        settle_notes();
    }
}

#[inline(always)]
fn settle_notes() {
    if let Some(mut series) = SERIES.get() {
        series.is_locked = true;
        if series.count > 0 {
            series.settle();
        }
    }
}

/// The program has waited for one that is noted, by its request. Where others may know that by a load, what it has fetched is complete before.
#[inline(always)]
pub fn waited() {
    if is_open() && clock::has_loads() {
        settle_fetched();
    }
}

#[cold]
#[inline(never)]
fn settle_fetched() {
    if let Some(mut series) = SERIES.get()
        && series.notes[..series.count]
            .iter()
            .flatten()
            .any(Note::is_over)
    {
        series.settle();
    }
}

/// The operations on a target are complete behind a full fence, if `may` says that they may be, and no other call is made: what it says. `None`: that
/// is not asked, and all is to be settled.
#[inline(always)]
pub fn flush(on: On, may: impl FnOnce() -> bool) -> Option<bool> {
    match SERIES.get() {
        Some(mut series) => series.flush(on, may),
        None => None,
    }
}
