//! The arguments of collective operations become plans: checked, and `MPI_IN_PLACE` understood.
//!
//! The functions here are unsafe for one reason: arrays have an element for each process of the communicator, and what
//! buffers point to is the program's to give away until the operation is complete.

use crate::abi::arguments::{count, slice};
use crate::abi::constants::*;
use crate::abi::counts::Number;
use crate::abi::types::*;
use crate::coll::{Element, Plan, Planner, Vector};
use crate::comm::{self, Comm};
use crate::error::Result;
use crate::op::{self, Op};
use crate::{bail, err};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

type Planned = Result<Arc<Plan>>;

fn in_place(address: *const c_void) -> bool {
    address == MPI_IN_PLACE.cast_const()
}

fn vector(
    address: *const c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Vector> {
    let vector = Vector {
        address: address.expose_provenance(),
        count: count(n.wide(), "count")?,
        element: Element::new(datatype)?,
    };
    vector.checked(name)
}

/// The memory of a buffer, unless it is in place.
fn vector_or_in_place(
    address: *const c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Option<Vector>> {
    match in_place(address) {
        true => Ok(None),
        false => vector(address, n, datatype, name).map(Some),
    }
}

/// A block of `n` elements for each process, one after the other.
fn blocks(
    comm: &Comm,
    address: *const c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Vec<Vector>> {
    let n = count(n.wide(), "count")?;
    let all = n.checked_mul(comm.size()).ok_or_else(|| {
        err!(
            Count,
            "count is {n}, too many for {} processes",
            comm.size()
        )
    })?;
    let all = Vector {
        address: address.expose_provenance(),
        count: all,
        element: Element::new(datatype)?,
    };
    let all = all.checked(name)?;
    Ok((0..comm.size()).map(|i| all.part(i * n, n)).collect())
}

/// Blocks with a count and a displacement (in elements) each.
unsafe fn blocks_v<N: Number, D: Number>(
    comm: &Comm,
    address: *const c_void,
    counts: *const N,
    displs: *const D,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Vec<Vector>> {
    let element = Element::new(datatype)?;
    let extent = element.datatype.extent() as i64;
    // SAFETY: the arrays have an element for each process.
    let (counts, displs) = unsafe {
        (
            slice(counts, comm.size(), "counts")?,
            slice(displs, comm.size(), "displs")?,
        )
    };
    let block = |(&n, &displacement): (&N, &D)| {
        let skip = displacement.wide().wrapping_mul(extent) as isize;
        let vector = Vector {
            address: address.expose_provenance().wrapping_add_signed(skip),
            count: count(n.wide(), "counts[i]")?,
            element: element.clone(),
        };
        vector.checked(name)
    };
    counts.iter().zip(displs).map(block).collect()
}

/// Blocks with a count, a displacement (in bytes) and a datatype each.
unsafe fn blocks_w<N: Number, D: Number>(
    comm: &Comm,
    address: *const c_void,
    counts: *const N,
    displs: *const D,
    types: *const MPI_Datatype,
    name: &str,
) -> Result<Vec<Vector>> {
    // SAFETY: the arrays have an element for each process.
    let (counts, displs, types) = unsafe {
        (
            slice(counts, comm.size(), "counts")?,
            slice(displs, comm.size(), "displs")?,
            slice(types, comm.size(), "types")?,
        )
    };
    let block = |i: usize| {
        let skip = displs[i].wide() as isize;
        let vector = Vector {
            address: address.expose_provenance().wrapping_add_signed(skip),
            count: count(counts[i].wide(), "counts[i]")?,
            element: Element::new(types[i])?,
        };
        vector.checked(name)
    };
    (0..comm.size()).map(block).collect()
}

fn checked_root(comm: &Comm, root: c_int) -> Result<usize> {
    match usize::try_from(root) {
        Ok(rank) if rank < comm.size() => Ok(rank),
        _ => bail!(
            Root,
            "root is {root}, but the communicator has {} processes",
            comm.size()
        ),
    }
}

/// Refuses `MPI_IN_PLACE` where it has no meaning.
fn not_in_place(address: *const c_void, name: &str) -> Result<()> {
    if in_place(address) {
        bail!(Buffer, "{name} is MPI_IN_PLACE, which has no meaning here");
    }
    Ok(())
}

pub fn barrier(comm: MPI_Comm, name: &'static str) -> Planned {
    let mut planner = Planner::new(comm, name)?;
    planner.barrier();
    Ok(planner.finish())
}

pub fn bcast(
    buffer: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let group = comm::get(comm)?;
    let root = checked_root(group, root)?;
    not_in_place(buffer, "buffer")?;
    let what = vector(buffer, n, datatype, "buffer")?;
    let mut planner = Planner::new(comm, name)?;
    planner.broadcast(&what, root)?;
    Ok(planner.finish())
}

fn plan_gather(
    sendbuf: *const c_void,
    sendcount: impl Number,
    sendtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
    blocks: impl FnOnce(&Comm) -> Result<Vec<Vector>>,
) -> Planned {
    let group = comm::get(comm)?;
    let root = checked_root(group, root)?;
    let at_root = group.rank == root;
    if !at_root {
        not_in_place(sendbuf, "sendbuf")?;
    }
    let mine = vector_or_in_place(sendbuf, sendcount, sendtype, "sendbuf")?;
    let blocks = if at_root { blocks(group)? } else { Vec::new() };
    let mut planner = Planner::new(comm, name)?;
    planner.gather(mine.as_ref(), &blocks, root)?;
    Ok(planner.finish())
}

pub fn gather<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    plan_gather(sendbuf, sendcount, sendtype, root, comm, name, |group| {
        not_in_place(recvbuf, "recvbuf")?;
        blocks(group, recvbuf, recvcount, recvtype, "recvbuf")
    })
}

pub unsafe fn gatherv<N: Number, D: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const N,
    displs: *const D,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    plan_gather(sendbuf, sendcount, sendtype, root, comm, name, |group| {
        not_in_place(recvbuf, "recvbuf")?;
        // SAFETY: the caller's contract.
        unsafe { blocks_v(group, recvbuf, recvcounts, displs, recvtype, "recvbuf") }
    })
}

fn plan_scatter(
    recvbuf: *mut c_void,
    recvcount: impl Number,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
    blocks: impl FnOnce(&Comm) -> Result<Vec<Vector>>,
) -> Planned {
    let group = comm::get(comm)?;
    let root = checked_root(group, root)?;
    let at_root = group.rank == root;
    if !at_root {
        not_in_place(recvbuf, "recvbuf")?;
    }
    let mine = vector_or_in_place(recvbuf, recvcount, recvtype, "recvbuf")?;
    let blocks = if at_root { blocks(group)? } else { Vec::new() };
    let mut planner = Planner::new(comm, name)?;
    planner.scatter(&blocks, mine.as_ref(), root)?;
    Ok(planner.finish())
}

pub fn scatter<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    plan_scatter(recvbuf, recvcount, recvtype, root, comm, name, |group| {
        not_in_place(sendbuf, "sendbuf")?;
        blocks(group, sendbuf, sendcount, sendtype, "sendbuf")
    })
}

pub unsafe fn scatterv<N: Number, D: Number>(
    sendbuf: *const c_void,
    sendcounts: *const N,
    displs: *const D,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    plan_scatter(recvbuf, recvcount, recvtype, root, comm, name, |group| {
        not_in_place(sendbuf, "sendbuf")?;
        // SAFETY: the caller's contract.
        unsafe { blocks_v(group, sendbuf, sendcounts, displs, sendtype, "sendbuf") }
    })
}

pub fn allgather<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    not_in_place(recvbuf, "recvbuf")?;
    let mine = vector_or_in_place(sendbuf, sendcount, sendtype, "sendbuf")?;
    let blocks = blocks(comm::get(comm)?, recvbuf, recvcount, recvtype, "recvbuf")?;
    let mut planner = Planner::new(comm, name)?;
    planner.allgather(mine.as_ref(), &blocks)?;
    Ok(planner.finish())
}

pub unsafe fn allgatherv<N: Number, D: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const N,
    displs: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    not_in_place(recvbuf, "recvbuf")?;
    let group = comm::get(comm)?;
    let mine = vector_or_in_place(sendbuf, sendcount, sendtype, "sendbuf")?;
    // SAFETY: the caller's contract.
    let blocks = unsafe { blocks_v(group, recvbuf, recvcounts, displs, recvtype, "recvbuf")? };
    let mut planner = Planner::new(comm, name)?;
    planner.allgather(mine.as_ref(), &blocks)?;
    Ok(planner.finish())
}

fn plan_alltoall(
    send: Option<Vec<Vector>>,
    receive: Vec<Vector>,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let mut planner = Planner::new(comm, name)?;
    planner.alltoall(send.as_deref(), &receive)?;
    Ok(planner.finish())
}

pub fn alltoall<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    not_in_place(recvbuf, "recvbuf")?;
    let group = comm::get(comm)?;
    let send = match in_place(sendbuf) {
        true => None,
        false => Some(blocks(group, sendbuf, sendcount, sendtype, "sendbuf")?),
    };
    let receive = blocks(group, recvbuf, recvcount, recvtype, "recvbuf")?;
    plan_alltoall(send, receive, comm, name)
}

pub unsafe fn alltoallv<N: Number, D: Number>(
    sendbuf: *const c_void,
    sendcounts: *const N,
    sdispls: *const D,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const N,
    rdispls: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    not_in_place(recvbuf, "recvbuf")?;
    let group = comm::get(comm)?;
    let send = if in_place(sendbuf) {
        None
    } else {
        // SAFETY: the caller's contract.
        let blocks = unsafe { blocks_v(group, sendbuf, sendcounts, sdispls, sendtype, "sendbuf")? };
        Some(blocks)
    };
    // SAFETY: the caller's contract.
    let receive = unsafe { blocks_v(group, recvbuf, recvcounts, rdispls, recvtype, "recvbuf")? };
    plan_alltoall(send, receive, comm, name)
}

pub unsafe fn alltoallw<N: Number, D: Number>(
    sendbuf: *const c_void,
    sendcounts: *const N,
    sdispls: *const D,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const N,
    rdispls: *const D,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    not_in_place(recvbuf, "recvbuf")?;
    let group = comm::get(comm)?;
    let send = if in_place(sendbuf) {
        None
    } else {
        // SAFETY: the caller's contract.
        let blocks =
            unsafe { blocks_w(group, sendbuf, sendcounts, sdispls, sendtypes, "sendbuf")? };
        Some(blocks)
    };
    // SAFETY: the caller's contract.
    let receive = unsafe { blocks_w(group, recvbuf, recvcounts, rdispls, recvtypes, "recvbuf")? };
    plan_alltoall(send, receive, comm, name)
}

/// The operation, if it can reduce elements of this datatype.
fn checked_op(op: MPI_Op, datatype: MPI_Datatype) -> Result<Op> {
    let op = op::get(op)?;
    op.check_reduction(crate::datatype::get_committed(datatype)?)?;
    Ok(*op)
}

/// The operands of a reduction: what goes in and where the result goes, the same if in place.
pub fn operands(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<(Op, Vector, Vector)> {
    not_in_place(recvbuf, "recvbuf")?;
    let op = checked_op(op, datatype)?;
    let out = vector(recvbuf, n, datatype, "recvbuf")?;
    let mine = vector_or_in_place(sendbuf, n, datatype, "sendbuf")?;
    if mine.as_ref().is_some_and(|m| m.address == out.address) && out.bytes() > 0 {
        bail!(
            Buffer,
            "sendbuf and recvbuf are the same, {recvbuf:p}: MPI_IN_PLACE is how to ask for that"
        );
    }
    Ok((op, mine.unwrap_or_else(|| out.clone()), out))
}

pub fn reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let group = comm::get(comm)?;
    let root = checked_root(group, root)?;
    let (op, mine, out) = if group.rank == root {
        let (op, mine, out) = operands(sendbuf, recvbuf, n, datatype, op)?;
        (op, mine, Some(out))
    } else {
        not_in_place(sendbuf, "sendbuf")?;
        let op = checked_op(op, datatype)?;
        (op, vector(sendbuf, n, datatype, "sendbuf")?, None)
    };
    let mut planner = Planner::new(comm, name)?;
    planner.reduce_to(op, &mine, out.as_ref(), root)?;
    Ok(planner.finish())
}

/// The three that have the same arguments.
#[derive(Clone, Copy)]
pub enum Reduction {
    Allreduce,
    Scan,
    Exscan,
}

pub fn reduction(
    kind: Reduction,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    comm::get(comm)?;
    let (op, mine, out) = operands(sendbuf, recvbuf, n, datatype, op)?;
    let mut planner = Planner::new(comm, name)?;
    match kind {
        Reduction::Allreduce => planner.allreduce(op, &mine, &out)?,
        Reduction::Scan => planner.scan(op, &mine, &out)?,
        Reduction::Exscan => planner.exscan(op, &mine, &out)?,
    }
    Ok(planner.finish())
}

fn plan_reduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    counts: &[usize],
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let group = comm::get(comm)?;
    not_in_place(recvbuf, "recvbuf")?;
    let op = checked_op(op, datatype)?;
    let total = counts
        .iter()
        .try_fold(0_i64, |all, &n| all.checked_add(n as i64))
        .ok_or_else(|| err!(Count, "the counts add up to more than fits in memory"))?;
    let (mine, out) = if in_place(sendbuf) {
        let all = vector(recvbuf, total, datatype, "recvbuf")?;
        (all.clone(), all.part(0, counts[group.rank]))
    } else {
        let own = counts[group.rank] as i64;
        let mine = vector(sendbuf, total, datatype, "sendbuf")?;
        (mine, vector(recvbuf, own, datatype, "recvbuf")?)
    };
    let mut planner = Planner::new(comm, name)?;
    planner.reduce_scatter(op, &mine, counts, &out)?;
    Ok(planner.finish())
}

pub unsafe fn reduce_scatter<N: Number>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const N,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let size = comm::get(comm)?.size();
    // SAFETY: the array has an element for each process.
    let counts = unsafe { slice(recvcounts, size, "recvcounts")? };
    let counts: Result<Vec<usize>> = counts
        .iter()
        .map(|n| count(n.wide(), "recvcounts[i]"))
        .collect();
    plan_reduce_scatter(sendbuf, recvbuf, &counts?, datatype, op, comm, name)
}

pub fn reduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let counts = vec![count(recvcount.wide(), "recvcount")?; comm::get(comm)?.size()];
    plan_reduce_scatter(sendbuf, recvbuf, &counts, datatype, op, comm, name)
}
