//! One-sided operations with requests (MPI 4.1 §12.3.5). They are done when they return, so the requests are complete from the beginning;
//! completion at the target is still a matter of synchronisation calls.
//!
//! MPI 4.1 has them within passive target epochs only. Other implementations take them in every access epoch, and programs
//! rely on it; nothing here depends on the epoch, so that is served.

use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::windows::operations::origin;
use crate::check::race::{again, requests};
use crate::mpi::types::*;
use crate::mpi_counts;
use crate::p2p::request::{WAIT_ONLY, one_sided_handle};
use crate::win::transfer::Remote;
use crate::win::{find, get as window};
use macro_rules_attribute::apply;
use std::ffi::{c_int, c_void};

/// Does a simple operation, and gives the request if it was one: whether it was.
#[inline(always)]
fn at_once(request: Mut<MPI_Request>, quickly: impl FnOnce() -> bool) -> bool {
    at_once_with(request, quickly, || WAIT_ONLY)
}

/// The same of one that is done once more in a job that is checked: its request is the one before.
#[inline(always)]
pub fn again_at_once(request: Mut<MPI_Request>, quickly: impl FnOnce() -> bool) -> bool {
    at_once_with(request, quickly, || MPI_Request(again::give()))
}

/// The same of one that is noted, or looked at, there: its request is that of an earlier one.
#[inline(always)]
pub fn next_at_once(
    function: &'static str,
    request: Mut<MPI_Request>,
    quickly: impl FnOnce() -> bool,
) -> bool {
    // Large counts are not worth the code.
    let is_large = matches!(function.as_bytes(), [.., b'_', b'c']);
    let Ok(request) = request.out("request") else {
        return false;
    };
    if is_large {
        return false;
    }
    let Some(handle) = requests::find(function) else {
        return false;
    };
    let is_done = quickly();
    if is_done {
        request.set(MPI_Request(handle));
    }
    is_done
}

#[inline(always)]
fn at_once_with(
    request: Mut<MPI_Request>,
    quickly: impl FnOnce() -> bool,
    handle: impl FnOnce() -> MPI_Request,
) -> bool {
    let Ok(request) = request.out("request") else {
        return false;
    };
    let done = quickly();
    if done {
        request.set(handle());
    }
    done
}

/// `MPI_Put` with a request, which is complete when it is given: the origin buffer may be reused.
///
/// MPI 4.1 §12.3.5.1. Errors: as `MPI_Put`.
#[apply(mpi_counts)]
#[twice]
#[quick(@again_request find(win).is_some_and(|win| {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    at_once(request, || win.put_quickly(near, far))
}))]
pub extern "C" fn MPI_Rput(
    origin_addr: In<c_void>,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    request: Mut<MPI_Request>,
) -> c_int {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    let request = request.out("request")?;
    window(win)?.put(near, far)?;
    request.set(one_sided_handle());
    Ok(())
}

/// `MPI_Get` with a request, which is complete when it is given: the data is there.
///
/// MPI 4.1 §12.3.5.2. Errors: as `MPI_Get`.
#[apply(mpi_counts)]
#[twice]
#[quick(@again_request find(win).is_some_and(|win| {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    at_once(request, || win.get_quickly(near, far))
}))]
pub extern "C" fn MPI_Rget(
    origin_addr: Mut<c_void>,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    request: Mut<MPI_Request>,
) -> c_int {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    let request = request.out("request")?;
    window(win)?.get(near, far)?;
    request.set(one_sided_handle());
    Ok(())
}

/// `MPI_Accumulate` with a request, which is complete when it is given: the origin buffer may be reused.
///
/// MPI 4.1 §12.3.5.3. Errors: as `MPI_Accumulate`.
#[apply(mpi_counts)]
#[twice]
#[quick(@again_request find(win).is_some_and(|win| {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    at_once(request, || win.accumulate_quickly(near, far, op))
}))]
pub extern "C" fn MPI_Raccumulate(
    origin_addr: In<c_void>,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: Mut<MPI_Request>,
) -> c_int {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    let request = request.out("request")?;
    window(win)?.accumulate(near, far, op)?;
    request.set(one_sided_handle());
    Ok(())
}

/// `MPI_Get_accumulate` with a request, which is complete when it is given: the result is there.
///
/// MPI 4.1 §12.3.5.4. Errors: as `MPI_Get_accumulate`.
#[apply(mpi_counts)]
#[twice]
#[quick(@looked_request find(win).is_some_and(|win| {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let result = origin(result_addr, result_count, result_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    at_once(request, || win.get_accumulate_quickly(near, result, far, op))
}))]
pub extern "C" fn MPI_Rget_accumulate(
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
    request: Mut<MPI_Request>,
) -> c_int {
    let near = origin(origin_addr, origin_count, origin_datatype);
    let result = origin(result_addr, result_count, result_datatype);
    let far = Remote::new(target_rank, target_disp, target_count, target_datatype);
    let request = request.out("request")?;
    window(win)?.get_accumulate(near, result, far, op)?;
    request.set(one_sided_handle());
    Ok(())
}
