//! What this library's own library for Fortran asks for, of array sections that are not contiguous: that requests keep copies, and
//! the errors of calls to which they can be told in no way. These names are no part of MPI.

use crate::abi::boundary::errors::raise;
use crate::abi::boundary::exports::Argument;
use crate::err;
use crate::mpi::foreign::Foreign;
use crate::mpi::types::*;
use crate::p2p::copies::{self, Copies};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

/// What the library for Fortran does with the copies that it has made.
type Deed = unsafe extern "C" fn(*mut c_void);

/// Copies that the library for Fortran has made.
struct Made {
    copies: *mut c_void,
    fill: Deed,
    give_back: Deed,
    release: Deed,
}

// SAFETY: the library for Fortran promises that any thread may do any of this, the last one alone.
unsafe impl Send for Made {}
// SAFETY: as above; filling and giving back come in turns.
unsafe impl Sync for Made {}

impl Copies for Made {
    fn fill(&self) {
        // SAFETY: the copies are there until they are released.
        unsafe { (self.fill)(self.copies) }
    }

    fn give_back(&self) {
        // SAFETY: as above.
        unsafe { (self.give_back)(self.copies) }
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // SAFETY: nobody uses them any more.
        unsafe { (self.release)(self.copies) }
    }
}

/// Binds a request, right after it was made, to the copies that its operation is on: they are filled before each further start,
/// given back after each end, and released when nobody uses them any more.
///
/// # Safety
/// The functions may be called with `copies`, by any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rmashm_bind_copies(
    request: <MPI_Request as Foreign>::C,
    copies: *mut c_void,
    fill: Deed,
    give_back: Deed,
    release: Deed,
) {
    let made = Made {
        copies,
        fill,
        give_back,
        release,
    };
    copies::bind(MPI_Request::of(request), Arc::new(made));
}

/// The error of `function` for a section of an array; `why` is a number of `fortran/src/section.rs`.
///
/// # Safety
/// `function` is a string that stays.
unsafe fn refuse(function: *const c_char, why: c_int, object: impl Argument) -> c_int {
    // SAFETY: the caller's contract.
    let function: &'static CStr = unsafe { CStr::from_ptr(function) };
    let error = match why {
        0 => err!(
            Buffer,
            "the buffer is an array section that is not contiguous, which goes in partitions only where its datatype has no \
             gaps and each partition is some of its last dimension"
        ),
        1 => err!(
            Buffer,
            "the buffer is an array section that is not contiguous, and MPI needs memory in one piece here"
        ),
        _ => err!(
            Count,
            "a buffer is an array section that is not contiguous, and so many elements of the datatype reach beyond its end"
        ),
    };
    raise(
        function.to_str().unwrap_or("MPI"),
        error,
        &[object.object()],
    )
}

/// The error for the handler of a communicator.
///
/// # Safety
/// `function` is a string that stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rmashm_refuse_comm(
    function: *const c_char,
    why: c_int,
    comm: <MPI_Comm as Foreign>::C,
) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { refuse(function, why, MPI_Comm::of(comm)) }
}

/// The same of a window.
///
/// # Safety
/// `function` is a string that stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rmashm_refuse_win(
    function: *const c_char,
    why: c_int,
    win: <MPI_Win as Foreign>::C,
) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { refuse(function, why, MPI_Win::of(win)) }
}

/// The same of a file.
///
/// # Safety
/// `function` is a string that stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rmashm_refuse_file(
    function: *const c_char,
    why: c_int,
    file: <MPI_File as Foreign>::C,
) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { refuse(function, why, MPI_File::of(file)) }
}
