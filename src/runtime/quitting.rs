//! Leaving without MPI_Finalize under a foreign launcher. It takes a rank that closes its connection without a word for a
//! failure, and ends the job; so a process that exits with status 0 says its word. A rank that waits for it finds it gone all
//! the same ([`super::lookout`]), and ends the job if its error handlers do. Our launcher needs to be told nothing.

use super::launcher::Launcher;
use super::table::State;
use super::{me, try_job};
use crate::shm::atomic::Ordering;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;

unsafe extern "C" {
    /// As `atexit`, with the status; of the GNU C library.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Takes care that a foreign launcher is told, if it is one that started us. Once in a process.
pub(super) fn prepare(launcher: &Launcher) {
    if matches!(launcher, Launcher::Pmi(_)) && stay_loaded() {
        // SAFETY: the function stays where it is as long as the process lives.
        unsafe { on_exit(at_exit, null_mut()) };
    }
}

/// Keeps this library in memory though the program may unload it: the process's exit calls a function of it.
fn stay_loaded() -> bool {
    let mut place = MaybeUninit::<libc::Dl_info>::uninit();
    let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
    // SAFETY: the address is one of this library's; the answer is written whole where the call succeeds, and its name is a
    // string of the loader's. An executable's own name is refused, and it stays in any case.
    unsafe {
        let found = libc::dladdr(at_exit as *const c_void, place.as_mut_ptr()) != 0;
        found && !libc::dlopen(place.assume_init().dli_fname, flags).is_null()
    }
}

extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    let Some(job) = try_job() else {
        return;
    };
    // A child of fork has our connection too, but nothing to say.
    let is_rank = me().pid.load(Ordering::Relaxed) == std::process::id();
    if status == 0
        && is_rank
        && me().state() == State::Running
        && let Launcher::Pmi(pmi) = &job.launcher
        && let Some(mut pmi) = pmi.try_lock()
    {
        pmi.finalize();
    }
}
