//! Whether a round has ended as it has to.

use crate::plan::{Fault, Kind, Leave, Plan, Work};
use crate::strike::Struck;
use harness::job::standstill;
use std::collections::BTreeSet;

/// How a job has ended, and what it has said.
pub struct Heard<'a> {
    pub struck: &'a Struck,
    /// As a shell would give it.
    pub status: i32,
    pub hung: bool,
    pub stdout: &'a str,
    pub stderr: &'a str,
}

/// What the worker ends with when a call of MPI's fails for a reason that a fault explains, and when a result is wrong.
const REFUSED: i32 = 77;
const WRONG: i32 = 99;

/// What Rust says that gets no memory.
const NO_MEMORY: &str = "memory allocation of";

/// What nothing may say, whatever the fault: it is how a process goes down that should have said what is wrong.
const CRASHES: [&str; 6] = [
    "panicked at",
    NO_MEMORY,
    "stack overflow",
    "terminate called",
    "corrupted",
    "free(): ",
];

/// Where the sources of the worker are: it names them where a result is wrong.
const SOURCES: &str = "campaign/worker/";

/// Classes of errors, as the worker names them: of a death, which a receive from any rank might go on after, or after which somebody has
/// revoked the communicator; of a lack.
const DEATHS: [&str; 3] = ["PROC_FAILED", "PROC_FAILED_PENDING", "REVOKED"];
const LACKS: [&str; 5] = ["COUNT", "OTHER", "IO", "NO_MEM", "NO_SPACE"];

/// What is wrong with how the job ended. `injected`: the calls that were made to fail.
pub fn complaints(plan: &Plan, injected: &BTreeSet<&str>, ended: &Heard<'_>) -> Vec<String> {
    let mut complaints = Vec::new();
    if ended.hung {
        complaints.push("it hangs".to_string());
    }
    for crash in CRASHES {
        if ended.stderr.contains(crash) && !(crash == NO_MEMORY && is_without_memory(plan, ended)) {
            complaints.push(format!("it says {crash:?}"));
        }
    }
    if ended.status == WRONG || ended.stderr.contains(SOURCES) {
        complaints.push("a result is wrong".to_string());
    }
    if let Some(line) = standstill(ended.stderr) {
        complaints.push(format!("it did not go on: {line}"));
    }
    complaints.extend(of_signals(plan, ended));
    let is_well = ended.status == 0 && ended.stdout.contains("results compared");
    let must_be_well = match plan.kind {
        Kind::None | Kind::Stop | Kind::Signals | Kind::Interrupted => true,
        // Without `process_vm_readv` there are no windows over private memory.
        Kind::Forbidden => {
            !injected.contains("process_vm_readv") && !injected.contains("process_vm_writev")
        }
        Kind::Scarce => injected.is_empty(),
        Kind::Kill | Kind::Launcher | Kind::Terminate => ended.struck.at.is_none(),
        Kind::Descriptors | Kind::Memory | Kind::Leave => false,
    };
    if must_be_well && !(is_well && ended.stderr.is_empty()) {
        complaints.push(format!(
            "it has to end well and silently, and its status is {}",
            ended.status
        ));
    } else if !must_be_well {
        complaints.extend(of_end(plan, is_well, ended));
    }
    if plan.work == Work::Recovery {
        complaints.extend(of_survivors(plan, ended));
    }
    complaints.extend(of_classes(plan, ended));
    complaints
}

/// Whether a limit has refused the few bytes that everything needs: then a process ends as one in Rust does, and the launcher tells of it.
fn is_without_memory(plan: &Plan, ended: &Heard<'_>) -> bool {
    plan.kind == Kind::Memory && ended.stderr.contains(NO_MEMORY)
}

/// Whom of those that nobody has killed a signal has ended by which processes crash. (The status is that of the first death.)
fn of_signals(plan: &Plan, ended: &Heard<'_>) -> Option<String> {
    const SIGNALS: [&str; 5] = ["4 ", "6 ", "7 ", "8 ", "11 "];
    let crashes = |line: &&str| {
        let said = line.strip_prefix("mpiexec: rank ");
        let by = said.and_then(|said| said.split_once(") was killed by signal "));
        by.is_some_and(|(_, by)| SIGNALS.iter().any(|signal| by.starts_with(signal)))
    };
    let raises = matches!(
        plan.fault,
        Fault::Leave {
            how: Leave::Raise,
            ..
        }
    );
    let aborts = |line: &&str| line.contains("signal 6 ") && is_without_memory(plan, ended);
    let lines = ended.stderr.lines().filter(crashes);
    let mut lines = lines.filter(|line| !aborts(line));
    let line = lines.nth(usize::from(raises))?;
    Some(format!("a process crashes: {line}"))
}

/// What is wrong with how those have gone on that live: each says at its end what it has compared.
fn of_survivors(plan: &Plan, ended: &Heard<'_>) -> Option<String> {
    let dead = match plan.fault {
        Fault::Leave { .. } => 1,
        _ => ended.struck.victims.len(),
    };
    let came = ended.stdout.matches("results compared").count();
    let wanted = plan.ranks as usize - dead;
    (came < wanted).then(|| format!("{came} of {wanted} that live came to the end"))
}

/// What is wrong with an end that need not be a good one.
fn of_end(plan: &Plan, is_well: bool, ended: &Heard<'_>) -> Option<String> {
    let (status, said) = match plan.fault {
        // "mpiexec: rank 1 (pid 27567, /tmp/worker) was killed by signal 9 (Killed)"
        Fault::Kill { .. } => {
            let first = ended.struck.victims.first();
            (
                137,
                first.map_or(String::new(), |pid| format!("(pid {pid}, ")),
            )
        }
        Fault::Launcher { .. } => (137, String::new()),
        Fault::Terminate { .. } => (143, String::new()),
        Fault::Leave { how, .. } => (how.status(), format!("rank {}", plan.seed % plan.ranks)),
        // A lack is told by a call, with its class, or ends the job with a sentence. It may also do no harm.
        _ if is_well => return None,
        _ => return of_lack(plan, ended),
    };
    // What struck may have come after the last word of MPI's.
    let may_be_well = matches!(plan.kind, Kind::Kill | Kind::Launcher | Kind::Terminate);
    if may_be_well && is_well {
        return None;
    }
    if ended.status != status {
        return Some(format!("its status is {}, not {status}", ended.status));
    }
    (!ended.stderr.contains(&said)).then(|| format!("it does not say {said:?}"))
}

fn of_lack(plan: &Plan, ended: &Heard<'_>) -> Option<String> {
    if ended.status == 0 {
        return Some("its status is 0, though it did not come to its end".to_string());
    }
    if ended.status >= 128 && !is_without_memory(plan, ended) {
        return Some(format!("its status is {}: a crash", ended.status));
    }
    let is_told = ended.stderr.contains("rank ")
        || ended.stderr.contains("cannot be loaded")
        || ended
            .stderr
            .contains("error while loading shared libraries");
    if ended.status == REFUSED || is_told {
        return None;
    }
    Some(format!(
        "its status is {}, and no rank is named",
        ended.status
    ))
}

/// What is wrong with the classes of errors that workers were given.
fn of_classes(plan: &Plan, ended: &Heard<'_>) -> Option<String> {
    let class = |line: &str| {
        let after = line
            .strip_prefix("campaign: rank ")?
            .split_once(": class ")?
            .1;
        Some(after.split_once(" of ")?.0.to_string())
    };
    let is_right = |class: &str| {
        let is_death = DEATHS.contains(&class);
        // Whoever starts processes is told so if one of them, or of those that start them with it, is not there.
        let is_of_spawn = plan.work == Work::Spawns && class == "SPAWN";
        match plan.kind {
            // These go on.
            _ if plan.work == Work::Recovery => false,
            Kind::Kill | Kind::Leave => is_death || is_of_spawn,
            // A lack at one rank is a death for the others if it ends that; else they get nothing of it in a collective operation.
            Kind::Descriptors | Kind::Memory | Kind::Scarce => {
                is_death || is_of_spawn || LACKS.contains(&class)
            }
            Kind::Forbidden => is_death || class == "OTHER",
            _ => false,
        }
    };
    let mut lines = ended.stderr.lines();
    let wrong = lines.find(|line| class(line).is_some_and(|class| !is_right(&class)))?;
    Some(format!("an error of a class that does not fit: {wrong}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use programs::Interface;
    use std::time::{Duration, Instant};

    fn plan(kind: Kind, fault: Fault) -> Plan {
        Plan {
            work: Work::Steps,
            interface: Interface::Mpich,
            kind,
            fault,
            ranks: 4,
            steps: 10,
            seed: 6,
            fatal: false,
            recovers: true,
        }
    }

    /// With the process 5 as the victim, if there is one.
    fn judge(plan: &Plan, struck: bool, calls: &[&str], status: i32, stderr: &str) -> Vec<String> {
        let stdout = match status {
            0 => "10 steps, 5 results compared\n",
            _ => "",
        };
        judge_all(plan, struck, calls, status, stdout, stderr)
    }

    fn judge_all(
        plan: &Plan,
        struck: bool,
        calls: &[&str],
        status: i32,
        stdout: &str,
        stderr: &str,
    ) -> Vec<String> {
        let struck = &Struck {
            at: struck.then(Instant::now),
            victims: struck.then_some(5).into_iter().collect(),
        };
        let heard = Heard {
            struck,
            status,
            hung: false,
            stdout,
            stderr,
        };
        complaints(plan, &calls.iter().copied().collect(), &heard)
    }

    #[test]
    fn without_a_fault_all_is_well() {
        let none = plan(Kind::None, Fault::None);
        assert_eq!(judge(&none, false, &[], 0, ""), [""; 0]);
        assert_eq!(judge(&none, false, &[], 0, "a word").len(), 1);
        assert_eq!(judge(&none, false, &[], 1, "").len(), 1);
        assert_eq!(judge(&none, false, &[], 99, "").len(), 2);
    }

    #[test]
    fn who_is_killed_is_named() {
        let after = Duration::ZERO;
        let fault = Fault::Kill {
            seed: 1,
            victims: 1,
            after,
        };
        let kill = plan(Kind::Kill, fault);
        let said = "mpiexec: rank 1 (pid 5, worker) was killed by signal 9 (Killed)\n";
        assert_eq!(judge(&kill, true, &[], 137, said), [""; 0]);
        assert_eq!(judge(&kill, true, &[], 137, "").len(), 1);
        assert_eq!(judge(&kill, true, &[], 1, said).len(), 1);
        assert_eq!(judge(&kill, false, &[], 137, said).len(), 1);
        let deadlock = format!("{said}mpiexec: deadlock: ranks 0-1 wait in MPI\n");
        assert_eq!(judge(&kill, true, &[], 137, &deadlock).len(), 1);
        let told =
            |class| format!("{said}campaign: rank 0, step 3: class {class} of MPI_Wait: ...\n");
        assert_eq!(judge(&kill, true, &[], 137, &told("PROC_FAILED")), [""; 0]);
        assert_eq!(judge(&kill, true, &[], 137, &told("NO_MEM")).len(), 1);
    }

    #[test]
    fn who_raises_a_signal_is_the_only_one_that_crashes() {
        let fault = Fault::Leave {
            how: Leave::Raise,
            step: 3,
        };
        let leave = plan(Kind::Leave, fault);
        let dead = |rank| {
            format!(
                "mpiexec: rank {rank} (pid {rank}, worker) was killed by signal 11 (Segmentation fault)\n"
            )
        };
        let told = "campaign: rank 0, step 3: class PROC_FAILED of MPI_Wait: waiting for rank 2, which was killed by signal 11 (SIGSEGV)\n";
        let said = format!("{}{told}", dead(2));
        assert_eq!(judge(&leave, false, &[], 139, &said), [""; 0]);
        assert_eq!(
            judge(&leave, false, &[], 139, &format!("{said}{}", dead(1))).len(),
            1
        );
    }

    #[test]
    fn those_that_live_come_to_the_end() {
        let fault = Fault::Kill {
            seed: 1,
            victims: 1,
            after: Duration::ZERO,
        };
        let mut recovery = plan(Kind::Kill, fault);
        recovery.work = Work::Recovery;
        let said = "mpiexec: rank 1 (pid 5, worker) was killed by signal 9 (Killed)\n";
        let came = |times| "10 steps, 5 results compared\n".repeat(times);
        let judge = |times, said: &str| judge_all(&recovery, true, &[], 137, &came(times), said);
        assert_eq!(judge(3, said), [""; 0]);
        // It may have died when it had come there.
        assert_eq!(judge(4, said), [""; 0]);
        assert_eq!(judge(2, said).len(), 1);
        let told = "campaign: rank 0, step 3: class PROC_FAILED of MPI_Wait: ...\n";
        assert_eq!(judge(3, &format!("{said}{told}")).len(), 1);
        let crash =
            "mpiexec: rank 2 (pid 6, worker) was killed by signal 11 (Segmentation fault)\n";
        assert_eq!(judge(3, &format!("{said}{crash}")).len(), 1);
        let wrong =
            "/home/campaign/worker/recovery.h:9: rank 0 of 3: step 3: who is left is 1 and not 2\n";
        assert_eq!(judge(3, &format!("{said}{wrong}")).len(), 1);
    }

    #[test]
    fn a_lack_is_told_and_no_crash() {
        let injection = crate::plan::Injection {
            kinds: crate::plan::MEMORY,
            per_million: 1,
            least: 0,
        };
        let scarce = plan(Kind::Scarce, Fault::Injected(injection));
        let said = "campaign: rank 0, step 3: class NO_MEM of MPI_Wait: ...\n";
        assert_eq!(judge(&scarce, false, &["mmap"], REFUSED, said), [""; 0]);
        assert_eq!(judge(&scarce, false, &["mmap"], 0, ""), [""; 0]);
        assert_eq!(judge(&scarce, false, &[], REFUSED, said).len(), 1);
        assert_eq!(judge(&scarce, false, &["mmap"], 134, said).len(), 1);
        assert_eq!(judge(&scarce, false, &["mmap"], 1, "").len(), 1);
        let crash = "memory allocation of 99 bytes failed\n";
        assert_eq!(judge(&scarce, false, &["mmap"], 134, crash).len(), 2);
        // Of a limit there is no way around it.
        let limited = plan(Kind::Memory, Fault::Memory { kib: 20_000 });
        let dead = "mpiexec: rank 2 (pid 6, bash) was killed by signal 6 (Aborted)\n";
        let said = format!("{crash}{dead}");
        assert_eq!(judge(&limited, false, &[], 134, &said), [""; 0]);
        assert_eq!(judge(&limited, false, &[], 134, dead).len(), 2);
    }

    #[test]
    fn who_leaves_early_is_named() {
        let fault = Fault::Leave {
            how: Leave::Exit,
            step: 3,
        };
        let leave = plan(Kind::Leave, fault);
        assert_eq!(
            judge(&leave, false, &[], 5, "mpiexec: rank 2 exited"),
            [""; 0]
        );
        assert_eq!(
            judge(&leave, false, &[], 5, "mpiexec: rank 1 exited").len(),
            1
        );
        assert_eq!(judge(&leave, false, &[], 0, "").len(), 1);
    }
}
