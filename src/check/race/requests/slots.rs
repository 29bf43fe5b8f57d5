//! Where handles are kept: each in the slot that its lowest bits name, those of one place of the program in a list.

use super::super::On;
use super::{Function, NOWHERE, Uses, free};
use crate::check::ranges::Range;
use crate::check::threads::Alone;
use crate::shm::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};

/// A call of the program's that has handles.
#[derive(Clone, Copy)]
pub(super) struct Site {
    /// Where the call returns to.
    pub back: usize,
    pub function: Function,
    /// The first of its slots that are ended, or [`NOWHERE`].
    pub ended: usize,
}

/// A handle, or 0. It is ended if [`ENDED`] has it, too, else given.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub handle: i32,
    pub site: usize,
    /// Of one that is ended: the next one of the site, or [`NOWHERE`].
    pub next: usize,
    /// Of one that is given quickly: where it is among those, or [`NOWHERE`].
    pub place: usize,
    /// Of such a one: what is in use until the program has waited, and not [pending](crate::check::pending) yet.
    pub uses: Uses,
}

/// So many places of the program have handles, and so many handles there are: a power of two.
const SITES: usize = 16;
const SLOTS: usize = 256;

/// Those that were given quickly, and that the program has not waited for, as far as they are not [held](super::hold).
pub(super) struct Quick {
    pub slots: [usize; SLOTS],
    /// Between which addresses they read and write, at most.
    pub reads: Range,
    pub writes: Range,
}

pub(super) struct All {
    pub sites: [Site; SITES],
    pub slots: [Slot; SLOTS],
    pub quick: Quick,
    /// Which slot the present operation gets, a quick one.
    pub present: usize,
    /// Whether one of something that was fetched has ended.
    pub has_ended_fetch: bool,
}

pub(super) static ALL: Alone<All> = Alone::new(All {
    sites: [Site::NONE; SITES],
    slots: [Slot::NONE; SLOTS],
    quick: Quick {
        slots: [0; SLOTS],
        reads: NOTHING,
        writes: NOTHING,
    },
    present: 0,
    has_ended_fetch: false,
});
/// How many [`Quick`] has.
pub(super) static QUICK: AtomicUsize = AtomicUsize::new(0);
/// The handles that are ended, each where its slot is; else 0.
pub(super) static ENDED: [AtomicI32; SLOTS] = [const { AtomicI32::new(0) }; SLOTS];

/// No bytes.
const NOTHING: Range = (usize::MAX, 0);

impl Site {
    pub const NONE: Site = Site {
        back: 0,
        function: Function { at: 0, name: "" },
        ended: NOWHERE,
    };

    #[inline(always)]
    pub fn is(&self, function: usize, back: usize) -> bool {
        (self.back, self.function.at) == (back, function)
    }
}

impl Slot {
    pub const NONE: Slot = Slot {
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

impl Quick {
    pub fn all(&self) -> &[usize] {
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
    pub fn hold(&mut self) {
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
    pub fn leaves_quick(&mut self, number: usize) {
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
    pub fn is_given(&self, handle: i32) -> bool {
        let number = number_of(handle);
        handle != 0 && self.slots[number].handle == handle && ENDED[number].load(Relaxed) == 0
    }

    /// A handle is the program's no more: whether it is one of these, and was.
    #[inline(always)]
    pub fn end(&mut self, handle: i32) -> bool {
        let is_it = self.is_given(handle);
        if is_it {
            let number = number_of(handle);
            self.leaves_quick(number);
            let slot = &mut self.slots[number];
            self.has_ended_fetch |= slot.uses.far != NOWHERE;
            let site = &mut self.sites[slot.site & (SITES - 1)];
            slot.next = std::mem::replace(&mut site.ended, number);
            ENDED[number].store(handle, Relaxed);
        }
        is_it
    }

    /// The present operation is done, and its handle, which was [found](super::find), the program's.
    #[inline(always)]
    pub fn give(&mut self, uses: &Uses) {
        let number = self.present & (SLOTS - 1);
        let slot = &mut self.slots[number];
        self.sites[slot.site & (SITES - 1)].ended = slot.next;
        ENDED[number].store(0, Relaxed);
        slot.uses = *uses;
        slot.place = self.quick.add(number, uses);
    }

    /// Gives it a slot, if that is free, or has a handle that is nobody's of another place: whether it did.
    #[cold]
    pub fn keep(&mut self, function: Function, back: usize, handle: i32) -> bool {
        let number = number_of(handle);
        let Slot {
            handle: other,
            site,
            ..
        } = self.slots[number];
        if other != 0 {
            let is_nobodys = ENDED[number].load(Relaxed) != 0;
            if !is_nobodys || self.sites[site].is(function.at, back) {
                return false;
            }
            self.drop_ended(number);
        }
        let site = self.site_of(function, back);
        self.slots[number] = Slot {
            handle,
            site,
            ..Slot::NONE
        };
        true
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
        free(handle);
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
                    free(slot.handle);
                }
                *slot = Slot::NONE;
            }
        }
    }
}

/// In which slot a handle is, if in any.
#[inline(always)]
pub(super) fn number_of(handle: i32) -> usize {
    handle as usize & (SLOTS - 1)
}
