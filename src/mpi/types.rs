//! The C types of `mpi.h`: handles, integers, `MPI_Status`, callbacks. Their sizes and layouts are MPICH's.
//!
//! The header is made from this file (see `generator/`): a `pub type` of a function becomes a C function type, so
//! that a parameter `Option<MPI_User_function>` is `MPI_User_function *` in C.

use std::ffi::{c_char, c_int, c_void};

/// An address or a byte displacement; `long` in C.
pub type MPI_Aint = isize;
/// Large counts; `long` in C.
pub type MPI_Count = i64;
/// File offsets; `long` in C.
pub type MPI_Offset = i64;
/// The `INTEGER` of Fortran.
pub type MPI_Fint = c_int;

/// A type that C may have in another form.
///
/// Inside, a handle is an `int` of the shape that [`crate::handle`] gives it. C has what its face of the library makes of that. A
/// handle is the one from where an exported function takes it from C to where it goes back: to C's arguments, to places that C
/// gave, to the program's own functions. What is no handle is the same on both sides.
pub trait Foreign: Copy {
    /// The form that C has.
    type C: Copy;
    /// Whether both forms are the same bytes.
    const SAME: bool;
    fn of(foreign: Self::C) -> Self;
    fn foreign(self) -> Self::C;
}

/// A type of which C has the same.
pub trait Plain: Foreign<C = Self> {}

/// The form that C has of a type.
pub type C<T> = <T as Foreign>::C;

/// Types of which C has the same.
macro_rules! plain {
    ($($({$($generic:tt)*})? $name:ty),* $(,)?) => {$(
        $crate::mpi::types::same!($({$($generic)*})? $name);
        impl<$($($generic)*)?> $crate::mpi::types::Plain for $name {}
    )*};
}

macro_rules! same {
    ($({$($generic:tt)*})? $name:ty) => {
        impl<$($($generic)*)?> $crate::mpi::types::Foreign for $name {
            type C = $name;
            const SAME: bool = true;

            #[inline(always)]
            fn of(foreign: $name) -> $name {
                foreign
            }

            #[inline(always)]
            fn foreign(self) -> $name {
                self
            }
        }
    };
}

pub(crate) use {plain, same};

plain! {
    {T} *const T, {T} *mut T, {F: Copy} Option<F>, {const N: usize} [c_int; N],
    c_int, u32, i64, u64, isize, usize, f64, c_char, MPI_Status, MPI_F08_status, MPI_T_cb_safety, MPI_T_source_order,
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub c_int);
        same!($name);
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

/// A file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct MPI_File(pub c_int);

/// C has a pointer, which programs never follow: the handle, zero-extended, so that Fortran's integer handle is its low half.
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

/// What a receive, probe or completed request tells (MPI 4.1 §3.2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MPI_Status {
    /// The low 32 bits of the number of bytes.
    pub count_lo: c_int,
    /// Bit 0: cancelled. Bits 1-31: the bits 32-62 of the number of bytes.
    pub count_hi_and_cancelled: c_int,
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    pub MPI_ERROR: c_int,
}

impl MPI_Status {
    /// The status of an operation that moved nothing and matched nobody (MPI 4.1 §3.7.3).
    pub const EMPTY: MPI_Status = MPI_Status {
        count_lo: 0,
        count_hi_and_cancelled: 0,
        MPI_SOURCE: super::constants::MPI_ANY_SOURCE,
        MPI_TAG: super::constants::MPI_ANY_TAG,
        MPI_ERROR: super::constants::MPI_SUCCESS,
    };

    /// The number of bytes received.
    pub fn count(&self) -> u64 {
        let high = (self.count_hi_and_cancelled as u32 >> 1) as u64;
        high << 32 | self.count_lo as u32 as u64
    }

    /// Sets the number of bytes received, which must be below 2^63.
    pub fn set_count(&mut self, bytes: u64) {
        debug_assert!(bytes >> 63 == 0);
        let cancelled = self.count_hi_and_cancelled & 1;
        self.count_lo = bytes as u32 as c_int;
        self.count_hi_and_cancelled = (((bytes >> 32) as u32) << 1) as c_int | cancelled;
    }

    pub fn cancelled(&self) -> bool {
        self.count_hi_and_cancelled & 1 != 0
    }

    pub fn set_cancelled(&mut self, cancelled: bool) {
        self.count_hi_and_cancelled = self.count_hi_and_cancelled & !1 | cancelled as c_int;
    }
}

/// The status of Fortran's module `mpi_f08`: the fields of [`MPI_Status`], as Fortran integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MPI_F08_status {
    pub count_lo: MPI_Fint,
    pub count_hi_and_cancelled: MPI_Fint,
    pub MPI_SOURCE: MPI_Fint,
    pub MPI_TAG: MPI_Fint,
    pub MPI_ERROR: MPI_Fint,
}

impl From<MPI_Status> for MPI_F08_status {
    fn from(s: MPI_Status) -> MPI_F08_status {
        MPI_F08_status {
            count_lo: s.count_lo,
            count_hi_and_cancelled: s.count_hi_and_cancelled,
            MPI_SOURCE: s.MPI_SOURCE,
            MPI_TAG: s.MPI_TAG,
            MPI_ERROR: s.MPI_ERROR,
        }
    }
}

impl From<MPI_F08_status> for MPI_Status {
    fn from(s: MPI_F08_status) -> MPI_Status {
        MPI_Status {
            count_lo: s.count_lo,
            count_hi_and_cancelled: s.count_hi_and_cancelled,
            MPI_SOURCE: s.MPI_SOURCE,
            MPI_TAG: s.MPI_TAG,
            MPI_ERROR: s.MPI_ERROR,
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_keeps_large_counts_and_cancellation_apart() {
        for bytes in [0, 1, 0xffff_ffff, 1 << 32, 0x1234_5678_9abc, (1 << 63) - 1] {
            for cancelled in [false, true] {
                let mut status = MPI_Status::EMPTY;
                status.set_cancelled(cancelled);
                status.set_count(bytes);
                assert_eq!(status.count(), bytes);
                assert_eq!(status.cancelled(), cancelled);
                status.set_cancelled(!cancelled);
                assert_eq!(status.count(), bytes);
                assert_eq!(status.cancelled(), !cancelled);
            }
        }
    }

    #[test]
    fn the_parts_of_a_count_are_where_mpich_has_them() {
        let mut status = MPI_Status::EMPTY;
        status.set_count(5 << 32 | 7);
        status.set_cancelled(true);
        assert_eq!((status.count_lo, status.count_hi_and_cancelled), (7, 11));
    }
}
