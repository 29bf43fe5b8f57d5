//! Which thread may call, and what may be called from the program's functions that MPI calls.
//!
//! | level                   | what is wrong                                                       |
//! |-------------------------|---------------------------------------------------------------------|
//! | `MPI_THREAD_SINGLE`     | a call by another thread than the one that called MPI_Init          |
//! | `MPI_THREAD_FUNNELED`   | the same                                                            |
//! | `MPI_THREAD_SERIALIZED` | a call by one thread while another one is in a call                 |
//! | `MPI_THREAD_MULTIPLE`   | nothing; calls do not come here                                     |
//!
//! What MPI lets any thread call at any time (MPI 4.1 §11.6.1 and what may be called before MPI_Init) is left alone.

use super::{Finding, Place, called, here, rank, tell};
use crate::shm::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use parking_lot::Mutex;
use std::arch::asm;
use std::cell::Cell;

/// How the world model was asked to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Level {
    /// Nothing is looked at.
    Any = 0,
    Single,
    Funneled,
    Serialized,
}

static LEVEL: AtomicU8 = AtomicU8::new(Level::Any as u8);
/// The thread that called MPI_Init, or 0.
static MAIN: AtomicU64 = AtomicU64::new(0);
/// The thread that is in a call, which, and where; where threads take turns.
static INSIDE: Mutex<Option<(u64, &'static str, Place)>> = Mutex::new(None);

/// The main thread's [pointer](thread_pointer) where no other one may call; else 0.
static ALONE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// What of the program's MPI is calling in this thread.
    static CALLING: Cell<&'static str> = const { Cell::new("") };
}

/// The thread's number; none is used again.
fn own() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    thread_local!(static OWN: Cell<u64> = const { Cell::new(0) });
    if OWN.get() == 0 {
        OWN.set(1 + LAST.fetch_add(1, Ordering::Relaxed));
    }
    OWN.get()
}

/// This thread, the main one, has asked for a level.
pub fn use_as(level: Level) {
    MAIN.store(own(), Ordering::Relaxed);
    let alone = match level {
        Level::Single | Level::Funneled => thread_pointer(),
        Level::Any | Level::Serialized => 0,
    };
    ALONE.store(alone, Ordering::Relaxed);
    LEVEL.store(level as u8, Ordering::Release);
}

/// Where the thread's own data is, by which it is told from those that live.
#[inline(always)]
fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: the first word there is its own address, as the ABI says.
    unsafe {
        asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly, preserves_flags))
    };
    pointer
}

/// Whether this is the only thread that may call.
#[inline(always)]
pub(super) fn is_alone() -> bool {
    ALONE.load(Ordering::Relaxed) == thread_pointer()
}

/// Another level may hold from now on, as sessions have their own: nobody knows which a call belongs to.
pub fn use_at_will() {
    ALONE.store(0, Ordering::Relaxed);
    LEVEL.store(Level::Any as u8, Ordering::Release);
}

/// Has MPI call `work`, a function of the program's that may not communicate, `what` in words.
#[inline]
pub fn calling<R>(what: &'static str, work: impl FnOnce() -> R) -> R {
    if !super::is_on() {
        return work();
    }
    let outer = CALLING.replace(what);
    let result = work();
    CALLING.set(outer);
    result
}

/// A call begins; whether its end is to be told. `is_outermost`: it is not made by a function that MPI has called.
#[inline(always)]
pub(super) fn enter(is_outermost: bool) -> bool {
    match is_outermost {
        true if is_alone() || LEVEL.load(Ordering::Relaxed) == Level::Any as u8 => false,
        true => look_at_thread(),
        false => {
            look_at_caller();
            false
        }
    }
}

#[cold]
fn look_at_thread() -> bool {
    let (name, own) = (called(), own());
    let level = LEVEL.load(Ordering::Acquire);
    // Nearly all calls are the main thread's: names are looked at last.
    if level != Level::Serialized as u8 && MAIN.load(Ordering::Relaxed) == own || is_for_all(name) {
        return false;
    }
    if level != Level::Serialized as u8 {
        if MAIN.load(Ordering::Relaxed) != 0 {
            let level = match level == Level::Single as u8 {
                true => "MPI_THREAD_SINGLE",
                false => "MPI_THREAD_FUNNELED",
            };
            tell(Finding {
                kind: "thread level",
                section: "MPI 4.1 §11.6",
                text: format!(
                    "it is called by another thread than the one that called MPI_Init, and the level is {level}; \
                     MPI_THREAD_MULTIPLE is needed, or MPI_THREAD_SERIALIZED if threads take turns"
                ),
            });
        }
        return false;
    }
    let here = here();
    let other = {
        let mut inside = INSIDE.lock();
        let other = *inside;
        if other.is_none() {
            *inside = Some((own, name, here));
        }
        other
    };
    match other {
        Some((thread, other, place)) if thread != own => {
            tell(Finding {
                kind: "thread level",
                section: "MPI 4.1 §11.6",
                text: format!(
                    "it is called while another thread is in {other} at {}, and the level is MPI_THREAD_SERIALIZED; \
                     MPI_THREAD_MULTIPLE is needed, or threads that take turns",
                    place.of(rank())
                ),
            });
            false
        }
        _ => true,
    }
}

/// A call has ended whose begin said so.
#[cold]
pub(super) fn leave() {
    let mut inside = INSIDE.lock();
    if inside.is_some_and(|(thread, ..)| thread == own()) {
        *inside = None;
    }
}

/// What any thread may call at any time: names that begin so, and those of handlers and conversions.
fn is_for_all(name: &str) -> bool {
    const BEGINS: &str = "Init Final Query_thread Is_thread_main Get_ Abi_ Info_ Session_ T_ Error_ Add_error Remove_error Abort";
    const PARTS: [&str; 3] = ["rrhandler", "_f2c", "_c2f"];
    begins(name, BEGINS) || PARTS.iter().any(|part| name.contains(part))
}

/// Whether a function's name, without `MPI_`, begins with one of these words.
fn begins(name: &str, words: &str) -> bool {
    let name = name.strip_prefix("MPI_").unwrap_or(name);
    words.split(' ').any(|word| name.starts_with(word))
}

#[cold]
fn look_at_caller() {
    let (what, name) = (CALLING.get(), called());
    if !what.is_empty() && communicates(name) {
        tell(Finding {
            kind: "forbidden call",
            section: "MPI 4.1 §6.9.5",
            text: format!("it is called inside {what}, which may not communicate"),
        });
    }
}

/// Whether the function communicates, or waits for others.
fn communicates(name: &str) -> bool {
    const BEGINS: &str = "Send Recv Isend Irecv Bsend Ssend Rsend Ibsend Issend Irsend Isendrecv Mrecv Imrecv Mprobe Probe Iprobe Improbe \
        Wait Start Pready Barrier Ibarrier Bcast Ibcast Gather Igather Scatter Iscatter Allreduce Allgather Alltoall Iallreduce \
        Iallgather Ialltoall Reduce Ireduce Scan Iscan Exscan Iexscan Neighbor_ Ineighbor_ Put Rput Accumulate Fetch_and_op \
        Compare_and_swap Win_ File_";
    const WHOLE: [&str; 7] = [
        "MPI_Test",
        "MPI_Testall",
        "MPI_Testany",
        "MPI_Testsome",
        "MPI_Get",
        "MPI_Rget",
        "MPI_Get_accumulate",
    ];
    let name = name.strip_suffix("_c").unwrap_or(name);
    let is_local = name == "MPI_Reduce_local" || name.ends_with("_init");
    !is_local && (begins(name, BEGINS) || WHOLE.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_communicates_is_told_from_what_does_not() {
        for name in [
            "MPI_Send",
            "MPI_Allreduce",
            "MPI_Wait",
            "MPI_Get",
            "MPI_Win_fence",
            "MPI_Testall",
        ] {
            assert!(communicates(name), "{name}");
        }
        for name in [
            "MPI_Get_address",
            "MPI_Alloc_mem",
            "MPI_Reduce_local",
            "MPI_Type_size",
            "MPI_Test_cancelled",
            "MPI_Send_init",
        ] {
            assert!(!communicates(name), "{name}");
        }
        assert!(
            is_for_all("MPI_Initialized")
                && is_for_all("MPI_Comm_create_errhandler")
                && !is_for_all("MPI_Send")
        );
    }
}
