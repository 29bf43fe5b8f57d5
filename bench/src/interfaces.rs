//! What the library's C interfaces cost beside each other, Fortran beside C, and calls that are observed beside those that are not: the
//! same operations by programs of each of them. And what programs pay that are checked.

use crate::libraries::{CHECKED, FACES, FORTRAN, OBSERVED, OURS};
use crate::results::Results;
use std::fmt::Write;

/// The family that the programs of the other interfaces run.
pub const FAMILY: &str = "latency";
/// The size at which a call is nearly all that is measured.
const BYTES: i64 = 8;
/// By how many nanoseconds another interface may be slower, or faster.
const WITHIN: f64 = 2.0;
/// By how many two calls may be slower in Fortran: three each.
const FORTRAN_WITHIN: f64 = 6.0;

/// The same of two calls that are observed: 30 each.
const OBSERVED_WITHIN: f64 = 60.0;

/// How many times as long operations of so many bytes may take that are checked.
const CHECKED_WITHIN: [(i64, f64); 2] = [(BYTES, 5.0), (64 << 10, 1.5)];

/// The names of all others, as they are in results.
pub fn names() -> impl Iterator<Item = &'static str> {
    let more = FORTRAN.map(|(name, _)| name).into_iter();
    let more = more.chain(OBSERVED.map(|(name, _)| name));
    FACES.into_iter().chain(more).chain([CHECKED.0])
}

/// A table of the operations of few bytes; empty if no other interface ran.
pub fn markdown(results: &Results) -> String {
    let mut out = String::new();
    let beside = || names().filter(|name| *name != CHECKED.0);
    for (key, row) in &results.rows {
        let others: Vec<_> = beside().map(|name| (name, row.median(name))).collect();
        let (true, Some(ours)) = (key.family == FAMILY && key.x == BYTES, row.median(OURS)) else {
            continue;
        };
        if others.iter().all(|(_, median)| median.is_none()) {
            continue;
        }
        if out.is_empty() {
            let _ = writeln!(
                out,
                "{BYTES} bytes, ns (each within {WITHIN} of the first, or two hundredths of it; in Fortran {FORTRAN_WITHIN}, \
                 observed {OBSERVED_WITHIN}):\n\n\
                 | case | {OURS} | {} |\n|---|---:|{}",
                beside().collect::<Vec<_>>().join(" | "),
                "---:|".repeat(beside().count())
            );
        }
        let _ = write!(out, "| {} | {ours:.1} |", key.case);
        for (name, other) in others {
            let is_observed = OBSERVED.iter().any(|(observed, _)| *observed == name);
            let within = match FACES.contains(&name) {
                true => WITHIN,
                false if is_observed => OBSERVED_WITHIN,
                false => FORTRAN_WITHIN,
            };
            let _ = match other {
                Some(other) => write!(out, " {other:.1}{} |", verdict(ours, other, within)),
                None => write!(out, "  |"),
            };
        }
        out.push('\n');
    }
    out + &checked(results)
}

/// A table of what is checked; empty if nothing was.
fn checked(results: &Results) -> String {
    let mut out = String::new();
    for (bytes, within) in CHECKED_WITHIN {
        for (key, row) in &results.rows {
            let (ours, checked) = (row.median(OURS), row.median(CHECKED.0));
            let (true, Some(ours), Some(checked)) =
                (key.family == FAMILY && key.x == bytes, ours, checked)
            else {
                continue;
            };
            if out.is_empty() {
                out += "\nChecked (-check), ns:\n\n| case | bytes | unchecked | checked | ratio | at most |\n|---|---:|---:|---:|---:|---:|\n";
            }
            let ratio = checked / ours;
            let verdict = if ratio <= within { "" } else { " **no**" };
            let case = &key.case;
            let _ = writeln!(
                out,
                "| {case} | {bytes} | {ours:.1} | {checked:.1} | {ratio:.2}{verdict} | {within} |"
            );
        }
    }
    out
}

fn verdict(ours: f64, other: f64, within: f64) -> &'static str {
    match (other - ours).abs() <= within.max(ours * 0.02) {
        true => "",
        false => " **no**",
    }
}
