//! Pointer arguments: what an exported function is given where C says `const T *` and `T *`.
//!
//! The caller of an MPI function makes one promise: a pointer that is neither null nor one of MPI's own constants points to
//! what the function's description in the standard asks for, and stays so during the call, `'a`. These types are how
//! the promise travels: only C makes them (a value of one comes in as an argument, or by an unsafe function), so their
//! methods are safe, and so are the bodies of the exported functions. What a method is told of the argument — what lies
//! there ([`In::cast`]), how many of them ([`In::slice`]) — is the standard's description, and has to be read beside it.
//!
//! Methods take the name of the argument, for the sentence of an error: `MPI_ERR_ARG` for a null or misaligned pointer.

use crate::abi::boundary::arguments::{Out, check, cut};
use crate::bail;
use crate::datatype::{can_be_memory, find_committed};
use crate::error::Result;
use crate::mpi::constants::MPI_STATUS_IGNORE;
use crate::mpi::types::{C, Foreign, MPI_Datatype, MPI_Status, Plain, plain};
use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// `const T *`, of the form that C has.
#[repr(transparent)]
pub struct In<'a, T>(*const T, PhantomData<&'a T>);

/// `T *`, of the form that C has.
#[repr(transparent)]
pub struct Mut<'a, T>(*mut T, PhantomData<&'a mut T>);

impl<T> Copy for In<'_, T> {}
impl<T> Clone for In<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Mut<'_, T> {}
impl<T> Clone for Mut<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, T> From<Mut<'a, T>> for In<'a, T> {
    fn from(argument: Mut<'a, T>) -> In<'a, T> {
        In(argument.0, PhantomData)
    }
}

impl<'a, T> In<'a, T> {
    /// # Safety
    /// `pointer` is as an argument of C's would be (see the module), for as long as `'a`.
    #[cfg(test)]
    pub unsafe fn new(pointer: *const T) -> In<'a, T> {
        In(pointer, PhantomData)
    }

    #[inline]
    pub fn pointer(self) -> *const T {
        self.0
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The same address, where the standard says that a `U` lies.
    pub fn cast<U>(self) -> In<'a, U> {
        In(self.0.cast(), PhantomData)
    }
}

impl<'a, T: Plain> In<'a, T> {
    /// What is there, to be read.
    pub fn input(self, name: &str) -> Result<&'a T> {
        let place = check(self.0.cast_mut(), name)?;
        // SAFETY: not null, aligned, and promised to be an initialised `T` that nobody changes.
        Ok(unsafe { place.as_ref() })
    }

    /// An array of `len` elements. It may be null if `len` is 0. Errors: also an array larger than the address space.
    pub fn slice(self, len: usize, name: &str) -> Result<&'a [T]> {
        array(self.0.cast_mut(), len, name).map(|array| &*array)
    }
}

impl<'a, T: Foreign> In<'a, T> {
    /// An array of handles. As [`In::slice`].
    pub fn handles(self, len: usize, name: &str) -> Result<Cow<'a, [T]>> {
        let foreign: &[C<T>] = array(self.0.cast_mut().cast(), len, name)?;
        Ok(match T::SAME {
            // SAFETY: both forms are the same bytes.
            true => Cow::Borrowed(unsafe { from_raw_parts(foreign.as_ptr().cast(), len) }),
            false => Cow::Owned(foreign.iter().map(|&handle| T::of(handle)).collect()),
        })
    }
}

impl<'a> In<'a, c_char> {
    /// A string that ends with a zero.
    pub fn string(self, name: &str) -> Result<&'a CStr> {
        let place = check(self.0.cast_mut(), name)?;
        // SAFETY: not null, and promised to end with a zero.
        Ok(unsafe { CStr::from_ptr(place.as_ptr()) })
    }
}

impl<'a, T> Mut<'a, T> {
    /// # Safety
    /// As for [`In::new`].
    #[cfg(test)]
    pub unsafe fn new(pointer: *mut T) -> Mut<'a, T> {
        Mut(pointer, PhantomData)
    }

    #[inline]
    pub fn pointer(self) -> *mut T {
        self.0
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The same address, where the standard says that a `U` lies.
    pub fn cast<U>(self) -> Mut<'a, U> {
        Mut(self.0.cast(), PhantomData)
    }
}

impl<'a, T: Foreign> Mut<'a, T> {
    /// A place for a result. What was there before is never read.
    #[inline(always)]
    pub fn out(self, name: &str) -> Result<Out<'a, T>> {
        // SAFETY: what passes the check was promised to be memory for a `T` of C's.
        check(self.0.cast(), name).map(|place| unsafe { Out::new(place) })
    }

    /// The element of this index, where an array lies.
    #[inline(always)]
    pub fn at(self, index: usize) -> Mut<'a, T> {
        let array = self.0.cast::<C<T>>();
        Mut(array.wrapping_add(index).cast(), PhantomData)
    }

    /// A handle that is only read although C does not say `const`.
    pub fn handle(self, name: &str) -> Result<T> {
        let place = check(self.0.cast::<C<T>>(), name)?;
        // SAFETY: not null, aligned, and promised to be an initialised `T` of C's.
        Ok(T::of(unsafe { place.read() }))
    }

    /// Writes `values` into an array that has room for them. It may be null if there are none. Errors: as [`In::slice`].
    pub fn fill(self, values: &[T], name: &str) -> Result<()> {
        let places: &mut [MaybeUninit<C<T>>] = array(self.0.cast(), values.len(), name)?;
        for (place, value) in places.iter_mut().zip(values) {
            place.write(value.foreign());
        }
        Ok(())
    }

    /// What is read and changed, such as a handle that is freed. C has it when this is dropped.
    #[inline(always)]
    pub fn inout(self, name: &str) -> Result<InOut<'a, T>>
    where
        T: PartialEq,
    {
        let mut place = check(self.0.cast::<C<T>>(), name)?;
        // SAFETY: not null, aligned, and promised to be an initialised `T` of C's that this call alone uses.
        let place = unsafe { place.as_mut() };
        Ok(InOut {
            value: T::of(*place),
            place,
        })
    }

    /// An array of handles that is only read although C does not say `const`. As [`In::slice`].
    pub fn handles(self, len: usize, name: &str) -> Result<Cow<'a, [T]>> {
        In::from(self).handles(len, name)
    }

    /// An array of handles that is read and changed. C has them when this is dropped. Errors: as [`In::slice`].
    pub fn handles_mut(self, len: usize, name: &str) -> Result<HandlesMut<'a, T>>
    where
        T: PartialEq,
    {
        let place: &mut [C<T>] = array(self.0.cast(), len, name)?;
        Ok(match T::SAME {
            // SAFETY: both forms are the same bytes.
            true => HandlesMut::Same(unsafe { from_raw_parts_mut(place.as_mut_ptr().cast(), len) }),
            false => HandlesMut::Copied(place.iter().map(|&handle| T::of(handle)).collect(), place),
        })
    }
}

impl<'a, T: Plain> Mut<'a, T> {
    /// An array that is only read although C does not say `const`. As [`In::slice`].
    pub fn slice(self, len: usize, name: &str) -> Result<&'a [T]> {
        In::from(self).slice(len, name)
    }

    /// An array of `len` initialised elements. It may be null if `len` is 0. Errors: as [`In::slice`].
    pub fn slice_mut(self, len: usize, name: &str) -> Result<&'a mut [T]> {
        array(self.0, len, name)
    }
}

/// A value of C's that is read and changed. What has not changed is not written: where both forms differ, one that is no handle
/// would come back as another.
pub struct InOut<'a, T: Foreign + PartialEq> {
    value: T,
    place: &'a mut C<T>,
}

impl<T: Foreign + PartialEq> Deref for InOut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Foreign + PartialEq> DerefMut for InOut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: Foreign + PartialEq> Drop for InOut<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if T::SAME || T::of(*self.place) != self.value {
            *self.place = self.value.foreign();
        }
    }
}

/// Handles of C's that are read and changed. As [`InOut`].
pub enum HandlesMut<'a, T: Foreign + PartialEq> {
    Same(&'a mut [T]),
    Copied(Vec<T>, &'a mut [C<T>]),
}

impl<T: Foreign + PartialEq> Deref for HandlesMut<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            HandlesMut::Same(handles) => handles,
            HandlesMut::Copied(handles, _) => handles,
        }
    }
}

impl<T: Foreign + PartialEq> DerefMut for HandlesMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            HandlesMut::Same(handles) => handles,
            HandlesMut::Copied(handles, _) => handles,
        }
    }
}

impl<T: Foreign + PartialEq> Drop for HandlesMut<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let HandlesMut::Copied(handles, places) = self {
            for (place, handle) in places.iter_mut().zip(handles) {
                if T::of(*place) != *handle {
                    *place = handle.foreign();
                }
            }
        }
    }
}

impl Mut<'_, c_char> {
    /// Writes `text` and a zero into an array of `capacity` bytes (one at least), cut to fit. Programs' own texts come
    /// back byte by byte, in whatever encoding they were given. Returns the length without the zero.
    pub fn put_string(self, capacity: c_int, text: impl AsRef<[u8]>, name: &str) -> Result<c_int> {
        let place = check(self.0, name)?.cast::<u8>();
        let text = cut(text.as_ref(), (capacity as usize).saturating_sub(1));
        // SAFETY: the text and a zero are at most `capacity`, which was promised; no text of ours is in the caller's array.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), place.as_ptr(), text.len());
            place.add(text.len()).write(0);
        }
        Ok(text.len() as c_int)
    }
}

impl<'a> Mut<'a, MPI_Status> {
    /// The place for a status, unless it is `MPI_STATUS_IGNORE`.
    #[inline(always)]
    pub fn status(self) -> Result<Option<Out<'a, MPI_Status>>> {
        match self.0 {
            MPI_STATUS_IGNORE => Ok(None),
            _ => self.out("status").map(Some),
        }
    }
}

/// `len` elements at `pointer`, as C's caller promised. It may be null if there are none.
fn array<'a, T>(pointer: *mut T, len: usize, name: &str) -> Result<&'a mut [T]> {
    if len == 0 {
        return Ok(&mut []);
    }
    if len.saturating_mul(size_of::<T>()) > isize::MAX as usize {
        bail!(Arg, "{name} has {len} elements, more than fit in memory");
    }
    let place = check(pointer, name)?;
    // SAFETY: not null, aligned, not larger than `isize::MAX`, and promised to be `len` initialised elements, to this call alone
    // where they may be changed.
    Ok(unsafe { from_raw_parts_mut(place.as_ptr(), len) })
}

/// So many elements of a datatype, at an address of the program's.
pub type Elements<'a> = (In<'a, c_void>, i64, MPI_Datatype);

/// Where `times` as many elements are, and how many bytes, if that is in order at a glance: they are one run, of at most `most` bytes.
#[inline(always)]
pub fn run(
    (address, n, datatype): Elements<'_>,
    times: usize,
    most: usize,
) -> Option<(usize, usize)> {
    let datatype = find_committed(datatype).filter(|datatype| datatype.is_dense())?;
    let n = usize::try_from(n).ok()?;
    let len = datatype.size().checked_mul(n)?.checked_mul(times)?;
    let address = address.pointer().expose_provenance();
    let is_good = len == 0 || can_be_memory(address, address.saturating_add(len));
    (is_good && len <= most).then_some((address, len))
}

plain! { {'a, T} In<'a, T>, {'a, T} Mut<'a, T> }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Class;
    use std::ptr::{null, null_mut};

    fn class<T>(result: Result<T>) -> Option<Class> {
        result.err().map(|error| error.class)
    }

    /// # Safety
    /// As for [`In::new`].
    unsafe fn given<'a, T>(pointer: *mut T) -> Mut<'a, T> {
        // SAFETY: the caller's promise.
        unsafe { Mut::new(pointer) }
    }

    #[test]
    fn null_and_misaligned_pointers_are_errors() {
        let mut words = [0u32; 2];
        let askew = words.as_mut_ptr().wrapping_byte_add(1);
        // SAFETY: null is refused, and so is what is not aligned.
        let (null, askew) = unsafe { (given::<c_int>(null_mut()), given(askew)) };
        assert_eq!(class(null.out("flag")), Some(Class::Arg));
        assert_eq!(class(null.inout("flag")), Some(Class::Arg));
        assert_eq!(class(askew.inout("flag")), Some(Class::Arg));
        // SAFETY: the pointer is to `words`.
        let good = unsafe { given(words.as_mut_ptr()) };
        good.out("flag").unwrap().set(7);
        assert_eq!(*good.inout("flag").unwrap(), 7);
        assert_eq!(words[0], 7);
    }

    #[test]
    fn arrays_fit_in_memory() {
        let words = [7u32; 2];
        // SAFETY: null is refused; the other pointer is to `words`.
        let (nowhere, words) = unsafe { (In::<c_int>::new(null()), In::new(words.as_ptr())) };
        assert_eq!(class(nowhere.slice(1, "ranks")), Some(Class::Arg));
        assert!(nowhere.slice(0, "ranks").unwrap().is_empty());
        assert_eq!(words.slice(2, "ranks").unwrap(), [7, 7]);
        assert_eq!(
            class(words.slice(usize::MAX / 2, "ranks")),
            Some(Class::Arg)
        );
        assert_eq!(class(nowhere.cast().string("key")), Some(Class::Arg));
    }

    #[test]
    fn a_status_may_be_ignored() {
        // SAFETY: neither of the two is read.
        let (ignored, null) = unsafe { (given(MPI_STATUS_IGNORE), given(null_mut())) };
        assert!(ignored.status().unwrap().is_none());
        assert_eq!(class(null.status()), Some(Class::Arg));
    }

    #[test]
    fn a_string_is_cut_to_its_array() {
        let mut array = [b'x'; 6];
        // SAFETY: the array has six bytes.
        let name = unsafe { given::<c_char>(array.as_mut_ptr().cast()) };
        assert_eq!(name.put_string(4, "aéé", "name").unwrap(), 3);
        assert_eq!(&array, b"a\xc3\xa9\0xx");
    }
}
