//! Functions beyond MPI that Open MPI's `mpi.h` and `mpi-ext.h` declare. Those that MPICH has too are in
//! [`extensions`](crate::abi::bindings::extensions).

#![cfg(feature = "openmpi")]

use crate::abi::boundary::pointers::Mut;
use crate::comm::affinity::{self, Style};
use crate::error::Result;
use crate::mpi::types::*;
use crate::{bail, info, mpi_api, mpi_plain, session};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int};

/// Whether buffers may lie in the memory of a device that is programmed with ROCm: 0, they may not.
#[apply(mpi_plain)]
pub extern "C" fn MPIX_Query_rocm_support() -> c_int {
    0
}

/// Gives hints for a session; this library knows none that could change.
///
/// Errors: `MPI_ERR_SESSION`, `MPI_ERR_INFO`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_set_info(session: MPI_Session, info: MPI_Info) -> c_int {
    session::get(session)?;
    info::hints(info)?;
    Ok(())
}

/// Bytes of each of the texts of [`OMPI_Affinity_str`].
const AFFINITY_STRING: c_int = 1024;

fn tell_affinity(
    fmt_type: c_int,
    ompi_bound: Mut<c_char>,
    current_binding: Mut<c_char>,
    exists: Mut<c_char>,
) -> Result<()> {
    let style = match fmt_type {
        0 => Style::List,
        1 => Style::Layout,
        _ => bail!(Arg, "fmt_type is {fmt_type}, which is no format"),
    };
    // Who has bound a process leaves no trace: what is bound now was bound at its start, as far as anybody knows.
    let current = affinity::bound(style);
    ompi_bound.put_string(AFFINITY_STRING, &current, "ompi_bound")?;
    current_binding.put_string(AFFINITY_STRING, &current, "current_binding")?;
    exists.put_string(AFFINITY_STRING, affinity::all(style), "exists")?;
    Ok(())
}

/// Tells in words which cores this process is bound to, and which there are: as a list (`fmt_type` 0) or as a picture (1). Each
/// text has 1024 bytes.
///
/// Errors: `MPI_ERR_ARG` (null pointer, no such format).
#[unsafe(no_mangle)]
pub extern "C" fn OMPI_Affinity_str(
    fmt_type: c_int,
    ompi_bound: Mut<c_char>,
    current_binding: Mut<c_char>,
    exists: Mut<c_char>,
) -> c_int {
    match tell_affinity(fmt_type, ompi_bound, current_binding, exists) {
        Ok(()) => crate::mpi::constants::MPI_SUCCESS,
        Err(error) => crate::abi::boundary::errors::raise("OMPI_Affinity_str", error, &[]),
    }
}
