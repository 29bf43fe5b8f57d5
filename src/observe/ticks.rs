//! The clock of what is observed: the processor's counter where the kernel has it for its clock too, and so knows that it runs
//! evenly and alike on all cores (8 ns a look, 25 through the kernel's page); else the clock that all processes share.
//!
//! Nobody measures how fast the counter runs: the launcher reads both clocks when the job begins, and again when it is over.

use crate::shm::atomic::{AtomicBool, Ordering};
use crate::shm::clock;

/// Whether the processor's counter is the clock.
static COUNTER: AtomicBool = AtomicBool::new(false);

/// Whether the kernel trusts the processor's counter.
pub fn can_count() -> bool {
    let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    std::fs::read_to_string(source).is_ok_and(|name| name.trim() == "tsc")
}

/// From now on the processor's counter is the clock, or is not.
pub fn choose(counter: bool) {
    COUNTER.store(counter, Ordering::Relaxed);
}

/// The time, of no unit that is known yet.
#[inline(always)]
pub fn now() -> u64 {
    match COUNTER.load(Ordering::Relaxed) {
        // SAFETY: the counter is part of x86-64, and read by the kernel's own clock in all processes.
        true => unsafe { std::arch::x86_64::_rdtsc() },
        false => clock::nanoseconds(),
    }
}

/// Both clocks at one moment: ticks, and nanoseconds.
pub fn both() -> (u64, u64) {
    (now(), clock::nanoseconds())
}
