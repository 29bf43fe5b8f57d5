//! How this process was started, and so how it finds the others of its job.
//!
//! Asked in this order:
//!
//! 1. `PMI_FD` or `PMIX_NAMESPACE`: Hydra, Slurm, Open MPI's or another process manager ([`super::pmi`]). Our launcher takes
//!    them out of its ranks' environment, so where ours are there too the manager is the newer one.
//! 2. `RMASHM_FD`, `RMASHM_RANK`: our launcher; the segment was inherited. The descriptor stays open for another program that a
//!    wrapper script may start after this one, but of one rank only one MPI program can join, and what this one starts does not
//!    inherit it.
//! 3. Variables of launchers that started several tasks and give us no way to the others (Slurm without PMI, Open MPI without PMIx,
//!    PALS): an error. As many silent jobs of one would be the worst answer.
//! 4. None of these: a job of one. So is a program with rights that its user has not (`AT_SECURE`), which hears none of it: its
//!    user could make it map any segment.

use super::pmi::Pmi;
use super::table::{Table, room_for};
use super::{access, handover};
use crate::error::Result;
use crate::shm::atomic::Ordering;
use crate::shm::holders::is_segment;
use crate::shm::segment::Segment;
use crate::{bail, err};
use parking_lot::Mutex;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// Who started this process.
pub enum Launcher {
    /// Our mpiexec: the segment was inherited.
    Ours,
    /// Hydra, Slurm, Open MPI's or another with PMI or PMIx.
    Pmi(Mutex<Pmi>),
    /// Nobody: a job of one.
    Alone,
}

/// A process's membership in its job.
pub(super) struct Membership {
    pub launcher: Launcher,
    pub rank: u32,
    pub table: Table,
    pub appnum: Option<i32>,
    /// How many of the world run the same program, if the launcher tells that.
    pub appsize: Option<u32>,
}

/// The variable by which our launcher tells a rank how many were started together to run its program: its part of the command line, or
/// of a call of `MPI_Comm_spawn_multiple`.
pub const APPSIZE: &str = "RMASHM_APPSIZE";

/// Launchers that give us no way to our peers: the variables by which they say how many of us there are and which one this is,
/// and the launcher's name.
const FOREIGN: [(&str, &str, &str); 6] = [
    (
        "SLURM_STEP_NUM_TASKS",
        "SLURM_PROCID",
        "Slurm without a process manager interface",
    ),
    (
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_RANK",
        "Open MPI's mpirun",
    ),
    ("PMIX_SIZE", "PMIX_RANK", "a PMIx launcher"),
    ("PALS_NRANKS", "PALS_RANKID", "PALS"),
    (
        "PMI_SIZE",
        "PMI_RANK",
        "a launcher that sets PMI_RANK but gives no PMI_FD",
    ),
    (
        "MPI_LOCALNRANKS",
        "MPI_LOCALRANKID",
        "a launcher without PMI_FD",
    ),
];

/// The variables by which such launchers tell a process its rank.
pub fn foreign_ranks() -> impl Iterator<Item = &'static str> {
    FOREIGN.iter().map(|&(_, rank, _)| rank)
}

/// A variable of the environment by which launchers speak to programs; none where [`is_privileged`].
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|_| !is_privileged())
}

/// Whether the program has rights that its user has not (set-user-ID, set-group-ID, file capabilities). Such a program takes
/// nothing from its environment: the user could make it map a segment, or speak to a process manager, of his own making.
pub(super) fn is_privileged() -> bool {
    // SAFETY: asks for a number that the kernel gave this process at its start.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Finds the job.
pub(super) fn find() -> Result<Membership> {
    let told = |name| std::env::var_os(name).is_some();
    if is_privileged() && (told("PMI_FD") || told("PMIX_NAMESPACE") || told("RMASHM_FD")) {
        eprintln!(
            "rmashm: this program has rights that its user has not (set-user-ID, set-group-ID or file capabilities): \
             it does not listen to launchers, and is a job of one"
        );
    }
    if let Some(pmi) = Pmi::from_env()? {
        return through_pmi(pmi);
    }
    if let Some(fd) = variable("RMASHM_FD") {
        return inherited(&fd);
    }
    if let Some((size, ranks, name)) = deaf() {
        bail!(
            Other,
            "started by {name} ({size} is {ranks}), which gives rmashm no way to find the other processes: start the \
             program with rmashm's own mpiexec, or with a launcher that speaks PMI (such as mpiexec.hydra, or srun \
             --mpi=pmi2) or PMIx (such as prterun, or srun --mpi=pmix)"
        );
    }
    let room = room_for(1);
    let segment = Segment::create(Table::bytes(room as usize))?.install();
    let table = Table::create(segment, 1, room, false);
    Ok(Membership {
        launcher: Launcher::Alone,
        rank: 0,
        table,
        appnum: None,
        appsize: None,
    })
}

/// A launcher that has started several tasks and gives no way to the others: the variable by which it tells how many, its value, and
/// the launcher's name.
fn deaf() -> Option<(&'static str, String, &'static str)> {
    FOREIGN.into_iter().find_map(|(size, rank, name)| {
        let ranks = variable(size)?;
        let several = ranks.parse::<u64>().is_ok_and(|n| n > 1);
        (several && variable(rank).is_some()).then_some((size, ranks, name))
    })
}

/// How many processes were started together to run this one's program, as far as the environment tells. It is asked in the order of
/// [`find`]: a variable is believed only where the launcher that sets it has started this process, as others hand it on.
pub fn appsize() -> Option<u32> {
    let number = |name| variable(name)?.parse().ok();
    if variable("PMI_FD").is_some() {
        // All programs of the command line together; how many each has, no variable tells.
        return number("PMI_SIZE");
    }
    if variable("PMIX_NAMESPACE").is_some() {
        return None;
    }
    if let Some(fd) = variable("RMASHM_FD") {
        // What a rank starts has the variables, but not the segment, and is not the rank.
        let is_rank = is_segment(Path::new(&format!("/proc/self/fd/{fd}")));
        return number(APPSIZE).filter(|_| is_rank);
    }
    deaf().is_none().then_some(1)
}

fn inherited(fd: &str) -> Result<Membership> {
    let number: i32 = fd
        .parse()
        .map_err(|_| err!(Other, "RMASHM_FD is \"{fd}\", not a descriptor"))?;
    let rank = variable("RMASHM_RANK").and_then(|r| r.parse::<u32>().ok());
    let rank = rank.ok_or_else(|| err!(Other, "RMASHM_FD is set but RMASHM_RANK is no rank"))?;
    // SAFETY: to ask whether a number is open is harmless.
    if number < 0 || unsafe { libc::fcntl(number, libc::F_GETFD) } < 0 {
        bail!(
            Other,
            "RMASHM_FD is {number}, which is not open: this program was started by one that is the rank already, or \
             something between mpiexec and this process closed it"
        );
    }
    // It stays open: a wrapper script may start another program of the same rank after this one. What this one starts has
    // nothing to look for in the job.
    // SAFETY: a flag of a descriptor that is open.
    unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
    // SAFETY: it is open.
    let segment = Segment::attach(unsafe { BorrowedFd::borrow_raw(number) })?.install();
    let table = Table::open(segment);
    // Of processes that were started later, the first has not the first place.
    let first = match variable("RMASHM_FIRST") {
        None => 0,
        Some(first) => first
            .parse()
            .map_err(|_| err!(Other, "RMASHM_FIRST is \"{first}\", not a place"))?,
    };
    let present = table.present().len();
    let is_place = (first as usize) < present && table.first_of(first) == first;
    let ranks = match is_place {
        true => table.world(first).size.load(Ordering::Relaxed),
        false => 0,
    };
    if rank >= ranks {
        bail!(
            Other,
            "RMASHM_RANK is {rank}, but {ranks} ranks were started together"
        );
    }
    let rank = first + rank;
    let appnum = variable("RMASHM_APPNUM").and_then(|n| n.parse().ok());
    Ok(Membership {
        launcher: Launcher::Ours,
        rank,
        table,
        appnum,
        appsize: variable(APPSIZE).and_then(|n| n.parse().ok()),
    })
}

fn through_pmi(mut pmi: Pmi) -> Result<Membership> {
    let (rank, ranks) = (pmi.rank, pmi.ranks);
    if rank >= ranks {
        bail!(
            Other,
            "the process manager says that this is rank {rank}, but also that there are {ranks} ranks"
        );
    }
    let machine = std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
        .trim()
        .to_string();
    let segment = if rank == 0 {
        let room = room_for(ranks);
        let segment = Segment::create(Table::bytes(room as usize))?.install();
        Table::create(segment, ranks, room, false);
        let host = handover::Host::open()?;
        pmi.put("rmashm-machine", &machine)?;
        pmi.put("rmashm-segment", &host.invitation())?;
        pmi.fence()?;
        let fd = segment.fd().ok_or_else(|| {
            err!(
                Other,
                "the job segment's descriptor was closed before the others had it"
            )
        })?;
        host.serve(fd, ranks)?;
        segment
    } else {
        pmi.fence()?;
        let other = pmi.get("rmashm-machine")?;
        if other != machine {
            pmi.abort(1);
            bail!(
                Other,
                "rank {rank} runs on another machine than rank 0: rmashm is for one machine; run the same binary on \
                 MPICH (it has the same ABI) to use several"
            );
        }
        let invitation = pmi.get("rmashm-segment")?;
        Segment::attach(handover::fetch(&invitation, rank)?.as_fd())?.install()
    };
    let appnum = pmi.appnum();
    let table = Table::open(segment);
    let parent = pmi.manager();
    let parent = parent.unwrap_or_else(std::os::unix::process::parent_id);
    if access::knows_ancestor(table.job) {
        access::descend(&table.job.ancestor, parent);
    }
    Ok(Membership {
        launcher: Launcher::Pmi(Mutex::new(pmi)),
        rank,
        table,
        appnum,
        appsize: None,
    })
}
