//! Datatype objects: commit and free, sizes and extents, names (MPI 4.1 §5.1.5 to §5.1.9, §7.8).
//!
//! All of these are local and do not block.

use crate::abi::boundary::arguments::{inout, out, put_string, string};
use crate::abi::boundary::counts::Number;
use crate::datatype::{self, f90};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int};

/// Makes a datatype ready for communication.
///
/// MPI 4.1 §5.1.9. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_commit(datatype: *mut MPI_Datatype) -> c_int {
    // SAFETY: what is not null is a handle.
    let handle = unsafe { inout(datatype, "datatype")? };
    datatype::get(*handle)?.commit();
    Ok(())
}

/// Frees a datatype and sets the handle to `MPI_DATATYPE_NULL`. Communication and datatypes that use it are not affected.
///
/// MPI 4.1 §5.1.9. Errors: `MPI_ERR_TYPE` (also for a predefined datatype), `MPI_ERR_ARG` (null pointer), what
/// a delete callback returns.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_free(datatype: *mut MPI_Datatype) -> c_int {
    // SAFETY: what is not null is a handle.
    let handle = unsafe { inout(datatype, "datatype")? };
    datatype::free(*handle)?;
    *handle = MPI_DATATYPE_NULL;
    Ok(())
}

/// Makes a datatype with the same elements and state, and with the attributes that their copy callbacks copy.
///
/// MPI 4.1 §5.1.10. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer), what a copy callback returns.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_dup(oldtype: MPI_Datatype, newtype: *mut MPI_Datatype) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let newtype = unsafe { out(newtype, "newtype")? };
    let old = datatype::get_arc(oldtype)?;
    // A copy callback may refuse: then there is no new type.
    newtype.set(MPI_DATATYPE_NULL);
    newtype.set(datatype::insert(datatype::dup(&old, oldtype)?.into())?);
    Ok(())
}

/// Gives the bytes of data in an element, `MPI_UNDEFINED` if they do not fit in an `int`.
///
/// MPI 4.1 §5.1.5. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Type_size(datatype: MPI_Datatype, size: *mut Count) -> c_int {
    // SAFETY: what is not null is a place for a number.
    unsafe { size_of(datatype, size) }
}

/// Gives the bytes of data in an element. Deprecated in favour of `MPI_Type_size_c`.
///
/// MPI 4.1 §16.5. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_size_x(datatype: MPI_Datatype, size: *mut MPI_Count) -> c_int {
    // SAFETY: what is not null is a place for a number.
    unsafe { size_of(datatype, size) }
}

/// # Safety
/// `size` must be null or point to memory for a number.
unsafe fn size_of(datatype: MPI_Datatype, size: *mut impl Number) -> Result<()> {
    // SAFETY: the caller's promise.
    let size = unsafe { out(size, "size")? };
    size.set(Number::or_undefined(Some(datatype::get(datatype)?.size())));
    Ok(())
}

/// Gives the lower bound and the extent in bytes.
///
/// MPI 4.1 §5.1.6. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Type_get_extent(
    datatype: MPI_Datatype,
    lb: *mut Extent,
    extent: *mut Extent,
) -> c_int {
    // SAFETY: what is not null are places for a number.
    unsafe { extent_of(datatype, lb, extent) }
}

/// Gives the lower bound and the extent in bytes. Deprecated in favour of `MPI_Type_get_extent_c`.
///
/// MPI 4.1 §16.5. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_get_extent_x(
    datatype: MPI_Datatype,
    lb: *mut MPI_Count,
    extent: *mut MPI_Count,
) -> c_int {
    // SAFETY: what is not null are places for a number.
    unsafe { extent_of(datatype, lb, extent) }
}

/// # Safety
/// `lb` and `extent` must be null or point to memory for a number.
unsafe fn extent_of<N: Number>(datatype: MPI_Datatype, lb: *mut N, extent: *mut N) -> Result<()> {
    // SAFETY: the caller's promise.
    let (lb, extent) = unsafe { (out(lb, "lb")?, out(extent, "extent")?) };
    let object = datatype::get(datatype)?;
    lb.set(N::or_undefined(Some(object.lb())));
    extent.set(N::or_undefined(Some(object.extent())));
    Ok(())
}

/// Gives the lower bound and the extent in bytes of the data alone, whatever bounds were set.
///
/// MPI 4.1 §5.1.8. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Type_get_true_extent(
    datatype: MPI_Datatype,
    true_lb: *mut Extent,
    true_extent: *mut Extent,
) -> c_int {
    // SAFETY: what is not null are places for a number.
    unsafe { true_extent_of(datatype, true_lb, true_extent) }
}

/// Gives the lower bound and the extent in bytes of the data alone. Deprecated in favour of
/// `MPI_Type_get_true_extent_c`.
///
/// MPI 4.1 §16.5. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_get_true_extent_x(
    datatype: MPI_Datatype,
    true_lb: *mut MPI_Count,
    true_extent: *mut MPI_Count,
) -> c_int {
    // SAFETY: what is not null are places for a number.
    unsafe { true_extent_of(datatype, true_lb, true_extent) }
}

/// # Safety
/// `true_lb` and `true_extent` must be null or point to memory for a number.
unsafe fn true_extent_of<N: Number>(
    datatype: MPI_Datatype,
    true_lb: *mut N,
    true_extent: *mut N,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let (lb, extent) = unsafe { (out(true_lb, "true_lb")?, out(true_extent, "true_extent")?) };
    let object = datatype::get(datatype)?;
    lb.set(N::or_undefined(Some(object.true_lb())));
    extent.set(N::or_undefined(Some(object.true_ub() - object.true_lb())));
    Ok(())
}

/// Names a datatype. What is too long for `MPI_MAX_OBJECT_NAME` is cut off.
///
/// MPI 4.1 §7.8. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_set_name(
    datatype: MPI_Datatype,
    type_name: *const c_char,
) -> c_int {
    let object = datatype::get(datatype)?;
    // SAFETY: what is not null is a string.
    object.set_name(unsafe { string(type_name, "type_name")? }.to_bytes());
    Ok(())
}

/// Gives a datatype's name, at most `MPI_MAX_OBJECT_NAME` bytes with the final zero; empty if it has none.
///
/// MPI 4.1 §7.8. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_get_name(
    datatype: MPI_Datatype,
    type_name: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    let name = match datatype {
        MPI_DATATYPE_NULL => b"MPI_DATATYPE_NULL"[..].into(),
        datatype => datatype::get(datatype)?.name(),
    };
    // SAFETY: what is not null is a place for an `int`, and an array of at least `MPI_MAX_OBJECT_NAME` bytes.
    unsafe {
        let resultlen = out(resultlen, "resultlen")?;
        let length = put_string(type_name, MPI_MAX_OBJECT_NAME, &name, "type_name")?;
        resultlen.set(length);
    }
    Ok(())
}

/// Gives the datatype of a Fortran type of class `typeclass` and `size` bytes.
///
/// MPI 4.1 §19.1.9. Errors: `MPI_ERR_ARG` (no such class or size, null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_match_size(
    typeclass: c_int,
    size: c_int,
    datatype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let datatype = unsafe { out(datatype, "datatype")? };
    datatype.set(f90::match_size(typeclass, size)?);
    Ok(())
}

/// Gives the predefined datatype of pairs of a value and an index, `MPI_DATATYPE_NULL` if there is none.
///
/// MPI 4.1 §6.9.4. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_get_value_index(
    value_type: MPI_Datatype,
    index_type: MPI_Datatype,
    pair_type: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let pair_type = unsafe { out(pair_type, "pair_type")? };
    for (name, handle) in [("value_type", value_type), ("index_type", index_type)] {
        let object = datatype::get(handle)?;
        if datatype::Named::of(handle).is_none() {
            bail!(
                Type,
                "{name} is {}, which is not predefined",
                String::from_utf8_lossy(&object.name())
            );
        }
    }
    pair_type.set(datatype::pair_of(value_type, index_type));
    Ok(())
}
