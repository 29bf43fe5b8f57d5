//! Communicators of a group whose processes have no communicator of just themselves.
//!
//! The first of the group, the leader, writes the others a letter with context and meeting; there all of them agree.

use super::group::Group;
use super::hints::Hints;
use super::making::{Fresh, Mine, Shape, Site, agree, told};
use super::{Comm, letter};
use crate::bail;
use crate::errhandler::Slot;
use crate::error::Result;
use crate::handle::Kind;
use crate::mpi::types::{MPI_Comm, MPI_Errhandler};
use crate::runtime::Ranks;
use crate::runtime::ties::Why;
use std::sync::Arc;

/// Makes a communicator of `group`, a part of `parent`'s; only its members call. Their call is told from others at the
/// same time by `tag`. `given` is an error that this process met before, which is told to the others. `None` for who is not
/// in the group.
///
/// Errors: `MPI_ERR_GROUP` (not a part), `MPI_ERR_TAG`, `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed),
/// `MPI_ERR_PROC_FAILED`.
pub fn create_group(
    parent: &Comm,
    group: Arc<Group>,
    tag: i32,
    given: Result<()>,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    parent.check_revoked()?;
    group.check_within(&parent.group)?;
    if tag < 0 {
        bail!(Tag, "tag is {tag}, and must not be negative");
    }
    if group.rank.is_none() {
        return given.map(|()| None);
    }
    let key = letter::key(("group", parent.context, tag, &group.members));
    let settings = given.map(|()| (parent.handler.inherit(), Hints::default()));
    create(group, key, settings, call).map(Some)
}

/// The error handler and the hints of a communicator that is made of groups: what a process may have failed to bring.
pub type Settings = Result<(Slot, Hints)>;

/// Those that a communicator hands on to one that is made of it and others.
pub(super) fn inherited(comm: &Comm) -> Settings {
    inherited_with(comm, Hints::default())
}

/// The same, with hints that are given to the call.
pub(super) fn inherited_with(comm: &Comm, hints: Hints) -> Settings {
    Ok((comm.handler.inherit(), hints))
}

/// An error handler that is given to a call for what it makes, and hints. Error: `MPI_ERR_ERRHANDLER`.
pub fn settings(errhandler: MPI_Errhandler, hints: Result<Hints>) -> Settings {
    let handler = Slot::new();
    handler.set(Kind::Comm, errhandler)?;
    Ok((handler, hints?))
}

/// Makes a communicator of `group`, all of whose members call, with the same `stringtag`, which tells their call from
/// others at the same time. The world model is not needed. An error in `settings` is told to the others. `None` if the group
/// is empty.
///
/// Errors: `MPI_ERR_GROUP` (the caller is not in it), `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed),
/// `MPI_ERR_PROC_FAILED`.
pub fn create_from_group(
    group: Arc<Group>,
    stringtag: &[u8],
    settings: Settings,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    if group.size() == 0 {
        return settings.map(|_| None);
    }
    if group.rank.is_none() {
        bail!(
            Group,
            "group has {} processes, but not the caller",
            group.size()
        );
    }
    let key = letter::key(("from group", stringtag, &group.members));
    create(group, key, settings, call).map(Some)
}

fn create(group: Arc<Group>, key: letter::Key, settings: Settings, call: &str) -> Result<MPI_Comm> {
    let mine = settings.and_then(|settings| Ok((Mine::plain()?, settings)));
    let what = || format!("{call}: waiting for the other processes of the group");
    let (leader, others) = (group.members[0], &group.members[1..]);
    let site = if group.rank == Some(0) {
        // From here on others may have it, also where a death keeps the letter from some of them.
        let site = Fresh::new(group.size()).map(Fresh::accept);
        let told = site.as_ref().map_or([0; 2], Site::words);
        letter::send(key, others, &told, &what)?;
        site?
    } else {
        let (members, ranks) = (&group.members, Ranks::Needed(&group.members));
        Site::of_words(&letter::receive(key, leader, members, ranks, &what)?)
    };
    if !site.is_there() {
        bail!(NoMem, "rank 0 of group has no memory for the communicator");
    }
    let shape = Shape::of_one(group);
    let meeting = site.sure_meeting(&shape, Why::Shared)?;
    agree(&meeting, &told(&mine), call)?;
    let (mine, (handler, hints)) = mine?;
    Ok(mine.publish(shape, site, meeting, handler, hints))
}
