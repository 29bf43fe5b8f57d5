//! Active target synchronisation: fence (MPI 4.1 §12.5.1).
//!
//! Data is moved when an operation is called, so a fence is a barrier between memory fences. It always synchronises: even
//! with MPI_MODE_NOPRECEDE the processes' own loads and stores before it must be separated from accesses after it. So an
//! assertion that is wrong loses nothing, and programs that give one are served.

use super::Window;
use super::epoch::Access;
use crate::bail;
use crate::error::Result;
use crate::mpi::constants::{
    MPI_MODE_NOPRECEDE, MPI_MODE_NOPUT, MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED,
};
use crate::runtime::errands::run_errand;
use crate::shm::atomic::full_fence;
use std::ffi::c_int;

impl Window {
    /// Nothing of a fence is quick.
    #[inline(always)]
    pub fn fence_quickly(&self, _assert: c_int) -> bool {
        false
    }

    /// `MPI_Win_fence`. Blocks until all processes of the window have called it. Errors: `MPI_ERR_ASSERT`,
    /// `MPI_ERR_RMA_SYNC`, `MPI_ERR_PROC_FAILED`.
    pub fn fence(&self, assert: c_int) -> Result<()> {
        let _within = self.within_fence();
        let known = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
        if assert & !known != 0 {
            bail!(
                Assert,
                "assert is {assert:#x}, which has bits that do not go with MPI_Win_fence"
            );
        }
        self.may_open_beside(&[Access::Fence], "MPI_Win_fence")?;
        if self.epoch.exposed() {
            bail!(
                RmaSync,
                "this process's part is exposed since MPI_Win_post: call MPI_Win_wait first"
            );
        }
        run_errand();
        let fencing = self.begin_fence(assert);
        self.before_fence(assert);
        full_fence();
        if let Err(failed) = self.meeting.barrier(&|| "MPI_Win_fence".to_string()) {
            // No fence of this window will succeed any more: the epoch is over.
            self.epoch.set_access(Access::None);
            return Err(failed);
        }
        self.end_fence(fencing);
        let next = if assert & MPI_MODE_NOSUCCEED != 0 {
            Access::None
        } else {
            Access::FenceIdle
        };
        self.epoch.set_access(next);
        Ok(())
    }
}
