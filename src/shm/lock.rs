//! A reader/writer lock in one word of shared memory.
//!
//! | bits  | field    | meaning                                                                        |
//! |-------|----------|--------------------------------------------------------------------------------|
//! | 0-15  | readers  | how many hold it shared, and for a moment those that try in vain               |
//! | 16-31 | writer   | 1 + the rank that holds it exclusively; 0: nobody                              |
//! | 32-47 | next     | 1 + the rank that claims it: nobody else may take the lock; 0: nobody          |
//! | 48    | sleepers | somebody may sleep: a release that makes the lock free has to ring             |
//! | 49-63 | since    | the tick in which `next` was set; 0 without a claim                            |
//!
//! Free and unwanted is 0, so taking and giving back are one locked instruction each. A rank that comes while the lock is free
//! takes it, also past those that wait: under contention that is much faster than an order of arrival, in which a preempted
//! next-in-line stalls everybody. A waiter that has waited too long claims `next`: the number of readers falls to 0 then, and
//! the last release rings the claimant. One that wants the lock shared and has waited still longer goes past a claim, since the
//! claimant may wait for a reader that waits for this one.
//!
//! No wake-up is lost: a waiter registers, sets `sleepers`, and tries once more before it sleeps; a release that finds
//! `sleepers` and no claim clears it and then rings all that are registered. A waiter that set the bit before it was cleared
//! was registered, and is rung; one that sets it after is found by the next release. A release that finds a claim rings the
//! claimant alone. That one, when it has the lock, rings the next waiter, which may claim in turn.
//!
//! | from               | to                   | by                                                           |
//! |--------------------|----------------------|--------------------------------------------------------------|
//! | 0                  | writer = me          | exclusive lock: one compare-exchange                         |
//! | no writer, no next | readers + 1          | shared lock: one add (taken back by one subtract if in vain) |
//! | writer = me        | no writer            | unlock: one subtract                                         |
//! | readers            | readers - 1          | unlock: one subtract; the last one rings                     |
//! | any                | sleepers set         | a waiter, before its last look before it sleeps              |
//! | next = 0           | next = me, since     | a waiter that has seen no claim for 1 ms                     |
//! | next = me, free    | held by me, next = 0 | that waiter                                                  |
//!
//! **Exclusion.** A writer gets in only by a compare-exchange that saw no reader and no writer, a reader only if the value
//! before its add had no writer. Both are on one word, whose changes have one order. A reader that tried in vain may make a
//! writer's attempt fail for a moment; its taking back counts as a release, and rings if it was the last.
//!
//! **Orderings.** Taking and giving back are locked instructions, so what the last holder did happened before what the next one
//! does, the program's loads and stores included. [`Lock::may_take`], the look of waiters, is relaxed: it only decides whether
//! an attempt is worth it.
//!
//! **Fairness.** A claim after 1 ms bounds the wait: n waiters wait for n epochs and n milliseconds at most, and in each of
//! these milliseconds the lock goes to those that are awake. It is the claimant that rings the next waiter, in the order of
//! ranks: waiters that nobody rang would claim too late, behind those that come. The claim of one that gives up is taken back.
//! Nothing here costs more than the one locked instruction while the lock is free.

use super::atomic::{AtomicU64, Ordering};

const READER: u64 = 1;
const READERS: u64 = 0xffff;
const WRITER_SHIFT: u32 = 16;
const WRITER: u64 = 0xffff << WRITER_SHIFT;
const NEXT_SHIFT: u32 = 32;
const NEXT: u64 = 0xffff << NEXT_SHIFT;
const SLEEPERS: u64 = 1 << 48;
const SINCE_SHIFT: u32 = 49;
const CLAIM: u64 = NEXT | !0 << SINCE_SHIFT;

/// Ticks are counted modulo this.
pub const TICKS: u16 = 1 << (u64::BITS - SINCE_SHIFT);

/// The most ranks that can use a lock: each with a number of its own, which is not 0.
pub const MAX_RANKS: usize = READERS as usize - 1;

/// The lock.
#[repr(transparent)]
#[derive(Default)]
pub struct Lock(AtomicU64);

/// Whom to ring after a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Ring {
    Nobody,
    /// The rank that is to have the lock next.
    Rank(u32),
    /// All who sleep for this lock.
    Sleepers,
}

fn id(rank: u32) -> u64 {
    u64::from(rank) + 1
}

impl Lock {
    /// Takes the lock exclusively for `rank` if it is free.
    #[inline(always)]
    pub fn try_exclusive(&self, rank: u32) -> bool {
        self.take_unwanted(rank) || self.try_wanted(rank)
    }

    /// The same if nobody waits for it either.
    #[inline(always)]
    pub fn take_unwanted(&self, rank: u32) -> bool {
        let mine = id(rank) << WRITER_SHIFT;
        // SeqCst, which costs nothing more on x86-64: lock_all's protocol orders this against another word.
        self.0
            .compare_exchange(0, mine, Ordering::SeqCst, Ordering::Relaxed)
            .is_ok()
    }

    /// The same where others wait for it, or it is held.
    #[cold]
    fn try_wanted(&self, rank: u32) -> bool {
        let me = id(rank);
        let take = |now: u64| {
            let next = (now & NEXT) >> NEXT_SHIFT;
            let free = now & (READERS | WRITER) == 0 && (next == 0 || next == me);
            let rest = if next == me { now & !CLAIM } else { now };
            free.then_some(rest | me << WRITER_SHIFT)
        };
        self.0
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, take)
            .is_ok()
    }

    /// Takes the lock shared if nobody holds it exclusively or has claimed it. False: the attempt was in vain, and has to be
    /// taken back by [`Lock::release_shared`].
    #[inline(always)]
    pub fn begin_shared(&self) -> bool {
        self.0.fetch_add(READER, Ordering::SeqCst) & (WRITER | NEXT) == 0
    }

    /// Takes the lock shared for `rank` if nobody holds it exclusively: whether it did, and who is to be rung in either
    /// case. (An attempt in vain was in the way for a moment; one that was claimed kept other readers out.)
    #[inline(always)]
    pub fn try_shared(&self, rank: u32) -> (bool, Ring) {
        let before = self.0.fetch_add(READER, Ordering::SeqCst);
        if before & (WRITER | NEXT) == 0 {
            return (true, Ring::Nobody);
        }
        self.shared_or_back_out(before, rank)
    }

    #[cold]
    fn shared_or_back_out(&self, before: u64, rank: u32) -> (bool, Ring) {
        if before & WRITER == 0 && (before & NEXT) >> NEXT_SHIFT == id(rank) {
            let before = self.0.fetch_and(!CLAIM, Ordering::SeqCst);
            return (true, self.ring(before & !NEXT));
        }
        (false, self.release_shared())
    }

    /// Takes the lock shared for `rank`, whoever has claimed it, if nobody holds it exclusively; as [`Lock::try_shared`].
    pub fn try_past_claim(&self, rank: u32) -> (bool, Ring) {
        let now = self.0.load(Ordering::Relaxed);
        if now & WRITER != 0 {
            return (false, Ring::Nobody);
        }
        let before = self.0.fetch_add(READER, Ordering::SeqCst);
        if before & WRITER == 0 && (before & NEXT) >> NEXT_SHIFT != id(rank) {
            return (true, Ring::Nobody);
        }
        self.shared_or_back_out(before, rank)
    }

    /// Whether an attempt could succeed now. One load; for waiters, who would otherwise disturb the holder.
    #[inline]
    pub fn may_take(&self, rank: u32, exclusive: bool) -> bool {
        let now = self.0.load(Ordering::Relaxed);
        let next = (now & NEXT) >> NEXT_SHIFT;
        let held = if exclusive { READERS | WRITER } else { WRITER };
        now & held == 0 && (next == 0 || next == id(rank))
    }

    /// An attempt of one who waits: disturbs the holder only if it could succeed. Says whether it did, and who is to be rung.
    pub fn try_take(&self, rank: u32, exclusive: bool) -> (bool, Ring) {
        if !self.may_take(rank, exclusive) {
            (false, Ring::Nobody)
        } else if exclusive {
            (self.try_exclusive(rank), Ring::Nobody)
        } else {
            self.try_shared(rank)
        }
    }

    /// Gives back the lock that `rank` holds exclusively.
    #[inline(always)]
    pub fn release_exclusive(&self, rank: u32) -> Ring {
        // One instruction, where the bits' removal would be a loop.
        let before = self.0.fetch_sub(id(rank) << WRITER_SHIFT, Ordering::SeqCst);
        debug_assert_eq!((before & WRITER) >> WRITER_SHIFT, id(rank));
        if before & (NEXT | SLEEPERS) == 0 {
            Ring::Nobody
        } else {
            self.ring(before)
        }
    }

    /// Gives a shared lock back.
    #[inline(always)]
    pub fn release_shared(&self) -> Ring {
        let before = self.0.fetch_sub(READER, Ordering::SeqCst);
        if before & READERS != READER || before & (NEXT | SLEEPERS) == 0 {
            Ring::Nobody
        } else {
            self.ring(before)
        }
    }

    #[cold]
    fn ring(&self, before: u64) -> Ring {
        if before & NEXT != 0 {
            return Ring::Rank(((before & NEXT) >> NEXT_SHIFT) as u32 - 1);
        }
        if before & SLEEPERS == 0 {
            return Ring::Nobody;
        }
        self.0.fetch_and(!SLEEPERS, Ordering::SeqCst);
        Ring::Sleepers
    }

    /// Says that somebody may sleep from now on.
    pub fn announce_sleeper(&self) {
        self.0.fetch_or(SLEEPERS, Ordering::SeqCst);
    }

    /// Lets nobody but `rank` have the lock next, unless another has claimed that before: whether the claim was made, in
    /// `tick`.
    pub fn claim(&self, rank: u32, tick: u16) -> bool {
        let mine = id(rank) << NEXT_SHIFT | u64::from(tick % TICKS) << SINCE_SHIFT;
        let claim = |now: u64| (now & NEXT == 0).then_some(now | mine);
        self.0
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, claim)
            .is_ok()
    }

    /// Takes a claim back, for a waiter that gives up.
    pub fn unclaim(&self, rank: u32) {
        let unclaim = |now: u64| ((now & NEXT) >> NEXT_SHIFT == id(rank)).then_some(now & !CLAIM);
        let _ = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, unclaim);
    }

    /// The rank that holds the lock exclusively.
    pub fn writer(&self) -> Option<u32> {
        let writer = (self.0.load(Ordering::SeqCst) & WRITER) >> WRITER_SHIFT;
        (writer != 0).then(|| writer as u32 - 1)
    }

    /// The rank that has claimed the lock, and the tick in which it did.
    pub fn claim_standing(&self) -> Option<(u32, u16)> {
        let now = self.0.load(Ordering::SeqCst);
        let next = (now & NEXT) >> NEXT_SHIFT;
        (next != 0).then(|| (next as u32 - 1, (now >> SINCE_SHIFT) as u16))
    }

    /// How many hold the lock shared.
    pub fn readers(&self) -> u32 {
        (self.0.load(Ordering::SeqCst) & READERS) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAKEN: (bool, Ring) = (true, Ring::Nobody);

    fn lock() -> Lock {
        Lock::default()
    }

    #[test]
    fn exclusive_excludes() {
        let l = lock();
        assert!(l.try_exclusive(3));
        assert_eq!(l.writer(), Some(3));
        assert!(!l.try_exclusive(4));
        assert_eq!(l.try_shared(4), (false, Ring::Nobody));
        assert_eq!(l.release_exclusive(3), Ring::Nobody);
        assert_eq!(l.try_shared(4), TAKEN);
        assert_eq!(l.try_shared(5), TAKEN);
        assert!(!l.try_exclusive(3));
        assert_eq!(l.release_shared(), Ring::Nobody);
        assert_eq!(l.release_shared(), Ring::Nobody);
        assert!(l.try_exclusive(MAX_RANKS as u32 - 1));
    }

    #[test]
    fn the_last_release_rings_sleepers_once() {
        let l = lock();
        assert!(l.try_shared(0).0 && l.try_shared(1).0);
        l.announce_sleeper();
        assert_eq!(l.release_shared(), Ring::Nobody);
        assert_eq!(l.release_shared(), Ring::Sleepers);
        assert!(l.try_exclusive(2));
        assert_eq!(l.release_exclusive(2), Ring::Nobody);
    }

    #[test]
    fn a_claim_keeps_all_others_out() {
        let l = lock();
        assert!(l.try_exclusive(0));
        assert!(l.claim(7, 0));
        assert!(!l.claim(8, 0));
        assert_eq!(l.release_exclusive(0), Ring::Rank(7));
        assert!(!l.try_exclusive(0) && !l.may_take(8, false));
        assert_eq!(l.try_shared(8), (false, Ring::Rank(7)));
        assert!(l.may_take(7, true) && l.try_exclusive(7));
        assert_eq!(l.release_exclusive(7), Ring::Nobody);
        assert!(l.try_exclusive(8));
    }

    #[test]
    fn a_claim_serves_a_reader_too_and_can_be_taken_back() {
        let l = lock();
        assert!(l.claim(1, 0));
        assert_eq!(l.try_shared(1), TAKEN);
        assert_eq!(l.try_shared(2), TAKEN);
        assert!(l.claim(5, 0));
        assert_eq!(l.claim_standing(), Some((5, 0)));
        l.unclaim(4);
        assert_eq!(l.claim_standing(), Some((5, 0)));
        l.unclaim(5);
        assert_eq!(l.claim_standing(), None);
        assert_eq!(l.try_shared(3), TAKEN);
    }

    #[test]
    fn a_reader_goes_past_a_claim_but_not_past_a_writer() {
        let l = lock();
        assert_eq!(l.try_shared(0), TAKEN);
        assert!(l.claim(7, 0));
        assert_eq!(l.try_shared(1), (false, Ring::Nobody));
        assert_eq!(l.try_past_claim(1), TAKEN);
        assert_eq!(l.release_shared(), Ring::Nobody);
        assert_eq!(l.release_shared(), Ring::Rank(7));
        assert!(l.try_exclusive(7));
        assert_eq!(l.try_past_claim(1), (false, Ring::Nobody));
        assert!(l.claim(1, 0));
        assert_eq!(l.release_exclusive(7), Ring::Rank(1));
        assert_eq!(l.try_past_claim(1), TAKEN);
        assert_eq!(l.claim_standing(), None);
    }

    #[test]
    fn a_reader_that_claimed_lets_other_readers_in() {
        let l = lock();
        assert!(l.try_exclusive(0));
        assert!(l.claim(1, 0));
        l.announce_sleeper();
        assert_eq!(l.release_exclusive(0), Ring::Rank(1));
        assert_eq!(l.try_take(1, false), (true, Ring::Sleepers));
        assert_eq!(l.try_take(2, false), TAKEN);
    }

    #[test]
    fn a_claim_says_since_when_it_stands_and_leaves_nothing() {
        let l = lock();
        for (rank, tick) in [(0, 1), (MAX_RANKS as u32 - 1, TICKS - 1), (4, TICKS + 7)] {
            assert!(l.claim(rank, tick));
            assert_eq!(l.claim_standing(), Some((rank, tick % TICKS)));
            assert!(l.try_exclusive(rank));
            assert_eq!(l.release_exclusive(rank), Ring::Nobody);
            assert_eq!(l.0.load(Ordering::Relaxed), 0);
            assert!(l.claim(rank, tick));
            assert_eq!(l.try_shared(rank), TAKEN);
            assert_eq!(l.release_shared(), Ring::Nobody);
            assert!(l.claim(rank, tick));
            l.unclaim(rank);
            assert_eq!(l.0.load(Ordering::Relaxed), 0);
        }
    }
}
