//! Info objects (MPI 4.1 §10): ordered maps of strings, and what the environment says of this process.
//!
//! The strings are C's: bytes in any encoding, kept as they were given.
//!
//! Rooms that take hints use [`hints`] to get a copy of what the user gave, and [`publish`] to give an info to the user.

mod environment;
pub mod kinds;

use crate::error::Result;
use crate::handle::{Kind, Table};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, err};
use parking_lot::Mutex;
use std::sync::Arc;

pub use environment::{environment, of_arguments};

/// Keys and their values, in the order in which the keys were first set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Info {
    pub fn new() -> Info {
        Info::default()
    }

    /// The value of `key`, as it was given.
    pub fn bytes(&self, key: impl AsRef<[u8]>) -> Option<&[u8]> {
        let pair = self.pairs.iter().find(|(k, _)| **k == *key.as_ref())?;
        Some(&pair.1)
    }

    /// The value of a hint. One that is not UTF-8 is the replacement character, which no hint has as a value that means something.
    pub fn get(&self, key: &str) -> Option<&str> {
        let value = self.bytes(key)?;
        Some(std::str::from_utf8(value).unwrap_or("\u{fffd}"))
    }

    /// Sets `key`, or changes its value.
    pub fn set(&mut self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) {
        let (key, value) = (key.as_ref(), value.as_ref());
        match self.pairs.iter_mut().find(|(k, _)| **k == *key) {
            Some(pair) => pair.1 = value.into(),
            None => self.pairs.push((key.into(), value.into())),
        }
    }

    /// Takes `key` out; false if it was not there.
    pub fn remove(&mut self, key: impl AsRef<[u8]>) -> bool {
        let before = self.pairs.len();
        self.pairs.retain(|(k, _)| **k != *key.as_ref());
        self.pairs.len() < before
    }

    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Keys and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.pairs.iter().map(|(k, v)| (&**k, &**v))
    }
}

static INFOS: Table<Mutex<Info>> = Table::new(Kind::Info);

fn find(handle: MPI_Info) -> Result<&'static Mutex<Info>> {
    INFOS.get(handle.0).ok_or_else(|| match handle {
        MPI_INFO_NULL => err!(Info, "info is MPI_INFO_NULL"),
        MPI_INFO_ENV => err!(Info, "info is MPI_INFO_ENV, which cannot be changed"),
        _ => err!(Info, "info is {:#x}, which is no info object", handle.0),
    })
}

/// A copy of an info object, `MPI_INFO_ENV` included. Error: `MPI_ERR_INFO`.
pub fn copy(handle: MPI_Info) -> Result<Info> {
    if handle == MPI_INFO_ENV {
        return Ok(environment());
    }
    Ok(find(handle)?.lock().clone())
}

/// A copy of an argument that gives hints: none if it is `MPI_INFO_NULL`. Error: `MPI_ERR_INFO`.
pub fn hints(handle: MPI_Info) -> Result<Info> {
    match handle {
        MPI_INFO_NULL => Ok(Info::new()),
        _ => copy(handle),
    }
}

/// Changes an info object. Error: `MPI_ERR_INFO`.
pub fn change<R>(handle: MPI_Info, work: impl FnOnce(&mut Info) -> R) -> Result<R> {
    Ok(work(&mut find(handle)?.lock()))
}

/// Makes an info object for the user. Error: `MPI_ERR_NO_MEM` when handles are exhausted.
pub fn publish(info: Info) -> Result<MPI_Info> {
    INFOS.insert(Arc::new(Mutex::new(info))).map(MPI_Info)
}

/// Ends an info object. Error: `MPI_ERR_INFO`.
pub fn free(handle: MPI_Info) -> Result<()> {
    find(handle)?;
    match INFOS.remove(handle.0) {
        Some(_) => Ok(()),
        None => bail!(Info, "info is {:#x}, which was just freed", handle.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Class;

    /// Keys and values of any bytes are those of a list that is searched.
    #[test]
    fn any_keys_and_values() {
        arbtest::arbtest(|drawn| {
            let mut info = Info::new();
            let mut pairs: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
            while !drawn.is_empty() {
                let key = vec![drawn.int_in_range(0..=3_u8)?; drawn.int_in_range(0..=3)?];
                let place = pairs.iter().position(|(it, _)| *it == key);
                if drawn.arbitrary()? {
                    assert_eq!(info.remove(&key), place.is_some());
                    place.map(|place| pairs.remove(place));
                    continue;
                }
                let value: Vec<u8> = drawn.arbitrary()?;
                info.set(&key, &value);
                match place {
                    Some(place) => pairs[place].1 = value,
                    None => pairs.push((key, value)),
                }
            }
            assert_eq!(info.pairs, pairs);
            for (key, value) in &pairs {
                assert_eq!(info.bytes(key), Some(&**value));
            }
            Ok(())
        })
        .budget_ms(300);
    }

    #[test]
    fn keys_keep_their_order() {
        let mut info = Info::new();
        for key in ["b", "a", "c"] {
            info.set(key, "1");
        }
        info.set("a", "2");
        assert!(info.remove("b") && !info.remove("b"));
        let pairs: Vec<_> = info.iter().collect();
        assert_eq!(pairs, [(&b"a"[..], &b"2"[..]), (b"c", b"1")]);
    }

    #[test]
    fn strings_are_bytes() {
        let mut info = Info::new();
        info.set(b"\xe9t\xe9", b"summer");
        info.set("no_locks", b"tr\xfce");
        assert_eq!(info.bytes(b"\xe9t\xe9"), Some(&b"summer"[..]));
        assert_eq!(info.bytes("no_locks"), Some(&b"tr\xfce"[..]));
        assert!(!["true", "false", ""].contains(&info.get("no_locks").unwrap()));
        assert!(info.remove(b"\xe9t\xe9"));
    }

    #[test]
    fn copies_are_apart_and_freed_handles_are_found_out() {
        let handle = publish(Info::new()).unwrap();
        let before = copy(handle).unwrap();
        change(handle, |info| info.set("key", "value")).unwrap();
        assert_eq!(before.len(), 0);
        assert_eq!(copy(handle).unwrap().get("key"), Some("value"));
        free(handle).unwrap();
        assert_eq!(free(handle).unwrap_err().class, Class::Info);
        assert_eq!(free(MPI_INFO_ENV).unwrap_err().class, Class::Info);
        assert_eq!(hints(MPI_INFO_NULL).unwrap().len(), 0);
        assert!(copy(MPI_INFO_NULL).is_err());
    }
}
