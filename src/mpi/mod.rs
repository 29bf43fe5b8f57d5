//! The plain values of the standard: C types, constants, `MPI_Status`. All rooms use them, and they use none.

pub mod constants;
pub mod foreign;
pub mod status;
pub mod types;
