//! What is known of operations that are noted: of one, or of several that go on by one step.

use super::super::log::{Fence, Log, Logged, Of, On};
use super::super::span::Span;
use super::super::{
    Access, Begun, Clash, Content, Kind, Race, STATE, State, What, Window, Words, log, report,
};
use super::{Flushed, Operation};
use crate::check::threads::Turn;
use crate::check::{Checker, Finding, Place, buffers, clock};

/// Whether operations that are noted are complete here: their buffers are the program's, and may have something else in them by now.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Here {
    InUse,
    Left,
    /// The last one is in use, and its buffer is the note's.
    LeftButLast,
}

/// Operations that are noted: all of one call of the program's, on one target.
#[derive(Clone, Copy)]
pub struct Note {
    pub window: Window<'static>,
    pub words: &'static dyn Words,
    pub function: &'static str,
    pub target: usize,
    pub on: On,
    pub what: What,
    pub place: Place,
    pub known: u64,
    pub far: Span,
    pub near: Span,
    /// See [`Access`].
    pub content: Option<Content>,
    /// Of which call in the log it was when it was flushed, if it went to one block then and has known as much.
    pub of: Of,
    pub here: Here,
}

impl Note {
    /// Takes the operation in, if it goes on as those before.
    #[inline(always)]
    pub fn goes_on(&mut self, operation: &Operation, place: Place) -> bool {
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
        if self.here != Here::InUse {
            return self.goes_on_behind(far, near, bytes);
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

    /// The same of one that nobody can take for a repetition of those before: they are complete here.
    fn goes_on_behind(&mut self, far: u64, near: u64, bytes: u64) -> bool {
        if self.here == Here::LeftButLast {
            return false;
        }
        let all = self.far.with(far, bytes);
        if let Some(all) = all {
            self.far = all;
            self.stays(near, bytes);
        }
        all.is_some()
    }

    /// The last one is in use, of which that is the buffer.
    #[inline(always)]
    pub fn stays(&mut self, near: u64, bytes: u64) {
        (self.near, self.here) = (Span::run(near, bytes), Here::LeftButLast);
    }

    /// Where in the target's part those go that are in use here; of such as go anywhere, the last one.
    pub fn in_use(&self) -> Option<Span> {
        let Span { high, block, .. } = self.far;
        match self.here {
            Here::InUse => Some(self.far),
            Here::LeftButLast => Some(Span::run(high - block, block)),
            Here::Left => None,
        }
    }

    /// All before the last one as a note of their own, if they are complete here and that is not: this one is the last one then.
    pub fn part(&mut self) -> Option<Note> {
        if self.here != Here::LeftButLast {
            return None;
        }
        let mut before = *self;
        let Span {
            low,
            high,
            block,
            stride,
        } = self.far;
        before.far = match high - stride - low == block {
            true => Span::run(low, block),
            false => Span {
                high: high - stride,
                ..self.far
            },
        };
        before.here = Here::Left;
        (self.far, self.here) = (Span::run(high - block, block), Here::InUse);
        Some(before)
    }

    /// Two blocks apart may have been no series, but operations at any two places, and one note of these would be in the way of all that lies
    /// between them: it is the first one's from now on, and this gives the second one's.
    #[inline(always)]
    pub fn halve(&mut self) -> Option<Note> {
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
        if self.here == Here::LeftButLast {
            (self.here, second.here) = (Here::Left, Here::InUse);
        }
        Some(second)
    }

    /// Logs it as one of a new call, complete at that time.
    #[cold]
    #[inline(never)]
    pub fn log(&mut self, log: &Log, done: u64) -> u64 {
        let logged = Logged {
            done,
            by_wait: false,
            ..self.logged()
        };
        self.of = match self.far.is_one_block() {
            true => log.next_call(),
            false => Of::NONE,
        };
        log.add(&logged, Fence::Follows)
    }

    pub fn flushed(&self) -> Flushed {
        let Span { low, high, .. } = self.near;
        Flushed {
            on: self.on,
            what: self.what,
            place: self.place,
            process: self.process(),
            near: low,
            bytes: high - low,
        }
    }

    /// What others find of it.
    pub fn logged(&self) -> Logged {
        self.logged_at(&self.far)
    }

    /// The same, of one of its operations.
    pub fn logged_at(&self, span: &Span) -> Logged {
        let (far, near) = ([self.far], [self.near]);
        self.access(&far, &near).logged(self.on, self.place, span)
    }

    /// Whether it is of such operations, called from there, wherever they go.
    #[inline(always)]
    pub fn is_like(&self, operation: &Operation, on: On, place: Place) -> bool {
        (self.on, self.what, self.place) == (on, operation.what, place)
            && self.far.block == operation.bytes
            && self.here != Here::LeftButLast
    }

    /// Whether it differs from the other one in where it goes alone.
    pub fn is_as(&self, other: &Note) -> bool {
        let call = |note: &Note| {
            (
                note.on,
                note.what,
                note.place,
                note.known,
                note.here,
                note.far.block,
            )
        };
        call(self) == call(other)
    }

    /// Whether an operation of another process, on `on`, may have to be ordered with this one.
    pub fn may_conflict(&self, on: On, what: What) -> bool {
        self.on == on && self.what.conflicts(what, false, self.words.reading())
    }

    /// Whether an operation of this process that is noted, too, may have bytes of this one's, here or at the target, one of which is written. If both have
    /// requests and differ, one is complete where they do. `meet`: whether both may have the same bytes of one part.
    pub fn may_be_in_the_way(&self, other: &Note, meet: impl FnOnce() -> bool) -> bool {
        if self.what.has_request() && self.what != other.what {
            return false;
        }
        let both_fetch = self.what.is(Kind::Get) && other.what.is(Kind::Get);
        let is_written = self.what.fetches() || other.what.fetches();
        self.on == other.on && !both_fetch && meet() || is_written && self.near.meets(&other.near)
    }

    /// What follows knows as much of the target's process as this one does by now.
    #[inline(always)]
    pub fn know(&mut self, own: clock::Own, process: u32) {
        let known = own.known_as_it_is(process);
        if self.known != known {
            (self.known, self.of) = (known, Of::NONE);
        }
    }

    /// An operation of this process that it has to wait for.
    pub fn own_conflict(&self, state: &State) -> Option<Race> {
        let (far, near) = ([self.far], [self.near]);
        let pair = self.access(&far, &near).written(&self.far);
        let reading = self.words.reading();
        state.own_conflict(&self.logged(), pair.as_ref(), self.content, reading)
    }

    /// It is of this operation from now on, which is like those before. `process` has the target's memory.
    #[inline(always)]
    pub fn begin_again(
        &mut self,
        checker: &Checker,
        process: u32,
        operation: &Operation,
        is_alone: bool,
    ) {
        let Operation {
            far, near, bytes, ..
        } = *operation;
        let own = clock::Own::of(checker);
        if operation.what.changes() {
            own.come(process, checker.area.block(process).clock, is_alone);
        }
        self.know(own, process);
        (self.far, self.near) = (Span::run(far, bytes), Span::run(near, bytes));
        self.content = operation.content().map(Content::One);
        self.here = Here::InUse;
    }

    /// As one access, of which it gives the parts.
    pub fn access<'a>(&self, far: &'a [Span; 1], near: &'a [Span; 1]) -> Access<'a> {
        let (reads, writes): (&[Span], &[Span]) = match self.what.fetches() {
            _ if self.here != Here::InUse => (&[], &[]),
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

    /// The process whose memory it is.
    #[inline(always)]
    pub fn process(&self) -> u32 {
        self.window.members[self.target]
    }

    /// It is complete as soon as it is done, and the program hears of that by a request.
    pub fn is_over(&self) -> bool {
        is_over(self.what)
    }

    /// What is wrong if its buffer goes on behind the end of what it begins in.
    #[inline(always)]
    pub fn beyond(&self) -> Option<Finding> {
        let use_of_buffer = match self.what.fetches() {
            true => buffers::Access::Write,
            false => buffers::Access::Read,
        };
        let blocks = self.near.blocks_from(self.near.low);
        let blocks = blocks.map(|(from, to)| (from as usize, to as usize));
        buffers::beyond(use_of_buffer, "origin_addr", blocks)
    }

    /// Logs it alone, and compares it with what there is.
    pub fn settle(&self, checker: &Checker) {
        let (far, near) = ([self.far], [self.near]);
        let access = self.access(&far, &near);
        let mut state = STATE.lock();
        let (window, words) = (&self.window, self.words);
        let entered = log(
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
    pub fn learn(&self, checker: &Checker) {
        if self.what.fetches() {
            clock::fetched(checker, self.process());
        }
    }

    /// What others have logged that nothing orders before it.
    #[cold]
    pub fn conflict(&self, checker: &Checker, state: &mut State) -> Option<Race> {
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
    pub fn tell(&self, me: u32, found: Found) {
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

/// It is complete as soon as it is done, if the program hears of that by a request.
pub fn is_over(what: What) -> bool {
    what.fetches() && what.has_request()
}

/// What is wrong with an operation.
pub enum Found {
    Race(Race),
    Clash(Clash),
    Beyond(Finding),
}

/// What was logged last and is over is complete, but what the program has not waited for.
pub fn end(state: &mut Turn<'_, State>) {
    let alone = state.is_alone();
    state.complete_last(alone, |pending| {
        is_over(pending.what) && !pending.is_bound()
    });
}
