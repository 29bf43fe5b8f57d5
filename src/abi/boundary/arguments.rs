//! Arguments become numbers and functions here, or errors that name the argument and its value; pointers do so in
//! [`pointers`](super::pointers).

use crate::error::{Error, Result};
use crate::mpi::types::*;
use crate::{bail, err};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Where a result goes, in the form that C has. What was there before is never read.
pub struct Out<'a, T: Foreign> {
    place: NonNull<C<T>>,
    call: PhantomData<&'a mut C<T>>,
}

impl<T: Foreign> Out<'_, T> {
    /// # Safety
    /// `place` is memory for a `T` of C's that the call has to itself.
    pub unsafe fn new(place: NonNull<C<T>>) -> Self {
        Out {
            place,
            call: PhantomData,
        }
    }

    pub fn set(&self, value: T) {
        // SAFETY: `new` was promised memory for a `T` of C's.
        unsafe { self.place.write(value.foreign()) }
    }
}

impl Out<'_, MPI_Status> {
    /// Writes all fields but `MPI_ERROR`, which keeps what it has.
    pub fn set_but_error(&self, status: &MPI_Status) {
        // SAFETY: as in `set`.
        unsafe { status.write_but_error(self.place.as_ptr()) }
    }
}

/// `pointer`, if it can point to a `T`.
#[inline(always)]
pub fn check<T>(pointer: *mut T, name: &str) -> Result<NonNull<T>> {
    match NonNull::new(pointer) {
        Some(place) if place.is_aligned() => Ok(place),
        _ => Err(no_place(pointer as usize, align_of::<T>(), name)),
    }
}

#[cold]
#[inline(never)]
fn no_place(address: usize, alignment: usize, name: &str) -> Error {
    match address {
        0 => err!(Arg, "{name} is a null pointer"),
        _ => err!(
            Arg,
            "{name} is {address:#x}, which is not aligned to {alignment} bytes"
        ),
    }
}

/// The first bytes of `text`, at most `longest`. UTF-8 is cut at a character's border.
pub fn cut(text: &[u8], longest: usize) -> &[u8] {
    let mut length = text.len().min(longest);
    if let Ok(text) = std::str::from_utf8(text) {
        while !text.is_char_boundary(length) {
            length -= 1;
        }
    }
    &text[..length]
}

/// A function of the user's. Errors: `MPI_ERR_ARG` for a null pointer.
pub fn callback<F>(function: Option<F>, name: &str) -> Result<F> {
    function.ok_or_else(|| err!(Arg, "{name} is a null function"))
}

/// A number of elements. Errors: `MPI_ERR_COUNT` if it is negative.
#[inline]
pub fn count(value: impl Into<i64>, name: &str) -> Result<usize> {
    let value = value.into();
    match usize::try_from(value) {
        Ok(count) => Ok(count),
        Err(_) => bail!(Count, "{name} is {value}, and must not be negative"),
    }
}

/// A number of things other than elements of a message: windows, keys, entries of an array. Errors: `MPI_ERR_ARG` if it
/// is negative.
#[inline]
pub fn number(value: impl Into<i64>, name: &str) -> Result<usize> {
    let value = value.into();
    match usize::try_from(value) {
        Ok(count) => Ok(count),
        Err(_) => bail!(Arg, "{name} is {value}, and must not be negative"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Class;

    fn class<T>(result: Result<T>) -> Option<Class> {
        result.err().map(|error| error.class)
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("aéé".as_bytes(), 3), "aé".as_bytes());
        assert_eq!(cut("aéé".as_bytes(), 4), "aé".as_bytes());
        // What is not UTF-8 has no characters to be kept whole.
        assert_eq!(cut(b"a\xc3\xa9\xe9", 2), b"a\xc3");
        assert_eq!(cut(b"\xe9", 2), b"\xe9");
    }

    #[test]
    fn negative_counts_are_errors() {
        assert_eq!(count(7, "count").unwrap(), 7);
        let error = count(-1, "count").unwrap_err();
        assert_eq!(error.class, Class::Count);
        assert_eq!(&*error.text, "count is -1, and must not be negative");
        assert_eq!(class(number(-1i64, "n")), Some(Class::Arg));
    }
}
