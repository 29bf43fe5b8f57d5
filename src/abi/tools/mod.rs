//! The tool information interface (MPI 4.1 §15.3).

pub mod events;
pub mod interface;
pub mod performance;
