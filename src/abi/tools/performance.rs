//! The tool information interface: performance variables (MPI 4.1 §15.3.7). Errors as in [`tools`](crate::abi::tools::interface).

use crate::abi::bindings::data::is_all_handles;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::tools::interface::{TYPE, named, put, tell};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::tools::{self, Counter, of_handle, performances, sessions, to_handle};
use crate::{bail, err, mpi_api, win};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int, c_void};

/// Gives the number of performance variables.
///
/// MPI 4.1 §15.3.7. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_get_num(num_pvar: Mut<c_int>) -> c_int {
    tools::check()?;
    num_pvar.out("num_pvar")?.set(performances().len() as c_int);
    Ok(())
}

/// Describes a performance variable. Results whose places are null are left out.
///
/// MPI 4.1 §15.3.7. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID` (negative length).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_get_info(
    pvar_index: c_int,
    name: Mut<c_char>,
    name_len: Mut<c_int>,
    verbosity: Mut<c_int>,
    var_class: Mut<c_int>,
    datatype: Mut<MPI_Datatype>,
    enumtype: Mut<MPI_T_enum>,
    desc: Mut<c_char>,
    desc_len: Mut<c_int>,
    bind: Mut<c_int>,
    readonly: Mut<c_int>,
    continuous: Mut<c_int>,
    atomic: Mut<c_int>,
) -> c_int {
    tools::check()?;
    let variable = tools::at(performances(), pvar_index)?;
    let counter = variable.is_counter();
    tell(variable.about.name, name, name_len)?;
    tell(variable.about.text, desc, desc_len)?;
    put(verbosity, variable.about.verbosity)?;
    put(var_class, variable.class)?;
    put(datatype, TYPE)?;
    put(enumtype, MPI_T_ENUM_NULL)?;
    let bound = match variable.is_of_window() {
        true => MPI_T_BIND_MPI_WIN,
        false => MPI_T_BIND_NO_OBJECT,
    };
    put(bind, bound)?;
    put(readonly, (!counter).into())?;
    put(continuous, (!counter).into())?;
    put(atomic, counter.into())
}

/// Gives the index of a performance variable of this class.
///
/// MPI 4.1 §15.3.7. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_NAME`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_get_index(
    name: In<c_char>,
    var_class: c_int,
    pvar_index: Mut<c_int>,
) -> c_int {
    tools::check()?;
    let (name, pvar_index) = (named(name)?, pvar_index.out("pvar_index")?);
    let is = |p: &tools::Performance| p.about.name == name && p.class == var_class;
    pvar_index.set(tools::find(performances(), name, is)?);
    Ok(())
}

/// Opens a session of performance variables.
///
/// MPI 4.1 §15.3.7. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_session_create(session: Mut<MPI_T_pvar_session>) -> c_int {
    tools::check()?;
    session.out("session")?.set(to_handle(sessions().open()));
    Ok(())
}

/// Ends a session with its handles, and sets it to `MPI_T_PVAR_SESSION_NULL`.
///
/// MPI 4.1 §15.3.7. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_SESSION`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_session_free(session: Mut<MPI_T_pvar_session>) -> c_int {
    tools::check()?;
    let mut session = session.inout("session")?;
    sessions().close(of_handle(*session))?;
    *session = MPI_T_PVAR_SESSION_NULL;
    Ok(())
}

/// Gives a handle of a performance variable, of the window at `obj_handle` if that belongs to one, stopped and at 0 if it is a counter; and its number of elements: 1.
///
/// MPI 4.1 §15.3.7. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_SESSION`, `MPI_T_ERR_INVALID_INDEX`,
/// `MPI_T_ERR_INVALID_HANDLE` (no such window), `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_handle_alloc(
    session: MPI_T_pvar_session,
    pvar_index: c_int,
    obj_handle: Mut<c_void>,
    handle: Mut<MPI_T_pvar_handle>,
    count: Mut<c_int>,
) -> c_int {
    tools::check()?;
    let variable = tools::at(performances(), pvar_index)?;
    let handle = handle.out("handle")?;
    let mut window = MPI_WIN_NULL;
    if variable.is_of_window() {
        window = obj_handle.cast::<MPI_Win>().handle("obj_handle")?;
        if win::get(window).is_err() {
            bail!(TInvalidHandle, "obj_handle points to no window");
        }
    }
    let made = sessions().alloc(of_handle(session), pvar_index as usize, window)?;
    handle.set(to_handle(made));
    put(count, 1)
}

/// Gives a handle back and sets it to `MPI_T_PVAR_HANDLE_NULL`.
///
/// MPI 4.1 §15.3.7. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_SESSION`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_handle_free(
    session: MPI_T_pvar_session,
    handle: Mut<MPI_T_pvar_handle>,
) -> c_int {
    tools::check()?;
    let mut handle = handle.inout("handle")?;
    sessions().free(of_handle(session), of_handle(*handle))?;
    *handle = MPI_T_PVAR_HANDLE_NULL;
    Ok(())
}

/// Does `work` with the counter of a handle, or with all of a session.
fn each(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    refusal: impl Fn() -> crate::error::Error,
    work: impl Fn(&mut Counter<'_>),
) -> Result<()> {
    tools::check()?;
    let handle = (!is_all_handles(handle)).then(|| of_handle(handle));
    sessions().each(of_handle(session), handle, refusal, work)
}

fn no_start() -> crate::error::Error {
    err!(
        TPvarNoStartstop,
        "the variable is no counter: it is always there"
    )
}

fn no_write() -> crate::error::Error {
    err!(TPvarNoWrite, "the variable is no counter: it cannot be set")
}

/// Lets a counter, or with `MPI_T_PVAR_ALL_HANDLES` all of the session, go on counting.
///
/// MPI 4.1 §15.3.7. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_SESSION`, `MPI_T_ERR_INVALID_HANDLE`,
/// `MPI_T_ERR_PVAR_NO_STARTSTOP` (not a counter).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_start(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
) -> c_int {
    each(session, handle, no_start, |counter| counter.start())
}

/// Stops a counter, or with `MPI_T_PVAR_ALL_HANDLES` all of the session.
///
/// MPI 4.1 §15.3.7. Errors: as `MPI_T_pvar_start`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_stop(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> c_int {
    each(session, handle, no_start, |counter| counter.stop())
}

fn read(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: Mut<c_void>,
    reset: bool,
) -> Result<()> {
    tools::check()?;
    let place = buf.cast::<u64>().out("buf")?;
    place.set(sessions().read(of_handle(session), of_handle(handle), reset)?);
    Ok(())
}

/// Gives the value of a performance variable, an `unsigned long long`.
///
/// MPI 4.1 §15.3.7. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_SESSION`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_read(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: Mut<c_void>,
) -> c_int {
    read(session, handle, buf, false)
}

/// Gives the value of a counter and sets it to 0.
///
/// MPI 4.1 §15.3.7. Errors: as `MPI_T_pvar_read`, and `MPI_T_ERR_PVAR_NO_ATOMIC` (not a counter).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_readreset(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: Mut<c_void>,
) -> c_int {
    read(session, handle, buf, true)
}

/// Sets a counter.
///
/// MPI 4.1 §15.3.7. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_SESSION`, `MPI_T_ERR_INVALID_HANDLE`,
/// `MPI_T_ERR_PVAR_NO_WRITE` (not a counter), `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_write(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: In<c_void>,
) -> c_int {
    let value = *buf.cast::<u64>().input("buf")?;
    each(session, handle, no_write, |counter| counter.set(value))
}

/// Sets a counter to 0, or with `MPI_T_PVAR_ALL_HANDLES` all of the session.
///
/// MPI 4.1 §15.3.7. Errors: as `MPI_T_pvar_write`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_pvar_reset(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
) -> c_int {
    each(session, handle, no_write, |counter| counter.set(0))
}
