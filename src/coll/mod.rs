//! Collective operations (MPI 4.1 chapter 6).
//!
//! May call `p2p`, `op`, `datatype` and `runtime`. Every operation is a [`plan`]: blocking calls carry it out at once, the
//! others while messages are moved along. Small blocking ones need no messages: their processes meet in shared memory
//! ([`small`]).

mod across;
mod data;
mod neighbor;
mod plan;
mod reduction;
mod scratch;
mod small;

pub use plan::{Element, Plan, Planner, Root, Vector, run, start};
pub use small::{
    allgather as small_allgather, allreduce as small_allreduce, alltoall as small_alltoall, barrier,
};
