//! Arguments as `mpif.h` and the module `mpi` have them: addresses of the program's variables, some of which are sentinels.

use crate::face::{commons, in_c};
pub use crate::face::{is_argv_null, is_argvs_null, is_errcodes_ignore};
use std::ffi::{c_int, c_void};

/// How far an address is behind a common block's beginning.
#[inline(always)]
fn behind(address: *mut c_void, block: *const c_void) -> usize {
    address.addr().wrapping_sub(block.addr())
}

/// A choice buffer.
#[inline(always)]
pub fn buffer(buffer: *mut c_void) -> *mut c_void {
    match behind(buffer, (&raw const commons::mpipriv1_).cast()) {
        0 => in_c::BOTTOM,
        commons::IN_PLACE => in_c::IN_PLACE,
        _ => buffer,
    }
}

/// A buffer for buffered sends.
pub fn attached(buffer: *mut c_void) -> *mut c_void {
    match buffer.cast_const().cast() == &raw const commons::mpifcmba_ {
        true => in_c::BUFFER_AUTOMATIC,
        false => self::buffer(buffer),
    }
}

#[inline(always)]
pub fn status(status: *mut c_void) -> *mut c_void {
    match behind(status, (&raw const commons::mpipriv1_).cast()) {
        commons::STATUS_IGNORE => in_c::STATUS_IGNORE,
        _ => status,
    }
}

#[inline(always)]
pub fn statuses(statuses: *mut c_void) -> *mut c_void {
    match behind(statuses, (&raw const commons::mpipriv2_).cast()) {
        0 => in_c::STATUSES_IGNORE,
        _ => statuses,
    }
}

/// The weights of a graph.
pub fn weights(weights: *mut c_int) -> *mut c_void {
    match weights {
        _ if weights == &raw mut commons::mpifcmb5_ => in_c::unweighted(),
        _ if weights == &raw mut commons::mpifcmb9_ => in_c::weights_empty(),
        _ => weights.cast(),
    }
}

/// # Safety
/// `ierror` is the program's variable.
#[inline(always)]
pub unsafe fn give(ierror: *mut c_int, code: c_int) {
    // SAFETY: the caller's contract.
    unsafe { *ierror = code }
}
