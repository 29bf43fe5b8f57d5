//! Findings that ranks have alike, as where all do the same at one line: told once, with the ranks.
//!
//! Two are alike if their texts are, but for the numbers of ranks and addresses. What a look at the ranks finds is told at once: the first
//! with all that have come by then. Those that come later are told together, after a second, then after two, four, and so on, and when the
//! job is over. Findings of one rank are never put together: a message that it has left from each of two others is two.

use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use rustc_hash::FxBuildHasher;

use crate::report::ranks_text;

const PAUSE: Duration = Duration::from_secs(1);

/// What a rank has found, and what it is told by.
pub struct Finding {
    pub rank: u32,
    /// "rank 3 (pid 4711, ./program)".
    pub name: String,
    pub program: String,
    /// "MPI_Send at main (a.c:3): type mismatch: a sentence (MPI 4.1 §3.3.1)", and the place may lack.
    pub text: String,
    pub is_note: bool,
}

/// What was told.
#[derive(Default)]
pub struct Alike(Vec<Group>);

struct Group {
    /// A hash of what they have in common.
    key: u64,
    /// The first, of whose text only [`head`] stays once it was told.
    first: Finding,
    ranks: Vec<u32>,
    /// Those of them that are not told yet.
    later: Vec<u32>,
    /// Whether those that are told with the first have its whole text.
    are_same: bool,
    /// When to tell the later ones, and how long they wait next time.
    due: Instant,
    pause: Duration,
}

impl Alike {
    /// How many findings there are that no other is like, notes apart.
    pub fn wrong(&self) -> usize {
        let wrong = self.0.iter().filter(|group| !group.first.is_note);
        wrong.count()
    }

    /// The lines that tell what is new.
    pub fn tell(&mut self, new: Vec<Finding>, now: Instant) -> Vec<String> {
        let before = self.0.len();
        for finding in new {
            let (rank, plain) = (finding.rank, plain(&finding.text));
            let key = FxBuildHasher.hash_one((&*plain, &*finding.program));
            let mut groups = self.0.iter_mut();
            let alike = groups.find(|group| group.key == key && !group.ranks.contains(&rank));
            if let Some(group) = alike {
                group.ranks.push(rank);
                group.later.push(rank);
                group.are_same &= finding.text == group.first.text;
                continue;
            }
            self.0.push(Group {
                key,
                first: finding,
                ranks: vec![rank],
                later: Vec::new(),
                are_same: true,
                due: now + PAUSE,
                pause: PAUSE,
            });
        }
        self.0[before..].iter_mut().map(Group::tell).collect()
    }

    /// The lines that tell which ranks have found the same later: those whose time has come, or all.
    pub fn tell_later(&mut self, now: Option<Instant>) -> Vec<String> {
        let groups = self.0.iter_mut();
        groups.filter_map(|group| group.tell_later(now)).collect()
    }
}

impl Group {
    /// The first, with those that have come by now.
    fn tell(&mut self) -> String {
        let Finding {
            name,
            program,
            text,
            ..
        } = &mut self.first;
        let line = match (self.later.is_empty(), self.are_same) {
            (true, _) => format!("{name}, {text}"),
            (_, true) => format!("{} ({program}), {text}", ranks_text(&self.ranks)),
            (_, false) => format!(
                "{name}, {text}; the same at {}, but for ranks and addresses",
                ranks_text(&self.later)
            ),
        };
        self.later.clear();
        text.truncate(head(text).len());
        line
    }

    fn tell_later(&mut self, now: Option<Instant>) -> Option<String> {
        if self.later.is_empty() || now.is_some_and(|now| now < self.due) {
            return None;
        }
        self.pause *= 2;
        self.due = now.unwrap_or(self.due) + self.pause;
        self.later.sort_unstable();
        let (who, first) = (ranks_text(&self.later), &self.first);
        self.later.clear();
        let Finding {
            program,
            text,
            rank,
            ..
        } = first;
        Some(format!("{who} ({program}), {text}: as at rank {rank}"))
    }
}

/// The text without numbers of ranks and without addresses.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut radix = 0;
    for c in text.chars() {
        if radix > 0 && c.is_digit(radix) {
            continue;
        }
        plain.push(c);
        radix = match () {
            _ if plain.ends_with("0x") => 16,
            _ if plain.ends_with("rank ") => 10,
            _ => 0,
        };
    }
    plain
}

/// Place and kind, by which a finding is known again.
fn head(text: &str) -> &str {
    let has_place = text.starts_with("MPI");
    let is_note = text.contains(": note: ") || text.starts_with("note: ");
    let parts = 1 + usize::from(has_place) + usize::from(is_note);
    let mut ends = text.match_indices(": ").map(|(at, _)| at);
    &text[..ends.nth(parts - 1).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rank: u32, text: &str) -> Finding {
        Finding {
            rank,
            name: format!("rank {rank} (pid {}, ./a)", 100 + rank),
            program: "./a".to_string(),
            text: text.to_string(),
            is_note: text.contains("note: "),
        }
    }

    #[test]
    fn what_all_find_is_told_once() {
        let now = Instant::now();
        let mut alike = Alike::default();
        let same = "MPI_Comm_dup at f (a.c:1): note: not freed: it lives (MPI 4.1 §7.4.3)";
        let other = |rank: u32| {
            format!("MPI_Recv at f (a.c:2): bad buffer: rank {rank}'s at 0x{rank}f (MPI)")
        };
        let new = (0..3).flat_map(|rank| [found(rank, same), found(rank, &other(rank))]);
        assert_eq!(
            alike.tell(new.collect(), now),
            [
                format!("ranks 0-2 (./a), {same}"),
                "rank 0 (pid 100, ./a), MPI_Recv at f (a.c:2): bad buffer: rank 0's at 0x0f (MPI); the same at ranks 1-2, but for ranks \
                 and addresses"
                    .to_string(),
            ]
        );
        assert_eq!(alike.wrong(), 1);
        // Later ones wait.
        assert!(
            alike
                .tell(vec![found(7, same), found(5, same)], now)
                .is_empty()
        );
        assert!(alike.tell_later(Some(now)).is_empty());
        let told = ["ranks 5, 7 (./a), MPI_Comm_dup at f (a.c:1): note: not freed: as at rank 0"];
        assert_eq!(alike.tell_later(Some(now + PAUSE)), told);
        assert!(alike.tell_later(None).is_empty());
        assert!(alike.tell(vec![found(6, &other(6))], now).is_empty());
        let told = ["rank 6 (./a), MPI_Recv at f (a.c:2): bad buffer: as at rank 0"];
        assert_eq!(alike.tell_later(None), told);
    }

    #[test]
    fn what_differs_is_told_apart() {
        let now = Instant::now();
        let mut alike = Alike::default();
        let text = |line: u32, from: u32, bytes: u32| {
            format!("MPI_Send at f (a.c:{line}): left: {bytes} bytes from rank {from} (MPI)")
        };
        let new = vec![
            found(0, &text(1, 1, 8)),
            // Another place, other data, a second one of the same rank.
            found(1, &text(2, 1, 8)),
            found(1, &text(1, 1, 4)),
            found(0, &text(1, 2, 8)),
        ];
        let lines = alike.tell(new, now);
        assert_eq!((lines.len(), alike.wrong()), (4, 4));
        // The second one of another rank is like the second.
        let new = vec![found(3, &text(1, 1, 8)), found(3, &text(1, 2, 8))];
        assert!(alike.tell(new, now).is_empty());
        assert_eq!(alike.tell_later(None).len(), 2);
        let mut elsewhere = found(4, &text(1, 1, 8));
        elsewhere.program = "./b".to_string();
        assert_eq!(alike.tell(vec![elsewhere], now).len(), 1);
    }

    #[test]
    fn heads_and_plain_texts() {
        for (text, its_head) in [
            (
                "MPI_Send at f (a.c:1): left: it is (MPI)",
                "MPI_Send at f (a.c:1): left",
            ),
            (
                "MPI_Send at A::f (a.c:1): left: it: is",
                "MPI_Send at A::f (a.c:1): left",
            ),
            ("MPI_Send: note: error: it: is", "MPI_Send: note: error"),
            ("note: left: it is", "note: left"),
            ("left: it is", "left"),
            ("what is this", "what is this"),
        ] {
            assert_eq!(head(text), its_head);
        }
        for (text, its_plain) in [
            ("rank 12's 0x7ffc and rank", "rank 's 0x and rank"),
            ("12 ranks, rank 0", "12 ranks, rank "),
            ("§3 at 0x", "§3 at 0x"),
        ] {
            assert_eq!(plain(text), its_plain);
        }
    }
}
