//! A word at which two processes find each other: one that calls, and one that accepts.
//!
//! | caller | acceptor | then                                                                                   |
//! |--------|----------|----------------------------------------------------------------------------------------|
//! | nobody | nobody   | a caller comes                                                                         |
//! | there  | nobody   | an acceptor takes it, or it gives up                                                   |
//! | there  | there    | each knows the other; the caller goes, and the word is free for the next               |
//!
//! All of it is one word, so that an acceptor never meets a caller that another has taken, or that has given up. Who changes it
//! rings those that wait at it. A caller that has died is taken away by whoever finds it.

use super::atomic::{AtomicU64, Ordering};

/// The word: 1 + the caller's rank in the job, and above it the same of the acceptor; 0 for nobody.
#[repr(transparent)]
#[derive(Default)]
pub struct Rendezvous(AtomicU64);

fn caller(word: u64) -> Option<u32> {
    (word as u32).checked_sub(1)
}

fn acceptor(word: u64) -> Option<u32> {
    ((word >> 32) as u32).checked_sub(1)
}

impl Rendezvous {
    fn change(&self, from: u64, to: u64) -> bool {
        let changed = self
            .0
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
        changed.is_ok()
    }

    /// `rank` calls, if nobody else does.
    pub fn call(&self, rank: u32) -> bool {
        self.change(0, u64::from(rank + 1))
    }

    /// `rank` accepts the caller, if there is one that nobody has accepted.
    pub fn accept(&self, rank: u32) -> Option<u32> {
        let word = self.0.load(Ordering::Acquire);
        let waits = caller(word).filter(|_| acceptor(word).is_none())?;
        self.change(word, word | u64::from(rank + 1) << 32)
            .then_some(waits)
    }

    /// Who has accepted the caller.
    pub fn accepted_by(&self) -> Option<u32> {
        acceptor(self.0.load(Ordering::Acquire))
    }

    /// The caller, `rank`, calls no more. False if it was accepted before.
    pub fn give_up(&self, rank: u32) -> bool {
        self.change(u64::from(rank + 1), 0)
    }

    /// The caller that was accepted goes.
    pub fn go(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// Who calls, accepted or not.
    pub fn caller(&self) -> Option<u32> {
        caller(self.0.load(Ordering::Acquire))
    }

    /// Takes the caller away, if it is still `rank`, which has died. True if it was.
    pub fn bury(&self, rank: u32) -> bool {
        let word = self.0.load(Ordering::Acquire);
        caller(word) == Some(rank) && self.change(word, 0)
    }
}
