//! The arguments of collective operations become vectors: checked, and `MPI_IN_PLACE` understood.
//!
//! Buffers are what the caller of the MPI function says: their memory is the operation's until it is complete, and arrays have
//! an element for each process.

use crate::abi::boundary::arguments::count;
use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::In;
use crate::check::buffers::Access;
use crate::coll::{Element, Root, Vector};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::op::{self, Op};
use crate::{bail, check, coll, comm, datatype, err};
use std::ffi::{c_int, c_void};

/// Errors: `MPI_ERR_BUFFER`, `MPI_ERR_COUNT`.
#[inline(always)]
pub fn memory(address: usize, count: usize, element: Element, name: &str) -> Result<Vector> {
    // SAFETY: that a buffer is as long as its count and datatype say is the promise of the MPI function's caller.
    let vector = unsafe { Vector::new(address, count, element) };
    vector.check(name)?;
    if check::is_on() {
        match name {
            "sendbuf" => tell_use(Access::Read, &vector, name)?,
            "recvbuf" => tell_use(Access::Write, &vector, name)?,
            // Who knows the root says it.
            _ => {}
        }
    }
    Ok(vector)
}

/// Where this job is checked: the call uses that memory.
#[cold]
pub fn tell_use(access: Access, vector: &Vector, name: &str) -> Result<()> {
    vector.buffer()?.tell_use(access, name);
    Ok(())
}

#[inline]
pub fn in_place(address: In<c_void>) -> bool {
    address.pointer() == MPI_IN_PLACE.cast_const()
}

#[inline(always)]
pub fn vector(
    address: In<c_void>,
    n: impl Number,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Vector> {
    let (n, element) = (count(n.wide(), "count")?, Element::new(datatype)?);
    memory(address.pointer().expose_provenance(), n, element, name)
}

/// The memory of a buffer, unless it is in place.
#[inline(always)]
pub fn vector_or_in_place(
    address: In<c_void>,
    n: impl Number,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Option<Vector>> {
    match in_place(address) {
        true => Ok(None),
        false => vector(address, n, datatype, name).map(Some),
    }
}

/// The communicator of a call that gives and takes nothing, if the call is in order and in one group: then it is done, and nobody
/// waits for the others. (`None` says nothing.)
#[inline(always)]
pub fn nothing<const N: usize>(
    comm: MPI_Comm,
    buffers: [(In<c_void>, i64, MPI_Datatype); N],
) -> Option<&'static Comm> {
    let empty = |(address, n, datatype)| {
        n == 0 && !in_place(address) && datatype::find_committed(datatype).is_some()
    };
    let comm = comm::find(comm)?;
    (comm.remote.is_none() && buffers.into_iter().all(empty)).then_some(comm)
}

/// The same of a call with a root, which alone has the second buffer.
#[inline(always)]
pub fn nothing_rooted(
    comm: MPI_Comm,
    root: c_int,
    own: (In<c_void>, i64, MPI_Datatype),
    at_root: (In<c_void>, i64, MPI_Datatype),
) -> bool {
    nothing(comm, [own]).is_some_and(|group| match usize::try_from(root) {
        Ok(root) if root == group.rank => nothing(comm, [at_root]).is_some(),
        Ok(root) => root < group.size(),
        Err(_) => false,
    })
}

/// Whether there are counts and displacements, and all counts are 0.
#[inline(always)]
pub fn all_zero<N: Number, D: Number>(comm: &Comm, counts: In<N>, displs: In<D>) -> bool {
    let counts = counts.slice(comm.size(), "counts");
    counts.is_ok_and(|counts| counts.iter().all(|n| n.wide() == 0))
        && displs.slice(comm.size(), "displs").is_ok()
}

/// Takes part in an operation with a root, `name`, to which this process gives nothing and from which it takes nothing, but others
/// may: `own` is what each process has, `of_all` what the root has. False if nothing was done.
#[inline(always)]
pub fn passed_rooted<N: Number, D: Number>(
    comm: MPI_Comm,
    name: &str,
    root: c_int,
    own: (In<c_void>, i64, MPI_Datatype),
    (at_root, counts, displs, datatype): (In<c_void>, In<N>, In<D>, MPI_Datatype),
) -> bool {
    nothing(comm, [own]).is_some_and(|group| {
        let passes = match usize::try_from(root) {
            Ok(root) if root == group.rank => {
                nothing(comm, [(at_root, 0, datatype)]).is_some() && all_zero(group, counts, displs)
            }
            Ok(root) => root < group.size(),
            Err(_) => false,
        };
        passes && coll::pass(group, name)
    })
}

/// A block of `n` elements for each peer, one after the other.
pub fn blocks(
    comm: &Comm,
    address: In<c_void>,
    n: impl Number,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Vec<Vector>> {
    let n = count(n.wide(), "count")?;
    let size = comm.peers().size();
    let all = n
        .checked_mul(size)
        .ok_or_else(|| err!(Count, "count is {n}, too many for {size} processes"))?;
    let all = memory(
        address.pointer().expose_provenance(),
        all,
        Element::new(datatype)?,
        name,
    )?;
    Ok((0..size).map(|i| all.part(i * n, n)).collect())
}

/// Blocks with a count and a displacement (in elements) each.
pub fn blocks_v<N: Number, D: Number>(
    comm: &Comm,
    address: In<c_void>,
    counts: In<N>,
    displs: In<D>,
    datatype: MPI_Datatype,
    name: &str,
) -> Result<Vec<Vector>> {
    let element = Element::new(datatype)?;
    let extent = element.datatype.extent() as i64;
    let size = comm.peers().size();
    let (counts, displs) = (counts.slice(size, "counts")?, displs.slice(size, "displs")?);
    let block = |(&n, &displacement): (&N, &D)| {
        let skip = displacement.wide().wrapping_mul(extent) as isize;
        let begin = address
            .pointer()
            .expose_provenance()
            .wrapping_add_signed(skip);
        memory(begin, count(n.wide(), "counts[i]")?, element.clone(), name)
    };
    counts.iter().zip(displs).map(block).collect()
}

/// Blocks with a count, a displacement (in bytes) and a datatype each.
pub fn blocks_w<N: Number, D: Number>(
    comm: &Comm,
    address: In<c_void>,
    counts: In<N>,
    displs: In<D>,
    types: In<MPI_Datatype>,
    name: &str,
) -> Result<Vec<Vector>> {
    let size = comm.peers().size();
    let (counts, displs, types) = (
        counts.slice(size, "counts")?,
        displs.slice(size, "displs")?,
        types.handles(size, "types")?,
    );
    let block = |i: usize| {
        let skip = displs[i].wide() as isize;
        let begin = address
            .pointer()
            .expose_provenance()
            .wrapping_add_signed(skip);
        let n = count(counts[i].wide(), "counts[i]")?;
        memory(begin, n, Element::new(types[i])?, name)
    };
    (0..size).map(block).collect()
}

#[inline]
pub fn checked_root(comm: &Comm, root: c_int) -> Result<Root> {
    let inter = comm.remote.is_some();
    let size = comm.peers().size();
    match (root, usize::try_from(root)) {
        (MPI_ROOT, _) if inter => Ok(Root::Here),
        (MPI_PROC_NULL, _) if inter => Ok(Root::Elsewhere),
        (_, Ok(rank)) if rank == comm.rank && !inter => Ok(Root::Here),
        (_, Ok(rank)) if rank < size => Ok(Root::There(rank)),
        _ if inter => bail!(
            Root,
            "root is {root}, but the other group has {size} processes"
        ),
        _ => bail!(
            Root,
            "root is {root}, but the communicator has {size} processes"
        ),
    }
}

/// Refuses `MPI_IN_PLACE` between two groups.
#[inline]
pub fn not_in_place_across(comm: &Comm, address: In<c_void>, name: &str) -> Result<()> {
    match comm.remote {
        Some(_) => not_in_place(address, name),
        None => Ok(()),
    }
}

/// Refuses `MPI_IN_PLACE` where it has no meaning.
#[inline]
pub fn not_in_place(address: In<c_void>, name: &str) -> Result<()> {
    if in_place(address) {
        bail!(Buffer, "{name} is MPI_IN_PLACE, which has no meaning here");
    }
    Ok(())
}

/// The operation, if it can reduce elements of this datatype.
#[inline]
pub fn checked_op(op: MPI_Op, datatype: MPI_Datatype) -> Result<Op> {
    let op = op::get(op)?;
    op.check_reduction(datatype::get_committed(datatype)?)?;
    Ok(*op)
}

/// Refuses one memory for what goes out and what comes in: arguments must not be aliased (MPI 4.1 §2.3).
#[inline]
pub fn not_aliased<'a>(
    send: impl IntoIterator<Item = &'a Vector>,
    receive: impl IntoIterator<Item = &'a Vector>,
) -> Result<()> {
    for (send, receive) in send.into_iter().zip(receive) {
        if send.is_at(receive) && send.bytes() > 0 && receive.bytes() > 0 {
            bail!(
                Buffer,
                "sendbuf and recvbuf are the same memory, {:#x}: MPI_IN_PLACE is how to ask for that",
                receive.address()
            );
        }
    }
    Ok(())
}
