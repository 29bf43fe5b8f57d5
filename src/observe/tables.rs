//! What is seen of the ranks, in the segment behind the process table: a [`Head`], and for each rank a block of whole pages:
//! [`About`], for each rank how long this one waited for it, and the [events](super::trace). Only pages that are written to take
//! memory.
//!
//! A rank writes to its own block alone; the launcher reads all of them when the ranks are gone. So all is relaxed, but for the
//! words that say that something is complete: what a rank was writing when it was killed is left out.

use super::ticks;
use super::trace::Event;
use crate::shm::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use crate::shm::segment::Segment;
use crate::shm::{LINE, Offset, PAGE};
use std::mem::size_of;

/// More ranks are not observed: each has a word for each.
pub const MOST: u32 = 4096;
/// So many functions have rows of their own. What is called beside them shares the last one.
pub const ROWS: usize = 512;
/// When a call began that is over soon, and is not timed.
pub const UNTIMED: u64 = u64::MAX;
/// Bytes of a name.
const NAME: usize = 40;

/// What all ranks have in common.
#[repr(C, align(128))]
pub struct Head {
    /// For how many there is room.
    room: AtomicU32,
    /// 1: the clock is the processor's counter.
    counter: AtomicU32,
    /// Events that each rank has room for; 0: none are wanted.
    events: AtomicU64,
    /// The clock when the tables were made, and the time then in nanoseconds.
    ticks: AtomicU64,
    nanoseconds: AtomicU64,
}

/// What one rank tells of itself. Times are ticks.
#[repr(C, align(128))]
pub struct About {
    /// In MPI_Init, when it came to its job; the end of its last call.
    pub began: AtomicU64,
    pub ended: AtomicU64,
    /// In calls, and waiting in them.
    pub inside: AtomicU64,
    pub waited: AtomicU64,
    /// Waiting for any of several ranks, or for what it was not told.
    pub waited_for_several: AtomicU64,
    /// The call that the rank is in: its row, counted from 1, and since when; [`UNTIMED`]: nobody looked. 0: none.
    pub row: AtomicU32,
    /// Threads that have called.
    pub threads: AtomicU32,
    pub since: AtomicU64,
    /// Since when it has waited in it, and for whom, counted from 1; 0: it does not wait; for several.
    pub waiting_since: AtomicU64,
    pub waiting_for: AtomicU32,
    /// Rows in use. Those below it have names.
    pub rows: AtomicU32,
    /// Held while a row is given out.
    pub giving: AtomicBool,
    /// Events that there were, also those that found no room.
    pub events: AtomicU64,
    _line: [u8; LINE - 88],
    pub calls: [Row; ROWS],
}

/// What is known of the calls of one function.
#[repr(C, align(64))]
pub struct Row {
    pub count: AtomicU64,
    /// Together, the longest, and waiting.
    pub ticks: AtomicU64,
    pub longest: AtomicU64,
    pub waited: AtomicU64,
    /// Bytes that were moved in them.
    pub bytes: AtomicU64,
    name: [AtomicU8; NAME],
}

const _: () = assert!(size_of::<Head>() == LINE && size_of::<Row>() == 128);
const _: () = assert!(size_of::<About>() == LINE + ROWS * size_of::<Row>());

impl Row {
    /// Names it. A name that is too long loses its end.
    pub fn call_it(&self, name: &str) {
        for (place, byte) in self.name.iter().zip(name.bytes()) {
            place.store(byte, Ordering::Relaxed);
        }
    }

    pub fn name(&self) -> String {
        let bytes = self.name.iter().map(|byte| byte.load(Ordering::Relaxed));
        let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// One rank's block.
#[derive(Clone, Copy)]
pub struct Block {
    pub about: &'static About,
    /// Ticks that it waited for each rank.
    pub waited_for: &'static [AtomicU64],
    pub events: &'static [Event],
}

/// All of them, in a mapped segment.
#[derive(Clone, Copy)]
pub struct Tables {
    segment: &'static Segment,
    head: &'static Head,
    first: Offset,
}

impl Tables {
    /// Bytes that tables with room for so many ranks take, each with room for so many events.
    pub fn bytes(ranks: usize, events: usize) -> usize {
        PAGE + ranks * Tables::stride(ranks, events)
    }

    fn stride(ranks: usize, events: usize) -> usize {
        let waits = (ranks * size_of::<AtomicU64>()).next_multiple_of(LINE);
        (size_of::<About>() + waits + events * size_of::<Event>()).next_multiple_of(PAGE)
    }

    /// Lays them out at `at` of a fresh segment.
    pub fn create(segment: &'static Segment, at: Offset, ranks: usize, events: usize) -> Tables {
        let tables = Tables::open(segment, at);
        let head = tables.head;
        head.room.store(ranks as u32, Ordering::Relaxed);
        head.events.store(events as u64, Ordering::Relaxed);
        let counter = ticks::can_count();
        head.counter.store(counter.into(), Ordering::Relaxed);
        tables.choose_clock();
        let (ticks, nanoseconds) = ticks::both();
        head.ticks.store(ticks, Ordering::Relaxed);
        head.nanoseconds.store(nanoseconds, Ordering::Relaxed);
        tables
    }

    /// Those that are in the segment.
    pub fn open(segment: &'static Segment, at: Offset) -> Tables {
        // SAFETY: the creator of the segment made room for them (`bytes`) at a whole number of pages; they are made of atomics,
        // for which any bytes are valid, and live as long as the mapping.
        let head = unsafe { &*segment.at::<Head>(at) };
        let first = at + PAGE;
        Tables {
            segment,
            head,
            first,
        }
    }

    /// This process uses the job's clock.
    pub fn choose_clock(&self) {
        ticks::choose(self.head.counter.load(Ordering::Relaxed) != 0);
    }

    /// For how many ranks there is room.
    pub fn room(&self) -> usize {
        self.head.room.load(Ordering::Relaxed) as usize
    }

    /// When they were made: ticks, and nanoseconds.
    pub fn beginning(&self) -> (u64, u64) {
        let head = self.head;
        (
            head.ticks.load(Ordering::Relaxed),
            head.nanoseconds.load(Ordering::Relaxed),
        )
    }

    pub fn block(&self, rank: u32) -> Block {
        let (ranks, events) = (
            self.room(),
            self.head.events.load(Ordering::Relaxed) as usize,
        );
        let at = self.first + rank as usize * Tables::stride(ranks, events);
        let waits = at + size_of::<About>();
        let after = waits + (ranks * size_of::<AtomicU64>()).next_multiple_of(LINE);
        // SAFETY: as in `open`: the block of each rank lies within the room that was made, and all of it is atomics.
        unsafe {
            Block {
                about: &*self.segment.at::<About>(at),
                waited_for: std::slice::from_raw_parts(self.segment.at(waits), ranks),
                events: std::slice::from_raw_parts(self.segment.at(after), events),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trace::{Happening, Kind, write};
    use super::*;

    #[test]
    fn blocks_lie_side_by_side_and_do_not_touch() {
        for (ranks, events) in [(1, 0), (2, 1), (3, 127), (256, 2)] {
            let front = Tables::bytes(ranks, events);
            let segment = Box::leak(Box::new(Segment::create(front).unwrap()));
            let tables = Tables::create(segment, PAGE, ranks, events);
            for rank in 0..ranks as u32 {
                let Block {
                    about, waited_for, ..
                } = tables.block(rank);
                about.began.store(1 + u64::from(rank), Ordering::Relaxed);
                about.calls[ROWS - 1].call_it("MPI_File_write_at_all_begin_c");
                for (whom, word) in waited_for.iter().enumerate() {
                    assert_eq!(word.swap(1 + whom as u64, Ordering::Relaxed), 0);
                }
                for number in 0..events as u64 + 2 {
                    write(&tables.block(rank), event(rank, number));
                }
            }
            let tables = Tables::open(segment, PAGE);
            assert_eq!(tables.room(), ranks);
            for rank in 0..ranks as u32 {
                let block = tables.block(rank);
                let about = block.about;
                assert_eq!(about.began.load(Ordering::Relaxed), 1 + u64::from(rank));
                let last = &about.calls[ROWS - 1];
                assert_eq!(last.name(), "MPI_File_write_at_all_begin_c");
                assert_eq!(block.waited_for.len(), ranks);
                // Two found no room, and wrote nowhere.
                assert_eq!(about.events.load(Ordering::Relaxed), events as u64 + 2);
                assert_eq!(block.events.len(), events);
                for (number, place) in (0..).zip(block.events) {
                    let (found, wanted) = (place.read().unwrap(), event(rank, number));
                    assert_eq!(format!("{found:?}"), format!("{wanted:?}"));
                }
            }
        }
    }

    fn event(rank: u32, number: u64) -> Happening {
        Happening {
            kind: Kind::Received,
            thread: 0xabcdef,
            time: number,
            whom: rank,
            bytes: u64::MAX - number,
            also: number << 32 | 7,
        }
    }

    #[test]
    fn what_was_not_written_to_its_end_is_no_event() {
        let segment = Box::leak(Box::new(Segment::create(Tables::bytes(1, 4)).unwrap()));
        let block = Tables::create(segment, PAGE, 1, 4).block(0);
        assert!(block.events.iter().all(|place| place.read().is_none()));
    }
}
