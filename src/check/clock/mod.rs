//! What is ordered before what: vector clocks, for the checks of [races](super::race).
//!
//! **Time** of a rank is the number of its completions: calls that have completed one-sided operations of its own at their targets. Its clock says
//! for each rank up to which completion that is ordered before now. So an operation that its origin's completion number n has completed
//! is ordered before a rank's next call if that rank's clock says at least n of the origin.
//!
//! **Clocks lie in the segment**, where others read them; entries only grow. What orders two ranks has one that leaves its clock and one that
//! takes it:
//!
//! | left by             | where                                     | taken by                               |
//! |---------------------|-------------------------------------------|----------------------------------------|
//! | [`leave`]           | a copy under a key, of which both know    | [`meet`], or what is there now if the copy was overwritten |
//! | nobody              | the clock itself                          | [`meet_now`]: a later time than needed |
//! | [`keep`]            | a place at a rank, joined with what others left there | [`take`]                   |
//! | [`keep_promised`]   | the same, with a time that this process [has not](promise) itself, which those know from then on that took it | [`take`] |
//! | [`come`], by a put  | the same, of those that change a rank's own memory | that rank, in every call: it may have seen it by a load |
//! | the rank's program, by a store | the clock itself                | [`fetched`]: a flag may be there that tells of what is in it |
//!
//! Loads and gets may tell of a completion that has no time yet, as nobody could know of it otherwise (see [`again`](super::race::again)): that has the
//! rank's next time, which they know from then on.
//!
//! All errors go one way: who takes a clock that is too late misses a race, and tells of none that is not one.

mod own;

use super::area::Block;
use super::{Checker, checker, is_on};
use crate::shm::atomic::{AtomicU64, Ordering, full_fence, prefetch};
pub use own::Own;
use parking_lot::Mutex;
use std::cell::Cell;

/// Copies of a rank's clock, and places at a rank where others leave theirs.
const COPIES: usize = 64;
const PLACES: usize = 256;
/// From which bit of a key on its place is.
const PLACE: u32 = 40;
const MOST: usize = super::area::MOST as usize;

/// One rank's, in the segment. Only as much of the arrays is used as there are ranks.
#[repr(C)]
pub struct Clock {
    /// How often it has come to know a later time of another rank.
    learned: AtomicU64,
    /// While it [waits in a call](Within) that has completed something: 1 more than the time that its program knows of.
    within: AtomicU64,
    /// A time that it has [promised](promise): those that it was told may know it before this one's clock has come to it.
    promised: AtomicU64,
    /// Its clock. Written by it alone.
    now: [AtomicU64; MOST],
    /// What follows is on a line of its own, and [elsewhere](super::area) in its page than what is in front.
    _apart: [u64; 21],
    /// Not 0: something came into its memory since it last looked.
    came: AtomicU64,
    /// How many copies were made: the last ones are there, in turn.
    left: AtomicU64,
    /// Not 0: this process may load what others store, unseen. Written by all.
    loads: AtomicU64,
    /// How often others have left something for all elements of a target at once. Written by all.
    wholes: AtomicU64,
    _line: [u64; 4],
    keys: [AtomicU64; COPIES],
    copies: [AtomicU64; COPIES * MOST],
    /// Written by all.
    places: [AtomicU64; PLACES * MOST],
    incoming: [AtomicU64; MOST],
}

/// One thread at a time makes a copy.
static LEAVING: Mutex<()> = Mutex::new(());
/// Until which time of its own others have told this process that they know it: what its threads did before is ordered by that.
static TOLD: AtomicU64 = AtomicU64::new(0);
/// What a process that may load anything, unseen, knows of another one's own loads and stores.
pub const ANYTHING: u64 = u64::MAX;

/// Something of this process and another by which they are ordered: of what kind, and numbers that say which.
#[derive(Clone, Copy)]
pub struct Key(u64);

/// Keys of one kind with the first numbers in common.
#[derive(Clone, Copy)]
pub struct Keys(u64);

impl Keys {
    #[inline(always)]
    pub const fn new(kind: u8, a: u64, b: u64) -> Keys {
        Keys(mix(mix(kind as u64 + 1, a), b))
    }

    #[inline(always)]
    pub fn at(self, c: u64) -> Key {
        // Never 0, which no copy has.
        Key(mix(self.0, c) | 1 << 63)
    }
}

#[inline(always)]
const fn mix(sum: u64, n: u64) -> u64 {
    let mixed = (sum ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

impl Keys {
    /// One of four, whose places lie side by side.
    #[inline(always)]
    pub fn near(self, n: u64) -> Key {
        Key(self.0 & !(3 << PLACE) | n << PLACE | 1 << 63)
    }
}

impl Key {
    #[inline(always)]
    pub fn new(kind: u8, a: u64, b: u64, c: u64) -> Key {
        Keys::new(kind, a, b).at(c)
    }

    pub(super) fn bits(self) -> u64 {
        self.0
    }

    pub(super) fn of_bits(bits: u64) -> Key {
        Key(bits)
    }

    fn place(self) -> usize {
        (self.0 >> PLACE) as usize % PLACES
    }
}

/// Kinds of keys.
pub const BARRIER: u8 = 0;
pub const NOTE: u8 = 1;
pub const CELL: u8 = 2;
pub const LOCK: u8 = 3;
pub const ELEMENT: u8 = 4;
pub const POST: u8 = 5;
pub const COMPLETE: u8 = 6;
pub const COUNCIL: u8 = 7;

#[inline(always)]
fn own() -> Option<Own<'static>> {
    checker().map(Own::of)
}

fn log_of(rank: u32) -> &'static super::race::log::Log {
    match checker() {
        Some(checker) => checker.area.block(rank).log,
        None => unreachable!("asked for by a process that is checked"),
    }
}

#[inline(always)]
fn other(rank: u32) -> &'static Clock {
    match checker() {
        Some(checker) => checker.area.block(rank).clock,
        None => unreachable!("asked for by a process that is checked"),
    }
}

impl Clock {
    /// How often something was left there for all elements of a target at once.
    #[inline(always)]
    pub fn wholes(&self) -> u64 {
        self.wholes.load(Ordering::Acquire)
    }

    /// What `ranks` have left at a place there.
    #[inline(always)]
    fn left(&self, place: usize, ranks: usize) -> &[AtomicU64] {
        &self.places[place * ranks..][..ranks]
    }
}

/// This process is about to do what `key` stands for, of which others will know that it is done.
#[inline]
pub fn leave(key: impl FnOnce() -> Key) {
    if is_on() {
        leave_copy(key());
    }
}

#[cold]
fn leave_copy(key: Key) {
    let Some(own) = own() else { return };
    own.catch_up();
    let _leaving = LEAVING.lock();
    let left = own.clock.left.load(Ordering::Relaxed);
    let copy = left as usize % COPIES;
    let ranks = own.ranks();
    own.clock.keys[copy].store(0, Ordering::Relaxed);
    // Release: who finds one of them finds that the key is gone.
    for (mine, copied) in own
        .clock
        .now
        .iter()
        .zip(&own.clock.copies[copy * ranks..])
        .take(ranks)
    {
        copied.store(mine.load(Ordering::Relaxed), Ordering::Release);
    }
    own.clock.keys[copy].store(key.0, Ordering::Release);
    own.clock.left.store(left + 1, Ordering::Release);
}

/// Of whom something comes to this process in a collective operation, whose calls wait for others too.
#[derive(Clone, Copy)]
pub enum Source {
    All,
    Rank(u32),
    Nobody,
}

thread_local! {
    static SOURCE: Cell<Source> = const { Cell::new(Source::All) };
}

/// While it lives this thread [meets](meet) nobody else: what it waits for besides another implementation may not wait for.
pub struct Only(Source);

impl Only {
    pub fn from(source: Source) -> Only {
        Only(SOURCE.replace(source))
    }
}

impl Drop for Only {
    fn drop(&mut self) {
        SOURCE.set(self.0);
    }
}

/// Whether what `rank` has done may have come to this thread.
fn is_met(rank: u32) -> bool {
    match SOURCE.get() {
        Source::All => true,
        Source::Rank(only) => only == rank,
        Source::Nobody => false,
    }
}

/// `rank` has done what `key` stands for.
#[inline]
pub fn meet(rank: u32, key: impl FnOnce() -> Key) {
    if is_on() {
        meet_copy(rank, key());
    }
}

#[cold]
fn meet_copy(rank: u32, key: Key) {
    let Some(own) = own() else { return };
    if rank as usize == own.rank {
        return told_itself();
    }
    if !is_met(rank) {
        return;
    }
    let theirs = other(rank);
    // Most have left as many copies as this process: where the newest one is then is asked for at once.
    let guess = (own.clock.left.load(Ordering::Relaxed) as usize).wrapping_sub(1) % COPIES;
    prefetch(&theirs.keys[guess]);
    prefetch(&theirs.copies[guess * own.ranks()]);
    let left = theirs.left.load(Ordering::Acquire) as usize;
    // The newest first.
    let copies = (left.saturating_sub(COPIES)..left).rev();
    let mut copies = copies.map(|number| number % COPIES);
    if let Some(copy) = copies.find(|&copy| theirs.keys[copy].load(Ordering::Acquire) == key.0) {
        // Where it is overwritten meanwhile, that is by a later time.
        own.join(&theirs.copies[copy * own.ranks()..]);
        if theirs.keys[copy].load(Ordering::Relaxed) == key.0 {
            return;
        }
    }
    own.join(&theirs.now);
}

/// All that `rank` has completed, or knows of, is ordered before this process's next steps.
#[inline]
pub fn meet_now(rank: u32) {
    if is_on()
        && is_met(rank)
        && let Some(own) = own()
    {
        own.join(&other(rank).now);
    }
}

/// Leaves the clock at `rank`, for those that do what `key` stands for after this process. `alone`: no other thread of this process leaves it
/// somewhere meanwhile.
#[inline(always)]
pub fn keep(rank: u32, key: Key, alone: bool) {
    keep_all([(rank, key)], alone);
}

/// The same for all elements of a target at once.
pub(super) fn keep_whole(rank: u32, key: Key) {
    keep(rank, key, false);
    // After what it tells of.
    other(rank).wholes.fetch_add(1, Ordering::Release);
}

/// The same at several places.
#[inline(always)]
pub fn keep_all<const N: usize>(places: [(u32, Key); N], alone: bool) {
    if let Some(own) = own() {
        own.catch_up();
        for (rank, key) in places {
            own.keep(rank, own.other(rank), key, alone);
        }
    }
}

/// The same with the time that this process has [promised](promise).
pub fn keep_promised(rank: u32, key: Key, alone: bool) {
    keep(rank, key, alone);
    if let Some(own) = own().filter(Own::has_promised) {
        let promised = own.clock.promised.load(Ordering::Relaxed);
        let left = own.other(rank).left(key.place(), own.ranks());
        left[own.rank].fetch_max(promised, Ordering::Release);
    }
}

/// Whether others have left something under one of two keys there that this process does not know.
#[inline(always)]
pub(super) fn has_news(rank: u32, keys: [Key; 2]) -> bool {
    own().is_some_and(|own| own.is_news(other(rank), keys))
}

/// Whether others have changed this process's memory since it last looked, or have completed something that it may know by loads of its own.
#[inline(always)]
pub(super) fn may_have_seen() -> bool {
    own().is_none_or(|own| own.may_have_seen())
}

/// Takes what others have left there.
#[inline(always)]
pub fn take(rank: u32, key: Key) {
    take_all([(rank, key)]);
}

/// The same of several places.
#[inline(always)]
pub fn take_all<const N: usize>(places: [(u32, Key); N]) {
    if let Some(own) = own() {
        for (rank, key) in &places {
            own.join(own.other(*rank).left(key.place(), own.ranks()));
        }
    }
}

/// The same of two near places, the first of which has an even number, of one process.
#[inline(always)]
pub fn take_both(rank: u32, first: Key) {
    if let Some(own) = own() {
        let ranks = own.ranks();
        let both = &own.other(rank).places[first.place() * ranks..][..2 * ranks];
        let (first, second) = both.split_at(ranks);
        own.join_both(first, second);
    }
}

/// This process is about to change memory of `rank`, which may see it by a load. `alone` as in [`keep`].
#[inline(always)]
pub(super) fn come(rank: u32, alone: bool) {
    if let Some(own) = own() {
        own.come(rank, other(rank), alone);
    }
}

/// This process and `rank` may load what the other one stores in memory that they share, unseen: from now on each knows what all others
/// know, at any time.
pub fn loads_unseen(rank: u32) {
    if let Some(checker) = checker() {
        for clock in [checker.own.clock, other(rank)] {
            clock.loads.store(1, Ordering::Relaxed);
        }
        checker.area.say_loads();
        // Who repeats an operation by then has said so, or looks at that.
        full_fence();
        catch_up();
    }
}

/// Until its next call this process may see by loads what others do: in that it knows what they know.
pub fn loads_until_next_call() {
    if let Some(own) = own() {
        own.load_on();
    }
}

/// A thread of this process has what another one of it has sent, or what itself has.
#[inline]
pub fn told_itself() {
    if is_on() {
        TOLD.fetch_max(own_time(), Ordering::Relaxed);
    }
}

/// Until which time of its own this process is known to have been, by what has come to it.
pub(super) fn own_known() -> u64 {
    TOLD.load(Ordering::Relaxed)
}

/// The time of this process.
pub(super) fn own_time() -> u64 {
    own().map_or(0, |own| own.clock.now[own.rank].load(Ordering::Acquire))
}

/// Whether this process may load what others store, unseen.
#[inline(always)]
pub fn sees_loads() -> bool {
    own().is_some_and(|own| own.sees_loads())
}

/// Until which time of its own the program of `rank` may know what its calls have done: its clock says so, or will as soon as it makes another
/// call, which gives what it has [completed without saying so](super::race::again) the next time.
fn time_at(rank: u32) -> u64 {
    checker().map_or(0, |checker| time_in(&checker.area.block(rank), rank))
}

#[inline(always)]
fn time_in(block: &Block, rank: u32) -> u64 {
    let said = block.log.said_complete();
    let now = block.clock.now[rank as usize].load(Ordering::Acquire);
    match block.clock.within.load(Ordering::Acquire) {
        0 => now + u64::from(said != 0),
        within => within - 1,
    }
}

/// This process is in a call that completes operations and then waits for others: what is complete by that its program knows, and can tell by a
/// store, when the call has returned.
pub struct Within(());

impl Within {
    pub fn begin(alone: bool) -> Within {
        enter(alone);
        Within(())
    }
}

/// Such a call begins, where it has not yet, and nothing is complete by it. Only where no other thread of this process can tell anything.
pub fn enter(alone: bool) {
    if let Some(checker) = checker().filter(|_| alone) {
        let within = &checker.own.clock.within;
        if within.load(Ordering::Relaxed) == 0 {
            within.store(time_in(&checker.own, checker.rank) + 1, Ordering::Release);
        }
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        if let Some(checker) = checker() {
            checker.own.clock.within.store(0, Ordering::Release);
        }
    }
}

/// The entry of `rank` that is complete without saying so, if that is known by who knows the rank until `known`; else 0.
#[inline(always)]
pub(super) fn was_complete(rank: u32, known: u64) -> u64 {
    let said = log_of(rank).said_complete();
    // It has its time in the log before the rank's clock has come to that.
    let is_known = || known > other(rank).now[rank as usize].load(Ordering::Acquire);
    if said != 0 && is_known() { said } else { 0 }
}

/// This process has fetched something from the memory of `rank`, and what is noted or listed is compared.
#[inline(always)]
pub(super) fn fetched(checker: &Checker, rank: u32) {
    if is_behind(checker, rank) {
        take_from(checker, rank);
    }
}

/// Whether [`fetched`] has something to do: the program of `rank` may have known what this process does not when it stored what has been fetched.
#[inline(always)]
pub(super) fn is_behind(checker: &Checker, rank: u32) -> bool {
    Own::of(checker).is_behind(rank, &checker.area.block(rank))
}

/// The same, where a first look says so.
#[inline(never)]
fn is_behind_all(own: Own<'_>, rank: u32) -> bool {
    // Where it may load what others store, it takes all in its next call.
    !own.sees_loads() && rank as usize != own.rank && {
        // It may have been stored by any of those that share memory.
        other(rank).loads.load(Ordering::Relaxed) == 0 || own.are_ahead()
    }
}

#[cold]
#[inline(never)]
fn take_from(checker: &Checker, rank: u32) {
    let own = Own::of(checker);
    match other(rank).loads.load(Ordering::Relaxed) {
        0 => own.join_program(rank),
        _ => own.join_all(),
    }
}

/// Whether any process of the job may.
pub(super) fn has_loads() -> bool {
    checker().is_some_and(|checker| checker.area.has_loads())
}

/// Until which time this process knows `rank`, with all that it may have seen by loads: [`ANYTHING`] where that has no bound.
pub(super) fn known_of(rank: u32) -> u64 {
    let known = look()(rank);
    match sees_loads() {
        true => ANYTHING,
        false => known,
    }
}

/// The same, of what it has known since its last call.
#[inline(always)]
pub(super) fn known_as_it_is(rank: u32) -> u64 {
    own().map_or(u64::MAX, |own| own.known_as_it_is(rank))
}

/// Until which time this process has known `rank` since its last call, whatever it may have seen since.
#[inline(always)]
pub(super) fn as_it_is(rank: u32) -> u64 {
    own().map_or(u64::MAX, |own| {
        own.clock.now[rank as usize].load(Ordering::Relaxed)
    })
}

/// Takes what this process may have seen.
pub(super) fn catch_up() {
    if let Some(own) = own() {
        own.catch_up();
    }
}

/// The same, and gives its clock's entry for a rank.
pub(super) fn look() -> impl Fn(u32) -> u64 {
    catch_up();
    let own = own();
    move |rank| {
        own.map_or(u64::MAX, |own| {
            own.clock.now[rank as usize].load(Ordering::Relaxed)
        })
    }
}

/// This process completes operations of its own: the number of that. `alone`: no other thread of it does so meanwhile.
#[inline(always)]
pub(super) fn tick(alone: bool) -> u64 {
    own().map_or(0, |own| own.tick(alone))
}

/// The same, to a number that this thread has prepared: `false` where another one has come to it meanwhile.
pub(super) fn tick_to(number: u64) -> bool {
    own().is_none_or(|own| own.tick_to(number))
}

/// This process ends operations of its own which are complete at their targets when these have waited for that: its time, and that of their
/// completion. Only a target that takes what is [kept for it](keep_promised) knows the second one, with all that it tells of it, until this process
/// makes another step.
pub(super) fn promise(alone: bool) -> (u64, u64) {
    let now = tick(alone);
    if let Some(own) = own() {
        own.clock.promised.fetch_max(now + 1, Ordering::Release);
    }
    (now, now + 1)
}

/// Cells of messages, counted on both sides of each ring. One thread at a time sends, and one receives.
static SENT: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
static CAME: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];

/// A cell is about to go to `to`.
#[inline]
pub fn before_cell(to: u32) {
    leave(|| {
        let from = checker().map_or(0, |checker| checker.rank);
        let number = SENT[to as usize].load(Ordering::Relaxed) + 1;
        Key::new(CELL, from.into(), to.into(), number)
    });
}

/// It has gone.
#[inline]
pub fn cell_sent(to: u32) {
    if is_on() {
        SENT[to as usize].fetch_add(1, Ordering::Relaxed);
    }
}

/// The next cell has come from `from`.
#[inline]
pub fn cell_came(from: u32) {
    meet(from, || {
        let to = checker().map_or(0, |checker| checker.rank);
        let number = CAME[from as usize].fetch_add(1, Ordering::Relaxed) + 1;
        Key::new(CELL, from.into(), to.into(), number)
    });
}
