//! The numbers that Open MPI's Fortran has for predefined objects: an object's number is its place in the list of its kind. All
//! other objects have the library's own handles, which are larger.

use super::*;
use crate::mpi::types::*;
use std::ffi::c_int;

/// A kind of handle, with the objects that have numbers.
pub(crate) trait Numbered: Sized + 'static {
    const NUMBERED: &'static [Self];
}

impl Numbered for MPI_Comm {
    const NUMBERED: &'static [MPI_Comm] = &[MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL];
}

impl Numbered for MPI_Group {
    const NUMBERED: &'static [MPI_Group] = &[MPI_GROUP_NULL, MPI_GROUP_EMPTY];
}

impl Numbered for MPI_Win {
    const NUMBERED: &'static [MPI_Win] = &[MPI_WIN_NULL];
}

impl Numbered for MPI_Request {
    const NUMBERED: &'static [MPI_Request] = &[MPI_REQUEST_NULL];
}

impl Numbered for MPI_Message {
    const NUMBERED: &'static [MPI_Message] = &[MPI_MESSAGE_NULL, MPI_MESSAGE_NO_PROC];
}

impl Numbered for MPI_Session {
    const NUMBERED: &'static [MPI_Session] = &[MPI_SESSION_NULL];
}

impl Numbered for MPI_File {
    const NUMBERED: &'static [MPI_File] = &[MPI_FILE_NULL];
}

impl Numbered for MPI_Info {
    const NUMBERED: &'static [MPI_Info] = &[MPI_INFO_NULL, MPI_INFO_ENV];
}

impl Numbered for MPI_Errhandler {
    const NUMBERED: &'static [MPI_Errhandler] =
        &[MPI_ERRHANDLER_NULL, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN];
}

impl Numbered for MPI_Op {
    const NUMBERED: &'static [MPI_Op] = &[
        MPI_OP_NULL,
        MPI_MAX,
        MPI_MIN,
        MPI_SUM,
        MPI_PROD,
        MPI_LAND,
        MPI_BAND,
        MPI_LOR,
        MPI_BOR,
        MPI_LXOR,
        MPI_BXOR,
        MPI_MAXLOC,
        MPI_MINLOC,
        MPI_REPLACE,
        MPI_NO_OP,
    ];
}

impl Numbered for MPI_Datatype {
    const NUMBERED: &'static [MPI_Datatype] = &[
        MPI_DATATYPE_NULL,
        MPI_BYTE,
        MPI_PACKED,
        MPI_UB,
        MPI_LB,
        MPI_CHARACTER,
        MPI_LOGICAL,
        MPI_INTEGER,
        MPI_INTEGER1,
        MPI_INTEGER2,
        MPI_INTEGER4,
        MPI_INTEGER8,
        MPI_INTEGER16,
        MPI_REAL,
        MPI_REAL4,
        MPI_REAL8,
        MPI_REAL16,
        MPI_DOUBLE_PRECISION,
        MPI_COMPLEX,
        MPI_COMPLEX8,
        MPI_COMPLEX16,
        MPI_COMPLEX32,
        MPI_DOUBLE_COMPLEX,
        MPI_2REAL,
        MPI_2DOUBLE_PRECISION,
        MPI_2INTEGER,
        MPI_2COMPLEX,
        MPI_2DOUBLE_COMPLEX,
        MPI_REAL2,
        MPI_LOGICAL1,
        MPI_LOGICAL2,
        MPI_LOGICAL4,
        MPI_LOGICAL8,
        MPI_WCHAR,
        MPI_CHAR,
        MPI_UNSIGNED_CHAR,
        MPI_SIGNED_CHAR,
        MPI_SHORT,
        MPI_UNSIGNED_SHORT,
        MPI_INT,
        MPI_UNSIGNED,
        MPI_LONG,
        MPI_UNSIGNED_LONG,
        MPI_LONG_LONG_INT,
        MPI_UNSIGNED_LONG_LONG,
        MPI_FLOAT,
        MPI_DOUBLE,
        MPI_LONG_DOUBLE,
        MPI_FLOAT_INT,
        MPI_DOUBLE_INT,
        MPI_LONG_DOUBLE_INT,
        MPI_LONG_INT,
        MPI_2INT,
        MPI_SHORT_INT,
        MPI_CXX_BOOL,
        MPI_CXX_FLOAT_COMPLEX,
        MPI_CXX_DOUBLE_COMPLEX,
        MPI_CXX_LONG_DOUBLE_COMPLEX,
        MPI_INT8_T,
        MPI_UINT8_T,
        MPI_INT16_T,
        MPI_UINT16_T,
        MPI_INT32_T,
        MPI_UINT32_T,
        MPI_INT64_T,
        MPI_UINT64_T,
        MPI_AINT,
        MPI_OFFSET,
        MPI_C_BOOL,
        MPI_C_FLOAT_COMPLEX,
        MPI_C_DOUBLE_COMPLEX,
        MPI_C_LONG_DOUBLE_COMPLEX,
        MPI_COUNT,
    ];
}

/// The handle of a number of Fortran's.
pub(crate) fn handle_of<T: Numbered + Copy>(number: c_int) -> Option<T> {
    T::NUMBERED.get(usize::try_from(number).ok()?).copied()
}

/// The number of a handle.
pub(crate) fn number_of<T: Numbered + PartialEq>(handle: &T) -> Option<c_int> {
    let at = T::NUMBERED.iter().position(|other| other == handle);
    at.map(|at| at as c_int)
}
