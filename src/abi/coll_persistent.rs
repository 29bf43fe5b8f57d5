//! Collective operations that move data, persistent (MPI 4.1 §6.13).

use crate::abi::arguments::out;
use crate::abi::coll_arguments as plan;
use crate::abi::types::*;
use crate::coll::start;
use crate::mpi_api;
use crate::p2p::request::persistent;
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Makes a persistent request of `MPI_Barrier`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Barrier_init(
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::barrier(comm, "MPI_Barrier_init")?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Gather`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Gather_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Gather_init",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Gather_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Gather_init_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Gather_init_c",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Gatherv`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Gatherv_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Gatherv_init",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Gatherv_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Gatherv_init_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Gatherv_init_c",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Scatter`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scatter_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Scatter_init",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Scatter_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scatter_init_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Scatter_init_c",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Scatterv`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scatterv_init(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    displs: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Scatterv_init",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Scatterv_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scatterv_init_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Scatterv_init_c",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Allgather`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_INFO`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allgather_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Allgather_init",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Allgather_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allgather_init_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Allgather_init_c",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Allgatherv`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_INFO`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allgatherv_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Allgatherv_init",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Allgatherv_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allgatherv_init_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Allgatherv_init_c",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Alltoall`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_INFO`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoall_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Alltoall_init",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Alltoall_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoall_init_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
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
        "MPI_Alltoall_init_c",
    )?;
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Alltoallv`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_INFO`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoallv_init(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Alltoallv_init",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Alltoallv_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoallv_init_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Alltoallv_init_c",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// Makes a persistent request of `MPI_Alltoallw`. Does not block.
///
/// MPI 4.1 §6.13. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_INFO`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoallw_init(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Alltoallw_init",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}

/// `MPI_Alltoallw_init` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoallw_init_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
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
            "MPI_Alltoallw_init_c",
        )?
    };
    let _ = info;
    request.set(persistent(move || start(plan.clone()))?);
    Ok(())
}
