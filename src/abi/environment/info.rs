//! Info objects (MPI 4.1 §10). All of these may be called at any time, also before `MPI_Init` and after `MPI_Finalize`.
//!
//! Keys are case-sensitive strings of less than `MPI_MAX_INFO_KEY` bytes, values of less than `MPI_MAX_INFO_VAL`.

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::error::{Class, Error, Result};
use crate::info::{self, Info};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, err, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int};

fn text<'a>(pointer: In<'a, c_char>, name: &str, longest: c_int, class: Class) -> Result<&'a [u8]> {
    let wrong = |what: String| Error::new(class, what);
    let text = pointer
        .string(name)
        .map_err(|e| wrong(e.into_text().into()))?;
    let length = text.count_bytes();
    if length >= longest as usize {
        return Err(wrong(format!(
            "{name} has {length} bytes, but must have less than {longest}"
        )));
    }
    Ok(text.to_bytes())
}

/// A key, as the program gave it. Errors: `MPI_ERR_INFO_KEY`.
pub fn key<'a>(pointer: In<'a, c_char>) -> Result<&'a [u8]> {
    let key = text(pointer, "key", MPI_MAX_INFO_KEY, Class::InfoKey)?;
    if key.is_empty() {
        bail!(InfoKey, "key is empty");
    }
    Ok(key)
}

/// Makes an empty info object.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Info_create(info: Mut<MPI_Info>) -> c_int {
    let info = info.out("info")?;
    info.set(info::publish(Info::new())?);
    Ok(())
}

/// Makes an info object that tells what `MPI_INFO_ENV` tells, for a program with these arguments. `argc` may be 0 and
/// `argv` null: then the process's own are taken. `maxprocs` is how many processes run the program, of the part of the command line or
/// of a call of `MPI_Comm_spawn_multiple` that has started it; under a process manager, before MPI_Init, how many run all of them.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_ARG` (null pointer, negative `argc`), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Info_create_env(
    argc: c_int,
    argv: Mut<*mut c_char>,
    info: Mut<MPI_Info>,
) -> c_int {
    let info = info.out("info")?;
    let argc = if argv.is_null() {
        0
    } else {
        number(argc, "argc")?
    };
    let arguments = argv.cast::<In<c_char>>().slice(argc, "argv")?;
    let words = arguments
        .iter()
        .map(|word| word.string("argv[i]"))
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
pub extern "C" fn MPI_Info_free(info: Mut<MPI_Info>) -> c_int {
    let mut info = info.inout("info")?;
    info::free(*info)?;
    *info = MPI_INFO_NULL;
    Ok(())
}

/// Makes an info object with the same keys, values and order.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Info_dup(info: MPI_Info, newinfo: Mut<MPI_Info>) -> c_int {
    let copy = info::copy(info)?;
    let newinfo = newinfo.out("newinfo")?;
    newinfo.set(info::publish(copy)?);
    Ok(())
}

/// Sets a key, or changes its value.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_INFO_KEY` and `MPI_ERR_INFO_VALUE` (null, too long, or an empty
/// key).
#[apply(mpi_api)]
pub extern "C" fn MPI_Info_set(info: MPI_Info, key: In<c_char>, value: In<c_char>) -> c_int {
    let (key, value) = (
        self::key(key),
        text(value, "value", MPI_MAX_INFO_VAL, Class::InfoValue),
    );
    info::change(info, |info| {
        info.set(key?, value?);
        Ok(())
    })?
}

/// Takes a key out.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_INFO_KEY`, `MPI_ERR_INFO_NOKEY` (the key is not set).
#[apply(mpi_api)]
pub extern "C" fn MPI_Info_delete(info: MPI_Info, key: In<c_char>) -> c_int {
    let key = self::key(key);
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
pub extern "C" fn MPI_Info_get(
    info: MPI_Info,
    key: In<c_char>,
    valuelen: c_int,
    value: Mut<c_char>,
    flag: Mut<c_int>,
) -> c_int {
    let found = info::copy(info)?;
    let (key, flag) = (self::key(key)?, flag.out("flag")?);
    number(valuelen, "valuelen")?;
    if value.is_null() {
        bail!(InfoValue, "value is a null pointer");
    }
    let found = found.bytes(key);
    flag.set(found.is_some().into());
    if let Some(text) = found {
        value.put_string(valuelen.saturating_add(1), text, "value")?;
    }
    Ok(())
}

/// Gives the value of a key, cut to `*buflen` bytes with its zero, and in `*buflen` the bytes that all of it takes with its
/// zero. `flag` tells whether the key is set; if not, nothing else is changed. With `*buflen` 0, `value` is not looked at.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_INFO_KEY`, `MPI_ERR_INFO_VALUE` (null pointer), `MPI_ERR_ARG` (negative
/// `*buflen`, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Info_get_string(
    info: MPI_Info,
    key: In<c_char>,
    buflen: Mut<c_int>,
    value: Mut<c_char>,
    flag: Mut<c_int>,
) -> c_int {
    let found = info::copy(info)?;
    let (key, mut buflen, flag) = (self::key(key)?, buflen.inout("buflen")?, flag.out("flag")?);
    let room = number(*buflen, "*buflen")?;
    if room > 0 && value.is_null() {
        bail!(InfoValue, "value is a null pointer");
    }
    let found = found.bytes(key);
    if let Some(text) = found {
        if room > 0 {
            value.put_string(*buflen, text, "value")?;
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
pub extern "C" fn MPI_Info_get_valuelen(
    info: MPI_Info,
    key: In<c_char>,
    valuelen: Mut<c_int>,
    flag: Mut<c_int>,
) -> c_int {
    let found = info::copy(info)?;
    let (key, valuelen, flag) = (
        self::key(key)?,
        valuelen.out("valuelen")?,
        flag.out("flag")?,
    );
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
pub extern "C" fn MPI_Info_get_nkeys(info: MPI_Info, nkeys: Mut<c_int>) -> c_int {
    let count = info::copy(info)?.len();
    nkeys.out("nkeys")?.set(count as c_int);
    Ok(())
}

/// Gives the key number `n`, counted from 0; at most `MPI_MAX_INFO_KEY` bytes with its zero.
///
/// MPI 4.1 §10. Errors: `MPI_ERR_INFO`, `MPI_ERR_ARG` (there is no such key), `MPI_ERR_INFO_KEY` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Info_get_nthkey(info: MPI_Info, n: c_int, key: Mut<c_char>) -> c_int {
    let copy = info::copy(info)?;
    if key.is_null() {
        bail!(InfoKey, "key is a null pointer");
    }
    let nth = usize::try_from(n).ok().and_then(|n| copy.iter().nth(n));
    let Some((name, _)) = nth else {
        bail!(Arg, "n is {n}, but the info object has {} keys", copy.len());
    };
    key.put_string(MPI_MAX_INFO_KEY, name, "key")?;
    Ok(())
}
