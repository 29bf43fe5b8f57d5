//! The data symbols of MPICH's ABI: variables that programs and Fortran wrapper libraries refer to by name, and the
//! function behind `MPI_DUP_FN`. They are declared in the frame of the header, `include/mpi.h.in`.
//!
//! A program that is not position-independent has its own copy of such a variable (a copy relocation), so what a
//! constant pointer points to counts here, never the address of the pointer itself.

use crate::mpi::types::*;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

/// A constant pointer that C sees as `T *const`.
#[repr(transparent)]
pub struct Address<T>(*const T);

// SAFETY: an `Address` is only compared, or points to an object that is itself shared safely.
unsafe impl<T: Sync> Sync for Address<T> {}

static UNWEIGHTED: c_int = 0;
static WEIGHTS_EMPTY: c_int = 0;
static PVAR_ALL_HANDLES: c_int = 0;

/// No weights: all edges of the topology weigh the same (MPI 4.1 §8.5.4).
#[unsafe(no_mangle)]
pub static MPI_UNWEIGHTED: Address<c_int> = Address(&raw const UNWEIGHTED);
/// An empty array of weights (MPI 4.1 §8.5.4).
#[unsafe(no_mangle)]
pub static MPI_WEIGHTS_EMPTY: Address<c_int> = Address(&raw const WEIGHTS_EMPTY);
/// All handles of a session of performance variables (MPI 4.1 §15.3.7).
#[unsafe(no_mangle)]
pub static MPI_T_PVAR_ALL_HANDLES: Address<c_int> = Address(&raw const PVAR_ALL_HANDLES);

/// Whether `weights` is `MPI_UNWEIGHTED`.
pub fn is_unweighted(weights: *const c_int) -> bool {
    match () {
        () if cfg!(feature = "openmpi") => weights.addr() == 2,
        () if cfg!(feature = "standard") => weights.addr() == 10,
        () => weights == &raw const UNWEIGHTED,
    }
}

/// Whether `weights` is `MPI_WEIGHTS_EMPTY`.
pub fn are_no_weights(weights: *const c_int) -> bool {
    match () {
        () if cfg!(feature = "openmpi") => weights.addr() == 3,
        () if cfg!(feature = "standard") => weights.addr() == 11,
        () => weights == &raw const WEIGHTS_EMPTY,
    }
}

/// Whether `handle` is `MPI_T_PVAR_ALL_HANDLES`.
pub fn is_all_handles(handle: MPI_T_pvar_handle) -> bool {
    match () {
        () if cfg!(feature = "openmpi") => handle.addr() == usize::MAX,
        () if cfg!(feature = "standard") => handle.addr() == 1,
        () => handle.cast_const().cast() == &raw const PVAR_ALL_HANDLES,
    }
}

/// What the module `mpi_f08` hands to C functions for `MPI_UNWEIGHTED`. The Fortran library has a variable of this name
/// too, which takes the place of this one where both are; it is the C library that stores the value.
#[unsafe(no_mangle)]
pub static MPIR_C_MPI_UNWEIGHTED: AtomicPtr<c_int> = AtomicPtr::new(null_mut());
/// The same for `MPI_WEIGHTS_EMPTY`.
#[unsafe(no_mangle)]
pub static MPIR_C_MPI_WEIGHTS_EMPTY: AtomicPtr<c_int> = AtomicPtr::new(null_mut());

/// Called when the library is loaded, before any function of MPI.
#[used]
#[unsafe(link_section = ".init_array")]
static STORE_WEIGHTS: extern "C" fn() = {
    extern "C" fn store_weights() {
        MPIR_C_MPI_UNWEIGHTED.store((&raw const UNWEIGHTED).cast_mut(), Ordering::Relaxed);
        MPIR_C_MPI_WEIGHTS_EMPTY.store((&raw const WEIGHTS_EMPTY).cast_mut(), Ordering::Relaxed);
    }
    store_weights
};

/// Where Fortran's `MPI_STATUS_IGNORE` is (MPI 4.1 §19.3.5). Null until the Fortran wrapper library stores it.
#[unsafe(no_mangle)]
pub static MPI_F_STATUS_IGNORE: AtomicPtr<MPI_Fint> = AtomicPtr::new(null_mut());
/// Where Fortran's `MPI_STATUSES_IGNORE` is. Null until the Fortran wrapper library stores it.
#[unsafe(no_mangle)]
pub static MPI_F_STATUSES_IGNORE: AtomicPtr<MPI_Fint> = AtomicPtr::new(null_mut());

/// The object that the module `mpi_f08` calls `MPI_STATUS_IGNORE`.
#[unsafe(no_mangle)]
pub static mut MPIR_F08_MPI_STATUS_IGNORE_OBJ: MPI_F08_status = MPI_F08_status::NOTHING;
/// The object that the module `mpi_f08` calls `MPI_STATUSES_IGNORE`.
#[unsafe(no_mangle)]
pub static mut MPIR_F08_MPI_STATUSES_IGNORE_OBJ: [MPI_F08_status; 1] = [MPI_F08_status::NOTHING];
/// The object that the module `mpi_f08` calls `MPI_IN_PLACE`.
#[unsafe(no_mangle)]
pub static mut MPIR_F08_MPI_IN_PLACE: c_int = 0;
/// The object that the module `mpi_f08` calls `MPI_BOTTOM`.
#[unsafe(no_mangle)]
pub static mut MPIR_F08_MPI_BOTTOM: c_int = 0;

/// Points to the `MPI_STATUS_IGNORE` of the module `mpi_f08` (MPI 4.1 §19.3.5).
#[unsafe(no_mangle)]
pub static MPI_F08_STATUS_IGNORE: AtomicPtr<MPI_F08_status> =
    AtomicPtr::new(&raw mut MPIR_F08_MPI_STATUS_IGNORE_OBJ);
/// Points to the `MPI_STATUSES_IGNORE` of the module `mpi_f08`.
#[unsafe(no_mangle)]
pub static MPI_F08_STATUSES_IGNORE: AtomicPtr<[MPI_F08_status; 1]> =
    AtomicPtr::new(&raw mut MPIR_F08_MPI_STATUSES_IGNORE_OBJ);

/// What Fortran's compiler stores for `.TRUE.`.
#[unsafe(no_mangle)]
pub static MPIR_fortran_true: AtomicI32 = AtomicI32::new(1);
/// What Fortran's compiler stores for `.FALSE.`.
#[unsafe(no_mangle)]
pub static MPIR_fortran_false: AtomicI32 = AtomicI32::new(0);

/// `MPI_DUP_FN`, `MPI_COMM_DUP_FN`, `MPI_TYPE_DUP_FN` and `MPI_WIN_DUP_FN`: copies the attribute's value (MPI 4.1
/// §7.7.2). The first argument is a communicator, datatype or window; all of them are `int` handles.
///
/// # Safety
/// `attribute_val_out` and `flag` must point to memory for a pointer and an `int`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIR_Dup_fn(
    _object: c_int,
    _keyval: c_int,
    _extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: who calls a copy function gives both places (MPI 4.1 §7.7.2).
    unsafe {
        attribute_val_out
            .cast::<*mut c_void>()
            .write(attribute_val_in);
        flag.write(1);
    }
    crate::mpi::constants::MPI_SUCCESS
}
