//! Communicators that were revoked: a list in the segment, which only grows, and what this process has read of it.
//!
//! A communicator is written down, then the count of [incidents](super::table::Job::incidents) goes up, then everybody is rung. So who finds the count
//! as it was has missed none that it had to know of.

use super::{Ranks, job, me};
use crate::bail;
use crate::error::Result;
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, heap};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// So many communicators a piece of the list holds.
const ENTRIES: usize = (LINE - 16) / size_of::<Entry>();

/// A communicator that was revoked.
#[repr(C)]
struct Entry {
    /// 1 + the rank in the job of who revoked it; written before the key.
    rank: AtomicU64,
    /// 1 + its [key]. 0: not written yet.
    key: AtomicU64,
}

/// What tells a communicator from all others of the job. MPI_COMM_WORLD and MPI_COMM_SELF have the same numbers in all processes.
fn key(number: u32) -> u64 {
    let job = job();
    let first = match number {
        0 => job.first,
        1 => job.rank,
        _ => return number.into(),
    };
    let generation = job.table.processes[first as usize]
        .generation
        .load(Ordering::Relaxed);
    1 << 62 | u64::from(generation) << 32 | u64::from(2 * first + number)
}

/// A piece of the list; the newest is the first.
#[repr(C, align(128))]
struct Piece {
    /// The one before (an offset), or 0.
    next: AtomicU64,
    /// Entries that were taken, and more where nobody found room.
    taken: AtomicU32,
    entries: [Entry; ENTRIES],
}

/// What this process has read.
struct Known {
    /// How many incidents there were before.
    incidents: u32,
    /// Who revoked the communicator with the key.
    revoked: FxHashMap<u64, u32>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn piece(offset: Offset) -> Result<&'static Piece> {
    segment().reach(offset, size_of::<Piece>())?;
    // SAFETY: a piece is never freed, and made of atomics.
    Ok(unsafe { &*segment().at::<Piece>(offset) })
}

/// Revokes the communicator with this number, for all its processes. Error: `MPI_ERR_NO_MEM`.
pub fn revoke(number: u32) -> Result<()> {
    if revoker(number).is_some() {
        return Ok(());
    }
    let job = job();
    let head = &job.table.job.revoked;
    loop {
        let first = head.load(Ordering::Acquire);
        if first != 0 {
            let piece = piece(first as Offset)?;
            let taken = piece.taken.fetch_add(1, Ordering::Relaxed) as usize;
            if let Some(place) = piece.entries.get(taken) {
                place.rank.store((job.rank + 1).into(), Ordering::Relaxed);
                place.key.store(key(number) + 1, Ordering::Release);
                break;
            }
        }
        let fresh = heap::Owned::new(heap::alloc_zeroed(size_of::<Piece>(), LINE)?);
        let offset = fresh.offset() as u64;
        piece(fresh.offset())?.next.store(first, Ordering::Relaxed);
        let put = head.compare_exchange(first, offset, Ordering::AcqRel, Ordering::Relaxed);
        if put.is_ok() {
            me().heap.bequeath();
            fresh.keep();
        }
    }
    job.table.job.incidents.fetch_add(1, Ordering::AcqRel);
    job.table.ring_all();
    Ok(())
}

/// The rank in the job of who revoked the communicator with this number, if somebody has. One load while there was no incident.
#[inline]
pub fn revoker(number: u32) -> Option<u32> {
    let table = job().table.job;
    if table.incidents.load(Ordering::Acquire) == 0 || table.revoked.load(Ordering::Acquire) == 0 {
        return None;
    }
    look(number)
}

#[cold]
fn look(number: u32) -> Option<u32> {
    let table = job().table.job;
    let incidents = table.incidents.load(Ordering::Acquire);
    let mut known = KNOWN.lock();
    let is_known = known
        .as_ref()
        .is_some_and(|known| known.incidents == incidents);
    if !is_known {
        let revoked = read().unwrap_or_else(|error| super::cannot_go_on(error));
        *known = Some(Known { incidents, revoked });
    }
    known.as_ref()?.revoked.get(&key(number)).copied()
}

/// All of the list. Error: a piece cannot be mapped.
fn read() -> Result<FxHashMap<u64, u32>> {
    let mut revoked = FxHashMap::default();
    let mut next = job().table.job.revoked.load(Ordering::Acquire);
    while next != 0 {
        let piece = piece(next as Offset)?;
        for entry in &piece.entries {
            let key = entry.key.load(Ordering::Acquire);
            if let Some(key) = key.checked_sub(1) {
                let rank = entry.rank.load(Ordering::Relaxed) as u32;
                revoked.insert(key, rank - 1);
            }
        }
        next = piece.next.load(Ordering::Relaxed);
    }
    Ok(revoked)
}

/// Does `work` with those whose end ends a wait: `ranks`, and that the communicator with this number, if there is one, is revoked.
#[inline]
pub fn unless<R>(number: Option<u32>, ranks: Ranks<'_>, work: impl FnOnce(Ranks<'_>) -> R) -> R {
    match number {
        None => work(ranks),
        Some(number) => work(Ranks::Unless(&|| told(number), &ranks)),
    }
}

/// Says that the communicator with this number was revoked, if it was; as [`Ranks::Unless`] wants it.
pub fn told(number: u32) -> Option<String> {
    let rank = revoker(number)?;
    Some(format!(
        "the communicator was revoked by rank {rank} of the job"
    ))
}

/// Error: `MPIX_ERR_REVOKED` if the communicator with this number was revoked. One load while there was no incident.
#[inline]
pub fn check(number: u32) -> Result<()> {
    match job().table.job.incidents.load(Ordering::Relaxed) {
        0 => Ok(()),
        _ => check_in_earnest(number),
    }
}

#[cold]
fn check_in_earnest(number: u32) -> Result<()> {
    match told(number) {
        None => Ok(()),
        Some(sentence) => bail!(Revoked, "{sentence}"),
    }
}
