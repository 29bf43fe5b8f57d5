//! What Fortran alone has.

use std::ffi::c_void;

/// Tells the compiler that a variable may have changed; nothing is to be done at run time.
#[unsafe(no_mangle)]
pub extern "C" fn mpi_f_sync_reg_(_buf: *const c_void) {}

alias!("pmpi_f_sync_reg_" => mpi_f_sync_reg_);
pub use mpi_f_sync_reg_ as pmpi_f_sync_reg_;
