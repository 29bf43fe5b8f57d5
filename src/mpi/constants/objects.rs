//! Handles of the predefined objects that are not datatypes, null handles, and the keys of predefined attributes.

use super::NONE;
use crate::mpi::types::*;
use std::ffi::c_int;

objects! { MPI_Comm:
    // Communicators (MPI 4.1 §7.2.4).
    MPI_COMM_NULL = 0x04000000, ompi_mpi_comm_null, 0x100;
    MPI_COMM_WORLD = 0x44000000, ompi_mpi_comm_world, 0x101;
    MPI_COMM_SELF = 0x44000001, ompi_mpi_comm_self, 0x102;
}

objects! { MPI_Group:
    // Groups.
    MPI_GROUP_NULL = 0x08000000, ompi_mpi_group_null, 0x108;
    MPI_GROUP_EMPTY = 0x48000000, ompi_mpi_group_empty, 0x109;
}

objects! { MPI_Win:
    // Windows, requests, messages, sessions.
    MPI_WIN_NULL = 0x20000000, ompi_mpi_win_null, 0x110;
}
objects! { MPI_Request:
    MPI_REQUEST_NULL = 0x2c000000, ompi_request_null, 0x180;
}
objects! { MPI_Message:
    MPI_MESSAGE_NULL = 0x2c000000, ompi_message_null, 0x128;
    MPI_MESSAGE_NO_PROC = 0x6c000000, ompi_message_no_proc, 0x129;
}
objects! { MPI_Session:
    MPI_SESSION_NULL = 0x38000000, ompi_mpi_instance_null, 0x120;
}
objects! { MPI_File:
    MPI_FILE_NULL = 0, ompi_mpi_file_null, 0x118;
}

objects! { MPI_Info:
    // Info objects (MPI 4.1 §10).
    MPI_INFO_NULL = 0x1c000000, ompi_mpi_info_null, 0x130;
    MPI_INFO_ENV = 0x5c000001, ompi_mpi_info_env, 0x131;
}

objects! { MPI_Errhandler:
    // Error handlers (MPI 4.1 §9.3).
    MPI_ERRHANDLER_NULL = 0x14000000, ompi_mpi_errhandler_null, 0x140;
    MPI_ERRORS_ARE_FATAL = 0x54000000, ompi_mpi_errors_are_fatal, 0x141;
    MPI_ERRORS_RETURN = 0x54000001, ompi_mpi_errors_return, 0x143;
    /// `MPI::ERRORS_THROW_EXCEPTIONS`. The code is returned; what throws is the class whose function the program called.
    MPIR_ERRORS_THROW_EXCEPTIONS = 0x54000002, ompi_mpi_errors_throw_exceptions, NONE;
    MPI_ERRORS_ABORT = 0x54000003, ompi_mpi_errors_abort, 0x142;
}

objects! { MPI_Op:
    // Reduction operations (MPI 4.1 §6.9.2, §12.3.4).
    MPI_OP_NULL = 0x18000000, ompi_mpi_op_null, 0x20;
    MPI_MAX = 0x58000001, ompi_mpi_op_max, 0x23;
    MPI_MIN = 0x58000002, ompi_mpi_op_min, 0x22;
    MPI_SUM = 0x58000003, ompi_mpi_op_sum, 0x21;
    MPI_PROD = 0x58000004, ompi_mpi_op_prod, 0x24;
    MPI_LAND = 0x58000005, ompi_mpi_op_land, 0x30;
    MPI_BAND = 0x58000006, ompi_mpi_op_band, 0x28;
    MPI_LOR = 0x58000007, ompi_mpi_op_lor, 0x31;
    MPI_BOR = 0x58000008, ompi_mpi_op_bor, 0x29;
    MPI_LXOR = 0x58000009, ompi_mpi_op_lxor, 0x32;
    MPI_BXOR = 0x5800000a, ompi_mpi_op_bxor, 0x2a;
    MPI_MINLOC = 0x5800000b, ompi_mpi_op_minloc, 0x38;
    MPI_MAXLOC = 0x5800000c, ompi_mpi_op_maxloc, 0x39;
    MPI_REPLACE = 0x5800000d, ompi_mpi_op_replace, 0x3c;
    MPI_NO_OP = 0x5800000e, ompi_mpi_op_no_op, 0x3d;
}

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
    // Keys of Open MPI's for all communicators, under which there is nothing here: the first is `IMPI_CLIENT_SIZE` up to Open MPI 4,
    // and whether failures are survived from 5 on.
    MPI_FT: c_int = NONE, 12, NONE;
    IMPI_CLIENT_COLOR: c_int = NONE, 13, NONE;
    IMPI_HOST_SIZE: c_int = NONE, 14, NONE;
    IMPI_HOST_COLOR: c_int = NONE, 15, NONE;

    /// No key.
    MPI_KEYVAL_INVALID: c_int = 0x24000000, -1, 0;
}
