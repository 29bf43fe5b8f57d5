//! The handles of datatypes: finding their objects, giving them out, and taking them back.

use super::object::Datatype;
use super::predefined;
use crate::error::Result;
use crate::handle::{Kind, Table};
use crate::mpi::constants::*;
use crate::mpi::types::MPI_Datatype;
use crate::{bail, err};
use std::ops::Deref;
use std::sync::Arc;

pub(super) static TABLE: Table<Datatype> = Table::new(Kind::Datatype);

/// The object of a datatype handle, predefined or not.
///
/// The reference is good until the handle is freed, which a correct program does not do during a call that uses it.
#[inline]
pub fn get(handle: MPI_Datatype) -> Result<&'static Datatype> {
    if let Some(object) = predefined::builtin(handle) {
        return Ok(object);
    }
    match TABLE.get(handle.0) {
        Some(object) => Ok(object),
        None => Ok(&**pair(handle)?),
    }
}

/// The object of a handle, if the datatype is committed.
#[inline]
pub fn get_committed(handle: MPI_Datatype) -> Result<&'static Datatype> {
    get(handle)?.committed()
}

/// The same where there is one: without the words of an error.
#[inline(always)]
pub fn find_committed(handle: MPI_Datatype) -> Option<&'static Datatype> {
    let object = match predefined::builtin(handle) {
        Some(object) => object,
        None => TABLE.get(handle.0)?,
    };
    object.is_committed().then_some(object)
}

/// The object of a datatype handle, for keeping it beyond the call.
pub fn get_arc(handle: MPI_Datatype) -> Result<Arc<Datatype>> {
    if let Some(object) = predefined::builtin(handle) {
        return Ok(object.clone());
    }
    match TABLE.get_arc(handle.0) {
        Some(object) => Ok(object),
        None => pair(handle).cloned(),
    }
}

/// A datatype that is kept beyond a call. Nobody counts those that are there for ever.
#[derive(Clone)]
pub enum Kept {
    Predefined(&'static Arc<Datatype>),
    Made(Arc<Datatype>),
}

impl Deref for Kept {
    type Target = Arc<Datatype>;

    #[inline]
    fn deref(&self) -> &Arc<Datatype> {
        match self {
            Kept::Predefined(object) => object,
            Kept::Made(object) => object,
        }
    }
}

/// The object of a datatype handle, for keeping it beyond the call, where that has to be quick.
#[inline]
pub fn keep(handle: MPI_Datatype) -> Result<Kept> {
    match predefined::builtin(handle) {
        Some(object) => Ok(Kept::Predefined(object)),
        None => get_arc(handle).map(Kept::Made),
    }
}

/// A pair type before the handle table has it, or the error that there is no such datatype.
#[cold]
fn pair(handle: MPI_Datatype) -> Result<&'static Arc<Datatype>> {
    if handle == MPI_DATATYPE_NULL {
        bail!(Type, "datatype is MPI_DATATYPE_NULL");
    }
    match predefined::Named::of(handle) {
        Some(named) => Ok(named.object()),
        None => Err(err!(
            Type,
            "datatype is {:#x}, which is no datatype (it may have been freed)",
            handle.0
        )),
    }
}

/// Gives the user a new datatype.
pub fn insert(object: Arc<Datatype>) -> Result<MPI_Datatype> {
    hand_out(&object)
}

/// Gives the user a handle of a datatype, the same each time: a permanent one, or one to be freed as often as it was given.
pub fn hand_out(object: &Arc<Datatype>) -> Result<MPI_Datatype> {
    match object.permanent_handle() {
        Some(handle) => Ok(handle),
        None => {
            predefined::ready();
            TABLE.share(object).map(MPI_Datatype)
        }
    }
}

/// Takes a handle back (`MPI_Type_free`), which ends when it was freed as often as it was given; before that the attributes
/// are deleted. The object lives on as long as others use it. Errors: `MPI_ERR_TYPE`, and what a delete callback returns: then the handle lives on.
pub fn free(handle: MPI_Datatype) -> Result<()> {
    let object = get_arc(handle)?;
    if object.permanent_handle().is_some() {
        bail!(
            Type,
            "datatype is {}, which cannot be freed",
            match &*object.name() {
                b"" => "one of a Fortran kind".into(),
                name => String::from_utf8_lossy(name),
            }
        );
    }
    if object.given.times() == 1 {
        object.attributes.delete_all(handle.0)?;
    }
    match TABLE.unshare(handle.0) {
        Some(()) => Ok(()),
        None => bail!(Type, "datatype {:#x} was freed meanwhile", handle.0),
    }
}

/// A handle that a user's function gets during a call.
pub struct Lent {
    pub handle: MPI_Datatype,
    /// Whether it was made for the call.
    made: bool,
}

/// A handle of `object`: `given` if it still is one. An operation goes on with a datatype that was freed meanwhile (MPI 4.1
/// §5.1.9), whose handle another datatype may have by now. Error: `MPI_ERR_NO_MEM`.
pub fn lend(object: &Arc<Datatype>, given: MPI_Datatype) -> Result<Lent> {
    let made = !get(given).is_ok_and(|now| std::ptr::eq(now, &**object));
    let handle = if made { insert(object.clone())? } else { given };
    Ok(Lent { handle, made })
}

impl Drop for Lent {
    fn drop(&mut self) {
        if self.made {
            // The function may have freed it, wrongly.
            let _ = free(self.handle);
        }
    }
}
