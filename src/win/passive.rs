//! Passive target synchronisation: lock, unlock, lock_all, unlock_all, the flushes and sync (MPI 4.1 §12.5.3, §12.5.4).
//!
//! **One target**: a reader/writer [word](crate::shm::lock) in the target's control block. One locked instruction takes it, one
//! gives it back.
//!
//! **lock_all** must not cost more with more ranks: each origin only raises a flag on a line of its own
//! ([`PerRank::in_lock_all`](crate::block::PerRank)). A [gate](crate::shm::gate) excludes exclusive locks, for which windows
//! on which nobody ever calls lock_all do not pay.
//!
//! Everything here ends at once; a call that finds a lock taken goes on in [`waiting`](super::waiting).

use super::epoch::{Access, Hold};
use super::waiting::{ring, ring_after_release, take};
use super::{Target, Window};
use crate::bail;
use crate::block::Control;
use crate::check::race::{self, On};
use crate::error::Result;
use crate::mpi::constants::{MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED, MPI_MODE_NOCHECK};
use crate::runtime::errands::run_errand;
use crate::runtime::{job, ring_key};
use crate::shm::atomic::Ordering::Relaxed;
use crate::shm::atomic::full_fence;
use crate::shm::gate::{Flag, Look};
use crate::shm::lock::Ring;
use std::ffi::c_int;

impl Window {
    /// `MPI_Win_lock` if nothing is unusual about it and the lock is free: whether it was taken.
    // Calls no function: the registers that a call needs saved cost as much as the locked instruction, which waits for their
    // stores.
    #[inline(always)]
    pub fn lock_quickly(&self, kind: c_int, rank: c_int, assert: c_int) -> bool {
        let Some(target) = self.find_target(rank) else {
            return false;
        };
        let unlocked = target.hold() == Hold::None && target.block.exposed.load(Relaxed) == 0;
        let asked = self.mine.move_in.is_asked();
        if assert != 0 || !unlocked || !self.epoch.fits_locks() || asked {
            return false;
        }
        let (gate, lock) = (self.control.gate, &target.block.lock);
        let (taken, hold) = match kind {
            MPI_LOCK_SHARED => (lock.begin_shared(), Hold::Shared),
            MPI_LOCK_EXCLUSIVE => {
                if gate.is_used() || !lock.take_unwanted(job().rank) {
                    return false;
                }
                // Asked again now that the lock is held.
                (!gate.is_used(), Hold::Exclusive)
            }
            _ => return false,
        };
        if taken {
            target.set_hold(hold);
            self.epoch.count_lock(1);
        } else {
            target.set_hold(Hold::InVain);
        }
        taken
    }

    /// `MPI_Win_lock` of a window on which lock_all is used, if the lock is exclusive, it is free, nobody is in a lock_all epoch, and nothing
    /// else is unusual: whether it was taken.
    pub(super) fn lock_counted(&self, kind: c_int, rank: c_int, assert: c_int) -> bool {
        let Some(target) = self.find_target(rank) else {
            return false;
        };
        let (gate, lock) = (self.control.gate, &target.block.lock);
        let is_usual = kind == MPI_LOCK_EXCLUSIVE
            && assert == 0
            && target.hold() == Hold::None
            && target.block.exposed.load(Relaxed) == 0
            && self.epoch.fits_locks()
            && !self.mine.move_in.is_asked()
            && gate.is_used()
            && !gate.is_awaited();
        if !is_usual || !lock.take_unwanted(job().rank) {
            return false;
        }
        gate.count();
        let is_empty = gate.is_empty(&mut Look::default(), |rank| self.flag_of(rank));
        match is_empty {
            true => self.hold(target, Hold::ExclusiveCounted),
            false => {
                self.uncount_exclusive();
                ring_after_release(lock, lock.release_exclusive(job().rank));
            }
        }
        is_empty
    }

    /// Takes back what [`Window::lock_quickly`] did in vain.
    #[cold]
    fn take_back(&self, kind: c_int, target: &Target) {
        let lock = &target.block.lock;
        let to_ring = match kind {
            MPI_LOCK_SHARED => lock.release_shared(),
            _ => lock.release_exclusive(job().rank),
        };
        target.set_hold(Hold::None);
        ring_after_release(lock, to_ring);
    }

    /// `MPI_Win_lock`. Blocks until the lock is acquired. Errors: `MPI_ERR_LOCKTYPE`, `MPI_ERR_ASSERT`,
    /// `MPI_ERR_RMA_SYNC`, `MPI_ERR_PROC_FAILED`.
    pub fn lock(&self, kind: c_int, target: &Target, assert: c_int) -> Result<()> {
        if target.hold() == Hold::InVain {
            self.take_back(kind, target);
        }
        run_errand();
        if kind != MPI_LOCK_EXCLUSIVE && kind != MPI_LOCK_SHARED {
            bail!(
                Locktype,
                "lock_type is {kind}, neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED"
            );
        }
        check_assert(assert)?;
        let rank = self.rank_of(target);
        let what = format_args!("MPI_Win_lock of rank {rank}");
        self.may_open_beside(&[Access::Locks], what)?;
        if target.block.exposed.load(Relaxed) != 0 {
            bail!(
                RmaSync,
                "{} is exposed by MPI_Win_post, and cannot be locked before its MPI_Win_wait",
                self.name_of(rank)
            );
        }
        if target.hold() != Hold::None {
            let who = self.name_of(rank);
            bail!(RmaSync, "{who} is locked by this process already");
        }
        match assert & MPI_MODE_NOCHECK != 0 {
            true => self.hold(target, Hold::Unchecked),
            false => self.acquire(kind == MPI_LOCK_EXCLUSIVE, target)?,
        }
        self.saw_lock(target);
        Ok(())
    }

    pub(super) fn hold(&self, target: &Target, hold: Hold) {
        target.set_hold(hold);
        if !self.epoch.fits_locks() {
            // After a fence that no operation followed.
            self.epoch.state.end_idle_fence();
        }
        self.epoch.count_lock(1);
    }

    fn acquire(&self, exclusive: bool, target: &Target) -> Result<()> {
        let me = job().rank;
        let lock = &target.block.lock;
        if !exclusive {
            let (taken, to_ring) = lock.try_shared(me);
            ring(lock, to_ring);
            if !taken {
                self.wait_for_lock(target, false)?;
            }
            self.hold(target, Hold::Shared);
            return Ok(());
        }
        if self.control.gate.is_awaited() {
            self.let_lock_alls_pass();
        }
        if !lock.try_exclusive(me) {
            self.wait_for_lock(target, true)?;
        }
        if self.control.gate.is_used() {
            return self.exclude_lock_alls(target);
        }
        self.hold(target, Hold::Exclusive);
        Ok(())
    }

    pub(super) fn flag_of(&self, rank: usize) -> Option<&Flag> {
        self.control.ranks.get(rank).map(|r| &r.in_lock_all)
    }

    fn uncount_exclusive(&self) {
        let gate = self.control.gate;
        if gate.uncount() {
            ring_key(Control::key(&gate.waiters));
        }
    }

    /// `MPI_Win_unlock` if nothing is unusual about it: whether the lock was given back.
    #[inline(always)]
    pub fn unlock_quickly(&self, rank: c_int) -> bool {
        let Some(target) = self.find_target(rank) else {
            return false;
        };
        self.release(target)
    }

    /// Gives back a lock that nobody counts: whether it is one.
    #[inline(always)]
    pub(super) fn release(&self, target: &Target) -> bool {
        let lock = &target.block.lock;
        let hold = target.hold();
        if !matches!(hold, Hold::Shared | Hold::Exclusive) {
            return false;
        }
        // The release is a locked instruction, which completes all stores before it.
        let to_ring = match hold {
            Hold::Shared => lock.release_shared(),
            _ => lock.release_exclusive(job().rank),
        };
        self.let_go(target);
        if to_ring != Ring::Nobody {
            ring_after_release(lock, to_ring);
        }
        true
    }

    /// `MPI_Win_unlock`. All operations are complete at the target on return. Error: `MPI_ERR_RMA_SYNC`.
    pub fn unlock(&self, target: &Target) -> Result<()> {
        self.before_unlock(target);
        self.give_back(target)
    }

    /// Gives back the lock of a target. Error: `MPI_ERR_RMA_SYNC` where it is not held.
    pub(super) fn give_back(&self, target: &Target) -> Result<()> {
        match target.hold() {
            Hold::ExclusiveCounted => {
                self.let_go(target);
                self.uncount_exclusive();
                let lock = &target.block.lock;
                ring_after_release(lock, lock.release_exclusive(job().rank));
            }
            Hold::Unchecked => {
                self.let_go(target);
                full_fence();
            }
            _ if self.release(target) => {}
            _ => return self.not_locked(target),
        }
        Ok(())
    }

    #[inline(always)]
    fn let_go(&self, target: &Target) {
        target.set_hold(Hold::None);
        self.epoch.count_lock(-1);
    }

    #[cold]
    fn not_locked(&self, target: &Target) -> Result<()> {
        bail!(
            RmaSync,
            "{} is not locked by this process (by MPI_Win_lock)",
            self.name_of(self.rank_of(target))
        )
    }

    /// `MPI_Win_lock_all` if nothing is unusual about it and no exclusive lock is held: whether the epoch is open.
    #[inline(always)]
    pub fn lock_all_quickly(&self, assert: c_int) -> bool {
        let epoch = &self.epoch;
        let ready = epoch.access() == Access::None
            && assert == 0
            && epoch.ready_for_lock_all.load(Relaxed) != 0
            && !epoch.exposed();
        // Where the gate is closed the flag stays up, and `enter_lock_all` goes on.
        let entered = ready && self.control.gate.enter(&self.mine.in_lock_all);
        if entered {
            epoch.set_access(Access::LockAll);
        }
        entered
    }

    /// `MPI_Win_lock_all`. Blocks until no target is locked exclusively. Errors: `MPI_ERR_ASSERT`, `MPI_ERR_RMA_SYNC`,
    /// `MPI_ERR_PROC_FAILED`.
    pub fn lock_all(&self, assert: c_int) -> Result<()> {
        check_assert(assert)?;
        self.may_open("MPI_Win_lock_all")?;
        if self.epoch.exposed() {
            bail!(
                RmaSync,
                "this process's part is exposed since MPI_Win_post, and cannot be locked before MPI_Win_wait"
            );
        }
        if assert & MPI_MODE_NOCHECK != 0 {
            self.epoch.unchecked.store(1, Relaxed);
            self.epoch.set_access(Access::LockAll);
            self.saw_lock_all();
            return Ok(());
        }
        if self.epoch.ready_for_lock_all.load(Relaxed) == 0 {
            self.control.gate.open();
            for target in &self.targets {
                self.find_unlocked(target)?;
            }
            self.epoch.ready_for_lock_all.store(1, Relaxed);
        }
        self.enter_lock_all()?;
        self.saw_lock_all();
        Ok(())
    }

    /// Takes the target's lock shared and gives it back: nobody holds it exclusively any more who did not see that the
    /// gate is used.
    fn find_unlocked(&self, target: &Target) -> Result<()> {
        let lock = &target.block.lock;
        let (taken, to_ring) = lock.try_shared(job().rank);
        ring(lock, to_ring);
        if !taken {
            let whose = || self.told_in_waits(self.rank_of(target));
            let name = || format!("MPI_Win_lock_all: lock of {}", whose());
            self.tell_contended(None, false);
            take(lock, false, &self.meeting.members, &name, &|| {
                self.dead_exclusive("MPI_Win_lock_all")
            })?;
        }
        ring_after_release(lock, lock.release_shared());
        Ok(())
    }

    fn enter_lock_all(&self) -> Result<()> {
        let flag = &self.mine.in_lock_all;
        if !self.control.gate.enter(flag) {
            self.wait_for_exclusives(flag)?;
        }
        self.epoch.set_access(Access::LockAll);
        Ok(())
    }

    /// `MPI_Win_unlock_all` of an epoch with nothing unusual about it: whether it was closed.
    #[inline(always)]
    pub fn unlock_all_quickly(&self) -> bool {
        let usual = self.is_locked_for_all();
        if usual {
            self.leave_lock_all();
        }
        usual
    }

    /// Whether the gate of lock_all is what this process has passed.
    #[inline(always)]
    pub(super) fn is_locked_for_all(&self) -> bool {
        self.epoch.is_lock_all() && self.epoch.unchecked.load(Relaxed) == 0
    }

    /// `MPI_Win_unlock_all`. All operations are complete at their targets on return. Error: `MPI_ERR_RMA_SYNC`.
    pub fn unlock_all(&self) -> Result<()> {
        if !self.epoch.is_lock_all() {
            bail!(RmaSync, "the window is not locked by MPI_Win_lock_all");
        }
        self.before_unlock_all();
        if self.epoch.unchecked.swap(0, Relaxed) != 0 {
            self.epoch.set_access(Access::None);
            full_fence();
        } else {
            self.leave_lock_all();
        }
        Ok(())
    }

    #[inline(always)]
    fn leave_lock_all(&self) {
        let gate = self.control.gate;
        let to_ring = gate.leave(&self.mine.in_lock_all);
        self.epoch.set_access(Access::None);
        if to_ring {
            ring_key(Control::key(&gate.exclusives));
        }
    }

    /// `MPI_Win_flush`, `MPI_Win_flush_local`: whether `rank` may be flushed, as far as a look tells, and is.
    ///
    /// Operations are done when they are called: a flush makes them visible before anything that follows.
    #[inline(always)]
    pub fn flush_quickly(&self, rank: c_int) -> bool {
        let may = self.may_flush_quickly(rank);
        if may {
            full_fence();
        }
        may
    }

    #[inline(always)]
    fn may_flush_quickly(&self, rank: c_int) -> bool {
        let locked = self.find_target(rank).is_some_and(|target| {
            self.epoch.is_lock_all() || matches!(target.hold(), Hold::Shared | Hold::Exclusive)
        });
        locked && !self.mine.move_in.is_asked()
    }

    /// The same in a job that is checked, if the last operation is all that it [completes](race::again), or the operations before are but
    /// [noted](race::series).
    #[inline(always)]
    pub fn flush_checked(&self, rank: c_int) -> bool {
        let on = On::new(self.checked_id(), rank as usize);
        end_checked(|other| other == on, || self.may_flush_quickly(rank))
    }

    /// `MPI_Win_flush_local` likewise.
    #[inline(always)]
    pub fn flush_local_checked(&self, rank: c_int) -> bool {
        let on = On::new(self.checked_id(), rank as usize);
        leave_checked(|other| other == on, || self.may_flush_quickly(rank))
    }

    /// `MPI_Win_flush_local`: whether `rank` may be flushed, as far as a look tells, and is. As [`Window::flush_quickly`].
    #[inline(always)]
    pub fn flush_local_quickly(&self, rank: c_int) -> bool {
        self.flush_quickly(rank)
    }

    /// `MPI_Win_flush_all`: whether all targets may be flushed, as far as a look tells, and are.
    #[inline(always)]
    pub fn flush_all_quickly(&self) -> bool {
        let may = self.may_flush_all();
        if may {
            full_fence();
        }
        may
    }

    #[inline(always)]
    fn may_flush_all(&self) -> bool {
        matches!(self.epoch.access(), Access::LockAll | Access::Locks)
            && !self.mine.move_in.is_asked()
    }

    /// The same in a job that is checked, as [`Window::flush_checked`].
    #[inline(always)]
    pub fn flush_all_checked(&self) -> bool {
        let id = self.checked_id();
        end_checked(|on| on.is_of(id), || self.may_flush_all())
    }

    /// `MPI_Win_flush_local_all` likewise.
    #[inline(always)]
    pub fn flush_local_all_checked(&self) -> bool {
        let id = self.checked_id();
        leave_checked(|on| on.is_of(id), || self.may_flush_all())
    }

    /// `MPI_Win_flush_local_all`: as [`Window::flush_all_quickly`].
    #[inline(always)]
    pub fn flush_local_all_quickly(&self) -> bool {
        self.flush_all_quickly()
    }

    /// The same with every check. Error: `MPI_ERR_RMA_SYNC` outside a passive target epoch on the target.
    pub fn flush(&self, target: &Target) -> Result<()> {
        self.make_visible(target)?;
        self.saw_flush(Some(target));
        Ok(())
    }

    /// `MPI_Win_flush_local`: all of [`Window::flush`], but that is not told.
    pub fn flush_local(&self, target: &Target) -> Result<()> {
        self.make_visible(target)?;
        self.saw_flush_local(Some(target));
        Ok(())
    }

    fn make_visible(&self, target: &Target) -> Result<()> {
        run_errand();
        if !self.epoch.is_lock_all() {
            self.may_flush(target)?;
        }
        full_fence();
        Ok(())
    }

    fn may_flush(&self, target: &Target) -> Result<()> {
        match target.hold() {
            Hold::None | Hold::Started => self.not_locked(target),
            _ => Ok(()),
        }
    }

    /// `MPI_Win_flush_all`, and `MPI_Win_flush_local_all` if it is `local`. Error: `MPI_ERR_RMA_SYNC` outside a passive target epoch.
    #[inline(always)]
    pub fn flush_all(&self, local: bool) -> Result<()> {
        if !matches!(self.epoch.access(), Access::LockAll | Access::Locks) {
            bail!(
                RmaSync,
                "no target is locked: a flush belongs into a passive target epoch"
            );
        }
        full_fence();
        match local {
            true => self.saw_flush_local(None),
            false => self.saw_flush(None),
        }
        Ok(())
    }
}

/// Completes the operations on those targets, if `may` says that they may be: see [`Window::flush_checked`].
#[inline(always)]
fn end_checked(is_one: impl Fn(On) -> bool + Copy, may: impl Fn() -> bool + Copy) -> bool {
    // What has been changed too early is told of a call that has a name.
    !race::requests::are_pending()
        && match race::again::ends(is_one) {
            true => end_last(is_one, may),
            false => race::complete_noted(is_one, may) == Some(true),
        }
}

/// The same here alone.
#[inline(always)]
fn leave_checked(is_one: impl Fn(On) -> bool + Copy, may: impl Fn() -> bool + Copy) -> bool {
    !race::requests::are_pending()
        && match race::again::ends(is_one) {
            // What has fetched is complete.
            true => race::again::has_fetched() && end_last(is_one, may),
            false => race::leave_noted(is_one, may),
        }
}

/// Completes the last operation.
#[inline(always)]
fn end_last(is_one: impl Fn(On) -> bool, may: impl Fn() -> bool) -> bool {
    let is_complete = may();
    if is_complete {
        full_fence();
        race::again::ended();
        race::requests::flushed(is_one);
    }
    is_complete
}

/// Of lock and lock_all. Error: `MPI_ERR_ASSERT`.
fn check_assert(assert: c_int) -> Result<()> {
    if assert & !MPI_MODE_NOCHECK != 0 {
        bail!(
            Assert,
            "assert is {assert:#x}, but only MPI_MODE_NOCHECK ({MPI_MODE_NOCHECK:#x}) goes with a lock"
        );
    }
    Ok(())
}
