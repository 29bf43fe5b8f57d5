//! Completing requests: waiting for one or many of them, testing, and asking how they ended (MPI 4.1 §3.7.3 to §3.7.6).

use super::request::{Current, Held, LASTING, Lasting, REQUESTS, is_over, state};
use crate::check::race::requests;
use crate::check::{self, pending};
use crate::err;
use crate::error::{Class, Error, FAILURES_CAN_BE_ACKNOWLEDGED, Result};
use crate::handle::Removing;
use crate::mpi::constants::MPI_REQUEST_NULL;
use crate::mpi::types::{MPI_Request, MPI_Status};
use crate::runtime::needs::{How, Need, Needs};
use crate::runtime::wait::{give_way, progress};
use crate::runtime::{Ranks, look_around};
use crate::transport::counted::Counted;
use crate::transport::lock::Lock;
use crate::transport::operation::{Operation, Outcome, block};
use crate::transport::task;
use smallvec::SmallVec;

impl Current {
    pub(super) fn counted(operation: Counted<Operation>) -> Current {
        Current::Operation(Held::Counted(operation))
    }

    /// Whether it is complete; or held up, so that a call that waits for it has to tell.
    fn is_done(&self) -> bool {
        match self {
            Current::Operation(operation) => operation.is_done() || operation.is_held_up(),
            _ => true,
        }
    }

    /// How a call ends that waits for it where it stays under way.
    fn held_up(&self) -> Option<Outcome> {
        let Current::Operation(operation) = self else {
            return None;
        };
        (!operation.is_done()).then(|| {
            let error = err!(
                ProcFailedPending,
                "{}: a process has failed that it may wait for, and goes on once that is acknowledged (MPIX_Comm_ack_failed)",
                operation.describe()
            );
            Outcome::new(MPI_Status::EMPTY, Some(error)).on(operation.about.comm)
        })
    }

    fn is_inactive(&self) -> bool {
        matches!(self, Current::Inactive)
    }

    /// Whether it was active and is complete.
    fn is_over(&self) -> bool {
        !self.is_inactive() && self.is_done()
    }

    fn outcome(&self) -> Outcome {
        match self {
            Current::Operation(operation) => operation.outcome(),
            Current::Complete => Outcome::NOTHING,
            Current::Inactive => Outcome::EMPTY,
        }
    }
}

/// What there is to wait for, of most programs without memory of the heap.
type States = SmallVec<[Current; 64]>;

fn states(handles: &[MPI_Request]) -> Result<States> {
    let mut states = States::with_capacity(handles.len());
    for &handle in handles {
        states.push(state(handle)?);
    }
    Ok(states)
}

/// Ends a completed operation: its handle becomes null, or inactive if it is persistent. One that is held up stays.
fn finish(
    handle: &mut MPI_Request,
    state: Current,
    handles: &mut Removing<Operation, Counted<Operation>, Lock>,
) -> Outcome {
    if let Some(held_up) = state.held_up() {
        return held_up;
    }
    if check::is_on() {
        pending::ended(handle.0);
        if requests::takes_back(handle.0) {
            *handle = MPI_REQUEST_NULL;
            return Outcome::NOTHING;
        }
    }
    // What a handle keeps is asked of the handle: a program may have given one twice, and this be the second time.
    if let Current::Operation(Held::Handle(_)) = state {
        let ended = handles.remove(handle.0);
        *handle = MPI_REQUEST_NULL;
        return ended.map_or(Outcome::EMPTY, |operation| {
            let outcome = operation.outcome();
            Operation::spare(operation);
            outcome
        });
    }
    let mut outcome = None;
    match LASTING.get(handle.0) {
        Some(Lasting::Persistent(persistent)) => {
            persistent.deactivate();
            return state.outcome();
        }
        Some(Lasting::Generalized(generalized)) => {
            // Its functions may call MPI.
            handles.pause();
            outcome = Some(generalized.finish());
            LASTING.remove(handle.0);
        }
        None => {
            handles.remove(handle.0);
        }
    }
    *handle = MPI_REQUEST_NULL;
    outcome.unwrap_or_else(|| state.outcome())
}

/// The same of one.
fn finish_one(handle: &mut MPI_Request, state: Current) -> Outcome {
    finish(handle, state, &mut REQUESTS.removing())
}

fn finish_all(handles: &mut [MPI_Request], states: States, mut each: impl FnMut(usize, &Outcome)) {
    let mut removing = REQUESTS.removing();
    for (i, (handle, state)) in handles.iter_mut().zip(states).enumerate() {
        each(i, &finish(handle, state, &mut removing));
    }
}

/// How a completed operation ended; its handle stays.
fn told(handle: MPI_Request, state: &Current) -> Outcome {
    if let Some(held_up) = state.held_up() {
        return held_up;
    }
    if check::is_on() {
        pending::ended(handle.0);
    }
    match LASTING.get(handle.0) {
        Some(Lasting::Generalized(generalized)) => generalized.query(),
        _ => state.outcome(),
    }
}

/// How the request ended, if it is complete; its handle stays (`MPI_Request_get_status`).
pub fn peek(handle: MPI_Request) -> Result<Option<Outcome>> {
    Ok(peek_all(&[handle])?.and_then(|mut all| all.pop()))
}

/// Whether the request is complete or not active, which only MPICH's interface asks for, without moving anything along. What is no request is not.
#[allow(dead_code)]
pub fn is_done(handle: MPI_Request) -> bool {
    state(handle).is_ok_and(|state| state.is_done())
}

/// How all requests ended, if all are complete; their handles stay.
pub fn peek_all(handles: &[MPI_Request]) -> Result<Option<Vec<Outcome>>> {
    let states = states(handles)?;
    if !look(&states, Current::is_done) {
        return Ok(None);
    }
    let outcomes = handles.iter().zip(&states).map(|(&h, s)| told(h, s));
    Ok(Some(outcomes.collect()))
}

/// Which requests are over, the first or all of them, and how they ended; their handles stay.
pub fn peek_some(handles: &[MPI_Request], only_one: bool) -> Result<Found<Vec<(usize, Outcome)>>> {
    let states = states(handles)?;
    if states.iter().all(Current::is_inactive) {
        return Ok(Found::NoneActive);
    }
    if !await_some(&states, false) {
        return Ok(Found::NoneComplete);
    }
    let over = (0..).zip(&states).filter(|(_, s)| s.is_over());
    let limit = if only_one { 1 } else { usize::MAX };
    let over = over.take(limit).map(|(i, s)| (i, told(handles[i], s)));
    Ok(Found::Some(over.collect()))
}

/// Blocks until the request is complete.
pub fn wait(handle: &mut MPI_Request) -> Result<Outcome> {
    let state = state(*handle)?;
    if let Current::Operation(operation) = &state
        && let Err(error) = crate::transport::operation::wait(operation)
    {
        give_up(operation, error);
    }
    Ok(finish_one(handle, state))
}

/// Blocks until the operation has ended, if only because a process it needs has died.
pub fn wait_operation(operation: &Operation) {
    if let Err(error) = crate::transport::operation::wait(operation) {
        abandon(operation, error);
    }
}

/// The outcome of the request if it is complete.
pub fn test(handle: &mut MPI_Request) -> Result<Option<Outcome>> {
    let state = state(*handle)?;
    if !look(std::slice::from_ref(&state), Current::is_done) {
        return Ok(None);
    }
    Ok(Some(finish_one(handle, state)))
}

/// Whether it is so, now or after messages were moved along.
#[inline]
fn look<'a>(states: &'a [Current], so: impl Fn(&'a Current) -> bool) -> bool {
    states.iter().all(&so) || {
        move_along(states);
        states.iter().all(&so)
    }
}

/// Moves messages along. While some come, there may be more; then what the dead have sent counts, and if there is nothing
/// at all, others may have the core.
fn move_along(states: &[Current]) {
    if !progress() {
        look_around();
        abandon_dead(states);
        give_way();
    }
}

/// Blocks until all requests are complete, and tells how each ended.
pub fn wait_all(handles: &mut [MPI_Request], each: impl FnMut(usize, &Outcome)) -> Result<()> {
    let states = states(handles)?;
    let mut done = 0;
    block_until(&states, How::Each, || {
        done += states[done..].iter().take_while(|s| s.is_done()).count();
        done == states.len()
    });
    finish_all(handles, states, each);
    Ok(())
}

/// Tells how all requests ended if all are complete; false if not.
pub fn test_all(handles: &mut [MPI_Request], each: impl FnMut(usize, &Outcome)) -> Result<bool> {
    let states = states(handles)?;
    if !look(&states, Current::is_done) {
        return Ok(false);
    }
    finish_all(handles, states, each);
    Ok(true)
}

/// What is found in a list of requests.
pub enum Found<T> {
    /// None of them is active.
    NoneActive,
    /// Active ones, but none complete.
    NoneComplete,
    Some(T),
}

/// Completes one of the requests; blocks for it if `blocking`.
pub fn any(handles: &mut [MPI_Request], blocking: bool) -> Result<Found<(usize, Outcome)>> {
    // Programs call this again and again with a long array: mostly one is over, and the others need not be held.
    let mut first = None;
    for (i, &handle) in handles.iter().enumerate() {
        if is_over(handle)? {
            first = first.or(Some(i));
        }
    }
    if let Some(i) = first {
        let state = state(handles[i])?;
        return Ok(Found::Some((i, finish_one(&mut handles[i], state))));
    }
    let states = states(handles)?;
    if states.iter().all(Current::is_inactive) {
        return Ok(Found::NoneActive);
    }
    if !await_some(&states, blocking) {
        return Ok(Found::NoneComplete);
    }
    let Some(i) = states.iter().position(Current::is_over) else {
        return Ok(Found::NoneComplete);
    };
    let state = states[i].clone();
    Ok(Found::Some((i, finish_one(&mut handles[i], state))))
}

/// Completes all requests that are over, at least one if `blocking`; tells which, and how they ended.
pub fn some(handles: &mut [MPI_Request], blocking: bool) -> Result<Found<Vec<(usize, Outcome)>>> {
    let states = states(handles)?;
    if states.iter().all(Current::is_inactive) {
        return Ok(Found::NoneActive);
    }
    if !await_some(&states, blocking) {
        return Ok(Found::NoneComplete);
    }
    // All are looked at before the first ends.
    let indices = (0..).zip(&states).filter(|(_, state)| state.is_over());
    let indices: SmallVec<[usize; 64]> = indices.map(|(i, _)| i).collect();
    let mut removing = REQUESTS.removing();
    let over = indices
        .into_iter()
        .map(|i| (i, finish(&mut handles[i], states[i].clone(), &mut removing)));
    Ok(Found::Some(over.collect()))
}

fn await_some(states: &[Current], blocking: bool) -> bool {
    let ready = || states.iter().any(Current::is_over);
    if blocking {
        block_until(states, How::Any, ready);
        return true;
    }
    ready() || {
        move_along(states);
        ready()
    }
}

/// Blocks until `ready` says true of all requests, or of any, as `how` says.
fn block_until(states: &[Current], how: How, mut ready: impl FnMut() -> bool) {
    if ready() {
        return;
    }
    let pending = || {
        states.iter().filter_map(|s| match s {
            Current::Operation(operation) if !s.is_done() => Some(operation),
            _ => None,
        })
    };
    if matches!(how, How::Each) {
        task::set_awaited(pending().map(|operation| &**operation));
    }
    let what = || match (pending().next(), pending().count()) {
        (Some(first), 1) => first.describe(),
        (Some(first), n) => format!("{n} requests, the first {}", first.describe()),
        (None, _) => "requests".to_string(),
    };
    // Those that a death concerns end with an error; the others are waited for on.
    loop {
        let obstacle = || pending().find_map(|operation| operation.obstacle());
        let needs = Needs::Told(&|need| {
            let mut needs = pending().map(|operation| operation.about.need());
            *need = Need::of_many(how, &mut needs);
        });
        let revoked = || pending().find_map(|operation| operation.about.revoked());
        let who = Ranks::Who(&obstacle);
        if block(&what, Ranks::Unless(&revoked, &who), needs, &mut ready).is_ok() {
            return;
        }
        abandon_dead(states);
        if ready() {
            return;
        }
    }
}

/// Ends the operations that no longer can by themselves, because a process died, or holds them up.
fn abandon_dead(states: &[Current]) {
    for state in states {
        if let Current::Operation(operation) = state
            && !operation.is_done()
            && let Err(error) = operation.check_alive()
        {
            give_up(operation, error);
        }
    }
}

/// Ends an operation of a request that will not end by itself any more. A receive from any rank is held up only, where the program can
/// do something about it: those that live may send yet.
fn give_up(operation: &Operation, error: Error) {
    let may_go_on = FAILURES_CAN_BE_ACKNOWLEDGED && operation.about.is_from_any();
    match may_go_on && error.class == Class::ProcFailed {
        true => operation.hold_up(),
        false => abandon(operation, error),
    }
}

/// Whether the operation has ended, if only because a process it needs has died.
#[inline]
pub(super) fn settled(operation: &Operation) -> bool {
    if !operation.is_done()
        && let Err(error) = operation.check_alive()
    {
        abandon(operation, error);
    }
    operation.is_done()
}

/// Ends an operation that will not end by itself any more.
pub(super) fn abandon(operation: &Operation, error: Error) {
    task::withdraw(operation);
    operation.complete(MPI_Status::EMPTY, Some(error));
}
