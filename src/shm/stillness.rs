//! Making sure that nobody else in this process writes to memory while it is moved: not its signal handlers, not its other
//! threads.
//!
//! | the process has                                    | what keeps them off                                           |
//! |----------------------------------------------------|---------------------------------------------------------------|
//! | one thread                                         | its signals are blocked                                       |
//! | more, and may have faults of the kernel handled    | `userfaultfd`: who writes to what is protected waits            |
//! | more, which all sleep until another thread of it wakes them | that, and `userfaultfd` for their signal handlers       |
//! | more that run, and only its own faults handled     | nothing: a system call of theirs that writes there would fail |
//!
//! The kernel handles its own faults for privileged processes, or where `vm.unprivileged_userfaultfd` is 1. Whether all others sleep
//! so [`idle`] tells. Such a thread may be given a signal to handle, and the kernel ends the process if it cannot write
//! that to the thread's stack: so memory is left alone where the end of a stack lies, and all of it where a handler has a stack
//! of its own.

use super::idle::{self, Words};
use super::replaceable::Refusal;
use super::sleepers;
use nix::sys::signal::{SigSet, SigmaskHow, pthread_sigmask};
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// The others are kept off until this is dropped.
pub struct Stillness {
    signals: SigSet,
    faults: Option<Faults>,
}

impl Stillness {
    /// `threads`: how many this process has.
    pub fn begin(threads: usize) -> Result<Stillness, Refusal> {
        let mut signals = SigSet::empty();
        let all = SigSet::all();
        let blocked = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&all), Some(&mut signals));
        blocked.map_err(|_| Refusal::Kernel)?;
        // From here on what ends early unblocks them again.
        let mut still = Stillness {
            signals,
            faults: None,
        };
        if threads > 1 {
            let faults = match Faults::of_all() {
                Some(faults) => faults,
                None if no_signal_stacks() && idle::all_others_sleep(&[], Words::Private) => {
                    Faults::of_program().ok_or(Refusal::Threads)?
                }
                None => return Err(Refusal::Threads),
            };
            still.faults = Some(faults);
        }
        Ok(still)
    }

    /// From here on who writes to `range`, whole pages, waits until [`Stillness::let_go`].
    pub fn protect(&self, range: &Range<usize>) -> Result<(), Refusal> {
        let Some(faults) = &self.faults else {
            return Ok(());
        };
        let protected = faults.protect(range);
        if !protected || (faults.of_program && sleepers::stacks_are_in(range)) {
            faults.let_go(range);
            return Err(Refusal::Threads);
        }
        Ok(())
    }

    /// Whether there is nobody to be kept off but signal handlers.
    pub fn is_alone(&self) -> bool {
        self.faults.is_none()
    }

    /// What lies at `range` may be another mapping by now.
    pub fn let_go(&self, range: &Range<usize>) {
        if let Some(faults) = &self.faults {
            faults.let_go(range);
        }
    }
}

impl Drop for Stillness {
    fn drop(&mut self) {
        // Who waits for the descriptor goes on when it is closed.
        self.faults = None;
        let _ = self.signals.thread_set_mask();
    }
}

/// A descriptor of `userfaultfd` (linux/userfaultfd.h).
struct Faults {
    fd: OwnedFd,
    /// Only the program's own, not the kernel's.
    of_program: bool,
}

const USER_MODE_ONLY: i32 = 1;
const API: u64 = 0xaa;
const UFFDIO_API: u64 = 0xc018_aa3f;
const UFFDIO_REGISTER: u64 = 0xc020_aa00;
const UFFDIO_WAKE: u64 = 0x8010_aa02;
const UFFDIO_WRITEPROTECT: u64 = 0xc018_aa06;
/// Of registering and of protecting.
const REGISTER_MODE_WP: u64 = 2;
const WRITEPROTECT_MODE_WP: u64 = 1;
/// Features: pages of shared memory, and pages that are not there yet, can be protected too.
const WP_HUGETLBFS_SHMEM: u64 = 1 << 12;
const WP_UNPOPULATED: u64 = 1 << 13;

impl Faults {
    /// Those of the program and of the kernel on its behalf.
    fn of_all() -> Option<Faults> {
        Faults::open(0)
    }

    /// Those of the program alone.
    fn of_program() -> Option<Faults> {
        Faults::open(USER_MODE_ONLY)
    }

    fn open(mode: i32) -> Option<Faults> {
        let flags = mode | libc::O_CLOEXEC | libc::O_NONBLOCK;
        // SAFETY: the call takes a number and gives a descriptor or -1.
        let fd = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
        if fd < 0 {
            return None;
        }
        // SAFETY: the descriptor was just opened.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as i32) };
        let of_program = mode != 0;
        let faults = Faults { fd, of_program };
        let mut api = [API, WP_HUGETLBFS_SHMEM | WP_UNPOPULATED, 0];
        faults.ask(UFFDIO_API, &mut api).then_some(faults)
    }

    fn ask<const N: usize>(&self, what: u64, with: &mut [u64; N]) -> bool {
        // SAFETY: each request's structure is as many words as it is given here.
        unsafe { libc::ioctl(self.fd.as_raw_fd(), what as _, with.as_mut_ptr()) == 0 }
    }

    fn protect(&self, range: &Range<usize>) -> bool {
        let (start, len) = (range.start as u64, range.len() as u64);
        self.ask(UFFDIO_REGISTER, &mut [start, len, REGISTER_MODE_WP, 0])
            && self.ask(UFFDIO_WRITEPROTECT, &mut [start, len, WRITEPROTECT_MODE_WP])
    }

    fn let_go(&self, range: &Range<usize>) {
        let (start, len) = (range.start as u64, range.len() as u64);
        // What was moved away is protected no more, and refuses this.
        self.ask(UFFDIO_WRITEPROTECT, &mut [start, len, 0]);
        self.ask(UFFDIO_WAKE, &mut [start, len]);
    }
}

/// Whether no signal that comes from outside has a handler on a stack of its own.
fn no_signal_stacks() -> bool {
    const FAULTS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];
    let has_one = |signal: &i32| {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: the kernel writes what is asked for, or nothing.
        let action = unsafe {
            libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr());
            action.assume_init()
        };
        let handled = action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN;
        handled && action.sa_flags & libc::SA_ONSTACK != 0
    };
    let from_outside = |signal: &i32| !FAULTS.contains(signal);
    !(1..=libc::SIGRTMAX())
        .filter(from_outside)
        .any(|signal| has_one(&signal))
}
