//! Handles of one-sided operations that are used once more: programs wait for each operation before they begin the next one. A handle stays one of
//! the same function, called at the same place of the program. It is made by a whole call, and given back when the process makes any other call but
//! MPI_Rput and its kin, and flushes.
//!
//! | state   | whose the handle is                                | goes on by                                   |
//! |---------|----------------------------------------------------|----------------------------------------------|
//! | `NONE`  | there is none                                      | [`gives`]                                    |
//! | `GIVEN` | the program's                                      | [`waits`]; [`settle`] leaves it the program's |
//! | `ENDED` | nobody's: the program has waited for it            | [`give`]; [`settle`] frees it                |
//!
//! **Buffers** belong to the operation until the program has waited for it, or it is complete by a flush. Those of a handle that is `GIVEN` once more
//! are only noted at its place of the program; [`hold`] and [`settle`] have them looked at as any that is [pending]. Operations that may
//! [meet](meets) one do not go on [quickly].

use super::On;
use super::own::{STATE, State};
use super::{again, series};
use crate::check::buffers::Used;
use crate::check::ranges::Range;
use crate::check::threads::{Alone, Turn};
use crate::check::{CALLED, checker, here, pending, place, turn};
use crate::shm::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::cell::Cell;
use std::iter::once;

/// What an operation has in use here, of each at most one run.
#[derive(Clone, Copy)]
pub struct Uses {
    pub on: On,
    pub reads: Range,
    pub writes: Range,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    None,
    Given,
    Ended,
}

/// The handle of a place of the program.
#[derive(Clone, Copy)]
struct Site {
    state: Stage,
    handle: i32,
    /// Where the call returns to.
    back: usize,
    function: &'static str,
    free: fn(i32),
    /// Of one that is given: what is in use until the program has waited, if that is not [pending] yet.
    uses: Option<Uses>,
}

/// So many places of the program have one: a power of two.
const SITES: usize = 8;

struct All {
    sites: [Site; SITES],
    /// What the present operation, a quick one, has in use.
    present: Option<Uses>,
}

static ALL: Alone<All> = Alone::new(All {
    present: None,
    sites: [Site {
        state: Stage::None,
        handle: 0,
        back: 0,
        function: "",
        free: |_| (),
        uses: None,
    }; SITES],
});
/// Whether there are any.
static OPEN: AtomicBool = AtomicBool::new(false);
/// How many sites have something in use.
static USING: AtomicUsize = AtomicUsize::new(0);

impl Site {
    fn settle(&mut self) {
        self.hold();
        if self.state == Stage::Ended {
            (self.free)(self.handle);
        }
        self.state = Stage::None;
    }

    /// What is in use here.
    #[inline(always)]
    fn use_now(&mut self, uses: Option<Uses>) -> Option<Uses> {
        let before = std::mem::replace(&mut self.uses, uses);
        let more = isize::from(uses.is_some()) - isize::from(before.is_some());
        if more != 0 {
            // One thread is here.
            let using = USING.load(Relaxed).wrapping_add_signed(more);
            USING.store(using, Relaxed);
        }
        before
    }

    /// It is looked at as anything that is pending.
    fn hold(&mut self) {
        if let Some(uses) = self.use_now(None) {
            uses.begin(self.handle, self.function, self.back);
        }
    }
}

impl Uses {
    /// Says that the function of that name, which was called from `back` and has given that handle, has this in use.
    #[cold]
    pub(super) fn begin(self, handle: i32, name: &'static str, back: usize) {
        if let Some(checker) = checker() {
            let place = checker.own.modules.place(back);
            let used = Used::of(once(self.reads), once(self.writes));
            pending::began_one_sided(handle, name, place, self.on, used);
        }
    }
}

/// The site of a place of the program; for a new one, one that is free, or any.
#[inline]
fn site_of(all: &mut [Site; SITES], back: usize) -> &mut Site {
    let known = all.iter().position(|site| site.back == back);
    let free = || all.iter().position(|site| site.state == Stage::None);
    let number = known.or_else(free).unwrap_or(back >> 1 & (SITES - 1));
    &mut all[number]
}

thread_local! {
    /// The numbers of what the present call has fetched, which has given no request yet; from 1 on.
    static MADE: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    /// What the present call, a whole one, has in use, which has given no request yet.
    static WHOLE: Cell<Option<Whole>> = const { Cell::new(None) };
}

/// What an operation has in use here, in any number of runs.
struct Whole {
    turn: u64,
    on: On,
    used: Used,
}

/// The present call, a whole one, has that in use from now on, and will give a request.
#[cold]
pub fn uses_all(on: On, used: Used) {
    let turn = turn();
    WHOLE.set(Some(Whole { turn, on, used }));
}

/// The present call, a whole one, has fetched what has these numbers, and will give a request by whose end that is complete.
#[cold]
pub(super) fn made(state: &mut Turn<'_, State>, numbers: (u64, u64)) {
    let alone = state.is_alone();
    let is_left = MADE.replace(numbers);
    complete(state, alone, is_left);
    OPEN.store(true, Relaxed);
}

/// What has those numbers is complete.
fn complete(state: &mut State, alone: bool, (first, last): (u64, u64)) {
    if first > 0 {
        state.complete(alone, |pending| (first..=last).contains(&pending.number));
    }
}

/// The present call, a whole one, which has this in use, gives this handle, which `free` frees when the program has waited for it.
#[cold]
pub fn gives(handle: i32, free: fn(i32)) {
    let called = CALLED.get();
    let uses = WHOLE.take();
    if let Some(Whole { turn, on, used }) = uses
        && turn == called.turn
    {
        pending::began_one_sided(handle, called.name, here(), on, used);
    }
    if again::gives(handle, free) {
        return;
    }
    let numbers = MADE.take();
    if numbers.0 > 0 {
        STATE.lock().bind(numbers, handle);
    }
    keep(Site {
        state: Stage::Given,
        handle,
        back: called.back,
        function: called.name,
        free,
        uses: None,
    });
}

#[cold]
fn keep(site: Site) {
    if let Some(mut all) = ALL.get() {
        let place = site_of(&mut all.sites, site.back);
        place.settle();
        *place = site;
        OPEN.store(true, Relaxed);
    }
}

/// Which site has a handle for the call of `function`, if there is one.
// Out of line, as there is a call of it in each of the functions.
#[inline(never)]
pub fn find(function: &'static str) -> Option<usize> {
    let back = place::came_from();
    let is_it = |site: &Site| {
        site.back == back && std::ptr::eq(site.function, function) && site.state == Stage::Ended
    };
    if let Some(number) = ALL.get()?.sites.iter().position(is_it) {
        return Some(number);
    }
    let (handle, free) = again::leaves(function.as_ptr().addr(), back)?;
    keep(Site {
        state: Stage::Ended,
        handle,
        back,
        function,
        free,
        uses: None,
    });
    ALL.get()?.sites.iter().position(is_it)
}

/// The handle of the site of this number: it is the program's.
#[inline(always)]
pub fn give(number: usize) -> Option<i32> {
    let mut all = ALL.get()?;
    let All { sites, present } = &mut *all;
    let site = &mut sites[number % SITES];
    site.state = Stage::Given;
    site.use_now(present.take());
    Some(site.handle)
}

/// Does `work`, an operation that uses this and may go on quickly, unless some of it may be in use: whether it was done. With a request it has this in
/// use from then on.
#[inline(always)]
pub fn quickly(uses: Uses, has_request: bool, work: impl FnOnce() -> bool) -> bool {
    let is_done = !meets(uses.reads, uses.writes) && work();
    if is_done
        && has_request
        && let Some(mut all) = ALL.get()
    {
        all.present = Some(uses);
    }
    is_done
}

/// Whether data that an operation is about to read, and to write, may be in use.
#[inline(always)]
fn meets(reads: Range, writes: Range) -> bool {
    let are_none = USING.load(Relaxed) == 0 && pending::is_empty() && !again::has_given();
    !are_none && meets_any(reads, writes)
}

#[inline(never)]
fn meets_any(reads: Range, writes: Range) -> bool {
    if again::has_given() {
        again::settle();
    }
    let meet = |a: Range, b: Range| a.0.max(b.0) < a.1.min(b.1);
    let meets = |uses: &Uses| {
        meet(reads, uses.writes) || meet(writes, uses.writes) || meet(writes, uses.reads)
    };
    let by_site = USING.load(Relaxed) != 0
        && ALL.get().is_some_and(|all| {
            let mut uses = all.sites.iter().filter_map(|site| site.uses.as_ref());
            uses.any(meets)
        });
    by_site || !pending::is_empty() && pending::meets(reads, writes)
}

/// What is in use, and only noted, is looked at as anything that is pending.
#[inline(always)]
pub fn hold() {
    if USING.load(Relaxed) != 0
        && let Some(mut all) = ALL.get()
    {
        all.sites.iter_mut().for_each(Site::hold);
    }
}

/// Whether buffers of requests are looked at as anything that is pending.
#[inline(always)]
pub fn are_pending() -> bool {
    pending::has_one_sided()
}

/// Operations are complete here, those for which `is_one`: the program may use their buffers again.
#[inline(always)]
pub fn flushed(is_one: impl Fn(On) -> bool) {
    if USING.load(Relaxed) != 0 || pending::has_one_sided() {
        flushed_any(is_one);
    }
}

#[cold]
#[inline(never)]
fn flushed_any(is_one: impl Fn(On) -> bool) {
    if let Some(mut all) = ALL.get() {
        for site in all.sites.iter_mut() {
            if site.uses.is_some_and(|uses| is_one(uses.on)) {
                site.use_now(None);
            }
        }
    }
    pending::flushed(is_one);
}

/// Whether to wait for this handle is to wait for an operation that is done: then the handle is over.
#[inline]
pub fn waits(handle: i32) -> bool {
    if again::waits(handle) {
        return true;
    }
    let is_it = OPEN.load(Relaxed)
        && ALL.get().is_some_and(|mut all| {
            let is_it = |site: &&mut Site| site.handle == handle && site.state == Stage::Given;
            let found = all.sites.iter_mut().find(is_it);
            let ended = found.map(|site| {
                site.state = Stage::Ended;
                site.use_now(None);
            });
            ended.is_some()
        });
    if is_it {
        if pending::has_one_sided() {
            pending::ended_by_wait(handle);
        }
        // What is noted asks which requests are the program's.
        series::waited();
        super::ended(handle);
    }
    is_it
}

/// The request of the last call that returned to `back`, if the program has not waited for it.
#[cold]
pub(super) fn given(back: usize) -> Option<i32> {
    let all = ALL.get()?;
    let is_it = |site: &&Site| site.back == back && site.state == Stage::Given;
    all.sites.iter().find(is_it).map(|site| site.handle)
}

/// Whether the function makes a request of a one-sided operation, and so uses none.
#[inline(always)]
pub fn makes(name: &str) -> bool {
    matches!(name.as_bytes(), [_, _, _, _, b'R', b'p' | b'g' | b'a', ..])
}

/// The process makes another call, or one inside another ends.
#[inline(always)]
pub fn settle() {
    if OPEN.load(Relaxed) {
        settle_all();
    }
}

#[cold]
#[inline(never)]
fn settle_all() {
    let is_left = MADE.take();
    if is_left.0 > 0 {
        // There was no room for a request of its own.
        let mut state = STATE.lock();
        let alone = state.is_alone();
        complete(&mut state, alone, is_left);
    }
    if let Some(mut all) = ALL.get() {
        OPEN.store(false, Relaxed);
        all.sites.iter_mut().for_each(Site::settle);
    }
}
