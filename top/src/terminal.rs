//! The terminal: taken over, and given back whatever ends the program.

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, raise, sigaction};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use std::io::{self, Stdout, stdin, stdout};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicI32, Ordering};

/// The last signal that asks for the end.
static ENDING: AtomicI32 = AtomicI32::new(0);

extern "C" fn note(signal: i32) {
    ENDING.store(signal, Ordering::Relaxed);
}

/// The terminal, while this lives.
pub struct Screen {
    pub terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes it over. Errors: the system's.
    pub fn take() -> io::Result<Screen> {
        let panicked = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            give_back();
            panicked(info);
        }));
        // A hang-up ends it by itself: there is no terminal to give back.
        for signal in [Signal::SIGTERM, Signal::SIGINT] {
            let action =
                SigAction::new(SigHandler::Handler(note), SaFlags::empty(), SigSet::empty());
            // SAFETY: the handler stores a number.
            unsafe { sigaction(signal, &action) }?;
        }
        begin()?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
        Ok(Screen { terminal })
    }

    /// Stops as ^Z does, and takes the terminal over again when it goes on.
    pub fn stop(&mut self) -> io::Result<()> {
        give_back();
        raise(Signal::SIGTSTP)?;
        begin()?;
        self.terminal.clear()
    }
}

/// Whether nobody is at the other end any more, as where a hang-up is ignored.
pub fn is_gone() -> bool {
    let stdin = stdin();
    let mut asked = [PollFd::new(stdin.as_fd(), PollFlags::empty())];
    let gone = PollFlags::POLLHUP | PollFlags::POLLERR;
    poll(&mut asked, PollTimeout::ZERO).is_ok_and(|_| {
        asked[0]
            .revents()
            .is_some_and(|found| found.intersects(gone))
    })
}

/// The signal that has asked for the end, if one has.
pub fn ending() -> Option<i32> {
    Some(ENDING.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}

fn begin() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, Hide)
}

fn give_back() {
    // Where the terminal is gone there is nothing to give back.
    let _ = execute!(stdout(), LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}
