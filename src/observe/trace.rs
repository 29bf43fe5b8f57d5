//! Events of a rank, each with its time, in an array of its own that is filled from its beginning: what finds no room is counted.
//!
//! | kind     | `whom`         | `bytes`     | `also`               |
//! |----------|----------------|-------------|----------------------|
//! | Call     | row            | bytes       | the end              |
//! | Wait     | rank + 1, or 0 |             | the end              |
//! | Sent     | the receiver   | bytes       | context and tag      |
//! | Received | the sender     | bytes       | context and tag      |
//! | Freed    |                |             | the lock             |
//! | Locked   |                |             | the lock             |
//!
//! `Sent` and `Received` are written in the order in which messages of a rank leave it and meet their receives. Messages between
//! two ranks that have the same context and tag do not overtake each other (MPI 4.1 §3.5): the first of the ones is the first of
//! the others. As each array has all events from its beginning, that holds for what is there.
//!
//! `Freed` is a release that wakes somebody, and `Locked` the end of a wait for that lock. A lock is named by its place in the
//! segment.

use super::calls::thread;
use super::tables::Block;
use super::{own, ticks};
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use std::mem::size_of;

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    Call = 1,
    Wait = 2,
    Sent = 3,
    Received = 4,
    Freed = 5,
    Locked = 6,
}

impl Kind {
    fn of(number: u32) -> Option<Kind> {
        use Kind::*;
        let all = [Call, Wait, Sent, Received, Freed, Locked];
        all.into_iter().find(|kind| *kind as u32 == number)
    }
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Happening {
    pub kind: Kind,
    /// The number of the thread in its process.
    pub thread: u32,
    /// When it was, or began.
    pub time: u64,
    pub whom: u32,
    pub bytes: u64,
    pub also: u64,
}

/// The place of an event.
#[repr(C)]
pub struct Event {
    /// The kind, in the lower byte, and the thread. 0: not written, or not all of it. Written last.
    what: AtomicU32,
    whom: AtomicU32,
    time: AtomicU64,
    bytes: AtomicU64,
    also: AtomicU64,
}

const _: () = assert!(size_of::<Event>() == 32);

impl Event {
    /// What is there, if all of it is.
    pub fn read(&self) -> Option<Happening> {
        let what = self.what.load(Ordering::Acquire);
        Some(Happening {
            kind: Kind::of(what & 0xff)?,
            thread: what >> 8,
            time: self.time.load(Ordering::Relaxed),
            whom: self.whom.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            also: self.also.load(Ordering::Relaxed),
        })
    }
}

/// Whether events are wanted.
#[inline(always)]
pub(super) fn is_on(block: &Block) -> bool {
    !block.events.is_empty()
}

/// Writes an event, if there is room.
pub(super) fn write(block: &Block, event: Happening) {
    let number = block.about.events.fetch_add(1, Ordering::Relaxed);
    if let Some(place) = block.events.get(number as usize) {
        place.whom.store(event.whom, Ordering::Relaxed);
        place.time.store(event.time, Ordering::Relaxed);
        place.bytes.store(event.bytes, Ordering::Relaxed);
        place.also.store(event.also, Ordering::Relaxed);
        let what = event.kind as u32 | event.thread << 8;
        place.what.store(what, Ordering::Release);
    }
}

/// Writes one of the moment.
#[cold]
#[inline(never)]
fn note(kind: Kind, whom: u32, bytes: u64, also: u64) {
    if let Some(block) = own().filter(|block| is_on(block)) {
        let (thread, time) = (thread(block), ticks::now());
        let event = Happening {
            kind,
            thread,
            time,
            whom,
            bytes,
            also,
        };
        write(block, event);
    }
}

fn context_and_tag(context: u32, tag: i32) -> u64 {
    u64::from(context) << 32 | u64::from(tag as u32)
}

/// A message of so many bytes leaves for the rank `to` of the job.
pub fn sent(to: u32, context: u32, tag: i32, bytes: u64) {
    note(Kind::Sent, to, bytes, context_and_tag(context, tag));
}

/// A message of the rank `from` of the job has met its receive.
pub fn received(from: u32, context: u32, tag: i32, bytes: u64) {
    note(Kind::Received, from, bytes, context_and_tag(context, tag));
}

/// A lock was released, and somebody is woken for it.
pub fn freed(lock: u64) {
    note(Kind::Freed, 0, 0, lock);
}

/// A lock was taken after a wait.
pub fn locked(lock: u64) {
    note(Kind::Locked, 0, 0, lock);
}
