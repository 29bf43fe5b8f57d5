//! Collective operations that reduce, blocking (MPI 4.1 §6.9-§6.11).

use crate::abi::coll_arguments::{self as plan, Reduction};
use crate::abi::types::*;
use crate::coll::{run, small_allreduce};
use crate::{comm, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Reduces everybody's elements into the root's. Blocks until this process's part is done.
///
/// MPI 4.1 §6.9.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_ROOT`, `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::reduce(
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        root,
        comm,
        "MPI_Reduce",
    )?;
    run(plan)
}

/// `MPI_Reduce` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::reduce(
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        root,
        comm,
        "MPI_Reduce_c",
    )?;
    run(plan)
}

/// Reduces everybody's elements; everybody gets the result. Blocks until this process's part is done.
///
/// MPI 4.1 §6.9.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    let group = comm::get(comm)?;
    let (function, mine, out) = plan::operands(group, sendbuf, recvbuf, count, datatype, op)?;
    if small_allreduce(group, function, &mine, &out)? {
        return Ok(());
    }
    run(plan::reduction(
        Reduction::Allreduce,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Allreduce",
    )?)
}

/// `MPI_Allreduce` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allreduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    let group = comm::get(comm)?;
    let (function, mine, out) = plan::operands(group, sendbuf, recvbuf, count, datatype, op)?;
    if small_allreduce(group, function, &mine, &out)? {
        return Ok(());
    }
    run(plan::reduction(
        Reduction::Allreduce,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Allreduce_c",
    )?)
}

/// Reduces everybody's elements; each process gets a block of the result. Blocks until this process's part is
/// done.
///
/// MPI 4.1 §6.10.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::reduce_scatter_block(
        sendbuf,
        recvbuf,
        recvcount,
        datatype,
        op,
        comm,
        "MPI_Reduce_scatter_block",
    )?;
    run(plan)
}

/// `MPI_Reduce_scatter_block` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_scatter_block_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::reduce_scatter_block(
        sendbuf,
        recvbuf,
        recvcount,
        datatype,
        op,
        comm,
        "MPI_Reduce_scatter_block_c",
    )?;
    run(plan)
}

/// Reduces everybody's elements; each process gets a block of its own length of the result. Blocks until this
/// process's part is done.
///
/// MPI 4.1 §6.10.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::reduce_scatter(
            sendbuf,
            recvbuf,
            recvcounts,
            datatype,
            op,
            comm,
            "MPI_Reduce_scatter",
        )?
    };
    run(plan)
}

/// `MPI_Reduce_scatter` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_scatter_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::reduce_scatter(
            sendbuf,
            recvbuf,
            recvcounts,
            datatype,
            op,
            comm,
            "MPI_Reduce_scatter_c",
        )?
    };
    run(plan)
}

/// Reduces the elements of the processes up to and with this one. Blocks until this process's part is done.
///
/// MPI 4.1 §6.11.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::reduction(
        Reduction::Scan,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Scan",
    )?;
    run(plan)
}

/// `MPI_Scan` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::reduction(
        Reduction::Scan,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Scan_c",
    )?;
    run(plan)
}

/// Reduces the elements of the processes before this one. Blocks until this process's part is done.
///
/// MPI 4.1 §6.11.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Exscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::reduction(
        Reduction::Exscan,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Exscan",
    )?;
    run(plan)
}

/// `MPI_Exscan` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Exscan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::reduction(
        Reduction::Exscan,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Exscan_c",
    )?;
    run(plan)
}
