//! What the library's C interfaces cost beside each other: the same operations by programs of each of them.

use crate::libraries::{INTERFACES, OURS};
use crate::results::Results;
use std::fmt::Write;

/// The family that the programs of the other interfaces run.
pub const FAMILY: &str = "latency";
/// The size at which a call is nearly all that is measured.
const BYTES: i64 = 8;
/// By how many nanoseconds another interface may be slower, or faster.
const WITHIN: f64 = 2.0;

/// A table of the operations of few bytes; empty if no other interface ran.
pub fn markdown(results: &Results) -> String {
    let mut out = String::new();
    for (key, row) in &results.rows {
        let others = INTERFACES.map(|name| row.median(name));
        let (true, Some(ours)) = (key.family == FAMILY && key.x == BYTES, row.median(OURS)) else {
            continue;
        };
        if others.iter().all(Option::is_none) {
            continue;
        }
        if out.is_empty() {
            let _ = writeln!(
                out,
                "{BYTES} bytes, ns (each within {WITHIN} of the first, or two hundredths of it):\n\n\
                 | case | {OURS} | {} |\n|---|---:|---:|---:|",
                INTERFACES.join(" | ")
            );
        }
        let _ = write!(out, "| {} | {ours:.1} |", key.case);
        for other in others {
            let _ = match other {
                Some(other) => write!(out, " {other:.1}{} |", verdict(ours, other)),
                None => write!(out, "  |"),
            };
        }
        out.push('\n');
    }
    out
}

fn verdict(ours: f64, other: f64) -> &'static str {
    match (other - ours).abs() <= WITHIN.max(ours * 0.02) {
        true => "",
        false => " **no**",
    }
}
