//! Datatype functions of MPI-1 that MPI-3 removed (MPI 4.1 §17.1), for the programs that still have them.
//!
//! All of these are local and do not block.

use crate::abi::boundary::arguments::out;
use crate::abi::boundary::counts::small::LARGE;
use crate::abi::datatypes::constructors::{hindexed, hvector};
use crate::abi::datatypes::structures::structure;
use crate::datatype;
use crate::mpi::types::*;
use crate::mpi_api;
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// MPI-1's form of `MPI_Type_create_hvector`.
///
/// MPI 4.1 §17.1 (removed). Errors: as `MPI_Type_create_hvector`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_hvector(
    count: c_int,
    blocklength: c_int,
    stride: MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe { hvector(count, blocklength, stride, oldtype, newtype, LARGE) }
}

/// MPI-1's form of `MPI_Type_create_hindexed`.
///
/// MPI 4.1 §17.1 (removed). Errors: as `MPI_Type_create_hindexed`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_hindexed(
    count: c_int,
    array_of_blocklengths: *mut c_int,
    array_of_displacements: *mut MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        hindexed(
            count,
            array_of_blocklengths.cast_const(),
            array_of_displacements.cast_const(),
            oldtype,
            newtype,
            LARGE,
        )
    }
}

/// MPI-1's form of `MPI_Type_create_struct`.
///
/// MPI 4.1 §17.1 (removed). Errors: as `MPI_Type_create_struct`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_struct(
    count: c_int,
    array_of_blocklengths: *mut c_int,
    array_of_displacements: *mut MPI_Aint,
    array_of_types: *mut MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        structure(
            count,
            array_of_blocklengths.cast_const(),
            array_of_displacements.cast_const(),
            array_of_types.cast_const(),
            newtype,
            LARGE,
        )
    }
}

/// Gives the extent in bytes. MPI-1's form of `MPI_Type_get_extent`.
///
/// MPI 4.1 §17.1 (removed). Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_extent(datatype: MPI_Datatype, extent: *mut MPI_Aint) -> c_int {
    // SAFETY: what is not null is a place for an `MPI_Aint`.
    let extent = unsafe { out(extent, "extent")? };
    extent.set(datatype::get(datatype)?.extent());
    Ok(())
}

/// Gives the lower bound in bytes. MPI-1's form of `MPI_Type_get_extent`.
///
/// MPI 4.1 §17.1 (removed). Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_lb(datatype: MPI_Datatype, displacement: *mut MPI_Aint) -> c_int {
    // SAFETY: what is not null is a place for an `MPI_Aint`.
    let displacement = unsafe { out(displacement, "displacement")? };
    displacement.set(datatype::get(datatype)?.lb());
    Ok(())
}

/// Gives the upper bound in bytes. MPI-1's form of `MPI_Type_get_extent`.
///
/// MPI 4.1 §17.1 (removed). Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_ub(datatype: MPI_Datatype, displacement: *mut MPI_Aint) -> c_int {
    // SAFETY: what is not null is a place for an `MPI_Aint`.
    let displacement = unsafe { out(displacement, "displacement")? };
    displacement.set(datatype::get(datatype)?.ub());
    Ok(())
}

/// Gives the address of `location`. MPI-1's form of `MPI_Get_address`.
///
/// MPI 4.1 §17.1 (removed). Errors: `MPI_ERR_ARG` (`address` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Address(location: *mut c_void, address: *mut MPI_Aint) -> c_int {
    // SAFETY: what is not null is a place for an `MPI_Aint`.
    let address = unsafe { out(address, "address")? };
    address.set(location.expose_provenance() as MPI_Aint);
    Ok(())
}
