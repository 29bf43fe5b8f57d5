//! Where checks keep what other processes see, in the segment behind what is [observed](crate::observe): a [`Head`], and for each rank a
//! block of whole pages. Only pages that are written to take memory.

use super::clock::Clock;
use super::collectives::Collectives;
use super::messages::Messages;
use super::place::{Modules, Place};
use super::race::log::{Log, On};
use super::race::windows::Parts;
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::shm::segment::Segment;
use crate::shm::text::Text;
use crate::shm::{Offset, PAGE};
use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::mem::size_of;

/// Jobs of more ranks are not checked.
pub const MOST: u32 = 1024;
/// So many findings of a rank are kept, and as many notes; the others are counted.
pub const FINDINGS: usize = 64;
/// Words of 8 bytes of a finding.
const WORDS: usize = 254;

/// What all ranks have in common.
#[repr(C)]
struct Head {
    /// How many there are by now. Only grows.
    ranks: AtomicU32,
    /// 1: a finding ends the job.
    ends: AtomicU32,
    /// 1: a rank may load what others store, unseen.
    loads: AtomicU32,
    /// Bits of the parts of windows whose elements somebody [may have seen](Area::say_seen).
    seen: [AtomicU64; SEEN],
}

/// Words of them.
const SEEN: usize = 16;

/// What a rank has found. It alone writes.
#[repr(C)]
pub struct Findings {
    pub wrong: List,
    pub notes: List,
}

/// Findings of one severity.
#[repr(C)]
pub struct List {
    /// How many there are, also those that have no room.
    count: AtomicU64,
    all: [Found; FINDINGS],
}

/// A finding, as it was told.
pub struct Kept {
    pub text: String,
    /// How often it was found.
    pub times: u64,
}

#[repr(C)]
struct Found {
    /// How often it was found.
    times: AtomicU64,
    /// What it was, hashed.
    what: AtomicU64,
    text: Text<WORDS>,
}

/// One thread at a time tells.
static TELLING: Mutex<()> = Mutex::new(());

impl List {
    /// Keeps a finding, unless one of this kind at this place is kept already, which is counted then.
    pub fn put(&self, kind: &str, place: Place, text: &str) {
        let _telling = TELLING.lock();
        let what = FxBuildHasher.hash_one((kind, place));
        let count = self.count.load(Ordering::Relaxed) as usize;
        let kept = &self.all[..count.min(FINDINGS)];
        if place != Place::UNKNOWN
            && let Some(same) = kept
                .iter()
                .find(|found| found.what.load(Ordering::Relaxed) == what)
        {
            same.times.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if let Some(found) = self.all.get(count) {
            found.text.put(text.as_bytes());
            found.what.store(what, Ordering::Relaxed);
            found.times.store(1, Ordering::Relaxed);
        }
        self.count.store(count as u64 + 1, Ordering::Release);
    }

    /// How many there are, and those that are kept, from `first` on.
    pub fn from(&self, first: usize) -> (usize, Vec<Kept>) {
        let count = self.count.load(Ordering::Acquire) as usize;
        let kept = self.all.iter().take(count).skip(first);
        let kept = kept.map(|found| Kept {
            text: found.text.get(),
            times: found.times.load(Ordering::Relaxed),
        });
        (count, kept.collect())
    }
}

/// One rank's block.
#[derive(Clone, Copy)]
pub struct Block {
    pub findings: &'static Findings,
    pub modules: &'static Modules,
    pub messages: &'static Messages,
    pub collectives: &'static Collectives,
    pub clock: &'static Clock,
    pub log: &'static Log,
    pub parts: &'static Parts,
}

/// All of it, in a mapped segment.
#[derive(Clone, Copy)]
pub struct Area {
    segment: &'static Segment,
    head: &'static Head,
    first: Offset,
}

/// What a block is made of: begins of its parts, and its end. What operations look at lies in different lines of its page: else it would have the same few
/// places of the cache.
const MODULES: usize = size_of::<Findings>().next_multiple_of(PAGE);
const MESSAGES: usize = MODULES + size_of::<Modules>().next_multiple_of(PAGE);
const COLLECTIVES: usize = MESSAGES + size_of::<Messages>().next_multiple_of(PAGE);
const CLOCK: usize = COLLECTIVES + size_of::<Collectives>().next_multiple_of(PAGE) + APART;
const LOG: usize = CLOCK + size_of::<Clock>().next_multiple_of(PAGE) + APART;
const PARTS: usize = LOG + size_of::<Log>().next_multiple_of(PAGE) + APART;
const STRIDE: usize = PARTS + size_of::<Parts>().next_multiple_of(PAGE) + APART;
/// Eight lines of a cache.
const APART: usize = 8 * 64;

impl Area {
    /// Bytes that an area with room for so many ranks takes.
    pub fn bytes(ranks: usize) -> usize {
        (PAGE + ranks * STRIDE).next_multiple_of(PAGE)
    }

    /// Lays it out at `at` of a fresh segment.
    pub fn create(segment: &'static Segment, at: Offset, ranks: usize, ends: bool) -> Area {
        let area = Area::open(segment, at);
        area.head.ranks.store(ranks as u32, Ordering::Relaxed);
        area.head.ends.store(ends.into(), Ordering::Relaxed);
        area
    }

    /// The one that is in the segment.
    pub fn open(segment: &'static Segment, at: Offset) -> Area {
        // SAFETY: the creator of the segment made room for it (`bytes`) at a whole number of pages; it is made of atomics, for which
        // any bytes are valid, and lives as long as the mapping.
        let head = unsafe { &*segment.at::<Head>(at) };
        let first = at + PAGE;
        Area {
            segment,
            head,
            first,
        }
    }

    /// How many ranks there are by now.
    pub fn ranks(&self) -> usize {
        self.head.ranks.load(Ordering::Relaxed) as usize
    }

    /// There are so many ranks from now on, for whom there has been room from the beginning.
    pub fn grow(&self, ranks: u32) {
        self.head.ranks.fetch_max(ranks, Ordering::Relaxed);
    }

    /// Whether a finding ends the job.
    pub fn ends(&self) -> bool {
        self.head.ends.load(Ordering::Relaxed) != 0
    }

    /// Whether a rank may load what others store, unseen, in the job.
    pub fn has_loads(&self) -> bool {
        self.head.loads.load(Ordering::Relaxed) != 0
    }

    /// From now on somebody may have seen there what an atomic operation has stored, before that is complete: by another one that fetches, or
    /// as a process that looks at its own memory.
    pub fn say_seen(&self, on: On) {
        let (word, bit) = self.seen(on);
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Whether somebody may: by a load, too, where memory is shared for that.
    pub fn may_be_seen(&self, on: On) -> bool {
        let (word, bit) = self.seen(on);
        word.load(Ordering::Relaxed) & bit != 0 || self.has_loads()
    }

    fn seen(&self, on: On) -> (&AtomicU64, u64) {
        let place = FxBuildHasher.hash_one(on.bits());
        let word = (place >> 6) as usize % SEEN;
        (&self.head.seen[word], 1 << (place % 64))
    }

    pub fn say_loads(&self) {
        self.head.loads.store(1, Ordering::Relaxed);
    }

    pub fn block(&self, rank: u32) -> Block {
        let at = self.first + rank as usize * STRIDE;
        // SAFETY: as in `open`: the block of each rank lies within the room that was made.
        unsafe {
            Block {
                findings: &*self.segment.at::<Findings>(at),
                modules: &*self.segment.at::<Modules>(at + MODULES),
                messages: &*self.segment.at::<Messages>(at + MESSAGES),
                collectives: &*self.segment.at::<Collectives>(at + COLLECTIVES),
                clock: &*self.segment.at::<Clock>(at + CLOCK),
                log: &*self.segment.at::<Log>(at + LOG),
                parts: &*self.segment.at::<Parts>(at + PARTS),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_kept_once_for_each_place() {
        let ranks = 3;
        let segment = Box::leak(Box::new(Segment::create(Area::bytes(ranks)).unwrap()));
        let area = Area::create(segment, PAGE, ranks, true);
        assert!(area.ends() && Area::open(segment, PAGE).ranks() == ranks);
        let Findings { wrong, notes } = area.block(2).findings;
        let here = Place::test(1);
        wrong.put("race", here, "a");
        wrong.put("race", here, "b");
        notes.put("race", here, "c");
        wrong.put("leak", here, "d");
        wrong.put("leak", Place::UNKNOWN, "e");
        wrong.put("leak", Place::UNKNOWN, "f");
        let (count, kept) = wrong.from(0);
        let kept: Vec<_> = kept.iter().map(|kept| (&*kept.text, kept.times)).collect();
        assert_eq!(kept, [("a", 2), ("d", 1), ("e", 1), ("f", 1)]);
        assert_eq!((count, notes.from(0).0), (4, 1));
        for number in 0..2 * FINDINGS {
            notes.put("more", Place::test(2 + number as u64), "x");
        }
        let (count, kept) = notes.from(1);
        assert_eq!((count, kept.len()), (1 + 2 * FINDINGS, FINDINGS - 1));
        // Notes take no finding's room.
        wrong.put("more", here, "g");
        let (count, kept) = wrong.from(4);
        assert_eq!((count, kept.len(), &*kept[0].text), (5, 1, "g"));
        assert_eq!(area.block(1).findings.wrong.from(0).0, 0);
    }
}
