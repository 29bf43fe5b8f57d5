//! Broadcast, gather, scatter: one process, the root, gives to all or gets from all (MPI 4.1 §6.4 to §6.6).

use super::{
    Planned, blocks, blocks_v, checked_root, not_aliased, not_in_place, nothing, vector,
    vector_or_in_place,
};
use crate::abi::boundary::counts::Number;
use crate::coll::{Planner, Root, Vector};
use crate::comm::{self, Comm};
use crate::error::Result;
use crate::mpi::types::*;
use std::ffi::{c_int, c_void};

pub fn bcast(
    buffer: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let root = checked_root(comm::get(comm)?, root)?;
    if root == Root::Elsewhere {
        return nothing(comm, name);
    }
    not_in_place(buffer, "buffer")?;
    let what = vector(buffer, n, datatype, "buffer")?;
    let mut planner = Planner::new(comm, name)?;
    if let Some(root) = planner.around(root) {
        planner.broadcast(&what, root)?;
    }
    Ok(planner.finish())
}

/// What a process itself gives to a gather, or gets of a scatter. The root of another group has no part, and only a root
/// has its part in place (`None`).
fn own_part(
    comm: &Comm,
    root: Root,
    address: *const c_void,
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

fn plan_gather(
    sendbuf: *const c_void,
    sendcount: impl Number,
    sendtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
    blocks: impl FnOnce(&Comm) -> Result<Vec<Vector>>,
) -> Planned {
    let group = comm::get(comm)?;
    let root = checked_root(group, root)?;
    if root == Root::Elsewhere {
        return nothing(comm, name);
    }
    let mine = own_part(group, root, sendbuf, sendcount, sendtype, "sendbuf")?;
    let blocks = match root {
        Root::Here => blocks(group)?,
        _ => Vec::new(),
    };
    not_aliased(&mine, blocks.get(group.rank))?;
    let mut planner = Planner::new(comm, name)?;
    if let Some(root) = planner.around(root) {
        planner.gather(mine.as_ref(), &blocks, root)?;
    }
    Ok(planner.finish())
}

pub fn gather<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    plan_gather(sendbuf, sendcount, sendtype, root, comm, name, |group| {
        not_in_place(recvbuf, "recvbuf")?;
        blocks(group, recvbuf, recvcount, recvtype, "recvbuf")
    })
}

pub unsafe fn gatherv<N: Number, D: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const N,
    displs: *const D,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    plan_gather(sendbuf, sendcount, sendtype, root, comm, name, |group| {
        not_in_place(recvbuf, "recvbuf")?;
        // SAFETY: the caller's contract.
        unsafe { blocks_v(group, recvbuf, recvcounts, displs, recvtype, "recvbuf") }
    })
}

fn plan_scatter(
    recvbuf: *mut c_void,
    recvcount: impl Number,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
    blocks: impl FnOnce(&Comm) -> Result<Vec<Vector>>,
) -> Planned {
    let group = comm::get(comm)?;
    let root = checked_root(group, root)?;
    if root == Root::Elsewhere {
        return nothing(comm, name);
    }
    let mine = own_part(group, root, recvbuf, recvcount, recvtype, "recvbuf")?;
    let blocks = match root {
        Root::Here => blocks(group)?,
        _ => Vec::new(),
    };
    not_aliased(blocks.get(group.rank), &mine)?;
    let mut planner = Planner::new(comm, name)?;
    if let Some(root) = planner.around(root) {
        planner.scatter(&blocks, mine.as_ref(), root)?;
    }
    Ok(planner.finish())
}

pub fn scatter<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    plan_scatter(recvbuf, recvcount, recvtype, root, comm, name, |group| {
        not_in_place(sendbuf, "sendbuf")?;
        blocks(group, sendbuf, sendcount, sendtype, "sendbuf")
    })
}

pub unsafe fn scatterv<N: Number, D: Number>(
    sendbuf: *const c_void,
    sendcounts: *const N,
    displs: *const D,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    plan_scatter(recvbuf, recvcount, recvtype, root, comm, name, |group| {
        not_in_place(sendbuf, "sendbuf")?;
        // SAFETY: the caller's contract.
        unsafe { blocks_v(group, sendbuf, sendcounts, displs, sendtype, "sendbuf") }
    })
}
