//! Constants that are addresses: `MPI_IN_PLACE`, `MPI_STATUS_IGNORE`, null functions.

use super::NONE;
use crate::mpi::types::*;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null_mut, without_provenance_mut};

addresses! {
    /// The address zero, of absolute displacements (MPI 4.1 §2.5.4).
    MPI_BOTTOM: *mut c_void = 0, 0, 0;
    /// The buffer is both input and output (MPI 4.1 §6.2.3).
    MPI_IN_PLACE: *mut c_void = -1, 1, 1;
    /// The library finds the memory for buffered sends itself (MPI 4.1 §3.6.1).
    MPI_BUFFER_AUTOMATIC: *mut c_void = -2, NONE, 2;
    /// Nobody asks for the status (MPI 4.1 §3.2.6).
    MPI_STATUS_IGNORE: *mut MPI_Status = 1, 0, 0;
    /// Nobody asks for the statuses (MPI 4.1 §3.2.6).
    MPI_STATUSES_IGNORE: *mut MPI_Status = 1, 0, 0;
    /// Nobody asks for the error codes of spawned processes (MPI 4.1 §11.8.2).
    MPI_ERRCODES_IGNORE: *mut c_int = 0, 0, 0;
    /// No arguments for a spawned process.
    MPI_ARGV_NULL: *mut *mut c_char = 0, 0, 0;
    /// No arguments for any spawned process.
    MPI_ARGVS_NULL: *mut *mut *mut c_char = 0, 0, 0;
}

/// No enumeration of a tool variable's values.
pub const MPI_T_ENUM_NULL: MPI_T_enum = null_mut();
/// No handle of a control variable.
pub const MPI_T_CVAR_HANDLE_NULL: MPI_T_cvar_handle = null_mut();
/// No handle of a performance variable.
pub const MPI_T_PVAR_HANDLE_NULL: MPI_T_pvar_handle = null_mut();
/// No session of performance variables.
pub const MPI_T_PVAR_SESSION_NULL: MPI_T_pvar_session = null_mut();

/// `MPI_COMM_DUP_FN` and its kin, which copy the value, where they are numbers and not functions (MPI 5.0 §20.2).
#[cfg(feature = "standard")]
pub(crate) const MPI_DUP_FN: Option<usize> = Some(1);
#[cfg(not(feature = "standard"))]
pub(crate) const MPI_DUP_FN: Option<usize> = None;

/// No copying of attributes, and no deleting (MPI 4.1 §7.7.2, §16.3).
pub const MPI_NULL_COPY_FN: Option<MPI_Copy_function> = None;
pub const MPI_NULL_DELETE_FN: Option<MPI_Delete_function> = None;
pub const MPI_COMM_NULL_COPY_FN: Option<MPI_Comm_copy_attr_function> = None;
pub const MPI_COMM_NULL_DELETE_FN: Option<MPI_Comm_delete_attr_function> = None;
pub const MPI_TYPE_NULL_COPY_FN: Option<MPI_Type_copy_attr_function> = None;
pub const MPI_TYPE_NULL_DELETE_FN: Option<MPI_Type_delete_attr_function> = None;
pub const MPI_WIN_NULL_COPY_FN: Option<MPI_Win_copy_attr_function> = None;
pub const MPI_WIN_NULL_DELETE_FN: Option<MPI_Win_delete_attr_function> = None;
/// No conversion between the data representations (MPI 4.1 §14.5.3).
pub const MPI_CONVERSION_FN_NULL: Option<MPI_Datarep_conversion_function> = None;
pub const MPI_CONVERSION_FN_NULL_C: Option<MPI_Datarep_conversion_function_c> = None;
