//! Arguments as `mpif.h` and the modules `mpi` and `mpi_f08` of Open MPI have them: addresses of the program's variables, some of
//! which are sentinels. Those are variables of the library for C, in common blocks; the program's, if it has them, take their
//! place.

use crate::face::in_c;
use std::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    static mpi_fortran_argv_null_: c_char;
    static mpi_fortran_argvs_null_: c_char;
    static mpi_fortran_bottom_: c_int;
    static mpi_fortran_errcodes_ignore_: c_int;
    static mpi_fortran_in_place_: c_int;
    static mpi_fortran_status_ignore_: c_int;
    static mpi_fortran_statuses_ignore_: c_int;
    static mpi_fortran_unweighted_: c_int;
    static mpi_fortran_weights_empty_: c_int;
}

macro_rules! is {
    ($pointer:expr, $sentinel:ident) => {
        $pointer.cast_const().cast() == &raw const $sentinel
    };
}

/// A choice buffer.
#[inline]
pub fn buffer(buffer: *mut c_void) -> *mut c_void {
    match buffer {
        _ if is!(buffer, mpi_fortran_bottom_) => in_c::BOTTOM,
        _ if is!(buffer, mpi_fortran_in_place_) => in_c::IN_PLACE,
        _ => buffer,
    }
}

/// Whether a choice buffer is `MPI_IN_PLACE`.
pub fn is_in_place(buffer: *mut c_void) -> bool {
    is!(buffer, mpi_fortran_in_place_)
}

/// A buffer for buffered sends.
pub fn attached(buffer: *mut c_void) -> *mut c_void {
    self::buffer(buffer)
}

#[inline]
pub fn status(status: *mut c_void) -> *mut c_void {
    match is!(status, mpi_fortran_status_ignore_) {
        true => in_c::STATUS_IGNORE,
        false => status,
    }
}

#[inline]
pub fn statuses(statuses: *mut c_void) -> *mut c_void {
    match is!(statuses, mpi_fortran_statuses_ignore_) {
        true => in_c::STATUSES_IGNORE,
        false => statuses,
    }
}

/// The weights of a graph.
pub fn weights(weights: *mut c_int) -> *mut c_void {
    match weights {
        _ if is!(weights, mpi_fortran_unweighted_) => in_c::UNWEIGHTED,
        _ if is!(weights, mpi_fortran_weights_empty_) => in_c::WEIGHTS_EMPTY,
        _ => weights.cast(),
    }
}

pub fn is_argv_null(argv: *mut c_char) -> bool {
    is!(argv, mpi_fortran_argv_null_)
}

pub fn is_argvs_null(argvs: *mut c_char) -> bool {
    is!(argvs, mpi_fortran_argvs_null_)
}

pub fn is_errcodes_ignore(errcodes: *mut c_int) -> bool {
    is!(errcodes, mpi_fortran_errcodes_ignore_)
}

/// # Safety
/// `ierror` is the program's variable, or null: in `mpi_f08` it may be absent.
#[inline(always)]
pub unsafe fn give(ierror: *mut c_int, code: c_int) {
    // SAFETY: the caller's contract.
    if let Some(ierror) = unsafe { ierror.as_mut() } {
        *ierror = code;
    }
}

/// Where Fortran's `MPI_STATUS_IGNORE` is, which functions of C may be handed: the library for C keeps it.
mod told {
    use super::{mpi_fortran_status_ignore_, mpi_fortran_statuses_ignore_};
    use std::ffi::c_int;

    unsafe extern "C" {
        static mut MPI_F_STATUS_IGNORE: *mut c_int;
        static mut MPI_F_STATUSES_IGNORE: *mut c_int;
    }

    /// Called when the library is loaded, before any procedure.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static TELL: extern "C" fn() = {
        extern "C" fn tell() {
            // SAFETY: nothing else of this process runs while a library is loaded that uses them.
            unsafe {
                MPI_F_STATUS_IGNORE = (&raw const mpi_fortran_status_ignore_).cast_mut();
                MPI_F_STATUSES_IGNORE = (&raw const mpi_fortran_statuses_ignore_).cast_mut();
            }
        }
        tell
    };
}
