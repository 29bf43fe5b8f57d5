//! Exclusion between many short accesses to the same data and few long ones, biased towards the short ones. While the bias
//! stands, a short access takes no lock and has no fence: only two plain stores to a line of its own.
//!
//! A short access is made by an atomic instruction, so short ones never exclude each other. A long access is made by plain
//! loads and stores where it excludes all others, and by atomic instructions where it cannot. A [`Bias`] belongs to a lock:
//! long accesses hold it, and so do short ones that the bias does not cover.
//!
//! | mode    | short accesses                                 | long accesses, holding the lock             |
//! |---------|------------------------------------------------|---------------------------------------------|
//! | Locked  | hold the lock                                  | plain                                       |
//! | Leaving | hold the lock, but for those that began before | atomic, until all marks have been seen down |
//! | Direct  | no lock, while a [`Mark`] is up                | go to Leaving first                         |
//!
//! | from            | to      | by a holder of the lock                                                    |
//! |-----------------|---------|----------------------------------------------------------------------------|
//! | Direct          | Leaving | a long access: it sets the mode, then comes the heavy fence                |
//! | Leaving         | Locked  | a long access that has seen each mark down since                           |
//! | Leaving, Locked | Direct  | a short access, after as many in turn as the last long one gave credit for |
//!
//! ```text
//! short: mark = 1;  light fence;  if mode == Direct { access;  mark = 0 (release) } else { mark = 0;  take the lock … }
//! long:  take the lock;  if mode == Direct { mode = Leaving;  heavy fence }
//!        if mode == Leaving and each mark was seen 0 (acquire) { mode = Locked }
//! ```
//!
//! **Why it is right.** It is Dekker's protocol. The light fence only stops the compiler; the heavy one is a `membarrier` call,
//! by which every running thread of every registered process passes a full fence. Against each other they are worth two full
//! fences.
//!
//! - The short access's light fence comes before the heavy one: the long access sees the mark. It goes on by atomic
//!   instructions until it has seen that mark down. Then (release, acquire) the short access happened before its plain loops.
//! - The light fence comes after: the short access sees that the mode is not Direct, and takes the lock.
//! - Back to Direct goes only a holder of the lock, by a release. A short access that finds the mode Direct acquires it, so the
//!   plain loops before have happened.
//!
//! **Nobody waits for a mark.** Where its owner is preempted or killed while it is up, long accesses are slower meanwhile, and
//! that is all; the marks of the dead do not count. A process killed in a long access holds the lock, and waits for that end as
//! those for every lock of the dead.
//!
//! **Without light fences.** With `MPI_THREAD_MULTIPLE` the threads of a process share its mark, so it is a count, changed by
//! locked instructions, which are full fences themselves. The same where the kernel refuses to register a process. Every
//! process tells when a window is made whether it relies on heavy fences; if none does, a full fence takes their place. If one
//! does, and a long access is refused the system call, the mode stays Direct and the access is made by atomic instructions
//! under the lock: slow, never wrong.

use super::atomic::{AtomicU32, Ordering, light_fence};

const LOCKED: u32 = 0;
const DIRECT: u32 = 1;
const LEAVING: u32 = 2;

/// Which accesses are favoured. Zero is `Locked`, and the first short access makes it `Direct`.
#[repr(C)]
#[derive(Default)]
pub struct Bias {
    mode: AtomicU32,
    /// Short accesses that the mode stays for. Changed by holders of the lock only.
    credit: AtomicU32,
}

/// Of a process: how many of its threads make a short access without the lock.
#[repr(transparent)]
#[derive(Default)]
pub struct Mark(AtomicU32);

impl Mark {
    /// `alone`: no other thread of this process raises the mark, and heavy fences reach this one. Else the mark is counted up
    /// by a locked instruction, which is a full fence itself.
    #[inline(always)]
    fn raise(&self, alone: bool) {
        if alone {
            self.0.store(1, Ordering::Relaxed);
            light_fence();
        } else {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Ends what [`Bias::enter`] began; with the same `alone`.
    #[inline(always)]
    pub fn lower(&self, alone: bool) {
        // Release: with the mark that is seen down comes the access that was made under it.
        if alone {
            self.0.store(0, Ordering::Release);
        } else {
            self.0.fetch_sub(1, Ordering::Release);
        }
    }

    pub fn is_up(&self) -> bool {
        self.0.load(Ordering::Acquire) != 0
    }
}

impl Bias {
    /// Begins a short access without the lock. True: `mark` is up, the access may be made, then comes [`Mark::lower`]. False:
    /// the lock has to be taken.
    #[inline(always)]
    pub fn enter(&self, mark: &Mark, alone: bool) -> bool {
        mark.raise(alone);
        let direct = self.is_direct();
        if !direct {
            mark.lower(alone);
        }
        direct
    }

    /// Whether the mode is `Direct` now.
    #[inline(always)]
    pub fn is_direct(&self) -> bool {
        // Acquire: with the mode come the plain stores of the long accesses before it.
        self.mode.load(Ordering::Acquire) == DIRECT
    }

    /// A holder of the lock makes a short access.
    pub fn short(&self) {
        let credit = self.credit.load(Ordering::Relaxed);
        if credit != 0 {
            self.credit.store(credit - 1, Ordering::Relaxed);
        } else if !self.is_direct() {
            self.mode.store(DIRECT, Ordering::Release);
        }
    }

    /// [`Bias::long`] where the mode is `Locked` already; false, and nothing is done, where it is not.
    #[inline(always)]
    pub fn long_again(&self, credit: u32) -> bool {
        let locked = self.mode.load(Ordering::Relaxed) == LOCKED;
        if locked {
            self.credit.store(credit, Ordering::Relaxed);
        }
        locked
    }

    /// A holder of the lock makes a long access; so many short ones after it stay under the lock as `credit` says. True: no
    /// other access is made until the lock is given back, and plain loads and stores will do. False: there may be short ones,
    /// so this one has to be made by atomic instructions.
    ///
    /// `heavy_fence` has one, and says whether the kernel let it; `all_down` says whether each mark was seen down.
    pub fn long(
        &self,
        credit: u32,
        heavy_fence: impl FnOnce() -> bool,
        all_down: impl FnOnce() -> bool,
    ) -> bool {
        self.credit.store(credit, Ordering::Relaxed);
        let mut mode = self.mode.load(Ordering::Relaxed);
        if mode == DIRECT {
            self.mode.store(LEAVING, Ordering::Relaxed);
            if !heavy_fence() {
                self.mode.store(DIRECT, Ordering::Release);
                return false;
            }
            mode = LEAVING;
        }
        if mode == LEAVING && all_down() {
            self.mode.store(LOCKED, Ordering::Relaxed);
            mode = LOCKED;
        }
        mode == LOCKED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDIT: u32 = 3;

    fn all_down(mark: &Mark) -> bool {
        !mark.is_up()
    }

    #[test]
    fn the_first_short_access_favours_short_ones() {
        let (bias, mark) = (Bias::default(), Mark::default());
        assert!(!bias.enter(&mark, true) && !mark.is_up());
        bias.short();
        assert!(bias.enter(&mark, true) && mark.is_up());
        mark.lower(true);
        assert!(!mark.is_up());
    }

    #[test]
    fn a_long_access_ends_that_for_a_while() {
        let (bias, mark) = (Bias::default(), Mark::default());
        bias.short();
        assert!(!bias.long_again(CREDIT) && bias.is_direct());
        assert!(bias.long(CREDIT, || true, || all_down(&mark)));
        assert!(bias.long_again(CREDIT));
        for _ in 0..=CREDIT {
            assert!(!bias.enter(&mark, true));
            bias.short();
        }
        assert!(bias.enter(&mark, true));
    }

    #[test]
    fn a_mark_that_is_up_lets_long_accesses_be_atomic() {
        let (bias, mark) = (Bias::default(), Mark::default());
        bias.short();
        for alone in [true, false] {
            assert!(bias.is_direct() && bias.enter(&mark, alone));
            assert!(!bias.long(CREDIT, || true, || all_down(&mark)));
            // The mode is left: no fence any more, and no new short access.
            assert!(!bias.long(CREDIT, || unreachable!(), || all_down(&mark)));
            mark.lower(alone);
            assert!(!bias.enter(&mark, alone));
            assert!(bias.long(CREDIT, || unreachable!(), || all_down(&mark)));
            assert!(bias.long(CREDIT, || unreachable!(), || unreachable!()));
            (0..=CREDIT).for_each(|_| bias.short());
        }
    }

    #[test]
    fn without_a_heavy_fence_the_bias_stays() {
        let bias = Bias::default();
        assert!(bias.long(CREDIT, || unreachable!(), || unreachable!()));
        (0..=CREDIT).for_each(|_| bias.short());
        assert!(!bias.long(CREDIT, || false, || true) && bias.is_direct());
    }
}
