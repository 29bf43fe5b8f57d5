//! What other languages and binary interfaces ask of a C library (MPI 4.1 §19, MPI 5.0 §20).

pub mod classes;
pub mod data;
pub mod extensions;
pub mod fortran;
pub mod handles;
pub mod mpich;
#[cfg(feature = "openmpi")]
pub mod openmpi;
pub mod query;
pub mod sections;
