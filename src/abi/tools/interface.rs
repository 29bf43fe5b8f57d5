//! The tool information interface: starting, control variables, categories, enumerations (MPI 4.1 §15.3).
//!
//! Errors are returned as error classes, and no error handler is called. Any null pointer for a result is `MPI_T_ERR_INVALID`.
//! May be used before `MPI_Init` and after `MPI_Finalize`.

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::runtime::phase::Level;
use crate::tools::events::{Type, types};
use crate::tools::{self, About, CATEGORIES, controls, of_handle, performances, to_handle};
use crate::{bail, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int, c_void};

/// Writes a string as §15.3.3 says: cut to `*len` bytes with its zero, and in `*len` the bytes that all of it takes.
pub fn tell(text: &str, array: Mut<c_char>, len: Mut<c_int>) -> Result<()> {
    if len.is_null() {
        return Ok(());
    }
    let mut len = len.inout("len")?;
    if !array.is_null() && number(*len, "len")? > 0 {
        array.put_string(*len, text, "string")?;
    }
    *len = text.len() as c_int + 1;
    Ok(())
}

/// Writes a result unless its place is null: tools may leave out what they do not ask for.
pub fn put<T: Foreign>(place: Mut<T>, value: T) -> Result<()> {
    if !place.is_null() {
        place.out("result")?.set(value);
    }
    Ok(())
}

pub fn named<'a>(name: In<'a, c_char>) -> Result<&'a str> {
    Ok(name.string("name")?.to_str().unwrap_or(""))
}

/// All variables are 64-bit unsigned numbers.
pub const TYPE: MPI_Datatype = MPI_UNSIGNED_LONG_LONG;

/// Initializes the interface; every thread level is given. To be ended as often as it was initialized.
///
/// MPI 4.1 §15.3.4. Errors: `MPI_T_ERR_INVALID` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_init_thread(required: c_int, provided: Mut<c_int>) -> c_int {
    let provided = provided.out("provided")?;
    if Level::of(required).is_none() {
        bail!(TInvalid, "required is {required}, which is no thread level");
    }
    tools::enter();
    provided.set(MPI_THREAD_MULTIPLE);
    Ok(())
}

/// Ends one use of the interface; with the last one, all sessions.
///
/// MPI 4.1 §15.3.4. Errors: `MPI_T_ERR_NOT_INITIALIZED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_finalize() -> c_int {
    tools::leave()
}

/// Gives the number of control variables.
///
/// MPI 4.1 §15.3.6. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_cvar_get_num(num_cvar: Mut<c_int>) -> c_int {
    tools::check()?;
    num_cvar.out("num_cvar")?.set(controls().len() as c_int);
    Ok(())
}

/// Describes a control variable. Results whose places are null are left out.
///
/// MPI 4.1 §15.3.6. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID` (negative length).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_cvar_get_info(
    cvar_index: c_int,
    name: Mut<c_char>,
    name_len: Mut<c_int>,
    verbosity: Mut<c_int>,
    datatype: Mut<MPI_Datatype>,
    enumtype: Mut<MPI_T_enum>,
    desc: Mut<c_char>,
    desc_len: Mut<c_int>,
    bind: Mut<c_int>,
    scope: Mut<c_int>,
) -> c_int {
    tools::check()?;
    let control = tools::at(controls(), cvar_index)?;
    tell(control.about.name, name, name_len)?;
    tell(control.about.text, desc, desc_len)?;
    put(verbosity, control.about.verbosity)?;
    put(datatype, TYPE)?;
    put(enumtype, MPI_T_ENUM_NULL)?;
    put(bind, MPI_T_BIND_NO_OBJECT)?;
    let settable = control.write.is_some();
    let reach = if settable {
        MPI_T_SCOPE_LOCAL
    } else {
        MPI_T_SCOPE_READONLY
    };
    put(scope, reach)
}

/// Gives the index of a control variable.
///
/// MPI 4.1 §15.3.6. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_NAME`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_cvar_get_index(name: In<c_char>, cvar_index: Mut<c_int>) -> c_int {
    tools::check()?;
    let (name, cvar_index) = (named(name)?, cvar_index.out("cvar_index")?);
    cvar_index.set(tools::find(controls(), name, |c| c.about.name == name)?);
    Ok(())
}

/// Gives a handle of a control variable, and its number of elements: 1.
///
/// MPI 4.1 §15.3.6. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_cvar_handle_alloc(
    cvar_index: c_int,
    obj_handle: Mut<c_void>,
    handle: Mut<MPI_T_cvar_handle>,
    count: Mut<c_int>,
) -> c_int {
    let _ = obj_handle;
    tools::check()?;
    tools::at(controls(), cvar_index)?;
    handle.out("handle")?.set(to_handle(cvar_index as usize));
    put(count, 1)
}

/// The control variable of a handle. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
fn control(handle: MPI_T_cvar_handle) -> Result<&'static tools::Control> {
    tools::check()?;
    match controls().get(of_handle(handle)) {
        Some(control) => Ok(control),
        None => bail!(TInvalidHandle, "handle is {handle:p}, which is none"),
    }
}

/// Gives a handle back and sets it to `MPI_T_CVAR_HANDLE_NULL`.
///
/// MPI 4.1 §15.3.6. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_cvar_handle_free(handle: Mut<MPI_T_cvar_handle>) -> c_int {
    let mut handle = handle.inout("handle")?;
    control(*handle)?;
    *handle = MPI_T_CVAR_HANDLE_NULL;
    Ok(())
}

/// Gives the value of a control variable, an `unsigned long long`.
///
/// MPI 4.1 §15.3.6. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_cvar_read(handle: MPI_T_cvar_handle, buf: Mut<c_void>) -> c_int {
    let control = control(handle)?;
    buf.cast::<u64>().out("buf")?.set((control.read)());
    Ok(())
}

/// Sets a control variable, an `unsigned long long`, for this process.
///
/// MPI 4.1 §15.3.6. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_CVAR_SET_NEVER`,
/// `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_cvar_write(handle: MPI_T_cvar_handle, buf: In<c_void>) -> c_int {
    let control = control(handle)?;
    let value = buf.cast::<u64>().input("buf")?;
    control.set(*value)
}

/// Gives the number of categories.
///
/// MPI 4.1 §15.3.9. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_category_get_num(num_cat: Mut<c_int>) -> c_int {
    tools::check()?;
    num_cat.out("num_cat")?.set(CATEGORIES.len() as c_int);
    Ok(())
}

/// The indices of the variables of a category. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`.
fn members<T>(cat_index: c_int, list: &[T], about: impl Fn(&T) -> &About) -> Result<Vec<c_int>> {
    tools::check()?;
    tools::at(&CATEGORIES, cat_index)?;
    let belongs = |(_, one): &(c_int, &T)| about(one).category == cat_index as usize;
    Ok((0..).zip(list).filter(belongs).map(|(i, _)| i).collect())
}

fn list(members: &[c_int], len: c_int, indices: Mut<c_int>) -> Result<()> {
    let len = number(len, "len")?.min(members.len());
    let places = indices.slice_mut(len, "indices")?;
    places.copy_from_slice(&members[..len]);
    Ok(())
}

/// Describes a category. Results whose places are null are left out.
///
/// MPI 4.1 §15.3.9. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID` (negative length).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_category_get_info(
    cat_index: c_int,
    name: Mut<c_char>,
    name_len: Mut<c_int>,
    desc: Mut<c_char>,
    desc_len: Mut<c_int>,
    num_cvars: Mut<c_int>,
    num_pvars: Mut<c_int>,
    num_categories: Mut<c_int>,
) -> c_int {
    let cvars = members(cat_index, controls(), |c| &c.about)?;
    let pvars = members(cat_index, performances(), |p| &p.about)?;
    let (own, text) = tools::at(&CATEGORIES, cat_index)?;
    tell(own, name, name_len)?;
    tell(text, desc, desc_len)?;
    put(num_cvars, cvars.len() as c_int)?;
    put(num_pvars, pvars.len() as c_int)?;
    put(num_categories, 0)
}

/// Gives the number of events of a category.
///
/// MPI 4.1 §15.3.9. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_category_get_num_events(cat_index: c_int, num_events: Mut<c_int>) -> c_int {
    let found = members(cat_index, types(), |t| &t.about)?;
    num_events.out("num_events")?.set(found.len() as c_int);
    Ok(())
}

/// Gives the index of a category.
///
/// MPI 4.1 §15.3.9. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_NAME`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_category_get_index(name: In<c_char>, cat_index: Mut<c_int>) -> c_int {
    tools::check()?;
    let (name, cat_index) = (named(name)?, cat_index.out("cat_index")?);
    cat_index.set(tools::find(&CATEGORIES, name, |c| c.0 == name)?);
    Ok(())
}

/// Gives the indices of a category's control variables, at most `len`.
///
/// MPI 4.1 §15.3.9. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_category_get_cvars(
    cat_index: c_int,
    len: c_int,
    indices: Mut<c_int>,
) -> c_int {
    let found = members(cat_index, controls(), |c| &c.about)?;
    list(&found, len, indices)
}

/// Gives the indices of a category's performance variables, at most `len`.
///
/// MPI 4.1 §15.3.9. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_category_get_pvars(
    cat_index: c_int,
    len: c_int,
    indices: Mut<c_int>,
) -> c_int {
    let found = members(cat_index, performances(), |p| &p.about)?;
    list(&found, len, indices)
}

/// Gives the indices of a category's events, at most `len`.
///
/// MPI 4.1 §15.3.9. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_category_get_events(
    cat_index: c_int,
    len: c_int,
    indices: Mut<c_int>,
) -> c_int {
    let found = members(cat_index, types(), |t| &t.about)?;
    list(&found, len, indices)
}

/// Gives the indices of the categories within a category: none.
///
/// MPI 4.1 §15.3.9. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_category_get_categories(
    cat_index: c_int,
    len: c_int,
    indices: Mut<c_int>,
) -> c_int {
    tools::check()?;
    tools::at(&CATEGORIES, cat_index)?;
    list(&[], len, indices)
}

/// Gives a number that would change with the categories, which do not.
///
/// MPI 4.1 §15.3.9. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_category_changed(update_number: Mut<c_int>) -> c_int {
    tools::check()?;
    update_number.out("update_number")?.set(0);
    Ok(())
}

/// The enumerations: for each kind of events one, of its elements' names. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
fn enumeration(enumtype: MPI_T_enum) -> Result<&'static Type> {
    tools::check()?;
    match types().get(of_handle(enumtype)) {
        Some(found) => Ok(found),
        None => bail!(TInvalidHandle, "enumtype is {enumtype:p}, which is none"),
    }
}

/// Describes an enumeration: the names of the elements of a kind of events. Results whose places are null are left out.
///
/// MPI 4.1 §15.3.5. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID` (negative length).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_enum_get_info(
    enumtype: MPI_T_enum,
    num: Mut<c_int>,
    name: Mut<c_char>,
    name_len: Mut<c_int>,
) -> c_int {
    let of = enumeration(enumtype)?;
    tell(&format!("{}_elements", of.about.name), name, name_len)?;
    put(num, of.elements.len() as c_int)
}

/// Describes a value of an enumeration: an element's number and name. Results whose places are null are left out.
///
/// MPI 4.1 §15.3.5. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID_ITEM`, `MPI_T_ERR_INVALID`
/// (negative length).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_enum_get_item(
    enumtype: MPI_T_enum,
    indx: c_int,
    value: Mut<c_int>,
    name: Mut<c_char>,
    name_len: Mut<c_int>,
) -> c_int {
    let elements = enumeration(enumtype)?.elements;
    let element = usize::try_from(indx).ok().and_then(|i| elements.get(i));
    let Some(element) = element else {
        bail!(
            TInvalidItem,
            "indx is {indx}, but there are {}",
            elements.len()
        );
    };
    tell(element.name, name, name_len)?;
    put(value, indx)
}
