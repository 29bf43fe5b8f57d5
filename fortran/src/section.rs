//! Sections of arrays that are not contiguous (MPI 4.1 §19.1.12): to MPI they are what a contiguous copy of them would be.
//!
//! Where count and datatype belong to the section alone, it is told to C as one element of a new datatype: nothing is copied, and
//! MPI keeps the datatype for as long as it needs it. Where that does not go, the function of C gets a copy. If it has done with
//! the buffer when it returns, the copy is given back at once; else the request of what goes on keeps it, and gives it back.

mod copy;
mod datatype;

use crate::descriptor::Section;
use crate::face::{CHandle, Kind as _, NO_TYPE, Request, in_c};
use copy::Copy;
use std::ffi::{c_int, c_void};

/// What may be done with a section.
#[derive(Clone, Copy)]
pub struct How {
    pub typed: Typed,
    pub copied: Copied,
    /// Whether it is of meaning for all processes, and not for a root alone.
    pub everywhere: bool,
}

impl How {
    /// Only where it begins counts.
    pub const ADDRESSED: How = How {
        typed: Typed::Address,
        copied: Copied::No,
        everywhere: true,
    };
}

#[derive(Clone, Copy, PartialEq)]
pub enum Typed {
    Address,
    /// It must not become a datatype.
    No,
    /// It may.
    Whole,
    /// It may; further blocks follow, each at the end of the one before.
    Blocks,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Copied {
    /// It is to be told where it is, or not at all.
    No,
    Read,
    Written,
}

/// A choice buffer as C gets it.
pub struct Buffer {
    pub start: *mut c_void,
    pub count: i64,
    pub datatype: CHandle,
    /// What was made for it.
    kept: Option<Box<Kept>>,
}

enum Kept {
    Datatype(CHandle),
    Copy(Copy),
    /// Nothing could be.
    Nothing(Refusal),
}

/// Why a section can be told to C in no way, by the numbers of `src/abi/bindings/sections.rs`.
#[derive(Clone, Copy)]
pub enum Refusal {
    /// It is sent or received in partitions that are no blocks of it.
    Partitions = 0,
    /// MPI is given it as memory.
    Memory = 1,
    /// What is meant reaches beyond its end, and so beyond that of a copy.
    Beyond = 2,
}

impl Buffer {
    /// As the program has it.
    #[inline(always)]
    pub fn plain(start: *mut c_void, count: i64, datatype: CHandle) -> Buffer {
        let kept = None;
        Buffer {
            start,
            count,
            datatype,
            kept,
        }
    }

    pub fn refused(&self) -> Option<Refusal> {
        match self.kept.as_deref() {
            Some(Kept::Nothing(why)) => Some(*why),
            _ => None,
        }
    }

    /// Called when a function of C has returned that has done with the buffer.
    pub fn finish(self) {
        if let Some(copy) = self.release() {
            copy.give_back();
        }
    }

    /// Frees what was made for it but the copy.
    fn release(self) -> Option<Copy> {
        match *self.kept? {
            Kept::Datatype(mut datatype) => datatype::free(&mut datatype),
            Kept::Copy(copy) => return Some(copy),
            Kept::Nothing(_) => {}
        }
        None
    }
}

/// Called when a function of C has returned that may go on with the buffers until its `request` is complete, unless there was an
/// error, `code`.
///
/// # Safety
/// The function has written `request`, if there was no error.
pub unsafe fn finish_with<const N: usize>(
    buffers: [Buffer; N],
    code: c_int,
    request: *const c_int,
) {
    let copies: Vec<Copy> = buffers.into_iter().filter_map(Buffer::release).collect();
    if copies.is_empty() {
        return;
    }
    if code != 0 {
        return copies.iter().for_each(Copy::give_back);
    }
    // SAFETY: the caller's contract.
    let request = Request::in_c(unsafe { *request });
    copy::bind(request, copies);
}

/// The buffer for `count` elements of `datatype` in `section`, which begins at `start`.
///
/// # Safety
/// The section is of an array of the program's.
#[cold]
#[inline(never)]
pub unsafe fn buffer(
    section: Section,
    start: *mut c_void,
    count: i64,
    datatype: CHandle,
    how: How,
) -> Buffer {
    let plain = Buffer::plain(start, count, datatype);
    // What says where all memory begins, or stands for another buffer, is no section.
    let is_array = start.cast::<u8>() == section.start;
    // What is wrong is told by the function of C.
    let is_counted = datatype != NO_TYPE;
    let is_wrong = count < 0 || datatype == in_c::DATATYPE_NULL;
    let is_nothing = section.is_empty() || (is_counted && count == 0);
    if how.typed == Typed::Address || is_wrong || is_nothing || !is_array {
        return plain;
    }
    if how.typed != Typed::No {
        // SAFETY: handles are looked up, and the section is the caller's.
        if let Some(datatype) = unsafe { datatype::typed(&section, count, datatype, how.typed) } {
            let kept = Some(Box::new(Kept::Datatype(datatype)));
            return Buffer {
                count: 1,
                datatype,
                kept,
                ..plain
            };
        }
    }
    let (start, kept) = match how.copied {
        Copied::No if how.typed == Typed::No => (start, Kept::Nothing(Refusal::Memory)),
        Copied::No => (start, Kept::Nothing(Refusal::Partitions)),
        _ if is_counted && how.everywhere && !datatype::fits(count, datatype, section.bytes()) => {
            (start, Kept::Nothing(Refusal::Beyond))
        }
        copied => {
            let copy = Copy::of(section, copied == Copied::Written);
            (copy.start(), Kept::Copy(copy))
        }
    };
    Buffer {
        start,
        kept: Some(Box::new(kept)),
        ..plain
    }
}
