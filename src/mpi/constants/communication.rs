//! Ranks, tags, comparisons, limits, thread levels and other numbers of communication, processes and files.

use super::NONE;
use crate::mpi::types::*;
use std::ffi::c_int;

values! {
    // The version of the standard (MPI 5.0 §9.1.1). Open MPI's headers have no names of later ones than 3.1.
    MPI_VERSION: c_int = 5, 3, 5;
    MPI_SUBVERSION: c_int = 0, 1, 0;
    // The version of the standard's binary interface (MPI 5.0 §20.2).
    MPI_ABI_VERSION: c_int = NONE, NONE, 1;
    MPI_ABI_SUBVERSION: c_int = NONE, NONE, 0;

    // Ranks and tags (MPI 4.1 §3.2.4, §3.10, §6.2).
    MPI_PROC_NULL: c_int = -1, -2, -3;
    MPI_ANY_SOURCE: c_int = -2, -1, -1;
    MPI_ROOT: c_int = -3, -4, -4;
    MPI_ANY_TAG: c_int = -1, -1, -2;
    MPI_UNDEFINED: c_int = -32766, -32766, -32766;

    // Results of comparing (MPI 4.1 §7.3.1, §7.4.1).
    MPI_IDENT: c_int = 0, 0, 201;
    MPI_CONGRUENT: c_int = 1, 1, 202;
    MPI_SIMILAR: c_int = 2, 2, 203;
    MPI_UNEQUAL: c_int = 3, 3, 204;

    // Kinds of `MPI_Comm_split_type` (MPI 4.1 §7.4.2).
    MPI_COMM_TYPE_SHARED: c_int = 1, 0, 221;
    MPI_COMM_TYPE_HW_GUIDED: c_int = 2, 13, 223;
    MPI_COMM_TYPE_HW_UNGUIDED: c_int = 3, 12, 222;
    MPI_COMM_TYPE_RESOURCE_GUIDED: c_int = 4, NONE, 224;
    MPIX_COMM_TYPE_NEIGHBORHOOD: c_int = 5, NONE, NONE;
    OMPI_COMM_TYPE_HWTHREAD: c_int = NONE, 1, NONE;
    OMPI_COMM_TYPE_CORE: c_int = NONE, 2, NONE;
    OMPI_COMM_TYPE_L1CACHE: c_int = NONE, 3, NONE;
    OMPI_COMM_TYPE_L2CACHE: c_int = NONE, 4, NONE;
    OMPI_COMM_TYPE_L3CACHE: c_int = NONE, 5, NONE;
    OMPI_COMM_TYPE_SOCKET: c_int = NONE, 6, NONE;
    OMPI_COMM_TYPE_NUMA: c_int = NONE, 7, NONE;
    OMPI_COMM_TYPE_BOARD: c_int = NONE, 8, NONE;
    OMPI_COMM_TYPE_HOST: c_int = NONE, 9, NONE;
    OMPI_COMM_TYPE_CU: c_int = NONE, 10, NONE;
    OMPI_COMM_TYPE_CLUSTER: c_int = NONE, 11, NONE;

    // Topologies, as `MPI_Topo_test` tells (MPI 4.1 §8.5.5).
    MPI_GRAPH: c_int = 1, 2, 212;
    MPI_CART: c_int = 2, 1, 211;
    MPI_DIST_GRAPH: c_int = 3, 3, 213;

    // Lengths of strings, the terminating zero included (MPI 4.1 annex A.1.1).
    MPI_MAX_PROCESSOR_NAME: c_int = 128, 256, 256;
    MPI_MAX_LIBRARY_VERSION_STRING: c_int = 8192, 256, 8192;
    MPI_MAX_ERROR_STRING: c_int = 512, 256, 512;
    MPI_MAX_PORT_NAME: c_int = 256, 1024, 1024;
    MPI_MAX_OBJECT_NAME: c_int = 128, 64, 128;
    MPI_MAX_STRINGTAG_LEN: c_int = 256, 1024, 1024;
    MPI_MAX_PSET_NAME_LEN: c_int = 256, 512, 1024;
    MPI_MAX_INFO_KEY: c_int = 255, 36, 256;
    MPI_MAX_INFO_VAL: c_int = 1024, 256, 1024;
    MPI_MAX_DATAREP_STRING: c_int = 128, 128, 128;

    /// Bytes that a buffered send takes of the attached buffer beside the message itself (MPI 4.1 §3.6).
    MPI_BSEND_OVERHEAD: c_int = 96, 128, 512;

    // Thread levels (MPI 4.1 §11.6.2).
    MPI_THREAD_SINGLE: c_int = 0, 0, 0;
    MPI_THREAD_FUNNELED: c_int = 1, 1, 1024;
    MPI_THREAD_SERIALIZED: c_int = 2, 2, 2048;
    MPI_THREAD_MULTIPLE: c_int = 3, 3, 4096;

    // A status as an array of Fortran integers: its length and the indices from zero (MPI 4.1 §19.3.5).
    MPI_F_STATUS_SIZE: c_int = 5, 6, 8;
    MPI_F_SOURCE: c_int = 2, 0, 0;
    MPI_F_TAG: c_int = 3, 1, 1;
    MPI_F_ERROR: c_int = 4, 2, 2;

    // Files: access modes and ways to seek (MPI 4.1 §14.2.1, §14.4.3).
    MPI_MODE_CREATE: c_int = 1, 1, 2;
    MPI_MODE_RDONLY: c_int = 2, 2, 16;
    MPI_MODE_WRONLY: c_int = 4, 4, 256;
    MPI_MODE_RDWR: c_int = 8, 8, 32;
    MPI_MODE_DELETE_ON_CLOSE: c_int = 16, 16, 4;
    MPI_MODE_UNIQUE_OPEN: c_int = 32, 32, 128;
    MPI_MODE_EXCL: c_int = 64, 64, 8;
    MPI_MODE_APPEND: c_int = 128, 128, 1;
    MPI_MODE_SEQUENTIAL: c_int = 256, 256, 64;
    MPI_SEEK_SET: c_int = 600, 600, 403;
    MPI_SEEK_CUR: c_int = 602, 602, 401;
    MPI_SEEK_END: c_int = 604, 604, 402;
    /// In place of a displacement: the current one of a shared file pointer in sequential mode (MPI 4.1 §14.3).
    MPI_DISPLACEMENT_CURRENT: MPI_Offset = -54278278, -54278278, -1;

    // The types of devices that MPIX_GPU_query_support knows.
    MPIX_GPU_SUPPORT_CUDA: c_int = 0, NONE, NONE;
    MPIX_GPU_SUPPORT_ZE: c_int = 1, NONE, NONE;
    MPIX_GPU_SUPPORT_HIP: c_int = 2, NONE, NONE;
}
