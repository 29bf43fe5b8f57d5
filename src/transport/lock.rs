//! A lock of this process's threads. Where no other thread may be in MPI it is a word that is written, without locked instructions: each of those
//! would wait until the lines of the cell that was just written have come from the receiver's core.

use crate::err;
use crate::runtime::{cannot_go_on, phase};
use crate::shm::atomic::{AtomicBool, Ordering};
use parking_lot::lock_api;
use parking_lot::lock_api::RawMutex;

pub type Mutex<T> = lock_api::Mutex<Lock, T>;
pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, Lock, T>;

/// What a [`Mutex`] is locked by.
pub struct Lock {
    /// Whether it is locked by the one thread that may be in MPI.
    alone: AtomicBool,
    /// What it is locked by where there may be several.
    among: parking_lot::RawMutex,
}

#[cold]
#[inline(never)]
fn two_threads() -> ! {
    let level = phase::world_level().name();
    cannot_go_on(err!(
        Other,
        "two of its threads are in MPI at the same time, and it has {level}. A program that calls so asks for MPI_THREAD_MULTIPLE in \
         MPI_Init_thread; mpiexec -thread-level multiple gives that to one that does not"
    ))
}

// SAFETY: where there may be several threads it is `among` that one at a time has. That there may be is said for good, by the one
// thread that is in MPI then: what it has locked before it unlocks as it was locked.
unsafe impl RawMutex for Lock {
    const INIT: Lock = Lock {
        alone: AtomicBool::new(false),
        among: parking_lot::RawMutex::INIT,
    };

    type GuardMarker = lock_api::GuardNoSend;

    #[inline]
    fn lock(&self) {
        if phase::is_threaded() {
            return self.among.lock();
        }
        if !self.try_lock() {
            two_threads();
        }
    }

    #[inline]
    fn try_lock(&self) -> bool {
        if phase::is_threaded() {
            return self.among.try_lock();
        }
        !self.alone.load(Ordering::Relaxed) && {
            self.alone.store(true, Ordering::Relaxed);
            true
        }
    }

    #[inline]
    unsafe fn unlock(&self) {
        if self.alone.load(Ordering::Relaxed) {
            // Release, which costs nothing here: threads that come one after another have more than that between them.
            return self.alone.store(false, Ordering::Release);
        }
        // SAFETY: the caller has locked it, and not alone.
        unsafe { self.among.unlock() }
    }
}
