//! Memory for the program from the job segment: MPI_Alloc_mem, MPI_Free_mem (MPI 4.1 §9.2). Windows made or attached over it
//! are reached by load and store.

use super::query::ALIGNMENT;
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
static ALLOCATED: Mutex<BTreeMap<Offset, Owned>> = Mutex::new(BTreeMap::new());

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
    let memory = Owned::new(heap::alloc(len, alignment.max(ALIGNMENT))?);
    let address = segment().at::<c_void>(memory.offset());
    ALLOCATED.lock().insert(memory.offset(), memory);
    Ok(address)
}

/// Takes it back. Error: `MPI_ERR_BASE` for anything that [`alloc_mem`] did not give.
pub fn free_mem(base: *mut c_void) -> Result<()> {
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
