//! Operations: making and freeing, and reducing locally (MPI 4.1 §6.9.5, §6.9.7).
//!
//! All of these are local and do not block.

use crate::abi::boundary::arguments::{callback, count, inout, out};
use crate::abi::boundary::counts::Number;
use crate::datatype;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::op::{self, Function};
use crate::{bail, mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Makes an operation of a user's function; `commute` says whether it is commutative.
///
/// MPI 4.1 §6.9.5. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Op_create(
    user_fn: Option<MPI_User_function>,
    commute: c_int,
    op: *mut MPI_Op,
) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let handle = unsafe { out(op, "op")? };
    let function = Function::Small(callback(user_fn, "user_fn")?);
    handle.set(op::create(function, commute != 0)?);
    Ok(())
}

/// Makes an operation of a user's function that takes its count as an `MPI_Count`.
///
/// MPI 4.1 §6.9.5. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Op_create_c(
    user_fn: Option<MPI_User_function_c>,
    commute: c_int,
    op: *mut MPI_Op,
) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let handle = unsafe { out(op, "op")? };
    let function = Function::Large(callback(user_fn, "user_fn")?);
    handle.set(op::create(function, commute != 0)?);
    Ok(())
}

/// Frees an operation and sets the handle to `MPI_OP_NULL`.
///
/// MPI 4.1 §6.9.5. Errors: `MPI_ERR_OP` (also for a predefined one), `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Op_free(op: *mut MPI_Op) -> c_int {
    // SAFETY: what is not null is a handle.
    let handle = unsafe { inout(op, "op")? };
    op::free(*handle)?;
    *handle = MPI_OP_NULL;
    Ok(())
}

/// Tells whether an operation is commutative.
///
/// MPI 4.1 §6.9.7. Errors: `MPI_ERR_OP`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Op_commutative(op: MPI_Op, commute: *mut c_int) -> c_int {
    // SAFETY: what is not null is a place for an `int`.
    let commute = unsafe { out(commute, "commute")? };
    commute.set(op::get(op)?.is_commutative() as c_int);
    Ok(())
}

/// Applies `op` to two buffers of this process: `inoutbuf[i] = inbuf[i] op inoutbuf[i]`.
///
/// MPI 4.1 §6.9.7. Errors: `MPI_ERR_COUNT`, `MPI_ERR_TYPE` (also not committed), `MPI_ERR_OP` (also: not defined for
/// the datatype), `MPI_ERR_BUFFER`.
#[apply(mpi_counts)]
pub unsafe extern "C" fn MPI_Reduce_local(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> c_int {
    // SAFETY: the contract of the MPI function.
    unsafe { reduce(inbuf, inoutbuf, count, datatype, op) }
}

/// # Safety
/// As for `MPI_Reduce_local`.
unsafe fn reduce(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    let object = datatype::get_committed(datatype)?;
    let op = op::get(op)?;
    op.check_reduction(object)?;
    for (name, buffer) in [("inbuf", inbuf), ("inoutbuf", inoutbuf.cast_const())] {
        if buffer == MPI_IN_PLACE.cast_const() {
            bail!(Buffer, "{name} is MPI_IN_PLACE, which has no meaning here");
        }
        object.check_buffer(buffer.expose_provenance(), n, name)?;
    }
    if n == 0 {
        return Ok(());
    }
    if inbuf == inoutbuf.cast_const() {
        bail!(Buffer, "inbuf and inoutbuf are the same, {inbuf:p}");
    }
    // SAFETY: the caller promised two buffers of `n` elements that do not overlap, and a function that does what MPI asks.
    unsafe { op.apply(inbuf.cast(), inoutbuf.cast(), n, object, datatype) }
}
