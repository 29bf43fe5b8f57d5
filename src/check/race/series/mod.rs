//! Puts and gets that go elsewhere each time: programs move pieces of a row or a table in a loop. What is known of one at its call is only noted
//! here; it is logged and compared when the process makes any other call ([`settle`]), or when there is no [room](MOST) for more. Calls
//! from one place of the program that go on by the same step on both sides are one [`Note`], one entry of the log, and are compared once. Where
//! there is only one, and it is flushed, it is logged and compared before that, and complete at once ([`flush()`]); so are several, if none of them is in
//! the way of another one. The same call may go elsewhere behind that: it takes the same [note](Series::note_elsewhere).
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

mod flush;
mod note;
mod scattered;

use super::again::NOWHERE;
use super::log::{Fence, Logged, Of, On};
use super::span::Span;
use super::touched::Touched;
use super::{Content, Race, STATE, State, What, Window, Words, again, element, log, requests};
use crate::check::threads::{Alone, is_alone};
use crate::check::{Checker, Place, checker, clock, is_inside, local, place, sums};
use crate::shm::atomic::{AtomicBool, Ordering::Relaxed, full_fence};
use flush::FEW;
use note::{Found, Here, Note, end, is_over};
use scattered::Scattered;
use smallvec::SmallVec;

/// So many notes are taken before they are compared.
const MOST: usize = 48;
/// So many there is room for: what was [no series](Note::halve) becomes two.
const ROOM: usize = u64::BITS as usize;
/// Places of the program of which the last note is known: a power of two.
const SITES: usize = 32;

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
    /// Whether an operation on an element was listed since something was noted.
    has_beside: bool,
    /// Whether the only note is such a one, of an operation that has gone [elsewhere](Series::note_elsewhere) since.
    is_elsewhere: bool,
    /// Whose memory the last operation was from, if that is noted and has a request.
    fetched_from: u32,
    /// Where operations may be noted, as was found since this process has made another call.
    open: Option<On>,
    /// Whether no other thread of this process has anything of the check meanwhile.
    is_alone: bool,
    /// Buffers that were found to end before what they begin in, since the process has made another call: the last one of each note.
    fits: [(u64, u64); FEW],
    /// Where the notes are that are compared.
    noted: Touched,
    /// The operations of one of the notes, if they go anywhere: also of the first one, if that was flushed, and nothing was noted since.
    scattered: Scattered,
}

static SERIES: Alone<Series> = Alone::new(Series {
    notes: [None; ROOM],
    count: 0,
    open: None,
    is_alone: false,
    fits: [(0, 0); FEW],
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
    has_beside: false,
    is_elsewhere: false,
    noted: Touched::new(),
    scattered: Scattered::new(),
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

impl Series {
    #[inline(always)]
    fn note(&mut self, operation: &Operation) -> bool {
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
        if self.count > 0 {
            if !self.may_join(operation.what) || self.may_have_told() {
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

    /// Makes one note of the last ones of a site, if those [go anywhere](Scattered).
    fn scatter(&mut self, site: usize) -> bool {
        let is_last = self.sites[site].note + 1 == self.count;
        is_last && self.scatter_last() && {
            self.sites[site].note = self.count - 1;
            true
        }
    }

    /// The same of the last ones of all.
    #[inline(never)]
    fn scatter_last(&mut self) -> bool {
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

    /// Whether an operation on an element may be listed beside the notes: none of its bytes, there or here, is one of theirs that one of both
    /// writes to.
    fn lets(&self, operation: &element::Operation) -> bool {
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
            let meets = || match self.scattered.are_of(number) {
                true => self.scattered.may_meet(note, &far),
                false => note.far.meets(&far),
            };
            let is_in_the_way = note.what.has_request() || is_in_use || note.on == on && meets();
            !is_in_the_way
        })
    }

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

    /// The first note, which was flushed, is this operation's, too, that goes elsewhere: all else is known of it.
    #[inline(always)]
    fn note_elsewhere(&mut self, checker: &Checker, process: u32, operation: &Operation) {
        let [Some(note), ..] = &mut self.notes else {
            return;
        };
        note.begin_again(checker, process, operation, self.is_alone);
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
    fn catch_up(&mut self, checker: &Checker) {
        element::settle();
        if self.count == 0 || !self.scattered.are_of(0) || !self.enter_scattered(checker) {
            self.settle();
        }
        clock::catch_up();
        if self.count > 0
            && let [Some(note), ..] = &mut self.notes
        {
            note.know(clock::Own::of(checker), note.window.members[note.target]);
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

    /// Makes room for more of those that go anywhere: whether there is some. Else nothing is noted any more.
    #[cold]
    #[inline(never)]
    fn keep_half(&mut self, checker: &Checker) -> bool {
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
    fn enter_scattered(&mut self, checker: &Checker) -> bool {
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
        self.scattered.log(note, checker.own.log, 0);
        let found = self.compare_scattered(&mut state, checker);
        self.scattered.are_compared();
        drop(state);
        self.tell(checker, found);
        true
    }

    /// Compares those that go anywhere, the only note, and have just been logged. Gives the first that nothing orders.
    fn compare_scattered(&mut self, state: &mut State, checker: &Checker) -> Option<(Note, Race)> {
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
    fn tell(&self, checker: &Checker, found: Option<(Note, Race)>) {
        if let Some((note, race)) = found {
            note.tell(checker.rank, Found::Race(race));
        }
        if let [Some(note), ..] = &self.notes {
            note.learn(checker);
        }
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
                            .filter(|span| span.low < outline.high && outline.low < span.high)
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
    fn settle(&mut self) {
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
        let notes = self.notes[..count].iter().enumerate();
        let notes = notes.filter_map(|(number, note)| Some((number, *note.as_ref()?)));
        let notes = notes.flat_map(|(number, note)| self.scattered.single(number, note));
        for (note, logged) in notes {
            let (far, near) = ([note.far], [note.near]);
            let access = note.access(&far, &near);
            if let Some(number) = logged {
                let pair = access.written(&note.far);
                state.keep(checker.own.log, number, &note.logged(), pair, note.content);
                _ = state.use_buffers(&access, note.on, note.place);
                continue;
            }
            let entered = log(
                &mut state,
                checker,
                &note.window,
                &access,
                note.words,
                note.place,
                Fence::Follows,
            );
            let Span { low, high, .. } = note.near;
            if self.fits[0] != (low, high) {
                match note.beyond() {
                    Some(finding) => found.push((note, Found::Beyond(finding))),
                    None if note.near.is_one_block() => self.fits[0] = (low, high),
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
        self.scattered.end();
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
                STATE.lock().log_bound(checker.own.log, &last, request);
            }
        }
    }
}

/// Whether nothing that is pending is in the way of those of the note that are not compared.
fn are_free(state: &State, scattered: &Scattered, note: &Note) -> bool {
    let meets = |span: &Span| state.may_meet(note.on, span);
    let mut fresh = scattered.fresh_single(note, meets);
    let clash = state.clash(&note.near, note.what.fetches(), |_| false);
    clash.is_none() && fresh.all(|one| one.own_conflict(state).is_none())
}

/// Whether something is noted.
#[inline(always)]
pub fn has_notes() -> bool {
    is_open() && SERIES.get().is_some_and(|series| series.count > 0)
}

/// Settles what is noted if an operation on an element may not be [listed](mod@element) beside that.
#[inline(never)]
pub fn let_beside(operation: &element::Operation) {
    if let Some(mut series) = SERIES.get() {
        series.has_beside = true;
        if series.count > 0 && !series.lets(operation) {
            series.settle();
        }
    }
}

/// Settles what is noted beside a list: whether there was something.
#[cold]
pub fn settle_beside() -> bool {
    match SERIES.get() {
        Some(mut series) if series.count > 0 => {
            series.settle();
            true
        }
        _ => false,
    }
}

/// Whether something is noted, or may be more quickly.
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
        series.scattered.end();
        (series.open, series.flushed, series.fits) = (None, None, [(0, 0); FEW]);
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

/// The operations on those targets are complete here behind a full fence, if `may` says that they may be, and no other call is made: whether that is
/// so. Else all is to be settled.
#[inline(always)]
pub fn leave(is_one: impl Fn(On) -> bool, may: impl FnOnce() -> bool) -> bool {
    match SERIES.get() {
        Some(mut series) => series.leave(is_one, may),
        None => false,
    }
}

/// The operations on those targets are complete behind a full fence, if `may` says that they may be, and no other call is made: what it says. `None`:
/// that is not asked, and all is to be settled.
#[inline(always)]
pub fn flush(is_one: impl Fn(On) -> bool, may: impl FnOnce() -> bool) -> Option<bool> {
    match SERIES.get() {
        Some(mut series) => series.flush(is_one, may),
        None => None,
    }
}
