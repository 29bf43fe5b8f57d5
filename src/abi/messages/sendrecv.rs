//! A send and a receive in one call (MPI 4.1 §3.11).

use crate::abi::boundary::arguments::out;
use crate::abi::messages::completion::single;
use crate::abi::messages::p2p::buffer;
use crate::mpi::types::*;
use crate::p2p::completion::wait_operation;
use crate::p2p::joint::{self, Partner};
use crate::p2p::request::handle;
use crate::p2p::start::{self, Mode};
use crate::transport::Buffer;
use crate::{comm, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Sends one message and receives another; blocks until both are done.
///
/// MPI 4.1 §3.11. Errors: as `MPI_Send` and `MPI_Recv`.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Sendrecv(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    let comm = comm::get(comm)?;
    let out = buffer(sendbuf, sendcount, sendtype, "sendbuf")?;
    let into = buffer(recvbuf, recvcount, recvtype, "recvbuf")?;
    // SAFETY: `status` is the caller's.
    let status = unsafe { single(status)? };
    start::check_send(comm, dest, sendtag)?;
    let received = start::receive(comm, into, source, recvtag)?;
    let sent = start::send(comm, out, dest, sendtag, Mode::Standard)?;
    wait_operation(&received);
    let sent = sent.map_or(Ok(()), |sent| {
        wait_operation(&sent);
        sent.outcome().error.map_or(Ok(()), Err)
    });
    status.report(received.outcome()).and(sent)
}

/// Sends what is in the buffer and receives another message into it; blocks until both are done.
///
/// MPI 4.1 §3.11. Errors: as `MPI_Send` and `MPI_Recv`.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Sendrecv_replace(
    buf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    // SAFETY: `status` is the caller's.
    let status = unsafe { single(status)? };
    start::check_send(comm, dest, sendtag)?;
    // SAFETY: the buffer is the caller's.
    let copy = unsafe { buffer.packed() };
    let out = Buffer::bytes(copy.as_ptr(), copy.len());
    let received = start::receive(comm, buffer, source, recvtag)?;
    let sent = start::send(comm, out, dest, sendtag, Mode::Standard)?;
    wait_operation(&received);
    let sent = sent.map_or(Ok(()), |sent| {
        wait_operation(&sent);
        sent.outcome().error.map_or(Ok(()), Err)
    });
    status.report(received.outcome()).and(sent)
}

/// Starts to send one message and to receive another; the request is complete when both are done. Does not block.
///
/// MPI 4.1 §3.11. Errors: as `MPI_Isend` and `MPI_Irecv`.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Isendrecv(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    let comm = comm::get(comm)?;
    let what = buffer(sendbuf, sendcount, sendtype, "sendbuf")?;
    let into = buffer(recvbuf, recvcount, recvtype, "recvbuf")?;
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let to = Partner {
        rank: dest,
        tag: sendtag,
    };
    let from = Partner {
        rank: source,
        tag: recvtag,
    };
    let operation = joint::start(comm, (what, to), (into, from), FUNCTION)?;
    request.set(handle(Some(operation))?);
    Ok(())
}

/// Starts to send what is in the buffer and to receive another message into it. Does not block.
///
/// MPI 4.1 §3.11. Errors: as `MPI_Isend` and `MPI_Irecv`.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Isendrecv_replace(
    buf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    // SAFETY: what is not null is a place for a request.
    let request = unsafe { out(request, "request")? };
    let to = Partner {
        rank: dest,
        tag: sendtag,
    };
    let from = Partner {
        rank: source,
        tag: recvtag,
    };
    let operation = joint::start_replacing(comm, buffer, to, from, FUNCTION)?;
    request.set(handle(Some(operation))?);
    Ok(())
}
