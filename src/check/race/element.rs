//! Atomic operations on one element, where one thread alone calls: programs count, take tickets and set flags in loops. The same steps as in
//! [`begin`](super::begin), [`enter`](super::enter) and [`end`](super::end), of which the last is put off: an operation is logged before its
//! effect, and kept on a short list till it is complete or this process makes any other call ([`settle`]). Then it is compared.
//!
//! **Why nothing is missed or told wrongly.** What others had logged when the operation was logged is what it is compared with (the limits); who
//! has logged later finds its entry. Until the comparison this process's clock stays as it was: before it takes something in, all is compared.
//! While something is on the list, nothing else of this process is pending, nor is any buffer in use, but of operations that were there before and
//! had [no room](Batch::make_room), or were atomic and have left their buffers to the program. So only those and what is on the list can use a
//! buffer that another one writes to.
//!
//! What fetches and has a request is complete before the next one: at once in the log, and compared with the others. What has a request leaves its
//! buffers to the program.
//!
//! What does not go so is looked at [at once](Operation::look), and if that cannot be either, left to the steps above.

use super::log::{Fence, Log, Logged, Of, On};
use super::report::{self, From};
use super::span::Span;
use super::touched::Touched;
use super::{
    Access, Begun, Kind, Race, STATE, What, Window, Words, element, element_of, log, take_flags,
};
use super::{again, compare, series};
use crate::check::buffers::{self, Access as Use};
use crate::check::place::came_from;
use crate::check::threads::{self, Alone};
use crate::check::{Checker, Place, checker, clock, is_inside, local};
use crate::shm::atomic::{AtomicBool, Ordering::Relaxed};
use smallvec::SmallVec;

/// An operation, as it is given.
#[derive(Clone, Copy)]
pub struct Operation {
    pub window: Window<'static>,
    pub words: &'static dyn Words,
    /// The name of the exported function.
    pub function: &'static str,
    pub target: usize,
    pub what: What,
    pub bytes: u64,
    /// Where the element is in the target's part, or its address in a dynamic window.
    pub far: u64,
    pub near: Near,
}

/// Where in this process an operation reads, `origin_addr` and `compare_addr`, and where it writes, as far as it does.
#[derive(Clone, Copy, PartialEq)]
pub struct Near {
    pub reads: [u64; 2],
    pub writes: u64,
}

/// In windows of more ranks what all have logged takes a list.
const RANKS: usize = super::LIMITS;
/// So many operations are on the list: as many as a log has.
const MOST: usize = super::log::KEPT as usize;
/// Places of the program and targets of which the last operation is known: a power of two.
const SITES: usize = 16;

/// What operations of one call of the program's on one target have in common.
#[derive(Clone, Copy)]
struct Site {
    /// Where the call returns to; 0: nothing is known.
    back: usize,
    on: On,
    what: What,
    place: Place,
    bytes: u64,
    process: u32,
    elements: clock::Keys,
    function: &'static str,
    /// Buffers that were found to be within what they begin in.
    fits: Near,
    /// Of which call the last one is in the log, and until when this process knew the target's then.
    of: (Of, u64),
}

/// An operation that is not complete.
#[derive(Clone, Copy)]
struct Record {
    /// In the log, where it may be gone: those on one target are long on the list while those on another one are flushed.
    number: u64,
    far: u64,
    near: Near,
    /// Until when this process knew the target's.
    known: u64,
    site: u32,
    /// It is complete: it has fetched, and has a request.
    is_over: bool,
}

/// Between which addresses are buffers.
#[derive(Clone, Copy)]
struct Hull(u64, u64);

impl Hull {
    const NOTHING: Hull = Hull(u64::MAX, 0);

    #[inline(always)]
    fn meets(self, at: u64, bytes: u64) -> bool {
        at < self.1 && self.0 < at + bytes
    }

    #[inline(always)]
    fn join(&mut self, at: u64, bytes: u64) {
        *self = Hull(self.0.min(at), self.1.max(at + bytes));
    }
}

/// The list.
struct Batch {
    /// Whose operations these are. Stays while something is known of a site.
    window: Option<(Window<'static>, &'static dyn Words)>,
    sites: [Site; SITES],
    records: [Record; MOST],
    count: usize,
    /// So many of them, the first, are compared.
    compared: usize,
    /// Whether there were more, which are not complete either.
    has_more: bool,
    /// How much was in the logs of the window's ranks before the others.
    limits: [u64; RANKS],
    reads: Hull,
    writes: Hull,
    /// The last operation, if it would be quicker to [repeat](again) it: its site, its element and where it writes.
    last: Option<(usize, u64, u64)>,
    /// Where the elements are, while these are compared.
    noted: Touched,
}

const NOWHERE: Near = Near {
    reads: [0; 2],
    writes: 0,
};

static BATCH: Alone<Batch> = Alone::new(Batch {
    window: None,
    sites: [const {
        Site {
            back: 0,
            on: On::NONE,
            what: What(0),
            place: Place::UNKNOWN,
            bytes: 0,
            process: 0,
            elements: clock::Keys::new(0, 0, 0),
            function: "",
            fits: NOWHERE,
            of: (Of::NONE, 0),
        }
    }; SITES],
    records: [const {
        Record {
            number: 0,
            far: 0,
            near: NOWHERE,
            known: 0,
            site: 0,
            is_over: false,
        }
    }; MOST],
    count: 0,
    compared: 0,
    has_more: false,
    limits: [0; RANKS],
    reads: Hull::NOTHING,
    writes: Hull::NOTHING,
    last: None,
    noted: Touched::new(),
});
/// Whether something is on the list, or known of a site.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Has `work` carry the operation out, and looks at it: whether that was done.
#[inline(always)]
pub fn update(operation: Operation, work: impl Fn()) -> bool {
    let Some(checker) = checker() else {
        return false;
    };
    // Matched, not mapped: in a closure what is given would lie in memory.
    if let Some(mut batch) = BATCH.get()
        && batch.update(checker, &operation, &work)
    {
        return true;
    }
    // Looked at at once, it would need a request of its own.
    !operation.what.has_request() && operation.look(checker, &work)
}

/// Whether something is on the list, or may come there more quickly.
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

/// The same for what is on the list alone.
#[inline(always)]
pub fn settle_noted() {
    if is_open() {
        settle_list();
    }
}

#[cold]
#[inline(never)]
fn settle_all() {
    if let Some(mut batch) = BATCH.get() {
        batch.settle();
    }
}

#[inline(never)]
fn settle_list() {
    if let Some(mut batch) = BATCH.get() {
        batch.last = None;
        if batch.count > 0 {
            batch.settle();
        }
    }
}

/// The operations on a target of the window are complete, and nothing but those on the list can be: whether that is so. Else nothing is on
/// the list any more.
#[inline(always)]
pub fn flush(on: On) -> bool {
    match BATCH.get() {
        Some(mut batch) => batch.flush(on),
        None => false,
    }
}

impl Batch {
    #[inline(always)]
    fn update(
        &mut self,
        checker: &'static Checker,
        operation: &Operation,
        work: &impl Fn(),
    ) -> bool {
        let Operation {
            window,
            target,
            what,
            bytes,
            far,
            // Not copied: it was just written, word by word, and to read two at once would wait for that.
            ref near,
            ..
        } = *operation;
        let back = came_from();
        let on = On::new(window.id, target);
        let number = (back >> 1 ^ target) & (SITES - 1);
        let site = &self.sites[number];
        let is_known = site.back == back && (site.on, site.what, site.bytes) == (on, what, bytes);
        if !is_known && !self.open(checker, *operation, number, back) {
            return false;
        }
        let own = clock::Own::of(checker);
        if own.may_have_seen() {
            self.catch_up(checker);
        }
        let (fetches, reads) = (what.fetches(), near.reads(what));
        let present = Some((number, far, near.writes));
        let is_used = self.count > 0
            && (reads.iter().any(|at| self.writes.meets(*at, bytes))
                || fetches && self.writes.meets(near.writes, bytes)
                || fetches && self.reads.meets(near.writes, bytes));
        let may_repeat = !what.is(Kind::GetAccumulate);
        if self.last == present && may_repeat || is_used {
            self.last = None;
            return false;
        }
        self.last = present;
        if self.count == MOST {
            self.make_room(checker);
        }
        let site = &mut self.sites[number];
        let span = Span::run(far, bytes);
        let key = element_of(site.elements, Some(&span));
        let theirs = checker.area.block(site.process).clock;
        let state = STATE.lock();
        if !state.is_alone() {
            return false;
        }
        let known = own.known_as_it_is(site.process);
        let issued = match what.changes() {
            true => own.issue(site.process, theirs, key),
            false => 0,
        };
        let number_of_it = site.log(checker.own.log, far, known, issued);
        drop(state);
        if self.have_logged(checker, &window) {
            self.limit(checker, &window);
        }
        work();
        let site = &self.sites[number];
        if fetches {
            let keys = [key, element_of(site.elements, None)];
            if own.is_news(theirs, keys) {
                self.learn(checker, site.process, keys);
            }
        }
        let has_request = what.has_request();
        let is_over = fetches && has_request;
        if is_over {
            // Others may know that by this process's next operation.
            checker.own.log.complete(number_of_it, own.tick(true));
        }
        if !has_request {
            if fetches {
                self.writes.join(near.writes, bytes);
            }
            reads.iter().for_each(|at| self.reads.join(*at, bytes));
        }
        if let Some(record) = self.records.get_mut(self.count) {
            *record = Record {
                number: number_of_it,
                far,
                near: *near,
                known,
                site: number as u32,
                is_over,
            };
            self.count += 1;
        }
        let site = &mut self.sites[number];
        if site.fits != *near {
            site.fit(*near);
        }
        if fetches && clock::is_behind(checker, site.process) {
            let process = site.process;
            self.learn_from(checker, process);
        }
        true
    }

    /// Makes a site known, if operations of this call may be on the list.
    #[cold]
    #[inline(never)]
    fn open(
        &mut self,
        checker: &'static Checker,
        operation: Operation,
        number: usize,
        back: usize,
    ) -> bool {
        let Operation {
            window,
            words,
            function,
            target,
            what,
            bytes,
            ..
        } = operation;
        // A call that this one is inside of may tell others something before it makes another one.
        if local::is_seen() || is_inside() {
            return false;
        }
        let process = window.members[target];
        let are_shared = checker.area.block(process).parts.are_shared();
        if window.members.len() > RANKS || are_shared {
            return false;
        }
        let Some(place) = checker.own.modules.place_of_program(back) else {
            return false;
        };
        series::settle();
        again::settle();
        let is_of_it = |(other, _): &(Window, _)| other.id == window.id;
        if !self.window.as_ref().is_some_and(is_of_it) || self.is_listed(number) {
            self.settle();
        }
        if !self.has_more {
            let state = STATE.lock();
            // Atomic operations of one process are no race among themselves.
            let mut pending = state.pending.iter();
            if !state.are_buffers_free() || !pending.all(|pending| pending.what.is_atomic()) {
                return false;
            }
            self.has_more = !state.pending.is_empty();
        }
        OPEN.store(true, Relaxed);
        self.window = Some((window, words));
        self.sites[number] = Site {
            back,
            on: On::new(window.id, target),
            what,
            place,
            bytes,
            process,
            elements: super::elements(&window, target),
            function,
            fits: NOWHERE,
            of: (Of::NONE, 0),
        };
        true
    }

    fn is_listed(&self, site: usize) -> bool {
        self.records[..self.count]
            .iter()
            .any(|record| record.site as usize == site)
    }

    /// Others have changed this process's memory. What was done before that is compared by what it knew before.
    #[cold]
    #[inline(never)]
    fn catch_up(&mut self, checker: &Checker) {
        self.compare(checker);
        clock::catch_up();
    }

    /// Keeps the first half as any others that are not complete.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, checker: &Checker) {
        self.compare(checker);
        let half = self.count / 2;
        self.has_more |= self.records[..half].iter().any(|record| !record.is_over);
        self.keep(checker, half);
        self.records.copy_within(half..self.count, 0);
        self.count -= half;
        self.compared = self.count;
    }

    /// Whether others have logged something that the limits do not tell of.
    #[inline(always)]
    fn have_logged(&self, checker: &Checker, window: &Window) -> bool {
        for (limit, &rank) in self.limits.iter().zip(window.members) {
            if rank != checker.rank && checker.area.block(rank).log.count() != *limit {
                return true;
            }
        }
        false
    }

    /// Others have logged something before the present operation's effect.
    #[cold]
    #[inline(never)]
    fn limit(&mut self, checker: &Checker, window: &Window) {
        self.compare(checker);
        for (limit, rank) in self.limits.iter_mut().zip(window.members) {
            *limit = checker.area.block(*rank).log.count();
        }
    }

    /// The present operation may have fetched what others have left at the element.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, checker: &Checker, process: u32, keys: [clock::Key; 2]) {
        self.compare(checker);
        keys.into_iter().for_each(|key| clock::take(process, key));
    }

    /// It may be a flag that the target's program has stored.
    #[cold]
    #[inline(never)]
    fn learn_from(&mut self, checker: &Checker, process: u32) {
        self.compare(checker);
        clock::fetched(checker, process);
    }

    #[inline(always)]
    fn flush(&mut self, on: On) -> bool {
        let Some(checker) = checker() else {
            return false;
        };
        if self.has_more {
            self.settle();
            return false;
        }
        if self.count == 0 {
            // Nothing else is pending while something is known of a site.
            return true;
        }
        self.compare(checker);
        let now = clock::tick(true);
        let log = checker.own.log;
        match (&self.records[..self.count], self.window) {
            ([record], _) if self.sites[record.site as usize].on == on => {
                record.complete(log, now);
                self.count = 0;
            }
            _ => self.complete(log, on, now),
        }
        self.compared = self.count;
        if self.count == 0 {
            (self.reads, self.writes) = (Hull::NOTHING, Hull::NOTHING);
        }
        true
    }

    /// Those on this target are complete.
    #[inline(never)]
    fn complete(&mut self, log: &Log, on: On, now: u64) {
        let mut left = 0;
        for number in 0..self.count {
            let record = self.records[number];
            match self.sites[record.site as usize].on == on {
                true => record.complete(log, now),
                false => {
                    self.records[left] = record;
                    left += 1;
                }
            }
        }
        self.count = left;
    }

    /// Compares what is not compared yet with what others had logged before.
    #[inline(always)]
    fn compare(&mut self, checker: &Checker) {
        let Some((window, words)) = self.window else {
            return;
        };
        let mut state = STATE.lock();
        let mut found = Vec::new();
        for (member, &rank) in window.members.iter().enumerate() {
            if rank == checker.rank {
                continue;
            }
            let Some(others) = state.unordered(rank, clock::as_it_is(rank)) else {
                continue;
            };
            if others.first <= others.last.min(self.limits[member]) {
                self.compare_with(checker, &others, self.limits[member], words, &mut found);
            }
        }
        self.compared = self.count;
        if !found.is_empty() {
            drop(state);
            self.tell(checker.rank, &window, words, found);
        }
    }

    #[cold]
    #[inline(never)]
    fn compare_with(
        &mut self,
        checker: &Checker,
        others: &super::own::Unordered,
        limit: u64,
        words: &dyn Words,
        found: &mut Vec<(Record, Logged, Race)>,
    ) {
        let log = checker.own.log;
        let own = &self.records[self.compared..self.count];
        let own = || {
            own.iter()
                .filter_map(|record| Some((record, log.read(record.number)?)))
        };
        own().for_each(|(_, logged)| self.noted.add(logged.on, &logged.span));
        for theirs in others.first..=others.last.min(limit) {
            let (on, outline) = others.log.outline(theirs);
            if !self.noted.may_meet(on, &outline) {
                continue;
            }
            for (record, logged) in own() {
                let is_it = |(told, ..): &(Record, Logged, Race)| told.number == record.number;
                if !found.iter().any(is_it)
                    && let Some(race) = others.race(theirs, &logged, words.reading())
                {
                    found.push((*record, logged, race));
                }
            }
        }
        self.noted.clear();
    }

    #[cold]
    #[inline(never)]
    fn tell(
        &self,
        me: u32,
        window: &Window,
        words: &dyn Words,
        found: Vec<(Record, Logged, Race)>,
    ) {
        for (record, Logged { on, what, .. }, race) in found {
            let from = self.sites[record.site as usize].from();
            report::race(from, window, me, on.target(), what, &race, words);
        }
    }

    /// Compares all, and keeps as any others what is not complete.
    #[cold]
    fn settle(&mut self) {
        OPEN.store(false, Relaxed);
        self.last = None;
        if let Some(checker) = checker()
            && self.count > 0
        {
            self.compare(checker);
            self.keep(checker, self.count);
        }
        self.count = 0;
        self.compared = 0;
        self.has_more = false;
        (self.reads, self.writes) = (Hull::NOTHING, Hull::NOTHING);
        self.window = None;
        self.sites.iter_mut().for_each(|site| site.back = 0);
    }

    /// Keeps the first `count` as any others that are not complete.
    fn keep(&self, checker: &Checker, count: usize) {
        let mut state = STATE.lock();
        let log = checker.own.log;
        for record in self.records[..count]
            .iter()
            .filter(|record| !record.is_over)
        {
            let site = &self.sites[record.site as usize];
            let logged = Logged {
                on: site.on,
                what: site.what,
                place: site.place,
                span: Span::run(record.far, site.bytes),
                issued: 0,
                known: record.known,
                done: 0,
            };
            state.keep(log, record.number, &logged, None, None);
            if site.what.has_request() {
                continue;
            }
            let [reads, writes] = record.near.spans(site.bytes, site.what);
            let access = Access {
                target: site.on.target(),
                what: site.what,
                spans: &[logged.span],
                begun: Begun::default(),
                reads: &reads,
                writes: &writes,
                is_series: false,
                content: None,
            };
            // None is in use that another one writes to.
            let _ = state.use_buffers(&access, site.on, site.place);
        }
    }
}

impl Record {
    /// It is complete by now.
    #[inline(always)]
    fn complete(&self, log: &Log, now: u64) {
        if !self.is_over {
            log.complete(self.number, now);
        }
    }
}

impl Site {
    /// Logs an operation of its own.
    #[inline(always)]
    fn log(&mut self, log: &Log, far: u64, known: u64, issued: u64) -> u64 {
        let (of, known_then) = self.of;
        if known == known_then
            && let Some(number) = log.add_to(of, far, (issued, 0), Fence::Here)
        {
            return number;
        }
        self.log_anew(log, far, known, issued)
    }

    /// The same as one of a new call.
    #[cold]
    #[inline(never)]
    fn log_anew(&mut self, log: &Log, far: u64, known: u64, issued: u64) -> u64 {
        self.of = (log.next_call(), known);
        let logged = Logged {
            on: self.on,
            what: self.what,
            place: self.place,
            span: Span::run(far, self.bytes),
            known,
            issued,
            done: 0,
        };
        log.add(&logged, Fence::Here)
    }

    fn from(&self) -> From {
        From {
            function: self.function,
            place: self.place,
        }
    }

    /// Tells of what goes beyond the array that it begins in.
    #[cold]
    #[inline(never)]
    fn fit(&mut self, near: Near) {
        self.fits = near;
        near.fit(self.from(), self.bytes, self.what);
    }
}

impl Near {
    /// The addresses that are read.
    #[inline(always)]
    fn reads(&self, what: What) -> &[u64] {
        match () {
            () if !what.changes() => &[],
            () if what.is(Kind::CompareAndSwap) => &self.reads,
            () => &self.reads[..1],
        }
    }

    /// What is read, and written.
    fn spans(&self, bytes: u64, what: What) -> [SmallVec<[Span; 2]>; 2] {
        let span = |at: &u64| Span::run(*at, bytes);
        let writes = what.fetches().then_some(&self.writes);
        [
            self.reads(what).iter().map(span).collect(),
            writes.into_iter().map(span).collect(),
        ]
    }

    fn fit(&self, from: From, bytes: u64, what: What) {
        let fit = |access: Use, argument: &str, at: u64| {
            let range = (at as usize, (at + bytes) as usize);
            if let Some(finding) = buffers::beyond(access, argument, std::iter::once(range)) {
                from.tell(finding);
            }
        };
        for (at, argument) in self.reads(what).iter().zip(["origin_addr", "compare_addr"]) {
            fit(Use::Read, argument, *at);
        }
        if what.fetches() {
            fit(Use::Write, "result_addr", self.writes);
        }
    }
}

impl Operation {
    /// Has `work` carry it out, and compares it: whether that was done.
    #[cold]
    #[inline(never)]
    fn look(self, checker: &Checker, work: &impl Fn()) -> bool {
        let Operation {
            ref window,
            words,
            function,
            target,
            what,
            bytes,
            far,
            near,
        } = self;
        if !threads::is_alone() || local::is_seen() || is_inside() {
            return false;
        }
        let process = window.members[target];
        let Some(place) = checker.own.modules.place_of_program(came_from()) else {
            return false;
        };
        if window.members.len() > RANKS || checker.area.block(process).parts.are_shared() {
            return false;
        }
        super::settle();
        let mut state = STATE.lock();
        if !state.is_alone() {
            return false;
        }
        clock::catch_up();
        let far = [Span::run(far, bytes)];
        let mut begun = Begun {
            issued: 0,
            known: clock::known_as_it_is(process),
        };
        if what.changes() {
            let theirs = checker.area.block(process).clock;
            let key = element(window, target, Some(&far[0]));
            begun.issued = clock::Own::of(checker).issue(process, theirs, key);
        }
        let [reads, writes] = near.spans(bytes, what);
        let access = Access {
            target,
            what,
            spans: &far,
            begun,
            reads: &reads,
            writes: &writes,
            is_series: false,
            content: None,
        };
        let mut entered = log(
            &mut state,
            checker,
            window,
            &access,
            words,
            place,
            Fence::Here,
        );
        let count = |&rank: &u32| checker.area.block(rank).log.count();
        entered.limits.extend(window.members.iter().map(count));
        work();
        if what.fetches() {
            take_flags(window, &access);
        }
        let known = clock::look();
        let found = compare(&mut state, checker, window, &access, &entered, known, words);
        drop(state);
        let from = From { function, place };
        if let Some(found) = found {
            found.tell(from, window, &access, words);
        }
        near.fit(from, bytes, what);
        super::fetched(window, target, what);
        true
    }
}
