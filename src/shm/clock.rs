//! The clock that all processes of the machine share.

use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The time since some moment in the past, the same for all processes.
pub fn now() -> Duration {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from)
}
