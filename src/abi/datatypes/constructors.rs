//! The constructors of datatypes of equal elements: contiguous, vector, indexed (MPI 4.1 §5.1.2), with their large count
//! forms.
//!
//! All of these are local and do not block. What they make must be committed before it is used in communication.

use crate::abi::boundary::arguments::count;
use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::datatype::{self, Datatype};
use crate::error::Result;
use crate::mpi::types::*;
use crate::mpi_counts;
use macro_rules_attribute::apply;
use std::sync::Arc;

/// The elements of an array as `i64`.
#[inline(never)]
pub fn wide<T: Number>(array: In<T>, len: usize, name: &str) -> Result<Vec<i64>> {
    let array = array.slice(len, name)?;
    Ok(array.iter().map(|v| v.wide()).collect())
}

/// Makes a datatype of `oldtype` and puts its handle where `newtype` says.
#[inline(never)]
pub fn derive(
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
    make: &dyn Fn(&Arc<Datatype>) -> Result<Datatype>,
) -> Result<()> {
    let newtype = newtype.out("newtype")?;
    let old = datatype::get_arc(oldtype)?;
    newtype.set(datatype::insert(make(&old)?.into())?);
    Ok(())
}

fn contiguous(
    n: impl Number,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    let n = n.wide();
    derive(oldtype, newtype, &|old| datatype::contiguous(n, old, large))
}

fn vector(
    n: impl Number,
    blocklength: impl Number,
    stride: impl Number,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    let (n, blocklength, stride) = (n.wide(), blocklength.wide(), stride.wide());
    derive(oldtype, newtype, &|old| {
        datatype::vector(n, blocklength, stride, old, large)
    })
}

pub fn hvector(
    n: impl Number,
    blocklength: impl Number,
    stride: impl Number,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    let (n, blocklength, stride) = (n.wide(), blocklength.wide(), stride.wide());
    derive(oldtype, newtype, &|old| {
        datatype::hvector(n, blocklength, stride, old, large)
    })
}

fn indexed(
    n: impl Number,
    blocklengths: In<impl Number>,
    displacements: In<impl Number>,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    let blocklengths = wide(blocklengths, n, "array_of_blocklengths")?;
    let displacements = wide(displacements, n, "array_of_displacements")?;
    derive(oldtype, newtype, &|old| {
        datatype::indexed(&blocklengths, &displacements, old, large)
    })
}

pub fn hindexed(
    n: impl Number,
    blocklengths: In<impl Number>,
    displacements: In<impl Number>,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    let blocklengths = wide(blocklengths, n, "array_of_blocklengths")?;
    let displacements = wide(displacements, n, "array_of_displacements")?;
    derive(oldtype, newtype, &|old| {
        datatype::hindexed(&blocklengths, &displacements, old, large)
    })
}

fn indexed_block(
    n: impl Number,
    blocklength: impl Number,
    displacements: In<impl Number>,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    let displacements = wide(displacements, n, "array_of_displacements")?;
    derive(oldtype, newtype, &|old| {
        datatype::indexed_block(blocklength.wide(), &displacements, old, large)
    })
}

fn hindexed_block(
    n: impl Number,
    blocklength: impl Number,
    displacements: In<impl Number>,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    let displacements = wide(displacements, n, "array_of_displacements")?;
    derive(oldtype, newtype, &|old| {
        datatype::hindexed_block(blocklength.wide(), &displacements, old, large)
    })
}

/// Makes a datatype of `count` elements of `oldtype`, one after the other.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_contiguous(
    count: Count,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    contiguous(count, oldtype, newtype, LARGE)
}

/// Makes a datatype of `count` blocks of `blocklength` elements, `stride` elements from start to start.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_vector(
    count: Count,
    blocklength: Count,
    stride: Count,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    vector(count, blocklength, stride, oldtype, newtype, LARGE)
}

/// Makes a datatype of `count` blocks of `blocklength` elements, `stride` bytes from start to start.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_create_hvector(
    count: Count,
    blocklength: Count,
    stride: Extent,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    hvector(count, blocklength, stride, oldtype, newtype, LARGE)
}

/// Makes a datatype of `count` blocks; displacements are in elements of `oldtype`.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_indexed(
    count: Count,
    array_of_blocklengths: In<Count>,
    array_of_displacements: In<Count>,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    indexed(
        count,
        array_of_blocklengths,
        array_of_displacements,
        oldtype,
        newtype,
        LARGE,
    )
}

/// Makes a datatype of `count` blocks; displacements are in bytes.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_create_hindexed(
    count: Count,
    array_of_blocklengths: In<Count>,
    array_of_displacements: In<Extent>,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    hindexed(
        count,
        array_of_blocklengths,
        array_of_displacements,
        oldtype,
        newtype,
        LARGE,
    )
}

/// Makes a datatype of `count` blocks of `blocklength` elements; displacements are in elements of `oldtype`.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_create_indexed_block(
    count: Count,
    blocklength: Count,
    array_of_displacements: In<Count>,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    indexed_block(
        count,
        blocklength,
        array_of_displacements,
        oldtype,
        newtype,
        LARGE,
    )
}

/// Makes a datatype of `count` blocks of `blocklength` elements; displacements are in bytes.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_create_hindexed_block(
    count: Count,
    blocklength: Count,
    array_of_displacements: In<Extent>,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    hindexed_block(
        count,
        blocklength,
        array_of_displacements,
        oldtype,
        newtype,
        LARGE,
    )
}
