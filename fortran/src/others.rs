//! What our modules have under names of its own for compilers that are not gfortran: procedures that a module of MPICH's has, and
//! what is printed for none, as it does nothing with descriptors but look at them.

use crate::descriptor::{Cfi, Descriptor};
use crate::f08;
use crate::types::{equal, unequal};
use std::ffi::c_int;

macro_rules! handles {
    ($($kind:literal)*) => {$(
        alias!(concat!("mpi_", $kind, "_eq_") => equal);
        alias!(concat!("mpi_", $kind, "_f08_eq_f_") => equal);
        alias!(concat!("mpi_", $kind, "_f_eq_f08_") => equal);
        alias!(concat!("mpi_", $kind, "_neq_") => unequal);
        alias!(concat!("mpi_", $kind, "_f08_neq_f_") => unequal);
        alias!(concat!("mpi_", $kind, "_f_neq_f08_") => unequal);
    )*};
}

handles!("comm" "datatype" "errhandler" "file" "group" "info" "message" "op" "request" "session" "win");

/// `MPI_Sizeof` of a scalar or an array of any type.
#[unsafe(no_mangle)]
unsafe extern "C" fn rmashm_mpi_sizeof_cfi(x: *const Cfi, size: *mut c_int, ierror: *mut c_int) {
    // SAFETY: a descriptor and variables of the caller's.
    unsafe {
        *size = (*x).size() as c_int;
        f08::give(ierror, 0);
    }
}

/// `MPI_F_sync_reg`: nothing is to be done at run time.
#[unsafe(no_mangle)]
extern "C" fn rmashm_mpi_f_sync_reg_cfi(_buf: *const Cfi) {}

alias!("rmashm_pmpi_f_sync_reg_cfi" => rmashm_mpi_f_sync_reg_cfi);
