//! The [short way](crate::coll::short) of blocking collective operations, offered before arguments become vectors: it is gone where all are in order
//! at a glance. Whatever else there is, errors included, is found on the longer way.
//!
//! Functions give what came of the call, or `None`: then nothing was done. Where everything is empty nothing is to be done, and nobody waits.

use super::arguments::{all_zero, in_place, nothing, nothing_rooted, passed_rooted};
use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{self, Elements, In};
use crate::coll::short::{Blocks, Folding, MOST, Run, Short};
use crate::comm;
use crate::datatype::{can_be_memory, find_committed};
use crate::error::Result;
use crate::mpi::types::*;
use crate::op;
use std::ffi::{c_int, c_void};

/// The run that `times` as many elements are, if that is short, and not nothing.
#[inline]
fn run(elements: Elements<'_>, times: usize) -> Option<Run> {
    let (address, len) = pointers::run(elements, times, MOST)?;
    (len > 0).then_some(Run { address, len })
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

/// Of an operation with a root: the communicator, the root, what this process has, and the blocks, which the root alone has. `blocks` is given
/// that, the rank and how many there are.
#[inline(always)]
fn rooted(
    name: &'static str,
    comm: MPI_Comm,
    root: c_int,
    own: Elements<'_>,
    blocks: impl FnOnce(Run, usize, usize) -> Option<Blocks>,
) -> Option<(Short, usize, Run, Option<Blocks>)> {
    let (group, me, size) = group(comm, name)?;
    let (root, mine) = (rank(root, size)?, run(own, 1)?);
    let blocks = match root == me {
        true => Some(blocks(mine, me, size)?),
        false => None,
    };
    Some((group, root, mine, blocks))
}

#[inline(never)]
pub fn gather(
    name: &'static str,
    comm: MPI_Comm,
    root: c_int,
    own: Elements<'_>,
    of_all: Elements<'_>,
) -> Option<Result<()>> {
    if own.1 == 0 {
        return nothing_rooted(comm, root, own, of_all).then_some(Ok(()));
    }
    let (group, root, mine, blocks) = rooted(name, comm, root, own, |mine, _, size| {
        alike(mine, of_all, size)
    })?;
    group.gather(mine, blocks.as_ref(), root).transpose()
}

#[inline(never)]
pub fn scatter(
    name: &'static str,
    comm: MPI_Comm,
    root: c_int,
    of_all: Elements<'_>,
    own: Elements<'_>,
) -> Option<Result<()>> {
    if own.1 == 0 {
        return nothing_rooted(comm, root, own, of_all).then_some(Ok(()));
    }
    let (group, root, mine, blocks) = rooted(name, comm, root, own, |mine, _, size| {
        alike(mine, of_all, size)
    })?;
    group.scatter(blocks.as_ref(), mine, root).transpose()
}

/// A block for each process, as long as its own, and apart from it.
#[inline]
fn alike(own: Run, of_all: Elements<'_>, size: usize) -> Option<Blocks> {
    let all = run(of_all, size)?;
    if all.len != own.len * size || !are_apart(own, all) {
        return None;
    }
    Some(Blocks::alike(all, own.len, size))
}

/// A buffer of elements with a count and a displacement for each process.
pub type Listed<'a, N, D> = (In<'a, c_void>, In<'a, N>, In<'a, D>, MPI_Datatype);

/// Its blocks, if they are short all together, and what they lie in.
#[inline]
fn listed<N: Number, D: Number>(
    (address, counts, displs, datatype): Listed<'_, N, D>,
    size: usize,
) -> Option<(Blocks, Run)> {
    let datatype = find_committed(datatype).filter(|datatype| datatype.is_dense())?;
    let address = address.pointer().expose_provenance();
    let (counts, displs) = (counts.slice(size, "").ok()?, displs.slice(size, "").ok()?);
    let (mut blocks, mut given) = (Blocks::NONE, 0);
    let (mut begin, mut end) = (usize::MAX, 0);
    for (n, displacement) in counts.iter().zip(displs) {
        let len = usize::try_from(n.wide())
            .ok()?
            .checked_mul(datatype.size())?;
        let skip = (displacement.wide() as isize).checked_mul(datatype.size() as isize)?;
        let address = address.checked_add_signed(skip)?;
        given += len.min(MOST + 1);
        if len > 0 {
            begin = begin.min(address);
            end = end.max(address.checked_add(len)?);
        }
        blocks.push(Run { address, len })?;
    }
    let within = match given {
        0 => Run { address, len: 0 },
        _ => Run {
            address: begin,
            len: end - begin,
        },
    };
    let are_good = given == 0 || can_be_memory(begin, end);
    (given <= MOST && are_good).then_some((blocks, within))
}

/// The same, where that of `me` is as long as `own`, and all lie apart from that.
#[inline]
fn listed_beside<N: Number, D: Number>(
    all: Listed<'_, N, D>,
    own: Run,
    (me, size): (usize, usize),
) -> Option<Blocks> {
    let (blocks, within) = listed(all, size)?;
    (blocks.get()[me].len == own.len && are_apart(within, own)).then_some(blocks)
}

#[inline(never)]
pub fn gatherv<N: Number, D: Number>(
    name: &'static str,
    comm: MPI_Comm,
    root: c_int,
    own: Elements<'_>,
    of_all: Listed<'_, N, D>,
) -> Option<Result<()>> {
    if own.1 == 0 {
        return passed_rooted(comm, name, root, own, of_all).then_some(Ok(()));
    }
    let (group, root, mine, blocks) = rooted(name, comm, root, own, |mine, me, size| {
        listed_beside(of_all, mine, (me, size))
    })?;
    group.gather(mine, blocks.as_ref(), root).transpose()
}

#[inline(never)]
pub fn scatterv<N: Number, D: Number>(
    name: &'static str,
    comm: MPI_Comm,
    root: c_int,
    of_all: Listed<'_, N, D>,
    own: Elements<'_>,
) -> Option<Result<()>> {
    if own.1 == 0 {
        return passed_rooted(comm, name, root, own, of_all).then_some(Ok(()));
    }
    let (group, root, mine, blocks) = rooted(name, comm, root, own, |mine, me, size| {
        listed_beside(of_all, mine, (me, size))
    })?;
    group.scatter(blocks.as_ref(), mine, root).transpose()
}

#[inline(never)]
pub fn allgatherv<N: Number, D: Number>(
    name: &'static str,
    comm: MPI_Comm,
    own: Elements<'_>,
    of_all: Listed<'_, N, D>,
) -> Option<Result<()>> {
    if own.1 == 0 {
        let (address, counts, displs, datatype) = of_all;
        let group = nothing(comm, [own, (address, 0, datatype)])?;
        return all_zero(group, counts, displs).then_some(Ok(()));
    }
    let (group, me, size) = group(comm, name)?;
    let mine = run(own, 1)?;
    let blocks = listed_beside(of_all, mine, (me, size))?;
    group.allgather(mine, &blocks, false).transpose()
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
    group
        .allgather(mine, &alike(mine, of_all, size)?, true)
        .transpose()
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

#[inline(never)]
pub fn alltoallv<N: Number, D: Number>(
    name: &'static str,
    comm: MPI_Comm,
    send: Listed<'_, N, D>,
    receive: Listed<'_, N, D>,
) -> Option<Result<()>> {
    let (group, me, size) = group(comm, name)?;
    if in_place(send.0) {
        return None;
    }
    let ((send, from), (receive, into)) = (listed(send, size)?, listed(receive, size)?);
    if send.get()[me].len != receive.get()[me].len || !are_apart(from, into) {
        return None;
    }
    group.exchange(&send, &receive, false).transpose()
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
    let (group, me, size) = group(comm, name)?;
    let folding = folding(op, out.2)?;
    let counts = || vec![out.1 as usize; size];
    let (mine, out) = operands(send, out, size)?;
    let part = (me * out.len, out);
    group
        .reduce_scatter(&folding, mine, part, counts)
        .transpose()
}

#[inline(never)]
pub fn reduce_scatter<N: Number>(
    name: &'static str,
    comm: MPI_Comm,
    send: In<c_void>,
    (address, counts, datatype): (In<c_void>, In<N>, MPI_Datatype),
    op: MPI_Op,
) -> Option<Result<()>> {
    let (group, me, size) = group(comm, name)?;
    let folding = folding(op, datatype)?;
    let counts = counts.slice(size, "").ok()?;
    let (mut before, mut all) = (0, 0);
    for (rank, n) in counts.iter().enumerate() {
        let n = usize::try_from(n.wide()).ok().filter(|&n| n <= MOST)?;
        before += if rank < me { n } else { 0 };
        all += n;
    }
    let own = counts[me].wide();
    // What is in place lies elsewhere, and who gets nothing has no room.
    if in_place(send) || own == 0 {
        return None;
    }
    let (mine, out) = (
        run((send, all as i64, datatype), 1)?,
        run((address, own, datatype), 1)?,
    );
    if !are_apart(mine, out) {
        return None;
    }
    let part = (before * (mine.len / all), out);
    let counts = || counts.iter().map(|n| n.wide() as usize).collect();
    group
        .reduce_scatter(&folding, mine, part, counts)
        .transpose()
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
