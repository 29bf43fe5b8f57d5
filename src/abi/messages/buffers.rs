//! Buffers of buffered sends: of a communicator, of a session, of the process (MPI 4.1 §3.6).
//!
//! A send takes its room from its communicator's buffer, or if that has none from the session's it comes from, or else
//! from the process's.

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::Mut;
use crate::error::Result;
use crate::mpi::constants::MPI_BUFFER_AUTOMATIC;
use crate::mpi::types::*;
use crate::p2p::buffered::{self, Owner, Room};
use crate::p2p::request;
use crate::{bail, comm, mpi_api, mpi_counts, session};
use macro_rules_attribute::apply;
use std::ffi::c_void;

/// Attaches the buffer. Errors: `MPI_ERR_BUFFER`, `MPI_ERR_ARG`.
fn attach(owner: Owner, buffer: Mut<c_void>, size: impl Into<i64>) -> Result<()> {
    if buffer.pointer() == MPI_BUFFER_AUTOMATIC {
        return buffered::attach(owner, buffer.pointer().addr(), Room::Automatic);
    }
    let size = number(size, "size")?;
    if buffer.is_null() && size > 0 {
        bail!(Buffer, "buffer is a null pointer, and size is {size}");
    }
    buffered::attach(owner, buffer.pointer().addr(), Room::Bytes(size))
}

/// Detaches the buffer, and gives its address and size.
fn detach(owner: Owner, buffer_addr: Mut<c_void>, size: Mut<impl Number>) -> Result<()> {
    let (address, size) = (
        buffer_addr.cast::<*mut c_void>().out("buffer_addr")?,
        size.out("size")?,
    );
    let (buffer, room) = buffered::detach(owner)?;
    address.set(std::ptr::without_provenance_mut(buffer));
    size.set(Number::or_undefined(Some(match room {
        Room::Bytes(len) => len,
        Room::Automatic => 0,
    })));
    Ok(())
}

/// Starts a flush, and gives its request.
fn iflush(owner: Owner, place: Mut<MPI_Request>) -> Result<()> {
    let place = place.out("request")?;
    place.set(request::handle(buffered::start_flush(owner))?);
    Ok(())
}

fn of_comm(comm: MPI_Comm) -> Result<Owner> {
    Ok(Owner::Comm(comm::get(comm)?.context))
}

fn of_session(session: MPI_Session) -> Result<Owner> {
    session::get(session)?;
    Ok(Owner::Session(session))
}

/// Attaches a buffer of `size` bytes to the process, which bounds what `MPI_Bsend` has on its way; with
/// `MPI_BUFFER_AUTOMATIC`, memory alone does.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_BUFFER` (there is one already; null with a size), `MPI_ERR_ARG` (negative size).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Buffer_attach(buffer: Mut<c_void>, size: Count) -> c_int {
    attach(Owner::Process, buffer, size)
}

/// Blocks until no message is on its way from the process's buffer, and detaches it: its address goes to the pointer at
/// `buffer_addr`, its bytes to `size`. Of no buffer, these are null and 0.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Buffer_detach(buffer_addr: Mut<c_void>, size: Mut<Count>) -> c_int {
    detach(Owner::Process, buffer_addr, size)
}

/// Blocks until no message is on its way from the process's buffer.
///
/// MPI 4.1 §3.6. Errors: none.
#[apply(mpi_api)]
pub extern "C" fn MPI_Buffer_flush() -> c_int {
    buffered::flush(Owner::Process)
}

/// Starts to wait until the messages that are on their way from the process's buffer have left it. Does not block.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Buffer_iflush(request: Mut<MPI_Request>) -> c_int {
    iflush(Owner::Process, request)
}

/// Attaches a buffer of `size` bytes to a communicator, which bounds what `MPI_Bsend` has on its way; with
/// `MPI_BUFFER_AUTOMATIC`, memory alone does.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_BUFFER` (there is one already; null with a size), `MPI_ERR_ARG` (negative size).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Comm_attach_buffer(
    comm: MPI_Comm,
    buffer: Mut<c_void>,
    size: Count,
) -> c_int {
    attach(of_comm(comm)?, buffer, size)
}

/// Blocks until no message is on its way from the communicator's buffer, and detaches it: its address goes to the pointer at
/// `buffer_addr`, its bytes to `size`. Of no buffer, these are null and 0.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Comm_detach_buffer(
    comm: MPI_Comm,
    buffer_addr: Mut<c_void>,
    size: Mut<Count>,
) -> c_int {
    detach(of_comm(comm)?, buffer_addr, size)
}

/// Blocks until no message is on its way from the communicator's buffer.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_COMM`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_flush_buffer(comm: MPI_Comm) -> c_int {
    buffered::flush(of_comm(comm)?)
}

/// Starts to wait until the messages that are on their way from the communicator's buffer have left it. Does not block.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_iflush_buffer(comm: MPI_Comm, request: Mut<MPI_Request>) -> c_int {
    iflush(of_comm(comm)?, request)
}

/// Attaches a buffer of `size` bytes to a session, which bounds what `MPI_Bsend` has on its way; with
/// `MPI_BUFFER_AUTOMATIC`, memory alone does.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_SESSION`, `MPI_ERR_BUFFER` (there is one already; null with a size), `MPI_ERR_ARG` (negative size).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Session_attach_buffer(
    session: MPI_Session,
    buffer: Mut<c_void>,
    size: Count,
) -> c_int {
    attach(of_session(session)?, buffer, size)
}

/// Blocks until no message is on its way from the session's buffer, and detaches it: its address goes to the pointer at
/// `buffer_addr`, its bytes to `size`. Of no buffer, these are null and 0.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_SESSION`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Session_detach_buffer(
    session: MPI_Session,
    buffer_addr: Mut<c_void>,
    size: Mut<Count>,
) -> c_int {
    detach(of_session(session)?, buffer_addr, size)
}

/// Blocks until no message is on its way from the session's buffer.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_SESSION`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_flush_buffer(session: MPI_Session) -> c_int {
    buffered::flush(of_session(session)?)
}

/// Starts to wait until the messages that are on their way from the session's buffer have left it. Does not block.
///
/// MPI 4.1 §3.6. Errors: `MPI_ERR_SESSION`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_iflush_buffer(
    session: MPI_Session,
    request: Mut<MPI_Request>,
) -> c_int {
    iflush(of_session(session)?, request)
}
