//! Calls where MPI cannot be used: before the world model or a session begins, and after the last of them has ended (MPI 4.1 §11.4.1).
//!
//! Many of them do no harm in this library, and do in others. What is called before there is anybody to tell of it is told when
//! the process has been initialized.

use super::{Called, Finding, checker, tell, tell_of};
use crate::shm::atomic::{AtomicBool, Ordering};
use parking_lot::Mutex;

/// Whether MPI can be used.
static IS_INSIDE: AtomicBool = AtomicBool::new(false);
/// The first call that was too early.
static EARLY: Mutex<Option<Called>> = Mutex::new(None);

/// What may be called at any time, besides all that begins as [`FAMILIES`] or ends as [`CONVERSIONS`].
const ALWAYS: [&str; 19] = [
    // Too late, these fail by themselves.
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Initialized",
    "MPI_Finalized",
    "MPI_Get_version",
    "MPI_Get_library_version",
    "MPI_Errhandler_free",
    "MPI_Error_string",
    "MPI_Error_class",
    "MPI_Add_error_class",
    "MPI_Remove_error_class",
    "MPI_Add_error_code",
    "MPI_Remove_error_code",
    "MPI_Add_error_string",
    "MPI_Remove_error_string",
    // Of these nobody would expect that they need anything.
    "MPI_Wtime",
    "MPI_Wtick",
    "MPI_Aint_add",
    "MPI_Aint_diff",
];
const FAMILIES: [&str; 4] = ["MPI_T_", "MPI_Info_", "MPI_Session_", "MPI_Abi_"];
const CONVERSIONS: [&str; 4] = ["_f2c", "_c2f", "_fromint", "_toint"];

/// MPI can be used from now on, or cannot any more.
pub fn is_inside(is: bool) {
    IS_INSIDE.store(is, Ordering::Relaxed);
    if is {
        tell_early();
    }
}

/// The thread begins a call that is inside no other one.
#[inline(always)]
pub(super) fn begins(call: Called) {
    if !IS_INSIDE.load(Ordering::Relaxed) {
        look(call);
    }
}

#[cold]
#[inline(never)]
fn look(call: Called) {
    let name = call.name;
    let is_always = ALWAYS.contains(&name)
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || CONVERSIONS.iter().any(|ending| name.ends_with(ending));
    if is_always {
        return;
    }
    match checker() {
        Some(_) => tell(finding()),
        None => {
            EARLY.lock().get_or_insert(call);
        }
    }
}

fn tell_early() {
    if let (Some(call), Some(checker)) = (EARLY.lock().take(), checker()) {
        let place = checker.own.modules.place(call.back);
        tell_of(finding(), call.name, place);
    }
}

fn finding() -> Finding {
    Finding {
        kind: "forbidden call",
        section: "MPI 4.1 §11.4.1",
        text: "it is called while neither the world model nor a session can be used, where only a few functions may be"
            .into(),
    }
}
