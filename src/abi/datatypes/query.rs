//! What a datatype was made of, and how many of it a status counts (MPI 4.1 §5.1.13, §5.1.11, §3.2.5).
//!
//! All of these are local and do not block.

use crate::abi::boundary::arguments::{count, inout, input, number, out, slice_mut};
use crate::abi::boundary::counts::Number;
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
pub unsafe extern "C" fn MPI_Type_get_envelope(
    datatype: MPI_Datatype,
    num_integers: *mut c_int,
    num_addresses: *mut c_int,
    num_datatypes: *mut c_int,
    combiner: *mut c_int,
) -> c_int {
    let envelope = small(datatype::get(datatype)?)?;
    // SAFETY: what is not null are places for an `int`.
    let (integers, addresses, types, combiner) = unsafe {
        (
            out(num_integers, "num_integers")?,
            out(num_addresses, "num_addresses")?,
            out(num_datatypes, "num_datatypes")?,
            out(combiner, "combiner")?,
        )
    };
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
pub unsafe extern "C" fn MPI_Type_get_envelope_c(
    datatype: MPI_Datatype,
    num_integers: *mut MPI_Count,
    num_addresses: *mut MPI_Count,
    num_large_counts: *mut MPI_Count,
    num_datatypes: *mut MPI_Count,
    combiner: *mut c_int,
) -> c_int {
    let envelope = datatype::get(datatype)?.envelope();
    // SAFETY: what is not null are places for an `MPI_Count` or an `int`.
    let (integers, addresses, counts, types, combiner) = unsafe {
        (
            out(num_integers, "num_integers")?,
            out(num_addresses, "num_addresses")?,
            out(num_large_counts, "num_large_counts")?,
            out(num_datatypes, "num_datatypes")?,
            out(combiner, "combiner")?,
        )
    };
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
pub unsafe extern "C" fn MPI_Type_get_contents(
    datatype: MPI_Datatype,
    max_integers: c_int,
    max_addresses: c_int,
    max_datatypes: c_int,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut MPI_Aint,
    array_of_datatypes: *mut MPI_Datatype,
) -> c_int {
    let envelope = small(derived(datatype)?)?;
    // SAFETY: what is not null are arrays of the lengths given.
    unsafe {
        fill(
            "integers",
            &envelope.integers,
            max_integers,
            array_of_integers,
        )?;
        fill(
            "addresses",
            &envelope.addresses,
            max_addresses,
            array_of_addresses,
        )?;
        hand_out_types(envelope, max_datatypes, array_of_datatypes)
    }
}

/// `MPI_Type_get_contents` for datatypes made by either form of a constructor.
///
/// MPI 4.1 §5.1.13. Errors: `MPI_ERR_TYPE` (also: predefined), `MPI_ERR_ARG` (an array too short, null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_get_contents_c(
    datatype: MPI_Datatype,
    max_integers: MPI_Count,
    max_addresses: MPI_Count,
    max_large_counts: MPI_Count,
    max_datatypes: MPI_Count,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut MPI_Aint,
    array_of_large_counts: *mut MPI_Count,
    array_of_datatypes: *mut MPI_Datatype,
) -> c_int {
    let envelope = derived(datatype)?.envelope();
    // SAFETY: what is not null are arrays of the lengths given.
    unsafe {
        fill(
            "integers",
            &envelope.integers,
            max_integers,
            array_of_integers,
        )?;
        fill(
            "addresses",
            &envelope.addresses,
            max_addresses,
            array_of_addresses,
        )?;
        fill(
            "large_counts",
            &envelope.counts,
            max_large_counts,
            array_of_large_counts,
        )?;
        hand_out_types(envelope, max_datatypes, array_of_datatypes)
    }
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

/// Copies values into an array of `max` elements.
///
/// # Safety
/// `array` must be null or have room for `max` elements.
unsafe fn fill<T: Copy>(
    what: &str,
    values: &[T],
    max: impl Into<i64>,
    array: *mut T,
) -> Result<()> {
    let max = number(max, &format!("max_{what}"))?;
    if max < values.len() {
        bail!(
            Arg,
            "max_{what} is {max}, but the datatype has {} of them",
            values.len()
        );
    }
    // SAFETY: the caller's promise; no more than `max`.
    let array = unsafe { slice_mut(array, values.len(), &format!("array_of_{what}"))? };
    array.copy_from_slice(values);
    Ok(())
}

/// Gives handles of the constituents.
///
/// # Safety
/// `array` must be null or have room for `max` handles.
unsafe fn hand_out_types(
    envelope: &Envelope,
    max: impl Into<i64>,
    array: *mut MPI_Datatype,
) -> Result<()> {
    let max = number(max, "max_datatypes")?;
    if max < envelope.types.len() {
        bail!(
            Arg,
            "max_datatypes is {max}, but the datatype has {} of them",
            envelope.types.len()
        );
    }
    // SAFETY: the caller's promise; no more than `max`.
    let array = unsafe { slice_mut(array, envelope.types.len(), "array_of_datatypes")? };
    for (place, object) in array.iter_mut().zip(&envelope.types) {
        *place = datatype::hand_out(object)?;
    }
    Ok(())
}

/// The elements of `datatype` that a status counts: `entries` whole ones, or basic elements.
///
/// # Safety
/// `status` must be null or point to a status.
unsafe fn counted(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    of: impl FnOnce(&Datatype, usize) -> Option<usize>,
) -> Result<Option<usize>> {
    if status.cast_mut() == MPI_STATUS_IGNORE {
        bail!(Arg, "status is MPI_STATUS_IGNORE, which has no fields");
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { input(status, "status")? }.count();
    let object = datatype::get(datatype)?;
    Ok(of(object, bytes as usize))
}

/// Gives how many whole elements of `datatype` were received; `MPI_UNDEFINED` if not a whole number, or too many for
/// an `int`.
///
/// MPI 4.1 §3.2.5. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Get_count(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut Count,
) -> c_int {
    // SAFETY: what is not null is a status, and a place for a number.
    let (n, count) = unsafe {
        (
            counted(status, datatype, Datatype::entries_in)?,
            out(count, "count")?,
        )
    };
    count.set(Number::or_undefined(n));
    Ok(())
}

/// Gives how many basic elements were received; `MPI_UNDEFINED` if too many for an `int`.
///
/// MPI 4.1 §5.1.11. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Get_elements(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut Count,
) -> c_int {
    // SAFETY: what is not null is a status, and a place for a number.
    let (n, count) = unsafe { (counted(status, datatype, elements)?, out(count, "count")?) };
    count.set(Number::or_undefined(n));
    Ok(())
}

/// `MPI_Get_elements` with a large count. Deprecated in favour of `MPI_Get_elements_c`.
///
/// MPI 4.1 §16.5. Errors: as `MPI_Get_elements`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Get_elements_x(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut MPI_Count,
) -> c_int {
    // SAFETY: what is not null is a status, and a place for a number.
    let (n, count) = unsafe { (counted(status, datatype, elements)?, out(count, "count")?) };
    count.set(Number::or_undefined(n));
    Ok(())
}

fn elements(object: &Datatype, bytes: usize) -> Option<usize> {
    object.signature().elements_in(bytes)
}

/// Sets the number of basic elements that a status counts.
///
/// # Safety
/// `status` must be null or point to a status.
unsafe fn set_elements(
    status: *mut MPI_Status,
    datatype: MPI_Datatype,
    n: impl Into<i64>,
) -> Result<()> {
    if status == MPI_STATUS_IGNORE {
        bail!(Arg, "status is MPI_STATUS_IGNORE, which has no fields");
    }
    // SAFETY: the caller's promise.
    let status = unsafe { inout(status, "status")? };
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
pub unsafe extern "C" fn MPI_Status_set_elements(
    status: *mut MPI_Status,
    datatype: MPI_Datatype,
    count: Count,
) -> c_int {
    // SAFETY: what is not null is a status.
    unsafe { set_elements(status, datatype, count) }
}

/// `MPI_Status_set_elements` with a large count. Deprecated in favour of `MPI_Status_set_elements_c`.
///
/// MPI 4.1 §16.5. Errors: as `MPI_Status_set_elements`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Status_set_elements_x(
    status: *mut MPI_Status,
    datatype: MPI_Datatype,
    count: MPI_Count,
) -> c_int {
    // SAFETY: what is not null is a status.
    unsafe { set_elements(status, datatype, count) }
}
