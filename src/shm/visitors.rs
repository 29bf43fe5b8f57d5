//! Who is in a process's private memory, and its door: others copy there through the kernel while the process may want to move
//! that memory, and what they write must not stay behind.
//!
//! | word     | means                                                                    |
//! |----------|--------------------------------------------------------------------------|
//! | n        | the door is open, n are inside                                           |
//! | SHUT + n | nobody comes in; once n is 0 the owner may move its memory               |
//!
//! | who     | does                                                                                        |
//! |---------|---------------------------------------------------------------------------------------------|
//! | visitor | counts itself in (acquire); finds the door shut: counts itself out, and waits; looks where the memory is now; copies; counts itself out (release) |
//! | owner   | shuts; finds nobody inside (acquire); moves; says where the memory is now; opens (release)    |
//!
//! So what a visitor wrote is there before the memory is moved, and who comes in afterwards sees where it went. The owner never
//! waits for ever: who was killed inside is counted for good, and the memory then stays where it is.

use super::atomic::{AtomicU32, Ordering};

const SHUT: u32 = 1 << 31;

#[repr(transparent)]
#[derive(Default)]
pub struct Visitors(AtomicU32);

impl Visitors {
    /// Comes in, until [`Visitors::leave`]; false if the door is shut.
    #[inline]
    pub fn enter(&self) -> bool {
        if !self.is_open() {
            return false;
        }
        // Acquire: with the owner's `open`.
        let inside = self.0.fetch_add(1, Ordering::Acquire) & SHUT == 0;
        if !inside {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
        inside
    }

    /// Leaves: all that the visitor wrote is there.
    #[inline]
    pub fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }

    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed) & SHUT == 0
    }

    /// Lets nobody come in. For the owner, one thread at a time.
    pub fn shut(&self) {
        self.0.fetch_or(SHUT, Ordering::Relaxed);
    }

    /// Whether all who were inside have left.
    pub fn are_gone(&self) -> bool {
        // Acquire: with `leave`, whose places in the order of changes stay within one release sequence.
        self.0.load(Ordering::Acquire) == SHUT
    }

    /// How many are inside.
    pub fn inside(&self) -> u32 {
        self.0.load(Ordering::Relaxed) & !SHUT
    }

    /// Lets others come in, who see all that the owner did meanwhile.
    pub fn open(&self) {
        self.0.fetch_and(!SHUT, Ordering::Release);
    }
}
