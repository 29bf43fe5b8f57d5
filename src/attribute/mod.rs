//! Attributes: values of the user's that hang on communicators, windows and datatypes by keys (MPI 4.1 §7.7).
//!
//! An object that can have attributes holds an [`Attributes`] and calls [`Attributes::copies`] when it is duplicated and
//! [`Attributes::delete_all`] when it is freed. A key lives as long as the user has it (`held`) or an attribute with it
//! exists (`attached`): a freed key still finds the attributes that are there.
//!
//! Callbacks are called without any lock held: they may use attributes themselves.
//!
//! Fortran stores integers where C stores addresses, and each finds the other's in its own way ([`Value`]). A key made by
//! Fortran has the Fortran library's functions between us and the user's ([`Proxies`]).

use crate::error::{Error, Result};
use crate::handle::{Kind, Table};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, err};
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The value of an attribute, as the language that set it sees it (MPI 4.1 §19.3.7).
#[derive(Clone)]
pub enum Value {
    /// An address, set in C. Fortran sees the number of it.
    Pointer(usize),
    /// An integer, set in Fortran. C sees the address of it.
    Integer(Arc<AtomicIsize>),
}

impl Value {
    pub fn integer(value: isize) -> Value {
        Value::Integer(Arc::new(AtomicIsize::new(value)))
    }

    /// What C gets: good until the attribute is deleted or set anew.
    pub fn in_c(&self) -> usize {
        match self {
            Value::Pointer(address) => *address,
            Value::Integer(integer) => integer.as_ptr().expose_provenance(),
        }
    }

    /// What Fortran gets.
    pub fn in_fortran(&self) -> isize {
        match self {
            Value::Pointer(address) => *address as isize,
            Value::Integer(integer) => integer.load(Ordering::Relaxed),
        }
    }
}

/// Calls a user's copy function in Fortran. `value` is what Fortran sees; the new value goes to `copied` and `flag`.
pub type CopyProxy = unsafe extern "C" fn(
    user: *const c_void,
    object: c_int,
    keyval: c_int,
    extra: *mut c_void,
    kind: c_int,
    value: *mut c_void,
    copied: *mut *mut c_void,
    flag: *mut c_int,
) -> c_int;

/// Calls a user's delete function in Fortran.
pub type DeleteProxy = unsafe extern "C" fn(
    user: *const c_void,
    object: c_int,
    keyval: c_int,
    kind: c_int,
    value: *mut c_void,
    extra: *mut c_void,
) -> c_int;

/// What the Fortran library puts between us and the user's functions.
#[derive(Clone, Copy)]
pub struct Proxies {
    pub copy: CopyProxy,
    pub delete: DeleteProxy,
}

/// The kind of value that proxies are told: an integer as large as an address.
pub const KIND_AINT: c_int = 1;

/// The user's functions for copying and deleting, by the kind of object. `None` is MPI's null function: nothing is
/// copied, and nothing need be done on deleting.
#[derive(Clone, Copy)]
pub enum Callbacks {
    Comm(
        Option<MPI_Comm_copy_attr_function>,
        Option<MPI_Comm_delete_attr_function>,
    ),
    Type(
        Option<MPI_Type_copy_attr_function>,
        Option<MPI_Type_delete_attr_function>,
    ),
    Win(
        Option<MPI_Win_copy_attr_function>,
        Option<MPI_Win_delete_attr_function>,
    ),
}

impl Callbacks {
    fn kind(&self) -> Kind {
        match self {
            Callbacks::Comm(..) => Kind::Comm,
            Callbacks::Type(..) => Kind::Datatype,
            Callbacks::Win(..) => Kind::Win,
        }
    }

    /// The copy and the delete function, for the proxies; null if there is none.
    fn addresses(&self) -> (*const c_void, *const c_void) {
        macro_rules! addresses {
            ($copy:expr, $delete:expr) => {
                (
                    $copy.map_or(std::ptr::null(), |f| f as *const c_void),
                    $delete.map_or(std::ptr::null(), |f| f as *const c_void),
                )
            };
        }
        match *self {
            Callbacks::Comm(copy, delete) => addresses!(copy, delete),
            Callbacks::Type(copy, delete) => addresses!(copy, delete),
            Callbacks::Win(copy, delete) => addresses!(copy, delete),
        }
    }
}

struct Counts {
    held: bool,
    attached: u32,
}

/// What a key stands for.
struct Keyval {
    callbacks: Callbacks,
    /// The user's pointer, as a number: only the callbacks know what it means.
    extra: usize,
    proxies: OnceLock<Proxies>,
    counts: Mutex<Counts>,
}

static KEYVALS: Table<Keyval> = Table::new(Kind::Keyval);

/// Makes a key. Error: `MPI_ERR_NO_MEM` when handles are exhausted.
pub fn create_keyval(callbacks: Callbacks, extra: *mut c_void) -> Result<c_int> {
    let counts = Mutex::new(Counts {
        held: true,
        attached: 0,
    });
    KEYVALS.insert(Arc::new(Keyval {
        callbacks,
        extra: extra.expose_provenance(),
        proxies: OnceLock::new(),
        counts,
    }))
}

/// Says that the functions of `key` are Fortran's. A key that does not exist, or has proxies, stays as it is: only the
/// Fortran library calls this, right after it made the key.
pub fn set_proxies(key: c_int, proxies: Proxies) {
    if let Some(keyval) = KEYVALS.get_arc(key) {
        let _ = keyval.proxies.set(proxies);
    }
}

/// Gives a key of objects of `kind` up. To do so again while attributes have it changes nothing: a delete callback that
/// frees its own key is called for each of them. Error: `MPI_ERR_KEYVAL`.
pub fn free_keyval(kind: Kind, key: c_int) -> Result<()> {
    let keyval = find(kind, key)?;
    recount(key, &keyval, |counts| counts.held = false);
    Ok(())
}

fn find(kind: Kind, key: c_int) -> Result<Arc<Keyval>> {
    let keyval = KEYVALS.get_arc(key).ok_or_else(|| match key {
        MPI_KEYVAL_INVALID => err!(Keyval, "keyval is MPI_KEYVAL_INVALID"),
        _ if is_predefined(key) => err!(
            Keyval,
            "keyval is {key:#x}, a predefined key, whose attribute cannot be changed"
        ),
        _ => err!(Keyval, "keyval is {key:#x}, which is no key"),
    })?;
    let made_for = keyval.callbacks.kind();
    if made_for != kind {
        bail!(
            Keyval,
            "keyval is {key:#x}, which was made for a {made_for:?}, not for a {kind:?}"
        );
    }
    Ok(keyval)
}

/// Whether a key is one of MPI's own.
pub fn is_predefined(key: c_int) -> bool {
    (MPI_TAG_UB..=MPI_APPNUM).contains(&key) || (MPI_WIN_BASE..=MPI_WIN_MODEL).contains(&key)
}

fn recount(key: c_int, keyval: &Keyval, change: impl FnOnce(&mut Counts)) {
    let mut counts = keyval.counts.lock();
    change(&mut counts);
    if !counts.held && counts.attached == 0 {
        KEYVALS.remove(key);
    }
}

/// The result of a callback.
fn outcome(code: c_int) -> Result<()> {
    match code {
        MPI_SUCCESS => Ok(()),
        code => Err(Error::from_code(code)),
    }
}

impl Keyval {
    /// Calls the user's function for copying; `None`: the attribute is not copied.
    fn copy(&self, object: c_int, key: c_int, value: &Value) -> Result<Option<Value>> {
        let extra = std::ptr::with_exposed_provenance_mut::<c_void>(self.extra);
        let mut copied = std::ptr::null_mut::<c_void>();
        let mut flag: c_int = 0;
        let (user, _) = self.callbacks.addresses();
        if let Some(proxies) = self.proxies.get()
            && !user.is_null()
        {
            let given = std::ptr::without_provenance_mut(value.in_fortran() as usize);
            let (to, flag_to) = (&raw mut copied, &raw mut flag);
            // SAFETY: the Fortran library gave the proxies for the user's functions of this key.
            outcome(unsafe {
                (proxies.copy)(user, object, key, extra, KIND_AINT, given, to, flag_to)
            })?;
            return Ok((flag != 0).then(|| Value::integer(copied.addr() as isize)));
        }
        let given = std::ptr::with_exposed_provenance_mut::<c_void>(value.in_c());
        let (to, flag_to) = ((&raw mut copied).cast::<c_void>(), &raw mut flag);
        // SAFETY: the user gave the functions for objects of this kind; they get the object's handle, the pointers that
        // the user gave, and places for a pointer and an `int`.
        let code = unsafe {
            match self.callbacks {
                Callbacks::Comm(Some(f), _) => f(MPI_Comm(object), key, extra, given, to, flag_to),
                Callbacks::Type(Some(f), _) => {
                    f(MPI_Datatype(object), key, extra, given, to, flag_to)
                }
                Callbacks::Win(Some(f), _) => f(MPI_Win(object), key, extra, given, to, flag_to),
                _ => return Ok(None),
            }
        };
        outcome(code)?;
        Ok((flag != 0).then(|| match value {
            // The address of the old integer would be gone with it.
            Value::Integer(_) if copied == given => Value::integer(value.in_fortran()),
            _ => Value::Pointer(copied.expose_provenance()),
        }))
    }

    /// Calls the user's function for deleting.
    fn delete(&self, object: c_int, key: c_int, value: &Value) -> Result<()> {
        let extra = std::ptr::with_exposed_provenance_mut::<c_void>(self.extra);
        let (_, user) = self.callbacks.addresses();
        if let Some(proxies) = self.proxies.get()
            && !user.is_null()
        {
            let value = std::ptr::without_provenance_mut(value.in_fortran() as usize);
            // SAFETY: the Fortran library gave the proxies for the user's functions of this key.
            return outcome(unsafe {
                (proxies.delete)(user, object, key, KIND_AINT, value, extra)
            });
        }
        let value = std::ptr::with_exposed_provenance_mut::<c_void>(value.in_c());
        // SAFETY: the user gave the functions for objects of this kind; they get the object's handle and the pointers
        // that the user gave.
        outcome(unsafe {
            match self.callbacks {
                Callbacks::Comm(_, Some(f)) => f(MPI_Comm(object), key, value, extra),
                Callbacks::Type(_, Some(f)) => f(MPI_Datatype(object), key, value, extra),
                Callbacks::Win(_, Some(f)) => f(MPI_Win(object), key, value, extra),
                _ => MPI_SUCCESS,
            }
        })
    }
}

/// The attributes of one object of kind `kind`.
pub struct Attributes {
    kind: Kind,
    /// Key and value, in the order in which they were set.
    list: Mutex<Vec<(c_int, Value)>>,
}

impl Attributes {
    pub const fn new(kind: Kind) -> Attributes {
        Attributes {
            kind,
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
