//! Arguments as the module `mpi_f08` has them: descriptors of choice buffers, and an `ierror` that may be absent.

use crate::descriptor::Descriptor;
use crate::face::{CHandle, Comm, Datatype, Kind, Win, file_in_c, in_c, objects};
use crate::section::{self, Buffer, How, Refusal};
use std::ffi::{CStr, c_char, c_int, c_void};

/// A choice buffer of which `count` elements of `datatype` are meant. A section of an array that is not contiguous becomes what
/// `how` allows.
///
/// # Safety
/// `descriptor` is one that Fortran has made.
pub unsafe fn buffer<D: Descriptor>(
    descriptor: *const D,
    count: i64,
    datatype: c_int,
    how: How,
) -> Buffer {
    // SAFETY: the caller's contract.
    let descriptor = unsafe { &*descriptor };
    let (start, datatype) = (start(descriptor.start()), Datatype::in_c(datatype));
    match descriptor.is_contiguous() {
        true => Buffer::plain(start, count, datatype),
        // SAFETY: a section of the program's array.
        false => unsafe { section::buffer(descriptor.section(), start, count, datatype, how) },
    }
}

/// Where a buffer begins.
#[inline(always)]
pub fn start(address: *mut c_void) -> *mut c_void {
    match address.cast_const().cast::<c_int>() {
        bottom if bottom == &raw const objects::MPIR_F08_MPI_BOTTOM => in_c::BOTTOM,
        in_place if in_place == &raw const objects::MPIR_F08_MPI_IN_PLACE => in_c::IN_PLACE,
        _ => address,
    }
}

/// A buffer for buffered sends.
pub fn attached(buffer: *mut c_void) -> *mut c_void {
    match objects::is_buffer_automatic(buffer) {
        true => in_c::BUFFER_AUTOMATIC,
        false => start(buffer),
    }
}

#[inline(always)]
pub fn status(status: *mut c_void) -> *mut c_void {
    match status.cast_const() == &raw const objects::MPIR_F08_MPI_STATUS_IGNORE_OBJ {
        true => in_c::STATUS_IGNORE,
        false => status,
    }
}

#[inline(always)]
pub fn statuses(statuses: *mut c_void) -> *mut c_void {
    match statuses.cast_const() == &raw const objects::MPIR_F08_MPI_STATUSES_IGNORE_OBJ {
        true => in_c::STATUSES_IGNORE,
        false => statuses,
    }
}

/// The weights of a graph.
pub fn weights(weights: *mut c_int) -> *mut c_void {
    match weights.cast() {
        address if objects::is_unweighted(address) => in_c::unweighted(),
        address if objects::is_weights_empty(address) => in_c::weights_empty(),
        address => address,
    }
}

/// # Safety
/// `ierror` is the program's variable, or null.
#[inline(always)]
pub unsafe fn give(ierror: *mut c_int, code: c_int) {
    // SAFETY: the caller's contract.
    if let Some(ierror) = unsafe { ierror.as_mut() } {
        *ierror = code;
    }
}

/// The object that a call is about.
pub enum Object {
    Comm(c_int),
    Win(c_int),
    File(c_int),
    None,
}

unsafe extern "C" {
    fn rmashm_refuse_comm(function: *const c_char, why: c_int, comm: CHandle) -> c_int;
    fn rmashm_refuse_win(function: *const c_char, why: c_int, win: CHandle) -> c_int;
    fn rmashm_refuse_file(function: *const c_char, why: c_int, file: *mut c_void) -> c_int;
}

/// The error of a call whose section can be told to C in no way; its object's error handler is called.
#[cold]
pub fn refuse(function: &'static CStr, why: Refusal, object: Object) -> c_int {
    let (function, why) = (function.as_ptr(), why as c_int);
    // SAFETY: a name that stays, and handles, which are looked up.
    unsafe {
        match object {
            Object::Comm(comm) => rmashm_refuse_comm(function, why, Comm::in_c(comm)),
            Object::Win(win) => rmashm_refuse_win(function, why, Win::in_c(win)),
            Object::File(file) => rmashm_refuse_file(function, why, file_in_c(file)),
            Object::None => rmashm_refuse_comm(function, why, Comm::in_c(0)),
        }
    }
}
