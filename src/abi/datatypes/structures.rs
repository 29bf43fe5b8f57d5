//! The constructors of structs, resized datatypes, parts of arrays, and Fortran kinds (MPI 4.1 §5.1.2 to §5.1.7, §19.1.9),
//! with their large count forms.
//!
//! All of these are local and do not block. What they make must be committed before it is used in communication, but for
//! the Fortran kinds.

use crate::abi::boundary::arguments::{count, number};
use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::datatypes::constructors::{derive, wide};
use crate::datatype::{self, f90};
use crate::error::Result;
use crate::mpi::types::*;
use crate::{bail, mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::c_int;

pub fn structure(
    n: impl Number,
    blocklengths: In<impl Number>,
    displacements: In<impl Number>,
    types: In<MPI_Datatype>,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    let newtype = newtype.out("newtype")?;
    let blocklengths = wide(blocklengths, n, "array_of_blocklengths")?;
    let displacements = wide(displacements, n, "array_of_displacements")?;
    let types = types
        .handles(n, "array_of_types")?
        .iter()
        .map(|&handle| datatype::get_arc(handle))
        .collect::<Result<Vec<_>>>()?;
    let new = datatype::structure(&blocklengths, &displacements, &types, large)?;
    newtype.set(datatype::insert(new.into())?);
    Ok(())
}

fn resized(
    oldtype: MPI_Datatype,
    lb: impl Number,
    extent: impl Number,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    derive(oldtype, newtype, &|old| {
        datatype::resized(old, lb.wide(), extent.wide(), large)
    })
}

fn subarray(
    ndims: c_int,
    sizes: In<impl Number>,
    subsizes: In<impl Number>,
    starts: In<impl Number>,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    let n = number(ndims, "ndims")?;
    let sizes = wide(sizes, n, "array_of_sizes")?;
    let subsizes = wide(subsizes, n, "array_of_subsizes")?;
    let starts = wide(starts, n, "array_of_starts")?;
    derive(oldtype, newtype, &|old| {
        datatype::subarray(&sizes, &subsizes, &starts, order, old, large)
    })
}

fn darray(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    gsizes: In<impl Number>,
    distribs: In<c_int>,
    dargs: In<c_int>,
    psizes: In<c_int>,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
    large: bool,
) -> Result<()> {
    let n = dimensions(ndims)?;
    let gsizes = wide(gsizes, n, "array_of_gsizes")?;
    let distribs = distribs.slice(n, "array_of_distribs")?;
    let dargs = dargs.slice(n, "array_of_dargs")?;
    let psizes = psizes.slice(n, "array_of_psizes")?;
    derive(oldtype, newtype, &|old| {
        datatype::darray(
            size, rank, &gsizes, distribs, dargs, psizes, order, old, large,
        )
    })
}

/// A number of dimensions. Errors: `MPI_ERR_ARG` if it is not positive.
fn dimensions(ndims: c_int) -> Result<usize> {
    match number(ndims, "ndims")? {
        0 => bail!(Arg, "ndims is 0, but must be positive"),
        n => Ok(n),
    }
}

/// Makes a datatype of `count` blocks, each of a datatype of its own; displacements are in bytes.
///
/// MPI 4.1 §5.1.2. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT` (negative), `MPI_ERR_ARG` (negative block length, too large for an address, null
/// pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_create_struct(
    count: Count,
    array_of_blocklengths: In<Count>,
    array_of_displacements: In<Extent>,
    array_of_types: In<MPI_Datatype>,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    structure(
        count,
        array_of_blocklengths,
        array_of_displacements,
        array_of_types,
        newtype,
        LARGE,
    )
}

/// Makes a datatype with the elements of `oldtype` and the given lower bound and extent in bytes.
///
/// MPI 4.1 §5.1.7. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (too large for an address, null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_create_resized(
    oldtype: MPI_Datatype,
    lb: Extent,
    extent: Extent,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    resized(oldtype, lb, extent, newtype, LARGE)
}

/// Makes a datatype of a part of an array; one without data of an array without dimensions.
///
/// MPI 4.1 §5.1.3. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (a part that is not within the array, negative `ndims`, `order`,
/// null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_create_subarray(
    ndims: c_int,
    array_of_sizes: In<Count>,
    array_of_subsizes: In<Count>,
    array_of_starts: In<Count>,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
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

/// Makes a datatype of the part of a distributed array that process `rank` of `size` has.
///
/// MPI 4.1 §5.1.4. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (a distribution that does not cover the array, `order`, null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Type_create_darray(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    array_of_gsizes: In<Count>,
    array_of_distribs: In<c_int>,
    array_of_dargs: In<c_int>,
    array_of_psizes: In<c_int>,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
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

/// Gives the datatype of Fortran reals with `p` decimal digits and exponent range `r`. It is committed and cannot be freed.
///
/// MPI 4.1 §19.1.9. Errors: `MPI_ERR_ARG` (no such kind, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_create_f90_real(
    p: c_int,
    r: c_int,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    let newtype = newtype.out("newtype")?;
    newtype.set(f90::real(p, r)?);
    Ok(())
}

/// Gives the datatype of Fortran complex numbers with `p` decimal digits and exponent range `r`. It is committed and cannot be freed.
///
/// MPI 4.1 §19.1.9. Errors: `MPI_ERR_ARG` (no such kind, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_create_f90_complex(
    p: c_int,
    r: c_int,
    newtype: Mut<MPI_Datatype>,
) -> c_int {
    let newtype = newtype.out("newtype")?;
    newtype.set(f90::complex(p, r)?);
    Ok(())
}

/// Gives the datatype of Fortran integers with `r` decimal digits. It is committed and cannot be freed.
///
/// MPI 4.1 §19.1.9. Errors: `MPI_ERR_ARG` (no such kind, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_create_f90_integer(r: c_int, newtype: Mut<MPI_Datatype>) -> c_int {
    let newtype = newtype.out("newtype")?;
    newtype.set(f90::integer(r)?);
    Ok(())
}
