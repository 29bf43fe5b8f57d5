//! Waiting for locks, and which of those that wait goes first. What a dead process holds stays held: [`super::obstacle`] says
//! which waits end with an error by that.
//!
//! | what comes                      | waits for the holders, and lets first                                              |
//! |---------------------------------|------------------------------------------------------------------------------------|
//! | a lock of one target            | one that has claimed that lock ([`CLAIM_AFTER`]); a shared one within its patience |
//! | lock_all                        | exclusive locks that are wanted, within its patience                               |
//! | exclusive, holding no exclusive | lock_alls that wait, within its patience                                           |
//!
//! **Progress.** Neither readers nor writers starve, and no lock that fits those that are held is refused for ever. The first
//! needs waiters that hold others back. The second needs that they do not: a rank's shared epoch may end only when another's
//! has begun, while a third waits for an exclusive lock. Both hold because each holds others back for a bounded time
//! ([`patience`]).
//!
//! **One wait is not bounded.** A lock_all beside a rank that goes hand over hand (locks the next target exclusively, then
//! unlocks the last) waits until that rank lets go: there is no moment in which all targets could be shared. MPI_Win_lock may
//! not return before it has the lock where memory is reached by load and store, which "a user must assume" (MPI 4.1 §12.5.3).
//! (MPICH 5 takes the targets one by one; there both wait for each other for ever.)
//!
//! **Contention.** A rank that finds a lock taken looks again after 50 ns, then after twice as long, up to 1.5 µs, for 20 µs (2
//! µs where ranks share cores). Only then does it wait in earnest. Every look takes the cache line away from those that use the
//! lock.
//!
//! **No wake-up is lost.** Of releases [`crate::shm::lock`] tells why. What comes true by time alone nobody rings for: such a
//! wait says how long it may sleep ([`Announce::nap`]), after its last look.

use super::epoch::Hold;
use super::obstacle::{self, Obstacle};
use super::patience;
use super::{Target, Window};
use crate::block::Control;
use crate::error::Result;
use crate::observe;
use crate::observe::events::{self, Kind};
use crate::runtime::{
    self, Announce, Nap, Need, Needs, Ranks, Waiting, job, ring_key, ring_one, wait,
};
use crate::shm::atomic::Ordering::{Acquire, Relaxed};
use crate::shm::atomic::{AtomicU32, spin_loop};
use crate::shm::gate::{Flag, Look};
use crate::shm::lock::{Lock, Ring};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// A waiter that has waited so long, and has seen no claim in that time, claims the lock: nobody else may take it before.
const CLAIM_AFTER: Duration = Duration::from_millis(1);

/// Between the first looks at a taken lock, and at most.
const FIRST_PAUSE: Duration = Duration::from_nanos(50);
const LONGEST_PAUSE: Duration = Duration::from_nanos(1500);
// However short the wait, there is more than one look.
const _: () = assert!(LONGEST_PAUSE.as_nanos() < wait::MOMENT.as_nanos());

impl Window {
    #[cold]
    pub(super) fn wait_for_lock(&self, target: &Target, exclusive: bool) -> Result<()> {
        let rank = self.rank_of(target);
        let kind = if exclusive { "exclusive" } else { "shared" };
        let lock = || format!("lock of {}", self.name_of(rank));
        let name = || format!("MPI_Win_lock: {kind} lock of {}", self.told_in_waits(rank));
        let word = &target.block.lock;
        let members = &self.meeting.members;
        let obstacle = || obstacle::of_lock(word, exclusive, members, "MPI_Win_lock", &lock());
        self.tell_contended(Some(rank), exclusive);
        take(word, exclusive, members, &name, &obstacle)
    }

    /// The lock of a rank, or of all, is not free.
    #[cold]
    pub(super) fn tell_contended(&self, rank: Option<usize>, exclusive: bool) {
        if events::are_wanted(Kind::LockContended) {
            let rank = rank.map_or(-1, |rank| rank as i64);
            events::raise(
                Kind::LockContended,
                self.number,
                [rank, exclusive.into(), 0],
            );
        }
    }

    #[cold]
    pub(super) fn let_lock_alls_pass(&self) {
        let gate = self.control.gate;
        // They wait for what this process holds; and the dead wait for ever.
        if self.holds_exclusively() || anybody_died() {
            return;
        }
        let began = Instant::now();
        let left = || patience::left(began.elapsed(), since(&gate.awaited_since));
        let what = || "MPI_Win_lock: letting MPI_Win_lock_all go first".to_string();
        let waiting = Waiting {
            key: Control::key(&gate.exclusives),
            what: &what,
            ranks: Ranks::None,
            needs: Needs::Unknown,
            announce: Some(Announce {
                sleeper: &|| (),
                nap: &|| Nap::ByClock(left()),
            }),
        };
        let passed = runtime::wait(&waiting, || {
            !gate.is_awaited() || left().is_zero() || anybody_died()
        });
        debug_assert!(passed.is_ok(), "nobody's death is an error of this wait");
    }

    fn holds_exclusively(&self) -> bool {
        let exclusively = |t: &Target| matches!(t.hold(), Hold::Exclusive | Hold::ExclusiveCounted);
        self.epoch.locks.load(Relaxed) != 0 && self.targets.iter().any(exclusively)
    }

    /// With the target's word taken: counts this exclusive lock and makes sure that nobody is in a lock_all epoch.
    #[cold]
    pub(super) fn exclude_lock_alls(&self, target: &Target) -> Result<()> {
        let (gate, lock) = (self.control.gate, &target.block.lock);
        gate.count();
        if !gate.is_empty(&mut Look::default(), |rank| self.flag_of(rank)) {
            if !gate.is_wanted() {
                begin(&gate.wanted_since);
            }
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
        self.tell_contended(Some(rank), true);
        let what = || {
            format!(
                "MPI_Win_lock: exclusive lock of {}, until no rank is in MPI_Win_lock_all",
                self.told_in_waits(rank)
            )
        };
        let waiting = Waiting {
            key: Control::key(&gate.exclusives),
            what: &what,
            ranks: Ranks::Who(&|| self.dead_in_lock_all("MPI_Win_lock")),
            needs: Needs::Told(&|need| {
                let inside = |t: &&Target| self.flag_of(self.rank_of(t)).is_some_and(Flag::is_up);
                let targets = self.targets.iter().filter(inside);
                *need = Need::each(targets.map(|target| target.process()));
            }),
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
        begin(&gate.wanted_since);
        if taken.is_err() && gate.give_up() {
            ring_key(Control::key(&gate.waiters));
        }
        taken
    }

    #[cold]
    pub(super) fn wait_for_exclusives(&self, flag: &Flag) -> Result<()> {
        let gate = self.control.gate;
        self.tell_contended(None, false);
        if !gate.is_awaited() {
            begin(&gate.awaited_since);
        }
        gate.come();
        let (began, pass) = (Instant::now(), Cell::new(false));
        let left = || patience::left(began.elapsed(), since(&gate.wanted_since));
        let what = || "MPI_Win_lock_all: a rank is locked exclusively".to_string();
        let waiting = Waiting {
            key: Control::key(&gate.waiters),
            what: &what,
            ranks: Ranks::Who(&|| self.dead_exclusive("MPI_Win_lock_all")),
            needs: Needs::Told(&|need| {
                let locks = self.targets.iter().map(|target| &target.block.lock);
                *need = Need::each(locks.filter_map(Lock::writer));
            }),
            announce: Some(Announce {
                sleeper: &|| (),
                nap: &|| match pass.get() {
                    true => Nap::UntilRung,
                    false => Nap::ByClock(left()),
                },
            }),
        };
        let entered = runtime::wait(&waiting, || {
            // A lock that a dead process wanted stays wanted.
            if !pass.get() && (left().is_zero() || anybody_died()) {
                pass.set(true);
            }
            gate.try_again(flag, pass.get(), || {
                ring_key(Control::key(&gate.exclusives))
            })
        });
        begin(&gate.awaited_since);
        if gate.go() {
            ring_key(Control::key(&gate.exclusives));
        }
        entered
    }
}

/// Notes that a wait in vain begins now: see [`patience`].
fn begin(moment: &AtomicU32) {
    moment.store(patience::tick().into(), Relaxed);
}

fn since(moment: &AtomicU32) -> Duration {
    patience::since(moment.load(Relaxed) as u16)
}

fn anybody_died() -> bool {
    job().table.job.incidents.load(Acquire) != 0
}

/// The key of the sleepers that wait for a lock.
fn key(lock: &Lock) -> u64 {
    let base = crate::shm::segment::segment().base() as usize;
    (lock as *const Lock as usize - base) as u64
}

/// Rings those that a release found waiting.
#[cold]
pub(super) fn ring(lock: &Lock, whom: Ring) {
    match whom {
        Ring::Nobody => {}
        Ring::Rank(rank) => runtime::ring(rank),
        Ring::Sleepers => ring_key(key(lock)),
    }
}

/// A lock was given back, and those that the release found waiting are rung.
#[cold]
pub(super) fn ring_after_release(lock: &Lock, whom: Ring) {
    if observe::is_on() && whom != Ring::Nobody {
        observe::trace::freed(key(lock));
    }
    ring(lock, whom);
}

/// Waits for a lock of an object with these `members` and takes it, unless there is an `obstacle`.
pub(super) fn take(
    lock: &'static Lock,
    exclusive: bool,
    members: &[u32],
    name: &dyn Fn() -> String,
    obstacle: &dyn Fn() -> Obstacle,
) -> Result<()> {
    super::LOCK_WAITS.fetch_add(1, Relaxed);
    let holder = lock.writer();
    let observed = observe::Wait::begin(holder);
    let taken = take_after_others(lock, exclusive, members, name, obstacle);
    if let Some(observed) = observed {
        observed.end(holder);
        observe::trace::locked(key(lock));
    }
    taken
}

fn take_after_others(
    lock: &'static Lock,
    exclusive: bool,
    members: &[u32],
    name: &dyn Fn() -> String,
    obstacle: &dyn Fn() -> Obstacle,
) -> Result<()> {
    if take_soon(lock, exclusive) {
        return Ok(());
    }
    let waiter = Waiter {
        lock,
        exclusive,
        me: job().rank,
        began: Instant::now(),
        unclaimed: Cell::new(Some(Instant::now())),
    };
    let what = || match (lock.writer(), lock.readers()) {
        (Some(holder), _) => format!("{}, held exclusively by rank {holder} of the job", name()),
        (None, readers) => format!("{}, held shared by {readers}", name()),
    };
    let waiting = Waiting {
        key: key(lock),
        what: &what,
        ranks: Ranks::Who(obstacle),
        needs: Needs::Told(&|need| {
            *need = match (lock.writer(), lock.readers()) {
                (Some(holder), _) => Need::each([holder]),
                // They are counted, not named; this rank is none of them.
                (None, 1..) if exclusive => {
                    let me = job().rank;
                    Need::any(members.iter().copied().filter(|&rank| rank != me))
                }
                _ => Need::default(),
            };
        }),
        announce: Some(Announce {
            sleeper: &|| lock.announce_sleeper(),
            nap: &|| waiter.nap(),
        }),
    };
    let taken = runtime::wait(&waiting, || waiter.attempt());
    if taken.is_err() {
        lock.unclaim(waiter.me);
        ring_key(key(lock));
    }
    taken
}

/// A rank that waits for a lock.
struct Waiter {
    lock: &'static Lock,
    exclusive: bool,
    /// Its rank in the job.
    me: u32,
    began: Instant,
    /// Since when no other has claimed the lock, as far as it has seen; `None` while another has.
    unclaimed: Cell<Option<Instant>>,
}

impl Waiter {
    /// Tries to take the lock, or at least to claim it: whether it is taken.
    fn attempt(&self) -> bool {
        let (lock, me) = (self.lock, self.me);
        obstacle::void_claim(lock);
        let claim = lock.claim_standing();
        let mut claimed = claim.is_some_and(|(rank, _)| rank == me);
        let (taken, to_ring) = match claim {
            Some((_, tick)) if !claimed => {
                self.unclaimed.set(None);
                match !self.exclusive && self.patience_left(tick).is_zero() {
                    true => lock.try_past_claim(me),
                    false => (false, Ring::Nobody),
                }
            }
            _ => {
                let now = Instant::now();
                let unclaimed = self.unclaimed.get().unwrap_or(now);
                self.unclaimed.set(Some(unclaimed));
                if !claimed && now - unclaimed >= CLAIM_AFTER {
                    claimed = lock.claim(me, patience::tick());
                }
                lock.try_take(me, self.exclusive)
            }
        };
        ring(lock, to_ring);
        if taken && self.exclusive && claimed {
            // The next waiter may claim it now. Nothing else rings that one as long as others come that claim sooner.
            ring_one(key(lock));
        }
        taken
    }

    /// How long others that claimed the lock in `tick` are still let first.
    fn patience_left(&self, tick: u16) -> Duration {
        patience::left(self.began.elapsed(), patience::since(tick))
    }

    /// How long it may sleep after an attempt in vain: until it may claim the lock, or has lost its patience.
    fn nap(&self) -> Nap {
        match self.lock.claim_standing() {
            None => {
                let unclaimed = self.unclaimed.get().map(|since| since.elapsed());
                Nap::ByClock(CLAIM_AFTER.saturating_sub(unclaimed.unwrap_or(CLAIM_AFTER)))
            }
            Some((rank, tick)) if rank != self.me && !self.exclusive => {
                match self.patience_left(tick) {
                    // It waits for a holder whose release rings the claimant alone.
                    Duration::ZERO => Nap::Unrung(patience::LEAST),
                    left => Nap::ByClock(left),
                }
            }
            Some(_) => Nap::UntilRung,
        }
    }
}

/// Tries for a moment, and looks less and less often: every look takes the lock's cache line away from those that use it. Left
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
