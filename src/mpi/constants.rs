//! The constants of MPI 4.1 with MPICH's values, typed. `mpi.h` is made from them, and `tests/abi.rs` compares it with
//! MPICH's own header.

mod addresses;
mod communication;
mod datatypes;
mod errors;
mod objects;
mod rma;
mod tools;

pub use addresses::*;
pub use communication::*;
pub use datatypes::*;
pub use errors::*;
pub use objects::*;
pub use rma::*;
pub use tools::*;
