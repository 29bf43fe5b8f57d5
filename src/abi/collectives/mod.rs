//! Collective operations (MPI 4.1 §6), those of neighbourhoods (§8.6-§8.8), and what reduces (§6.9.5).

pub mod arguments;
pub mod movement;
pub mod neighbor;
pub mod op;
pub mod reduction;
mod short;
