//! Windows as one sees them from outside: what `rmashm-top` reads of the [list](super::listed) and of control blocks. As in
//! [`crate::runtime::seen`], a look is of many moments.

use super::PerRank;
pub use super::access::Access;
use super::listed::{Location, MARK, Record, Share};
use crate::runtime::seen::{Seen, Wait};
use crate::shm::Offset;
use crate::shm::atomic::Ordering::Relaxed;
use crate::shm::gate::Gate;
use crate::shm::reader::{Plain, Reader};
use std::collections::HashSet;
use std::mem::offset_of;

// SAFETY: these are made of atomics and numbers.
unsafe impl Plain for Record {}
// SAFETY: as above.
unsafe impl Plain for Share {}
// SAFETY: as above.
unsafe impl Plain for PerRank {}
// SAFETY: as above.
unsafe impl Plain for Gate {}

/// So many windows are read of one rank's list; what follows is left out.
const MOST: usize = 4096;

/// A window.
pub struct Window {
    /// How it was made: "create", "allocate", "shared", "dynamic".
    pub flavor: &'static str,
    pub name: String,
    /// Hints that are not the default, as `key=value, ...`.
    pub hints: String,
    /// The number of the communicator that it was made of.
    pub communicator: u32,
    /// How many exclusive locks are held, as far as lock_all has to know, and how many wait for lock_alls to end.
    pub exclusives: (u32, u32),
    /// Those that wait for lock_all.
    pub lock_all_waiters: u32,
    /// By rank in the window.
    pub parts: Vec<Part>,
    /// Of its record.
    offset: Offset,
}

/// What a process has of it.
pub struct Part {
    /// Its rank in the job.
    pub process: u32,
    /// Bytes.
    pub size: u64,
    pub disp_unit: u64,
    pub place: Place,
    /// The rank of the job that has locked it exclusively; how many have it locked shared; the rank that is to have it next, if one
    /// has claimed it.
    pub exclusive: Option<u32>,
    pub shared: u32,
    pub next: Option<u32>,
    /// The rank of the job that updates elements of it other than one by one.
    pub updating: Option<u32>,
    /// Whether it is exposed by MPI_Win_post.
    pub exposed: bool,
    /// Whether the process is in a lock_all epoch.
    pub in_lock_all: bool,
    /// The access epoch that the process is in on the whole window: `Locks` is not told, but [by target](Part::exclusive).
    pub access: Access,
}

/// Where a part's memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the segment.
    Segment,
    /// Memory of the program's own.
    Own,
    /// The same, taken into the segment.
    Adopted,
    /// What the process attaches.
    Attached,
}

/// What a wait is for, in a window: its place in the list that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The lock of the part of this rank in the window.
    Lock { window: usize, rank: usize },
    /// Elements of the part, updated by others.
    Elements { window: usize, rank: usize },
    /// That no rank is in lock_all, or that none is locked exclusively.
    Gate { window: usize },
}

/// The windows of a job.
pub fn windows(reader: &Reader, job: &Seen) -> Vec<Window> {
    let mut found = Vec::new();
    let mut offsets = HashSet::new();
    for rank in &job.ranks {
        let mut next = rank.windows as Offset;
        for _ in 0..MOST {
            if next == 0 || !offsets.insert(next) {
                break;
            }
            let Some((window, following)) = read(reader, next, job.ranks.len()) else {
                break;
            };
            found.push(window);
            next = following;
        }
    }
    found
}

/// The window whose record is at `offset`, and what follows in the list. `None` if there is none by now.
fn read(reader: &Reader, offset: Offset, ranks_of_job: usize) -> Option<(Window, Offset)> {
    let is_marked = |record: &Record| record.mark.load(Relaxed) == MARK.wrapping_add(offset as u64);
    let record: Box<Record> = reader
        .read(offset)
        .ok()
        .filter(|record| is_marked(record))?;
    let ranks = record.ranks.load(Relaxed) as usize;
    if ranks == 0 || ranks > ranks_of_job {
        return None;
    }
    let gate_at = offset.checked_add(size_of::<Record>())?;
    let gate: Box<Gate> = reader.read(gate_at).ok()?;
    let per_rank: Vec<PerRank> = reader.read_many(first(offset), ranks).ok()?;
    let shares_at = first(offset) + ranks * size_of::<PerRank>();
    let shares: Vec<Share> = reader.read_many(shares_at, ranks).ok()?;
    let again: Box<Record> = reader.read(offset).ok()?;
    let parts = per_rank.iter().zip(&shares).map(|(block, share)| Part {
        process: share.process.load(Relaxed),
        size: share.size.load(Relaxed),
        disp_unit: share.disp_unit.load(Relaxed),
        place: match share.location.load(Relaxed) {
            n if n == Location::Segment as u32 => Place::Segment,
            n if n == Location::Attached as u32 => Place::Attached,
            _ if block.move_in.has_moved() => Place::Adopted,
            _ => Place::Own,
        },
        exclusive: block.lock.writer(),
        shared: block.lock.readers(),
        next: block.lock.claim_standing().map(|(rank, _)| rank),
        updating: block.accumulate.writer(),
        exposed: block.exposed.load(Relaxed) != 0,
        in_lock_all: block.in_lock_all.is_up(),
        access: Access::from(share.access.load(Relaxed) as u8),
    });
    let window = Window {
        flavor: match record.flavor.load(Relaxed) {
            1 => "create",
            2 => "allocate",
            3 => "dynamic",
            4 => "shared",
            _ => "unknown",
        },
        name: record.name.get(),
        hints: record.hints.get(),
        communicator: record.context.load(Relaxed),
        exclusives: gate.counts(),
        lock_all_waiters: gate.waiters.load(Relaxed),
        parts: parts.collect(),
        offset,
    };
    is_marked(&again).then(|| (window, record.next.load(Relaxed) as Offset))
}

/// Where the first process's part of the control block is, by the offset of the record.
fn first(record: Offset) -> Offset {
    record + size_of::<Record>() + size_of::<Gate>()
}

/// What a wait is for, if it is for something in one of the windows.
pub fn wanted(windows: &[Window], wait: &Wait) -> Option<Wanted> {
    let key = wait.key as Offset;
    windows.iter().enumerate().find_map(|(window, seen)| {
        let ranks = seen.parts.len();
        let (record, first) = (seen.offset, first(seen.offset));
        if (record..first).contains(&key) {
            return Some(Wanted::Gate { window });
        }
        let at = key.checked_sub(first)?;
        let (rank, inside) = (at / size_of::<PerRank>(), at % size_of::<PerRank>());
        match rank < ranks {
            true if inside == offset_of!(PerRank, lock) => Some(Wanted::Lock { window, rank }),
            true if inside == offset_of!(PerRank, accumulate) => {
                Some(Wanted::Elements { window, rank })
            }
            _ => None,
        }
    })
}
