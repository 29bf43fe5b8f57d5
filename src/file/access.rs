//! Reading and writing: at an offset, at the individual or at the shared file pointer; and the pointers themselves (MPI 4.1
//! §14.4).

use super::convert::{self, Memory, Moved};
use super::runs::Mover;
use super::system::Locked;
use super::view::Stream;
use super::{File, agree};
use crate::error::{Error, Result};
use crate::file::View;
use crate::mpi::constants::*;
use crate::runtime::traffic;
use crate::shm::atomic::Ordering;
use crate::{bail, err, neutral};
use macro_rules_attribute::apply;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Read,
    Write,
}

/// Where an access begins, in etypes of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Offset(i64),
    /// At the individual file pointer, which goes to behind what was read or written.
    Individual,
    /// At the shared file pointer, which goes to behind the data, also if there is less in the file.
    Shared,
    /// As `Shared`, one process after the other in the order of ranks. Collective.
    Ordered,
}

/// What an offset counts from.
#[apply(neutral)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whence {
    Set,
    Current,
    End,
}

impl Whence {
    /// Of C's number. Error: `MPI_ERR_ARG`.
    fn of(whence: i32) -> Result<Whence> {
        Ok(match whence {
            MPI_SEEK_SET => Whence::Set,
            MPI_SEEK_CUR => Whence::Current,
            MPI_SEEK_END => Whence::End,
            _ => bail!(
                Arg,
                "whence is {whence}, not MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END"
            ),
        })
    }
}

/// The kinds of operations in two parts, each of which is begun and ended by functions of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    ReadAt,
    WriteAt,
    Read,
    Write,
    ReadOrdered,
    WriteOrdered,
}

/// An access that may be made.
pub(super) struct Access<'a> {
    pub direction: Direction,
    pub view: View,
    pub memory: &'a Memory,
    /// Of the data in the file, and how many etypes these are.
    pub bytes: usize,
    etypes: i64,
}

/// Data with gaps in memory goes through pieces of this many bytes.
pub(super) const PIECE: usize = 4 << 20;

impl File {
    /// Reads or writes, and returns the bytes that were; `together` if all processes do, and each may wait for the others. If the
    /// memory is none, its error is what the call fails with, after the others have learned of it. Errors: `MPI_ERR_CONVERSION`, `MPI_ERR_ACCESS` and `MPI_ERR_READ_ONLY` (the file is not open for this),
    /// `MPI_ERR_UNSUPPORTED_OPERATION` (in sequential mode), `MPI_ERR_ARG` (negative offset, data not made of etypes), and the
    /// system's.
    pub fn access(
        &self,
        direction: Direction,
        from: From,
        memory: &Result<Memory>,
        together: bool,
    ) -> Result<usize> {
        if from == From::Ordered {
            return self.ordered(direction, memory);
        }
        let together = together && self.goes_together(direction);
        let call = together.then_some(match (direction, from) {
            (Direction::Read, From::Offset(_)) => "MPI_File_read_at_all",
            (Direction::Read, _) => "MPI_File_read_all",
            (Direction::Write, From::Offset(_)) => "MPI_File_write_at_all",
            (Direction::Write, _) => "MPI_File_write_all",
        });
        let access = self.check(direction, from, memory);
        match from {
            From::Offset(offset) => self.transfer(call, direction, &access, offset).1,
            From::Individual if call.is_some() => {
                // Another thread's access begins where this one is to end, and waits for none of the processes that this one
                // waits for.
                let etypes = access.as_ref().map_or(0, |access| access.etypes);
                let (first, end) = {
                    let mut position = self.position.lock();
                    let first = *position;
                    *position = first.saturating_add(etypes);
                    (first, *position)
                };
                let (moved, outcome) = self.transfer(call, direction, &access, first);
                if let Ok(access) = &access {
                    let moved = moved.in_file / access.stream()?.unit();
                    let mut position = self.position.lock();
                    if *position == end {
                        *position = first.saturating_add(moved as i64);
                    }
                }
                outcome
            }
            From::Individual => {
                // Another thread's access begins where this one ends.
                let mut position = self.position.lock();
                let first = *position;
                let (moved, outcome) = self.transfer(call, direction, &access, first);
                if let Ok(access) = &access {
                    let moved = moved.in_file / access.stream()?.unit();
                    *position = position.saturating_add(moved as i64);
                }
                outcome
            }
            From::Shared | From::Ordered => {
                let etypes = access.as_ref().map_err(Error::clone)?.etypes as u64;
                let first = self.shared.fetch_add(etypes, Ordering::AcqRel) as i64;
                self.transfer(None, direction, &access, first).1
            }
        }
    }

    /// Whether all processes make such a collective access together, if it is worth it: on all of them alike.
    fn goes_together(&self, direction: Direction) -> bool {
        !self.is_atomic() && self.state.lock().together.goes(direction)
    }

    /// All processes learn how much each of them has; then rank 0 moves the pointer, and says where it was.
    fn ordered(&self, direction: Direction, memory: &Result<Memory>) -> Result<usize> {
        let call = match direction {
            Direction::Read => "MPI_File_read_ordered",
            Direction::Write => "MPI_File_write_ordered",
        };
        let checked = self.check(direction, From::Ordered, memory);
        let etypes = checked.as_ref().map(|access| access.etypes);
        let etypes = agree(&self.meeting, &etypes.map_err(Error::clone), call)?;
        let all: i64 = etypes.iter().sum();
        let before: i64 = etypes[..self.meeting.rank].iter().sum();
        let base = match self.meeting.rank {
            0 => self.shared.fetch_add(all as u64, Ordering::AcqRel) as i64,
            _ => 0,
        };
        let base = agree(&self.meeting, &Ok(base), call)?[0];
        let first = base.saturating_add(before);
        let together = self.goes_together(direction).then_some(call);
        self.transfer(together, direction, &checked, first).1
    }

    /// What can be refused before anything is moved.
    fn check<'a>(
        &self,
        direction: Direction,
        from: From,
        memory: &'a Result<Memory>,
    ) -> Result<Access<'a>> {
        let memory = memory.as_ref().map_err(Error::clone)?;
        match direction {
            Direction::Read if self.is(MPI_MODE_WRONLY) => {
                bail!(Access, "the file is open with MPI_MODE_WRONLY")
            }
            Direction::Write if self.is(MPI_MODE_RDONLY) => {
                bail!(ReadOnly, "the file is open with MPI_MODE_RDONLY")
            }
            _ => {}
        }
        match from {
            From::Offset(offset) if offset < 0 => {
                bail!(Arg, "offset is {offset}, and must not be negative")
            }
            From::Offset(_) => self.not_sequential("explicit offsets")?,
            From::Individual => self.not_sequential("individual file pointers")?,
            From::Shared | From::Ordered => {}
        }
        let view = self.view();
        let unit = view.stream(direction)?.unit();
        let bytes = match &memory.elements {
            Some(elements) if view.datarep.converts(direction) => {
                view.datarep.bytes(&elements.datatype, elements.count)?
            }
            _ => memory.buffer.len(),
        };
        if !bytes.is_multiple_of(unit) {
            bail!(
                Arg,
                "the data has {bytes} bytes in the file, which are not made of etypes of {unit} bytes"
            );
        }
        Ok(Access {
            direction,
            view,
            memory,
            bytes,
            etypes: (bytes / unit) as i64,
        })
    }

    /// Moves the data between memory and the view from etype number `first` on, if it was checked well: in the `call` of all
    /// processes, if there is one, which then is entered in any case. Gives the bytes that were moved, also of an access that
    /// failed, and the outcome.
    fn transfer(
        &self,
        call: Option<&str>,
        direction: Direction,
        access: &Result<Access>,
        first: i64,
    ) -> (Moved, Result<usize>) {
        let mine = access.as_ref().ok().map(|access| (access, first));
        let together = call.and_then(|call| self.move_together(call, direction, mine));
        let (moved, outcome) = together.unwrap_or_else(|| {
            let mut moved = Moved::default();
            let outcome = match access {
                Ok(access) => self.transfer_alone(access, first, &mut moved),
                Err(error) => Err(error.clone()),
            };
            (moved, outcome)
        });
        let own = traffic::own();
        match direction {
            Direction::Read => own.read.add(moved.in_file),
            Direction::Write => own.written.add(moved.in_file),
        }
        (moved, outcome.map(|()| moved.in_memory))
    }

    /// The same by this process alone, with the bytes in `moved`.
    fn transfer_alone(&self, access: &Access, first: i64, moved: &mut Moved) -> Result<()> {
        let (direction, stream, memory) = (access.direction, access.stream()?, access.memory);
        let start = access.start(first)?;
        let (reading, atomic) = (direction == Direction::Read, self.is_atomic());
        let _serial = (atomic || !reading).then(|| self.serial.lock());
        let lock = atomic.then(|| Locked::all(&self.file, reading));
        let _lock = lock
            .transpose()
            .map_err(|error| self.failed(&error, "locking"))?;
        let mut move_run = |range: Range<u64>, address: usize| -> Result<_> {
            // SAFETY: the memory is the program's, which does not touch it during the call, or a piece; it has the room.
            let mut mover = unsafe { Mover::new(self, direction, atomic, address) };
            stream.walk(range, |place, len| mover.take(place, len))?;
            Ok(mover.finish())
        };
        let failed = |error: &std::io::Error| match direction {
            Direction::Read => self.failed(error, "reading"),
            Direction::Write => self.failed(error, "writing"),
        };
        let datarep = &access.view.datarep;
        if datarep.converts(direction) {
            let converted = &mut move_run;
            return convert::transfer(direction, datarep, memory, start, moved, converted, &failed);
        }
        let buffer = &memory.buffer;
        let mut count = |bytes: usize| {
            moved.in_memory += bytes;
            moved.in_file += bytes;
            moved.in_file
        };
        if let Some(address) = buffer.run() {
            let (bytes, outcome) = move_run(start..start + buffer.len() as u64, address)?;
            count(bytes);
            return outcome.map_err(|error| failed(&error));
        }
        let mut piece = Vec::new();
        grow(&mut piece, PIECE.min(buffer.len()))?;
        let mut done = 0;
        while done < buffer.len() {
            let range = done..(done + PIECE).min(buffer.len());
            let (wanted, at) = (range.len(), piece.as_mut_ptr());
            if !reading {
                // SAFETY: the caller of the MPI function gave the memory, and the piece has the room.
                unsafe { buffer.read(range, at) };
            }
            let position = start + done as u64;
            let range = position..position + wanted as u64;
            let (bytes, outcome) = move_run(range, at.expose_provenance())?;
            if reading {
                // SAFETY: as above; so many bytes of the piece were read.
                unsafe { buffer.write(done..done + bytes, at) };
            }
            done = count(bytes);
            outcome.map_err(|error| failed(&error))?;
            if bytes < wanted {
                break;
            }
        }
        Ok(())
    }

    /// Whether a split operation was begun and not ended.
    pub fn is_split(&self) -> bool {
        self.state.lock().split.is_some()
    }

    /// Begins a split operation: the data is moved now. Errors: as [`File::access`], `MPI_ERR_IO` (one was begun and not ended).
    pub fn begin(&self, split: Split, from: From, memory: Result<Memory>) -> Result<()> {
        let memory = match self.is_split() {
            true => Err(err!(
                Io,
                "a split operation on the file was begun and not ended"
            )),
            false => memory,
        };
        let direction = match split {
            Split::ReadAt | Split::Read | Split::ReadOrdered => Direction::Read,
            Split::WriteAt | Split::Write | Split::WriteOrdered => Direction::Write,
        };
        let moved = self.access(direction, from, &memory, true)?;
        self.state.lock().split = Some((split, moved));
        Ok(())
    }

    /// Ends a split operation and returns the bytes that were moved. Error: `MPI_ERR_IO` if none of this kind was begun.
    pub fn end(&self, split: Split) -> Result<usize> {
        let mut state = self.state.lock();
        match state.split {
            Some((begun, moved)) if begun == split => {
                state.split = None;
                Ok(moved)
            }
            Some((begun, _)) => bail!(Io, "the split operation {begun:?} was begun, not {split:?}"),
            None => bail!(Io, "no split operation was begun on the file"),
        }
    }

    /// Where the individual file pointer is, in etypes. Error: `MPI_ERR_UNSUPPORTED_OPERATION` in sequential mode.
    pub fn position(&self) -> Result<i64> {
        self.not_sequential("individual file pointers")?;
        Ok(*self.position.lock())
    }

    /// Where the shared file pointer is, in etypes.
    pub fn shared_position(&self) -> i64 {
        self.shared.load(Ordering::Acquire) as i64
    }

    /// The etype that `offset` from `whence` is, where `now` is the current one. Error: `MPI_ERR_ARG`.
    fn target(&self, offset: i64, whence: Whence, now: i64) -> Result<i64> {
        let base = match whence {
            Whence::Set => 0,
            Whence::Current => now,
            Whence::End => self.view().places()?.etypes_in(self.size()?),
        };
        match base.checked_add(offset) {
            Some(target) if target >= 0 => Ok(target),
            _ => bail!(
                Arg,
                "offset is {offset}, which leads from {base} out of the file"
            ),
        }
    }

    /// Moves the individual file pointer. Errors: `MPI_ERR_ARG`, `MPI_ERR_UNSUPPORTED_OPERATION` in sequential mode.
    pub fn seek(&self, offset: i64, whence: i32) -> Result<()> {
        let now = self.position()?;
        let target = self.target(offset, Whence::of(whence)?, now)?;
        *self.position.lock() = target;
        Ok(())
    }

    /// Moves the shared file pointer. Collective. Errors: `MPI_ERR_ARG`, `MPI_ERR_NOT_SAME`, `MPI_ERR_UNSUPPORTED_OPERATION` in sequential
    /// mode.
    pub fn seek_shared(&self, offset: i64, whence: i32) -> Result<()> {
        const CALL: &str = "MPI_File_seek_shared";
        let target = self
            .not_sequential("seeking")
            .and_then(|()| Whence::of(whence))
            .and_then(|whence| {
                let target = self.target(offset, whence, self.shared_position())?;
                Ok((target, offset, whence))
            });
        let targets = agree(&self.meeting, &target, CALL)?;
        let asked = |told: &(i64, i64, Whence)| (told.1, told.2);
        if targets.iter().any(|told| asked(told) != asked(&targets[0])) {
            bail!(
                NotSame,
                "offset and whence are not the same on all processes"
            );
        }
        self.shared.store(targets[0].0 as u64, Ordering::Release);
        // Nobody moves it before all have set it.
        self.barrier(CALL)
    }

    /// The byte of the file at which etype number `offset` of the view begins. Error: `MPI_ERR_ARG`.
    pub fn byte_offset(&self, offset: i64) -> Result<i64> {
        let view = self.view();
        let stream = view.places()?;
        match (offset as u64).checked_mul(stream.unit() as u64) {
            Some(position) if offset >= 0 && position < i64::MAX as u64 => stream.place(position),
            _ => bail!(Arg, "offset is {offset}, which is not in a file"),
        }
    }
}

impl Access<'_> {
    pub fn stream(&self) -> Result<&Stream> {
        self.view.stream(self.direction)
    }

    /// Where etype number `first` is in the view's stream. Error: `MPI_ERR_ARG`.
    pub fn start(&self, first: i64) -> Result<u64> {
        let start = (first as u64).checked_mul(self.stream()?.unit() as u64);
        match start.filter(|s| s.checked_add(self.bytes as u64).is_some()) {
            Some(start) => Ok(start),
            None => bail!(Arg, "etype {first} is behind what a file can have"),
        }
    }
}

/// Makes a buffer that long at least, with zeros. Error: `MPI_ERR_NO_MEM`.
pub(super) fn grow(memory: &mut Vec<u8>, len: usize) -> Result<()> {
    let more = len.saturating_sub(memory.len());
    if memory.try_reserve_exact(more).is_err() {
        bail!(NoMem, "there is no memory for a buffer of {len} bytes");
    }
    memory.resize(memory.len() + more, 0);
    Ok(())
}
