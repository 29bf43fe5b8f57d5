//! The one wait loop. Everything that blocks calls [`wait`] with a condition, a description in words, the ranks whose death
//! ends it, and perhaps a key.
//!
//! A waiter looks at its condition and moves messages along:
//!
//! 1. **It spins**, 20 µs, where every rank can have a core and no other rank was on this one when that last began to wait.
//!    Every rank can have a core if the union of all affinity masks has as many as there are ranks, and the cgroup's quota is
//!    the time of as many. On a shared core a rank that spins keeps the other from what it waits for.
//! 2. **It yields**, for 5 to 100 µs, or for up to 25 µs for each rank where ranks share cores. A yield that finds nobody else
//!    costs half a microsecond; a sleep and a wake-up cost tens. How long follows from how the last waits ended: longer while
//!    yields met the condition, or more of them might have; an eighth shorter when the wait was much longer than that. Each message
//!    that comes meanwhile may be a part of what it waits for, and begins that time anew, also after a sleep.
//! 3. **It sleeps** on its rank's [doorbell](crate::shm::doorbell), for at most 500 ms; then it looks whether others died, and
//!    goes on. A sleeping rank costs no CPU but two looks a second.
//!
//! What makes a condition true rings those that may go on, which costs one load when nobody sleeps.
//!
//! **Why the bound of 2 grows with the ranks.** The wake-ups cost the rank that rings. With 32 ranks it may have 16 to wake,
//! and comes 400 µs late to the next barrier. If those that wait for it slept too, they would be the next 16, and so a job that
//! was disturbed once would stay slow.
//!
//! **Why it also yields as long as its last wake-ups took**, where every rank can have a core (2 ms at most, from the ring,
//! whose time is in the process table, to the first instruction). A hypervisor that takes cores away makes that 200 µs and
//! more. Ranks that waited less fell asleep at every barrier, each because the other was being woken. A rank that waits awake
//! for as long as a wake-up takes loses at most a factor of two against the best choice, and two such ranks stay awake.
//!
//! **What others ask for.** A waiter looks for [errands](super::errands) all the time, and says so by a count in the process table
//! once it has looked in vain for a moment. Who has stored for others waits awake for as long again, from the first step on:
//! there is mostly more to come, and a rank that sleeps is not asked for little.
//!
//! **Where it does not yield.** A quota that is short, while cores are not, is burnt by yields: such a rank sleeps after 15 µs.
//! A process that computes beside the ranks takes a whole time slice from a yield: see [`yields`](super::yields).
//!
//! The bounds are found again by `make bench BENCH="--families epochs,idle,sizes --peers none"`, on a quiet machine and beside
//! processes that compute.

use super::deaths::{Failure, Ranks, failure, miss};
use super::errands::{run_errand, stored};
use super::needs::{Need, Needs};
use super::overlong::Overlong;
use super::resting::Resting;
use super::table::{WAITS, Wait};
use super::yields::Yields;
use super::{cores, job, lookout, me, phase};
use crate::error::Result;
use crate::observe;
use crate::shm::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, full_fence, spin_loop};
use crate::shm::clock;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// What a wait is about.
pub struct Waiting<'a> {
    /// What [`ring_key`] is called with when it may be over; 0 if only [`ring`] is used.
    pub key: u64,
    /// Says it in words, for the launcher's report of a death and for the watchdog of a hang: "MPI_Win_lock of rank 3".
    pub what: &'a dyn Fn() -> String,
    pub ranks: Ranks<'a>,
    /// Who has to act so that it ends: asked after looks in vain, twice a second.
    pub needs: Needs<'a>,
    /// What else is done before every sleep.
    pub announce: Option<Announce<'a>>,
}

impl<'a> Waiting<'a> {
    /// One that no death of a rank ends, and of which nothing else is known. Who makes it true rings this process.
    pub fn alone(what: &'a dyn Fn() -> String) -> Waiting<'a> {
        Waiting {
            key: 0,
            what,
            ranks: Ranks::None,
            needs: Needs::Unknown,
            announce: None,
        }
    }
}

/// What is done before every sleep.
pub struct Announce<'a> {
    /// Called when this thread is registered, before it looks a last time.
    pub sleeper: &'a dyn Fn(),
    /// Asked after the last look.
    pub nap: &'a dyn Fn() -> Nap,
}

/// How long a waiter sleeps, if it is not rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nap {
    /// There is a ring when the condition has come true.
    UntilRung,
    /// So long at most: by then the condition may have come true by time alone.
    ByClock(Duration),
    /// So long at most: others may have made it true, and ring somebody else.
    Unrung(Duration),
}

// What a yield and a wake-up cost on a machine, from which these numbers follow: `make bench BENCH=--thresholds`.

/// How long a waiter spins before it yields, when every rank can have a core and none is known to share this one. Short: the
/// kernel may have moved another rank here meanwhile, and a rank that spins keeps that one from what it waits for itself. A
/// yield that finds nobody else costs half a microsecond; one that finds a process that computes, a whole time slice.
const SPIN: Duration = Duration::from_micros(20);
/// The same for what others hold for moments only, where ranks share cores: about what a yield costs.
pub const MOMENT: Duration = Duration::from_micros(2);
/// The bounds in nanoseconds of how long it yields before it sleeps; where between them follows from how the last waits
/// ended.
const YIELD_LEAST: u32 = 5_000;
const YIELD_MOST: u32 = 100_000;
/// Where ranks share cores, the upper bound is so much for each rank, if that is more. So long one rank takes to wake another:
/// a rank that wakes many comes late to what follows, and if those that wait for it slept meanwhile, it would have to wake them
/// again.
const WAKING: u32 = 25_000;
/// But not for more ranks than this.
const WAKING_RANKS: usize = 200;
/// In one of so many waits, a rank without a core of its own looks whether another has more room. Of 32 ranks on 2 cores a
/// look takes less than a microsecond.
const SPREAD: u64 = 16;
/// The most that counts of how long a wake-up took.
const WAKING_MOST: u64 = 2_000_000;
/// Where the job's cgroup has the time of fewer cores than there are, a rank that yields mostly keeps its core, and uses up
/// time that the others need. So it sleeps soon.
const YIELD_RATIONED: u32 = 15_000;
/// How long it sleeps before it looks by itself, whether it was rung or not.
pub const NAP: Duration = Duration::from_millis(500);

/// Nanoseconds to spin; 0 when there are more ranks than cores.
static SPIN_NS: AtomicU32 = AtomicU32::new(0);
/// Nanoseconds of a [`moment`] where ranks share cores; 0 where there is one core only.
static MOMENT_NS: AtomicU32 = AtomicU32::new(0);
/// Nanoseconds to yield, and the upper bound.
static YIELD_NS: AtomicU32 = AtomicU32::new(YIELD_MOST);
static YIELD_MOST_NS: AtomicU32 = AtomicU32::new(YIELD_MOST);
/// Nanoseconds that it took this rank's threads to get a core when they were last woken, where every rank can have one: the
/// longest, and an eighth less with each that took less.
static WAKING_NS: AtomicU32 = AtomicU32::new(0);
/// Whether to yield at all.
static YIELDS: Yields = Yields::new();
/// The function that moves messages along: a `fn() -> bool`, or 0.
static PROGRESS: AtomicUsize = AtomicUsize::new(0);

/// Chooses the pace for a job of `ranks` on `cores`, which may use the time of `quota` cores.
pub(super) fn set_pace(cores: usize, quota: usize, ranks: usize) {
    let sharing = ranks > cores.min(quota);
    let spin = if sharing { Duration::ZERO } else { SPIN };
    SPIN_NS.store(spin.as_nanos() as u32, Ordering::Relaxed);
    let moment = if cores > 1 { MOMENT } else { Duration::ZERO };
    MOMENT_NS.store(moment.as_nanos() as u32, Ordering::Relaxed);
    let waking = match sharing {
        true => ranks.min(WAKING_RANKS) as u32 * WAKING,
        false => 0,
    };
    let most = match sharing && quota < cores {
        true => YIELD_RATIONED,
        false => YIELD_MOST.max(waking),
    };
    YIELD_MOST_NS.store(most, Ordering::Relaxed);
    YIELD_NS.store(most, Ordering::Relaxed);
}

/// How long a waiter may spin for what another holds for a moment, before it waits in earnest.
pub fn moment() -> Duration {
    let nanoseconds = match spin_here() {
        0 => MOMENT_NS.load(Ordering::Relaxed),
        spin => spin,
    };
    Duration::from_nanos(nanoseconds.into())
}

/// Nanoseconds that a waiter spins.
pub fn spin() -> u64 {
    SPIN_NS.load(Ordering::Relaxed).into()
}

/// Sets how many nanoseconds a waiter spins, at most some seconds.
pub fn set_spin(nanoseconds: u64) {
    let most = nanoseconds.min(u32::MAX.into());
    SPIN_NS.store(most as u32, Ordering::Relaxed);
}

/// Names the function that every waiter calls to move messages along. It says whether it moved any.
pub fn set_progress(progress: fn() -> bool) {
    PROGRESS.store(progress as usize, Ordering::Release);
}

/// Moves messages along, if there are any, and does what others ask for.
#[inline]
pub fn progress() -> bool {
    run_errand();
    match PROGRESS.load(Ordering::Acquire) {
        0 => false,
        // SAFETY: only `set_progress` writes the word, and it writes a `fn() -> bool`.
        function => unsafe { std::mem::transmute::<usize, fn() -> bool>(function)() },
    }
}

/// For calls that look and do not block, when they found nothing: where ranks share cores, lets another rank run that may have
/// to do what is looked for. A rank that calls again and again would keep it from that for a whole time slice.
pub fn give_way() {
    if SPIN_NS.load(Ordering::Relaxed) > 0 {
        return;
    }
    if YIELDS.are_dear() {
        // As short as the kernel can.
        std::thread::sleep(Duration::from_nanos(1));
    } else {
        let began = Instant::now();
        std::thread::yield_now();
        YIELDS.took(nanoseconds(began));
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
    for process in job().table.present().iter().filter(|p| p.waits_for(key)) {
        process.ring_sleepers();
    }
}

/// Rings one rank whose threads sleep for `key`, the first after this one. Contains the fence that the protocol asks for.
pub fn ring_one(key: u64) {
    full_fence();
    let (before, after) = job().table.present().split_at(job().rank as usize + 1);
    for process in after.iter().chain(before).filter(|p| p.waits_for(key)) {
        process.ring_sleepers();
        // Of those that sleep unseen none is sure to wait for this.
        if process.is_seen_to_wait_for(key) {
            return;
        }
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

/// Waits that were not over at the first look, and those of them that slept.
pub static LONG: AtomicU64 = AtomicU64::new(0);
pub static SLEEPS: AtomicU64 = AtomicU64::new(0);

/// Nanoseconds since then, at most some seconds.
fn nanoseconds(began: Instant) -> u32 {
    began.elapsed().as_nanos().min(u32::MAX.into()) as u32
}

#[cold]
fn wait_slow(waiting: &Waiting<'_>, ready: &mut dyn FnMut() -> bool) -> Result<()> {
    let Some(observed) = observe::Wait::begin(waiting.ranks.only()) else {
        return wait_long(waiting, ready);
    };
    let before = me().woken.load(Ordering::Relaxed);
    let result = wait_long(waiting, ready);
    observed.end(
        waiting
            .ranks
            .only()
            .or_else(|| waker(waiting.ranks, before)),
    );
    result
}

/// The one of `ranks` that has woken this rank last, if that was after `before`.
fn waker(ranks: Ranks<'_>, before: u64) -> Option<u32> {
    let me = me();
    if me.woken.load(Ordering::Relaxed) == before {
        return None;
    }
    let waker = me.woken_by.load(Ordering::Relaxed).checked_sub(1)?;
    ranks.may_be(waker).then_some(waker)
}

fn wait_long(waiting: &Waiting<'_>, ready: &mut dyn FnMut() -> bool) -> Result<()> {
    let waits = LONG.fetch_add(1, Ordering::Relaxed);
    let began = Instant::now();
    if spin_here() > 0 && look_often(ready) {
        return Ok(());
    }
    let _attentive = Attentive::begin();
    let told = Overlong::new(began);
    if stay(waiting, &told, ready, began, waits.is_multiple_of(SPREAD))? {
        return Ok(());
    }
    while !stay(waiting, &told, ready, Instant::now(), true)? {}
    Ok(())
}

/// Waits, from the first of the three steps to the last. False if it was asked to store in its sleep: there may be more to
/// come.
fn stay(
    waiting: &Waiting<'_>,
    told: &Overlong,
    ready: &mut dyn FnMut() -> bool,
    began: Instant,
    spread: bool,
) -> Result<bool> {
    let spin = spin_here();
    if spin == 0 && spread {
        cores::spread();
    }
    let mut seen = stored();
    if spins(began, spin, ready) {
        return Ok(true);
    }
    let mut now = nanoseconds(began);
    let spun = now;
    if YIELDS.are_dear() {
        return match ready() || progress() && ready() {
            true => Ok(true),
            false => asleep(waiting, told, ready),
        };
    }
    // A sleep costs as long as a wake-up takes: this rank's now, and another's that waits for it next. What takes less is worth
    // waiting for awake, and ranks that wait for each other stay awake.
    let mut patience = YIELD_NS.load(Ordering::Relaxed);
    patience = patience.max(WAKING_NS.load(Ordering::Relaxed));
    let most = YIELD_MOST_NS.load(Ordering::Relaxed);
    let grown = |patience: u32, waited: u32| (patience + patience / 4).max(2 * waited).min(most);
    // Since when nothing has come, until when it waits for that awake, and the longest yield.
    let (mut since, mut end, mut longest) = (spun, spun.saturating_add(patience), 0);
    loop {
        // A rank that gets its core back mostly finds that it may go on, even if the yield took longer than its patience.
        let mut moved = false;
        let is_over = ready() || {
            moved = progress();
            moved && ready()
        };
        if is_over {
            YIELDS.took(longest);
            YIELD_NS.store(grown(patience, now - since), Ordering::Relaxed);
            return Ok(true);
        }
        if moved {
            // One part of what it waits for: as a wait of its own.
            patience = grown(patience, now - since);
            now = nanoseconds(began);
            (since, end) = (now, now.saturating_add(patience));
        }
        if now >= end {
            break;
        }
        std::thread::yield_now();
        let before = now;
        now = nanoseconds(began);
        longest = longest.max(now - before);
        if stored() != seen {
            seen = stored();
            if spins(Instant::now(), spin, ready) {
                return Ok(true);
            }
            now = nanoseconds(began);
            end = now.saturating_add(patience);
        }
    }
    YIELDS.took(longest);
    let slept = asleep(waiting, told, ready);
    // After a short wait more patience might have met its end: the others may have come late only because they slept too. Else
    // a little less: one long wait says nothing of the next.
    let short = began.elapsed() < Duration::from_nanos(u64::from(since) + u64::from(4 * most));
    let next = if short {
        patience * 2
    } else {
        patience - patience / 8
    };
    YIELD_NS.store(next.clamp(YIELD_LEAST, most), Ordering::Relaxed);
    slept
}

/// Nanoseconds that this thread spins where it is now.
fn spin_here() -> u32 {
    match SPIN_NS.load(Ordering::Relaxed) {
        spin if spin > 0 && cores::has_own() => spin,
        _ => 0,
    }
}

/// Some looks at a condition: whether it came true.
#[inline]
fn look_often(ready: &mut dyn FnMut() -> bool) -> bool {
    for _ in 0..8 {
        if ready() {
            return true;
        }
        spin_loop();
    }
    progress();
    false
}

/// Looks for so many nanoseconds after `began`, and for as many more whenever others have asked this process to store: whether
/// the condition came true.
fn spins(mut began: Instant, spin: u32, ready: &mut dyn FnMut() -> bool) -> bool {
    let mut seen = stored();
    while nanoseconds(began) < spin {
        if look_often(ready) {
            return true;
        }
        if stored() != seen {
            (began, seen) = (Instant::now(), stored());
        }
    }
    false
}

/// While a thread waits, and so looks at once what others ask its process for.
struct Attentive;

impl Attentive {
    fn begin() -> Attentive {
        Attentive::count(1);
        Attentive
    }

    /// Where only one thread at a time may be in MPI that need not be a locked instruction.
    fn count(more: u32) {
        let threads = &me().attentive;
        if phase::is_threaded() {
            threads.fetch_add(more, Ordering::Relaxed);
        } else {
            threads.store(
                threads.load(Ordering::Relaxed).wrapping_add(more),
                Ordering::Relaxed,
            );
        }
    }
}

impl Drop for Attentive {
    fn drop(&mut self) {
        Attentive::count(u32::MAX);
    }
}

/// False if it was asked to store, or something has come: there may be more soon.
fn asleep(waiting: &Waiting<'_>, told: &Overlong, ready: &mut dyn FnMut() -> bool) -> Result<bool> {
    SLEEPS.fetch_add(1, Ordering::Relaxed);
    let process = me();
    let words = RefCell::new((waiting.what)());
    let place: Option<&Wait> = process
        .waits
        .iter()
        .find(|w| w.take(waiting.key, &words.borrow()));
    // A sleeper without a place cannot be found by its key. It weighs so much that `waits_for` says yes for every key.
    let weight = if place.is_some() { 1 } else { WAITS as u32 + 1 };
    let announce = || {
        if let Some(announce) = &waiting.announce {
            (announce.sleeper)();
        }
    };
    let asked = Cell::new(Nap::UntilRung);
    // The same from the nap's beginning to its end.
    let bound = Cell::new(NAP);
    let longest = || match asked.get() {
        Nap::UntilRung => bound.get(),
        Nap::ByClock(most) | Nap::Unrung(most) => most.min(bound.get()),
    };
    // Half a second of looks in vain, and one for which it was asked, are counted by the look that follows.
    let (due, answered) = (
        Cell::new(false),
        Cell::new(process.looks_asked.load(Ordering::Acquire)),
    );
    let resting = Resting::begin(&process.rest);
    let nap = || {
        if let Some(announce) = &waiting.announce {
            asked.set((announce.nap)());
        }
        let looks = process.looks_asked.load(Ordering::Acquire);
        let is_asked = answered.replace(looks) != looks;
        let is_due = due.take() || is_asked;
        // A wait that may come to its end by the clock alone is no rest, however long it takes.
        if is_due && !matches!(asked.get(), Nap::ByClock(_)) {
            // Of several things some may have come meanwhile.
            let now = (waiting.what)();
            if let Some(place) = place.filter(|_| now != *words.borrow()) {
                place.say(&now);
                words.replace(now);
            }
            resting.looked_in_vain(|is_alone| {
                // Of the waits of several threads nothing is said.
                let need = match is_alone {
                    true => Need::of(waiting.needs),
                    false => Need::default(),
                };
                job().table.post(job().rank as usize, &need);
            });
        }
        longest()
    };
    let mut undisturbed = Duration::ZERO;
    let seen = stored();
    let result = loop {
        let (mut over, mut moved) = (false, false);
        told.tell(waiting);
        bound.set(told.nap());
        resting.looks();
        let before = process.woken.load(Ordering::Relaxed);
        let began = Instant::now();
        let look = || {
            moved = progress();
            over = ready();
            over || moved || stored() != seen || failure(waiting).is_some()
        };
        let awake = process.doorbell.sleep_unless(weight, announce, look, nap);
        if !awake {
            woken(before, process.woken.load(Ordering::Relaxed));
        }
        let slept = began.elapsed();
        let is_asked = process.looks_asked.load(Ordering::Acquire) != answered.get();
        let is_rung = !awake && slept < longest() && !is_asked;
        if moved || is_rung || matches!(asked.get(), Nap::ByClock(_)) {
            process.rest.disturb();
            undisturbed = Duration::ZERO;
            due.set(false);
        } else if !awake {
            undisturbed += slept;
            if undisturbed >= NAP {
                due.set(true);
                undisturbed = Duration::ZERO;
            }
        }
        if over || ready() {
            break Ok(true);
        }
        if stored() != seen || moved {
            break Ok(false);
        }
        lookout::look_around();
        // While messages come, there may be more: what the dead have sent counts.
        if !moved && let Some(failure) = failure(waiting) {
            // The condition may have come true together with the death.
            if ready() {
                break Ok(true);
            }
            match failure {
                Failure::Over(error) => break Err(error),
                // What it did was done before it was seen to have quit, and is no help.
                Failure::Quit(rank) if !progress() && !ready() => miss(rank),
                Failure::Quit(_) => {}
            }
        }
    };
    drop(resting);
    if let Some(place) = place {
        place.leave();
    }
    result
}

/// Learns from a sleep how long wake-ups take: the last one was at `at`, and at `before` when the sleep began.
fn woken(before: u64, at: u64) {
    if at == before || SPIN_NS.load(Ordering::Relaxed) == 0 {
        return;
    }
    let took = clock::nanoseconds().saturating_sub(at).min(WAKING_MOST) as u32;
    let last = WAKING_NS.load(Ordering::Relaxed);
    WAKING_NS.store(took.max(last - last / 8), Ordering::Relaxed);
}
