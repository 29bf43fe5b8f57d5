//! Keys of attributes: what copies and deletes the values under them. Keys are local and of one kind of object.

use super::proxies::{CopyProxy, DeleteProxy};
use crate::check::{self, objects};
use crate::error::{Error, Result};
use crate::handle::{Kind, Table};
#[cfg(feature = "openmpi")]
use crate::mpi::constants::fortran;
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

    fn kind(&self) -> c_int {
        match self {
            Value::Pointer(_) => KIND_POINTER,
            Value::Integer(_) => KIND_AINT,
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

/// What the library for another language puts between us and the user's functions.
#[derive(Clone, Copy)]
pub struct Proxies {
    pub copy: CopyProxy,
    pub delete: DeleteProxy,
}

/// The kinds of value that proxies are told: a pointer, and an integer as large as an address.
const KIND_POINTER: c_int = 0;
const KIND_AINT: c_int = 1;

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

    /// The handle that proxies are told.
    #[cfg(not(feature = "openmpi"))]
    fn told(&self, object: c_int) -> c_int {
        object
    }

    /// The handle that proxies are told: Fortran's number.
    #[cfg(feature = "openmpi")]
    fn told(&self, object: c_int) -> c_int {
        let number = match self {
            Callbacks::Comm(..) => fortran::number_of(&MPI_Comm(object)),
            Callbacks::Type(..) => fortran::number_of(&MPI_Datatype(object)),
            Callbacks::Win(..) => fortran::number_of(&MPI_Win(object)),
        };
        number.unwrap_or(object)
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

pub(super) struct Counts {
    held: bool,
    pub(super) attached: u32,
}

/// What a key stands for.
pub(super) struct Keyval {
    callbacks: Callbacks,
    /// The user's pointer, as a number: only the callbacks know what it means.
    extra: usize,
    proxies: OnceLock<Proxies>,
    counts: Mutex<Counts>,
}

pub(super) static KEYVALS: Table<Keyval> = Table::new(Kind::Keyval);

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

/// Says that the functions of `key` are another language's. A key that does not exist, or has proxies, stays as it is: only that
/// language's library calls this, right after it made the key.
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
    if check::is_on() {
        objects::gone(Kind::Keyval as u32, key as usize);
    }
    Ok(())
}

pub(super) fn find(kind: Kind, key: c_int) -> Result<Arc<Keyval>> {
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

const MPICH: bool = cfg!(not(any(feature = "openmpi", feature = "standard")));

/// Whether a key is one of the interface's own under which no communicator has anything.
fn is_empty(key: c_int) -> bool {
    cfg!(feature = "openmpi")
        && [MPI_FT, IMPI_CLIENT_COLOR, IMPI_HOST_SIZE, IMPI_HOST_COLOR].contains(&key)
}

/// Whether a key is one of MPI's own.
pub fn is_predefined(key: c_int) -> bool {
    // Those that MPICH's Fortran has are one more.
    let own =
        |known: &[c_int]| known.contains(&key) || (MPICH && known.contains(&key.wrapping_sub(1)));
    own(&[
        MPI_TAG_UB,
        MPI_HOST,
        MPI_IO,
        MPI_WTIME_IS_GLOBAL,
        MPI_UNIVERSE_SIZE,
        MPI_LASTUSEDCODE,
        MPI_APPNUM,
    ]) || is_empty(key)
        || own(&[
            MPI_WIN_BASE,
            MPI_WIN_SIZE,
            MPI_WIN_DISP_UNIT,
            MPI_WIN_CREATE_FLAVOR,
            MPI_WIN_MODEL,
        ])
}

/// Whether a key is one of MPI's own for communicators.
pub fn is_of_communicators(key: c_int) -> bool {
    is_empty(key) || (is_predefined(key) && key < MPI_WIN_BASE)
}

pub(super) fn recount(key: c_int, keyval: &Keyval, change: impl FnOnce(&mut Counts)) {
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
    pub(super) fn copy(&self, object: c_int, key: c_int, value: &Value) -> Result<Option<Value>> {
        let extra = std::ptr::with_exposed_provenance_mut::<c_void>(self.extra);
        let mut copied = std::ptr::null_mut::<c_void>();
        let mut flag: c_int = 0;
        let (user, _) = self.callbacks.addresses();
        if let Some(proxies) = self.proxies.get()
            && !user.is_null()
        {
            let given = std::ptr::without_provenance_mut(value.in_fortran() as usize);
            let (to, flag_to, kind) = (&raw mut copied, &raw mut flag, value.kind());
            let object = self.callbacks.told(object);
            // SAFETY: the other language's library gave the proxies for the user's functions of this key.
            outcome(unsafe { (proxies.copy)(user, object, key, extra, kind, given, to, flag_to) })?;
            return Ok((flag != 0).then(|| match value {
                Value::Integer(_) => Value::integer(copied.addr() as isize),
                Value::Pointer(_) => Value::Pointer(copied.expose_provenance()),
            }));
        }
        let given = std::ptr::with_exposed_provenance_mut::<c_void>(value.in_c());
        if MPI_DUP_FN == Some(user.addr()) {
            return Ok(Some(Value::Pointer(given.addr())));
        }
        let (to, flag_to) = ((&raw mut copied).cast::<c_void>(), &raw mut flag);
        // SAFETY: the user gave the functions for objects of this kind; they get the object's handle, the pointers that
        // the user gave, and places for a pointer and an `int`.
        let code = unsafe {
            match self.callbacks {
                Callbacks::Comm(Some(f), _) => {
                    f(MPI_Comm(object).foreign(), key, extra, given, to, flag_to)
                }
                Callbacks::Type(Some(f), _) => f(
                    MPI_Datatype(object).foreign(),
                    key,
                    extra,
                    given,
                    to,
                    flag_to,
                ),
                Callbacks::Win(Some(f), _) => {
                    f(MPI_Win(object).foreign(), key, extra, given, to, flag_to)
                }
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
    pub(super) fn delete(&self, object: c_int, key: c_int, value: &Value) -> Result<()> {
        let extra = std::ptr::with_exposed_provenance_mut::<c_void>(self.extra);
        let (_, user) = self.callbacks.addresses();
        if let Some(proxies) = self.proxies.get()
            && !user.is_null()
        {
            let (kind, object) = (value.kind(), self.callbacks.told(object));
            let value = std::ptr::without_provenance_mut(value.in_fortran() as usize);
            // SAFETY: the other language's library gave the proxies for the user's functions of this key.
            return outcome(unsafe { (proxies.delete)(user, object, key, kind, value, extra) });
        }
        let value = std::ptr::with_exposed_provenance_mut::<c_void>(value.in_c());
        // SAFETY: the user gave the functions for objects of this kind; they get the object's handle and the pointers
        // that the user gave.
        outcome(unsafe {
            match self.callbacks {
                Callbacks::Comm(_, Some(f)) => f(MPI_Comm(object).foreign(), key, value, extra),
                Callbacks::Type(_, Some(f)) => f(MPI_Datatype(object).foreign(), key, value, extra),
                Callbacks::Win(_, Some(f)) => f(MPI_Win(object).foreign(), key, value, extra),
                _ => MPI_SUCCESS,
            }
        })
    }
}
