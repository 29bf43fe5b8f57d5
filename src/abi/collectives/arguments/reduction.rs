//! Reductions (MPI 4.1 §6.9 to §6.11).

use super::{
    Planned, checked_root, in_place, not_aliased, not_in_place, not_in_place_across, nothing,
    vector, vector_or_in_place,
};
use crate::abi::boundary::arguments::{count, slice};
use crate::abi::boundary::counts::Number;
use crate::coll::{Planner, Root, Vector};
use crate::comm::{self, Comm};
use crate::err;
use crate::error::Result;
use crate::mpi::types::*;
use crate::op::{self, Op};
use std::ffi::{c_int, c_void};

/// The operation, if it can reduce elements of this datatype.
fn checked_op(op: MPI_Op, datatype: MPI_Datatype) -> Result<Op> {
    let op = op::get(op)?;
    op.check_reduction(crate::datatype::get_committed(datatype)?)?;
    Ok(*op)
}

/// The operands of a reduction: what goes in and where the result goes, the same if in place.
pub fn operands(
    comm: &Comm,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<(Op, Vector, Vector)> {
    not_in_place(recvbuf, "recvbuf")?;
    not_in_place_across(comm, sendbuf, "sendbuf")?;
    let op = checked_op(op, datatype)?;
    let out = vector(recvbuf, n, datatype, "recvbuf")?;
    let mine = vector_or_in_place(sendbuf, n, datatype, "sendbuf")?;
    not_aliased(&mine, [&out])?;
    Ok((op, mine.unwrap_or_else(|| out.clone()), out))
}

/// The operands of a reduce: what this process gives and where its result goes, if it has them.
type Reduced = (Root, Op, Option<Vector>, Option<Vector>);

pub fn reduce_operands(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> Result<Option<Reduced>> {
    let group = comm::get(comm)?;
    let root = checked_root(group, root)?;
    let (op, mine, out) = match root {
        Root::Elsewhere => return Ok(None),
        Root::Here if group.remote.is_some() => {
            not_in_place(recvbuf, "recvbuf")?;
            let op = checked_op(op, datatype)?;
            (op, None, Some(vector(recvbuf, n, datatype, "recvbuf")?))
        }
        Root::Here => {
            let (op, mine, out) = operands(group, sendbuf, recvbuf, n, datatype, op)?;
            (op, Some(mine), Some(out))
        }
        Root::There(_) => {
            not_in_place(sendbuf, "sendbuf")?;
            let op = checked_op(op, datatype)?;
            (op, Some(vector(sendbuf, n, datatype, "sendbuf")?), None)
        }
    };
    Ok(Some((root, op, mine, out)))
}

pub fn plan_reduce(reduced: Option<Reduced>, comm: MPI_Comm, name: &'static str) -> Planned {
    let Some((root, op, mine, out)) = reduced else {
        return nothing(comm, name);
    };
    let mut planner = Planner::new(comm, name)?;
    if planner.is_inter() {
        planner.reduce_across(op, mine.as_ref(), out.as_ref(), root)?;
    } else if let (Some(mine), Some(root)) = (&mine, planner.around(root)) {
        planner.reduce_to(op, mine, out.as_ref(), root)?;
    }
    Ok(planner.finish())
}

pub fn reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let reduced = reduce_operands(sendbuf, recvbuf, n, datatype, op, root, comm)?;
    plan_reduce(reduced, comm, name)
}

/// The three that have the same arguments.
#[derive(Clone, Copy)]
pub enum Reduction {
    Allreduce,
    Scan,
    Exscan,
}

pub fn reduction(
    kind: Reduction,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let group = match kind {
        Reduction::Allreduce => comm::get(comm)?,
        Reduction::Scan | Reduction::Exscan => comm::get_intra(comm)?,
    };
    let (op, mine, out) = operands(group, sendbuf, recvbuf, n, datatype, op)?;
    let mut planner = Planner::new(comm, name)?;
    match kind {
        Reduction::Allreduce if planner.is_inter() => planner.allreduce_across(op, &mine, &out)?,
        Reduction::Allreduce => planner.allreduce(op, &mine, &out)?,
        Reduction::Scan => planner.scan(op, &mine, &out)?,
        Reduction::Exscan => planner.exscan(op, &mine, &out)?,
    }
    Ok(planner.finish())
}

fn plan_reduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    counts: &[usize],
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let group = comm::get(comm)?;
    not_in_place(recvbuf, "recvbuf")?;
    not_in_place_across(group, sendbuf, "sendbuf")?;
    let op = checked_op(op, datatype)?;
    let total = counts
        .iter()
        .try_fold(0_i64, |all, &n| all.checked_add(n as i64))
        .ok_or_else(|| err!(Count, "the counts add up to more than fits in memory"))?;
    let (mine, out) = if in_place(sendbuf) {
        let all = vector(recvbuf, total, datatype, "recvbuf")?;
        (all.clone(), all.part(0, counts[group.rank]))
    } else {
        let own = counts[group.rank] as i64;
        let mine = vector(sendbuf, total, datatype, "sendbuf")?;
        let out = vector(recvbuf, own, datatype, "recvbuf")?;
        not_aliased([&mine], [&out])?;
        (mine, out)
    };
    let mut planner = Planner::new(comm, name)?;
    match planner.is_inter() {
        true => planner.reduce_scatter_across(op, &mine, counts, &out)?,
        false => planner.reduce_scatter(op, &mine, counts, &out)?,
    }
    Ok(planner.finish())
}

pub unsafe fn reduce_scatter<N: Number>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const N,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let size = comm::get(comm)?.size();
    // SAFETY: the array has an element for each process.
    let counts = unsafe { slice(recvcounts, size, "recvcounts")? };
    let counts: Result<Vec<usize>> = counts
        .iter()
        .map(|n| count(n.wide(), "recvcounts[i]"))
        .collect();
    plan_reduce_scatter(sendbuf, recvbuf, &counts?, datatype, op, comm, name)
}

pub fn reduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    name: &'static str,
) -> Planned {
    let counts = vec![count(recvcount.wide(), "recvcount")?; comm::get(comm)?.size()];
    plan_reduce_scatter(sendbuf, recvbuf, &counts, datatype, op, comm, name)
}
