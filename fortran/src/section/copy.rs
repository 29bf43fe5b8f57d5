//! Copies of sections, and what becomes of them: the section gets back what the operation on the copy has written.

use crate::descriptor::Section;
use crate::face::CHandle;
use std::cell::UnsafeCell;
use std::ffi::c_void;

/// A copy of a section. An operation that is on it has it for itself.
///
/// What lies beside the data of a message, as more elements of the section or gaps of the datatype do, stays the program's while the
/// operation goes on. So where the operation writes, bytes alone are given back that are not as they were before.
pub struct Copy {
    section: Section,
    data: Memory,
    /// The same as it was before, if it may be written.
    before: Option<Memory>,
}

/// As well aligned as any type of Fortran wants it.
type Memory = Box<[UnsafeCell<u128>]>;

// SAFETY: the section is memory that the program has promised to the operation, whichever thread is at it.
unsafe impl Send for Copy {}
// SAFETY: a copy is filled before its operation starts, and given back after its end.
unsafe impl Sync for Copy {}

impl Copy {
    pub fn of(section: Section, is_written: bool) -> Copy {
        let words = section.bytes().div_ceil(size_of::<u128>());
        let memory = || (0..words).map(|_| UnsafeCell::new(0)).collect();
        let copy = Copy {
            section,
            data: memory(),
            before: is_written.then(memory),
        };
        copy.fill();
        copy
    }

    /// What stands for the section's first element.
    pub fn start(&self) -> *mut c_void {
        place(&self.data).cast()
    }

    fn fill(&self) {
        let data = place(&self.data);
        // SAFETY: there is room for all elements, and no operation is on them.
        self.section.each(|at, element, size| unsafe {
            match size {
                // As most have.
                8 => copy_as::<u64>(element, data.add(at)),
                4 => copy_as::<u32>(element, data.add(at)),
                _ => data.add(at).copy_from_nonoverlapping(element, size),
            }
        });
        if let Some(before) = &self.before {
            // SAFETY: both have as much room.
            unsafe { place(before).copy_from_nonoverlapping(data, self.section.bytes()) };
        }
    }

    pub fn give_back(&self) {
        let Some(before) = &self.before else {
            return;
        };
        let (data, before) = (place(&self.data), place(before));
        // SAFETY: both have as many bytes as the section, whose elements are where they were, and no operation is on them.
        self.section.each(|at, element, size| unsafe {
            let (data, before) = (data.add(at), before.add(at));
            match size {
                8 => give_back_as::<8>(data, before, element),
                4 => give_back_as::<4>(data, before, element),
                _ => (0..size).for_each(|byte| {
                    give_back_as::<1>(data.add(byte), before.add(byte), element.add(byte))
                }),
            }
        });
    }
}

/// # Safety
/// One can be read, and the other one written.
#[inline(always)]
unsafe fn copy_as<T>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe {
        to.cast::<T>()
            .write_unaligned(from.cast::<T>().read_unaligned())
    }
}

/// Writes those bytes of `data` to `element` that are not as they were `before`.
///
/// # Safety
/// All have as many bytes.
#[inline(always)]
unsafe fn give_back_as<const SIZE: usize>(data: *const u8, before: *const u8, element: *mut u8) {
    // SAFETY: the caller's contract.
    let (data, before) = unsafe {
        (
            data.cast::<[u8; SIZE]>().read(),
            before.cast::<[u8; SIZE]>().read(),
        )
    };
    if data == before {
        return;
    }
    let mut nowhere = 0;
    for byte in 0..SIZE {
        // Not a branch: nobody can foresee which bytes of a number differ.
        let place = match data[byte] != before[byte] {
            // SAFETY: as above.
            true => unsafe { element.add(byte) },
            false => &raw mut nowhere,
        };
        // SAFETY: as above.
        unsafe { *place = data[byte] };
    }
}

fn place(memory: &Memory) -> *mut u8 {
    memory.as_ptr().cast::<u8>().cast_mut()
}

type Deed = unsafe extern "C" fn(*mut c_void);

unsafe extern "C" {
    fn rmashm_bind_copies(
        request: CHandle,
        copies: *mut c_void,
        fill: Deed,
        give_back: Deed,
        release: Deed,
    );
}

/// Leaves copies to the request of the operation that is on them.
pub fn bind(request: CHandle, copies: Vec<Copy>) {
    unsafe extern "C" fn fill(copies: *mut c_void) {
        // SAFETY: the copies that were bound.
        unsafe { &*copies.cast::<Vec<Copy>>() }
            .iter()
            .for_each(Copy::fill);
    }
    unsafe extern "C" fn give_back(copies: *mut c_void) {
        // SAFETY: as above.
        unsafe { &*copies.cast::<Vec<Copy>>() }
            .iter()
            .for_each(Copy::give_back);
    }
    unsafe extern "C" fn release(copies: *mut c_void) {
        // SAFETY: as above, and this is the last that is done with them.
        drop(unsafe { Box::from_raw(copies.cast::<Vec<Copy>>()) });
    }
    let copies = Box::into_raw(Box::new(copies)).cast();
    // SAFETY: the functions do what they are called, in any thread.
    unsafe { rmashm_bind_copies(request, copies, fill, give_back, release) }
}
