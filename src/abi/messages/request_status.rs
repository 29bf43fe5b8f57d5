//! Asking whether requests are complete without ending them (MPI 4.1 §3.7.6). None of these blocks.

use crate::abi::boundary::arguments::count as counted;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::messages::completion::{Chosen, Several};
use crate::mpi::constants::MPI_UNDEFINED;
use crate::mpi::types::*;
use crate::mpi_api;
use crate::p2p::completion::{self, Found};
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// Tells whether a request is complete, and its status, without ending it. Does not block.
///
/// MPI 4.1 §3.7.6. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_ARG` (null pointer), those of the operation, and of the query function of a
/// generalized request (§13.2).
#[apply(mpi_api)]
pub extern "C" fn MPI_Request_get_status(
    request: MPI_Request,
    flag: Mut<c_int>,
    status: Mut<MPI_Status>,
) -> c_int {
    let (status, flag) = (status.single()?, flag.out("flag")?);
    let outcome = completion::peek(request)?;
    flag.set(outcome.is_some().into());
    outcome.map_or(Ok(()), |outcome| status.report(outcome))
}

/// Tells whether one of the requests is complete, which one, and its status. `flag` is also true, and the index
/// `MPI_UNDEFINED`, if none is active.
///
/// MPI 4.1 §3.7.6. Errors: `MPI_ERR_REQUEST`, `MPI_ERR_COUNT`, `MPI_ERR_ARG` (null pointer), and as `MPI_Request_get_status`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Request_get_status_any(
    count: c_int,
    array_of_requests: In<MPI_Request>,
    index: Mut<c_int>,
    flag: Mut<c_int>,
    status: Mut<MPI_Status>,
) -> c_int {
    let count = counted(count, "count")?;
    let requests = array_of_requests.handles(count, "array_of_requests")?;
    let (status, index, flag) = (status.single()?, index.out("index")?, flag.out("flag")?);
    let found = completion::peek_some(&requests, true)?;
    flag.set((!matches!(found, Found::NoneComplete)).into());
    index.set(MPI_UNDEFINED);
    match found {
        Found::Some(over) => {
            // One at most was asked for.
            if let Some((i, outcome)) = over.into_iter().next() {
                index.set(i as c_int);
                return status.report(outcome);
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
pub extern "C" fn MPI_Request_get_status_all(
    count: c_int,
    array_of_requests: In<MPI_Request>,
    flag: Mut<c_int>,
    array_of_statuses: Mut<MPI_Status>,
) -> c_int {
    let count = counted(count, "count")?;
    let requests = array_of_requests.handles(count, "array_of_requests")?;
    let (mut statuses, flag) = (Several::new(array_of_statuses, count)?, flag.out("flag")?);
    let all = completion::peek_all(&requests)?;
    flag.set(all.is_some().into());
    for (i, outcome) in all.into_iter().flatten().enumerate() {
        statuses.put(i, &outcome);
    }
    statuses.result()
}

/// Tells how many of the requests are complete (`MPI_UNDEFINED` if none is active), which, and their statuses.
///
/// MPI 4.1 §3.7.6. Errors: as `MPI_Request_get_status_all`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Request_get_status_some(
    incount: c_int,
    array_of_requests: In<MPI_Request>,
    outcount: Mut<c_int>,
    array_of_indices: Mut<c_int>,
    array_of_statuses: Mut<MPI_Status>,
) -> c_int {
    let count = counted(incount, "incount")?;
    let requests = array_of_requests.handles(count, "array_of_requests")?;
    let chosen = Chosen::new(outcount, array_of_indices, array_of_statuses, count)?;
    chosen.report(completion::peek_some(&requests, false)?)
}
