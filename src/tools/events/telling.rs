//! How events are told: which functions may be called where, and calling them.

use super::registry::{Call, Callback, REGISTRY};
use crate::bail;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::observe::events::{self, Event};
use crate::tools::to_handle;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a function may do that is called for an event, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    None,
    Restricted,
    ThreadSafe,
    AsyncSignalSafe,
}

const LEVELS: [(MPI_T_cb_safety, Safety); 4] = [
    (MPI_T_CB_REQUIRE_NONE, Safety::None),
    (MPI_T_CB_REQUIRE_MPI_RESTRICTED, Safety::Restricted),
    (MPI_T_CB_REQUIRE_THREAD_SAFE, Safety::ThreadSafe),
    (MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, Safety::AsyncSignalSafe),
];

impl Safety {
    /// Error: `MPI_T_ERR_INVALID`.
    pub fn of(level: MPI_T_cb_safety) -> Result<Safety> {
        match LEVELS.iter().find(|row| row.0 == level) {
            Some(row) => Ok(row.1),
            None => bail!(
                TInvalid,
                "cb_safety is {}, which is no safety level",
                level.0
            ),
        }
    }

    pub fn number(self) -> MPI_T_cb_safety {
        LEVELS[self as usize].0
    }

    /// What the calling thread asks for between the calls of functions that it makes now.
    pub fn here() -> Safety {
        match events::is_restricted() {
            true => Safety::Restricted,
            false => Safety::None,
        }
    }
}

/// Whether a thread tells of events, and so no other may.
static TELLING: AtomicBool = AtomicBool::new(false);

/// Calls a function of the program for what has happened, or was lost.
fn call(next: Call, safety: Safety) {
    let handle = match next {
        Call::Event(Callback { function, data }, handle, instance) => {
            // SAFETY: a function of the program, called as §15.3.8 says.
            unsafe {
                function(
                    to_handle(instance),
                    to_handle(handle),
                    safety.number(),
                    data.0,
                )
            };
            handle
        }
        Call::Dropped(function, data, handle, source, count) => {
            let source = source as c_int;
            // SAFETY: as above.
            unsafe { function(count, to_handle(handle), source, safety.number(), data.0) };
            handle
        }
    };
    let running = REGISTRY.lock().running.take();
    if let Some((function, data)) = running.and_then(|running| running.freed) {
        // SAFETY: as above; no function is called for this handle any more.
        unsafe { function(to_handle(handle), safety.number(), data.0) };
    }
}

/// Tells what is to be told, where `safety` is asked for. What happens meanwhile is left for the next time, or a function that makes
/// what it is told of would never come to an end.
fn tell(safety: Safety) {
    if TELLING.swap(true, Ordering::Acquire) {
        return events::set_pending(true);
    }
    let most = REGISTRY.lock().to_tell();
    for _ in 0..most {
        // The lock is not held while the function runs.
        let next = REGISTRY.lock().next(safety);
        let Some(next) = next else { break };
        match safety {
            Safety::None => call(next, safety),
            _ => events::restricted(|| call(next, safety)),
        }
    }
    TELLING.store(false, Ordering::Release);
    let registry = REGISTRY.lock();
    events::set_pending(registry.is_pending());
}

pub fn raised(event: Event) {
    REGISTRY.lock().put(event);
    tell(Safety::Restricted);
}

pub fn left() {
    tell(Safety::None);
}
