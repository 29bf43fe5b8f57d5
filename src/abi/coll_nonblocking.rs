//! Collective operations that move data, nonblocking (MPI 4.1 §6.12).

use crate::abi::arguments::out;
use crate::abi::coll_arguments as plan;
use crate::abi::types::*;
use crate::coll::start;
use crate::mpi_api;
use crate::p2p::request::handle;
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Starts `MPI_Barrier`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ibarrier(comm: MPI_Comm, request: *mut MPI_Request) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::barrier(comm, "MPI_Ibarrier")?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Gather`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Igather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::gather(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        root,
        comm,
        "MPI_Igather",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Igather` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Igather_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::gather(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        root,
        comm,
        "MPI_Igather_c",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Gatherv`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Igatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::gatherv(
            sendbuf,
            sendcount,
            sendtype,
            recvbuf,
            recvcounts,
            displs,
            recvtype,
            root,
            comm,
            "MPI_Igatherv",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Igatherv` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Igatherv_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::gatherv(
            sendbuf,
            sendcount,
            sendtype,
            recvbuf,
            recvcounts,
            displs,
            recvtype,
            root,
            comm,
            "MPI_Igatherv_c",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Scatter`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iscatter(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::scatter(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        root,
        comm,
        "MPI_Iscatter",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Iscatter` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iscatter_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::scatter(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        root,
        comm,
        "MPI_Iscatter_c",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Scatterv`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iscatterv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    displs: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::scatterv(
            sendbuf,
            sendcounts,
            displs,
            sendtype,
            recvbuf,
            recvcount,
            recvtype,
            root,
            comm,
            "MPI_Iscatterv",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Iscatterv` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iscatterv_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::scatterv(
            sendbuf,
            sendcounts,
            displs,
            sendtype,
            recvbuf,
            recvcount,
            recvtype,
            root,
            comm,
            "MPI_Iscatterv_c",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Allgather`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG`
/// (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iallgather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::allgather(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        comm,
        "MPI_Iallgather",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Iallgather` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iallgather_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::allgather(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        comm,
        "MPI_Iallgather_c",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Allgatherv`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG`
/// (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iallgatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::allgatherv(
            sendbuf,
            sendcount,
            sendtype,
            recvbuf,
            recvcounts,
            displs,
            recvtype,
            comm,
            "MPI_Iallgatherv",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Iallgatherv` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Iallgatherv_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::allgatherv(
            sendbuf,
            sendcount,
            sendtype,
            recvbuf,
            recvcounts,
            displs,
            recvtype,
            comm,
            "MPI_Iallgatherv_c",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Alltoall`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG`
/// (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ialltoall(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::alltoall(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        comm,
        "MPI_Ialltoall",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Ialltoall` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ialltoall_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::alltoall(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        comm,
        "MPI_Ialltoall_c",
    )?;
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Alltoallv`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG`
/// (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ialltoallv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::alltoallv(
            sendbuf,
            sendcounts,
            sdispls,
            sendtype,
            recvbuf,
            recvcounts,
            rdispls,
            recvtype,
            comm,
            "MPI_Ialltoallv",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Ialltoallv` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ialltoallv_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::alltoallv(
            sendbuf,
            sendcounts,
            sdispls,
            sendtype,
            recvbuf,
            recvcounts,
            rdispls,
            recvtype,
            comm,
            "MPI_Ialltoallv_c",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// Starts `MPI_Alltoallw`. Does not block.
///
/// MPI 4.1 §6.12. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG`
/// (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ialltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::alltoallw(
            sendbuf,
            sendcounts,
            sdispls,
            sendtypes,
            recvbuf,
            recvcounts,
            rdispls,
            recvtypes,
            comm,
            "MPI_Ialltoallw",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}

/// `MPI_Ialltoallw` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ialltoallw_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    // SAFETY: the arrays have an element for each process.
    let plan = unsafe {
        plan::alltoallw(
            sendbuf,
            sendcounts,
            sdispls,
            sendtypes,
            recvbuf,
            recvcounts,
            rdispls,
            recvtypes,
            comm,
            "MPI_Ialltoallw_c",
        )?
    };
    request.set(handle(start(plan)?)?);
    Ok(())
}
