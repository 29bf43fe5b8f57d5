//! Collective operations that move data, blocking (MPI 4.1 §6.3-§6.8).

use crate::abi::coll_arguments as plan;
use crate::abi::types::*;
use crate::coll::{barrier, run};
use crate::{comm, mpi_api, mpi_collective};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Waits until all processes of the communicator have come. Blocks until this process's part is done.
///
/// MPI 4.1 §6.3. Errors: `MPI_ERR_COMM`, `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Barrier(comm: MPI_Comm) -> c_int {
    barrier(comm::get(comm)?)
}

/// Gives what the root has in its buffer to everybody. Blocks until this process's part is done.
///
/// MPI 4.1 §6.4. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init)]
unsafe fn bcast(
    buffer: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Planned {
    plan::bcast(buffer, count, datatype, root, comm, FUNCTION)
}

/// Gathers a block from each process at the root. Blocks until this process's part is done.
///
/// MPI 4.1 §6.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Gather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::gather(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        root,
        comm,
        "MPI_Gather",
    )?;
    run(plan)
}

/// `MPI_Gather` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Gather_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::gather(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        root,
        comm,
        "MPI_Gather_c",
    )?;
    run(plan)
}

/// Gathers blocks of different lengths at the root; displacements in elements. Blocks until this process's part
/// is done.
///
/// MPI 4.1 §6.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Gatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
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
            "MPI_Gatherv",
        )?
    };
    run(plan)
}

/// `MPI_Gatherv` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Gatherv_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
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
            "MPI_Gatherv_c",
        )?
    };
    run(plan)
}

/// Gives each process a block of the root's. Blocks until this process's part is done.
///
/// MPI 4.1 §6.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scatter(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::scatter(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        root,
        comm,
        "MPI_Scatter",
    )?;
    run(plan)
}

/// `MPI_Scatter` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scatter_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::scatter(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        root,
        comm,
        "MPI_Scatter_c",
    )?;
    run(plan)
}

/// Gives each process a block of the root's, of different lengths; displacements in elements. Blocks until this
/// process's part is done.
///
/// MPI 4.1 §6.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scatterv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    displs: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
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
            "MPI_Scatterv",
        )?
    };
    run(plan)
}

/// `MPI_Scatterv` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Scatterv_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
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
            "MPI_Scatterv_c",
        )?
    };
    run(plan)
}

/// Gathers a block from each process at every process. Blocks until this process's part is done.
///
/// MPI 4.1 §6.7. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allgather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::allgather(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        comm,
        "MPI_Allgather",
    )?;
    run(plan)
}

/// `MPI_Allgather` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allgather_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::allgather(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        comm,
        "MPI_Allgather_c",
    )?;
    run(plan)
}

/// Gathers blocks of different lengths at every process; displacements in elements. Blocks until this process's
/// part is done.
///
/// MPI 4.1 §6.7. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allgatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
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
            "MPI_Allgatherv",
        )?
    };
    run(plan)
}

/// `MPI_Allgatherv` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Allgatherv_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
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
            "MPI_Allgatherv_c",
        )?
    };
    run(plan)
}

/// Each process sends a block to each. Blocks until this process's part is done.
///
/// MPI 4.1 §6.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoall(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::alltoall(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        comm,
        "MPI_Alltoall",
    )?;
    run(plan)
}

/// `MPI_Alltoall` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoall_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let plan = plan::alltoall(
        sendbuf,
        sendcount,
        sendtype,
        recvbuf,
        recvcount,
        recvtype,
        comm,
        "MPI_Alltoall_c",
    )?;
    run(plan)
}

/// Each process sends a block of its own length to each; displacements in elements. Blocks until this process's
/// part is done.
///
/// MPI 4.1 §6.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoallv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
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
            "MPI_Alltoallv",
        )?
    };
    run(plan)
}

/// `MPI_Alltoallv` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoallv_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
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
            "MPI_Alltoallv_c",
        )?
    };
    run(plan)
}

/// Each process sends a block of its own length and datatype to each; displacements in bytes. Blocks until this
/// process's part is done.
///
/// MPI 4.1 §6.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
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
            "MPI_Alltoallw",
        )?
    };
    run(plan)
}

/// `MPI_Alltoallw` with large counts.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Alltoallw_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
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
            "MPI_Alltoallw_c",
        )?
    };
    run(plan)
}
