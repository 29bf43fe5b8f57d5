//! Reading and writing files: at explicit offsets, at the individual pointer, at the shared one (MPI 4.1 §14.4.2 to §14.4.4).
//!
//! `count` is in elements of `datatype`. The functions without a request block until the data is moved; what a request is
//! given for is complete at once. Those that are collective may wait for the other processes; those of them with a request do not.
//!
//! Errors: `MPI_ERR_FILE`, `MPI_ERR_ACCESS` (reads of what is open with `MPI_MODE_WRONLY`), `MPI_ERR_READ_ONLY` (writes with
//! `MPI_MODE_RDONLY`), `MPI_ERR_UNSUPPORTED_OPERATION` (without the shared pointer, with `MPI_MODE_SEQUENTIAL`),
//! `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`, `MPI_ERR_ARG` (the data is not made of etypes; null pointer),
//! `MPI_ERR_CONVERSION` (a function of the program's), `MPI_ERR_IO`, `MPI_ERR_NO_SPACE`, `MPI_ERR_QUOTA` and others of the system.

use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::messages::p2p;
use crate::check::buffers::Access;
use crate::comm::COMM_SELF;
use crate::error::Result;
use crate::file::{self, Direction, File, From, Memory};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::p2p::request;
use crate::runtime;
use crate::transport::operation::{About, Action, Operation, Partners};
use crate::{datatype, mpi_forms};
use macro_rules_attribute::apply;
use std::ffi::c_void;

/// A buffer argument: address, number of elements, datatype.
pub type Elements<'a, C> = (In<'a, c_void>, C, MPI_Datatype);

pub fn memory<C: Into<i64>>((address, n, handle): Elements<C>) -> Result<Memory> {
    let (n, at) = (n.into(), address.pointer().expose_provenance());
    let buffer = p2p::buffer(address, n, handle, "buf")?;
    let elements = match n {
        0 => None,
        _ => Some(file::Elements {
            address: at,
            count: n as usize,
            datatype: datatype::get_arc(handle)?,
            handle,
        }),
    };
    Ok(Memory { buffer, elements })
}

/// The status of so many bytes.
pub fn status_of(bytes: usize) -> MPI_Status {
    let mut status = MPI_Status::EMPTY;
    status.set_count(bytes as u64);
    status
}

/// One access to a file.
pub struct FileCall {
    file: &'static File,
    direction: Direction,
    from: From,
    /// If it is none, the other processes of a collective call learn of it.
    memory: Result<Memory>,
}

impl FileCall {
    fn new<C: Into<i64>>(
        fh: MPI_File,
        direction: Direction,
        from: From,
        elements: Elements<C>,
    ) -> Result<FileCall> {
        let file = file::get(fh)?;
        let memory = memory(elements);
        let access = match direction {
            Direction::Read => Access::Write,
            Direction::Write => Access::Read,
        };
        if let Ok(memory) = &memory {
            p2p::uses(access, "buf", &memory.buffer, MPI_ANY_SOURCE);
        }
        Ok(FileCall {
            file,
            direction,
            from,
            memory,
        })
    }

    fn run(&self) -> Result<MPI_Status> {
        self.access(false)
    }

    /// The same by all processes, that may wait for each other.
    fn run_together(&self) -> Result<MPI_Status> {
        self.access(true)
    }

    fn access(&self, together: bool) -> Result<MPI_Status> {
        self.file.accessed();
        let (direction, from) = (self.direction, self.from);
        let moved = self.file.access(direction, from, &self.memory, together)?;
        Ok(status_of(moved))
    }

    /// The same, as a request that is complete.
    fn start(&self) -> Result<MPI_Request> {
        let status = self.run()?;
        let operation = Operation::new(About {
            action: Action::Steps("an operation on a file"),
            context: 0,
            peer: MPI_PROC_NULL,
            tag: MPI_ANY_TAG,
            partners: Partners::One(runtime::job().rank),
            comm: COMM_SELF,
        });
        operation.complete(status, None);
        request::handle(Some(operation))
    }
}

/// Reads at etype number `offset` of the view.
#[apply(mpi_forms)]
#[names(
    MPI_File_read_at,
    MPI_File_read_at_all,
    MPI_File_iread_at,
    MPI_File_iread_at_all
)]
fn read_at(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
) -> FileCall {
    FileCall::new(
        fh,
        Direction::Read,
        From::Offset(offset),
        (buf.into(), count, datatype),
    )
}

/// Writes at etype number `offset` of the view.
#[apply(mpi_forms)]
#[names(
    MPI_File_write_at,
    MPI_File_write_at_all,
    MPI_File_iwrite_at,
    MPI_File_iwrite_at_all
)]
fn write_at(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: In<c_void>,
    count: Count,
    datatype: MPI_Datatype,
) -> FileCall {
    FileCall::new(
        fh,
        Direction::Write,
        From::Offset(offset),
        (buf, count, datatype),
    )
}

/// Reads at the individual file pointer, and moves it behind the data asked for.
#[apply(mpi_forms)]
#[names(MPI_File_read, MPI_File_read_all, MPI_File_iread, MPI_File_iread_all)]
fn read(fh: MPI_File, buf: Mut<c_void>, count: Count, datatype: MPI_Datatype) -> FileCall {
    FileCall::new(
        fh,
        Direction::Read,
        From::Individual,
        (buf.into(), count, datatype),
    )
}

/// Writes at the individual file pointer, and moves it behind the data.
#[apply(mpi_forms)]
#[names(
    MPI_File_write,
    MPI_File_write_all,
    MPI_File_iwrite,
    MPI_File_iwrite_all
)]
fn write(fh: MPI_File, buf: In<c_void>, count: Count, datatype: MPI_Datatype) -> FileCall {
    FileCall::new(
        fh,
        Direction::Write,
        From::Individual,
        (buf, count, datatype),
    )
}

/// Reads at the shared file pointer, and moves it behind the data asked for.
#[apply(mpi_forms)]
#[names(MPI_File_read_shared, MPI_File_iread_shared)]
fn read_shared(fh: MPI_File, buf: Mut<c_void>, count: Count, datatype: MPI_Datatype) -> FileCall {
    FileCall::new(
        fh,
        Direction::Read,
        From::Shared,
        (buf.into(), count, datatype),
    )
}

/// Writes at the shared file pointer, and moves it behind the data.
#[apply(mpi_forms)]
#[names(MPI_File_write_shared, MPI_File_iwrite_shared)]
fn write_shared(fh: MPI_File, buf: In<c_void>, count: Count, datatype: MPI_Datatype) -> FileCall {
    FileCall::new(fh, Direction::Write, From::Shared, (buf, count, datatype))
}

/// Reads at the shared file pointer, in the order of ranks. Blocks until all processes of the file have called it.
#[apply(mpi_forms)]
#[names(MPI_File_read_ordered)]
fn read_ordered(fh: MPI_File, buf: Mut<c_void>, count: Count, datatype: MPI_Datatype) -> FileCall {
    FileCall::new(
        fh,
        Direction::Read,
        From::Ordered,
        (buf.into(), count, datatype),
    )
}

/// Writes at the shared file pointer, in the order of ranks. Blocks until all processes of the file have called it.
#[apply(mpi_forms)]
#[names(MPI_File_write_ordered)]
fn write_ordered(fh: MPI_File, buf: In<c_void>, count: Count, datatype: MPI_Datatype) -> FileCall {
    FileCall::new(fh, Direction::Write, From::Ordered, (buf, count, datatype))
}
