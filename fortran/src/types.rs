//! What MPICH's modules have for handles and statuses: comparisons, conversions, assignments, sizes; under the names that gfortran
//! and Intel's compiler made of the modules' (MPICH up to 4.0 and from 4.1 on).

use crate::face::STATUS_SIZE;
use std::ffi::c_int;

pub unsafe extern "C" fn equal(one: *const c_int, other: *const c_int) -> c_int {
    // SAFETY: Fortran hands over two handles.
    unsafe { (*one == *other).into() }
}

pub unsafe extern "C" fn unequal(one: *const c_int, other: *const c_int) -> c_int {
    // SAFETY: Fortran hands over two handles.
    unsafe { (*one != *other).into() }
}

/// A handle of C, by value, as one of Fortran, or the other way round.
extern "C" fn same(handle: c_int) -> c_int {
    handle
}

/// `to = from`.
unsafe extern "C" fn assign(to: *mut [c_int; STATUS_SIZE], from: *const [c_int; STATUS_SIZE]) {
    // SAFETY: Fortran hands over two statuses.
    unsafe { *to = *from };
}

unsafe extern "C" fn convert(
    from: *const [c_int; STATUS_SIZE],
    to: *mut [c_int; STATUS_SIZE],
    ierror: *mut c_int,
) {
    // SAFETY: Fortran hands over two statuses.
    unsafe {
        *to = *from;
        crate::f08::give(ierror, 0);
    }
}

/// Each name by both compilers.
macro_rules! named {
    ($module:literal: $($function:ident = $($name:expr)*;)*) => {$($(
        alias!(concat!("__", $module, "_MOD_", $name) => $function);
        alias!(concat!($module, "_mp_", $name, "_") => $function);
    )*)*};
}

macro_rules! handles {
    ($($kind:literal)*) => {$(
        named! {
            "mpi_constants":
            equal = concat!($kind, "eq");
            unequal = concat!($kind, "neq");
        }
        named! {
            "mpi_f08_types":
            equal = concat!("mpi_", $kind, "_eq") concat!("mpi_", $kind, "_f08_eq_f") concat!("mpi_", $kind, "_f_eq_f08");
            unequal = concat!("mpi_", $kind, "_neq") concat!("mpi_", $kind, "_f08_neq_f") concat!("mpi_", $kind, "_f_neq_f08")
                concat!("mpi_", $kind, "_f08_ne_f") concat!("mpi_", $kind, "_f_ne_f08");
            same = concat!("mpi_", $kind, "_c2f") concat!("mpi_", $kind, "_f2c") concat!("pmpi_", $kind, "_c2f")
                concat!("pmpi_", $kind, "_f2c");
        }
    )*};
}

handles!("comm" "datatype" "errhandler" "file" "group" "info" "message" "op" "request" "session" "win");

named! {
    "mpi_f08_types":
    same = "mpi_type_c2f" "mpi_type_f2c" "pmpi_type_c2f" "pmpi_type_f2c";
    assign = "mpi_status_c_assign_f08" "mpi_status_f08_assign_c" "mpi_status_c_assgn_f08" "mpi_status_f08_assgn_c"
        "mpi_status_c_assgn_f" "mpi_status_f_assgn_c";
    convert = "mpi_status_f082f" "mpi_status_f2f08" "pmpi_status_f082f" "pmpi_status_f2f08";
}

/// The specifics of `MPI_Sizeof`, by their names in the modules `mpi_f08_types` and `mpi_sizeofs`.
macro_rules! sizes {
    ($($function:ident $size:literal = $($new:literal)* / $($old:literal)*;)*) => {
        $(
            unsafe extern "C" fn $function(_x: *const u8, size: *mut c_int, ierror: *mut c_int) {
                // SAFETY: the caller's variables.
                unsafe {
                    *size = $size;
                    crate::f08::give(ierror, 0);
                }
            }

            named! { "mpi_f08_types": $function = $($new)*; }
            named! { "mpi_sizeofs": $function = $($old)*; }
        )*
    };
}

sizes! {
    one 1 = "mpi_sizeof_character" "mpi_sizeof_xint8" / "mpi_sizeof_ch" "mpi_sizeof_chv" "mpi_sizeof_i1" "mpi_sizeof_i1v";
    two 2 = "mpi_sizeof_xint16" / "mpi_sizeof_i2" "mpi_sizeof_i2v";
    four 4 = "mpi_sizeof_logical" "mpi_sizeof_xint32" "mpi_sizeof_xreal32"
        / "mpi_sizeof_i" "mpi_sizeof_iv" "mpi_sizeof_l" "mpi_sizeof_lv" "mpi_sizeof_r" "mpi_sizeof_rv";
    eight 8 = "mpi_sizeof_xint64" "mpi_sizeof_xreal64" "mpi_sizeof_xcomplex32"
        / "mpi_sizeof_i8" "mpi_sizeof_i8v" "mpi_sizeof_d" "mpi_sizeof_dv" "mpi_sizeof_cx" "mpi_sizeof_cxv";
    sixteen 16 = "mpi_sizeof_xreal128" "mpi_sizeof_xcomplex64" / ;
    thirty_two 32 = "mpi_sizeof_xcomplex128" / ;
}
