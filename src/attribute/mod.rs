//! Attributes: values of the user's that hang on communicators, windows and datatypes by keys (MPI 4.1 §7.7).
//!
//! An object that can have attributes holds an [`Attributes`] and calls [`Attributes::copies`] when it is duplicated and
//! [`Attributes::delete_all`] when it is freed. A key lives as long as the user has it (`held`) or an attribute with it
//! exists (`attached`): a freed key still finds the attributes that are there.
//!
//! Callbacks may use attributes themselves. Only other threads wait, those that change or copy attributes of the same object: else two
//! could delete the same value, or one copy what another has just deleted.
//!
//! Fortran stores integers where C stores addresses, and each finds the other's in its own way ([`Value`]). A key made by
//! Fortran has the Fortran library's functions between us and the user's ([`Proxies`]).

mod keyval;
mod proxies;

pub use keyval::{
    Callbacks, Proxies, Value, create_keyval, free_keyval, is_of_communicators, is_predefined,
    set_proxies,
};
pub use proxies::{CopyProxy, DeleteProxy};

use crate::bail;
use crate::error::Result;
use crate::handle::Kind;
use keyval::{KEYVALS, Keyval, find, recount};
use parking_lot::{Mutex, ReentrantMutex};
use std::ffi::c_int;

/// The attributes of one object of kind `kind`.
pub struct Attributes {
    kind: Kind,
    /// Held by the thread whose callbacks are called.
    changing: ReentrantMutex<()>,
    /// Key and value, in the order in which they were set.
    list: Mutex<Vec<(c_int, Value)>>,
}

impl Attributes {
    pub const fn new(kind: Kind) -> Attributes {
        Attributes {
            kind,
            changing: ReentrantMutex::new(()),
            list: Mutex::new(Vec::new()),
        }
    }

    fn value(&self, key: c_int) -> Option<Value> {
        let list = self.list.lock();
        list.iter()
            .find(|(k, _)| *k == key)
            .map(|(_, value)| value.clone())
    }

    /// The value of `key`, if it is set. Error: `MPI_ERR_KEYVAL`.
    pub fn get(&self, key: c_int) -> Result<Option<Value>> {
        find(self.kind, key)?;
        Ok(self.value(key))
    }

    /// Sets `key` of the object with handle `object`; an old value is deleted first. Errors: `MPI_ERR_KEYVAL`, and what
    /// the delete callback returns: then nothing has changed.
    pub fn set(&self, object: c_int, key: c_int, value: Value) -> Result<()> {
        let keyval = find(self.kind, key)?;
        let _one = self.changing.lock();
        if let Some(old) = self.value(key) {
            keyval.delete(object, key, &old)?;
        }
        self.put(key, &keyval, value);
        Ok(())
    }

    fn put(&self, key: c_int, keyval: &Keyval, value: Value) {
        let mut list = self.list.lock();
        let before = list.len();
        // One that is set again is set later than all others.
        list.retain(|(k, _)| *k != key);
        if list.len() == before {
            recount(key, keyval, |counts| counts.attached += 1);
        }
        list.push((key, value));
    }

    fn take(&self, key: c_int, keyval: &Keyval) {
        let mut list = self.list.lock();
        let before = list.len();
        list.retain(|(k, _)| *k != key);
        if list.len() < before {
            recount(key, keyval, |counts| counts.attached -= 1);
        }
    }

    /// Deletes `key` of the object with handle `object`. Errors: `MPI_ERR_KEYVAL`, and what the delete callback returns:
    /// then it is still there.
    pub fn delete(&self, object: c_int, key: c_int) -> Result<()> {
        let keyval = find(self.kind, key)?;
        let _one = self.changing.lock();
        let Some(value) = self.value(key) else {
            bail!(Keyval, "keyval is {key:#x}, which is not set on the object");
        };
        keyval.delete(object, key, &value)?;
        self.take(key, &keyval);
        Ok(())
    }

    /// Deletes all attributes of the object with handle `object`, the one set last first. Stops at the first whose
    /// callback returns an error.
    pub fn delete_all(&self, object: c_int) -> Result<()> {
        let _one = self.changing.lock();
        while let Some(key) = self.last() {
            self.delete(object, key)?;
        }
        Ok(())
    }

    /// The key set last. Asked anew for each deletion: a callback may set or delete others.
    fn last(&self) -> Option<c_int> {
        self.list.lock().last().map(|(key, _)| *key)
    }

    /// Deletes all attributes of an object that ends whatever the callbacks say: also of those behind one that refuses, which may be
    /// another library's. Error: the first.
    pub fn end(&self, object: c_int) -> Result<()> {
        let _one = self.changing.lock();
        let mut outcome = Ok(());
        while let Some(key) = self.last() {
            if let Err(error) = self.delete(object, key) {
                outcome = outcome.and(Err(error));
                // A key that is not found has taken its attributes with it.
                if let Ok(keyval) = find(self.kind, key) {
                    self.take(key, &keyval);
                }
            }
        }
        outcome
    }

    /// What the copy callbacks make of all attributes for a duplicate of the object with handle `object`. Error: what a
    /// callback returns; copies made before it are deleted.
    pub fn copies(&self, object: c_int) -> Result<Attributes> {
        let copies = Attributes::new(self.kind);
        let _one = self.changing.lock();
        let list = self.list.lock().clone();
        for (key, value) in list {
            let keyval = find(self.kind, key)?;
            match keyval.copy(object, key, &value) {
                Ok(Some(copy)) => copies.put(key, &keyval, copy),
                Ok(None) => {}
                Err(error) => {
                    // The first error is the one to tell.
                    let _ = copies.delete_all(object);
                    return Err(error);
                }
            }
        }
        Ok(copies)
    }
}

impl Drop for Attributes {
    /// Whatever is left (an object that dies with the process, or one that could not be made) gives its keys back.
    fn drop(&mut self) {
        for &mut (key, _) in self.list.get_mut().iter_mut() {
            if let Some(keyval) = KEYVALS.get_arc(key) {
                recount(key, &keyval, |counts| counts.attached -= 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Class;
    use crate::mpi::constants::*;
    use crate::mpi::types::*;
    use std::ffi::c_void;

    unsafe extern "C" fn delete(
        _: MPI_Comm,
        _: c_int,
        value: *mut c_void,
        log: *mut c_void,
    ) -> c_int {
        // SAFETY: the tests give a `Mutex<Vec<usize>>` that outlives the attributes.
        unsafe { &*log.cast::<Mutex<Vec<usize>>>() }
            .lock()
            .push(value.addr());
        if value.addr() == 13 { 77 } else { MPI_SUCCESS }
    }

    fn got(attributes: &Attributes, key: c_int) -> Option<usize> {
        attributes.get(key).unwrap().map(|value| value.in_c())
    }

    fn key(log: &Mutex<Vec<usize>>) -> c_int {
        let log = (&raw const *log).cast_mut().cast();
        create_keyval(Callbacks::Comm(None, Some(delete)), log).unwrap()
    }

    #[test]
    fn the_last_set_goes_first() {
        let log = Mutex::new(Vec::new());
        let attributes = Attributes::new(Kind::Comm);
        for value in [1, 2, 3] {
            attributes.set(0, key(&log), Value::Pointer(value)).unwrap();
        }
        attributes.delete_all(0).unwrap();
        assert_eq!(*log.lock(), [3, 2, 1]);
    }

    #[test]
    fn what_is_set_again_is_set_last() {
        let log = Mutex::new(Vec::new());
        let attributes = Attributes::new(Kind::Comm);
        let keys = [key(&log), key(&log), key(&log)];
        for (which, value) in [(0, 1), (1, 2), (2, 3), (0, 4)] {
            attributes
                .set(0, keys[which], Value::Pointer(value))
                .unwrap();
        }
        attributes.delete_all(0).unwrap();
        assert_eq!(*log.lock(), [1, 4, 3, 2]);
    }

    #[test]
    fn a_freed_key_finds_what_is_there() {
        let log = Mutex::new(Vec::new());
        let attributes = Attributes::new(Kind::Comm);
        let key = key(&log);
        attributes.set(0, key, Value::Pointer(5)).unwrap();
        free_keyval(Kind::Comm, key).unwrap();
        assert_eq!(got(&attributes, key), Some(5));
        free_keyval(Kind::Comm, key).unwrap();
        attributes.delete(0, key).unwrap();
        assert!(free_keyval(Kind::Comm, key).is_err());
        assert_eq!(attributes.get(key).err().unwrap().class, Class::Keyval);
    }

    #[test]
    fn a_callback_that_refuses_keeps_the_attribute() {
        let log = Mutex::new(Vec::new());
        let attributes = Attributes::new(Kind::Comm);
        let key = key(&log);
        attributes.set(0, key, Value::Pointer(13)).unwrap();
        assert!(attributes.set(0, key, Value::Pointer(14)).is_err());
        assert!(attributes.delete_all(0).is_err());
        assert_eq!(got(&attributes, key), Some(13));
    }

    #[test]
    fn at_the_end_all_are_called_whatever_one_says() {
        let log = Mutex::new(Vec::new());
        let attributes = Attributes::new(Kind::Comm);
        for value in [1, 13, 3] {
            attributes.set(0, key(&log), Value::Pointer(value)).unwrap();
        }
        assert!(attributes.end(0).is_err());
        assert_eq!(*log.lock(), [3, 13, 1]);
        attributes.end(0).unwrap();
    }

    #[test]
    fn each_language_sees_the_values_of_the_other() {
        let key = create_keyval(Callbacks::Comm(Some(duplicate), None), std::ptr::null_mut());
        let (key, attributes) = (key.unwrap(), Attributes::new(Kind::Comm));
        attributes.set(0, key, Value::Pointer(4096)).unwrap();
        let value = attributes.get(key).unwrap().unwrap();
        assert_eq!((value.in_c(), value.in_fortran()), (4096, 4096));

        attributes.set(0, key, Value::integer(-7)).unwrap();
        let copies = attributes.copies(0).unwrap();
        attributes.set(0, key, Value::integer(8)).unwrap();
        for (attributes, expected) in [(&attributes, 8), (&copies, -7)] {
            let value = attributes.get(key).unwrap().unwrap();
            let place = std::ptr::with_exposed_provenance::<isize>(value.in_c());
            // SAFETY: the attribute still has the value.
            let seen = unsafe { *place };
            assert_eq!((value.in_fortran(), seen), (expected, expected));
        }
    }

    unsafe extern "C" fn duplicate(
        _: MPI_Comm,
        _: c_int,
        _: *mut c_void,
        value: *mut c_void,
        copied: *mut c_void,
        flag: *mut c_int,
    ) -> c_int {
        // SAFETY: `Keyval::copy` gives places for a pointer and an `int`.
        unsafe {
            copied.cast::<*mut c_void>().write(value);
            flag.write(1);
        }
        MPI_SUCCESS
    }

    #[test]
    fn keys_of_other_kinds_are_refused() {
        let key = create_keyval(Callbacks::Win(None, None), std::ptr::null_mut()).unwrap();
        let attributes = Attributes::new(Kind::Comm);
        for bad in [key, MPI_KEYVAL_INVALID, MPI_TAG_UB, 0, -1] {
            let set = attributes.set(0, bad, Value::Pointer(1));
            assert_eq!(set.unwrap_err().class, Class::Keyval);
        }
    }
}
