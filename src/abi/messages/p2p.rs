//! Sending and receiving (MPI 4.1 §3.2, §3.4, §3.6, §3.7).

use crate::abi::boundary::arguments::count;
use crate::abi::boundary::pointers::{In, Mut};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::types::*;
use crate::p2p::buffered;
use crate::p2p::completion::wait_operation;
use crate::p2p::request::handle;
use crate::p2p::start::{self, Mode};
use crate::transport::Buffer;
use crate::{comm, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// The memory of `n` elements of `datatype` at `address`, checked.
#[inline]
pub fn buffer<'a>(
    address: impl Into<In<'a, c_void>>,
    n: impl Into<i64>,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Buffer> {
    let (address, n) = (address.into().pointer().cast(), count(n, "count")?);
    // SAFETY: that a buffer is as long as its count and datatype say, and stays so until the operation is complete, is the
    // promise of the MPI function's caller.
    unsafe { Buffer::elements(address, n, datatype) }?.checked(name)
}

/// Sends and blocks until the buffer is free, or the receive was found.
#[inline]
fn send(comm: &Comm, buffer: Buffer, dest: c_int, tag: c_int, mode: Mode) -> Result<()> {
    let Some(operation) = start::send_and_wait(comm, buffer, dest, tag, mode)? else {
        return Ok(());
    };
    wait_operation(&operation);
    operation.outcome().error.map_or(Ok(()), Err)
}

/// Starts a send and gives its request.
fn isend(
    comm: &Comm,
    buffer: Buffer,
    dest: c_int,
    tag: c_int,
    mode: Mode,
    place: Mut<MPI_Request>,
) -> Result<()> {
    let place = place.out("request")?;
    place.set(handle(start::send(comm, buffer, dest, tag, mode)?)?);
    Ok(())
}

/// Sends a message; blocks until the buffer is free, for which a long message waits for its receive.
///
/// MPI 4.1 §3.2.1. `count` in elements of `datatype`. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_counts)]
pub extern "C" fn MPI_Send(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    send(comm, buffer, dest, tag, Mode::Standard)
}

/// Sends a message; blocks until its receive was found.
///
/// MPI 4.1 §3.4. `count` in elements of `datatype`. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_counts)]
pub extern "C" fn MPI_Ssend(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    send(comm, buffer, dest, tag, Mode::Synchronous)
}

/// Sends a message whose receive is posted already; blocks until the buffer is free.
///
/// MPI 4.1 §3.4. `count` in elements of `datatype`. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_counts)]
pub extern "C" fn MPI_Rsend(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    send(comm, buffer, dest, tag, Mode::Standard)
}

/// Sends a copy of a message, within the room of the attached buffer. Does not block.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG` (also if the attached buffer
/// is full).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Bsend(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    buffered::send(comm, buffer, dest, tag)
}

/// Starts a send. Does not block.
///
/// MPI 4.1 §3.7.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Isend(
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
    isend(comm, buffer, dest, tag, Mode::Standard, request)
}

/// Starts a synchronous send: it is complete when its receive was found. Does not block.
///
/// MPI 4.1 §3.7.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Issend(
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
    isend(comm, buffer, dest, tag, Mode::Synchronous, request)
}

/// Starts a send whose receive is posted already. Does not block.
///
/// MPI 4.1 §3.7.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Irsend(
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
    isend(comm, buffer, dest, tag, Mode::Standard, request)
}

/// Sends a copy of a message as `MPI_Bsend` does, and gives a request that is complete. Does not block.
///
/// MPI 4.1 §3.7.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Ibsend(
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
    buffered::send(comm, buffer, dest, tag)?;
    request.set(handle(None)?);
    Ok(())
}

/// Receives a message; blocks until it is there.
///
/// MPI 4.1 §3.2.4. `count` is the room in elements of `datatype`. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_TRUNCATE` (the message is longer; the rest of it is thrown away), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_counts)]
pub extern "C" fn MPI_Recv(
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: Mut<MPI_Status>,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    let status = status.single()?;
    status.report(start::receive_and_wait(comm, buffer, source, tag)?)
}

/// Starts a receive. Does not block.
///
/// MPI 4.1 §3.7.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Irecv(
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
    request.set(handle(Some(start::receive(comm, buffer, source, tag)?))?);
    Ok(())
}
