//! Running entries, several at a time, each under a watchdog.

use crate::build::Build;
use crate::options::{Launcher, Options};
use crate::outcome::Outcome;
use crate::queue::{Company, Queue};
use crate::testlist::Entry;
use crate::verdict::Expectation;
use harness::job::{self, LAUNCHER_LATER};
use harness::leftovers;
use harness::turns::Turns;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How an entry ended.
pub struct Done<'a> {
    pub entry: &'a Entry,
    pub outcome: Outcome,
    /// Why, in one line; nothing for what passed.
    pub reason: String,
    /// All that is known of a failure.
    pub details: String,
    pub took: Duration,
}

pub struct Runner<'a> {
    pub build: &'a Build,
    pub options: &'a Options,
    /// The MPI under test.
    pub prefix: &'a Path,
    /// Whether that is this project's: a real MPICH may leave files in /dev/shm for a while.
    pub ours: bool,
}

impl Runner<'_> {
    /// Runs all entries, and gives how they ended in their order; `starting` and `ended` hear of the beginning and the end of each.
    pub fn run<'a>(
        &self,
        entries: &[&'a Entry],
        starting: impl Fn(&Entry) + Sync,
        ended: impl Fn(&Done) + Sync,
    ) -> Vec<Done<'a>> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let Company {
            asleep,
            together,
            full,
            alone,
        } = Company::of(entries, cores);
        let done = Mutex::new(BTreeMap::new());
        let work = |queue: &Queue<'a>, turns: &Turns| {
            loop {
                let _job = turns.take();
                let Some(turn) = queue.next() else { return };
                starting(turn.entry);
                let result = self.run_one(turn.entry);
                ended(&result);
                let mut done = done.lock().expect("no thread has panicked");
                done.insert(turn.number, result);
            }
        };
        let phases = [
            (Queue::of(together), Turns::of(self.options.jobs)),
            (Queue::of(full), Turns::of(1)),
            (Queue::of(alone), Turns::exactly(1)),
        ];
        let asleep = (Queue::of(asleep), Turns::exactly(1));
        std::thread::scope(|sleeping| {
            sleeping.spawn(|| work(&asleep.0, &asleep.1));
            for (queue, turns) in &phases {
                std::thread::scope(|scope| {
                    for _ in 0..turns.most() {
                        scope.spawn(|| work(queue, turns));
                    }
                });
            }
        });
        let done = done.into_inner().expect("no thread has panicked");
        done.into_values().collect()
    }

    fn run_one<'a>(&self, entry: &'a Entry) -> Done<'a> {
        let start = Instant::now();
        let (outcome, reason, details) = match self.not_applicable(entry) {
            Some(reason) => (Outcome::NotApplicable, reason, String::new()),
            None => match self.judge(entry) {
                Ok(()) => (Outcome::Passed, String::new(), String::new()),
                Err((outcome, reason, details)) => (outcome, reason, details),
            },
        };
        Done {
            entry,
            outcome,
            reason,
            details,
            took: start.elapsed(),
        }
    }

    fn not_applicable(&self, entry: &Entry) -> Option<String> {
        if let Some(reason) = entry.not_applicable {
            return Some(reason.to_owned());
        }
        let wanted = entry.memory?;
        let available = available_gigabytes()?;
        (wanted > available)
            .then(|| format!("wants {wanted} GB of memory, {available:.1} are there"))
    }

    fn judge(&self, entry: &Entry) -> Result<(), (Outcome, String, String)> {
        let program = self.build.program(entry);
        if !program.is_file() {
            let details = self.build.explain(entry);
            if let Some(name) = self.build.lacking(&details) {
                let reason = format!("the header lacks {name}");
                return Err((Outcome::NotApplicable, reason, details));
            }
            return Err((Outcome::Failed, build_reason(&details), details));
        }
        let seconds = (entry.seconds as f64 * self.options.time_scale).ceil() as u64;
        // Some entries that have to fail never end by themselves: it is the launcher's limit that they are about. For the
        // others our watchdog looks first, and then the launcher says what each rank waits for.
        let (limit, seconds) = match entry.expectation {
            Expectation::Failure => (seconds, seconds + LAUNCHER_LATER),
            _ => (seconds + LAUNCHER_LATER, seconds),
        };
        let command = self.command(entry, &program, limit);
        let output = self.build.folder.join("output");
        let failed = |text: String| (Outcome::Failed, text.clone(), text);
        std::fs::create_dir_all(&output).map_err(|error| failed(error.to_string()))?;
        let name: String = entry
            .to_string()
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "-_=.".contains(c) {
                    c
                } else {
                    '-'
                }
            })
            .take(200)
            .collect();
        let before = leftovers::shared_memory_files();
        let ended = job::run(command, &output, &name, seconds).map_err(failed)?;
        if ended.hung {
            let reason = format!("did not end within {seconds} s");
            return Err((Outcome::TimedOut, reason, ended.report()));
        }
        // Looked at in any case, so that nothing outlives its entry.
        let left = if self.ours {
            leftovers::complaints(&ended.marker, &before)
        } else {
            leftovers::kill(&ended.marker);
            Vec::new()
        };
        let printed = format!("{}\n{}", ended.stdout, ended.stderr);
        let complaint = entry.expectation.complaint(ended.status, &printed);
        match complaint.or_else(|| left.into_iter().next()) {
            None => Ok(()),
            Some(reason) => Err((Outcome::Failed, reason, ended.report())),
        }
    }

    /// `limit` is the launcher's own, in seconds.
    fn command(&self, entry: &Entry, program: &Path, limit: u64) -> Command {
        let mut command = Command::new(self.launcher());
        command.env("MPIEXEC_TIMEOUT", limit.to_string());
        for variable in ["LD_LIBRARY_PATH", "LD_PRELOAD", "RMASHM_CHECK"] {
            command.env_remove(variable);
        }
        if self.options.check {
            command.env("RMASHM_CHECK", "end");
        }
        command
            .args(["-n", &entry.ranks.to_string()])
            .args(&entry.launcher_arguments)
            .arg(program)
            .args(&entry.arguments)
            .envs(entry.environment.iter().map(|(name, value)| (name, value)))
            // Where the suite's own runner starts it: some programs read or write files beside them.
            .current_dir(self.build.folder.join(&entry.folder));
        command
    }

    fn launcher(&self) -> PathBuf {
        match self.options.launcher {
            Launcher::Mpiexec => self.prefix.join("bin/mpiexec"),
            Launcher::Hydra => "mpiexec.hydra".into(),
        }
    }
}

/// The line that says most in what make printed.
fn build_reason(text: &str) -> String {
    let mut missing: Vec<&str> = text
        .split("undefined reference to `")
        .skip(1)
        .filter_map(|rest| rest.split('\'').next())
        .collect();
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        return format!("does not link: {} missing", missing.join(", "));
    }
    // Compilers for Fortran begin it with a capital.
    let is_error = |line: &&str| line.contains("error") || line.starts_with("Error: ");
    let line = text.lines().find(is_error);
    format!("does not compile: {}", line.unwrap_or("no message").trim())
}

fn available_gigabytes() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0 / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_make_says_in_a_line() {
        let link = "a.c:1: undefined reference to `MPI_B'\nx: undefined reference to `MPI_A'\n\
                    x: undefined reference to `MPI_B'\ncollect2: error: ld returned 1\n";
        assert_eq!(build_reason(link), "does not link: MPI_A, MPI_B missing");
        let compile = "In file x:\na.c:3:5: error: unknown type\n";
        assert_eq!(
            build_reason(compile),
            "does not compile: a.c:3:5: error: unknown type"
        );
        let fortran = "a.f90:3:5:\n\n  3 | end\n    | 1\nError: Syntax error at (1)\n";
        assert_eq!(
            build_reason(fortran),
            "does not compile: Error: Syntax error at (1)"
        );
    }

    #[test]
    fn memory_is_known() {
        assert!(available_gigabytes().is_some());
    }
}
