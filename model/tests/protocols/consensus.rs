//! All that live read one decision in each round, and one that follows from the parts of those that live.

use loom::sync::atomic::{AtomicBool, Ordering};
use rmashm_model::actor::{Actors, act, explore};
use rmashm_model::shm::atomic::AtomicU64;
use rmashm_model::shm::consensus::Consensus;

const SEATS: usize = 3;

struct Stage {
    actors: Actors,
    words: Vec<AtomicU64>,
    /// Who is gone: nothing of it comes after that.
    gone: [AtomicBool; SEATS],
    decisions: [[AtomicU64; 2]; SEATS],
}

/// Where the last seat stops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Lives,
    /// Before it enters a round at all.
    Never,
    /// After it has entered the first round.
    Entered,
    /// After it has proposed a decision, if it was the first that could.
    Proposed,
}

fn stage() -> Stage {
    let words = (0..Consensus::words(SEATS, 2)).map(|_| AtomicU64::new(0));
    Stage {
        actors: Actors::new(SEATS),
        words: words.collect(),
        gone: std::array::from_fn(|_| AtomicBool::new(false)),
        decisions: std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(0))),
    }
}

impl Stage {
    fn table(&self) -> Consensus<'_> {
        Consensus::new(&self.words, SEATS, 2)
    }

    fn ring_all(&self) {
        (0..SEATS).for_each(|seat| self.actors.ring(seat));
    }

    fn die(&self, seat: usize) {
        self.gone[seat].store(true, Ordering::Release);
        self.ring_all();
    }

    /// Which seats have entered, and which are gone; `None`: one is waited for. As the library looks.
    fn proposal(&self, round: u64) -> Option<[u64; 2]> {
        let mut proposal = [0; 2];
        for seat in 0..SEATS {
            let is_gone = self.gone[seat].load(Ordering::Acquire);
            match self.table().part(round, seat) {
                Some(part) => {
                    assert_eq!(part, [round, seat as u64], "a part that is not whole");
                    proposal[0] |= 1 << seat;
                }
                None if is_gone => {}
                None => return None,
            }
            proposal[1] |= u64::from(is_gone) << seat;
        }
        Some(proposal)
    }

    /// A seat's round, until it is decided.
    fn decide(&self, round: u64, seat: usize) -> [u64; 2] {
        let table = self.table();
        table.enter(round, seat, &[round, seat as u64]);
        self.ring_all();
        let mut decided = None;
        self.actors.wait(seat, || {
            if table.decided(round).is_none()
                && let Some(proposal) = self.proposal(round)
            {
                table.propose(round, seat, &proposal);
                self.ring_all();
            }
            decided = table.decided(round);
            decided.is_some()
        });
        let decided = decided.expect("it waited for it");
        [decided[0], decided[1]]
    }
}

/// All decide in so many rounds; the last seat meets its fate in the first of them.
fn rounds(name: &str, preemptions: usize, rounds: u64, fate: Fate) {
    explore(name, preemptions, move || {
        act(stage(), SEATS, move |stage, me| {
            if me == SEATS - 1 && fate != Fate::Lives {
                let (part, round) = ([1, me as u64], 1);
                if fate != Fate::Never {
                    stage.table().enter(round, me, &part);
                    stage.ring_all();
                }
                if fate == Fate::Proposed
                    && let Some(proposal) = stage.proposal(round)
                {
                    stage.table().propose(round, me, &proposal);
                }
                return stage.die(me);
            }
            for round in 1..=rounds {
                let [entered, gone] = stage.decide(round, me);
                let living = if fate == Fate::Lives { 0b111 } else { 0b011 };
                assert_eq!(
                    entered & living,
                    living,
                    "somebody who lives was not waited for"
                );
                assert_eq!(gone & living, 0);
                let own = entered << 8 | gone << 4 | round;
                stage.decisions[me][round as usize % 2].store(own, Ordering::Relaxed);
                for other in 0..SEATS {
                    let theirs = stage.decisions[other][round as usize % 2].load(Ordering::Relaxed);
                    assert!(
                        theirs & 15 != round || theirs == own,
                        "two decisions of a round"
                    );
                }
            }
        });
    });
}

#[test]
fn all_live() {
    rounds("consensus, all live", 1, 1, Fate::Lives);
}

/// The third round writes over the first one's words.
#[test]
fn rounds_after_each_other() {
    rounds("consensus, 3 rounds after a death", 2, 3, Fate::Never);
}

#[test]
fn one_dies_before() {
    rounds("consensus, a death before", 2, 1, Fate::Never);
}

#[test]
fn one_dies_after_its_part() {
    rounds("consensus, a death after the part", 2, 1, Fate::Entered);
}

#[test]
fn one_dies_after_its_proposal() {
    rounds(
        "consensus, a death after the proposal",
        3,
        1,
        Fate::Proposed,
    );
}
