//! Reading and writing files at the shared file pointer (MPI 4.1 §14.4.4).

use crate::abi::files::file::{access, start};
use crate::file::{Direction, From};
use crate::mpi::types::*;
use crate::mpi_counts;
use macro_rules_attribute::apply;
use std::ffi::c_void;

/// Reads at the shared file pointer, and moves it behind the data asked for. `count` in elements of `datatype`. Blocks until it is
/// done.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_File_read_shared(
    fh: MPI_File,
    buf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        access(
            fh,
            Direction::Read,
            From::Shared,
            (buf, count, datatype),
            status,
        )
    }
}

/// Reads as `MPI_File_read_shared`; the request is complete at once.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_File_iread_shared(
    fh: MPI_File,
    buf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        start(
            fh,
            Direction::Read,
            From::Shared,
            (buf, count, datatype),
            request,
        )
    }
}

/// Reads at the shared file pointer, in the order of ranks. Collective; blocks until all processes of the file have called it.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_File_read_ordered(
    fh: MPI_File,
    buf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        access(
            fh,
            Direction::Read,
            From::Ordered,
            (buf, count, datatype),
            status,
        )
    }
}

/// Writes at the shared file pointer, and moves it behind the data asked for. `count` in elements of `datatype`. Blocks until it is
/// done.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_File_write_shared(
    fh: MPI_File,
    buf: *const c_void,
    count: Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        access(
            fh,
            Direction::Write,
            From::Shared,
            (buf, count, datatype),
            status,
        )
    }
}

/// Writes as `MPI_File_write_shared`; the request is complete at once.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_File_iwrite_shared(
    fh: MPI_File,
    buf: *const c_void,
    count: Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        start(
            fh,
            Direction::Write,
            From::Shared,
            (buf, count, datatype),
            request,
        )
    }
}

/// Writes at the shared file pointer, in the order of ranks. Collective; blocks until all processes of the file have called it.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_File_write_ordered(
    fh: MPI_File,
    buf: *const c_void,
    count: Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        access(
            fh,
            Direction::Write,
            From::Ordered,
            (buf, count, datatype),
            status,
        )
    }
}
