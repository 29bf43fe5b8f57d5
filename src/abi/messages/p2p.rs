//! SendCall and receiving: blocking, nonblocking, persistent (MPI 4.1 §3.2, §3.4, §3.6, §3.7, §3.9).

use crate::abi::boundary::arguments::count;
use crate::abi::boundary::counts::Number;
use crate::abi::boundary::exports::Forms;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::messages::short;
use crate::check::buffers::{self, Access};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::constants::MPI_PROC_NULL;
use crate::mpi::types::*;
use crate::p2p::buffered;
use crate::p2p::completion::wait_operation;
use crate::p2p::request::{handle, persistent};
use crate::p2p::start::{self, Mode};
use crate::transport::Buffer;
use crate::transport::counted::Counted;
use crate::transport::operation::Operation;
use crate::{check, comm, mpi_counts, mpi_forms};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// The memory of `n` elements of `datatype` at `address`, checked.
#[inline(always)]
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

/// Where this job is checked: the call uses a buffer to send to `peer` or to receive from there. (Nothing is moved to or from
/// `MPI_PROC_NULL`.)
#[inline(always)]
pub fn uses(access: Access, name: &str, buffer: &Buffer, peer: c_int) {
    if check::is_on() {
        tell_use(access, name, &buffer.clone(), peer);
    }
}

#[cold]
fn tell_use(access: Access, name: &str, buffer: &Buffer, peer: c_int) {
    if peer != MPI_PROC_NULL {
        buffer.tell_use(access, name);
        buffers::begins();
    }
}

/// How a message is sent.
#[derive(Clone, Copy)]
enum How {
    As(Mode),
    Buffered,
}

/// A message that is to be sent.
pub struct SendCall {
    comm: &'static Comm,
    buffer: Buffer,
    dest: c_int,
    tag: c_int,
    how: How,
}

impl SendCall {
    #[inline(always)]
    fn new(
        comm: MPI_Comm,
        (buf, count, datatype): (In<c_void>, impl Into<i64>, MPI_Datatype),
        dest: c_int,
        tag: c_int,
        how: How,
    ) -> Result<SendCall> {
        let comm = comm::get(comm)?;
        let buffer = buffer(buf, count, datatype, "buf")?;
        uses(Access::Read, "buf", &buffer, dest);
        Ok(SendCall {
            comm,
            buffer,
            dest,
            tag,
            how,
        })
    }

    #[inline(always)]
    fn begin(
        comm: &Comm,
        buffer: Buffer,
        (dest, tag, how): (c_int, c_int, How),
    ) -> Result<Option<Counted<Operation>>> {
        match how {
            How::As(mode) => start::send(comm, buffer, dest, tag, mode),
            How::Buffered => buffered::send(comm, buffer, dest, tag).map(|()| None),
        }
    }
}

impl Forms for SendCall {
    /// Blocks until the buffer is free, or the receive was found.
    #[inline(always)]
    fn run(self) -> Result<()> {
        let mode = match self.how {
            How::Buffered => return buffered::send(self.comm, self.buffer, self.dest, self.tag),
            How::As(mode) => mode,
        };
        let sent = start::send_and_wait(self.comm, self.buffer, self.dest, self.tag, mode)?;
        let Some(operation) = sent else {
            return Ok(());
        };
        wait_operation(&operation);
        operation.outcome().error.map_or(Ok(()), Err)
    }

    // What is moved on by wider words than it was written in is waited for, and with it what was written before: the last message's
    // cell, whose line comes from the receiver. So it is put together where it stays.
    #[inline(always)]
    fn start(self) -> Result<MPI_Request> {
        let to = (self.dest, self.tag, self.how);
        handle(SendCall::begin(self.comm, self.buffer, to)?)
    }

    /// A request that starts the send whenever it is started.
    fn repeatedly(self) -> Result<MPI_Request> {
        start::check_send(self.comm, self.dest, self.tag)?;
        let (comm, to) = (self.comm.handle, (self.dest, self.tag, self.how));
        let begin = move || SendCall::begin(comm::get(comm)?, self.buffer.clone(), to);
        persistent(comm, begin)
    }
}

/// Sends a message. Blocking, until the buffer is free, for which a long message waits for its receive.
///
/// MPI 4.1 §3.2.1, §3.7.2, §3.9. `count` in elements of `datatype`. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_RANK`, `MPI_ERR_TAG`, `MPI_ERR_PROC_FAILED`; with a request `MPI_ERR_ARG` (its place is null).
#[apply(mpi_forms)]
#[names(MPI_Send, MPI_Isend, MPI_Send_init)]
#[quick(comm, (buf, count.wide(), datatype), dest, tag)]
fn send(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> SendCall {
    SendCall::new(
        comm,
        (buf, count, datatype),
        dest,
        tag,
        How::As(Mode::Standard),
    )
}

/// Sends a message, synchronously: the send is complete when its receive was found.
///
/// MPI 4.1 §3.4, §3.7.2, §3.9. `count` in elements of `datatype`. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_RANK`, `MPI_ERR_TAG`, `MPI_ERR_PROC_FAILED`; with a request `MPI_ERR_ARG` (its place is null).
#[apply(mpi_forms)]
#[names(MPI_Ssend, MPI_Issend, MPI_Ssend_init)]
fn ssend(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> SendCall {
    SendCall::new(
        comm,
        (buf, count, datatype),
        dest,
        tag,
        How::As(Mode::Synchronous),
    )
}

/// Sends a message whose receive is posted already.
///
/// MPI 4.1 §3.4, §3.7.2, §3.9. `count` in elements of `datatype`. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_RANK`, `MPI_ERR_TAG`, `MPI_ERR_PROC_FAILED`; with a request `MPI_ERR_ARG` (its place is null).
#[apply(mpi_forms)]
#[names(MPI_Rsend, MPI_Irsend, MPI_Rsend_init)]
#[quick(comm, (buf, count.wide(), datatype), dest, tag)]
fn rsend(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> SendCall {
    SendCall::new(
        comm,
        (buf, count, datatype),
        dest,
        tag,
        How::As(Mode::Ready),
    )
}

/// Sends a copy of a message, within the room of the attached buffer: does not block, and is complete at once.
///
/// MPI 4.1 §3.6, §3.7.2, §3.9. `count` in elements of `datatype`. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER` (also if the attached
/// buffer is full),
/// `MPI_ERR_RANK`, `MPI_ERR_TAG`, `MPI_ERR_PROC_FAILED`; with a request `MPI_ERR_ARG` (its place is null).
#[apply(mpi_forms)]
#[names(MPI_Bsend, MPI_Ibsend, MPI_Bsend_init)]
fn bsend(
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> SendCall {
    SendCall::new(comm, (buf, count, datatype), dest, tag, How::Buffered)
}

/// Receives a message; blocks until it is there.
///
/// MPI 4.1 §3.2.4. `count` is the room in elements of `datatype`. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_TRUNCATE` (the message is longer; the rest of it is thrown away), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_counts)]
#[twice]
#[quick(@unobserved short::receive(comm, (buf.into(), count.wide(), datatype), source, tag, status))]
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
    uses(Access::Write, "buf", &buffer, source);
    let status = status.single()?;
    status.report(start::receive_and_wait(comm, buffer, source, tag)?)
}

/// Starts a receive. Does not block.
///
/// MPI 4.1 §3.7.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_counts)]
#[twice]
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
    uses(Access::Write, "buf", &buffer, source);
    let request = request.out("request")?;
    request.set(handle(Some(start::receive(comm, buffer, source, tag)?))?);
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
    uses(Access::Write, "buf", &buffer, source);
    let request = request.out("request")?;
    start::envelope(comm, source, tag)?;
    let comm = comm.handle;
    let start = move || start::receive(comm::get(comm)?, buffer.clone(), source, tag).map(Some);
    request.set(persistent(comm, start)?);
    Ok(())
}
