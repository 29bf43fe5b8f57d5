//! The list of windows in the segment, for those that look at the job from outside ([`super::seen`]). No rank reads it.
//!
//! The process with rank 0 in a window writes a [`Record`] and a [`Share`] of each process in the window's control block, and puts the
//! record into a list of its own, which begins in its entry of the process table. It takes the record back before it leaves the block,
//! which is freed only after that.
//!
//! | mark   | state                                                                                   |
//! |--------|-----------------------------------------------------------------------------------------|
//! | [`MARK`] + offset | the record is in the list; its offset, so that a copy of its bytes is none   |
//! | else   | it is being written, was taken back, or the memory is something else's by now           |
//!
//! Nobody waits for readers. One looks at the mark before and after it reads, checks each number, and takes what it follows for a
//! guess: `next` may lead to what is no record any more.

use super::control::Control;
use super::entry::{Entry, Location};
use super::hints::Hints;
use super::{Flavor, Window};
use crate::comm::Comm;
use crate::runtime::me;
use crate::shm::Offset;
use crate::shm::atomic::Ordering::{Relaxed, Release};
use crate::shm::atomic::{AtomicU32, AtomicU64};
use crate::shm::segment::segment;
use crate::shm::text::Text;
use parking_lot::Mutex;

pub(super) const MARK: u64 = u64::from_le_bytes(*b"windowHM");

/// A window.
#[repr(C, align(128))]
pub(super) struct Record {
    pub mark: AtomicU64,
    /// The offset of the next record of the same process, or 0; and of the one before.
    pub next: AtomicU64,
    previous: AtomicU64,
    pub ranks: AtomicU32,
    /// The number that C has in MPICH's interface, whatever interface made the window.
    pub flavor: AtomicU32,
    /// The number of the communicator that it was made of.
    pub context: AtomicU32,
    _pad: AtomicU32,
    pub name: Text<16>,
    /// Those that are not the default, as `key=value, ...`.
    pub hints: Text<24>,
}

/// One process's part, as it was when the window was made; and what it does with the window, which it writes itself.
#[repr(C)]
pub(super) struct Share {
    pub size: AtomicU64,
    pub disp_unit: AtomicU64,
    /// Its rank in the job.
    pub process: AtomicU32,
    /// 0: memory of the segment; 1: of the program's own; 2: the same, attached; 3: what the process attaches.
    pub location: AtomicU32,
    /// The access epoch that the process is in now: an [`Access`](super::access::Access).
    pub access: AtomicU32,
    _pad: AtomicU32,
}

const _: () = assert!(size_of::<Record>() == 384);

/// Held while the list of this process changes.
static CHANGING: Mutex<()> = Mutex::new(());

/// A window's record in the list, until this is dropped.
pub struct Listed {
    record: &'static Record,
    offset: Offset,
}

fn record(offset: Offset) -> &'static Record {
    // SAFETY: records in the list of this process are in control blocks that it has not left.
    unsafe { &*segment().at::<Record>(offset) }
}

impl Listed {
    /// Puts a window into the list, for the process that is rank 0 of it.
    pub(super) fn publish(
        control: &Control,
        comm: &Comm,
        flavor: Flavor,
        hints: &Hints,
        entries: &[Entry],
    ) -> Option<Listed> {
        if comm.rank != 0 {
            return None;
        }
        let record = control.record;
        let offset = Control::key(record) as Offset;
        record.ranks.store(comm.size() as u32, Relaxed);
        record.flavor.store(flavor as u32, Relaxed);
        record.context.store(comm.context, Relaxed);
        record.hints.put(hints.unusual().as_bytes());
        for (rank, (share, entry)) in control.shares.iter().zip(entries).enumerate() {
            share.size.store(entry.size as u64, Relaxed);
            share.disp_unit.store(entry.disp_unit as u64, Relaxed);
            share.process.store(comm.world_rank(rank), Relaxed);
            let location = match entry.location {
                Location::Segment | Location::Guess => 0,
                Location::Private => 1,
                Location::Attached => 2,
                Location::None => 3,
            };
            share.location.store(location, Relaxed);
        }
        let _one = CHANGING.lock();
        let head = &me().windows;
        let next = head.load(Relaxed);
        record.next.store(next, Relaxed);
        if next != 0 {
            self::record(next as Offset)
                .previous
                .store(offset as u64, Relaxed);
        }
        // Release: who finds it finds what is in it.
        record.mark.store(MARK + offset as u64, Release);
        head.store(offset as u64, Release);
        Some(Listed { record, offset })
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let _one = CHANGING.lock();
        self.record.mark.store(0, Release);
        let (next, previous) = (&self.record.next, &self.record.previous);
        let (next, previous) = (next.load(Relaxed), previous.load(Relaxed));
        debug_assert_ne!(next, self.offset as u64);
        match previous {
            0 => me().windows.store(next, Release),
            _ => record(previous as Offset).next.store(next, Release),
        }
        if next != 0 {
            record(next as Offset).previous.store(previous, Relaxed);
        }
    }
}

impl Window {
    /// What others see of the window changes: its name or its hints.
    pub(super) fn list_again(&self) {
        if let Some(listed) = &self.listed {
            let _one = CHANGING.lock();
            listed.record.name.put(&self.name.lock());
            listed
                .record
                .hints
                .put(self.hints.lock().unusual().as_bytes());
        }
    }
}
