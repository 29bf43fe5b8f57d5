//! The forms that C has of types.
//!
//! | interface | a handle                                                                        |
//! |-----------|---------------------------------------------------------------------------------|
//! | MPICH's   | the library's own integer; a file's as a pointer                                |
//! | standard  | a pointer in name: a small number, or the library's own integer, zero-extended  |

use super::types::*;
use std::ffi::{c_char, c_int};

/// A type that C may have in another form.
///
/// Inside, a handle is an `int` of the shape that [`crate::handle`] gives it. C has what its face of the library makes of that. A
/// handle is the one from where an exported function takes it from C to where it goes back: to C's arguments, to places that C
/// gave, to the program's own functions. What is no handle is the same on both sides.
pub trait Foreign: Copy {
    /// The form that C has.
    type C: Copy;
    /// Whether both forms are the same bytes.
    const SAME: bool;
    fn of(foreign: Self::C) -> Self;
    fn foreign(self) -> Self::C;
}

/// A type of which C has the same.
pub trait Plain: Foreign<C = Self> {}

/// The form that C has of a type.
pub type C<T> = <T as Foreign>::C;

/// Types of which C has the same.
macro_rules! plain {
    ($($({$($generic:tt)*})? $name:ty),* $(,)?) => {$(
        $crate::mpi::foreign::same!($({$($generic)*})? $name);
        impl<$($($generic)*)?> $crate::mpi::foreign::Plain for $name {}
    )*};
}

macro_rules! same {
    ($({$($generic:tt)*})? $name:ty) => {
        impl<$($($generic)*)?> $crate::mpi::foreign::Foreign for $name {
            type C = $name;
            const SAME: bool = true;

            #[inline(always)]
            fn of(foreign: $name) -> $name {
                foreign
            }

            #[inline(always)]
            fn foreign(self) -> $name {
                self
            }
        }
    };
}

/// The form that C has of a handle.
#[cfg(not(any(feature = "openmpi", feature = "standard")))]
macro_rules! form {
    ($name:ident) => {
        $crate::mpi::foreign::same!($name);
    };
}

#[cfg(feature = "standard")]
macro_rules! form {
    ($name:ident) => {
        impl $crate::mpi::foreign::Foreign for $name {
            type C = *mut ::std::ffi::c_void;
            const SAME: bool = false;

            #[inline(always)]
            fn of(foreign: Self::C) -> $name {
                $name($crate::mpi::foreign::numbers::handle_of(foreign.addr()))
            }

            #[inline]
            fn foreign(self) -> Self::C {
                use $crate::mpi::constants::Objects;
                ::std::ptr::without_provenance_mut($crate::mpi::foreign::numbers::number_of(
                    $name::OBJECTS,
                    self.0,
                ))
            }
        }
    };
}

#[cfg(feature = "openmpi")]
macro_rules! form {
    ($name:ident) => {
        impl $crate::mpi::foreign::Foreign for $name {
            type C = *mut ::std::ffi::c_void;
            const SAME: bool = false;

            #[inline(always)]
            fn of(foreign: Self::C) -> $name {
                $name($crate::mpi::foreign::places::handle_of(foreign))
            }

            #[inline]
            fn foreign(self) -> Self::C {
                use $crate::mpi::constants::Objects;
                $crate::mpi::foreign::places::place_of($name::OBJECTS, self.0)
            }
        }
    };
}

/// The handles of Open MPI's interface: pointers. Predefined objects are variables that programs refer to by name, and may have
/// copies of; each begins with the library's own handle. All other handles are marked numbers: nothing lies there, and no program
/// looks.
#[cfg(feature = "openmpi")]
pub mod places {
    use super::super::constants::{NOBODY, Object, objects_of_all_kinds, other_places};
    use std::ffi::{c_int, c_void};
    use std::ptr::{from_ref, without_provenance_mut};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// In the upper half of a number that is no address.
    const MARK: usize = 0x524d_5348;
    /// The addresses of predefined objects that C gave before, each where [`at`] says. An object has 256 bytes at least, and all of
    /// them together have less than 128 KiB: those that lie in one piece of memory have a place each, and only if a program has
    /// copies may two of them have to share one.
    static SEEN: [AtomicUsize; 512] = {
        let mut seen = [const { AtomicUsize::new(0) }; 512];
        // Zero belongs here: it must not be found.
        seen[at(0)] = AtomicUsize::new(usize::MAX);
        seen
    };

    const fn at(address: usize) -> usize {
        address / 256 % 512
    }

    /// The predefined objects' addresses lie between two of the library's own variables, and, where the program has copies, between
    /// two of its.
    fn places() -> &'static [usize] {
        static PLACES: OnceLock<Box<[usize]>> = OnceLock::new();
        PLACES.get_or_init(|| {
            let all = objects_of_all_kinds();
            let objects = all.iter().flat_map(|objects| objects.iter());
            let places = objects.filter_map(|object| object.place.map(from_ref));
            let places = places.chain(other_places());
            let mut places: Vec<usize> = places.map(|place| place.addr()).collect();
            places.sort_unstable();
            places.into()
        })
    }

    /// The handle of a pointer that C gave.
    #[inline(always)]
    pub fn handle_of(pointer: *mut c_void) -> c_int {
        let address = pointer.addr();
        if address >> u32::BITS == MARK {
            return address as u32 as c_int;
        }
        if SEEN[at(address)].load(Relaxed) != address && !is_named(address) {
            return NOBODY;
        }
        // SAFETY: it is the address of a predefined object, which begins with its handle.
        unsafe { pointer.cast::<c_int>().read() }
    }

    /// Whether it is the address of a predefined object, which is then taken note of.
    #[cold]
    #[inline(never)]
    fn is_named(address: usize) -> bool {
        let known = places().binary_search(&address).is_ok();
        if known {
            SEEN[at(address)].store(address, Relaxed);
        }
        known
    }

    /// The pointer that C gets for a handle, which may be that of one of its kind's predefined `objects`.
    pub(crate) fn place_of(objects: &[Object], handle: c_int) -> *mut c_void {
        let known = objects.iter().find(|object| object.handle == handle);
        match known.and_then(|object| object.place) {
            Some(place) => from_ref(place).cast_mut().cast(),
            None => without_provenance_mut(MARK << u32::BITS | handle as u32 as usize),
        }
    }
}

/// The handles of the standard's interface (MPI 5.0 §20.3): pointers in name. Predefined objects are small numbers, all others the
/// library's own handles, zero-extended.
#[cfg(feature = "standard")]
pub mod numbers {
    use super::super::constants::{Object, objects_of_all_kinds};
    use std::ffi::c_int;
    use std::ops::RangeInclusive;

    /// The numbers of predefined objects are less.
    const NUMBERS: usize = 0x300;
    /// Those of `crate::p2p::request`.
    const COMPLETE: RangeInclusive<usize> = 0x6c00_0001..=0x6c00_0003;

    /// What no object of any kind has.
    const NOBODY: c_int = 1;

    static HANDLES: [c_int; NUMBERS] = {
        let mut handles = [NOBODY; NUMBERS];
        let kinds = objects_of_all_kinds();
        let mut kind = 0;
        while kind < kinds.len() {
            let mut i = 0;
            while i < kinds[kind].len() {
                let object = &kinds[kind][i];
                if object.standard >= 0 {
                    handles[object.standard as usize] = object.handle;
                }
                i += 1;
            }
            kind += 1;
        }
        handles
    };

    /// The handle of a number that C gave.
    #[inline(always)]
    pub fn handle_of(number: usize) -> c_int {
        match HANDLES.get(number) {
            Some(&handle) => handle,
            // The handles of MPICH's predefined objects are none here. All others have the highest bit (`crate::handle`), but for
            // requests that were complete from the start.
            None if number >> (u32::BITS - 1) == 1 => number as u32 as c_int,
            None if COMPLETE.contains(&number) => number as u32 as c_int,
            None => NOBODY,
        }
    }

    /// The number that C gets of a handle, which may be that of one of its kind's predefined `objects`.
    pub(crate) fn number_of(objects: &[Object], handle: c_int) -> usize {
        let known = objects.iter().find(|object| object.handle == handle);
        match known {
            Some(object) if object.standard >= 0 => object.standard as usize,
            _ => handle as u32 as usize,
        }
    }
}

pub(crate) use {form, plain, same};

plain! {
    {T} *const T, {T} *mut T, {F: Copy} Option<F>, {const N: usize} [c_int; N],
    c_int, u32, i64, u64, isize, usize, f64, c_char, MPI_Status, MPI_F08_status, MPIX_Iov, MPI_T_cb_safety, MPI_T_source_order,
}
