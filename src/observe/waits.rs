//! Waits: how long, and for whom.

use super::calls::{current, lingers, thread};
use super::tables::Block;
use super::trace::{self, Happening, Kind};
use super::{own, ticks};
use crate::shm::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Whether several threads may be in MPI at a time.
static THREADED: AtomicBool = AtomicBool::new(false);

/// Any thread may call MPI at any time from now on.
pub fn be_threaded() {
    THREADED.store(true, Ordering::Relaxed);
}

/// Adds to a number that only this process writes. Where only one thread at a time may be in MPI that need not be a locked
/// instruction.
#[inline(always)]
pub(super) fn add(number: &AtomicU64, more: u64) {
    if THREADED.load(Ordering::Relaxed) {
        number.fetch_add(more, Ordering::Relaxed);
    } else {
        let sum = number.load(Ordering::Relaxed).wrapping_add(more);
        number.store(sum, Ordering::Relaxed);
    }
}

/// The same, where there is mostly nothing to be added.
#[inline(always)]
pub(super) fn add_to(number: &AtomicU64, more: u64) {
    if more > 0 {
        add(number, more);
    }
}

/// The rank, counted from 1, of which this process has heard last in the engine of messages; 0: of none since a wait began.
static HEARD: AtomicU32 = AtomicU32::new(0);

/// A message, or a word about one, came from `rank`.
#[inline(always)]
pub fn hear(rank: u32) {
    if super::is_on() {
        HEARD.store(rank + 1, Ordering::Relaxed);
    }
}

/// The rank of which this process has heard last since it began to wait: what it waited for came from there.
pub fn heard() -> Option<u32> {
    HEARD.load(Ordering::Relaxed).checked_sub(1)
}

/// A wait that is going on. Of waits one within another the outer one counts.
pub struct Wait(());

/// Since when a thread waits, and for which rank if it is known to be one.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    since: u64,
    whom: Option<u32>,
}

impl Wait {
    /// This thread begins to wait, for `rank` of the job or for any of several. `None`: nobody wants to know, or it waits already.
    pub fn begin(rank: Option<u32>) -> Option<Wait> {
        let block = own()?;
        if current(|current| current.waiting.get().is_some()) {
            return None;
        }
        lingers();
        HEARD.store(0, Ordering::Relaxed);
        begin(block, rank);
        Some(Wait(()))
    }

    /// It is over. It was for `rank`, or for one of several, nobody knows which.
    pub fn end(self, rank: Option<u32>) {
        if let Some((block, waiting)) = waiting() {
            end(block, waiting, rank);
        }
    }
}

/// Copies data that `rank` has sent. A thread that waits does not wait meanwhile; if it waits for several, it waited for this one.
#[inline]
pub fn copying<R>(rank: u32, copy: impl FnOnce() -> R) -> R {
    let waiting = waiting();
    if let Some((block, waiting)) = waiting {
        end(block, waiting, waiting.whom.or(Some(rank)));
    }
    let result = copy();
    if let Some((block, waiting)) = waiting {
        begin(block, waiting.whom);
    }
    result
}

/// Whether this thread waits, and somebody wants to know.
fn waiting() -> Option<(&'static Block, Waiting)> {
    let block = own()?;
    let waiting = current(|current| current.waiting.get())?;
    Some((block, waiting))
}

/// This thread waits from now on.
fn begin(block: &Block, whom: Option<u32>) {
    let since = ticks::now();
    current(|current| current.waiting.set(Some(Waiting { since, whom })));
    let about = block.about;
    let number = whom.map_or(0, |rank| rank + 1);
    about.waiting_for.store(number, Ordering::Relaxed);
    about.waiting_since.store(since, Ordering::Relaxed);
}

/// This thread has waited until now, for `rank`.
fn end(block: &Block, waiting: Waiting, rank: Option<u32>) {
    let now = ticks::now();
    let about = block.about;
    let took = now.saturating_sub(waiting.since);
    about.waiting_since.store(0, Ordering::Relaxed);
    add(&about.waited, took);
    let whom = rank.and_then(|rank| block.waited_for.get(rank as usize));
    add(whom.unwrap_or(&about.waited_for_several), took);
    current(|current| {
        current.waiting.set(None);
        current.waited.set(current.waited.get() + took);
    });
    if trace::is_on(block) {
        let event = Happening {
            kind: Kind::Wait,
            thread: thread(block),
            time: waiting.since,
            whom: rank.map_or(0, |rank| rank + 1),
            bytes: 0,
            also: now,
        };
        trace::write(block, event);
    }
}
