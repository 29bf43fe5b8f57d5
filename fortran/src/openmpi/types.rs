//! What Open MPI's modules have for handles: constants, comparisons; and the specifics of `MPI_Sizeof`. The names are gfortran's.

use std::ffi::c_int;

/// Handles of predefined objects, which programs refer to as variables of the module and by names of C's.
macro_rules! constants {
    ($($name:ident $number:literal,)*) => {$(
        const _: () = {
            #[unsafe(export_name = concat!("__mpi_f08_types_MOD_", stringify!($name)))]
            static OF_MODULE: c_int = $number;
            #[unsafe(export_name = concat!("ompi_f08_", stringify!($name)))]
            static OF_C: c_int = $number;
        };
    )*};
}

constants! {
    mpi_2complex 26, mpi_2double_complex 27, mpi_2double_precision 24, mpi_2int 52, mpi_2integer 25, mpi_2real 23, mpi_aint 66,
    mpi_band 6, mpi_bor 8, mpi_bxor 10, mpi_byte 1, mpi_char 34, mpi_character 5, mpi_comm_null 2, mpi_comm_self 1,
    mpi_comm_world 0, mpi_complex 18, mpi_complex16 20, mpi_complex32 21, mpi_complex8 19, mpi_count 72, mpi_cxx_bool 54,
    mpi_cxx_complex 55, mpi_cxx_double_complex 56, mpi_cxx_float_complex 55, mpi_cxx_long_double_complex 57, mpi_c_bool 68,
    mpi_c_complex 69, mpi_c_double_complex 70, mpi_c_float_complex 69, mpi_c_long_double_complex 71, mpi_datatype_null 0,
    mpi_double 46, mpi_double_complex 22, mpi_double_int 49, mpi_double_precision 17, mpi_errhandler_null 0,
    mpi_errors_are_fatal 1, mpi_errors_return 2, mpi_float 45, mpi_float_int 48, mpi_group_empty 1, mpi_group_null 0,
    mpi_info_env 1, mpi_info_null 0, mpi_int 39, mpi_int16_t 60, mpi_int32_t 62, mpi_int64_t 64, mpi_int8_t 58, mpi_integer 7,
    mpi_integer1 8, mpi_integer16 12, mpi_integer2 9, mpi_integer4 10, mpi_integer8 11, mpi_land 5, mpi_lb 4, mpi_logical 6,
    mpi_logical1 29, mpi_logical2 30, mpi_logical4 31, mpi_logical8 32, mpi_long 41, mpi_long_double 47,
    mpi_long_double_int 50, mpi_long_int 51, mpi_long_long 43, mpi_long_long_int 43, mpi_lor 7, mpi_lxor 9, mpi_max 1,
    mpi_maxloc 11, mpi_message_no_proc 1, mpi_message_null 0, mpi_min 2, mpi_minloc 12, mpi_no_op 14, mpi_offset 67,
    mpi_op_null 0, mpi_packed 2, mpi_prod 4, mpi_real 13, mpi_real16 16, mpi_real2 28, mpi_real4 14, mpi_real8 15,
    mpi_replace 13, mpi_request_null 0, mpi_short 37, mpi_short_int 53, mpi_signed_char 36, mpi_sum 3, mpi_ub 3,
    mpi_uint16_t 61, mpi_uint32_t 63, mpi_uint64_t 65, mpi_uint8_t 59, mpi_unsigned 40, mpi_unsigned_char 35,
    mpi_unsigned_long 42, mpi_unsigned_long_long 44, mpi_unsigned_short 38, mpi_wchar 33, mpi_win_null 0, mpi_file_null 0,
    // Other names of some of them.
    mpi_int8 58, mpi_uint8 59, mpi_int16 60, mpi_uint16 61, mpi_int32 62, mpi_uint32 63, mpi_int64 64, mpi_uint64 65,
}

unsafe extern "C" fn equal(one: *const c_int, other: *const c_int) -> c_int {
    // SAFETY: Fortran hands over two handles.
    unsafe { (*one == *other).into() }
}

unsafe extern "C" fn unequal(one: *const c_int, other: *const c_int) -> c_int {
    // SAFETY: Fortran hands over two handles.
    unsafe { (*one != *other).into() }
}

macro_rules! comparisons {
    ($($kind:literal)*) => {$(
        alias!(concat!("__mpi_f08_types_MOD_ompi_", $kind, "_op_eq") => equal);
        alias!(concat!("__mpi_f08_types_MOD_ompi_", $kind, "_op_ne") => unequal);
    )*};
}

comparisons!("comm" "datatype" "errhandler" "file" "group" "info" "message" "op" "request" "win");

macro_rules! sizes {
    ($($function:ident $size:literal = $($name:literal)*;)*) => {$(
        unsafe extern "C" fn $function(_x: *const u8, size: *mut c_int, ierror: *mut c_int) {
            // SAFETY: the caller's variables.
            unsafe {
                *size = $size;
                crate::header::give(ierror, 0);
            }
        }

        $(of_all_ranks! { $function $name "scalar" "r1" "r2" "r3" "r4" "r5" "r6" "r7" "r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15" })*
    )*};
}

macro_rules! of_all_ranks {
    ($function:ident $name:literal $($rank:literal)*) => {$(
        alias!(concat!("mpi_sizeof_", $name, "_", $rank, "_") => $function);
        alias!(concat!("pmpi_sizeof_", $name, "_", $rank, "_") => $function);
    )*};
}

sizes! {
    one 1 = "character" "int8";
    two 2 = "int16";
    four 4 = "int32" "logical" "real32";
    eight 8 = "int64" "real64" "complex32";
    sixteen 16 = "real128" "complex64";
    thirty_two 32 = "complex128";
}
