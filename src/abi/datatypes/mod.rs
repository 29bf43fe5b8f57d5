//! Datatypes (MPI 4.1 §5).

pub mod attributes;
pub mod constructors;
pub mod objects;
pub mod pack;
pub mod query;
pub mod removed;
pub mod structures;
