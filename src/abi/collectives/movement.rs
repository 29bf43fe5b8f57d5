//! Collective operations that move data (MPI 4.1 §6.3-§6.8, §6.12, §6.13).
//!
//! The blocking forms block until this process's part is done, the others do not block. The persistent forms take an
//! info, and have `MPI_ERR_INFO`; those with a request have `MPI_ERR_ARG` where its place is null.

use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::collectives::arguments::*;
use crate::abi::collectives::short;
use crate::check::{self, buffers::Access};
use crate::coll::{self, Call, Collective, Root, Vector};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::types::*;
use crate::p2p::request;
use crate::{comm, info, mpi_api, mpi_forms};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// A barrier, called by `name`.
fn barrier(comm: MPI_Comm, name: &'static str) -> Result<Call> {
    let (comm, what) = (comm::get(comm)?, Collective::Barrier);
    Ok(Call { comm, name, what })
}

/// What a process itself gives to a gather, or gets of a scatter. The root of another group has no part, and only a root
/// has its part in place (`None`).
fn own_part(
    comm: &Comm,
    root: Root,
    address: In<c_void>,
    n: impl Number,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Option<Vector>> {
    match root {
        Root::Here if comm.remote.is_some() => Ok(None),
        Root::Here => vector_or_in_place(address, n, datatype, name),
        _ => {
            not_in_place(address, name)?;
            vector(address, n, datatype, name).map(Some)
        }
    }
}

/// The blocks of a gather or scatter, which the root alone has: in `buffer`, as `blocks` says.
fn root_blocks(
    root: Root,
    buffer: In<c_void>,
    name: &str,
    blocks: impl FnOnce() -> Result<Vec<Vector>>,
) -> Result<Vec<Vector>> {
    if root != Root::Here {
        return Ok(Vec::new());
    }
    not_in_place(buffer, name)?;
    blocks()
}

/// What this process gives to a gather and, at the root, where everybody's go. `alike`: all blocks are as long.
fn gathered<N: Number>(
    comm: &Comm,
    root: c_int,
    (sendbuf, sendcount, sendtype): (In<c_void>, N, MPI_Datatype),
    recvbuf: In<c_void>,
    alike: bool,
    blocks: impl FnOnce() -> Result<Vec<Vector>>,
) -> Result<Collective> {
    let root = checked_root(comm, root)?;
    if root == Root::Elsewhere {
        return Ok(Collective::Nothing);
    }
    let mine = own_part(comm, root, sendbuf, sendcount, sendtype, "sendbuf")?;
    let blocks = root_blocks(root, recvbuf, "recvbuf", blocks)?;
    not_aliased(&mine, blocks.get(comm.rank))?;
    Ok(Collective::Gather {
        mine,
        blocks,
        root,
        alike,
    })
}

/// What this process gets of a scatter and, at the root, everybody's. `alike`: all blocks are as long.
fn scattered<N: Number>(
    comm: &Comm,
    root: c_int,
    sendbuf: In<c_void>,
    (recvbuf, recvcount, recvtype): (Mut<c_void>, N, MPI_Datatype),
    alike: bool,
    blocks: impl FnOnce() -> Result<Vec<Vector>>,
) -> Result<Collective> {
    let root = checked_root(comm, root)?;
    if root == Root::Elsewhere {
        return Ok(Collective::Nothing);
    }
    let mine = own_part(comm, root, recvbuf.into(), recvcount, recvtype, "recvbuf")?;
    let blocks = root_blocks(root, sendbuf, "sendbuf", blocks)?;
    not_aliased(blocks.get(comm.rank), &mine)?;
    Ok(Collective::Scatter {
        blocks,
        mine,
        root,
        alike,
    })
}

/// What this process gives to an allgather (`None`: its block in place), and where everybody's go.
fn allgathered<N: Number>(
    comm: &Comm,
    (sendbuf, sendcount, sendtype): (In<c_void>, N, MPI_Datatype),
    recvbuf: In<c_void>,
    blocks: impl FnOnce() -> Result<Vec<Vector>>,
) -> Result<(Option<Vector>, Vec<Vector>)> {
    not_in_place(recvbuf, "recvbuf")?;
    not_in_place_across(comm, sendbuf, "sendbuf")?;
    let mine = vector_or_in_place(sendbuf, sendcount, sendtype, "sendbuf")?;
    let blocks = blocks()?;
    not_aliased(&mine, blocks.get(comm.rank))?;
    Ok((mine, blocks))
}

/// The blocks for everybody (`None`: those that are where the others shall come), and where everybody's go.
fn exchanged(
    comm: &Comm,
    (sendbuf, recvbuf): (In<c_void>, In<c_void>),
    send: impl FnOnce() -> Result<Vec<Vector>>,
    receive: impl FnOnce() -> Result<Vec<Vector>>,
) -> Result<(Option<Vec<Vector>>, Vec<Vector>)> {
    not_in_place(recvbuf, "recvbuf")?;
    not_in_place_across(comm, sendbuf, "sendbuf")?;
    let send = match in_place(sendbuf) {
        true => None,
        false => Some(send()?),
    };
    let receive = receive()?;
    not_aliased(send.iter().flatten(), &receive)?;
    Ok((send, receive))
}

/// Waits until all processes of the communicator have come. Blocks until this process's part is done.
///
/// MPI 4.1 §6.3. Errors: `MPI_ERR_COMM`, `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Barrier(comm: MPI_Comm) -> c_int {
    coll::barrier(comm::get(comm)?)
}

/// Starts a barrier. Does not block.
///
/// MPI 4.1 §6.12.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub extern "C" fn MPI_Ibarrier(comm: MPI_Comm, request: Mut<MPI_Request>) -> c_int {
    let request = request.out("request")?;
    request.set(request::collective_handle(
        barrier(comm, FUNCTION)?.start()?,
    )?);
    Ok(())
}

/// Makes a persistent request of a barrier. Does not block.
///
/// MPI 4.1 §6.13.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_INFO`, `MPI_ERR_ARG` (`request` is null).
#[apply(mpi_api)]
pub extern "C" fn MPI_Barrier_init(
    comm: MPI_Comm,
    info: MPI_Info,
    request: Mut<MPI_Request>,
) -> c_int {
    let request = request.out("request")?;
    info::hints(info)?;
    let (comm, start) = barrier(comm, FUNCTION)?.repeatedly()?;
    request.set(request::persistent_collective(comm, start)?);
    Ok(())
}

/// Gives what the root has in its buffer to everybody.
///
/// MPI 4.1 §6.4. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init)]
#[quick(short::broadcast(FUNCTION, comm, root, (buffer.into(), count.wide(), datatype)))]
fn bcast(
    buffer: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let what = match checked_root(comm, root)? {
        Root::Elsewhere => Collective::Nothing,
        root => {
            not_in_place(buffer.into(), "buffer")?;
            let what = vector(buffer.into(), count, datatype, "buffer")?;
            if check::is_on() {
                let access = match root {
                    Root::Here => Access::Read,
                    _ => Access::Write,
                };
                tell_use(access, &what, "buffer")?;
            }
            Collective::Broadcast { what, root }
        }
    };
    Ok((comm, what))
}

/// Gathers a block from each process at the root.
///
/// MPI 4.1 §6.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Gather, MPI_Igather, MPI_Gather_init)]
#[quick(short::gather(
    FUNCTION,
    comm,
    root,
    (sendbuf, sendcount.wide(), sendtype),
    (recvbuf.into(), recvcount.wide(), recvtype)
))]
fn gather(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcount: Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let what = gathered(
        comm,
        root,
        (sendbuf, sendcount, sendtype),
        recvbuf.into(),
        true,
        || blocks(comm, recvbuf.into(), recvcount, recvtype, "recvbuf"),
    )?;
    Ok((comm, what))
}

/// Gathers blocks of different lengths at the root; displacements in elements.
///
/// MPI 4.1 §6.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init)]
#[twice]
#[quick(short::gatherv(
    FUNCTION,
    comm,
    root,
    (sendbuf, sendcount.wide(), sendtype),
    (recvbuf.into(), recvcounts, displs, recvtype)
))]
fn gatherv(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcounts: In<Count>,
    displs: In<Displ>,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let what = gathered(
        comm,
        root,
        (sendbuf, sendcount, sendtype),
        recvbuf.into(),
        false,
        || {
            blocks_v(
                comm,
                recvbuf.into(),
                recvcounts,
                displs,
                recvtype,
                "recvbuf",
            )
        },
    )?;
    Ok((comm, what))
}

/// Gives each process a block of the root's.
///
/// MPI 4.1 §6.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init)]
#[quick(short::scatter(
    FUNCTION,
    comm,
    root,
    (sendbuf, sendcount.wide(), sendtype),
    (recvbuf.into(), recvcount.wide(), recvtype)
))]
fn scatter(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcount: Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let what = scattered(
        comm,
        root,
        sendbuf,
        (recvbuf, recvcount, recvtype),
        true,
        || blocks(comm, sendbuf, sendcount, sendtype, "sendbuf"),
    )?;
    Ok((comm, what))
}

/// Gives each process a block of the root's, of different lengths; displacements in elements.
///
/// MPI 4.1 §6.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ROOT`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init)]
#[twice]
#[quick(short::scatterv(
    FUNCTION,
    comm,
    root,
    (sendbuf, sendcounts, displs, sendtype),
    (recvbuf.into(), recvcount.wide(), recvtype)
))]
fn scatterv(
    sendbuf: In<c_void>,
    sendcounts: In<Count>,
    displs: In<Displ>,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcount: Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let what = scattered(
        comm,
        root,
        sendbuf,
        (recvbuf, recvcount, recvtype),
        false,
        || blocks_v(comm, sendbuf, sendcounts, displs, sendtype, "sendbuf"),
    )?;
    Ok((comm, what))
}

/// Gathers a block from each process at every process.
///
/// MPI 4.1 §6.7. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init)]
#[quick(short::allgather(
    FUNCTION,
    comm,
    (sendbuf, sendcount.wide(), sendtype),
    (recvbuf.into(), recvcount.wide(), recvtype)
))]
fn allgather(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let (mine, blocks) = allgathered(comm, (sendbuf, sendcount, sendtype), recvbuf.into(), || {
        blocks(comm, recvbuf.into(), recvcount, recvtype, "recvbuf")
    })?;
    let what = Collective::Allgather {
        mine,
        blocks,
        alike: true,
    };
    Ok((comm, what))
}

/// Gathers blocks of different lengths at every process; displacements in elements.
///
/// MPI 4.1 §6.7. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init)]
#[twice]
#[quick(short::allgatherv(
    FUNCTION,
    comm,
    (sendbuf, sendcount.wide(), sendtype),
    (recvbuf.into(), recvcounts, displs, recvtype)
))]
fn allgatherv(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcounts: In<Count>,
    displs: In<Displ>,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let (mine, blocks) = allgathered(comm, (sendbuf, sendcount, sendtype), recvbuf.into(), || {
        blocks_v(
            comm,
            recvbuf.into(),
            recvcounts,
            displs,
            recvtype,
            "recvbuf",
        )
    })?;
    let what = Collective::Allgather {
        mine,
        blocks,
        alike: false,
    };
    Ok((comm, what))
}

/// Each process sends a block to each.
///
/// MPI 4.1 §6.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init)]
#[quick(short::alltoall(
    FUNCTION,
    comm,
    (sendbuf, sendcount.wide(), sendtype),
    (recvbuf.into(), recvcount.wide(), recvtype)
))]
fn alltoall(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let (send, receive) = exchanged(
        comm,
        (sendbuf, recvbuf.into()),
        || blocks(comm, sendbuf, sendcount, sendtype, "sendbuf"),
        || blocks(comm, recvbuf.into(), recvcount, recvtype, "recvbuf"),
    )?;
    let what = Collective::Alltoall {
        send,
        receive,
        alike: true,
    };
    Ok((comm, what))
}

/// Each process sends a block of its own length to each; displacements in elements.
///
/// MPI 4.1 §6.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init)]
#[twice]
#[quick(short::alltoallv(
    FUNCTION,
    comm,
    (sendbuf, sendcounts, sdispls, sendtype),
    (recvbuf.into(), recvcounts, rdispls, recvtype)
))]
fn alltoallv(
    sendbuf: In<c_void>,
    sendcounts: In<Count>,
    sdispls: In<Displ>,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcounts: In<Count>,
    rdispls: In<Displ>,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let (send, receive) = exchanged(
        comm,
        (sendbuf, recvbuf.into()),
        || blocks_v(comm, sendbuf, sendcounts, sdispls, sendtype, "sendbuf"),
        || {
            blocks_v(
                comm,
                recvbuf.into(),
                recvcounts,
                rdispls,
                recvtype,
                "recvbuf",
            )
        },
    )?;
    let what = Collective::Alltoall {
        send,
        receive,
        alike: false,
    };
    Ok((comm, what))
}

/// Each process sends a block of its own length and datatype to each; displacements in bytes.
///
/// MPI 4.1 §6.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init)]
#[twice]
fn alltoallw(
    sendbuf: In<c_void>,
    sendcounts: In<Count>,
    sdispls: In<Displ>,
    sendtypes: In<MPI_Datatype>,
    recvbuf: Mut<c_void>,
    recvcounts: In<Count>,
    rdispls: In<Displ>,
    recvtypes: In<MPI_Datatype>,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let (send, receive) = exchanged(
        comm,
        (sendbuf, recvbuf.into()),
        || blocks_w(comm, sendbuf, sendcounts, sdispls, sendtypes, "sendbuf"),
        || {
            blocks_w(
                comm,
                recvbuf.into(),
                recvcounts,
                rdispls,
                recvtypes,
                "recvbuf",
            )
        },
    )?;
    let what = Collective::Alltoall {
        send,
        receive,
        alike: false,
    };
    Ok((comm, what))
}
