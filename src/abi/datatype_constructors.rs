//! The constructors of derived datatypes (MPI 4.1 §5.1.2 to §5.1.4, §19.1.9), with their large count and MPI-1 forms.
//!
//! All of these are local and do not block. What they make must be committed before it is used in communication.

use crate::abi::arguments::{count, number, out, slice};
use crate::abi::types::*;
use crate::datatype::{self, Datatype, f90};
use crate::error::Result;
use crate::{bail, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::c_int;
use std::sync::Arc;

/// An integer type of a count or displacement: `int`, `MPI_Aint` or `MPI_Count`.
trait Wide: Copy {
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
unsafe fn wide<T: Wide>(array: *const T, len: usize, name: &str) -> Result<Vec<i64>> {
    // SAFETY: the caller's promise.
    let array = unsafe { slice(array, len, name)? };
    Ok(array.iter().map(|v| v.wide()).collect())
}

/// Makes a datatype of `oldtype` and puts its handle where `newtype` says.
///
/// # Safety
/// `newtype` must be null or point to memory for a handle.
unsafe fn derive(
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
const SMALL: bool = false;
const LARGE: bool = true;

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
unsafe fn hvector(
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
unsafe fn hindexed(
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

/// # Safety
/// As for `MPI_Type_create_struct`.
unsafe fn structure(
    n: impl Wide,
    blocklengths: *const impl Wide,
    displacements: *const impl Wide,
    types: *const MPI_Datatype,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    // SAFETY: the caller's promise.
    unsafe {
        let newtype = out(newtype, "newtype")?;
        let blocklengths = wide(blocklengths, n, "array_of_blocklengths")?;
        let displacements = wide(displacements, n, "array_of_displacements")?;
        let types = slice(types, n, "array_of_types")?
            .iter()
            .map(|&handle| datatype::get_arc(handle))
            .collect::<Result<Vec<_>>>()?;
        let new = datatype::structure(&blocklengths, &displacements, &types, large)?;
        newtype.set(datatype::insert(new.into())?);
    }
    Ok(())
}

/// # Safety
/// As for `MPI_Type_create_resized`.
unsafe fn resized(
    oldtype: MPI_Datatype,
    lb: impl Wide,
    extent: impl Wide,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        derive(oldtype, newtype, |old| {
            datatype::resized(old, lb.wide(), extent.wide(), large)
        })
    }
}

/// # Safety
/// As for `MPI_Type_create_subarray`.
unsafe fn subarray(
    ndims: c_int,
    sizes: *const impl Wide,
    subsizes: *const impl Wide,
    starts: *const impl Wide,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    let n = dimensions(ndims)?;
    // SAFETY: the caller's promise.
    unsafe {
        let sizes = wide(sizes, n, "array_of_sizes")?;
        let subsizes = wide(subsizes, n, "array_of_subsizes")?;
        let starts = wide(starts, n, "array_of_starts")?;
        derive(oldtype, newtype, |old| {
            datatype::subarray(&sizes, &subsizes, &starts, order, old, large)
        })
    }
}

/// # Safety
/// As for `MPI_Type_create_darray`.
unsafe fn darray(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    gsizes: *const impl Wide,
    distribs: *const c_int,
    dargs: *const c_int,
    psizes: *const c_int,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    large: bool,
) -> Result<()> {
    let n = dimensions(ndims)?;
    // SAFETY: the caller's promise.
    unsafe {
        let gsizes = wide(gsizes, n, "array_of_gsizes")?;
        let distribs = slice(distribs, n, "array_of_distribs")?;
        let dargs = slice(dargs, n, "array_of_dargs")?;
        let psizes = slice(psizes, n, "array_of_psizes")?;
        derive(oldtype, newtype, |old| {
            datatype::darray(
                size, rank, &gsizes, distribs, dargs, psizes, order, old, large,
            )
        })
    }
}

/// A number of dimensions. Errors: `MPI_ERR_ARG` if it is not positive.
fn dimensions(ndims: c_int) -> Result<usize> {
    match number(ndims, "ndims")? {
        0 => bail!(Arg, "ndims is 0, but must be positive"),
        n => Ok(n),
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

/// Makes a datatype of `count` blocks, each of a datatype of its own; displacements are in bytes.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_struct(
    count: c_int,
    array_of_blocklengths: *const c_int,
    array_of_displacements: *const MPI_Aint,
    array_of_types: *const MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        structure(
            count,
            array_of_blocklengths,
            array_of_displacements,
            array_of_types,
            newtype,
            SMALL,
        )
    }
}

/// `MPI_Type_create_struct` with large counts.
///
/// MPI 4.1 §5.1.2. Errors: as `MPI_Type_create_struct`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_struct_c(
    count: MPI_Count,
    array_of_blocklengths: *const MPI_Count,
    array_of_displacements: *const MPI_Count,
    array_of_types: *const MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        structure(
            count,
            array_of_blocklengths,
            array_of_displacements,
            array_of_types,
            newtype,
            LARGE,
        )
    }
}

/// Makes a datatype with the elements of `oldtype` and the given lower bound and extent in bytes.
///
/// MPI 4.1 §5.1.7. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (too large for an address, null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_resized(
    oldtype: MPI_Datatype,
    lb: MPI_Aint,
    extent: MPI_Aint,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe { resized(oldtype, lb, extent, newtype, SMALL) }
}

/// `MPI_Type_create_resized` with large counts.
///
/// MPI 4.1 §5.1.7. Errors: as `MPI_Type_create_resized`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_resized_c(
    oldtype: MPI_Datatype,
    lb: MPI_Count,
    extent: MPI_Count,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe { resized(oldtype, lb, extent, newtype, LARGE) }
}

/// Makes a datatype of a part of an array.
///
/// MPI 4.1 §5.1.3. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (a part that is not within the array, `ndims`, `order`, null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_subarray(
    ndims: c_int,
    array_of_sizes: *const c_int,
    array_of_subsizes: *const c_int,
    array_of_starts: *const c_int,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        subarray(
            ndims,
            array_of_sizes,
            array_of_subsizes,
            array_of_starts,
            order,
            oldtype,
            newtype,
            SMALL,
        )
    }
}

/// `MPI_Type_create_subarray` with large counts.
///
/// MPI 4.1 §5.1.3. Errors: as `MPI_Type_create_subarray`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_subarray_c(
    ndims: c_int,
    array_of_sizes: *const MPI_Count,
    array_of_subsizes: *const MPI_Count,
    array_of_starts: *const MPI_Count,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        subarray(
            ndims,
            array_of_sizes,
            array_of_subsizes,
            array_of_starts,
            order,
            oldtype,
            newtype,
            LARGE,
        )
    }
}

/// Makes a datatype of the part of a distributed array that process `rank` of `size` has.
///
/// MPI 4.1 §5.1.4. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (a distribution that does not cover the array, `order`, null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_darray(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    array_of_gsizes: *const c_int,
    array_of_distribs: *const c_int,
    array_of_dargs: *const c_int,
    array_of_psizes: *const c_int,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        darray(
            size,
            rank,
            ndims,
            array_of_gsizes,
            array_of_distribs,
            array_of_dargs,
            array_of_psizes,
            order,
            oldtype,
            newtype,
            SMALL,
        )
    }
}

/// `MPI_Type_create_darray` with large counts.
///
/// MPI 4.1 §5.1.4. Errors: as `MPI_Type_create_darray`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_darray_c(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    array_of_gsizes: *const MPI_Count,
    array_of_distribs: *const c_int,
    array_of_dargs: *const c_int,
    array_of_psizes: *const c_int,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe {
        darray(
            size,
            rank,
            ndims,
            array_of_gsizes,
            array_of_distribs,
            array_of_dargs,
            array_of_psizes,
            order,
            oldtype,
            newtype,
            LARGE,
        )
    }
}

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
    unsafe { hvector(count, blocklength, stride, oldtype, newtype, SMALL) }
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
            SMALL,
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
            SMALL,
        )
    }
}

/// Gives the datatype of Fortran reals with `p` decimal digits and exponent range `r`. It is committed and cannot be freed.
///
/// MPI 4.1 §19.1.9. Errors: `MPI_ERR_ARG` (no such kind, null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_f90_real(
    p: c_int,
    r: c_int,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let newtype = unsafe { out(newtype, "newtype")? };
    newtype.set(f90::real(p, r)?);
    Ok(())
}

/// Gives the datatype of Fortran complex numbers with `p` decimal digits and exponent range `r`. It is committed and cannot be freed.
///
/// MPI 4.1 §19.1.9. Errors: `MPI_ERR_ARG` (no such kind, null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_f90_complex(
    p: c_int,
    r: c_int,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let newtype = unsafe { out(newtype, "newtype")? };
    newtype.set(f90::complex(p, r)?);
    Ok(())
}

/// Gives the datatype of Fortran integers with `r` decimal digits. It is committed and cannot be freed.
///
/// MPI 4.1 §19.1.9. Errors: `MPI_ERR_ARG` (no such kind, null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Type_create_f90_integer(
    r: c_int,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let newtype = unsafe { out(newtype, "newtype")? };
    newtype.set(f90::integer(r)?);
    Ok(())
}
