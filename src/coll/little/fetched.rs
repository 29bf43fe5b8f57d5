//! Long blocks that two processes exchange, each of which fetches the other's by the kernel's copy.
//!
//! The notes of both say where the blocks lie, in memory that is the program's own; second notes say that they were fetched. That is one copy for
//! each, at the same time, and nothing to announce, to match and to answer. (Intel Xeon of model 207, `MPI_Allgather` of 16 KiB: 5.6 µs as messages, 3.1 so.)
//! It is done where both can, and the lower rank finds it to be faster: see [`Exchanges`](crate::comm::Exchanges).
//!
//! A process that may not read the other one's memory says so in its second note, and gets a message. Then the other one shows nothing again.
//!
//! Nobody goes on while its block is read, but where the communicator is revoked: then the one that reads finds that, too, when it pins its
//! second note.

use super::Little;
use crate::coll::elements::Vector;
use crate::coll::plan::same_length;
use crate::error::{Class, Result};
use crate::observe;
use crate::runtime::notes::{NOTE, Round};
use crate::transport::shown::{self, Shown};
use crate::transport::trials::Way;

/// The numbers of notes that say where blocks lie: of an allgather, and of an alltoall.
pub(super) const ONE_BY_ADDRESS: usize = usize::MAX - 4;
pub(super) const EACH_BY_ADDRESS: usize = usize::MAX - 3;

/// The numbers of second notes.
const FETCHED: usize = 1;
const REFUSED: usize = 2;

/// What a note says.
#[repr(C)]
#[derive(Clone, Copy)]
struct Told {
    /// An address of the process.
    at: usize,
    gives: usize,
    takes: usize,
}

/// What the note of `from` says, whose number is one of those.
fn told(round: &Round<'_>, from: usize) -> Told {
    // SAFETY: the number of the note says that it has this.
    unsafe { *round.data(from, size_of::<Told>()).cast::<Told>() }
}

/// How many bytes it gives.
pub(super) fn gives(round: &Round<'_>, from: usize) -> usize {
    told(round, from).gives
}

impl<'a> Little<'a> {
    /// Whether one of two processes is to offer that the other one fetches a block of `len` bytes: not if this one decides, and for messages.
    fn is_to_be_fetched(&self, len: usize) -> bool {
        len > NOTE
            && self.are_two()
            && (self.comm.rank > 0 || self.comm.exchanges.lock().next(len) == Way::Fetched)
    }

    /// Pins a note with that `number` that says where a block lies which the other one of two is to fetch, and that this process takes one of
    /// `takes` bytes. `None`: it is not to be fetched.
    pub(super) fn show(
        &mut self,
        number: usize,
        block: &Vector,
        takes: usize,
    ) -> Result<Option<Round<'a>>> {
        let gives = block.bytes();
        if !self.is_to_be_fetched(gives) {
            return Ok(None);
        }
        let Some(at) = shown::address(&block.buffer()?) else {
            return Ok(None);
        };
        self.private = Some(Shown::new());
        self.pin(size_of::<Told>(), number, |room| {
            // SAFETY: the note has room for it, and is aligned as it is.
            unsafe { room.cast::<Told>().write(Told { at, gives, takes }) };
            Ok(())
        })
    }

    /// Whether both of two processes have shown a block, with that number; if one has and the other one has not, neither is fetched. If this
    /// process decides how the next ones come, their time begins.
    pub(super) fn are_shown(&self, round: &Round<'a>, number: usize, len: usize) -> Result<bool> {
        let are_shown = self.are_all(round, |told| told == number)?;
        if len > NOTE && self.are_two() && self.comm.rank == 0 {
            self.comm.exchanges.lock().begin(len);
        }
        Ok(are_shown)
    }

    /// Fetches the block that the other one of two has shown, and lets it fetch this one's.
    pub(super) fn exchange_shown(
        mut self,
        round: Round<'a>,
        give: &Vector,
        take: &Vector,
        stays: Option<(&Vector, &Vector)>,
    ) -> Result<bool> {
        let other = 1 - self.comm.rank;
        let (told, len) = (told(&round, other), take.bytes());
        // Both find what does not fit, and go no further.
        same_length(told.gives, len)?;
        same_length(give.bytes(), told.takes)?;
        let from = self.comm.meeting.members[other];
        let fetch = |buffer| observe::copying(from, || shown::fetch(from, told.at, &buffer, len));
        // (What is returned before the second note would leave the other one waiting for that.)
        let fetched = take.buffer().and_then(fetch);
        let refused = match fetched {
            Err(error) if error.class == Class::ProcFailed => return Err(error),
            fetched => fetched.is_err(),
        };
        let number = if refused { REFUSED } else { FETCHED };
        let said = self.pin(0, number, |_| Ok(()))?;
        let stayed = stays.map_or(Ok(()), |(from, to)| self.copy_own(from, to));
        let said = said.expect("there are notes");
        let is_refused = self.number(&said, other)? == REFUSED;
        self.private = None;
        if is_refused {
            shown::set_refused();
            self.messages().send(other, give)?;
        }
        if refused {
            self.messages().receive(other, take)?;
        }
        self.carry_out(None)?;
        if self.comm.rank == 0 {
            self.comm.exchanges.lock().end(Way::Fetched);
        }
        stayed.map(|()| true)
    }
}
