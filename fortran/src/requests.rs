//! Generalized requests, whose callbacks are Fortran's. They get the address of what the program gave as their state: programs
//! count on what they change in it.

use crate::f08::give;
use crate::face::{CHandle, Changed, Request};
use crate::procedures::{MPI_Grequest_start, PMPI_Grequest_start};
use std::ffi::{c_int, c_void};

unsafe extern "C" {
    /// Says that the functions of a request are Fortran's.
    fn MPII_Grequest_set_lang_f77(request: CHandle);
}

type Start =
    unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_int;

unsafe fn start(
    call: Start,
    callbacks: [*mut c_void; 3],
    extra_state: *mut isize,
    request: *mut c_int,
    ierror: *mut c_int,
) {
    let [query, free, cancel] = callbacks;
    // SAFETY: the arguments are Fortran's, of the types that the interface says.
    unsafe {
        let mut request = Changed::<Request>::of(request);
        let code = call(query, free, cancel, extra_state.cast(), request.pointer());
        if code == 0 {
            MPII_Grequest_set_lang_f77(request.handle());
        }
        request.give();
        give(ierror, code);
    }
}

macro_rules! procedures {
    ($($name:ident $call:ident),*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            query: *mut c_void, free: *mut c_void, cancel: *mut c_void, extra_state: *mut isize, request: *mut c_int,
            ierror: *mut c_int,
        ) {
            // SAFETY: the caller's contract.
            unsafe { start($call, [query, free, cancel], extra_state, request, ierror) }
        }
    )*};
}

procedures!(mpi_grequest_start_ MPI_Grequest_start, pmpi_grequest_start_ PMPI_Grequest_start);
