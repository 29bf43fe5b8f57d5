//! Collective operations (MPI 4.1 chapter 6).
//!
//! May call `p2p`, `op`, `datatype` and `runtime`. A [`Collective`] says what is wanted; [`decide`](self) is where it is
//! chosen how that is done, and nowhere else. Every operation can be done by a [`plan`] of messages: blocking calls carry it
//! out at once, the others while messages are moved along. Small blocking ones need no messages: their processes meet in
//! shared memory ([`shared`]).

mod across;
mod data;
mod decide;
mod elements;
pub mod idup;
mod neighbor;
mod plan;
mod planner;
mod reduction;
mod scratch;
mod shared;

pub use decide::{Call, Collective, barrier};
pub use elements::{Element, Vector};
pub use planner::Root;

/// In communicators of more processes there is no message from each to each, where the operation can do without: these, and
/// the memory of as many rings, are what grows fastest. What can goes over the board; else data is handed on by those at
/// distances of powers of two.
const FEW: usize = 16;
