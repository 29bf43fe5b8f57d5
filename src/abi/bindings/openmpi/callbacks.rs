//! The functions that are `MPI_COMM_DUP_FN`, `MPI_COMM_NULL_COPY_FN`, `MPI_COMM_NULL_DELETE_FN` and their kin (MPI 4.1 §7.7.2) in
//! Open MPI's header, and those of Fortran. They do what the standard says of them, and nothing knows them by their addresses.

#![cfg(feature = "openmpi")]

use crate::mpi::constants::MPI_SUCCESS;
use crate::mpi::types::*;
use std::ffi::{c_int, c_void};

macro_rules! callbacks {
    ($($kind:ty: $dup:ident, $null_copy:ident, $null_delete:ident;)*) => {$(
        /// # Safety
        /// `attribute_val_out` and `flag` must point to memory for a pointer and an `int`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dup(
            _object: C<$kind>,
            _keyval: c_int,
            _extra_state: *mut c_void,
            attribute_val_in: *mut c_void,
            attribute_val_out: *mut c_void,
            flag: *mut c_int,
        ) -> c_int {
            // SAFETY: who calls a copy function gives both places.
            unsafe {
                attribute_val_out.cast::<*mut c_void>().write(attribute_val_in);
                flag.write(1);
            }
            MPI_SUCCESS
        }

        /// # Safety
        /// `flag` must point to memory for an `int`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $null_copy(
            _object: C<$kind>,
            _keyval: c_int,
            _extra_state: *mut c_void,
            _attribute_val_in: *mut c_void,
            _attribute_val_out: *mut c_void,
            flag: *mut c_int,
        ) -> c_int {
            // SAFETY: who calls a copy function gives this place.
            unsafe { flag.write(0) };
            MPI_SUCCESS
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $null_delete(
            _object: C<$kind>,
            _keyval: c_int,
            _attribute_val: *mut c_void,
            _extra_state: *mut c_void,
        ) -> c_int {
            MPI_SUCCESS
        }
    )*};
}

callbacks! {
    MPI_Comm: OMPI_C_MPI_COMM_DUP_FN, OMPI_C_MPI_COMM_NULL_COPY_FN, OMPI_C_MPI_COMM_NULL_DELETE_FN;
    MPI_Comm: OMPI_C_MPI_DUP_FN, OMPI_C_MPI_NULL_COPY_FN, OMPI_C_MPI_NULL_DELETE_FN;
    MPI_Datatype: OMPI_C_MPI_TYPE_DUP_FN, OMPI_C_MPI_TYPE_NULL_COPY_FN, OMPI_C_MPI_TYPE_NULL_DELETE_FN;
    MPI_Win: OMPI_C_MPI_WIN_DUP_FN, OMPI_C_MPI_WIN_NULL_COPY_FN, OMPI_C_MPI_WIN_NULL_DELETE_FN;
}
