//! Raw arguments become references, slices and numbers here, or errors that name the argument and its value.
//!
//! The functions that take pointers are unsafe for one reason: a pointer that is neither null nor misaligned must point
//! to what the MPI function's description asks for, and stay so during the call. `'a` is the call.

use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, err};
use std::ffi::{CStr, c_char, c_int};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Where a result goes. What was there before is never read.
pub struct Out<'a, T> {
    place: NonNull<T>,
    call: PhantomData<&'a mut T>,
}

impl<T> Out<'_, T> {
    pub fn set(&self, value: T) {
        // SAFETY: `out` was promised memory for a `T`, not null and aligned, for as long as `'a`.
        unsafe { self.place.write(value) }
    }
}

impl Out<'_, MPI_Status> {
    /// Writes all fields but `MPI_ERROR`, which keeps what it has.
    pub fn set_but_error(&self, status: &MPI_Status) {
        let place = self.place.as_ptr();
        // SAFETY: as in `set`.
        unsafe {
            (&raw mut (*place).count_lo).write(status.count_lo);
            (&raw mut (*place).count_hi_and_cancelled).write(status.count_hi_and_cancelled);
            (&raw mut (*place).MPI_SOURCE).write(status.MPI_SOURCE);
            (&raw mut (*place).MPI_TAG).write(status.MPI_TAG);
        }
    }
}

/// `pointer`, if it can point to a `T`.
fn check<T>(pointer: *mut T, name: &str) -> Result<NonNull<T>> {
    let Some(place) = NonNull::new(pointer) else {
        bail!(Arg, "{name} is a null pointer");
    };
    if !place.is_aligned() {
        bail!(
            Arg,
            "{name} is {pointer:p}, which is not aligned to {} bytes",
            align_of::<T>()
        );
    }
    Ok(place)
}

/// An output argument. Errors: `MPI_ERR_ARG` for a null or misaligned pointer.
///
/// # Safety
/// See the module.
pub unsafe fn out<'a, T>(pointer: *mut T, name: &str) -> Result<Out<'a, T>> {
    Ok(Out {
        place: check(pointer, name)?,
        call: PhantomData,
    })
}

/// An output argument that the caller may leave out with a null pointer.
///
/// # Safety
/// See the module.
pub unsafe fn out_or_null<'a, T>(pointer: *mut T, name: &str) -> Result<Option<Out<'a, T>>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the same promise.
    unsafe { out(pointer, name) }.map(Some)
}

/// An argument that is read and changed, such as a handle that is freed. Errors: `MPI_ERR_ARG` for a null or
/// misaligned pointer.
///
/// # Safety
/// See the module.
pub unsafe fn inout<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T> {
    let mut place = check(pointer, name)?;
    // SAFETY: not null, aligned, and the caller of the MPI function promised an initialised `T` that only it uses.
    Ok(unsafe { place.as_mut() })
}

/// An argument that is read. Errors: `MPI_ERR_ARG` for a null or misaligned pointer.
///
/// # Safety
/// See the module.
pub unsafe fn input<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    let place = check(pointer.cast_mut(), name)?;
    // SAFETY: not null, aligned, and the caller of the MPI function promised an initialised `T` that nobody changes.
    Ok(unsafe { place.as_ref() })
}

/// An array that is read. It may be null if `len` is 0. Errors: `MPI_ERR_ARG` for a null or misaligned pointer or an
/// array larger than the address space.
///
/// # Safety
/// See the module; the array has `len` elements.
pub unsafe fn slice<'a, T>(pointer: *const T, len: usize, name: &str) -> Result<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    let place = check_array(pointer.cast_mut(), len, name)?;
    // SAFETY: not null, aligned, not larger than `isize::MAX`, and the caller promised `len` elements.
    Ok(unsafe { std::slice::from_raw_parts(place.as_ptr(), len) })
}

/// An array that is changed. It may be null if `len` is 0. Errors as [`slice()`].
///
/// # Safety
/// See the module; the array has `len` initialised elements.
pub unsafe fn slice_mut<'a, T>(pointer: *mut T, len: usize, name: &str) -> Result<&'a mut [T]> {
    if len == 0 {
        return Ok(&mut []);
    }
    let place = check_array(pointer, len, name)?;
    // SAFETY: not null, aligned, not larger than `isize::MAX`, and the caller promised `len` elements for itself alone.
    Ok(unsafe { std::slice::from_raw_parts_mut(place.as_ptr(), len) })
}

fn check_array<T>(pointer: *mut T, len: usize, name: &str) -> Result<NonNull<T>> {
    if len.saturating_mul(size_of::<T>()) > isize::MAX as usize {
        bail!(Arg, "{name} has {len} elements, more than fit in memory");
    }
    check(pointer, name)
}

/// A string that is read. Errors: `MPI_ERR_ARG` for a null pointer.
///
/// # Safety
/// See the module; the string ends with a zero.
pub unsafe fn string<'a>(pointer: *const c_char, name: &str) -> Result<&'a CStr> {
    let place = check(pointer.cast_mut(), name)?;
    // SAFETY: not null, and the caller of the MPI function promised a string that ends with a zero.
    Ok(unsafe { CStr::from_ptr(place.as_ptr()) })
}

/// The first bytes of `text`, at most `longest`. UTF-8 is cut at a character's border.
fn cut(text: &[u8], longest: usize) -> &[u8] {
    let mut length = text.len().min(longest);
    if let Ok(text) = std::str::from_utf8(text) {
        while !text.is_char_boundary(length) {
            length -= 1;
        }
    }
    &text[..length]
}

/// Writes `text` and a zero into an array of `capacity` bytes, cut as [`cut`] does. Programs' own texts come back byte by byte,
/// in whatever encoding they were given. Returns the length without the zero. Errors: `MPI_ERR_ARG` for a null pointer.
///
/// # Safety
/// See the module; the array has `capacity` bytes, and at least one.
pub unsafe fn put_string(
    pointer: *mut c_char,
    capacity: c_int,
    text: impl AsRef<[u8]>,
    name: &str,
) -> Result<c_int> {
    let place = check(pointer, name)?.cast::<u8>();
    let text = cut(text.as_ref(), (capacity as usize).saturating_sub(1));
    // SAFETY: the text and a zero are at most `capacity`; a text of ours is not in the caller's array.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), place.as_ptr(), text.len());
        place.add(text.len()).write(0);
    }
    Ok(text.len() as c_int)
}

/// A status, unless it is `MPI_STATUS_IGNORE`. Errors: `MPI_ERR_ARG` for a null or misaligned pointer.
///
/// # Safety
/// See the module.
pub unsafe fn status<'a>(pointer: *mut MPI_Status) -> Result<Option<Out<'a, MPI_Status>>> {
    if pointer == MPI_STATUS_IGNORE {
        return Ok(None);
    }
    // SAFETY: the same promise.
    unsafe { out(pointer, "status") }.map(Some)
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
    use std::ptr::{null, null_mut};

    fn class<T>(result: Result<T>) -> Option<Class> {
        result.err().map(|error| error.class)
    }

    #[test]
    fn null_and_misaligned_pointers_are_errors() {
        let mut words = [0u32; 2];
        // SAFETY: null is refused; the other pointers are to `words`.
        unsafe {
            assert_eq!(class(out::<c_int>(null_mut(), "flag")), Some(Class::Arg));
            let askew = words.as_mut_ptr().wrapping_byte_add(1);
            assert_eq!(class(inout(askew, "flag")), Some(Class::Arg));
            assert_eq!(class(string(null(), "key")), Some(Class::Arg));
            assert_eq!(class(slice::<c_int>(null(), 1, "ranks")), Some(Class::Arg));
            assert!(slice::<c_int>(null(), 0, "ranks").unwrap().is_empty());
            let huge = slice(words.as_ptr(), usize::MAX / 2, "ranks");
            assert_eq!(class(huge), Some(Class::Arg));
            assert!(status(MPI_STATUS_IGNORE).unwrap().is_none());
            assert_eq!(class(status(null_mut())), Some(Class::Arg));
            out(words.as_mut_ptr(), "flag").unwrap().set(7);
        }
        assert_eq!(words[0], 7);
    }

    #[test]
    fn a_string_is_cut_to_its_array() {
        let mut array = [b'x'; 6];
        // SAFETY: the array has six bytes.
        let length = unsafe { put_string(array.as_mut_ptr().cast(), 4, "aéé", "name") };
        assert_eq!(length.unwrap(), 3);
        assert_eq!(&array, b"a\xc3\xa9\0xx");
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
