//! The constants of MPI 4.1, typed. Each row of `values! { … }` and `addresses! { … }` has the values of the three interfaces that this library can have:
//! MPICH's, Open MPI's and the standard's own (MPI 5.0 §20). `NONE` is where an interface has no such name; the constant then has a
//! value that no program gives. The headers are made from the rows, and tests compare them with those of others.
//!
//! Handles of `objects! { … }` have one value, which is MPICH's and the library's own everywhere. What C has instead is in the other
//! columns, the symbol of Open MPI's object and the standard's number; the one becomes the other at the border
//! ([`Foreign`](crate::mpi::types::Foreign)).

/// No value.
const NONE: i64 = i64::MIN;

/// A handle of the library's own, for which MPICH's interface has no name.
const fn own(handle: i64) -> i64 {
    handle
}

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

/// A predefined object, or none.
#[cfg(any(feature = "openmpi", feature = "standard"))]
pub(crate) struct Object {
    /// The library's own handle.
    pub handle: i32,
    /// The standard's number.
    #[cfg(feature = "standard")]
    pub standard: i64,
    /// Where Open MPI's object is: the program's copy of it, if it has one.
    #[cfg(feature = "openmpi")]
    pub place: Option<&'static Place>,
}

/// What the address of an object of Open MPI's leads to, whatever it is an object of: the library's own handle.
#[cfg(feature = "openmpi")]
pub(crate) type Place = std::ffi::c_int;

/// An object of Open MPI's, as large as there: programs that are not position-independent, and others too, have copies of it. All
/// that is in it is the library's own handle, which is copied along.
#[cfg(feature = "openmpi")]
#[repr(C, align(32))]
pub struct Named<const INTEGERS: usize>([i32; INTEGERS]);

#[cfg(feature = "openmpi")]
impl<const INTEGERS: usize> Named<INTEGERS> {
    pub const fn new(handle: i32) -> Named<INTEGERS> {
        let mut integers = [0; INTEGERS];
        integers[0] = handle;
        Named(integers)
    }
}

/// The size in integers of Open MPI's objects of a kind, the same in all its versions.
#[cfg(feature = "openmpi")]
pub(crate) const fn integers(kind: &str) -> usize {
    let bytes = match kind.as_bytes() {
        b"MPI_Comm" | b"MPI_Win" | b"MPI_Datatype" | b"MPI_Session" => 512,
        b"MPI_Group" | b"MPI_Info" | b"MPI_Request" | b"MPI_Message" => 256,
        b"MPI_Errhandler" => 1024,
        b"MPI_File" => 1536,
        b"MPI_Op" => 2048,
        _ => panic!("no kind of objects"),
    };
    bytes / 4
}

#[cfg(feature = "openmpi")]
macro_rules! named {
    ($kind:ident NONE $handle:expr) => {};
    // Open MPI's own library for C++ writes to it, and here nobody reads that.
    ($kind:ident ompi_mpi_errors_throw_exceptions $handle:expr) => {
        named! { @in [unsafe(link_section = ".data")] $kind ompi_mpi_errors_throw_exceptions $handle }
    };
    ($kind:ident $symbol:ident $handle:expr) => {
        named! { @in [] $kind $symbol $handle }
    };
    (@in [$($where:meta)?] $kind:ident $symbol:ident $handle:expr) => {
        $(#[$where])?
        #[allow(non_upper_case_globals)]
        #[unsafe(no_mangle)]
        pub static $symbol: $crate::mpi::constants::Named<
            { $crate::mpi::constants::integers(stringify!($kind)) },
        > = $crate::mpi::constants::Named::new($handle as u32 as i32);
    };
}

#[cfg(feature = "openmpi")]
macro_rules! place {
    (NONE) => {
        None
    };
    ($symbol:ident) => {
        // SAFETY: the object begins with the handle.
        Some(unsafe { &*(&raw const $symbol).cast() })
    };
}

/// A kind of handle, with its predefined objects.
#[cfg(any(feature = "openmpi", feature = "standard"))]
pub(crate) trait Objects {
    const OBJECTS: &'static [Object];
}

/// The predefined objects of all kinds.
#[cfg(any(feature = "openmpi", feature = "standard"))]
pub(crate) const fn objects_of_all_kinds() -> [&'static [Object]; 11] {
    use super::types::*;
    [
        MPI_Comm::OBJECTS,
        MPI_Group::OBJECTS,
        MPI_Win::OBJECTS,
        MPI_Datatype::OBJECTS,
        MPI_Op::OBJECTS,
        MPI_Info::OBJECTS,
        MPI_Request::OBJECTS,
        MPI_Errhandler::OBJECTS,
        MPI_Message::OBJECTS,
        MPI_Session::OBJECTS,
        MPI_File::OBJECTS,
    ]
}

macro_rules! objects {
    ($kind:ident: $(
        $(#[$doc:meta])*
        $name:ident = $handle:expr, $openmpi:ident, $standard:expr;
    )*) => {
        $(
            $(#[$doc])*
            pub const $name: $kind = $kind($handle as u32 as c_int);
        )*

        $(
            #[cfg(feature = "openmpi")]
            named! { $kind $openmpi $handle }
        )*

        #[cfg(any(feature = "openmpi", feature = "standard"))]
        impl $crate::mpi::constants::Objects for $kind {
            const OBJECTS: &'static [$crate::mpi::constants::Object] = &[$(
                $crate::mpi::constants::Object {
                    handle: $handle as u32 as c_int,
                    #[cfg(feature = "standard")]
                    standard: $standard,
                    #[cfg(feature = "openmpi")]
                    place: place!($openmpi),
                },
            )*];
        }
    };
}

macro_rules! addresses {
    ($(
        $(#[$doc:meta])*
        $name:ident: *mut $to:ty = $mpich:expr, $openmpi:expr, $standard:expr;
    )*) => {$(
        $(#[$doc])*
        pub const $name: *mut $to = without_provenance_mut(
            $crate::mpi::constants::value($mpich, $openmpi, $standard) as isize as usize,
        );
    )*};
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
#[cfg(feature = "openmpi")]
pub(crate) mod fortran;
mod objects;
#[cfg(feature = "openmpi")]
mod openmpi;
mod rma;
mod tools;

pub use addresses::*;
pub use communication::*;
pub use datatypes::*;
pub use errors::*;
pub use objects::*;
#[cfg(feature = "openmpi")]
pub use openmpi::*;
pub use rma::*;
pub use tools::*;
