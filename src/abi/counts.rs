//! The integer types that differ between a function and its large count form (MPI 4.1 §2.5.8, §19.2): `MPI_X` takes the
//! [`small`] ones, `MPI_X_c` the [`large`] ones. `#[apply(mpi_counts)]` makes both of one function.

/// The types of `MPI_X`.
pub mod small {
    use crate::abi::types::MPI_Aint;
    use std::ffi::c_int;

    /// A number of elements, bytes or blocks.
    pub type Count = c_int;
    /// A displacement, or the displacement unit of a window.
    pub type Displ = c_int;
    /// A distance in bytes.
    pub type Extent = MPI_Aint;
}

/// The types of `MPI_X_c`.
pub mod large {
    use crate::abi::types::{MPI_Aint, MPI_Count};

    /// A number of elements, bytes or blocks.
    pub type Count = MPI_Count;
    /// A displacement, or the displacement unit of a window.
    pub type Displ = MPI_Aint;
    /// A distance in bytes.
    pub type Extent = MPI_Count;
}
