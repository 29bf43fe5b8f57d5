//! Handles of the predefined objects that are not datatypes, null handles, and the keys of predefined attributes.

use crate::mpi::types::*;
use std::ffi::c_int;

// Communicators (MPI 4.1 §7.2.4).
pub const MPI_COMM_NULL: MPI_Comm = MPI_Comm(0x04000000);
pub const MPI_COMM_WORLD: MPI_Comm = MPI_Comm(0x44000000);
pub const MPI_COMM_SELF: MPI_Comm = MPI_Comm(0x44000001);

// Groups.
pub const MPI_GROUP_NULL: MPI_Group = MPI_Group(0x08000000);
pub const MPI_GROUP_EMPTY: MPI_Group = MPI_Group(0x48000000);

// Windows, requests, messages, sessions.
pub const MPI_WIN_NULL: MPI_Win = MPI_Win(0x20000000);
pub const MPI_REQUEST_NULL: MPI_Request = MPI_Request(0x2c000000);
pub const MPI_MESSAGE_NULL: MPI_Message = MPI_Message(0x2c000000);
pub const MPI_MESSAGE_NO_PROC: MPI_Message = MPI_Message(0x6c000000);
pub const MPI_SESSION_NULL: MPI_Session = MPI_Session(0x38000000);

// Info objects (MPI 4.1 §10).
pub const MPI_INFO_NULL: MPI_Info = MPI_Info(0x1c000000);
pub const MPI_INFO_ENV: MPI_Info = MPI_Info(0x5c000001);

// Error handlers (MPI 4.1 §9.3).
pub const MPI_ERRHANDLER_NULL: MPI_Errhandler = MPI_Errhandler(0x14000000);
pub const MPI_ERRORS_ARE_FATAL: MPI_Errhandler = MPI_Errhandler(0x54000000);
pub const MPI_ERRORS_RETURN: MPI_Errhandler = MPI_Errhandler(0x54000001);
pub const MPI_ERRORS_ABORT: MPI_Errhandler = MPI_Errhandler(0x54000003);

// Reduction operations (MPI 4.1 §6.9.2, §12.3.4).
pub const MPI_OP_NULL: MPI_Op = MPI_Op(0x18000000);
pub const MPI_MAX: MPI_Op = MPI_Op(0x58000001);
pub const MPI_MIN: MPI_Op = MPI_Op(0x58000002);
pub const MPI_SUM: MPI_Op = MPI_Op(0x58000003);
pub const MPI_PROD: MPI_Op = MPI_Op(0x58000004);
pub const MPI_LAND: MPI_Op = MPI_Op(0x58000005);
pub const MPI_BAND: MPI_Op = MPI_Op(0x58000006);
pub const MPI_LOR: MPI_Op = MPI_Op(0x58000007);
pub const MPI_BOR: MPI_Op = MPI_Op(0x58000008);
pub const MPI_LXOR: MPI_Op = MPI_Op(0x58000009);
pub const MPI_BXOR: MPI_Op = MPI_Op(0x5800000a);
pub const MPI_MINLOC: MPI_Op = MPI_Op(0x5800000b);
pub const MPI_MAXLOC: MPI_Op = MPI_Op(0x5800000c);
pub const MPI_REPLACE: MPI_Op = MPI_Op(0x5800000d);
pub const MPI_NO_OP: MPI_Op = MPI_Op(0x5800000e);

values! {
    // Keys of the attributes of `MPI_COMM_WORLD` (MPI 4.1 §9.1.2, §9.5.3, §11.10). The key that Fortran uses is one more.
    MPI_TAG_UB: c_int = 0x64400001, 0, 501;
    MPI_HOST: c_int = 0x64400003, 1, 503;
    MPI_IO: c_int = 0x64400005, 2, 502;
    MPI_WTIME_IS_GLOBAL: c_int = 0x64400007, 3, 504;
    MPI_UNIVERSE_SIZE: c_int = 0x64400009, 6, 507;
    MPI_LASTUSEDCODE: c_int = 0x6440000b, 5, 506;
    MPI_APPNUM: c_int = 0x6440000d, 4, 505;

    // Keys of the attributes of every window (MPI 4.1 §12.2.6). The key that Fortran uses is one more.
    MPI_WIN_BASE: c_int = 0x66000001, 7, 601;
    MPI_WIN_SIZE: c_int = 0x66000003, 8, 603;
    MPI_WIN_DISP_UNIT: c_int = 0x66000005, 9, 602;
    MPI_WIN_CREATE_FLAVOR: c_int = 0x66000007, 10, 604;
    MPI_WIN_MODEL: c_int = 0x66000009, 11, 605;
    /// No key.
    MPI_KEYVAL_INVALID: c_int = 0x24000000, -1, 0;
}
