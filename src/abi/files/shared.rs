//! Reading and writing files at the shared file pointer (MPI 4.1 §14.4.4).

use crate::abi::boundary::pointers::{In, Mut};
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
pub extern "C" fn MPI_File_read_shared(
    fh: MPI_File,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    status: Mut<MPI_Status>,
) -> c_int {
    access(
        fh,
        Direction::Read,
        From::Shared,
        (buf.into(), count, datatype),
        status,
    )
}

/// Reads as `MPI_File_read_shared`; the request is complete at once.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_iread_shared(
    fh: MPI_File,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    request: Mut<MPI_Request>,
) -> c_int {
    start(
        fh,
        Direction::Read,
        From::Shared,
        (buf.into(), count, datatype),
        request,
    )
}

/// Reads at the shared file pointer, in the order of ranks. Collective; blocks until all processes of the file have called it.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_read_ordered(
    fh: MPI_File,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    status: Mut<MPI_Status>,
) -> c_int {
    access(
        fh,
        Direction::Read,
        From::Ordered,
        (buf.into(), count, datatype),
        status,
    )
}

/// Writes at the shared file pointer, and moves it behind the data asked for. `count` in elements of `datatype`. Blocks until it is
/// done.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_write_shared(
    fh: MPI_File,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    status: Mut<MPI_Status>,
) -> c_int {
    access(
        fh,
        Direction::Write,
        From::Shared,
        (buf, count, datatype),
        status,
    )
}

/// Writes as `MPI_File_write_shared`; the request is complete at once.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_iwrite_shared(
    fh: MPI_File,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    request: Mut<MPI_Request>,
) -> c_int {
    start(
        fh,
        Direction::Write,
        From::Shared,
        (buf, count, datatype),
        request,
    )
}

/// Writes at the shared file pointer, in the order of ranks. Collective; blocks until all processes of the file have called it.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_write_ordered(
    fh: MPI_File,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    status: Mut<MPI_Status>,
) -> c_int {
    access(
        fh,
        Direction::Write,
        From::Ordered,
        (buf, count, datatype),
        status,
    )
}
