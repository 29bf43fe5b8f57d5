//! `-join`: the ranks become a world of a job that another launcher has begun. They are this one's as those of a job of its own, and
//! have the job's memory in common with the others, so that they can be connected: by ports and names.
//!
//! The job is found as `rmashm-top` finds it, by who has its segment open, and its descriptor is had from there: a process of another user
//! has none to give. A job that is to be found by a name has that in the name of its segment; who finds none begins one, and they do so one
//! after the other.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use programs::finding::Refusal;
use rmashm::launching::{
    Held, JobSegment, Opened, Outside, Reader, held, is_over, job_of_port, version,
};
use rmashm::seeing::{Rank, Seen};

use crate::checked::Check;
use crate::request::Request;
use crate::{MISUSE, values};

/// For how long a job is waited for that is not there (yet), and how often to look.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);
/// For how long others are waited for that look for a job by its name: each has to scan what all processes have open, in a moment, or
/// in seconds where it gets little of the cores.
const TURN: Duration = Duration::from_secs(20);
/// For how long a process is looked at that is no part of the job whose segment it has open.
const SETTLING: Duration = Duration::from_millis(1500);

/// Says it where the command line does not.
const JOIN: &str = "RMASHM_JOIN";

/// Letters of a name. The kernel takes four times as many.
pub const LONGEST_NAME: usize = 60;

/// Which job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Join {
    /// The only one of this user.
    Any,
    /// That of this process.
    Process(u32),
    /// The one of this name, which is begun if there is none.
    Named(String),
    /// None, whatever the program is told.
    Nobodys,
}

/// Where the ranks are started.
pub enum Where {
    /// In a job of their own. No other one of its name is begun meanwhile.
    Own(Option<Turn>),
    /// In one that another launcher has begun, by way of this process.
    Anothers(JobSegment, u32),
}

impl Join {
    /// By which the job is found.
    pub fn name(&self) -> Option<&str> {
        match self {
            Join::Named(name) => Some(name),
            _ => None,
        }
    }
}

/// What is had while a launcher looks for a job and, where there is none, begins it: no other does so meanwhile.
pub type Turn = Flock<File>;

/// What the variable asks for, if the command line does not.
pub fn ask_environment(request: &mut Request) -> Result<(), String> {
    if request.join.is_none()
        && let Some(value) = std::env::var_os(JOIN).filter(|value| !value.is_empty())
    {
        request.join = Some(values::join(JOIN, &value)?);
    }
    Ok(())
}

/// Which options are for the launcher that begins a job, if there are any.
fn of_who_begins(request: &Request) -> Option<&'static str> {
    let is_checked = request.check.is_some_and(|check| check != Check::Off);
    let is_on = is_checked || request.trace.is_some() || !request.reports.is_empty();
    let options = [
        (is_on, "-check, -report and -trace are"),
        (request.universe.is_some(), "-usize is"),
    ];
    options
        .iter()
        .find_map(|(is_given, what)| is_given.then_some(*what))
}

/// Where the ranks belong. Another's segment is mapped; its places are given later.
pub fn open(request: &Request) -> Result<Where, Refusal> {
    let join = match &request.join {
        Some(Join::Nobodys) => return Ok(Where::Own(None)),
        Some(join) => join,
        None => {
            return match by_port(request) {
                Some((pid, file)) => map(pid, &file),
                None => Ok(Where::Own(None)),
            };
        }
    };
    if let Some(what) = of_who_begins(request) {
        let text =
            format!("{what} for the mpiexec that begins a job, not for one with -join or {JOIN}");
        return Err(misuse(text));
    }
    let turn = join.name().and_then(|_| take_turn());
    match find(join)? {
        Some((pid, file)) => map(pid, &file),
        None => Ok(Where::Own(turn)),
    }
}

fn map(pid: u32, file: &File) -> Result<Where, Refusal> {
    let cannot =
        |why: &str| Refusal::from(format!("the job of process {pid} cannot be joined: {why}"));
    let segment = JobSegment::join(file.as_fd()).map_err(|error| cannot(&error.text))?;
    Ok(Where::Anothers(segment, pid))
}

/// The job whose port the program is told as an argument, as the clients in MPI's examples are (MPI 4.1 §11.9.4). None: there is no such
/// job of this user, or it cannot be joined: the program may have other things in mind.
fn by_port(request: &Request) -> Option<(u32, File)> {
    let words = request.parts.iter().flat_map(|part| &part.arguments);
    let ids: Vec<u64> = words
        .filter_map(|word| job_of_port(word.to_str()?))
        .collect();
    if ids.is_empty() || of_who_begins(request).is_some() {
        return None;
    }
    let is_it =
        |job: &Held| Outside::look(job).is_some_and(|it| ids.contains(&it.id) && it.can_be_joined);
    let job = held().into_iter().find(is_it)?;
    let mut files = job.holders.iter();
    files.find_map(|(pid, path)| Some((*pid, writable(path).ok()?)))
}

/// Waits for others that look for a job by its name. Their executable is what all that fit together have in common. None: it cannot be
/// locked, or is for long, by another user say; two that begin at the same time may then begin a job each.
fn take_turn() -> Option<Turn> {
    let mut file = File::open("/proc/self/exe").ok()?;
    let until = Instant::now() + TURN;
    loop {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(turn) => return Some(turn),
            Err((back, Errno::EAGAIN)) if Instant::now() < until => file = back,
            Err(_) => return None,
        }
        std::thread::sleep(PAUSE / 10);
    }
}

fn misuse(text: String) -> Refusal {
    Refusal {
        text,
        status: MISUSE,
    }
}

/// The jobs that may be meant. What was started a moment ago, as by the line before in a script, is waited for.
fn jobs(join: &Join) -> Vec<Held> {
    let begun = Instant::now();
    let mut is_new = false;
    loop {
        let mut jobs = held();
        jobs.retain(|job| !job.holders.is_empty());
        let may_come = match join {
            Join::Process(pid) => {
                jobs.retain(|job| job.holders.iter().any(|holder| holder.0 == *pid));
                // A launcher that a rank of another job starts has that one's segment open until it knows what it is.
                let its_own = jobs.iter().position(|job| is_part(*pid, job));
                if let Some(at) = its_own {
                    jobs.swap(0, at);
                }
                let is_settled = !jobs.is_empty() && begun.elapsed() > SETTLING;
                let is_there = Path::new(&format!("/proc/{pid}")).exists();
                is_there && its_own.is_none() && !is_settled
            }
            Join::Any => {
                // Those that cannot be joined are not meant, unless there are no others: then it is told why.
                let can_be_joined =
                    |job: &Held| Outside::look(job).is_some_and(|job| job.can_be_joined);
                if jobs.iter().any(can_be_joined) {
                    jobs.retain(can_be_joined);
                }
                jobs.is_empty()
            }
            Join::Nobodys => {
                jobs.clear();
                false
            }
            Join::Named(name) => {
                // One that is about to end is left to that.
                jobs.retain(|job| job.name.as_ref() == Some(name) && !has_ended(job));
                false
            }
        };
        let waits = may_come && begun.elapsed() < PATIENCE;
        // One that has just come may not be complete: the next look is the one that counts.
        if !waits && (jobs.is_empty() || !is_new) {
            return jobs;
        }
        is_new = waits;
        std::thread::sleep(PAUSE);
    }
}

/// Whether a process that has a job's segment open is a rank or a launcher of it, and no descendant of one.
fn is_part(pid: u32, job: &Held) -> bool {
    let is_it = |rank: &Rank| rank.pid == Some(pid) || rank.launcher == Some(pid);
    look(job).is_some_and(|seen| seen.ranks.iter().any(is_it))
}

/// Whether all of its launchers are gone.
fn has_ended(job: &Held) -> bool {
    let is_led = |seen: Seen| {
        let mut launchers = seen.ranks.iter().filter_map(|rank| rank.launcher);
        launchers.any(|pid| !is_over(pid, 0))
    };
    !look(job).is_none_or(is_led)
}

/// What is seen of it; None: it is of another build, or cannot be looked at.
fn look(job: &Held) -> Option<Seen> {
    let look = |(_, path): &(u32, PathBuf)| match Reader::open(path) {
        Ok(Opened::Segment(reader)) => Seen::look(&reader).ok(),
        _ => None,
    };
    job.holders.iter().find_map(look)
}

/// The segment's file, and the process by which the job is called. None: there is none of this name.
fn find(join: &Join) -> Result<Option<(u32, File)>, Refusal> {
    let jobs = jobs(join);
    let called = |holders: &[(u32, _)]| holders[0].0;
    match join {
        Join::Process(pid) => {
            if jobs.is_empty() {
                return Err(format!(
                    "process {pid} is of no job of this user that rmashm has started (rmashm-top shows those that are)"
                )
                .into());
            }
        }
        _ => {
            let pids: Vec<u32> = jobs.iter().map(|job| called(&job.holders)).collect();
            match pids[..] {
                [] if join.name().is_some() => return Ok(None),
                [] => {
                    return Err("there is no job of this user to be joined"
                        .to_string()
                        .into());
                }
                [_] => {}
                _ => {
                    let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
                    let text = format!(
                        "there are several such jobs of this user: -join wants one of these processes: {}",
                        pids.join(", ")
                    );
                    return Err(text.into());
                }
            }
        }
    }
    let job = &jobs[0];
    let pid = called(&job.holders);
    for (_, path) in &job.holders {
        match Reader::open(path) {
            Ok(Opened::Segment(_)) => {}
            Ok(Opened::Other(maker)) => {
                return Err(format!(
                    "the job of process {pid} was begun by {maker}, and this is {}: they are of different builds, and do not \
                     fit together",
                    version()
                )
                .into());
            }
            _ => continue,
        }
        if let Ok(file) = writable(path) {
            return Ok(Some((pid, file)));
        }
    }
    if join.name().is_some() {
        return Ok(None);
    }
    Err(format!("the job of process {pid} has just ended, or does not let itself be seen").into())
}

fn writable(path: &Path) -> std::io::Result<File> {
    File::options().read(true).write(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_jobs_is_no_business_of_one_that_joins() {
        let request = Request {
            universe: Some(4),
            join: Some(Join::Any),
            ..Request::default()
        };
        let refusal = open(&request).err().unwrap();
        assert_eq!(refusal.status, MISUSE);
        assert!(
            refusal.text.starts_with("-usize is for"),
            "{}",
            refusal.text
        );
    }

    #[test]
    fn a_process_that_is_of_no_job_is_told() {
        let request = Request {
            join: Some(Join::Process(1)),
            ..Request::default()
        };
        let refusal = open(&request).err().unwrap();
        assert!(
            refusal.text.contains("process 1 is of no job"),
            "{}",
            refusal.text
        );
    }
}
