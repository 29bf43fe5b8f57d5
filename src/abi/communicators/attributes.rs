//! Keys of attributes, and the attributes of communicators (MPI 4.1 §7.7). Everything here is local.

use crate::abi::boundary::pointers::Mut;
use crate::attribute::{self, Callbacks, Value};
use crate::comm::predefined;
use crate::error::Result;
use crate::handle::Kind;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{comm, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

fn create(callbacks: Callbacks, keyval: Mut<c_int>, name: &str, extra: Mut<c_void>) -> Result<()> {
    let keyval = keyval.out(name)?;
    keyval.set(attribute::create_keyval(callbacks, extra.pointer())?);
    Ok(())
}

fn free(kind: Kind, keyval: Mut<c_int>, name: &str) -> Result<()> {
    let mut keyval = keyval.inout(name)?;
    attribute::free_keyval(kind, *keyval)?;
    *keyval = MPI_KEYVAL_INVALID;
    Ok(())
}

/// Makes a key for attributes of communicators. The null functions copy nothing and need nothing deleted.
///
/// MPI 4.1 §7.7.2. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many keys).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_create_keyval(
    comm_copy_attr_fn: Option<MPI_Comm_copy_attr_function>,
    comm_delete_attr_fn: Option<MPI_Comm_delete_attr_function>,
    comm_keyval: Mut<c_int>,
    extra_state: Mut<c_void>,
) -> c_int {
    let callbacks = Callbacks::Comm(comm_copy_attr_fn, comm_delete_attr_fn);
    create(callbacks, comm_keyval, "comm_keyval", extra_state)
}

/// Makes a key for attributes of datatypes.
///
/// MPI 4.1 §7.7.4. Errors: as `MPI_Comm_create_keyval`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_create_keyval(
    type_copy_attr_fn: Option<MPI_Type_copy_attr_function>,
    type_delete_attr_fn: Option<MPI_Type_delete_attr_function>,
    type_keyval: Mut<c_int>,
    extra_state: Mut<c_void>,
) -> c_int {
    let callbacks = Callbacks::Type(type_copy_attr_fn, type_delete_attr_fn);
    create(callbacks, type_keyval, "type_keyval", extra_state)
}

/// Makes a key for attributes of windows.
///
/// MPI 4.1 §7.7.3. Errors: as `MPI_Comm_create_keyval`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_create_keyval(
    win_copy_attr_fn: Option<MPI_Win_copy_attr_function>,
    win_delete_attr_fn: Option<MPI_Win_delete_attr_function>,
    win_keyval: Mut<c_int>,
    extra_state: Mut<c_void>,
) -> c_int {
    let callbacks = Callbacks::Win(win_copy_attr_fn, win_delete_attr_fn);
    create(callbacks, win_keyval, "win_keyval", extra_state)
}

/// Gives a key of communicators up and sets it to `MPI_KEYVAL_INVALID`. Attributes that are there stay.
///
/// MPI 4.1 §7.7.2. Errors: `MPI_ERR_KEYVAL` (none, predefined, of another kind), `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_free_keyval(comm_keyval: Mut<c_int>) -> c_int {
    free(Kind::Comm, comm_keyval, "comm_keyval")
}

/// Gives a key of datatypes up.
///
/// MPI 4.1 §7.7.4. Errors: as `MPI_Comm_free_keyval`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_free_keyval(type_keyval: Mut<c_int>) -> c_int {
    free(Kind::Datatype, type_keyval, "type_keyval")
}

/// Gives a key of windows up.
///
/// MPI 4.1 §7.7.3. Errors: as `MPI_Comm_free_keyval`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_free_keyval(win_keyval: Mut<c_int>) -> c_int {
    free(Kind::Win, win_keyval, "win_keyval")
}

fn set_attribute(comm: MPI_Comm, keyval: c_int, value: Mut<c_void>) -> Result<()> {
    let attributes = &comm::get(comm)?.attributes;
    attributes.set(
        comm.0,
        keyval,
        Value::Pointer(value.pointer().expose_provenance()),
    )
}

fn get_attribute(
    comm: MPI_Comm,
    keyval: c_int,
    value: Mut<c_void>,
    flag: Mut<c_int>,
) -> Result<()> {
    let comm = comm::get(comm)?;
    let (value, flag) = (
        value.cast::<*mut c_void>().out("attribute_val")?,
        flag.out("flag")?,
    );
    let found = if attribute::is_of_communicators(keyval) {
        predefined::value(keyval).map(<*mut c_int>::cast)
    } else {
        let found = comm.attributes.get(keyval)?;
        found.map(|value| std::ptr::with_exposed_provenance_mut(value.in_c()))
    };
    flag.set(found.is_some().into());
    if let Some(found) = found {
        value.set(found);
    }
    Ok(())
}

/// Sets an attribute of a communicator; the delete callback is called for an old value.
///
/// MPI 4.1 §7.7.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_KEYVAL` (none, predefined, of another kind), what the delete
/// callback returned: then nothing has changed.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_set_attr(
    comm: MPI_Comm,
    comm_keyval: c_int,
    attribute_val: Mut<c_void>,
) -> c_int {
    set_attribute(comm, comm_keyval, attribute_val)
}

/// Gives an attribute of a communicator; `flag` tells whether it is set. The predefined ones are pointers to `int`.
///
/// MPI 4.1 §7.7.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_KEYVAL`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_get_attr(
    comm: MPI_Comm,
    comm_keyval: c_int,
    attribute_val: Mut<c_void>,
    flag: Mut<c_int>,
) -> c_int {
    get_attribute(comm, comm_keyval, attribute_val, flag)
}

/// Deletes an attribute of a communicator.
///
/// MPI 4.1 §7.7.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_KEYVAL` (none, predefined, not set), what the delete callback
/// returned: then it is still there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_delete_attr(comm: MPI_Comm, comm_keyval: c_int) -> c_int {
    comm::get(comm)?.attributes.delete(comm.0, comm_keyval)
}

/// Makes a key for attributes of communicators.
///
/// MPI 4.1 §16.1 (deprecated: use `MPI_Comm_create_keyval`). Errors as there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Keyval_create(
    copy_fn: Option<MPI_Copy_function>,
    delete_fn: Option<MPI_Delete_function>,
    keyval: Mut<c_int>,
    extra_state: Mut<c_void>,
) -> c_int {
    create(
        Callbacks::Comm(copy_fn, delete_fn),
        keyval,
        "keyval",
        extra_state,
    )
}

/// Gives a key of communicators up.
///
/// MPI 4.1 §16.1 (deprecated: use `MPI_Comm_free_keyval`). Errors as there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Keyval_free(keyval: Mut<c_int>) -> c_int {
    free(Kind::Comm, keyval, "keyval")
}

/// Sets an attribute of a communicator.
///
/// MPI 4.1 §16.1 (deprecated: use `MPI_Comm_set_attr`). Errors as there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Attr_put(comm: MPI_Comm, keyval: c_int, attribute_val: Mut<c_void>) -> c_int {
    set_attribute(comm, keyval, attribute_val)
}

/// Gives an attribute of a communicator.
///
/// MPI 4.1 §16.1 (deprecated: use `MPI_Comm_get_attr`). Errors as there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Attr_get(
    comm: MPI_Comm,
    keyval: c_int,
    attribute_val: Mut<c_void>,
    flag: Mut<c_int>,
) -> c_int {
    get_attribute(comm, keyval, attribute_val, flag)
}

/// Deletes an attribute of a communicator.
///
/// MPI 4.1 §16.1 (deprecated: use `MPI_Comm_delete_attr`). Errors as there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Attr_delete(comm: MPI_Comm, keyval: c_int) -> c_int {
    comm::get(comm)?.attributes.delete(comm.0, keyval)
}
