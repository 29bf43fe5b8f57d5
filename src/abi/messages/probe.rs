//! Probing, and receiving what a probe matched (MPI 4.1 §3.8).

use crate::abi::boundary::pointers::Mut;
use crate::abi::messages::p2p::{buffer, uses};
use crate::check::buffers::Access;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::p2p::completion::wait_operation;
use crate::p2p::probe;
use crate::p2p::request::handle;
use crate::{comm, mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Whether a matched message is from anybody: `MPI_PROC_NULL` if not.
fn source_of(message: MPI_Message) -> c_int {
    match message {
        MPI_MESSAGE_NO_PROC => MPI_PROC_NULL,
        _ => MPI_ANY_SOURCE,
    }
}

/// Blocks until there is a message that such a receive would get, and tells its source, tag and size.
///
/// MPI 4.1 §3.8.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_RANK`, `MPI_ERR_TAG`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Probe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: Mut<MPI_Status>,
) -> c_int {
    let status = status.single()?;
    status.set(&probe::probe(comm::get(comm)?, source, tag)?);
    Ok(())
}

/// Tells whether there is a message that such a receive would get; if so its source, tag and size. Does not block.
///
/// MPI 4.1 §3.8.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_RANK`, `MPI_ERR_TAG`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Iprobe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: Mut<c_int>,
    status: Mut<MPI_Status>,
) -> c_int {
    let (status, flag) = (status.single()?, flag.out("flag")?);
    let found = probe::try_probe(comm::get(comm)?, source, tag)?;
    flag.set(found.is_some().into());
    if let Some(found) = found {
        status.set(&found);
    }
    Ok(())
}

/// Blocks until there is a message that such a receive would get, and takes it for `MPI_Mrecv`.
///
/// MPI 4.1 §3.8.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_RANK`, `MPI_ERR_TAG`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Mprobe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    message: Mut<MPI_Message>,
    status: Mut<MPI_Status>,
) -> c_int {
    let (status, message) = (status.single()?, message.out("message")?);
    if let Some((matched, found)) = probe::take(comm::get(comm)?, source, tag, true)? {
        message.set(matched);
        status.set(&found);
    }
    Ok(())
}

/// Takes the message that such a receive would get, if there is one. Does not block.
///
/// MPI 4.1 §3.8.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_RANK`, `MPI_ERR_TAG`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Improbe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: Mut<c_int>,
    message: Mut<MPI_Message>,
    status: Mut<MPI_Status>,
) -> c_int {
    let (status, flag, message) = (status.single()?, flag.out("flag")?, message.out("message")?);
    let found = probe::take(comm::get(comm)?, source, tag, false)?;
    flag.set(found.is_some().into());
    message.set(found.map_or(MPI_MESSAGE_NULL, |(matched, _)| matched));
    if let Some((_, found)) = found {
        status.set(&found);
    }
    Ok(())
}

/// Receives a message that a probe took; blocks until its data is there.
///
/// MPI 4.1 §3.8.3. Errors: `MPI_ERR_REQUEST` (`message` is no matched message), `MPI_ERR_COUNT`, `MPI_ERR_TYPE`,
/// `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_TRUNCATE`.
#[apply(mpi_counts)]
pub extern "C" fn MPI_Mrecv(
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    message: Mut<MPI_Message>,
    status: Mut<MPI_Status>,
) -> c_int {
    let buffer = buffer(buf, count, datatype, "buf")?;
    let (status, mut message) = (status.single()?, message.inout("message")?);
    uses(Access::Write, "buf", &buffer, source_of(*message));
    let operation = probe::receive(&mut message, buffer)?;
    wait_operation(&operation);
    status.report(operation.outcome())
}

/// Starts to receive a message that a probe took. Does not block.
///
/// MPI 4.1 §3.8.3. Errors: `MPI_ERR_REQUEST` (`message` is no matched message), `MPI_ERR_COUNT`, `MPI_ERR_TYPE`,
/// `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_TRUNCATE`.
#[apply(mpi_counts)]
pub extern "C" fn MPI_Imrecv(
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    message: Mut<MPI_Message>,
    request: Mut<MPI_Request>,
) -> c_int {
    let buffer = buffer(buf, count, datatype, "buf")?;
    let (mut message, request) = (message.inout("message")?, request.out("request")?);
    uses(Access::Write, "buf", &buffer, source_of(*message));
    request.set(handle(Some(probe::receive(&mut message, buffer)?))?);
    Ok(())
}
