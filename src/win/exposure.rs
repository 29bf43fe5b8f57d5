//! General active target synchronisation: post, start, complete, wait, test (MPI 4.1 §12.5.2).
//!
//! [Counters](crate::shm::counter) that only grow, and wrap: how often a target has [posted](crate::block::Control::posts) to
//! an origin, and how often origins have completed at a target. Each side keeps privately what it expects: start expects one
//! post more from each target of its group, post expects one completion from each origin of its group. MPI_MODE_NOCHECK counts
//! as well, it only does not wait; so a checked epoch after an unchecked one finds every counter where it belongs.
//!
//! | who    | call     | writes                                        | waits until                                   |
//! |--------|----------|-----------------------------------------------|-----------------------------------------------|
//! | target | post     | `posts[target][origin]` + 1 for each origin   | —                                             |
//! | origin | start    | —                                             | `posts[target][origin]` ≥ expected, each      |
//! | origin | complete | `completed[target]` + 1 for each target       | —                                             |
//! | target | wait     | —                                             | `completed[target]` ≥ expected                |
//!
//! Nothing is ever reset, so no reset can race with a count, and groups may change from epoch to epoch. The counters are
//! acquire-release: what the target stored before post is visible after start, and operations before complete (and a full
//! fence) are visible after wait. The cost is one locked instruction for each member of the group. When a member dies, start
//! and wait fail and the epoch is over; the completions that the dead owe are remembered, since they will be missing from the
//! count for ever.

use super::Window;
use super::epoch::{Access, Hold};
use crate::bail;
use crate::comm::group::Group;
use crate::error::Result;
use crate::mpi::constants::{MPI_MODE_NOCHECK, MPI_MODE_NOPUT, MPI_MODE_NOSTORE};
use crate::runtime::deaths::{check_alive, dead};
use crate::runtime::{self, Need, Needs, Ranks, Waiting};
use crate::shm::atomic::Ordering::{Relaxed, Release};
use crate::shm::atomic::full_fence;
use crate::shm::counter;
use std::ffi::c_int;

/// This process's private side of the counters.
#[derive(Default)]
pub struct Expected {
    /// Posts from each target: by rank, as far as there were any.
    posts: Vec<counter::Expected>,
    /// Completions at this process.
    completions: counter::Expected,
    /// The targets of the open access epoch.
    started: Vec<usize>,
    /// The origins of the open exposure epoch, by their ranks in the job, and the dead of earlier ones whose completions
    /// are missing from the count for ever.
    posted: Vec<u32>,
}

/// What wait and test wait for.
const COMPLETE: &str = "MPI_Win_wait: waiting for MPI_Win_complete";

impl Window {
    /// The ranks in the window of a group's members. Error: `MPI_ERR_GROUP`.
    fn ranks_of(&self, group: &Group) -> Result<Vec<usize>> {
        let place = |&member: &u32| {
            let found = self.meeting.members.iter().position(|&m| m == member);
            match found {
                Some(rank) => Ok(rank),
                None => bail!(
                    Group,
                    "group has a process (rank {member} of the job) that is not in the window"
                ),
            }
        };
        group.members.iter().map(place).collect()
    }

    /// `MPI_Win_post`. Does not block. Errors: `MPI_ERR_GROUP`, `MPI_ERR_ASSERT`, `MPI_ERR_RMA_SYNC`.
    pub fn post(&self, group: &Group, assert: c_int) -> Result<()> {
        let known = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
        if assert & !known != 0 {
            bail!(
                Assert,
                "assert is {assert:#x}, which has bits that do not go with MPI_Win_post"
            );
        }
        if self.epoch.exposed() {
            bail!(
                RmaSync,
                "this process's part is exposed already: call MPI_Win_wait first"
            );
        }
        self.may_open_beside(&[Access::Locks, Access::Start], "MPI_Win_post")?;
        let mine = &self.targets[self.rank];
        if !matches!(mine.hold(), Hold::None | Hold::Started) {
            bail!(
                RmaSync,
                "this process has locked its own part: call MPI_Win_unlock first"
            );
        }
        let block = mine.block;
        if let Some(holder) = block.lock.writer() {
            bail!(
                RmaSync,
                "this process's part is locked, by rank {holder} of the job"
            );
        }
        let origins = self.ranks_of(group)?;
        self.epoch.state.end_idle_fence();
        self.before_post(&group.members, assert);
        self.epoch.set_exposed(true);
        block.exposed.store(1, Release);
        {
            let mut expected = self.expected.lock();
            expected.completions = expected.completions.and(origins.len());
            expected.posted.extend_from_slice(&group.members);
        }
        self.leave_post(&group.members);
        for &origin in &origins {
            self.control.posts(self.rank, origin).count();
        }
        full_fence();
        for &origin in &origins {
            runtime::job().table.processes[self.targets[origin].process() as usize].ring_sleepers();
        }
        Ok(())
    }

    /// `MPI_Win_start`. Blocks until all targets have posted, unless `assert` has MPI_MODE_NOCHECK. Errors: `MPI_ERR_GROUP`,
    /// `MPI_ERR_ASSERT`, `MPI_ERR_RMA_SYNC`, `MPI_ERR_PROC_FAILED`, with which the epoch is over, as if completed, also for
    /// the targets that live.
    pub fn start(&self, group: &Group, assert: c_int) -> Result<()> {
        if assert & !MPI_MODE_NOCHECK != 0 {
            bail!(
                Assert,
                "assert is {assert:#x}, but only MPI_MODE_NOCHECK goes with MPI_Win_start"
            );
        }
        self.may_open("MPI_Win_start")?;
        let targets = self.ranks_of(group)?;
        while !self.epoch.state.open(Access::Start) {
            self.may_open("MPI_Win_start")?;
        }
        let wanted: Vec<(usize, counter::Expected)> = {
            let mut expected = self.expected.lock();
            if expected.posts.is_empty() {
                expected.posts = vec![counter::Expected::default(); self.size()];
            }
            let mut one_more = |&target: &usize| {
                expected.posts[target] = expected.posts[target].and(1);
                (target, expected.posts[target])
            };
            targets.iter().map(&mut one_more).collect()
        };
        if assert & MPI_MODE_NOCHECK == 0 {
            let mut done = 0;
            let has_posted = |&(target, expected): &(usize, counter::Expected)| {
                self.control.posts(target, self.rank).reached(expected)
            };
            let mut posted = || {
                done += wanted[done..].iter().take_while(|w| has_posted(w)).count();
                done == wanted.len()
            };
            let missing = |need: &mut Need| {
                let targets = wanted.iter().filter(|w| !has_posted(w));
                *need = Need::each(targets.map(|(target, _)| self.targets[*target].process()));
            };
            let what = || "MPI_Win_start: waiting for MPI_Win_post".to_string();
            let waiting = Waiting {
                key: 0,
                what: &what,
                ranks: Ranks::Who(&|| {
                    let call = "MPI_Win_start: waiting for MPI_Win_post";
                    self.dead_of(Ranks::Needed(&group.members), call)
                }),
                needs: Needs::Told(&missing),
                announce: None,
            };
            if let Err(failed) = runtime::wait(&waiting, &mut posted) {
                self.epoch.state.close(Access::Start);
                self.complete_at(&targets);
                return Err(failed);
            }
        }
        for &target in &targets {
            self.targets[target].set_hold(Hold::Started);
        }
        self.saw_posts(&targets);
        self.expected.lock().started = targets;
        Ok(())
    }

    /// `MPI_Win_complete`. Does not block. All operations are complete at their targets when these see it. Error:
    /// `MPI_ERR_RMA_SYNC`.
    pub fn complete(&self) -> Result<()> {
        if !self.epoch.state.close(Access::Start) {
            bail!(
                RmaSync,
                "there is no access epoch that MPI_Win_start opened"
            );
        }
        let targets = std::mem::take(&mut self.expected.lock().started);
        for &target in &targets {
            self.targets[target].set_hold(Hold::None);
        }
        self.complete_at(&targets);
        Ok(())
    }

    fn complete_at(&self, targets: &[usize]) {
        self.leave_complete(targets);
        full_fence();
        for &target in targets {
            self.targets[target].block.completed.count();
        }
        full_fence();
        for &target in targets {
            runtime::job().table.processes[self.targets[target].process() as usize].ring_sleepers();
        }
    }

    /// Whether all origins of the exposure epoch have completed; if so the epoch is over.
    fn exposure_over(&self) -> bool {
        let block = self.targets[self.rank].block;
        let over = block.completed.reached(self.expected.lock().completions);
        if over {
            self.saw_completions();
            self.saw_wait();
            self.end_exposure();
            self.expected.lock().posted.clear();
        }
        over
    }

    /// Ends an exposure epoch that cannot end by itself: keeps in mind whose completions are missing.
    fn give_exposure_up(&self) {
        self.end_exposure();
        let is_dead = |rank: &mut u32| dead(Ranks::Needed(&[*rank])).is_some();
        self.expected.lock().posted.retain_mut(is_dead);
    }

    fn end_exposure(&self) {
        let block = self.targets[self.rank].block;
        block.exposed.store(0, Relaxed);
        self.epoch.set_exposed(false);
    }

    fn must_be_exposed(&self) -> Result<()> {
        if !self.epoch.exposed() {
            bail!(
                RmaSync,
                "there is no exposure epoch that MPI_Win_post opened"
            );
        }
        Ok(())
    }

    /// `MPI_Win_wait`. Blocks until all origins have completed. Errors: `MPI_ERR_RMA_SYNC`, `MPI_ERR_PROC_FAILED`, with
    /// which the epoch is over too.
    pub fn wait(&self) -> Result<()> {
        self.must_be_exposed()?;
        let origins = self.expected.lock().posted.clone();
        let what = || COMPLETE.to_string();
        let waiting = Waiting {
            key: 0,
            what: &what,
            // Some have completed, but which?
            ranks: Ranks::Who(&|| self.dead_of(Ranks::Perhaps(&origins), COMPLETE)),
            needs: Needs::Told(&|need| *need = Need::any(origins.iter().copied())),
            announce: None,
        };
        let waited = runtime::wait(&waiting, || self.exposure_over());
        if waited.is_err() {
            self.give_exposure_up();
        }
        waited
    }

    /// `MPI_Win_test`: `MPI_Win_wait` that does not block. Errors as [`Window::wait`].
    pub fn test(&self) -> Result<bool> {
        self.must_be_exposed()?;
        runtime::wait::progress();
        if self.exposure_over() {
            return Ok(true);
        }
        runtime::look_around();
        let origins = self.expected.lock().posted.clone();
        let missing = || self.dead_of(Ranks::Perhaps(&origins), COMPLETE);
        let alive = check_alive(Ranks::Who(&missing), &|| COMPLETE.to_string());
        if alive.is_err() && !self.exposure_over() {
            self.give_exposure_up();
            return alive.map(|()| false);
        }
        if alive.is_ok() {
            runtime::wait::give_way();
        }
        // Who has died may have completed before.
        Ok(alive.is_err())
    }
}
