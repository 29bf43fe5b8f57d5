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
//! | [`come`], by a put  | the same, of those that change a rank's own memory | that rank, in every call: it may have seen it by a load |
//! | the rank's program, by a store | the clock itself                | [`fetched`]: a flag may be there that tells of what is in it |
//!
//! Loads and gets may tell of a completion that has no time yet, as nobody could know of it otherwise (see [`again`](super::race::again)): that has the
//! rank's next time, which they know from then on.
//!
//! All errors go one way: who takes a clock that is too late misses a race, and tells of none that is not one.

use super::area::Block;
use super::{Checker, checker, is_on, local};
use crate::shm::atomic::{AtomicU64, Ordering, fence, full_fence};
use parking_lot::Mutex;

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
    /// Its clock. Written by it alone.
    now: [AtomicU64; MOST],
    /// What follows is on a line of its own, and [elsewhere](super::area) in its page than what is in front.
    _apart: [u64; 22],
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
/// By rank: how much it had learned when this process last took all that its program knew.
static TAKEN: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
/// By rank: 1 more than it had learned when this process, one thread of which is alone, last [came](come) there. While it has learned no more, its own
/// time is all that may be new there.
static THERE: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
/// The same of what it has last left at each place, at whichever rank, of how many: these too, in the lowest bits.
static LEFT: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];

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

/// Clocks of this process and of others.
#[derive(Clone, Copy)]
pub(super) struct Own<'a> {
    checker: &'a Checker,
    rank: usize,
    clock: &'static Clock,
}

/// What the later one says of a rank.
#[inline(always)]
fn later(first: &[AtomicU64], second: &[AtomicU64], rank: usize) -> u64 {
    let both = (
        first[rank].load(Ordering::Acquire),
        second[rank].load(Ordering::Acquire),
    );
    both.0.max(both.1)
}

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

impl<'a> Own<'a> {
    #[inline(always)]
    pub fn of(checker: &'a Checker) -> Own<'a> {
        Own {
            checker,
            rank: checker.rank as usize,
            clock: checker.own.clock,
        }
    }

    #[inline(always)]
    fn ranks(&self) -> usize {
        self.checker.area.ranks()
    }

    /// The clock of a rank.
    #[inline(always)]
    fn other(&self, rank: u32) -> &'static Clock {
        self.checker.area.block(rank).clock
    }

    /// As the function of that name.
    #[inline(always)]
    pub fn may_have_seen(&self) -> bool {
        self.clock.came.load(Ordering::Relaxed) != 0 || self.sees_loads() && self.are_ahead()
    }

    #[inline(always)]
    fn sees_loads(&self) -> bool {
        self.clock.loads.load(Ordering::Relaxed) != 0
    }

    /// Whether any other rank is later than this process knows. All of them: what it leaves somewhere is its whole clock.
    #[inline(never)]
    fn are_ahead(&self) -> bool {
        let is_ahead =
            |rank: u32| rank as usize != self.rank && time_at(rank) > self.as_it_is(rank);
        (0..self.ranks() as u32).any(is_ahead)
    }

    /// As the function of that name.
    #[inline(always)]
    pub fn as_it_is(&self, rank: u32) -> u64 {
        self.clock.now[rank as usize].load(Ordering::Relaxed)
    }

    /// The time of this process.
    #[inline(always)]
    pub fn time(&self) -> u64 {
        self.clock.now[self.rank].load(Ordering::Relaxed)
    }

    /// Whether others have left something under a key at the process whose clock is `theirs`, that this one does not know.
    #[inline(always)]
    pub fn has_news(&self, theirs: &Clock, key: Key) -> bool {
        let left = theirs.left(key.place(), self.ranks());
        let mut both = self.clock.now.iter().zip(left);
        // Nobody knows a later time of this process than itself, but for what it has completed without saying so.
        both.any(|(mine, theirs)| theirs.load(Ordering::Acquire) > mine.load(Ordering::Relaxed))
            && self.is_later(left, left)
    }

    /// Whether others have left something under one of two keys at the process whose clock is `theirs`, that this one does not know.
    #[inline(always)]
    pub fn is_news(&self, theirs: &Clock, keys: [Key; 2]) -> bool {
        let ranks = self.ranks();
        let [first, second] = keys;
        let first = theirs.left(first.place(), ranks);
        self.is_later(first, theirs.left(second.place(), ranks))
    }

    /// Whether one of two says something of others that this process does not know.
    #[inline(always)]
    fn is_later(&self, first: &[AtomicU64], second: &[AtomicU64]) -> bool {
        let mine = &self.clock.now[..first.len()];
        let second = &second[..first.len()];
        for (rank, mine) in mine.iter().enumerate() {
            let is_later = later(first, second, rank) > mine.load(Ordering::Relaxed);
            if is_later && rank != self.rank {
                return true;
            }
        }
        false
    }

    /// This process, a thread of which is alone, is about to change an element of `rank`, whose clock is `theirs`, atomically. For that it leaves
    /// its clock as `key` says, and [comes](come) to it. Between both it takes a step: gives the time behind that.
    #[inline(always)]
    pub fn issue(&self, rank: u32, theirs: &Clock, key: Key) -> u64 {
        self.come(rank, theirs, true);
        let issued = self.tick(true);
        self.keep(rank, theirs, key, true);
        issued
    }

    /// As the function of that name, where `theirs` is that rank's clock.
    #[inline(always)]
    fn keep(&self, rank: u32, theirs: &Clock, key: Key, alone: bool) {
        let (place, ranks) = (key.place(), self.ranks());
        let learned = self.clock.learned.load(Ordering::Relaxed);
        let last = learned << 24 | (ranks << 12) as u64 | u64::from(rank);
        if alone && LEFT[place].load(Ordering::Relaxed) == last {
            // Nobody knows a later time of this rank.
            theirs.places[place * ranks + self.rank].store(self.time(), Ordering::Release);
        } else {
            self.put(theirs.left(place, ranks), alone);
            if alone {
                LEFT[place].store(last, Ordering::Relaxed);
            }
        }
    }

    /// As the function of that name, where `theirs` is that rank's.
    #[inline(always)]
    pub fn is_behind(&self, rank: u32, theirs: &Block) -> bool {
        // What was fetched was so before what is looked at now.
        fence(Ordering::Acquire);
        let clock = theirs.clock;
        let taken = TAKEN[rank as usize].load(Ordering::Relaxed);
        let is_later = time_in(theirs, rank) > self.as_it_is(rank)
            || clock.learned.load(Ordering::Relaxed) != taken;
        let is_later =
            is_later && rank as usize != self.rank || clock.loads.load(Ordering::Relaxed) != 0;
        is_later && is_behind_all(*self, rank)
    }

    /// Puts the own time, which nobody knows a later one of, where others find it: whether that says something new.
    #[inline(always)]
    fn put_own(&self, to: &AtomicU64) -> bool {
        let now = self.clock.now[self.rank].load(Ordering::Relaxed);
        let is_new = now > to.load(Ordering::Relaxed);
        if is_new {
            to.store(now, Ordering::Release);
        }
        is_new
    }

    /// From now on all that `from` speaks of is ordered before this process's next steps.
    #[inline(always)]
    fn join(&self, from: &[AtomicU64]) {
        let from = &from[..self.ranks()];
        self.join_both(from, from);
    }

    /// The same of two that are nearly always known, in one go.
    #[inline(always)]
    fn join_both(&self, first: &[AtomicU64], second: &[AtomicU64]) {
        self.is_told(first, second);
        if self.is_later(first, second) {
            self.learn(first, self.rank);
            self.learn(second, self.rank);
        }
    }

    /// Others have known this process until what both say.
    #[inline(always)]
    fn is_told(&self, first: &[AtomicU64], second: &[AtomicU64]) {
        // Of the program's own loads and stores alone somebody asks that.
        if local::is_seen() {
            TOLD.fetch_max(later(first, second, self.rank), Ordering::Relaxed);
        }
    }

    /// Takes what it says of all ranks, but of itself and of one more.
    #[cold]
    #[inline(never)]
    fn learn(&self, from: &[AtomicU64], but: usize) {
        let mut is_new = false;
        for (rank, (mine, theirs)) in self.clock.now.iter().zip(from).enumerate() {
            let theirs = theirs.load(Ordering::Acquire);
            if rank != self.rank && rank != but && theirs > mine.load(Ordering::Relaxed) {
                mine.fetch_max(theirs, Ordering::Release);
                is_new = true;
            }
        }
        if is_new {
            self.clock.learned.fetch_add(1, Ordering::Release);
        }
    }

    /// The same of all that the program of `rank` may know at present.
    fn join_program(&self, rank: u32) {
        let theirs = other(rank);
        let learned = theirs.learned.load(Ordering::Acquire);
        let now = &theirs.now[..self.ranks()];
        match theirs.within.load(Ordering::Acquire) {
            0 => self.join(now),
            // What it has completed in its call its program cannot tell yet.
            _ => {
                self.is_told(now, now);
                self.learn(now, rank as usize);
            }
        }
        let (mine, time) = (&self.clock.now[rank as usize], time_at(rank));
        if rank as usize != self.rank && time > mine.load(Ordering::Relaxed) {
            mine.fetch_max(time, Ordering::Release);
            self.clock.learned.fetch_add(1, Ordering::Release);
            // What it has completed without saying so is not to be done once more as if nobody knew of that.
            theirs.came.store(1, Ordering::Release);
        }
        TAKEN[rank as usize].store(learned, Ordering::Relaxed);
    }

    /// Joins the clock into what is at `to`: whether that says something new. `alone`: no other thread of this process does so meanwhile.
    #[inline(always)]
    fn put(&self, to: &[AtomicU64], alone: bool) -> bool {
        let mut is_new = false;
        for (rank, (mine, to)) in self.clock.now.iter().zip(to).enumerate() {
            let mine = mine.load(Ordering::Relaxed);
            if mine > to.load(Ordering::Relaxed) {
                match alone && rank == self.rank {
                    // Nobody knows a later time of this rank: whatever is there by then is not more.
                    true => to.store(mine, Ordering::Release),
                    false => _ = to.fetch_max(mine, Ordering::Release),
                }
                is_new = true;
            }
        }
        is_new
    }

    /// As the function of that name.
    #[inline(always)]
    pub fn known_as_it_is(&self, rank: u32) -> u64 {
        match self.sees_loads() {
            true => ANYTHING,
            false => self.as_it_is(rank),
        }
    }

    /// As [`come`], of which `theirs` is the clock.
    #[inline(always)]
    pub fn come(&self, rank: u32, theirs: &Clock, alone: bool) {
        if self.rank == rank as usize {
            return;
        }
        let learned = self.clock.learned.load(Ordering::Relaxed) + 1;
        let is_new = match alone && THERE[rank as usize].load(Ordering::Relaxed) == learned {
            true => self.put_own(&theirs.incoming[self.rank]),
            false => self.come_with_all(rank, theirs, alone),
        };
        if is_new {
            // Said by a plain store, by all. Where it is another's that is seen, this one's was before, and so is what it stands for: x86 lets
            // other processors see a processor's stores in their order.
            theirs.came.store(1, Ordering::Release);
        }
    }

    #[cold]
    #[inline(never)]
    fn come_with_all(&self, rank: u32, theirs: &Clock, alone: bool) -> bool {
        let learned = self.clock.learned.load(Ordering::Relaxed) + 1;
        let is_new = self.put(&theirs.incoming[..self.ranks()], alone);
        if alone {
            THERE[rank as usize].store(learned, Ordering::Relaxed);
        }
        is_new
    }

    /// As the function of that name.
    #[inline(always)]
    pub fn tick(&self, alone: bool) -> u64 {
        let now = &self.clock.now[self.rank];
        match alone {
            true => {
                let next = now.load(Ordering::Relaxed) + 1;
                now.store(next, Ordering::Release);
                next
            }
            false => now.fetch_add(1, Ordering::Release) + 1,
        }
    }

    #[cold]
    #[inline(never)]
    fn join_incoming(&self) {
        self.join(&self.clock.incoming);
    }

    /// What other processes know, at any time.
    #[cold]
    #[inline(never)]
    fn join_all(&self) {
        for rank in 0..self.ranks() as u32 {
            self.join_program(rank);
        }
    }

    /// Takes what this process may have seen by loads of its own.
    #[inline(always)]
    fn catch_up(&self) {
        let came = &self.clock.came;
        if came.load(Ordering::Relaxed) != 0 && came.swap(0, Ordering::Acquire) != 0 {
            self.join_incoming();
        }
        if self.sees_loads() {
            self.join_all();
        }
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
    let theirs = other(rank);
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
    /// Nothing is complete by the call yet. Only where no other thread of this process can tell anything.
    pub fn begin(alone: bool) -> Within {
        if let Some(checker) = checker().filter(|_| alone) {
            let within = &checker.own.clock.within;
            if within.load(Ordering::Relaxed) == 0 {
                within.store(time_in(&checker.own, checker.rank) + 1, Ordering::Release);
            }
        }
        Within(())
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
