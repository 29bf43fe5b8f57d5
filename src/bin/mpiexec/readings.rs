//! The readings that tell ranks that can never go on: the counts of looks in vain that the ranks keep, and what their waits need
//! (`src/runtime/rest.rs` and `src/runtime/deadlock.rs` say what follows from them, and why).
//!
//! A rank has counted a look half a second after it fell asleep. Where all ranks rest, or some that wait for each other, that
//! is the first reading. They are then asked to look, twice, which takes no longer than waking them. What is a part of the
//! ranks may be about to grow, so it is given a moment to. A rank with another thread, or with a handler for a signal that may
//! come by itself, is in doubt: a job all of whose ranks rest, some in doubt, is told after a minute.

use std::time::{Duration, Instant};

use rmashm::launching::{NAP, Node, Reading, deadlock};

/// So many looks more than at the first reading hold one whole look.
const MORE: u32 = 2;
/// So many looks more are a minute where something besides the ranks may have a hand in it.
const DOUBTFUL: u32 = 60_000 / NAP.as_millis() as u32;
/// How long a part of the ranks may grow.
const SETTLE: Duration = Duration::from_millis(100);
/// How often to see whether those that were asked have looked, and for how long as often.
const SOON: Duration = Duration::from_millis(4);
const PROMPT: Duration = Duration::from_millis(300);

/// What is read of a rank.
#[derive(Clone, Debug)]
pub enum Seen {
    Ended,
    /// It does not wait in MPI.
    Acts,
    /// It is of another part than the one that is looked at.
    Elsewhere,
    /// It waits, and rests if it has counted a look.
    Waits(Reading, Node),
}

/// What the readings say of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Open,
    /// Nothing before these have looked again.
    Ask(Vec<u32>),
    /// No rank has done anything for long, but one that is more than its waiting thread may yet.
    Doubtful,
    /// These never will do anything.
    Certain(Vec<u32>),
}

/// The readings so far.
#[derive(Default)]
pub struct Readings {
    first: Option<First>,
    doubt: Vec<(u32, Reading)>,
}

/// The first reading of ranks that may be dead.
struct First {
    ranks: Vec<(u32, Reading)>,
    since: Instant,
    /// How often they were asked to look, and when last.
    asked: u32,
    asked_at: Instant,
}

impl Seen {
    fn rests(&self) -> Option<Reading> {
        match self {
            Seen::Waits(reading, _) if reading.looks > 0 => Some(*reading),
            _ => None,
        }
    }

    /// What it is to those that wait for it.
    pub fn node(&self) -> Node {
        match self {
            Seen::Ended => Node::Ended,
            Seen::Waits(_, node) if self.rests().is_some_and(|reading| reading.sure) => {
                node.clone()
            }
            _ => Node::Acts,
        }
    }
}

impl Readings {
    /// Takes a reading of all ranks of a part. `is_open`: those of other parts may do something for these.
    pub fn read(&mut self, seen: &[Seen], is_open: bool, now: Instant) -> Verdict {
        let (dead, all) = dead(seen, is_open);
        let verdict = self.read_dead(seen, &dead, all, now);
        match verdict {
            Verdict::Open if dead.is_empty() && !is_open && self.is_doubtful(seen) => {
                Verdict::Doubtful
            }
            verdict => verdict,
        }
    }

    fn read_dead(&mut self, seen: &[Seen], dead: &[u32], all: bool, now: Instant) -> Verdict {
        if dead.is_empty() {
            self.first = None;
            return Verdict::Open;
        }
        let reading = |&rank: &u32| Some((rank, seen[rank as usize].rests()?));
        let ranks: Vec<_> = dead.iter().filter_map(reading).collect();
        let first = match &mut self.first {
            Some(first) if same(&first.ranks, &ranks) => first,
            other => other.insert(First {
                ranks: ranks.clone(),
                since: now,
                asked: 0,
                asked_at: now,
            }),
        };
        let looks = more(&first.ranks, &ranks);
        if looks >= MORE {
            return Verdict::Certain(dead.to_vec());
        }
        if looks < first.asked || !all && now - first.since < SETTLE {
            return Verdict::Open;
        }
        first.asked = looks + 1;
        first.asked_at = now;
        Verdict::Ask(dead.to_vec())
    }

    fn is_doubtful(&mut self, seen: &[Seen]) -> bool {
        let mut now = Vec::new();
        for (rank, seen) in (0..).zip(seen) {
            match (seen, seen.rests()) {
                (Seen::Ended | Seen::Elsewhere, _) => {}
                (_, Some(reading)) => now.push((rank, reading)),
                (_, None) => {
                    self.doubt.clear();
                    return false;
                }
            }
        }
        if !same(&self.doubt, &now) {
            self.doubt = now;
            return false;
        }
        !now.is_empty() && more(&self.doubt, &now) >= DOUBTFUL
    }

    /// When to read again, if it is soon.
    pub fn next(&self, now: Instant) -> Option<Instant> {
        let first = self.first.as_ref()?;
        match first.asked {
            0 => Some(first.since + SETTLE),
            _ => (now - first.asked_at < PROMPT).then_some(now + SOON),
        }
    }
}

/// The ranks that are dead if they rest, and whether they are all of their part that live.
fn dead(seen: &[Seen], is_open: bool) -> (Vec<u32>, bool) {
    let nodes: Vec<Node> = seen.iter().map(Seen::node).collect();
    let is_elsewhere = |rank: u32| matches!(seen.get(rank as usize), Some(Seen::Elsewhere));
    let living = || {
        let all = (0..).zip(&nodes);
        all.filter(|(rank, node)| !matches!(node, Node::Ended) && !is_elsewhere(*rank))
    };
    // What it waits for, if that is known, none of another part does.
    let rests = |node: &Node| match node {
        Node::Rests(need) => !need.ranks.iter().any(is_elsewhere),
        _ => false,
    };
    match !is_open && living().all(|(_, node)| rests(node)) {
        true => (living().map(|(rank, _)| rank).collect(), true),
        false => (deadlock::dead(&nodes), false),
    }
}

/// Whether the readings are of the same rests of the same ranks.
fn same(first: &[(u32, Reading)], now: &[(u32, Reading)]) -> bool {
    let same = |(first, now): (&(u32, Reading), &(u32, Reading))| {
        first.0 == now.0 && first.1.number == now.1.number
    };
    first.len() == now.len() && first.iter().zip(now).all(same)
}

/// How many looks each rank has behind it since the first reading of the same rests.
fn more(first: &[(u32, Reading)], now: &[(u32, Reading)]) -> u32 {
    let more = |(first, now): (&(u32, Reading), &(u32, Reading))| {
        now.1.looks.saturating_sub(first.1.looks)
    };
    first.iter().zip(now).map(more).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmashm::launching::Need;

    fn rests(number: u32, looks: u32, need: Need) -> Seen {
        let reading = Reading {
            number,
            looks,
            sure: true,
        };
        Seen::Waits(reading, Node::Rests(need))
    }

    fn unsure(looks: u32) -> Seen {
        let reading = Reading {
            number: 0,
            looks,
            sure: false,
        };
        Seen::Waits(reading, Node::Rests(Need::default()))
    }

    /// Both wait for what is not known.
    fn all(looks: u32) -> Vec<Seen> {
        let rests = |number| rests(number, looks, Need::default());
        vec![rests(7), Seen::Ended, rests(3)]
    }

    fn part(numbers: [u32; 2], looks: [u32; 2]) -> Vec<Seen> {
        vec![
            rests(numbers[0], looks[0], Need::each([1])),
            rests(numbers[1], looks[1], Need::each([0])),
            Seen::Acts,
        ]
    }

    #[test]
    fn a_whole_look_of_all_is_wanted() {
        let (mut readings, now) = (Readings::default(), Instant::now());
        assert_eq!(readings.read(&all(0), false, now), Verdict::Open);
        assert_eq!(readings.next(now), None);
        assert_eq!(readings.read(&all(1), false, now), Verdict::Ask(vec![0, 2]));
        assert_eq!(readings.next(now), Some(now + SOON));
        assert_eq!(readings.read(&all(1), false, now), Verdict::Open);
        assert_eq!(readings.read(&all(2), false, now), Verdict::Ask(vec![0, 2]));
        assert_eq!(readings.read(&all(2), false, now), Verdict::Open);
        assert_eq!(readings.next(now + PROMPT), None, "one of them is stopped");
        assert_eq!(
            readings.read(&all(3), false, now),
            Verdict::Certain(vec![0, 2])
        );
    }

    #[test]
    fn a_part_may_grow_first() {
        let (mut readings, now) = (Readings::default(), Instant::now());
        let at = |looks| part([7, 3], looks);
        assert_eq!(readings.read(&at([1, 1]), false, now), Verdict::Open);
        let now = readings.next(now).unwrap();
        assert_eq!(
            readings.read(&at([1, 1]), false, now),
            Verdict::Ask(vec![0, 1])
        );
        assert_eq!(
            readings.read(&at([3, 2]), false, now),
            Verdict::Ask(vec![0, 1])
        );
        assert_eq!(
            readings.read(&at([4, 3]), false, now),
            Verdict::Certain(vec![0, 1])
        );
    }

    #[test]
    fn whatever_moves_begins_anew() {
        for second in [
            // One begins another rest, one looks no more, one has only begun to wait, one acts.
            part([8, 3], [9, 9]),
            part([7, 3], [9, 1]),
            part([7, 4], [9, 0]),
            vec![Seen::Acts, rests(3, 9, Need::each([0])), Seen::Acts],
            // It waits for another.
            vec![
                rests(7, 9, Need::each([2])),
                rests(3, 9, Need::each([0])),
                Seen::Acts,
            ],
            // Something else may have a hand in it.
            vec![unsure(9), rests(3, 9, Need::each([0])), Seen::Acts],
        ] {
            let (mut readings, now) = (Readings::default(), Instant::now());
            assert_eq!(
                readings.read(&part([7, 3], [1, 1]), false, now),
                Verdict::Open
            );
            let late = now + SETTLE;
            assert!(
                !matches!(readings.read(&second, false, late), Verdict::Certain(_)),
                "{second:?}"
            );
        }
    }

    #[test]
    fn a_doubt_is_told_late() {
        let (mut readings, now) = (Readings::default(), Instant::now());
        let mut read = |looks| {
            readings.read(
                &[rests(0, looks, Need::default()), unsure(looks), Seen::Ended],
                false,
                now,
            )
        };
        assert_eq!(read(1), Verdict::Open);
        assert_eq!(read(DOUBTFUL), Verdict::Open);
        assert_eq!(read(DOUBTFUL + 1), Verdict::Doubtful);
    }

    #[test]
    fn those_of_another_part_do_not_help() {
        let now = Instant::now();
        let first = |seen: &[Seen], is_open| Readings::default().read(seen, is_open, now);
        let mut seen = all(1);
        seen.push(Seen::Elsewhere);
        assert_eq!(first(&seen, false), Verdict::Ask(vec![0, 2]));
        // Unless they can come, or are waited for.
        assert_eq!(first(&seen, true), Verdict::Open);
        seen[2] = rests(3, 1, Need::each([3]));
        assert_eq!(first(&seen, false), Verdict::Open);
    }

    #[test]
    fn nobody_is_no_deadlock() {
        let mut readings = Readings::default();
        let now = Instant::now();
        assert_eq!(
            readings.read(&[Seen::Ended, Seen::Ended], false, now),
            Verdict::Open
        );
    }
}
