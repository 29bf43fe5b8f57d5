//! Handles of one-sided operations that are used once more: programs wait for each operation before they begin the next one. A handle stays one of
//! the same function, called at the same place of the program. It is made by a whole call, and given back when the process makes any other call but
//! MPI_Rput and its kin, and flushes.
//!
//! | state   | whose the handle is                                | goes on by                                   |
//! |---------|----------------------------------------------------|----------------------------------------------|
//! | `NONE`  | there is none                                      | [`gives`]                                    |
//! | `GIVEN` | the program's                                      | [`waits`]; [`settle`] leaves it the program's |
//! | `ENDED` | nobody's: the program has waited for it            | [`give`]; [`settle`] frees it                |

use super::own::{STATE, State};
use super::{again, series};
use crate::check::threads::{Alone, Turn};
use crate::check::{CALLED, place};
use crate::shm::atomic::{AtomicBool, Ordering::Relaxed};
use std::cell::Cell;

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
    /// Where the call returns to, and the address of the function's name.
    back: usize,
    function: usize,
    free: fn(i32),
}

/// So many places of the program have one: a power of two.
const SITES: usize = 8;

static ALL: Alone<[Site; SITES]> = Alone::new(
    [Site {
        state: Stage::None,
        handle: 0,
        back: 0,
        function: 0,
        free: |_| (),
    }; SITES],
);
/// Whether there are any.
static OPEN: AtomicBool = AtomicBool::new(false);

impl Site {
    fn settle(&mut self) {
        if self.state == Stage::Ended {
            (self.free)(self.handle);
        }
        self.state = Stage::None;
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

/// The present call, a whole one, gives this handle, which `free` frees when the program has waited for it.
#[cold]
pub fn gives(handle: i32, free: fn(i32)) {
    if again::gives(handle, free) {
        return;
    }
    let numbers = MADE.take();
    if numbers.0 > 0 {
        STATE.lock().bind(numbers, handle);
    }
    let called = CALLED.get();
    keep(Site {
        state: Stage::Given,
        handle,
        back: called.back,
        function: called.name.as_ptr().addr(),
        free,
    });
}

#[cold]
fn keep(site: Site) {
    if let Some(mut all) = ALL.get() {
        let place = site_of(&mut all, site.back);
        place.settle();
        *place = site;
        OPEN.store(true, Relaxed);
    }
}

/// Which site has a handle for the call of `function`, if there is one.
// Out of line, as there is a call of it in each of the functions.
#[inline(never)]
pub fn find(function: &'static str) -> Option<usize> {
    let (back, function) = (place::came_from(), function.as_ptr().addr());
    let is_it =
        |site: &Site| (site.back, site.function) == (back, function) && site.state == Stage::Ended;
    if let Some(number) = ALL.get()?.iter().position(is_it) {
        return Some(number);
    }
    let (handle, free) = again::leaves(function, back)?;
    keep(Site {
        state: Stage::Ended,
        handle,
        back,
        function,
        free,
    });
    ALL.get()?.iter().position(is_it)
}

/// The handle of the site of this number: it is the program's.
#[inline(always)]
pub fn give(number: usize) -> Option<i32> {
    let mut all = ALL.get()?;
    let site = &mut all[number % SITES];
    site.state = Stage::Given;
    Some(site.handle)
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
            let found = all.iter_mut().find(is_it);
            found.map(|site| site.state = Stage::Ended).is_some()
        });
    if is_it {
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
    all.iter().find(is_it).map(|site| site.handle)
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
        all.iter_mut().for_each(Site::settle);
    }
}
