//! Becoming a job and being one: the launch environment, the process table, the wait loop, the end.
//!
//! Of the rooms with shared memory it calls `shm` only. A process comes to its job in two steps, so that the rooms above can
//! put what others need to find into the segment in between: [`attach`] (the segment is mapped, rank and size are known), then
//! [`meet`] (everybody is there). It goes with [`leave`].

pub mod abort;
pub mod access;
pub mod agreement;
pub mod board;
mod cores;
pub mod council;
pub mod deadlock;
pub mod deaths;
pub mod elsewhere;
pub mod errands;
pub mod failures;
mod handover;
pub mod launch;
mod launcher;
pub mod lookout;
mod manager;
pub mod meeting;
pub mod names;
pub mod needs;
pub mod neighbours;
pub mod neutral;
pub mod notes;
pub mod overlong;
pub mod phase;
pub mod place;
mod pmi;
pub mod port;
mod quitting;
pub mod rest;
mod resting;
pub mod revoked;
pub mod seen;
pub mod signals;
mod spaces;
pub mod spawn;
pub mod starter;
pub mod table;
pub mod ties;
pub mod traffic;
pub mod visits;
pub mod wait;
mod yields;

use crate::error::{Error, Result};
use crate::observe;
use crate::shm::Offset;
use crate::shm::atomic::Ordering;
use crate::shm::segment::segment;
use crate::shm::{self, cgroup, heap};
use crate::{bail, check, err};
pub use access::reach;
pub use cores::spread;
pub use deaths::Ranks;
use launcher::Launcher;
pub use launcher::{appsize, variable};
pub use lookout::look_around;
pub use needs::{Need, Needs};
use std::ops::Range;
use std::sync::OnceLock;
use table::{CAME, LEAVING, MET, Process, SURVIVES, State, Table};
pub use wait::{Announce, Nap, Waiting, ring, ring_key, ring_one, wait};

/// The variables that ask our launcher for a report and for a trace.
pub const OBSERVING: [&str; 3] = ["RMASHM_REPORT", "RMASHM_TRACE", "RMASHM_CHECK"];

/// This process's job.
pub struct Job {
    /// The place in the table.
    pub rank: u32,
    /// The first of the processes that were started together with this one, and how many they are.
    pub first: u32,
    pub ranks: u32,
    pub table: Table,
    /// Which of the programs of an MPMD start this is.
    pub appnum: Option<i32>,
    appsize: Option<u32>,
    launcher: Launcher,
}

impl Job {
    /// The processes that were started together with this one, itself included.
    pub fn world(&self) -> Range<u32> {
        self.first..self.first + self.ranks
    }

    /// How many of these run the same program as this one; all, as long as some have not told theirs.
    pub fn appsize(&self) -> u32 {
        let count = || {
            let members = &self.table.processes[self.first as usize..][..self.ranks as usize];
            let numbers = || members.iter().map(Process::appnum);
            match numbers().all(|number| number.is_some()) {
                true => numbers().filter(|&number| number == self.appnum).count() as u32,
                false => self.ranks,
            }
        };
        self.appsize.unwrap_or_else(count)
    }

    /// How many processes the job has room for.
    pub fn room(&self) -> usize {
        self.table.processes.len()
    }

    /// Whether `rank` was started together with this process.
    #[inline]
    pub fn is_of_world(&self, rank: u32) -> bool {
        self.world().contains(&rank)
    }
}

static JOB: OnceLock<Job> = OnceLock::new();

/// This process's job.
///
/// # Panics
/// Before [`attach`].
#[inline(always)]
pub fn job() -> &'static Job {
    JOB.get().expect("the process is part of a job")
}

/// This process's job, if it is part of one.
pub fn try_job() -> Option<&'static Job> {
    JOB.get()
}

/// This process's entry in the process table.
#[inline(always)]
pub fn me() -> &'static Process {
    let job = job();
    &job.table.processes[job.rank as usize]
}

/// Finds the job and maps its segment. Later calls find it done.
///
/// Blocks under a foreign launcher, until the others are there too. Errors: `MPI_ERR_OTHER` where the launch environment
/// is contradictory or the job spans machines, `MPI_ERR_NO_MEM` where the segment cannot be mapped.
pub fn attach() -> Result<&'static Job> {
    if let Some(job) = JOB.get() {
        me().change_state(&[State::Finalized], State::Joining);
        return Ok(job);
    }
    let place = launcher::find()?;
    segment().keep_in_dumps(shm::PAGE + Table::bytes(place.table.processes.len()));
    let job = Job {
        rank: place.rank,
        first: place.table.first_of(place.rank),
        ranks: place.table.world(place.rank).size.load(Ordering::Relaxed),
        table: place.table,
        appnum: place.appnum,
        appsize: place.appsize,
        launcher: place.launcher,
    };
    let process = &job.table.processes[job.rank as usize];
    if !process.change_state(&[State::Unborn, State::Started], State::Joining) {
        bail!(
            Other,
            "rank {} of this job has run an MPI program already (state {:?}): one mpiexec runs one MPI program per rank",
            job.rank,
            process.state()
        );
    }
    job.appnum.iter().for_each(|&n| process.tell_appnum(n));
    heap::tell(&process.heap);
    traffic::begin(&job.table, job.rank);
    lookout::introduce(process);
    cores::publish(process);
    if job.rank == 0 {
        let quota = cgroup::cores().unwrap_or(0);
        job.table.job.quota.store(quota, Ordering::Relaxed);
    }
    if let Launcher::Pmi(pmi) = &job.launcher {
        pmi.lock().live_under();
    }
    quitting::prepare(&job.launcher);
    errands::set_errand(errands::Errand::Tell, place::tell);
    let observed = job.table.job.observed.load(Ordering::Relaxed) as usize;
    let checked = job.table.job.checked.load(Ordering::Relaxed) as usize;
    check::open(segment(), checked, job.rank, abort::abort);
    // Where ThreadSanitizer looks on, calls say when it should not.
    let others = check::is_on() || check::local::is_seen();
    observe::open(segment(), observed, job.rank, others);
    if job.rank == 0 && !matches!(job.launcher, Launcher::Ours) {
        for name in OBSERVING.iter().filter(|name| variable(name).is_some()) {
            eprintln!(
                "rmashm: {name} is for rmashm's own mpiexec, which did not start this job: nothing is told"
            );
        }
    }
    Ok(JOB.get_or_init(|| job))
}

/// Waits until all ranks of the job have come this far.
pub fn meet() -> Result<()> {
    let job = job();
    me().say(CAME);
    me().set_state(State::Joining);
    let world = job.table.world(job.rank);
    let here = world.joined.fetch_add(1, Ordering::AcqRel) + 1;
    if here == job.ranks {
        job.table.ring_all();
    }
    let what = || "MPI_Init: waiting for all ranks to call it".to_string();
    let waiting = Waiting {
        key: 0,
        what: &what,
        ranks: Ranks::All,
        needs: Needs::Unknown,
        announce: None,
    };
    wait(&waiting, || {
        world.joined.load(Ordering::Acquire) >= job.ranks
    })?;
    // What all have made for each other by now, their inboxes above all: where it cannot be mapped is told here.
    segment().reach_leased()?;
    run();
    Ok(())
}

/// This process is in MPI.
pub fn run() {
    settle_pace();
    me().change_state(&[State::Joining], State::Running);
}

/// This process has met those that have asked for its world, if any have.
pub fn has_met_parents() {
    me().say(MET);
}

/// How long this process's waits spin follows from the processes that have come, and their cores.
pub fn settle_pace() {
    let job = job();
    let quota = match job.table.job.quota.load(Ordering::Relaxed) {
        0 => usize::MAX,
        cores => cores as usize,
    };
    // Places of processes that have ended need no core.
    let lives = |process: &&Process| !matches!(process.state(), State::Exited | State::Dead);
    let living = job.table.present().iter().filter(lives).count();
    wait::set_pace(cores::learn(), quota, living);
}

/// Says that this process goes on when another rank dies: an object that it shares with others has an error handler that
/// lets it. The launcher then leaves the end of the job to it.
pub fn survive() {
    me().say(SURVIVES);
}

/// Leaves the job's world: waits until all ranks want to.
///
/// Ranks that are dead are not waited for by a process that [survives](survive) them. Error, for others:
/// `MPI_ERR_PROC_FAILED`.
pub fn leave() -> Result<()> {
    let job = job();
    let table = &job.table;
    let world = table.world(job.rank);
    let members = || {
        job.world()
            .map(|rank| (rank, &table.processes[rank as usize]))
    };
    me().say(LEAVING);
    let here = world.left.fetch_add(1, Ordering::AcqRel) + 1;
    // Where somebody has died, nobody knows from the count that it is the last.
    if here == job.ranks || table.job.incidents.load(Ordering::Acquire) != 0 {
        table.ring_all();
    }
    let what = || "MPI_Finalize: waiting for all ranks to call it".to_string();
    let survives = me().says(SURVIVES);
    let waiting = Waiting {
        key: 0,
        what: &what,
        ranks: if survives { Ranks::None } else { Ranks::All },
        needs: Needs::Told(&|need| {
            let stay = members().filter(|(_, process)| !process.is_leaving());
            *need = Need::each(stay.map(|(rank, _)| rank));
        }),
        announce: None,
    };
    wait(&waiting, || {
        world.left.load(Ordering::Acquire) >= job.ranks
            || survives
                && table.job.incidents.load(Ordering::Acquire) != 0
                && members().all(|(_, process)| process.is_leaving())
    })
}

/// MPI is over for this process, unless it opens another session. It may end.
pub fn rest() {
    me().set_state(State::Finalized);
    access::take_back();
    if let Launcher::Pmi(pmi) = &job().launcher {
        pmi.lock().finalize();
    }
}

/// Makes sure that `len` bytes at `offset` of the segment, of which another rank told, are mapped here. Where they cannot be,
/// the job ends, with a sentence: for what goes on behind the program's back, and has nobody to give an error to.
#[inline(always)]
pub fn must_reach(offset: Offset, len: usize) {
    if let Err(error) = segment().reach(offset, len) {
        cannot_go_on(error.into());
    }
}

/// Empty memory that has room for `len` bytes. Where there is none the job ends as in [`must_reach`]: what has come for a receive
/// that is not there yet cannot be refused.
pub fn must_hold(len: usize) -> Vec<u8> {
    let mut memory = Vec::new();
    match memory.try_reserve_exact(len) {
        Ok(()) => memory,
        Err(_) => cannot_go_on(err!(NoMem, "no memory for {len} bytes")),
    }
}

/// Ends the job, with a sentence: what others wait for cannot be done.
#[cold]
pub fn cannot_go_on(error: Error) -> ! {
    eprintln!(
        "rmashm: rank {} of the job cannot go on: {}",
        job().rank,
        error.text
    );
    abort::abort(error.class as i32)
}
