//! What MPI 5.0 §20 lets a program ask about the binary interface. Ours is MPICH's, not the standard's, and is declared as
//! such; the sizes of the integers and Fortran's types are told all the same.

use crate::abi::bindings::data;
use crate::abi::boundary::pointers::Mut;
use crate::bail;
use crate::error::Result;
use crate::info::{self, Info};
use crate::mpi::types::*;
use crate::mpi_api;
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

/// Gives the version of the standard's binary interface: -1, because this library does not have it.
///
/// MPI 5.0 §20.2. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_get_version(abi_major: Mut<c_int>, abi_minor: Mut<c_int>) -> c_int {
    let (major, minor) = (abi_major.out("abi_major")?, abi_minor.out("abi_minor")?);
    major.set(-1);
    minor.set(-1);
    Ok(())
}

fn give(place: Mut<MPI_Info>, pairs: &[(&str, &str)]) -> Result<()> {
    let place = place.out("info")?;
    let mut info = Info::new();
    for (key, value) in pairs {
        info.set(key, value);
    }
    place.set(info::publish(info)?);
    Ok(())
}

/// Gives the sizes of MPI's integer types, in bytes, as an info object that the caller frees.
///
/// MPI 5.0 §20.2. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_get_info(info: Mut<MPI_Info>) -> c_int {
    let sizes = ["mpi_aint_size", "mpi_count_size", "mpi_offset_size"].map(|key| (key, "8"));
    give(info, &sizes)
}

/// Gives the sizes of Fortran's basic types, in bytes, and says which optional ones there are, as an info object that
/// the caller frees. `MPI_INTEGER16`, `MPI_REAL2` and `MPI_COMPLEX4` are not told: programs compiled with an MPICH before
/// 4.1 have `MPI_DATATYPE_NULL` for them.
///
/// MPI 5.0 §20.4. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_get_fortran_info(info: Mut<MPI_Info>) -> c_int {
    const FORTRAN: [(&str, &str); 23] = [
        ("mpi_logical_size", "4"),
        ("mpi_integer_size", "4"),
        ("mpi_real_size", "4"),
        ("mpi_double_precision_size", "8"),
        ("mpi_logical1_supported", "false"),
        ("mpi_logical2_supported", "false"),
        ("mpi_logical4_supported", "false"),
        ("mpi_logical8_supported", "false"),
        ("mpi_logical16_supported", "false"),
        ("mpi_integer1_supported", "true"),
        ("mpi_integer2_supported", "true"),
        ("mpi_integer4_supported", "true"),
        ("mpi_integer8_supported", "true"),
        ("mpi_integer16_supported", "false"),
        ("mpi_real2_supported", "false"),
        ("mpi_real4_supported", "true"),
        ("mpi_real8_supported", "true"),
        ("mpi_real16_supported", "true"),
        ("mpi_complex4_supported", "false"),
        ("mpi_complex8_supported", "true"),
        ("mpi_complex16_supported", "true"),
        ("mpi_complex32_supported", "true"),
        ("mpi_double_complex_supported", "true"),
    ];
    give(info, &FORTRAN)
}

/// Refuses to have Fortran's types set: they are part of this library's binary interface.
///
/// MPI 5.0 §20.4. Errors: `MPI_ERR_UNSUPPORTED_OPERATION`; `MPI_ERR_INFO` before that.
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_set_fortran_info(info: MPI_Info) -> c_int {
    info::copy(info)?;
    bail!(
        UnsupportedOperation,
        "the sizes of Fortran's types are fixed in this binary interface"
    );
}

/// Refuses a size of `LOGICAL` other than ours.
fn check_logical(size: c_int) -> Result<()> {
    if size != 4 {
        bail!(
            Arg,
            "logical_size is {size}, but LOGICAL has 4 bytes in this binary interface"
        );
    }
    Ok(())
}

/// Gives what Fortran's compiler stores for `.TRUE.` and `.FALSE.`. `is_set` is 1: they are part of the interface.
///
/// MPI 5.0 §20.4. Errors: `MPI_ERR_ARG` (null pointer, `logical_size` is not 4).
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_get_fortran_booleans(
    logical_size: c_int,
    logical_true: Mut<c_void>,
    logical_false: Mut<c_void>,
    is_set: Mut<c_int>,
) -> c_int {
    check_logical(logical_size)?;
    let (yes, no, is_set) = (
        logical_true.cast::<MPI_Fint>().out("logical_true")?,
        logical_false.cast::<MPI_Fint>().out("logical_false")?,
        is_set.out("is_set")?,
    );
    yes.set(data::MPIR_fortran_true.load(Ordering::Relaxed));
    no.set(data::MPIR_fortran_false.load(Ordering::Relaxed));
    is_set.set(1);
    Ok(())
}

/// Accepts the values that Fortran's `.TRUE.` and `.FALSE.` have, and refuses all others: they are part of the interface.
///
/// MPI 5.0 §20.4. Errors: `MPI_ERR_ARG` (null pointer, `logical_size` is not 4), `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_set_fortran_booleans(
    logical_size: c_int,
    logical_true: Mut<c_void>,
    logical_false: Mut<c_void>,
) -> c_int {
    check_logical(logical_size)?;
    let (yes, no) = (
        *logical_true.cast::<MPI_Fint>().inout("logical_true")?,
        *logical_false.cast::<MPI_Fint>().inout("logical_false")?,
    );
    let ours = (
        data::MPIR_fortran_true.load(Ordering::Relaxed),
        data::MPIR_fortran_false.load(Ordering::Relaxed),
    );
    if (yes, no) != ours {
        bail!(
            UnsupportedOperation,
            "logical_true and logical_false are {yes} and {no}, but are fixed as {} and {}",
            ours.0,
            ours.1
        );
    }
    Ok(())
}
