//! What the library exports, read from its Rust sources ([`read`]) into a [`model`], and printed for another language
//! ([`c_header`]). The build script of `rmashm` makes `mpi.h` with it.
//!
//! The sources are read as the compiler reads them, so that their layout does not count. What stands in them and has no place
//! in the model is an error that says where.

pub mod c_header;
pub mod fortran;
pub mod model;
pub mod modules;
pub mod read;
