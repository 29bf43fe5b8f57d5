//! The C types of `mpi.h`: handles, integers, callbacks.
//!
//! The header is made from this file (see `generator/`): a `pub type` of a function becomes a C function type, so
//! that a parameter `Option<MPI_User_function>` is `MPI_User_function *` in C.

pub use super::foreign::*;
pub use super::status::*;
use std::ffi::{c_int, c_void};

/// An address or a byte displacement; `long` in C.
pub type MPI_Aint = isize;
/// Large counts; `long` in C.
pub type MPI_Count = i64;
/// File offsets; `long` in C.
pub type MPI_Offset = i64;
/// The `INTEGER` of Fortran.
pub type MPI_Fint = c_int;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub c_int);
        $crate::mpi::foreign::form!($name);
    )*};
}

/// Enumerations of C's.
macro_rules! enumerations {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub c_int);
    )*};
}

handles! {
    /// A communicator.
    MPI_Comm;
    /// A window.
    MPI_Win;
    /// A group of processes.
    MPI_Group;
    /// A datatype.
    MPI_Datatype;
    /// A reduction operation.
    MPI_Op;
    /// An info object.
    MPI_Info;
    /// A request.
    MPI_Request;
    /// An error handler.
    MPI_Errhandler;
    /// A matched message.
    MPI_Message;
    /// A session.
    MPI_Session;
}

enumerations! {
    /// What a callback of a tool's event may do; an enumeration in C.
    MPI_T_cb_safety;
    /// Whether a source of events keeps the order of time; an enumeration in C.
    MPI_T_source_order;
}

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _nothing: [u8; 0],
        }
    )*};
}

opaque! {
    /// What an `MPI_File` points to, in name only.
    ADIOI_FileD;
    /// What an `MPI_T_enum` points to, in name only.
    MPIR_T_enum_s;
    /// What an `MPI_T_cvar_handle` points to, in name only.
    MPIR_T_cvar_handle_s;
    /// What an `MPI_T_pvar_handle` points to, in name only.
    MPIR_T_pvar_handle_s;
    /// What an `MPI_T_pvar_session` points to, in name only.
    MPIR_T_pvar_session_s;
    /// What an `MPI_T_event_registration` points to, in name only.
    MPIR_T_event_registration_s;
    /// What an `MPI_T_event_instance` points to, in name only.
    MPIR_T_event_instance_s;
}

/// A run of bytes of a datatype, with the fields of `struct iovec`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MPIX_Iov {
    pub iov_base: *mut c_void,
    pub iov_len: MPI_Aint,
}

/// A file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct MPI_File(pub c_int);

/// MPICH has a pointer, which programs never follow: the handle, zero-extended, so that Fortran's integer handle is its low half.
#[cfg(not(any(feature = "openmpi", feature = "standard")))]
impl Foreign for MPI_File {
    type C = *mut ADIOI_FileD;
    const SAME: bool = false;

    #[inline(always)]
    fn of(foreign: *mut ADIOI_FileD) -> MPI_File {
        MPI_File(foreign.addr() as u32 as c_int)
    }

    #[inline(always)]
    fn foreign(self) -> *mut ADIOI_FileD {
        std::ptr::without_provenance_mut(self.0 as u32 as usize)
    }
}

#[cfg(any(feature = "openmpi", feature = "standard"))]
form!(MPI_File);

/// The values of an enumerated tool variable.
pub type MPI_T_enum = *mut MPIR_T_enum_s;
/// A handle of a control variable.
pub type MPI_T_cvar_handle = *mut MPIR_T_cvar_handle_s;
/// A handle of a performance variable.
pub type MPI_T_pvar_handle = *mut MPIR_T_pvar_handle_s;
/// A session of performance variables.
pub type MPI_T_pvar_session = *mut MPIR_T_pvar_session_s;
/// A registered event.
pub type MPI_T_event_registration = *mut MPIR_T_event_registration_s;
/// An event that happened.
pub type MPI_T_event_instance = *mut MPIR_T_event_instance_s;

// Callbacks: reductions (MPI 4.1 §6.9.5).

pub type MPI_User_function = unsafe extern "C" fn(
    invec: *mut c_void,
    inoutvec: *mut c_void,
    len: *mut c_int,
    datatype: *mut C<MPI_Datatype>,
);
pub type MPI_User_function_c = unsafe extern "C" fn(
    invec: *mut c_void,
    inoutvec: *mut c_void,
    len: *mut MPI_Count,
    datatype: *mut C<MPI_Datatype>,
);

// Callbacks: copying and deleting attributes (MPI 4.1 §7.7; the first two are deprecated, §16.3).

pub type MPI_Copy_function = unsafe extern "C" fn(
    oldcomm: C<MPI_Comm>,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
pub type MPI_Delete_function = unsafe extern "C" fn(
    comm: C<MPI_Comm>,
    keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;
pub type MPI_Comm_copy_attr_function = unsafe extern "C" fn(
    oldcomm: C<MPI_Comm>,
    comm_keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
pub type MPI_Comm_delete_attr_function = unsafe extern "C" fn(
    comm: C<MPI_Comm>,
    comm_keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;
pub type MPI_Type_copy_attr_function = unsafe extern "C" fn(
    oldtype: C<MPI_Datatype>,
    type_keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
pub type MPI_Type_delete_attr_function = unsafe extern "C" fn(
    datatype: C<MPI_Datatype>,
    type_keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;
pub type MPI_Win_copy_attr_function = unsafe extern "C" fn(
    oldwin: C<MPI_Win>,
    win_keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
pub type MPI_Win_delete_attr_function = unsafe extern "C" fn(
    win: C<MPI_Win>,
    win_keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;

// Callbacks: error handlers (MPI 4.1 §9.3). The names in `_fn` and `MPI_Handler_function` are the older ones.

pub type MPI_Handler_function =
    unsafe extern "C" fn(comm: *mut C<MPI_Comm>, error_code: *mut c_int, ...);
pub type MPI_Comm_errhandler_function =
    unsafe extern "C" fn(comm: *mut C<MPI_Comm>, error_code: *mut c_int, ...);
pub type MPI_File_errhandler_function =
    unsafe extern "C" fn(file: *mut C<MPI_File>, error_code: *mut c_int, ...);
pub type MPI_Win_errhandler_function =
    unsafe extern "C" fn(win: *mut C<MPI_Win>, error_code: *mut c_int, ...);
pub type MPI_Session_errhandler_function =
    unsafe extern "C" fn(session: *mut C<MPI_Session>, error_code: *mut c_int, ...);
pub type MPI_Comm_errhandler_fn = MPI_Comm_errhandler_function;
pub type MPI_File_errhandler_fn = MPI_File_errhandler_function;
pub type MPI_Win_errhandler_fn = MPI_Win_errhandler_function;
pub type MPI_Session_errhandler_fn = MPI_Session_errhandler_function;

// Callbacks: generalized requests (MPI 4.1 §13.2).

pub type MPI_Grequest_query_function =
    unsafe extern "C" fn(extra_state: *mut c_void, status: *mut MPI_Status) -> c_int;
pub type MPI_Grequest_free_function = unsafe extern "C" fn(extra_state: *mut c_void) -> c_int;
pub type MPI_Grequest_cancel_function =
    unsafe extern "C" fn(extra_state: *mut c_void, complete: c_int) -> c_int;

// Callbacks: data representations of files (MPI 4.1 §14.5.3).

pub type MPI_Datarep_conversion_function = unsafe extern "C" fn(
    userbuf: *mut c_void,
    datatype: C<MPI_Datatype>,
    count: c_int,
    filebuf: *mut c_void,
    position: MPI_Offset,
    extra_state: *mut c_void,
) -> c_int;
pub type MPI_Datarep_conversion_function_c = unsafe extern "C" fn(
    userbuf: *mut c_void,
    datatype: C<MPI_Datatype>,
    count: MPI_Count,
    filebuf: *mut c_void,
    position: MPI_Offset,
    extra_state: *mut c_void,
) -> c_int;
pub type MPI_Datarep_extent_function = unsafe extern "C" fn(
    datatype: C<MPI_Datatype>,
    extent: *mut MPI_Aint,
    extra_state: *mut c_void,
) -> c_int;

// Callbacks: events of tools (MPI 4.1 §15.3.8).

pub type MPI_T_event_cb_function = unsafe extern "C" fn(
    event_instance: MPI_T_event_instance,
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    user_data: *mut c_void,
);
pub type MPI_T_event_free_cb_function = unsafe extern "C" fn(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    user_data: *mut c_void,
);
pub type MPI_T_event_dropped_cb_function = unsafe extern "C" fn(
    count: MPI_Count,
    event_registration: MPI_T_event_registration,
    source_index: c_int,
    cb_safety: MPI_T_cb_safety,
    user_data: *mut c_void,
);
