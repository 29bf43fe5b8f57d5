//! Memory that MPI allocates for the program (MPI 4.1 §9.2).

use crate::abi::boundary::pointers::Mut;
use crate::check::{self, buffers, objects};
use crate::mpi::types::*;
use crate::win::{hints::Hints, memory};
use crate::{info, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::c_void;

/// Allocates `size` bytes in the job's shared segment: windows over it are reached by load and store. `baseptr` is the
/// address of a pointer. A size of 0 gives a valid address too. The info key `mpi_minimum_memory_alignment` is followed.
///
/// MPI 4.1 §9.2. Errors: `MPI_ERR_NO_MEM`, `MPI_ERR_SIZE` (negative), `MPI_ERR_ARG` (null pointer), `MPI_ERR_INFO`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Alloc_mem(size: MPI_Aint, info: MPI_Info, baseptr: Mut<c_void>) -> c_int {
    let baseptr = baseptr.cast::<*mut c_void>().out("baseptr")?;
    let hints = Hints::of(&info::hints(info)?)?;
    let base = memory::alloc_mem(size, hints.alignment)?;
    baseptr.set(base);
    if check::is_on() {
        objects::made(objects::MEMORY, base.addr());
        buffers::given(base.addr(), size as usize);
    }
    Ok(())
}

/// Frees what `MPI_Alloc_mem` gave; null is nothing, as for `free`.
///
/// MPI 4.1 §9.2. Error: `MPI_ERR_BASE` (anything else).
#[apply(mpi_api)]
pub extern "C" fn MPI_Free_mem(base: Mut<c_void>) -> c_int {
    if check::is_on() {
        objects::gone(objects::MEMORY, base.pointer().addr());
        buffers::taken(base.pointer().addr());
    }
    memory::free_mem(base.pointer())
}
