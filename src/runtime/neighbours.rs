//! Launchers beside each other: several `mpiexec`s that start worlds of one job, each its own, and watch over them.
//!
//! A world says which launcher has started it; those of which none says so are watched by the one who holds the job's
//! [office](super::starter), if it watches. Each decides about its own processes alone, and does nothing to the others': worlds that are
//! not connected are as independent as jobs, also of the launchers. What one has to hear of another's:
//!
//! | word              | written by                | says                                                                        |
//! |-------------------|---------------------------|-----------------------------------------------------------------------------|
//! | `Process::told`   | its launcher, once        | 1 + the status with which what is connected with it ends: it is to be dead   |
//! | `Job::tidings`    | then the same             | how often that was told, of anybody                                         |
//! | `World::heard`    | the world's launcher      | of how many tidings it has seen to what they mean for its processes         |
//!
//! Who tells gives the launchers of those that are connected a moment, and marks the death only then: so these, too, end by a signal and
//! not by errors of their own. One that is stopped holds nobody up for longer than that ([`PATIENCE`]). Where a launcher is gone, its
//! processes go with it (`bin/mpiexec/keeper.rs`), and the others find both.
//!
//! Places are given under a lock of the segment's file, which the kernel takes back when its holder ends.

use super::lookout;
use super::table::{Death, Job, MISSED, State, Table};
use crate::bail;
use crate::error::Result;
use crate::shm::atomic::Ordering;
use crate::shm::office::{Holder, Office, State as Held};
use crate::shm::segment::Segment;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::signal::kill;
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

/// For how long others are waited for that are to hear something.
const PATIENCE: Duration = Duration::from_millis(200);
/// The same where one gives places.
const TURN: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// What has become of a process that another launcher has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct News {
    pub rank: u32,
    /// How many had its place before.
    pub generation: u32,
    /// With which status what is connected with it ends.
    pub status: u8,
    /// Its launcher's process.
    pub launcher: u32,
    /// That is gone, and the process with it, of which nobody has told.
    pub is_lost: bool,
}

/// This process, as a launcher.
pub(super) fn own() -> Holder {
    let process = std::process::id();
    let born = lookout::birth(process);
    Holder { process, born }
}

fn is_gone(launcher: Holder) -> bool {
    lookout::is_over(launcher.process, launcher.born)
}

impl Table {
    /// Who watches over `rank` and does what it asks for, if a launcher of ours does.
    pub(super) fn launcher(&self, rank: u32) -> Option<Holder> {
        let of = |office: &Office| match office.state() {
            Held::Held(holder) => Some(holder),
            _ => None,
        };
        of(&self.world(rank).launcher).or_else(|| of(&self.job.starter))
    }

    /// Whether a launcher lives.
    pub(super) fn has_launcher(&self) -> bool {
        let mut ranks = 0..self.present().len() as u32;
        ranks.any(|rank| self.launcher(rank).is_some_and(|it| !is_gone(it)))
    }

    /// Whether who watched over `rank` is gone.
    pub(super) fn has_lost_launcher(&self, rank: u32) -> bool {
        self.launcher(rank).is_some_and(is_gone)
    }

    /// Whether `rank` has a place that a launcher other than `own` may be busy with.
    pub(super) fn is_anothers(&self, own: Holder, rank: u32) -> bool {
        let launcher = self.launcher(rank).filter(|&launcher| launcher != own);
        launcher.is_some_and(|launcher| !is_gone(launcher))
    }

    /// Tells the launchers of those that are connected with `rank` that it is to be dead: `own`, which has started it, or has found that it
    /// was lost. Waits for them for a moment. Where it ends for another's sake (`follows`) they were mostly waited for when `own` told of
    /// the first that did; and those that have told of theirs are ending them, too: two would wait for each other at every rank. False
    /// where it was told before.
    pub(super) fn tell(&self, own: Holder, rank: u32, status: u8, follows: bool) -> bool {
        let told = &self.processes[rank as usize].told;
        let status = 1 + u32::from(status);
        let first = told.compare_exchange(0, status, Ordering::AcqRel, Ordering::Relaxed);
        if first.is_err() {
            return false;
        }
        let number = self.job.tidings.fetch_add(1, Ordering::AcqRel) + 1;
        let connected = self.connected(rank);
        let was_told = |&other: &u32| {
            other != rank && self.processes[other as usize].told.load(Ordering::Acquire) != 0
        };
        let told: Vec<u32> = connected.iter().copied().filter(was_told).collect();
        let knows =
            |launcher| follows && told.iter().any(|&it| self.launcher(it) == Some(launcher));
        let mut others = BTreeMap::new();
        for other in connected {
            let lives = self.gone(other).is_none();
            if let Some(launcher) = self.launcher(other).filter(|&it| lives && it != own) {
                others.insert(launcher.process, (launcher, self.first_of(other)));
            }
        }
        for &process in others.keys() {
            let _ = kill(Pid::from_raw(process as i32), super::spawn::ORDER);
        }
        others.retain(|_, &mut (launcher, _)| !knows(own) && !knows(launcher));
        let until = Instant::now() + PATIENCE;
        let has_heard = |&(launcher, world): &(Holder, u32)| {
            let heard = self.world(world).heard.load(Ordering::Acquire);
            number.wrapping_sub(heard) as i32 <= 0 || is_gone(launcher)
        };
        while !others.values().all(has_heard) && Instant::now() < until {
            std::thread::sleep(PAUSE);
        }
        true
    }

    /// How often anything was told.
    pub(super) fn tidings(&self) -> u32 {
        self.job.tidings.load(Ordering::Acquire)
    }

    /// The launcher `own` has seen to all tidings up to this number.
    pub(super) fn hear(&self, own: Holder, number: u32) {
        for rank in 0..self.present().len() as u32 {
            if self.first_of(rank) == rank && self.launcher(rank) == Some(own) {
                let heard = &self.world(rank).heard;
                // Mostly there is nothing new.
                if heard.load(Ordering::Relaxed) != number {
                    heard.store(number, Ordering::Release);
                }
            }
        }
    }

    /// The processes of other launchers than `own` that have died, or are about to be said to have, old news among it.
    pub(super) fn news(&self, own: Holder) -> Vec<News> {
        let mut gone: BTreeMap<u32, bool> = BTreeMap::new();
        let mut news = Vec::new();
        for (rank, process) in (0..).zip(self.present()) {
            let Some(launcher) = self.launcher(rank).filter(|&launcher| launcher != own) else {
                continue;
            };
            let state = process.state();
            let told = process.told.load(Ordering::Acquire);
            let may_be_lost = match state {
                State::Exited | State::Dead => false,
                State::Quit => process.says(MISSED),
                _ => true,
            };
            let mut is_without =
                || *(gone.entry(launcher.process)).or_insert_with(|| is_gone(launcher));
            // One that has not come to exist has no number.
            let is_absent =
                || process.pid.load(Ordering::Relaxed) == 0 || lookout::is_gone(process);
            let is_lost = may_be_lost && is_without() && is_absent();
            if told != 0 || state == State::Dead || is_lost {
                news.push(News {
                    rank,
                    generation: process.generation.load(Ordering::Acquire),
                    status: told.saturating_sub(1) as u8,
                    launcher: launcher.process,
                    is_lost,
                });
            }
        }
        news
    }

    /// Marks one that was lost with its launcher.
    pub(super) fn settle_lost(&self, rank: u32) {
        let place = rank as usize;
        match self.processes[place].state() {
            State::Joining | State::Running => self.bury(place, Death::Unseen),
            State::Quit => self.bury(place, Death::Status(0)),
            _ => self.retire(place),
        }
    }

    /// The first of `size` places for new processes that `own` starts, if there are so many side by side: such that nobody had, or else
    /// such of worlds that are over, of those that nobody names if there are enough. Those before `kept` are not given again. `lives`: a
    /// process that `own` has started.
    pub(super) fn place_for(
        &self,
        own: Holder,
        size: u32,
        kept: u32,
        lives: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let (taken, room) = (self.present().len() as u32, self.processes.len() as u32);
        if size <= room - taken {
            return Some(taken);
        }
        let is_free = |&rank: &u32| {
            rank >= taken || !lives(rank) && self.is_over(rank) && !self.is_anothers(own, rank)
        };
        let is_forgotten = |&rank: &u32| {
            is_free(&rank) && (rank >= taken || self.is_forgotten(self.first_of(rank)))
        };
        let side_by_side = |is_fit: &dyn Fn(&u32) -> bool| {
            let mut first = kept;
            while first.checked_add(size).is_some_and(|end| end <= room) {
                match (first..first + size).rev().find(|rank| !is_fit(rank)) {
                    None => return Some(first),
                    Some(taken) => first = taken + 1,
                }
            }
            None
        };
        side_by_side(&is_forgotten).or_else(|| side_by_side(&is_free))
    }
}

/// One launcher alone gives places for as long as it lives. Nothing may close a descriptor of the segment meanwhile: by that the
/// kernel would take it back.
pub struct Turn(BorrowedFd<'static>);

impl Turn {
    /// Error: `MPI_ERR_OTHER` (another has it for long).
    pub(super) fn take(segment: &'static Segment) -> Result<Turn> {
        let Some(file) = segment.fd() else {
            bail!(
                Other,
                "the descriptor of the job's shared memory was closed"
            );
        };
        let until = Instant::now() + TURN;
        loop {
            match fcntl(file, FcntlArg::F_SETLK(&range(libc::F_WRLCK))) {
                Ok(_) => return Ok(Turn(file)),
                Err(Errno::EAGAIN | Errno::EACCES | Errno::EINTR) if Instant::now() < until => {
                    std::thread::sleep(PAUSE);
                }
                Err(Errno::EAGAIN | Errno::EACCES) => bail!(
                    Other,
                    "another mpiexec of the job has been giving places to processes for {} s: is it stopped?",
                    TURN.as_secs()
                ),
                Err(error) => bail!(
                    Other,
                    "the job's shared memory cannot be locked: {}",
                    error.desc()
                ),
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = fcntl(self.0, FcntlArg::F_SETLK(&range(libc::F_UNLCK)));
    }
}

fn range(kind: libc::c_int) -> libc::flock {
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 1,
        l_pid: 0,
    }
}

/// Whether the job's segment can have a world of another launcher. Error: `MPI_ERR_OTHER`, which says why not.
pub(super) fn check(table: &Table) -> Result<()> {
    check_spaces(table.job)?;
    let mut ranks = 0..table.present().len() as u32;
    let had_one = ranks.any(|rank| table.launcher(rank).is_some());
    if had_one && !table.has_launcher() {
        bail!(Other, "it has just ended");
    }
    check_kind(table.job, had_one)?;
    if !table.keeps_ties() {
        bail!(
            Other,
            "it has so many ranks that it is not known who is connected with whom"
        );
    }
    Ok(())
}

/// The same, as far as can be told of a job that is seen from outside.
pub(super) fn check_job(job: &Job) -> Result<()> {
    check_spaces(job)?;
    check_kind(job, true)
}

fn check_spaces(job: &Job) -> Result<()> {
    if !super::access::knows_ancestor(job) {
        bail!(
            Other,
            "it runs in another PID or time namespace (a container of its own)"
        );
    }
    Ok(())
}

/// `had_one`: a launcher of ours has started some of it.
fn check_kind(job: &Job, had_one: bool) -> Result<()> {
    if !had_one || job.watched.load(Ordering::Relaxed) == 0 {
        bail!(
            Other,
            "no mpiexec of rmashm's watches over it: it was started by another launcher, or by none"
        );
    }
    let is_seen = [&job.observed, &job.checked].map(|at| at.load(Ordering::Relaxed) != 0);
    if is_seen.contains(&true) {
        bail!(
            Other,
            "what its ranks do is told at its end (-report, -trace, -check), and that of others could not be"
        );
    }
    Ok(())
}

/// Whether this process's own launcher is `holder`, as whose child it does not outlive it.
pub(super) fn is_own_launcher(holder: Holder) -> bool {
    launcher_of_own_world() == Some(holder)
}

/// The launcher that has started this process's world.
pub(super) fn launcher_of_own_world() -> Option<Holder> {
    let job = super::job();
    match job.table.world(job.rank).launcher.state() {
        Held::Held(holder) => Some(holder),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::MET;
    use super::super::ties::Why;
    use super::*;
    use crate::shm::atomic::Ordering::Relaxed;

    /// A job of rank 0, of this process, and ranks 1 and 2, of another launcher.
    fn job(other: Holder) -> Table {
        let room = 8;
        let segment = Box::leak(Box::new(Segment::create(Table::bytes(room)).unwrap()));
        let table = Table::create(segment, 1, room as u32, true);
        table.world(0).launcher.give(own());
        table.enroll(1, 2, None, Some(other));
        for process in table.present() {
            process.pid.store(std::process::id(), Relaxed);
            process.set_state(State::Running);
        }
        table
    }

    /// A process that has ended.
    fn ended() -> Holder {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let process = child.id();
        child.wait().unwrap();
        Holder { process, born: 1 }
    }

    fn other() -> Holder {
        Holder {
            process: std::os::unix::process::parent_id(),
            born: 0,
        }
    }

    #[test]
    fn what_was_told_is_news_to_the_others() {
        let table = job(other());
        assert_eq!(table.launcher(0), Some(own()));
        assert_eq!(table.news(own()), []);
        // Nobody is connected: nobody is waited for.
        table.tell(own(), 0, 7, false);
        assert_eq!((table.tidings(), table.news(own())), (1, vec![]));
        let news = News {
            rank: 0,
            generation: 0,
            status: 7,
            launcher: std::process::id(),
            is_lost: false,
        };
        assert_eq!(table.news(other()), [news]);
        // Once.
        table.tell(own(), 0, 8, false);
        assert_eq!((table.tidings(), table.news(other())), (1, vec![news]));
    }

    #[test]
    fn one_that_is_connected_is_waited_for_until_it_has_heard() {
        let gone = ended();
        let table = job(gone);
        table.note(0, Why::Shared, 1);
        table.note(2, Why::Shared, 0);
        // It will never hear.
        let start = Instant::now();
        table.tell(own(), 0, 0, false);
        table.hear(own(), 1);
        assert_eq!(table.world(0).heard.load(Relaxed), 1);
        assert_eq!(table.world(1).heard.load(Relaxed), 0);
        assert!(is_gone(gone) && start.elapsed() < 10 * PATIENCE);
    }

    #[test]
    fn those_that_end_theirs_too_are_waited_for_once() {
        let (many, room) = (50, 60);
        let segment = Box::leak(Box::new(Segment::create(Table::bytes(room)).unwrap()));
        let table = Table::create(segment, many, room as u32, true);
        table.world(0).launcher.give(own());
        // Its launcher is there, and never hears.
        table.enroll(many, 1, None, Some(other()));
        for process in table.present() {
            process.pid.store(std::process::id(), Relaxed);
            process.set_state(State::Running);
        }
        table.note(0, Why::Shared, many);
        table.note(many, Why::Shared, 0);
        let start = Instant::now();
        assert!(table.tell(own(), 0, 1, false) && table.tell(other(), many, 1, true));
        (1..many).for_each(|rank| assert!(table.tell(own(), rank, 1, true)));
        assert!(start.elapsed() >= PATIENCE);
        assert!(start.elapsed() < many / 2 * PATIENCE);
        assert_eq!(table.tidings(), many + 1);
    }

    #[test]
    fn those_are_lost_that_go_with_their_launcher() {
        let (gone, dead) = (ended(), ended());
        let table = job(gone);
        assert!(table.has_launcher());
        assert_eq!(table.news(own()), [], "its processes are there");
        table.processes[1].pid.store(dead.process, Relaxed);
        let lost = table.news(own());
        assert_eq!(lost.len(), 1);
        assert!(lost[0].is_lost && lost[0].rank == 1);
        table.settle_lost(1);
        assert_eq!(table.processes[1].state(), State::Dead);
        assert!(!table.news(own())[0].is_lost);
        // One that left in order is not missed.
        table.processes[2].pid.store(dead.process, Relaxed);
        table.processes[2].set_state(State::Finalized);
        table.settle_lost(2);
        assert_eq!(table.processes[2].state(), State::Exited);
    }

    #[test]
    fn places_of_others_are_theirs_while_they_are_there() {
        let place = |table: &Table, size| table.place_for(own(), size, 1, |_| false);
        for (launcher, first, state) in [
            (other(), None, State::Exited),
            (ended(), Some(1), State::Exited),
            (other(), None, State::Quit),
            (ended(), Some(1), State::Quit),
        ] {
            let table = job(launcher);
            assert_eq!(place(&table, 5), Some(3));
            assert_eq!(place(&table, 6), None);
            assert_eq!(place(&table, u32::MAX), None);
            for process in &table.present()[1..] {
                process.set_state(state);
            }
            assert_eq!(place(&table, 7), first);
            assert_eq!(table.place_for(own(), 7, 1, |rank| rank == 2), None);
        }
    }

    #[test]
    fn places_that_somebody_names_are_given_last() {
        let table = job(own());
        table.enroll(3, 5, None, Some(own()));
        for process in &table.present()[1..] {
            process.set_state(State::Exited);
            process.say(MET);
        }
        let place = || table.place_for(own(), 2, 1, |_| false);
        assert_eq!(place(), Some(1));
        table.note(0, Why::Shared, 1);
        assert_eq!(place(), Some(3));
        table.note(0, Why::Named, 3);
        assert_eq!(place(), Some(1));
    }

    #[test]
    fn one_at_a_time_gives_places() {
        let segment = Box::leak(Box::new(Segment::create(Table::bytes(1)).unwrap()));
        let turn = Turn::take(segment).unwrap();
        // SAFETY: the child makes system calls alone.
        match unsafe { nix::unistd::fork() }.unwrap() {
            nix::unistd::ForkResult::Child => {
                let file = segment.fd().unwrap();
                let taken = fcntl(file, FcntlArg::F_SETLK(&range(libc::F_WRLCK)));
                // SAFETY: ends the child without more.
                unsafe { libc::_exit(i32::from(taken.is_ok())) }
            }
            nix::unistd::ForkResult::Parent { child } => {
                let status = nix::sys::wait::waitpid(child, None).unwrap();
                let refused = nix::sys::wait::WaitStatus::Exited(child, 0);
                assert_eq!(status, refused);
            }
        }
        drop(turn);
    }
}
