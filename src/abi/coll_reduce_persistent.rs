//! Collective operations that reduce, persistent (MPI 4.1 §6.13).

use crate::abi::arguments::out;
use crate::abi::coll_arguments::{self as plan, Reduction};
use crate::abi::types::*;
use crate::coll::start;
use crate::mpi_api;
use crate::p2p::request::persistent;
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Makes a persistent request of `MPI_Reduce`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_ROOT`, `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Reduce_init",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Reduce_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Reduce_init_c",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Allreduce`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allreduce_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Allreduce_init",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Allreduce_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allreduce_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Allreduce_init_c",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Reduce_scatter_block`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_scatter_block_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Reduce_scatter_block_init",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Reduce_scatter_block_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_scatter_block_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Reduce_scatter_block_init_c",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Reduce_scatter`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_scatter_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Reduce_scatter_init",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Reduce_scatter_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Reduce_scatter_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Reduce_scatter_init_c",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Scan`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scan_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Scan_init",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Scan_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scan_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Scan_init_c",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Exscan`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Exscan_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Exscan_init",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Exscan_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Exscan_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Exscan_init_c",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}
