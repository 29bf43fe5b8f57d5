//! Memory that the library touches for the program, and that is not there any more, or may not be written: of a receive that is pending nobody looks at
//! its buffer again before a message is stored there, and by then the program may have freed it. The processor finds that, and the process ends by a
//! signal. Here the signal is told as what it is: whose buffer that was, and where.
//!
//! Only where the program has no handler of its own, for addresses that it has given to a call that is not complete, and in a call. What follows is as
//! without this: the instruction is carried out once more, and the process ends by the signal, if the finding does not end the job before.

use super::{Finding, buffers, called, pending, tell};
use crate::naming::routine;
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// The signals that memory gives.
const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// Whose memory it is that cannot be touched.
pub(super) struct Owner {
    /// "the memory that MPI_Irecv at main (a.c:7) writes to".
    pub words: String,
    pub section: &'static str,
    /// By a call that has returned before: the memory was there then.
    pub is_pending: bool,
}

/// Faults of this process are told from now on.
pub(super) fn watch() {
    for signal in SIGNALS {
        // SAFETY: the old action is written whole where the call succeeds; the new one has no flags but those that go with its handler.
        unsafe {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            if libc::sigaction(signal, std::ptr::null(), &mut action) != 0
                || action.sa_sigaction != libc::SIG_DFL
            {
                continue;
            }
            action.sa_sigaction = told as extern "C" fn(_, _, _) as usize;
            action.sa_flags = libc::SA_SIGINFO;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// The handler. It is in the midst of a call that copies data, which holds no lock of what is asked here, and comes back to nothing: what is not
/// async-signal-safe may be called.
extern "C" fn told(signal: c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the second fault, and every one in here, ends the process; the kernel gives what it tells of the first.
    let (code, address) = unsafe {
        libc::signal(signal, libc::SIG_DFL);
        ((*info).si_code, (*info).si_addr().addr())
    };
    // Another process may send the signal, too.
    if code <= 0 || called().is_empty() {
        return;
    }
    let owner = pending::owner(address).or_else(|| buffers::owner(address));
    let Some(owner) = owner.or_else(one_sided) else {
        return;
    };
    let is_there = signal == libc::SIGSEGV && code == SEGV_ACCERR;
    let (kind, what) = match (is_there, owner.is_pending) {
        (true, _) => ("bad buffer", "may not be accessed so"),
        (false, true) => ("buffer freed", "was freed before its request was complete"),
        (false, false) => ("bad buffer", "is not there: it may have been freed"),
    };
    tell(Finding {
        kind,
        section: owner.section,
        text: format!("{} {what} (at {address:#x})", owner.words),
    });
}

/// Of a one-sided operation no buffer is written down before it is carried out, but it touches none but the program's.
fn one_sided() -> Option<Owner> {
    let name = routine(called());
    let is_one = ONE_SIDED.iter().any(|part| name.ends_with(part));
    is_one.then(|| Owner {
        words: "memory that it was given".into(),
        section: "MPI 4.1 §12.3",
        is_pending: false,
    })
}

const ONE_SIDED: [&str; 7] = [
    "_Put",
    "_Get",
    "_Rput",
    "_Rget",
    "ccumulate",
    "_Fetch_and_op",
    "_Compare_and_swap",
];

/// The page is mapped, and the access is not allowed.
const SEGV_ACCERR: c_int = 2;
