//! Operations: making and freeing, and reducing locally (MPI 4.1 §6.9.5, §6.9.7).
//!
//! All of these are local and do not block.

use crate::abi::boundary::arguments::{callback, count};
use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::messages::p2p;
use crate::check::buffers::{self, Access};
use crate::datatype;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::op::{self, Function};
use crate::{bail, check, mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Makes an operation of a user's function; `commute` says whether it is commutative.
///
/// MPI 4.1 §6.9.5. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Op_create(
    user_fn: Option<MPI_User_function>,
    commute: c_int,
    op: Mut<MPI_Op>,
) -> c_int {
    let handle = op.out("op")?;
    let function = Function::Small(callback(user_fn, "user_fn")?);
    handle.set(op::create(function, commute != 0)?);
    Ok(())
}

/// Makes an operation of a user's function that takes its count as an `MPI_Count`.
///
/// MPI 4.1 §6.9.5. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Op_create_c(
    user_fn: Option<MPI_User_function_c>,
    commute: c_int,
    op: Mut<MPI_Op>,
) -> c_int {
    let handle = op.out("op")?;
    let function = Function::Large(callback(user_fn, "user_fn")?);
    handle.set(op::create(function, commute != 0)?);
    Ok(())
}

/// Frees an operation and sets the handle to `MPI_OP_NULL`.
///
/// MPI 4.1 §6.9.5. Errors: `MPI_ERR_OP` (also for a predefined one), `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Op_free(op: Mut<MPI_Op>) -> c_int {
    let mut handle = op.inout("op")?;
    op::free(*handle)?;
    *handle = MPI_OP_NULL;
    Ok(())
}

/// Tells whether an operation is commutative.
///
/// MPI 4.1 §6.9.7. Errors: `MPI_ERR_OP`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Op_commutative(op: MPI_Op, commute: Mut<c_int>) -> c_int {
    let commute = commute.out("commute")?;
    commute.set(op::get(op)?.is_commutative() as c_int);
    Ok(())
}

/// Applies `op` to two buffers of this process: `inoutbuf[i] = inbuf[i] op inoutbuf[i]`.
///
/// MPI 4.1 §6.9.7. Errors: `MPI_ERR_COUNT`, `MPI_ERR_TYPE` (also not committed), `MPI_ERR_OP` (also: not defined for
/// the datatype), `MPI_ERR_BUFFER`.
#[apply(mpi_counts)]
#[quick(@unobserved usize::try_from(count).is_ok_and(|n| {
    let (input, inout) = (inbuf.pointer(), inoutbuf.pointer());
    let in_place = input == MPI_IN_PLACE || inout == MPI_IN_PLACE;
    // SAFETY: the caller promised two buffers of `n` elements that do not overlap.
    !in_place && unsafe { op::reduce_quickly(op, input.cast(), inout.cast(), n, datatype) }
}))]
pub extern "C" fn MPI_Reduce_local(
    inbuf: In<c_void>,
    inoutbuf: Mut<c_void>,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> c_int {
    reduce(inbuf, inoutbuf, count, datatype, op)
}

fn reduce(
    inbuf: In<c_void>,
    inoutbuf: Mut<c_void>,
    n: impl Number,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<()> {
    let n = count(n.wide(), "count")?;
    let object = datatype::get_committed(datatype)?;
    let op = op::get(op)?;
    op.check_reduction(object)?;
    for (name, buffer) in [("inbuf", inbuf), ("inoutbuf", inoutbuf.into())] {
        if buffer.pointer() == MPI_IN_PLACE {
            bail!(Buffer, "{name} is MPI_IN_PLACE, which has no meaning here");
        }
        object.check_buffer(buffer.pointer().expose_provenance(), n, name)?;
    }
    if n == 0 {
        return Ok(());
    }
    if inbuf.pointer() == inoutbuf.pointer() {
        bail!(
            Buffer,
            "inbuf and inoutbuf are the same, {:p}",
            inbuf.pointer()
        );
    }
    if check::is_on() {
        tell_use(inbuf, inoutbuf, n, datatype)?;
    }
    let (inbuf, inoutbuf) = (inbuf.pointer(), inoutbuf.pointer());
    // SAFETY: the caller promised two buffers of `n` elements that do not overlap, and a function that does what MPI asks.
    unsafe { op.apply(inbuf.cast(), inoutbuf.cast(), n, object, datatype) }
}

/// Where this job is checked: the call uses these buffers.
#[cold]
fn tell_use(
    inbuf: In<c_void>,
    inoutbuf: Mut<c_void>,
    n: usize,
    datatype: MPI_Datatype,
) -> Result<()> {
    p2p::buffer(inbuf, n as i64, datatype, "inbuf")?.tell_use(Access::Read, "inbuf");
    p2p::buffer(inoutbuf, n as i64, datatype, "inoutbuf")?.tell_use(Access::Write, "inoutbuf");
    buffers::begins();
    Ok(())
}
