//! Probing for messages, and messages that a probe has taken out of the queue (MPI 4.1 §3.8).

use super::start::{NOBODY, about_receive, envelope};
use crate::bail;
use crate::comm::{self, Comm};
use crate::error::Result;
use crate::handle::{Kind, Table};
use crate::mpi::constants::{MPI_MESSAGE_NO_PROC, MPI_MESSAGE_NULL, MPI_PROC_NULL};
use crate::mpi::types::{MPI_Message, MPI_Status};
use crate::runtime::deaths::check_alive;
use crate::runtime::wait::{give_way, progress};
use crate::runtime::{Needs, Ranks, look_around};
use crate::transport::counted::Counted;
use crate::transport::operation::{About, Action, Operation, block};
use crate::transport::{self, Arrival, Buffer, Envelope, context};
use parking_lot::Mutex;
use std::sync::Arc;

/// A message that a matched probe has taken, until it is received.
struct Matched {
    arrival: Mutex<Option<Arrival>>,
    /// The receive that it is for, whose communicator may be freed before.
    about: About,
}

static MESSAGES: Table<Matched> = Table::new(Kind::Message);

fn status(envelope: Envelope, bytes: u64) -> MPI_Status {
    let mut status = MPI_Status::EMPTY;
    status.MPI_SOURCE = envelope.source;
    status.MPI_TAG = envelope.tag;
    status.set_count(bytes);
    status
}

/// Calls `look` until it finds something.
fn search<T>(comm: &Comm, wanted: Envelope, mut look: impl FnMut() -> Option<T>) -> Result<T> {
    comm.check_revoked()?;
    let about = about_receive(comm, wanted.source, wanted.tag);
    let what = || searching(&about);
    debug_assert_eq!(about.action, Action::Receive);
    let mut found = None;
    let obstacle = || about.obstacle(&what);
    let revoked = || about.revoked();
    let who = Ranks::Who(&obstacle);
    let needs = Needs::Told(&|need| *need = about.need());
    block(&what, Ranks::Unless(&revoked, &who), needs, || {
        found = look();
        found.is_some()
    })?;
    found.ok_or_else(|| crate::err!(Intern, "a probe ended without a message"))
}

/// Calls `look` now, and again if messages came meanwhile. Error: `MPI_ERR_PROC_FAILED` if none can come any more.
fn look<T>(
    comm: &Comm,
    wanted: Envelope,
    mut look: impl FnMut() -> Option<T>,
) -> Result<Option<T>> {
    comm.check_revoked()?;
    let found = look();
    if found.is_some() {
        return Ok(found);
    }
    if progress() {
        return Ok(look());
    }
    look_around();
    let about = about_receive(comm, wanted.source, wanted.tag);
    let what = || searching(&about);
    check_alive(Ranks::Who(&|| about.obstacle(&what)), &what)?;
    give_way();
    Ok(None)
}

fn searching(about: &About) -> String {
    match about.peer {
        ..0 => "probing for a message from any rank".to_string(),
        0.. => format!("probing for a message from {}", about.other_side()),
    }
}

/// The status of the next message that such a receive would get; blocks until there is one.
pub fn probe(comm: &Comm, from: i32, tag: i32) -> Result<MPI_Status> {
    let wanted = envelope(comm, from, tag)?;
    if from == MPI_PROC_NULL {
        return Ok(NOBODY);
    }
    let context = context(comm.context);
    let (envelope, bytes) = search(comm, wanted, || transport::find(context, wanted))?;
    Ok(status(envelope, bytes))
}

/// The same, if there is one now.
pub fn try_probe(comm: &Comm, from: i32, tag: i32) -> Result<Option<MPI_Status>> {
    let wanted = envelope(comm, from, tag)?;
    if from == MPI_PROC_NULL {
        return Ok(Some(NOBODY));
    }
    let context = context(comm.context);
    let found = look(comm, wanted, || transport::find(context, wanted))?;
    Ok(found.map(|(envelope, bytes)| status(envelope, bytes)))
}

/// Takes the next message that such a receive would get, if there is one now; waits for one if `blocking`.
pub fn take(
    comm: &Comm,
    from: i32,
    tag: i32,
    blocking: bool,
) -> Result<Option<(MPI_Message, MPI_Status)>> {
    let wanted = envelope(comm, from, tag)?;
    if from == MPI_PROC_NULL {
        return Ok(Some((MPI_MESSAGE_NO_PROC, NOBODY)));
    }
    // A message that was taken and has no handle would be lost.
    let place = MESSAGES.reserve()?;
    let context = context(comm.context);
    let take = || transport::hold(context, wanted);
    let found = if blocking {
        Some(search(comm, wanted, take)?)
    } else {
        look(comm, wanted, take)?
    };
    let Some(arrival) = found else {
        return Ok(None);
    };
    let status = status(arrival.envelope(), arrival.bytes);
    let matched = Matched {
        arrival: Mutex::new(Some(arrival)),
        about: about_receive(comm, status.MPI_SOURCE, status.MPI_TAG),
    };
    let message = MPI_Message(place.fill(Arc::new(matched)));
    Ok(Some((message, status)))
}

/// Receives a message that was taken; its handle becomes null.
pub fn receive(message: &mut MPI_Message, buffer: Buffer) -> Result<Counted<Operation>> {
    if *message == MPI_MESSAGE_NO_PROC {
        let myself = comm::get(comm::COMM_SELF)?;
        *message = MPI_MESSAGE_NULL;
        let about = about_receive(myself, NOBODY.MPI_SOURCE, NOBODY.MPI_TAG);
        let operation = Operation::new(about);
        operation.complete(NOBODY, None);
        return Ok(operation);
    }
    let Some(matched) = MESSAGES.get(message.0) else {
        bail!(
            Request,
            "message is {:#x}, which is no matched message (it may have been received)",
            message.0
        );
    };
    let Some(arrival) = matched.arrival.lock().take() else {
        bail!(Request, "message {:#x} was received meanwhile", message.0);
    };
    let about = matched.about.clone();
    MESSAGES.remove(message.0);
    *message = MPI_MESSAGE_NULL;
    Ok(transport::receive_held(arrival, buffer, about))
}
