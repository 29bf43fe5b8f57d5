//! Info objects (MPI 4.1 §10). All of these may be called at any time, also before `MPI_Init` and after `MPI_Finalize`.
//!
//! Keys are case-sensitive strings of less than `MPI_MAX_INFO_KEY` bytes, values of less than `MPI_MAX_INFO_VAL`.

use crate::abi::boundary::arguments::{inout, number, out, put_string, slice, string};
use crate::error::{Class, Error, Result};
use crate::info::{self, Info};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, err, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int};

/// # Safety
/// As `string`: what is not null ends with a zero.
unsafe fn text<'a>(
    pointer: *const c_char,
    name: &str,
    longest: c_int,
    class: Class,
) -> Result<&'a [u8]> {
    let wrong = |what: String| Error::new(class, what);
    // SAFETY: the same contract.
    let text = unsafe { string(pointer, name) }.map_err(|e| wrong(e.text.into()))?;
    let length = text.count_bytes();
    if length >= longest as usize {
        return Err(wrong(format!(
            "{name} has {length} bytes, but must have less than {longest}"
        )));
    }
    Ok(text.to_bytes())
}

/// # Safety
/// As `text`.
unsafe fn key<'a>(pointer: *const c_char) -> Result<&'a [u8]> {
    // SAFETY: the same contract.
    let key = unsafe { text(pointer, "key", MPI_MAX_INFO_KEY, Class::InfoKey)? };
    if key.is_empty() {
        bail!(InfoKey, "key is empty");
    }
    Ok(key)
}

/// Makes an empty info object.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_create(info: *mut MPI_Info) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let info = unsafe { out(info, "info")? };
    info.set(info::publish(Info::new())?);
    Ok(())
}

/// Makes an info object that tells what `MPI_INFO_ENV` tells, for a program with these arguments. `argc` may be 0 and
/// `argv` null: then the process's own are taken.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_ARG` (null pointer, negative `argc`), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_create_env(
    argc: c_int,
    argv: *mut *mut c_char,
    info: *mut MPI_Info,
) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let info = unsafe { out(info, "info")? };
    let argc = if argv.is_null() {
        0
    } else {
        number(argc, "argc")?
    };
    // SAFETY: the caller promised `argc` strings.
    let arguments = unsafe { slice(argv.cast_const(), argc, "argv")? };
    let words = arguments
        .iter()
        // SAFETY: as above.
        .map(|&word| unsafe { string(word, "argv[i]") })
        .map(|word| Ok(word?.to_bytes()))
        .collect::<Result<Vec<_>>>()?;
    let environment = match words.is_empty() {
        true => info::environment(),
        false => info::of_arguments(&words),
    };
    info.set(info::publish(environment)?);
    Ok(())
}

/// Ends an info object and sets the handle to `MPI_INFO_NULL`.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_INFO` (no info object, `MPI_INFO_ENV`).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_free(info: *mut MPI_Info) -> c_int {
    // SAFETY: what is not null is a handle.
    let info = unsafe { inout(info, "info")? };
    info::free(*info)?;
    *info = MPI_INFO_NULL;
    Ok(())
}

/// Makes an info object with the same keys, values and order.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_dup(info: MPI_Info, newinfo: *mut MPI_Info) -> c_int {
    let copy = info::copy(info)?;
    // SAFETY: what is not null is a place for a handle.
    let newinfo = unsafe { out(newinfo, "newinfo")? };
    newinfo.set(info::publish(copy)?);
    Ok(())
}

/// Sets a key, or changes its value.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_INFO_KEY` and `MPI_ERR_INFO_VALUE` (null, too long, or an empty
/// key).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_set(
    info: MPI_Info,
    key: *const c_char,
    value: *const c_char,
) -> c_int {
    // SAFETY: what is not null ends with a zero.
    let (key, value) = unsafe {
        (
            self::key(key),
            text(value, "value", MPI_MAX_INFO_VAL, Class::InfoValue),
        )
    };
    info::change(info, |info| {
        info.set(key?, value?);
        Ok(())
    })?
}

/// Takes a key out.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_INFO_KEY`, `MPI_ERR_INFO_NOKEY` (the key is not set).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_delete(info: MPI_Info, key: *const c_char) -> c_int {
    // SAFETY: what is not null ends with a zero.
    let key = unsafe { self::key(key) };
    info::change(info, |info| {
        let key = key?;
        match info.remove(key) {
            true => Ok(()),
            false => Err(err!(
                InfoNokey,
                "key is \"{}\", which is not set",
                key.escape_ascii()
            )),
        }
    })?
}

/// Gives the value of a key, cut to `valuelen` bytes; `value` has room for a zero more. `flag` tells whether the key is
/// set; if not, `value` is unchanged.
///
/// MPI 4.1 §16.1 (deprecated: use `MPI_Info_get_string`). Errors: `MPI_ERR_INFO`, `MPI_ERR_INFO_KEY`,
/// `MPI_ERR_INFO_VALUE` (null pointer), `MPI_ERR_ARG` (negative `valuelen`, null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_get(
    info: MPI_Info,
    key: *const c_char,
    valuelen: c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> c_int {
    let found = info::copy(info)?;
    // SAFETY: what is not null is a string, and a place for an `int`.
    let (key, flag) = unsafe { (self::key(key)?, out(flag, "flag")?) };
    number(valuelen, "valuelen")?;
    if value.is_null() {
        bail!(InfoValue, "value is a null pointer");
    }
    let found = found.bytes(key);
    flag.set(found.is_some().into());
    if let Some(text) = found {
        // SAFETY: the array has a byte more than `valuelen`.
        unsafe { put_string(value, valuelen.saturating_add(1), text, "value")? };
    }
    Ok(())
}

/// Gives the value of a key, cut to `*buflen` bytes with its zero, and in `*buflen` the bytes that all of it takes with its
/// zero. `flag` tells whether the key is set; if not, nothing else is changed. With `*buflen` 0, `value` is not looked at.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_INFO_KEY`, `MPI_ERR_INFO_VALUE` (null pointer), `MPI_ERR_ARG` (negative
/// `*buflen`, null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_get_string(
    info: MPI_Info,
    key: *const c_char,
    buflen: *mut c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> c_int {
    let found = info::copy(info)?;
    // SAFETY: what is not null is a string, an `int`, and a place for an `int`.
    let (key, buflen, flag) = unsafe {
        (
            self::key(key)?,
            inout(buflen, "buflen")?,
            out(flag, "flag")?,
        )
    };
    let room = number(*buflen, "*buflen")?;
    if room > 0 && value.is_null() {
        bail!(InfoValue, "value is a null pointer");
    }
    let found = found.bytes(key);
    if let Some(text) = found {
        if room > 0 {
            // SAFETY: the array has `*buflen` bytes.
            unsafe { put_string(value, *buflen, text, "value")? };
        }
        *buflen = text.len() as c_int + 1;
    }
    flag.set(found.is_some().into());
    Ok(())
}

/// Gives the length of a key's value in bytes, without the zero. `flag` tells whether the key is set.
///
/// MPI 4.1 §16.1 (deprecated: use `MPI_Info_get_string`). Errors: `MPI_ERR_INFO`, `MPI_ERR_INFO_KEY`, `MPI_ERR_ARG`
/// (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_get_valuelen(
    info: MPI_Info,
    key: *const c_char,
    valuelen: *mut c_int,
    flag: *mut c_int,
) -> c_int {
    let found = info::copy(info)?;
    // SAFETY: what is not null is a string, and places for `int`s.
    let (key, valuelen, flag) = unsafe {
        (
            self::key(key)?,
            out(valuelen, "valuelen")?,
            out(flag, "flag")?,
        )
    };
    let found = found.bytes(key);
    if let Some(text) = found {
        valuelen.set(text.len() as c_int);
    }
    flag.set(found.is_some().into());
    Ok(())
}

/// Gives the number of keys.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_get_nkeys(info: MPI_Info, nkeys: *mut c_int) -> c_int {
    let count = info::copy(info)?.len();
    // SAFETY: what is not null is a place for an `int`.
    unsafe { out(nkeys, "nkeys")? }.set(count as c_int);
    Ok(())
}

/// Gives the key number `n`, counted from 0; at most `MPI_MAX_INFO_KEY` bytes with its zero.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_ARG` (there is no such key), `MPI_ERR_INFO_KEY` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Info_get_nthkey(info: MPI_Info, n: c_int, key: *mut c_char) -> c_int {
    let copy = info::copy(info)?;
    if key.is_null() {
        bail!(InfoKey, "key is a null pointer");
    }
    let nth = usize::try_from(n).ok().and_then(|n| copy.iter().nth(n));
    let Some((name, _)) = nth else {
        bail!(Arg, "n is {n}, but the info object has {} keys", copy.len());
    };
    // SAFETY: the array has room for every key.
    unsafe { put_string(key, MPI_MAX_INFO_KEY, name, "key")? };
    Ok(())
}
