//! Synchronisation: locks, flushes, fences, and what a process may have seen by then.

use super::super::epoch::{self, Hold};
use super::super::{Target, Window};
use crate::check::clock::{self, Key, Within};
use crate::check::race::{self, On, Words, requests, series};
use crate::check::{self, Finding, local};
use crate::mpi::constants::{
    MPI_MODE_NOPRECEDE, MPI_MODE_NOPUT, MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED,
};
use std::ffi::c_int;

impl Window {
    /// At which process, and under which key, clocks are left when locks are given back: of a target, or of all.
    #[inline(always)]
    fn lock_place(&self, target: Option<&Target>, what: u64) -> (u32, Key) {
        match target {
            Some(target) => (target.process(), self.names.locks.near(what)),
            None => (self.meeting.members[0], self.names.locks.near(ALL + what)),
        }
    }

    /// A target was locked.
    #[inline(always)]
    pub(in crate::win) fn saw_lock(&self, target: &Target) {
        if !check::is_on() {
            return;
        }
        let exclusive = self.lock_place(Some(target), EXCLUSIVE);
        if target.hold() == Hold::Shared {
            return clock::take_all([exclusive]);
        }
        let (process, exclusive) = exclusive;
        clock::take_both(process, exclusive);
        // Who has it without a count has found that nobody has come by lock_all yet.
        if target.hold() != Hold::Exclusive {
            clock::take_all([self.lock_place(None, SHARED)]);
        }
    }

    /// The lock of a target, which is held, is about to be given back.
    pub(in crate::win) fn before_unlock(&self, target: &Target) {
        if check::is_on() && target.hold() != Hold::None {
            race::complete(self.checked_id(), Some(self.rank_of(target)));
            self.leave_at_lock(target);
        }
    }

    #[inline(always)]
    fn leave_at_lock(&self, target: &Target) {
        let alone = race::is_alone();
        if target.hold() == Hold::Shared {
            clock::keep_all([self.lock_place(Some(target), SHARED)], alone);
        } else {
            let of_all = self.lock_place(None, EXCLUSIVE);
            clock::keep_all([self.lock_place(Some(target), EXCLUSIVE), of_all], alone);
        }
    }

    /// `MPI_Win_lock` where nothing is unusual about it, and what is noted can be settled: whether the lock was taken.
    #[inline(always)]
    pub fn lock_checked(&self, kind: c_int, rank: c_int, assert: c_int) -> bool {
        if !series::may_note() || check::is_inside() {
            return false;
        }
        race::settle_noted();
        let is_taken =
            self.lock_quickly(kind, rank, assert) || self.lock_counted(kind, rank, assert);
        if is_taken && let Some(target) = self.find_target(rank) {
            self.saw_lock(target);
        }
        is_taken
    }

    /// `MPI_Win_unlock` likewise.
    #[inline(always)]
    pub fn unlock_checked(&self, rank: c_int) -> bool {
        let Some(target) = self.find_target(rank) else {
            return false;
        };
        use Hold::{Exclusive, ExclusiveCounted, Shared};
        let is_usual = matches!(target.hold(), Shared | Exclusive | ExclusiveCounted);
        if !is_usual || !series::may_note() || check::is_inside() || requests::are_pending() {
            return false;
        }
        let on = On::new(self.checked_id(), rank as usize);
        race::complete_and_settle(|other| other == on);
        self.leave_at_lock(target);
        self.release(target) || self.give_back(target).is_ok()
    }

    /// `MPI_Win_lock_all` likewise.
    #[inline(always)]
    pub fn lock_all_checked(&self, assert: c_int) -> bool {
        if !series::may_note() || check::is_inside() {
            return false;
        }
        race::settle_noted();
        let is_taken = self.lock_all_quickly(assert);
        if is_taken {
            self.saw_lock_all();
        }
        is_taken
    }

    /// `MPI_Win_unlock_all` likewise.
    #[inline(always)]
    pub fn unlock_all_checked(&self) -> bool {
        let is_usual = self.is_locked_for_all() && series::may_note() && !check::is_inside();
        if !is_usual || requests::are_pending() {
            return false;
        }
        let id = self.checked_id();
        race::complete_and_settle(|on| on.is_of(id));
        self.leave_at_lock_all();
        self.unlock_all_quickly()
    }

    fn leave_at_lock_all(&self) {
        clock::keep_all([self.lock_place(None, SHARED)], race::is_alone());
    }

    pub(in crate::win) fn saw_lock_all(&self) {
        if check::is_on() {
            clock::take_all([self.lock_place(None, EXCLUSIVE)]);
        }
    }

    pub(in crate::win) fn before_unlock_all(&self) {
        if check::is_on() {
            race::complete(self.checked_id(), None);
            self.leave_at_lock_all();
        }
    }

    /// All operations on the target, or on all, are complete there and here.
    pub(in crate::win) fn saw_flush(&self, target: Option<&Target>) {
        if check::is_on() {
            race::complete(self.checked_id(), target.map(|target| self.rank_of(target)));
        }
    }

    /// The same, here alone.
    pub(in crate::win) fn saw_flush_local(&self, target: Option<&Target>) {
        if check::is_on() {
            race::complete_here(self.checked_id(), target.map(|target| self.rank_of(target)));
        }
    }

    /// `MPI_Win_fence` is called: what is noted of the epoch that it ends is complete, quicker than where it is [settled](race::settle) first. What breaks
    /// a promise is left, to be told.
    #[inline(always)]
    pub fn complete_before_fence(&self, assert: c_int) {
        let usual = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED;
        let is_usual = self.epoch.access() == epoch::Access::Fence && assert & !usual == 0;
        let is_quick = series::may_note() && !check::is_inside() && !requests::are_pending();
        if is_usual && is_quick {
            clock::enter(race::is_alone());
            let id = self.checked_id();
            let is_one = |on: On| on.is_of(id) && !self.has_promised(on.target());
            race::complete_noted(is_one, || true);
        }
    }

    /// A fence is called: what it completes the program does not know before it has passed.
    #[inline(always)]
    pub(in crate::win) fn within_fence(&self) -> Option<Within> {
        check::is_on().then(|| Within::begin(race::is_alone()))
    }

    /// A fence is about to be passed.
    pub(in crate::win) fn before_fence(&self, assert: c_int) {
        if !check::is_on() {
            return;
        }
        if assert & MPI_MODE_NOPRECEDE != 0
            && let Some((what, place)) = race::first_pending(self.checked_id())
        {
            let me = self.meeting.members[self.rank];
            let text = format!(
                "assert has MPI_MODE_NOPRECEDE, which says that this rank has made no operation on {} since the last fence, \
                 but it has: {} at {}",
                self.window(),
                what.name(),
                place.of(me)
            );
            check::tell(Finding {
                kind: "wrong assertion",
                section: "MPI 4.1 §12.5.5",
                text,
            });
        }
        race::complete(self.checked_id(), None);
    }

    /// Under which key a target leaves its clock at origins to which it exposes its part, and under which they leave theirs there.
    fn exposure_key(&self, kind: u8, target: usize) -> Key {
        Key::new(kind, self.checked_id(), target as u64, 0)
    }

    /// This process is about to expose its part to those ranks of the job.
    pub(in crate::win) fn leave_post(&self, origins: &[u32]) {
        if check::is_on() {
            let key = self.exposure_key(clock::POST, self.rank);
            for &origin in origins {
                clock::keep(origin, key, race::is_alone());
            }
        }
    }

    /// Those targets have exposed theirs.
    pub(in crate::win) fn saw_posts(&self, targets: &[usize]) {
        if check::is_on() {
            for &target in targets {
                let key = self.exposure_key(clock::POST, target);
                clock::take(self.meeting.members[self.rank], key);
            }
        }
    }

    /// This process has completed its accesses to those targets here, and is about to say so. There they are when these have waited for it.
    pub(in crate::win) fn leave_complete(&self, targets: &[usize]) {
        if check::is_on() {
            race::end_epoch(self.checked_id());
            for &target in targets {
                let key = self.exposure_key(clock::COMPLETE, target);
                clock::keep_promised(self.targets[target].process(), key, race::is_alone());
            }
        }
    }

    /// All to which this process has exposed its part have said so.
    pub(in crate::win) fn saw_completions(&self) {
        if check::is_on() {
            let key = self.exposure_key(clock::COMPLETE, self.rank);
            clock::take(self.meeting.members[self.rank], key);
        }
    }

    /// `MPI_Win_sync`: this process may have seen anything by loads before it, and may by those that follow, as it polls.
    pub fn saw_sync(&self) {
        if check::is_on() {
            self.meeting
                .members
                .iter()
                .copied()
                .for_each(clock::meet_now);
            clock::loads_until_next_call();
            self.forget_stored();
            local::saw();
        }
    }
}

/// What is left where a lock is, and where that of all targets is.
const EXCLUSIVE: u64 = 0;
const SHARED: u64 = 1;
const ALL: u64 = 2;
