//! Persistent requests of sends and receives (MPI 4.1 §3.9).

use crate::abi::boundary::arguments::count as counted;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::messages::p2p::buffer;
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::types::*;
use crate::p2p::buffered;
use crate::p2p::request;
use crate::p2p::start::{self, Mode};
use crate::transport::Buffer;
use crate::{comm, mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Makes the request of a send that can be started.
fn send_init(
    comm: &Comm,
    buffer: Buffer,
    dest: c_int,
    tag: c_int,
    mode: Mode,
    place: Mut<MPI_Request>,
) -> Result<()> {
    let place = place.out("request")?;
    start::check_send(comm, dest, tag)?;
    let comm = comm.handle;
    let start = move || start::send(comm::get(comm)?, buffer.clone(), dest, tag, mode);
    place.set(request::persistent(comm, start)?);
    Ok(())
}

/// Makes a persistent request of a send. Does not block.
///
/// MPI 4.1 §3.9. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Send_init(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    send_init(comm, buffer, dest, tag, Mode::Standard, request)
}

/// Makes a persistent request of a synchronous send. Does not block.
///
/// MPI 4.1 §3.9. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Ssend_init(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    send_init(comm, buffer, dest, tag, Mode::Synchronous, request)
}

/// Makes a persistent request of a ready send. Does not block.
///
/// MPI 4.1 §3.9. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Rsend_init(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    send_init(comm, buffer, dest, tag, Mode::Standard, request)
}

/// Makes a persistent request of a buffered send. Does not block.
///
/// MPI 4.1 §3.9. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Bsend_init(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    let request = request.out("request")?;
    start::check_send(comm, dest, tag)?;
    let comm = comm.handle;
    let start = move || buffered::send(comm::get(comm)?, buffer.clone(), dest, tag).map(|()| None);
    request.set(crate::p2p::request::persistent(comm, start)?);
    Ok(())
}

/// Makes a persistent request of a receive. Does not block.
///
/// MPI 4.1 §3.9. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Recv_init(
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    let request = request.out("request")?;
    start::envelope(comm, source, tag)?;
    let comm = comm.handle;
    let start = move || start::receive(comm::get(comm)?, buffer.clone(), source, tag).map(Some);
    request.set(crate::p2p::request::persistent(comm, start)?);
    Ok(())
}

/// Starts a persistent request. Does not block.
///
/// MPI 4.1 §3.9. Errors: `MPI_ERR_REQUEST` (null, not persistent, active), `MPI_ERR_ARG` (null pointer), and those of
/// the operation.
#[apply(mpi_api)]
pub extern "C" fn MPI_Start(request: Mut<MPI_Request>) -> c_int {
    request::start(*request.inout("request")?)
}

/// Starts persistent requests, in the order of the array. Does not block.
///
/// MPI 4.1 §3.9. Errors: as `MPI_Start`, and `MPI_ERR_COUNT`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Startall(count: c_int, array_of_requests: Mut<MPI_Request>) -> c_int {
    let count = counted(count, "count")?;
    let requests = array_of_requests.slice(count, "array_of_requests")?;
    requests
        .iter()
        .try_for_each(|&request| request::start(request))
}
