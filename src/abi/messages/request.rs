//! Starting requests, waiting for them, testing them, giving them back (MPI 4.1 §3.7.3-§3.7.6, §3.8.4, §3.9).

use crate::abi::boundary::arguments::count as counted;
use crate::abi::boundary::pointers::Mut;
use crate::abi::messages::completion::{Chosen, Several};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::mpi_api;
use crate::p2p::completion::{self, Found};
use crate::p2p::request;
use crate::transport::operation::Outcome;
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// Ends a request that was complete when it was given, if this is one: whether it was.
#[inline(always)]
fn end_at_once(request: Mut<MPI_Request>, status: Mut<MPI_Status>) -> bool {
    end_by(request::end_at_once, request, status)
}

/// The same in a job that is checked, by a call of `function`, of the request of an operation that is [repeated](crate::check::race::again).
#[inline(always)]
pub fn end_again(
    function: &'static str,
    request: Mut<MPI_Request>,
    status: Mut<MPI_Status>,
) -> bool {
    end_by(
        |request| request::end_again(function, request),
        request,
        status,
    )
}

#[inline(always)]
fn end_by(
    end: impl FnOnce(&mut MPI_Request) -> bool,
    request: Mut<MPI_Request>,
    status: Mut<MPI_Status>,
) -> bool {
    let (Ok(status), Ok(mut request)) = (status.single(), request.inout("request")) else {
        return false;
    };
    let ended = end(&mut request);
    if ended {
        status.tell(&Outcome::NOTHING);
    }
    ended
}

/// Whether [`end_at_once`] ends it.
#[inline(always)]
fn is_at_once(request: Mut<MPI_Request>) -> bool {
    is_by(request::was_over, request)
}

/// The same in a job that is checked, of [`end_again`].
#[inline(always)]
pub fn is_again(request: Mut<MPI_Request>) -> bool {
    is_by(request::is_again, request)
}

#[inline(always)]
fn is_by(is: impl FnOnce(MPI_Request) -> bool, request: Mut<MPI_Request>) -> bool {
    request.inout("request").is_ok_and(|request| is(*request))
}

/// Has `end` end each request, one after another, if that `is` so of all: whether it did. One may be there twice.
#[inline(always)]
fn each_at_once(
    (count, requests, statuses): (c_int, Mut<MPI_Request>, Mut<MPI_Status>),
    is: impl Fn(Mut<MPI_Request>) -> bool,
    end: impl Fn(Mut<MPI_Request>, Mut<MPI_Status>) -> bool,
) -> bool {
    let are_ignored = statuses.pointer() == MPI_STATUSES_IGNORE;
    let status = |i| match are_ignored {
        true => statuses,
        false => statuses.at(i),
    };
    let all = 0..usize::try_from(count).unwrap_or(0);
    count > 0
        && all.clone().all(|i| is(requests.at(i)))
        && all.into_iter().all(|i| end(requests.at(i), status(i)))
}

/// Blocks until a request is complete. It becomes `MPI_REQUEST_NULL`, or inactive if it is persistent.
///
/// MPI 4.1 §3.7.3. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_ARG` (null pointer), and those of the operation.
#[apply(mpi_api)]
#[quick(@waits end_at_once(request, status))]
pub extern "C" fn MPI_Wait(request: Mut<MPI_Request>, status: Mut<MPI_Status>) -> c_int {
    let (status, mut request) = (status.single()?, request.inout("request")?);
    status.report(completion::wait(&mut request)?)
}

/// Tells whether a request is complete, and if so ends it as `MPI_Wait` does. Does not block.
///
/// MPI 4.1 §3.7.3. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_ARG` (null pointer), and those of the operation.
#[apply(mpi_api)]
pub extern "C" fn MPI_Test(
    request: Mut<MPI_Request>,
    flag: Mut<c_int>,
    status: Mut<MPI_Status>,
) -> c_int {
    let (status, mut request, flag) = (
        status.single()?,
        request.inout("request")?,
        flag.out("flag")?,
    );
    let outcome = completion::test(&mut request)?;
    flag.set(outcome.is_some().into());
    outcome.map_or(Ok(()), |outcome| status.report(outcome))
}

/// Blocks until all requests are complete.
///
/// MPI 4.1 §3.7.5. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_COUNT`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_IN_STATUS` (an operation failed: the
/// statuses say which and why).
#[apply(mpi_api)]
#[quick(@waits each_at_once((count, array_of_requests, array_of_statuses), is_at_once, end_at_once))]
pub extern "C" fn MPI_Waitall(
    count: c_int,
    array_of_requests: Mut<MPI_Request>,
    array_of_statuses: Mut<MPI_Status>,
) -> c_int {
    let count = counted(count, "count")?;
    let mut requests = array_of_requests.handles_mut(count, "array_of_requests")?;
    let mut statuses = Several::new(array_of_statuses, count)?;
    completion::wait_all(&mut requests, |i, outcome| statuses.put(i, outcome))?;
    statuses.result()
}

/// Tells whether all requests are complete, and if so ends them. Does not block.
///
/// MPI 4.1 §3.7.5. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_COUNT`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_IN_STATUS` (an operation failed: the
/// statuses say which and why).
#[apply(mpi_api)]
pub extern "C" fn MPI_Testall(
    count: c_int,
    array_of_requests: Mut<MPI_Request>,
    flag: Mut<c_int>,
    array_of_statuses: Mut<MPI_Status>,
) -> c_int {
    let count = counted(count, "count")?;
    let mut requests = array_of_requests.handles_mut(count, "array_of_requests")?;
    let (mut statuses, flag) = (Several::new(array_of_statuses, count)?, flag.out("flag")?);
    let all = completion::test_all(&mut requests, |i, outcome| statuses.put(i, outcome))?;
    flag.set(all.into());
    statuses.result()
}

/// Blocks until one of the requests is complete, ends it and gives its index; `MPI_UNDEFINED` if none is active.
///
/// MPI 4.1 §3.7.5. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_COUNT`, `MPI_ERR_ARG` (null pointer), and those of the operation.
#[apply(mpi_api)]
pub extern "C" fn MPI_Waitany(
    count: c_int,
    array_of_requests: Mut<MPI_Request>,
    index: Mut<c_int>,
    status: Mut<MPI_Status>,
) -> c_int {
    let count = counted(count, "count")?;
    let mut requests = array_of_requests.handles_mut(count, "array_of_requests")?;
    let (status, index) = (status.single()?, index.out("index")?);
    match completion::any(&mut requests, true)? {
        Found::Some((i, outcome)) => {
            index.set(i as c_int);
            status.report(outcome)
        }
        _ => {
            index.set(MPI_UNDEFINED);
            status.set_empty();
            Ok(())
        }
    }
}

/// Ends one of the requests that is complete, if there is one, and gives its index. `flag` is also true, and the index
/// `MPI_UNDEFINED`, if none is active. Does not block.
///
/// MPI 4.1 §3.7.5. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_COUNT`, `MPI_ERR_ARG` (null pointer), and those of the operation.
#[apply(mpi_api)]
pub extern "C" fn MPI_Testany(
    count: c_int,
    array_of_requests: Mut<MPI_Request>,
    index: Mut<c_int>,
    flag: Mut<c_int>,
    status: Mut<MPI_Status>,
) -> c_int {
    let count = counted(count, "count")?;
    let mut requests = array_of_requests.handles_mut(count, "array_of_requests")?;
    let (status, index, flag) = (status.single()?, index.out("index")?, flag.out("flag")?);
    let found = completion::any(&mut requests, false)?;
    flag.set((!matches!(found, Found::NoneComplete)).into());
    match found {
        Found::Some((i, outcome)) => {
            index.set(i as c_int);
            return status.report(outcome);
        }
        Found::NoneActive => status.set_empty(),
        Found::NoneComplete => {}
    }
    index.set(MPI_UNDEFINED);
    Ok(())
}

/// Blocks until at least one of the requests is complete, and ends all that are: their number goes to `outcount`
/// (`MPI_UNDEFINED` if none is active), their indices and statuses to the arrays.
///
/// MPI 4.1 §3.7.5. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_COUNT`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_IN_STATUS` (an operation failed: the
/// statuses say which and why).
#[apply(mpi_api)]
pub extern "C" fn MPI_Waitsome(
    incount: c_int,
    array_of_requests: Mut<MPI_Request>,
    outcount: Mut<c_int>,
    array_of_indices: Mut<c_int>,
    array_of_statuses: Mut<MPI_Status>,
) -> c_int {
    let count = counted(incount, "incount")?;
    let mut requests = array_of_requests.handles_mut(count, "array_of_requests")?;
    let chosen = Chosen::new(outcount, array_of_indices, array_of_statuses, count)?;
    chosen.report(completion::some(&mut requests, true)?)
}

/// Ends all requests that are complete: as `MPI_Waitsome`, but does not block, and `outcount` may be 0.
///
/// MPI 4.1 §3.7.5. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_COUNT`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_IN_STATUS` (an operation failed: the
/// statuses say which and why).
#[apply(mpi_api)]
pub extern "C" fn MPI_Testsome(
    incount: c_int,
    array_of_requests: Mut<MPI_Request>,
    outcount: Mut<c_int>,
    array_of_indices: Mut<c_int>,
    array_of_statuses: Mut<MPI_Status>,
) -> c_int {
    let count = counted(incount, "incount")?;
    let mut requests = array_of_requests.handles_mut(count, "array_of_requests")?;
    let chosen = Chosen::new(outcount, array_of_indices, array_of_statuses, count)?;
    chosen.report(completion::some(&mut requests, false)?)
}

/// Gives a request back; the operation goes on by itself. The handle becomes `MPI_REQUEST_NULL`.
///
/// MPI 4.1 §3.7.3. Errors: `MPI_ERR_REQUEST` (also for a nonblocking collective operation that is not complete and one of RMA,
/// which must be completed: §6.12, §12.3.6), `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Request_free(request: Mut<MPI_Request>) -> c_int {
    request::free(&mut *request.inout("request")?)
}

/// Cancels a receive that has met no message, or a send that has met no receive. What has met its other side goes on, and so
/// does a send that is complete already because its data was copied: up to the eager limit, and buffered. A send whose message
/// a matched probe has taken completes: its data is kept for the receiver. Does not block; the request must still be
/// completed, and its status tells (`MPI_Test_cancelled`).
///
/// MPI 4.1 §3.8.4. Errors: `MPI_ERR_REQUEST` (also for collective, partitioned and RMA operations, which nobody can cancel, and
/// for `MPI_Isendrecv`, operations on files and flushes of buffers, which are not one message), `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (for the data to be kept).
#[apply(mpi_api)]
pub extern "C" fn MPI_Cancel(request: Mut<MPI_Request>) -> c_int {
    request::cancel(request.handle("request")?)
}

/// Starts a persistent request. Does not block.
///
/// MPI 4.1 §3.9. Errors: `MPI_ERR_REQUEST` (null, not persistent, active), `MPI_ERR_ARG` (null pointer), and those of
/// the operation.
#[apply(mpi_api)]
pub extern "C" fn MPI_Start(request: Mut<MPI_Request>) -> c_int {
    request::start(request.handle("request")?)
}

/// Starts persistent requests, in the order of the array. Does not block.
///
/// MPI 4.1 §3.9. Errors: as `MPI_Start`, and `MPI_ERR_COUNT`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Startall(count: c_int, array_of_requests: Mut<MPI_Request>) -> c_int {
    let count = counted(count, "count")?;
    let requests = array_of_requests.handles(count, "array_of_requests")?;
    requests
        .iter()
        .try_for_each(|&request| request::start(request))
}
