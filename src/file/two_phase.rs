//! Collective accesses by way of memory that all processes share, where their data interleaves in the file (*two-phase* access).
//!
//! Alone, each process would move many runs, or read and write what lies between them, under locks that keep it from the others.
//! Together they look at the file through windows. Of a window each process (or fewer, by the hint `cb_nodes`) reads or writes one
//! part by one call of the system, and all move their own data between the window and their memory. There are two windows in memory
//! (see [`Staging`]), so that the one goes to the file while the other is filled. After each step all meet, and learn whether it went
//! well for all.
//!
//! | step k | writing                                    | reading                |
//! |--------|--------------------------------------------|------------------------|
//! | first  | window k-1 goes to the file, by parts      | window k is read       |
//! | then   | window k gets the data of all              | window k-1 is taken from |
//!
//! **Holes.** If the runs do not cover the span of the access exactly once (see [`cover`]), what is there is read before window k gets
//! the data of all, one step earlier; writing then lags by one more. Windows alternate, so a part of window k is read by the
//! process that has just written the same part of window k-2: it is nobody else's.
//!
//! **Locks.** The first process locks the span for all of them, from before anything is read until all is written (see [`super::runs`]).
//! Nobody else waits for a lock meanwhile: the others have come. Where holes are written back, each has its share of the lock: so it is
//! there as long as somebody writes, though the first one, or another, has died, and those that know of it have left.
//!
//! **When.** Whether accesses through a view may go so is agreed with the view ([`Buffering`]): if some process has short runs, below
//! [`SHORT_READ`] and [`SHORT_WRITE`]. Such an access begins with an exchange of what each process covers; all decide alike from that
//! whether it is worth it. In atomic mode, where data is converted, where a lock or memory is missing: each process moves its own.
//!
//! **Cost** (AMD EPYC, 2 cores, ext4 in memory; a matrix of 4,000² doubles by 4 ranks, alone and together): to write blocks of columns
//! 58 and 16 ms, every fourth column 132 and 26; to read the latter 85 and 24. What wins are few long writes: those to one file
//! exclude each other in the system, and one of 8,000 bytes takes 2.3 times as long a byte as one of 1 MB. Reads of that length do
//! not.

use super::access::{Access, Direction, PIECE, grow};
use super::convert::{Memory, Moved};
use super::cover::{self, Covered, Span};
use super::hints::{Buffering, Choice};
use super::staging::Staging;
use super::system::{Locked, read_at, write_at};
use super::view::Stream;
use super::{File, agree};
use crate::datatype;
use crate::error::Result;
use crate::mpi::constants::MPI_MODE_WRONLY;
use crate::shm::PAGE;
use std::ops::Range;
use std::sync::Arc;

/// Runs of fewer bytes on average are worth it.
const SHORT_READ: u64 = 2 << 10;
const SHORT_WRITE: u64 = 32 << 10;

/// Runs of fewer bytes are not looked at one by one to learn whether they cover everything: to read the file takes no longer.
const TINY: u64 = 128;

/// Whether accesses go together, as far as the view says: the same for all processes.
#[derive(Clone, Copy, Default)]
pub struct Together {
    reads: bool,
    writes: bool,
}

impl Together {
    /// Of the average length of the runs in the views of all processes.
    pub fn of(buffering: &Buffering, runs: &[u64]) -> Together {
        let shortest = runs.iter().min().copied().unwrap_or(u64::MAX);
        let goes = |choice, short| match choice {
            Choice::Never => false,
            Choice::Always => true,
            Choice::WhenWorthIt => shortest < short,
        };
        let several = runs.len() > 1;
        Together {
            reads: several && goes(buffering.reads, SHORT_READ),
            writes: several && goes(buffering.writes, SHORT_WRITE),
        }
    }

    pub fn goes(self, direction: Direction) -> bool {
        match direction {
            Direction::Read => self.reads,
            Direction::Write => self.writes,
        }
    }
}

/// What a process does in an access of all.
struct Share<'a> {
    file: &'a File,
    staging: &'a Staging,
    call: &'a str,
    span: Span,
    /// Bytes of the file in the part of a process that calls the system.
    part: usize,
    nodes: usize,
    stream: &'a Stream,
    memory: &'a Memory,
    /// Where its data begins in the stream, how much of it is done, and how much there is.
    start: u64,
    done: u64,
    bytes: u64,
    /// For data with gaps in memory.
    piece: Vec<u8>,
}

impl File {
    /// Moves the data of all processes together: `access` and `first`, if this process has such; it gets the bytes that were moved
    /// of its own, and the outcome. Collective. `None`: nothing was done, or only read, and each has to move its own.
    ///
    /// Errors: the system's, on all processes alike; `MPI_ERR_PROC_FAILED`.
    pub(super) fn move_together(
        &self,
        call: &str,
        direction: Direction,
        access: Option<(&Access, i64)>,
    ) -> Option<(Moved, Result<()>)> {
        let mut moved = Moved::default();
        let outcome = self.try_together(call, direction, access, &mut moved);
        match outcome {
            Ok(true) => Some((moved, Ok(()))),
            Ok(false) => None,
            Err(error) => Some((moved, Err(error))),
        }
    }

    /// The same; whether it was done.
    fn try_together(
        &self,
        call: &str,
        direction: Direction,
        access: Option<(&Access, i64)>,
        moved: &mut Moved,
    ) -> Result<bool> {
        let buffering = self.hints.lock().buffering;
        let always = buffering.choice(direction) == Choice::Always;
        let what = || format!("{call}: waiting for the other processes of the file");
        let mut piece = Vec::new();
        let mine = access.and_then(|(access, first)| self.covers(access, first, &mut piece));
        let all = self.meeting.exchange(mine, &what)?;
        let Some(span) = cover::span(&all, always) else {
            return Ok(false);
        };
        // All have an access, then.
        let Some((access, first)) = access else {
            return Ok(false);
        };
        if direction == Direction::Write && !span.exactly && self.is(MPI_MODE_WRONLY) {
            return Ok(false);
        }
        let (nodes, window) = self.parts(&buffering);
        let Some(staging) = self.staging(window, &what)? else {
            return Ok(false);
        };
        let range = || span.low..span.high;
        let (mut serial, mut lock) = (None, None);
        if direction == Direction::Write {
            let first = self.meeting.rank == 0;
            if first {
                serial = Some(self.serial.lock());
                lock = Locked::range(&self.file, range());
                if !span.exactly {
                    lock.iter().for_each(Locked::share);
                }
            }
            // The answer of the first process counts.
            if !self.meeting.exchange(lock.is_some(), &what)?[0] {
                return Ok(false);
            }
            if !first && !span.exactly {
                // Another thread that has the open file's lock may wait for this access to end.
                serial = self.serial.try_lock();
                lock = serial
                    .as_ref()
                    .and_then(|_| Locked::shared(&self.file, range()));
            }
        }
        let mut share = Share {
            file: self,
            staging: &staging,
            call,
            span,
            part: window / nodes,
            nodes,
            stream: access.stream()?,
            memory: access.memory,
            start: access.start(first)?,
            done: 0,
            bytes: access.bytes as u64,
            piece,
        };
        let outcome = match direction {
            Direction::Read => share.read(),
            Direction::Write => share.write().map(|()| true),
        };
        *moved = Moved {
            in_memory: share.done as usize,
            in_file: share.done as usize,
        };
        drop(lock);
        drop(serial);
        outcome
    }

    /// What the access of this process covers; `None` if it cannot be made together with others.
    fn covers(&self, access: &Access, first: i64, piece: &mut Vec<u8>) -> Option<Covered> {
        if access.view.datarep.converts(access.direction) {
            return None;
        }
        let (stream, start) = (access.stream().ok()?, access.start(first).ok()?);
        let bytes = access.bytes as u64;
        if bytes == 0 {
            return Some(Covered::NOTHING);
        }
        if !stream.is_in_order() {
            return None;
        }
        let buffer = &access.memory.buffer;
        if buffer.run().is_none() {
            grow(piece, PIECE.min(buffer.len())).ok()?;
        }
        let range = start..start + bytes;
        let low = stream.place(range.start).ok()? as u64;
        let high = stream.place(range.end - 1).ok()? as u64 + 1;
        let writing = access.direction == Direction::Write;
        let wanted = writing && (access.view.run() >= TINY || self.is(MPI_MODE_WRONLY));
        let sum = match wanted {
            false => None,
            true => {
                let mut sum = 0_u64;
                let mut add = |place, len| sum = sum.wrapping_add(cover::run(place, len));
                stream.walk(range, &mut add).ok()?;
                Some(sum)
            }
        };
        Some(Covered {
            low,
            high,
            bytes,
            sum,
        })
    }

    /// How many processes call the system, and the bytes of a window, which are as many whole pages for each of them.
    fn parts(&self, buffering: &Buffering) -> (usize, usize) {
        let nodes = buffering.callers(self.meeting.size());
        let part = (buffering.memory as usize / 2 / nodes / PAGE).max(1) * PAGE;
        (nodes, nodes * part)
    }

    /// The memory with such windows, made when it is first needed. Collective. `None` if there is none.
    fn staging(&self, window: usize, what: &dyn Fn() -> String) -> Result<Option<Arc<Staging>>> {
        let mut staging = self.staging.lock();
        let fits = |staging: &Arc<Staging>| staging.window() == window;
        if !staging.as_ref().is_some_and(fits) {
            *staging = None;
            *staging = Staging::make(&self.meeting, window, what)?.map(Arc::new);
        }
        Ok(staging.clone())
    }
}

impl Share<'_> {
    fn window_bytes(&self) -> u64 {
        self.staging.window() as u64
    }

    /// The place in the file of the first byte of window 0: the beginning of a page.
    fn base(&self) -> u64 {
        self.span.low - self.span.low % PAGE as u64
    }

    fn windows(&self) -> u64 {
        (self.span.high - self.base()).div_ceil(self.window_bytes())
    }

    /// Where a window begins in the file, and what it has of the span.
    fn window(&self, window: u64) -> (u64, Range<u64>) {
        let begin = self.base() + window * self.window_bytes();
        let end = (begin + self.window_bytes()).min(self.span.high);
        (begin, begin.max(self.span.low)..end)
    }

    /// What a window has in its part number `part`.
    fn part(&self, window: u64, part: usize) -> Range<u64> {
        let (begin, span) = self.window(window);
        let first = begin + (part * self.part) as u64;
        let behind = first + self.part as u64;
        first.clamp(span.start, span.end)..behind.clamp(span.start, span.end)
    }

    /// The number of this process's part, if it has one: the processes that have are spread over all ranks.
    fn own_part(&self) -> Option<usize> {
        let (rank, size) = (self.file.meeting.rank, self.file.meeting.size());
        let part = (rank * self.nodes).div_ceil(size);
        (part < self.nodes && part * size / self.nodes == rank).then_some(part)
    }

    /// The memory of this process's part of a window, and its place in the file.
    fn own_memory(&self, window: u64) -> Option<(*mut [u8], u64)> {
        let range = self.part(window, self.own_part()?);
        let (begin, _) = self.window(window);
        let first = (range.start - begin) as usize;
        let at = self.staging.at(window).wrapping_add(first);
        let len = (range.end - range.start) as usize;
        Some((std::ptr::slice_from_raw_parts_mut(at, len), range.start))
    }

    /// Writes all. Errors: those of any process, on all of them.
    fn write(&mut self) -> Result<()> {
        let lag = u64::from(!self.span.exactly);
        let windows = self.windows();
        for step in 0..windows + lag + 1 {
            let filled = (step.checked_sub(lag)).filter(|&window| window < windows);
            let full = step.checked_sub(lag + 1);
            // Writes to one file exclude each other, so half of the processes begin with the other thing.
            let early = self.file.meeting.rank % 2 == 1;
            if early {
                filled.inspect(|&window| self.fill(window));
            }
            let mut outcome = full.map_or(Ok(()), |window| self.write_part(window));
            if lag > 0 && step < windows {
                outcome = outcome.and_then(|()| self.read_part(step)).map(|_| ());
            }
            if !early {
                filled.inspect(|&window| self.fill(window));
            }
            agree(&self.file.meeting, &outcome, self.call)?;
            if let Some(window) = full {
                self.done = self.before(self.window(window).1.end);
            }
        }
        Ok(())
    }

    /// Reads all, or up to the end of the file. Whether that went well for all.
    fn read(&mut self) -> Result<bool> {
        let windows = self.windows();
        let mut full = None;
        for step in 0..windows + 1 {
            let got = match step < windows {
                true => self.read_part(step).ok(),
                false => Some(0),
            };
            if let Some(end) = full {
                self.empty(step - 1, end);
            }
            let what = || format!("{}: waiting for the other processes of the file", self.call);
            let got = self.file.meeting.exchange(got, &what)?;
            if got.contains(&None) {
                self.done = 0;
                return Ok(false);
            }
            if step == windows || full.is_some_and(|end| end < self.window(step - 1).1.end) {
                break;
            }
            full = Some(self.end_of(step, &got));
        }
        Ok(true)
    }

    /// Where the file ends in a window, or the window does, by the bytes that were read of its parts.
    fn end_of(&self, window: u64, got: &[Option<u64>]) -> u64 {
        let (_, span) = self.window(window);
        let size = self.file.meeting.size();
        let end_of_part = |part: usize| {
            let range = self.part(window, part);
            let end = range.start + got[part * size / self.nodes].unwrap_or(0);
            (end < range.end).then_some(end)
        };
        (0..self.nodes).find_map(end_of_part).unwrap_or(span.end)
    }

    /// Reads this process's part of a window, with zeros behind the end of the file. Gives the bytes that are there.
    fn read_part(&self, window: u64) -> Result<u64> {
        let Some((memory, place)) = self.own_memory(window) else {
            return Ok(0);
        };
        // SAFETY: the part lies within the window's memory, and in this step is this process's alone.
        let memory = unsafe { &mut *memory };
        let (got, outcome) = read_at(&self.file.file, memory, place);
        outcome.map_err(|error| self.file.failed(&error, "reading"))?;
        memory[got..].fill(0);
        Ok(got as u64)
    }

    fn write_part(&self, window: u64) -> Result<()> {
        let Some((memory, place)) = self.own_memory(window) else {
            return Ok(());
        };
        // SAFETY: as above.
        let memory = unsafe { &*memory };
        let (_, outcome) = write_at(&self.file.file, memory, place);
        outcome.map_err(|error| self.file.failed(&error, "writing"))
    }

    /// How many bytes of this process's data lie before a place in the file.
    fn before(&self, place: u64) -> u64 {
        let all = self.start..self.start + self.bytes;
        self.stream.before(place, all) - self.start
    }

    /// Puts this process's data into a window.
    fn fill(&mut self, window: u64) {
        let (begin, span) = self.window(window);
        let within = self.before(span.start)..self.before(span.end);
        let at = self.staging.at(window);
        let message = self.stream.in_memory(at, begin, self.start + within.end);
        self.in_pieces(within, |start, range, memory, piece| {
            let from = match memory.buffer.run() {
                Some(address) => std::ptr::with_exposed_provenance(address + range.start),
                None => {
                    // SAFETY: the program's memory, and a piece of as many bytes.
                    unsafe { memory.buffer.read(range.clone(), piece.as_mut_ptr()) };
                    piece.as_ptr()
                }
            };
            // SAFETY: the bytes lie within the window, and are this process's; as many are there.
            unsafe { datatype::unpack(message, start + range.start..start + range.end, from) };
        });
    }

    /// Takes this process's data out of a window, up to the place `end`.
    fn empty(&mut self, window: u64, end: u64) {
        let (begin, span) = self.window(window);
        let within = self.before(span.start)..self.before(end);
        let at = self.staging.at(window);
        let message = self.stream.in_memory(at, begin, self.start + within.end);
        self.done = within.end;
        self.in_pieces(within, |start, range, memory, piece| {
            let run = memory.buffer.run();
            let to = match run {
                Some(address) => std::ptr::with_exposed_provenance_mut(address + range.start),
                None => piece.as_mut_ptr(),
            };
            // SAFETY: the bytes lie within the window; there is room for as many.
            unsafe { datatype::pack(message, start + range.start..start + range.end, to) };
            if run.is_none() {
                // SAFETY: the program's memory, and a piece of as many bytes.
                unsafe { memory.buffer.write(range, to) };
            }
        });
    }

    /// Calls `each(where the data begins in the stream, bytes of the data, memory, piece)` for `within`, the bytes of the data.
    fn in_pieces(
        &mut self,
        within: Range<u64>,
        mut each: impl FnMut(usize, Range<usize>, &Memory, &mut Vec<u8>),
    ) {
        let (mut at, end) = (within.start as usize, within.end as usize);
        let most = match self.memory.buffer.run() {
            Some(_) => usize::MAX,
            None => self.piece.len(),
        };
        while at < end {
            let next = end.min(at.saturating_add(most));
            each(self.start as usize, at..next, self.memory, &mut self.piece);
            at = next;
        }
    }
}
