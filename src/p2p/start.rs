//! Starting sends and receives on a communicator: ranks and tags are checked here.

use super::completion::wait_operation;
use crate::bail;
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::constants::{MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL};
use crate::mpi::types::MPI_Status;
use crate::transport;
pub use crate::transport::Mode;
use crate::transport::counted::Counted;
use crate::transport::operation::{About, Action, Operation, Outcome, Partners};
use crate::transport::{Buffer, Envelope, Target, check_tag, context};

/// Starts a send of `buffer` to rank `to`. `None`: it is complete already.
///
/// Errors: `MPI_ERR_RANK`, `MPI_ERR_TAG`.
#[inline]
pub fn send(
    comm: &Comm,
    buffer: Buffer,
    to: i32,
    tag: i32,
    mode: Mode,
) -> Result<Option<Counted<Operation>>> {
    begin_send(comm, buffer, to, tag, mode, (false, false))
}

/// The same for a caller that waits for the end of the send at once, and only for that.
#[inline]
pub fn send_and_wait(
    comm: &Comm,
    buffer: Buffer,
    to: i32,
    tag: i32,
    mode: Mode,
) -> Result<Option<Counted<Operation>>> {
    begin_send(comm, buffer, to, tag, mode, (true, false))
}

/// The same for one that receives at once, too, and then waits for both.
#[inline]
pub fn send_and_receive(
    comm: &Comm,
    buffer: Buffer,
    to: i32,
    tag: i32,
) -> Result<Option<Counted<Operation>>> {
    begin_send(comm, buffer, to, tag, Mode::Standard, (true, true))
}

#[inline]
fn begin_send(
    comm: &Comm,
    buffer: Buffer,
    to: i32,
    tag: i32,
    mode: Mode,
    (waits, receives): (bool, bool),
) -> Result<Option<Counted<Operation>>> {
    comm.check_revoked()?;
    let world_rank = match destination(comm, to)? {
        Some(rank) => rank,
        None => {
            check_tag(tag)?;
            return Ok(None);
        }
    };
    check_tag(tag)?;
    let context = context(comm.context);
    let target = Target {
        context,
        source: comm.rank as u32,
        to: world_rank,
        tag,
        waits,
        receives,
    };
    let about = || About {
        action: Action::Send,
        context,
        peer: to,
        tag,
        partners: Partners::One(world_rank),
        comm: comm.handle,
    };
    transport::send(target, buffer, mode, about)
}

/// Starts a receive from rank `from` (or any) with `tag` (or any). A receive from `MPI_PROC_NULL` is complete at once.
///
/// Errors: `MPI_ERR_RANK`, `MPI_ERR_TAG`.
// What is moved on by wider words than it was written in is waited for: it is put together where it stays.
#[inline(always)]
pub fn receive(comm: &Comm, buffer: Buffer, from: i32, tag: i32) -> Result<Counted<Operation>> {
    comm.check_revoked()?;
    let envelope = envelope(comm, from, tag)?;
    let context = context(comm.context);
    Ok(match usize::try_from(from) {
        Ok(rank) => {
            let partners = Partners::One(comm.peer(rank));
            let about = about(comm, from, tag, partners);
            transport::receive(context, envelope, buffer, about)
        }
        Err(_) => receive_from_no_rank(comm, envelope, buffer.anew()),
    })
}

/// From any rank, or from nobody.
#[inline(never)]
fn receive_from_no_rank(comm: &Comm, envelope: Envelope, buffer: Buffer) -> Counted<Operation> {
    let about = about_receive(comm, envelope.source, envelope.tag);
    if envelope.source == MPI_PROC_NULL {
        let operation = Operation::new(about);
        operation.complete(NOBODY, None);
        return operation;
    }
    transport::receive(context(comm.context), envelope, buffer, about)
}

/// Receives from rank `from` (or any) with `tag` (or any), and blocks until the message is there: how that ended.
///
/// Errors: `MPI_ERR_RANK`, `MPI_ERR_TAG`.
#[inline(always)]
pub fn receive_and_wait(comm: &Comm, buffer: Buffer, from: i32, tag: i32) -> Result<Outcome> {
    comm.check_revoked()?;
    let envelope = envelope(comm, from, tag)?;
    let about = || about_receive(comm, from, tag);
    let received = match from {
        MPI_PROC_NULL => Err(receive_from_no_rank(comm, envelope, buffer.anew())),
        _ => transport::receive_at_once(context(comm.context), envelope, buffer, about),
    };
    Ok(match received {
        Ok(outcome) => outcome.on(comm.handle),
        Err(operation) => {
            wait_operation(&operation);
            operation.outcome()
        }
    })
}

/// The status of a receive from `MPI_PROC_NULL` (MPI 4.1 §3.10).
pub const NOBODY: MPI_Status = MPI_Status {
    MPI_SOURCE: MPI_PROC_NULL,
    ..MPI_Status::EMPTY
};

#[inline]
pub(super) fn about_receive(comm: &Comm, from: i32, tag: i32) -> About {
    let partners = match usize::try_from(from) {
        _ if from == MPI_PROC_NULL => Partners::One(comm.world_rank(comm.rank)),
        Ok(rank) => Partners::One(comm.peer(rank)),
        Err(_) => Partners::These(comm.peers().members.clone()),
    };
    about(comm, from, tag, partners)
}

#[inline(always)]
fn about(comm: &Comm, from: i32, tag: i32, partners: Partners) -> About {
    About {
        action: Action::Receive,
        context: context(comm.context),
        peer: from,
        tag,
        partners,
        comm: comm.handle,
    }
}

/// The rank in the job of rank `to` of the communicator; `None` for `MPI_PROC_NULL`.
#[inline]
fn destination(comm: &Comm, to: i32) -> Result<Option<u32>> {
    let size = comm.peers().size();
    match usize::try_from(to) {
        Ok(rank) if rank < size => Ok(Some(comm.peer(rank))),
        _ if to == MPI_PROC_NULL => Ok(None),
        _ => bail!(
            Rank,
            "dest is {to}, but the communicator has {size} processes to send to"
        ),
    }
}

/// The rank in the job of the one process that messages go to or come from; `None` for `MPI_PROC_NULL`.
pub(super) fn peer_of(comm: &Comm, rank: i32, tag: i32) -> Result<Option<u32>> {
    check_tag(tag)?;
    destination(comm, rank)
}

/// Checks the arguments of a send. Errors: `MPI_ERR_RANK`, `MPI_ERR_TAG`.
pub fn check_send(comm: &Comm, to: i32, tag: i32) -> Result<()> {
    destination(comm, to)?;
    check_tag(tag)
}

/// What a receive or a probe asks for, checked.
#[inline]
pub fn envelope(comm: &Comm, from: i32, tag: i32) -> Result<Envelope> {
    let size = comm.peers().size();
    let known = usize::try_from(from).is_ok_and(|rank| rank < size);
    if !known && from != MPI_ANY_SOURCE && from != MPI_PROC_NULL {
        bail!(
            Rank,
            "source is {from}, but the communicator has {size} processes to receive from"
        );
    }
    if tag != MPI_ANY_TAG {
        check_tag(tag)?;
    }
    Ok(Envelope { source: from, tag })
}
