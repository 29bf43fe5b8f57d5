//! The gate between many that may be inside together and holders of exclusive locks: Dekker's protocol between a flag of each
//! of the many, on a line of its own, and a count of the exclusive lockers. Each side first says what it does and then, in one
//! order of all (SeqCst), looks at the other:
//!
//! - an exclusive locker, holding a lock, counts itself as one that holds, then looks at all flags. If one is up it counts
//!   itself as one that wants instead, gives the lock back, and waits until they are down; takes the lock, and is a holder if
//!   it can still say so;
//! - a process that wants to enter raises its flag, then looks at the count; if that is not 0 it takes the flag down and waits
//!   until it is.
//!
//! The count is one word, [`Gate::exclusives`]:
//!
//! | bits  | field  | meaning                                                             |
//! |-------|--------|---------------------------------------------------------------------|
//! | 0-15  | held   | exclusive locks held, and for a moment those tried in vain          |
//! | 16-31 | wanted | exclusive lockers that wait for the flags to be down                |
//! | 32-63 | passed | how often somebody entered though an exclusive lock was wanted      |
//!
//! Those that want to enter wait for wanted locks too, or a flow of them would keep the lockers out for ever. But not for ever
//! themselves: what one does inside may end only when another has entered. So one that has waited long [passes](Gate::pass),
//! unless a lock is held: it counts that in the same word, with which wanted becomes held, so that a locker that has seen its
//! flag down before looks at all flags again.
//!
//! They are counted while they wait, since lockers that hold nothing let them go first: exclusive locks that overlap would keep
//! them out. The last one to go in rings those lockers.
//!
//! Where nobody ever enters, exclusive lockers need not pay for that: they count themselves only once the gate [is
//! used](Gate::is_used). The first to enter [says so](Gate::open), then takes each lock shared for a moment: one that takes a
//! lock exclusively after that sees that the gate is used.
//!
//! **Why it is right.** All accesses of both words are sequentially consistent, so in their one order a flag comes before the
//! locker's look at it, and the locker waits; or after it, and so after the count: then its owner sees the count and backs out.
//! A flag that was seen down may be raised again for a moment, but its owner then takes it down, so the locker need not look
//! again. Passing is a compare-and-swap that fails if a lock is held; a wanted lock becomes a held one by a compare-and-swap
//! that fails if `passed` is not what it was when the look at the flags began. Both are on one word, so one comes first: if
//! passing does, its flag is up for the next look; if the locker does, the other sees it.
//!
//! **Cost.** To enter, and to leave, one locked instruction and one load, on lines that nobody else writes. An exclusive lock
//! where the gate is used: two locked instructions more, and a load for each rank. Where it is not used: two loads of lines
//! that never change.

use super::atomic::{AtomicU32, AtomicU64, Ordering};

const HELD: u64 = 1;
const HELDS: u64 = 0xffff;
const WANTED: u64 = 1 << 16;
const WANTEDS: u64 = 0xffff << 16;
const PASSED_SHIFT: u32 = 32;

/// The side of the exclusive lockers. Zero is a gate that nobody uses.
#[repr(C, align(64))]
pub struct Gate {
    /// Not 0 once anybody wants to enter. Read by every exclusive locker, written once.
    used: AtomicU32,
    _line: [u8; 60],
    /// See the module's table.
    pub exclusives: AtomicU64,
    /// Those that wait to enter.
    pub waiters: AtomicU32,
    /// For the lockers that let them go first: the tick since which they have been waiting in vain.
    pub awaited_since: AtomicU32,
    /// For those that let wanted locks go first: the tick since which these have been wanted in vain.
    pub wanted_since: AtomicU32,
    _line2: [u8; 44],
}

/// The side of one who enters: 1 while inside, and for a moment while trying in vain.
#[repr(transparent)]
#[derive(Default)]
pub struct Flag(AtomicU32);

impl Flag {
    /// Whether its owner is inside, or tries to be.
    pub fn is_up(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }
}

/// How far a locker has come that looks at all flags.
#[derive(Default)]
pub struct Look {
    /// The flags below were down.
    first: usize,
    /// How often somebody had passed when the look began.
    passed: u32,
}

impl Gate {
    /// Whether exclusive lockers have to count themselves: asked after a lock was taken.
    #[inline(always)]
    pub fn is_used(&self) -> bool {
        // Ordered by the lock's word: who took that after the opener had it sees the mark.
        self.used.load(Ordering::Relaxed) != 0
    }

    /// Makes the gate a used one, for those who take a lock after this process has taken it shared and given it back.
    pub fn open(&self) {
        self.used.store(1, Ordering::Relaxed);
    }

    /// Counts an exclusive lock that is held, or tried: nobody enters from now on.
    pub fn count(&self) {
        self.exclusives.fetch_add(HELD, Ordering::SeqCst);
    }

    /// Whether nobody is inside. Asked again and again by one who is counted.
    pub fn is_empty<'a>(&self, look: &mut Look, flag: impl Fn(usize) -> Option<&'a Flag>) -> bool {
        let passed = (self.exclusives.load(Ordering::SeqCst) >> PASSED_SHIFT) as u32;
        if passed != look.passed {
            *look = Look { first: 0, passed };
        }
        // Flags that are down stay irrelevant: who raises one after the count was made sees it, and backs out or passes.
        while let Some(flag) = flag(look.first) {
            if flag.is_up() {
                return false;
            }
            look.first += 1;
        }
        true
    }

    /// Makes of a lock that was tried one that is wanted. True: those who wait to enter are to be rung.
    #[must_use]
    pub fn want(&self) -> bool {
        let before = self.exclusives.fetch_add(WANTED - HELD, Ordering::SeqCst);
        self.rings(before)
    }

    /// Makes of a lock that is wanted, and was taken, one that is held. False if somebody has passed since the `look`,
    /// which found nobody inside, began.
    #[must_use]
    pub fn confirm(&self, look: &Look) -> bool {
        let hold =
            |now: u64| ((now >> PASSED_SHIFT) as u32 == look.passed).then(|| now - WANTED + HELD);
        self.exclusives
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, hold)
            .is_ok()
    }

    /// How many exclusive locks are held, and how many are wanted.
    pub fn counts(&self) -> (u32, u32) {
        let now = self.exclusives.load(Ordering::Relaxed);
        ((now & HELDS) as u32, ((now & WANTEDS) / WANTED) as u32)
    }

    /// Takes a lock that is held out of the count. True: those who wait to enter are to be rung.
    #[must_use]
    pub fn uncount(&self) -> bool {
        let before = self.exclusives.fetch_sub(HELD, Ordering::SeqCst);
        self.rings(before)
    }

    /// Takes a lock that is wanted out of the count. True: those who wait to enter are to be rung.
    #[must_use]
    pub fn give_up(&self) -> bool {
        let before = self.exclusives.fetch_sub(WANTED, Ordering::SeqCst);
        before & (HELDS | WANTEDS) == WANTED && self.waiters.load(Ordering::SeqCst) != 0
    }

    /// Whether one lock less held than `before` is something to those who wait.
    fn rings(&self, before: u64) -> bool {
        before & HELDS == HELD && self.waiters.load(Ordering::SeqCst) != 0
    }

    /// Whether no exclusive lock is held or wanted.
    #[inline(always)]
    fn is_open(&self) -> bool {
        self.exclusives.load(Ordering::SeqCst) & (HELDS | WANTEDS) == 0
    }

    /// Raises the flag. True: its owner is inside. Else it has to [`Gate::try_again`].
    #[inline(always)]
    pub fn enter(&self, flag: &Flag) -> bool {
        // A locked instruction: the flag is up before `exclusives` is looked at.
        flag.0.swap(1, Ordering::SeqCst);
        self.is_open()
    }

    /// Raises the flag; its owner is inside unless an exclusive lock is held.
    fn pass(&self, flag: &Flag) -> bool {
        flag.0.swap(1, Ordering::SeqCst);
        let pass = |now: u64| (now & HELDS == 0).then(|| now.wrapping_add(1 << PASSED_SHIFT));
        self.exclusives
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, pass)
            .is_ok()
    }

    /// Counts one that waits to enter.
    pub fn come(&self) {
        self.waiters.fetch_add(1, Ordering::SeqCst);
    }

    /// Takes it out of the count. True: it was the last, and lockers that let it go first are to be rung.
    #[must_use]
    pub fn go(&self) -> bool {
        self.waiters.fetch_sub(1, Ordering::SeqCst) == 1
    }

    /// Whether anybody waits to enter: a locker that holds nothing lets it go first.
    #[inline(always)]
    pub fn is_awaited(&self) -> bool {
        self.waiters.load(Ordering::Relaxed) != 0
    }

    /// Whether an exclusive lock is wanted: one that comes to enter lets it go first.
    pub fn is_wanted(&self) -> bool {
        self.exclusives.load(Ordering::Relaxed) & WANTEDS != 0
    }

    /// What a waiter does whose flag may be up: enters, or with `pass` passes, or takes the flag down and rings the
    /// exclusive lockers, of whom one may be waiting for exactly this flag.
    pub fn try_again(&self, flag: &Flag, pass: bool, ring: impl FnOnce()) -> bool {
        let now = self.exclusives.load(Ordering::SeqCst);
        let entered = if pass {
            now & HELDS == 0 && self.pass(flag)
        } else {
            now & (HELDS | WANTEDS) == 0 && self.enter(flag)
        };
        if !entered && flag.0.swap(0, Ordering::SeqCst) != 0 {
            ring();
        }
        entered
    }

    /// Takes the flag down. True: the exclusive lockers are to be rung.
    #[inline]
    #[must_use]
    pub fn leave(&self, flag: &Flag) -> bool {
        // A locked instruction: completes all stores, and the flag is down before `exclusives` is looked at.
        flag.0.swap(0, Ordering::SeqCst);
        !self.is_open()
    }
}

impl Default for Gate {
    fn default() -> Gate {
        Gate {
            used: AtomicU32::new(0),
            _line: [0; 60],
            exclusives: AtomicU64::new(0),
            waiters: AtomicU32::new(0),
            awaited_since: AtomicU32::new(0),
            wanted_since: AtomicU32::new(0),
            _line2: [0; 44],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_side_at_a_time() {
        let (gate, flags) = (Gate::default(), [Flag::default(), Flag::default()]);
        let mut look = Look::default();
        let mut empty = || gate.is_empty(&mut look, |i| flags.get(i));
        assert!(!gate.is_used() && gate.enter(&flags[1]));
        gate.open();
        gate.count();
        assert!(gate.is_used() && !empty());
        assert!(!gate.enter(&flags[0]));
        let mut rung = false;
        assert!(!gate.try_again(&flags[0], false, || rung = true));
        assert!(rung && gate.leave(&flags[1]) && empty());
        assert!(!gate.try_again(&flags[0], true, || ()));
        assert!(!gate.uncount() && gate.try_again(&flags[0], false, || ()));
        assert!(!gate.leave(&flags[0]));
    }

    #[test]
    fn who_passes_is_not_overlooked() {
        let (gate, flags) = (Gate::default(), [Flag::default(), Flag::default()]);
        let mut look = Look::default();
        let flag = |i| flags.get(i);
        gate.count();
        assert!(gate.enter(&flags[1]) || !gate.is_empty(&mut look, flag));
        assert!(!gate.want());
        assert!(!gate.try_again(&flags[0], false, || ()));
        assert!(gate.leave(&flags[1]) && gate.is_empty(&mut look, flag));
        assert!(gate.try_again(&flags[0], true, || ()));
        assert!(!gate.confirm(&look) && !gate.is_empty(&mut look, flag));
        assert!(gate.leave(&flags[0]) && gate.is_empty(&mut look, flag));
        assert!(gate.confirm(&look));
        assert!(!gate.try_again(&flags[0], true, || ()));
        assert!(!gate.uncount());
        assert!(gate.enter(&flags[0]));
    }

    #[test]
    fn the_last_exclusive_rings_waiters() {
        let gate = Gate::default();
        gate.come();
        gate.count();
        gate.count();
        assert!(!gate.uncount() && gate.uncount());
        gate.count();
        assert!(gate.want() && gate.give_up());
        gate.come();
        assert!(!gate.go() && gate.is_awaited());
        assert!(gate.go() && !gate.is_awaited());
    }
}
