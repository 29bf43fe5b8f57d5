//! The constants of MPI 4.1, typed. Each row of `values! { … }` has the values of the three interfaces that this library can have:
//! MPICH's, Open MPI's and the standard's own (MPI 5.0 §20). `NONE` is where an interface has no such name; the constant then has a
//! value that no program gives. The headers are made from the rows, and tests compare them with those of others.
//!
//! Handles have one value, which is MPICH's: it is the library's own everywhere, and what C has instead is made of it at the border
//! ([`Foreign`](crate::mpi::types::Foreign)).

/// No value.
const NONE: i64 = i64::MIN;

/// The value in the interface that is compiled.
const fn value(mpich: i64, openmpi: i64, standard: i64) -> i64 {
    let own = if cfg!(feature = "openmpi") {
        openmpi
    } else if cfg!(feature = "standard") {
        standard
    } else {
        mpich
    };
    if own == NONE {
        return 0x6000_0000 | mpich & 0x00ff_ffff;
    }
    own
}

macro_rules! values {
    ($(
        $(#[$doc:meta])*
        $name:ident: $kind:ident = $mpich:expr, $openmpi:expr, $standard:expr;
    )*) => {$(
        $(#[$doc])*
        pub const $name: $kind = values!(@of $kind $crate::mpi::constants::value($mpich, $openmpi, $standard));
    )*};
    (@of c_int $value:expr) => { $value as c_int };
    (@of MPI_Offset $value:expr) => { $value };
    (@of $enumeration:ident $value:expr) => { $enumeration($value as c_int) };
}

mod addresses;
mod communication;
mod datatypes;
mod errors;
mod objects;
mod rma;
mod tools;

pub use addresses::*;
pub use communication::*;
pub use datatypes::*;
pub use errors::*;
pub use objects::*;
pub use rma::*;
pub use tools::*;
