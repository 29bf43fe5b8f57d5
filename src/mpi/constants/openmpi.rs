//! Objects of Open MPI's that have no constant of their own: other names of predefined objects, and what stands for none.

#![cfg(feature = "openmpi")]

use super::{Named, Place, integers};
use std::ffi::c_int;

/// What no object of any kind has.
pub(crate) const NOBODY: c_int = 1;

const DATATYPE: usize = integers("MPI_Datatype");

#[unsafe(no_mangle)]
pub static ompi_mpi_c_complex: Named<DATATYPE> = Named::new(super::MPI_C_FLOAT_COMPLEX.0);
/// Fortran's, of extended precision.
#[unsafe(no_mangle)]
pub static ompi_mpi_ldblcplex: Named<DATATYPE> = Named::new(super::MPI_C_LONG_DOUBLE_COMPLEX.0);
#[unsafe(no_mangle)]
pub static ompi_mpi_c_short_float_complex: Named<DATATYPE> = Named::new(super::MPI_COMPLEX4.0);
#[unsafe(no_mangle)]
pub static ompi_mpi_cxx_sfltcplex: Named<DATATYPE> = Named::new(super::MPI_COMPLEX4.0);
/// In place of what a machine does not have: no datatype.
#[unsafe(no_mangle)]
pub static ompi_mpi_unavailable: Named<DATATYPE> = Named::new(NOBODY);

/// Where they are.
pub(crate) fn other_places() -> [*const Place; 5] {
    [
        (&raw const ompi_mpi_c_complex).cast(),
        (&raw const ompi_mpi_ldblcplex).cast(),
        (&raw const ompi_mpi_c_short_float_complex).cast(),
        (&raw const ompi_mpi_cxx_sfltcplex).cast(),
        (&raw const ompi_mpi_unavailable).cast(),
    ]
}
