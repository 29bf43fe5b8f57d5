//! Datatypes for Fortran kinds: by precision and range (`MPI_Type_create_f90_*`, MPI 4.1 §19.1.9) and by class and size
//! (`MPI_Type_match_size`). The kinds are those of gfortran on x86-64.

use super::construct::parts_of;
use super::handles::insert;
use super::object::{Datatype, Envelope};
use super::predefined::Named;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::MPI_Datatype;
use crate::{bail, err};
use parking_lot::Mutex;
use std::ffi::c_int;
use std::sync::Arc;

/// (decimal digits, decimal exponent range, real type, complex type) of the real kinds.
const REALS: [(c_int, c_int, MPI_Datatype, MPI_Datatype); 4] = [
    (6, 37, MPI_REAL4, MPI_COMPLEX8),
    (15, 307, MPI_REAL8, MPI_COMPLEX16),
    (18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX),
    (33, 4931, MPI_REAL16, MPI_COMPLEX32),
];

/// (decimal digits, type) of the integer kinds.
const INTEGERS: [(c_int, MPI_Datatype); 5] = [
    (2, MPI_INTEGER1),
    (4, MPI_INTEGER2),
    (9, MPI_INTEGER4),
    (18, MPI_INTEGER8),
    (38, MPI_INTEGER16),
];

/// What was asked for, and the datatype it gave: the same arguments give the same datatype.
static MADE: Mutex<Vec<([c_int; 3], MPI_Datatype)>> = Mutex::new(Vec::new());

/// The datatype of these arguments; made of `base` if it is asked for the first time.
fn permanent(
    combiner: c_int,
    arguments: &[c_int],
    base: impl FnOnce() -> Result<MPI_Datatype>,
) -> Result<MPI_Datatype> {
    let mut made = MADE.lock();
    let key = [combiner, arguments[0], *arguments.get(1).unwrap_or(&0)];
    if let Some((_, handle)) = made.iter().find(|(k, _)| *k == key) {
        return Ok(*handle);
    }
    let envelope = Envelope::new(combiner, false).integers(arguments.iter().copied());
    let base = base()?;
    let Some(named) = Named::of(base) else {
        bail!(Intern, "the table of Fortran kinds has {:#x}", base.0);
    };
    let object = Arc::new(Datatype::new(parts_of(named.object(), envelope)));
    let handle = insert(object.clone())?;
    object.make_permanent(handle);
    made.push((key, handle));
    Ok(handle)
}

fn real_kind(p: c_int, r: c_int) -> Result<(MPI_Datatype, MPI_Datatype)> {
    if p == MPI_UNDEFINED && r == MPI_UNDEFINED {
        bail!(Arg, "p and r are both MPI_UNDEFINED");
    }
    REALS
        .iter()
        .find(|(digits, range, ..)| {
            (p == MPI_UNDEFINED || p <= *digits) && (r == MPI_UNDEFINED || r <= *range)
        })
        .map(|&(_, _, real, complex)| (real, complex))
        .ok_or_else(|| {
            err!(
                Arg,
                "no kind of real has {p} decimal digits and exponent range {r}"
            )
        })
}

/// `MPI_Type_create_f90_real`.
pub fn real(p: c_int, r: c_int) -> Result<MPI_Datatype> {
    permanent(MPI_COMBINER_F90_REAL, &[p, r], || Ok(real_kind(p, r)?.0))
}

/// `MPI_Type_create_f90_complex`.
pub fn complex(p: c_int, r: c_int) -> Result<MPI_Datatype> {
    permanent(MPI_COMBINER_F90_COMPLEX, &[p, r], || Ok(real_kind(p, r)?.1))
}

/// `MPI_Type_create_f90_integer`.
pub fn integer(r: c_int) -> Result<MPI_Datatype> {
    permanent(MPI_COMBINER_F90_INTEGER, &[r], || {
        INTEGERS
            .iter()
            .find(|(digits, _)| r <= *digits)
            .map(|(_, handle)| *handle)
            .ok_or_else(|| err!(Arg, "no kind of integer has {r} decimal digits"))
    })
}

/// `MPI_Type_match_size`: the Fortran type of a class with that many bytes.
pub fn match_size(class: c_int, size: c_int) -> Result<MPI_Datatype> {
    let candidates: &[MPI_Datatype] = match class {
        MPI_TYPECLASS_REAL => &[MPI_REAL2, MPI_REAL4, MPI_REAL8, MPI_REAL16],
        MPI_TYPECLASS_INTEGER => &[
            MPI_INTEGER1,
            MPI_INTEGER2,
            MPI_INTEGER4,
            MPI_INTEGER8,
            MPI_INTEGER16,
        ],
        MPI_TYPECLASS_COMPLEX => &[MPI_COMPLEX4, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32],
        MPIX_TYPECLASS_LOGICAL => &[
            MPI_LOGICAL1,
            MPI_LOGICAL2,
            MPI_LOGICAL4,
            MPI_LOGICAL8,
            MPI_LOGICAL16,
        ],
        _ => bail!(Arg, "typeclass is {class}, which is no MPI_TYPECLASS"),
    };
    candidates
        .iter()
        .copied()
        .find(|&handle| super::predefined_size(handle) == usize::try_from(size).ok())
        .ok_or_else(|| {
            err!(
                Arg,
                "size is {size}, and no type of the class has that size"
            )
        })
}
