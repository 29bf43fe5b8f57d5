//! How functions of another language are called that copy and delete attributes: what its library gives for the key. The library
//! for Fortran includes this file, too.

use std::ffi::{c_int, c_void};

/// Calls a user's copy function in Fortran or C++. `value` is what Fortran sees; the new value goes to `copied` and `flag`.
pub type CopyProxy = unsafe extern "C" fn(
    user: *const c_void,
    object: c_int,
    keyval: c_int,
    extra: *mut c_void,
    kind: c_int,
    value: *mut c_void,
    copied: *mut *mut c_void,
    flag: *mut c_int,
) -> c_int;

/// Calls a user's delete function in Fortran or C++.
pub type DeleteProxy = unsafe extern "C" fn(
    user: *const c_void,
    object: c_int,
    keyval: c_int,
    kind: c_int,
    value: *mut c_void,
    extra: *mut c_void,
) -> c_int;
