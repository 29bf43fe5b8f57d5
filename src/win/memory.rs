//! Memory for the program from the job segment: MPI_Alloc_mem, MPI_Free_mem (MPI 4.1 §9.2), and that of windows. Windows made
//! or attached over it are reached by load and store.

use super::hints::ALIGNMENT;
use crate::error::Result;
use crate::runtime::phase;
use crate::shm::Offset;
use crate::shm::heap::{self, Owned};
use crate::shm::segment::{segment, try_segment};
use crate::{bail, err};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::c_void;

/// What the program has allocated and not freed.
static ALLOCATED: Mutex<BTreeMap<Offset, Given>> = Mutex::new(BTreeMap::new());
/// What it has of this process's part of the segment, by whatever call: where that begins, and how many bytes it asked for.
static GIVEN: Mutex<BTreeMap<Offset, usize>> = Mutex::new(BTreeMap::new());

/// Memory given to the program, until this is dropped.
pub struct Given(Owned);

impl Given {
    /// `len` bytes, aligned to `alignment` (a power of two). Error: `MPI_ERR_NO_MEM`.
    pub fn alloc(len: usize, alignment: usize) -> Result<Given> {
        let memory = Owned::new(heap::alloc(len, alignment)?);
        GIVEN.lock().insert(memory.offset(), len);
        Ok(Given(memory))
    }

    pub fn offset(&self) -> Offset {
        self.0.offset()
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        GIVEN.lock().remove(&self.offset());
    }
}

/// Where `len` bytes at `base` lie in the segment; `None` if they are private memory. Error: `MPI_ERR_SIZE` if they lie
/// neither in the one nor in the other, or [reach](check_reach) too far.
pub fn offset_of(base: *const c_void, len: usize) -> Result<Option<Offset>> {
    let byte = len.min(1);
    let last = base.wrapping_byte_add(len - byte);
    let first = segment().offset_of(base, byte);
    if let Some(offset) = first {
        check_reach(offset, len)?;
    }
    // The segment is mapped up to somewhere, and what reaches beyond that is nobody's.
    if first.is_some() != segment().offset_of(last, byte).is_some() {
        bail!(
            Size,
            "size is {len}, and only a part of that at {base:p} is memory of the job"
        );
    }
    Ok(first)
}

/// Makes sure that a window of `len` bytes at `offset` is no larger than the memory that was given there: beyond it lies
/// somebody else's (MPI 4.1 §12.2.1). Memory that another process was given is not known here. Error: `MPI_ERR_SIZE`.
fn check_reach(offset: Offset, len: usize) -> Result<()> {
    let given = GIVEN.lock();
    let Some((&begin, &size)) = given.range(..offset + len).next_back() else {
        return Ok(());
    };
    let apart = begin + size.max(1) <= offset;
    let within = begin <= offset && offset + len <= begin + size;
    if !apart && !within {
        bail!(
            Size,
            "size is {len}, and beyond the {size} bytes allocated at {:p}",
            segment().at::<c_void>(begin)
        );
    }
    Ok(())
}

/// Gives `size` bytes, aligned to `alignment` (a power of two) and at least to a cache line. Errors: `MPI_ERR_SIZE` for a
/// negative size, `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` before MPI_Init and after MPI_Finalize.
pub fn alloc_mem(size: isize, alignment: usize) -> Result<*mut c_void> {
    let Ok(len) = usize::try_from(size) else {
        bail!(Size, "size is {size}, and a size is not negative");
    };
    if !phase::usable() {
        bail!(
            Other,
            "the job's memory is there between MPI_Init and MPI_Finalize"
        );
    }
    let memory = Given::alloc(len, alignment.max(ALIGNMENT))?;
    let address = segment().at::<c_void>(memory.offset());
    ALLOCATED.lock().insert(memory.offset(), memory);
    Ok(address)
}

/// Takes it back, unless it is null. Error: `MPI_ERR_BASE` for anything else that [`alloc_mem`] did not give.
pub fn free_mem(base: *mut c_void) -> Result<()> {
    if base.is_null() {
        return Ok(());
    }
    let memory = try_segment()
        .and_then(|segment| segment.offset_of(base, 0))
        .and_then(|offset| ALLOCATED.lock().remove(&offset));
    match memory {
        Some(_freed) => Ok(()),
        None => Err(err!(
            Base,
            "base is {base:p}, which MPI_Alloc_mem did not give, or which was freed before"
        )),
    }
}
