//! Processes that are started later, and the intercommunicator between them and those that have asked for them (MPI 4.1 §11.8).
//!
//! All that ask agree that they can; then the root has the launcher start the processes, and tells the others what became of it.
//! The new ones have a world of their own. When they have met in MPI_Init, the two groups make their intercommunicator as any
//! two do ([`super::inter`]): the root and the first of the new ones are the leaders, who know each other by the process table.

use super::from_group::{inherited, inherited_with};
use super::hints::Hints;
use super::inter::{Bridge, Other};
use super::letter;
use super::{COMM_WORLD, Comm, get};
use crate::err;
use crate::error::{Error, Result};
use crate::mpi::constants::MPI_COMM_NULL;
use crate::mpi::types::MPI_Comm;
use crate::neutral;
use crate::runtime::spawn::{Program, Started, spawner};
use crate::runtime::ties::{Ties, Why};
use crate::runtime::{self, job};
use crate::transport;
use macro_rules_attribute::apply;
use std::ops::Range;
use std::sync::atomic::{AtomicI32, Ordering};

/// The intercommunicator with the processes that have started this one, while it is there.
static PARENT: AtomicI32 = AtomicI32::new(MPI_COMM_NULL.0);

const PARENT_NAME: &[u8] = b"MPI_COMM_PARENT";

/// The intercommunicator with the processes that have started this one, or `MPI_COMM_NULL`.
pub fn parent() -> MPI_Comm {
    MPI_Comm(PARENT.load(Ordering::Relaxed))
}

/// A communicator is freed: it is nobody's parent any more.
pub(super) fn forget(handle: MPI_Comm) {
    let relaxed = Ordering::Relaxed;
    let _ = PARENT.compare_exchange(handle.0, MPI_COMM_NULL.0, relaxed, relaxed);
}

/// What each process brings to the first exchange; what counts is the root's.
#[apply(neutral)]
#[derive(Clone, Copy, Default)]
struct Asked {
    programs: usize,
    /// How many processes are asked for.
    most: usize,
}

/// How many of those asked for each program there are.
#[apply(neutral)]
#[derive(Clone, Copy, Default)]
struct Part {
    most: u32,
    size: u32,
}

/// Programs are told of in so many at a time.
const AT_ONCE: usize = 14;

/// What became of a call: for each process that was asked for, whether it was started; and the intercommunicator.
pub struct Outcome {
    pub started: Vec<bool>,
    pub comm: Result<MPI_Comm>,
}

/// Starts processes; `given` has programs, and hints for the intercommunicator there, at the root only. It is `None` at all others, or
/// the error that this process met before.
/// Collective over `comm`; blocks until the new ones have called MPI_Init.
///
/// Errors: `MPI_ERR_SPAWN` (they cannot be started), `MPI_ERR_INFO_VALUE`, `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process
/// failed), `MPI_ERR_PROC_FAILED` (a new one ended before it had come). What the root has met, all return. The outer error is one
/// of before any process was asked for.
pub fn start(
    comm: &Comm,
    root: usize,
    given: Result<Option<(Vec<Program>, Hints)>>,
    call: &str,
) -> Result<Outcome> {
    let (programs, hints) = match given.map(Option::unzip) {
        Ok((programs, hints)) => (Ok(programs), hints),
        Err(error) => (Err(error), None),
    };
    let mine = programs
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|programs| {
            transport::welcome([])?;
            let programs = programs.as_deref().unwrap_or_default();
            Ok(Asked {
                programs: programs.len(),
                most: programs.iter().map(|program| program.most as usize).sum(),
            })
        });
    let what = || format!("{call}: waiting for the other processes of the communicator");
    let asked = comm
        .meeting
        .agree(&mine, &what, |other| other.alike(call))?[root];
    let nothing = vec![false; asked.most];
    let programs = programs?;
    let started = programs
        .as_deref()
        .map(|programs| runtime::spawn::start(programs, call))
        .transpose();
    let own = started.as_ref().ok().and_then(Option::as_ref);
    let _asked_for = own.map(|started| Ties::to(Why::Named, &[started.first]));
    let first = started
        .as_ref()
        .map(|started| started.as_ref().map_or(0, |started| started.first))
        .map_err(Clone::clone);
    let told = comm.meeting.agree(&first, &what, |other| other.alike(call));
    let (first, own) = match told.and_then(|told| Ok((told[root], started?))) {
        Ok(outcome) => outcome,
        Err(error) => {
            return Ok(Outcome {
                started: nothing,
                comm: Err(error),
            });
        }
    };
    let parts = spread(comm, root, asked.programs, programs.zip(own), call)?;
    let started: Vec<bool> = parts
        .iter()
        .flat_map(|part| (0..part.most).map(|number| number < part.size))
        .collect();
    runtime::settle_pace();
    let size = started.iter().filter(|&&is| is).count() as u32;
    let new: Vec<u32> = (first..first + size).collect();
    let _theirs = Ties::to(Why::Named, &new);
    transport::welcome(new)?;
    let root = comm.world_rank(root);
    let bridge = Bridge {
        local: comm.group.clone(),
        leader: root,
        context: Some(comm.context),
        key: letter::key(("spawn", comm.context, named(first))),
        call,
    };
    let other = (root == job().rank).then(|| between(root, first, first));
    let comm = bridge.cross(Ok(other), inherited_with(comm, hints.unwrap_or_default()));
    match comm {
        Err(error) => Ok(failed(error, &started, first..first + size)),
        comm => Ok(Outcome { started, comm }),
    }
}

/// The intercommunicator was not made. Where one of the new processes has ended, that is the reason.
fn failed(error: Error, started: &[bool], new: Range<u32>) -> Outcome {
    let gone = new.clone().find_map(|rank| {
        let how = job().table.gone(rank)?;
        Some(err!(
            Spawn,
            "rank {} of the new processes {how} before it had called MPI_Init",
            rank - new.start
        ))
    });
    Outcome {
        started: vec![false; started.len()],
        comm: Err(gone.unwrap_or(error)),
    }
}

/// The root tells how many of those asked for each program there are.
fn spread(
    comm: &Comm,
    root: usize,
    programs: usize,
    own: Option<(Vec<Program>, Started)>,
    call: &str,
) -> Result<Vec<Part>> {
    let own = own.map_or(Vec::new(), |(programs, started)| {
        let most = programs.iter().map(|program| program.most);
        let parts = most.zip(started.sizes);
        parts.map(|(most, size)| Part { most, size }).collect()
    });
    let what = || format!("{call}: waiting for the other processes of the communicator");
    let mut parts = Vec::with_capacity(programs);
    while parts.len() < programs {
        let mut some = [Part::default(); AT_ONCE];
        let mine = own.iter().skip(parts.len());
        some.iter_mut().zip(mine).for_each(|(to, part)| *to = *part);
        let told = comm.meeting.exchange(some, &what)?;
        let left = programs - parts.len();
        parts.extend(told[root].iter().take(left));
    }
    Ok(parts)
}

/// The other leader, as one of the two knows it.
fn between(root: u32, first: u32, other: u32) -> Other {
    Other {
        leader: other,
        key: letter::key(("spawned", root, named(first))),
    }
}

/// What tells a world from one that had the same first place before: a letter to that may have been left.
fn named(first: u32) -> (u32, u32) {
    let place = &job().table.processes[first as usize];
    (first, place.generation.load(Ordering::Acquire))
}

/// Where this process's world was started by processes: makes the intercommunicator with them, when the world has met. Blocks
/// until they have come to it. Errors: as [`start`].
pub fn meet_parents() -> Result<()> {
    let Some(root) = spawner() else {
        return Ok(());
    };
    let call = "MPI_Init";
    transport::welcome([root])?;
    let (world, job) = (get(COMM_WORLD)?, job());
    let bridge = Bridge {
        local: world.group.clone(),
        leader: job.first,
        context: Some(world.context),
        key: letter::key(("spawned world", named(job.first))),
        call,
    };
    let other = (job.rank == job.first).then(|| between(root, job.first, root));
    let parent = bridge.cross(Ok(other), inherited(world))?;
    get(parent)?.set_name(PARENT_NAME);
    PARENT.store(parent.0, Ordering::Relaxed);
    runtime::has_met_parents();
    Ok(())
}
