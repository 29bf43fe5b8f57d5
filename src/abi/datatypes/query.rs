//! What a datatype was made of, and how many of it a status counts (MPI 4.1 §5.1.13, §5.1.11, §3.2.5).
//!
//! All of these are local and do not block.

use crate::abi::boundary::arguments::{count, number};
use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::datatype::{self, Datatype, Envelope};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, err, mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// Tells how a datatype was made: the combiner, and how many arguments `MPI_Type_get_contents` gives.
///
/// MPI 4.1 §5.1.13. Errors: `MPI_ERR_TYPE` (also: made by the large count form of a constructor), `MPI_ERR_ARG` (null
/// pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_get_envelope(
    datatype: MPI_Datatype,
    num_integers: Mut<c_int>,
    num_addresses: Mut<c_int>,
    num_datatypes: Mut<c_int>,
    combiner: Mut<c_int>,
) -> c_int {
    let envelope = small(datatype::get(datatype)?)?;
    let (integers, addresses, types, combiner) = (
        num_integers.out("num_integers")?,
        num_addresses.out("num_addresses")?,
        num_datatypes.out("num_datatypes")?,
        combiner.out("combiner")?,
    );
    integers.set(envelope.integers.len() as c_int);
    addresses.set(envelope.addresses.len() as c_int);
    types.set(envelope.types.len() as c_int);
    combiner.set(envelope.combiner);
    Ok(())
}

/// `MPI_Type_get_envelope` for datatypes made by either form of a constructor.
///
/// MPI 4.1 §5.1.13. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_get_envelope_c(
    datatype: MPI_Datatype,
    num_integers: Mut<MPI_Count>,
    num_addresses: Mut<MPI_Count>,
    num_large_counts: Mut<MPI_Count>,
    num_datatypes: Mut<MPI_Count>,
    combiner: Mut<c_int>,
) -> c_int {
    let envelope = datatype::get(datatype)?.envelope();
    let (integers, addresses, counts, types, combiner) = (
        num_integers.out("num_integers")?,
        num_addresses.out("num_addresses")?,
        num_large_counts.out("num_large_counts")?,
        num_datatypes.out("num_datatypes")?,
        combiner.out("combiner")?,
    );
    integers.set(envelope.integers.len() as MPI_Count);
    addresses.set(envelope.addresses.len() as MPI_Count);
    counts.set(envelope.counts.len() as MPI_Count);
    types.set(envelope.types.len() as MPI_Count);
    combiner.set(envelope.combiner);
    Ok(())
}

/// Gives the arguments that a derived datatype was made with. Derived constituents come with new handles, which the
/// caller frees.
///
/// MPI 4.1 §5.1.13. Errors: `MPI_ERR_TYPE` (also: predefined, or made by the large count form of a constructor),
/// `MPI_ERR_ARG` (an array too short, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_get_contents(
    datatype: MPI_Datatype,
    max_integers: c_int,
    max_addresses: c_int,
    max_datatypes: c_int,
    array_of_integers: Mut<c_int>,
    array_of_addresses: Mut<MPI_Aint>,
    array_of_datatypes: Mut<MPI_Datatype>,
) -> c_int {
    hand_out(
        small(derived(datatype)?)?,
        (max_integers, array_of_integers),
        (max_addresses, array_of_addresses),
        (max_datatypes, array_of_datatypes),
    )
}

/// `MPI_Type_get_contents` for datatypes made by either form of a constructor.
///
/// MPI 4.1 §5.1.13. Errors: `MPI_ERR_TYPE` (also: predefined), `MPI_ERR_ARG` (an array too short, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_get_contents_c(
    datatype: MPI_Datatype,
    max_integers: MPI_Count,
    max_addresses: MPI_Count,
    max_large_counts: MPI_Count,
    max_datatypes: MPI_Count,
    array_of_integers: Mut<c_int>,
    array_of_addresses: Mut<MPI_Aint>,
    array_of_large_counts: Mut<MPI_Count>,
    array_of_datatypes: Mut<MPI_Datatype>,
) -> c_int {
    let envelope = derived(datatype)?.envelope();
    let counts = (max_large_counts, array_of_large_counts);
    fill("large_counts", &envelope.counts, counts)?;
    hand_out(
        envelope,
        (max_integers, array_of_integers),
        (max_addresses, array_of_addresses),
        (max_datatypes, array_of_datatypes),
    )
}

/// A datatype that was made by a constructor.
fn derived(handle: MPI_Datatype) -> Result<&'static Datatype> {
    let object = datatype::get(handle)?;
    if object.envelope().combiner == MPI_COMBINER_NAMED {
        bail!(
            Type,
            "datatype is {}, which is predefined and has no contents",
            String::from_utf8_lossy(&object.name())
        );
    }
    Ok(object)
}

/// The envelope of a datatype made without large counts.
fn small(object: &'static Datatype) -> Result<&'static Envelope> {
    let envelope = object.envelope();
    if !envelope.counts.is_empty() {
        bail!(
            Type,
            "the datatype was made with {} large counts: ask with the _c form of this function",
            envelope.counts.len()
        );
    }
    Ok(envelope)
}

/// Copies values into an array that takes `max` elements.
fn fill<T: Foreign>(
    what: &str,
    values: &[T],
    (max, array): (impl Into<i64>, Mut<T>),
) -> Result<()> {
    let (max, len) = (number(max, &format!("max_{what}"))?, values.len());
    if max < len {
        bail!(
            Arg,
            "max_{what} is {max}, but the datatype has {len} of them"
        );
    }
    array.fill(values, &format!("array_of_{what}"))
}

/// Gives what both forms give: integers, addresses, and handles of the constituents, each with how many the array takes.
fn hand_out<N: Into<i64>>(
    envelope: &Envelope,
    integers: (N, Mut<c_int>),
    addresses: (N, Mut<MPI_Aint>),
    datatypes: (N, Mut<MPI_Datatype>),
) -> Result<()> {
    fill("integers", &envelope.integers, integers)?;
    fill("addresses", &envelope.addresses, addresses)?;
    let handles = envelope.types.iter().map(datatype::hand_out);
    fill(
        "datatypes",
        &handles.collect::<Result<Vec<_>>>()?,
        datatypes,
    )
}

/// The elements of `datatype` that a status counts: `entries` whole ones, or basic elements.
fn counted(
    status: In<MPI_Status>,
    datatype: MPI_Datatype,
    of: impl FnOnce(&Datatype, usize) -> Option<usize>,
) -> Result<Option<usize>> {
    if status.pointer() == MPI_STATUS_IGNORE {
        bail!(Arg, "status is MPI_STATUS_IGNORE, which has no fields");
    }
    let bytes = status.input("status")?.count();
    let object = datatype::get(datatype)?;
    Ok(of(object, bytes as usize))
}

/// Gives how many whole elements of `datatype` were received; `MPI_UNDEFINED` if not a whole number, or too many for
/// an `int`.
///
/// MPI 4.1 §3.2.5. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Get_count(
    status: In<MPI_Status>,
    datatype: MPI_Datatype,
    count: Mut<Count>,
) -> c_int {
    let (n, count) = (
        counted(status, datatype, Datatype::entries_in)?,
        count.out("count")?,
    );
    count.set(Number::or_undefined(n));
    Ok(())
}

/// Gives how many basic elements were received; `MPI_UNDEFINED` if too many for an `int`.
///
/// MPI 4.1 §5.1.11. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Get_elements(
    status: In<MPI_Status>,
    datatype: MPI_Datatype,
    count: Mut<Count>,
) -> c_int {
    let (n, count) = (counted(status, datatype, elements)?, count.out("count")?);
    count.set(Number::or_undefined(n));
    Ok(())
}

/// `MPI_Get_elements` with a large count. Deprecated in favour of `MPI_Get_elements_c`.
///
/// MPI 4.1 §16.5. Errors: as `MPI_Get_elements`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Get_elements_x(
    status: In<MPI_Status>,
    datatype: MPI_Datatype,
    count: Mut<MPI_Count>,
) -> c_int {
    let (n, count) = (counted(status, datatype, elements)?, count.out("count")?);
    count.set(Number::or_undefined(n));
    Ok(())
}

fn elements(object: &Datatype, bytes: usize) -> Option<usize> {
    object.signature().elements_in(bytes)
}

/// Sets the number of basic elements that a status counts.
fn set_elements(status: Mut<MPI_Status>, datatype: MPI_Datatype, n: impl Into<i64>) -> Result<()> {
    if status.pointer() == MPI_STATUS_IGNORE {
        bail!(Arg, "status is MPI_STATUS_IGNORE, which has no fields");
    }
    let mut status = status.inout("status")?;
    let object = datatype::get(datatype)?;
    let n = count(n, "count")?;
    let bytes = if object.size() == 0 {
        0
    } else {
        object
            .signature()
            .bytes_of(n)
            .filter(|&bytes| bytes <= isize::MAX as usize)
            .ok_or_else(|| {
                err!(
                    Count,
                    "count is {n}, and that many elements do not fit in memory"
                )
            })?
    };
    status.set_count(bytes as u64);
    Ok(())
}

/// Sets the number of basic elements that `MPI_Get_elements` will give.
///
/// MPI 4.1 §13.3. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT`, `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_counts)]
pub extern "C" fn MPI_Status_set_elements(
    status: Mut<MPI_Status>,
    datatype: MPI_Datatype,
    count: Count,
) -> c_int {
    set_elements(status, datatype, count)
}

/// `MPI_Status_set_elements` with a large count. Deprecated in favour of `MPI_Status_set_elements_c`.
///
/// MPI 4.1 §16.5. Errors: as `MPI_Status_set_elements`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_set_elements_x(
    status: Mut<MPI_Status>,
    datatype: MPI_Datatype,
    count: MPI_Count,
) -> c_int {
    set_elements(status, datatype, count)
}
