//! Communicators of a group whose processes have no communicator of just themselves.
//!
//! The first of the group, the leader, writes the others a letter with context and meeting; there all of them agree.

use super::create::{Fresh, Mine, Offer, Shape, agree, told};
use super::group::Group;
use super::hints::Hints;
use super::{Comm, letter};
use crate::abi::types::{MPI_Comm, MPI_Errhandler};
use crate::bail;
use crate::error::Result;
use crate::error::handler::Slot;
use crate::handle::Kind;
use std::sync::Arc;

/// Makes a communicator of `group`, a part of `parent`'s; only its members call. Their call is told from others at the
/// same time by `tag`. `None` for who is not in the group.
///
/// Errors: `MPI_ERR_GROUP` (not a part), `MPI_ERR_TAG`, `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed),
/// `MPI_ERR_PROC_FAILED`.
pub fn create_group(
    parent: &Comm,
    group: Arc<Group>,
    tag: i32,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    group.check_within(&parent.group)?;
    if tag < 0 {
        bail!(Tag, "tag is {tag}, and must not be negative");
    }
    if group.rank.is_none() {
        return Ok(None);
    }
    let key = letter::key(("group", parent.context, tag, &group.members));
    let handler = parent.handler.inherit();
    create(group, key, handler, Hints::default(), call).map(Some)
}

/// Makes a communicator of `group`, all of whose members call, with the same `stringtag`, which tells their call from
/// others at the same time. The world model is not needed. `None` if the group is empty.
///
/// Errors: `MPI_ERR_ERRHANDLER`, `MPI_ERR_GROUP` (the caller is not in it), `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another
/// process failed), `MPI_ERR_PROC_FAILED`.
pub fn create_from_group(
    group: Arc<Group>,
    stringtag: &[u8],
    hints: Hints,
    errhandler: MPI_Errhandler,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let handler = Slot::new();
    handler.set(Kind::Comm, errhandler)?;
    if group.size() == 0 {
        return Ok(None);
    }
    if group.rank.is_none() {
        bail!(
            Group,
            "group has {} processes, but not the caller",
            group.size()
        );
    }
    let key = letter::key(("from group", stringtag, &group.members));
    create(group, key, handler, hints, call).map(Some)
}

fn create(
    group: Arc<Group>,
    key: letter::Key,
    handler: Slot,
    hints: Hints,
    call: &str,
) -> Result<MPI_Comm> {
    let mine = Mine::plain();
    let what = || format!("{call}: waiting for the other processes of the group");
    let (leader, others) = (group.members[0], &group.members[1..]);
    let offer = if group.rank == Some(0) {
        let fresh = Fresh::new(group.size());
        let offer = fresh.as_ref().map_or(Offer::default(), Fresh::offer);
        letter::send(key, others, &offer.words(), &what)?;
        fresh?.accept();
        offer
    } else {
        Offer::of_words(&letter::receive(key, leader, &group.members, &what)?)
    };
    if !offer.is_there() {
        bail!(NoMem, "rank 0 of group has no memory for the communicator");
    }
    let shape = Shape::of_one(group);
    let meeting = offer.meeting(&shape);
    agree(&meeting, &told(&mine), call)?;
    Ok(mine?.publish(shape, offer, meeting, handler, hints))
}
