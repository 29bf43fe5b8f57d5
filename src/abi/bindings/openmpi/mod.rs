//! What programs and libraries for Open MPI ask for beside MPI.

#![cfg(feature = "openmpi")]

pub mod aliases;
pub mod callbacks;
pub mod classes;
pub mod data;
pub mod extensions;
