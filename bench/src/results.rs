//! What was measured.

use crate::libraries::{LIMIT, OURS, PEERS};
use std::collections::BTreeMap;

/// One thing that is measured.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub family: &'static str,
    pub case: String,
    pub ranks: usize,
    /// Bytes, elements, or what else the case goes over.
    pub x: i64,
}

/// The values of one thing, by program.
#[derive(Default)]
pub struct Row {
    pub unit: String,
    values: BTreeMap<&'static str, Vec<f64>>,
}

impl Row {
    /// The median of what `program` did.
    pub fn median(&self, program: &str) -> Option<f64> {
        let mut values = self.values.get(program)?.clone();
        values.sort_by(f64::total_cmp);
        Some(values[values.len() / 2])
    }

    /// Whether more is better.
    pub fn rate(&self) -> bool {
        self.unit.ends_with("/s")
    }

    /// The best median of the peers.
    pub fn best_peer(&self) -> Option<f64> {
        let medians = self
            .values
            .keys()
            .filter(|name| PEERS.contains(name))
            .filter_map(|name| self.median(name));
        match self.rate() {
            true => medians.max_by(f64::total_cmp),
            false => medians.min_by(f64::total_cmp),
        }
    }

    /// Ours by that of another.
    pub fn ratio(&self, other: Option<f64>) -> Option<f64> {
        Some(self.median(OURS)? / other?)
    }

    pub fn all(&self) -> impl Iterator<Item = (&'static str, &[f64])> {
        self.values
            .iter()
            .map(|(name, values)| (*name, &values[..]))
    }
}

/// Everything.
#[derive(Default)]
pub struct Results {
    pub rows: BTreeMap<Key, Row>,
    /// Family, ranks, program, and why it did not get to the end.
    pub failures: Vec<(&'static str, usize, &'static str, String)>,
}

impl Results {
    pub fn add(&mut self, key: Key, unit: &str, program: &'static str, value: f64) {
        let row = self.rows.entry(key).or_default();
        row.unit = unit.to_string();
        row.values.entry(program).or_default().push(value);
    }

    pub fn failed(
        &mut self,
        family: &'static str,
        ranks: usize,
        program: &'static str,
        why: String,
    ) {
        self.failures.push((family, ranks, program, why));
    }

    /// Adds what a former run wrote. Families and programs are those of this one; lines of others are left out.
    pub fn read(&mut self, csv: &str, families: &[&'static str], programs: &[&'static str]) {
        let one_of = |names: &[&'static str], name| names.iter().copied().find(|n| *n == name);
        for line in csv.lines() {
            let [family, case, x, ranks, unit, program, _round, value] =
                line.split(',').collect::<Vec<_>>()[..]
            else {
                continue;
            };
            if let (Some(family), Some(program)) =
                (one_of(families, family), one_of(programs, program))
                && let (Ok(x), Ok(ranks), Ok(value)) = (x.parse(), ranks.parse(), value.parse())
            {
                let case = case.to_string();
                let key = Key {
                    family,
                    case,
                    ranks,
                    x,
                };
                self.add(key, unit, program, value);
            }
        }
    }

    /// What the bare machine does where ours does `key`.
    pub fn limit(&self, key: &Key) -> Option<f64> {
        let row = |case: &str| {
            let key = Key {
                case: case.to_string(),
                ..key.clone()
            };
            self.rows.get(&key)?.median(LIMIT)
        };
        row(&key.case).or_else(|| {
            // All flavours that are mapped have the same limit.
            let (operation, _) = key.case.split_once('_')?;
            (key.family == "latency").then(|| row(operation))?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test]
    fn what_was_written_is_read_again() {
        let mut written = Results::default();
        for (program, value) in [(OURS, 1.5), (OURS, 2.5), (LIMIT, 0.5)] {
            let key = Key {
                family: "rate",
                case: "put".into(),
                ranks: 2,
                x: 8,
            };
            written.add(key, "ns", program, value);
        }
        let csv = table::csv(&written);
        let mut read = Results::default();
        read.read(&csv, &["rate"], &[OURS, LIMIT]);
        assert_eq!(table::csv(&read), csv);
        let mut others = Results::default();
        others.read(&csv, &["latency"], &[OURS]);
        assert!(others.rows.is_empty());
    }
}
