//! Partitioned communication (MPI 4.1 chapter 4). Its requests are persistent: `MPI_Start` starts a round.

use crate::abi::boundary::arguments::{count as counted, number};
use crate::abi::boundary::pointers::{In, Mut};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::p2p::partitioned::{self, Channel, Outgoing, Parts};
use crate::p2p::request;
use crate::runtime::wait::progress;
use crate::{bail, comm, info, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

fn parts(
    buf: In<c_void>,
    partitions: c_int,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<Parts> {
    let (partitions, count) = (number(partitions, "partitions")?, counted(count, "count")?);
    let address = buf.pointer().expose_provenance();
    // SAFETY: that the buffer is as long, until the request is freed, is the promise of the MPI function's caller.
    Ok(unsafe { Parts::new(address, partitions, count, datatype) })
}

/// Makes a persistent request of a partitioned send: `partitions` times `count` elements. Does not block.
///
/// MPI 4.1 §4.2.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_RANK`, `MPI_ERR_TAG`,
/// `MPI_ERR_INFO`, `MPI_ERR_ARG` (negative partitions, `request` is null).
#[apply(mpi_api)]
pub extern "C" fn MPI_Psend_init(
    buf: In<c_void>,
    partitions: c_int,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let request = request.out("request")?;
    info::hints(info)?;
    let channel = partitioned::send(comm, parts(buf, partitions, count, datatype)?, dest, tag)?;
    request.set(request::partitioned(comm.handle, channel)?);
    Ok(())
}

/// Makes a persistent request of a partitioned receive: `partitions` times `count` elements, as many bytes in all as are
/// sent. Does not block.
///
/// MPI 4.1 §4.2.1. Errors: as `MPI_Psend_init`; no wildcards.
#[apply(mpi_api)]
pub extern "C" fn MPI_Precv_init(
    buf: Mut<c_void>,
    partitions: c_int,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let request = request.out("request")?;
    info::hints(info)?;
    let channel = partitioned::receive(
        comm,
        parts(buf.into(), partitions, count, datatype)?,
        source,
        tag,
    )?;
    request.set(request::partitioned(comm.handle, channel)?);
    Ok(())
}

/// The send of a request that was started.
fn started(request: MPI_Request) -> Result<&'static Outgoing> {
    match request::channel(request)? {
        (Channel::Send(channel), true) => Ok(channel),
        (Channel::Send(_), false) => bail!(Request, "request {:#x} is not started", request.0),
        (Channel::Receive(_), _) => bail!(Request, "request {:#x} is a receive", request.0),
    }
}

/// Says that a partition may be sent. Does not block.
///
/// MPI 4.1 §4.2.2. Errors: `MPI_ERR_REQUEST` (no partitioned send, not started), `MPI_ERR_ARG` (no such partition, ready
/// already).
#[apply(mpi_api)]
pub extern "C" fn MPI_Pready(partition: c_int, request: MPI_Request) -> c_int {
    started(request)?.ready_of(request, &[partition])
}

/// Says that the partitions from `partition_low` up to and with `partition_high` may be sent. Does not block.
///
/// MPI 4.1 §4.2.2. Errors: as `MPI_Pready`; then none of them is sent.
#[apply(mpi_api)]
pub extern "C" fn MPI_Pready_range(
    partition_low: c_int,
    partition_high: c_int,
    request: MPI_Request,
) -> c_int {
    let channel = started(request)?;
    channel.check(partition_low)?;
    channel.check(partition_high)?;
    channel.ready_of(request, &Vec::from_iter(partition_low..=partition_high))
}

/// Says that the partitions of the list may be sent. Does not block.
///
/// MPI 4.1 §4.2.2. Errors: as `MPI_Pready`, and `MPI_ERR_COUNT`; then none of them is sent.
#[apply(mpi_api)]
pub extern "C" fn MPI_Pready_list(
    length: c_int,
    array_of_partitions: In<c_int>,
    request: MPI_Request,
) -> c_int {
    let length = counted(length, "length")?;
    let which = array_of_partitions.slice(length, "array_of_partitions")?;
    started(request)?.ready_of(request, which)
}

/// Tells whether the data of a partition of a receive is there; so it is if the request is null or inactive. Does not block.
///
/// MPI 4.1 §4.2.2. Errors: `MPI_ERR_REQUEST` (no partitioned receive), `MPI_ERR_ARG` (no such partition, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Parrived(request: MPI_Request, partition: c_int, flag: Mut<c_int>) -> c_int {
    let flag = flag.out("flag")?;
    if request == MPI_REQUEST_NULL {
        flag.set(1);
        return Ok(());
    }
    let (Channel::Receive(channel), active) = request::channel(request)? else {
        bail!(Request, "request {:#x} is a send", request.0);
    };
    channel.check(partition)?;
    progress();
    let arrived = !active || channel.arrived(partition)?;
    if arrived {
        channel.saw_arrived(request, partition);
    }
    flag.set(arrived.into());
    Ok(())
}
