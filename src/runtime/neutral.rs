//! What ranks may tell each other: values that are the same in all C interfaces of the library, since ranks of different ones can
//! be in one job.
//!
//! Each interface has its own numbers for the constants of MPI, and its own size for `MPI_Status`. Constants are `c_int`s, so a
//! `c_int` is not neutral, and does not go into an exchange: a constant becomes an enumeration or a flag first, and a number of the
//! program's own an `i64`. Handles stay where they are: that they are the library's own numbers helps nobody else.

/// A value whose bytes are the same in all interfaces.
///
/// # Safety
/// All of its parts are neutral, and it is laid out by rules that do not depend on the interface.
pub unsafe trait Neutral: Copy {}

macro_rules! are_neutral {
    ($($kind:ty),*) => {$(
        // SAFETY: no constant of C has this type.
        unsafe impl Neutral for $kind {}
    )*};
}

are_neutral!((), bool, u32, u64, usize, i64);

// SAFETY: so are its parts; all interfaces are built by one compiler.
unsafe impl<T: Neutral> Neutral for Option<T> {}
// SAFETY: as above.
unsafe impl<T: Neutral, const N: usize> Neutral for [T; N] {}
// SAFETY: as above.
unsafe impl<A: Neutral, B: Neutral> Neutral for (A, B) {}
// SAFETY: as above.
unsafe impl<A: Neutral, B: Neutral, C: Neutral> Neutral for (A, B, C) {}

/// Makes a struct [`Neutral`] whose fields all are, or an enumeration that has no fields.
#[macro_export]
macro_rules! neutral {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident { $($(#[$about:meta])* $access:vis $field:ident: $kind:ty),* $(,)? }
    ) => {
        $(#[$meta])*
        #[repr(C)]
        $vis struct $name { $($(#[$about])* $access $field: $kind),* }

        // SAFETY: all fields are neutral, and lie as C says.
        unsafe impl $crate::runtime::neutral::Neutral for $name where $($kind: $crate::runtime::neutral::Neutral),* {}
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$about:meta])* $variant:ident),* $(,)? }
    ) => {
        $(#[$meta])*
        #[repr(u32)]
        $vis enum $name { $($(#[$about])* $variant),* }

        // SAFETY: it is a number of its own.
        unsafe impl $crate::runtime::neutral::Neutral for $name {}
    };
}
