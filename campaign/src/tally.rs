//! The rounds by their faults, by what the programs are like, and by their interfaces.

use crate::plan::Plan;
use crate::round::Done;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::time::Duration;

/// A row for each name.
#[derive(Default)]
struct Rows(BTreeMap<&'static str, Row>);

#[derive(Default)]
pub struct Tally {
    faults: Rows,
    works: Rows,
    interfaces: Rows,
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
        let Plan {
            kind,
            work,
            interface,
            ..
        } = plan;
        self.faults.add(kind.name(), done);
        self.works.add(work.name(), done);
        self.interfaces.add(interface.name(), done);
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
        self.faults.0.values().map(|row| row.failed).sum()
    }
}

impl Rows {
    fn add(&mut self, name: &'static str, done: &Done) {
        let row = self.0.entry(name).or_default();
        row.rounds += 1;
        row.failed += u64::from(!done.complaints.is_empty());
        row.faulted += u64::from(done.ended.status != 0);
        row.longest = row.longest.max(done.after_fault.unwrap_or_default());
    }

    fn write(&self, of: &str, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| {of} | rounds | not with status 0 | failed | longest from fault to end |"
        )?;
        writeln!(f, "|---|---:|---:|---:|---:|")?;
        for (name, row) in &self.0 {
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
                "| {name} | {rounds} | {faulted} | {failed} | {longest} |"
            )?;
        }
        writeln!(f)
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.faults.write("fault", f)?;
        self.works.write("program", f)?;
        self.interfaces.write("interface", f)?;
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
        let rounds: u64 = self.faults.0.values().map(|row| row.rounds).sum();
        let failed = self.failed();
        writeln!(f, "{} passed, {failed} failed", rounds - failed)
    }
}
