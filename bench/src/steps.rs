//! Sizes that stand out: of the family `sizes`, where a size takes longer than the next larger one, or far longer than the
//! next smaller one.

use crate::results::{Key, Results, Row};
use std::fmt::Write;

/// The family that goes over every size.
pub const FAMILY: &str = "sizes";

/// So much longer than the next larger size is more than such a measurement's noise.
const LONGER: f64 = 1.2;
/// So much longer than the next smaller size, which is half of it, is a step.
const STEEP: f64 = 4.0;

/// One size of a case that stands out.
struct Step<'a> {
    key: &'a Key,
    before: Option<f64>,
    value: f64,
    after: Option<f64>,
}

/// All steps of a program.
fn steps<'a>(results: &'a Results, program: &str) -> Vec<Step<'a>> {
    let rows: Vec<(&Key, f64)> = results
        .rows
        .iter()
        .filter(|(key, _)| key.family == FAMILY)
        .filter_map(|(key, row): (&Key, &Row)| Some((key, row.median(program)?)))
        .collect();
    let neighbour = |key: &Key, place: Option<usize>| {
        let (other, value) = rows.get(place?)?;
        (other.case == key.case && other.ranks == key.ranks).then_some(*value)
    };
    let step = |(place, &(key, value)): (usize, &(&'a Key, f64))| {
        let before = neighbour(key, place.checked_sub(1));
        let after = neighbour(key, place.checked_add(1));
        let stands_out = before.is_some_and(|before| value > before * STEEP)
            || after.is_some_and(|after| value > after * LONGER);
        stands_out.then_some(Step {
            key,
            before,
            value,
            after,
        })
    };
    rows.iter().enumerate().filter_map(step).collect()
}

/// A table of the steps of each program; empty if the family did not run.
pub fn markdown(results: &Results, programs: &[&str]) -> String {
    let mut out = String::new();
    if !results.rows.keys().any(|key| key.family == FAMILY) {
        return out;
    }
    let _ = writeln!(
        out,
        "Longer than {LONGER} times the next larger size, or than {STEEP} times the next smaller one (ns):\n\n\
         | program | case | ranks | bytes | before | this | after |\n|---|---|---:|---:|---:|---:|---:|"
    );
    let figure = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.0}"));
    for program in programs {
        for step in steps(results, program) {
            let Key { case, ranks, x, .. } = step.key;
            let (before, after) = (figure(step.before), figure(step.after));
            let value = figure(Some(step.value));
            let _ = writeln!(
                out,
                "| {program} | {case} | {ranks} | {x} | {before} | {value} | {after} |"
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(case: &str, values: &[f64]) -> Results {
        let mut results = Results::default();
        for (i, &value) in values.iter().enumerate() {
            let key = Key {
                family: FAMILY,
                case: case.into(),
                ranks: 2,
                x: 4 << i,
            };
            results.add(key, "ns", "rmashm", value);
        }
        results
    }

    fn found(values: &[f64]) -> Vec<i64> {
        let results = results("put", values);
        let steps = steps(&results, "rmashm");
        steps.iter().map(|step| step.key.x).collect()
    }

    #[test]
    fn smooth_sizes_have_none() {
        assert_eq!(found(&[1.0, 1.0, 1.1, 1.0, 2.0, 4.0, 8.0, 16.0]), []);
        assert_eq!(found(&[]), []);
        assert_eq!(found(&[7.0]), []);
    }

    #[test]
    fn what_takes_longer_than_the_next_stands_out() {
        assert_eq!(found(&[1.0, 2.0, 7.0, 4.0, 8.0]), [16]);
    }

    #[test]
    fn what_takes_far_longer_than_the_one_before_stands_out() {
        assert_eq!(found(&[1.0, 2.0, 9.0, 10.0, 20.0]), [16]);
    }

    #[test]
    fn other_cases_are_no_neighbours() {
        let mut both = results("get", &[100.0]);
        both.rows.extend(results("put", &[1.0, 2.0]).rows);
        assert!(steps(&both, "rmashm").is_empty());
    }
}
