//! What is MPICH's about this library: the form of handles, and how programs say `MPI_BOTTOM`, `MPI_IN_PLACE` and the like.
//!
//! In Fortran these are variables, known by their addresses. Those of `mpif.h` lie in common blocks, of which program and
//! library each have one, and the dynamic linker takes the program's for both; those of `mpi_f08` are variables of the library,
//! of which a program may have a copy that takes their place.

use std::ffi::{c_char, c_int, c_void};
use std::marker::PhantomData;
use std::ptr::without_provenance_mut;

/// A handle as C has it.
pub type CHandle = c_int;
/// A file's.
pub type CFile = *mut c_void;

/// Stands where there is no datatype.
pub const NO_TYPE: CHandle = 0;

/// A kind of handle. Handles are the same integers in both languages.
pub trait Kind {
    #[inline(always)]
    fn in_c(handle: c_int) -> CHandle {
        handle
    }

    #[inline(always)]
    fn in_fortran(handle: CHandle) -> c_int {
        handle
    }
}

macro_rules! kinds {
    ($($kind:ident)*) => {$(
        pub enum $kind {}
        impl Kind for $kind {}
    )*};
}

kinds!(Comm Datatype Errhandler Group Info Op Request Session Win);

/// A handle that C may change, where the program has it.
pub struct Changed<K>(*mut c_int, PhantomData<K>);

impl<K> Changed<K> {
    /// # Safety
    /// It is the program's variable.
    #[inline(always)]
    pub unsafe fn of(of: *mut c_int) -> Changed<K> {
        Changed(of, PhantomData)
    }

    #[inline(always)]
    pub fn pointer(&mut self) -> *mut c_void {
        self.0.cast()
    }

    #[inline(always)]
    pub fn handle(&self) -> CHandle {
        // SAFETY: `of` was promised that.
        unsafe { *self.0 }
    }

    #[inline(always)]
    pub fn give(&self) {}
}

/// An array of handles, which is C's, too.
pub struct Handles<K>(*mut c_int, PhantomData<K>);

impl<K> Handles<K> {
    /// # Safety
    /// So many are there.
    pub unsafe fn of(of: *mut c_int, _length: c_int) -> Handles<K> {
        Handles(of, PhantomData)
    }

    pub fn pointer(&mut self) -> *mut c_void {
        self.0.cast()
    }
}

/// Those of files are integers in Fortran, and pointers of the same value in C.
#[inline(always)]
pub fn file_in_c(file: c_int) -> CFile {
    without_provenance_mut(file as u32 as usize)
}

#[inline(always)]
pub fn file_in_fortran(file: CFile) -> c_int {
    file.addr() as u32 as c_int
}

/// How many integers a status has.
pub const STATUS_SIZE: usize = 5;

/// What C has for the sentinels.
pub mod in_c {
    use super::*;

    pub const BOTTOM: *mut c_void = without_provenance_mut(0);
    pub const IN_PLACE: *mut c_void = without_provenance_mut(-1_isize as usize);
    pub const BUFFER_AUTOMATIC: *mut c_void = without_provenance_mut(-2_isize as usize);
    pub const STATUS_IGNORE: *mut c_void = without_provenance_mut(1);
    pub const STATUSES_IGNORE: *mut c_void = without_provenance_mut(1);
    pub const ERRCODES_IGNORE: *mut c_void = without_provenance_mut(0);
    pub const ARGV_NULL: *mut c_void = without_provenance_mut(0);
    pub const ARGVS_NULL: *mut c_void = without_provenance_mut(0);
    pub const COMBINER_NAMED: c_int = 1;
    pub const COMBINER_DUP: c_int = 2;
    pub const COMBINER_CONTIGUOUS: c_int = 3;
    pub const DATATYPE_NULL: CHandle = 0x0c00_0000;

    unsafe extern "C" {
        static MPI_UNWEIGHTED: *mut c_void;
        static MPI_WEIGHTS_EMPTY: *mut c_void;
    }

    pub fn unweighted() -> *mut c_void {
        // SAFETY: a constant of the library for C.
        unsafe { MPI_UNWEIGHTED }
    }

    pub fn weights_empty() -> *mut c_void {
        // SAFETY: as in `unweighted`.
        unsafe { MPI_WEIGHTS_EMPTY }
    }
}

/// The common blocks of `mpif.h`.
pub mod commons {
    use super::STATUS_SIZE;
    use std::ffi::{c_char, c_int};

    /// `MPI_BOTTOM`, `MPI_IN_PLACE`, `MPI_STATUS_IGNORE`.
    #[unsafe(no_mangle)]
    pub static mut mpipriv1_: [c_int; 2 + STATUS_SIZE] = [0; 2 + STATUS_SIZE];
    /// `MPI_STATUSES_IGNORE`, `MPI_ERRCODES_IGNORE`.
    #[unsafe(no_mangle)]
    pub static mut mpipriv2_: [c_int; STATUS_SIZE + 1] = [0; STATUS_SIZE + 1];
    /// `MPI_ARGVS_NULL`, `MPI_ARGV_NULL`.
    #[unsafe(no_mangle)]
    pub static mut mpiprivc_: [c_char; 2] = [0; 2];
    /// `MPI_UNWEIGHTED`.
    #[unsafe(no_mangle)]
    pub static mut mpifcmb5_: c_int = 0;
    /// `MPI_WEIGHTS_EMPTY`.
    #[unsafe(no_mangle)]
    pub static mut mpifcmb9_: c_int = 0;

    /// `MPI_BUFFER_AUTOMATIC`.
    #[unsafe(no_mangle)]
    pub static mut mpifcmba_: c_int = 0;

    /// Where in `mpipriv1_` a variable begins, in bytes.
    pub const IN_PLACE: usize = 4;
    pub const STATUS_IGNORE: usize = 8;
    /// In `mpipriv2_`.
    pub const ERRCODES_IGNORE: usize = 4 * STATUS_SIZE;
    /// In `mpiprivc_`.
    pub const ARGV_NULL: usize = 1;
}

/// The variables of `mpi_f08`.
pub mod objects {
    use std::ffi::{c_char, c_int, c_void};

    // The library for C has them.
    unsafe extern "C" {
        pub static MPIR_F08_MPI_BOTTOM: c_int;
        pub static MPIR_F08_MPI_IN_PLACE: c_int;
        pub static MPIR_F08_MPI_STATUS_IGNORE_OBJ: c_void;
        pub static MPIR_F08_MPI_STATUSES_IGNORE_OBJ: c_void;
    }

    /// The same variables under the names that a module of rmashm's, gfortran for MPICH's modules, and Intel's compiler for them
    /// have given them.
    macro_rules! variables {
        ($($kind:ty: $found:ident = $($name:ident)*;)*) => {$(
            $(#[unsafe(no_mangle)] pub static mut $name: $kind = 0;)*

            #[inline]
            pub fn $found(address: *const c_void) -> bool {
                [$((&raw const $name).cast::<c_void>()),*].contains(&address)
            }
        )*};
    }

    variables! {
        c_int: is_unweighted = MPIR_F08_MPI_UNWEIGHTED __mpi_f08_link_constants_MOD_mpi_unweighted
            mpi_f08_link_constants_mp_mpi_unweighted_;
        c_int: is_weights_empty = MPIR_F08_MPI_WEIGHTS_EMPTY __mpi_f08_link_constants_MOD_mpi_weights_empty
            mpi_f08_link_constants_mp_mpi_weights_empty_;
        c_int: is_buffer_automatic = MPIR_F08_MPI_BUFFER_AUTOMATIC __mpi_f08_link_constants_MOD_mpi_buffer_automatic
            mpi_f08_link_constants_mp_mpi_buffer_automatic_;
        c_int: is_errcodes_ignore = MPIR_F08_MPI_ERRCODES_IGNORE __mpi_f08_link_constants_MOD_mpi_errcodes_ignore
            mpi_f08_link_constants_mp_mpi_errcodes_ignore_;
        c_char: is_argv_null = MPIR_F08_MPI_ARGV_NULL __mpi_f08_link_constants_MOD_mpi_argv_null
            mpi_f08_link_constants_mp_mpi_argv_null_;
        c_char: is_argvs_null = MPIR_F08_MPI_ARGVS_NULL __mpi_f08_link_constants_MOD_mpi_argvs_null
            mpi_f08_link_constants_mp_mpi_argvs_null_;
    }
}

pub fn is_argv_null(argv: *mut c_char) -> bool {
    let common = (&raw mut commons::mpiprivc_).cast::<c_char>();
    argv == common.wrapping_add(commons::ARGV_NULL) || objects::is_argv_null(argv.cast())
}

pub fn is_argvs_null(argvs: *mut c_char) -> bool {
    argvs == (&raw mut commons::mpiprivc_).cast() || objects::is_argvs_null(argvs.cast())
}

pub fn is_errcodes_ignore(errcodes: *mut c_int) -> bool {
    let common = (&raw const commons::mpipriv2_).cast::<c_int>();
    errcodes.cast_const() == common.wrapping_byte_add(commons::ERRCODES_IGNORE)
        || objects::is_errcodes_ignore(errcodes.cast())
}

/// Where Fortran's `MPI_STATUS_IGNORE` is, which functions of C may be handed: the library for C keeps it.
mod told {
    use super::commons::{STATUS_IGNORE, mpipriv1_, mpipriv2_};
    use std::ffi::c_int;

    unsafe extern "C" {
        static mut MPI_F_STATUS_IGNORE: *mut c_int;
        static mut MPI_F_STATUSES_IGNORE: *mut c_int;
    }

    /// Called when the library is loaded, before any procedure.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static TELL: extern "C" fn() = {
        extern "C" fn tell() {
            // SAFETY: nothing else of this process runs while a library is loaded that uses them.
            unsafe {
                MPI_F_STATUS_IGNORE = (&raw mut mpipriv1_).byte_add(STATUS_IGNORE).cast();
                MPI_F_STATUSES_IGNORE = (&raw mut mpipriv2_).cast();
            }
        }
        tell
    };
}
