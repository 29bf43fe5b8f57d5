//! A pointer that counts who has it, as `Arc` does. Where no other thread may be in MPI its count takes no locked instruction, of which a message
//! had four: each waits until the lines of the cell that was just read or written have come from the other core.

use crate::handle::Owner;
use crate::runtime::phase;
use crate::shm::atomic::{AtomicUsize, Ordering, fence};
use std::ops::Deref;
use std::ptr::NonNull;

pub struct Counted<T>(NonNull<Inner<T>>);

#[repr(C)]
struct Inner<T> {
    count: AtomicUsize,
    value: T,
}

// SAFETY: as for `Arc`. That other threads may be in MPI is said for good before they are; of those that come one after another each sees what the
// one before has counted, as it must see what it has done to any object.
unsafe impl<T: Send + Sync> Send for Counted<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Counted<T> {}

impl<T> Counted<T> {
    #[inline(always)]
    pub fn new(value: T) -> Counted<T> {
        let count = AtomicUsize::new(1);
        let inner = Box::new(Inner { count, value });
        Counted(NonNull::from(Box::leak(inner)))
    }

    #[inline(always)]
    fn inner(&self) -> &Inner<T> {
        // SAFETY: it lives as long as one of these.
        unsafe { self.0.as_ref() }
    }

    /// Whether nobody else has it.
    #[inline(always)]
    pub fn is_only(&self) -> bool {
        self.inner().count.load(Ordering::Acquire) == 1
    }

    /// The value, if nobody else has it.
    #[inline(always)]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        match self.is_only() {
            // SAFETY: only this one has it, and is borrowed.
            true => Some(unsafe { &mut self.0.as_mut().value }),
            false => None,
        }
    }

    /// Where the value is, by which it is known.
    pub fn addr(&self) -> usize {
        self.0.addr().get()
    }

    /// Whether both are of the same value.
    #[cfg(test)]
    pub fn is_same(&self, other: &Counted<T>) -> bool {
        self.0 == other.0
    }

    #[cold]
    #[inline(never)]
    fn free(&mut self) {
        // SAFETY: it came from a box, and this was the last one that had it.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl<T> Deref for Counted<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.inner().value
    }
}

impl<T> Clone for Counted<T> {
    #[inline(always)]
    fn clone(&self) -> Counted<T> {
        let count = &self.inner().count;
        if phase::is_threaded() {
            count.fetch_add(1, Ordering::Relaxed);
        } else {
            count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        Counted(self.0)
    }
}

impl<T> Drop for Counted<T> {
    #[inline(always)]
    fn drop(&mut self) {
        let count = &self.inner().count;
        let before = if phase::is_threaded() {
            count.fetch_sub(1, Ordering::Release)
        } else {
            let before = count.load(Ordering::Relaxed);
            count.store(before - 1, Ordering::Relaxed);
            before
        };
        if before == 1 {
            // What others did to it happened before they let it go.
            fence(Ordering::Acquire);
            self.free();
        }
    }
}

// SAFETY: the value's place says where the count is; both are a count's, which is neither lost nor doubled.
unsafe impl<T> Owner<T> for Counted<T> {
    fn into_raw(self) -> *const T {
        let value = &raw const self.inner().value;
        std::mem::forget(self);
        value
    }

    unsafe fn from_raw(value: *const T) -> Counted<T> {
        let back = std::mem::offset_of!(Inner<T>, value);
        // SAFETY: the caller's promise: it is where `into_raw` said, within an `Inner`.
        let inner = unsafe { value.byte_sub(back) };
        Counted(NonNull::new(inner.cast::<Inner<T>>().cast_mut()).expect("it is an object"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    /// Counts how many have been dropped.
    struct Told<'a>(&'a AtomicU32);

    impl Drop for Told<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_last_one_drops_the_value() {
        let dropped = AtomicU32::new(0);
        let mut first = Counted::new(Told(&dropped));
        assert!(first.get_mut().is_some());
        let second = first.clone();
        assert!(first.is_same(&second) && !first.is_only() && first.get_mut().is_none());
        drop(first);
        assert!(second.is_only());
        let raw = second.into_raw();
        assert_eq!(dropped.load(Ordering::Relaxed), 0);
        // SAFETY: it came from there.
        drop(unsafe { Counted::from_raw(raw) });
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_value_that_is_aligned_is_found_again() {
        #[repr(align(64))]
        struct Aligned(u8);
        let raw = Counted::new(Aligned(7)).into_raw();
        // SAFETY: it came from there.
        let again = unsafe { Counted::from_raw(raw) };
        assert_eq!((again.0, raw.addr() % 64), (again.0, 0));
        assert_eq!(again.deref().0, 7);
    }
}
