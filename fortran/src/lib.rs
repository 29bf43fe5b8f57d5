//! `libmpifort.so.12`, and with the feature `openmpi` `libmpi_mpifh.so.40`: what Fortran programs call. Each procedure turns its arguments into those of a function of C and calls that
//! by its name, `MPI_Send`, so that a tool that has put itself between program and library sees the calls of Fortran programs, too.
//!
//! The procedures are printed by `generator/src/fortran/wrappers.rs`; what they are made of, and what cannot be printed, is here.
//! What is MPICH's about it is in [`face`], what is Open MPI's in the folder `openmpi`: there `mpi_f08` has addresses for choice
//! buffers as `mpif.h` has, and nothing is done with sections of arrays.

/// Another name of a procedure: a jump, as the linker has no aliases for the names that a library of Rust exports.
macro_rules! alias {
    ($name:expr => $body:path) => {
        const _: () = {
            #[unsafe(export_name = $name)]
            #[unsafe(naked)]
            unsafe extern "C" fn alias() {
        core::arch::naked_asm!("jmp {}", sym $body)
            }
        };
    };
}

mod attributes;
mod callbacks;
mod datareps;
#[cfg(not(feature = "openmpi"))]
mod descriptor;
#[cfg(not(feature = "openmpi"))]
mod f08;
#[cfg_attr(feature = "openmpi", path = "openmpi/face.rs")]
mod face;
#[cfg(feature = "openmpi")]
#[path = "openmpi/functions.rs"]
mod functions;
#[cfg_attr(feature = "openmpi", path = "openmpi/header.rs")]
mod header;
mod infos;
#[cfg(not(feature = "openmpi"))]
mod others;
mod own;
mod procedures;
#[path = "../../src/attribute/proxies.rs"]
mod proxies;
mod requests;
#[cfg(not(feature = "openmpi"))]
mod section;
mod spawn;
mod text;
#[cfg_attr(feature = "openmpi", path = "openmpi/types.rs")]
mod types;

/// The same.
#[cfg(feature = "openmpi")]
use header as f08;
