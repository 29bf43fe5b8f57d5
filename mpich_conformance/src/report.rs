//! What a run tells: a table for people, JUnit and TAP for programs.

use crate::outcome::Outcome;
use crate::run::Done;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// How an entry counts, with regard to the exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    As(Outcome),
    /// Did not pass, and is known not to.
    Excepted,
}

#[derive(Default)]
struct Row {
    passed: usize,
    failed: usize,
    timed_out: usize,
    excepted: usize,
    not_applicable: usize,
    took: Duration,
}

impl Row {
    fn add(&mut self, counts: Counts, took: Duration) {
        let column = match counts {
            Counts::As(Outcome::Passed) => &mut self.passed,
            Counts::As(Outcome::Failed) => &mut self.failed,
            Counts::As(Outcome::TimedOut) => &mut self.timed_out,
            Counts::As(Outcome::NotApplicable) => &mut self.not_applicable,
            Counts::Excepted => &mut self.excepted,
        };
        *column += 1;
        self.took += took;
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{name:<20} {:>7} {:>7} {:>10} {:>9} {:>15} {:>9.1}\n",
            self.passed,
            self.failed,
            self.timed_out,
            self.excepted,
            self.not_applicable,
            self.took.as_secs_f64()
        )
    }
}

/// One line for each directory, and their sum.
pub fn table(results: &[(Counts, Done)]) -> String {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut sum = Row::default();
    for (counts, done) in results {
        let row = rows.entry(&done.entry.directory).or_default();
        row.add(*counts, done.took);
        sum.add(*counts, done.took);
    }
    let mut text = format!(
        "{:<20} {:>7} {:>7} {:>10} {:>9} {:>15} {:>9}\n",
        "directory", "passed", "failed", "timed out", "excepted", "not applicable", "seconds"
    );
    for (directory, row) in &rows {
        text += &row.line(directory);
    }
    if rows.len() > 1 {
        text += &sum.line("all");
    }
    text
}

/// The entries that took longest, a line each: where a run's time goes.
pub fn slowest(results: &[(Counts, Done)], most: usize) -> String {
    let mut all: Vec<&Done> = results.iter().map(|(_, done)| done).collect();
    all.sort_by_key(|done| std::cmp::Reverse(done.took));
    let mut text = String::new();
    for done in all.into_iter().take(most) {
        let _ = writeln!(text, "{:>7.1} s  {}", done.took.as_secs_f64(), done.entry);
    }
    text
}

pub fn junit(results: &[(Counts, Done)], file: &Path) -> Result<(), String> {
    let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
    for (counts, done) in results {
        let mut status = match counts {
            Counts::As(Outcome::Passed) => TestCaseStatus::success(),
            Counts::As(Outcome::Failed) => TestCaseStatus::non_success(NonSuccessKind::Failure),
            Counts::As(Outcome::TimedOut) => TestCaseStatus::non_success(NonSuccessKind::Error),
            Counts::As(Outcome::NotApplicable) | Counts::Excepted => TestCaseStatus::skipped(),
        };
        status.set_message(done.reason.as_str());
        if *counts != Counts::Excepted && !done.details.is_empty() {
            status.set_description(done.details.as_str());
        }
        let directory = done.entry.directory.as_str();
        let mut case = TestCase::new(done.entry.to_string(), status);
        case.set_classname(directory).set_time(done.took);
        suites
            .entry(directory)
            .or_insert_with(|| TestSuite::new(directory))
            .add_test_case(case);
    }
    let mut report = quick_junit::Report::new("MPICH's test suite");
    report.add_test_suites(suites.into_values());
    let text = report.to_string().map_err(|error| error.to_string())?;
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

pub fn tap(results: &[(Counts, Done)], file: &Path) -> Result<(), String> {
    let text = tap_text(results);
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

fn tap_text(results: &[(Counts, Done)]) -> String {
    let mut text = format!("TAP version 13\n1..{}\n", results.len());
    for (number, (counts, done)) in results.iter().enumerate() {
        let (ok, directive) = match counts {
            Counts::As(Outcome::Passed) => ("ok", String::new()),
            Counts::As(Outcome::NotApplicable) => ("ok", format!(" # SKIP {}", done.reason)),
            Counts::As(Outcome::Failed | Outcome::TimedOut) => ("not ok", String::new()),
            Counts::Excepted => ("not ok", format!(" # TODO {}", done.reason)),
        };
        let _ = writeln!(text, "{ok} {} - {}{directive}", number + 1, done.entry);
        for line in done.details.lines() {
            let _ = writeln!(text, "# {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testlist::Entry;
    use crate::verdict::Expectation;

    fn entry() -> Entry {
        Entry {
            directory: "rma".into(),
            folder: "rma".into(),
            program: "put".into(),
            ranks: 2,
            arguments: vec!["-n=1".into()],
            environment: Vec::new(),
            launcher_arguments: Vec::new(),
            seconds: 1,
            expectation: Expectation::NoErrors,
            memory: None,
            not_applicable: None,
        }
    }

    fn results(entry: &Entry) -> Vec<(Counts, Done<'_>)> {
        let all = [
            Counts::As(Outcome::Passed),
            Counts::As(Outcome::TimedOut),
            Counts::As(Outcome::NotApplicable),
            Counts::Excepted,
        ];
        all.map(|counts| {
            let done = Done {
                entry,
                outcome: Outcome::Passed,
                reason: "because".into(),
                details: "one <&\ntwo".into(),
                took: Duration::from_millis(1500),
            };
            (counts, done)
        })
        .into()
    }

    #[test]
    fn the_slowest_come_first() {
        let entry = entry();
        let mut all = results(&entry);
        all[0].1.took = Duration::from_secs(1);
        all[2].1.took = Duration::from_secs(20);
        let text = slowest(&all, 2);
        let seconds: Vec<&str> = text.lines().map(|line| &line[..7]).collect();
        assert_eq!(seconds, ["   20.0", "    1.5"]);
        assert!(text.lines().all(|line| line.ends_with("rma/put 2 -n=1")));
    }

    #[test]
    fn the_table_counts_by_directory() {
        let entry = entry();
        let text = table(&results(&entry));
        let words: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(words, ["rma", "1", "0", "1", "1", "1", "6.0"]);
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn tap_marks_what_is_known() {
        let entry = entry();
        let text = tap_text(&results(&entry));
        assert!(text.starts_with("TAP version 13\n1..4\nok 1 - rma/put 2 -n=1\n# one <&\n"));
        assert!(text.contains("\nnot ok 2 - rma/put 2 -n=1\n"));
        assert!(text.contains("\nok 3 - rma/put 2 -n=1 # SKIP because\n"));
        assert!(text.contains("\nnot ok 4 - rma/put 2 -n=1 # TODO because\n"));
    }

    #[test]
    fn junit_is_written() {
        let entry = entry();
        let file = std::env::temp_dir().join(format!("conformance-{}.xml", std::process::id()));
        junit(&results(&entry), &file).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(text.contains(r#"tests="4""#), "{text}");
        assert!(text.contains("one &lt;&amp;"), "{text}");
    }
}
