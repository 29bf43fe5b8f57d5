//! The functions beyond MPI that MPICH's Fortran library refers to: what a C library must have so that a Fortran program
//! with all symbols bound at its start (`LD_BIND_NOW`) starts at all.
//!
//! Nothing here works on devices.

use crate::abi::boundary::pointers::Mut;
use crate::mpi::constants::*;
use crate::{bail, mpi_api, mpi_plain};
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
