//! Collective operations that move data (MPI 4.1 §6.3-§6.8, §6.12, §6.13).
//!
//! The blocking forms block until this process's part is done, the others do not block. The persistent forms take an
//! info, and have `MPI_ERR_INFO`; those with a request have `MPI_ERR_ARG` where its place is null.

use crate::abi::boundary::arguments::out;
use crate::abi::collectives::arguments as plan;
use crate::mpi::types::*;
use crate::p2p::request;
use crate::{coll, comm, info, mpi_api, mpi_collective, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Waits until all processes of the communicator have come. Blocks until this process's part is done.
///
/// MPI 4.1 §6.3. Errors: `MPI_ERR_COMM`, `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Barrier(comm: MPI_Comm) -> c_int {
    coll::barrier(comm::get(comm)?)
}

/// Starts a barrier. Does not block.
///
/// MPI 4.1 §6.12.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Ibarrier(comm: MPI_Comm, request: *mut MPI_Request) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let plan = plan::barrier(comm, FUNCTION)?;
    request.set(request::collective_handle(coll::start(plan)?)?);
    Ok(())
}

/// Makes a persistent request of a barrier. Does not block.
///
/// MPI 4.1 §6.13.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Barrier_init(
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    info::hints(info)?;
    let plan = plan::barrier(comm, FUNCTION)?;
    request.set(request::persistent_collective(plan.comm(), move || {
        coll::start(plan.clone())
    })?);
    Ok(())
}

/// Gives what the root has in its buffer to everybody.
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

/// Gathers a block from each process at the root.
///
/// MPI 4.1 §6.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Gather, MPI_Igather, MPI_Gather_init)]
unsafe fn gather(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Planned {
    plan::gather(
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, FUNCTION,
    )
}

/// Gathers blocks of different lengths at the root; displacements in elements.
///
/// MPI 4.1 §6.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init)]
unsafe fn gatherv(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    displs: *const Displ,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Planned {
    // SAFETY: the arrays have an element for each process.
    unsafe {
        plan::gatherv(
            sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
            FUNCTION,
        )
    }
}

/// Gives each process a block of the root's.
///
/// MPI 4.1 §6.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init)]
unsafe fn scatter(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Planned {
    plan::scatter(
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, FUNCTION,
    )
}

/// Gives each process a block of the root's, of different lengths; displacements in elements.
///
/// MPI 4.1 §6.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init)]
unsafe fn scatterv(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    displs: *const Displ,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Planned {
    // SAFETY: the arrays have an element for each process.
    unsafe {
        plan::scatterv(
            sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
            FUNCTION,
        )
    }
}

/// Gathers a block from each process at every process.
///
/// MPI 4.1 §6.7. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Allgather(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let group = comm::get(comm)?;
    let (mine, blocks) = plan::allgather_blocks(
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
    )?;
    if coll::shared_allgather(group, mine.as_ref(), &blocks)? {
        return Ok(());
    }
    coll::run(plan::plan_allgather((mine, blocks), comm, FUNCTION)?)
}

/// The other forms of `MPI_Allgather`.
///
/// MPI 4.1 §6.12, §6.13. Errors: as `MPI_Allgather`.
#[apply(mpi_collective)]
#[names(MPI_Iallgather, MPI_Allgather_init)]
unsafe fn allgather(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Planned {
    plan::allgather(
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, FUNCTION,
    )
}

/// Gathers blocks of different lengths at every process; displacements in elements.
///
/// MPI 4.1 §6.7. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init)]
unsafe fn allgatherv(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    displs: *const Displ,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Planned {
    // SAFETY: the arrays have an element for each process.
    unsafe {
        plan::allgatherv(
            sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, FUNCTION,
        )
    }
}

/// Each process sends a block to each.
///
/// MPI 4.1 §6.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Alltoall(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let group = comm::get(comm)?;
    let (send, receive) = plan::alltoall_blocks(
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
    )?;
    if coll::shared_alltoall(group, send.as_deref(), &receive)? {
        return Ok(());
    }
    coll::run(plan::plan_alltoall((send, receive), comm, FUNCTION)?)
}

/// The other forms of `MPI_Alltoall`.
///
/// MPI 4.1 §6.12, §6.13. Errors: as `MPI_Alltoall`.
#[apply(mpi_collective)]
#[names(MPI_Ialltoall, MPI_Alltoall_init)]
unsafe fn alltoall(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Planned {
    plan::alltoall(
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, FUNCTION,
    )
}

/// Each process sends a block of its own length to each; displacements in elements.
///
/// MPI 4.1 §6.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init)]
unsafe fn alltoallv(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    sdispls: *const Displ,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    rdispls: *const Displ,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Planned {
    // SAFETY: the arrays have an element for each process.
    unsafe {
        plan::alltoallv(
            sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
            FUNCTION,
        )
    }
}

/// Each process sends a block of its own length and datatype to each; displacements in bytes.
///
/// MPI 4.1 §6.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_collective)]
#[names(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init)]
unsafe fn alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    sdispls: *const Displ,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    rdispls: *const Displ,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> Planned {
    // SAFETY: the arrays have an element for each process.
    unsafe {
        plan::alltoallw(
            sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
            FUNCTION,
        )
    }
}
