//! Numbers of the tool information interface (MPI 4.1 §15.3).

use crate::mpi::types::*;
use std::ffi::c_int;

// For whom a variable is (§15.3.1).
pub const MPI_T_VERBOSITY_INVALID: c_int = 0;
pub const MPI_T_VERBOSITY_USER_BASIC: c_int = 221;
pub const MPI_T_VERBOSITY_USER_DETAIL: c_int = 222;
pub const MPI_T_VERBOSITY_USER_ALL: c_int = 223;
pub const MPI_T_VERBOSITY_TUNER_BASIC: c_int = 224;
pub const MPI_T_VERBOSITY_TUNER_DETAIL: c_int = 225;
pub const MPI_T_VERBOSITY_TUNER_ALL: c_int = 226;
pub const MPI_T_VERBOSITY_MPIDEV_BASIC: c_int = 227;
pub const MPI_T_VERBOSITY_MPIDEV_DETAIL: c_int = 228;
pub const MPI_T_VERBOSITY_MPIDEV_ALL: c_int = 229;

// What a variable belongs to (§15.3.2).
pub const MPI_T_BIND_INVALID: c_int = 0;
pub const MPI_T_BIND_NO_OBJECT: c_int = 9700;
pub const MPI_T_BIND_MPI_COMM: c_int = 9701;
pub const MPI_T_BIND_MPI_DATATYPE: c_int = 9702;
pub const MPI_T_BIND_MPI_ERRHANDLER: c_int = 9703;
pub const MPI_T_BIND_MPI_FILE: c_int = 9704;
pub const MPI_T_BIND_MPI_GROUP: c_int = 9705;
pub const MPI_T_BIND_MPI_OP: c_int = 9706;
pub const MPI_T_BIND_MPI_REQUEST: c_int = 9707;
pub const MPI_T_BIND_MPI_WIN: c_int = 9708;
pub const MPI_T_BIND_MPI_MESSAGE: c_int = 9709;
pub const MPI_T_BIND_MPI_INFO: c_int = 9710;
pub const MPI_T_BIND_MPI_SESSION: c_int = 9711;

// How far a control variable's setting reaches (§15.3.6).
pub const MPI_T_SCOPE_INVALID: c_int = 0;
pub const MPI_T_SCOPE_CONSTANT: c_int = 60438;
pub const MPI_T_SCOPE_READONLY: c_int = 60439;
pub const MPI_T_SCOPE_LOCAL: c_int = 60440;
pub const MPI_T_SCOPE_GROUP: c_int = 60441;
pub const MPI_T_SCOPE_GROUP_EQ: c_int = 60442;
pub const MPI_T_SCOPE_ALL: c_int = 60443;
pub const MPI_T_SCOPE_ALL_EQ: c_int = 60444;

// What a performance variable measures (§15.3.7).
pub const MPI_T_PVAR_CLASS_INVALID: c_int = 0;
pub const MPI_T_PVAR_CLASS_STATE: c_int = 240;
pub const MPI_T_PVAR_CLASS_LEVEL: c_int = 241;
pub const MPI_T_PVAR_CLASS_SIZE: c_int = 242;
pub const MPI_T_PVAR_CLASS_PERCENTAGE: c_int = 243;
pub const MPI_T_PVAR_CLASS_HIGHWATERMARK: c_int = 244;
pub const MPI_T_PVAR_CLASS_LOWWATERMARK: c_int = 245;
pub const MPI_T_PVAR_CLASS_COUNTER: c_int = 246;
pub const MPI_T_PVAR_CLASS_AGGREGATE: c_int = 247;
pub const MPI_T_PVAR_CLASS_TIMER: c_int = 248;
pub const MPI_T_PVAR_CLASS_GENERIC: c_int = 249;

// What a callback of an event may do (§15.3.8).
pub const MPI_T_CB_REQUIRE_NONE: MPI_T_cb_safety = MPI_T_cb_safety(0);
pub const MPI_T_CB_REQUIRE_MPI_RESTRICTED: MPI_T_cb_safety = MPI_T_cb_safety(1);
pub const MPI_T_CB_REQUIRE_THREAD_SAFE: MPI_T_cb_safety = MPI_T_cb_safety(2);
pub const MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE: MPI_T_cb_safety = MPI_T_cb_safety(3);

// Whether a source gives its events in the order of time (§15.3.8).
pub const MPI_T_SOURCE_ORDERED: MPI_T_source_order = MPI_T_source_order(0);
pub const MPI_T_SOURCE_UNORDERED: MPI_T_source_order = MPI_T_source_order(1);
