//! Groups, communicators, attributes (MPI 4.1 §7) and topologies (§8).

pub mod attributes;
pub mod cart;
pub mod comm;
pub mod graph;
pub mod group;
pub mod making;
pub mod recovery;
