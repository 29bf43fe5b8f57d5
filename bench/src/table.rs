//! The results as a table for people and as one for programs.

use crate::libraries::{LIMIT, OURS};
use crate::marks::{self, Bound, Own};
use crate::results::{Key, Results, Row};
use std::fmt::Write;

/// Three digits are more than such a measurement can tell.
fn figure(value: Option<f64>) -> String {
    match value {
        None => "".into(),
        Some(0.0) => "0".into(),
        Some(v) if v.abs() >= 100.0 => format!("{v:.0}"),
        Some(v) => {
            let digits = (2 - v.abs().log10().floor() as i32).clamp(0, 6) as usize;
            format!("{v:.digits$}")
        }
    }
}

/// A ratio next to its mark.
fn against(ratio: Option<f64>, mark: Option<f64>, rate: bool) -> String {
    let Some(ratio) = ratio else {
        return String::new();
    };
    let text = figure(Some(ratio));
    match mark {
        None => text,
        Some(mark) => {
            let reached = if rate { ratio >= mark } else { ratio <= mark };
            let sign = if rate { "≥" } else { "≤" };
            let word = if reached { "" } else { " **no**" };
            format!("{text} ({sign} {mark}){word}")
        }
    }
}

/// A section per family. `programs` are the columns, ours first.
pub fn markdown(results: &Results, programs: &[&str]) -> String {
    let mut out = String::new();
    let mut family = "";
    for (key, row) in &results.rows {
        // A limit is a column, not a row.
        if row.median(OURS).is_none() && row.best_peer().is_none() {
            continue;
        }
        if key.family != family {
            family = key.family;
            let _ = write!(out, "\n### {family}\n\n| case | x | ranks | unit |");
            for name in programs {
                let _ = write!(out, " {name} |");
            }
            out += " to best peer | to limit |\n|---|---:|---:|---|";
            out += &"---:|".repeat(programs.len() + 2);
            out.push('\n');
        }
        line(&mut out, results, key, row, programs);
    }
    if !results.failures.is_empty() {
        out += "\nDid not get to the end:\n\n";
    }
    for (family, ranks, program, why) in &results.failures {
        let _ = writeln!(out, "- {program}, {family} with {ranks} ranks: {why}");
    }
    out
}

fn line(out: &mut String, results: &Results, key: &Key, row: &Row, programs: &[&str]) {
    let limit = results.limit(key);
    let mark = marks::of(key);
    let rate = row.rate();
    let _ = write!(
        out,
        "| {} | {} | {} | {} |",
        key.case, key.x, key.ranks, row.unit
    );
    for name in programs {
        let value = if *name == LIMIT {
            limit
        } else {
            row.median(name)
        };
        let _ = write!(out, " {} |", figure(value));
    }
    let peer = against(row.ratio(row.best_peer()), mark.and_then(|m| m.peer), rate);
    let limit = against(row.ratio(limit), mark.and_then(|m| m.limit), rate);
    let _ = writeln!(out, " {peer} | {limit} |");
}

/// What there are marks for, in short.
pub fn marks(results: &Results) -> String {
    let mut out = String::from(
        "| family | case | x | ranks | unit | rmashm | best peer | ratio | bare machine | ratio |\n\
         |---|---|---:|---:|---|---:|---:|---:|---:|---:|\n",
    );
    for (key, row) in &results.rows {
        let Some(mark) = marks::of(key).filter(|_| row.median(OURS).is_some()) else {
            continue;
        };
        let peer = row.best_peer().filter(|_| mark.peer.is_some());
        let limit = results.limit(key).filter(|_| mark.limit.is_some());
        let _ = writeln!(
            out,
            "{} {} | {} | {} | {} |",
            ours(key, row),
            figure(peer),
            against(row.ratio(peer), mark.peer, row.rate()),
            figure(limit),
            against(row.ratio(limit), mark.limit, row.rate()),
        );
    }
    out += "\n| family | case | x | ranks | unit | rmashm | divided by | quotient |\n|---|---|---:|---:|---|---:|---|---:|\n";
    for own in marks::all_own() {
        for (key, row) in results.rows.iter().filter(|(key, _)| own.fits(key)) {
            own_line(&mut out, results, own, key, row);
        }
    }
    out
}

fn own_line(out: &mut String, results: &Results, own: &Own, key: &Key, row: &Row) {
    let by = own.by.map(|(case, x, ranks)| Key {
        case: case.to_string(),
        x: x.unwrap_or(key.x),
        ranks: ranks.unwrap_or(key.ranks),
        ..key.clone()
    });
    let (value, name) = match &by {
        None => (row.median(OURS), String::new()),
        Some(by) => {
            let other = results.rows.get(by).and_then(|other| other.median(OURS));
            let name = format!("{}, {}, {} ranks", by.case, by.x, by.ranks);
            (row.ratio(other), name)
        }
    };
    let (mark, more) = match own.bound {
        Bound::Most(mark) => (mark, false),
        Bound::Least(mark) => (mark, true),
    };
    let quotient = against(value, Some(mark), more);
    let _ = writeln!(out, "{} {name} | {quotient} |", ours(key, row));
}

/// What was measured and what ours did, as the beginning of a line.
fn ours(key: &Key, row: &Row) -> String {
    let (family, case, x, ranks, unit) = (key.family, &key.case, key.x, key.ranks, &row.unit);
    let ours = figure(row.median(OURS));
    format!("| {family} | {case} | {x} | {ranks} | {unit} | {ours} |")
}

/// Every single value.
pub fn csv(results: &Results) -> String {
    let mut out = String::from("family,case,x,ranks,unit,program,round,value\n");
    for (key, row) in &results.rows {
        for (program, values) in row.all() {
            for (round, value) in values.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "{},{},{},{},{},{program},{},{value}",
                    key.family,
                    key.case,
                    key.x,
                    key.ranks,
                    row.unit,
                    round + 1
                );
            }
        }
    }
    out
}
