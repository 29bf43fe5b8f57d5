//! Handles of one-sided operations that are used once more: programs wait for each operation before they begin the next one. A handle stays one of
//! the same function, called at the same place of the program. It is made by a whole call, and given back when the process makes any other call but
//! MPI_Rput and its kin, and flushes.
//!
//! | state   | whose the handle is                                | goes on by                                   |
//! |---------|----------------------------------------------------|----------------------------------------------|
//! | `NONE`  | there is none                                      | [`gives`]                                    |
//! | `GIVEN` | the program's                                      | [`waits`]; [`settle`] leaves it the program's |
//! | `ENDED` | nobody's: the program has waited for it            | [`next`]; [`settle`] frees it                |

use super::{again, series};
use crate::check::threads::Alone;
use crate::check::{CALLED, place};
use crate::shm::atomic::{AtomicBool, Ordering::Relaxed};

#[derive(Clone, Copy, PartialEq)]
enum State {
    None,
    Given,
    Ended,
}

/// The handle of a place of the program.
#[derive(Clone, Copy)]
struct Site {
    state: State,
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
        state: State::None,
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
        if self.state == State::Ended {
            (self.free)(self.handle);
        }
        self.state = State::None;
    }
}

/// The site of a place of the program; for a new one, one that is free, or any.
#[inline]
fn site_of(all: &mut [Site; SITES], back: usize) -> &mut Site {
    let known = all.iter().position(|site| site.back == back);
    let free = || all.iter().position(|site| site.state == State::None);
    let number = known.or_else(free).unwrap_or(back >> 1 & (SITES - 1));
    &mut all[number]
}

/// The present call, a whole one, gives this handle, which `free` frees when the program has waited for it.
#[cold]
pub fn gives(handle: i32, free: fn(i32)) {
    if again::gives(handle, free) {
        return;
    }
    let called = CALLED.get();
    keep(Site {
        state: State::Given,
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

/// Whether there is a handle for the call of `function`.
// Out of line, as there is a call of this and the next one in each of the functions.
#[inline(never)]
pub fn is_there(function: &'static str) -> bool {
    let (back, function) = (place::came_from(), function.as_ptr().addr());
    let is_it =
        |site: &Site| (site.back, site.function) == (back, function) && site.state == State::Ended;
    if ALL.get().is_some_and(|all| all.iter().any(is_it)) {
        return true;
    }
    let Some((handle, free)) = again::leaves(function, back) else {
        return false;
    };
    keep(Site {
        state: State::Ended,
        handle,
        back,
        function,
        free,
    });
    true
}

/// The handle that was there: it is the program's.
#[inline(never)]
pub fn next() -> Option<i32> {
    let mut all = ALL.get()?;
    let site = site_of(&mut all, place::came_from());
    site.state = State::Given;
    Some(site.handle)
}

/// Whether to wait for this handle is to wait for an operation that is done: then the handle is over.
#[inline]
pub fn waits(handle: i32) -> bool {
    if again::waits(handle) {
        return true;
    }
    OPEN.load(Relaxed)
        && ALL.get().is_some_and(|mut all| {
            let is_it = |site: &&mut Site| site.handle == handle && site.state == State::Given;
            let found = all.iter_mut().find(is_it);
            found
                .map(|site| {
                    site.state = State::Ended;
                    series::waited();
                })
                .is_some()
        })
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
    if let Some(mut all) = ALL.get() {
        OPEN.store(false, Relaxed);
        all.iter_mut().for_each(Site::settle);
    }
}
