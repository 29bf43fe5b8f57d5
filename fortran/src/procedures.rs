//! The procedures that the generator prints.
//!
//! A caller is Fortran, whose compiler has made addresses of all arguments that an interface asks for. Without an interface
//! nothing is checked, here as in any library for Fortran.

#![allow(
    clippy::all,
    dead_code,
    unsafe_op_in_unsafe_fn,
    unused_unsafe,
    unused_variables,
    unused_mut,
    unreachable_code
)]

use crate::attributes::*;
use crate::callbacks::*;
use crate::datareps::*;
#[cfg(not(feature = "openmpi"))]
use crate::descriptor::{Cfi, Descriptor, Gfortran};
use crate::f08;
#[cfg(not(feature = "openmpi"))]
use crate::f08::Object;
#[cfg(not(feature = "openmpi"))]
use crate::face::NO_TYPE;
use crate::face::*;
#[cfg(feature = "openmpi")]
use crate::functions;
use crate::header;
use crate::infos::*;
use crate::own::*;
use crate::requests::*;
#[cfg(not(feature = "openmpi"))]
use crate::section::{Copied, How, Typed, finish_with};
use crate::spawn::*;
use crate::text::{Text, give_text};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

/// An index of C counts from 0. What is no index is negative.
#[inline(always)]
unsafe fn from_one(index: *mut c_int) {
    if *index >= 0 {
        *index += 1;
    }
}

/// The same for the first `count` of at most `room` indices.
#[inline(always)]
unsafe fn from_one_all(indices: *mut c_int, count: c_int, room: c_int) {
    for at in 0..count.min(room).max(0) as usize {
        from_one(indices.add(at));
    }
}

/// Addresses that were integers in MPI-1.
unsafe fn addresses(addresses: *const c_int, count: c_int) -> Vec<isize> {
    let count = count.max(0) as usize;
    // SAFETY: the caller's promise: so many are there.
    let address_at = |at: usize| unsafe { *addresses.add(at) } as isize;
    (0..count).map(address_at).collect()
}

include!(concat!(env!("OUT_DIR"), "/procedures.rs"));
