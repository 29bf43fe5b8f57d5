//! Windows: making, freeing, and what they say about themselves (MPI 4.1 §12.2), their names (§7.8) and error
//! handlers (§9.3.2).

use crate::abi::boundary::counts::Number;
use crate::abi::boundary::errors::call_handler;
use crate::abi::boundary::pointers::{In, Mut};
use crate::attribute::Value;
use crate::check::{self, objects};
use crate::error::Object;
use crate::error::{Error, Result};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::win::hints::Hints;
use crate::win::query::narrow;
use crate::win::{Window, create, get as window};
use crate::{comm, info, mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::with_exposed_provenance;

/// The hints in an info argument.
fn hints(info: MPI_Info) -> Result<Hints> {
    Hints::of(&info::hints(info)?)
}

/// Makes a window with `make` and writes its handle. What is wrong with an argument of this process alone goes through
/// `make` too, because all processes of the communicator are to hear of it.
fn give(
    info: MPI_Info,
    win: Mut<MPI_Win>,
    make: impl FnOnce(Result<Hints>) -> Result<MPI_Win>,
) -> Result<()> {
    let place = win.out("win");
    let asked = hints(info).and_then(|hints| place.as_ref().map(|_| hints).map_err(Error::clone));
    let made = make(asked)?;
    place?.set(made);
    Ok(())
}

/// The same with the address of the window's memory.
fn give_memory(
    info: MPI_Info,
    baseptr: Mut<c_void>,
    win: Mut<MPI_Win>,
    make: impl FnOnce(Result<Hints>) -> Result<(MPI_Win, *mut c_void)>,
) -> Result<()> {
    let place = baseptr.cast::<*mut c_void>().out("baseptr");
    let make = |asked: Result<Hints>| {
        let asked = place.as_ref().map_err(Error::clone).and(asked);
        let (win, base) = make(asked)?;
        place?.set(base);
        Ok(win)
    };
    give(info, win, make)
}

/// Makes a window of `size` bytes on each process. `baseptr` is the address of a pointer. Collective; blocks until all
/// processes of `comm` have called it.
///
/// MPI 4.1 §12.2.2. The memory is in the job's shared segment, and MPI_Win_shared_query gives pointers to all of it. Errors, on
/// all processes alike: `MPI_ERR_SIZE`, `MPI_ERR_DISP`, `MPI_ERR_NO_MEM`; besides `MPI_ERR_COMM`, `MPI_ERR_INFO`,
/// `MPI_ERR_ARG`.
#[apply(mpi_counts)]
pub extern "C" fn MPI_Win_allocate(
    size: MPI_Aint,
    disp_unit: Displ,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: Mut<c_void>,
    win: Mut<MPI_Win>,
) -> c_int {
    let comm = comm::get(comm)?;
    comm.called_together();
    give_memory(info, baseptr, win, |hints| {
        create::allocate(comm, size, disp_unit.wide() as isize, hints)
    })
}

/// Makes a window of shared memory: contiguous in the order of ranks, or with the info key `alloc_shared_noncontig` each
/// part aligned for itself. Collective; blocks until all processes of `comm` have called it.
///
/// MPI 4.1 §12.2.3. Errors: as `MPI_Win_allocate`.
#[apply(mpi_counts)]
pub extern "C" fn MPI_Win_allocate_shared(
    size: MPI_Aint,
    disp_unit: Displ,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: Mut<c_void>,
    win: Mut<MPI_Win>,
) -> c_int {
    let comm = comm::get(comm)?;
    comm.called_together();
    give_memory(info, baseptr, win, |hints| {
        create::allocate_shared(comm, size, disp_unit.wide() as isize, hints)
    })
}

/// Makes a window of memory that the program has. Memory of MPI_Alloc_mem is reached by load and store, any other through
/// the kernel until it is adopted (info key `rmashm_adopt`: `auto`, `true`, `false`), and all of it without the target's help. Collective; blocks until all processes of `comm` have called it.
///
/// MPI 4.1 §12.2.1. Errors, on all processes alike: `MPI_ERR_SIZE` (also where memory of MPI_Alloc_mem, or of a window of this
/// process, ends before the window would), `MPI_ERR_DISP`, `MPI_ERR_BASE`, `MPI_ERR_OTHER` (the
/// kernel does not let processes reach each other's memory); besides `MPI_ERR_COMM`, `MPI_ERR_INFO`, `MPI_ERR_ARG`.
#[apply(mpi_counts)]
pub extern "C" fn MPI_Win_create(
    base: Mut<c_void>,
    size: MPI_Aint,
    disp_unit: Displ,
    info: MPI_Info,
    comm: MPI_Comm,
    win: Mut<MPI_Win>,
) -> c_int {
    let comm = comm::get(comm)?;
    comm.called_together();
    give(info, win, |hints| {
        create::create(comm, base.pointer(), size, disp_unit.wide() as isize, hints)
    })
}

/// Makes a window without memory, to which memory is attached later. Collective; blocks until all processes of `comm`
/// have called it.
///
/// MPI 4.1 §12.2.4. Errors, on all processes alike: `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (the kernel does not let processes
/// reach each other's memory); besides `MPI_ERR_COMM`, `MPI_ERR_INFO`, `MPI_ERR_ARG`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_create_dynamic(
    info: MPI_Info,
    comm: MPI_Comm,
    win: Mut<MPI_Win>,
) -> c_int {
    let comm = comm::get(comm)?;
    comm.called_together();
    give(info, win, |hints| create::create_dynamic(comm, hints))
}

/// Attaches `size` bytes at `base` to a dynamic window: others may access them from now on.
///
/// MPI 4.1 §12.2.4. Local. Errors: `MPI_ERR_WIN`, `MPI_ERR_RMA_FLAVOR`, `MPI_ERR_SIZE` (also as for MPI_Win_create),
/// `MPI_ERR_BASE`, `MPI_ERR_RMA_ATTACH` (overlaps attached memory), `MPI_ERR_NO_MEM`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_attach(win: MPI_Win, base: Mut<c_void>, size: MPI_Aint) -> c_int {
    window(win)?.attach(base.pointer(), size)?;
    if check::is_on() {
        objects::made_in(objects::ATTACHED, base.pointer().addr(), win.0 as usize);
    }
    Ok(())
}

/// Detaches what was attached at `base`.
///
/// MPI 4.1 §12.2.4. Local. Errors: `MPI_ERR_WIN`, `MPI_ERR_RMA_FLAVOR`, `MPI_ERR_BASE` (nothing was attached there).
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_detach(win: MPI_Win, base: In<c_void>) -> c_int {
    window(win)?.detach(base.pointer())?;
    if check::is_on() {
        objects::gone_from(objects::ATTACHED, base.pointer().addr(), win.0 as usize);
    }
    Ok(())
}

/// Frees a window, and the memory that was allocated with it. Collective; blocks until all processes of the window have
/// called it.
///
/// MPI 4.1 §12.2.5. Errors: `MPI_ERR_WIN`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_RMA_SYNC` (an epoch is open),
/// `MPI_ERR_PROC_FAILED`: then the others may use this process's part until they have called it, too, and the window is freed all
/// the same.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_free(win: Mut<MPI_Win>) -> c_int {
    let mut win = win.inout("win")?;
    let handle = *win;
    let freed = create::free(handle);
    let ends = |error: &Error| error.object == Some(Object::Ending(handle));
    if freed.as_ref().err().is_none_or(ends) {
        *win = MPI_WIN_NULL;
    }
    freed.map_err(|error| match ends(&error) {
        true => error,
        false => error.on(Object::Win(handle)),
    })
}

/// Gives the size, displacement unit and address, in this process, of the part of `rank`, or with MPI_PROC_NULL of the
/// lowest rank whose size is not 0. On every flavor but dynamic; where load and store cannot reach, the size is 0.
/// `baseptr` is the address of a pointer.
///
/// MPI 4.1 §12.2.3. Errors: `MPI_ERR_WIN`, `MPI_ERR_RANK`, `MPI_ERR_RMA_FLAVOR`, `MPI_ERR_ARG`, `MPI_ERR_VALUE_TOO_LARGE`.
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Win_shared_query(
    win: MPI_Win,
    rank: c_int,
    size: Mut<MPI_Aint>,
    disp_unit: Mut<Displ>,
    baseptr: Mut<c_void>,
) -> c_int {
    let segment = window(win)?.shared_query(rank)?;
    let size = size.out("size")?;
    let disp_unit = disp_unit.out("disp_unit")?;
    let baseptr = baseptr.cast::<*mut c_void>().out("baseptr")?;
    size.set(segment.size);
    disp_unit.set(narrow(segment.disp_unit, "disp_unit")?);
    baseptr.set(segment.base);
    Ok(())
}

/// Gives the group of the window's processes; to be freed by the caller.
///
/// MPI 4.1 §12.2.6. Errors: `MPI_ERR_WIN`, `MPI_ERR_ARG`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_get_group(win: MPI_Win, group: Mut<MPI_Group>) -> c_int {
    let win = window(win)?;
    let group = group.out("group")?;
    group.set(comm::group::publish(&win.group)?);
    Ok(())
}

/// Names a window, for diagnosis.
///
/// MPI 4.1 §7.8. Errors: `MPI_ERR_WIN`, `MPI_ERR_ARG`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_set_name(win: MPI_Win, win_name: In<c_char>) -> c_int {
    let win = window(win)?;
    win.set_name(win_name.string("win_name")?.to_bytes());
    Ok(())
}

/// Gives a window's name, cut to `MPI_MAX_OBJECT_NAME` bytes with the zero; `resultlen` is without it.
///
/// MPI 4.1 §7.8. Errors: `MPI_ERR_WIN`, `MPI_ERR_ARG`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_get_name(
    win: MPI_Win,
    win_name: Mut<c_char>,
    resultlen: Mut<c_int>,
) -> c_int {
    let name = match win {
        MPI_WIN_NULL => b"MPI_WIN_NULL"[..].into(),
        win => window(win)?.name.lock().clone(),
    };
    let resultlen = resultlen.out("resultlen")?;
    resultlen.set(win_name.put_string(MPI_MAX_OBJECT_NAME, &name, "win_name")?);
    Ok(())
}

/// Takes over hints that can still be followed: how the memory of a window lies cannot change. Collective, does not block.
///
/// MPI 4.1 §12.2.7. Errors: `MPI_ERR_WIN`, `MPI_ERR_INFO`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_set_info(win: MPI_Win, info: MPI_Info) -> c_int {
    let (win, hints) = (window(win)?, info::hints(info)?);
    win.called_together();
    win.set_hints(&hints)
}

/// Gives all hints of a window with their values; to be freed by the caller.
///
/// MPI 4.1 §12.2.7. Errors: `MPI_ERR_WIN`, `MPI_ERR_ARG`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_get_info(win: MPI_Win, info_used: Mut<MPI_Info>) -> c_int {
    let win = window(win)?;
    let info_used = info_used.out("info_used")?;
    info_used.set(info::publish(win.info())?);
    Ok(())
}

/// Sets a window's error handler.
///
/// MPI 4.1 §9.3.2. Errors: `MPI_ERR_WIN`, `MPI_ERR_ERRHANDLER`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_set_errhandler(win: MPI_Win, errhandler: MPI_Errhandler) -> c_int {
    window(win)?.set_handler(errhandler)
}

/// Gives a window's error handler; to be freed by the caller.
///
/// MPI 4.1 §9.3.2. Errors: `MPI_ERR_WIN`, `MPI_ERR_ARG`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_get_errhandler(win: MPI_Win, errhandler: Mut<MPI_Errhandler>) -> c_int {
    let win = window(win)?;
    errhandler.out("errhandler")?.set(win.handler.get());
    Ok(())
}

/// Calls a window's error handler with `errorcode`.
///
/// MPI 4.1 §9.5. Error: `MPI_ERR_WIN`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_call_errhandler(win: MPI_Win, errorcode: c_int) -> c_int {
    window(win)?;
    call_handler("MPI_Win_call_errhandler", Object::Win(win), errorcode);
    Ok(())
}

/// What C gets for a predefined attribute of `win`.
pub fn predefined(win: &Window, key: c_int) -> Option<*const c_void> {
    let own = &win.own;
    Some(match key {
        MPI_WIN_BASE => own.base,
        MPI_WIN_SIZE => (&raw const own.size).cast(),
        MPI_WIN_DISP_UNIT => (&raw const own.disp_unit).cast(),
        MPI_WIN_CREATE_FLAVOR => (&raw const own.flavor).cast(),
        MPI_WIN_MODEL => (&raw const own.model).cast(),
        _ => return None,
    })
}

/// Gives an attribute of a window: of the predefined ones MPI_WIN_BASE (the address itself), MPI_WIN_SIZE (a pointer to an
/// `MPI_Aint`, bytes), MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR and MPI_WIN_MODEL (pointers to `int`).
/// `attribute_val` is the address of a pointer.
///
/// MPI 4.1 §7.7.3, §12.2.6. Errors: `MPI_ERR_WIN`, `MPI_ERR_KEYVAL`, `MPI_ERR_ARG`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_get_attr(
    win: MPI_Win,
    win_keyval: c_int,
    attribute_val: Mut<c_void>,
    flag: Mut<c_int>,
) -> c_int {
    let win = window(win)?;
    let (value, flag) = (
        attribute_val.cast::<*const c_void>().out("attribute_val")?,
        flag.out("flag")?,
    );
    let found = match predefined(win, win_keyval) {
        Some(place) => Some(place),
        None => {
            let found = win.attributes.get(win_keyval)?;
            found.map(|value| with_exposed_provenance(value.in_c()))
        }
    };
    flag.set(found.is_some().into());
    if let Some(found) = found {
        value.set(found);
    }
    Ok(())
}

/// Sets an attribute of a window.
///
/// MPI 4.1 §7.7.3. Errors: `MPI_ERR_WIN`, `MPI_ERR_KEYVAL` (none, of another kind, or predefined), and what the delete callback of
/// an old value returns.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_set_attr(
    win: MPI_Win,
    win_keyval: c_int,
    attribute_val: Mut<c_void>,
) -> c_int {
    let value = Value::Pointer(attribute_val.pointer().expose_provenance());
    window(win)?.attributes.set(win.0, win_keyval, value)
}

/// Deletes an attribute of a window.
///
/// MPI 4.1 §7.7.3. Errors: `MPI_ERR_WIN`, `MPI_ERR_KEYVAL`, and what the delete callback returns.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_delete_attr(win: MPI_Win, win_keyval: c_int) -> c_int {
    window(win)?.attributes.delete(win.0, win_keyval)
}
