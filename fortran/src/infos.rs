//! Strings that C gives in a room whose length the caller says. In C that counts the zero at the end, in Fortran it does not.

use crate::f08::give;
use crate::face::{CHandle, Info, Kind, Session};
use crate::procedures::*;
use crate::text::{Text, give_text};
use std::ffi::{c_char, c_int, c_void};

/// Whether `call` finds a value under a key.
///
/// # Safety
/// `key` has `key_length` characters; `flag`, and `ierror` if there is one, are variables.
unsafe fn finds(
    call: impl FnOnce(*mut c_void) -> c_int,
    key: *mut c_char,
    key_length: usize,
    flag: *mut c_int,
    ierror: *mut c_int,
) -> bool {
    // SAFETY: the caller's contract.
    unsafe {
        let key = Text::of(key, key_length, true);
        let code = call(key.pointer());
        give(ierror, code);
        code == 0 && *flag != 0
    }
}

type Get = unsafe extern "C" fn(CHandle, *mut c_void, c_int, *mut c_void, *mut c_void) -> c_int;

unsafe fn get(
    call: Get,
    info: *mut c_int,
    key: *mut c_char,
    valuelen: *mut c_int,
    value: *mut c_char,
    flag: *mut c_int,
    ierror: *mut c_int,
    key_length: usize,
    value_length: usize,
) {
    // SAFETY: the arguments are Fortran's, of the types that the interface says.
    unsafe {
        let mut room = vec![0_u8; (*valuelen).max(0) as usize + 1];
        let place = room.as_mut_ptr().cast();
        let call = |key| call(Info::in_c(*info), key, *valuelen, place, flag.cast());
        if finds(call, key, key_length, flag, ierror) {
            give_text(0, &room, value, value_length);
        }
    }
}

type GetString =
    unsafe extern "C" fn(CHandle, *mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_int;

unsafe fn get_string(
    call: GetString,
    info: *mut c_int,
    key: *mut c_char,
    buflen: *mut c_int,
    value: *mut c_char,
    flag: *mut c_int,
    ierror: *mut c_int,
    key_length: usize,
    value_length: usize,
) {
    // SAFETY: as in `get`.
    unsafe {
        let mut length = Length::of(*buflen);
        let (needed, room) = (length.pointer(), length.room());
        let call = |key| call(Info::in_c(*info), key, needed, room, flag.cast());
        if finds(call, key, key_length, flag, ierror) {
            length.give(buflen, value, value_length);
        }
    }
}

type NthPset = unsafe extern "C" fn(CHandle, CHandle, c_int, *mut c_void, *mut c_void) -> c_int;

unsafe fn nth_pset(
    call: NthPset,
    session: *mut c_int,
    info: *mut c_int,
    n: *mut c_int,
    pset_len: *mut c_int,
    pset_name: *mut c_char,
    ierror: *mut c_int,
    name_length: usize,
) {
    // SAFETY: as in `get`.
    unsafe {
        let mut length = Length::of(*pset_len);
        let code = call(
            Session::in_c(*session),
            Info::in_c(*info),
            *n,
            length.pointer(),
            length.room(),
        );
        if code == 0 {
            length.give(pset_len, pset_name, name_length);
        }
        give(ierror, code);
    }
}

/// A length that says how much room there is, and then how much is needed; 0 is a question for the latter alone.
struct Length {
    length: c_int,
    asked: bool,
    room: Vec<u8>,
}

impl Length {
    fn of(length: c_int) -> Length {
        let asked = length == 0;
        Length {
            length: if asked { 0 } else { length.saturating_add(1) },
            asked,
            room: vec![0; length.max(0) as usize + 1],
        }
    }

    fn pointer(&mut self) -> *mut c_void {
        (&raw mut self.length).cast()
    }

    fn room(&mut self) -> *mut c_void {
        self.room.as_mut_ptr().cast()
    }

    /// # Safety
    /// `text` has `text_length` characters, and `length` is a variable.
    unsafe fn give(&self, length: *mut c_int, text: *mut c_char, text_length: usize) {
        // SAFETY: the caller's contract.
        unsafe {
            if !self.asked {
                give_text(0, &self.room, text, text_length);
            }
            *length = (self.length - 1).max(0);
        }
    }
}

/// The procedures, and their names for profiling.
macro_rules! procedures {
    ($($name:ident $profiling:ident = $body:ident($call:ident $twin:ident; $($argument:ident: $kind:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) {
            // SAFETY: the caller's contract.
            unsafe { $body($call, $($argument),*) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $profiling($($argument: $kind),*) {
            // SAFETY: the caller's contract.
            unsafe { $body($twin, $($argument),*) }
        }
    )*};
}

procedures! {
    mpi_info_get_ pmpi_info_get_ = get(MPI_Info_get PMPI_Info_get; info: *mut c_int, key: *mut c_char, valuelen: *mut c_int,
        value: *mut c_char, flag: *mut c_int, ierror: *mut c_int, key_length: usize, value_length: usize);
    mpi_info_get_string_ pmpi_info_get_string_ = get_string(MPI_Info_get_string PMPI_Info_get_string; info: *mut c_int,
        key: *mut c_char, buflen: *mut c_int, value: *mut c_char, flag: *mut c_int, ierror: *mut c_int, key_length: usize,
        value_length: usize);
    mpi_session_get_nth_pset_ pmpi_session_get_nth_pset_ = nth_pset(MPI_Session_get_nth_pset PMPI_Session_get_nth_pset;
        session: *mut c_int, info: *mut c_int, n: *mut c_int, pset_len: *mut c_int, pset_name: *mut c_char, ierror: *mut c_int,
        name_length: usize);
}
