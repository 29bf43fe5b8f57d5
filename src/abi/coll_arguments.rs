//! The arguments of collective operations become plans: checked, and `MPI_IN_PLACE` understood.
//!
//! The functions here are unsafe for one reason: arrays have an element for each process of the communicator, and what
//! buffers point to is the program's to give away until the operation is complete.

use crate::abi::arguments::{count, slice};
use crate::abi::constants::*;
use crate::abi::counts::Number;
use crate::abi::types::*;
use crate::coll::{Element, Plan, Planner, Root, Vector};
use crate::comm::{self, Comm};
use crate::error::Result;
use crate::op::{self, Op};
use crate::{bail, err};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

pub type Planned = Result<Arc<Plan>>;

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

/// A block of `n` elements for each peer, one after the other.
fn blocks(
    comm: &Comm,
    address: *const c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Vec<Vector>> {
    let n = count(n.wide(), "count")?;
    let size = comm.peers().size();
    let all = n
        .checked_mul(size)
        .ok_or_else(|| err!(Count, "count is {n}, too many for {size} processes"))?;
    let all = Vector {
        address: address.expose_provenance(),
        count: all,
        element: Element::new(datatype)?,
    };
    let all = all.checked(name)?;
    Ok((0..size).map(|i| all.part(i * n, n)).collect())
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
    let size = comm.peers().size();
    // SAFETY: the arrays have an element for each peer.
    let (counts, displs) = unsafe {
        (
            slice(counts, size, "counts")?,
            slice(displs, size, "displs")?,
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
    let size = comm.peers().size();
    // SAFETY: the arrays have an element for each peer.
    let (counts, displs, types) = unsafe {
        (
            slice(counts, size, "counts")?,
            slice(displs, size, "displs")?,
            slice(types, size, "types")?,
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
    (0..size).map(block).collect()
}

fn checked_root(comm: &Comm, root: c_int) -> Result<Root> {
    let inter = comm.remote.is_some();
    let size = comm.peers().size();
    match (root, usize::try_from(root)) {
        (MPI_ROOT, _) if inter => Ok(Root::Here),
        (MPI_PROC_NULL, _) if inter => Ok(Root::Elsewhere),
        (_, Ok(rank)) if rank == comm.rank && !inter => Ok(Root::Here),
        (_, Ok(rank)) if rank < size => Ok(Root::There(rank)),
        _ if inter => bail!(
            Root,
            "root is {root}, but the other group has {size} processes"
        ),
        _ => bail!(
            Root,
            "root is {root}, but the communicator has {size} processes"
        ),
    }
}

/// The plan of a process that has nothing to do.
fn nothing(comm: MPI_Comm, name: &'static str) -> Planned {
    Ok(Planner::new(comm, name)?.finish())
}

/// Refuses `MPI_IN_PLACE` between two groups.
fn not_in_place_across(comm: &Comm, address: *const c_void, name: &str) -> Result<()> {
    match comm.remote {
        Some(_) => not_in_place(address, name),
        None => Ok(()),
    }
}

/// Refuses `MPI_IN_PLACE` where it has no meaning.
pub fn not_in_place(address: *const c_void, name: &str) -> Result<()> {
    if in_place(address) {
        bail!(Buffer, "{name} is MPI_IN_PLACE, which has no meaning here");
    }
    Ok(())
}

/// Refuses one memory for what goes out and what comes in: arguments must not be aliased (MPI 4.1 §2.3).
pub fn not_aliased<'a>(
    send: impl IntoIterator<Item = &'a Vector>,
    receive: impl IntoIterator<Item = &'a Vector>,
) -> Result<()> {
    for (send, receive) in send.into_iter().zip(receive) {
        if send.is_at(receive) && send.bytes() > 0 && receive.bytes() > 0 {
            bail!(
                Buffer,
                "sendbuf and recvbuf are the same memory, {:#x}: MPI_IN_PLACE is how to ask for that",
                receive.address
            );
        }
    }
    Ok(())
}

pub fn barrier(comm: MPI_Comm, name: &'static str) -> Planned {
    let mut planner = Planner::new(comm, name)?;
    planner.among_all();
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
    let root = checked_root(comm::get(comm)?, root)?;
    if root == Root::Elsewhere {
        return nothing(comm, name);
    }
    not_in_place(buffer, "buffer")?;
    let what = vector(buffer, n, datatype, "buffer")?;
    let mut planner = Planner::new(comm, name)?;
    if let Some(root) = planner.around(root) {
        planner.broadcast(&what, root)?;
    }
    Ok(planner.finish())
}

/// What a process itself gives to a gather, or gets of a scatter. The root of another group has no part, and only a root
/// has its part in place (`None`).
fn own_part(
    comm: &Comm,
    root: Root,
    address: *const c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Option<Vector>> {
    match root {
        Root::Here if comm.remote.is_some() => Ok(None),
        Root::Here => vector_or_in_place(address, n, datatype, name),
        _ => {
            not_in_place(address, name)?;
            vector(address, n, datatype, name).map(Some)
        }
    }
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
    if root == Root::Elsewhere {
        return nothing(comm, name);
    }
    let mine = own_part(group, root, sendbuf, sendcount, sendtype, "sendbuf")?;
    let blocks = match root {
        Root::Here => blocks(group)?,
        _ => Vec::new(),
    };
    not_aliased(&mine, blocks.get(group.rank))?;
    let mut planner = Planner::new(comm, name)?;
    if let Some(root) = planner.around(root) {
        planner.gather(mine.as_ref(), &blocks, root)?;
    }
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
    if root == Root::Elsewhere {
        return nothing(comm, name);
    }
    let mine = own_part(group, root, recvbuf, recvcount, recvtype, "recvbuf")?;
    let blocks = match root {
        Root::Here => blocks(group)?,
        _ => Vec::new(),
    };
    not_aliased(blocks.get(group.rank), &mine)?;
    let mut planner = Planner::new(comm, name)?;
    if let Some(root) = planner.around(root) {
        planner.scatter(&blocks, mine.as_ref(), root)?;
    }
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

pub fn plan_allgather(
    mine: Option<Vector>,
    blocks: Vec<Vector>,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let mut planner = Planner::new(comm, name)?;
    match &mine {
        Some(mine) if planner.is_inter() => planner.allgather_across(mine, &blocks)?,
        mine => planner.allgather(mine.as_ref(), &blocks)?,
    }
    Ok(planner.finish())
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
    let (mine, blocks) = allgather_blocks(
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
    )?;
    plan_allgather(mine, blocks, comm, name)
}

/// What a process gives to an allgather (`None`: its block in place), and where everybody's block goes.
pub fn allgather_blocks<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<(Option<Vector>, Vec<Vector>)> {
    not_in_place(recvbuf, "recvbuf")?;
    let group = comm::get(comm)?;
    not_in_place_across(group, sendbuf, "sendbuf")?;
    let mine = vector_or_in_place(sendbuf, sendcount, sendtype, "sendbuf")?;
    let blocks = blocks(group, recvbuf, recvcount, recvtype, "recvbuf")?;
    not_aliased(&mine, blocks.get(group.rank))?;
    Ok((mine, blocks))
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
    not_in_place_across(group, sendbuf, "sendbuf")?;
    let mine = vector_or_in_place(sendbuf, sendcount, sendtype, "sendbuf")?;
    // SAFETY: the caller's contract.
    let blocks = unsafe { blocks_v(group, recvbuf, recvcounts, displs, recvtype, "recvbuf")? };
    not_aliased(&mine, blocks.get(group.rank))?;
    plan_allgather(mine, blocks, comm, name)
}

pub fn plan_alltoall(
    send: Option<Vec<Vector>>,
    receive: Vec<Vector>,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let mut planner = Planner::new(comm, name)?;
    match &send {
        Some(send) if planner.is_inter() => planner.alltoall_across(send, &receive)?,
        send => planner.alltoall(send.as_deref(), &receive)?,
    }
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
    let (send, receive) = alltoall_blocks(
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
    )?;
    plan_alltoall(send, receive, comm, name)
}

/// The blocks for everybody (`None`: those that are where the others shall come), and where everybody's go.
pub fn alltoall_blocks<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<(Option<Vec<Vector>>, Vec<Vector>)> {
    not_in_place(recvbuf, "recvbuf")?;
    let group = comm::get(comm)?;
    not_in_place_across(group, sendbuf, "sendbuf")?;
    let send = match in_place(sendbuf) {
        true => None,
        false => Some(blocks(group, sendbuf, sendcount, sendtype, "sendbuf")?),
    };
    let receive = blocks(group, recvbuf, recvcount, recvtype, "recvbuf")?;
    not_aliased(send.iter().flatten(), &receive)?;
    Ok((send, receive))
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
    not_in_place_across(group, sendbuf, "sendbuf")?;
    let send = if in_place(sendbuf) {
        None
    } else {
        // SAFETY: the caller's contract.
        let blocks = unsafe { blocks_v(group, sendbuf, sendcounts, sdispls, sendtype, "sendbuf")? };
        Some(blocks)
    };
    // SAFETY: the caller's contract.
    let receive = unsafe { blocks_v(group, recvbuf, recvcounts, rdispls, recvtype, "recvbuf")? };
    not_aliased(send.iter().flatten(), &receive)?;
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
    not_in_place_across(group, sendbuf, "sendbuf")?;
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
    not_aliased(send.iter().flatten(), &receive)?;
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
    comm: &Comm,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<(Op, Vector, Vector)> {
    not_in_place(recvbuf, "recvbuf")?;
    not_in_place_across(comm, sendbuf, "sendbuf")?;
    let op = checked_op(op, datatype)?;
    let out = vector(recvbuf, n, datatype, "recvbuf")?;
    let mine = vector_or_in_place(sendbuf, n, datatype, "sendbuf")?;
    not_aliased(&mine, [&out])?;
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
    let (op, mine, out) = match root {
        Root::Elsewhere => return nothing(comm, name),
        Root::Here if group.remote.is_some() => {
            not_in_place(recvbuf, "recvbuf")?;
            let op = checked_op(op, datatype)?;
            (op, None, Some(vector(recvbuf, n, datatype, "recvbuf")?))
        }
        Root::Here => {
            let (op, mine, out) = operands(group, sendbuf, recvbuf, n, datatype, op)?;
            (op, Some(mine), Some(out))
        }
        Root::There(_) => {
            not_in_place(sendbuf, "sendbuf")?;
            let op = checked_op(op, datatype)?;
            (op, Some(vector(sendbuf, n, datatype, "sendbuf")?), None)
        }
    };
    let mut planner = Planner::new(comm, name)?;
    if planner.is_inter() {
        planner.reduce_across(op, mine.as_ref(), out.as_ref(), root)?;
    } else if let (Some(mine), Some(root)) = (&mine, planner.around(root)) {
        planner.reduce_to(op, mine, out.as_ref(), root)?;
    }
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
    let group = match kind {
        Reduction::Allreduce => comm::get(comm)?,
        Reduction::Scan | Reduction::Exscan => comm::get_intra(comm)?,
    };
    let (op, mine, out) = operands(group, sendbuf, recvbuf, n, datatype, op)?;
    let mut planner = Planner::new(comm, name)?;
    match kind {
        Reduction::Allreduce if planner.is_inter() => planner.allreduce_across(op, &mine, &out)?,
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
    not_in_place_across(group, sendbuf, "sendbuf")?;
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
        let out = vector(recvbuf, own, datatype, "recvbuf")?;
        not_aliased([&mine], [&out])?;
        (mine, out)
    };
    let mut planner = Planner::new(comm, name)?;
    match planner.is_inter() {
        true => planner.reduce_scatter_across(op, &mine, counts, &out)?,
        false => planner.reduce_scatter(op, &mine, counts, &out)?,
    }
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
