//! The rounds by their faults.

use crate::plan::{Kind, Plan};
use crate::round::Done;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::time::Duration;

#[derive(Default)]
pub struct Tally {
    rows: BTreeMap<Kind, Row>,
    injected: BTreeMap<String, u64>,
    compared: u64,
}

#[derive(Default)]
struct Row {
    rounds: u64,
    failed: u64,
    /// Of these a fault ended the job, or a call failed by one.
    faulted: u64,
    /// The longest from a fault to the end.
    longest: Duration,
}

impl Tally {
    pub fn add(&mut self, plan: &Plan, done: &Done) {
        let row = self.rows.entry(plan.kind).or_default();
        row.rounds += 1;
        row.failed += u64::from(!done.complaints.is_empty());
        row.faulted += u64::from(done.ended.status != 0);
        row.longest = row.longest.max(done.after_fault.unwrap_or_default());
        for (name, count) in &done.injected {
            *self.injected.entry(name.clone()).or_default() += count;
        }
        let said = done
            .ended
            .stdout
            .split_once(" steps, ")
            .map(|(_, after)| after);
        let compared = said.and_then(|said| said.split(' ').next()?.parse::<u64>().ok());
        self.compared += compared.unwrap_or(0);
    }

    pub fn failed(&self) -> u64 {
        self.rows.values().map(|row| row.failed).sum()
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| fault | rounds | not with status 0 | failed | longest from fault to end |"
        )?;
        writeln!(f, "|---|---:|---:|---:|---:|")?;
        for (kind, row) in &self.rows {
            let longest = match row.longest.is_zero() {
                true => String::new(),
                false => format!("{:.2} s", row.longest.as_secs_f64()),
            };
            let Row {
                rounds,
                failed,
                faulted,
                ..
            } = row;
            writeln!(
                f,
                "| {} | {rounds} | {faulted} | {failed} | {longest} |",
                kind.name()
            )?;
        }
        if !self.injected.is_empty() {
            let each = self
                .injected
                .iter()
                .map(|(name, count)| format!("{name} {count}"));
            writeln!(
                f,
                "calls that were made to fail: {}",
                each.collect::<Vec<_>>().join(", ")
            )?;
        }
        writeln!(
            f,
            "results compared by rank 0 of jobs that ended well: {}",
            self.compared
        )?;
        let rounds: u64 = self.rows.values().map(|row| row.rounds).sum();
        let failed = self.failed();
        writeln!(f, "{} passed, {failed} failed", rounds - failed)
    }
}
