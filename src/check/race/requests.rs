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

use super::On;
use super::own::{STATE, State};
use super::span::Span;
use super::{again, series};
use crate::check::buffers::Used;
use crate::check::ranges::Range;
use crate::check::threads::{Alone, Turn};
use crate::check::{CALLED, checker, here, pending, place, turn};
use crate::shm::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering::Relaxed};
use std::cell::Cell;
use std::iter::once;

/// What an operation has in use here, of each at most one run.
#[derive(Clone, Copy)]
pub struct Uses {
    pub on: On,
    pub reads: Range,
    pub writes: Range,
    /// Where in the target's part what is noted begins, if it is complete by its request, and not logged; else [`NOWHERE`].
    pub far: usize,
}

/// A call of the program's that has handles.
#[derive(Clone, Copy)]
struct Site {
    /// Where the call returns to.
    back: usize,
    function: Function,
    /// The first of its slots that are ended, or [`NOWHERE`].
    ended: usize,
}

/// A function that gives requests: it is told from others by where its name is.
#[derive(Clone, Copy)]
pub(super) struct Function {
    pub at: usize,
    pub name: &'static str,
}

/// A handle, or 0. It is ended if [`ENDED`] has it, too, else given.
#[derive(Clone, Copy)]
struct Slot {
    handle: i32,
    site: usize,
    /// Of one that is ended: the next one of the site, or [`NOWHERE`].
    next: usize,
    /// Of one that is given quickly: where it is among those, or [`NOWHERE`].
    place: usize,
    /// Of such a one: what is in use until the program has waited, and not [pending] yet.
    uses: Uses,
}

/// So many places of the program have handles, and so many handles there are: a power of two.
const SITES: usize = 16;
const SLOTS: usize = 256;
pub const NOWHERE: usize = usize::MAX;

/// Those that were given quickly, and that the program has not waited for, as far as they are not [held](hold).
struct Quick {
    slots: [usize; SLOTS],
    /// Between which addresses they read and write, at most.
    reads: Range,
    writes: Range,
}

struct All {
    sites: [Site; SITES],
    slots: [Slot; SLOTS],
    quick: Quick,
    /// Which slot the present operation gets, a quick one.
    present: usize,
    /// Ends the life of a handle.
    free: fn(i32),
}

static ALL: Alone<All> = Alone::new(All {
    sites: [Site::NONE; SITES],
    slots: [Slot::NONE; SLOTS],
    quick: Quick {
        slots: [0; SLOTS],
        reads: NOTHING,
        writes: NOTHING,
    },
    present: 0,
    free: |_| (),
});
/// How many [`Quick`] has.
static QUICK: AtomicUsize = AtomicUsize::new(0);
/// The handles that are ended, each where its slot is; else 0.
static ENDED: [AtomicI32; SLOTS] = [const { AtomicI32::new(0) }; SLOTS];
/// Whether a call [has made](made) something whose request it has not given.
static IS_MAKING: AtomicBool = AtomicBool::new(false);

/// No bytes.
const NOTHING: Range = (usize::MAX, 0);

impl Site {
    const NONE: Site = Site {
        back: 0,
        function: Function { at: 0, name: "" },
        ended: NOWHERE,
    };

    #[inline(always)]
    fn is(&self, function: usize, back: usize) -> bool {
        (self.back, self.function.at) == (back, function)
    }
}

impl Slot {
    const NONE: Slot = Slot {
        handle: 0,
        site: 0,
        next: NOWHERE,
        place: NOWHERE,
        uses: Uses {
            on: On::NONE,
            reads: NOTHING,
            writes: NOTHING,
            far: NOWHERE,
        },
    };
}

impl Function {
    pub fn of(name: &'static str) -> Function {
        let at = name.as_ptr().addr();
        Function { at, name }
    }
}

impl Quick {
    fn all(&self) -> &[usize] {
        &self.slots[..QUICK.load(Relaxed)]
    }

    #[inline(always)]
    fn add(&mut self, slot: usize, uses: &Uses) -> usize {
        let join = |all: Range, one: Range| match one.0 < one.1 {
            true => (all.0.min(one.0), all.1.max(one.1)),
            false => all,
        };
        (self.reads, self.writes) = (join(self.reads, uses.reads), join(self.writes, uses.writes));
        let place = QUICK.load(Relaxed);
        self.slots[place & (SLOTS - 1)] = slot;
        QUICK.store(place + 1, Relaxed);
        place
    }

    #[inline(always)]
    fn shorten(&mut self, count: usize) {
        QUICK.store(count, Relaxed);
        if count == 0 {
            (self.reads, self.writes) = (NOTHING, NOTHING);
        }
    }
}

impl All {
    /// What is in use, and only noted, is looked at as anything that is pending.
    #[cold]
    fn hold(&mut self) {
        for &number in self.quick.all() {
            let slot = &mut self.slots[number];
            slot.place = NOWHERE;
            let Site { back, function, .. } = self.sites[slot.site];
            slot.uses.begin(slot.handle, function.name, back);
        }
        self.quick.shorten(0);
    }

    /// Nothing is in use any more that is only noted.
    #[inline(always)]
    fn leaves_quick(&mut self, number: usize) {
        let place = std::mem::replace(&mut self.slots[number].place, NOWHERE);
        if place == NOWHERE {
            return;
        }
        let last = QUICK.load(Relaxed) - 1;
        if place != last {
            self.goes_to(last, place);
        }
        self.quick.shorten(last);
    }

    #[inline(never)]
    fn goes_to(&mut self, from: usize, place: usize) {
        let moved = self.quick.slots[from];
        self.quick.slots[place] = moved;
        self.slots[moved].place = place;
    }

    #[inline(always)]
    fn is_given(&self, handle: i32) -> bool {
        let number = number_of(handle);
        handle != 0 && self.slots[number].handle == handle && ENDED[number].load(Relaxed) == 0
    }

    /// A handle is the program's no more: whether it is one of these, and was.
    #[inline(always)]
    fn end(&mut self, handle: i32) -> bool {
        let is_it = self.is_given(handle);
        if is_it {
            let number = number_of(handle);
            self.leaves_quick(number);
            self.ended(number);
        }
        is_it
    }

    #[inline(always)]
    fn ended(&mut self, number: usize) {
        let slot = &mut self.slots[number];
        let site = &mut self.sites[slot.site & (SITES - 1)];
        slot.next = std::mem::replace(&mut site.ended, number);
        ENDED[number].store(slot.handle, Relaxed);
    }

    /// The present operation is done, and its handle, which was [found](find), the program's.
    #[inline(always)]
    fn give(&mut self, uses: &Uses) {
        let number = self.present & (SLOTS - 1);
        let slot = &mut self.slots[number];
        self.sites[slot.site & (SITES - 1)].ended = slot.next;
        ENDED[number].store(0, Relaxed);
        slot.uses = *uses;
        slot.place = self.quick.add(number, uses);
    }

    /// Ends the life of a handle that is nobody's.
    #[cold]
    fn drop_ended(&mut self, number: usize) {
        let Slot {
            handle, site, next, ..
        } = self.slots[number];
        let mut at = self.sites[site].ended;
        match at == number {
            true => self.sites[site].ended = next,
            false => {
                while self.slots[at].next != number {
                    at = self.slots[at].next;
                }
                self.slots[at].next = next;
            }
        }
        ENDED[number].store(0, Relaxed);
        self.slots[number] = Slot::NONE;
        (self.free)(handle);
    }

    /// A site for calls of this function that return to `back`.
    fn site_of(&mut self, function: Function, back: usize) -> usize {
        let is_it = |site: &Site| site.is(function.at, back);
        if let Some(number) = self.sites.iter().position(is_it) {
            return number;
        }
        let free = self.sites.iter().position(|site| site.back == 0);
        let number = free.unwrap_or(back >> 1 & (SITES - 1));
        if free.is_none() {
            self.evict(number);
        }
        self.sites[number] = Site {
            back,
            function,
            ended: NOWHERE,
        };
        number
    }

    /// Its handles are as any other requests.
    #[cold]
    fn evict(&mut self, site: usize) {
        self.hold();
        for (slot, ended) in self.slots.iter_mut().zip(&ENDED) {
            if slot.handle != 0 && slot.site == site {
                if ended.swap(0, Relaxed) != 0 {
                    (self.free)(slot.handle);
                }
                *slot = Slot::NONE;
            }
        }
    }
}

/// In which slot a handle is, if in any.
#[inline(always)]
fn number_of(handle: i32) -> usize {
    handle as usize & (SLOTS - 1)
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
    if let Some(mut all) = ALL.get() {
        all.free = free;
    }
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
    let Some(mut all) = ALL.get() else {
        return;
    };
    let number = number_of(handle);
    let Slot {
        handle: other,
        site,
        ..
    } = all.slots[number];
    if other != 0 {
        let may_go = is_over(other) && !all.sites[site].is(function.at, back);
        if may_go {
            all.drop_ended(number);
        } else {
            if is_ended {
                (all.free)(handle);
            }
            return;
        }
    }
    let site = all.site_of(function, back);
    all.slots[number] = Slot {
        handle,
        site,
        ..Slot::NONE
    };
    if is_ended {
        all.ended(number);
    }
}

/// A handle for the call of `function`, if there is one: it [is given](quickly) if that is done quickly.
// Out of line, as there is a call of it in each of the functions.
#[inline(never)]
pub fn find(function: &'static str) -> Option<i32> {
    let back = place::came_from();
    let at = function.as_ptr().addr();
    // It keeps its handle here, and so may not do that between this and the end of the operation.
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
    let meet = |a: Range, b: Range| a.0.max(b.0) < a.1.min(b.1);
    let meet_all = |(read, written): (Range, Range)| {
        meet(reads, written) || meet(writes, written) || meet(writes, read)
    };
    let is_quick = QUICK.load(Relaxed) != 0
        && ALL.get().is_some_and(|all| {
            let All { quick, slots, .. } = &*all;
            meet_all((quick.reads, quick.writes)) && {
                let mut uses = quick.all().iter().map(|&number| &slots[number].uses);
                uses.any(|uses| meet_all((uses.reads, uses.writes)))
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
    let is_it = ALL.get().is_some_and(|mut all| all.end(handle));
    if is_it {
        if pending::has_one_sided() {
            pending::ended_by_wait(function, handle);
        }
        // What is noted asks which requests are the program's.
        series::waited();
        super::ended(handle);
    }
    is_it
}

/// The program knows, by a whole call, that the operation of a handle is over: whether the object is to live on here, for another one.
#[cold]
pub fn takes_back(handle: i32) -> bool {
    // A program may give one twice.
    is_over(handle) || ALL.get().is_some_and(|mut all| all.end(handle))
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
