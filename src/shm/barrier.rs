//! A barrier in shared memory: each that comes counts itself in, the last opens it for all.
//!
//! | arrived | generation | state                                                       |
//! |---------|------------|-------------------------------------------------------------|
//! | 0       | g          | nobody of round g has come                                  |
//! | 1..n-1  | g          | so many have come and wait for the generation to change     |
//! | 0       | g + 1      | the last of round g came: round g is over, g + 1 may begin  |
//!
//! `arrived` is set to 0 before the generation changes, and nobody comes to round g + 1 before seeing g + 1, so the two rounds'
//! arrivals never mix. Generations wrap; only equality is asked.
//!
//! **Orderings.** One that comes reads the generation (relaxed: it cannot change before this one has come), then counts itself
//! in (acquire-release). The last sets `arrived` to 0 (relaxed), then the generation (release). Nobody comes to round g + 1
//! without having seen g + 1 (acquire), and so the 0. What was done before coming happened before what is done after: each
//! arrival releases, the last acquires them all (they are one release sequence), and passes them on. It costs one locked
//! instruction a member, and the last one a store and a look at each member's sleepers.

use super::atomic::{AtomicU32, Ordering};

/// The two words lie on lines of their own: waiters read `generation` while others come.
#[repr(C, align(128))]
pub struct Barrier {
    arrived: AtomicU32,
    _line: [u8; super::LINE - 4],
    generation: AtomicU32,
}

/// A round that the caller has come to.
#[derive(Clone, Copy, Debug)]
pub struct Round(u32);

impl Default for Barrier {
    fn default() -> Barrier {
        Barrier {
            arrived: AtomicU32::new(0),
            _line: [0; super::LINE - 4],
            generation: AtomicU32::new(0),
        }
    }
}

/// Where a member puts its value in exchange number `exchange`, among twice as many slots as there are members.
///
/// The slots of odd and even exchanges are different, so that one barrier each is enough. A member writes to slots of the
/// same kind again two exchanges later; by then all have passed the barrier of the one between, so they have read what
/// was there.
#[inline]
pub fn slot(exchange: u32, members: usize, member: usize) -> usize {
    exchange as usize % 2 * members + member
}

impl Barrier {
    /// Counts the caller in among `all`. `None`: it was the last, the round is over, and the others are to be rung.
    ///
    /// Everything done before by those who have come happened before what anybody does after the round.
    #[inline]
    pub fn arrive(&self, all: u32) -> Option<Round> {
        // The generation cannot change between the two: the round needs this arrival.
        let round = self.generation.load(Ordering::Relaxed);
        // AcqRel: the last one acquires what all released, and passes it on with the generation.
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == all {
            self.arrived.store(0, Ordering::Relaxed);
            self.generation
                .store(round.wrapping_add(1), Ordering::Release);
            return None;
        }
        Some(Round(round))
    }

    /// How many have come in this round.
    pub fn come(&self) -> u32 {
        self.arrived.load(Ordering::Relaxed)
    }

    /// Whether the round is over.
    #[inline]
    pub fn passed(&self, round: Round) -> bool {
        self.generation.load(Ordering::Acquire) != round.0
    }
}
