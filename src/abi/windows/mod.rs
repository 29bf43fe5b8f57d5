//! Windows, one-sided operations and their synchronisation (MPI 4.1 §12).

pub mod operations;
pub mod requests;
pub mod synchronization;
pub mod window;
