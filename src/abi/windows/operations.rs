//! One-sided operations (MPI 4.1 §12.3). None of them blocks, and all of them are done when they return: what remains to a
//! synchronisation call is a memory fence. The `_c` forms take large counts.

use crate::mpi::types::*;
use crate::win::transfer::{Origin, Remote};
use crate::win::{find, get as window};
use crate::{mpi_api, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Copies `origin_count` elements at `origin_addr` to the window of `target_rank`, `target_disp` of its displacement
/// units from its beginning.
///
/// MPI 4.1 §12.3.1. Errors: `MPI_ERR_WIN`, `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_RANK`, `MPI_ERR_BUFFER`,
/// `MPI_ERR_RMA_SYNC` (no access epoch on the target), `MPI_ERR_DISP`, `MPI_ERR_RMA_RANGE`.
#[apply(mpi_counts)]
#[quick(find(win).is_some_and(|win| {
    let near = Origin::new(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    // SAFETY: the origin buffer is what the caller says.
    unsafe { win.put_quickly(near, far) }
}))]
pub unsafe extern "C" fn MPI_Put(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> c_int {
    let near = Origin::new(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    // SAFETY: the origin buffer is what the caller says.
    unsafe { window(win)?.put(near, far) }
}

/// Copies from the window of `target_rank` to `origin_addr`. The data is there on return.
///
/// MPI 4.1 §12.3.2. Errors: as `MPI_Put`.
#[apply(mpi_counts)]
#[quick(find(win).is_some_and(|win| {
    let near = Origin::new(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    // SAFETY: the origin buffer is what the caller says.
    unsafe { win.get_quickly(near, far) }
}))]
pub unsafe extern "C" fn MPI_Get(
    origin_addr: *mut c_void,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> c_int {
    let near = Origin::new(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    // SAFETY: the origin buffer is what the caller says.
    unsafe { window(win)?.get(near, far) }
}

/// Combines the origin's elements into the target's with a predefined operation or MPI_REPLACE, each element atomically
/// against every other call of the accumulate family; a single aligned element of 1, 2, 4 or 8 bytes in shared memory
/// also against the program's own C11 atomics.
///
/// MPI 4.1 §12.3.4.1. Errors: as `MPI_Put`, and `MPI_ERR_OP` (none, of the program's own, or MPI_NO_OP, which is for calls that
/// fetch).
#[apply(mpi_counts)]
#[quick(find(win).is_some_and(|win| {
    let near = Origin::new(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    // SAFETY: the origin buffer is what the caller says.
    unsafe { win.accumulate_quickly(near, far, op) }
}))]
pub unsafe extern "C" fn MPI_Accumulate(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    let near = Origin::new(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    // SAFETY: the origin buffer is what the caller says.
    unsafe { window(win)?.accumulate(near, far, op) }
}

/// Fetches the target's elements to `result_addr` and combines the origin's into them, atomically for each element.
/// With MPI_NO_OP it only fetches, and the origin arguments are ignored.
///
/// MPI 4.1 §12.3.4.2. Errors: as `MPI_Accumulate`.
#[apply(mpi_counts)]
#[quick(find(win).is_some_and(|win| {
    let near = Origin::new(origin_addr, origin_count, origin_datatype);
    let result = Origin::new(result_addr, result_count, result_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    // SAFETY: the buffers are what the caller says.
    unsafe { win.get_accumulate_quickly(near, result, far, op) }
}))]
pub unsafe extern "C" fn MPI_Get_accumulate(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: Count,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    let near = Origin::new(origin_addr, origin_count, origin_datatype);
    let result = Origin::new(result_addr, result_count, result_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    // SAFETY: the buffers are what the caller says.
    unsafe { window(win)?.get_accumulate(near, result, far, op) }
}

/// `MPI_Get_accumulate` of one element of a predefined datatype, the same on both sides.
///
/// MPI 4.1 §12.3.4.3. Errors: as `MPI_Accumulate`.
#[apply(mpi_api)]
#[quick(find(win).is_some_and(|win| {
    let (from, to) = (origin_addr, result_addr);
    // SAFETY: the buffers are what the caller says.
    unsafe { win.fetch_and_op_quickly(from, to, datatype, target_rank, target_disp, op) }
}))]
pub unsafe extern "C" fn MPI_Fetch_and_op(
    origin_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    // SAFETY: the buffers are what the caller says.
    unsafe {
        window(win)?.fetch_and_op(
            origin_addr,
            result_addr,
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
#[quick(find(win).is_some_and(|win| {
    let (new, old, to) = (origin_addr, compare_addr, result_addr);
    // SAFETY: the buffers are what the caller says.
    unsafe { win.compare_and_swap_quickly(new, old, to, datatype, target_rank, target_disp) }
}))]
pub unsafe extern "C" fn MPI_Compare_and_swap(
    origin_addr: *const c_void,
    compare_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    win: MPI_Win,
) -> c_int {
    // SAFETY: the buffers are what the caller says.
    unsafe {
        window(win)?.compare_and_swap(
            origin_addr,
            compare_addr,
            result_addr,
            datatype,
            target_rank,
            target_disp,
        )
    }
}
