//! What Open MPI's library for C++ asks for beside MPI, of what programs cannot be linked or started without.

#![cfg(feature = "openmpi")]

use crate::mpi::types::*;
use crate::op;

/// Says which function of the program's the operation `op` calls, which the library made of a function of its own.
///
/// An operation that is none stays none: the library calls this right after it made one.
#[unsafe(no_mangle)]
pub extern "C" fn ompi_op_set_cxx_callback(op: C<MPI_Op>, function: Option<MPI_User_function>) {
    if let Some(function) = function {
        let _ = op::put_around(MPI_Op::of(op), function);
    }
}
