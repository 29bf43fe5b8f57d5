//! Numbers of one-sided communication (MPI 4.1 §12).

use std::ffi::c_int;

values! {
    // How a window was made (MPI 4.1 §12.2.6).
    MPI_WIN_FLAVOR_CREATE: c_int = 1, 1, 311;
    MPI_WIN_FLAVOR_ALLOCATE: c_int = 2, 2, 312;
    MPI_WIN_FLAVOR_DYNAMIC: c_int = 3, 3, 313;
    MPI_WIN_FLAVOR_SHARED: c_int = 4, 4, 314;

    // Memory models (MPI 4.1 §12.4).
    MPI_WIN_SEPARATE: c_int = 1, 1, 322;
    MPI_WIN_UNIFIED: c_int = 2, 0, 321;

    // Kinds of locks (MPI 4.1 §12.5.3).
    MPI_LOCK_EXCLUSIVE: c_int = 234, 1, 301;
    MPI_LOCK_SHARED: c_int = 235, 2, 302;

    // Asserts (MPI 4.1 §12.5.5).
    MPI_MODE_NOCHECK: c_int = 1024, 1, 1024;
    MPI_MODE_NOSTORE: c_int = 2048, 8, 8192;
    MPI_MODE_NOPUT: c_int = 4096, 4, 4096;
    MPI_MODE_NOPRECEDE: c_int = 8192, 2, 2048;
    MPI_MODE_NOSUCCEED: c_int = 16384, 16, 16384;
}
