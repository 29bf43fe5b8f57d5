//! The one wait loop, used by everything that blocks.
//!
//! A waiter checks its condition and moves messages along, first spinning (when every rank can have a core), then
//! yielding for a bounded time, then asleep on its rank's doorbell. A sleeping rank costs no CPU. Whoever makes a
//! condition true rings those who may go on, which costs one load when nobody sleeps.
//! Why no ring is lost is in [`crate::shm::doorbell`].

use super::table::{Death, State, WAITS, Wait};
use super::{job, me};
use crate::bail;
use crate::error::Result;
use crate::shm::atomic::{AtomicU32, AtomicUsize, Ordering, full_fence, spin_loop};
use std::time::{Duration, Instant};

/// Whose death ends a wait.
#[derive(Clone, Copy)]
pub enum Ranks<'a> {
    None,
    One(u32),
    These(&'a [u32]),
    All,
}

/// What a wait is about.
pub struct Waiting<'a> {
    /// What [`ring_key`] is called with when it may be over; 0 if only [`ring`] is used.
    pub key: u64,
    /// Says it in words, for the launcher's report of a death and for the watchdog of a hang: "MPI_Win_lock of rank 3".
    pub what: &'a dyn Fn() -> String,
    pub ranks: Ranks<'a>,
    /// Called before every sleep, when this thread is registered and before it looks a last time.
    pub announce: Option<&'a dyn Fn()>,
}

/// How long a waiter spins before it yields, when every rank can have a core. Short: on a machine where others compute too, two
/// ranks often share a core, and the one that spins keeps the other from what it waits for (measured: a fence takes as
/// long as this spin then). A yield that finds nobody else costs half a microsecond.
const SPIN: Duration = Duration::from_micros(2);
/// The bounds of how long it yields before it sleeps; where between them follows from how the last waits ended.
const YIELD_LEAST: u32 = 5_000;
const YIELD_MOST: u32 = 100_000;
/// How long it sleeps before it looks around by itself.
const NAP: Duration = Duration::from_millis(500);

/// The least that is spun before, where it is done at all.
const SPIN_LEAST: u32 = 1_000;

/// Nanoseconds to spin; 0 when there are more ranks than cores. It shrinks while spinning only keeps the core from the one
/// who would make the condition true (two ranks on one core, though there are others: the first yield brings it), and
/// grows while spinning helps.
static SPIN_NS: AtomicU32 = AtomicU32::new(0);
/// Nanoseconds to yield.
static YIELD_NS: AtomicU32 = AtomicU32::new(YIELD_MOST / 2);
/// The function that moves messages along: a `fn() -> bool`, or 0.
static PROGRESS: AtomicUsize = AtomicUsize::new(0);

/// Chooses the pace for a job of `ranks` on `cores`.
pub(super) fn set_pace(cores: usize, ranks: usize) {
    let spin = if ranks <= cores {
        SPIN.as_nanos() as u32
    } else {
        0
    };
    SPIN_NS.store(spin, Ordering::Relaxed);
}

/// Names the function that every waiter calls to move messages along. It says whether it moved any.
pub fn set_progress(progress: fn() -> bool) {
    PROGRESS.store(progress as usize, Ordering::Release);
}

/// Moves messages along, if there are any.
#[inline]
pub fn progress() -> bool {
    match PROGRESS.load(Ordering::Acquire) {
        0 => false,
        // SAFETY: only `set_progress` writes the word, and it writes a `fn() -> bool`.
        function => unsafe { std::mem::transmute::<usize, fn() -> bool>(function)() },
    }
}

/// Rings `rank` after something it may wait for was made true. Contains the fence that the protocol asks for.
#[inline]
pub fn ring(rank: u32) {
    full_fence();
    job().table.processes[rank as usize].ring_sleepers();
}

/// Rings those ranks whose threads sleep for `key`. Contains the fence that the protocol asks for.
pub fn ring_key(key: u64) {
    full_fence();
    for process in job().table.processes.iter().filter(|p| p.waits_for(key)) {
        process.ring_sleepers();
    }
}

/// Blocks until `ready` says true.
///
/// Error: `MPI_ERR_PROC_FAILED` when one of `waiting.ranks` dies first.
#[inline]
pub fn wait(waiting: &Waiting<'_>, mut ready: impl FnMut() -> bool) -> Result<()> {
    if ready() {
        return Ok(());
    }
    wait_slow(waiting, &mut ready)
}

#[cold]
fn wait_slow(waiting: &Waiting<'_>, ready: &mut dyn FnMut() -> bool) -> Result<()> {
    let began = Instant::now();
    let spin = SPIN_NS.load(Ordering::Relaxed);
    let mut now = 0;
    while now < spin {
        for _ in 0..8 {
            if ready() {
                if spin < SPIN.as_nanos() as u32 {
                    SPIN_NS.store(spin + spin / 8, Ordering::Relaxed);
                }
                return Ok(());
            }
            spin_loop();
        }
        progress();
        now = began.elapsed().as_nanos().min(u32::MAX.into()) as u32;
    }
    let patience = YIELD_NS.load(Ordering::Relaxed);
    let mut yields = 0_u32;
    while now < spin + patience {
        progress();
        if ready() {
            if spin > 0 && (1..=2).contains(&yields) {
                SPIN_NS.store((spin / 2).max(SPIN_LEAST), Ordering::Relaxed);
            }
            YIELD_NS.store((patience + patience / 4).min(YIELD_MOST), Ordering::Relaxed);
            return Ok(());
        }
        std::thread::yield_now();
        yields += 1;
        now = began.elapsed().as_nanos().min(u32::MAX.into()) as u32;
    }
    let slept = asleep(waiting, ready);
    // Would a little more patience have met it? Then have more next time; else less.
    let short = began.elapsed() < Duration::from_nanos(u64::from(spin + 2 * YIELD_MOST));
    let next = if short { patience * 2 } else { patience / 2 };
    YIELD_NS.store(next.clamp(YIELD_LEAST, YIELD_MOST), Ordering::Relaxed);
    slept
}

fn asleep(waiting: &Waiting<'_>, ready: &mut dyn FnMut() -> bool) -> Result<()> {
    let process = me();
    let words = (waiting.what)();
    let place: Option<&Wait> = process.waits.iter().find(|w| w.take(waiting.key, &words));
    // Who found no place is not found by its key: it weighs so much that `waits_for` says yes whoever else sleeps.
    let weight = if place.is_some() { 1 } else { WAITS as u32 + 1 };
    let announce = || {
        if let Some(announce) = waiting.announce {
            announce();
        }
    };
    let result = loop {
        let asleep_since = Instant::now();
        let mut over = false;
        process.doorbell.sleep_unless(weight, NAP, announce, || {
            let moved = progress();
            over = ready();
            over || moved || failed(waiting.ranks)
        });
        if over || ready() {
            break Ok(());
        }
        if asleep_since.elapsed() >= NAP {
            look_around();
        }
        if let Some(failure) = failure(waiting) {
            // The condition may have come true together with the death.
            break if ready() { Ok(()) } else { failure };
        }
    };
    if let Some(place) = place {
        place.leave();
    }
    result
}

fn failed(ranks: Ranks<'_>) -> bool {
    job().table.job.deaths.load(Ordering::Acquire) != 0 && dead(ranks).is_some()
}

/// The first of `ranks` that has died, and how. One load while nobody has.
pub fn dead(ranks: Ranks<'_>) -> Option<(u32, Death)> {
    let table = &job().table;
    match ranks {
        Ranks::None => None,
        Ranks::One(rank) => table.first_dead(std::iter::once(rank)),
        Ranks::These(ranks) => table.first_dead(ranks.iter().copied()),
        Ranks::All => table.first_dead(0..table.processes.len() as u32),
    }
}

#[cold]
fn failure(waiting: &Waiting<'_>) -> Option<Result<()>> {
    let (rank, death) = dead(waiting.ranks)?;
    let fail = || {
        bail!(
            ProcFailed,
            "rank {rank} of the job {death} ({})",
            (waiting.what)()
        )
    };
    Some(fail())
}

/// Where no launcher of ours watches, looks whether the other ranks are still there.
fn look_around() {
    let table = &job().table;
    if table.job.watched.load(Ordering::Relaxed) != 0 {
        return;
    }
    for (rank, process) in table.processes.iter().enumerate() {
        let living = matches!(process.state(), State::Joining | State::Running);
        let pid = process.pid.load(Ordering::Relaxed) as i32;
        // SAFETY: signal 0 only asks whether the process exists.
        let gone = living && pid > 0 && unsafe { libc::kill(pid, 0) } != 0;
        if gone && nix::Error::last() == nix::Error::ESRCH {
            // It may have finalized and left between the two looks.
            if matches!(process.state(), State::Joining | State::Running) {
                table.bury(rank, Death::Unseen);
            }
        }
    }
}
