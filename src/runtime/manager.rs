//! Living under a process manager that is not ours, Hydra's proxy or Slurm's step daemon: this process ends with it, and
//! outlives its notice of another rank's death. A PMIx server is lived under in another way ([`super::pmi`]).
//!
//! **Ending with it.** The connection to the manager is closed when the manager ends, however it does. The kernel tells this
//! process at that moment, by a signal whose handler ends it ([`Tie`]), also where a wrapper stands between the two.
//! `PR_SET_PDEATHSIG` alone would not do: the kernel means the parent's *thread*, and a wrapper's thread may end long before
//! the wrapper. After MPI_Finalize, when the manager has closed the connection, it serves where the parent is the manager
//! itself.
//!
//! **Its notice.** With `-disable-auto-cleanup` Hydra sends the survivors of a death SIGUSR1, whose default action is to kill
//! them. They find out about deaths by looking, so nothing is done about it.
//!
//! | started by        | launcher or proxy killed                     | wrapper killed or gone                               |
//! |-------------------|----------------------------------------------|------------------------------------------------------|
//! | our launcher      | `PR_SET_PDEATHSIG`, set between fork and exec | —                                                    |
//! | a wrapper of ours | the launcher's keeper                        | the launcher kills the rank's MPI program            |
//! | Hydra's proxy     | the tie; `PR_SET_PDEATHSIG`                  | —                                                    |
//! | a wrapper of its  | the tie                                      | Hydra's cleanup; without it the rank lives, unharmed |
//! | a PMIx server     | an event of PMIx, until MPI_Finalize         | the server's cleanup, or none                        |
//!
//! The *tie* is SIGIO on this end of the manager's socket (`O_ASYNC`). It comes also while the process computes, and takes no
//! thread. It comes with every answer too, so its handler looks whether the other end is closed, and ends the process only
//! then. A program that handles SIGIO before MPI_Init has no tie. The tie is loosened while an answer is to come, for an abort,
//! and for good before PMI's finalize. The manager is told once that the process is done; an abort after that is left to the
//! exit status.

use super::signals;
use crate::shm::atomic::{AtomicI32, Ordering};
use libc::{c_int, c_void, pid_t, siginfo_t};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, Signal, kill, raise, sigaction, signal,
};
use nix::unistd::Pid;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::AtomicBool;

/// The manager's process id; 0 if it is in another process id name space.
static MANAGER: AtomicI32 = AtomicI32::new(0);

/// Makes this process one that lives and ends under `manager`, which is the other end of its connection.
pub(super) fn live_under(manager: pid_t) {
    MANAGER.store(manager, Ordering::Relaxed);
    outlive_notices();
    die_with_parent(manager);
}

/// The process that made the connection: the process manager. 0 if it is none of this process id name space.
pub(super) fn at_other_end(connection: BorrowedFd<'_>) -> pid_t {
    use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
    getsockopt(&connection, PeerCredentials).map_or(0, |peer| peer.pid())
}

/// While it is tight, this process ends when the other end of the connection is closed. (The signal comes with everything that
/// arrives, and may come a little after that was read. So it must not be one that kills: its handler looks.)
pub(super) struct Tie;

/// The connection that the handler looks at; [`NONE`] while it is loose.
static TIED: AtomicI32 = AtomicI32::new(NONE);
const NONE: c_int = -1;
/// Set when the handler is.
static IS_LOOKING: AtomicBool = AtomicBool::new(false);

impl Tie {
    /// Does nothing where the program has a use of its own for the signal, and where the kernel cannot: the connection is no
    /// socket, or a sandbox has no such thing.
    pub fn tighten(connection: BorrowedFd<'_>) {
        let fd = connection.as_raw_fd();
        TIED.store(fd, Ordering::Relaxed);
        if !IS_LOOKING.swap(true, Ordering::Relaxed) && is_default(Signal::SIGIO) {
            let handler = SigHandler::Handler(on_event);
            let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
            // SAFETY: the handler makes calls only that are allowed in one.
            let _ = unsafe { sigaction(Signal::SIGIO, &action) };
        }
        // With the default action every event would kill.
        if is_default(Signal::SIGIO) {
            return;
        }
        // SAFETY: a change to the connection's own properties, which touches no memory.
        let tied = unsafe { libc::fcntl(fd, libc::F_SETOWN, libc::getpid()) == 0 };
        // Closed before: of that no signal tells.
        if tied && set_async(connection, true) && is_closed(fd) {
            let _ = raise(Signal::SIGKILL);
        }
    }

    pub fn loosen(connection: BorrowedFd<'_>) {
        TIED.store(NONE, Ordering::Relaxed);
        set_async(connection, false);
    }
}

extern "C" fn on_event(_: c_int) {
    let fd = TIED.load(Ordering::Relaxed);
    if fd != NONE && is_closed(fd) {
        let _ = kill(Pid::this(), Signal::SIGKILL);
    }
}

fn set_async(connection: BorrowedFd<'_>, on: bool) -> bool {
    let flags = fcntl(connection, FcntlArg::F_GETFL).map(OFlag::from_bits_retain);
    flags.is_ok_and(|mut flags| {
        flags.set(OFlag::O_ASYNC, on);
        fcntl(connection, FcntlArg::F_SETFL(flags)).is_ok()
    })
}

/// Whether the other end is. (May be called by a handler.)
fn is_closed(fd: c_int) -> bool {
    let mut poll = libc::pollfd {
        fd,
        events: 0,
        revents: 0,
    };
    // SAFETY: one valid pollfd, and no time to wait.
    unsafe { libc::poll(&mut poll, 1, 0) == 1 && poll.revents & libc::POLLHUP != 0 }
}

/// Where the parent is the manager, with a single thread: its thread's end is its own.
fn die_with_parent(manager: pid_t) {
    let is_parent = || nix::unistd::getppid().as_raw() == manager;
    let threads = || std::fs::read_dir(format!("/proc/{manager}/task")).map_or(0, Iterator::count);
    if is_parent() && threads() == 1 {
        let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
        if !is_parent() {
            let _ = raise(Signal::SIGKILL);
        }
    }
}

/// Where SIGUSR1 would end the process, the manager's does not any more. A handler of the program's, set before or later, and
/// a default action that it asks for later, are left to it.
fn outlive_notices() {
    // A handler, for a signal that is ignored would be ignored by what this process starts, too.
    let handler = SigHandler::SigAction(on_notice);
    let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
    if is_default(Signal::SIGUSR1) {
        // SAFETY: the handler makes calls only that are allowed in one.
        let _ = unsafe { sigaction(Signal::SIGUSR1, &action) };
    }
}

fn is_default(signal: Signal) -> bool {
    signals::handler(signal as c_int) == Some(libc::SIG_DFL)
}

extern "C" fn on_notice(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel gives the handler of SA_SIGINFO a valid description; of a signal that no process has sent, the sender
    // reads as whatever it is, and the code tells.
    let (code, sender) = unsafe { ((*info).si_code, (*info).si_pid()) };
    if code == libc::SI_USER && sender == MANAGER.load(Ordering::Relaxed) {
        return;
    }
    // Anybody else's does what it does to a program that has no handler, as soon as this one has returned.
    // SAFETY: the default action runs no code.
    let _ = unsafe { signal(Signal::SIGUSR1, SigHandler::SigDfl) };
    let _ = raise(Signal::SIGUSR1);
}
