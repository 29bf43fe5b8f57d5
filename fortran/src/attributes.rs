//! Attributes, whose values are integers in Fortran (MPI 4.1 §19.3.7), and the keys, whose callbacks are Fortran's.
//!
//! The library for C has functions of its own for them (`src/abi/bindings/fortran.rs`), which MPICH's has, too: a tool between
//! program and library does not see these calls.

use crate::f08::give;
use crate::face::{CHandle, Comm, Datatype, Kind, Win};
use crate::procedures::*;
use crate::proxies::{CopyProxy, DeleteProxy};
use std::ffi::{c_int, c_void};
use std::ptr::{null_mut, with_exposed_provenance_mut};

/// The kind of value that is meant: an integer.
const INTEGER: c_int = 1;

type Set = unsafe extern "C" fn(CHandle, c_int, *mut c_void, c_int) -> c_int;
type Get = unsafe extern "C" fn(CHandle, c_int, *mut c_void, *mut c_void, c_int) -> c_int;
unsafe extern "C" {
    fn MPII_Comm_set_attr(comm: CHandle, keyval: c_int, value: *mut c_void, kind: c_int) -> c_int;
    fn MPII_Type_set_attr(
        datatype: CHandle,
        keyval: c_int,
        value: *mut c_void,
        kind: c_int,
    ) -> c_int;
    fn MPII_Win_set_attr(win: CHandle, keyval: c_int, value: *mut c_void, kind: c_int) -> c_int;
    fn MPII_Comm_get_attr(
        comm: CHandle,
        keyval: c_int,
        value: *mut c_void,
        flag: *mut c_void,
        kind: c_int,
    ) -> c_int;
    fn MPII_Type_get_attr(
        datatype: CHandle,
        keyval: c_int,
        value: *mut c_void,
        flag: *mut c_void,
        kind: c_int,
    ) -> c_int;
    fn MPII_Win_get_attr(
        win: CHandle,
        keyval: c_int,
        value: *mut c_void,
        flag: *mut c_void,
        kind: c_int,
    ) -> c_int;
    fn MPII_Keyval_set_proxy(keyval: c_int, copy: CopyProxy, delete: DeleteProxy);
}

/// Fortran's integers for attributes: as large as an address, and in MPI-1 as large as any.
trait Integer: Copy + Default {
    fn in_c(self) -> *mut c_void;
    fn of(value: *mut c_void) -> Self;
}

impl Integer for isize {
    fn in_c(self) -> *mut c_void {
        with_exposed_provenance_mut(self as usize)
    }

    fn of(value: *mut c_void) -> isize {
        value.addr() as isize
    }
}

impl Integer for c_int {
    fn in_c(self) -> *mut c_void {
        (self as isize).in_c()
    }

    fn of(value: *mut c_void) -> c_int {
        value.addr() as c_int
    }
}

unsafe fn set<K: Kind, I: Integer>(
    call: Set,
    object: *mut c_int,
    keyval: *mut c_int,
    value: *mut I,
    ierror: *mut c_int,
) {
    // SAFETY: the arguments are Fortran's, of the types that the interface says.
    unsafe {
        give(
            ierror,
            call(K::in_c(*object), *keyval, (*value).in_c(), INTEGER),
        )
    }
}

unsafe fn get<K: Kind, I: Integer>(
    call: Get,
    object: *mut c_int,
    keyval: *mut c_int,
    value: *mut I,
    flag: *mut c_int,
    ierror: *mut c_int,
) {
    // SAFETY: as in `set`.
    unsafe {
        let mut found = null_mut::<c_void>();
        let code = call(
            K::in_c(*object),
            *keyval,
            (&raw mut found).cast(),
            flag.cast(),
            INTEGER,
        );
        if code == 0 && *flag != 0 {
            *value = I::of(found);
        }
        give(ierror, code);
    }
}

type UsersCopy<I> =
    unsafe extern "C" fn(*mut c_int, *mut c_int, *mut I, *mut I, *mut I, *mut c_int, *mut c_int);
type UsersDelete<I> = unsafe extern "C" fn(*mut c_int, *mut c_int, *mut I, *mut I, *mut c_int);

/// Calls a user's copy function. The kind of its integers is that with which its key was made.
unsafe extern "C" fn copy<I: Integer>(
    user: *const c_void,
    object: c_int,
    keyval: c_int,
    extra: *mut c_void,
    _kind: c_int,
    value: *mut c_void,
    copied: *mut *mut c_void,
    flag: *mut c_int,
) -> c_int {
    let (mut object, mut keyval, mut extra, mut value) =
        (object, keyval, I::of(extra), I::of(value));
    let (mut new, mut given, mut code) = (I::default(), 0, 0);
    if user.is_null() {
        // SAFETY: the caller has the place.
        unsafe { *flag = 0 };
        return 0;
    }
    // SAFETY: the program gave this function for this.
    unsafe {
        let user = std::mem::transmute::<*const c_void, UsersCopy<I>>(user);
        user(
            &mut object,
            &mut keyval,
            &mut extra,
            &mut value,
            &mut new,
            &mut given,
            &mut code,
        );
        *flag = (given != 0).into();
        if given != 0 {
            *copied = new.in_c();
        }
    }
    code
}

/// Calls a user's delete function.
unsafe extern "C" fn delete<I: Integer>(
    user: *const c_void,
    object: c_int,
    keyval: c_int,
    _kind: c_int,
    value: *mut c_void,
    extra: *mut c_void,
) -> c_int {
    let (mut object, mut keyval, mut extra, mut value, mut code) =
        (object, keyval, I::of(extra), I::of(value), 0);
    if user.is_null() {
        return 0;
    }
    // SAFETY: the program gave this function for this.
    unsafe {
        let user = std::mem::transmute::<*const c_void, UsersDelete<I>>(user);
        user(&mut object, &mut keyval, &mut value, &mut extra, &mut code);
    }
    code
}

type Create = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_int;

unsafe fn create<I: Integer>(
    call: Create,
    copy_fn: *mut c_void,
    delete_fn: *mut c_void,
    keyval: *mut c_int,
    extra_state: *mut I,
    ierror: *mut c_int,
) {
    // SAFETY: as in `set`. C does not call the functions, as it is told of the proxies before the key is used.
    unsafe {
        let code = call(copy_fn, delete_fn, keyval.cast(), (*extra_state).in_c());
        if code == 0 {
            MPII_Keyval_set_proxy(*keyval, copy::<I>, delete::<I>);
        }
        give(ierror, code);
    }
}

/// The procedures; what calls the library's own functions is the same under its name for profiling.
macro_rules! procedures {
    (
        values $(($kind:ident $set:ident $profiling_set:ident $setter:ident, $get:ident $profiling_get:ident $getter:ident, $value:ty))*
        keys $(($create:ident $creator:ident, $integer:ty))*
    ) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $set(object: *mut c_int, keyval: *mut c_int, value: *mut $value, ierror: *mut c_int) {
                // SAFETY: the caller's contract.
                unsafe { set::<$kind, $value>($setter, object, keyval, value, ierror) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $get(
                object: *mut c_int, keyval: *mut c_int, value: *mut $value, flag: *mut c_int, ierror: *mut c_int,
            ) {
                // SAFETY: the caller's contract.
                unsafe { get::<$kind, $value>($getter, object, keyval, value, flag, ierror) }
            }

            alias!(stringify!($profiling_set) => $set);
            alias!(stringify!($profiling_get) => $get);
            pub use $set as $profiling_set;
            pub use $get as $profiling_get;
        )*
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $create(
                copy_fn: *mut c_void, delete_fn: *mut c_void, keyval: *mut c_int, extra_state: *mut $integer, ierror: *mut c_int,
            ) {
                // SAFETY: the caller's contract.
                unsafe { create($creator, copy_fn, delete_fn, keyval, extra_state, ierror) }
            }
        )*
    };
}

procedures! {
    values
    (Comm mpi_comm_set_attr_ pmpi_comm_set_attr_ MPII_Comm_set_attr, mpi_comm_get_attr_ pmpi_comm_get_attr_ MPII_Comm_get_attr, isize)
    (Datatype mpi_type_set_attr_ pmpi_type_set_attr_ MPII_Type_set_attr, mpi_type_get_attr_ pmpi_type_get_attr_ MPII_Type_get_attr, isize)
    (Win mpi_win_set_attr_ pmpi_win_set_attr_ MPII_Win_set_attr, mpi_win_get_attr_ pmpi_win_get_attr_ MPII_Win_get_attr, isize)
    (Comm mpi_attr_put_ pmpi_attr_put_ MPII_Comm_set_attr, mpi_attr_get_ pmpi_attr_get_ MPII_Comm_get_attr, c_int)
    keys
    (mpi_comm_create_keyval_ MPI_Comm_create_keyval, isize)
    (pmpi_comm_create_keyval_ PMPI_Comm_create_keyval, isize)
    (mpi_type_create_keyval_ MPI_Type_create_keyval, isize)
    (pmpi_type_create_keyval_ PMPI_Type_create_keyval, isize)
    (mpi_win_create_keyval_ MPI_Win_create_keyval, isize)
    (pmpi_win_create_keyval_ PMPI_Win_create_keyval, isize)
    (mpi_keyval_create_ MPI_Keyval_create, c_int)
    (pmpi_keyval_create_ PMPI_Keyval_create, c_int)
}
