//! The callbacks that MPI has for programs: they copy an attribute, copy none, delete nothing, convert nothing.

use std::ffi::{c_int, c_void};

macro_rules! callbacks {
    ($($integer:ty: $($copy:ident $profiling_copy:ident $none:ident $profiling_none:ident $delete:ident $profiling_delete:ident)*;)*) => {$($(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $copy(
            _object: *mut c_int, _keyval: *mut c_int, _extra: *mut $integer, value: *mut $integer, copied: *mut $integer,
            flag: *mut c_int, ierror: *mut c_int,
        ) {
            // SAFETY: who calls it has all places.
            unsafe { (*copied, *flag, *ierror) = (*value, 1, 0) };
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $none(
            _object: *mut c_int, _keyval: *mut c_int, _extra: *mut $integer, _value: *mut $integer, _copied: *mut $integer,
            flag: *mut c_int, ierror: *mut c_int,
        ) {
            // SAFETY: who calls it has all places.
            unsafe { (*flag, *ierror) = (0, 0) };
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $delete(
            _object: *mut c_int, _keyval: *mut c_int, _value: *mut $integer, _extra: *mut $integer, ierror: *mut c_int,
        ) {
            // SAFETY: who calls it has the place.
            unsafe { *ierror = 0 };
        }

        alias!(stringify!($profiling_copy) => $copy);
        alias!(stringify!($profiling_none) => $none);
        alias!(stringify!($profiling_delete) => $delete);
        pub use {$copy as $profiling_copy, $none as $profiling_none, $delete as $profiling_delete};
    )*)*};
}

callbacks! {
    isize:
        mpi_comm_dup_fn_ pmpi_comm_dup_fn_ mpi_comm_null_copy_fn_ pmpi_comm_null_copy_fn_ mpi_comm_null_delete_fn_ pmpi_comm_null_delete_fn_
        mpi_type_dup_fn_ pmpi_type_dup_fn_ mpi_type_null_copy_fn_ pmpi_type_null_copy_fn_ mpi_type_null_delete_fn_ pmpi_type_null_delete_fn_
        mpi_win_dup_fn_ pmpi_win_dup_fn_ mpi_win_null_copy_fn_ pmpi_win_null_copy_fn_ mpi_win_null_delete_fn_ pmpi_win_null_delete_fn_;
    c_int:
        mpi_dup_fn_ pmpi_dup_fn_ mpi_null_copy_fn_ pmpi_null_copy_fn_ mpi_null_delete_fn_ pmpi_null_delete_fn_;
}

/// Stands for no conversion, and is never called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_conversion_fn_null_(
    _userbuf: *mut c_void,
    _datatype: *mut c_int,
    _count: *mut c_void,
    _filebuf: *mut c_void,
    _position: *mut i64,
    _extra: *mut isize,
    ierror: *mut c_int,
) {
    // SAFETY: who calls it has the place.
    unsafe { *ierror = 0 };
}

alias!("pmpi_conversion_fn_null_" => mpi_conversion_fn_null_);
pub use mpi_conversion_fn_null_ as pmpi_conversion_fn_null_;
pub use mpi_conversion_fn_null_ as mpi_conversion_fn_null_c_;
pub use mpi_conversion_fn_null_ as pmpi_conversion_fn_null_c_;

/// By their names in MPICH's module.
macro_rules! module {
    ($($name:literal = $function:ident;)*) => {$(
        alias!(concat!("__mpi_f08_callbacks_MOD_", $name) => $function);
        alias!(concat!("mpi_f08_callbacks_mp_", $name, "_") => $function);
    )*};
}

module! {
    "mpi_comm_dup_fn" = mpi_comm_dup_fn_;
    "mpi_comm_null_copy_fn" = mpi_comm_null_copy_fn_;
    "mpi_comm_null_delete_fn" = mpi_comm_null_delete_fn_;
    "mpi_type_dup_fn" = mpi_type_dup_fn_;
    "mpi_type_null_copy_fn" = mpi_type_null_copy_fn_;
    "mpi_type_null_delete_fn" = mpi_type_null_delete_fn_;
    "mpi_win_dup_fn" = mpi_win_dup_fn_;
    "mpi_win_null_copy_fn" = mpi_win_null_copy_fn_;
    "mpi_win_null_delete_fn" = mpi_win_null_delete_fn_;
    "mpi_conversion_fn_null" = mpi_conversion_fn_null_;
    "mpi_conversion_fn_null_c" = mpi_conversion_fn_null_;
}
