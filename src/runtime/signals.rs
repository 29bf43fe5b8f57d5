//! What a signal does to this process. (nix tells it only to one that sets something else.)

use std::ffi::c_int;

/// The handler of a signal, or `SIG_DFL` or `SIG_IGN`; `None` if the program has no such signal.
pub fn handler(signal: c_int) -> Option<libc::sighandler_t> {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: a null new action only asks; the answer is written whole before it is read.
    unsafe {
        let told = libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0;
        told.then(|| action.assume_init().sa_sigaction)
    }
}
