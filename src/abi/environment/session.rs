//! Sessions and their process sets (MPI 4.1 §11.3). `MPI_Session_init` may be called at any time.

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::errors::call_handler;
use crate::abi::boundary::pointers::{In, Mut};
use crate::comm::group;
use crate::error::Object;
use crate::error::Result;
use crate::handle::Kind;
use crate::info::{self, Info};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::session::{self, PSETS};
use crate::{bail, err, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int};

/// Opens a session. Local under rmashm's launcher; under another it blocks, the first time, until all processes of the job
/// have called this or `MPI_Init`. Any number may be open, before, during and after the world model; and after the last
/// one was closed, new ones may be opened.
///
/// MPI 4.1 §11.3.1. Info keys: `thread_level` (every level is given; without the key `MPI_THREAD_MULTIPLE`),
/// `mpi_memory_alloc_kinds`. Errors, which go to `errhandler`: `MPI_ERR_ARG` (null pointer), `MPI_ERR_ERRHANDLER` (none, or
/// one for other objects), `MPI_ERR_INFO`, `MPI_ERR_INFO_VALUE` (unknown thread level, malformed list of kinds),
/// `MPI_ERR_OTHER` (the launch environment is contradictory), `MPI_ERR_NO_MEM`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_init(
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    session: Mut<MPI_Session>,
) -> c_int {
    let open = || {
        let session = session.out("session")?;
        session.set(session::open(&info::hints(info)?, errhandler)?);
        Ok(())
    };
    open().map_err(|error: crate::error::Error| error.on(Object::Given(errhandler)))
}

/// Closes a session and sets the handle to `MPI_SESSION_NULL`. What was made from it must not be used any more. Waits for
/// no process but to hand over what was sent, when it is the last session and the world model is over or not begun.
///
/// MPI 4.1 §11.3.1. Errors: `MPI_ERR_SESSION`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_finalize(session: Mut<MPI_Session>) -> c_int {
    let mut session = session.inout("session")?;
    let handle = std::mem::replace(&mut *session, MPI_SESSION_NULL);
    session::close(handle).inspect_err(|error| {
        // What is no session stays what it was.
        if error.class == crate::error::Class::Session {
            *session = handle;
        }
    })
}

/// Makes an info object of what the session was given, which the caller frees: `thread_level`, `mpi_memory_alloc_kinds`.
///
/// MPI 4.1 §11.3.1. Errors: `MPI_ERR_SESSION`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_get_info(session: MPI_Session, info_used: Mut<MPI_Info>) -> c_int {
    let session = session::get(session)?;
    let info_used = info_used.out("info_used")?;
    info_used.set(info::publish(session.info())?);
    Ok(())
}

/// Gives the number of process sets: two, `mpi://WORLD` and `mpi://SELF`.
///
/// MPI 4.1 §11.3.2. Errors: `MPI_ERR_SESSION`, `MPI_ERR_INFO`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_get_num_psets(
    session: MPI_Session,
    info: MPI_Info,
    npset_names: Mut<c_int>,
) -> c_int {
    session::get(session)?;
    info::hints(info)?;
    let npset_names = npset_names.out("npset_names")?;
    npset_names.set(PSETS.len() as c_int);
    Ok(())
}

/// Gives the name of process set number `n`, cut to `*pset_len` bytes with its zero, and in `*pset_len` the bytes that all of
/// it takes with its zero. With `*pset_len` 0, `pset_name` is not looked at.
///
/// MPI 4.1 §11.3.2. Errors: `MPI_ERR_SESSION`, `MPI_ERR_INFO`, `MPI_ERR_ARG` (there is no set `n`, negative `*pset_len`, null
/// pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_get_nth_pset(
    session: MPI_Session,
    info: MPI_Info,
    n: c_int,
    pset_len: Mut<c_int>,
    pset_name: Mut<c_char>,
) -> c_int {
    session::get(session)?;
    info::hints(info)?;
    let mut pset_len = pset_len.inout("pset_len")?;
    let Some(name) = usize::try_from(n).ok().and_then(|n| PSETS.get(n)) else {
        bail!(Arg, "n is {n}, but there are {} process sets", PSETS.len());
    };
    if number(*pset_len, "*pset_len")? > 0 {
        pset_name.put_string(*pset_len, name, "pset_name")?;
    }
    *pset_len = name.len() as c_int + 1;
    Ok(())
}

fn pset<'a>(pset_name: In<'a, c_char>) -> Result<&'a str> {
    let name = pset_name.string("pset_name")?;
    // What is not UTF-8 is no name of a set.
    Ok(name.to_str().unwrap_or(""))
}

/// Makes an info object about a process set, which the caller frees: `mpi_size`, its number of processes.
///
/// MPI 4.1 §11.3.2. Errors: `MPI_ERR_SESSION`, `MPI_ERR_ARG` (there is no such set, null pointer), `MPI_ERR_NO_MEM` (too many
/// handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_get_pset_info(
    session: MPI_Session,
    pset_name: In<c_char>,
    info: Mut<MPI_Info>,
) -> c_int {
    let (handle, session) = (session, session::get(session)?);
    let (name, place) = (pset(pset_name)?, info.out("info")?);
    let group = session
        .group(handle, name)
        .ok_or_else(|| err!(Arg, "pset_name is \"{name}\", which is no process set"))?;
    let mut info = Info::new();
    info.set("mpi_size", group.size().to_string());
    place.set(info::publish(info)?);
    Ok(())
}

/// Makes the group of the processes of a process set. Where there is no such set, `newgroup` becomes `MPI_GROUP_NULL`, and
/// as in MPICH that is an error. Local.
///
/// MPI 4.1 §7.3.2. Errors: `MPI_ERR_SESSION`, `MPI_ERR_ARG` (null pointer, no such set), `MPI_ERR_NO_MEM` (too many
/// handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Group_from_session_pset(
    session: MPI_Session,
    pset_name: In<c_char>,
    newgroup: Mut<MPI_Group>,
) -> c_int {
    let (handle, session) = (session, session::get(session)?);
    let (name, newgroup) = (pset(pset_name)?, newgroup.out("newgroup")?);
    let Some(group) = session.group(handle, name) else {
        newgroup.set(MPI_GROUP_NULL);
        bail!(Arg, "pset_name is \"{name}\", which is no process set");
    };
    newgroup.set(group::publish(group)?);
    Ok(())
}

/// Attaches an error handler to a session.
///
/// MPI 4.1 §9.3.4. Errors: `MPI_ERR_SESSION`, `MPI_ERR_ERRHANDLER` (none, or one for other objects).
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_set_errhandler(
    session: MPI_Session,
    errhandler: MPI_Errhandler,
) -> c_int {
    session::get(session)?
        .handler
        .set(Kind::Session, errhandler)
}

/// Gives the error handler of a session. The caller frees the handle.
///
/// MPI 4.1 §9.3.4. Errors: `MPI_ERR_SESSION`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_get_errhandler(
    session: MPI_Session,
    errhandler: Mut<MPI_Errhandler>,
) -> c_int {
    let session = session::get(session)?;
    let errhandler = errhandler.out("errhandler")?;
    errhandler.set(session.handler.get());
    Ok(())
}

/// Calls the error handler of a session with an error code.
///
/// MPI 4.1 §9.5.4. Errors: `MPI_ERR_SESSION`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Session_call_errhandler(session: MPI_Session, errorcode: c_int) -> c_int {
    session::get(session)?;
    call_handler(
        "MPI_Session_call_errhandler",
        Object::Session(session),
        errorcode,
    );
    Ok(())
}
