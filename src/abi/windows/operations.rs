//! One-sided operations (MPI 4.1 §12.3). None of them blocks, and all of them are done when they return: what remains to a
//! synchronisation call is a memory fence. The `_c` forms take large counts.

use crate::abi::boundary::pointers::{In, Mut};
use crate::mpi::types::*;
use crate::win::transfer::{Origin, Remote};
use crate::win::{find, get as window};
use crate::{mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// The origin's side of an operation, or the result's.
#[inline(always)]
pub fn origin<'a>(
    address: impl Into<In<'a, c_void>>,
    count: impl Into<i64>,
    datatype: MPI_Datatype,
) -> Origin {
    // SAFETY: that a buffer is as long as its count and datatype say is the promise of the MPI function's caller.
    unsafe { Origin::new(address.into().pointer(), count, datatype) }
}

/// Copies `origin_count` elements at `origin_addr` to the window of `target_rank`, `target_disp` of its displacement
/// units from its beginning.
///
/// MPI 4.1 §12.3.1. Errors: `MPI_ERR_WIN`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_RANK`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_RMA_SYNC` (no access epoch on the target), `MPI_ERR_DISP`, `MPI_ERR_RMA_RANGE`.
#[apply(mpi_counts)]
#[twice]
#[quick(@series find(win).is_some_and(|win| {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    win.put_quickly(near, far)
}))]
pub extern "C" fn MPI_Put(
    origin_addr: In<c_void>,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> c_int {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    window(win)?.put(near, far)
}

/// Copies from the window of `target_rank` to `origin_addr`. The data is there on return.
///
/// MPI 4.1 §12.3.2. Errors: as `MPI_Put`.
#[apply(mpi_counts)]
#[twice]
#[quick(@series find(win).is_some_and(|win| {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    win.get_quickly(near, far)
}))]
pub extern "C" fn MPI_Get(
    origin_addr: Mut<c_void>,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> c_int {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    window(win)?.get(near, far)
}

/// Combines the origin's elements into the target's with a predefined operation or MPI_REPLACE, each element atomically
/// against every other call of the accumulate family; a single aligned element of 1, 2, 4 or 8 bytes in shared memory
/// also against the program's own C11 atomics.
///
/// MPI 4.1 §12.3.4.1. Errors: as `MPI_Put`, and `MPI_ERR_OP` (none, of the program's own, or MPI_NO_OP, which is for calls that
/// fetch).
#[apply(mpi_counts)]
#[twice]
#[quick(@again_unobserved find(win).is_some_and(|win| {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    win.accumulate_quickly(near, far, op)
}))]
pub extern "C" fn MPI_Accumulate(
    origin_addr: In<c_void>,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    window(win)?.accumulate(near, far, op)
}

/// Fetches the target's elements to `result_addr` and combines the origin's into them, atomically for each element.
/// With MPI_NO_OP it only fetches, and the origin arguments are ignored.
///
/// MPI 4.1 §12.3.4.2. Errors: as `MPI_Accumulate`.
#[apply(mpi_counts)]
#[twice]
#[quick(@looked_unobserved find(win).is_some_and(|win| {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let result = origin(result_addr, result_count, result_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    win.get_accumulate_quickly(near, result, far, op)
}))]
pub extern "C" fn MPI_Get_accumulate(
    origin_addr: In<c_void>,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    result_addr: Mut<c_void>,
    result_count: Count,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let result = origin(result_addr, result_count, result_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    window(win)?.get_accumulate(near, result, far, op)
}

/// `MPI_Get_accumulate` of one element of a predefined datatype, the same on both sides.
///
/// MPI 4.1 §12.3.4.3. Errors: as `MPI_Accumulate`.
#[apply(mpi_api)]
#[quick(@again find(win).is_some_and(|win| {
    let (from, to) = (origin_addr.pointer(), result_addr.pointer());
    // SAFETY: the buffers are what the caller says.
    unsafe { win.fetch_and_op_quickly(from, to, datatype, target_rank, target_disp, op) }
}))]
pub extern "C" fn MPI_Fetch_and_op(
    origin_addr: In<c_void>,
    result_addr: Mut<c_void>,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    // SAFETY: the buffers are what the caller says.
    unsafe {
        window(win)?.fetch_and_op(
            origin_addr.pointer(),
            result_addr.pointer(),
            datatype,
            target_rank,
            target_disp,
            op,
        )
    }
}

/// Puts the element at `origin_addr` into the target's place if that holds what is at `compare_addr`; what it held goes to
/// `result_addr` in any case. For integer, logical and byte datatypes.
///
/// MPI 4.1 §12.3.4.4. Errors: as `MPI_Put`.
#[apply(mpi_api)]
#[quick(@again find(win).is_some_and(|win| {
    let (new, old) = (origin_addr.pointer(), compare_addr.pointer());
    // SAFETY: the buffers are what the caller says.
    unsafe { win.compare_and_swap_quickly(new, old, result_addr.pointer(), datatype, target_rank, target_disp) }
}))]
pub extern "C" fn MPI_Compare_and_swap(
    origin_addr: In<c_void>,
    compare_addr: In<c_void>,
    result_addr: Mut<c_void>,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    win: MPI_Win,
) -> c_int {
    // SAFETY: the buffers are what the caller says.
    unsafe {
        window(win)?.compare_and_swap(
            origin_addr.pointer(),
            compare_addr.pointer(),
            result_addr.pointer(),
            datatype,
            target_rank,
            target_disp,
        )
    }
}
