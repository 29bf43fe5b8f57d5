//! Intercommunicators of processes that find each other by a port or a socket (MPI 4.1 §11.9, §11.10.4).
//!
//! The roots find each other ([`crate::runtime::port`]) when all processes of both groups have agreed that they can; then they are
//! the leaders of two groups that make their intercommunicator as any two do ([`super::inter`]).
//!
//! Those that accept have it only when all of them know that all of both groups can have it. Where one of the callers has died before
//! that, nobody of this side is connected with them, and the next ones are waited for: so who serves others does not end with one of
//! them.

use super::from_group::{inherited, inherited_with};
use super::hints::Hints;
use super::inter::{Bridge, Crossed, Other};
use super::making::told;
use super::{COMM_SELF, Comm, get, letter};
use crate::err;
use crate::error::{Class, Error, Result};
use crate::mpi::constants::MPI_COMM_NULL;
use crate::mpi::types::MPI_Comm;
use crate::runtime::job;
use crate::runtime::port::{self, Introduction, Met, Port};
use crate::runtime::ties::Why;
use crate::transport;
use std::hash::Hash;
use std::time::Duration;

/// Makes an intercommunicator with the processes that connect to a port; `given` has its name and hints at the root, or the error that a process
/// met before. Collective over `comm`; blocks until the others have come. Those that die meanwhile leave their place to the next ones.
///
/// Errors: `MPI_ERR_PORT` (there is no such port, or it was closed), `MPI_ERR_COMM` (a process is in both groups), `MPI_ERR_NO_MEM`,
/// `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED` (one of `comm` has died). What the root has met, all return.
pub fn accept(
    comm: &Comm,
    root: usize,
    given: Result<Option<(String, Hints)>>,
    call: &str,
) -> Result<MPI_Comm> {
    let what = || format!("{call}: waiting for the other processes of the communicator");
    let side = Side::of(comm, root, given, call)?;
    loop {
        // Until all know that they go on with them, nobody is connected.
        let crossed = side.cross(Why::Named, |port, name| {
            port.accept(name, &comm.meeting, call)
        })?;
        let error = match &crossed {
            Ok(crossed) => crossed.error(),
            Err(error) => Some(error),
        };
        let died = error.is_some_and(|error| error.class == Class::ProcFailed);
        // Where one of the callers has died some of this side may know it, and others have met all of them.
        match comm.meeting.exchange(died, &what) {
            Ok(all) if all.contains(&true) => crossed.into_iter().for_each(Crossed::give_up),
            Err(error) if died => return Err(error),
            _ => return crossed?.publish(),
        }
    }
}

/// Makes an intercommunicator with the processes that accept at a port; `given` has at the root its name, hints, and for how long it waits
/// until they do. Collective over `comm`; blocks.
///
/// Errors: as [`accept`]; `MPI_ERR_PORT` (nobody has accepted in time), `MPI_ERR_PROC_FAILED` (also one of those that accept).
pub fn connect(
    comm: &Comm,
    root: usize,
    given: Result<Option<((String, Duration), Hints)>>,
    call: &str,
) -> Result<MPI_Comm> {
    let (given, most) = match given {
        Ok(Some(((name, most), hints))) => (Ok(Some((name, hints))), most),
        given => (given.map(|_| None), Duration::ZERO),
    };
    let side = Side::of(comm, root, given, call)?;
    side.cross(Why::Shared, |port, name| {
        port.connect(name, most, &comm.meeting, call)
    })??
    .publish()
}

/// Those that are on the caller's side of a port.
struct Side<'a> {
    comm: &'a Comm,
    /// Its rank in the job.
    root: u32,
    /// At the root.
    port: Option<String>,
    /// What the root promises of the intercommunicator.
    hints: Hints,
    call: &'a str,
    _visit: port::Visit,
}

impl Side<'_> {
    /// All agree that they can meet others. Collective over `comm`.
    fn of<'a>(
        comm: &'a Comm,
        root: usize,
        given: Result<Option<(String, Hints)>>,
        call: &'a str,
    ) -> Result<Side<'a>> {
        let can = given.as_ref().map_err(Error::clone).and_then(|given| {
            transport::welcome([])?;
            // A wrong name is told before anybody waits.
            let name = given.as_ref().map(|(name, _)| name);
            name.map_or(Ok(()), |name| port::get(name).map(drop))
        });
        let (port, hints) = given.unwrap_or_default().unzip();
        let side = Side {
            comm,
            root: comm.world_rank(root),
            port,
            hints: hints.unwrap_or_default(),
            call,
            _visit: port::Visit::begin(),
        };
        side.agree(&can)?;
        Ok(side)
    }

    /// The error of one is an error of all, the same.
    fn agree(&self, part: &Result<()>) -> Result<()> {
        let call = self.call;
        let what = || format!("{call}: waiting for the other processes of the communicator");
        let agreed = self
            .comm
            .meeting
            .agree(part, &what, |other| other.alike(call));
        agreed.map(drop)
    }

    /// The root meets another by `meet`, with whose group all of this side agree then; `why`: as [`Bridge::prepare`]. Collective over it.
    /// The outer error is one of before that, and of all alike.
    fn cross(
        &self,
        why: Why,
        meet: impl Fn(&Port, &str) -> Result<Met>,
    ) -> Result<Result<Crossed>> {
        let met = self.port.as_ref().map(|name| {
            let port = port::get(name)?;
            let met = meet(&port, name)?;
            Ok((met, port.number))
        });
        let met = met.transpose();
        let ready = told(&met).and_then(|()| {
            let met = met.iter().flatten();
            transport::welcome(met.map(|(met, _)| met.leader))
        });
        let agreed = self.agree(&ready);
        let met = met.ok().flatten();
        let other = met
            .as_ref()
            .map(|(met, port)| between("ports", met.leader, (port, met.visit)));
        let bridge = Bridge {
            local: self.comm.group.clone(),
            leader: self.root,
            context: Some(self.comm.context),
            key: letter::key(("port", self.comm.context)),
            call: self.call,
        };
        if let Err(error) = agreed {
            // Who was met waits for an answer.
            other.iter().for_each(|other| bridge.refuse(other, &error));
            return Err(error);
        }
        Ok(bridge.prepare(
            Ok(other),
            inherited_with(self.comm, self.hints.clone()),
            why,
        ))
    }
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
    let _at_port = port::Visit::begin();
    let Some(introduction) = port::introduce(socket, call)? else {
        return Ok(MPI_COMM_NULL);
    };
    let Introduction { leader, number, .. } = introduction;
    if leader == job().rank {
        return Err(err!(Comm, "fd leads to this process itself"));
    }
    transport::welcome([leader])?;
    let bridge = Bridge {
        local: me.group.clone(),
        leader: job().rank,
        context: None,
        key: letter::key(("join", number)),
        call,
    };
    bridge.cross(Ok(Some(between("sockets", leader, number))), inherited(me))
}
