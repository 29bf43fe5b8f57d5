//! The arguments of collective operations become plans: checked, and `MPI_IN_PLACE` understood.
//!
//! Here is what all share: the memory of buffers, the root, what is refused. Then [`rooted`] operations, those in which
//! [`everybody`] gets from everybody, and [`reduction`]s.
//!
//! The functions are unsafe for one reason: arrays have an element for each process of the communicator, and what
//! buffers point to is the program's to give away until the operation is complete.

mod everybody;
mod reduction;
mod rooted;

pub use everybody::{
    allgather, allgather_blocks, allgatherv, alltoall, alltoall_blocks, alltoallv, alltoallw,
    plan_allgather, plan_alltoall,
};
pub use reduction::{
    Reduction, operands, plan_reduce, reduce, reduce_operands, reduce_scatter,
    reduce_scatter_block, reduction,
};
pub use rooted::{bcast, gather, gatherv, scatter, scatterv};

use crate::abi::boundary::arguments::{count, slice};
use crate::abi::boundary::counts::Number;
use crate::coll::{Element, Plan, Planner, Root, Vector};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
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
