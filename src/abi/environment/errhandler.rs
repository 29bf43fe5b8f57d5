//! Error handlers (MPI 4.1 §9.3) of communicators and files, and what they share with windows and sessions.
//!
//! Making and freeing handlers may be done at any time, also before `MPI_Init`.

use crate::abi::boundary::arguments::callback;
use crate::abi::boundary::errors::call_handler;
use crate::abi::boundary::pointers::Mut;
use crate::errhandler::{self, FILES, Function};
use crate::error::Object;
use crate::error::Result;
use crate::handle::Kind;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{comm, file, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// Makes an error handler of a function, for communicators.
///
/// MPI 4.1 §9.3.1. Errors: `MPI_ERR_ARG` (null pointer, null function), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_create_errhandler(
    comm_errhandler_fn: Option<MPI_Comm_errhandler_function>,
    errhandler: Mut<MPI_Errhandler>,
) -> c_int {
    let function = callback(comm_errhandler_fn, "comm_errhandler_fn")?;
    create(Function::Comm(function), errhandler)
}

/// Makes an error handler of a function, for windows.
///
/// MPI 4.1 §9.3.2. Errors: as `MPI_Comm_create_errhandler`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_create_errhandler(
    win_errhandler_fn: Option<MPI_Win_errhandler_function>,
    errhandler: Mut<MPI_Errhandler>,
) -> c_int {
    let function = callback(win_errhandler_fn, "win_errhandler_fn")?;
    create(Function::Win(function), errhandler)
}

/// Makes an error handler of a function, for files.
///
/// MPI 4.1 §9.3.3. Errors: as `MPI_Comm_create_errhandler`.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_create_errhandler(
    file_errhandler_fn: Option<MPI_File_errhandler_function>,
    errhandler: Mut<MPI_Errhandler>,
) -> c_int {
    let function = callback(file_errhandler_fn, "file_errhandler_fn")?;
    create(Function::File(function), errhandler)
}

/// Makes an error handler of a function, for sessions.
///
/// MPI 4.1 §9.3.4. Errors: as `MPI_Comm_create_errhandler`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_create_errhandler(
    session_errhandler_fn: Option<MPI_Session_errhandler_function>,
    errhandler: Mut<MPI_Errhandler>,
) -> c_int {
    let function = callback(session_errhandler_fn, "session_errhandler_fn")?;
    create(Function::Session(function), errhandler)
}

fn create(function: Function, errhandler: Mut<MPI_Errhandler>) -> Result<()> {
    let errhandler = errhandler.out("errhandler")?;
    errhandler.set(errhandler::create(function)?);
    Ok(())
}

/// Gives an error handler up and sets the handle to `MPI_ERRHANDLER_NULL`. Objects that have it keep it.
///
/// MPI 4.1 §9.3.5. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_ERRHANDLER`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Errhandler_free(errhandler: Mut<MPI_Errhandler>) -> c_int {
    let mut errhandler = errhandler.inout("errhandler")?;
    errhandler::free(*errhandler)?;
    *errhandler = MPI_ERRHANDLER_NULL;
    Ok(())
}

/// Attaches an error handler to a communicator, at the calling process.
///
/// MPI 4.1 §9.3.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_ERRHANDLER` (none, or one for other objects).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_set_errhandler(comm: MPI_Comm, errhandler: MPI_Errhandler) -> c_int {
    comm::set_handler(comm, errhandler)
}

/// Gives the error handler of a communicator. The caller frees the handle.
///
/// MPI 4.1 §9.3.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_get_errhandler(
    comm: MPI_Comm,
    errhandler: Mut<MPI_Errhandler>,
) -> c_int {
    let comm = comm::get(comm)?;
    let errhandler = errhandler.out("errhandler")?;
    errhandler.set(comm.handler.get());
    Ok(())
}

/// Calls the error handler of a communicator with an error code.
///
/// MPI 4.1 §9.5.4. Errors: `MPI_ERR_COMM`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_call_errhandler(comm: MPI_Comm, errorcode: c_int) -> c_int {
    comm::get(comm)?;
    call_handler("MPI_Comm_call_errhandler", Object::Comm(comm), errorcode);
    Ok(())
}

/// The handler of a file. `MPI_FILE_NULL` has the one that files begin with.
fn file_slot(file: MPI_File) -> Result<&'static errhandler::Slot> {
    match file {
        MPI_FILE_NULL => Ok(&FILES),
        file => Ok(&file::get(file)?.handler),
    }
}

/// Attaches an error handler to a file; with `MPI_FILE_NULL`, the one that files opened later begin with.
///
/// MPI 4.1 §9.3.3, §14.7. Errors: `MPI_ERR_FILE`, `MPI_ERR_ERRHANDLER` (none, or one for other objects).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_set_errhandler(file: MPI_File, errhandler: MPI_Errhandler) -> c_int {
    file_slot(file)?.set(Kind::File, errhandler)
}

/// Gives the error handler of a file, or with `MPI_FILE_NULL` the one that files begin with. The caller frees the handle.
///
/// MPI 4.1 §9.3.3, §14.7. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_get_errhandler(
    file: MPI_File,
    errhandler: Mut<MPI_Errhandler>,
) -> c_int {
    let slot = file_slot(file)?;
    let errhandler = errhandler.out("errhandler")?;
    errhandler.set(slot.get());
    Ok(())
}

/// Calls the error handler of a file with an error code.
///
/// MPI 4.1 §9.5.4. Errors: `MPI_ERR_FILE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_call_errhandler(fh: MPI_File, errorcode: c_int) -> c_int {
    file_slot(fh)?;
    call_handler("MPI_File_call_errhandler", Object::File(fh), errorcode);
    Ok(())
}

/// Makes an error handler of a function, for communicators.
///
/// Removed from MPI in 3.0: use `MPI_Comm_create_errhandler`. Errors as there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Errhandler_create(
    comm_errhandler_fn: Option<MPI_Comm_errhandler_function>,
    errhandler: Mut<MPI_Errhandler>,
) -> c_int {
    let function = callback(comm_errhandler_fn, "comm_errhandler_fn")?;
    create(Function::Comm(function), errhandler)
}

/// Attaches an error handler to a communicator.
///
/// Removed from MPI in 3.0: use `MPI_Comm_set_errhandler`. Errors as there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Errhandler_set(comm: MPI_Comm, errhandler: MPI_Errhandler) -> c_int {
    comm::set_handler(comm, errhandler)
}

/// Gives the error handler of a communicator.
///
/// Removed from MPI in 3.0: use `MPI_Comm_get_errhandler`. Errors as there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Errhandler_get(comm: MPI_Comm, errhandler: Mut<MPI_Errhandler>) -> c_int {
    let comm = comm::get(comm)?;
    let errhandler = errhandler.out("errhandler")?;
    errhandler.set(comm.handler.get());
    Ok(())
}
