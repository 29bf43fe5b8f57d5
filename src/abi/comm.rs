//! Communicators (MPI 4.1 §7.4, §7.6, §7.8).

use crate::abi::arguments::out;
use crate::abi::types::*;
use crate::{comm, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// Gives the number of processes of a communicator (of the local group of an intercommunicator).
///
/// MPI 4.1 §7.4.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Comm_size(comm: MPI_Comm, size: *mut c_int) -> c_int {
    let comm = comm::get(comm)?;
    // SAFETY: what is not null is a place for an `int`.
    unsafe { out(size, "size")? }.set(comm.size() as c_int);
    Ok(())
}

/// Gives the caller's rank in a communicator.
///
/// MPI 4.1 §7.4.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Comm_rank(comm: MPI_Comm, rank: *mut c_int) -> c_int {
    let comm = comm::get(comm)?;
    // SAFETY: what is not null is a place for an `int`.
    unsafe { out(rank, "rank")? }.set(comm.rank as c_int);
    Ok(())
}
