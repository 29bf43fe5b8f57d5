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
//!
//! A rank is a place that may be another process's later. So before an acceptor takes a caller, and before a caller goes, it says
//! elsewhere that it has to do with the other; who gives places looks at the word first ([`Rendezvous::forget`]), and then there.
//!
//! Each coming and going of a caller is a **visit**, which has a number in the word. Who changes the word says in which visit; so nobody
//! meets what has come of it meanwhile, a place for something else, say ([`Rendezvous::renew`]). (A visit has the number of another one
//! after 16 million.)

use super::atomic::{AtomicU64, Ordering};

/// The word: 1 + the caller's rank in the job, above it the same of the acceptor; 0 for nobody. At the top the visit's number.
#[repr(transparent)]
#[derive(Default)]
pub struct Rendezvous(AtomicU64);

/// Bits of a rank.
const RANK: u32 = 20;
const VISIT: u32 = 2 * RANK;

/// More ranks than this cannot meet.
pub const RANKS: u32 = (1 << RANK) - 1;

fn rank(bits: u64) -> Option<u32> {
    (bits as u32 & RANKS).checked_sub(1)
}

fn caller(word: u64) -> Option<u32> {
    rank(word)
}

fn acceptor(word: u64) -> Option<u32> {
    rank(word >> RANK)
}

fn visit(word: u64) -> u32 {
    (word >> VISIT) as u32
}

/// The word while nobody is there, in this visit.
fn free(visit: u32) -> u64 {
    u64::from(visit) << VISIT
}

/// The same in the visit after this one.
fn after(visit: u32) -> u64 {
    free(visit.wrapping_add(1))
}

impl Rendezvous {
    fn word(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    fn change(&self, from: u64, to: u64) -> bool {
        let changed = self
            .0
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
        changed.is_ok()
    }

    /// The number of the visit that is to come, or is.
    pub fn visit(&self) -> u32 {
        visit(self.word())
    }

    /// `rank` calls in this visit, if nobody else does.
    pub fn call(&self, visit: u32, rank: u32) -> bool {
        self.change(free(visit), free(visit) | u64::from(rank + 1))
    }

    /// Who calls in this visit and was not accepted.
    pub fn waits(&self, in_visit: u32) -> Option<u32> {
        let word = self.word();
        let waits = visit(word) == in_visit && acceptor(word).is_none();
        caller(word).filter(|_| waits)
    }

    /// `rank` accepts `caller`, if that calls in this visit and nobody has accepted it.
    pub fn accept(&self, visit: u32, caller: u32, rank: u32) -> bool {
        let waits = free(visit) | u64::from(caller + 1);
        self.change(waits, waits | u64::from(rank + 1) << RANK)
    }

    /// Who has accepted the caller of this visit.
    pub fn accepted_by(&self, in_visit: u32) -> Option<u32> {
        let word = self.word();
        acceptor(word).filter(|_| visit(word) == in_visit)
    }

    /// The caller of this visit, `rank`, calls no more. False if it was accepted before.
    pub fn give_up(&self, visit: u32, rank: u32) -> bool {
        self.change(free(visit) | u64::from(rank + 1), after(visit))
    }

    /// The caller of this visit, which was accepted, goes.
    pub fn go(&self, in_visit: u32) {
        let word = self.word();
        if visit(word) == in_visit {
            self.change(word, after(in_visit));
        }
    }

    /// Who calls, accepted or not.
    pub fn caller(&self) -> Option<u32> {
        caller(self.word())
    }

    /// Takes the caller away, if it is still `rank`, which has died. True if it was.
    pub fn bury(&self, rank: u32) -> bool {
        let word = self.word();
        caller(word) == Some(rank) && self.change(word, after(visit(word)))
    }

    /// `rank` has ended: nobody meets it here any more by what the word says. False while its caller, which has not ended, may not
    /// know yet that it was accepted by it.
    pub fn forget(&self, rank: u32, has_ended: impl Fn(u32) -> bool) -> bool {
        loop {
            let word = self.word();
            let (calls, accepts) = (caller(word), acceptor(word));
            match calls {
                Some(caller) if caller == rank || accepts == Some(rank) && has_ended(caller) => {}
                _ => return accepts != Some(rank),
            }
            if self.change(word, after(visit(word))) {
                return true;
            }
        }
    }

    /// Ends a visit that nobody has come to, so that those that know its number come too late. False if there is a caller.
    pub fn renew(&self) -> bool {
        let word = self.word();
        caller(word).is_none() && self.change(word, after(visit(word)))
    }
}
