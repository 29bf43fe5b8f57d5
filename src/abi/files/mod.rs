//! Files (MPI 4.1 §14).

pub mod access;
pub mod file;
pub mod split;
