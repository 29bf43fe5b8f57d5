//! The list of operations on elements that are not compared, or not complete.

use super::super::log::{Log, Logged, On};
use super::super::own::Unordered;
use super::super::report;
use super::super::touched::Touched;
use super::super::{
    Access, Begun, Kind, Race, STATE, What, Window, Words, again, requests, say_seen, series,
};
use super::site::{NOWHERE, Near, Site};
use super::{OPEN, Operation, RANKS};
use crate::check::place::came_from;
use crate::check::room::Room;
use crate::check::{Checker, checker, clock, is_inside, local};
use crate::shm::atomic::Ordering::Relaxed;

/// So many operations are on the list: as many as a log has.
const MOST: usize = super::super::log::KEPT as usize;
/// Calls of the program's of which something is known: a power of two.
const SITES: usize = 16;

/// An operation that is not complete.
#[derive(Clone, Copy)]
struct Record {
    /// In the log, where it may be gone: those on one target are long on the list while those on another one are flushed.
    number: u64,
    on: On,
    far: u64,
    near: Near,
    /// Until when this process knew the target's.
    known: u64,
    site: u32,
    /// It is complete: it has fetched, and has a request.
    is_over: bool,
    /// It is complete here, and its buffers are the program's.
    has_left: bool,
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

/// Another rank of the window.
#[derive(Clone, Copy)]
struct Other {
    rank: u32,
    log: &'static Log,
    /// How much was in its log before the operations that are not compared.
    limit: u64,
}

/// The list.
pub struct Batch {
    /// Whose operations these are. Stays while something is known of a site.
    window: Option<(Window<'static>, &'static dyn Words)>,
    others: Vec<Other>,
    /// Whether others have something in their logs, up to the limits, that is not known to be ordered before all that comes.
    may_meet: bool,
    sites: [Option<Site>; SITES],
    records: [Record; MOST],
    pub count: usize,
    /// So many of them, the first, are compared, where there is something to compare with.
    compared: usize,
    /// The buffers of so many are within those.
    hulled: usize,
    reads: Hull,
    writes: Hull,
    /// Within those these are at their targets, whichever that is.
    fars: Hull,
    /// Whether the list is to be settled behind the present operation.
    is_closing: bool,
    /// Whether there were more, which are not complete either.
    has_more: bool,
    /// The last operation, if it would be quicker to [repeat](again) it: its site, its element and where it writes.
    pub last: (usize, u64, u64),
    /// Where the elements are, while these are compared.
    noted: Touched,
}

/// No operation.
pub const NONE: (usize, u64, u64) = (SITES, 0, 0);

impl Batch {
    pub const fn new() -> Batch {
        Batch {
            window: None,
            others: Vec::new(),
            may_meet: false,
            sites: [None; SITES],
            records: [const {
                Record {
                    number: 0,
                    on: On::NONE,
                    far: 0,
                    near: NOWHERE,
                    known: 0,
                    site: 0,
                    is_over: false,
                    has_left: false,
                }
            }; MOST],
            count: 0,
            compared: 0,
            hulled: 0,
            reads: Hull::NOTHING,
            writes: Hull::NOTHING,
            fars: Hull::NOTHING,
            is_closing: false,
            has_more: false,
            last: NONE,
            noted: Touched::new(),
        }
    }

    /// Logs an operation that is about to be carried out, behind those on the list: whether it can be there, when [`Batch::end`] says so.
    #[inline(always)]
    pub fn begin(&mut self, checker: &'static Checker, operation: Operation) -> bool {
        let Operation {
            on,
            what,
            bytes,
            far,
            near,
            ..
        } = operation;
        let back = came_from();
        let number = (back >> 1 ^ on.target()) % SITES;
        let is_known = |site: &Site| site.is_of(back, on, what, bytes);
        if !self.sites[number].as_ref().is_some_and(is_known)
            && !self.open(checker, &{ operation }, number, back)
        {
            return false;
        }
        let own = clock::Own::of(checker);
        if own.may_have_seen() {
            self.catch_up(checker);
            if self.is_closing {
                self.settle();
                return false;
            }
        }
        let present = (number, far, near.writes);
        let may_repeat = !what.is(Kind::GetAccumulate);
        let is_last = self.last == present && may_repeat;
        let is_free = self.count == 0 || self.has_just_read(number, near);
        // What repeats the last one is quicker another way; what shares a buffer is to be told.
        if is_last || !is_free && self.uses(what, bytes, &{ near }) {
            self.last = NONE;
            return false;
        }
        self.last = present;
        if self.count == MOST {
            self.make_room(checker);
        }
        let Some(site) = &mut self.sites[number] else {
            return false;
        };
        site.fit(near);
        let mut state = STATE.lock();
        if !state.is_alone() {
            return false;
        }
        if self.has_more {
            state.stay(checker.own.log);
        }
        let known = own.known_as_it_is(site.process);
        let issued = match site.changes {
            true => own.issue(site.process, site.theirs.clock, site.element(far)),
            false => 0,
        };
        let logged = site.log(checker.own.log, far, known, issued);
        drop(state);
        if let Some(record) = self.records.get_mut(self.count) {
            record.number = logged;
            record.on = site.on;
            record.far = far;
            record.near = site.fits;
            record.known = known;
            record.site = number as u32;
            record.has_left = false;
        }
        for other in &self.others {
            if other.log.count() != other.limit {
                self.limit(checker);
                break;
            }
        }
        true
    }

    /// It was carried out.
    #[inline(always)]
    pub fn end(&mut self, checker: &Checker) {
        let Some(record) = self.records.get_mut(self.count) else {
            return;
        };
        let Some(Some(site)) = self.sites.get(record.site as usize) else {
            return;
        };
        record.is_over = site.is_over();
        if !site.fetches {
            self.count += 1;
            return;
        }
        let (process, theirs, logged) = (site.process, site.theirs, record.number);
        let own = clock::Own::of(checker);
        let is_over = record.is_over;
        let is_news = own.has_news(theirs.clock, site.element(record.far));
        if is_news || theirs.clock.wholes() != site.wholes {
            self.learn(checker);
        }
        if is_over {
            // Others may know that by this process's next operation.
            checker.own.log.complete(logged, own.tick(true));
        }
        self.count += 1;
        if own.is_behind(process, &theirs) {
            self.learn_from(checker, process);
        }
        if self.is_closing {
            self.settle();
        }
    }

    /// Whether a put or get may be noted beside those on the list: none of its bytes, there or here, is one of theirs that one of both writes to.
    pub fn lets(&mut self, far: u64, near: u64, bytes: u64, fetches: bool) -> bool {
        // What is not noted beside others is quicker to repeat.
        self.last = NONE;
        self.hull();
        let is_used = self.writes.meets(near, bytes) || fetches && self.reads.meets(near, bytes);
        !is_used && !self.fars.meets(far, bytes)
    }

    /// Whether the last operation was one of this site that read the same buffers: what else uses them was looked at then.
    #[inline(always)]
    fn has_just_read(&self, number: usize, near: Near) -> bool {
        let has_read = |site: &Site| !site.fetches && !site.fits.differs(near);
        self.last.0 == number && self.sites[number].as_ref().is_some_and(has_read)
    }

    /// Whether an operation on the list uses a buffer that this one writes to, or writes to one that this one uses.
    #[inline(never)]
    fn uses(&mut self, what: What, bytes: u64, near: &Near) -> bool {
        self.hull();
        let [first, second] = near.reads;
        let is_read = self.writes.meets(first, bytes) || self.writes.meets(second, bytes);
        let at = near.writes;
        let is_written = self.writes.meets(at, bytes) || self.reads.meets(at, bytes);
        what.changes() && is_read || what.fetches() && is_written
    }

    /// The buffers of all on the list are within the hulls from now on.
    #[inline(always)]
    fn hull(&mut self) {
        for record in &self.records[self.hulled..self.count] {
            let Some(site) = &self.sites[record.site as usize] else {
                continue;
            };
            self.fars.join(record.far, site.bytes);
            if !site.has_request {
                let Near { reads, writes } = record.near;
                if site.fetches {
                    self.writes.join(writes, site.bytes);
                }
                if site.changes {
                    reads.iter().for_each(|at| self.reads.join(*at, site.bytes));
                }
            }
        }
        self.hulled = self.count;
    }

    /// Only the first `count` are on the list any more.
    #[inline(always)]
    fn shorten(&mut self, count: usize) {
        self.count = count;
        self.compared = count;
        if self.hulled > 0 {
            self.hulled = count;
            if count == 0 {
                (self.reads, self.writes) = (Hull::NOTHING, Hull::NOTHING);
                self.fars = Hull::NOTHING;
            }
        }
    }

    /// Makes a site known, if operations of this call may be on the list.
    #[cold]
    #[inline(never)]
    fn open(
        &mut self,
        checker: &'static Checker,
        operation: &Operation,
        number: usize,
        back: usize,
    ) -> bool {
        // A call that this one is inside of may tell others something before it makes another one.
        if local::is_seen() || is_inside() {
            return false;
        }
        let window = operation.words.checked();
        let process = window.members[operation.on.target()];
        let are_shared = checker.area.block(process).parts.are_shared();
        if window.members.len() > RANKS || are_shared {
            return false;
        }
        let Some(place) = checker.own.modules.place_of_program(back) else {
            return false;
        };
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
        if self.window.is_none() && !self.meet_others(checker, &window) {
            return false;
        }
        OPEN.store(true, Relaxed);
        self.window = Some((window, operation.words));
        say_seen(operation.on, process, operation.what);
        self.sites[number] = Some(Site::new(checker, operation, back, place));
        true
    }

    /// The list is one of this window: whether there is room for what others have.
    fn meet_others(&mut self, checker: &'static Checker, window: &Window) -> bool {
        self.others.clear();
        self.may_meet = true;
        if !self.others.has_room(window.members.len()) {
            return false;
        }
        let other = |&rank: &u32| {
            let log = checker.area.block(rank).log;
            let limit = log.count();
            Other { rank, log, limit }
        };
        let others = window.members.iter().filter(|rank| **rank != checker.rank);
        self.others.extend(others.map(other));
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
        self.compare_both(checker);
        clock::catch_up();
    }

    /// Keeps the first half as any others that are not complete.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, checker: &Checker) {
        self.compare(checker);
        self.hull();
        let half = self.count / 2;
        self.has_more |= self.records[..half].iter().any(|record| !record.is_over);
        self.keep(checker, half);
        self.records.copy_within(half..self.count, 0);
        self.shorten(self.count - half);
    }

    /// Others have logged something before the present operation's effect.
    #[cold]
    #[inline(never)]
    fn limit(&mut self, checker: &Checker) {
        self.compare(checker);
        self.compared = self.count;
        for other in &mut self.others {
            other.limit = other.log.count();
        }
        self.may_meet = true;
    }

    /// The present operation may have fetched what others have left at the element.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, checker: &Checker) {
        let Record { site, far, .. } = self.records[self.count];
        let Some(site) = &mut self.sites[site as usize] else {
            return;
        };
        let theirs = site.theirs.clock;
        // What is left meanwhile is taken the next time.
        site.wholes = theirs.wholes();
        let (process, keys) = (site.process, [site.element(far), site.whole]);
        if clock::Own::of(checker).is_news(theirs, keys) {
            // With the present one, which what orders the next ones does not order.
            self.count += 1;
            self.compare_both(checker);
            self.count -= 1;
            keys.iter().for_each(|key| clock::take(process, *key));
        }
    }

    /// It may be a flag that the target's program has stored.
    #[cold]
    #[inline(never)]
    fn learn_from(&mut self, checker: &Checker, process: u32) {
        self.compare_both(checker);
        clock::fetched(checker, process);
    }

    /// The operations on those targets are complete, and nothing but those on the list can be: whether that is so. Else nothing is on the list any more.
    #[inline(always)]
    pub fn flush(&mut self, checker: &Checker, is_one: impl Fn(On) -> bool) -> bool {
        if self.has_more {
            self.settle();
            return false;
        }
        if self.count == 0 {
            // Nothing else is pending while something is known of a site.
            return true;
        }
        self.compare(checker);
        let now = clock::Own::of(checker).tick(true);
        let log = checker.own.log;
        match &self.records[..self.count] {
            [record] if is_one(record.on) => {
                record.complete(log, now);
                self.shorten(0);
            }
            _ => self.complete(log, |record, _| is_one(record.on), now),
        }
        true
    }

    /// The operations on those targets are complete here, and nothing but those on the list can be: whether that is so. Else nothing is on
    /// the list any more. What is to fetch has fetched, and so is complete.
    #[inline(always)]
    pub fn leave(&mut self, checker: &Checker, is_one: impl Fn(On) -> bool) -> bool {
        let known = self.records[..self.count].iter();
        let first = known.rev().position(|record| record.has_left);
        let first = first.map_or(0, |behind| self.count - behind);
        let mut new = self.records[first..self.count].iter();
        if !STATE.lock().has_left() || !new.all(|record| is_one(record.on)) {
            self.settle();
            return false;
        }
        let has_fetched = |_: &Record, site: Option<&Site>| site.is_some_and(|site| site.fetches);
        self.compare(checker);
        let sites = &self.sites;
        let mut new = self.records[first..self.count].iter();
        if new.any(|record| has_fetched(record, sites[record.site as usize].as_ref())) {
            let now = clock::Own::of(checker).tick(true);
            self.complete(checker.own.log, has_fetched, now);
        }
        let new = self.records[..self.count].iter_mut().rev();
        new.take_while(|record| !record.has_left)
            .for_each(|record| record.has_left = true);
        self.hull();
        (self.reads, self.writes) = (Hull::NOTHING, Hull::NOTHING);
        // No repetition: its buffer may have something else in it.
        self.last = NONE;
        true
    }

    /// Those of them are complete.
    #[inline(never)]
    fn complete(&mut self, log: &Log, are: impl Fn(&Record, Option<&Site>) -> bool, now: u64) {
        self.hull();
        let mut left = 0;
        for number in 0..self.count {
            let record = self.records[number];
            match are(&record, self.sites[record.site as usize].as_ref()) {
                true => record.complete(log, now),
                false => {
                    self.records[left] = record;
                    left += 1;
                }
            }
        }
        self.shorten(left);
    }

    /// Compares what is not compared yet with what others had logged before.
    #[inline(always)]
    fn compare(&mut self, checker: &Checker) {
        if self.may_meet {
            self.compare_all(checker);
            self.compared = self.count;
        }
    }

    /// The same, and of what is noted beside the list: this process is about to know more. What was noted is pending from then on, and nothing is on
    /// the list beside that.
    fn compare_both(&mut self, checker: &Checker) {
        self.compare(checker);
        self.is_closing |= series::settle_beside();
    }

    #[cold]
    #[inline(never)]
    fn compare_all(&mut self, checker: &Checker) {
        let Some((window, words)) = self.window else {
            return;
        };
        self.may_meet = false;
        let mut state = STATE.lock();
        let mut found = Vec::new();
        for number in 0..self.others.len() {
            let Other { rank, limit, .. } = self.others[number];
            let Some(mut others) = state.unordered(rank, clock::as_it_is(rank)) else {
                continue;
            };
            others.last = others.last.min(limit);
            if others.first <= others.last {
                self.may_meet = true;
                self.compare_with(checker, &others, words, &mut found);
            }
        }
        drop(state);
        for (record, Logged { on, what, .. }, race) in found {
            if let Some(site) = &self.sites[record.site as usize] {
                let (from, target) = (site.from(), on.target());
                report::race(from, &window, checker.rank, target, what, &race, words);
            }
        }
    }

    fn compare_with(
        &mut self,
        checker: &Checker,
        others: &Unordered,
        words: &dyn Words,
        found: &mut Vec<(Record, Logged, Race)>,
    ) {
        let log = checker.own.log;
        let own = &self.records[self.compared..self.count];
        let own = || {
            own.iter()
                .filter_map(|record| Some((record, log.read(record.number)?)))
        };
        let reading = words.reading();
        let sites = self.sites.iter().flatten();
        let theirs = others.of_calls(|on, what| {
            let mut sites = sites.clone();
            sites.any(|site| site.on == on && site.what.conflicts(what, false, reading))
        });
        let mut is_noted = false;
        for theirs in theirs {
            let (on, _, outline) = others.log.outline(theirs);
            if !is_noted {
                own().for_each(|(_, logged)| self.noted.add(logged.on, &logged.span));
                is_noted = true;
            }
            if !self.noted.may_meet(on, &outline) {
                continue;
            }
            for (record, logged) in own() {
                let is_it = |(told, ..): &(Record, Logged, Race)| told.number == record.number;
                if !found.iter().any(is_it)
                    && let Some(race) = others.race(theirs, &logged, reading)
                {
                    found.push((*record, logged, race));
                }
            }
        }
        if is_noted {
            self.noted.clear();
        }
    }

    /// Compares all, and keeps as any others what is not complete.
    #[cold]
    pub fn settle(&mut self) {
        OPEN.store(false, Relaxed);
        self.last = NONE;
        if let Some(checker) = checker()
            && self.count > 0
        {
            self.compare(checker);
            self.keep(checker, self.count);
        }
        if let Some(checker) = checker() {
            self.hold(checker);
        }
        self.shorten(0);
        (self.has_more, self.is_closing) = (false, false);
        self.window = None;
        self.sites.iter_mut().for_each(|site| *site = None);
    }

    /// What the program has not waited for is not complete.
    #[inline(always)]
    fn hold(&self, checker: &Checker) {
        requests::log_noted(|back, request, uses| {
            let mut sites = self.sites.iter().flatten();
            let site = sites.find(|site| site.is_over() && site.is_at(back, uses.on));
            if let Some(site) = site {
                let given = Logged {
                    known: clock::known_as_it_is(site.process),
                    ..site.logged(uses.far as u64)
                };
                let mut state = STATE.lock();
                state.log_bound(checker.own.log, &given, request);
            }
            site.is_some()
        });
    }

    /// Keeps the first `count` as any others that are not complete.
    fn keep(&self, checker: &Checker, count: usize) {
        let mut state = STATE.lock();
        let log = checker.own.log;
        for record in self.records[..count]
            .iter()
            .filter(|record| !record.is_over)
        {
            let Some(site) = &self.sites[record.site as usize] else {
                continue;
            };
            let logged = Logged {
                known: record.known,
                ..site.logged(record.far)
            };
            state.keep(log, record.number, &logged, None, None);
            if site.has_request || record.has_left {
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
