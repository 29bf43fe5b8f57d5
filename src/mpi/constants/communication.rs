//! Ranks, tags, comparisons, limits, thread levels and other numbers of communication, processes and files.

use crate::mpi::types::*;
use std::ffi::c_int;

// The version of the standard (MPI 4.1 §9.1.1).
pub const MPI_VERSION: c_int = 4;
pub const MPI_SUBVERSION: c_int = 1;

// Ranks and tags (MPI 4.1 §3.2.4, §3.10, §6.2).
pub const MPI_PROC_NULL: c_int = -1;
pub const MPI_ANY_SOURCE: c_int = -2;
pub const MPI_ROOT: c_int = -3;
pub const MPI_ANY_TAG: c_int = -1;
pub const MPI_UNDEFINED: c_int = -32766;

// Results of comparing (MPI 4.1 §7.3.1, §7.4.1).
pub const MPI_IDENT: c_int = 0;
pub const MPI_CONGRUENT: c_int = 1;
pub const MPI_SIMILAR: c_int = 2;
pub const MPI_UNEQUAL: c_int = 3;

// Kinds of `MPI_Comm_split_type` (MPI 4.1 §7.4.2).
pub const MPI_COMM_TYPE_SHARED: c_int = 1;
pub const MPI_COMM_TYPE_HW_GUIDED: c_int = 2;
pub const MPI_COMM_TYPE_HW_UNGUIDED: c_int = 3;
pub const MPI_COMM_TYPE_RESOURCE_GUIDED: c_int = 4;
pub const MPIX_COMM_TYPE_NEIGHBORHOOD: c_int = 5;

// Topologies, as `MPI_Topo_test` tells (MPI 4.1 §8.5.5).
pub const MPI_GRAPH: c_int = 1;
pub const MPI_CART: c_int = 2;
pub const MPI_DIST_GRAPH: c_int = 3;

// Lengths of strings, the terminating zero included (MPI 4.1 annex A.1.1).
pub const MPI_MAX_PROCESSOR_NAME: c_int = 128;
pub const MPI_MAX_LIBRARY_VERSION_STRING: c_int = 8192;
pub const MPI_MAX_ERROR_STRING: c_int = 512;
pub const MPI_MAX_PORT_NAME: c_int = 256;
pub const MPI_MAX_OBJECT_NAME: c_int = 128;
pub const MPI_MAX_STRINGTAG_LEN: c_int = 256;
pub const MPI_MAX_PSET_NAME_LEN: c_int = 256;
pub const MPI_MAX_INFO_KEY: c_int = 255;
pub const MPI_MAX_INFO_VAL: c_int = 1024;
pub const MPI_MAX_DATAREP_STRING: c_int = 128;

/// Bytes that a buffered send takes of the attached buffer beside the message itself (MPI 4.1 §3.6).
pub const MPI_BSEND_OVERHEAD: c_int = 96;

// Thread levels (MPI 4.1 §11.6.2).
pub const MPI_THREAD_SINGLE: c_int = 0;
pub const MPI_THREAD_FUNNELED: c_int = 1;
pub const MPI_THREAD_SERIALIZED: c_int = 2;
pub const MPI_THREAD_MULTIPLE: c_int = 3;

// A status as an array of Fortran integers: its length and the indices from zero (MPI 4.1 §19.3.5).
pub const MPI_F_STATUS_SIZE: c_int = 5;
pub const MPI_F_SOURCE: c_int = 2;
pub const MPI_F_TAG: c_int = 3;
pub const MPI_F_ERROR: c_int = 4;

// Files: access modes and ways to seek (MPI 4.1 §14.2.1, §14.4.3).
pub const MPI_MODE_CREATE: c_int = 1;
pub const MPI_MODE_RDONLY: c_int = 2;
pub const MPI_MODE_WRONLY: c_int = 4;
pub const MPI_MODE_RDWR: c_int = 8;
pub const MPI_MODE_DELETE_ON_CLOSE: c_int = 16;
pub const MPI_MODE_UNIQUE_OPEN: c_int = 32;
pub const MPI_MODE_EXCL: c_int = 64;
pub const MPI_MODE_APPEND: c_int = 128;
pub const MPI_MODE_SEQUENTIAL: c_int = 256;
pub const MPI_SEEK_SET: c_int = 600;
pub const MPI_SEEK_CUR: c_int = 602;
pub const MPI_SEEK_END: c_int = 604;
/// In place of a displacement: the current one of a shared file pointer in sequential mode (MPI 4.1 §14.3).
pub const MPI_DISPLACEMENT_CURRENT: MPI_Offset = -54278278;
