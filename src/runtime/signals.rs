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

/// Whether a handler is that of an interpreter or a runtime library and does nothing for a wait: Python's only notes the signal, for
/// when the call has returned; gfortran's tells where the program was, and ends it.
pub(super) fn is_idle(handler: libc::sighandler_t) -> bool {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: the address is only compared; the answer is written whole where the call succeeds, and its name is a string of the
    // loader's.
    let path = unsafe {
        match libc::dladdr(handler as *const std::ffi::c_void, info.as_mut_ptr()) {
            0 => return false,
            _ => std::ffi::CStr::from_ptr(info.assume_init().dli_fname),
        }
    };
    let name = path.to_bytes().rsplit(|&byte| byte == b'/').next();
    let idle: [&[u8]; 3] = [b"python", b"libpython", b"libgfortran"];
    name.is_some_and(|name| idle.iter().any(|begin| name.starts_with(begin)))
}
