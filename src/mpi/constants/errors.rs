//! Error classes (MPI 4.1 §9.4). `crate::error::Class` has those that this library raises; a test keeps both the same.

use super::NONE;
use std::ffi::c_int;

values! {
    MPI_SUCCESS: c_int = 0, 0, 0;
    MPI_ERR_BUFFER: c_int = 1, 1, 1;
    MPI_ERR_COUNT: c_int = 2, 2, 2;
    MPI_ERR_TYPE: c_int = 3, 3, 3;
    MPI_ERR_TAG: c_int = 4, 4, 4;
    MPI_ERR_COMM: c_int = 5, 5, 5;
    MPI_ERR_RANK: c_int = 6, 6, 6;
    MPI_ERR_ROOT: c_int = 7, 8, 8;
    MPI_ERR_GROUP: c_int = 8, 9, 9;
    MPI_ERR_OP: c_int = 9, 10, 10;
    MPI_ERR_TOPOLOGY: c_int = 10, 11, 11;
    MPI_ERR_DIMS: c_int = 11, 12, 12;
    MPI_ERR_ARG: c_int = 12, 13, 13;
    MPI_ERR_UNKNOWN: c_int = 13, 14, 14;
    MPI_ERR_TRUNCATE: c_int = 14, 15, 15;
    MPI_ERR_OTHER: c_int = 15, 16, 16;
    MPI_ERR_INTERN: c_int = 16, 17, 17;
    MPI_ERR_IN_STATUS: c_int = 17, 18, 19;
    MPI_ERR_PENDING: c_int = 18, 19, 18;
    MPI_ERR_REQUEST: c_int = 19, 7, 7;
    MPI_ERR_ACCESS: c_int = 20, 20, 20;
    MPI_ERR_AMODE: c_int = 21, 21, 21;
    MPI_ERR_BAD_FILE: c_int = 22, 23, 23;
    MPI_ERR_CONVERSION: c_int = 23, 25, 25;
    MPI_ERR_DUP_DATAREP: c_int = 24, 27, 27;
    MPI_ERR_FILE_EXISTS: c_int = 25, 28, 28;
    MPI_ERR_FILE_IN_USE: c_int = 26, 29, 29;
    MPI_ERR_FILE: c_int = 27, 30, 30;
    MPI_ERR_INFO: c_int = 28, 34, 34;
    MPI_ERR_INFO_KEY: c_int = 29, 31, 31;
    MPI_ERR_INFO_VALUE: c_int = 30, 33, 33;
    MPI_ERR_INFO_NOKEY: c_int = 31, 32, 32;
    MPI_ERR_IO: c_int = 32, 35, 35;
    MPI_ERR_NAME: c_int = 33, 38, 38;
    MPI_ERR_NO_MEM: c_int = 34, 39, 39;
    MPI_ERR_NOT_SAME: c_int = 35, 40, 40;
    MPI_ERR_NO_SPACE: c_int = 36, 41, 41;
    MPI_ERR_NO_SUCH_FILE: c_int = 37, 42, 42;
    MPI_ERR_PORT: c_int = 38, 43, 43;
    MPI_ERR_QUOTA: c_int = 39, 44, 44;
    MPI_ERR_READ_ONLY: c_int = 40, 45, 45;
    MPI_ERR_SERVICE: c_int = 41, 48, 51;
    MPI_ERR_SPAWN: c_int = 42, 50, 53;
    MPI_ERR_UNSUPPORTED_DATAREP: c_int = 43, 51, 54;
    MPI_ERR_UNSUPPORTED_OPERATION: c_int = 44, 52, 55;
    MPI_ERR_WIN: c_int = 45, 53, 56;
    MPI_ERR_BASE: c_int = 46, 24, 24;
    MPI_ERR_LOCKTYPE: c_int = 47, 37, 37;
    MPI_ERR_KEYVAL: c_int = 48, 36, 36;
    MPI_ERR_RMA_CONFLICT: c_int = 49, 46, 47;
    MPI_ERR_RMA_SYNC: c_int = 50, 47, 50;
    MPI_ERR_SIZE: c_int = 51, 49, 52;
    MPI_ERR_DISP: c_int = 52, 26, 26;
    MPI_ERR_ASSERT: c_int = 53, 22, 22;
    MPI_ERR_RMA_RANGE: c_int = 55, 68, 48;
    MPI_ERR_RMA_ATTACH: c_int = 56, 69, 46;
    MPI_ERR_RMA_SHARED: c_int = 57, 71, 49;
    MPI_ERR_RMA_FLAVOR: c_int = 58, 70, 57;
    MPI_ERR_SESSION: c_int = 75, 78, 60;
    MPI_ERR_PROC_ABORTED: c_int = 76, 74, 58;
    MPI_ERR_VALUE_TOO_LARGE: c_int = 77, 79, 59;
    MPI_ERR_ERRHANDLER: c_int = 80, NONE, 61;
    MPI_ERR_ABI: c_int = 81, NONE, 62;

    // Of the tool information interface (MPI 4.1 §15.3.10).
    MPI_T_ERR_MEMORY: c_int = 59, 54, 1005;
    MPI_T_ERR_NOT_INITIALIZED: c_int = 60, 55, 1003;
    MPI_T_ERR_CANNOT_INIT: c_int = 61, 56, 1001;
    MPI_T_ERR_INVALID_INDEX: c_int = 62, 57, 1007;
    MPI_T_ERR_INVALID_ITEM: c_int = 63, 58, 1008;
    MPI_T_ERR_INVALID_HANDLE: c_int = 64, 59, 1010;
    MPI_T_ERR_OUT_OF_HANDLES: c_int = 65, 60, 1012;
    MPI_T_ERR_OUT_OF_SESSIONS: c_int = 66, 61, 1013;
    MPI_T_ERR_INVALID_SESSION: c_int = 67, 62, 1009;
    MPI_T_ERR_CVAR_SET_NOT_NOW: c_int = 68, 63, 1014;
    MPI_T_ERR_CVAR_SET_NEVER: c_int = 69, 64, 1015;
    MPI_T_ERR_PVAR_NO_STARTSTOP: c_int = 70, 65, 1017;
    MPI_T_ERR_PVAR_NO_WRITE: c_int = 71, 66, 1016;
    MPI_T_ERR_PVAR_NO_ATOMIC: c_int = 72, 67, 1018;
    MPI_T_ERR_INVALID_NAME: c_int = 73, 73, 1011;
    MPI_T_ERR_INVALID: c_int = 74, 72, 1006;
    MPI_T_ERR_NOT_SUPPORTED: c_int = 78, NONE, 1004;
    MPI_T_ERR_NOT_ACCESSIBLE: c_int = 79, NONE, 1002;

    /// No predefined error code is above this.
    MPI_ERR_LASTCODE: c_int = 0x3fffffff, 92, 16383;

    // Extensions: fault tolerance. MPICH begins them at 100.
    MPIX_ERR_PROC_FAILED: c_int = 101, 75, NONE;
}
/// The name without the X, which Open MPI 5 has and programs use that look ahead.
#[cfg(not(feature = "standard"))]
pub const MPI_ERR_PROC_FAILED: c_int = MPIX_ERR_PROC_FAILED;
values! {
    MPIX_ERR_PROC_FAILED_PENDING: c_int = 102, 76, NONE;
    MPIX_ERR_REVOKED: c_int = 103, 77, NONE;
    MPI_ERR_PROC_FAILED_PENDING: c_int = NONE, 76, NONE;
    MPI_ERR_REVOKED: c_int = NONE, 77, NONE;
}
