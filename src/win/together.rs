//! Calls that all processes of a window make, as [checks](crate::check) compare them, and what processes promise with them: the
//! assertions of fences and posts (MPI 4.1 §12.5.5).
//!
//! | assertion           | is told as wrong                                                                               |
//! |---------------------|------------------------------------------------------------------------------------------------|
//! | `MPI_MODE_NOPUT`    | of a fence by the fence of a rank that has put there; of a post by the wait, to which the logs say it |
//! | `MPI_MODE_NOSTORE`  | of a fence after a fence that had it too, if the memory has changed and nobody's operation did that |
//! | `MPI_MODE_NOPRECEDE`| by the fence itself, see [`Window::before_fence`]                                               |
//! | `MPI_MODE_NOSUCCEED`| by the operation, which fails, as there is no epoch                                            |

use super::epoch::Access;
use super::{Flavor, Window};
use crate::check::collectives::{Compared, Rule};
use crate::check::race::watch::{Watch, pending_change};
use crate::check::race::{Words, windows};
use crate::check::sums::{self, Look};
use crate::check::{self, Finding, Place};
use crate::comm::Comm;
use crate::comm::checked::Together;
use crate::mpi::constants::{
    MPI_MODE_NOPRECEDE, MPI_MODE_NOPUT, MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED,
};
use crate::naming;
use crate::shm::atomic::{AtomicU32, Ordering};
use parking_lot::Mutex;
use std::ffi::c_int;

const WINDOW: &str = "the window";

/// What a checked process knows of the calls that all have to make, and of its own promises.
pub struct Promises {
    calls: Together,
    /// Which of the calls the last fence was; 0: none, or it is not compared.
    fence: AtomicU32,
    /// Since a fence with MPI_MODE_NOSTORE, what the memory was like behind the last fence.
    stored: Mutex<Option<Stored>>,
    /// Where it was posted with MPI_MODE_NOPUT, and since when.
    posted: Mutex<Option<(Place, Watch)>>,
}

struct Stored {
    was: Look,
    /// Since the fence began.
    since: Watch,
    /// How many windows had been made: through a new one the memory may be changed too.
    windows: u64,
}

/// A fence that is being passed with MPI_MODE_NOSTORE although the memory has changed, and the next watch.
#[derive(Default)]
pub(super) struct Fencing {
    changed_since: Option<Watch>,
    next: Option<Watch>,
}

impl Promises {
    pub fn of(comm: &Comm) -> Promises {
        Promises {
            calls: Together::made_on(comm),
            fence: AtomicU32::new(0),
            stored: Mutex::new(None),
            posted: Mutex::new(None),
        }
    }
}

const SECTION: &str = "MPI 4.1 §12.5.5";

fn wrong_assertion(text: String) {
    check::tell(Finding {
        kind: "wrong assertion",
        section: SECTION,
        text,
    });
}

/// Those of the assertions of a fence that all have to make or none.
fn common(assert: c_int) -> &'static str {
    let has = |mode: c_int| assert & mode != 0;
    match (has(MPI_MODE_NOPRECEDE), has(MPI_MODE_NOSUCCEED)) {
        (false, false) => "neither MPI_MODE_NOPRECEDE nor MPI_MODE_NOSUCCEED in assert",
        (true, false) => "MPI_MODE_NOPRECEDE, without MPI_MODE_NOSUCCEED, in assert",
        (false, true) => "MPI_MODE_NOSUCCEED, without MPI_MODE_NOPRECEDE, in assert",
        (true, true) => "MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED in assert",
    }
}

impl Window {
    /// In a job that is checked: the window is there from now on.
    pub(super) fn list_part(&self) {
        if !check::is_on() {
            return;
        }
        let (from, to) = match self.flavor {
            Flavor::Dynamic => (0, usize::MAX),
            _ => {
                let from = self.own.base.addr();
                (from, from + self.own.size as usize)
            }
        };
        let members = &self.meeting.members;
        windows::made(self.checked_id(), members, self.rank, (from, to));
    }

    /// It is not any more.
    pub(super) fn unlist_part(&self) {
        if check::is_on() {
            windows::gone(self.checked_id());
        }
    }

    /// In a job that is checked: this process makes the present call, a collective one, on this window.
    #[inline]
    pub fn called_together(&self) {
        if check::is_on() {
            let title = || self.window();
            let calls = &self.promises.calls;
            let section = "MPI 4.1 §12.2";
            calls.compare(&self.meeting, WINDOW, &title, section, Compared::ORDER);
        }
    }

    /// The same of a fence, before it completes anything.
    #[inline]
    pub(super) fn begin_fence(&self, assert: c_int) -> Fencing {
        match check::is_on() {
            true => self.compare_fence(assert),
            false => Fencing::default(),
        }
    }

    #[cold]
    fn compare_fence(&self, assert: c_int) -> Fencing {
        // In numbers of our own: those of other ranks may be others.
        let has = |mode: c_int| u64::from(assert & mode != 0);
        let both = has(MPI_MODE_NOPRECEDE) | has(MPI_MODE_NOSUCCEED) << 1;
        let compared = Compared {
            rule: Rule::Alike,
            own: [both, 0],
            elements: &|| common(assert).to_string(),
            says: has(MPI_MODE_NOPUT),
            ..Compared::ORDER
        };
        let (calls, title) = (&self.promises.calls, || self.window());
        let section = "MPI 4.1 §12.5.1, §12.5.5";
        let number = calls.compare(&self.meeting, WINDOW, &title, section, compared);
        let before = self
            .promises
            .fence
            .swap(number.unwrap_or(0), Ordering::Relaxed);
        if before != 0 {
            self.look_for_puts(before);
        }
        let is_still_fence = matches!(self.epoch.access(), Access::FenceIdle | Access::Fence);
        let has_nostore = assert & MPI_MODE_NOSTORE != 0;
        let mut stored = self.promises.stored.lock();
        let was = stored.take();
        if !has_nostore && was.is_none() || self.memory_is_shared() {
            return Fencing::default();
        }
        let (made, _) = windows::are_shared();
        let is_sure = |was: &Stored| has_nostore && is_still_fence && was.windows == made;
        let changed = was.filter(|was| is_sure(was) && self.is_changed(was.was));
        Fencing {
            changed_since: changed.map(|was| was.since),
            next: Watch::begin(&self.meeting.members),
        }
    }

    /// It was passed.
    #[inline]
    pub(super) fn end_fence(&self, fencing: Fencing) {
        let Fencing {
            changed_since,
            next,
        } = fencing;
        if let Some(since) = changed_since {
            self.tell_stored(&since);
        }
        if let Some(since) = next {
            let was = self.look_at_memory();
            let (windows, _) = windows::are_shared();
            *self.promises.stored.lock() = Some(Stored {
                was,
                since,
                windows,
            });
        }
    }

    /// Where a target's process has promised, by the fence of that number, that no put or accumulate changes its part until the next one.
    fn promise(&self, target: usize, fence: u32) -> Option<Place> {
        let (has_noput, place) = self
            .promises
            .calls
            .says(self.meeting.members[target], fence)?;
        (has_noput != 0).then_some(place)
    }

    /// Whether it has by the last fence.
    pub(super) fn has_promised(&self, target: usize) -> bool {
        let fence = self.promises.fence.load(Ordering::Relaxed);
        fence != 0 && self.promise(target, fence).is_some()
    }

    /// Whether this rank has put where that was promised not to happen until this fence, by the one of number `fence`.
    fn look_for_puts(&self, fence: u32) {
        let members = &self.meeting.members;
        let is_promised = |target: usize| self.promise(target, fence).is_some();
        let found = pending_change(self.checked_id(), is_promised);
        let Some((target, (rank, what, place))) = found else {
            return;
        };
        let said = self.promise(target, fence).unwrap_or(Place::UNKNOWN);
        wrong_assertion(format!(
            "{} at {} changes {}, but {} has said by MPI_MODE_NOPUT of the fence before, at {}, that no put or accumulate does until \
             this one",
            what.name(),
            place.of(rank),
            naming::part(target, members[target], &self.window()),
            self.name_of(target),
            said.of(members[target]),
        ));
    }

    /// Whether others store to this process's part by themselves, or change it through another window.
    fn memory_is_shared(&self) -> bool {
        self.own.size == 0
            || self.own.base.is_null()
            || check::clock::sees_loads()
            || windows::are_shared().1
            || self.flavor == Flavor::Shared
    }

    fn look_at_memory(&self) -> Look {
        let from = self.own.base.addr();
        sums::of_range((from, from + self.own.size as usize))
    }

    fn is_changed(&self, was: Look) -> bool {
        let now = self.look_at_memory();
        matches!((was, now), (Look::Sum(was), Look::Sum(now)) if was != now)
    }

    fn tell_stored(&self, since: &Watch) {
        let change = since.change(self.checked_id(), self.rank);
        if change.is_some() || since.is_cut() {
            return;
        }
        wrong_assertion(format!(
            "assert has MPI_MODE_NOSTORE, which says that this rank has not stored to its part of {} since the last fence, nor received or \
             got data there, but it has changed, and by no operation on the window",
            self.window(),
        ));
    }

    /// `MPI_Win_sync` separates what is stored before from what is stored after it.
    pub(super) fn forget_stored(&self) {
        *self.promises.stored.lock() = None;
    }

    /// This process's part is about to be exposed to these ranks of the job.
    #[inline]
    pub(super) fn before_post(&self, origins: &[u32], assert: c_int) {
        if check::is_on() {
            let is_promised = assert & MPI_MODE_NOPUT != 0;
            let watch = is_promised.then(|| Watch::begin(origins)).flatten();
            *self.promises.posted.lock() = watch.map(|watch| (check::here(), watch));
        }
    }

    /// All that those ranks have done there is complete.
    #[inline]
    pub(super) fn saw_wait(&self) {
        if check::is_on()
            && let Some((place, watch)) = self.promises.posted.lock().take()
        {
            let change = watch.change(self.checked_id(), self.rank);
            if let Some((rank, what, at)) = change {
                let me = self.meeting.members[self.rank];
                let who = self.meeting.members.iter().position(|&one| one == rank);
                wrong_assertion(format!(
                    "MPI_MODE_NOPUT of MPI_Win_post at {} says that no put or accumulate changes this rank's part of {}, but {} has \
                     done so by {} at {}",
                    place.of(me),
                    self.window(),
                    who.map_or("another".to_string(), |who| self.name_of(who)),
                    what.name(),
                    at.of(rank),
                ));
            }
        }
    }
}
