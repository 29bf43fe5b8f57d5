//! Communicators made in other ways: duplicated without blocking, of groups, and of two groups (MPI 4.1 §7.4.2, §7.6).

use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::communicators::comm::{give, hints};
use crate::coll::idup;
use crate::comm::{self, Hints, group, inter};
use crate::error::{Object, Result};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::p2p::request;
use crate::{bail, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{CStr, c_char, c_int};

/// Begins to duplicate a communicator; as `newcomm` is given its handle now, which is good when the request is complete.
fn begin_duplicate(
    comm: MPI_Comm,
    hints: Result<Hints>,
    newcomm: Mut<MPI_Comm>,
    request: Mut<MPI_Request>,
    function: &'static str,
) -> Result<()> {
    let parent = comm::get(comm)?;
    parent.called_together();
    let places = newcomm
        .out("newcomm")
        .and_then(|c| Ok((c, request.out("request")?)));
    let hints = match &places {
        Ok(_) => hints,
        Err(error) => Err(error.clone()),
    };
    let place = newcomm.pointer().expose_provenance();
    let (duplicate, operation) = idup::duplicate(parent, hints, place, function)?;
    let (newcomm, request) = places?;
    newcomm.set(duplicate);
    request.set(request::collective_handle(operation)?);
    Ok(())
}

/// Begins to duplicate a communicator with its attributes and its error handler, as they are now. Does not block; the
/// duplicate can be used when the request is complete.
///
/// MPI 4.1 §7.4.2. Errors: as `MPI_Comm_dup`; the failure of another process is the request's.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_idup(
    comm: MPI_Comm,
    newcomm: Mut<MPI_Comm>,
    request: Mut<MPI_Request>,
) -> c_int {
    begin_duplicate(comm, Ok(Hints::default()), newcomm, request, FUNCTION)
}

/// Begins to duplicate a communicator as `MPI_Comm_idup` does, with hints.
///
/// MPI 4.1 §7.4.2. Errors: as `MPI_Comm_idup`, and `MPI_ERR_INFO`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_idup_with_info(
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: Mut<MPI_Comm>,
    request: Mut<MPI_Request>,
) -> c_int {
    begin_duplicate(comm, hints(info), newcomm, request, FUNCTION)
}

/// Ends a communicator as `MPI_Comm_free` does; what is under way in it is completed. Worlds that have no communicator, window or file
/// in common any more are independent: the death of a process, or its MPI_Abort, ends those only that are connected with it. Blocks
/// until all processes of the communicator have called, or one has ended, if they are of several worlds.
///
/// MPI 4.1 §11.10.4. Errors: as `MPI_Comm_free`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_disconnect(comm: Mut<MPI_Comm>) -> c_int {
    let mut comm = comm.inout("comm")?;
    comm::disconnect(*comm, FUNCTION).map_err(|error| error.on(Object::Comm(*comm)))?;
    *comm = MPI_COMM_NULL;
    Ok(())
}

/// The string that tells calls apart. Errors: `MPI_ERR_ARG` (null, too long).
fn stringtag<'a>(tag: In<'a, c_char>) -> Result<&'a CStr> {
    let tag = tag.string("stringtag")?;
    let length = tag.to_bytes_with_nul().len();
    if length > MPI_MAX_STRINGTAG_LEN as usize {
        bail!(
            Arg,
            "stringtag has {length} bytes with the zero, more than {MPI_MAX_STRINGTAG_LEN} (MPI_MAX_STRINGTAG_LEN)"
        );
    }
    Ok(tag)
}

/// Makes a communicator of `group`, all of whose processes call, with the same `stringtag`, by which calls that overlap
/// are told apart. With `MPI_GROUP_EMPTY` it is `MPI_COMM_NULL`. Blocks until all processes have called.
///
/// MPI 4.1 §7.4.2. Errors, which go to `errhandler`: `MPI_ERR_GROUP` (none, or without the caller), `MPI_ERR_ARG` (null
/// pointer, `stringtag` too long), `MPI_ERR_INFO`, `MPI_ERR_ERRHANDLER`, `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another
/// process failed), `MPI_ERR_PROC_FAILED`. The others are not told of a process with a wrong `group` or `stringtag`, for these
/// say which call it is.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_create_from_group(
    group: MPI_Group,
    stringtag: In<c_char>,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    let make = || {
        let group = group::get(group)?;
        let tag = self::stringtag(stringtag)?;
        let make = |told: Result<()>| {
            let settings = told.and_then(|()| comm::settings(errhandler, hints(info)));
            comm::create_from_group(group, tag.to_bytes(), settings, FUNCTION)
        };
        give(newcomm, make)
    };
    make().map_err(|error: crate::error::Error| error.on(Object::Given(errhandler)))
}

/// Makes an intercommunicator of the group of `local_comm` and another one. The leaders of both know each other in
/// `peer_comm`, where `tag` is theirs; it and `remote_leader` matter there only. Collective over both groups; blocks.
///
/// MPI 4.1 §7.6.2. Errors: `MPI_ERR_COMM` (`local_comm` is no intracommunicator, `peer_comm` is none, the groups have
/// processes in common), `MPI_ERR_RANK` (no leaders), `MPI_ERR_TAG`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM`,
/// `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`. A leader's wrong `peer_comm`, `remote_leader` or `tag`
/// is told to its own group only.
#[apply(mpi_api)]
pub extern "C" fn MPI_Intercomm_create(
    local_comm: MPI_Comm,
    local_leader: c_int,
    peer_comm: MPI_Comm,
    remote_leader: c_int,
    tag: c_int,
    newintercomm: Mut<MPI_Comm>,
) -> c_int {
    let local = comm::get_intra(local_comm)?;
    local.called_together();
    let make = |told: Result<()>| {
        let peer = || comm::get(peer_comm);
        inter::create(
            local,
            local_leader,
            peer,
            remote_leader,
            tag,
            told,
            FUNCTION,
        )
        .map(Some)
    };
    give(newintercomm, make)
}

/// Makes an intercommunicator of two groups, all of whose processes call, with the same `stringtag`, by which calls that
/// overlap are told apart. `remote_group` and `remote_leader` matter at the local leader only. With `MPI_GROUP_EMPTY` it is
/// `MPI_COMM_NULL`. Blocks until all processes of both groups have called.
///
/// MPI 4.1 §7.6.2. Errors, which go to `errhandler`: `MPI_ERR_GROUP` (none, `local_group` without the caller, processes in
/// common), `MPI_ERR_RANK` (no leaders), `MPI_ERR_ARG` (null pointer, `stringtag` too long), `MPI_ERR_INFO`,
/// `MPI_ERR_ERRHANDLER`, `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`. The others are not
/// told of a process with a wrong `local_group`, `local_leader` or `stringtag`, which say which call it is, and the other
/// group not of a leader with a wrong `remote_group` or `remote_leader`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Intercomm_create_from_groups(
    local_group: MPI_Group,
    local_leader: c_int,
    remote_group: MPI_Group,
    remote_leader: c_int,
    stringtag: In<c_char>,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    newintercomm: Mut<MPI_Comm>,
) -> c_int {
    let make = || {
        let local = group::get(local_group)?;
        let tag = self::stringtag(stringtag)?;
        let make = |told: Result<()>| {
            inter::create_from_groups(
                inter::Local {
                    group: local,
                    leader: local_leader,
                },
                || group::get(remote_group),
                remote_leader,
                tag.to_bytes(),
                told.and_then(|()| comm::settings(errhandler, hints(info))),
                FUNCTION,
            )
        };
        give(newintercomm, make)
    };
    make().map_err(|error: crate::error::Error| error.on(Object::Given(errhandler)))
}

/// Makes an intracommunicator of both groups of an intercommunicator. The group that gives `high` comes behind the other;
/// if both give the same, their order is the implementation's. Collective over both groups; blocks.
///
/// MPI 4.1 §7.6.2. Errors: `MPI_ERR_COMM` (not an intercommunicator), `MPI_ERR_ARG` (null pointer, the processes of a group
/// do not agree on `high`), `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Intercomm_merge(
    intercomm: MPI_Comm,
    high: c_int,
    newintracomm: Mut<MPI_Comm>,
) -> c_int {
    let parent = comm::get(intercomm)?;
    parent.called_together();
    parent.remote_group()?;
    let make =
        |told: Result<()>| inter::merge(parent, told.map(|()| high != 0), FUNCTION).map(Some);
    give(newintracomm, make)
}
