//! A report as text of 80 columns, however many ranks there are.

use std::fmt::Write;

use super::figures::{Calls, Figures, Rank};

/// So many ranks have lines of their own; of more, those that have the most and the least of something.
const RANKS: usize = 16;
/// Lines of calls, of waits, of traffic.
const CALLS: usize = 16;
const PAIRS: usize = 12;

pub fn write(figures: &Figures) -> String {
    let mut text = String::new();
    let here = figures.here().count();
    let _ = writeln!(
        text,
        "mpiexec: what {here} of {} ranks did in MPI, in {} s from MPI_Init on",
        figures.ranks.len(),
        seconds(figures.total())
    );
    if here == 0 {
        return text;
    }
    ranks(&mut text, figures);
    calls(&mut text, figures);
    waits(&mut text, figures);
    traffic(&mut text, figures);
    text
}

/// In at most 9 characters.
pub fn seconds(time: f64) -> String {
    match time {
        ..1e4 => format!("{time:.4}"),
        _ => format!("{time:.1}"),
    }
}

/// "12.3 MiB", in at most 10 characters.
pub fn bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut scaled = count as f64;
    let mut unit = "B";
    for next in units {
        if scaled < 1000.0 {
            break;
        }
        (scaled, unit) = (scaled / 1024.0, next);
    }
    match unit {
        "B" => format!("{count} B"),
        _ => format!("{scaled:.1} {unit}"),
    }
}

fn percent(part: f64, whole: f64) -> String {
    match whole > 0.0 {
        true => format!("{:.1}", 100.0 * part / whole),
        false => "-".into(),
    }
}

/// Which ranks get lines: all if there are few, else those with the most and the least time in MPI.
fn shown(figures: &Figures) -> Vec<usize> {
    let mut all: Vec<(usize, f64)> = figures.here().map(|(n, r)| (n, r.inside)).collect();
    if all.len() > RANKS {
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.drain(RANKS / 2..all.len() - RANKS / 2);
    }
    all.sort_by_key(|(rank, _)| *rank);
    all.into_iter().map(|(rank, _)| rank).collect()
}

fn ranks(text: &mut String, figures: &Figures) {
    let _ = writeln!(
        text,
        "\n  rank     total s    in MPI s      %   waiting s      %   outside s"
    );
    let line = |text: &mut String, name: &str, of: &Rank| {
        let _ = writeln!(
            text,
            "  {name:>4}  {:>10}  {:>10}  {:>5}  {:>10}  {:>5}  {:>10}",
            seconds(of.total),
            seconds(of.inside),
            percent(of.inside, of.total),
            seconds(of.waited),
            percent(of.waited, of.total),
            seconds(of.outside())
        );
    };
    let shown = shown(figures);
    for rank in &shown {
        line(text, &rank.to_string(), &figures.ranks[*rank]);
    }
    let here = figures.here().count();
    if shown.len() < here {
        let _ = writeln!(
            text,
            "  Of {here} ranks these {} have the most and the least time in MPI.",
            shown.len()
        );
    }
    if let Some((longest, rank, mean)) = figures.imbalance().filter(|_| here > 1) {
        let _ = writeln!(
            text,
            "  Outside MPI: rank {rank} longest, {} s; the mean is {} s, {} % of that.",
            seconds(longest),
            seconds(mean),
            percent(mean, longest)
        );
    }
    for (rank, of) in figures.here() {
        if let Some(call) = &of.unfinished {
            let whom = match call.waiting {
                None => String::new(),
                Some((time, Some(whom))) => {
                    format!(", waiting for rank {whom} for {} s", seconds(time))
                }
                Some((time, None)) => format!(", waiting for {} s", seconds(time)),
            };
            let _ = writeln!(text, "  Rank {rank} ended in {}{whom}.", call.name);
        }
    }
}

fn calls(text: &mut String, figures: &Figures) {
    let all = figures.calls();
    let _ = writeln!(
        text,
        "\n  call                         calls     time s  waiting s  longest s      moved"
    );
    let line = |text: &mut String, name: &str, of: &Calls| {
        let name: String = name.chars().take(24).collect();
        let _ = writeln!(
            text,
            "  {name:<24}  {:>8}  {:>9}  {:>9}  {:>9}  {:>9}",
            of.count,
            seconds(of.seconds),
            seconds(of.waited),
            seconds(of.longest),
            if of.bytes > 0 {
                bytes(of.bytes)
            } else {
                "-".into()
            }
        );
    };
    for (name, of) in all.iter().take(CALLS) {
        line(text, name, of);
    }
    if let Some(more) = all.len().checked_sub(CALLS).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {more} functions that took less");
    }
}

fn waits(text: &mut String, figures: &Figures) {
    let waits = figures.waits();
    if waits.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n  Who waited for whom, the longest first:");
    for (rank, whom, time) in waits.iter().take(PAIRS) {
        let whom = match whom {
            Some(whom) => format!("for rank {whom}"),
            None => "for any of several, or for nobody that is known".into(),
        };
        let _ = writeln!(text, "  rank {rank:>4}  {:>10} s  {whom}", seconds(*time));
    }
    more(text, waits.len());
}

fn traffic(text: &mut String, figures: &Figures) {
    let rows = figures.traffic.iter().enumerate();
    let mut pairs: Vec<(usize, usize, u64)> = rows
        .flat_map(|(from, row)| row.iter().enumerate().map(move |(to, n)| (from, to, *n)))
        .filter(|(_, _, moved)| *moved > 0)
        .collect();
    if pairs.is_empty() {
        return;
    }
    pairs.sort_by_key(|(_, _, moved)| std::cmp::Reverse(*moved));
    let total: u64 = pairs.iter().map(|(_, _, moved)| moved).sum();
    let _ = writeln!(
        text,
        "\n  Moved by messages and one-sided calls: {}; the most:",
        bytes(total)
    );
    for (from, to, moved) in pairs.iter().take(PAIRS) {
        let _ = writeln!(
            text,
            "  rank {from:>4} to rank {to:>4}  {:>10}",
            bytes(*moved)
        );
    }
    more(text, pairs.len());
}

fn more(text: &mut String, count: usize) {
    if count > PAIRS {
        let _ = writeln!(text, "  and {} more pairs", count - PAIRS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1024), "1.0 KiB");
        assert_eq!(bytes(1 << 20), "1.0 MiB");
        for exponent in 0..64 {
            assert!(bytes((1 << exponent) - 1).len() <= 10);
        }
    }
}
