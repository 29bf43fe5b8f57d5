//! Generalized requests, whose callbacks are Fortran's: they get addresses, and give their code by their last argument.

use crate::f08::give;
use crate::procedures::{MPI_Grequest_start, PMPI_Grequest_start};
use std::ffi::{c_int, c_void};

type Query = unsafe extern "C" fn(*mut isize, *mut c_void, *mut c_int);
type Free = unsafe extern "C" fn(*mut isize, *mut c_int);
type Cancel = unsafe extern "C" fn(*mut isize, *mut c_int, *mut c_int);

/// What the functions of C for a request are called with: Fortran's, and what those are called with.
struct Callbacks {
    query: Query,
    free: Free,
    cancel: Cancel,
    state: isize,
}

unsafe extern "C" fn query(callbacks: *mut c_void, status: *mut c_void) -> c_int {
    let mut code = 0;
    // SAFETY: what `start` has made; a status is the same in both languages.
    unsafe {
        let callbacks = callbacks.cast::<Callbacks>();
        ((*callbacks).query)(&raw mut (*callbacks).state, status, &mut code);
    }
    code
}

/// The last of a request that is called.
unsafe extern "C" fn free(callbacks: *mut c_void) -> c_int {
    let mut code = 0;
    // SAFETY: what `start` has made, and gave up.
    unsafe {
        let mut callbacks = Box::from_raw(callbacks.cast::<Callbacks>());
        (callbacks.free)(&mut callbacks.state, &mut code);
    }
    code
}

unsafe extern "C" fn cancel(callbacks: *mut c_void, complete: c_int) -> c_int {
    let (mut complete, mut code) = (complete, 0);
    // SAFETY: what `start` has made.
    unsafe {
        let callbacks = callbacks.cast::<Callbacks>();
        ((*callbacks).cancel)(&raw mut (*callbacks).state, &mut complete, &mut code);
    }
    code
}

type Start =
    unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_int;

unsafe fn start(call: Start, callbacks: Callbacks, request: *mut c_int, ierror: *mut c_int) {
    let callbacks = Box::into_raw(Box::new(callbacks));
    // SAFETY: functions as MPI 4.1 §13.2 has them, and a place for the handle.
    unsafe {
        let code = call(
            query as *mut c_void,
            free as *mut c_void,
            cancel as *mut c_void,
            callbacks.cast(),
            request.cast(),
        );
        if code != 0 {
            drop(Box::from_raw(callbacks));
        }
        give(ierror, code);
    }
}

macro_rules! procedures {
    ($($name:ident $call:ident),*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            query: Query, free: Free, cancel: Cancel, extra_state: *mut isize, request: *mut c_int, ierror: *mut c_int,
        ) {
            // SAFETY: the caller's arguments, of the types that the interface says.
            unsafe { start($call, Callbacks { query, free, cancel, state: *extra_state }, request, ierror) }
        }
    )*};
}

procedures!(mpi_grequest_start_ MPI_Grequest_start, pmpi_grequest_start_ PMPI_Grequest_start);
