//! rmashm: a single-node MPI library (MPICH ABI) whose heart is one-sided communication through shared memory.
//!
//! The rooms and their layers are in ARCHITECTURE.md; calls go inwards only, which `tests/layers.rs` keeps so.

// The documentation is for those who work on the library: it is made with private items.
#![allow(rustdoc::private_intra_doc_links)]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!(
    "rmashm runs on Linux on x86-64: its fences, copies and atomics are made and model-checked for that memory model"
);

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
