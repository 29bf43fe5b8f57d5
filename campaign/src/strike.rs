//! What is done to a job from outside while it runs.

use crate::plan::{Fault, Random};
use harness::job::Running;
use harness::leftovers;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::Path;
use std::time::{Duration, Instant};

/// Does what the fault asks for. When it struck, if it is one that ends the job and it came before the end.
pub fn strike(job: &mut Running, worker: &Path, fault: Fault) -> Option<Instant> {
    match fault {
        Fault::Kill { rank, after } => {
            std::thread::sleep(after);
            let victim = wait_for(job, worker, rank)?;
            let now = Instant::now();
            send(victim, Signal::SIGKILL);
            Some(now)
        }
        Fault::Launcher { after } => end_launcher(job, after, Signal::SIGKILL),
        Fault::Terminate { after } => end_launcher(job, after, Signal::SIGTERM),
        Fault::Stop { seed, times } => {
            stop(job, worker, &mut Random(seed), times);
            None
        }
        Fault::Signals { seed, times, .. } => {
            signals(job, worker, &mut Random(seed), times);
            None
        }
        _ => None,
    }
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

/// The processes that run the worker, with their ranks.
fn ranks(job: &Running, worker: &Path) -> Vec<(i32, u64)> {
    let rank_of = |pid: i32| {
        let exe = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
        let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
        let mut variables = environment.split(|byte| *byte == 0);
        let value = variables.find_map(|variable| variable.strip_prefix(b"PMI_RANK="))?;
        let rank = std::str::from_utf8(value).ok()?.parse().ok()?;
        (exe == worker).then_some((pid, rank))
    };
    let pids = leftovers::processes(job.marker()).into_iter();
    pids.filter_map(rank_of).collect()
}

/// The process of a rank, as soon as there is one; `None` if the job ends before.
fn wait_for(job: &mut Running, worker: &Path, rank: u64) -> Option<i32> {
    loop {
        if let Some((pid, _)) = ranks(job, worker).iter().find(|(_, it)| *it == rank) {
            return Some(*pid);
        }
        if job.has_ended() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn stop(job: &mut Running, worker: &Path, random: &mut Random, times: u64) {
    for _ in 0..times {
        std::thread::sleep(Duration::from_millis(random.below(100)));
        let all = ranks(job, worker);
        if all.is_empty() || job.has_ended() {
            continue;
        }
        let (victim, _) = all[random.below(all.len() as u64) as usize];
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
        for (pid, _) in ranks(job, worker) {
            if random.below(2) == 0 && handles(pid, Signal::SIGUSR1) {
                send(pid, Signal::SIGUSR1);
            }
        }
    }
}
