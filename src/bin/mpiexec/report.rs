//! The sentences that say how a job ended.

use std::collections::BTreeMap;

use crate::spawn::signal_text;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Exited(i32),
    Killed {
        signal: i32,
        core: bool,
    },
    /// It is gone, and is no child of this process, which would hear more.
    Unseen,
}

impl Fate {
    /// The exit status by which a shell would tell.
    pub fn status(self) -> u8 {
        match self {
            Fate::Exited(status) => status as u8,
            Fate::Killed { signal, .. } => 128_u8.saturating_add(signal as u8),
            Fate::Unseen => 1,
        }
    }

    /// "was killed by signal 11 (Segmentation fault)".
    pub fn text(self) -> String {
        match self {
            Fate::Exited(status) => format!("exited with status {status}"),
            Fate::Unseen => "is gone".to_string(),
            Fate::Killed { signal, core } => {
                let dumped = if core { ", core dumped" } else { "" };
                format!(
                    "was killed by signal {signal} ({}){dumped}",
                    signal_text(signal)
                )
            }
        }
    }
}

/// "rank 3", "ranks 0-2, 5".
pub fn ranks_text(ranks: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for rank in ranks.iter().copied() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => runs.push((rank, rank)),
        }
    }
    let runs: Vec<String> = runs
        .into_iter()
        .map(|(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        })
        .collect();
    format!(
        "{} {}",
        if ranks.len() == 1 { "rank" } else { "ranks" },
        runs.join(", ")
    )
}

/// One line for each thing that somebody waits for, with all who do; at most `most` lines.
pub fn waiting_lines(waiting: impl Iterator<Item = (u32, String)>, most: usize) -> Vec<String> {
    let mut things: Vec<(String, Vec<u32>)> = Vec::new();
    for (rank, what) in waiting {
        match things.iter_mut().find(|(known, _)| *known == what) {
            Some((_, ranks)) if ranks.last() == Some(&rank) => {}
            Some((_, ranks)) => ranks.push(rank),
            None => things.push((what, vec![rank])),
        }
    }
    let more = things.len().saturating_sub(most);
    things.truncate(most);
    let line = |(what, ranks): (String, Vec<u32>)| {
        format!(
            "{} {} in {what}",
            ranks_text(&ranks),
            if ranks.len() == 1 { "was" } else { "were" }
        )
    };
    let mut lines: Vec<String> = things.into_iter().map(line).collect();
    if more > 0 {
        lines.push(format!("and {more} more waits"));
    }
    lines
}

/// "rank 3 has left: it exited with status 0", one line for all that left in the same way.
pub fn gone_lines(gone: impl Iterator<Item = (u32, String)>) -> Vec<String> {
    let mut ways: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (rank, how) in gone {
        ways.entry(how).or_default().push(rank);
    }
    let line = |(how, ranks): (String, Vec<u32>)| format!("{} {how} before", ranks_text(&ranks));
    ways.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fates() {
        assert_eq!(Fate::Exited(3).status(), 3);
        let killed = Fate::Killed {
            signal: 11,
            core: false,
        };
        assert_eq!(
            (killed.status(), killed.text().as_str()),
            (139, "was killed by signal 11 (Segmentation fault)")
        );
    }

    #[test]
    fn ranks_are_run_together() {
        assert_eq!(ranks_text(&[3]), "rank 3");
        assert_eq!(ranks_text(&[0, 1, 2, 5]), "ranks 0-2, 5");
    }

    #[test]
    fn same_waits_share_a_line() {
        let waits = [(0, "MPI_Barrier"), (1, "MPI_Recv"), (2, "MPI_Barrier")];
        let lines = waiting_lines(
            waits.iter().map(|(rank, what)| (*rank, what.to_string())),
            8,
        );
        assert_eq!(
            lines,
            ["ranks 0, 2 were in MPI_Barrier", "rank 1 was in MPI_Recv"]
        );
    }
}
