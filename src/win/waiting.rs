//! Waiting for locks, and who lets whom go first.
//!
//! What the dead held stays held: see [`super::obstacle`] for who gets an error then.
//!
//! Neither readers nor writers starve, and no lock that could be given is held back for ever: whoever waits holds others
//! back, but only those that have not waited long themselves.
//!
//! | who comes                | waits for holders, and lets first                                                    |
//! |--------------------------|--------------------------------------------------------------------------------------|
//! | any lock of one target   | who has waited for that lock for [`CLAIM_AFTER`]; a shared one for [`PATIENCE`] at most |
//! | lock_all                 | exclusive locks that wait for lock_alls to end, for [`PATIENCE`] at most               |
//! | exclusive, holding none  | waiting lock_alls, for [`COURTESY`], or [`PATIENCE`] if they have waited that long    |
//!
//! Without the bounds a correct program could hang: one rank's shared epoch may end only when another's has begun, and a
//! third waiting for an exclusive lock must not keep that from beginning.

use super::control::Control;
use super::epoch::Hold;
use super::obstacle::{self, Obstacle};
use super::{Target, Window};
use crate::error::Result;
use crate::runtime::{self, Ranks, Waiting, job, ring_key, wait};
use crate::shm::atomic::Ordering::{Acquire, Relaxed};
use crate::shm::atomic::spin_loop;
use crate::shm::gate::{Flag, Look};
use crate::shm::lock::{Lock, Ring};
use std::time::{Duration, Instant};

/// A waiter that has waited so long claims the lock: nobody else may take it before.
const CLAIM_AFTER: Duration = Duration::from_micros(1000);
/// So long a new exclusive locker lets waiting lock_alls pass.
const COURTESY: Duration = Duration::from_millis(1);
/// So long nobody is held back by those who wait. (A little less than a waiter sleeps before it looks by itself.)
const PATIENCE: Duration = Duration::from_millis(400);

/// Between the first looks at a taken lock, and at most.
const FIRST_PAUSE: Duration = Duration::from_nanos(50);
const LONGEST_PAUSE: Duration = Duration::from_nanos(1500);

impl Window {
    #[cold]
    pub(super) fn wait_for_lock(&self, target: &Target, exclusive: bool) -> Result<()> {
        let rank = self.rank_of(target);
        let kind = if exclusive { "exclusive" } else { "shared" };
        let lock = || format!("lock of rank {rank}");
        let name = || format!("MPI_Win_lock: {kind} {}", lock());
        let word = &target.block.lock;
        let members = &self.meeting.members;
        let obstacle = || obstacle::of_lock(word, exclusive, members, "MPI_Win_lock", &lock());
        take(word, exclusive, &name, &obstacle)
    }

    #[cold]
    pub(super) fn let_lock_alls_pass(&self) {
        let gate = self.control.gate;
        // Who holds locks might be what they wait for. The dead wait for ever.
        if self.epoch.locks.load(Relaxed) != 0 || anybody_died() {
            return;
        }
        let began = Instant::now();
        while gate.is_wanted() && began.elapsed() < COURTESY {
            runtime::wait::progress();
            std::thread::yield_now();
        }
        let what = || "MPI_Win_lock: letting MPI_Win_lock_all go first".to_string();
        let waiting = Waiting {
            key: Control::key(&gate.exclusives),
            what: &what,
            ranks: Ranks::None,
            announce: None,
        };
        let passed = runtime::wait(&waiting, || {
            !gate.is_pressed() || began.elapsed() > PATIENCE || anybody_died()
        });
        debug_assert!(passed.is_ok(), "nobody's death is an error of this wait");
    }

    /// With the target's word taken: counts this exclusive lock and makes sure that nobody is in a lock_all epoch.
    #[cold]
    pub(super) fn exclude_lock_alls(&self, target: &Target) -> Result<()> {
        let (gate, lock) = (self.control.gate, &target.block.lock);
        gate.count();
        if !gate.is_empty(&mut Look::default(), |rank| self.flag_of(rank)) {
            // Shared locks on this target do not have to wait for the lock_alls to end: the word is for them meanwhile.
            if gate.want() {
                ring_key(Control::key(&gate.waiters));
            }
            ring(lock, lock.release_exclusive(job().rank));
            self.wait_for_lock_alls(target)?;
        }
        self.hold(target, Hold::ExclusiveCounted);
        Ok(())
    }

    /// Waits until nobody is in a lock_all epoch and takes the target's word. The lock counts as one that is wanted; in
    /// the end it is held.
    fn wait_for_lock_alls(&self, target: &Target) -> Result<()> {
        let (gate, lock) = (self.control.gate, &target.block.lock);
        let rank = self.rank_of(target);
        let what = || {
            format!(
                "MPI_Win_lock: exclusive lock of rank {rank}, until no rank is in MPI_Win_lock_all"
            )
        };
        let waiting = Waiting {
            key: Control::key(&gate.exclusives),
            what: &what,
            ranks: Ranks::Who(&|| self.dead_in_lock_all("MPI_Win_lock")),
            announce: None,
        };
        let mut look = Look::default();
        let mut take_it = || {
            runtime::wait(&waiting, || {
                gate.is_empty(&mut look, |rank| self.flag_of(rank))
            })?;
            if !lock.try_exclusive(job().rank) {
                self.wait_for_lock(target, true)?;
            }
            let confirmed = gate.confirm(&look);
            if !confirmed {
                ring(lock, lock.release_exclusive(job().rank));
            }
            Ok(confirmed)
        };
        let taken = loop {
            match take_it() {
                Ok(true) => break Ok(()),
                Ok(false) => {}
                Err(failed) => break Err(failed),
            }
        };
        if taken.is_err() && gate.give_up() {
            ring_key(Control::key(&gate.waiters));
        }
        taken
    }

    #[cold]
    pub(super) fn wait_for_exclusives(&self, flag: &Flag) -> Result<()> {
        let gate = self.control.gate;
        gate.come();
        let what = || "MPI_Win_lock_all: a rank is locked exclusively".to_string();
        let waiting = Waiting {
            key: Control::key(&gate.waiters),
            what: &what,
            ranks: Ranks::Who(&|| self.dead_exclusive("MPI_Win_lock_all")),
            announce: None,
        };
        let (began, mut pressing) = (Instant::now(), false);
        let entered = runtime::wait(&waiting, || {
            // Who has died may have wanted a lock, and still does.
            if !pressing && (began.elapsed() > PATIENCE || anybody_died()) {
                pressing = true;
                gate.press();
            }
            gate.try_again(flag, pressing, || ring_key(Control::key(&gate.exclusives)))
        });
        if gate.go(pressing) {
            ring_key(Control::key(&gate.exclusives));
        }
        entered
    }
}

fn anybody_died() -> bool {
    job().table.job.deaths.load(Acquire) != 0
}

/// What those sleep for who wait for a lock.
fn key(lock: &Lock) -> u64 {
    let base = crate::shm::segment::segment().base() as usize;
    (lock as *const Lock as usize - base) as u64
}

/// Rings those whom a release found waiting.
#[cold]
pub(super) fn ring(lock: &Lock, whom: Ring) {
    match whom {
        Ring::Nobody => {}
        Ring::Rank(rank) => runtime::ring(rank),
        Ring::Sleepers => ring_key(key(lock)),
    }
}

/// Waits for a lock and takes it, unless there is an `obstacle`.
pub(super) fn take(
    lock: &'static Lock,
    exclusive: bool,
    name: &dyn Fn() -> String,
    obstacle: &dyn Fn() -> Obstacle,
) -> Result<()> {
    super::LOCK_WAITS.fetch_add(1, Relaxed);
    if take_soon(lock, exclusive) {
        return Ok(());
    }
    let me = job().rank;
    let began = Instant::now();
    let attempt = || {
        if began.elapsed() > CLAIM_AFTER {
            obstacle::void_claim(lock);
            lock.claim(me);
        }
        let (taken, to_ring) = if !exclusive && began.elapsed() > PATIENCE {
            lock.try_past_claim(me)
        } else {
            lock.try_take(me, exclusive)
        };
        ring(lock, to_ring);
        taken
    };
    let what = || match (lock.writer(), lock.readers()) {
        (Some(holder), _) => format!("{}, held exclusively by rank {holder} of the job", name()),
        (None, readers) => format!("{}, held shared by {readers}", name()),
    };
    let waiting = Waiting {
        key: key(lock),
        what: &what,
        ranks: Ranks::Who(obstacle),
        announce: Some(&|| lock.announce_sleeper()),
    };
    let taken = runtime::wait(&waiting, attempt);
    if taken.is_err() {
        lock.unclaim(me);
        ring_key(key(lock));
    }
    taken
}

/// Tries for a moment, and looks less and less often: every look takes the lock's cache line away from those who use it. Left
/// alone, a rank that locks again and again does so some hundred times before the line moves on, instead of once.
fn take_soon(lock: &Lock, exclusive: bool) -> bool {
    let (began, moment) = (Instant::now(), wait::moment());
    let mut pause = FIRST_PAUSE;
    let mut look = pause;
    while look < moment {
        while began.elapsed() < look {
            spin_loop();
        }
        let (taken, to_ring) = lock.try_take(job().rank, exclusive);
        ring(lock, to_ring);
        if taken {
            return true;
        }
        pause = (2 * pause).min(LONGEST_PAUSE);
        look = began.elapsed() + pause;
    }
    false
}
