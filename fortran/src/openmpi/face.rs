//! What is Open MPI's about this library: handles, which are pointers in C, and the values of special arguments.

use crate::procedures::*;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

/// A handle as C has it.
pub type CHandle = *mut c_void;
/// A file's.
pub type CFile = CHandle;

/// A kind of handle.
pub trait Kind {
    fn in_c(handle: c_int) -> CHandle;
    fn in_fortran(handle: CHandle) -> c_int;
}

/// Predefined objects have numbers less than this.
const NUMBERS: usize = 128;

macro_rules! kinds {
    ($($kind:ident $in_c:ident $in_fortran:ident)*) => {$(
        pub enum $kind {}

        impl Kind for $kind {
            #[inline]
            fn in_c(handle: c_int) -> CHandle {
                /// Where predefined objects are, as far as somebody has asked.
                static KNOWN: [AtomicPtr<c_void>; NUMBERS] = [const { AtomicPtr::new(null_mut()) }; NUMBERS];
                let known = KNOWN.get(handle as u32 as usize);
                let place = known.map_or(null_mut(), |known| known.load(Relaxed));
                if !place.is_null() {
                    return place;
                }
                // SAFETY: any number may be asked for.
                let place = unsafe { $in_c(handle) };
                if let Some(known) = known {
                    known.store(place, Relaxed);
                }
                place
            }

            #[inline]
            fn in_fortran(handle: CHandle) -> c_int {
                // SAFETY: a handle that C has given.
                unsafe { $in_fortran(handle) }
            }
        }
    )*};
}

kinds! {
    Comm PMPI_Comm_f2c PMPI_Comm_c2f
    Datatype PMPI_Type_f2c PMPI_Type_c2f
    Errhandler PMPI_Errhandler_f2c PMPI_Errhandler_c2f
    File PMPI_File_f2c PMPI_File_c2f
    Group PMPI_Group_f2c PMPI_Group_c2f
    Info PMPI_Info_f2c PMPI_Info_c2f
    Message PMPI_Message_f2c PMPI_Message_c2f
    Op PMPI_Op_f2c PMPI_Op_c2f
    Request PMPI_Request_f2c PMPI_Request_c2f
    Session PMPI_Session_f2c PMPI_Session_c2f
    Win PMPI_Win_f2c PMPI_Win_c2f
}

/// A handle that C may change.
pub struct Changed<K> {
    handle: CHandle,
    of: *mut c_int,
    kind: PhantomData<K>,
}

impl<K: Kind> Changed<K> {
    /// # Safety
    /// It is the program's variable.
    #[inline]
    pub unsafe fn of(of: *mut c_int) -> Changed<K> {
        Changed {
            // SAFETY: the caller's contract.
            handle: K::in_c(unsafe { *of }),
            of,
            kind: PhantomData,
        }
    }

    pub fn pointer(&mut self) -> *mut c_void {
        (&raw mut self.handle).cast()
    }

    pub fn handle(&self) -> CHandle {
        self.handle
    }

    /// Called when the function of C has returned.
    #[inline]
    pub fn give(&self) {
        // SAFETY: `of` was promised that.
        unsafe { *self.of = K::in_fortran(self.handle) };
    }
}

/// So many handles need no memory of their own.
const FEW: usize = 16;

/// An array of handles for C.
pub struct Handles<K> {
    few: [CHandle; FEW],
    many: Vec<CHandle>,
    of: *mut c_int,
    length: usize,
    kind: PhantomData<K>,
}

impl<K: Kind> Handles<K> {
    /// # Safety
    /// So many are there.
    pub unsafe fn of(of: *mut c_int, length: c_int) -> Handles<K> {
        let length = length.max(0) as usize;
        // SAFETY: the caller's contract.
        let handle = |at: usize| K::in_c(unsafe { *of.add(at) });
        let (mut few, mut many) = ([null_mut(); FEW], Vec::new());
        match few.get_mut(..length) {
            Some(few) => few
                .iter_mut()
                .enumerate()
                .for_each(|(at, place)| *place = handle(at)),
            None => many = (0..length).map(handle).collect(),
        }
        let kind = PhantomData;
        Handles {
            few,
            many,
            of,
            length,
            kind,
        }
    }

    fn handles(&mut self) -> &mut [CHandle] {
        match self.few.get_mut(..self.length) {
            Some(few) => few,
            None => &mut self.many,
        }
    }

    pub fn pointer(&mut self) -> *mut c_void {
        self.handles().as_mut_ptr().cast()
    }

    /// Gives the program what C has changed. Called when the function of C has returned.
    pub fn give(&mut self) {
        let of = self.of;
        for (at, handle) in self.handles().iter().enumerate() {
            // SAFETY: `of` was promised that so many are there.
            unsafe { *of.add(at) = K::in_fortran(*handle) };
        }
    }
}

/// With how many processes a process of `comm` exchanges data in a collective operation.
pub fn peers(comm: CHandle) -> c_int {
    let (mut inter, mut size) = (0, 0);
    // SAFETY: C looks at the handle, and these are places for numbers.
    unsafe {
        PMPI_Comm_test_inter(comm, (&raw mut inter).cast());
        match inter {
            0 => PMPI_Comm_size(comm, (&raw mut size).cast()),
            _ => PMPI_Comm_remote_size(comm, (&raw mut size).cast()),
        };
    }
    size
}

/// How many neighbours send to a process of `comm`, and to how many it sends.
pub fn neighbors(comm: CHandle) -> (c_int, c_int) {
    const CART: c_int = 1;
    const GRAPH: c_int = 2;
    const DIST_GRAPH: c_int = 3;
    let (mut topology, mut rank, mut sources, mut destinations, mut weighted) = (0, 0, 0, 0, 0_i32);
    let [to_sources, to_destinations] =
        [&raw mut sources, &raw mut destinations].map(|number| number.cast::<c_void>());
    // SAFETY: as in `peers`.
    unsafe {
        PMPI_Topo_test(comm, (&raw mut topology).cast());
        match topology {
            CART => {
                PMPI_Cartdim_get(comm, to_sources);
                sources *= 2;
                destinations = sources;
            }
            GRAPH => {
                PMPI_Comm_rank(comm, (&raw mut rank).cast());
                PMPI_Graph_neighbors_count(comm, rank, to_sources);
                destinations = sources;
            }
            DIST_GRAPH => {
                let weighted = (&raw mut weighted).cast();
                PMPI_Dist_graph_neighbors_count(comm, to_sources, to_destinations, weighted);
            }
            _ => {}
        }
    }
    (sources, destinations)
}

/// What C has for the sentinels.
pub mod in_c {
    use super::*;

    pub const BOTTOM: *mut c_void = null_mut();
    pub const IN_PLACE: *mut c_void = without_provenance_mut(1);
    pub const STATUS_IGNORE: *mut c_void = null_mut();
    pub const STATUSES_IGNORE: *mut c_void = null_mut();
    pub const ERRCODES_IGNORE: *mut c_void = null_mut();
    pub const ARGV_NULL: *mut c_void = null_mut();
    pub const ARGVS_NULL: *mut c_void = null_mut();
    pub const UNWEIGHTED: *mut c_void = without_provenance_mut(2);
    pub const WEIGHTS_EMPTY: *mut c_void = without_provenance_mut(3);
}
