//! Starting and ending (MPI 4.1 §11), info objects (§10), error handling and inquiry (§9).

pub mod errhandler;
pub mod error_codes;
pub mod info;
pub mod init;
pub mod inquiry;
pub mod memory;
pub mod processes;
pub mod session;
