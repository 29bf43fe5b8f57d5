//! rmashm: a single-node MPI library (MPICH ABI) whose heart is one-sided communication through shared memory.
//!
//! The rooms, and what each may call, are in ARCHITECTURE.md. Calls go inwards only:
//! `abi → {win, p2p, coll, comm} → {runtime, datatype, op, info} → shm`.

pub mod abi;
pub mod attribute;
pub mod coll;
pub mod comm;
pub mod datatype;
pub mod errhandler;
pub mod error;
pub mod file;
pub mod handle;
pub mod info;
pub mod mpi;
pub mod op;
pub mod p2p;
pub mod runtime;
pub mod session;
pub mod shm;
pub mod startup;
pub mod tools;
pub mod transport;
pub mod win;
