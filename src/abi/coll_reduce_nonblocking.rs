//! Collective operations that reduce, nonblocking (MPI 4.1 §6.12).

use crate::abi::arguments::out;
use crate::abi::coll_arguments::{self as plan, Reduction};
use crate::abi::types::*;
use crate::coll::start;
use crate::mpi_api;
use crate::p2p::request::handle;
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Starts `MPI_Reduce`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_ROOT`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ireduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::reduce(
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        root,
        comm,
        "MPI_Ireduce",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Ireduce` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ireduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::reduce(
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        root,
        comm,
        "MPI_Ireduce_c",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Allreduce`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iallreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::reduction(
        Reduction::Allreduce,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Iallreduce",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Iallreduce` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iallreduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::reduction(
        Reduction::Allreduce,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Iallreduce_c",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Reduce_scatter_block`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ireduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::reduce_scatter_block(
        sendbuf,
        recvbuf,
        recvcount,
        datatype,
        op,
        comm,
        "MPI_Ireduce_scatter_block",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Ireduce_scatter_block` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ireduce_scatter_block_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::reduce_scatter_block(
        sendbuf,
        recvbuf,
        recvcount,
        datatype,
        op,
        comm,
        "MPI_Ireduce_scatter_block_c",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Reduce_scatter`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ireduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::reduce_scatter(
            sendbuf,
            recvbuf,
            recvcounts,
            datatype,
            op,
            comm,
            "MPI_Ireduce_scatter",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Ireduce_scatter` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ireduce_scatter_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::reduce_scatter(
            sendbuf,
            recvbuf,
            recvcounts,
            datatype,
            op,
            comm,
            "MPI_Ireduce_scatter_c",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Scan`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::reduction(
        Reduction::Scan,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Iscan",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Iscan` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iscan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::reduction(
        Reduction::Scan,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Iscan_c",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Exscan`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iexscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::reduction(
        Reduction::Exscan,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Iexscan",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Iexscan` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iexscan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::reduction(
        Reduction::Exscan,
        sendbuf,
        recvbuf,
        count,
        datatype,
        op,
        comm,
        "MPI_Iexscan_c",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}
