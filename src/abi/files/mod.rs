//! Files (MPI 4.1 §14).

pub mod explicit;
pub mod file;
pub mod individual;
pub mod shared;
pub mod split;
