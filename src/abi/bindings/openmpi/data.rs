//! Variables that Open MPI's other libraries, and programs in Fortran, refer to by name.

#![cfg(feature = "openmpi")]

use crate::mpi::constants::*;
use std::ffi::c_void;
use std::ptr::null;

/// The address of an object, which may be the program's copy of it.
#[repr(transparent)]
pub struct At(*const c_void);

// SAFETY: the objects never change.
unsafe impl Sync for At {}

/// For each object, `object_addr`, which points to it.
macro_rules! addresses {
    ($($object:ident;)*) => {$(
        const _: () = {
            #[unsafe(export_name = concat!(stringify!($object), "_addr"))]
            static ADDRESS: At = At((&raw const $object).cast());
        };
    )*};
}

addresses! {
    ompi_mpi_2dblprec;
    ompi_mpi_2integer;
    ompi_mpi_2real;
    ompi_mpi_character;
    ompi_mpi_comm_null;
    ompi_mpi_comm_self;
    ompi_mpi_comm_world;
    ompi_mpi_complex16;
    ompi_mpi_complex32;
    ompi_mpi_complex4;
    ompi_mpi_complex8;
    ompi_mpi_cplex;
    ompi_mpi_dblcplex;
    ompi_mpi_dblprec;
    ompi_mpi_errhandler_null;
    ompi_mpi_errors_abort;
    ompi_mpi_errors_are_fatal;
    ompi_mpi_errors_return;
    ompi_mpi_errors_throw_exceptions;
    ompi_mpi_file_null;
    ompi_mpi_group_empty;
    ompi_mpi_group_null;
    ompi_mpi_info_null;
    ompi_mpi_integer;
    ompi_mpi_integer1;
    ompi_mpi_integer16;
    ompi_mpi_integer2;
    ompi_mpi_integer4;
    ompi_mpi_integer8;
    ompi_mpi_logical;
    ompi_mpi_logical1;
    ompi_mpi_logical2;
    ompi_mpi_logical4;
    ompi_mpi_logical8;
    ompi_mpi_op_band;
    ompi_mpi_op_bor;
    ompi_mpi_op_bxor;
    ompi_mpi_op_land;
    ompi_mpi_op_lor;
    ompi_mpi_op_lxor;
    ompi_mpi_op_max;
    ompi_mpi_op_maxloc;
    ompi_mpi_op_min;
    ompi_mpi_op_minloc;
    ompi_mpi_op_no_op;
    ompi_mpi_op_null;
    ompi_mpi_op_prod;
    ompi_mpi_op_replace;
    ompi_mpi_op_sum;
    ompi_mpi_real;
    ompi_mpi_real16;
    ompi_mpi_real2;
    ompi_mpi_real4;
    ompi_mpi_real8;
    ompi_mpi_win_null;
    ompi_request_null;
}

/// Of `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE`, which are null.
const _: () = {
    #[unsafe(export_name = "ompi_mpi_status_ignore_addr")]
    static STATUS: At = At(null());
    #[unsafe(export_name = "ompi_mpi_statuses_ignore_addr")]
    static STATUSES: At = At(null());
};

/// Variables of zeros. What counts of most is where they are.
macro_rules! zeros {
    ($($(#[$doc:meta])* $name:ident: $integer:ty, $count:expr;)*) => {$(
        $(#[$doc])*
        #[allow(non_upper_case_globals)]
        #[unsafe(no_mangle)]
        pub static mut $name: [$integer; $count] = [0; $count];
    )*};
}

zeros! {
    // Fortran's special arguments, which are known by their addresses (MPI 4.1 §19.3).
    mpi_fortran_argv_null_: u8, 1;
    mpi_fortran_argvs_null_: u8, 1;
    mpi_fortran_bottom_: i32, 1;
    mpi_fortran_errcodes_ignore_: i32, 1;
    mpi_fortran_in_place_: i32, 1;
    mpi_fortran_status_ignore_: i32, 2;
    mpi_fortran_statuses_ignore_: i32, 2;
    mpi_fortran_unweighted_: i32, 1;
    mpi_fortran_weights_empty_: i32, 1;

    // What the library for C++ looks at when it is loaded: so many error codes of a second kind there are (none), the table of
    // them, and the list of its data representations.
    ompi_errcode_intern_lastused: i32, 1;
    ompi_errcodes_intern: u64, 15;
    ompi_registered_datareps: u64, 8;

    // What that library takes of `libopen-pal`, in whose place this one is loaded: for data representations of its own, which
    // are not offered, and whether there are threads.
    opal_class_init_epoch: i32, 1;
    opal_list_item_t_class: u64, 8;
    opal_uses_threads: u8, 1;
}
