//! Atomic operations on one element, where one thread alone calls: programs count, take tickets and set flags in loops. The same steps as in
//! [`begin`](super::begin), [`enter`](super::enter) and [`end`](super::end), of which the last is put off: an operation is logged before its
//! effect, and kept on a short list till it is complete or this process makes any other call ([`settle`]). Then it is compared.
//!
//! **Why nothing is missed or told wrongly.** What others had logged when the operation was logged is what it is compared with (the limits); who
//! has logged later finds its entry. Until the comparison this process's clock stays as it was: before it takes something in, all is compared.
//! While something is on the list, nothing else of this process is pending, nor is any buffer in use, but of operations that were there before and
//! had [no room](Batch::make_room), or were atomic and have left their buffers to the program. So only those and what is on the list can use a
//! buffer that another one writes to. (Puts and gets may be [noted](super::series) beside it, which are not pending.)
//!
//! What fetches and has a request is complete at once in the log, and compared with the others. What the program has not waited for when the list is
//! settled is [logged](super::own::State::log_bound) once more. Who uses the buffers of what has a request is asked [there](super::requests).
//!
//! What does not go so is looked at [at once](Operation::look), and if that cannot be either, left to the steps above.

mod batch;
mod site;

use super::log::{Fence, On};
use super::report::From;
use super::span::Span;
use super::{
    Access, Begun, Kind, STATE, What, Words, compare, element, log, say_seen, series, take_flags,
};
use crate::check::place::came_from;
use crate::check::ranges::Range;
use crate::check::threads::{self, Alone};
use crate::check::{Checker, checker, clock, is_inside, local};
use crate::shm::atomic::{AtomicBool, Ordering::Relaxed};
use batch::Batch;
pub use site::Near;

/// An operation, as it is given.
#[derive(Clone, Copy)]
pub struct Operation {
    pub words: &'static dyn Words,
    /// The name of the exported function.
    pub function: &'static str,
    pub on: On,
    pub what: What,
    pub bytes: u64,
    /// Where the element is in the target's part, or its address in a dynamic window.
    pub far: u64,
    pub near: Near,
}

/// In windows of more ranks what all have logged takes a list.
const RANKS: usize = super::LIMITS;

static BATCH: Alone<Batch> = Alone::new(Batch::new());
/// Whether something is on the list, or known of a site.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Has `work` carry the operation out, and looks at it: whether that was done.
// Both are in registers, and copied where they are looked at in memory: what is seldom.
#[inline(always)]
pub fn update(operation: Operation, work: impl Fn() + Copy) -> bool {
    let Some(checker) = checker() else {
        return false;
    };
    if series::is_open() {
        series::let_beside(&{ operation });
    }
    if let Some(mut batch) = BATCH.get()
        && batch.begin(checker, operation)
    {
        work();
        batch.end(checker);
        return true;
    }
    // Looked at at once, it would need a request of its own.
    !operation.what.has_request() && { operation }.look(checker, &{ work })
}

/// Settles what is on the list if a put or get may not be noted beside that.
#[inline(always)]
pub fn let_beside(far: u64, near: u64, bytes: u64, what: What) {
    if is_open() {
        let_beside_all(far, near, bytes, what);
    }
}

#[inline(never)]
fn let_beside_all(far: u64, near: u64, bytes: u64, what: What) {
    if let Some(mut batch) = BATCH.get()
        && (!batch.lets(far, near, bytes, what.fetches()) || what.has_request() && batch.count > 0)
    {
        batch.settle();
    }
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
        batch.last = batch::NONE;
        if batch.count > 0 {
            batch.settle();
        }
    }
}

/// The operations on those targets are complete, and nothing but those on the list can be: whether that is so. Else nothing is on
/// the list any more.
#[inline(always)]
pub fn flush(is_one: impl Fn(On) -> bool) -> bool {
    match (BATCH.get(), checker()) {
        (Some(mut batch), Some(checker)) => batch.flush(checker, is_one),
        _ => false,
    }
}

/// The operations on those targets are complete here, and nothing but those on the list can be: whether that is so. Else nothing is on the
/// list any more.
#[inline(always)]
pub fn leave(is_one: impl Fn(On) -> bool) -> bool {
    match (BATCH.get(), checker()) {
        (Some(mut batch), Some(checker)) => batch.leave(checker, is_one),
        _ => false,
    }
}

impl Operation {
    /// From where to where it reads and writes in this process, at most.
    #[inline(always)]
    pub fn buffers(&self) -> [Range; 2] {
        let run = |at: u64| (at as usize, (at + self.bytes) as usize);
        let [origin, compare] = self.near.reads;
        let reads = match () {
            () if !self.what.changes() => (0, 0),
            // A hull: where that meets something, it is looked at exactly.
            () if self.what.is(Kind::CompareAndSwap) => {
                let (from, to) = (origin.min(compare), origin.max(compare));
                (from as usize, (to + self.bytes) as usize)
            }
            () => run(origin),
        };
        let writes = match self.what.fetches() {
            true => run(self.near.writes),
            false => (0, 0),
        };
        [reads, writes]
    }

    /// Has `work` carry it out, and compares it: whether that was done.
    #[cold]
    #[inline(never)]
    fn look(&self, checker: &Checker, work: &dyn Fn()) -> bool {
        let Operation {
            words,
            function,
            on,
            what,
            bytes,
            far,
            ref near,
        } = *self;
        let (window, target) = (&words.checked(), on.target());
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
        say_seen(on, process, what);
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
        let known = clock::look();
        let found = compare(&mut state, checker, window, &access, &entered, known, words);
        drop(state);
        if what.fetches() {
            take_flags(window, &access);
        }
        let from = From { function, place };
        if let Some(found) = found {
            found.tell(from, window, &access, words);
        }
        near.fit(from, bytes, what);
        super::fetched(window, target, what);
        true
    }
}
