//! What happens in this process that a tool may want to be told at once: events of the tool information interface (MPI 4.1 §15.3.8).
//!
//! The rooms tell here that something has happened; who hears of it, when and how, `tools` decides, which is outside of them all. Each
//! kind has a bit in one word, which is asked first. It is asked in paths that are cold anyway: a wait, a message without a receive, the
//! making of a window.
//!
//! **Where functions of a tool run.** At the end of the program's call of MPI they may do anything. Where it happens, in the middle
//! of a call that holds locks of the library, they may look at events and variables only: what else they call is
//! [barred](is_barred).

use crate::shm::atomic::{AtomicBool, AtomicU32, Ordering};
use std::cell::Cell;
use std::sync::OnceLock;

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    LockContended,
    LongWait,
    DeadlockSuspected,
    MessageUnexpected,
    WindowMade,
    WindowFreed,
    MemoryAdopted,
    MemoryRefused,
}

/// The most values that come with one.
pub const VALUES: usize = 3;

/// Something has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub kind: Kind,
    /// The number of the window or communicator that it happened to; 0: to none.
    pub object: u64,
    pub values: [i64; VALUES],
}

/// Who hears of it.
pub struct Listener {
    /// It has happened just now, in the middle of a call.
    pub raised: fn(Event),
    /// A call of the program ends that is within no other, and something is still to be told.
    pub left: fn(),
}

static LISTENER: OnceLock<Listener> = OnceLock::new();
/// A bit for each kind that somebody wants to hear of.
static WANTED: AtomicU32 = AtomicU32::new(0);
/// Whether something is still to be told at the end of a call.
static PENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread runs a function of a tool in the middle of a call.
    static RESTRICTED: Cell<bool> = const { Cell::new(false) };
}

/// Names who hears of events, for good.
pub fn set_listener(listener: Listener) {
    let _ = LISTENER.set(listener);
}

/// From now on these kinds are wanted, and no others.
pub fn want(kinds: impl Iterator<Item = Kind>) {
    let bits = kinds.fold(0, |bits, kind| bits | 1 << kind as u32);
    WANTED.store(bits, Ordering::Relaxed);
}

/// Whether somebody wants to hear of this kind.
#[inline(always)]
pub fn are_wanted(kind: Kind) -> bool {
    WANTED.load(Ordering::Relaxed) & 1 << kind as u32 != 0
}

/// It has happened. The calling thread may be in the middle of anything but a lock of the listener's.
#[cold]
pub fn raise(kind: Kind, object: u64, values: [i64; VALUES]) {
    if let Some(listener) = LISTENER.get() {
        let event = Event {
            kind,
            object,
            values,
        };
        (listener.raised)(event);
    }
}

/// Says whether something is still to be told.
pub fn set_pending(pending: bool) {
    PENDING.store(pending, Ordering::Release);
}

/// A call of the program is over that is within no other.
#[inline(always)]
pub(super) fn left() {
    if PENDING.load(Ordering::Acquire)
        && let Some(listener) = LISTENER.get()
    {
        (listener.left)();
    }
}

/// Does `work`, a function of a tool in the middle of a call.
pub fn restricted<R>(work: impl FnOnce() -> R) -> R {
    let before = RESTRICTED.replace(true);
    let result = work();
    RESTRICTED.set(before);
    result
}

/// Whether this thread runs a function of a tool in the middle of a call.
pub fn is_restricted() -> bool {
    RESTRICTED.get()
}

/// Whether the program may not call this function now, as its thread runs a function of a tool in the middle of another call. What
/// belongs to the tool information interface takes no lock that such a call can hold.
#[inline(always)]
pub fn is_barred(function: &str) -> bool {
    LISTENER.get().is_some() && RESTRICTED.get() && !function.starts_with("MPI_T_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tools_functions_run_in_the_middle_of_a_call() {
        set_listener(Listener {
            raised: |_| (),
            left: || (),
        });
        assert!(!is_barred("MPI_Send"));
        restricted(|| {
            assert!(is_barred("MPI_Send"));
            assert!(!is_barred("MPI_T_event_read"));
            restricted(|| ());
            assert!(is_restricted(), "the inner one has ended");
        });
        assert!(!is_restricted());
    }
}
