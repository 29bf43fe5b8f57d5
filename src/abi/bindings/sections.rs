//! What this library's own library for Fortran asks for: the errors of calls whose array sections can be told to C in no way.
//! These names are no part of MPI.

use crate::abi::boundary::errors::raise;
use crate::abi::boundary::exports::Argument;
use crate::err;
use crate::mpi::foreign::Foreign;
use crate::mpi::types::*;
use std::ffi::{CStr, c_char, c_int};

/// The error of `function` for a section of an array: it is given to MPI as memory, or would be used after the call's return.
///
/// # Safety
/// `function` is a string that stays.
unsafe fn refuse(function: *const c_char, is_memory: c_int, object: impl Argument) -> c_int {
    // SAFETY: the caller's contract.
    let function: &'static CStr = unsafe { CStr::from_ptr(function) };
    let error = match is_memory {
        0 => err!(
            Buffer,
            "a buffer is an array section that is not contiguous, which goes with predefined datatypes and runs of them alone \
             where the call does not complete the operation, and not with reductions, nor with counts for each process"
        ),
        _ => err!(
            Buffer,
            "the buffer is an array section that is not contiguous, and MPI needs memory in one piece here"
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
    is_memory: c_int,
    comm: <MPI_Comm as Foreign>::C,
) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { refuse(function, is_memory, MPI_Comm::of(comm)) }
}

/// The same of a window.
///
/// # Safety
/// `function` is a string that stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rmashm_refuse_win(
    function: *const c_char,
    is_memory: c_int,
    win: <MPI_Win as Foreign>::C,
) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { refuse(function, is_memory, MPI_Win::of(win)) }
}

/// The same of a file.
///
/// # Safety
/// `function` is a string that stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rmashm_refuse_file(
    function: *const c_char,
    is_memory: c_int,
    file: <MPI_File as Foreign>::C,
) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { refuse(function, is_memory, MPI_File::of(file)) }
}
