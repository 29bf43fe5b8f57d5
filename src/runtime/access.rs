//! Access to the ranks' private memory by the kernel's copy: for which processes this one allows it, and reaching another's.
//!
//! Where Yama guards processes (`kernel.yama.ptrace_scope` is 1) a process is reached by its own ancestors only, and by the
//! descendants of the one process that it names. A rank names the nearest process of which all ranks are descendants: our
//! launcher, or Hydra's proxy. It does so when its private memory is first offered to others, and takes it back when it
//! leaves MPI. There is one name for a process and no way to ask for it: what the program itself had named is lost then.

use super::table::{self, MISSED};
use super::{Ranks, State, Waiting, deaths, job, spaces, wait};
use crate::error::{Class, Result};
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::shm::maps;
use crate::{bail, err};
use libc::pid_t;

/// The first of all processes, of which all are descendants.
const INIT: u32 = 1;

/// The ranks' ancestor when this process named the one whose descendants may reach it; [`NOBODY`] if it has named none.
static ALLOWED: AtomicU64 = AtomicU64::new(NOBODY);
const NOBODY: u64 = u64::MAX;

/// Lets the other ranks read and write this process's memory. To be called before they learn of an address there.
pub fn allow() {
    let table = &job().table;
    let ancestor = table.job.ancestor.load(Ordering::Relaxed);
    // Those that a helper starts later are no descendants of the one that the first have in common.
    if ALLOWED.load(Ordering::Relaxed) == u64::from(ancestor) || table.present().len() == 1 {
        return;
    }
    let job = table.job;
    let named = match ancestor {
        // The ranks share no ancestor but the one that everybody has, or the system does not tell.
        0 | INIT => libc::PR_SET_PTRACER_ANY,
        ancestor if knows_ancestor(job) => ancestor.into(),
        // It has no number here, and others of these name spaces may be ranks.
        _ => libc::PR_SET_PTRACER_ANY,
    };
    name(named);
    ALLOWED.store(ancestor.into(), Ordering::Relaxed);
}

/// Lets nobody do so any more but those that may reach any process.
pub fn take_back() {
    if ALLOWED.swap(NOBODY, Ordering::Relaxed) != NOBODY {
        name(0);
    }
}

fn name(process: libc::c_ulong) {
    // SAFETY: prctl with these arguments changes nothing in memory. Kernels without Yama refuse it, and do not need it.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, process, 0, 0, 0) };
}

/// Whether the number of the ranks' ancestor is said in this process's name spaces.
pub(super) fn knows_ancestor(job: &table::Job) -> bool {
    job.spaces.load(Ordering::Relaxed) == spaces::own()
}

/// Goes up from `ancestor`, from which all ranks that have come so far descend, to one from which those under `parent` do too.
pub(super) fn descend(ancestor: &AtomicU32, parent: u32) {
    let mut known = ancestor.load(Ordering::Relaxed);
    loop {
        let shared = match known {
            0 => parent,
            _ if known == parent => return,
            _ => nearest_shared(known, parent),
        };
        match ancestor.compare_exchange(known, shared, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return,
            Err(newer) => known = newer,
        }
    }
}

/// The nearest process of which both are descendants, or which is one of them.
fn nearest_shared(one: u32, other: u32) -> u32 {
    let of_one: Vec<u32> = lineage(one).collect();
    lineage(other)
        .find(|pid| of_one.contains(pid))
        .unwrap_or(INIT)
}

/// A process, its parent, its parent's parent, and so on.
pub(super) fn lineage(pid: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(pid), |pid| parent_of(*pid)).take_while(|pid| *pid != 0)
}

/// The parent's process id: the second field after the name, which is in parentheses and may itself have some.
pub fn parent_of(pid: u32) -> Option<u32> {
    let stat = maps::read(&format!("/proc/{pid}/stat"))?;
    let fields = stat.rsplit_once(')')?.1;
    fields.split_whitespace().nth(1)?.parse().ok()
}

/// Does `access`, which concerns private memory of `rank`, whose process id it gets.
///
/// Errors, instead of an access to another process that has the number: `MPI_ERR_PROC_FAILED`, if the process has ended;
/// `MPI_ERR_OTHER`, if the number is said in another name space.
pub fn reach(rank: u32, access: impl FnOnce(pid_t) -> Result<()>) -> Result<()> {
    let gone = |how: &str| {
        err!(
            ProcFailed,
            "the memory of rank {rank} of the job cannot be reached, which {how}"
        )
    };
    if let Some((_, death)) = deaths::dead(Ranks::One(rank)) {
        miss(rank)?;
        return Err(gone(&death.to_string()));
    }
    let process = &job().table.processes[rank as usize];
    if !spaces::are_shared_with(process) {
        bail!(
            Other,
            "the kernel cannot copy between this process and rank {rank} of the job, which is in another PID or time \
             namespace (a container of its own)"
        );
    }
    let pid = process.pid.load(Ordering::Relaxed) as pid_t;
    access(pid).or_else(|error| {
        if error.class != Class::ProcFailed {
            return Err(error);
        }
        // The kernel knew first. Whoever watches the process will say how it ended; and an error that ends the job must
        // not come before the death that is its reason.
        wait_while(rank, |state| {
            matches!(state, State::Joining | State::Running)
        })?;
        miss(rank)?;
        let how = process.death().map(|death| death.to_string());
        Err(gone(how.as_deref().unwrap_or("has ended")))
    })
}

/// This process needs a rank that may have quit: if so, says it, and waits until the launcher has made a death of it, by which
/// it mostly ends the job.
fn miss(rank: u32) -> Result<()> {
    let process = &job().table.processes[rank as usize];
    if process.state() != State::Quit {
        return Ok(());
    }
    process.say(MISSED);
    wait_while(rank, |state| state == State::Quit)
}

fn wait_while(rank: u32, holds: impl Fn(State) -> bool) -> Result<()> {
    let process = &job().table.processes[rank as usize];
    let what = || format!("an access to memory of rank {rank} of the job, which has ended");
    wait(&Waiting::alone(&what), || !holds(process.state()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio, id};

    /// As under several proxies of Hydra on one machine.
    #[test]
    fn ranks_of_several_proxies_descend_from_what_those_share() {
        let start = || Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let mut proxies = [start(), start()];
        let [one, other] = [0, 1].map(|i| proxies[i].id());
        let ancestor = AtomicU32::new(0);
        let under = |parent| {
            descend(&ancestor, parent);
            ancestor.load(Ordering::Relaxed)
        };
        assert_eq!(under(one), one);
        assert_eq!(under(one), one);
        assert_eq!(under(other), id());
        assert_eq!(under(one), id());
        assert_eq!(under(INIT), INIT);
        assert_eq!(under(one), INIT);
        for proxy in &mut proxies {
            drop(proxy.stdin.take());
            proxy.wait().unwrap();
        }
    }
}
