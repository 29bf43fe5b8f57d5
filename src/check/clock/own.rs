//! What a process does with its clock and those of others: how it leaves, takes and compares them.

use super::{ANYTHING, Clock, Key, MOST, PLACES, TOLD, is_behind_all, other, time_at, time_in};
use crate::check::area::Block;
use crate::check::{Checker, local, threads};
use crate::shm::atomic::{AtomicBool, AtomicU64, Ordering, fence};

/// By rank: how much it had learned when this process last took all that its program knew.
static TAKEN: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
/// By rank: 1 more than it had learned when this process, one thread of which is alone, last [came](super::come) there. While it has learned no more, its own
/// time is all that may be new there.
static THERE: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
/// The same of what it has last left at each place, at whichever rank, of how many: these too, in the lowest bits.
static LEFT: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];
/// Whether this process may have loaded what others have done since it last took all that they know.
static LOADING: AtomicBool = AtomicBool::new(false);

/// Clocks of this process and of others.
#[derive(Clone, Copy)]
pub struct Own<'a> {
    checker: &'a Checker,
    pub(super) rank: usize,
    pub(super) clock: &'static Clock,
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
    pub(super) fn ranks(&self) -> usize {
        self.checker.area.ranks()
    }

    /// The clock of a rank.
    #[inline(always)]
    pub(super) fn other(&self, rank: u32) -> &'static Clock {
        self.checker.area.block(rank).clock
    }

    /// As the function of that name.
    #[inline(always)]
    pub fn may_have_seen(&self) -> bool {
        self.clock.came.load(Ordering::Relaxed) != 0 || self.sees_loads() && self.are_ahead()
    }

    #[inline(always)]
    pub(super) fn sees_loads(&self) -> bool {
        self.clock.loads.load(Ordering::Relaxed) != 0
    }

    /// Whether any other rank is later than this process knows. All of them: what it leaves somewhere is its whole clock.
    #[inline(never)]
    pub(super) fn are_ahead(&self) -> bool {
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

    /// Whether others may know a later time of this process than itself.
    #[inline(always)]
    pub(super) fn has_promised(&self) -> bool {
        self.clock.promised.load(Ordering::Relaxed) > self.time()
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
    pub(super) fn is_later(&self, first: &[AtomicU64], second: &[AtomicU64]) -> bool {
        let mine = &self.clock.now[..first.len()];
        let second = &second[..first.len()];
        for (rank, mine) in mine.iter().enumerate() {
            let is_later = later(first, second, rank) > mine.load(Ordering::Relaxed);
            if is_later && (rank != self.rank || self.has_promised()) {
                return true;
            }
        }
        false
    }

    /// This process, a thread of which is alone, is about to change an element of `rank`, whose clock is `theirs`, atomically. For that it leaves
    /// its clock as `key` says, and [comes](super::come) to it. Between both it takes a step: gives the time behind that.
    #[inline(always)]
    pub fn issue(&self, rank: u32, theirs: &Clock, key: Key) -> u64 {
        self.come(rank, theirs, true);
        let issued = self.tick(true);
        self.keep(rank, theirs, key, true);
        issued
    }

    /// As the function of that name, where `theirs` is that rank's clock.
    #[inline(always)]
    pub(super) fn keep(&self, rank: u32, theirs: &Clock, key: Key, alone: bool) {
        let (place, ranks) = (key.place(), self.ranks());
        let alone = alone && !self.has_promised();
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
    pub(super) fn put_own(&self, to: &AtomicU64) -> bool {
        let now = self.clock.now[self.rank].load(Ordering::Relaxed);
        let is_new = now > to.load(Ordering::Relaxed);
        if is_new {
            to.store(now, Ordering::Release);
        }
        is_new
    }

    /// From now on all that `from` speaks of is ordered before this process's next steps.
    #[inline(always)]
    pub(super) fn join(&self, from: &[AtomicU64]) {
        let from = &from[..self.ranks()];
        self.join_both(from, from);
    }

    /// The same of two that are nearly always known, in one go.
    #[inline(always)]
    pub(super) fn join_both(&self, first: &[AtomicU64], second: &[AtomicU64]) {
        self.is_told(first, second);
        if self.is_later(first, second) {
            self.learn(first, self.rank);
            self.learn(second, self.rank);
        }
    }

    /// Others have known this process until what both say.
    #[inline(always)]
    pub(super) fn is_told(&self, first: &[AtomicU64], second: &[AtomicU64]) {
        // Of the program's own loads and stores alone somebody asks that.
        if local::is_seen() {
            TOLD.fetch_max(later(first, second, self.rank), Ordering::Relaxed);
        }
    }

    /// Takes what it says of all ranks, but of one, and of itself no more than it has promised.
    #[cold]
    #[inline(never)]
    pub(super) fn learn(&self, from: &[AtomicU64], but: usize) {
        let mut is_new = false;
        for (rank, (mine, theirs)) in self.clock.now.iter().zip(from).enumerate() {
            let theirs = theirs.load(Ordering::Acquire);
            if rank == self.rank {
                // What it has promised has come to pass.
                let promised = self.clock.promised.load(Ordering::Relaxed);
                mine.fetch_max(theirs.min(promised), Ordering::Release);
            } else if rank != but && theirs > mine.load(Ordering::Relaxed) {
                mine.fetch_max(theirs, Ordering::Release);
                is_new = true;
            }
        }
        if is_new {
            self.clock.learned.fetch_add(1, Ordering::Release);
        }
    }

    /// The same of all that the program of `rank` may know at present.
    pub(super) fn join_program(&self, rank: u32) {
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
    pub(super) fn put(&self, to: &[AtomicU64], alone: bool) -> bool {
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

    /// As [`come`](super::come), of which `theirs` is the clock.
    #[inline(always)]
    pub fn come(&self, rank: u32, theirs: &Clock, alone: bool) {
        if self.rank == rank as usize {
            return;
        }
        let alone = alone && !self.has_promised();
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
    pub(super) fn come_with_all(&self, rank: u32, theirs: &Clock, alone: bool) -> bool {
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

    /// As the function of that name.
    pub(super) fn tick_to(&self, number: u64) -> bool {
        let now = &self.clock.now[self.rank];
        now.compare_exchange(number - 1, number, Ordering::Release, Ordering::Relaxed)
            .is_ok()
    }

    #[cold]
    #[inline(never)]
    pub(super) fn join_incoming(&self) {
        self.join(&self.clock.incoming);
    }

    /// [Loads](super::loads_until_next_call) may have told what others have done by now.
    fn see_loaded(&self) {
        if LOADING.swap(false, Ordering::Relaxed) {
            // It may be another thread that loads, and has made no call yet; or this is the end of a call.
            if !threads::is_alone() || local::is_seen() {
                self.load_on();
            }
            self.join_all();
        }
    }

    /// As [`loads_until_next_call`](super::loads_until_next_call).
    pub(super) fn load_on(&self) {
        LOADING.store(true, Ordering::Relaxed);
        self.clock.came.store(1, Ordering::Release);
    }

    /// What other processes know, at any time.
    #[cold]
    #[inline(never)]
    pub(super) fn join_all(&self) {
        for rank in 0..self.ranks() as u32 {
            self.join_program(rank);
        }
    }

    /// Takes what this process may have seen by loads of its own.
    #[inline(always)]
    pub(super) fn catch_up(&self) {
        let came = &self.clock.came;
        if came.load(Ordering::Relaxed) != 0 && came.swap(0, Ordering::Acquire) != 0 {
            self.join_incoming();
            self.see_loaded();
        }
        if self.sees_loads() {
            self.join_all();
        }
    }
}
