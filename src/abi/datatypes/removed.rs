//! Datatype functions of MPI-1 that MPI-3 removed (MPI 4.1 §17.1), for the programs that still have them.
//!
//! All of these are local and do not block.

use crate::abi::boundary::counts::small::LARGE;
use crate::abi::boundary::pointers::Mut;
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
pub extern "C" fn MPI_Type_hvector(
    count: c_int,
    blocklength: c_int,
    stride: MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    hvector(count, blocklength, stride, oldtype, newtype, LARGE)
}

/// MPI-1's form of `MPI_Type_create_hindexed`.
///
/// MPI 4.1 §17.1 (removed). Errors: as `MPI_Type_create_hindexed`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_hindexed(
    count: c_int,
    array_of_blocklengths: Mut<c_int>,
    array_of_displacements: Mut<MPI_Aint>,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    hindexed(
        count,
        array_of_blocklengths.into(),
        array_of_displacements.into(),
        oldtype,
        newtype,
        LARGE,
    )
}

/// MPI-1's form of `MPI_Type_create_struct`.
///
/// MPI 4.1 §17.1 (removed). Errors: as `MPI_Type_create_struct`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_struct(
    count: c_int,
    array_of_blocklengths: Mut<c_int>,
    array_of_displacements: Mut<MPI_Aint>,
    array_of_types: Mut<MPI_Datatype>,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    structure(
        count,
        array_of_blocklengths.into(),
        array_of_displacements.into(),
        array_of_types.into(),
        newtype,
        LARGE,
    )
}

/// Gives the extent in bytes. MPI-1's form of `MPI_Type_get_extent`.
///
/// MPI 4.1 §17.1 (removed). Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_extent(datatype: MPI_Datatype, extent: Mut<MPI_Aint>) -> c_int {
    let extent = extent.out("extent")?;
    extent.set(datatype::get(datatype)?.extent());
    Ok(())
}

/// Gives the lower bound in bytes. MPI-1's form of `MPI_Type_get_extent`.
///
/// MPI 4.1 §17.1 (removed). Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_lb(datatype: MPI_Datatype, displacement: Mut<MPI_Aint>) -> c_int {
    let displacement = displacement.out("displacement")?;
    displacement.set(datatype::get(datatype)?.lb());
    Ok(())
}

/// Gives the upper bound in bytes. MPI-1's form of `MPI_Type_get_extent`.
///
/// MPI 4.1 §17.1 (removed). Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_ub(datatype: MPI_Datatype, displacement: Mut<MPI_Aint>) -> c_int {
    let displacement = displacement.out("displacement")?;
    displacement.set(datatype::get(datatype)?.ub());
    Ok(())
}

/// Gives the address of `location`. MPI-1's form of `MPI_Get_address`.
///
/// MPI 4.1 §17.1 (removed). Errors: `MPI_ERR_ARG` (`address` is null).
#[apply(mpi_api)]
pub extern "C" fn MPI_Address(location: Mut<c_void>, address: Mut<MPI_Aint>) -> c_int {
    let address = address.out("address")?;
    address.set(location.pointer().expose_provenance() as MPI_Aint);
    Ok(())
}
