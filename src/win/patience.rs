//! How long one that comes lets others first that have been waiting.
//!
//! Both bounds are needed. Without the first a reader that comes while a writer waits would go in, and the next, and the
//! writer would never. Without an end a correct program could hang: one rank's shared epoch may end only when another's has
//! begun, and a third that waits for an exclusive lock must not keep that from beginning.
//!
//! No fixed time is right for all programs: epochs that last longer, and overlap, would keep a waiter out for ever. So the
//! patience grows with the time that the others have been waiting. If each of n ranks stays inside for a time t, each goes
//! past a waiter ever more seldom, and after some multiple of n t there is a moment in which nobody is inside.
//!
//! The patience is 0.1 s, or a quarter of the time for which the others have been waiting in vain, if that is more. While
//! epochs are shorter than 0.1 s nobody loses it without need: a lock waits for the epochs that are open when it comes, for one
//! epoch of each waiter before it, and a millisecond each. (3 readers of 0.3 ms that overlap and a writer: 2 ms. Exclusive
//! epochs of 30 ms that overlap and a lock_all: 30 ms.) A chain of shared epochs goes on after 0.1 s, or a third more with each
//! further link. Once a writer has waited for 8 n t, each of n ranks with epochs of length t goes past at most once in a time
//! of 2 n t, and the epochs do not cover that.

use crate::shm::clock;
use crate::shm::lock::TICKS;
use std::time::Duration;

/// Others are let first for so long at least.
pub const LEAST: Duration = Duration::from_millis(100);
/// And for this part of the time for which they have been waiting in vain.
const PART: u32 = 4;

/// Milliseconds of a tick.
const TICK: u128 = 16;

/// How much longer one that has waited for `waited` lets those first that have been waiting in vain for `others`.
pub fn left(waited: Duration, others: Duration) -> Duration {
    let least = LEAST.saturating_sub(waited);
    // While this one waits, so do the others: by the end they have waited longer.
    let part = others.saturating_sub(PART * waited) / (PART - 1);
    least.max(part)
}

/// A coarse time that all processes share, small enough for the words of a protocol; begins anew after nine minutes.
pub fn tick() -> u16 {
    (clock::now().as_millis() / TICK % u128::from(TICKS)) as u16
}

/// The time from a [`tick`] until now.
pub fn since(tick_then: u16) -> Duration {
    let ticks = tick().wrapping_sub(tick_then) % TICKS;
    Duration::from_millis(u64::from(ticks) * TICK as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn patience_grows_with_the_time_that_others_wait() {
        assert_eq!(left(Duration::ZERO, Duration::ZERO), LEAST);
        assert_eq!(left(60 * MS, 60 * MS), 40 * MS);
        assert_eq!(left(LEAST, 400 * MS), Duration::ZERO);
        // 500 ms later the others have waited for 2 s, and this one for 500 ms.
        assert_eq!(left(Duration::ZERO, 1500 * MS), 500 * MS);
        assert_eq!(left(500 * MS, 2000 * MS), Duration::ZERO);
    }

    #[test]
    fn ticks_begin_anew() {
        assert!(since(tick()) < Duration::from_secs(60));
        let before = tick().wrapping_add(TICKS - 10) % TICKS;
        assert!(since(before) >= 160 * MS && since(before) < Duration::from_secs(60));
    }
}
