//! The functions beyond MPI that MPICH's Fortran library refers to: what a C library must have so that a Fortran program
//! with all symbols bound at its start (`LD_BIND_NOW`) starts at all.
//!
//! Nothing here works on devices, and the recovery from failures of MPICH is not offered: what this library does when
//! processes die is told by `MPI_ERR_PROC_FAILED` and the launcher.

use crate::abi::boundary::pointers::Mut;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, comm, mpi_api, mpi_plain};
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// Whether buffers may lie in the memory of a device that is programmed with CUDA: 0, they may not.
#[apply(mpi_plain)]
pub extern "C" fn MPIX_Query_cuda_support() -> c_int {
    0
}

/// The same for HIP.
#[apply(mpi_plain)]
pub extern "C" fn MPIX_Query_hip_support() -> c_int {
    0
}

/// The same for Level Zero.
#[apply(mpi_plain)]
pub extern "C" fn MPIX_Query_ze_support() -> c_int {
    0
}

/// Whether buffers may lie in the memory of such a device (`MPIX_GPU_SUPPORT_*`). They may not.
///
/// Errors: `MPI_ERR_ARG` (null pointer, another type).
#[apply(mpi_api)]
pub extern "C" fn MPIX_GPU_query_support(gpu_type: c_int, is_supported: Mut<c_int>) -> c_int {
    let is_supported = is_supported.out("is_supported")?;
    let types = [
        MPIX_GPU_SUPPORT_CUDA,
        MPIX_GPU_SUPPORT_ZE,
        MPIX_GPU_SUPPORT_HIP,
    ];
    if !types.contains(&gpu_type) {
        bail!(Arg, "gpu_type is {gpu_type}, which is no type of device");
    }
    is_supported.set(0);
    Ok(())
}

/// Refuses to recover `comm`, once it is known to be a communicator.
pub fn no_recovery(comm: MPI_Comm) -> Result<()> {
    comm::get(comm)?;
    bail!(
        UnsupportedOperation,
        "communicators cannot be recovered after the death of a process"
    );
}

/// Would interrupt all communication in `comm`; not offered.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_revoke(comm: MPI_Comm) -> c_int {
    no_recovery(comm)
}

/// Would make a communicator of the survivors; not offered.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_shrink(comm: MPI_Comm, newcomm: Mut<MPI_Comm>) -> c_int {
    newcomm.out("newcomm")?;
    no_recovery(comm)
}

/// Would agree on a flag among the survivors; not offered.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_agree(comm: MPI_Comm, flag: Mut<c_int>) -> c_int {
    flag.out("flag")?;
    no_recovery(comm)
}

/// Would take note of the deaths so far; not offered.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_failure_ack(comm: MPI_Comm) -> c_int {
    no_recovery(comm)
}

/// Would give the group of the dead taken note of; not offered.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Comm_failure_get_acked(comm: MPI_Comm, failedgrp: Mut<MPI_Group>) -> c_int {
    failedgrp.out("failedgrp")?;
    no_recovery(comm)
}
