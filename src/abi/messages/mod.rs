//! Messages between two processes (MPI 4.1 §3, §4), their requests and statuses, and requests of the program's own (§13.2).

pub mod buffers;
pub mod completion;
pub mod generalized;
pub mod p2p;
pub mod partitioned;
pub mod probe;
pub mod request;
pub mod request_status;
pub mod sendrecv;
mod short;
pub mod status;
