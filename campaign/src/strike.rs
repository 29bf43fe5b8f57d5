//! What is done to a job from outside while it runs.

use crate::plan::{Fault, Plan, Random, Work};
use harness::job::Running;
use harness::leftovers;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::Path;
use std::time::{Duration, Instant};

/// What was done that ends a job, or processes of it.
#[derive(Default)]
pub struct Struck {
    /// When it was, the first time. `None` if the job had ended by itself.
    pub at: Option<Instant>,
    /// The processes that were killed.
    pub victims: Vec<i32>,
}

/// Does what the plan's fault asks for.
pub fn strike(job: &mut Running, worker: &Path, plan: &Plan) -> Struck {
    let mut struck = Struck::default();
    match plan.fault {
        Fault::Kill {
            seed,
            victims,
            after,
        } => {
            if plan.work == Work::Recovery {
                wait_for(job, |job| can_all_recover(job, worker, plan.ranks));
            }
            std::thread::sleep(after);
            struck = kill_some(job, worker, &mut Random(seed), victims);
        }
        Fault::Launcher { after } => struck.at = end_launcher(job, after, Signal::SIGKILL),
        Fault::Terminate { after } => struck.at = end_launcher(job, after, Signal::SIGTERM),
        Fault::Stop { seed, times } => stop(job, worker, &mut Random(seed), times),
        Fault::Signals { seed, times, .. } => signals(job, worker, &mut Random(seed), times),
        _ => (),
    }
    struck
}

fn send(pid: i32, signal: Signal) {
    let _ = kill(Pid::from_raw(pid), signal);
}

fn end_launcher(job: &mut Running, after: Duration, signal: Signal) -> Option<Instant> {
    std::thread::sleep(after);
    if job.has_ended() {
        return None;
    }
    let now = Instant::now();
    send(job.pid() as i32, signal);
    Some(now)
}

/// The processes that run the worker.
fn ranks(job: &Running, worker: &Path) -> Vec<i32> {
    let is_worker =
        |pid: &i32| std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == worker);
    let pids = leftovers::processes(job.marker()).into_iter();
    pids.filter(is_worker).collect()
}

/// Waits until something is so; `None` if the job ends before.
fn wait_for<T>(job: &mut Running, mut is_so: impl FnMut(&Running) -> Option<T>) -> Option<T> {
    loop {
        if let Some(it) = is_so(job) {
            return Some(it);
        }
        if job.has_ended() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether all ranks are where they go on when others die.
fn can_all_recover(job: &Running, worker: &Path, count: u64) -> Option<()> {
    let ranks = ranks(job, worker);
    let is_ready = |pid: &i32| handles(*pid, Signal::SIGUSR2);
    (ranks.len() as u64 == count && ranks.iter().all(is_ready)).then_some(())
}

fn kill_some(job: &mut Running, worker: &Path, random: &mut Random, count: u64) -> Struck {
    let mut struck = Struck::default();
    for _ in 0..count {
        let chosen = random.draw();
        let victim = wait_for(job, |job| {
            let mut all = ranks(job, worker);
            // Who was killed may not be gone yet.
            all.retain(|pid| !struck.victims.contains(pid));
            let chosen = chosen.checked_rem(all.len() as u64)?;
            Some(all[chosen as usize])
        });
        let Some(victim) = victim else { break };
        struck.at = struck.at.or(Some(Instant::now()));
        struck.victims.push(victim);
        send(victim, Signal::SIGKILL);
        std::thread::sleep(random.milliseconds(20));
    }
    struck
}

fn stop(job: &mut Running, worker: &Path, random: &mut Random, times: u64) {
    for _ in 0..times {
        std::thread::sleep(Duration::from_millis(random.below(100)));
        let all = ranks(job, worker);
        if all.is_empty() || job.has_ended() {
            continue;
        }
        let victim = all[random.below(all.len() as u64) as usize];
        send(victim, Signal::SIGSTOP);
        std::thread::sleep(Duration::from_millis(random.below(300)));
        send(victim, Signal::SIGCONT);
    }
}

/// Whether the process handles the signal by now.
fn handles(pid: i32, signal: Signal) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let set = caught.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    set.is_some_and(|set| set >> (signal as i32 - 1) & 1 == 1)
}

fn signals(job: &mut Running, worker: &Path, random: &mut Random, times: u64) {
    for _ in 0..times {
        std::thread::sleep(Duration::from_millis(random.below(20)));
        if job.has_ended() {
            return;
        }
        for pid in ranks(job, worker) {
            if random.below(2) == 0 && handles(pid, Signal::SIGUSR1) {
                send(pid, Signal::SIGUSR1);
            }
        }
    }
}
