//! The short way of blocking operations of little that lies in one run: between the program's memory and notes, with nothing in between.
//!
//! What a note says is what it says on the longer ways ([`little`](super), [`shared`](crate::coll::shared)), which others may go for the
//! same operation: each process chooses for itself. In a program that is in order all lengths are one, and blocks below these bounds come in
//! notes. Where a number is another, the longer way goes on with the round that has begun, for it knows what else may be on its way, and says
//! what is wrong.
//!
//! Functions give `None` where nothing was done, and the longer way is to be gone from its beginning.

mod folding;
mod moving;

use super::each::{Means, sent_to};
use super::{Little, NOTHING};
use crate::coll::decide::{Call, Collective};
use crate::coll::elements::{Element, Vector};
use crate::coll::fold::Fold;
use crate::coll::plan::same_length;
use crate::coll::planner::{Root, next_tag};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::constants::MPI_BYTE;
use crate::mpi::types::MPI_Datatype;
use crate::runtime::notes::{MEMBERS, Round};
use crate::runtime::traffic;
use crate::shm::copy::copy;
use crate::shm::segment::segment;
use crate::transport::distance::TELLING;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

pub use self::folding::Folding;

/// Longer runs, of all blocks together, go the longer ways, which look how they are best copied.
pub const MOST: usize = TELLING - 1;

/// Bytes of the program's memory in one run.
#[derive(Clone, Copy)]
pub struct Run {
    pub address: usize,
    pub len: usize,
}

impl Run {
    const NONE: Run = Run { address: 0, len: 0 };

    /// Block number `number` of such of `len` bytes.
    pub fn block(self, number: usize, len: usize) -> Run {
        Run {
            address: self.address + number * len,
            len,
        }
    }

    fn bytes(self) -> *const u8 {
        with_exposed_provenance(self.address)
    }

    /// # Safety
    /// So many bytes are at `data`, and it may write over its own.
    unsafe fn take(self, data: *const u8) {
        // SAFETY: the caller's promise.
        unsafe { copy(data, with_exposed_provenance_mut(self.address), self.len) };
    }

    /// For the longer ways.
    fn vector(self, datatype: MPI_Datatype) -> Result<Vector> {
        let element = Element::new(datatype)?;
        let count = self.len / element.datatype.size().max(1);
        // SAFETY: the memory is the operation's, as its maker knows.
        Ok(unsafe { Vector::new(self.address, count, element) })
    }
}

/// A block for each process.
#[derive(Clone, Copy)]
pub struct Blocks {
    runs: [Run; MEMBERS],
    len: usize,
}

impl Blocks {
    pub const NONE: Blocks = Blocks {
        runs: [Run::NONE; MEMBERS],
        len: 0,
    };

    /// So many of `len` bytes each, one after the other: no more than there are members.
    #[inline(always)]
    pub fn alike(all: Run, len: usize, size: usize) -> Blocks {
        let mut blocks = Blocks::NONE;
        blocks.len = size;
        for (rank, block) in blocks.runs[..size].iter_mut().enumerate() {
            *block = all.block(rank, len);
        }
        blocks
    }

    /// One more, if there may be so many.
    #[inline(always)]
    pub fn push(&mut self, block: Run) -> Option<()> {
        *self.runs.get_mut(self.len)? = block;
        self.len += 1;
        Some(())
    }

    #[inline(always)]
    pub fn get(&self) -> &[Run] {
        &self.runs[..self.len]
    }

    fn vectors(&self) -> Result<Vec<Vector>> {
        let all = self.get().iter();
        all.map(|block| block.vector(MPI_BYTE)).collect()
    }
}

/// An operation whose note this process has pinned.
#[derive(Clone, Copy)]
struct Begun {
    round: Round<'static>,
    tag: i32,
}

/// A call of `name`.
pub struct Short {
    comm: &'static Comm,
    name: &'static str,
}

impl Short {
    /// `None` if the processes have no notes.
    #[inline(always)]
    pub fn new(comm: &'static Comm, name: &'static str) -> Option<Short> {
        let few = (2..=MEMBERS).contains(&comm.meeting.size());
        (few && comm.remote.is_none()).then_some(Short { comm, name })
    }

    fn what(&self) -> impl Fn() -> String {
        let (comm, name) = (self.comm, self.name);
        move || comm.calls(name)
    }

    /// Begins the operation, in which this process gives `gives` bytes, by a note with `note` and a number. `None`, and nothing was done:
    /// there is no memory for notes.
    #[inline(never)]
    fn begin(&self, note: Run, number: usize, gives: usize) -> Result<Option<Begun>> {
        let write = |room| {
            // SAFETY: the memory is the operation's, and the note has room for it.
            unsafe { copy(note.bytes(), room, note.len) };
            Ok(())
        };
        let meeting = &self.comm.meeting;
        let pinned = meeting.pin(note.len, number, &self.what(), write)?;
        Ok(pinned.map(|round| self.begun(round, gives)))
    }

    #[inline]
    fn begun(&self, round: Round<'static>, gives: usize) -> Begun {
        traffic::own().collective.add(gives);
        let tag = next_tag(self.comm);
        Begun { round, tag }
    }

    /// Begins by a note of what this process gives.
    fn give(&self, given: Run) -> Result<Option<Begun>> {
        self.begin(given, given.len, given.len)
    }

    /// Begins by a note of nothing.
    fn come(&self, gives: usize) -> Result<Option<Begun>> {
        self.begin(Run::NONE, NOTHING, gives)
    }

    /// The bytes that `from` gave, if they are as many as are wanted.
    #[inline]
    fn given(&self, begun: &Begun, from: usize, len: usize) -> Option<*const u8> {
        let number = begun.round.number(from, &self.what());
        let is_such = number.is_ok_and(|number| number == len);
        is_such.then(|| begun.round.data(from, len))
    }

    /// The `all` bytes that `from` gave in blocks of `len`. Errors: it failed; its blocks are of another length.
    #[inline]
    fn sure(&self, begun: &Begun, from: usize, len: usize, all: usize) -> Result<*const u8> {
        let number = begun.round.number(from, &self.what())?;
        if number != len {
            same_length(sent_to(&begun.round, from, self.comm, number), len)?;
        }
        Ok(begun.round.data(from, all))
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let me = self.comm.rank;
        (0..self.comm.meeting.size()).filter(move |&rank| rank != me)
    }

    /// As [`Meeting::sharing_cores`](crate::runtime::meeting::Meeting::sharing_cores): to be asked where the longer way asks, as
    /// that may make a board, for all.
    #[inline]
    fn sharing_cores(&self) -> Result<Option<bool>> {
        self.comm.meeting.sharing_cores(&self.what())
    }

    /// Whether the longer way would give such a block of one of two from where it lies, from `least` bytes on.
    #[inline]
    fn stays(&self, block: Run, least: usize) -> bool {
        block.len >= least
            && self.comm.meeting.size() == 2
            && segment()
                .offset_of(block.bytes().cast(), block.len)
                .is_some()
    }

    /// Goes on by the longer way, with a round in which this process has pinned.
    #[cold]
    #[inline(never)]
    fn go_on(&self, begun: Begun, what: Collective) -> Result<()> {
        let call = Call {
            comm: self.comm,
            name: self.name,
            what,
        };
        let name = self.what();
        let little = Little::new(self.comm, self.name, &name, begun.tag);
        let is_done = little.map_or(Ok(false), |little| little.go_on(begun.round, &call.what))?;
        match is_done {
            true => Ok(()),
            false => call.without_notes(begun.tag),
        }
    }
}

impl Little<'_> {
    /// The rest of an operation of which this process has pinned its note, with what it gives.
    fn go_on(self, round: Round<'static>, what: &Collective) -> Result<bool> {
        use Collective::*;
        match what {
            Broadcast {
                what,
                root: Root::There(root),
            } => self.broadcast_in(round, what, *root),
            Gather { mine, blocks, .. } => self.gather_in(round, mine.as_ref(), blocks),
            Scatter {
                mine,
                root: Root::There(root),
                ..
            } => self.scatter_in(round, mine.as_ref(), *root),
            Alltoall {
                send,
                receive,
                alike,
            } => self.alltoall_in((round, Means::Note), send.as_deref(), receive, *alike),
            Allgather {
                mine,
                blocks,
                alike,
            } => self.allgather_in(round, mine.as_ref(), blocks, *alike),
            Allreduce { op, mine, out } => {
                self.fold_in(round, Fold::new(*op, mine.element.clone()), mine, 0, out)
            }
            ReduceScatter {
                op,
                mine,
                counts,
                out,
            } => {
                let first = counts[..self.comm.rank].iter().sum();
                self.fold_in(
                    round,
                    Fold::new(*op, mine.element.clone()),
                    mine,
                    first,
                    out,
                )
            }
            Reduce {
                op,
                mine: Some(mine),
                out: Some(out),
                ..
            } => self.reduce_in(round, Fold::new(*op, mine.element.clone()), mine, out),
            _ => Ok(false),
        }
    }
}
