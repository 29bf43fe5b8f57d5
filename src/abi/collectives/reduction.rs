//! Collective operations that reduce (MPI 4.1 §6.9-§6.13). Which form blocks, and what else there is of errors, is in
//! [`movement`](super::movement).

use crate::abi::boundary::arguments::count as number_of;
use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::collectives::arguments::*;
use crate::abi::collectives::short;
use crate::coll::{Collective, Root, Vector};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::types::*;
use crate::op::Op;
use crate::{comm, err, mpi_forms};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// The operands of a reduction: what goes in and where the result goes, the same if in place.
#[inline(always)]
fn operands(
    comm: &Comm,
    sendbuf: In<c_void>,
    recvbuf: Mut<c_void>,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<(Op, Vector, Vector)> {
    not_in_place(recvbuf.into(), "recvbuf")?;
    not_in_place_across(comm, sendbuf, "sendbuf")?;
    let op = checked_op(op, datatype)?;
    let out = vector(recvbuf.into(), n, datatype, "recvbuf")?;
    let mine = vector_or_in_place(sendbuf, n, datatype, "sendbuf")?;
    not_aliased(&mine, [&out])?;
    Ok((op, mine.unwrap_or_else(|| out.clone()), out))
}

/// Everybody's elements are reduced, and shared out as `counts` say.
fn reduced_and_scattered(
    comm: &Comm,
    sendbuf: In<c_void>,
    recvbuf: Mut<c_void>,
    counts: Vec<usize>,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<Collective> {
    not_in_place(recvbuf.into(), "recvbuf")?;
    not_in_place_across(comm, sendbuf, "sendbuf")?;
    let op = checked_op(op, datatype)?;
    let add = |all: i64, &n: &usize| all.checked_add(n as i64);
    let total = counts
        .iter()
        .try_fold(0, add)
        .ok_or_else(|| err!(Count, "the counts add up to more than fits in memory"))?;
    let own = counts[comm.rank];
    let (mine, out) = if in_place(sendbuf) {
        let all = vector(recvbuf.into(), total, datatype, "recvbuf")?;
        (all.clone(), all.part(0, own))
    } else {
        let mine = vector(sendbuf, total, datatype, "sendbuf")?;
        let out = vector(recvbuf.into(), own as i64, datatype, "recvbuf")?;
        not_aliased([&mine], [&out])?;
        (mine, out)
    };
    Ok(Collective::ReduceScatter {
        op,
        mine,
        counts,
        out,
    })
}

/// Reduces everybody's elements into the root's.
///
/// MPI 4.1 §6.9.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_ROOT`, `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init)]
#[quick(short::reduce(
    FUNCTION,
    comm,
    root,
    sendbuf,
    (recvbuf.into(), count.wide(), datatype),
    op
))]
fn reduce(
    sendbuf: In<c_void>,
    recvbuf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let what = match checked_root(comm, root)? {
        Root::Elsewhere => Collective::Nothing,
        root => {
            let (op, mine, out) = match root {
                Root::Here if comm.remote.is_none() => {
                    let (op, mine, out) = operands(comm, sendbuf, recvbuf, count, datatype, op)?;
                    (op, Some(mine), Some(out))
                }
                Root::Here => {
                    not_in_place(recvbuf.into(), "recvbuf")?;
                    let op = checked_op(op, datatype)?;
                    (
                        op,
                        None,
                        Some(vector(recvbuf.into(), count, datatype, "recvbuf")?),
                    )
                }
                _ => {
                    not_in_place(sendbuf, "sendbuf")?;
                    let op = checked_op(op, datatype)?;
                    (op, Some(vector(sendbuf, count, datatype, "sendbuf")?), None)
                }
            };
            Collective::Reduce {
                op,
                mine,
                out,
                root,
            }
        }
    };
    Ok((comm, what))
}

/// Reduces everybody's elements; everybody gets the result.
///
/// MPI 4.1 §6.9.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init)]
#[quick(short::allreduce(
    FUNCTION,
    comm,
    sendbuf,
    (recvbuf.into(), count.wide(), datatype),
    op
))]
fn allreduce(
    sendbuf: In<c_void>,
    recvbuf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let (op, mine, out) = operands(comm, sendbuf, recvbuf, count, datatype, op)?;
    let what = Collective::Allreduce { op, mine, out };
    Ok((comm, what))
}

/// Reduces everybody's elements; each process gets a block of the result.
///
/// MPI 4.1 §6.10.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(
    MPI_Reduce_scatter_block,
    MPI_Ireduce_scatter_block,
    MPI_Reduce_scatter_block_init
)]
#[quick(short::reduce_scatter_block(
    FUNCTION,
    comm,
    sendbuf,
    (recvbuf.into(), recvcount.wide(), datatype),
    op
))]
fn reduce_scatter_block(
    sendbuf: In<c_void>,
    recvbuf: Mut<c_void>,
    recvcount: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let counts = vec![number_of(recvcount, "recvcount")?; comm.size()];
    let what = reduced_and_scattered(comm, sendbuf, recvbuf, counts, datatype, op)?;
    Ok((comm, what))
}

/// Reduces everybody's elements; each process gets a block of its own length of the result.
///
/// MPI 4.1 §6.10.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init)]
#[twice]
#[quick(short::reduce_scatter(
    FUNCTION,
    comm,
    sendbuf,
    (recvbuf.into(), recvcounts, datatype),
    op
))]
fn reduce_scatter(
    sendbuf: In<c_void>,
    recvbuf: Mut<c_void>,
    recvcounts: In<Count>,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get(comm)?;
    let counts = recvcounts.slice(comm.size(), "recvcounts")?;
    let counts = counts.iter().map(|n| number_of(n.wide(), "recvcounts[i]"));
    let counts = counts.collect::<Result<_>>()?;
    let what = reduced_and_scattered(comm, sendbuf, recvbuf, counts, datatype, op)?;
    Ok((comm, what))
}

/// Reduces the elements of the processes up to and with this one.
///
/// MPI 4.1 §6.11.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Scan, MPI_Iscan, MPI_Scan_init)]
fn scan(
    sendbuf: In<c_void>,
    recvbuf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get_intra(comm)?;
    let (op, mine, out) = operands(comm, sendbuf, recvbuf, count, datatype, op)?;
    let what = Collective::Scan { op, mine, out };
    Ok((comm, what))
}

/// Reduces the elements of the processes before this one.
///
/// MPI 4.1 §6.11.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_OP`,
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(MPI_Exscan, MPI_Iexscan, MPI_Exscan_init)]
fn exscan(
    sendbuf: In<c_void>,
    recvbuf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Call {
    let comm = comm::get_intra(comm)?;
    let (op, mine, out) = operands(comm, sendbuf, recvbuf, count, datatype, op)?;
    let what = Collective::Exscan { op, mine, out };
    Ok((comm, what))
}
