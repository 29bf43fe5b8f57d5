//! Generalized requests (MPI 4.1 §13.2).

use crate::abi::boundary::arguments::callback;
use crate::abi::boundary::pointers::Mut;
use crate::mpi::types::*;
use crate::mpi_api;
use crate::p2p::generalized::{Callbacks, Generalized};
use crate::p2p::request;
use macro_rules_attribute::apply;
use std::ffi::c_void;

/// Makes a request of an operation of the program's own. `query_fn` gives its status when it is waited for, `free_fn` is
/// called last, `cancel_fn` by `MPI_Cancel`; an error that they return is that of the function that called them.
///
/// MPI 4.1 §13.2. Local. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Grequest_start(
    query_fn: Option<MPI_Grequest_query_function>,
    free_fn: Option<MPI_Grequest_free_function>,
    cancel_fn: Option<MPI_Grequest_cancel_function>,
    extra_state: Mut<c_void>,
    request: Mut<MPI_Request>,
) -> c_int {
    let request = request.out("request")?;
    let callbacks = Callbacks {
        query: callback(query_fn, "query_fn")?,
        free: callback(free_fn, "free_fn")?,
        cancel: callback(cancel_fn, "cancel_fn")?,
        state: extra_state.pointer().into(),
    };
    request.set(request::generalized(Generalized::new(callbacks))?);
    Ok(())
}

/// Says that the operation of a generalized request is complete. Local.
///
/// MPI 4.1 §13.2. Errors: `MPI_ERR_REQUEST` (not generalized, complete already), and what `free_fn` returns if the request
/// was freed before.
#[apply(mpi_api)]
pub extern "C" fn MPI_Grequest_complete(request: MPI_Request) -> c_int {
    request::complete(request)
}
