//! What the program has made and not freed when it ends: handles of all kinds, memory of MPI_Alloc_mem, memory attached to windows. Each is
//! told with the call and the place that made it; many from one place are told once.
//!
//! **What MPI forbids to leave** is a finding: requests that were never completed, files that are open, messages that were matched and never
//! received, sessions. What MPI lets stay is a [note](super::note): it costs memory, and hides the leaks that grow.
//!
//! The library's own objects do not count: what is made outside of the program's calls, and in MPI_Init.

use super::room::{self, Room};
use super::{Finding, Place, Severity, called, here, pending, tell_all};
use crate::shm::atomic::{AtomicBool, AtomicU64, Ordering};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// So many are remembered at a time; others that live at the same time are not.
const MOST: usize = 1 << 17;

/// The number of a kind of handle ([`Kind`](crate::handle::Kind)), or one of these.
pub type What = u32;
/// Memory of MPI_Alloc_mem, by its address.
pub const MEMORY: What = 32;
/// Memory attached to a window, by its address.
pub const ATTACHED: What = 33;
const WINDOW: What = 8;
const DATATYPE: What = 3;
/// Requests that are one operation, and all others.
const ONCE: What = 11;
const LASTING: What = 13;
const SESSION: What = 14;

/// What there is to be said of a kind: one, many, what ends it, where MPI says so, whether it is wrong to leave it.
type Rule = (&'static str, &'static str, &'static str, &'static str, bool);

#[rustfmt::skip]
fn rule(what: What, is_active: bool) -> Option<Rule> {
    Some(match what {
        1 => ("communicator", "communicators", "MPI_Comm_free", "MPI 4.1 §7.4.3", false),
        2 => ("group", "groups", "MPI_Group_free", "MPI 4.1 §7.3.3", false),
        DATATYPE => ("datatype", "datatypes", "MPI_Type_free", "MPI 4.1 §5.1.9", false),
        4 => ("file", "files", "MPI_File_close", "MPI 4.1 §14.2.1", true),
        5 => ("error handler", "error handlers", "MPI_Errhandler_free", "MPI 4.1 §9.3", false),
        6 => ("operation", "operations", "MPI_Op_free", "MPI 4.1 §6.9.5", false),
        7 => ("info object", "info objects", "MPI_Info_free", "MPI 4.1 §10", false),
        WINDOW => ("window", "windows", "MPI_Win_free", "MPI 4.1 §12.2.5", false),
        9 => ("attribute key", "attribute keys", "the function for freeing keys of its kind", "MPI 4.1 §7.7", false),
        ONCE | LASTING if is_active => {
            let by = "MPI_Wait, MPI_Test or their kin, or MPI_Request_free where that is allowed";
            ("active request", "active requests", by, "MPI 4.1 §11.2.2", true)
        }
        LASTING => ("persistent request", "persistent requests", "MPI_Request_free", "MPI 4.1 §3.9", false),
        12 => ("matched message", "matched messages", "MPI_Mrecv or MPI_Imrecv", "MPI 4.1 §3.8.2", true),
        SESSION => ("session", "sessions", "MPI_Session_finalize, which every session needs", "MPI 4.1 §11.3.1", true),
        MEMORY => ("piece of MPI's memory", "pieces of MPI's memory", "MPI_Free_mem", "MPI 4.1 §9.2", false),
        ATTACHED => ("attached region", "attached regions", "MPI_Win_detach, or MPI_Win_free", "MPI 4.1 §12.2.4", false),
        _ => return None,
    })
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Made {
    what: What,
    name: &'static str,
    place: u64,
}

/// What lives: its kind, its handle or address, and the window of what is attached to one.
type Living = FxHashMap<(What, usize, usize), Made>;

static LIVING: Mutex<Option<Living>> = Mutex::new(None);
/// Whether memory was ever attached to a window.
static ATTACHING: AtomicBool = AtomicBool::new(false);
/// How many found no room.
static MISSED: AtomicU64 = AtomicU64::new(0);

/// Whether it is the library that makes it.
fn is_own(what: What, name: &str) -> bool {
    name.is_empty()
        || name.starts_with("MPI_Init")
        // These are given again and again, and may not be freed.
        || what == DATATYPE && name.contains("_f90_")
}

/// The present call has made it.
#[cold]
pub fn made(what: What, key: usize) {
    made_in(what, key, 0);
}

/// The same of memory that was attached to `window`.
#[cold]
pub fn made_in(what: What, key: usize, window: usize) {
    let name = called();
    if is_own(what, name) {
        return;
    }
    if what == ATTACHED {
        ATTACHING.store(true, Ordering::Relaxed);
    }
    let place = here().bits();
    let mut living = LIVING.lock();
    let living = living.get_or_insert_default();
    if living.len() >= MOST {
        MISSED.fetch_add(1, Ordering::Relaxed);
    } else if living.has_room(1) {
        living.insert((what, key, window), Made { what, name, place });
    }
}

/// It is freed.
#[cold]
pub fn gone(what: What, key: usize) {
    gone_from(what, key, 0);
    // Few programs attach anything, and some have very many windows.
    if what == WINDOW
        && ATTACHING.load(Ordering::Relaxed)
        && let Some(living) = &mut *LIVING.lock()
    {
        // What was attached to it is not any more (MPI 4.1 §12.2.4).
        living.retain(|(what, _, window), _| *what != ATTACHED || *window != key);
    }
}

/// The same of memory that was attached to `window`.
#[cold]
pub fn gone_from(what: What, key: usize, window: usize) {
    if let Some(living) = &mut *LIVING.lock() {
        living.remove(&(what, key, window));
    }
}

/// MPI ends for this process: what is left is told. `is_active` says so of the handle of a request.
#[cold]
pub fn tell_left(is_active: impl Fn(i32) -> bool) {
    let Some(living) = LIVING.lock().take() else {
        return;
    };
    let mut counts: BTreeMap<(Made, bool), u64> = BTreeMap::new();
    for ((what, key, _), made) in living {
        let active = matches!(what, ONCE | LASTING) && is_active(key as i32);
        *counts.entry((made, active)).or_default() += 1;
    }
    let told = counts.into_iter().filter_map(|((made, active), count)| {
        let (one, many, by, section, wrong) = rule(made.what, active)?;
        let (severity, kind) = match (wrong, active) {
            (false, _) => (Severity::Note, "not freed"),
            (true, true) => (Severity::Wrong, "request lost"),
            (true, false) => (Severity::Wrong, "not freed"),
        };
        let text = match count {
            1 => format!("the {one} made here still lives when MPI ends; what ends it is {by}"),
            _ => {
                format!("{count} {many} made here still live when MPI ends; what ends them is {by}")
            }
        };
        let finding = Finding {
            kind,
            section,
            text,
        };
        Some((finding, severity, made.name, Place::of_bits(made.place)))
    });
    let mut told: Vec<_> = told.collect();
    let many = "as there were too many at a time";
    let missed = [
        (
            MISSED.load(Ordering::Relaxed),
            "objects that were made",
            many,
        ),
        (pending::missed(), "nonblocking operations", many),
        (
            room::refused(),
            "buffers, operations and objects",
            "as there was no memory to keep them",
        ),
    ];
    for (count, what, why) in missed.into_iter().filter(|(count, ..)| *count > 0) {
        let finding = Finding {
            kind: "not looked at",
            section: "bounds of -check",
            text: format!("{count} {what}, {why}"),
        };
        told.push((finding, Severity::Note, called(), here()));
    }
    tell_all(told);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_library_makes_does_not_count() {
        assert!(is_own(DATATYPE, "") && is_own(1, "MPI_Init_thread"));
        assert!(is_own(DATATYPE, "MPI_Type_create_f90_real"));
        assert!(!is_own(DATATYPE, "MPI_Type_vector") && !is_own(1, "MPI_Comm_dup"));
    }

    #[test]
    fn only_what_must_not_stay_is_wrong() {
        let wrong = |what, active| rule(what, active).map(|rule| rule.4);
        assert_eq!(wrong(ONCE, true), Some(true));
        assert_eq!(wrong(LASTING, true), Some(true));
        assert_eq!(wrong(LASTING, false), Some(false));
        assert_eq!(wrong(DATATYPE, false), Some(false));
        assert_eq!(wrong(SESSION, false), Some(true));
        assert_eq!(wrong(15, false), None);
    }
}
