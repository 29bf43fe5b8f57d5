//! Epochs: which accesses this process may make, and which synchronisation calls fit.
//!
//! All of it is private to the process; what processes share is in [`crate::block`]. Words are atomics, because
//! threads may use one window, and relaxed, because MPI asks the program to order calls that depend on each other.
//!
//! Besides the access state of the window these are: whether this process's part is exposed, and what is held at each target.
//! Only one and the same part must not be locked and exposed at once: a rank may lock others while it is exposed, and post
//! while it holds locks of others. The check on the fast path is two loads.

use super::{Target, Window};
use crate::bail;
pub use crate::block::access::Access;
use crate::block::access::AccessWord;
use crate::error::Result;
use crate::runtime::phase;
use crate::shm::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use std::fmt::Display;

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
    /// Nothing: `MPI_Win_lock` on its fast path has changed the lock's word, but must not have the lock yet.
    InVain = 6,
}

impl Hold {
    pub fn from(n: u8) -> Hold {
        match n {
            0 => Hold::None,
            1 => Hold::Shared,
            2 => Hold::Exclusive,
            3 => Hold::ExclusiveCounted,
            4 => Hold::Unchecked,
            5 => Hold::Started,
            _ => Hold::InVain,
        }
    }
}

/// The epochs of this process on a window.
pub struct Epoch {
    /// The access epoch of the window as a whole.
    pub state: AccessWord,
    /// Not 0 while operations are allowed at every target without further look: `Fence` and `LockAll`.
    open: AtomicU8,
    /// Not 0 if lock_all was called with MPI_MODE_NOCHECK.
    pub unchecked: AtomicU8,
    /// Locks held.
    pub locks: AtomicU32,
    /// Not 0 while this process's part is exposed by post.
    exposed: AtomicU8,
    /// Not 0 once this process has made sure that all exclusive holders count themselves (see [`super::passive`]).
    pub ready_for_lock_all: AtomicU8,
}

impl Epoch {
    /// None is open. What is opened is `shown` to those that look.
    pub fn new(shown: &'static AtomicU32) -> Epoch {
        Epoch {
            state: AccessWord::new(shown),
            open: AtomicU8::new(0),
            unchecked: AtomicU8::new(0),
            locks: AtomicU32::new(0),
            exposed: AtomicU8::new(0),
            ready_for_lock_all: AtomicU8::new(0),
        }
    }

    #[inline(always)]
    pub fn exposed(&self) -> bool {
        self.exposed.load(Relaxed) != 0
    }

    pub fn set_exposed(&self, exposed: bool) {
        self.exposed.store(exposed.into(), Relaxed);
    }

    /// Which access epoch is open, the locks included.
    pub fn access(&self) -> Access {
        match self.state.get() {
            Access::None if self.locks.load(Relaxed) != 0 => Access::Locks,
            other => other,
        }
    }

    /// Counts a lock taken (1) or given back (-1). Where only one thread at a time may be in MPI that need not be a locked
    /// instruction, which costs as much as the lock itself.
    #[inline(always)]
    pub fn count_lock(&self, by: i32) {
        if phase::is_threaded() {
            self.locks.fetch_add(by as u32, Relaxed);
        } else {
            let held = self.locks.load(Relaxed);
            self.locks.store(held.wrapping_add_signed(by), Relaxed);
        }
    }

    /// Whether [`Epoch::access`] is `None` or `Locks`: a target may be locked.
    #[inline(always)]
    pub fn fits_locks(&self) -> bool {
        self.state.is(Access::None)
    }

    /// Whether the window is locked by lock_all.
    #[inline(always)]
    pub fn is_lock_all(&self) -> bool {
        self.state.is(Access::LockAll)
    }

    /// For calls beside which no other thread may open or close an epoch.
    pub fn set_access(&self, access: Access) {
        self.state.set(access);
        self.set_open(access);
    }

    fn set_open(&self, access: Access) {
        let open = matches!(access, Access::Fence | Access::LockAll);
        self.open.store(open.into(), Relaxed);
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
        if self.epoch.state.use_fence() {
            self.epoch.set_open(Access::Fence);
            return Ok(());
        }
        bail!(
            RmaSync,
            "{} is not locked, and there is no other access epoch that covers it: call MPI_Win_lock, \
             MPI_Win_lock_all, MPI_Win_start or MPI_Win_fence first",
            self.name_of(self.rank_of(target))
        )
    }

    /// Checks that an access epoch may be opened that excludes others on the window. Error: `MPI_ERR_RMA_SYNC`.
    pub fn may_open(&self, what: impl Display) -> Result<()> {
        self.may_open_beside(&[], what)
    }

    /// Checks that an epoch may be opened that goes with some others. Error: `MPI_ERR_RMA_SYNC`. Looks once: another
    /// thread may lock and unlock at any time.
    pub fn may_open_beside(&self, others: &[Access], what: impl Display) -> Result<()> {
        let access = self.epoch.access();
        if others.contains(&access) {
            return Ok(());
        }
        let why = match access {
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
