//! A rank's doorbell: where its threads sleep, and how others wake them.
//!
//! Why no ring is lost. The sleeper: (1) reads the bell, (2) counts itself among the sleepers, (3) full fence, (4) checks
//! its condition, (5) sleeps only while the bell still has the value of (1). The ringer: (a) makes the condition true,
//! (b) full fence, (c) looks for sleepers, (d) if there are any, changes the bell and wakes. If (c) comes before (2) in the
//! order of the two fences, then (4) sees (a); else (c) sees the sleeper, and (d) either comes before (1), then (4) sees
//! (a), or after it, then (5) does not sleep or is woken.
//!
//! There is one doorbell for each rank, not a futex for each thing waited for: a waiter must also move messages and notice
//! deaths, and can only sleep on one word. What it sleeps for it says by a key, so that ringing for a window's lock does not
//! wake the sleepers for something else. The key is written before (2), so a ringer that sees the sleeper sees the key. A rank
//! with more sleepers than there are places for keys is rung in any case.
//!
//! A ring costs a fence, which the ringer mostly has anyway, and one load of a line that changes only when the waiter sleeps.

use super::atomic::{AtomicU32, Ordering, full_fence};
use super::futex;
use std::time::Duration;

/// The bell and those who listen. Zero is a doorbell at which nobody sleeps.
#[repr(C)]
#[derive(Default)]
pub struct Doorbell {
    /// A futex word that grows with every ring.
    bell: AtomicU32,
    /// Threads that sleep or are about to, each with its weight.
    sleepers: AtomicU32,
}

impl Doorbell {
    /// Sleeps until rung, unless `awake` says that there is no need to: whether it did say so. Not longer than `nap` says
    /// after that.
    ///
    /// `announce` is called before `awake`, when the caller counts among the sleepers. It counts as much as `weight`.
    #[inline]
    pub fn sleep_unless(
        &self,
        weight: u32,
        announce: impl FnOnce(),
        awake: impl FnOnce() -> bool,
        nap: impl FnOnce() -> Duration,
    ) -> bool {
        // Acquire: what was made true before a ring that is not waited for any more is seen.
        let bell = self.bell.load(Ordering::Acquire);
        self.sleepers.fetch_add(weight, Ordering::SeqCst);
        announce();
        full_fence();
        let awake = awake();
        if !awake {
            futex::wait(&self.bell, bell, nap());
        }
        self.sleepers.fetch_sub(weight, Ordering::SeqCst);
        awake
    }

    /// Wakes the sleepers, if there are any. What they wait for must be visible: the caller has issued a full fence, or a
    /// locked instruction, since it made it true.
    #[inline(always)]
    pub fn ring(&self) {
        if self.sleepers.load(Ordering::Relaxed) != 0 {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        self.bell.fetch_add(1, Ordering::SeqCst);
        futex::wake_all(&self.bell);
    }

    /// The weights of all who sleep or are about to.
    #[inline]
    pub fn sleepers(&self) -> u32 {
        self.sleepers.load(Ordering::Relaxed)
    }
}
