//! What MPI 5.0 §20 lets a program ask about the binary interface, at any time. Where it is not the standard's, it is declared as
//! such; the sizes of the integers and Fortran's types are told all the same.
//!
//! Fortran's types are those of its compilers without options that change sizes. They are known from the start, so that nothing is
//! left to be set: MPI lets only the first who says them be heard.

use crate::abi::bindings::data;
use crate::abi::boundary::pointers::Mut;
use crate::bail;
use crate::error::Result;
use crate::info::{self, Info};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::mpi_api;
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

/// Whether C has the standard's interface.
const STANDARD: bool = cfg!(feature = "standard");

/// Gives the version of the standard's binary interface: 1.0, or -1 where this library has another.
///
/// MPI 5.0 §20.2. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_get_version(abi_major: Mut<c_int>, abi_minor: Mut<c_int>) -> c_int {
    let (major, minor) = (abi_major.out("abi_major")?, abi_minor.out("abi_minor")?);
    let version = match STANDARD {
        true => (MPI_ABI_VERSION, MPI_ABI_SUBVERSION),
        false => (-1, -1),
    };
    major.set(version.0);
    minor.set(version.1);
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
/// the caller frees. A type that came late is there for the programs of an interface that has it: those compiled with an older
/// MPICH have `MPI_DATATYPE_NULL` for `MPI_INTEGER16`, `MPI_REAL2` and `MPI_COMPLEX4`, and no logical types of a size; of these,
/// Open MPI has all but the widest.
///
/// MPI 5.0 §20.4. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_get_fortran_info(info: Mut<MPI_Info>) -> c_int {
    const LAST: &str = if STANDARD { "true" } else { "false" };
    const LOGICALS: &str = match cfg!(feature = "openmpi") {
        true => "true",
        false => LAST,
    };
    const FORTRAN: [(&str, &str); 23] = [
        ("mpi_logical_size", "4"),
        ("mpi_integer_size", "4"),
        ("mpi_real_size", "4"),
        ("mpi_double_precision_size", "8"),
        ("mpi_logical1_supported", LOGICALS),
        ("mpi_logical2_supported", LOGICALS),
        ("mpi_logical4_supported", LOGICALS),
        ("mpi_logical8_supported", LOGICALS),
        ("mpi_logical16_supported", LAST),
        ("mpi_integer1_supported", "true"),
        ("mpi_integer2_supported", "true"),
        ("mpi_integer4_supported", "true"),
        ("mpi_integer8_supported", "true"),
        ("mpi_integer16_supported", LAST),
        ("mpi_real2_supported", LAST),
        ("mpi_real4_supported", "true"),
        ("mpi_real8_supported", "true"),
        ("mpi_real16_supported", "true"),
        ("mpi_complex4_supported", LAST),
        ("mpi_complex8_supported", "true"),
        ("mpi_complex16_supported", "true"),
        ("mpi_complex32_supported", "true"),
        ("mpi_double_complex_supported", "true"),
    ];
    give(info, &FORTRAN)
}

/// Refuses to have Fortran's types set: they are known.
///
/// MPI 5.0 §20.4. Errors: `MPI_ERR_ABI`; `MPI_ERR_INFO` before that.
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_set_fortran_info(info: MPI_Info) -> c_int {
    info::copy(info)?;
    bail!(
        Abi,
        "the sizes of Fortran's types are known, as MPI_Abi_get_fortran_info tells them"
    );
}

/// A `LOGICAL` of any size.
const LARGEST: usize = 16;

/// The size of a `LOGICAL`.
fn logical_size(size: c_int) -> Result<usize> {
    match size {
        1 | 2 | 4 | 8 | 16 => Ok(size as usize),
        _ => bail!(Arg, "logical_size is {size}, and must be 1, 2, 4, 8 or 16"),
    }
}

/// What Fortran's compiler stores for `value`, in the first bytes.
fn logical(value: &AtomicI32) -> [c_char; LARGEST] {
    let wide = i128::from(value.load(Ordering::Relaxed));
    wide.to_le_bytes().map(|byte| byte as c_char)
}

/// Gives what Fortran's compiler stores for `.TRUE.` and `.FALSE.` in a `LOGICAL` of `logical_size` bytes. `is_set` is 1: they are
/// known.
///
/// MPI 5.0 §20.4. Errors: `MPI_ERR_ARG` (null pointer, no size that a `LOGICAL` has).
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_get_fortran_booleans(
    logical_size: c_int,
    logical_true: Mut<c_void>,
    logical_false: Mut<c_void>,
    is_set: Mut<c_int>,
) -> c_int {
    let size = self::logical_size(logical_size)?;
    let is_set = is_set.out("is_set")?;
    let (yes, no) = (
        logical(&data::MPIR_fortran_true),
        logical(&data::MPIR_fortran_false),
    );
    let (to_yes, to_no) = (logical_true.cast(), logical_false.cast());
    to_yes.fill(&yes[..size], "logical_true")?;
    to_no.fill(&no[..size], "logical_false")?;
    is_set.set(1);
    Ok(())
}

/// Accepts the values that Fortran's `.TRUE.` and `.FALSE.` have, and refuses all others: they are known.
///
/// MPI 5.0 §20.4. Errors: `MPI_ERR_ARG` (null pointer, no size that a `LOGICAL` has), `MPI_ERR_ABI`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Abi_set_fortran_booleans(
    logical_size: c_int,
    logical_true: Mut<c_void>,
    logical_false: Mut<c_void>,
) -> c_int {
    let size = self::logical_size(logical_size)?;
    let (yes, no) = (
        logical_true.cast::<c_char>().slice(size, "logical_true")?,
        logical_false
            .cast::<c_char>()
            .slice(size, "logical_false")?,
    );
    let (known_yes, known_no) = (
        logical(&data::MPIR_fortran_true),
        logical(&data::MPIR_fortran_false),
    );
    if yes != &known_yes[..size] || no != &known_no[..size] {
        bail!(
            Abi,
            "logical_true and logical_false are not those that MPI_Abi_get_fortran_booleans tells"
        );
    }
    Ok(())
}
