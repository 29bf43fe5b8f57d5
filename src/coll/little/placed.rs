//! Blocks that stay where they are, in memory of the segment, for the others to read.
//!
//! A note says where a block lies. Who gives it waits, at the end, until all that have something of it have said that they have read.
//! If a process has died, or the communicator was revoked, nobody can wait for all: then those that have read get an error, too. That is one copy,
//! where notes, the board and messages through rings are two, and there is nothing to match.

use super::fetched::{ONE_BY_ADDRESS, gives};
use super::unasked::comes_as_message;
use super::{AS_MESSAGE, Little, PLACED, length};
use crate::coll::elements::Vector;
use crate::coll::plan::same_length;
use crate::error::Result;
use crate::runtime::notes::{NOTE, Round};
use crate::shm::Offset;
use crate::shm::segment::segment;

/// Between two processes with cores of their own fewer bytes are copied into a note in less time than the wait for the reader takes:
/// where one gives, and where both do, of whom each waits for the other's note in any case.
pub(super) const ONE_GIVES: usize = 2 << 10;
pub(super) const BOTH_GIVE: usize = 512;

impl<'a> Little<'a> {
    /// From how many bytes on the others read what this process gives where it lies, while they give something or do not.
    pub(super) fn least_placed(&self, all_give: bool) -> usize {
        match (self.are_two(), all_give) {
            (true, true) => BOTH_GIVE,
            (true, false) => ONE_GIVES,
            (false, _) => NOTE + 1,
        }
    }

    /// Where a block of this process lies, if that is for the others to read.
    pub(super) fn placed(&self, block: &Vector, all_give: bool) -> Result<Option<Offset>> {
        match block.bytes() < self.least_placed(all_give) {
            true => Ok(None),
            false => block.in_segment(),
        }
    }

    /// Whether blocks that are as long everywhere, of each process so many bytes in all, are to be read where they lie, if all can be.
    /// Where ranks share cores the board is the better way: nobody waits for its readers. The same for all processes.
    pub(super) fn is_for_placing(&self, len: usize) -> Result<bool> {
        let least = match self.comm.meeting.size() {
            2 => BOTH_GIVE,
            _ => NOTE + 1,
        };
        Ok(len >= least && self.comm.meeting.sharing_cores(self.what)? == Some(false))
    }

    /// Whether the numbers of all members are such.
    pub(super) fn are_all(
        &self,
        round: &Round<'a>,
        are_such: impl Fn(usize) -> bool,
    ) -> Result<bool> {
        for member in 0..self.comm.meeting.size() {
            if !are_such(self.number(round, member)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Pins a note that says where a block of `len` bytes lies, which these ranks read. `None` as for `pin`.
    pub(super) fn show_to(
        &mut self,
        at: Offset,
        len: usize,
        readers: u16,
    ) -> Result<Option<Round<'a>>> {
        let round = self.pin(size_of::<Offset>(), len | PLACED, |room| {
            // SAFETY: the note has room for it, and is aligned as it is.
            unsafe { room.cast::<Offset>().write(at) };
            Ok(())
        })?;
        self.shown = round.map(|round| (round, readers));
        Ok(round)
    }

    /// Takes a block of `sent` bytes, which have to be `len`, from where the note of `from` says that it lies.
    pub(super) fn take_placed(
        &mut self,
        round: &Round<'a>,
        from: usize,
        (sent, len): (usize, usize),
        block: &Vector,
    ) -> Result<()> {
        let data = self.shown(round, from, (sent, len))?;
        // SAFETY: so many bytes are there, and so long is the block.
        unsafe { block.take(0..len, data) }
    }

    /// Where they lie.
    pub(super) fn shown(
        &mut self,
        round: &Round<'a>,
        from: usize,
        (sent, len): (usize, usize),
    ) -> Result<*const u8> {
        // SAFETY: the number of the note says that it has a place.
        let at = unsafe { *round.data(from, size_of::<Offset>()).cast::<Offset>() };
        self.reach((at, sent), len)
    }

    /// Lets the other one of two read a block, and waits until it has. False as for `pin`.
    pub(super) fn let_read(mut self, at: Offset, len: usize) -> Result<bool> {
        let other = 1 - self.comm.rank;
        let is_shown = self.show_to(at, len, 1 << other)?.is_some();
        self.await_readers().map(|()| is_shown)
    }

    /// Waits until the others have read what they were shown.
    pub(super) fn await_readers(&mut self) -> Result<()> {
        let Some((round, readers)) = self.shown.take() else {
            return Ok(());
        };
        let all = 0..self.comm.meeting.size();
        let mut readers = all.filter(|reader| readers >> reader & 1 != 0);
        readers.try_for_each(|reader| round.await_read(reader, self.what))
    }

    /// The block of `sent` bytes at a place that another process has told. They have to be `len`.
    pub(super) fn reach(&mut self, (at, sent): (Offset, usize), len: usize) -> Result<*const u8> {
        self.reads = true;
        same_length(sent, len)?;
        segment().reach(at, len)?;
        Ok(segment().at::<u8>(at).cast_const())
    }

    /// Tells the others that this process has read what it was to, if there was something. Error: one of them may have gone on before, and have
    /// changed it.
    pub(super) fn tell(&self, round: &Round<'a>) -> Result<()> {
        if !self.reads {
            return Ok(());
        }
        round.has_read();
        round.check(self.what)
    }

    /// Everybody's elements go to everybody's blocks. `mine` is `None` if they are in their block already. False if nothing was done:
    /// if `alike`, also where some would go as messages.
    pub fn allgather(
        mut self,
        mine: Option<&Vector>,
        blocks: &[Vector],
        alike: bool,
    ) -> Result<bool> {
        let rank = self.comm.rank;
        let given = mine.unwrap_or(&blocks[rank]);
        let len = given.bytes();
        if alike && !self.is_for_placing(len)? {
            return Ok(false);
        }
        if alike && self.goes_unasked(len) {
            return self.allgather_unasked(mine, blocks);
        }
        let place = self.placed(given, true)?;
        let pinned = if let Some(at) = place {
            self.show_to(at, len, !(1 << rank))?
        } else if alike
            && blocks.len() == 2
            && let Some(round) = self.show(ONE_BY_ADDRESS, given, blocks[1 - rank].bytes())?
        {
            Some(round)
        } else if len > NOTE {
            let more = if alike { self.more(len) } else { 0 };
            self.announce_with(len, more)?
        } else {
            self.give_again(given)?
        };
        match pinned {
            Some(round) => self.allgather_in(round, mine, blocks, alike),
            None => Ok(false),
        }
    }

    /// The same, in a round in which this process has pinned.
    pub(super) fn allgather_in(
        mut self,
        round: Round<'a>,
        mine: Option<&Vector>,
        blocks: &[Vector],
        alike: bool,
    ) -> Result<bool> {
        let (size, rank) = (blocks.len(), self.comm.rank);
        let own = &blocks[rank];
        let given = mine.unwrap_or(own);
        let len = given.bytes();
        let is_message = self.shown.is_none() && len > NOTE;
        if alike {
            // All find that: who gives less may not be here, and so not read.
            for member in 0..size {
                let sent = match self.number(&round, member)? {
                    ONE_BY_ADDRESS => gives(&round, member),
                    number => length(number),
                };
                same_length(sent, len)?;
            }
            if self.are_shown(&round, ONE_BY_ADDRESS, len)? {
                let stays = mine.map(|mine| (mine, own));
                return self.exchange_shown(round, given, &blocks[1 - rank], stays);
            }
            if len > NOTE && !self.are_all(&round, |number| number & AS_MESSAGE == 0)? {
                let is_said = comes_as_message(self.number(&round, 0)?);
                self.agree(&round, len, is_said);
                return Ok(false);
            }
        }
        let taken = self.take_all(&round, blocks, None);
        let taken = taken.and(self.tell(&round));
        if is_message {
            (1..size).try_for_each(|i| self.messages().send((rank + i) % size, given))?;
        }
        taken.and(self.end(mine.map(|mine| (mine, own))))
    }
}
