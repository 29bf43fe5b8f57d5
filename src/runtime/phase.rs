//! How far this process is between before `MPI_Init` and after `MPI_Finalize`, and how it uses threads.
//!
//! | phase    | comes from | when                                                          |
//! |----------|------------|---------------------------------------------------------------|
//! | Before   |            | the process has not called MPI_Init                           |
//! | Starting | Before     | inside MPI_Init, or MPI_Init failed                           |
//! | Running  | Starting   | MPI can be used                                               |
//! | Ending   | Running    | inside MPI_Finalize: callbacks of attributes may still use MPI |
//! | Over     | Ending     | MPI_Finalize is complete, or failed                           |

use crate::bail;
use crate::error::Result;
use crate::shm::atomic::{AtomicI32, AtomicU32, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Phase {
    Before = 0,
    Starting = 1,
    Running = 2,
    Ending = 3,
    Over = 4,
}

static PHASE: AtomicU32 = AtomicU32::new(Phase::Before as u32);
/// The thread level given by MPI_Init.
static LEVEL: AtomicI32 = AtomicI32::new(0);
/// The thread that called MPI_Init.
static MAIN: AtomicI32 = AtomicI32::new(0);

pub fn phase() -> Phase {
    match PHASE.load(Ordering::Acquire) {
        0 => Phase::Before,
        1 => Phase::Starting,
        2 => Phase::Running,
        3 => Phase::Ending,
        _ => Phase::Over,
    }
}

/// Whether MPI can be used: between MPI_Init and MPI_Finalize, callbacks of the latter included.
pub fn usable() -> bool {
    matches!(phase(), Phase::Running | Phase::Ending)
}

fn step(from: Phase, to: Phase) -> bool {
    PHASE
        .compare_exchange(from as u32, to as u32, Ordering::AcqRel, Ordering::Acquire)
        .is_ok()
}

/// Enters MPI_Init with thread level `level`. Error: `MPI_ERR_OTHER` if the process has entered it before.
pub fn starting(level: i32) -> Result<()> {
    if !step(Phase::Before, Phase::Starting) {
        match phase() {
            Phase::Over => bail!(Other, "MPI cannot be initialized again after MPI_Finalize"),
            _ => bail!(Other, "MPI is already initialized"),
        }
    }
    LEVEL.store(level, Ordering::Relaxed);
    MAIN.store(thread(), Ordering::Relaxed);
    Ok(())
}

/// MPI_Init is complete.
pub fn running() {
    step(Phase::Starting, Phase::Running);
}

/// Enters MPI_Finalize. Error: `MPI_ERR_OTHER` if MPI is not initialized, or not any more.
pub fn ending() -> Result<()> {
    if !step(Phase::Running, Phase::Ending) {
        match phase() {
            Phase::Before | Phase::Starting => bail!(Other, "MPI is not initialized"),
            _ => bail!(Other, "MPI is already finalized"),
        }
    }
    Ok(())
}

/// MPI_Finalize is complete.
pub fn over() {
    step(Phase::Ending, Phase::Over);
}

/// The thread level that MPI was initialized with.
pub fn level() -> i32 {
    LEVEL.load(Ordering::Relaxed)
}

/// Whether the caller is the thread that initialized MPI.
pub fn on_main_thread() -> bool {
    MAIN.load(Ordering::Relaxed) == thread()
}

fn thread() -> i32 {
    nix::unistd::gettid().as_raw()
}
