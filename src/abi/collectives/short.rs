//! The [short way](crate::coll::short) of blocking collective operations, offered before arguments become vectors: it is gone where all are in order
//! at a glance. Whatever else there is, errors included, is found on the longer way.
//!
//! Functions give what came of the call, or `None`: then nothing was done. Where everything is empty nothing is to be done, and nobody waits.

use super::arguments::{in_place, nothing, nothing_rooted};
use crate::abi::boundary::pointers::In;
use crate::coll::short::{Folding, MOST, Run, Short};
use crate::comm;
use crate::datatype::{can_be_memory, find_committed};
use crate::error::Result;
use crate::mpi::types::*;
use crate::op;
use std::ffi::{c_int, c_void};

/// So many elements of the program's.
type Elements<'a> = (In<'a, c_void>, i64, MPI_Datatype);

/// The run that `times` as many elements are, if that is short, and not nothing.
#[inline]
fn run((address, n, datatype): Elements<'_>, times: usize) -> Option<Run> {
    let datatype = find_committed(datatype).filter(|datatype| datatype.is_dense())?;
    let n = usize::try_from(n).ok()?;
    let len = datatype.size().checked_mul(n)?.checked_mul(times)?;
    let address = address.pointer().expose_provenance();
    let is_short = (1..=MOST).contains(&len);
    (is_short && can_be_memory(address, address.saturating_add(len)))
        .then_some(Run { address, len })
}

/// The communicator for a call of `name`, this process's rank in it, and its number of processes.
#[inline]
fn group(comm: MPI_Comm, name: &'static str) -> Option<(Short, usize, usize)> {
    let comm = comm::find(comm)?;
    Some((Short::new(comm, name)?, comm.rank, comm.size()))
}

/// Whether they have no byte in common.
#[inline]
fn are_apart(a: Run, b: Run) -> bool {
    a.address + a.len <= b.address || b.address + b.len <= a.address
}

/// A rank of `size`.
#[inline]
fn rank(root: c_int, size: usize) -> Option<usize> {
    usize::try_from(root).ok().filter(|&root| root < size)
}

#[inline(never)]
pub fn broadcast(
    name: &'static str,
    comm: MPI_Comm,
    root: c_int,
    what: Elements<'_>,
) -> Option<Result<()>> {
    if what.1 == 0 {
        return nothing(comm, [what])
            .and_then(|comm| rank(root, comm.size()))
            .map(|_| Ok(()));
    }
    let (group, _, size) = group(comm, name)?;
    group
        .broadcast(run(what, 1)?, rank(root, size)?)
        .transpose()
}

#[inline(never)]
pub fn gather(
    name: &'static str,
    comm: MPI_Comm,
    root: c_int,
    own: Elements<'_>,
    of_all: Elements<'_>,
) -> Option<Result<()>> {
    rooted(name, comm, root, own, of_all, |group, own, all, root| {
        group.gather(own, all, root)
    })
}

#[inline(never)]
pub fn scatter(
    name: &'static str,
    comm: MPI_Comm,
    root: c_int,
    of_all: Elements<'_>,
    own: Elements<'_>,
) -> Option<Result<()>> {
    rooted(name, comm, root, own, of_all, |group, own, all, root| {
        group.scatter(all, own, root)
    })
}

/// Does `work` with what each process has, and the blocks that the root alone has, between which it moves.
#[inline(always)]
fn rooted(
    name: &'static str,
    comm: MPI_Comm,
    root: c_int,
    own: Elements<'_>,
    of_all: Elements<'_>,
    work: impl FnOnce(&Short, Run, Run, usize) -> Result<Option<()>>,
) -> Option<Result<()>> {
    if own.1 == 0 {
        return nothing_rooted(comm, root, own, of_all).then_some(Ok(()));
    }
    let (group, me, size) = group(comm, name)?;
    let (root, own) = (rank(root, size)?, run(own, 1)?);
    // Of the others nobody looks at them.
    let all = match root == me {
        true => blocks(own, of_all, size)?,
        false => own,
    };
    work(&group, own, all, root).transpose()
}

/// A block for each process, all as long as `own`, and apart from it.
#[inline]
fn blocks(own: Run, of_all: Elements<'_>, size: usize) -> Option<Run> {
    let all = run(of_all, size)?;
    (all.len == own.len * size && are_apart(own, all)).then_some(all)
}

#[inline(never)]
pub fn allgather(
    name: &'static str,
    comm: MPI_Comm,
    own: Elements<'_>,
    of_all: Elements<'_>,
) -> Option<Result<()>> {
    if own.1 == 0 {
        return nothing(comm, [own, of_all]).map(|_| Ok(()));
    }
    let (group, _, size) = group(comm, name)?;
    let mine = run(own, 1)?;
    let blocks = blocks(mine, of_all, size)?;
    group.allgather(mine, blocks).transpose()
}

#[inline(never)]
pub fn alltoall(
    name: &'static str,
    comm: MPI_Comm,
    send: Elements<'_>,
    receive: Elements<'_>,
) -> Option<Result<()>> {
    if send.1 == 0 {
        return nothing(comm, [send, receive]).map(|_| Ok(()));
    }
    let (group, _, size) = group(comm, name)?;
    let (send, receive) = (run(send, size)?, run(receive, size)?);
    if send.len != receive.len || !are_apart(send, receive) {
        return None;
    }
    group.alltoall(send, receive, send.len / size).transpose()
}

/// The operation, if that is a predefined one on elements without gaps.
#[inline]
fn folding(op: MPI_Op, datatype: MPI_Datatype) -> Option<Folding> {
    let (op, kernel, size) = op::quick_kernel(op, datatype)?;
    Some(Folding {
        op,
        datatype,
        kernel,
        size,
    })
}

/// Where operands are, `times` as many as there is room for in `out`, or those that are there; and that.
#[inline]
fn operands(send: In<c_void>, out: Elements<'_>, times: usize) -> Option<(Run, Run)> {
    let (_, n, datatype) = out;
    let out = run(out, 1)?;
    if in_place(send) {
        return (times == 1).then_some((out, out));
    }
    let mine = run((send, n, datatype), times)?;
    are_apart(mine, out).then_some((mine, out))
}

#[inline(never)]
pub fn reduce(
    name: &'static str,
    comm: MPI_Comm,
    root: c_int,
    send: In<c_void>,
    out: Elements<'_>,
    op: MPI_Op,
) -> Option<Result<()>> {
    let (_, n, datatype) = out;
    if n == 0 {
        let is_nothing = nothing_rooted(comm, root, (send, n, datatype), out);
        return (is_nothing && op::is_plain(op, datatype)).then_some(Ok(()));
    }
    let (group, me, size) = group(comm, name)?;
    let folding = folding(op, datatype)?;
    let (mine, out) = match rank(root, size)? == me {
        true => operands(send, out, 1).map(|(mine, out)| (mine, Some(out)))?,
        false => (run((send, n, datatype), 1)?, None),
    };
    group.reduce(&folding, mine, out).transpose()
}

#[inline(never)]
pub fn allreduce(
    name: &'static str,
    comm: MPI_Comm,
    send: In<c_void>,
    out: Elements<'_>,
    op: MPI_Op,
) -> Option<Result<()>> {
    if out.1 == 0 {
        return nothing_folded(comm, send, out, op);
    }
    let (group, ..) = group(comm, name)?;
    let folding = folding(op, out.2)?;
    let (mine, out) = operands(send, out, 1)?;
    group.allreduce(&folding, mine, out).transpose()
}

#[inline(never)]
pub fn reduce_scatter_block(
    name: &'static str,
    comm: MPI_Comm,
    send: In<c_void>,
    out: Elements<'_>,
    op: MPI_Op,
) -> Option<Result<()>> {
    if out.1 == 0 {
        return nothing_folded(comm, send, out, op);
    }
    let (group, _, size) = group(comm, name)?;
    let folding = folding(op, out.2)?;
    let (mine, out) = operands(send, out, size)?;
    group.reduce_scatter(&folding, mine, out).transpose()
}

#[inline]
fn nothing_folded(
    comm: MPI_Comm,
    send: In<c_void>,
    out: Elements<'_>,
    op: MPI_Op,
) -> Option<Result<()>> {
    let is_nothing = nothing(comm, [(send, 0, out.2), out]).is_some();
    (is_nothing && op::is_plain(op, out.2)).then_some(Ok(()))
}
