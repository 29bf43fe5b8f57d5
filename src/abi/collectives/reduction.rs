//! Collective operations that reduce (MPI 4.1 §6.9-§6.13). Which form blocks, and what else there is of errors, is in
//! [`coll`](crate::abi::collectives::movement).

use crate::abi::collectives::arguments::{self as plan, Reduction};
use crate::coll::{run, shared_allreduce, shared_reduce};
use crate::mpi::types::*;
use crate::{comm, mpi_collective, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Reduces everybody's elements into the root's.
///
/// MPI 4.1 §6.9.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_ROOT`, `MPI_ERR_PROC_FAILED`.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    let group = comm::get(comm)?;
    let reduced = plan::reduce_operands(sendbuf, recvbuf, count, datatype, op, root, comm)?;
    if let Some((_, op, Some(mine), out)) = &reduced
        && shared_reduce(group, *op, mine, out.as_ref())?
    {
        return Ok(());
    }
    run(plan::plan_reduce(reduced, comm, FUNCTION)?)
}

/// The other forms of `MPI_Reduce`.
///
/// MPI 4.1 §6.12.8, §6.13.8. Errors: as `MPI_Reduce`.
#[apply(mpi_collective)]
#[names(MPI_Ireduce, MPI_Reduce_init)]
unsafe fn reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> Planned {
    plan::reduce(sendbuf, recvbuf, count, datatype, op, root, comm, FUNCTION)
}

/// Reduces everybody's elements; everybody gets the result.
///
/// MPI 4.1 §6.9.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Allreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    let group = comm::get(comm)?;
    let (function, mine, out) = plan::operands(group, sendbuf, recvbuf, count, datatype, op)?;
    if shared_allreduce(group, function, &mine, &out)? {
        return Ok(());
    }
    let all = Reduction::Allreduce;
    run(plan::reduction(
        all, sendbuf, recvbuf, count, datatype, op, comm, FUNCTION,
    )?)
}

/// The other forms of `MPI_Allreduce`.
///
/// MPI 4.1 §6.12.9, §6.13.9. Errors: as `MPI_Allreduce`.
#[apply(mpi_collective)]
#[names(MPI_Iallreduce, MPI_Allreduce_init)]
unsafe fn allreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Planned {
    plan::reduction(
        Reduction::Allreduce,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        FUNCTION,
    )
}

/// Reduces everybody's elements; each process gets a block of the result.
///
/// MPI 4.1 §6.10.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(
    MPI_Reduce_scatter_block,
    MPI_Ireduce_scatter_block,
    MPI_Reduce_scatter_block_init
)]
unsafe fn reduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Planned {
    plan::reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, FUNCTION)
}

/// Reduces everybody's elements; each process gets a block of its own length of the result.
///
/// MPI 4.1 §6.10.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init)]
unsafe fn reduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Planned {
    // SAFETY: the arrays have an element for each process.
    unsafe { plan::reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, FUNCTION) }
}

/// Reduces the elements of the processes up to and with this one.
///
/// MPI 4.1 §6.11.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Scan, MPI_Iscan, MPI_Scan_init)]
unsafe fn scan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Planned {
    plan::reduction(
        Reduction::Scan,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        FUNCTION,
    )
}

/// Reduces the elements of the processes before this one.
///
/// MPI 4.1 §6.11.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Exscan, MPI_Iexscan, MPI_Exscan_init)]
unsafe fn exscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Planned {
    plan::reduction(
        Reduction::Exscan,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        FUNCTION,
    )
}
