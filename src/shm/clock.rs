//! The clock that all processes of the machine share.

use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The time since some moment in the past, the same for all processes.
pub fn now() -> Duration {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from)
}

/// The same in nanoseconds, which a word of shared memory can have.
pub fn nanoseconds() -> u64 {
    now().as_nanos() as u64
}
