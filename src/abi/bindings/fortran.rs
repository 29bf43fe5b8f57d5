//! What libraries for Fortran, MPICH's (`libmpichfort.so.12`) and this library's own, ask of the library for C beside
//! MPI: attributes with the integers of Fortran for values (MPI 4.1 §19.3.7), and the word that a user's callbacks are
//! Fortran's. These names are no part of MPI and not in `mpi.h`; errors are reported as those of the MPI functions that
//! they stand for.

use crate::abi::boundary::errors::raise;
use crate::abi::boundary::exports::Argument;
use crate::abi::boundary::pointers::Mut;
use crate::abi::windows::window as win;
use crate::attribute::{self, CopyProxy, DeleteProxy, Proxies, Value};
use crate::comm::predefined;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::p2p::request;
use crate::{comm, datatype};
use std::ffi::{c_int, c_void};

/// The kind of value that C functions mean. Others are integers: as large as an address or as Fortran's `INTEGER`.
const POINTER: c_int = 0;

/// The key that C has for a predefined attribute: MPICH's Fortran has the number after it, which finds the value, not its address.
fn key_in_c(keyval: c_int) -> c_int {
    if cfg!(any(feature = "openmpi", feature = "standard")) {
        return keyval;
    }
    let before = keyval.wrapping_sub(1);
    match keyval & 1 == 0 && attribute::is_predefined(before) {
        true => before,
        false => keyval,
    }
}

/// A value to be set. Fortran's integers come in a pointer's place.
fn value(value: Mut<c_void>, kind: c_int) -> Value {
    match kind {
        POINTER => Value::Pointer(value.pointer().expose_provenance()),
        _ => Value::integer(value.pointer().addr() as isize),
    }
}

/// Hands a value over; in Fortran as an integer that fills a pointer's place, of which the Fortran library takes what
/// it wants.
fn hand_over(
    found: Option<Value>,
    kind: c_int,
    place: Mut<c_void>,
    flag: Mut<c_int>,
) -> Result<()> {
    let (place, flag) = (
        place.cast::<usize>().out("attribute_val")?,
        flag.out("flag")?,
    );
    flag.set(found.is_some().into());
    if let Some(value) = found {
        place.set(match kind {
            POINTER => value.in_c(),
            _ => value.in_fortran() as usize,
        });
    }
    Ok(())
}

/// The code for the outcome of what the Fortran library asked for in place of `function`.
fn code(function: &'static str, object: impl Argument, outcome: Result<()>) -> c_int {
    match outcome {
        Ok(()) => MPI_SUCCESS,
        Err(error) => raise(function, error, &[object.object()]),
    }
}

/// `MPI_Comm_set_attr` and `MPI_ATTR_PUT`.
#[unsafe(no_mangle)]
pub extern "C" fn MPII_Comm_set_attr(
    comm: C<MPI_Comm>,
    keyval: c_int,
    attribute_val: Mut<c_void>,
    kind: c_int,
) -> c_int {
    let comm = MPI_Comm::of(comm);
    let value = value(attribute_val, kind);
    let set = || comm::get(comm)?.attributes.set(comm.0, keyval, value);
    code("MPI_Comm_set_attr", comm, set())
}

/// `MPI_Type_set_attr`.
#[unsafe(no_mangle)]
pub extern "C" fn MPII_Type_set_attr(
    datatype: C<MPI_Datatype>,
    keyval: c_int,
    attribute_val: Mut<c_void>,
    kind: c_int,
) -> c_int {
    let datatype = MPI_Datatype::of(datatype);
    let value = value(attribute_val, kind);
    let set = || {
        datatype::get(datatype)?
            .attributes
            .set(datatype.0, keyval, value)
    };
    code("MPI_Type_set_attr", datatype, set())
}

/// `MPI_Win_set_attr`.
#[unsafe(no_mangle)]
pub extern "C" fn MPII_Win_set_attr(
    win: C<MPI_Win>,
    keyval: c_int,
    attribute_val: Mut<c_void>,
    kind: c_int,
) -> c_int {
    let win = MPI_Win::of(win);
    let value = value(attribute_val, kind);
    let set = || crate::win::get(win)?.attributes.set(win.0, keyval, value);
    code("MPI_Win_set_attr", win, set())
}

/// `MPI_Comm_get_attr` and `MPI_ATTR_GET`. Of a predefined attribute, which C finds by its address, Fortran gets the value.
#[unsafe(no_mangle)]
pub extern "C" fn MPII_Comm_get_attr(
    comm: C<MPI_Comm>,
    keyval: c_int,
    attribute_val: Mut<c_void>,
    flag: Mut<c_int>,
    kind: c_int,
) -> c_int {
    let comm = MPI_Comm::of(comm);
    let keyval = key_in_c(keyval);
    let find = || {
        let comm = comm::get(comm)?;
        if attribute::is_of_communicators(keyval) {
            let value = predefined::value(keyval).map(|place| match kind {
                POINTER => Value::Pointer(place.expose_provenance()),
                // SAFETY: predefined attributes are valid `int`s.
                _ => Value::integer(unsafe { *place } as isize),
            });
            return Ok(value);
        }
        comm.attributes.get(keyval)
    };
    let give = |found| hand_over(found, kind, attribute_val, flag);
    code("MPI_Comm_get_attr", comm, find().and_then(give))
}

/// `MPI_Type_get_attr`.
#[unsafe(no_mangle)]
pub extern "C" fn MPII_Type_get_attr(
    datatype: C<MPI_Datatype>,
    keyval: c_int,
    attribute_val: Mut<c_void>,
    flag: Mut<c_int>,
    kind: c_int,
) -> c_int {
    let datatype = MPI_Datatype::of(datatype);
    let find = || datatype::get(datatype)?.attributes.get(keyval);
    let give = |found| hand_over(found, kind, attribute_val, flag);
    code("MPI_Type_get_attr", datatype, find().and_then(give))
}

/// `MPI_Win_get_attr`. The base is an address in both languages; the other predefined attributes are as those of
/// communicators.
#[unsafe(no_mangle)]
pub extern "C" fn MPII_Win_get_attr(
    win: C<MPI_Win>,
    keyval: c_int,
    attribute_val: Mut<c_void>,
    flag: Mut<c_int>,
    kind: c_int,
) -> c_int {
    let win = MPI_Win::of(win);
    let keyval = key_in_c(keyval);
    let find = || {
        let window = crate::win::get(win)?;
        let Some(place) = win::predefined(window, keyval) else {
            return window.attributes.get(keyval);
        };
        let own = &window.own;
        Ok(Some(match keyval {
            MPI_WIN_SIZE if kind != POINTER => Value::integer(own.size),
            MPI_WIN_DISP_UNIT if kind != POINTER => Value::integer(own.disp_unit as isize),
            MPI_WIN_CREATE_FLAVOR if kind != POINTER => Value::integer(own.flavor as isize),
            MPI_WIN_MODEL if kind != POINTER => Value::integer(own.model as isize),
            _ => Value::Pointer(place.expose_provenance()),
        }))
    };
    let give = |found| hand_over(found, kind, attribute_val, flag);
    code("MPI_Win_get_attr", win, find().and_then(give))
}

/// Says that the functions of the key `keyval` are to be called by these two, which call Fortran.
#[unsafe(no_mangle)]
pub extern "C" fn MPII_Keyval_set_proxy(
    keyval: c_int,
    copy_proxy: Option<CopyProxy>,
    delete_proxy: Option<DeleteProxy>,
) {
    if let (Some(copy), Some(delete)) = (copy_proxy, delete_proxy) {
        attribute::set_proxies(keyval, Proxies { copy, delete });
    }
}

/// Says that the functions of a generalized request are Fortran's. Called right after `MPI_Grequest_start`; another request
/// stays as it is.
#[unsafe(no_mangle)]
pub extern "C" fn MPII_Grequest_set_lang_f77(request: C<MPI_Request>) {
    request::set_fortran(MPI_Request::of(request));
}
