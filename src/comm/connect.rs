//! Intercommunicators of processes that find each other by a port or a socket (MPI 4.1 §11.9, §11.10.4).
//!
//! The roots find each other ([`crate::runtime::port`]) when all processes of both groups have agreed that they can; then they are
//! the leaders of two groups that make their intercommunicator as any two do ([`super::inter`]).

use super::from_group::inherited;
use super::inter::{Bridge, Other};
use super::{COMM_SELF, Comm, get, letter};
use crate::err;
use crate::error::{Error, Result};
use crate::mpi::constants::MPI_COMM_NULL;
use crate::mpi::types::MPI_Comm;
use crate::runtime::job;
use crate::runtime::port::{self, Introduction, Met};
use crate::transport;
use std::hash::Hash;
use std::time::Duration;

/// What the root of a group does at the port.
#[derive(Clone, Copy)]
pub enum Part {
    Accept,
    /// For at most so long.
    Connect(Duration),
}

impl Part {
    /// Gives the other root, and the port's number.
    fn meet(self, name: &str, call: &str) -> Result<(Met, u64)> {
        let port = port::get(name)?;
        let met = match self {
            Part::Accept => port.accept(name, call),
            Part::Connect(most) => port.connect(name, most, call),
        };
        met.map(|met| (met, port.number))
    }
}

/// Makes an intercommunicator with the processes whose root does the other part at the port; `given` has what the root brings,
/// or the error that a process met before. Collective over `comm`; blocks until the others have come.
///
/// Errors: `MPI_ERR_PORT` (there is no such port, or it was closed, or nobody has accepted in time), `MPI_ERR_COMM` (a process is in
/// both groups), `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`. What the root has met, all
/// return.
pub fn meet(
    comm: &Comm,
    root: usize,
    given: Result<Option<(String, Part)>>,
    call: &str,
) -> Result<MPI_Comm> {
    let what = || format!("{call}: waiting for the other processes of the communicator");
    let can = given.as_ref().map_err(Error::clone).and_then(|given| {
        transport::welcome([])?;
        // A wrong name is told before anybody waits.
        given
            .as_ref()
            .map_or(Ok(()), |(name, _)| port::get(name).map(drop))
    });
    comm.meeting.agree(&can, &what, |other| other.alike(call))?;
    let met = match given? {
        Some((name, part)) => part.meet(&name, call).map(Some),
        None => Ok(None),
    };
    let told = met.as_ref().map(|_| ()).map_err(Error::clone);
    comm.meeting
        .agree(&told, &what, |other| other.alike(call))?;
    let root = comm.world_rank(root);
    let bridge = Bridge {
        local: comm.group.clone(),
        leader: root,
        key: letter::key(("port", comm.context)),
        call,
    };
    let met = met?;
    transport::welcome(met.iter().map(|(met, _)| met.leader))?;
    let other = met.map(|(met, port)| between("ports", met.leader, (port, met.visit)));
    bridge.cross(Ok(other), inherited(comm))
}

/// The other leader, as this one knows it. `number` tells several ways of the same two apart.
fn between(way: &str, leader: u32, number: impl Hash) -> Other {
    let me = job().rank;
    let both = (me.min(leader), me.max(leader));
    Other {
        leader,
        key: letter::key((way, both, number)),
    }
}

/// Makes an intercommunicator with the process at the other end of a socket; `MPI_COMM_NULL` where that is of another job. Blocks
/// until that has called too.
///
/// Errors: `MPI_ERR_ARG` (no socket), `MPI_ERR_OTHER` (the socket fails, or the other end says something else), `MPI_ERR_COMM` (it is
/// this process), `MPI_ERR_NO_MEM`, `MPI_ERR_PROC_FAILED`.
pub fn join(socket: i32, call: &str) -> Result<MPI_Comm> {
    let me = get(COMM_SELF)?;
    transport::welcome([])?;
    let Introduction { leader, number } = match port::introduce(socket, call)? {
        Some(introduction) => introduction,
        None => return Ok(MPI_COMM_NULL),
    };
    if leader == job().rank {
        return Err(err!(Comm, "fd leads to this process itself"));
    }
    transport::welcome([leader])?;
    let bridge = Bridge {
        local: me.group.clone(),
        leader: job().rank,
        key: letter::key(("join", number)),
        call,
    };
    bridge.cross(Ok(Some(between("sockets", leader, number))), inherited(me))
}
