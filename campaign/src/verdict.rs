//! Whether a round has ended as it has to.

use crate::plan::{Fault, Kind, Plan};
use std::collections::BTreeSet;

/// How a job has ended, and what it has said.
pub struct Heard<'a> {
    /// As a shell would give it.
    pub status: i32,
    pub hung: bool,
    pub stdout: &'a str,
    pub stderr: &'a str,
}

/// What the worker ends with when a call of MPI's fails for a reason that a fault explains, and when a result is wrong.
const REFUSED: i32 = 77;
const WRONG: i32 = 99;

/// What nothing may say, whatever the fault: it is how a process goes down that should have said what is wrong.
const CRASHES: [&str; 6] = [
    "panicked at",
    "memory allocation of",
    "stack overflow",
    "terminate called",
    "corrupted",
    "free(): ",
];

// Classes of errors, by their numbers in MPICH's interface, for which the worker is compiled.
const COUNT: i32 = 2;
const OTHER: i32 = 15;
const IO: i32 = 32;
const NO_MEM: i32 = 34;
const NO_SPACE: i32 = 36;
const PROC_FAILED: i32 = 101;
/// That of a receive from any rank, which the program might go on with.
const PROC_FAILED_PENDING: i32 = 102;
/// Errors of a death.
const DEATHS: [i32; 2] = [PROC_FAILED, PROC_FAILED_PENDING];

/// What is wrong with how the job ended. `struck`: the fault that ends it came before its end. `injected`: the calls that were made
/// to fail.
pub fn complaints(
    plan: &Plan,
    struck: bool,
    injected: &BTreeSet<&str>,
    ended: &Heard<'_>,
) -> Vec<String> {
    let mut complaints = Vec::new();
    if ended.hung {
        complaints.push("it hangs".to_string());
    }
    for crash in CRASHES {
        if ended.stderr.contains(crash) {
            complaints.push(format!("it says {crash:?}"));
        }
    }
    if ended.status == WRONG {
        complaints.push("a result is wrong".to_string());
    }
    let is_well = ended.status == 0 && ended.stdout.contains("results compared");
    let must_be_well = match plan.kind {
        Kind::None | Kind::Stop | Kind::Signals | Kind::Interrupted => true,
        // Without `process_vm_readv` there are no windows over private memory.
        Kind::Forbidden => {
            !injected.contains("process_vm_readv") && !injected.contains("process_vm_writev")
        }
        Kind::Scarce => injected.is_empty(),
        Kind::Kill | Kind::Launcher | Kind::Terminate => !struck,
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
    complaints.extend(of_classes(plan, ended));
    complaints
}

/// What is wrong with an end that need not be a good one.
fn of_end(plan: &Plan, is_well: bool, ended: &Heard<'_>) -> Option<String> {
    let (status, said) = match plan.fault {
        // "mpiexec: rank 1 (pid 27567, /tmp/worker) was killed by signal 9 (Killed)"
        Fault::Kill { rank, .. } => (137, format!("rank {rank} (pid")),
        Fault::Launcher { .. } => (137, String::new()),
        Fault::Terminate { .. } => (143, String::new()),
        Fault::Leave { how, .. } => (how.status(), format!("rank {}", plan.seed % plan.ranks)),
        // A lack is told by a call, with its class, or ends the job with a sentence. It may also do no harm.
        _ if is_well => return None,
        _ => return of_lack(ended),
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

fn of_lack(ended: &Heard<'_>) -> Option<String> {
    if ended.status == 0 {
        return Some("its status is 0, though it did not come to its end".to_string());
    }
    if ended.status >= 128 {
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
        let (_, after) = line
            .strip_prefix("campaign: rank ")?
            .split_once(": class ")?;
        after.split_once(' ')?.0.parse::<i32>().ok()
    };
    let is_right = |class: i32| match plan.kind {
        Kind::Kill | Kind::Leave => DEATHS.contains(&class),
        // A lack at one rank is a death for the others if it ends that; else they get nothing of it in a collective operation.
        Kind::Descriptors | Kind::Memory | Kind::Scarce => {
            [COUNT, OTHER, IO, NO_MEM, NO_SPACE].contains(&class) || DEATHS.contains(&class)
        }
        Kind::Forbidden => class == OTHER || DEATHS.contains(&class),
        _ => false,
    };
    let mut lines = ended.stderr.lines();
    let wrong = lines.find(|line| class(line).is_some_and(|class| !is_right(class)))?;
    Some(format!("an error of a class that does not fit: {wrong}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Leave;
    use std::time::Duration;

    fn plan(kind: Kind, fault: Fault) -> Plan {
        Plan {
            kind,
            fault,
            ranks: 4,
            steps: 10,
            seed: 6,
            fatal: false,
            recovers: true,
        }
    }

    fn judge(plan: &Plan, struck: bool, calls: &[&str], status: i32, stderr: &str) -> Vec<String> {
        let stdout = match status {
            0 => "10 steps, 5 results compared\n",
            _ => "",
        };
        let heard = Heard {
            status,
            hung: false,
            stdout,
            stderr,
        };
        complaints(plan, struck, &calls.iter().copied().collect(), &heard)
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
        let kill = plan(Kind::Kill, Fault::Kill { rank: 1, after });
        let said = "mpiexec: rank 1 (pid 5, worker) was killed by signal 9 (Killed)\n";
        assert_eq!(judge(&kill, true, &[], 137, said), [""; 0]);
        assert_eq!(judge(&kill, true, &[], 137, "").len(), 1);
        assert_eq!(judge(&kill, true, &[], 1, said).len(), 1);
        assert_eq!(judge(&kill, false, &[], 137, said).len(), 1);
        let told =
            |class| format!("{said}campaign: rank 0, step 3: class {class} of MPI_Wait: ...\n");
        assert_eq!(judge(&kill, true, &[], 137, &told(PROC_FAILED)), [""; 0]);
        assert_eq!(judge(&kill, true, &[], 137, &told(NO_MEM)).len(), 1);
    }

    #[test]
    fn a_lack_is_told_and_no_crash() {
        let injection = crate::plan::Injection {
            kinds: crate::plan::MEMORY,
            per_million: 1,
            least: 0,
        };
        let scarce = plan(Kind::Scarce, Fault::Injected(injection));
        let said = "campaign: rank 0, step 3: class 34 of MPI_Wait: ...\n";
        assert_eq!(judge(&scarce, false, &["mmap"], REFUSED, said), [""; 0]);
        assert_eq!(judge(&scarce, false, &["mmap"], 0, ""), [""; 0]);
        assert_eq!(judge(&scarce, false, &[], REFUSED, said).len(), 1);
        assert_eq!(judge(&scarce, false, &["mmap"], 134, said).len(), 1);
        assert_eq!(judge(&scarce, false, &["mmap"], 1, "").len(), 1);
        let crash = "memory allocation of 99 bytes failed\n";
        assert_eq!(judge(&scarce, false, &["mmap"], 134, crash).len(), 2);
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
