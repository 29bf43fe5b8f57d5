//! Going on after the death of a process (User-Level Failure Mitigation): names of MPICH and Open MPI beyond MPI, here with what both
//! offer together. Which calls end with which error is told in [`comm::recovery`].

use crate::abi::boundary::pointers::Mut;
use crate::abi::communicators::group::publish;
use crate::comm::{self, recovery};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::p2p::request;
use crate::{bail, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::c_int;
use std::ptr::with_exposed_provenance_mut;

/// Interrupts all communication in `comm` for good, at all its processes: what waits in it, and every call on it after this, ends with
/// `MPIX_ERR_REVOKED`; but for local calls, `MPIX_Comm_agree`, `MPIX_Comm_shrink` and those like them. Windows and files that were made
/// of it are others' matter. One process is enough. Does not block.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_NO_MEM`.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_revoke(comm: MPI_Comm) -> c_int {
    comm::get(comm)?.revoke()
}

/// Whether `comm` was revoked, as far as this process knows. Local.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_is_revoked(comm: MPI_Comm, flag: Mut<c_int>) -> c_int {
    let comm = comm::get(comm)?;
    flag.out("flag")?.set(comm.is_revoked().into());
    Ok(())
}

/// Gives the group of those processes of `comm`, of both groups, that this process knows to have failed, in the order in which it saw
/// that: an earlier group is the beginning of a later one. Local.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM`.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_get_failed(comm: MPI_Comm, failedgrp: Mut<MPI_Group>) -> c_int {
    let comm = comm::get(comm)?;
    failedgrp.out("failedgrp")?;
    publish(failedgrp, || Ok(comm.failed()))
}

/// Acknowledges the first `num_to_ack` of the processes that `MPIX_Comm_get_failed` has given: receives from any rank are no longer
/// held up by their failure, and agreements do not report it. Gives how many are acknowledged, earlier ones included. Local.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer, negative number).
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_ack_failed(
    comm: MPI_Comm,
    num_to_ack: c_int,
    num_acked: Mut<c_int>,
) -> c_int {
    let comm = comm::get(comm)?;
    let num_acked = num_acked.out("num_acked")?;
    let Ok(most) = usize::try_from(num_to_ack) else {
        bail!(Arg, "num_to_ack is {num_to_ack}, which is negative");
    };
    num_acked.set(comm.acknowledge(most) as c_int);
    Ok(())
}

/// Acknowledges all failures of `comm` that this process knows of, as `MPIX_Comm_ack_failed` does. Local.
///
/// Errors: `MPI_ERR_COMM`.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_failure_ack(comm: MPI_Comm) -> c_int {
    let comm = comm::get(comm)?;
    let failed = comm.failed();
    comm.acknowledge(failed.size());
    Ok(())
}

/// Gives the group of the processes whose failure is acknowledged. Local.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM`.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_failure_get_acked(comm: MPI_Comm, failedgrp: Mut<MPI_Group>) -> c_int {
    let comm = comm::get(comm)?;
    failedgrp.out("failedgrp")?;
    publish(failedgrp, || Ok(comm.acknowledged()))
}

/// Puts `value` where the program has its place for it.
fn put<T>(place: usize, value: T) {
    // SAFETY: the place was checked when the call began, and is the library's until the operation is complete.
    unsafe { with_exposed_provenance_mut::<T>(place).write(value) };
}

/// Makes `flag` the bits that all processes of `comm` give which live. Those that die meanwhile, before or after they have given theirs, do
/// not matter: all that return have the same flag and the same result. Blocks until all that live have called, also where `comm` was
/// revoked. Collective over both groups.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM`, `MPI_ERR_PROC_FAILED` (a process has failed, which not all have
/// acknowledged; `flag` is agreed on nevertheless).
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_agree(comm: MPI_Comm, flag: Mut<c_int>) -> c_int {
    let comm = comm::get(comm)?;
    let place = flag.pointer().expose_provenance();
    let given = *flag.inout("flag")?;
    recovery::agree(comm, given, move |agreed| put(place, agreed))
}

/// Begins to agree as `MPIX_Comm_agree` does; `flag` is agreed on when the request is complete. Does not block.
///
/// Errors: as `MPIX_Comm_agree`, partly the request's.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_iagree(
    comm: MPI_Comm,
    flag: Mut<c_int>,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let place = flag.pointer().expose_provenance();
    let given = *flag.inout("flag")?;
    let request = request.out("request")?;
    let begun = recovery::begin_agree(comm, given, move |agreed| put(place, agreed))?;
    request.set(request::collective_handle(begun)?);
    Ok(())
}

/// Makes a communicator of those processes of `comm` that live, in the order of their ranks: all agree who that is. Blocks until
/// all that live have called, also where `comm` was revoked, and if more die meanwhile. It has the error handler of `comm`, and no attributes.
/// Collective over both groups.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM`, `MPI_ERR_PROC_FAILED` (nobody of the remote group lives).
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_shrink(comm: MPI_Comm, newcomm: Mut<MPI_Comm>) -> c_int {
    let comm = comm::get(comm)?;
    let place = newcomm.pointer().expose_provenance();
    newcomm.out("newcomm")?.set(MPI_COMM_NULL);
    recovery::shrink(comm, move |shrunk: MPI_Comm| put(place, shrunk.foreign()))
}

/// Begins to make a communicator as `MPIX_Comm_shrink` does; `newcomm` is there when the request is complete. Does not block.
///
/// Errors: as `MPIX_Comm_shrink`, partly the request's.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_ishrink(
    comm: MPI_Comm,
    newcomm: Mut<MPI_Comm>,
    request: Mut<MPI_Request>,
) -> c_int {
    let comm = comm::get(comm)?;
    let place = newcomm.pointer().expose_provenance();
    newcomm.out("newcomm")?.set(MPI_COMM_NULL);
    let request = request.out("request")?;
    let made = move |shrunk: MPI_Comm| put(place, shrunk.foreign());
    let begun = recovery::begin_shrink(comm, made)?;
    request.set(request::collective_handle(begun)?);
    Ok(())
}
