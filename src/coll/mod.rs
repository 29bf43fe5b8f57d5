//! Collective operations (MPI 4.1 chapter 6).
//!
//! May call `p2p`, `op`, `datatype` and `runtime`. Every operation is a [`plan`]: blocking calls carry it out at once, the
//! others while messages are moved along. Small blocking ones need no messages: their processes meet in shared memory
//! ([`shared`]).

mod across;
mod data;
mod neighbor;
mod plan;
mod reduction;
mod scratch;
mod shared;

pub use plan::{Element, Plan, Planner, Root, Vector, run, start};
pub use shared::{
    allgather as shared_allgather, allreduce as shared_allreduce, alltoall as shared_alltoall,
    barrier, reduce as shared_reduce,
};

/// In communicators of more processes there is no message from each to each, where the operation can do without: these, and
/// the memory of as many rings, are what grows fastest. What can goes over the board; else data is handed on by those at
/// distances of powers of two.
const FEW: usize = 16;
