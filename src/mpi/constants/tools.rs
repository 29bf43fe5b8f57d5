//! Numbers of the tool information interface (MPI 4.1 §15.3).

use super::NONE;
use crate::mpi::types::*;
use std::ffi::c_int;

values! {
    // For whom a variable is (§15.3.1).
    MPI_T_VERBOSITY_INVALID: c_int = 0, NONE, NONE;
    MPI_T_VERBOSITY_USER_BASIC: c_int = 221, 0, 9;
    MPI_T_VERBOSITY_USER_DETAIL: c_int = 222, 1, 10;
    MPI_T_VERBOSITY_USER_ALL: c_int = 223, 2, 12;
    MPI_T_VERBOSITY_TUNER_BASIC: c_int = 224, 3, 17;
    MPI_T_VERBOSITY_TUNER_DETAIL: c_int = 225, 4, 18;
    MPI_T_VERBOSITY_TUNER_ALL: c_int = 226, 5, 20;
    MPI_T_VERBOSITY_MPIDEV_BASIC: c_int = 227, 6, 33;
    MPI_T_VERBOSITY_MPIDEV_DETAIL: c_int = 228, 7, 34;
    MPI_T_VERBOSITY_MPIDEV_ALL: c_int = 229, 8, 36;

    // What a variable belongs to (§15.3.2).
    MPI_T_BIND_INVALID: c_int = 0, NONE, NONE;
    MPI_T_BIND_NO_OBJECT: c_int = 9700, 0, 1;
    MPI_T_BIND_MPI_COMM: c_int = 9701, 1, 2;
    MPI_T_BIND_MPI_DATATYPE: c_int = 9702, 2, 3;
    MPI_T_BIND_MPI_ERRHANDLER: c_int = 9703, 3, 4;
    MPI_T_BIND_MPI_FILE: c_int = 9704, 4, 5;
    MPI_T_BIND_MPI_GROUP: c_int = 9705, 5, 6;
    MPI_T_BIND_MPI_OP: c_int = 9706, 6, 7;
    MPI_T_BIND_MPI_REQUEST: c_int = 9707, 7, 8;
    MPI_T_BIND_MPI_WIN: c_int = 9708, 8, 9;
    MPI_T_BIND_MPI_MESSAGE: c_int = 9709, 9, 10;
    MPI_T_BIND_MPI_INFO: c_int = 9710, 10, 11;
    MPI_T_BIND_MPI_SESSION: c_int = 9711, NONE, 12;

    // How far a control variable's setting reaches (§15.3.6).
    MPI_T_SCOPE_INVALID: c_int = 0, NONE, NONE;
    MPI_T_SCOPE_CONSTANT: c_int = 60438, 0, 1;
    MPI_T_SCOPE_READONLY: c_int = 60439, 1, 2;
    MPI_T_SCOPE_LOCAL: c_int = 60440, 2, 3;
    MPI_T_SCOPE_GROUP: c_int = 60441, 3, 4;
    MPI_T_SCOPE_GROUP_EQ: c_int = 60442, 4, 5;
    MPI_T_SCOPE_ALL: c_int = 60443, 5, 6;
    MPI_T_SCOPE_ALL_EQ: c_int = 60444, 6, 7;

    // What a performance variable measures (§15.3.7).
    MPI_T_PVAR_CLASS_INVALID: c_int = 0, NONE, NONE;
    MPI_T_PVAR_CLASS_STATE: c_int = 240, 0, 1;
    MPI_T_PVAR_CLASS_LEVEL: c_int = 241, 1, 2;
    MPI_T_PVAR_CLASS_SIZE: c_int = 242, 2, 3;
    MPI_T_PVAR_CLASS_PERCENTAGE: c_int = 243, 3, 4;
    MPI_T_PVAR_CLASS_HIGHWATERMARK: c_int = 244, 4, 5;
    MPI_T_PVAR_CLASS_LOWWATERMARK: c_int = 245, 5, 6;
    MPI_T_PVAR_CLASS_COUNTER: c_int = 246, 6, 7;
    MPI_T_PVAR_CLASS_AGGREGATE: c_int = 247, 7, 8;
    MPI_T_PVAR_CLASS_TIMER: c_int = 248, 8, 9;
    MPI_T_PVAR_CLASS_GENERIC: c_int = 249, 9, 10;

    // What a callback of an event may do (§15.3.8).
    MPI_T_CB_REQUIRE_NONE: MPI_T_cb_safety = 0, NONE, 0;
    MPI_T_CB_REQUIRE_MPI_RESTRICTED: MPI_T_cb_safety = 1, NONE, 3;
    MPI_T_CB_REQUIRE_THREAD_SAFE: MPI_T_cb_safety = 2, NONE, 15;
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE: MPI_T_cb_safety = 3, NONE, 63;

    // Whether a source gives its events in the order of time (§15.3.8).
    MPI_T_SOURCE_ORDERED: MPI_T_source_order = 0, NONE, 1;
    MPI_T_SOURCE_UNORDERED: MPI_T_source_order = 1, NONE, 2;
}
