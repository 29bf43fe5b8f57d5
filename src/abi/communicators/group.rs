//! Groups of processes (MPI 4.1 §7.3). Everything here is local.

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::comm::group::{self, Group, Likeness};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{comm, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::c_int;
use std::sync::Arc;

/// Gives a new group its handle, and puts that into its place.
pub fn publish(newgroup: Mut<MPI_Group>, make: impl FnOnce() -> Result<Group>) -> Result<()> {
    let newgroup = newgroup.out("newgroup")?;
    newgroup.set(group::publish(&Arc::new(make()?))?);
    Ok(())
}

/// Gives the group of a communicator (the local one of an intercommunicator): the same handle each time, to be freed as often.
///
/// MPI 4.1 §7.3.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_group(comm: MPI_Comm, group: Mut<MPI_Group>) -> c_int {
    let members = &comm::get(comm)?.group;
    let group = group.out("group")?;
    group.set(group::publish(members)?);
    Ok(())
}

/// Gives the number of processes of a group.
///
/// MPI 4.1 §7.3.1. Errors: `MPI_ERR_GROUP`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_size(group: MPI_Group, size: Mut<c_int>) -> c_int {
    let group = group::get(group)?;
    size.out("size")?.set(group.size() as c_int);
    Ok(())
}

/// Gives the caller's rank in a group, `MPI_UNDEFINED` if it is not in it.
///
/// MPI 4.1 §7.3.1. Errors: `MPI_ERR_GROUP`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_rank(group: MPI_Group, rank: Mut<c_int>) -> c_int {
    let group = group::get(group)?;
    let rank = rank.out("rank")?;
    rank.set(group.rank.map_or(MPI_UNDEFINED, |r| r as c_int));
    Ok(())
}

/// Gives the ranks in `group2` of the processes with the `n` ranks `ranks1` in `group1`: `MPI_UNDEFINED` for who is not
/// there, `MPI_PROC_NULL` for `MPI_PROC_NULL`.
///
/// MPI 4.1 §7.3.1. Errors: `MPI_ERR_GROUP`, `MPI_ERR_ARG` (negative `n`, null pointer), `MPI_ERR_RANK`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_translate_ranks(
    group1: MPI_Group,
    n: c_int,
    ranks1: In<c_int>,
    group2: MPI_Group,
    ranks2: Mut<c_int>,
) -> c_int {
    let (group1, group2) = (group::get(group1)?, group::get(group2)?);
    let n = number(n, "n")?;
    let translated = group1.translate(ranks1.slice(n, "ranks1")?, &group2)?;
    ranks2.slice_mut(n, "ranks2")?.copy_from_slice(&translated);
    Ok(())
}

/// Compares two groups: `MPI_IDENT` (same processes, same order), `MPI_SIMILAR` (same processes) or `MPI_UNEQUAL`.
///
/// MPI 4.1 §7.3.1. Errors: `MPI_ERR_GROUP`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_compare(
    group1: MPI_Group,
    group2: MPI_Group,
    result: Mut<c_int>,
) -> c_int {
    let (group1, group2) = (group::get(group1)?, group::get(group2)?);
    let result = result.out("result")?;
    result.set(match group1.compare(&group2) {
        Likeness::Identical => MPI_IDENT,
        Likeness::Similar => MPI_SIMILAR,
        Likeness::Unequal => MPI_UNEQUAL,
    });
    Ok(())
}

/// Makes the group of all of `group1`, followed by those of `group2` that are not in it.
///
/// MPI 4.1 §7.3.2. Errors: `MPI_ERR_GROUP`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_union(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: Mut<MPI_Group>,
) -> c_int {
    let (group1, group2) = (group::get(group1)?, group::get(group2)?);
    publish(newgroup, || Ok(group1.union(&group2)))
}

/// Makes the group of those of `group1` that are in `group2`, in the order of `group1`.
///
/// MPI 4.1 §7.3.2. Errors: as `MPI_Group_union`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_intersection(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: Mut<MPI_Group>,
) -> c_int {
    let (group1, group2) = (group::get(group1)?, group::get(group2)?);
    publish(newgroup, || Ok(group1.intersection(&group2)))
}

/// Makes the group of those of `group1` that are not in `group2`, in the order of `group1`.
///
/// MPI 4.1 §7.3.2. Errors: as `MPI_Group_union`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_difference(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: Mut<MPI_Group>,
) -> c_int {
    let (group1, group2) = (group::get(group1)?, group::get(group2)?);
    publish(newgroup, || Ok(group1.difference(&group2)))
}

/// Makes the group of the `n` processes with the ranks `ranks` in `group`, in that order.
///
/// MPI 4.1 §7.3.2. Errors: `MPI_ERR_GROUP`, `MPI_ERR_ARG` (negative `n`, null pointer), `MPI_ERR_RANK` (no rank of the
/// group, or twice the same), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_incl(
    group: MPI_Group,
    n: c_int,
    ranks: In<c_int>,
    newgroup: Mut<MPI_Group>,
) -> c_int {
    let group = group::get(group)?;
    let ranks = ranks.slice(number(n, "n")?, "ranks")?;
    publish(newgroup, || group.include(ranks))
}

/// Makes the group of all of `group` but the `n` processes with the ranks `ranks`, in the order of `group`.
///
/// MPI 4.1 §7.3.2. Errors: as `MPI_Group_incl`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_excl(
    group: MPI_Group,
    n: c_int,
    ranks: In<c_int>,
    newgroup: Mut<MPI_Group>,
) -> c_int {
    let group = group::get(group)?;
    let ranks = ranks.slice(number(n, "n")?, "ranks")?;
    publish(newgroup, || group.exclude(ranks))
}

/// Makes the group of the processes whose ranks `n` ranges (first, last, stride) name, in that order.
///
/// MPI 4.1 §7.3.2. Errors: as `MPI_Group_incl`, and `MPI_ERR_ARG` (a stride of 0 or away from the last rank).
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_range_incl(
    group: MPI_Group,
    n: c_int,
    ranges: Mut<[c_int; 3]>,
    newgroup: Mut<MPI_Group>,
) -> c_int {
    let group = group::get(group)?;
    let ranges = ranges.slice(number(n, "n")?, "ranges")?;
    publish(newgroup, || group.include(&group.expand(ranges)?))
}

/// Makes the group of all of `group` but the processes whose ranks `n` ranges (first, last, stride) name.
///
/// MPI 4.1 §7.3.2. Errors: as `MPI_Group_range_incl`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_range_excl(
    group: MPI_Group,
    n: c_int,
    ranges: Mut<[c_int; 3]>,
    newgroup: Mut<MPI_Group>,
) -> c_int {
    let group = group::get(group)?;
    let ranges = ranges.slice(number(n, "n")?, "ranges")?;
    publish(newgroup, || group.exclude(&group.expand(ranges)?))
}

/// Ends a group's handle, if it was freed as often as it was given, and sets `*group` to `MPI_GROUP_NULL`.
///
/// MPI 4.1 §7.3.3. Errors: `MPI_ERR_GROUP`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_free(group: Mut<MPI_Group>) -> c_int {
    let mut group = group.inout("group")?;
    group::free(*group)?;
    *group = MPI_GROUP_NULL;
    Ok(())
}
