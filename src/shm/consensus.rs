//! A decision that seats at a table come to together, whoever of them dies meanwhile.
//!
//! There are rounds. In each, every seat enters with its part. When all have entered, or are gone for good, anybody may propose
//! what follows from the parts: the first proposal is the decision, for all, also if who made it dies next. A caller that finds a seat
//! gone looks once more whether it has entered, so that a part that was given counts.
//!
//! | word         | holds                                            | goes on to                                             |
//! |--------------|--------------------------------------------------|--------------------------------------------------------|
//! | of a seat    | the last round that it has entered               | the next, by the seat, after its part is written       |
//! | of a decision | a round, and the seat whose proposal is decided | the round after the next, by the first that proposes   |
//!
//! Parts, proposals and the words of decisions are there twice, for rounds with even and with odd numbers. That is enough: a round is
//! decided after all that live have entered it; each of them has read the decision of the round before. So who enters the next round
//! writes over what nobody reads any more.

use super::atomic::{AtomicU64, Ordering};

/// Rounds that may be read and written at the same time.
const BANKS: usize = 2;
/// The bits of a decision's word that are the seat.
const SEAT_BITS: u32 = 16;

/// What a slot of words holds.
#[derive(Clone, Copy)]
enum Slot {
    Part = 0,
    Proposal = 1,
}

/// The table, in so many words as [`Consensus::words`] says, which are 0 at first. Rounds are counted from 1.
#[derive(Clone, Copy)]
pub struct Consensus<'a> {
    words: &'a [AtomicU64],
    seats: usize,
    /// Words of a part, and of a proposal.
    width: usize,
}

fn bank(round: u64) -> usize {
    (round % BANKS as u64) as usize
}

fn round_of(word: u64) -> u64 {
    word >> SEAT_BITS
}

impl<'a> Consensus<'a> {
    /// How many words a table with so many seats has, for parts of so many words.
    pub const fn words(seats: usize, width: usize) -> usize {
        BANKS + seats + seats * BANKS * 2 * width
    }

    pub fn new(words: &'a [AtomicU64], seats: usize, width: usize) -> Consensus<'a> {
        assert!(words.len() == Consensus::words(seats, width) && seats <= 1 << SEAT_BITS);
        Consensus {
            words,
            seats,
            width,
        }
    }

    fn decision(self, round: u64) -> &'a AtomicU64 {
        &self.words[bank(round)]
    }

    fn entered(self, seat: usize) -> &'a AtomicU64 {
        &self.words[BANKS..][seat]
    }

    fn slot(self, slot: Slot, round: u64, seat: usize) -> &'a [AtomicU64] {
        let place = (bank(round) * 2 + slot as usize) * self.seats + seat;
        &self.words[BANKS + self.seats..][place * self.width..][..self.width]
    }

    /// `seat` enters the round, with its part. It has read the decision of the round before.
    pub fn enter(self, round: u64, seat: usize, part: &[u64]) {
        write(self.slot(Slot::Part, round, seat), part);
        self.entered(seat).store(round, Ordering::Release);
    }

    /// The part of `seat`, if it has entered the round.
    pub fn part(self, round: u64, seat: usize) -> Option<Vec<u64>> {
        let has_entered = self.entered(seat).load(Ordering::Acquire) >= round;
        has_entered.then(|| read(self.slot(Slot::Part, round, seat)))
    }

    /// `seat`, which has entered the round, proposes a decision, now that all have entered or are gone. It may be decided before.
    pub fn propose(self, round: u64, seat: usize, proposal: &[u64]) {
        let decision = self.decision(round);
        let before = decision.load(Ordering::Relaxed);
        if round_of(before) == round {
            return;
        }
        write(self.slot(Slot::Proposal, round, seat), proposal);
        let word = round << SEAT_BITS | seat as u64;
        // Whoever else has changed it has decided the same round.
        let _ = decision.compare_exchange(before, word, Ordering::Release, Ordering::Relaxed);
    }

    /// The decision of the round, once there is one.
    pub fn decided(self, round: u64) -> Option<Vec<u64>> {
        let word = self.decision(round).load(Ordering::Acquire);
        let seat = (word & ((1 << SEAT_BITS) - 1)) as usize;
        (round_of(word) == round).then(|| read(self.slot(Slot::Proposal, round, seat)))
    }
}

fn write(slot: &[AtomicU64], words: &[u64]) {
    for (place, &word) in slot.iter().zip(words) {
        place.store(word, Ordering::Relaxed);
    }
}

fn read(slot: &[AtomicU64]) -> Vec<u64> {
    let words = slot.iter().map(|word| word.load(Ordering::Relaxed));
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_proposal_is_the_decision_in_each_round() {
        let words: Vec<_> = (0..Consensus::words(2, 3))
            .map(|_| AtomicU64::new(0))
            .collect();
        let table = Consensus::new(&words, 2, 3);
        for round in 1..8 {
            let part = |seat: u64| [round, seat, 7];
            table.enter(round, 0, &part(0));
            assert_eq!(table.part(round, 1), None);
            table.enter(round, 1, &part(1));
            assert_eq!(table.part(round, 1), Some(part(1).to_vec()));
            assert_eq!(table.decided(round), None);
            let first = (round % 2) as usize;
            table.propose(round, first, &[round, 10, first as u64]);
            table.propose(round, 1 - first, &[round, 20, 0]);
            for _ in 0..2 {
                let decided = Some(vec![round, 10, first as u64]);
                assert_eq!(table.decided(round), decided);
            }
            if round > 1 {
                assert!(
                    table.decided(round - 1).is_some(),
                    "the round before is still there"
                );
            }
        }
    }
}
