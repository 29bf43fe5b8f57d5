//! Epochs: which accesses this process may make, and which synchronisation calls fit.
//!
//! All of it is private to the process; what processes share is in [`super::control`]. Words are atomics, because
//! threads may use one window, and relaxed, because MPI asks the program to order calls that depend on each other.
//!
//! The access epochs of a window as a whole ([`Epoch::access`]), and what may come next:
//!
//! | state       | opened by                    | operations     | ended by                  |
//! |-------------|------------------------------|----------------|---------------------------|
//! | `None`      |                              | no             |                           |
//! | `FenceIdle` | fence without NOSUCCEED      | yes → `Fence`  | fence; any other opening  |
//! | `Fence`     | the first operation          | yes            | fence                     |
//! | `LockAll`   | lock_all                     | yes            | unlock_all                |
//! | `Locks`     | the first lock               | locked targets | the last unlock           |
//! | `Start`     | start                        | its group      | complete                  |
//!
//! A fence opens an epoch only if operations and another fence follow (MPI 4.1 §12.5.1), so after it any other kind of
//! epoch may be opened as long as no operation was made.

use super::{Target, Window};
use crate::abi::constants::MPI_THREAD_MULTIPLE;
use crate::bail;
use crate::error::Result;
use crate::runtime::phase;
use crate::shm::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use std::fmt::Display;

/// The access epoch of the window as a whole. `Locks` is not stored: it is `None` with [`Epoch::locks`] held, so that
/// threads that lock and unlock different targets at the same time need not agree on who is first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Access {
    None = 0,
    FenceIdle = 1,
    Fence = 2,
    LockAll = 3,
    Locks = 4,
    Start = 5,
}

/// What this process holds at one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Hold {
    None = 0,
    /// Locked shared.
    Shared = 1,
    /// Locked exclusively.
    Exclusive = 2,
    /// Locked exclusively, and counted where lock_all looks.
    ExclusiveCounted = 3,
    /// Locked with MPI_MODE_NOCHECK: the program excludes conflicts itself.
    Unchecked = 4,
    /// In the group of start.
    Started = 5,
}

impl Hold {
    pub fn from(n: u8) -> Hold {
        match n {
            0 => Hold::None,
            1 => Hold::Shared,
            2 => Hold::Exclusive,
            3 => Hold::ExclusiveCounted,
            4 => Hold::Unchecked,
            _ => Hold::Started,
        }
    }
}

/// This process's part is exposed by post.
pub const EXPOSED: u8 = 1;
/// The window has the info key `no_locks`.
pub const NO_LOCKS: u8 = 2;

/// The epochs of this process on a window.
#[derive(Default)]
pub struct Epoch {
    access: AtomicU8,
    /// Not 0 while operations are allowed at every target without further look: `Fence` and `LockAll`.
    open: AtomicU8,
    /// Not 0 if lock_all was called with MPI_MODE_NOCHECK.
    pub unchecked: AtomicU8,
    /// Locks held.
    pub locks: AtomicU32,
    /// Why passive target calls are not allowed now: 0, [`EXPOSED`], [`NO_LOCKS`] or both.
    pub barred: AtomicU8,
    /// Not 0 once this process has made sure that all exclusive holders count themselves (see [`super::passive`]).
    pub ready_for_lock_all: AtomicU8,
}

impl Epoch {
    /// Makes passive target calls errors, or no longer.
    pub fn bar_locks(&self, bar: bool) {
        match bar {
            true => self.barred.fetch_or(NO_LOCKS, Relaxed),
            false => self.barred.fetch_and(!NO_LOCKS, Relaxed),
        };
    }

    pub fn exposed(&self) -> bool {
        self.barred.load(Relaxed) & EXPOSED != 0
    }

    pub fn access(&self) -> Access {
        match self.access.load(Relaxed) {
            0 if self.locks.load(Relaxed) != 0 => Access::Locks,
            0 => Access::None,
            1 => Access::FenceIdle,
            2 => Access::Fence,
            3 => Access::LockAll,
            _ => Access::Start,
        }
    }

    /// Counts a lock taken (1) or given back (-1). Where only one thread at a time may be in MPI that need not be a locked
    /// instruction, which costs as much as the lock itself.
    #[inline(always)]
    pub fn count_lock(&self, by: i32) {
        if phase::level() == MPI_THREAD_MULTIPLE {
            self.locks.fetch_add(by as u32, Relaxed);
        } else {
            let held = self.locks.load(Relaxed);
            self.locks.store(held.wrapping_add_signed(by), Relaxed);
        }
    }

    /// Whether [`Epoch::access`] is `None` or `Locks`: a target may be locked.
    #[inline(always)]
    pub fn fits_locks(&self) -> bool {
        self.access.load(Relaxed) == Access::None as u8
    }

    /// Whether the window is locked by lock_all.
    #[inline(always)]
    pub fn is_lock_all(&self) -> bool {
        self.access.load(Relaxed) == Access::LockAll as u8
    }

    pub fn set_access(&self, access: Access) {
        self.access.store(access as u8, Relaxed);
        self.open.store(
            matches!(access, Access::Fence | Access::LockAll).into(),
            Relaxed,
        );
    }
}

impl Window {
    /// Whether operations on `target` are allowed, as far as two loads tell.
    #[inline(always)]
    pub fn is_open(&self, target: &Target) -> bool {
        self.epoch.open.load(Relaxed) | target.hold.load(Relaxed) != 0
    }

    /// Checks that operations on `target` are allowed. Error: `MPI_ERR_RMA_SYNC`.
    pub fn may_access(&self, target: &Target) -> Result<()> {
        if self.is_open(target) {
            return Ok(());
        }
        if self.epoch.access() == Access::FenceIdle {
            self.epoch.set_access(Access::Fence);
            return Ok(());
        }
        bail!(
            RmaSync,
            "rank {} is not locked, and there is no other access epoch that covers it: call MPI_Win_lock, \
             MPI_Win_lock_all, MPI_Win_start or MPI_Win_fence first",
            self.rank_of(target)
        )
    }

    /// Checks that an access epoch may be opened that excludes others on the window. Error: `MPI_ERR_RMA_SYNC`.
    pub fn may_open(&self, what: impl Display) -> Result<()> {
        let why = match self.epoch.access() {
            Access::None | Access::FenceIdle => return Ok(()),
            Access::Fence => {
                "operations were made since MPI_Win_fence: call MPI_Win_fence once more"
            }
            Access::LockAll => "the window is locked by MPI_Win_lock_all",
            Access::Locks => "a target is locked by MPI_Win_lock",
            Access::Start => "an access epoch is open since MPI_Win_start",
        };
        bail!(RmaSync, "{what} is not possible now: {why}")
    }

    /// Checks that a passive target epoch is open. Error: `MPI_ERR_RMA_SYNC`.
    pub fn must_be_passive(&self) -> Result<()> {
        if !matches!(self.epoch.access(), Access::LockAll | Access::Locks) {
            bail!(
                RmaSync,
                "operations with requests are for passive target epochs: lock the target first"
            );
        }
        Ok(())
    }

    /// The rank in the window of one of its targets.
    pub fn rank_of(&self, target: &Target) -> usize {
        (target as *const Target as usize - self.targets.as_ptr() as usize) / size_of::<Target>()
    }
}

impl Target {
    pub fn hold(&self) -> Hold {
        Hold::from(self.hold.load(Relaxed))
    }

    pub fn set_hold(&self, hold: Hold) {
        self.hold.store(hold as u8, Relaxed);
    }
}
