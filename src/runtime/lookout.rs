//! Looking whether the other ranks still live, where no launcher of ours watches them: under others. Ours watches the
//! processes it has started; what a rank's script has started in turn, and outlives, is missed here too, so a look is taken
//! under our launcher as well, which is given the time until the next to tell more.
//!
//! One rank looks for all, whichever first has the time to: what it finds stands in the process table. It asks the system
//! for each process anew and keeps nothing open, so that no descriptor is needed which the program might close, replace, or
//! have no room for. A process is known by its number and when it was started, so that another one that gets the number is
//! not taken for it. Of one in other name spaces ([`super::spaces`]) neither says anything here: those are looked at by ranks
//! in the same ones, and by the launcher.
//!
//! The look for all comes every 400 ms at most: a compare-and-swap of the time of the next one, in the process table, gives the
//! turn. Gone is what `kill(pid, 0)` does not find, what /proc calls ended, and what was started at another time. Where /proc
//! cannot be read, the number has to do. The death of a rank that is alone in its name spaces is seen by the launcher only.

use super::launcher::Launcher;
use super::table::{Death, Process, State, UNFOUND};
use super::wait::NAP;
use super::{Job, job, spaces, starter};
use crate::shm::atomic::Ordering;
use crate::shm::maps;
use nix::sys::signal::kill;
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;
use std::sync::LazyLock;
use std::time::Duration;

/// How often to look, at most.
const EVERY: Duration = Duration::from_millis(400);
// So a waiter that wakes by itself finds that a look is due.
const _: () = assert!(EVERY.as_millis() < NAP.as_millis());

/// Writes down who this process is.
pub(super) fn introduce(process: &Process) {
    let pid = std::process::id();
    process.pid.store(pid, Ordering::Relaxed);
    process.born.store(birth(pid), Ordering::Relaxed);
    let command = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    process.command.put(&command);
    // Release: with them come the number and the birth.
    process.spaces.store(spaces::own(), Ordering::Release);
}

/// When the process with this number was started; 0 where the system does not tell.
pub(super) fn birth(pid: u32) -> u64 {
    Life::of(pid).map_or(0, |life| life.born)
}

/// Marks those dead that are gone, and rings everybody. Does nothing where the last look was a moment ago; so it can be
/// called by whoever asks again and again.
#[inline]
pub fn look_around() {
    let job = job();
    if job.table.present().len() > 1 || starter::is_there(&job.table) {
        look(job);
    }
}

#[cold]
fn look(job: &Job) {
    let Ok(now) = clock_gettime(ClockId::CLOCK_MONOTONIC) else {
        return;
    };
    let now = Duration::from(now).as_millis() as u64;
    let mut processes = job.table.present().iter();
    let Some(first) = processes.find(|process| spaces::are_shared_with(process)) else {
        return;
    };
    let turn = &first.next_look;
    let due = turn.load(Ordering::Relaxed);
    let next = now + EVERY.as_millis() as u64;
    // The first look comes no sooner than the others: a job that is short needs none. (Relaxed: what a look finds is told by
    // the states.)
    let taken = now >= due
        && turn
            .compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok();
    if !taken || due == 0 {
        return;
    }
    if !matches!(job.launcher, Launcher::Ours) {
        starter::look(&job.table);
    }
    let watched = job.table.job.watched.load(Ordering::Relaxed) != 0;
    for (rank, process) in job.table.present().iter().enumerate() {
        // Between sessions it may end, but then it comes to no other.
        let resting = || process.state() == State::Finalized;
        let living = || matches!(process.state(), State::Joining | State::Running) || resting();
        if rank == job.rank as usize || !spaces::are_shared_with(process) || !living() {
            continue;
        }
        // It may have finalized and left between the two looks at its state.
        if is_lost(process, watched) && living() {
            match resting() {
                true => job.table.retire(rank),
                false => job.table.bury(rank, Death::Unseen),
            }
        }
    }
}

/// Looks for a process of these name spaces: whether it is gone, and nobody is left who could tell how. One that is found again
/// was never gone.
fn is_lost(process: &Process, watched: bool) -> bool {
    if !is_gone(process) {
        process.take_back(UNFOUND);
        return false;
    }
    let was_unfound = process.says(UNFOUND);
    process.say(UNFOUND);
    was_unfound || !watched
}

/// Whether a process of these name spaces is gone.
pub(super) fn is_gone(process: &Process) -> bool {
    let pid = process.pid.load(Ordering::Relaxed);
    is_over(pid, process.born.load(Ordering::Relaxed))
}

/// Whether the process with this number, which was started at this time (0: not known), has ended.
pub fn is_over(pid: u32, born: u64) -> bool {
    // No signal: it only asks whether the process exists.
    if kill(Pid::from_raw(pid as i32), None) == Err(nix::Error::ESRCH) {
        return true;
    }
    // Where this cannot be asked (no /proc, no descriptor to be had), the number has to do.
    Life::of(pid).is_some_and(|life| life.over || (born != 0 && life.born != born))
}

/// What /proc tells of a process.
#[derive(Debug, PartialEq, Eq)]
struct Life {
    /// It has ended; only nobody has waited for it yet.
    over: bool,
    born: u64,
}

impl Life {
    fn of(pid: u32) -> Option<Life> {
        // In a container whose /proc is another's, a number there is another process.
        static IS_OURS: LazyLock<bool> = LazyLock::new(|| {
            let me = std::fs::read_link("/proc/self");
            me.is_ok_and(|me| me.to_str() == Some(&std::process::id().to_string()))
        });
        if !*IS_OURS {
            return None;
        }
        Life::read(&maps::read(&format!("/proc/{pid}/stat"))?)
    }

    /// From the line of /proc/PID/stat, in which only the name, in parentheses, can have blanks.
    fn read(line: &str) -> Option<Life> {
        let fields: Vec<&str> = line.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let (state, threads, born) = (fields.first()?, fields.get(17)?, fields.get(19)?);
        Some(Life {
            // A process whose main thread has ended before others looks the same but for their number.
            over: matches!(*state, "Z" | "X") && matches!(*threads, "0" | "1"),
            born: born.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Table;
    use super::*;
    use crate::shm::segment::Segment;

    #[test]
    fn a_process_lives_until_it_ends() {
        let mut child = std::process::Command::new("sleep")
            .arg("100")
            .spawn()
            .unwrap();
        let alive = Life::of(child.id()).unwrap();
        assert!(!alive.over && alive.born > 0);
        assert!(alive.born >= Life::of(std::process::id()).unwrap().born);
        child.kill().unwrap();
        // It is a zombie until it is waited for.
        while Life::of(child.id()).is_some_and(|life| !life.over) {
            std::thread::yield_now();
        }
        assert_eq!(Life::of(child.id()).map(|life| life.over), Some(true));
        child.wait().unwrap();
        assert_eq!(Life::of(child.id()), None);
    }

    #[test]
    fn a_process_that_is_found_again_was_never_gone() {
        let segment = Box::leak(Box::new(Segment::create(Table::bytes(1)).unwrap()));
        let process = &Table::create(segment, 1, 1, true).processes[0];
        introduce(process);
        let born = process.born.load(Ordering::Relaxed);
        let look = |is_there: bool| {
            // Another that has the number was started at another time.
            let seen = born + u64::from(!is_there);
            process.born.store(seen, Ordering::Relaxed);
            is_lost(process, true)
        };
        assert!(!look(false), "one look is no certainty");
        assert!(!look(true));
        assert!(!look(false));
        assert!(look(false));
    }

    #[test]
    fn a_name_may_have_anything_in_it() {
        let line = |state: &str, threads: u32| {
            format!(
                "12 (a) Z (b) {state} 1 2 3 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 {threads} 0 4711 0 0"
            )
        };
        let life = |over| Some(Life { over, born: 4711 });
        assert_eq!(Life::read(&line("S", 1)), life(false));
        assert_eq!(Life::read(&line("Z", 1)), life(true));
        assert_eq!(
            Life::read(&line("Z", 3)),
            life(false),
            "its main thread has ended"
        );
        assert_eq!(Life::read("12 (sh"), None);
    }
}
