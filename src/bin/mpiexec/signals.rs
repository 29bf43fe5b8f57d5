//! Signals to the launcher, read from a descriptor so that the event loop is the only place where things happen.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, sigaction, sigprocmask,
};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rmashm::launching::{ORDER, handler};

/// Signals that are passed on and that end the job if they go on long enough.
pub const ENDING: [Signal; 4] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
];
/// Signals that are passed on, and mean what the program makes of them.
const PASSED: [Signal; 3] = [Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGCONT];

/// All signals that are passed on to the ranks.
pub fn passed_on() -> impl Iterator<Item = Signal> {
    ENDING.into_iter().chain(PASSED)
}

/// The launcher's signals.
pub struct Signals {
    source: SignalFd,
    /// The mask as it was; the ranks get it back.
    pub before: SigSet,
    /// The launcher runs in the background of a shell without job control: the terminal's keys are not meant for it.
    ignores_keys: bool,
}

/// A signal that came.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub signal: Signal,
    /// Sent by the terminal to everyone in the launcher's process group.
    pub from_terminal: bool,
}

impl Signals {
    pub fn catch() -> io::Result<Signals> {
        let mut caught = SigSet::empty();
        for signal in passed_on().chain([Signal::SIGCHLD, Signal::SIGTSTP, ORDER]) {
            caught.add(signal);
        }
        let ignores_keys = is_ignored(Signal::SIGINT);
        // nohup means that a hang-up is nobody's business, ours or the ranks'.
        if is_ignored(Signal::SIGHUP) {
            caught.remove(Signal::SIGHUP);
        }
        if is_ignored(Signal::SIGTSTP) {
            caught.remove(Signal::SIGTSTP);
        }
        // Ignored children would not be waited for.
        let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
        // SAFETY: the default action runs no code of ours.
        unsafe { sigaction(Signal::SIGCHLD, &default)? };
        let mut before = SigSet::empty();
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&caught), Some(&mut before))?;
        let source = SignalFd::with_flags(&caught, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        Ok(Signals {
            source,
            before,
            ignores_keys,
        })
    }

    /// The next signal that came, if one did.
    pub fn next(&mut self) -> Option<Arrival> {
        loop {
            let info = self.source.read_signal().ok().flatten()?;
            let Ok(signal) = Signal::try_from(info.ssi_signo as i32) else {
                continue;
            };
            let from_terminal = info.ssi_code == libc::SI_KERNEL;
            let is_key = matches!(signal, Signal::SIGINT | Signal::SIGQUIT);
            if is_key && from_terminal && self.ignores_keys {
                continue;
            }
            return Some(Arrival {
                signal,
                from_terminal,
            });
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.source.as_fd()
    }
}

fn is_ignored(signal: Signal) -> bool {
    handler(signal as i32) == Some(libc::SIG_IGN)
}

/// Stops the launcher as the terminal's ^Z would have, so that the shell sees it; returns when it is continued.
pub fn stop_self() {
    let mut stop = SigSet::empty();
    stop.add(Signal::SIGTSTP);
    let _ = nix::sys::signal::raise(Signal::SIGTSTP);
    // The signal is pending until here.
    let _ = sigprocmask(SigmaskHow::SIG_UNBLOCK, Some(&stop), None);
    let _ = sigprocmask(SigmaskHow::SIG_BLOCK, Some(&stop), None);
}
