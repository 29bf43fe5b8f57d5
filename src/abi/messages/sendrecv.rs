//! A send and a receive in one call (MPI 4.1 §3.11).

use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::messages::p2p::{buffer, uses};
use crate::abi::messages::short;
use crate::check::buffers::Access;
use crate::mpi::constants::MPI_PROC_NULL;
use crate::mpi::types::*;
use crate::p2p::joint::{self, Partner};
use crate::p2p::request::handle;
use crate::transport::Buffer;
use crate::{comm, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

fn partner(rank: c_int, tag: c_int) -> Partner {
    Partner { rank, tag }
}

/// Sends one message and receives another; blocks until both are done.
///
/// MPI 4.1 §3.11. Errors: as `MPI_Send` and `MPI_Recv`.
#[apply(mpi_counts)]
#[quick(@unobserved short::exchange(
    comm,
    ((sendbuf, sendcount.wide(), sendtype), dest, sendtag),
    ((recvbuf.into(), recvcount.wide(), recvtype), source, recvtag),
    status
))]
pub extern "C" fn MPI_Sendrecv(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: Mut<c_void>,
    recvcount: Count,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: Mut<MPI_Status>,
) -> c_int {
    let comm = comm::get(comm)?;
    let out = buffer(sendbuf, sendcount, sendtype, "sendbuf")?;
    let into = buffer(recvbuf, recvcount, recvtype, "recvbuf")?;
    uses(Access::Read, "sendbuf", &out, dest);
    uses(Access::Write, "recvbuf", &into, source);
    let status = status.single()?;
    let (to, from) = (partner(dest, sendtag), partner(source, recvtag));
    let (received, sent) = joint::run(comm, (out, to), (into, from))?;
    status.report(received).and(sent)
}

/// Sends what is in the buffer and receives another message into it; blocks until both are done.
///
/// MPI 4.1 §3.11. Errors: as `MPI_Send` and `MPI_Recv`.
#[apply(mpi_counts)]
pub extern "C" fn MPI_Sendrecv_replace(
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: Mut<MPI_Status>,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    match source {
        MPI_PROC_NULL => uses(Access::Read, "buf", &buffer, dest),
        _ => uses(Access::Write, "buf", &buffer, source),
    }
    let status = status.single()?;
    let (to, from) = (partner(dest, sendtag), partner(source, recvtag));
    let copy = buffer.packed()?;
    // SAFETY: the copy is there until the send is complete.
    let out = unsafe { Buffer::bytes(copy.as_ptr(), copy.len()) }.standing_for(&buffer);
    let (received, sent) = joint::run(comm, (out, to), (buffer, from))?;
    status.report(received).and(sent)
}

/// Starts to send one message and to receive another; the request is complete when both are done. Does not block.
///
/// MPI 4.1 §3.11. Errors: as `MPI_Isend` and `MPI_Irecv`.
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Isendrecv(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: Mut<c_void>,
    recvcount: Count,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let what = buffer(sendbuf, sendcount, sendtype, "sendbuf")?;
    let into = buffer(recvbuf, recvcount, recvtype, "recvbuf")?;
    uses(Access::Read, "sendbuf", &what, dest);
    uses(Access::Write, "recvbuf", &into, source);
    let request = request.out("request")?;
    let to = partner(dest, sendtag);
    let from = partner(source, recvtag);
    let operation = joint::start(comm, (what, to), (into, from), FUNCTION)?;
    request.set(handle(Some(operation))?);
    Ok(())
}

/// Starts to send what is in the buffer and to receive another message into it. Does not block.
///
/// MPI 4.1 §3.11. Errors: as `MPI_Isend` and `MPI_Irecv`.
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Isendrecv_replace(
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let buffer = buffer(buf, count, datatype, "buf")?;
    match source {
        MPI_PROC_NULL => uses(Access::Read, "buf", &buffer, dest),
        _ => uses(Access::Write, "buf", &buffer, source),
    }
    let request = request.out("request")?;
    let to = partner(dest, sendtag);
    let from = partner(source, recvtag);
    let operation = joint::start_replacing(comm, buffer, to, from, FUNCTION)?;
    request.set(handle(Some(operation))?);
    Ok(())
}
