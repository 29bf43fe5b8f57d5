//! What a target does with parcels for it: it looks at them before it touches its memory, as no kernel does that for it.

use super::patterns::{PATTERNS, Pattern};
use super::{ELEMENT, Parcel, Work};
use crate::block::Control;
use crate::datatype::{self, Layout, Message};
use crate::runtime::deaths::dead;
use crate::runtime::errands::{Errand, set_errand};
use crate::runtime::{self, Ranks, job, me, must_reach};
use crate::shm::atomic::{AtomicU64, Ordering::Relaxed, spin_loop};
use crate::shm::parcel::Answer;
use crate::shm::segment::segment;
use crate::win::elements::Sides;
use crate::win::update::Operation;
use crate::win::{Reach, Window, waiting};
use parking_lot::Mutex;
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use std::ops::Range;
use std::ptr::{NonNull, with_exposed_provenance_mut};
use std::sync::{Arc, Weak};

/// So often it looks at a taken accumulate lock: an update of a few elements here holds it no longer.
const LOOKS: usize = 16;

/// Bytes of short runs that are gathered at a time.
const GATHERED: usize = 4 << 10;
/// Runs of so few bytes take longer one by one than gathered.
const SHORT: usize = 64;

/// Bytes that this process has moved for others.
pub static CARRIED: AtomicU64 = AtomicU64::new(0);

/// The windows of this process in which it may be asked, by their blocks.
static WINDOWS: Mutex<Vec<(u64, Weak<Window>)>> = Mutex::new(Vec::new());

/// Lets the others ask this process to carry out transfers to its part of a window, if that is private memory.
pub fn accept(window: &Arc<Window>) {
    let own = &window.targets[window.rank];
    if own.reach() == Reach::Shared {
        return;
    }
    set_errand(Errand::Store, carry_out);
    let mut windows = WINDOWS.lock();
    windows.retain(|(_, window)| window.strong_count() > 0);
    windows.push((Control::key(window.mine), Arc::downgrade(window)));
}

/// Nobody will ask any more.
pub fn close() {
    WINDOWS.lock().clear();
    *super::MINE.lock() = None;
}

/// Carries out what lies on this process's desk.
fn carry_out() {
    let Some(place) = me().desk.take() else {
        return;
    };
    must_reach(place, size_of::<Parcel>());
    let parcel = segment().at::<Parcel>(place);
    // What is small is on its way while the rest is looked at.
    // SAFETY: a prefetch touches nothing.
    unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const (*parcel).data).cast()) };
    // SAFETY: what lies on a desk is a parcel, which its sender leaves alone until it is answered. It is moved after it was
    // looked at.
    unsafe {
        let from = (*parcel).from;
        let answer = match what_to_do(&*parcel) {
            None => Answer::Refused,
            Some(task) => task.carry_out((&raw mut (*parcel).data).cast()),
        };
        (*parcel).receipt.answer(answer);
        runtime::ring(from);
    }
}

/// A parcel that was looked at.
struct Task<'a> {
    work: Work,
    window: Arc<Window>,
    patterns: &'a [Pattern],
    bytes: usize,
}

/// `None` unless its sender lives, and all of it lies in this process's part of the window, and there is memory that may be
/// written.
fn what_to_do(parcel: &Parcel) -> Option<Task<'_>> {
    let work = Work::of(parcel.work)?;
    let patterns = &parcel.patterns[..PATTERNS.min(parcel.count as usize)];
    let bytes: usize = patterns.iter().map(Pattern::bytes).sum();
    if bytes > work.room() || dead(Ranks::One(parcel.from)).is_some() {
        return None;
    }
    // An element's gap may be outside.
    let gap = match work {
        Work::Update(Operation { basic, .. }, _) => {
            let whole = |p: &Pattern| (p.block as usize).is_multiple_of(basic.extent());
            if !patterns.iter().all(whole) {
                return None;
            }
            let end = basic.parts().last().map_or(0, |(at, len)| at + len);
            basic.extent() - end
        }
        Work::Swap if patterns.len() != 1 || patterns[0].count != 1 => return None,
        _ => 0,
    };
    let windows = WINDOWS.lock();
    let found = windows.iter().find(|(key, _)| *key == parcel.window);
    let window = found.and_then(|(_, window)| window.upgrade())?;
    drop(windows);
    let hulls = || {
        patterns
            .iter()
            .map(|p| p.hull().map(|h| h.start..h.end.saturating_sub(gap)))
    };
    let all = hulls().reduce(|all, hull| {
        let (all, hull) = (all?, hull?);
        Some(all.start.min(hull.start)..all.end.max(hull.end))
    });
    let fine = window.has_writable(all.flatten()) || hulls().all(|hull| window.has_writable(hull));
    fine.then_some(Task {
        work,
        window,
        patterns,
        bytes,
    })
}

impl Window {
    /// Whether a range is in this process's part, memory that may be written.
    fn has_writable(&self, range: Option<Range<usize>>) -> bool {
        let Some(range) = range else {
            return false;
        };
        let own = &self.targets[self.rank];
        let part = match own.reach() {
            Reach::Attached => self
                .attached
                .try_lock()
                .and_then(|attached| attached.as_deref()?.region_at(range.start)),
            _ => {
                let begin = own.there as usize;
                Some(begin..begin + own.size)
            }
        };
        part.is_some_and(|part| part.start <= range.start && range.end <= part.end)
            && self.writable.covers(range)
    }

    /// Updates this process's part under its accumulate lock, unless that is taken: whether it did. Never waits for whom holds
    /// it, who may wait for this process, or be this very thread.
    fn update_if_free(&self, update: impl FnOnce()) -> bool {
        let (lock, me) = (&self.mine.accumulate, job().rank);
        let taken = (0..LOOKS).any(|_| {
            let (taken, _) = lock.try_take(me, true);
            if !taken {
                spin_loop();
            }
            taken
        });
        if !taken {
            return false;
        }
        update();
        waiting::ring(lock, lock.release_exclusive(me));
        true
    }
}

impl Task<'_> {
    /// # Safety
    /// The data is that of the parcel, which is on its way.
    unsafe fn carry_out(&self, data: *mut u8) -> Answer {
        // SAFETY: the caller's promise. The memory was looked at.
        let done = unsafe {
            match self.work {
                Work::Put | Work::Get => {
                    self.move_all(data);
                    true
                }
                Work::Update(operation, fetches) => self
                    .window
                    .update_if_free(|| self.update(data, &operation, fetches)),
                Work::Swap => self.window.update_if_free(|| self.swap(data)),
            }
        };
        if !done {
            return Answer::Busy;
        }
        CARRIED.fetch_add(self.bytes as u64, Relaxed);
        Answer::Stored
    }

    /// Moves the data between a parcel and where it belongs.
    ///
    /// # Safety
    /// As [`Task::carry_out`].
    unsafe fn move_all(&self, mut data: *mut u8) {
        for pattern in self.patterns {
            let message = Message {
                layout: &Layout::run(0, pattern.block as usize),
                extent: pattern.stride,
                base: pattern.address,
                count: pattern.count as usize,
            };
            let bytes = pattern.bytes();
            // SAFETY: the caller's promise; the patterns have at most as many bytes as there is room for.
            unsafe {
                match self.work {
                    Work::Get => datatype::pack(message, 0..bytes, data),
                    _ => datatype::unpack(message, 0..bytes, data),
                }
            }
            data = data.wrapping_add(bytes);
        }
    }

    /// Updates run after run where they are, so what is in several of them is combined as often.
    ///
    /// # Safety
    /// As [`Task::carry_out`], and the accumulate lock is held.
    unsafe fn update(&self, data: *mut u8, operation: &Operation, fetches: bool) {
        let before = data.wrapping_add(self.work.before(self.bytes));
        let mut sides = Sides {
            operands: data,
            before: NonNull::new(before).filter(|_| fetches),
        };
        for pattern in self.patterns {
            // SAFETY: the caller's promise.
            if unsafe { self.update_gathered(pattern, operation, sides) } {
                sides = sides.skip(pattern.bytes());
                continue;
            }
            for (address, len) in pattern.runs() {
                let there = with_exposed_provenance_mut(address);
                // SAFETY: the caller's promise: who else updates them holds the lock. Each side has as many bytes, of which there are
                // at most as many as there is room for.
                unsafe { operation.by_kernel(there, len / operation.basic.extent(), sides) };
                sides = sides.skip(len);
            }
        }
    }

    /// Updates short runs that do not lie over each other, a few at a time, as an array that is made of them: whether they are
    /// such.
    ///
    /// # Safety
    /// As [`Task::update`].
    unsafe fn update_gathered(
        &self,
        pattern: &Pattern,
        operation: &Operation,
        mut sides: Sides,
    ) -> bool {
        let block = pattern.block as usize;
        let is_short = pattern.count > 1 && block <= SHORT && operation.basic.is_dense();
        if !is_short || pattern.stride.unsigned_abs() <= block {
            return false;
        }
        let mut room = [0_u8; GATHERED];
        let (mut address, mut rest) = (pattern.address, pattern.count as usize);
        while rest > 0 {
            let count = rest.min(GATHERED / block);
            let message = Message {
                layout: &Layout::run(0, block),
                extent: pattern.stride,
                base: address,
                count,
            };
            let bytes = count * block;
            // SAFETY: the caller's promise, and there is room for so many.
            unsafe {
                datatype::pack(message, 0..bytes, room.as_mut_ptr());
                let n = bytes / operation.basic.extent();
                operation.by_kernel(room.as_mut_ptr(), n, sides);
                if !self.work.is_reading() {
                    datatype::unpack(message, 0..bytes, room.as_ptr());
                }
            }
            sides = sides.skip(bytes);
            address = address.wrapping_add_signed(pattern.stride.wrapping_mul(count as isize));
            rest -= count;
        }
        true
    }

    /// # Safety
    /// As [`Task::update`].
    unsafe fn swap(&self, data: *mut u8) {
        let at: *mut u8 = with_exposed_provenance_mut(self.patterns[0].address);
        // SAFETY: the caller's promise: who else updates the element holds the lock. It is no longer than each of the three.
        unsafe {
            let there = std::slice::from_raw_parts_mut(at, self.bytes);
            let [new, expected, before] = &mut *data.cast::<[[u8; ELEMENT]; 3]>();
            before[..self.bytes].copy_from_slice(there);
            if there == &expected[..self.bytes] {
                there.copy_from_slice(&new[..self.bytes]);
            }
        }
    }
}
