//! Synchronisation of windows (MPI 4.1 §12.5).

use crate::abi::boundary::pointers::Mut;
use crate::comm::group;
use crate::error::Result;
use crate::mpi::constants::MPI_PROC_NULL;
use crate::mpi::types::*;
use crate::mpi_api;
use crate::shm::atomic::full_fence;
use crate::win::{Target, Window, find, get as window};
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// Locks the part of `rank`: opens an access epoch on it. Blocks until the lock is acquired; load and store accesses are protected
/// too. A rank of MPI_PROC_NULL is allowed and does nothing.
///
/// MPI 4.1 §12.5.3. Errors: `MPI_ERR_WIN`, `MPI_ERR_RANK`, `MPI_ERR_LOCKTYPE`, `MPI_ERR_ASSERT`, `MPI_ERR_RMA_SYNC`
/// (locked already; exposed; another access epoch is open), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
#[quick(@looked find(win).is_some_and(|win| win.lock_quickly(lock_type, rank, assert)))]
pub extern "C" fn MPI_Win_lock(
    lock_type: c_int,
    rank: c_int,
    assert: c_int,
    win: MPI_Win,
) -> c_int {
    on_target(win, rank, |win, target| win.lock(lock_type, target, assert))
}

/// Closes the access epoch opened by `MPI_Win_lock` on `rank`. All operations of the epoch are complete at origin and
/// target on return.
///
/// MPI 4.1 §12.5.3. Errors: `MPI_ERR_WIN`, `MPI_ERR_RANK`, `MPI_ERR_RMA_SYNC` (not locked).
#[apply(mpi_api)]
#[quick(@looked find(win).is_some_and(|win| win.unlock_quickly(rank)))]
pub extern "C" fn MPI_Win_unlock(rank: c_int, win: MPI_Win) -> c_int {
    on_target(win, rank, Window::unlock)
}

/// Locks the parts of all processes shared. Not collective. Blocks while a part is locked exclusively.
///
/// MPI 4.1 §12.5.3. Errors: `MPI_ERR_WIN`, `MPI_ERR_ASSERT`, `MPI_ERR_RMA_SYNC`, `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
#[quick(@looked find(win).is_some_and(|win| win.lock_all_quickly(assert)))]
pub extern "C" fn MPI_Win_lock_all(assert: c_int, win: MPI_Win) -> c_int {
    window(win)?.lock_all(assert)
}

/// Closes the access epoch opened by `MPI_Win_lock_all`.
///
/// MPI 4.1 §12.5.3. Errors: `MPI_ERR_WIN`, `MPI_ERR_RMA_SYNC`.
#[apply(mpi_api)]
#[quick(@looked find(win).is_some_and(|win| win.unlock_all_quickly()))]
pub extern "C" fn MPI_Win_unlock_all(win: MPI_Win) -> c_int {
    window(win)?.unlock_all()
}

/// Completes all operations on `rank` at origin and target.
///
/// MPI 4.1 §12.5.4. Does not block. Errors: `MPI_ERR_WIN`, `MPI_ERR_RANK`, `MPI_ERR_RMA_SYNC` (no passive target epoch).
#[apply(mpi_api)]
#[quick(@looked find(win).is_some_and(|win| win.flush_quickly(rank)))]
pub extern "C" fn MPI_Win_flush(rank: c_int, win: MPI_Win) -> c_int {
    on_target(win, rank, Window::flush)
}

/// Completes all operations on all targets at origin and target.
///
/// MPI 4.1 §12.5.4. Does not block. Errors: `MPI_ERR_WIN`, `MPI_ERR_RMA_SYNC` (no passive target epoch).
#[apply(mpi_api)]
#[quick(@looked find(win).is_some_and(|win| win.flush_all_quickly()))]
pub extern "C" fn MPI_Win_flush_all(win: MPI_Win) -> c_int {
    window(win)?.flush_all(false)
}

/// Completes all operations on `rank` at the origin. Here as `MPI_Win_flush`.
///
/// MPI 4.1 §12.5.4. Does not block. Errors: as `MPI_Win_flush`.
#[apply(mpi_api)]
#[quick(@looked find(win).is_some_and(|win| win.flush_local_quickly(rank)))]
pub extern "C" fn MPI_Win_flush_local(rank: c_int, win: MPI_Win) -> c_int {
    on_target(win, rank, Window::flush_local)
}

/// Completes all operations on all targets at the origin. Here as `MPI_Win_flush_all`.
///
/// MPI 4.1 §12.5.4. Does not block. Errors: as `MPI_Win_flush_all`.
#[apply(mpi_api)]
#[quick(@looked find(win).is_some_and(|win| win.flush_local_all_quickly()))]
pub extern "C" fn MPI_Win_flush_local_all(win: MPI_Win) -> c_int {
    window(win)?.flush_all(true)
}

/// Orders this process's loads and stores in the window: a memory fence. Allowed outside epochs too.
///
/// MPI 4.1 §12.5.4. Does not block. Error: `MPI_ERR_WIN`.
#[apply(mpi_api)]
#[quick(find(win).map(|_| full_fence()).is_some())]
pub extern "C" fn MPI_Win_sync(win: MPI_Win) -> c_int {
    window(win)?.saw_sync();
    Ok(())
}

/// Completes the epoch that the last fence opened, and opens another unless `assert` has MPI_MODE_NOSUCCEED. Collective;
/// blocks until all processes of the window have called it, whatever `assert` says.
///
/// MPI 4.1 §12.5.1. Errors: `MPI_ERR_WIN`, `MPI_ERR_ASSERT`, `MPI_ERR_RMA_SYNC` (another kind of epoch is open),
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
#[quick(@looked find(win).is_some_and(|win| win.fence_quickly(assert)))]
pub extern "C" fn MPI_Win_fence(assert: c_int, win: MPI_Win) -> c_int {
    window(win)?.fence(assert)
}

/// Exposes this process's part to the origins in `group`: opens an exposure epoch.
///
/// MPI 4.1 §12.5.2. Does not block. Errors: `MPI_ERR_WIN`, `MPI_ERR_GROUP`, `MPI_ERR_ASSERT`, `MPI_ERR_RMA_SYNC` (exposed
/// already; locked).
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_post(group: MPI_Group, assert: c_int, win: MPI_Win) -> c_int {
    let win = window(win)?;
    win.post(&*group::get(group)?, assert)
}

/// Opens an access epoch on the targets in `group`. Blocks until all of them have posted.
///
/// MPI 4.1 §12.5.2. Errors: `MPI_ERR_WIN`, `MPI_ERR_GROUP`, `MPI_ERR_ASSERT`, `MPI_ERR_RMA_SYNC` (another epoch is open),
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_start(group: MPI_Group, assert: c_int, win: MPI_Win) -> c_int {
    let win = window(win)?;
    win.start(&*group::get(group)?, assert)
}

/// Closes the access epoch that `MPI_Win_start` opened. All its operations are complete at the origin on return, and at
/// the targets when their `MPI_Win_wait` returns.
///
/// MPI 4.1 §12.5.2. Does not block. Errors: `MPI_ERR_WIN`, `MPI_ERR_RMA_SYNC` (no such epoch).
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_complete(win: MPI_Win) -> c_int {
    window(win)?.complete()
}

/// Closes the exposure epoch that `MPI_Win_post` opened. Blocks until all origins have completed.
///
/// MPI 4.1 §12.5.2. Errors: `MPI_ERR_WIN`, `MPI_ERR_RMA_SYNC` (no such epoch), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_wait(win: MPI_Win) -> c_int {
    window(win)?.wait()
}

/// Closes the exposure epoch, as `MPI_Win_wait` does, if all origins have completed: `flag` tells.
///
/// MPI 4.1 §12.5.2. Does not block. Errors: `MPI_ERR_WIN`, `MPI_ERR_ARG`, `MPI_ERR_RMA_SYNC` (no such epoch).
#[apply(mpi_api)]
pub extern "C" fn MPI_Win_test(win: MPI_Win, flag: Mut<c_int>) -> c_int {
    let win = window(win)?;
    let flag = flag.out("flag")?;
    flag.set(win.test()?.into());
    Ok(())
}

/// Does it at a target; at MPI_PROC_NULL there is nothing to do.
#[inline(always)]
fn on_target(
    win: MPI_Win,
    rank: c_int,
    work: impl FnOnce(&Window, &Target) -> Result<()>,
) -> Result<()> {
    let win = window(win)?;
    match win.target(rank) {
        Ok(target) => work(win, target),
        Err(_) if rank == MPI_PROC_NULL => Ok(()),
        Err(error) => Err(error),
    }
}
