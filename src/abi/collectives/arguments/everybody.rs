//! Allgather and alltoall: everybody gets from everybody (MPI 4.1 §6.7, §6.8).

use super::{
    Planned, blocks, blocks_v, blocks_w, in_place, not_aliased, not_in_place, not_in_place_across,
    vector_or_in_place,
};
use crate::abi::boundary::counts::Number;
use crate::coll::{Planner, Vector};
use crate::comm::{self, Comm};
use crate::error::Result;
use crate::mpi::types::*;
use std::ffi::c_void;

/// What a process gives to an allgather (`None`: its block in place), and where everybody's block goes.
type Gathered = (Option<Vector>, Vec<Vector>);

/// The blocks for everybody (`None`: those that are where the others shall come), and where everybody's go.
type Exchanged = (Option<Vec<Vector>>, Vec<Vector>);

pub fn plan_allgather((mine, blocks): Gathered, comm: MPI_Comm, name: &'static str) -> Planned {
    let mut planner = Planner::new(comm, name)?;
    match &mine {
        Some(mine) if planner.is_inter() => planner.allgather_across(mine, &blocks)?,
        mine => planner.allgather(mine.as_ref(), &blocks)?,
    }
    Ok(planner.finish())
}

fn gathered(
    sendbuf: *const c_void,
    sendcount: impl Number,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    comm: MPI_Comm,
    blocks: impl FnOnce(&Comm) -> Result<Vec<Vector>>,
) -> Result<Gathered> {
    not_in_place(recvbuf, "recvbuf")?;
    let group = comm::get(comm)?;
    not_in_place_across(group, sendbuf, "sendbuf")?;
    let mine = vector_or_in_place(sendbuf, sendcount, sendtype, "sendbuf")?;
    let blocks = blocks(group)?;
    not_aliased(&mine, blocks.get(group.rank))?;
    Ok((mine, blocks))
}

pub fn allgather_blocks<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Gathered> {
    gathered(sendbuf, sendcount, sendtype, recvbuf, comm, |group| {
        blocks(group, recvbuf, recvcount, recvtype, "recvbuf")
    })
}

pub fn allgather<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let all = allgather_blocks(
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
    )?;
    plan_allgather(all, comm, name)
}

pub unsafe fn allgatherv<N: Number, D: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const N,
    displs: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let all = gathered(sendbuf, sendcount, sendtype, recvbuf, comm, |group| {
        // SAFETY: the caller's contract.
        unsafe { blocks_v(group, recvbuf, recvcounts, displs, recvtype, "recvbuf") }
    })?;
    plan_allgather(all, comm, name)
}

/// The plan of an exchange of blocks that are all alike.
pub fn plan_alltoall(all: Exchanged, comm: MPI_Comm, name: &'static str) -> Planned {
    plan_exchange(all, comm, name, Planner::alltoall_alike)
}

fn plan_exchange(
    (send, receive): Exchanged,
    comm: MPI_Comm,
    name: &'static str,
    within: impl FnOnce(&mut Planner, Option<&[Vector]>, &[Vector]) -> Result<()>,
) -> Planned {
    let mut planner = Planner::new(comm, name)?;
    match &send {
        Some(send) if planner.is_inter() => planner.alltoall_across(send, &receive)?,
        send => within(&mut planner, send.as_deref(), &receive)?,
    }
    Ok(planner.finish())
}

fn exchanged(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    comm: MPI_Comm,
    send: impl FnOnce(&Comm) -> Result<Vec<Vector>>,
    receive: impl FnOnce(&Comm) -> Result<Vec<Vector>>,
) -> Result<Exchanged> {
    not_in_place(recvbuf, "recvbuf")?;
    let group = comm::get(comm)?;
    not_in_place_across(group, sendbuf, "sendbuf")?;
    let send = match in_place(sendbuf) {
        true => None,
        false => Some(send(group)?),
    };
    let receive = receive(group)?;
    not_aliased(send.iter().flatten(), &receive)?;
    Ok((send, receive))
}

pub fn alltoall_blocks<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Exchanged> {
    exchanged(
        sendbuf,
        recvbuf,
        comm,
        |group| blocks(group, sendbuf, sendcount, sendtype, "sendbuf"),
        |group| blocks(group, recvbuf, recvcount, recvtype, "recvbuf"),
    )
}

pub fn alltoall<N: Number>(
    sendbuf: *const c_void,
    sendcount: N,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: N,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let all = alltoall_blocks(
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
    )?;
    plan_alltoall(all, comm, name)
}

pub unsafe fn alltoallv<N: Number, D: Number>(
    sendbuf: *const c_void,
    sendcounts: *const N,
    sdispls: *const D,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const N,
    rdispls: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let all = exchanged(
        sendbuf,
        recvbuf,
        comm,
        // SAFETY: the caller's contract.
        |group| unsafe { blocks_v(group, sendbuf, sendcounts, sdispls, sendtype, "sendbuf") },
        // SAFETY: the caller's contract.
        |group| unsafe { blocks_v(group, recvbuf, recvcounts, rdispls, recvtype, "recvbuf") },
    )?;
    plan_exchange(all, comm, name, Planner::alltoall)
}

pub unsafe fn alltoallw<N: Number, D: Number>(
    sendbuf: *const c_void,
    sendcounts: *const N,
    sdispls: *const D,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const N,
    rdispls: *const D,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let all = exchanged(
        sendbuf,
        recvbuf,
        comm,
        // SAFETY: the caller's contract.
        |group| unsafe { blocks_w(group, sendbuf, sendcounts, sdispls, sendtypes, "sendbuf") },
        // SAFETY: the caller's contract.
        |group| unsafe { blocks_w(group, recvbuf, recvcounts, rdispls, recvtypes, "recvbuf") },
    )?;
    plan_exchange(all, comm, name, Planner::alltoall)
}
