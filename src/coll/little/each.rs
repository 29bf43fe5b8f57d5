//! Operations with a block for each process.
//!
//! A note with a block for each process begins with their lengths. Nobody looks at what is to be empty.

use super::{Little, NOTHING};
use crate::coll::elements::Vector;
use crate::coll::plan::same_length;
use crate::coll::planner::Root;
use crate::comm::Comm;
use crate::error::Result;
use crate::runtime::notes::{MEMBERS, ROOM, Round};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// The number of a note that has only lengths: the blocks come as messages.
const BY_MESSAGES: usize = usize::MAX - 1;

impl<'a> Little<'a> {
    /// The root's blocks go to everybody. `mine` is `None` if the root's shall stay.
    pub fn scatter(mut self, blocks: &[Vector], mine: Option<&Vector>, root: Root) -> Result<bool> {
        let of_two = self.comm.meeting.size() == 2;
        let Root::There(root) = root else {
            let me = self.comm.rank;
            let is_given = match of_two {
                true => self.give_to(1 - me, &blocks[1 - me])?,
                false => self.give_to_all(blocks)?,
            };
            let own = &blocks[me];
            return Ok(is_given && self.end(mine.map(|mine| (own, mine)))?);
        };
        let Some(round) = self.come()? else {
            return Ok(false);
        };
        let mut taken = Ok(());
        if let Some(mine) = mine.filter(|mine| mine.bytes() > 0) {
            taken = match of_two {
                true => self.take(&round, root, mine, 0),
                false => self.take_own(&round, root, mine),
            };
        }
        taken.and(self.end(None))
    }

    /// Block i of process j goes to block j of process i. `send` is `None` if the blocks to be sent are where the others shall
    /// come.
    pub fn alltoall(mut self, send: Option<&[Vector]>, receive: &[Vector]) -> Result<bool> {
        let outgoing = send.unwrap_or(receive);
        let Some((round, fits)) = self.give_each(outgoing)? else {
            return Ok(false);
        };
        let mut places = [None; MEMBERS];
        let mut taken = Ok(());
        for (from, block) in self.others(receive) {
            match self.find(&round, from, block.bytes()) {
                Ok(place) => places[from] = Some(place),
                Err(error) => taken = taken.and(Err(error)),
            }
        }
        let is_message = |from: usize| places[from] == Some(None);
        if !fits || (0..receive.len()).any(is_message) {
            let to = |to: usize| !fits && outgoing[to].bytes() > 0;
            self.messages().exchange(send, receive, to, is_message)?;
        }
        let own = self.comm.rank;
        let stays = send.map(|send| (&send[own], &receive[own]));
        // Messages go first: they may be those of the blocks.
        let ended = self.end(stays);
        for (block, place) in receive.iter().zip(places) {
            if let Some(Some(data)) = place {
                // SAFETY: so many bytes were given, and so long is the block.
                unsafe { block.take(0..block.bytes(), data)? };
            }
        }
        taken.and(ended)
    }

    /// Pins a note with the blocks for the others, or with their lengths alone; whether it has the blocks.
    fn give_each(&self, blocks: &[Vector]) -> Result<Option<(Round<'a>, bool)>> {
        let lengths = lengths(self.comm);
        let all = self.others(blocks).map(|(_, block)| block.bytes());
        let len = all.fold(lengths, usize::saturating_add);
        let fits = len <= ROOM;
        let (len, number) = if fits {
            (len, len)
        } else {
            (lengths, BY_MESSAGES)
        };
        let pinned = self.pin(len, number, |room| {
            // SAFETY: the note begins with the lengths, and is aligned as they are.
            let told = unsafe { from_raw_parts_mut(room.cast::<u32>(), self.comm.meeting.size()) };
            told.fill(0);
            let mut at = lengths;
            for (to, block) in self.others(blocks) {
                let len = block.bytes();
                told[to] = u32::try_from(len).unwrap_or(u32::MAX);
                if fits {
                    block.give(0..len, room.wrapping_add(at))?;
                    at += len;
                }
            }
            Ok(())
        })?;
        Ok(pinned.map(|round| (round, fits)))
    }

    /// Where the block of `len` bytes, more than none, that `from` gave to this process lies; `None` if it is a message.
    fn find(&self, round: &Round<'_>, from: usize, len: usize) -> Result<Option<*const u8>> {
        let lengths = lengths(self.comm);
        let number = self.number(round, from)?;
        if number == NOTHING {
            same_length(0, len)?;
        }
        let is_message = number == BY_MESSAGES;
        let data = round.data(from, if is_message { lengths } else { number });
        // SAFETY: the note begins with the lengths, and is aligned as they are.
        let told = unsafe { from_raw_parts(data.cast::<u32>(), self.comm.meeting.size()) };
        let sent = told[self.comm.rank] as usize;
        // The message tells how long it is, if there is one.
        if is_message && sent > 0 {
            return Ok(None);
        }
        same_length(sent, len)?;
        let before = told[..self.comm.rank].iter().map(|&len| len as usize);
        Ok(Some(data.wrapping_add(lengths + before.sum::<usize>())))
    }

    /// Gives the others their blocks, in one note or as messages. False as for `pin`.
    fn give_to_all(&mut self, blocks: &[Vector]) -> Result<bool> {
        let Some((_, fits)) = self.give_each(blocks)? else {
            return Ok(false);
        };
        if !fits {
            let mut others = self.others(blocks);
            others.try_for_each(|(to, block)| self.messages().send(to, block))?;
        }
        Ok(true)
    }

    /// Takes the block that `from` gave to this process beside those for the others, or leaves it to messages.
    fn take_own(&mut self, round: &Round<'_>, from: usize, block: &Vector) -> Result<()> {
        let len = block.bytes();
        match self.find(round, from, len)? {
            None => self.messages().receive(from, block),
            // SAFETY: `from` gave `len` bytes, and so long is the block.
            Some(data) => unsafe { block.take(0..len, data) },
        }
    }
}

/// Bytes of the lengths at the beginning of a note.
fn lengths(comm: &Comm) -> usize {
    comm.meeting.size() * size_of::<u32>()
}
