//! The program's own functions that C calls. C has other handles than Fortran: functions of this library are called in their place,
//! which are given them. The library for C has the means for other languages, C++ first (`src/abi/bindings/classes.rs`).

use crate::face::{CHandle, Comm, Datatype, File, Kind, Session, Win};
use std::ffi::{c_int, c_void};

type Operate =
    unsafe extern "C" fn(*mut c_void, *mut c_void, c_int, CHandle, function: *const c_void);
type Handle = unsafe extern "C" fn(c_int, *mut CHandle, *mut c_int, function: *const c_void);

unsafe extern "C" {
    fn MPII_Op_set_cxx(op: CHandle, proxy: Operate);
    fn MPII_Errhandler_set_cxx(errhandler: CHandle, proxy: Handle);
}

/// Says that the function of an operation is Fortran's, if it was made.
pub fn operation(code: c_int, op: CHandle) {
    type Function = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut c_int);
    unsafe extern "C" fn operate(
        invec: *mut c_void,
        inoutvec: *mut c_void,
        len: c_int,
        datatype: CHandle,
        function: *const c_void,
    ) {
        let (mut len, mut datatype) = (len, Datatype::in_fortran(datatype));
        // SAFETY: the program gave this function for this.
        unsafe {
            let function = std::mem::transmute::<*const c_void, Function>(function);
            function(invec, inoutvec, &mut len, &mut datatype);
        }
    }
    if code == 0 {
        // SAFETY: C has just made it.
        unsafe { MPII_Op_set_cxx(op, operate) };
    }
}

/// Says that the function of an error handler is Fortran's, if it was made.
pub fn handler(code: c_int, errhandler: CHandle) {
    type Function = unsafe extern "C" fn(*mut c_int, *mut c_int);
    unsafe extern "C" fn handle(
        kind: c_int,
        object: *mut CHandle,
        error: *mut c_int,
        function: *const c_void,
    ) {
        // SAFETY: C has the object that the error is of, and the program gave this function for this.
        unsafe {
            let mut object = match kind {
                0 => Comm::in_fortran(*object),
                1 => File::in_fortran(*object),
                2 => Win::in_fortran(*object),
                _ => Session::in_fortran(*object),
            };
            let function = std::mem::transmute::<*const c_void, Function>(function);
            function(&mut object, error);
        }
    }
    if code == 0 {
        // SAFETY: C has just made it.
        unsafe { MPII_Errhandler_set_cxx(errhandler, handle) };
    }
}
