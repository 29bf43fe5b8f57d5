//! Data representations of files, whose functions are Fortran's: they get the addresses of their arguments, and the value of the
//! program's extra state.

use crate::f08::give;
use crate::face::{CHandle, Datatype, Kind};
use crate::procedures::{MPI_Register_datarep, PMPI_Register_datarep};
#[cfg(not(feature = "openmpi"))]
use crate::procedures::{MPI_Register_datarep_c, PMPI_Register_datarep_c};
use crate::text::Text;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

/// What C keeps of a representation, until the process ends.
struct Registered {
    read: *mut c_void,
    write: *mut c_void,
    extent: *mut c_void,
    extra: isize,
}

/// A conversion function, with counts of some kind.
type Conversion<N> = unsafe extern "C" fn(
    userbuf: *mut c_void,
    datatype: *mut c_int,
    count: *mut N,
    filebuf: *mut c_void,
    position: *mut i64,
    extra: *mut isize,
    ierror: *mut c_int,
);

type Extent = unsafe extern "C" fn(
    datatype: *mut c_int,
    extent: *mut isize,
    extra: *mut isize,
    ierror: *mut c_int,
);

macro_rules! conversions {
    ($($name:ident $field:ident $count:ty),* $(,)?) => {$(
        unsafe extern "C" fn $name(
            userbuf: *mut c_void, datatype: CHandle, mut count: $count, filebuf: *mut c_void, mut position: i64,
            registered: *const Registered,
        ) -> c_int {
            let (mut datatype, mut code) = (Datatype::in_fortran(datatype), 0);
            // SAFETY: what was registered stays, and is such a function of the program's. C gives what it asks for.
            unsafe {
                let mut extra = (*registered).extra;
                let convert: Conversion<$count> = transmute((*registered).$field);
                convert(userbuf, &mut datatype, &mut count, filebuf, &mut position, &mut extra, &mut code);
            }
            code
        }
    )*};
}

conversions! {
    read read c_int, write write c_int,
}
#[cfg(not(feature = "openmpi"))]
conversions! {
    read_large read i64, write_large write i64,
}

unsafe extern "C" fn extent(
    datatype: CHandle,
    extent: *mut isize,
    registered: *const Registered,
) -> c_int {
    let (mut datatype, mut code) = (Datatype::in_fortran(datatype), 0);
    // SAFETY: as above.
    unsafe {
        let mut extra = (*registered).extra;
        let ask: Extent = transmute((*registered).extent);
        ask(&mut datatype, extent, &mut extra, &mut code);
    }
    code
}

/// What the linker knows of an address.
#[repr(C)]
struct Found {
    path: *const c_char,
    base: *mut c_void,
    name: *const c_char,
    address: *mut c_void,
}

unsafe extern "C" {
    fn dladdr(address: *const c_void, found: *mut Found) -> c_int;
}

/// Whether a function is `MPI_CONVERSION_FN_NULL`, which has as many names as there are compilers.
fn is_null(function: *mut c_void) -> bool {
    let nothing = null_mut::<c_void>();
    let mut found = Found {
        path: nothing.cast(),
        base: nothing,
        name: nothing.cast(),
        address: nothing,
    };
    // SAFETY: any address may be asked for; the linker's names are strings.
    unsafe {
        function.is_null()
            || dladdr(function, &mut found) != 0
                && found.address == function
                && !found.name.is_null()
                && CStr::from_ptr(found.name)
                    .to_bytes()
                    .to_ascii_lowercase()
                    .windows(b"mpi_conversion_fn_null".len())
                    .any(|part| part == b"mpi_conversion_fn_null")
    }
}

type Register =
    unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_int;

/// C's functions for reading and writing.
type Pair = [*mut c_void; 2];

unsafe fn register(
    (call, ours): (Register, Pair),
    (name, length): (*mut c_char, usize),
    (read, write, ask): (*mut c_void, *mut c_void, *mut c_void),
    extra_state: *mut isize,
    ierror: *mut c_int,
) {
    let or_null = |function: *mut c_void, ours: *mut c_void| match is_null(function) {
        true => null_mut(),
        false => ours,
    };
    // SAFETY: the arguments are Fortran's, of the types that the interface says.
    unsafe {
        let name = Text::of(name, length, false);
        let registered = Box::into_raw(Box::new(Registered {
            read,
            write,
            extent: ask,
            extra: *extra_state,
        }));
        let [reading, writing] = [or_null(read, ours[0]), or_null(write, ours[1])];
        let code = call(
            name.pointer(),
            reading,
            writing,
            extent as *mut c_void,
            registered.cast(),
        );
        if code != 0 {
            drop(Box::from_raw(registered));
        }
        give(ierror, code);
    }
}

macro_rules! procedures {
    ($($name:ident $call:ident $read:ident $write:ident),* $(,)?) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            datarep: *mut c_char, read_fn: *mut c_void, write_fn: *mut c_void, extent_fn: *mut c_void, extra_state: *mut isize,
            ierror: *mut c_int, length: usize,
        ) {
            let ours = [$read as *mut c_void, $write as *mut c_void];
            // SAFETY: the caller's contract.
            unsafe { register(($call, ours), (datarep, length), (read_fn, write_fn, extent_fn), extra_state, ierror) }
        }
    )*};
}

procedures! {
    mpi_register_datarep_ MPI_Register_datarep read write,
    pmpi_register_datarep_ PMPI_Register_datarep read write,
}
#[cfg(not(feature = "openmpi"))]
procedures! {
    mpi_register_datarep_c_ MPI_Register_datarep_c read_large write_large,
    pmpi_register_datarep_c_ PMPI_Register_datarep_c read_large write_large,
}

#[cfg(not(feature = "openmpi"))]
pub use {
    mpi_register_datarep_c_ as mpi_register_datarep_c_f08_,
    pmpi_register_datarep_c_ as pmpir_register_datarep_c_f08_,
};
