//! Collective file operations in two parts (MPI 4.1 §14.4.5). One may be begun on a file at a time.

use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::files::access::{Elements, memory, status_of};
use crate::abi::messages::p2p;
use crate::check::{self, buffers::Access, pending};
use crate::error::Result;
use crate::file::{self, From, Split};
use crate::mpi::constants::MPI_ANY_SOURCE;
use crate::mpi::types::*;
use crate::{mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::c_void;

impl Split {
    /// What it does to the buffer.
    fn access(self) -> Access {
        match self {
            Split::ReadAt | Split::Read | Split::ReadOrdered => Access::Write,
            Split::WriteAt | Split::Write | Split::WriteOrdered => Access::Read,
        }
    }
}

/// Begins an operation in two parts.
fn begin<C: Into<i64>>(
    fh: MPI_File,
    split: Split,
    from: From,
    elements: Elements<C>,
) -> Result<()> {
    let (file, memory) = (file::get(fh)?, memory(elements));
    // It is refused while another one is on.
    if !file.is_split() {
        if let Ok(memory) = &memory {
            p2p::uses(split.access(), "buf", &memory.buffer, MPI_ANY_SOURCE);
        }
        file.called_together();
    }
    file.begin(split, from, memory)?;
    if check::is_on() {
        // No request has a file's handle.
        pending::began(fh.0);
    }
    Ok(())
}

/// Ends it, and gives the status.
fn end(fh: MPI_File, split: Split, status: Mut<MPI_Status>) -> Result<()> {
    let file = file::get(fh)?;
    let status = status.single()?;
    let moved = file.end(split)?;
    file.called_together();
    if check::is_on() {
        pending::ended(fh.0);
    }
    status.set(&status_of(moved));
    Ok(())
}

/// Begins to read as `MPI_File_read_at_all`. The data is moved before it returns.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_read_at_all_begin(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
) -> c_int {
    begin(
        fh,
        Split::ReadAt,
        From::Offset(offset),
        (buf.into(), count, datatype),
    )
}

/// Ends what `MPI_File_read_at_all_begin` began, and gives its status. Does not block.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_IO` (no such operation was begun), `MPI_ERR_ARG` (misaligned pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_read_at_all_end(
    fh: MPI_File,
    buf: Mut<c_void>,
    status: Mut<MPI_Status>,
) -> c_int {
    let _ = buf;
    end(fh, Split::ReadAt, status)
}

/// Begins to read as `MPI_File_read_all`. The data is moved before it returns.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_read_all_begin(
    fh: MPI_File,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
) -> c_int {
    begin(
        fh,
        Split::Read,
        From::Individual,
        (buf.into(), count, datatype),
    )
}

/// Ends what `MPI_File_read_all_begin` began, and gives its status. Does not block.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_IO` (no such operation was begun), `MPI_ERR_ARG` (misaligned pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_read_all_end(
    fh: MPI_File,
    buf: Mut<c_void>,
    status: Mut<MPI_Status>,
) -> c_int {
    let _ = buf;
    end(fh, Split::Read, status)
}

/// Begins to read as `MPI_File_read_ordered`: blocks until all processes of the file have called it.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (open with `MPI_MODE_WRONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO` and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_read_ordered_begin(
    fh: MPI_File,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
) -> c_int {
    begin(
        fh,
        Split::ReadOrdered,
        From::Ordered,
        (buf.into(), count, datatype),
    )
}

/// Ends what `MPI_File_read_ordered_begin` began, and gives its status. Does not block.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_IO` (no such operation was begun), `MPI_ERR_ARG` (misaligned pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_read_ordered_end(
    fh: MPI_File,
    buf: Mut<c_void>,
    status: Mut<MPI_Status>,
) -> c_int {
    let _ = buf;
    end(fh, Split::ReadOrdered, status)
}

/// Begins to write as `MPI_File_write_at_all`. The data is moved before it returns.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_write_at_all_begin(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
) -> c_int {
    begin(
        fh,
        Split::WriteAt,
        From::Offset(offset),
        (buf, count, datatype),
    )
}

/// Ends what `MPI_File_write_at_all_begin` began, and gives its status. Does not block.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_IO` (no such operation was begun), `MPI_ERR_ARG` (misaligned pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_write_at_all_end(
    fh: MPI_File,
    buf: In<c_void>,
    status: Mut<MPI_Status>,
) -> c_int {
    let _ = buf;
    end(fh, Split::WriteAt, status)
}

/// Begins to write as `MPI_File_write_all`. The data is moved before it returns.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_write_all_begin(
    fh: MPI_File,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
) -> c_int {
    begin(fh, Split::Write, From::Individual, (buf, count, datatype))
}

/// Ends what `MPI_File_write_all_begin` began, and gives its status. Does not block.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_IO` (no such operation was begun), `MPI_ERR_ARG` (misaligned pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_write_all_end(
    fh: MPI_File,
    buf: In<c_void>,
    status: Mut<MPI_Status>,
) -> c_int {
    let _ = buf;
    end(fh, Split::Write, status)
}

/// Begins to write as `MPI_File_write_ordered`: blocks until all processes of the file have called it.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_READ_ONLY` (open with `MPI_MODE_RDONLY`), `MPI_ERR_COUNT`,
/// `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA`
/// and others of the system.
#[apply(mpi_counts)]
pub extern "C" fn MPI_File_write_ordered_begin(
    fh: MPI_File,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
) -> c_int {
    begin(
        fh,
        Split::WriteOrdered,
        From::Ordered,
        (buf, count, datatype),
    )
}

/// Ends what `MPI_File_write_ordered_begin` began, and gives its status. Does not block.
///
/// MPI 4.1 §14.4.5. Errors: `MPI_ERR_FILE`, `MPI_ERR_IO` (no such operation was begun), `MPI_ERR_ARG` (misaligned pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_write_ordered_end(
    fh: MPI_File,
    buf: In<c_void>,
    status: Mut<MPI_Status>,
) -> c_int {
    let _ = buf;
    end(fh, Split::WriteOrdered, status)
}
