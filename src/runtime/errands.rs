//! What others ask this process to do when it is in MPI: every wait looks for that, and so does who calls [`run_errand`].

use super::table::Process;
use super::{job, me};
use crate::shm::atomic::{AtomicU32, AtomicUsize, Ordering, full_fence};

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand {
    /// To move memory of the program's own into the segment.
    Move = 0,
    /// To store what lies on its desk.
    Store = 1,
    /// To tell where it is in the program.
    Tell = 2,
}

/// The functions that do it: a `fn()` each, or 0.
static ERRANDS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
/// How often this process has stored, or looked for what is to be stored.
static STORED: AtomicU32 = AtomicU32::new(0);

/// Names the function that does an errand.
pub fn set_errand(errand: Errand, function: fn()) {
    ERRANDS[errand as usize].store(function as usize, Ordering::Release);
}

/// Asks a rank to do it, at its next opportunity.
pub fn ask(rank: u32, errand: Errand) {
    ask_process(&job().table.processes[rank as usize], errand);
}

/// The same, of who may be in no job.
pub(super) fn ask_process(process: &Process, errand: Errand) {
    process
        .asked
        .fetch_or(1 << errand as u32, Ordering::Release);
    full_fence();
    process.ring_sleepers();
}

/// Does what this process was asked for, if it was.
#[inline]
pub fn run_errand() {
    let asked = &me().asked;
    if asked.load(Ordering::Relaxed) != 0 {
        run(asked.swap(0, Ordering::Acquire));
    }
}

#[cold]
fn run(asked: u32) {
    for errand in [Errand::Store, Errand::Move, Errand::Tell] {
        if asked & 1 << errand as u32 == 0 {
            continue;
        }
        if errand == Errand::Store {
            STORED.fetch_add(1, Ordering::Relaxed);
        }
        match ERRANDS[errand as usize].load(Ordering::Acquire) {
            0 => {}
            // SAFETY: only `set_errand` writes the word, and it writes a `fn()`.
            function => unsafe { std::mem::transmute::<usize, fn()>(function)() },
        }
    }
}

/// A number that changes when this process was asked to store: there may be more to come.
#[inline]
pub(super) fn stored() -> u32 {
    STORED.load(Ordering::Relaxed)
}
