//! Moving the runs of a view: where they lie close together, many of them by one call of the system.
//!
//! Runs with small holes between them become a batch. Reading a batch reads all it covers into a buffer, and takes the runs out
//! of it. Writing reads what it covers, puts the runs in, and writes everything back (*data sieving*). Meanwhile nobody else
//! may write into the holes, which would be undone. So every write of every process, also one that has no holes, locks the
//! range of the file that it covers, one batch at a time: two that meet wait for each other, and nobody waits with a lock held.
//! (The lock belongs to the open file, which threads share: they take [`File::serial`] first.)
//!
//! What cannot be done so is done run by run: batches whose runs are far apart or few, files that are open for writing only,
//! and where there are no locks.

use super::File;
use super::access::Direction;
use super::hints::Choice;
use super::system::{Locked, read_at, write_at};
use crate::mpi::constants::MPI_MODE_WRONLY;
use std::io;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

/// Bytes of the file that a batch covers at most. Larger ones do not get faster, and keep others waiting.
const SPAN: usize = 512 << 10;

/// Runs of a batch at most.
const RUNS: usize = 16 << 10;

/// What a call of the system costs, in bytes of the file that it could move instead.
const WORTH: usize = 4 << 10;

/// A place in the file and a number of bytes.
#[derive(Clone, Copy)]
struct Run {
    place: u64,
    len: usize,
}

/// Moves runs, which come one after the other, between a file and consecutive memory.
pub struct Mover<'a> {
    file: &'a File,
    direction: Direction,
    /// Whether batches are moved as a whole.
    sieving: Choice,
    /// Whether other processes are kept from the whole file.
    alone: bool,
    /// The memory of the next batch, which is the caller's.
    address: usize,
    batch: Vec<Run>,
    /// What the batch covers of the file.
    start: u64,
    end: u64,
    buffer: Vec<u8>,
    done: usize,
    outcome: io::Result<()>,
    /// The file ended, or there was an error: nothing more is moved.
    over: bool,
}

impl<'a> Mover<'a> {
    /// # Safety
    /// `address` is that of memory for all runs that will be taken, which may be written if `direction` is reading, and nobody else
    /// changes meanwhile.
    pub unsafe fn new(
        file: &'a File,
        direction: Direction,
        alone: bool,
        address: usize,
    ) -> Mover<'a> {
        Mover {
            file,
            direction,
            sieving: file.hints.lock().sieving(direction),
            alone,
            address,
            batch: Vec::new(),
            start: 0,
            end: 0,
            buffer: Vec::new(),
            done: 0,
            outcome: Ok(()),
            over: false,
        }
    }

    /// Takes the next run. It may begin before the end of the one before, for tiles may overlap: then the later run counts.
    pub fn take(&mut self, place: u64, len: usize) {
        let end = place + len as u64;
        let joins = place >= self.start
            && place <= self.end + WORTH as u64
            && end - self.start <= SPAN as u64
            && self.batch.len() < RUNS
            // Without memory for more of them, those that there are go first.
            && self.batch.try_reserve(1).is_ok();
        if self.batch.is_empty() || !joins {
            self.flush();
            (self.start, self.end) = (place, end);
        }
        self.end = self.end.max(end);
        self.batch.push(Run { place, len });
    }

    /// Moves what is left, and gives the bytes that were moved in all, and the error that ended it.
    pub fn finish(mut self) -> (usize, io::Result<()>) {
        self.flush();
        (self.done, self.outcome)
    }

    fn flush(&mut self) {
        if !self.over && !self.batch.is_empty() {
            let before = self.done;
            let wanted: usize = self.batch.iter().map(|run| run.len).sum();
            let outcome = match self.direction {
                Direction::Read => self.read(),
                Direction::Write => self.write(),
            };
            self.over = outcome.is_err() || self.done - before < wanted;
            self.outcome = outcome;
            self.address += wanted;
        }
        self.batch.clear();
    }

    fn covered(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Makes room for all that the batch covers, if it is to be moved as a whole.
    fn sieves(&mut self) -> bool {
        let covered = self.covered();
        let worth_it = match self.sieving {
            Choice::Never => false,
            Choice::Always => true,
            Choice::WhenWorthIt => covered <= self.batch.len() * WORTH,
        };
        if self.batch.len() < 2 || !worth_it {
            return false;
        }
        let more = covered.saturating_sub(self.buffer.len());
        if self.buffer.try_reserve_exact(more).is_err() {
            return false;
        }
        self.buffer.resize(self.buffer.len() + more, 0);
        true
    }

    fn read(&mut self) -> io::Result<()> {
        if !self.sieves() {
            return self.run_by_run();
        }
        let covered = self.covered();
        let (got, outcome) = read_at(&self.file.file, &mut self.buffer[..covered], self.start);
        if outcome.is_err() {
            // What cannot be read may be in a hole.
            return self.run_by_run();
        }
        self.each_within(got, |buffer, memory, len| {
            // SAFETY: memory for the run, and as much of the buffer.
            unsafe {
                std::ptr::copy_nonoverlapping(buffer, with_exposed_provenance_mut(memory), len)
            }
        });
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let lock = match self.alone {
            true => None,
            false => Locked::range(&self.file.file, self.start..self.end),
        };
        let may_sieve = (self.alone || lock.is_some()) && !self.file.is(MPI_MODE_WRONLY);
        if !may_sieve || !self.sieves() {
            return self.run_by_run();
        }
        let covered = self.covered();
        let (got, outcome) = read_at(&self.file.file, &mut self.buffer[..covered], self.start);
        if outcome.is_err() {
            return self.run_by_run();
        }
        // Behind the end of the file, holes are zeros.
        self.buffer[got..covered].fill(0);
        let done = self.done;
        self.each_within(covered, |buffer, memory, len| {
            // SAFETY: memory of the run, and as much of the buffer, which is ours.
            unsafe { std::ptr::copy_nonoverlapping(with_exposed_provenance(memory), buffer, len) }
        });
        self.done = done;
        let (written, outcome) = write_at(&self.file.file, &self.buffer[..covered], self.start);
        self.each_within(written, |_, _, _| {});
        outcome
    }

    /// Calls `each(place in the buffer, place in memory, bytes)` for the runs, as far as they lie within the first `moved` bytes
    /// that the batch covers. All of these are done.
    fn each_within(&mut self, moved: usize, mut each: impl FnMut(*mut u8, usize, usize)) {
        let mut address = self.address;
        for run in &self.batch {
            let at = (run.place - self.start) as usize;
            let len = run.len.min(moved.saturating_sub(at));
            each(self.buffer[at..at + len].as_mut_ptr(), address, len);
            self.done += len;
            if len < run.len {
                break;
            }
            address += len;
        }
    }

    fn run_by_run(&mut self) -> io::Result<()> {
        let mut address = self.address;
        for &Run { place, len } in &self.batch {
            let (moved, outcome) = match self.direction {
                Direction::Read => {
                    let memory = with_exposed_provenance_mut::<u8>(address);
                    // SAFETY: the contract of `new`.
                    let memory = unsafe { std::slice::from_raw_parts_mut(memory, len) };
                    read_at(&self.file.file, memory, place)
                }
                Direction::Write => {
                    let memory = with_exposed_provenance::<u8>(address);
                    // SAFETY: the contract of `new`.
                    let memory = unsafe { std::slice::from_raw_parts(memory, len) };
                    write_at(&self.file.file, memory, place)
                }
            };
            self.done += moved;
            outcome?;
            if moved < len {
                break;
            }
            address += len;
        }
        Ok(())
    }
}
