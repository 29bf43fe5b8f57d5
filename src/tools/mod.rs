//! The tool information interface (MPI 4.1 §15.3): what the library lets others see and set of itself.
//!
//! What is counted where operations are fast, the bytes of put and get, is counted by plain instructions on this process's
//! own memory; all else is of things that wait, sleep or call the system anyway.

mod control;
pub mod events;
mod performance;

pub use control::{Control, controls};
pub use performance::{Counter, Performance, performances, sessions};

use crate::err;
use crate::error::Result;
use crate::mpi::constants::*;
use parking_lot::Mutex;
use std::ffi::c_int;

/// What variables belong to: name and description.
pub const CATEGORIES: [(&str, &str); 5] = [
    ("rmashm_waiting", "How a process waits for others"),
    ("rmashm_messages", "Messages between processes"),
    ("rmashm_memory", "Memory that processes share"),
    ("rmashm_files", "Files"),
    ("rmashm_windows", "One-sided communication"),
];

pub(crate) const WAITING: usize = 0;
pub(crate) const MESSAGES: usize = 1;
pub(crate) const MEMORY: usize = 2;
pub(crate) const FILES: usize = 3;
pub(crate) const WINDOWS: usize = 4;

/// What all kinds of variables have. Their values are 64-bit unsigned numbers.
pub struct About {
    pub name: &'static str,
    pub text: &'static str,
    /// An index into [`CATEGORIES`].
    pub category: usize,
    pub verbosity: c_int,
}

/// How often the interface was initialized and not yet finalized.
static USERS: Mutex<u32> = Mutex::new(0);

/// One more user.
pub fn enter() {
    *USERS.lock() += 1;
}

/// One user less. Error: `MPI_T_ERR_NOT_INITIALIZED`.
pub fn leave() -> Result<()> {
    let mut users = USERS.lock();
    if *users == 0 {
        return Err(not_initialized());
    }
    *users -= 1;
    if *users == 0 {
        sessions().clear();
        events::clear();
    }
    Ok(())
}

/// Error: `MPI_T_ERR_NOT_INITIALIZED`.
pub fn check() -> Result<()> {
    match *USERS.lock() {
        0 => Err(not_initialized()),
        _ => Ok(()),
    }
}

fn not_initialized() -> crate::error::Error {
    err!(
        TNotInitialized,
        "the tool information interface is not initialized"
    )
}

/// Handles are pointers that nobody follows: this, and an index.
const FIRST: usize = 0x1000;

pub fn to_handle<T>(index: usize) -> *mut T {
    std::ptr::without_provenance_mut(FIRST + index)
}

pub fn of_handle<T>(handle: *mut T) -> usize {
    handle.addr().wrapping_sub(FIRST)
}

/// `list[index]`. Error: `MPI_T_ERR_INVALID_INDEX`.
pub fn at<T>(list: &[T], index: c_int) -> Result<&T> {
    let found = usize::try_from(index).ok().and_then(|i| list.get(i));
    found.ok_or_else(|| {
        err!(
            TInvalidIndex,
            "the index is {index}, but there are {}",
            list.len()
        )
    })
}

/// The index of the first that `is` so. Error: `MPI_T_ERR_INVALID_NAME`.
pub fn find<T>(list: &[T], name: &str, is: impl Fn(&T) -> bool) -> Result<c_int> {
    match list.iter().position(is) {
        Some(index) => Ok(index as c_int),
        None => Err(err!(TInvalidName, "there is nothing with the name {name}")),
    }
}

/// For everybody / for those who tune.
pub(crate) const BASIC: c_int = MPI_T_VERBOSITY_USER_BASIC;
pub(crate) const TUNER: c_int = MPI_T_VERBOSITY_TUNER_BASIC;
