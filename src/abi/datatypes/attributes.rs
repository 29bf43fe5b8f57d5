//! The attributes of datatypes (MPI 4.1 §7.7.4); their keys are made in `attributes`. Everything here is local.

use crate::abi::boundary::pointers::Mut;
use crate::attribute::Value;
use crate::mpi::types::*;
use crate::{datatype, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Sets an attribute of a datatype; the delete callback is called for an old value.
///
/// MPI 4.1 §7.7.4. Errors: `MPI_ERR_TYPE`, `MPI_ERR_KEYVAL` (none, of another kind), what the delete callback returned:
/// then nothing has changed.
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_set_attr(
    datatype: MPI_Datatype,
    type_keyval: c_int,
    attribute_val: Mut<c_void>,
) -> c_int {
    let object = datatype::get(datatype)?;
    let value = Value::Pointer(attribute_val.pointer().expose_provenance());
    object.attributes.set(datatype.0, type_keyval, value)
}

/// Gives an attribute of a datatype; `flag` tells whether it is set. `attribute_val` is a place for a pointer.
///
/// MPI 4.1 §7.7.4. Errors: `MPI_ERR_TYPE`, `MPI_ERR_KEYVAL`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_get_attr(
    datatype: MPI_Datatype,
    type_keyval: c_int,
    attribute_val: Mut<c_void>,
    flag: Mut<c_int>,
) -> c_int {
    let (place, flag) = (
        attribute_val.cast::<*mut c_void>().out("attribute_val")?,
        flag.out("flag")?,
    );
    let value = datatype::get(datatype)?.attributes.get(type_keyval)?;
    if let Some(value) = &value {
        place.set(std::ptr::with_exposed_provenance_mut(value.in_c()));
    }
    flag.set(value.is_some() as c_int);
    Ok(())
}

/// Deletes an attribute of a datatype.
///
/// MPI 4.1 §7.7.4. Errors: `MPI_ERR_TYPE`, `MPI_ERR_KEYVAL` (none, not set), what the delete callback returned: then it
/// is still there.
#[apply(mpi_api)]
pub extern "C" fn MPI_Type_delete_attr(datatype: MPI_Datatype, type_keyval: c_int) -> c_int {
    let object = datatype::get(datatype)?;
    object.attributes.delete(datatype.0, type_keyval)
}
