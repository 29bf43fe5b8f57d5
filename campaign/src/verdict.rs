//! Whether a round has ended as it has to.

use crate::plan::{Fault, Kind, Plan};
use harness::job::Ended;
use std::collections::BTreeSet;

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

/// Names of the classes, in MPICH's interface, that a lack may have, and a death.
const OF_A_LACK: [(i32, &str); 4] = [
    (15, "MPI_ERR_OTHER"),
    (32, "MPI_ERR_IO"),
    (34, "MPI_ERR_NO_MEM"),
    (36, "MPI_ERR_NO_SPACE"),
];
const OF_A_DEATH: i32 = 101;
/// `MPI_ERR_OTHER`.
const OF_A_REFUSAL: i32 = 15;

/// What is wrong with how the job ended. `struck`: the fault that ends it came before its end. `injected`: the calls that were made
/// to fail.
pub fn complaints(
    plan: &Plan,
    struck: bool,
    injected: &BTreeSet<&str>,
    ended: &Ended,
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
fn of_end(plan: &Plan, is_well: bool, ended: &Ended) -> Option<String> {
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

fn of_lack(ended: &Ended) -> Option<String> {
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
fn of_classes(plan: &Plan, ended: &Ended) -> Option<String> {
    let class = |line: &str| {
        let (_, after) = line
            .strip_prefix("campaign: rank ")?
            .split_once(": class ")?;
        after.split_once(' ')?.0.parse::<i32>().ok()
    };
    let is_right = |class: i32| match plan.kind {
        Kind::Kill | Kind::Leave => class == OF_A_DEATH,
        Kind::Descriptors | Kind::Memory | Kind::Scarce => {
            class == OF_A_DEATH || OF_A_LACK.iter().any(|(it, _)| *it == class)
        }
        Kind::Forbidden => class == OF_A_DEATH || class == OF_A_REFUSAL,
        _ => false,
    };
    let mut lines = ended.stderr.lines();
    let wrong = lines.find(|line| class(line).is_some_and(|class| !is_right(class)))?;
    Some(format!("an error of a class that does not fit: {wrong}"))
}
