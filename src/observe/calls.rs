//! The calls of the program: what is counted when one ends.

use super::tables::{Block, ROWS, Row};
use super::trace::{self, Happening, Kind};
use super::waits::{Waiting, add, add_to};
use super::{OFF, STATE, events, is_passed, own, ticks};
use crate::shm::atomic::{AtomicU32, Ordering, spin_loop};
use std::cell::Cell;

/// An exported function.
pub struct Call {
    name: &'static str,
    /// The row of its calls, counted from 1; 0 until the first one.
    row: AtomicU32,
}

/// What this thread's call has come to so far.
pub(super) struct Current {
    /// How many calls the thread is in, one within another.
    depth: Cell<u32>,
    pub waited: Cell<u64>,
    /// The wait that it is in.
    pub waiting: Cell<Option<Waiting>>,
    bytes: Cell<u64>,
    /// The thread's number in its process, counted from 1; 0: it has none yet.
    thread: Cell<u32>,
}

thread_local! {
    // Without a destructor: to reach it takes no look whether it is there.
    static CURRENT: Current = const {
        Current {
            depth: Cell::new(0),
            waited: Cell::new(0),
            waiting: Cell::new(None),
            bytes: Cell::new(0),
            thread: Cell::new(0),
        }
    };
}

/// What [`enter`] says of a call within a call.
const INNER: u64 = u64::MAX;

impl Call {
    pub const fn new(name: &'static str) -> Call {
        Call {
            name,
            row: AtomicU32::new(0),
        }
    }

    /// The place of its row.
    #[inline(always)]
    fn row(&self, block: &Block) -> usize {
        match self.row.load(Ordering::Relaxed) {
            0 => self.first(block),
            row => row as usize - 1,
        }
    }

    /// Gives it a row, if it has none.
    #[cold]
    #[inline(never)]
    fn first(&self, block: &Block) -> usize {
        let about = block.about;
        while about.giving.swap(true, Ordering::Acquire) {
            spin_loop();
        }
        let known = self.row.load(Ordering::Relaxed);
        let row = if known > 0 {
            known as usize - 1
        } else {
            let next = about.rows.load(Ordering::Relaxed) as usize;
            let row = next.min(ROWS - 1);
            if next < ROWS {
                let is_last = next == ROWS - 1;
                about.calls[row].call_it(if is_last { "others" } else { self.name });
                about.rows.store(next as u32 + 1, Ordering::Release);
            }
            self.row.store(row as u32 + 1, Ordering::Relaxed);
            row
        };
        about.giving.store(false, Ordering::Release);
        row
    }
}

/// Does `work`, a call of `call` by the program.
#[inline(always)]
pub fn call<R>(call: &'static Call, work: impl FnOnce() -> R) -> R {
    if is_passed() {
        return work();
    }
    let since = enter(call);
    let result = work();
    leave(call, since);
    result
}

/// When the call begins.
#[inline(never)]
fn enter(call: &Call) -> u64 {
    CURRENT.with(|current| {
        let depth = current.depth.get();
        current.depth.set(depth + 1);
        if depth > 0 {
            return INNER;
        }
        current.waited.set(0);
        current.bytes.set(0);
        // Before it is decided which clock there is, a call begins with the job.
        let Some(block) = own() else { return 0 };
        let row = call.row(block) as u32 + 1;
        let now = ticks::now();
        block.about.since.store(now, Ordering::Relaxed);
        block.about.row.store(row, Ordering::Relaxed);
        now
    })
}

/// The call that began then is over.
#[inline(never)]
fn leave(call: &Call, since: u64) {
    CURRENT.with(|current| {
        current.depth.set(current.depth.get() - 1);
        if since == INNER {
            return;
        }
        count_call(current, call, since);
    });
    if since != INNER {
        events::left();
    }
}

/// Where it is wanted, the call that began then counts.
#[inline(always)]
fn count_call(current: &Current, call: &Call, since: u64) {
    let Some(block) = own() else { return };
    let about = block.about;
    let since = since.max(about.began.load(Ordering::Relaxed));
    let now = ticks::now();
    let (took, waited) = (now.saturating_sub(since), current.waited.get());
    let bytes = current.bytes.get();
    let place = call.row(block);
    let row: &Row = &about.calls[place];
    add(&row.count, 1);
    add(&row.ticks, took);
    if took > row.longest.load(Ordering::Relaxed) {
        row.longest.store(took, Ordering::Relaxed);
    }
    add(&about.inside, took);
    add_to(&row.waited, waited);
    add_to(&row.bytes, bytes);
    about.ended.store(now, Ordering::Relaxed);
    about.row.store(0, Ordering::Relaxed);
    if trace::is_on(block) {
        let thread = number(current, block);
        let event = Happening {
            kind: Kind::Call,
            thread,
            time: since,
            whom: place as u32,
            bytes,
            also: now,
        };
        trace::write(block, event);
    }
}

/// What the call that this thread is in has come to.
pub(super) fn current<R>(look: impl FnOnce(&Current) -> R) -> R {
    CURRENT.with(look)
}

/// The number of this thread among those of its process that have called.
pub(super) fn thread(block: &Block) -> u32 {
    CURRENT.with(|current| number(current, block))
}

fn number(current: &Current, block: &Block) -> u32 {
    if current.thread.get() == 0 {
        let before = block.about.threads.fetch_add(1, Ordering::Relaxed);
        current.thread.set(before + 1);
    }
    current.thread.get() - 1
}

/// The call that this thread is in has moved so many bytes.
#[inline(always)]
pub fn moved(bytes: usize) {
    if STATE.load(Ordering::Relaxed) != OFF {
        count(bytes);
    }
}

#[cold]
#[inline(never)]
fn count(bytes: usize) {
    CURRENT.with(|current| current.bytes.set(current.bytes.get() + bytes as u64));
}
