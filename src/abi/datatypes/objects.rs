//! Datatype objects: commit and free, sizes and extents, names (MPI 4.1 §5.1.5 to §5.1.9, §7.8).
//!
//! All of these are local and do not block.

use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{In, Mut};
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
pub extern "C" fn MPI_Type_commit(datatype: Mut<MPI_Datatype>) -> c_int {
    datatype::get(datatype.handle("datatype")?)?.commit();
    Ok(())
}

/// Frees a datatype and sets the handle to `MPI_DATATYPE_NULL`. Communication and datatypes that use it are not affected.
///
/// MPI 4.1 §5.1.9. Errors: `MPI_ERR_TYPE` (also for a predefined datatype), `MPI_ERR_ARG` (null pointer), what
/// a delete callback returns.
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_free(datatype: Mut<MPI_Datatype>) -> c_int {
    let mut handle = datatype.inout("datatype")?;
    datatype::free(*handle)?;
    *handle = MPI_DATATYPE_NULL;
    Ok(())
}

/// Makes a datatype with the same elements and state, and with the attributes that their copy callbacks copy.
///
/// MPI 4.1 §5.1.10. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer), what a copy callback returns.
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_dup(oldtype: MPI_Datatype, newtype: Mut<MPI_Datatype>) -> c_int {
    let newtype = newtype.out("newtype")?;
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
#[twice]
pub extern "C" fn MPI_Type_size(datatype: MPI_Datatype, size: Mut<Count>) -> c_int {
    size_of(datatype, size)
}

/// Gives the bytes of data in an element. Deprecated in favour of `MPI_Type_size_c`.
///
/// MPI 4.1 §16.5. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_size_x(datatype: MPI_Datatype, size: Mut<MPI_Count>) -> c_int {
    size_of(datatype, size)
}

fn size_of(datatype: MPI_Datatype, size: Mut<impl Number>) -> Result<()> {
    let size = size.out("size")?;
    size.set(Number::or_undefined(Some(datatype::get(datatype)?.size())));
    Ok(())
}

/// Gives the lower bound and the extent in bytes.
///
/// MPI 4.1 §5.1.6. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_get_extent(
    datatype: MPI_Datatype,
    lb: Mut<Extent>,
    extent: Mut<Extent>,
) -> c_int {
    extent_of(datatype, lb, extent)
}

/// Gives the lower bound and the extent in bytes. Deprecated in favour of `MPI_Type_get_extent_c`.
///
/// MPI 4.1 §16.5. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_get_extent_x(
    datatype: MPI_Datatype,
    lb: Mut<MPI_Count>,
    extent: Mut<MPI_Count>,
) -> c_int {
    extent_of(datatype, lb, extent)
}

fn extent_of<N: Number>(datatype: MPI_Datatype, lb: Mut<N>, extent: Mut<N>) -> Result<()> {
    let (lb, extent) = (lb.out("lb")?, extent.out("extent")?);
    let object = datatype::get(datatype)?;
    lb.set(N::or_undefined(Some(object.lb())));
    extent.set(N::or_undefined(Some(object.extent())));
    Ok(())
}

/// Gives the lower bound and the extent in bytes of the data alone, whatever bounds were set.
///
/// MPI 4.1 §5.1.8. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_get_true_extent(
    datatype: MPI_Datatype,
    true_lb: Mut<Extent>,
    true_extent: Mut<Extent>,
) -> c_int {
    true_extent_of(datatype, true_lb, true_extent)
}

/// Gives the lower bound and the extent in bytes of the data alone. Deprecated in favour of
/// `MPI_Type_get_true_extent_c`.
///
/// MPI 4.1 §16.5. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_get_true_extent_x(
    datatype: MPI_Datatype,
    true_lb: Mut<MPI_Count>,
    true_extent: Mut<MPI_Count>,
) -> c_int {
    true_extent_of(datatype, true_lb, true_extent)
}

fn true_extent_of<N: Number>(
    datatype: MPI_Datatype,
    true_lb: Mut<N>,
    true_extent: Mut<N>,
) -> Result<()> {
    let (lb, extent) = (true_lb.out("true_lb")?, true_extent.out("true_extent")?);
    let object = datatype::get(datatype)?;
    lb.set(N::or_undefined(Some(object.true_lb())));
    extent.set(N::or_undefined(Some(object.true_ub() - object.true_lb())));
    Ok(())
}

/// Names a datatype. What is too long for `MPI_MAX_OBJECT_NAME` is cut off.
///
/// MPI 4.1 §7.8. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_set_name(datatype: MPI_Datatype, type_name: In<c_char>) -> c_int {
    let object = datatype::get(datatype)?;
    object.set_name(type_name.string("type_name")?.to_bytes());
    Ok(())
}

/// Gives a datatype's name, at most `MPI_MAX_OBJECT_NAME` bytes with the final zero; empty if it has none.
///
/// MPI 4.1 §7.8. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_get_name(
    datatype: MPI_Datatype,
    type_name: Mut<c_char>,
    resultlen: Mut<c_int>,
) -> c_int {
    let name = match datatype {
        MPI_DATATYPE_NULL => b"MPI_DATATYPE_NULL"[..].into(),
        datatype => datatype::get(datatype)?.name(),
    };
    let resultlen = resultlen.out("resultlen")?;
    let length = type_name.put_string(MPI_MAX_OBJECT_NAME, &name, "type_name")?;
    resultlen.set(length);
    Ok(())
}

/// Gives the datatype of a Fortran type of class `typeclass` and `size` bytes.
///
/// MPI 4.1 §19.1.9. Errors: `MPI_ERR_ARG` (no such class or size, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_match_size(
    typeclass: c_int,
    size: c_int,
    datatype: Mut<MPI_Datatype>,
) -> c_int {
    let datatype = datatype.out("datatype")?;
    datatype.set(f90::match_size(typeclass, size)?);
    Ok(())
}

/// Gives the predefined datatype of pairs of a value and an index, `MPI_DATATYPE_NULL` if there is none.
///
/// MPI 4.1 §6.9.4. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_get_value_index(
    value_type: MPI_Datatype,
    index_type: MPI_Datatype,
    pair_type: Mut<MPI_Datatype>,
) -> c_int {
    let pair_type = pair_type.out("pair_type")?;
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
