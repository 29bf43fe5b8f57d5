//! `libmpifort.so.12`: what Fortran programs call. Each procedure turns its arguments into those of a function of C and calls that
//! by its name, `MPI_Send`, so that a tool that has put itself between program and library sees the calls of Fortran programs, too.
//!
//! The procedures are printed by `generator/src/fortran/wrappers.rs`; what they are made of, and what cannot be printed, is here.
//! What is MPICH's about it is in [`face`].

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
mod descriptor;
mod f08;
mod face;
mod header;
mod infos;
mod others;
mod own;
mod procedures;
mod requests;
mod section;
mod spawn;
mod text;
mod types;
