//! Handles of one-sided operations that are used once more: programs wait for operations, and begin the next ones, one after another or many at a
//! time. A handle stays one of the same function, called at the same place of the program. It is made by a whole call.
//!
//! | state   | whose the handle is                                 | goes on by                                                   |
//! |---------|-----------------------------------------------------|--------------------------------------------------------------|
//! | `NONE`  | there is none                                       | [`gives`]                                                    |
//! | `GIVEN` | the program's                                       | [`waits`], or [`takes_back`], where a whole call has ended it |
//! | `ENDED` | nobody's: the program has waited for it             | [`quickly`]                                                  |
//!
//! To all calls a handle that is `ENDED` [is none](is_over), though its object lives. Each has the slot that its lowest bits name, if that is free; one
//! that has none is as any other request.
//!
//! **Buffers** belong to the operation until the program has waited for it, or it is complete by a flush. Those of a handle that is `GIVEN` once more
//! are only noted here; when the process makes any other call, [`hold`] has them looked at as any that is [pending]. Operations that may
//! [meet](meets) one do not go on [quickly].

mod slots;

use super::On;
use super::again;
use super::own::{STATE, State};
use super::span::Span;
use crate::check::buffers::Used;
use crate::check::ranges::{Range, clash};
use crate::check::threads::Turn;
use crate::check::{CALLED, checker, here, pending, place, turn};
use crate::shm::atomic::{AtomicBool, Ordering::Relaxed};
use slots::{ALL, All, ENDED, QUICK, Slot, number_of};
use std::cell::Cell;
use std::iter::once;
use std::sync::OnceLock;

/// What an operation has in use here, of each at most one run.
#[derive(Clone, Copy)]
pub struct Uses {
    pub on: On,
    pub reads: Range,
    pub writes: Range,
    /// Where in the target's part what is noted begins, if it is complete by its request, and not logged; else [`NOWHERE`].
    pub far: usize,
}

/// A function that gives requests: it is told from others by where its name is.
#[derive(Clone, Copy)]
pub(super) struct Function {
    pub at: usize,
    pub name: &'static str,
}

/// Nothing is there.
pub const NOWHERE: usize = usize::MAX;

/// What ends the life of a handle.
static FREE: OnceLock<fn(i32)> = OnceLock::new();
/// Whether a call [has made](made) something whose request it has not given.
static IS_MAKING: AtomicBool = AtomicBool::new(false);

impl Function {
    pub fn of(name: &'static str) -> Function {
        let at = name.as_ptr().addr();
        Function { at, name }
    }
}

impl Uses {
    /// Where in the target's part what is written here is from.
    pub fn fetched(&self) -> Span {
        let (from, to) = self.writes;
        Span::run(self.far as u64, (to - from) as u64)
    }

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
    IS_MAKING.store(true, Relaxed);
}

/// What has those numbers is complete.
fn complete(state: &mut State, alone: bool, (first, last): (u64, u64)) {
    if first > 0 {
        state.complete(alone, |pending| (first..=last).contains(&pending.number));
    }
}

/// The present call, a whole one, which has this in use, gives this handle, whose life `free` ends.
#[cold]
pub fn gives(handle: i32, free: fn(i32)) {
    let called = CALLED.get();
    let uses = WHOLE.take();
    if let Some(Whole { turn, on, used }) = uses
        && turn == called.turn
    {
        pending::began_one_sided(handle, called.name, here(), on, used);
    }
    _ = FREE.set(free);
    if again::gives(handle) {
        return;
    }
    let numbers = MADE.take();
    if numbers.0 > 0 {
        STATE.lock().bind(numbers, handle);
    }
    keep(Function::of(called.name), called.back, handle, false);
}

/// A handle of a function called from `back`, which the program has, or has waited for, has a slot from now on, if one is free.
#[cold]
pub(super) fn keep(function: Function, back: usize, handle: i32, is_ended: bool) {
    let is_kept = ALL
        .get()
        .is_some_and(|mut all| all.keep(function, back, handle));
    if is_ended {
        if is_kept {
            end(handle);
        } else {
            free(handle);
        }
    }
}

/// Ends the life of a handle.
fn free(handle: i32) {
    if let Some(free) = FREE.get() {
        free(handle);
    }
}

fn end(handle: i32) -> bool {
    ALL.get().is_some_and(|mut all| all.end(handle))
}

/// A handle for the call of `function`, if there is one: it [is given](quickly) if that is done quickly.
// Out of line, as there is a call of it in each of the functions.
#[inline(never)]
pub fn find(function: &'static str) -> Option<i32> {
    let back = place::came_from();
    let at = function.as_ptr().addr();
    // What was repeated leaves its handle here, which may not be between this and the end of the operation.
    again::settle();
    let mut all = ALL.get()?;
    let All {
        sites,
        slots,
        present,
        ..
    } = &mut *all;
    let site = sites.iter().find(|site| site.is(at, back))?;
    *present = site.ended;
    Some(slots.get(site.ended)?.handle)
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
        all.give(&uses);
    }
    is_done
}

/// Whether data that an operation is about to read, and to write, may be in use.
#[inline(always)]
fn meets(reads: Range, writes: Range) -> bool {
    let are_none = QUICK.load(Relaxed) == 0 && pending::is_empty() && !again::has_given();
    !are_none && meets_any(reads, writes)
}

#[inline(never)]
fn meets_any(reads: Range, writes: Range) -> bool {
    if again::has_given() {
        again::settle();
    }
    let is_quick = QUICK.load(Relaxed) != 0
        && ALL.get().is_some_and(|all| {
            let All { quick, slots, .. } = &*all;
            clash((reads, writes), (quick.reads, quick.writes)) && {
                let mut uses = quick.all().iter().map(|&number| &slots[number].uses);
                uses.any(|uses| clash((reads, writes), (uses.reads, uses.writes)))
            }
        });
    is_quick || !pending::is_empty() && pending::meets(reads, writes)
}

/// What is in use, and only noted, is looked at as anything that is pending.
#[inline(always)]
pub fn hold() {
    if QUICK.load(Relaxed) != 0
        && let Some(mut all) = ALL.get()
    {
        all.hold();
    }
}

/// Whether buffers of requests are looked at as anything that is pending.
#[inline(always)]
pub fn are_pending() -> bool {
    pending::has_one_sided()
}

/// Whether the program has waited for all that were given.
#[inline(always)]
pub(super) fn are_waited_for() -> bool {
    QUICK.load(Relaxed) == 0 && !pending::has_one_sided()
}

/// Operations are complete here, those for which `is_one`: the program may use their buffers again.
#[inline(always)]
pub fn flushed(is_one: impl Fn(On) -> bool) {
    if QUICK.load(Relaxed) != 0 || pending::has_one_sided() {
        flushed_any(is_one);
    }
}

#[cold]
#[inline(never)]
fn flushed_any(is_one: impl Fn(On) -> bool) {
    if let Some(mut all) = ALL.get() {
        let mut place = 0;
        while let Some(&number) = all.quick.all().get(place) {
            match is_one(all.slots[number].uses.on) {
                true => all.leaves_quick(number),
                false => place += 1,
            }
        }
    }
    pending::flushed(is_one);
}

/// Whether a handle is the program's, and to wait for it is to wait for an operation that is done.
#[inline]
pub fn is_given(handle: i32) -> bool {
    again::is_given(handle) || ALL.get().is_some_and(|all| all.is_given(handle))
}

/// Whether to wait for this handle, in a call of `function`, is to wait for an operation that is done: then the handle is over.
#[inline]
pub fn waits(function: &'static str, handle: i32) -> bool {
    if again::waits(function, handle) {
        return true;
    }
    let is_it = end(handle);
    if is_it {
        if pending::has_one_sided() {
            pending::ended_by_wait(function, handle);
        }
        super::ended(handle);
    }
    is_it
}

/// Whether the program has waited for something that was fetched since that was asked the last time.
pub(super) fn has_ended_fetch() -> bool {
    ALL.get()
        .is_some_and(|mut all| std::mem::take(&mut all.has_ended_fetch))
}

/// Whether something was fetched that the program may not have waited for.
pub(super) fn are_fetching() -> bool {
    pending::has_one_sided()
        || QUICK.load(Relaxed) != 0
            && ALL.get().is_none_or(|all| {
                let mut quick = all.quick.all().iter();
                quick.any(|&number| all.slots[number].uses.far != NOWHERE)
            })
}

/// The program knows, by a whole call, that the operation of a handle is over: whether the object is to live on here, for another one.
#[cold]
pub fn takes_back(handle: i32) -> bool {
    // A program may give one twice.
    is_over(handle) || end(handle)
}

/// Whether a handle is one that the program has waited for, and so no request though its object lives.
#[inline(always)]
pub fn is_over(handle: i32) -> bool {
    ENDED[number_of(handle)].load(Relaxed) == handle
}

/// Has `each` hear of those whose operations are noted, and that the program has not waited for: where the call returned to, the handle, and what it has
/// in use. It says whether it has logged that as what is not complete.
#[inline(always)]
pub(super) fn log_noted(each: impl FnMut(usize, i32, &Uses) -> bool) {
    if QUICK.load(Relaxed) != 0 {
        log_all_noted(each);
    }
}

#[cold]
fn log_all_noted(mut each: impl FnMut(usize, i32, &Uses) -> bool) {
    if let Some(mut all) = ALL.get() {
        let All {
            sites,
            slots,
            quick,
            ..
        } = &mut *all;
        for &number in quick.all() {
            let Slot {
                handle, site, uses, ..
            } = &mut slots[number];
            if uses.far != NOWHERE && each(sites[*site].back, *handle, uses) {
                uses.far = NOWHERE;
            }
        }
    }
}

/// Whether the function makes a request of a one-sided operation, and so uses none.
#[inline(always)]
pub fn makes(name: &str) -> bool {
    matches!(name.as_bytes(), [_, _, _, _, b'R', b'p' | b'g' | b'a', ..])
}

/// The process makes another call, or one inside another ends.
#[inline(always)]
pub fn settle() {
    hold();
    if IS_MAKING.load(Relaxed) {
        settle_made();
    }
}

/// There was no room for a request of what was made.
#[cold]
#[inline(never)]
fn settle_made() {
    IS_MAKING.store(false, Relaxed);
    let is_left = MADE.take();
    let mut state = STATE.lock();
    let alone = state.is_alone();
    complete(&mut state, alone, is_left);
}
