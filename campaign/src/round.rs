//! One round: a job, what is done to it, and what is left of it.

use crate::build::Programs;
use crate::plan::{Fault, Plan};
use crate::verdict::{self, Heard};
use crate::{injected, strike};
use harness::job::{Ended, LAUNCHER_LATER, Running};
use harness::leftovers;
use programs::Interface;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Far longer than a round takes, also where other programs take the cores.
const WATCHDOG: u64 = 40;

/// What came of a round.
pub struct Done {
    pub ended: Ended,
    /// What is wrong with it.
    pub complaints: Vec<String>,
    /// The calls that were made to fail.
    pub injected: BTreeMap<String, u64>,
    /// From the fault to the end of the launcher, where the fault was one that ends the job.
    pub after_fault: Option<Duration>,
}

impl Done {
    pub fn report(&self, seed: u64, round: u64, plan: &Plan) -> String {
        let mut text = match self.complaints.is_empty() {
            true => format!("passed: round {round}: {plan:?}\n"),
            false => format!(
                "FAILED: round {round}: {}\nrepeat: rmashm-campaign --seed {seed} --round {round}\n{plan:?}\n",
                self.complaints.join("; ")
            ),
        };
        if !self.injected.is_empty() {
            text += &format!("injected: {:?}\n", self.injected);
        }
        text += &format!("status {}\n{}", self.ended.status, self.ended.report());
        text
    }
}

pub fn run(programs: &Programs, number: u64, plan: &Plan) -> Result<Done, String> {
    let folder = programs.folder.join(format!("round-{number}"));
    let worker = programs.worker(plan.interface);
    let (files, temporary) = (folder.join("files"), folder.join("tmp"));
    let table = folder.join("faults");
    for made in [&files, &temporary] {
        std::fs::create_dir_all(made).map_err(|error| format!("{}: {error}", made.display()))?;
    }
    let before = leftovers::shared_memory_files();
    let mut command = job(programs, plan, &files);
    command.env("TMPDIR", &temporary);
    // What tells of a place in the program needs memory itself, of which there may be none.
    command.env("RUST_BACKTRACE", "0");
    if let Fault::Injected(injection) = plan.fault {
        injected::write(&table, plan.seed, injection)?;
        command.env("CAMPAIGN_FAULTS", &table);
    }
    let mut running = Running::start(command, &folder, "job")?;
    let struck = strike::strike(&mut running, worker, plan);
    let ended = running.finish(WATCHDOG)?;
    let after_fault = struck.at.map(|at| Instant::now() - at);
    let injected = injected::read(&table);
    let heard = Heard {
        struck: &struck,
        status: ended.status,
        hung: ended.hung,
        stdout: &ended.stdout,
        stderr: &ended.stderr,
    };
    let calls = injected.keys().map(String::as_str).collect();
    let mut complaints = verdict::complaints(plan, &calls, &heard);
    complaints.extend(leftovers::complaints(&ended.marker, &before));
    complaints.extend(left_in(&temporary));
    if ended.status == 0 {
        complaints.extend(left_in(&files));
    }
    let _ = std::fs::remove_dir_all(&folder);
    Ok(Done {
        ended,
        complaints,
        injected,
        after_fault,
    })
}

/// The launcher's command line.
fn job(programs: &Programs, plan: &Plan, files: &Path) -> Command {
    let mut command = Command::new(&programs.launcher);
    // It tells where the ranks are when we have given up.
    command.args(["-timeout", &(WATCHDOG + LAUNCHER_LATER).to_string()]);
    command.args(["-n", &plan.ranks.to_string()]);
    if plan.recovers {
        command.arg("-disable-auto-cleanup");
    }
    let limit = match plan.fault {
        Fault::Descriptors { most } => Some(format!("ulimit -n {most}")),
        Fault::Memory { kib } => Some(format!("ulimit -v {kib}")),
        _ => None,
    };
    if let Some(limit) = limit {
        command.args(["bash", "-c", &format!(r#"{limit} && exec "$0" "$@""#)]);
    }
    if let Fault::Injected(_) = plan.fault {
        command.args([
            "env",
            &format!("LD_PRELOAD={}", programs.injector.display()),
        ]);
    }
    if plan.interface == Interface::Openmpi {
        // Behind a shell or `env` the launcher does not see which library the program asks for.
        command.env("LD_LIBRARY_PATH", programs.prefix.join("lib/openmpi"));
    }
    command.arg(programs.worker(plan.interface));
    command.args([plan.seed, plan.steps].map(|number| number.to_string()));
    command.arg(files);
    command.arg(if plan.fatal { "fatal" } else { "return" });
    command.arg(plan.work.name());
    let timer = match plan.fault {
        Fault::Signals { timer, .. } => timer,
        _ => Duration::ZERO,
    };
    command.arg(timer.as_micros().to_string());
    if let Fault::Leave { how, step } = plan.fault {
        command.args([how.name(), &step.to_string()]);
    }
    command
}

/// What is in a folder that has to be empty.
fn left_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let complaint = |path: std::path::PathBuf| format!("{} is left behind", path.display());
    entries.map(|entry| complaint(entry.path())).collect()
}
