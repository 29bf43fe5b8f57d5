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

use super::Control;
use crate::runtime::me;
use crate::shm::Offset;
use crate::shm::atomic::Ordering::{Relaxed, Release};
use crate::shm::atomic::{AtomicU32, AtomicU64};
use crate::shm::segment::segment;
use crate::shm::text::Text;
use parking_lot::Mutex;

pub const MARK: u64 = u64::from_le_bytes(*b"windowHM");

/// A window.
#[repr(C, align(128))]
pub struct Record {
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
pub struct Share {
    pub size: AtomicU64,
    pub disp_unit: AtomicU64,
    /// Its rank in the job.
    pub process: AtomicU32,
    /// A [`Location`].
    pub location: AtomicU32,
    /// The access epoch that the process is in now: an [`Access`](super::access::Access).
    pub access: AtomicU32,
    _pad: AtomicU32,
}

const _: () = assert!(size_of::<Record>() == 384);

/// Where a process's part is when the window is made.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Location {
    /// In the segment.
    Segment = 0,
    /// Memory of the program's own.
    Own = 1,
    /// What the process attaches.
    Attached = 2,
}

/// What a window is.
pub struct What<'a> {
    /// The number that C has in MPICH's interface.
    pub flavor: u32,
    /// The number of the communicator that it is made of.
    pub context: u32,
    pub hints: &'a str,
}

/// What a process has of a window.
pub struct Part {
    /// Bytes.
    pub size: usize,
    pub disp_unit: usize,
    /// Its rank in the job.
    pub process: u32,
    pub location: Location,
}

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
    /// Puts a window into the list, for the process that is rank 0 of it: what it is, and each process's part.
    pub fn publish(
        control: &Control,
        what: &What,
        parts: impl ExactSizeIterator<Item = Part>,
    ) -> Listed {
        let record = control.record;
        let offset = Control::key(record) as Offset;
        record.ranks.store(parts.len() as u32, Relaxed);
        record.flavor.store(what.flavor, Relaxed);
        record.context.store(what.context, Relaxed);
        record.hints.put(what.hints.as_bytes());
        for (share, part) in control.shares.iter().zip(parts) {
            share.size.store(part.size as u64, Relaxed);
            share.disp_unit.store(part.disp_unit as u64, Relaxed);
            share.process.store(part.process, Relaxed);
            share.location.store(part.location as u32, Relaxed);
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
        Listed { record, offset }
    }

    /// The window's name or hints have changed.
    pub fn tell(&self, name: &[u8], hints: &[u8]) {
        let _one = CHANGING.lock();
        self.record.name.put(name);
        self.record.hints.put(hints);
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
