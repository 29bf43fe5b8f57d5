//! The constructors of datatypes of equal elements: contiguous, vector, indexed (MPI 4.1 §5.1.2), with their large count
//! forms.
//!
//! All of these are local and do not block. What they make must be committed before it is used in communication.

use crate::abi::arguments::{count, out, slice};
use crate::abi::types::*;
use crate::datatype::{self, Datatype};
use crate::error::Result;
use crate::mpi_api;
use macro_rules_attribute::apply;
use std::ffi::c_int;
use std::sync::Arc;

/// An integer type of a count or displacement: `int`, `MPI_Aint` or `MPI_Count`.
pub(super) trait Wide: Copy {
    fn wide(self) -> i64;
}

impl Wide for c_int {
    fn wide(self) -> i64 {
        self.into()
    }
}

impl Wide for MPI_Aint {
    fn wide(self) -> i64 {
        self as i64
    }
}

impl Wide for MPI_Count {
    fn wide(self) -> i64 {
        self
    }
}

/// The elements of an array as `i64`.
///
/// # Safety
/// `array` must be null or have `len` elements.
pub(super) unsafe fn wide<T: Wide>(array: *const T, len: usize, name: &str) -> Result<Vec<i64>> {
    // SAFETY: the caller's promise.
    let array = unsafe { slice(array, len, name)? };
    Ok(array.iter().map(|v| v.wide()).collect())
}

/// Makes a datatype of `oldtype` and puts its handle where `newtype` says.
///
/// # Safety
/// `newtype` must be null or point to memory for a handle.
pub(super) unsafe fn derive(
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    make: impl FnOnce(&Arc<Datatype>) -> Result<Datatype>,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let newtype = unsafe { out(newtype, "newtype")? };
    let old = datatype::get_arc(oldtype)?;
    newtype.set(datatype::insert(make(&old)?.into())?);
    Ok(())
}

/// The large count forms have `MPI_Count` where the others have `int` or `MPI_Aint`.
pub(super) const SMALL: bool = false;
pub(super) const LARGE: bool = true;

/// # Safety
/// As for `MPI_Type_contiguous`.
unsafe fn contiguous(
    n: impl Wide,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    let n = n.wide();
    // SAFETY: the caller's promise.
    unsafe { derive(oldtype, newtype, |old| datatype::contiguous(n, old, large)) }
}

/// # Safety
/// As for `MPI_Type_vector`.
unsafe fn vector(
    n: impl Wide,
    blocklength: impl Wide,
    stride: impl Wide,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    let (n, blocklength, stride) = (n.wide(), blocklength.wide(), stride.wide());
    // SAFETY: the caller's promise.
    unsafe {
        derive(oldtype, newtype, |old| {
            datatype::vector(n, blocklength, stride, old, large)
        })
    }
}

/// # Safety
/// As for `MPI_Type_create_hvector`.
pub(super) unsafe fn hvector(
    n: impl Wide,
    blocklength: impl Wide,
    stride: impl Wide,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    let (n, blocklength, stride) = (n.wide(), blocklength.wide(), stride.wide());
    // SAFETY: the caller's promise.
    unsafe {
        derive(oldtype, newtype, |old| {
            datatype::hvector(n, blocklength, stride, old, large)
        })
    }
}

/// # Safety
/// As for `MPI_Type_indexed`.
unsafe fn indexed(
    n: impl Wide,
    blocklengths: *const impl Wide,
    displacements: *const impl Wide,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    // SAFETY: the caller's promise.
    unsafe {
        let blocklengths = wide(blocklengths, n, "array_of_blocklengths")?;
        let displacements = wide(displacements, n, "array_of_displacements")?;
        derive(oldtype, newtype, |old| {
            datatype::indexed(&blocklengths, &displacements, old, large)
        })
    }
}

/// # Safety
/// As for `MPI_Type_create_hindexed`.
pub(super) unsafe fn hindexed(
    n: impl Wide,
    blocklengths: *const impl Wide,
    displacements: *const impl Wide,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    // SAFETY: the caller's promise.
    unsafe {
        let blocklengths = wide(blocklengths, n, "array_of_blocklengths")?;
        let displacements = wide(displacements, n, "array_of_displacements")?;
        derive(oldtype, newtype, |old| {
            datatype::hindexed(&blocklengths, &displacements, old, large)
        })
    }
}

/// # Safety
/// As for `MPI_Type_create_indexed_block`.
unsafe fn indexed_block(
    n: impl Wide,
    blocklength: impl Wide,
    displacements: *const impl Wide,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    // SAFETY: the caller's promise.
    unsafe {
        let displacements = wide(displacements, n, "array_of_displacements")?;
        derive(oldtype, newtype, |old| {
            datatype::indexed_block(blocklength.wide(), &displacements, old, large)
        })
    }
}

/// # Safety
/// As for `MPI_Type_create_hindexed_block`.
unsafe fn hindexed_block(
    n: impl Wide,
    blocklength: impl Wide,
    displacements: *const impl Wide,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    // SAFETY: the caller's promise.
    unsafe {
        let displacements = wide(displacements, n, "array_of_displacements")?;
        derive(oldtype, newtype, |old| {
            datatype::hindexed_block(blocklength.wide(), &displacements, old, large)
        })
    }
}

/// Makes a datatype of `count` elements of `oldtype`, one after the other.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_contiguous(
    count: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe { contiguous(count, oldtype, newtype, SMALL) }
}

/// `MPI_Type_contiguous` with large counts.
///
/// MPI 4.1 §5.1.2. Errors: as `MPI_Type_contiguous`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_contiguous_c(
    count: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe { contiguous(count, oldtype, newtype, LARGE) }
}

/// Makes a datatype of `count` blocks of `blocklength` elements, `stride` elements from start to start.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_vector(
    count: c_int,
    blocklength: c_int,
    stride: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe { vector(count, blocklength, stride, oldtype, newtype, SMALL) }
}

/// `MPI_Type_vector` with large counts.
///
/// MPI 4.1 §5.1.2. Errors: as `MPI_Type_vector`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_vector_c(
    count: MPI_Count,
    blocklength: MPI_Count,
    stride: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe { vector(count, blocklength, stride, oldtype, newtype, LARGE) }
}

/// Makes a datatype of `count` blocks of `blocklength` elements, `stride` bytes from start to start.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_hvector(
    count: c_int,
    blocklength: c_int,
    stride: MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe { hvector(count, blocklength, stride, oldtype, newtype, SMALL) }
}

/// `MPI_Type_create_hvector` with large counts.
///
/// MPI 4.1 §5.1.2. Errors: as `MPI_Type_create_hvector`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_hvector_c(
    count: MPI_Count,
    blocklength: MPI_Count,
    stride: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe { hvector(count, blocklength, stride, oldtype, newtype, LARGE) }
}

/// Makes a datatype of `count` blocks; displacements are in elements of `oldtype`.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_indexed(
    count: c_int,
    array_of_blocklengths: *const c_int,
    array_of_displacements: *const c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        indexed(
            count,
            array_of_blocklengths,
            array_of_displacements,
            oldtype,
            newtype,
            SMALL,
        )
    }
}

/// `MPI_Type_indexed` with large counts.
///
/// MPI 4.1 §5.1.2. Errors: as `MPI_Type_indexed`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_indexed_c(
    count: MPI_Count,
    array_of_blocklengths: *const MPI_Count,
    array_of_displacements: *const MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        indexed(
            count,
            array_of_blocklengths,
            array_of_displacements,
            oldtype,
            newtype,
            LARGE,
        )
    }
}

/// Makes a datatype of `count` blocks; displacements are in bytes.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_hindexed(
    count: c_int,
    array_of_blocklengths: *const c_int,
    array_of_displacements: *const MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        hindexed(
            count,
            array_of_blocklengths,
            array_of_displacements,
            oldtype,
            newtype,
            SMALL,
        )
    }
}

/// `MPI_Type_create_hindexed` with large counts.
///
/// MPI 4.1 §5.1.2. Errors: as `MPI_Type_create_hindexed`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_hindexed_c(
    count: MPI_Count,
    array_of_blocklengths: *const MPI_Count,
    array_of_displacements: *const MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        hindexed(
            count,
            array_of_blocklengths,
            array_of_displacements,
            oldtype,
            newtype,
            LARGE,
        )
    }
}

/// Makes a datatype of `count` blocks of `blocklength` elements; displacements are in elements of `oldtype`.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_indexed_block(
    count: c_int,
    blocklength: c_int,
    array_of_displacements: *const c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        indexed_block(
            count,
            blocklength,
            array_of_displacements,
            oldtype,
            newtype,
            SMALL,
        )
    }
}

/// `MPI_Type_create_indexed_block` with large counts.
///
/// MPI 4.1 §5.1.2. Errors: as `MPI_Type_create_indexed_block`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_indexed_block_c(
    count: MPI_Count,
    blocklength: MPI_Count,
    array_of_displacements: *const MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        indexed_block(
            count,
            blocklength,
            array_of_displacements,
            oldtype,
            newtype,
            LARGE,
        )
    }
}

/// Makes a datatype of `count` blocks of `blocklength` elements; displacements are in bytes.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_hindexed_block(
    count: c_int,
    blocklength: c_int,
    array_of_displacements: *const MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        hindexed_block(
            count,
            blocklength,
            array_of_displacements,
            oldtype,
            newtype,
            SMALL,
        )
    }
}

/// `MPI_Type_create_hindexed_block` with large counts.
///
/// MPI 4.1 §5.1.2. Errors: as `MPI_Type_create_hindexed_block`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_hindexed_block_c(
    count: MPI_Count,
    blocklength: MPI_Count,
    array_of_displacements: *const MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        hindexed_block(
            count,
            blocklength,
            array_of_displacements,
            oldtype,
            newtype,
            LARGE,
        )
    }
}
