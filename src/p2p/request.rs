//! Requests: what a handle stands for, and what is done with it but completing it, which is [`super::completion`]'s (MPI 4.1
//! §3.7, §3.9).

use super::completion::wait_operation;
use super::generalized::Generalized;
use super::partitioned::Channel;
use crate::bail;
use crate::check::race::requests;
use crate::check::{self, pending};
use crate::error::{Object, Result};
use crate::handle::{Kind, Table};
use crate::mpi::constants::{MPI_ANY_TAG, MPI_COMM_NULL, MPI_PROC_NULL, MPI_REQUEST_NULL};
use crate::mpi::types::{MPI_Comm, MPI_Request, MPI_Status};
use crate::runtime::{self, phase};
use crate::transport;
use crate::transport::counted::Counted;
use crate::transport::lock::Lock;
use crate::transport::operation::{About, Action, Operation, Partners};
use crate::transport::task;
use parking_lot::Mutex;
use std::ops::Deref;
use std::sync::Arc;

/// What a request handle stands for.
#[derive(Clone, Copy)]
pub(super) enum Request {
    /// One operation; the handle ends with it.
    Once(&'static Operation),
    /// An operation that can be started again and again.
    Persistent(&'static Persistent),
    /// An operation of the program's own.
    Generalized(&'static Generalized),
}

/// The object behind the handle of a request that is more than one operation.
pub(super) enum Lasting {
    Persistent(Persistent),
    Generalized(Generalized),
}

/// A persistent request: inactive while there is no current operation.
pub struct Persistent {
    /// Whose error handler its errors go to.
    comm: MPI_Comm,
    what: What,
    start: Start,
    current: Mutex<Current>,
}

/// Starts an operation; `None`: it is complete already.
pub(super) type Start = Arc<dyn Fn() -> Result<Option<Counted<Operation>>> + Send + Sync>;

/// What a persistent request starts.
#[derive(Clone)]
enum What {
    Message,
    Collective,
    Partitioned(Channel),
}

impl Persistent {
    /// Ends what was started.
    pub(super) fn deactivate(&self) {
        *self.current.lock() = Current::Inactive;
    }

    /// An inactive request of the same, which starts what `around` makes of its start.
    pub(super) fn started_by(&self, around: impl FnOnce(Start) -> Start) -> Persistent {
        Persistent {
            comm: self.comm,
            what: self.what.clone(),
            start: around(self.start.clone()),
            current: Mutex::new(Current::Inactive),
        }
    }
}

/// The requests of this process that are one operation: the handle is the operation's.
pub(super) static REQUESTS: Table<Operation, Counted<Operation>, Lock> = Table::new(Kind::Request);

/// All others.
pub(super) static LASTING: Table<Lasting> = Table::new(Kind::Lasting);

/// The request of a handle.
pub(super) fn request(handle: MPI_Request) -> Option<Request> {
    if let Some(operation) = REQUESTS.get(handle.0) {
        // One may live on when its operation is over.
        let is_over = check::is_on() && requests::is_over(handle.0);
        return (!is_over).then_some(Request::Once(operation));
    }
    Some(match LASTING.get(handle.0)? {
        Lasting::Persistent(persistent) => Request::Persistent(persistent),
        Lasting::Generalized(generalized) => Request::Generalized(generalized),
    })
}

/// Ends the life of a handle.
fn remove(handle: MPI_Request) {
    if REQUESTS.remove(handle.0).is_none() {
        LASTING.remove(handle.0);
    }
}

/// The handle of every send and receive that was complete when its call returned.
pub const COMPLETE: MPI_Request = MPI_Request(0x6c00_0001);

/// The same of RMA operations, which nobody can cancel (MPI 4.1 §12.3.6).
pub const WAIT_ONLY: MPI_Request = MPI_Request(0x6c00_0002);

/// The same of collective operations, which nobody can cancel. (Active ones cannot be freed either, see MPI 4.1 §6.12.)
const COMPLETE_COLLECTIVE: MPI_Request = MPI_Request(0x6c00_0003);

/// What a handle says about waiting.
#[derive(Clone)]
pub(super) enum Current {
    /// The null handle, or an inactive persistent request: nothing to wait for.
    Inactive,
    /// Complete since its start.
    Complete,
    Operation(Held),
}

/// An operation that is waited for.
#[derive(Clone)]
pub(super) enum Held {
    Counted(Counted<Operation>),
    /// That of a handle which nobody removes but the caller: there is no other thread.
    Handle(&'static Operation),
}

impl Deref for Held {
    type Target = Operation;

    #[inline]
    fn deref(&self) -> &Operation {
        match self {
            Held::Counted(operation) => operation,
            Held::Handle(operation) => operation,
        }
    }
}

/// Gives an operation a handle; `None` is one that is complete. Error: `MPI_ERR_NO_MEM` when handles are exhausted.
pub fn handle(operation: Option<Counted<Operation>>) -> Result<MPI_Request> {
    let Some(operation) = operation else {
        return match check::is_on() {
            false => Ok(COMPLETE),
            true => Ok(own_handle(Action::Send).unwrap_or(COMPLETE)),
        };
    };
    match REQUESTS.reserve() {
        Ok(place) => {
            let handle = place.fill(operation);
            if check::is_on() {
                pending::began(handle);
            }
            Ok(MPI_Request(handle))
        }
        Err(error) => {
            undo(&operation)?;
            Err(error)
        }
    }
}

/// Takes back an operation that was started and gets no handle, or waits for its end if a message has met its receive. One
/// of several steps goes on, because others count on it.
#[cold]
fn undo(operation: &Operation) -> Result<()> {
    transport::cancel(operation)?;
    if matches!(operation.about.action, Action::Send | Action::Receive) {
        wait_operation(operation);
    }
    Ok(())
}

/// Gives a collective operation a handle, as [`handle`] does.
pub fn collective_handle(operation: Option<Counted<Operation>>) -> Result<MPI_Request> {
    match operation {
        None if check::is_on() => {
            let handle = own_handle(Action::Collective(check::called()));
            Ok(handle.unwrap_or(COMPLETE_COLLECTIVE))
        }
        None => Ok(COMPLETE_COLLECTIVE),
        some => handle(some),
    }
}

/// Gives a handle to an RMA operation, which is complete.
pub fn one_sided_handle() -> MPI_Request {
    match check::is_on() {
        false => WAIT_ONLY,
        true => {
            let Ok(handle) = own_handle(Action::Collective(check::called())) else {
                return WAIT_ONLY;
            };
            requests::gives(handle.0, |handle| remove(MPI_Request(handle)));
            handle
        }
    }
}

/// A handle of its own for an operation that is complete: where this job is checked, its buffer is the operation's until the program has
/// heard so. Where there is no room for one, none is looked at.
#[cold]
fn own_handle(action: Action) -> Result<MPI_Request> {
    let operation = Operation::new(About {
        action,
        context: 0,
        peer: MPI_PROC_NULL,
        tag: MPI_ANY_TAG,
        partners: Partners::One(runtime::job().rank),
        comm: MPI_COMM_NULL,
    });
    operation.complete(MPI_Status::EMPTY, None);
    handle(Some(operation))
}

/// Makes an inactive persistent request of a message on `comm`, started by `start` (which gives `None` if the operation is
/// complete at once).
pub fn persistent(
    comm: MPI_Comm,
    start: impl Fn() -> Result<Option<Counted<Operation>>> + Send + Sync + 'static,
) -> Result<MPI_Request> {
    make_persistent(comm, What::Message, start)
}

/// Makes an inactive persistent request of a collective operation.
pub fn persistent_collective(
    comm: MPI_Comm,
    start: impl Fn() -> Result<Option<Counted<Operation>>> + Send + Sync + 'static,
) -> Result<MPI_Request> {
    make_persistent(comm, What::Collective, start)
}

/// Makes an inactive request of a partitioned send or receive on `comm`.
pub fn partitioned(comm: MPI_Comm, channel: Channel) -> Result<MPI_Request> {
    let started = channel.clone();
    let start = move || started.start().map(Some);
    make_persistent(comm, What::Partitioned(channel), start)
}

fn make_persistent(
    comm: MPI_Comm,
    what: What,
    start: impl Fn() -> Result<Option<Counted<Operation>>> + Send + Sync + 'static,
) -> Result<MPI_Request> {
    let request = make(Lasting::Persistent(Persistent {
        comm,
        what,
        start: Arc::new(start),
        current: Mutex::new(Current::Inactive),
    }))?;
    if check::is_on() {
        pending::prepared(request.0);
    }
    Ok(request)
}

/// Makes a generalized request.
pub fn generalized(generalized: Generalized) -> Result<MPI_Request> {
    make(Lasting::Generalized(generalized))
}

fn make(lasting: Lasting) -> Result<MPI_Request> {
    LASTING.insert(Arc::new(lasting)).map(MPI_Request)
}

/// The communicator of a request, if it has one.
pub fn communicator(handle: MPI_Request) -> Option<MPI_Comm> {
    match request(handle)? {
        Request::Once(operation) => Some(operation.about.comm),
        Request::Persistent(persistent) => Some(persistent.comm),
        Request::Generalized(_) => None,
    }
}

/// The channel of a partitioned request, and whether it is active. Error: `MPI_ERR_REQUEST` if it is none.
pub fn channel(handle: MPI_Request) -> Result<(&'static Channel, bool)> {
    if let Request::Persistent(persistent) = find(handle)?
        && let What::Partitioned(channel) = &persistent.what
    {
        let active = !matches!(*persistent.current.lock(), Current::Inactive);
        return Ok((channel, active));
    }
    bail!(Request, "request {:#x} is not partitioned", handle.0)
}

/// Says that the functions of a generalized request are Fortran's; of another it says nothing.
pub fn set_fortran(handle: MPI_Request) {
    if let Ok(Request::Generalized(generalized)) = find(handle) {
        generalized.set_fortran();
    }
}

/// Says that the program has done what a generalized request stands for.
///
/// Errors: `MPI_ERR_REQUEST` if it is none, or complete already.
pub fn complete(handle: MPI_Request) -> Result<()> {
    find(handle)?;
    // Kept: as soon as it is complete, another thread may end its wait for it, and with that the request.
    let kept = LASTING.get_arc(handle.0);
    let Some(Lasting::Generalized(generalized)) = kept.as_deref() else {
        bail!(Request, "request {:#x} is not generalized", handle.0);
    };
    let freed = generalized.complete(handle)?;
    if freed.is_some() {
        LASTING.remove(handle.0);
    }
    freed.unwrap_or(Ok(()))
}

/// Ends a request that was complete when it was given, if this is one: whether it was.
#[inline(always)]
pub fn end_at_once(handle: &mut MPI_Request) -> bool {
    let complete = was_over(*handle);
    if complete {
        *handle = MPI_REQUEST_NULL;
    }
    complete
}

/// Ends the request of an operation that is noted or repeated in a job that is checked, if [this](requests) is its, by a call of `function`: whether
/// it was.
#[inline(always)]
pub fn end_again(function: &'static str, handle: &mut MPI_Request) -> bool {
    let complete = requests::waits(function, handle.0);
    if complete {
        *handle = MPI_REQUEST_NULL;
    }
    complete
}

/// Whether [`end_again`] ends it.
#[inline(always)]
pub fn is_again(handle: MPI_Request) -> bool {
    requests::is_given(handle.0)
}

/// The request of a handle that is not null. Error: `MPI_ERR_REQUEST`.
fn find(handle: MPI_Request) -> Result<Request> {
    match request(handle) {
        Some(request) => Ok(request),
        None if handle == MPI_REQUEST_NULL => bail!(Request, "request is MPI_REQUEST_NULL"),
        None => bail!(
            Request,
            "request is {:#x}, which is no request (it may be complete or freed)",
            handle.0
        ),
    }
}

/// What there is to wait for. Error: `MPI_ERR_REQUEST`.
pub(super) fn state(handle: MPI_Request) -> Result<Current> {
    match handle {
        MPI_REQUEST_NULL => return Ok(Current::Inactive),
        COMPLETE | COMPLETE_COLLECTIVE | WAIT_ONLY => return Ok(Current::Complete),
        _ => {}
    }
    Ok(match find(handle)? {
        Request::Once(operation) if !phase::is_threaded() => {
            Current::Operation(Held::Handle(operation))
        }
        Request::Once(_) => match REQUESTS.get_arc(handle.0) {
            Some(operation) => Current::counted(operation),
            None => Current::Inactive,
        },
        Request::Generalized(generalized) => Current::counted(generalized.operation.clone()),
        Request::Persistent(persistent) => persistent.current.lock().clone(),
    })
}

/// Whether the request was complete when the call that gave it returned.
#[inline(always)]
pub fn was_over(handle: MPI_Request) -> bool {
    matches!(handle, COMPLETE | COMPLETE_COLLECTIVE | WAIT_ONLY)
}

/// Whether the request is active and complete. Error: `MPI_ERR_REQUEST`.
pub(super) fn is_over(handle: MPI_Request) -> Result<bool> {
    match handle {
        MPI_REQUEST_NULL => return Ok(false),
        COMPLETE | COMPLETE_COLLECTIVE | WAIT_ONLY => return Ok(true),
        _ => {}
    }
    Ok(match find(handle)? {
        Request::Once(operation) => operation.is_done(),
        Request::Generalized(generalized) => generalized.operation.is_done(),
        Request::Persistent(persistent) => match &*persistent.current.lock() {
            Current::Inactive => false,
            Current::Complete => true,
            Current::Operation(operation) => operation.is_done(),
        },
    })
}

/// Whether a handle is one of a request that the program has to complete, or to let go.
#[cold]
pub fn is_active(handle: i32) -> bool {
    match request(MPI_Request(handle)) {
        Some(Request::Persistent(persistent)) => {
            !matches!(*persistent.current.lock(), Current::Inactive)
        }
        Some(Request::Once(_) | Request::Generalized(_)) => true,
        None => false,
    }
}

/// Starts a persistent request. Error: `MPI_ERR_REQUEST` if it is none, or active.
pub fn start(handle: MPI_Request) -> Result<()> {
    let Request::Persistent(persistent) = find(handle)? else {
        bail!(Request, "request {:#x} is not persistent", handle.0);
    };
    let mut current = persistent.current.lock();
    if !matches!(*current, Current::Inactive) {
        bail!(Request, "request {:#x} is active already", handle.0);
    }
    let started = (persistent.start)().map_err(|error| error.on(Object::Comm(persistent.comm)))?;
    *current = match started {
        None => Current::Complete,
        Some(operation) => Current::counted(operation),
    };
    if check::is_on() {
        pending::started(handle.0);
        if let What::Partitioned(channel) = &persistent.what {
            channel.tell_started(handle);
        }
    }
    Ok(())
}

/// Gives the handle back; what it stands for goes on by itself. (MPI forbids it for RMA operations, but they are complete.)
/// Errors: `MPI_ERR_REQUEST`, also for a nonblocking collective operation that is not complete; what the free function of a
/// generalized request says, whose handle is given back all the same.
pub fn free(handle: &mut MPI_Request) -> Result<()> {
    let mut result = Ok(());
    if !matches!(*handle, COMPLETE | COMPLETE_COLLECTIVE | WAIT_ONLY) {
        let freed = match find_to_free(*handle)? {
            Request::Generalized(generalized) => generalized.let_go(),
            _ => Some(Ok(())),
        };
        if freed.is_some() {
            let lives_on = check::is_on() && {
                pending::let_go(handle.0);
                requests::takes_back(handle.0)
            };
            if !lives_on {
                remove(*handle);
            }
        }
        result = freed.unwrap_or(Ok(()));
    }
    *handle = MPI_REQUEST_NULL;
    result
}

/// The request of a handle that may be given back: any but an active collective operation (MPI 4.1 §6.12).
fn find_to_free(handle: MPI_Request) -> Result<Request> {
    if let Some(request @ Request::Once(operation)) = request(handle)
        && operation.is_done()
    {
        return Ok(request);
    }
    message(handle, "freed")
}

/// Cancels a receive that has met no message, and a send that has not left or whose announcement has met no receive. A send
/// whose message a matched probe holds ends as usual. Everything else goes on, and what is over, as operations on files are,
/// stays so. Errors: `MPI_ERR_REQUEST`, also for what MPI lets nobody cancel, collective, partitioned and RMA operations, and
/// for what is on its way and more than one message, `MPI_Isendrecv` and `MPI_Iflush_buffer`s; `MPI_ERR_NO_MEM` (for the data
/// that a matched probe holds).
pub fn cancel(handle: MPI_Request) -> Result<()> {
    if handle == COMPLETE {
        return Ok(());
    }
    match message(handle, "cancelled")? {
        Request::Generalized(generalized) => return generalized.cancel(),
        Request::Persistent(persistent) => match &persistent.what {
            What::Message => {}
            What::Collective => bail!(
                Request,
                "request {:#x} is of a persistent collective operation, which cannot be cancelled",
                handle.0
            ),
            What::Partitioned(_) => bail!(
                Request,
                "request {:#x} is of partitioned communication, which cannot be cancelled",
                handle.0
            ),
        },
        Request::Once(operation) => {
            if let Action::Steps(name) = operation.about.action
                && !operation.is_done()
            {
                bail!(
                    Request,
                    "request {:#x} is of {name}, which cannot be cancelled",
                    handle.0
                );
            }
        }
    }
    if let Current::Operation(operation) = state(handle)?
        && !operation.is_done()
    {
        return task::cancel(&operation);
    }
    Ok(())
}

/// The request of a handle, if it may be `done` something with but completed.
///
/// Error: `MPI_ERR_REQUEST` for none, and for a nonblocking collective operation and one of RMA (MPI 4.1 §6.12, §12.3.6).
fn message(handle: MPI_Request, done: &str) -> Result<Request> {
    if matches!(handle, WAIT_ONLY | COMPLETE_COLLECTIVE) {
        bail!(
            Request,
            "request {:#x} is of a collective or RMA operation, and cannot be {done}, only completed",
            handle.0
        );
    }
    let request = find(handle)?;
    if let Request::Once(operation) = request
        && let Action::Collective(name) = operation.about.action
    {
        bail!(
            Request,
            "request {:#x} is of the collective or RMA operation {name}, and cannot be {done}, only completed",
            handle.0
        );
    }
    Ok(request)
}
