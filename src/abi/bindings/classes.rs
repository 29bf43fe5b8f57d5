//! What MPICH's library for C++ (`libmpicxx.so.12`) asks of a C library beside MPI: to call the program's functions by functions of
//! its own, which make objects of the handles. ([`MPII_Keyval_set_proxy`](super::fortran::MPII_Keyval_set_proxy) is Fortran's, too.)
//! These names are no part of MPI and not in `mpi.h`. One more is our own classes'.

use crate::mpi::types::*;
use crate::{errhandler, op};
use std::ffi::c_int;

/// Says that the function of `errhandler` is C++'s. Called right after the handler was made.
#[unsafe(no_mangle)]
pub extern "C" fn MPII_Errhandler_set_cxx(
    errhandler: C<MPI_Errhandler>,
    proxy: Option<errhandler::Proxy>,
) {
    if let Some(proxy) = proxy {
        errhandler::set_proxy(MPI_Errhandler::of(errhandler), proxy);
    }
}

/// Says that the function of `op` is C++'s. Called right after the operation was made.
#[unsafe(no_mangle)]
pub extern "C" fn MPII_Op_set_cxx(op: C<MPI_Op>, proxy: Option<op::Proxy>) {
    if let Some(proxy) = proxy {
        op::set_proxy(MPI_Op::of(op), proxy);
    }
}

/// Whether the code that the last call of this thread returned is to be thrown. The caller cannot know the object of each: a request
/// has that of its communicator.
#[unsafe(no_mangle)]
pub extern "C" fn RMASHM_Errhandler_throws(errorcode: c_int) -> c_int {
    errhandler::take_to_throw(errorcode).into()
}
