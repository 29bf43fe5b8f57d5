//! Files: opening, sizes, views, pointers, consistency (MPI 4.1 §14.2, §14.3, §14.4.3, §14.4.4, §14.5, §14.6).
//!
//! Errors go to the handler of the file, at first that of `MPI_FILE_NULL`, which returns them unless it is changed.

use crate::abi::boundary::caller;
use crate::abi::boundary::pointers::{In, Mut};
use crate::error::Object;
use crate::error::{Error, Result};
use crate::file::{self, Conversion, File, Representation, View};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, check, comm, datatype, info, mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// For functions that have no file yet: their errors go to the handler of `MPI_FILE_NULL`.
fn without_file(error: Error) -> Error {
    error.on(Object::File(MPI_FILE_NULL))
}

fn path<'a>(filename: In<'a, c_char>) -> Result<&'a Path> {
    let name = filename.string("filename")?;
    Ok(Path::new(OsStr::from_bytes(name.to_bytes())))
}

/// Opens a file. Collective over `comm`; blocks until all its processes have called it, with the same `amode`. Names may
/// begin with a file system in ROMIO's way ("ufs:").
///
/// MPI 4.1 §14.2.1. Errors: `MPI_ERR_COMM` (none, an intercommunicator), `MPI_ERR_AMODE`, `MPI_ERR_NOT_SAME` (different modes),
/// `MPI_ERR_NO_SUCH_FILE`, `MPI_ERR_FILE_EXISTS`, `MPI_ERR_ACCESS`, `MPI_ERR_READ_ONLY`, `MPI_ERR_BAD_FILE`, `MPI_ERR_NO_SPACE`,
/// `MPI_ERR_QUOTA`, `MPI_ERR_FILE_IN_USE`, `MPI_ERR_IO`, `MPI_ERR_INFO`, `MPI_ERR_INFO_VALUE`, `MPI_ERR_ARG` (null pointer),
/// `MPI_ERR_NO_MEM`, `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_open(
    comm: MPI_Comm,
    filename: In<c_char>,
    amode: c_int,
    info: MPI_Info,
    fh: Mut<MPI_File>,
) -> c_int {
    let open = || {
        let comm = comm::get_intra(comm)?;
        comm.called_together();
        // What is wrong here is told to the others.
        let (fh, name) = (fh.out("fh"), path(filename));
        let name = fh.as_ref().map_err(Error::clone).and(name);
        let file = file::open(comm, name, amode, info::hints(info))?;
        fh?.set(file);
        Ok(())
    };
    open().map_err(without_file)
}

/// Closes a file and sets the handle to `MPI_FILE_NULL`. With `MPI_MODE_DELETE_ON_CLOSE` the file is deleted. Collective over the
/// file's processes; blocks until all have called it.
///
/// MPI 4.1 §14.2.2. Errors: `MPI_ERR_FILE`, `MPI_ERR_IO` (a split operation was not ended), `MPI_ERR_ARG` (null pointer);
/// `MPI_ERR_NO_SUCH_FILE` and others of the system (deleting), `MPI_ERR_PROC_FAILED`: then the file is closed here all the same.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_close(fh: Mut<MPI_File>) -> c_int {
    let mut fh = fh.inout("fh").map_err(without_file)?;
    let handle = *fh;
    let closed = file::close(handle);
    let ends = |error: &Error| error.object == Some(Object::EndingFile(handle));
    if closed.as_ref().err().is_none_or(ends) {
        *fh = MPI_FILE_NULL;
    }
    closed.map_err(|error| match ends(&error) {
        true => error,
        false => error.on(Object::File(handle)),
    })
}

/// Deletes a file.
///
/// MPI 4.1 §14.2.3. Errors: `MPI_ERR_NO_SUCH_FILE`, `MPI_ERR_ACCESS`, `MPI_ERR_BAD_FILE`, `MPI_ERR_READ_ONLY`, `MPI_ERR_IO`, `MPI_ERR_INFO`,
/// `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_delete(filename: In<c_char>, info: MPI_Info) -> c_int {
    let delete = || {
        info::hints(info)?;
        file::delete(path(filename)?)
    };
    delete().map_err(without_file)
}

/// Changes the size of a file, in bytes. Collective; blocks until all processes of the file have called it.
///
/// MPI 4.1 §14.2.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (negative), `MPI_ERR_NOT_SAME`, `MPI_ERR_READ_ONLY`,
/// `MPI_ERR_UNSUPPORTED_OPERATION` (open with `MPI_MODE_SEQUENTIAL`), `MPI_ERR_NO_SPACE`, `MPI_ERR_IO` and others of the system.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_set_size(fh: MPI_File, size: MPI_Offset) -> c_int {
    let file = file::get(fh)?;
    file.called_together();
    file.resize(size, false, FUNCTION)
}

/// Makes room for a file of `size` bytes; its size becomes at least that. Collective; blocks until all processes of the file have
/// called it.
///
/// MPI 4.1 §14.2.5. Errors: as `MPI_File_set_size`.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_preallocate(fh: MPI_File, size: MPI_Offset) -> c_int {
    let file = file::get(fh)?;
    file.called_together();
    file.resize(size, true, FUNCTION)
}

/// Gives the size of a file in bytes.
///
/// MPI 4.1 §14.2.6. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_IO`.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_get_size(fh: MPI_File, size: Mut<MPI_Offset>) -> c_int {
    let file = file::get(fh)?;
    size.out("size")?.set(file.size()?);
    Ok(())
}

/// Gives the group of a file's processes, which the caller frees.
///
/// MPI 4.1 §14.2.7. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_get_group(fh: MPI_File, group: Mut<MPI_Group>) -> c_int {
    let file = file::get(fh)?;
    let group = group.out("group")?;
    group.set(comm::group::publish(&file.group)?);
    Ok(())
}

/// Gives the access mode that a file was opened with.
///
/// MPI 4.1 §14.2.7. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_get_amode(fh: MPI_File, amode: Mut<c_int>) -> c_int {
    let file = file::get(fh)?;
    amode.out("amode")?.set(file.amode);
    Ok(())
}

/// Adds hints to those of a file; `MPI_INFO_NULL` has none. Collective; blocks until all processes of the file have called it.
///
/// MPI 4.1 §14.2.8. Errors: `MPI_ERR_FILE`, `MPI_ERR_INFO`, `MPI_ERR_INFO_VALUE` (a malformed list of memory allocation kinds),
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_set_info(fh: MPI_File, info: MPI_Info) -> c_int {
    let file = file::get(fh)?;
    file.called_together();
    file.take_hints(info::hints(info))
}

/// Makes an info object of the hints of a file, which the caller frees.
///
/// MPI 4.1 §14.2.8. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_get_info(fh: MPI_File, info_used: Mut<MPI_Info>) -> c_int {
    let file = file::get(fh)?;
    let info_used = info_used.out("info_used")?;
    info_used.set(info::publish(file.info())?);
    Ok(())
}

/// Where this job is checked: the process makes a view, whose arguments may be wrong.
#[cold]
fn tell_view(file: &File, etype: MPI_Datatype, datarep: In<c_char>) {
    let extent = datatype::get(etype).map(|etype| etype.extent());
    let known = datarep.string("datarep").and_then(Representation::of);
    let view = extent.ok().zip(known.ok());
    file.viewed(view.map(|(extent, known)| (extent as i64, known.name())));
}

/// Sets what this process sees of a file: from byte `disp` on, copies of `filetype`, in units of `etype`; `datarep` is "native",
/// "internal", "external32", or one that was registered. Where elements have other sizes in it than in memory, datatypes that are made
/// of counts of elements scale, and displacements in bytes are those of the file.
/// All file pointers go to its beginning. Collective; blocks until all processes of the file have called it.
///
/// MPI 4.1 §14.3. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (negative `disp`; `MPI_DISPLACEMENT_CURRENT` without `MPI_MODE_SEQUENTIAL`, or any
/// other with it; a filetype that is not made of etypes; null pointer), `MPI_ERR_IO` (an etype or filetype whose displacements are negative or go
/// back, or that overlaps itself in a file open for writing), `MPI_ERR_TYPE`, `MPI_ERR_UNSUPPORTED_DATAREP`, `MPI_ERR_NOT_SAME` (different representations), `MPI_ERR_INFO`,
/// `MPI_ERR_INFO_VALUE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_set_view(
    fh: MPI_File,
    disp: MPI_Offset,
    etype: MPI_Datatype,
    filetype: MPI_Datatype,
    datarep: In<c_char>,
    info: MPI_Info,
) -> c_int {
    let file = file::get(fh)?;
    let make = || {
        let disp = file.view_begin(disp)?;
        let datarep = Representation::of(datarep.string("datarep")?)?;
        datatype::get_committed(etype)?;
        datatype::get_committed(filetype)?;
        View::new(
            disp,
            datatype::get_arc(etype)?,
            datatype::get_arc(filetype)?,
            datarep,
            file.amode & MPI_MODE_RDONLY == 0,
        )
    };
    if check::is_on() {
        tell_view(file, etype, datarep);
    }
    file.set_view(make, info::hints(info))
}

/// Gives what this process sees of a file. Derived datatypes come with new handles, which the caller frees; `datarep` has
/// room for `MPI_MAX_DATAREP_STRING` bytes.
///
/// MPI 4.1 §14.3. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_get_view(
    fh: MPI_File,
    disp: Mut<MPI_Offset>,
    etype: Mut<MPI_Datatype>,
    filetype: Mut<MPI_Datatype>,
    datarep: Mut<c_char>,
) -> c_int {
    let view = file::get(fh)?.view();
    let (disp, etype, filetype) = (
        disp.out("disp")?,
        etype.out("etype")?,
        filetype.out("filetype")?,
    );
    datarep.put_string(MPI_MAX_DATAREP_STRING, view.datarep.name(), "datarep")?;
    disp.set(view.disp);
    etype.set(datatype::hand_out(&view.etype)?);
    filetype.set(datatype::hand_out(&view.filetype)?);
    Ok(())
}

/// Moves the individual file pointer, in etypes from the beginning of the view (`MPI_SEEK_SET`), from where it is
/// (`MPI_SEEK_CUR`) or from the file's end (`MPI_SEEK_END`).
///
/// MPI 4.1 §14.4.3. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (unknown `whence`, it would be before the beginning),
/// `MPI_ERR_UNSUPPORTED_OPERATION` (open with `MPI_MODE_SEQUENTIAL`).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_seek(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> c_int {
    file::get(fh)?.seek(offset, whence)
}

/// Gives the individual file pointer, in etypes.
///
/// MPI 4.1 §14.4.3. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_UNSUPPORTED_OPERATION` (open with
/// `MPI_MODE_SEQUENTIAL`).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_get_position(fh: MPI_File, offset: Mut<MPI_Offset>) -> c_int {
    let file = file::get(fh)?;
    offset.out("offset")?.set(file.position()?);
    Ok(())
}

/// Gives the byte of the file at which etype number `offset` of the view begins.
///
/// MPI 4.1 §14.4.3. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (negative, null pointer), `MPI_ERR_IO` (the view has no data).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_get_byte_offset(
    fh: MPI_File,
    offset: MPI_Offset,
    disp: Mut<MPI_Offset>,
) -> c_int {
    let file = file::get(fh)?;
    disp.out("disp")?.set(file.byte_offset(offset)?);
    Ok(())
}

/// Moves the shared file pointer as `MPI_File_seek` does the individual one. Collective; blocks until all processes of the file
/// have called it.
///
/// MPI 4.1 §14.4.4. Errors: as `MPI_File_seek`, and `MPI_ERR_NOT_SAME`.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_seek_shared(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> c_int {
    let file = file::get(fh)?;
    file.called_together();
    file.seek_shared(offset, whence)
}

/// Gives the shared file pointer, in etypes.
///
/// MPI 4.1 §14.4.4. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_get_position_shared(fh: MPI_File, offset: Mut<MPI_Offset>) -> c_int {
    let file = file::get(fh)?;
    offset.out("offset")?.set(file.shared_position());
    Ok(())
}

/// Gives the extent of a datatype in the file: in the native representation the same as in memory.
///
/// MPI 4.1 §14.5.1. Errors: `MPI_ERR_FILE`, `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_CONVERSION` (the representation's
/// extent function failed).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_File_get_type_extent(
    fh: MPI_File,
    datatype: MPI_Datatype,
    extent: Mut<Extent>,
) -> c_int {
    let file = file::get(fh)?;
    let extent = extent.out("extent")?;
    let datatype = datatype::get_arc(datatype)?;
    extent.set(file.view().datarep.in_file(&datatype)?.extent() as Extent);
    Ok(())
}

/// Says whether accesses of different processes exclude each other from now on. Collective; blocks until all processes of the file
/// have called it.
///
/// MPI 4.1 §14.6.1. Errors: `MPI_ERR_FILE`, `MPI_ERR_NOT_SAME`.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_set_atomicity(fh: MPI_File, flag: c_int) -> c_int {
    let file = file::get(fh)?;
    file.called_together();
    file.set_atomic(flag != 0)
}

/// Tells whether accesses of different processes exclude each other.
///
/// MPI 4.1 §14.6.1. Errors: `MPI_ERR_FILE`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_File_get_atomicity(fh: MPI_File, flag: Mut<c_int>) -> c_int {
    let file = file::get(fh)?;
    flag.out("flag")?.set(file.is_atomic().into());
    Ok(())
}

/// Writes to the device what this process has written to the file. Collective, but waits for no other process.
///
/// MPI 4.1 §14.6.1. Errors: `MPI_ERR_FILE`, `MPI_ERR_IO` and others of the system.
#[apply(mpi_api)]
pub extern "C" fn MPI_File_sync(fh: MPI_File) -> c_int {
    let file = file::get(fh)?;
    file.called_together();
    file.sync()
}

/// The functions that a program gives: none for which there are such.
fn register(
    datarep: In<c_char>,
    conversions: (Option<Conversion>, Option<Conversion>),
    extent: Option<MPI_Datarep_extent_function>,
    extra_state: Mut<c_void>,
) -> Result<()> {
    let name = datarep.string("datarep")?;
    let Some(extent) = extent else {
        bail!(Arg, "dtype_file_extent_fn is a null function");
    };
    let is_called = !caller::gives_procedure(extent as *const c_void);
    file::register(
        name,
        conversions,
        is_called.then_some(extent),
        extra_state.pointer(),
    )
}

/// Defines a data representation by name, for this process. `dtype_file_extent_fn` tells the bytes of elements in the file; the
/// others convert elements as they are read and written, or are `MPI_CONVERSION_FN_NULL`: then these accesses are native ones.
/// A pair, as of `MPI_DOUBLE_INT`, is one element to them. Local; does not block.
///
/// MPI 4.1 §14.5.3. Errors: `MPI_ERR_ARG` (null pointer, null `dtype_file_extent_fn`, a name too long), `MPI_ERR_DUP_DATAREP`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Register_datarep(
    datarep: In<c_char>,
    read_conversion_fn: Option<MPI_Datarep_conversion_function>,
    write_conversion_fn: Option<MPI_Datarep_conversion_function>,
    dtype_file_extent_fn: Option<MPI_Datarep_extent_function>,
    extra_state: Mut<c_void>,
) -> c_int {
    let conversions = (
        read_conversion_fn.map(Conversion::Small),
        write_conversion_fn.map(Conversion::Small),
    );
    register(datarep, conversions, dtype_file_extent_fn, extra_state).map_err(without_file)
}

/// Defines a data representation by name, as `MPI_Register_datarep` does, with conversion functions for large counts.
///
/// MPI 4.1 §14.5.3. Errors: as there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Register_datarep_c(
    datarep: In<c_char>,
    read_conversion_fn: Option<MPI_Datarep_conversion_function_c>,
    write_conversion_fn: Option<MPI_Datarep_conversion_function_c>,
    dtype_file_extent_fn: Option<MPI_Datarep_extent_function>,
    extra_state: Mut<c_void>,
) -> c_int {
    let conversions = (
        read_conversion_fn.map(Conversion::Large),
        write_conversion_fn.map(Conversion::Large),
    );
    register(datarep, conversions, dtype_file_extent_fn, extra_state).map_err(without_file)
}
