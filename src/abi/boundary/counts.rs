//! The integer types that differ between a function and its large count form (MPI 4.1 §2.5.8, §19.2): `MPI_X` takes the
//! [`small`] ones, `MPI_X_c` the [`large`] ones. `#[apply(mpi_counts)]` makes both of one function.

use crate::mpi::constants::MPI_UNDEFINED;
use crate::mpi::types::{MPI_Aint, MPI_Count, Plain};
use std::ffi::c_int;

/// An integer type of a count, a displacement or an extent: `int`, `MPI_Aint` or `MPI_Count`.
pub trait Number: Plain + TryFrom<usize> + TryFrom<isize> + PartialEq {
    fn wide(self) -> i64;

    /// `n`, or `MPI_UNDEFINED` if there is none or it does not fit.
    fn or_undefined(n: Option<impl TryInto<Self>>) -> Self;
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Number for $type {
            #[inline]
            fn wide(self) -> i64 {
                self as i64
            }

            fn or_undefined(n: Option<impl TryInto<Self>>) -> Self {
                n.and_then(|n| n.try_into().ok())
                    .unwrap_or(MPI_UNDEFINED as Self)
            }
        }
    )*};
}
numbers!(c_int MPI_Aint MPI_Count);

/// Becomes what the large count form has in its place: most arguments are the same there.
pub trait Widen<Wide> {
    fn widen(self) -> Wide;
}

impl<T> Widen<T> for T {
    #[inline(always)]
    fn widen(self) -> T {
        self
    }
}

macro_rules! widened {
    ($($small:ty => $large:ty),*) => {$(
        impl Widen<$large> for $small {
            #[inline(always)]
            fn widen(self) -> $large {
                self as $large
            }
        }
    )*};
}
widened!(c_int => MPI_Count, c_int => MPI_Aint, MPI_Aint => MPI_Count);

/// The types of `MPI_X`.
pub mod small {
    use crate::mpi::types::MPI_Aint;
    use std::ffi::c_int;

    /// A number of elements, bytes or blocks.
    pub type Count = c_int;
    /// A displacement, or the displacement unit of a window.
    pub type Displ = c_int;
    /// A distance in bytes.
    pub type Extent = MPI_Aint;
    /// Whether this is the large count form.
    pub const LARGE: bool = false;
}

/// The types of `MPI_X_c`.
pub mod large {
    use crate::mpi::types::{MPI_Aint, MPI_Count};

    /// A number of elements, bytes or blocks.
    pub type Count = MPI_Count;
    /// A displacement, or the displacement unit of a window.
    pub type Displ = MPI_Aint;
    /// A distance in bytes.
    pub type Extent = MPI_Count;
    /// Whether this is the large count form.
    pub const LARGE: bool = true;
}

/// The types of what both forms do.
pub mod wide {
    pub use super::large::{Count, Displ};
}
