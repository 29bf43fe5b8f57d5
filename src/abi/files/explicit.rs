//! Reading and writing files at explicit offsets (MPI 4.1 §14.4.2).

use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::files::file::{access, start};
use crate::file::{Direction, From};
use crate::mpi::types::*;
use crate::mpi_counts;
use macro_rules_attribute::apply;
use std::ffi::c_void;

/// Reads at etype number `offset` of the view. `count` in elements of `datatype`. Blocks until it is done.
///
/// MPI 4.1 §14.4.2. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_read_at(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    status: Mut<MPI_Status>,
) -> c_int {
    access(
        fh,
        Direction::Read,
        From::Offset(offset),
        (buf.into(), count, datatype),
        status,
    )
}

/// Reads as `MPI_File_read_at`. Collective, but waits for no other process.
///
/// MPI 4.1 §14.4.2. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_read_at_all(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    status: Mut<MPI_Status>,
) -> c_int {
    access(
        fh,
        Direction::Read,
        From::Offset(offset),
        (buf.into(), count, datatype),
        status,
    )
}

/// Reads as `MPI_File_read_at`; the request is complete at once.
///
/// MPI 4.1 §14.4.2. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_iread_at(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    request: Mut<MPI_Request>,
) -> c_int {
    start(
        fh,
        Direction::Read,
        From::Offset(offset),
        (buf.into(), count, datatype),
        request,
    )
}

/// Reads as `MPI_File_iread_at`. Collective, but waits for no other process.
///
/// MPI 4.1 §14.4.2. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_iread_at_all(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    request: Mut<MPI_Request>,
) -> c_int {
    start(
        fh,
        Direction::Read,
        From::Offset(offset),
        (buf.into(), count, datatype),
        request,
    )
}

/// Writes at etype number `offset` of the view. `count` in elements of `datatype`. Blocks until it is done.
///
/// MPI 4.1 §14.4.2. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_write_at(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    status: Mut<MPI_Status>,
) -> c_int {
    access(
        fh,
        Direction::Write,
        From::Offset(offset),
        (buf, count, datatype),
        status,
    )
}

/// Writes as `MPI_File_write_at`. Collective, but waits for no other process.
///
/// MPI 4.1 §14.4.2. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_write_at_all(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    status: Mut<MPI_Status>,
) -> c_int {
    access(
        fh,
        Direction::Write,
        From::Offset(offset),
        (buf, count, datatype),
        status,
    )
}

/// Writes as `MPI_File_write_at`; the request is complete at once.
///
/// MPI 4.1 §14.4.2. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_iwrite_at(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    request: Mut<MPI_Request>,
) -> c_int {
    start(
        fh,
        Direction::Write,
        From::Offset(offset),
        (buf, count, datatype),
        request,
    )
}

/// Writes as `MPI_File_iwrite_at`. Collective, but waits for no other process.
///
/// MPI 4.1 §14.4.2. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_iwrite_at_all(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    request: Mut<MPI_Request>,
) -> c_int {
    start(
        fh,
        Direction::Write,
        From::Offset(offset),
        (buf, count, datatype),
        request,
    )
}
