//! Collective operations (MPI 4.1 chapter 6).
//!
//! Its messages go by `transport`; communicators, operations and datatypes are those of `comm`, `op` and `datatype`. A
//! [`Collective`] says what is wanted. Every operation can be done by a [`plan`] of messages: blocking calls carry it out at
//! once, the others while messages are moved along. Blocking ones of up to 16 processes and 8 KiB need no messages: they pin
//! notes ([`little`]), those of less than 4 KiB in one run without vectors ([`short`]). Larger ones, and an allreduce of more than two, can meet at the board. [`decide`] offers blocking calls to
//! both, which refuse those that go better by messages; the methods of the [`planner`] choose among plans, by size. Where all know
//! that there is no data, nobody waits.
//!
//! | operation                          | by messages (a plan)                                                        | over notes or the board |
//! |------------------------------------|-----------------------------------------------------------------------------|-------------------------|
//! | barrier                            | dissemination: log2 n rounds                                                | blocking: the meeting's |
//! | broadcast                          | up to 8 KiB a binomial tree; above, all fetch from the root                 | blocking: notes; between two in pieces up to 12 KiB, of the segment up to 8 KiB |
//! | gather, scatter                    | every block directly                                                        | blocking: notes; between two as a broadcast; a gather of more, into the root's memory |
//! | allgather, alltoall                | every block directly                                                        | blocking: small, or more than 16 processes; of different lengths: notes; between two from 8 KiB on fetched |
//! | allgather of more than 16          | handed on: log2 n rounds, with those at distances of powers of two          | the same                |
//! | alltoall of more than 16, to 256 B | the same                                                                    | the same                |
//! | allreduce                          | below 32 KiB all send to all (up to 16 processes) or reduce and broadcast; from there each folds its share, then allgather; of 3 to 16 processes over [`areas`] | blocking: between two notes, else not from 64 KiB on |
//! | reduce                             | below 32 KiB, and between two, the root folds all; from there each folds its share and sends it to the root | blocking: notes, between two up to 64 KiB; from 16 KiB, or 8 processes on |
//! | reduce_scatter                     | each gets its part of everybody's and folds                                 | blocking: notes |
//! | scan, exscan                       | a chain                                                                     | —                       |
//! | allreduce between groups           | up to 16 processes all send to all; above, reduce and broadcast             | —                       |
//! | neighbourhood                      | receives, then sends; of several to one process the first is the first      | —                       |
//!
//! Among more than 16 processes nothing goes from each to each by messages: n² messages, and the memory of n² rings, grow
//! fastest (512 ranks, alltoall of one int: 36 ms; 12 s by messages). What does not block cannot use a barrier, so there blocks
//! are handed on.

mod across;
mod areas;
mod checked;
mod data;
mod decide;
mod elements;
mod fold;
pub mod idup;
mod little;
mod neighbor;
mod plan;
mod planner;
mod reduction;
mod scratch;
mod shared;

pub use decide::{Call, Collective, barrier, pass};
pub use elements::{Element, Vector};
pub use little::short;
pub use planner::Root;

/// In communicators of more processes there is no message from each to each, where the operation can do without: these, and
/// the memory of as many rings, are what grows fastest. What can goes over the board; else data is handed on by those at
/// distances of powers of two.
const FEW: usize = 16;
