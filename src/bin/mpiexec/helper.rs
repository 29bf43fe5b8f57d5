//! The launcher as a helper: of a job that it has not started, whose ranks ask for processes. It takes the office of the one who
//! starts them (see the library's `runtime/starter.rs`), and then does for all of the job what it does for a job of its own.
//!
//! The ranks that were there before are its **guests**: they are not its children. Whether they are gone it looks, by their numbers in
//! the process table; how they ended it does not hear. A death that ends the job ends them, too. What else comes to this process
//! concerns those that it has started: signals are passed on to them alone, and they write where it does, as it ends after the
//! one who has asked for them. Where all guests are gone and one of them has died, those that are connected with them are ended; if all
//! have ended in order, these may go on.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, FromRawFd, OwnedFd, RawFd};

use libc::pid_t;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::sys::epoll::{Epoll, EpollCreateFlags};
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::{SigSet, SigmaskHow, sigprocmask};
use programs::finding::Refusal;
use programs::leading::Choice;
use rmashm::launching::{JobSegment, State, read_proc, starter};

use crate::keeper::{Keeper, Roster};
use crate::launch::{self, Launched, Rank, because};
use crate::report::Fate;
use crate::request::{Part, Reader, Request};
use crate::signals::Signals;
use crate::supervise::{Phase, SHORT_GRACE, Supervisor, supervise};
use crate::{MISUSE, ask_environment, refuse};

/// What the others end with when a guest has died.
const GUEST_DIED: u8 = 1;

/// Serves the job whose rank has started this process, until none of it is left.
pub fn serve(rank: Option<OsString>) -> u8 {
    let number = rank.as_ref().and_then(|rank| rank.to_str()?.parse().ok());
    let (Some(rank), Some(line), Some(segment)) = (
        number,
        inherited(starter::LINE),
        inherited(starter::SEGMENT),
    ) else {
        let text = format!("{} is for rmashm's library", starter::WORD);
        return refuse(&text, MISUSE);
    };
    let mut line = File::from(line);
    match begin(rank, segment) {
        Ok((request, launched)) => {
            // Where the rank is gone, the look at the guests finds that.
            let _ = line.write_all(&[starter::READY]);
            drop(line);
            supervise(&request, launched)
        }
        Err(refusal) => {
            let _ = line.write_all(refusal.text.as_bytes());
            refusal.status
        }
    }
}

/// A descriptor that was handed over under this number, if it was.
fn inherited(number: RawFd) -> Option<OwnedFd> {
    // SAFETY: to ask for the flags of a number is harmless.
    if unsafe { libc::fcntl(number, libc::F_GETFD) } < 0 {
        return None;
    }
    // SAFETY: it is open, and nothing here has opened it: it is this function's to give away.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    fcntl(&descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).ok()?;
    Some(descriptor)
}

/// Takes the office, as the last of all that can fail.
fn begin(rank: u32, segment: OwnedFd) -> Result<(Request, Launched), Refusal> {
    // All signals are blocked, as they were while the rank's memory was borrowed.
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)
        .map_err(std::io::Error::from)
        .map_err(because("cannot catch signals"))?;
    let signals = Signals::catch().map_err(because("cannot catch signals"))?;
    let segment = JobSegment::of(segment.as_fd())
        .map_err(|error| Refusal::from(error.into_text().into_string()))?;
    let guests = segment.present();
    let mut request = Request {
        parts: vec![Part {
            ranks: guests,
            ..Part::default()
        }],
        reader: Reader::None,
        ..Request::default()
    };
    ask_environment(&mut request)?;
    let roster = Roster::new(segment.room()).map_err(because("no memory for the list of ranks"))?;
    let name = launch::job_name();
    let keeper =
        Keeper::start(&roster, &name).map_err(because("cannot start the keeper process"))?;
    launch::become_subreaper();
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)
        .map_err(std::io::Error::from)
        .map_err(because("epoll"))?;
    // Nobody is to become a program before the first order, which has a pipe of its own.
    let (complaints, _) = nix::unistd::pipe2(OFlag::O_CLOEXEC | OFlag::O_NONBLOCK)
        .map_err(std::io::Error::from)
        .map_err(because("pipe"))?;
    let output = launch::events(&epoll, &signals, &complaints, &request)?;
    let ranks = (0..guests).map(|rank| guest(&segment, rank)).collect();
    if !segment.take_office(rank) {
        return Err(format!("rank {rank} of the job, which has started it, is gone").into());
    }
    let launched = Launched {
        epoll,
        signals,
        output,
        complaints: File::from(complaints),
        segment,
        roster,
        ranks,
        guests,
        kept: guests,
        direct: true,
        open_files: getrlimit(Resource::RLIMIT_NOFILE).unwrap_or_default(),
        name,
        keeper,
    };
    Ok((request, launched))
}

fn guest(segment: &JobSegment, rank: u32) -> Rank {
    let pid = segment.pid(rank as usize).unwrap_or(0);
    let name = read_proc(&format!("/proc/{pid}/comm")).unwrap_or_default();
    Rank {
        pid: pid as pid_t,
        program: name.trim_end().to_string(),
        own_group: false,
        interface: Choice::default(),
    }
}

/// How a guest had ended before this process came, if it had. What another helper had started went with it: the job was told, and went
/// on.
pub fn former_fate(segment: &JobSegment, rank: u32) -> Option<Fate> {
    match segment.state(rank as usize) {
        _ if segment.was_started_later(rank) || !segment.is_mine(rank) => Some(Fate::Exited(0)),
        State::Dead => Some(Fate::Unseen),
        State::Exited | State::Quit => Some(Fate::Exited(0)),
        _ => None,
    }
}

impl Supervisor<'_> {
    /// Looks which guests are gone.
    pub fn look_for_departed(&mut self) {
        let guests = 0..self.job.guests;
        let living: Vec<u32> = guests.filter(|&rank| self.lives(rank)).collect();
        if living.is_empty() {
            return;
        }
        for &rank in &living {
            let place = rank as usize;
            if self.job.ranks[place].pid == 0 {
                // It may have come since.
                self.job.ranks[place] = guest(&self.job.segment, rank);
            }
            if self.job.segment.is_gone(place) == Some(true) {
                let fate = match self.job.segment.state(place) {
                    State::Joining | State::Running | State::Dead => Fate::Unseen,
                    _ => Fate::Exited(0),
                };
                self.ended(rank, fate);
            }
        }
        // One that cannot be seen from here is no reason to stay.
        let is_seen = |rank: &u32| self.job.segment.is_gone(*rank as usize).is_some();
        if living.iter().any(|rank| self.lives(*rank) && is_seen(rank)) {
            return;
        }
        for rank in living {
            if self.lives(rank) {
                self.fates[rank as usize] = Some(Fate::Exited(0));
                self.alive -= 1;
            }
        }
        let died = |&rank: &u32| self.fates[rank as usize] == Some(Fate::Unseen);
        let dead: Vec<u32> = (0..self.job.guests).filter(died).collect();
        let connected = self.connected(&dead);
        let is_left = |&rank: &u32| self.lives(rank) && !self.is_ending(rank);
        if connected.iter().any(is_left) && self.phase == Phase::Running {
            self.job
                .output
                .say("nobody is left of those for whom processes were started: ending these");
            self.end_part(&connected, GUEST_DIED, SHORT_GRACE);
        }
    }
}
