//! Asking whether requests are complete without ending them (MPI 4.1 §3.7.6). None of these blocks.

use crate::abi::boundary::arguments::{count as counted, out, slice};
use crate::abi::messages::completion::{Chosen, Several, single};
use crate::mpi::constants::MPI_UNDEFINED;
use crate::mpi::types::*;
use crate::mpi_api;
use crate::p2p::completion::{self, Found};
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// Tells whether a request is complete, and its status, without ending it. Does not block.
///
/// MPI 4.1 §3.7.6. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Request_get_status(
    request: MPI_Request,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: `status` is the caller's; what is not null is a place for an `int`.
    let (status, flag) = unsafe { (single(status)?, out(flag, "flag")?) };
    let outcome = completion::peek(request)?;
    flag.set(outcome.is_some().into());
    if let Some(outcome) = outcome {
        status.tell(&outcome);
    }
    Ok(())
}

/// Tells whether one of the requests is complete, which one, and its status. `flag` is also true, and the index
/// `MPI_UNDEFINED`, if none is active.
///
/// MPI 4.1 §3.7.6. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_COUNT`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Request_get_status_any(
    count: c_int,
    array_of_requests: *const MPI_Request,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    let count = counted(count, "count")?;
    // SAFETY: the array has `count` requests.
    let requests = unsafe { slice(array_of_requests, count, "array_of_requests")? };
    let (status, index, flag) =
        // SAFETY: `status` is the caller's; what is not null are places for an `int` each.
        unsafe { (single(status)?, out(index, "index")?, out(flag, "flag")?) };
    let found = completion::peek_some(requests, true)?;
    flag.set((!matches!(found, Found::NoneComplete)).into());
    index.set(MPI_UNDEFINED);
    match found {
        Found::Some(over) => {
            for (i, outcome) in over {
                index.set(i as c_int);
                status.set(&outcome.status);
            }
        }
        Found::NoneActive => status.set_empty(),
        Found::NoneComplete => {}
    }
    Ok(())
}

/// Tells whether all requests are complete, and if so their statuses.
///
/// MPI 4.1 §3.7.6. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_COUNT`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_IN_STATUS` (an operation
/// failed: the statuses say which and why).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Request_get_status_all(
    count: c_int,
    array_of_requests: *const MPI_Request,
    flag: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> c_int {
    let count = counted(count, "count")?;
    // SAFETY: the array has `count` requests.
    let requests = unsafe { slice(array_of_requests, count, "array_of_requests")? };
    let (mut statuses, flag) =
        // SAFETY: so has the array of statuses, if it is one; what is not null is a place for an `int`.
        unsafe { (Several::new(array_of_statuses, count)?, out(flag, "flag")?) };
    let all = completion::peek_all(requests)?;
    flag.set(all.is_some().into());
    for (i, outcome) in all.into_iter().flatten().enumerate() {
        statuses.put(i, outcome);
    }
    statuses.result()
}

/// Tells how many of the requests are complete (`MPI_UNDEFINED` if none is active), which, and their statuses.
///
/// MPI 4.1 §3.7.6. Errors: as `MPI_Request_get_status_all`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Request_get_status_some(
    incount: c_int,
    array_of_requests: *const MPI_Request,
    outcount: *mut c_int,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> c_int {
    let count = counted(incount, "incount")?;
    // SAFETY: the array has `count` requests.
    let requests = unsafe { slice(array_of_requests, count, "array_of_requests")? };
    // SAFETY: so have the other arrays; what is not null is a place for an `int`.
    let chosen = unsafe { Chosen::new(outcount, array_of_indices, array_of_statuses, count)? };
    chosen.report(completion::peek_some(requests, false)?)
}
