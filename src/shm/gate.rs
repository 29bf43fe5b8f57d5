//! The gate between many who may be inside together and holders of exclusive locks: Dekker's protocol between a flag of
//! each of the many, on a line of its own, and a count of the exclusive holders. Each side first says what it does and
//! then, in one order of all (SeqCst), looks at the other:
//!
//! - an exclusive locker, holding a lock, counts itself in `exclusives`, then waits until all flags are down;
//! - who wants to enter raises its flag, then looks at `exclusives`; if that is not 0 it takes the flag down and waits until
//!   it is.
//!
//! Where nobody ever enters, exclusive lockers need not pay for that: they count themselves only once the gate
//! [is used](Gate::is_used). Who enters first [says so](Gate::open), then waits until each lock has been without a writer or
//! has another one: who has taken a lock after that sees that the gate is used, by the same argument.

use super::atomic::{AtomicU32, Ordering, full_fence};

/// The side of the exclusive lockers. Zero is a gate that nobody uses.
#[repr(C, align(64))]
pub struct Gate {
    /// Not 0 once anybody wants to enter. Read by every exclusive locker, written once.
    used: AtomicU32,
    _line: [u8; 60],
    /// Exclusive locks held, counted since `used`.
    pub exclusives: AtomicU32,
    /// Those who wait for `exclusives` to become 0.
    pub waiters: AtomicU32,
    _line2: [u8; 56],
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

impl Gate {
    /// Whether exclusive lockers have to count themselves: asked after a lock was taken.
    #[inline(always)]
    pub fn is_used(&self) -> bool {
        // SeqCst as the lock's word: either this sees the mark, or who set it sees the writer.
        self.used.load(Ordering::SeqCst) != 0
    }

    /// Makes the gate a used one.
    pub fn open(&self) {
        self.used.store(1, Ordering::SeqCst);
        full_fence();
    }

    /// Counts an exclusive lock.
    pub fn count(&self) {
        self.exclusives.fetch_add(1, Ordering::SeqCst);
    }

    /// Takes it out of the count. True: those who wait to enter are to be rung.
    #[must_use]
    pub fn uncount(&self) -> bool {
        self.exclusives.fetch_sub(1, Ordering::SeqCst) == 1
            && self.waiters.load(Ordering::SeqCst) != 0
    }

    /// Whether nobody is inside. Asked again and again by one who has counted itself: the flags below `first` were down.
    pub fn is_empty<'a>(
        &self,
        first: &mut usize,
        flag: impl Fn(usize) -> Option<&'a Flag>,
    ) -> bool {
        // Flags that are down stay irrelevant: who raises one after the count was made sees it and backs out.
        while let Some(flag) = flag(*first) {
            if flag.is_up() {
                return false;
            }
            *first += 1;
        }
        true
    }

    /// Raises the flag. True: its owner is inside. Else it has to [`Gate::try_again`].
    #[inline(always)]
    pub fn enter(&self, flag: &Flag) -> bool {
        // A locked instruction: the flag is up before `exclusives` is looked at.
        flag.0.swap(1, Ordering::SeqCst);
        self.exclusives.load(Ordering::SeqCst) == 0
    }

    /// Counts one who waits to enter.
    pub fn come(&self) {
        self.waiters.fetch_add(1, Ordering::SeqCst);
    }

    /// Takes it out of the count.
    pub fn go(&self) {
        self.waiters.fetch_sub(1, Ordering::SeqCst);
    }

    /// What a waiter does whose flag may be up: enters, or takes the flag down and rings the exclusive lockers, of
    /// whom one may be waiting for exactly this flag.
    pub fn try_again(&self, flag: &Flag, ring: impl FnOnce()) -> bool {
        if self.exclusives.load(Ordering::SeqCst) == 0 && self.enter(flag) {
            return true;
        }
        if flag.0.swap(0, Ordering::SeqCst) != 0 {
            ring();
        }
        false
    }

    /// Takes the flag down. True: the exclusive lockers are to be rung.
    #[inline]
    #[must_use]
    pub fn leave(&self, flag: &Flag) -> bool {
        // A locked instruction: completes all stores, and the flag is down before `exclusives` is looked at.
        flag.0.swap(0, Ordering::SeqCst);
        self.exclusives.load(Ordering::SeqCst) != 0
    }
}

impl Default for Gate {
    fn default() -> Gate {
        Gate {
            used: AtomicU32::new(0),
            _line: [0; 60],
            exclusives: AtomicU32::new(0),
            waiters: AtomicU32::new(0),
            _line2: [0; 56],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_side_at_a_time() {
        let (gate, flags) = (Gate::default(), [Flag::default(), Flag::default()]);
        let mut first = 0;
        let mut empty = || gate.is_empty(&mut first, |i| flags.get(i));
        assert!(!gate.is_used() && gate.enter(&flags[1]));
        gate.open();
        gate.count();
        assert!(gate.is_used() && !empty());
        assert!(!gate.enter(&flags[0]));
        let mut rung = false;
        assert!(!gate.try_again(&flags[0], || rung = true));
        assert!(rung && gate.leave(&flags[1]) && empty());
        assert!(!gate.uncount() && gate.try_again(&flags[0], || ()));
        assert!(!gate.leave(&flags[0]));
    }

    #[test]
    fn the_last_exclusive_rings_waiters() {
        let gate = Gate::default();
        gate.come();
        gate.count();
        gate.count();
        assert!(!gate.uncount() && gate.uncount());
    }
}
