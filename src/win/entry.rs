//! What each process brings to the making of a window, and what all make sure of together.

use crate::block::Control;
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::neutral;
use crate::runtime::neutral::Neutral;
use crate::runtime::{access, job, reach};
use crate::shm::segment::segment;
use crate::shm::{Offset, peer};
use macro_rules_attribute::apply;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Of every process of the job: whether this one has reached private memory of it. What the kernel let it do once, it lets it
/// do again.
static REACHED: LazyLock<Box<[AtomicBool]>> = LazyLock::new(|| {
    let processes = job().table.processes.iter();
    processes.map(|_| AtomicBool::new(false)).collect()
});

/// What a process brings to the exchange.
#[apply(neutral)]
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub location: Location,
    pub at: usize,
    pub size: usize,
    pub disp_unit: usize,
    pub alignment: usize,
    /// From rank 0: the control block.
    pub control: Offset,
    /// Whether this process has the segment at its usual address.
    pub at_home: bool,
    /// Whether this process is known to reach private memory of all the others.
    pub reaches_all: bool,
    /// Whether the process counts on heavy fences of the others.
    pub light_fences: bool,
    /// How much of the segment the process has mapped.
    pub mapped: usize,
    /// Where the process tells the pieces of its part, if that is private memory that was taken in; or 0.
    pub place: Offset,
}

/// Where a process's part of the window is.
#[apply(neutral)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// At an offset of the job segment.
    Segment,
    /// At an address of the process.
    Private,
    /// The same, and the process attaches it as if the window were dynamic: not all of it may be taken in.
    Attached,
    /// From rank 0 of a contiguous window: at an offset, on the guess that all sizes are equal. From others: not decided.
    Guess,
    /// Nowhere: a dynamic window.
    None,
}

impl Entry {
    pub fn new(size: usize, disp_unit: usize, location: Location, at: usize) -> Entry {
        Entry {
            location,
            at,
            size,
            disp_unit,
            alignment: 0,
            control: 0,
            at_home: segment().at_home(),
            reaches_all: false,
            light_fences: false,
            mapped: segment().mapped(),
            place: 0,
        }
    }

    /// Private memory of this process.
    pub fn private(comm: &Comm, size: usize, disp_unit: usize, at: usize) -> Entry {
        if size > 0 {
            access::allow();
        }
        let mut entry = Entry::new(size, disp_unit, Location::Private, at);
        entry.reaches_all = peers(comm).all(|(_, process)| REACHED[process as usize].load(Relaxed));
        entry
    }
}

/// Gives every process's part to all; fails on all processes if one failed.
pub(super) fn agree<T: Neutral>(comm: &Comm, mine: Result<T>, what: &str) -> Result<Vec<T>> {
    comm.meeting
        .agree(&mine, &|| what.to_string(), |failure| failure.alike(what))
}

/// Makes sure that every process has mapped every part of the window that lies in the segment, and the control block: its
/// operations do not ask again. Mostly all have, as the entries say.
pub(super) fn reach_parts(comm: &Comm, entries: &[Entry], what: &str) -> Result<()> {
    let in_segment = entries.iter().filter(|o| o.location == Location::Segment);
    let control = entries[0].control + Control::bytes(comm.size());
    let end = in_segment.map(|o| o.at + o.size).fold(control, usize::max);
    if entries.iter().all(|o| o.mapped >= end) {
        return Ok(());
    }
    let reached = segment().reach(0, end).map_err(Error::from);
    agree(comm, reached, what).map(drop)
}

/// Makes sure that every process can reach the private memory of every other, where there is any.
pub(super) fn probe_peers(comm: &Comm, entries: &[Entry], what: &str) -> Result<()> {
    let private =
        |o: &Entry| matches!(o.location, Location::Private | Location::Attached) && o.size > 0;
    if !entries.iter().any(private) || entries.iter().all(|o| o.reaches_all) {
        return Ok(());
    }
    let reach_all = || -> Result<()> {
        for (rank, process) in peers(comm).filter(|&(rank, _)| private(&entries[rank])) {
            reach(process, |pid| Ok(peer::probe(pid, entries[rank].at)?))?;
            REACHED[process as usize].store(true, Relaxed);
        }
        Ok(())
    };
    agree(comm, reach_all(), what).map(drop)
}

/// The others of a communicator: rank there and rank in the job.
fn peers(comm: &Comm) -> impl Iterator<Item = (usize, u32)> {
    let others = (0..comm.size()).filter(|&rank| rank != comm.rank);
    others.map(|rank| (rank, comm.world_rank(rank)))
}
