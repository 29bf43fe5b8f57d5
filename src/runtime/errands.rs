//! What others ask this process to do when it is in MPI: every wait looks for that, and so does who calls [`run_errand`].

use super::{job, me};
use crate::shm::atomic::{AtomicUsize, Ordering, full_fence};

/// The function that does it: a `fn()`, or 0.
static ERRAND: AtomicUsize = AtomicUsize::new(0);

/// Names it.
pub fn set_errand(errand: fn()) {
    ERRAND.store(errand as usize, Ordering::Release);
}

/// Asks a rank to do it, at its next opportunity.
pub fn ask(rank: u32) {
    let process = &job().table.processes[rank as usize];
    process.asked.store(1, Ordering::Release);
    full_fence();
    process.ring_sleepers();
}

/// Does what this process was asked for, if it was.
#[inline]
pub fn run_errand() {
    let asked = &me().asked;
    if asked.load(Ordering::Relaxed) != 0 && asked.swap(0, Ordering::Acquire) != 0 {
        do_errand();
    }
}

#[cold]
fn do_errand() {
    match ERRAND.load(Ordering::Acquire) {
        0 => {}
        // SAFETY: only `set_errand` writes the word, and it writes a `fn()`.
        function => unsafe { std::mem::transmute::<usize, fn()>(function)() },
    }
}
