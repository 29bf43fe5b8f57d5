//! Operations with a block for each process.
//!
//! A note with a block for each process begins with their lengths. What it has no room for is read where it lies, if all of it is in
//! the segment, or goes by messages. Nobody looks at what is to be empty.

use super::fetched::{EACH_BY_ADDRESS, ONE_BY_ADDRESS, gives};
use super::places::{Place, Places};
use super::unasked::More;
use super::{Little, NOTHING, length};
use crate::coll::elements::Vector;
use crate::coll::plan::same_length;
use crate::coll::planner::Root;
use crate::comm::Comm;
use crate::error::Result;
use crate::runtime::notes::{MEMBERS, ROOM, Round};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// The number of a note that has only lengths: the blocks come as messages.
pub(super) const BY_MESSAGES: usize = usize::MAX - 1;

/// The number of a note that says where the blocks lie.
const BY_PLACES: usize = usize::MAX - 2;

/// How the blocks for the others go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    Note,
    Places,
    Messages,
}

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
        match self.come()? {
            Some(round) => self.scatter_in(round, mine, root),
            None => Ok(false),
        }
    }

    /// The same, of one that is not the root, in a round in which it has pinned.
    pub(super) fn scatter_in(
        mut self,
        round: Round<'a>,
        mine: Option<&Vector>,
        root: usize,
    ) -> Result<bool> {
        let of_two = self.comm.meeting.size() == 2;
        let mut taken = Ok(());
        if let Some(mine) = mine.filter(|mine| of_two || mine.bytes() > 0) {
            taken = match of_two {
                true => self.take(&round, root, mine, 0),
                false => self.take_own(&round, root, mine),
            };
        }
        taken.and(self.tell(&round)).and(self.end(None))
    }

    /// Block i of process j goes to block j of process i. `send` is `None` if the blocks to be sent are where the others shall
    /// come. False if nothing was done: if `alike`, also where some would go as messages.
    pub fn alltoall(
        mut self,
        send: Option<&[Vector]>,
        receive: &[Vector],
        alike: bool,
    ) -> Result<bool> {
        let outgoing = send.unwrap_or(receive);
        let all = receive[0].bytes().saturating_mul(receive.len());
        if alike && !self.is_for_placing(all)? {
            return Ok(false);
        }
        if alike && self.goes_unasked(receive[0].bytes()) {
            return self.alltoall_unasked(send, receive);
        }
        let takes = alike.then(|| receive[0].bytes());
        match self.give_each(outgoing, send.is_some(), takes)? {
            Some(given) => self.alltoall_in(given, send, receive, alike),
            None => Ok(false),
        }
    }

    /// The same, in a round in which this process has pinned.
    pub(super) fn alltoall_in(
        mut self,
        (round, means): (Round<'a>, Means),
        send: Option<&[Vector]>,
        receive: &[Vector],
        alike: bool,
    ) -> Result<bool> {
        let outgoing = send.unwrap_or(receive);
        if alike {
            if self.are_shown(&round, EACH_BY_ADDRESS, receive[0].bytes())? {
                let (own, other) = (self.comm.rank, 1 - self.comm.rank);
                let stays = send.map(|send| (&send[own], &receive[own]));
                return self.exchange_shown(round, &outgoing[other], &receive[other], stays);
            }
            // What would be messages goes better over the board.
            let is_here = |number| !matches!(number, BY_MESSAGES | EACH_BY_ADDRESS);
            if !self.are_all(&round, is_here)? {
                // All give as much, else all find that: who gives less may not be there.
                for (from, block) in self.others(outgoing) {
                    let number = self.number(&round, from)?;
                    let sent = sent_by_lengths(&round, from, self.comm, number);
                    same_length(sent, block.bytes())?;
                }
                let is_said = self.number(&round, 0)? == BY_MESSAGES;
                self.agree(&round, receive[0].bytes(), is_said);
                return Ok(false);
            }
        }
        let mut places = [None; MEMBERS];
        let mut taken = Ok(());
        for (from, block) in self.others(receive) {
            match self.find(&round, from, block.bytes()) {
                Ok(place) => places[from] = Some(place),
                Err(error) => {
                    taken = taken.and(Err(error));
                    // That one finds it, too, and may not be here, and so not read.
                    if alike && let Some((_, readers)) = &mut self.shown {
                        *readers &= !(1 << from);
                    }
                }
            }
        }
        let by_messages = means == Means::Messages;
        let is_message = |from: usize| places[from] == Some(None);
        if by_messages || (0..receive.len()).any(is_message) {
            let to = |to: usize| by_messages && outgoing[to].bytes() > 0;
            self.messages().exchange(send, receive, to, is_message)?;
        }
        let own = self.comm.rank;
        let stays = send.map(|send| (&send[own], &receive[own]));
        // Messages go first: they may be those of the blocks.
        let mut ended = self.carry_out(stays);
        for (block, place) in receive.iter().zip(places) {
            if let Some(Some(data)) = place {
                // SAFETY: so many bytes were given, and so long is the block.
                ended = ended.and(unsafe { block.take(0..block.bytes(), data) });
            }
        }
        let taken = taken.and(self.tell(&round));
        taken.and(self.await_readers()).and(ended).map(|()| true)
    }

    /// Pins a note with the blocks for the others, or with where they lie if that `may` be told, or with their lengths alone. If they are
    /// alike, that of two may be to be fetched: such as this process `takes`.
    fn give_each(
        &mut self,
        blocks: &[Vector],
        may: bool,
        takes: Option<usize>,
    ) -> Result<Option<(Round<'a>, Means)>> {
        let lengths = lengths(self.comm);
        let all = self.others(blocks).map(|(_, block)| block.bytes());
        let len = all.fold(lengths, usize::saturating_add);
        let fits = len <= ROOM;
        if may
            && len - lengths >= self.least_placed(true)
            && let Some(places) = self.places_of(blocks)?
        {
            let round = self.pin(size_of::<Places>(), BY_PLACES, |room| {
                // SAFETY: the note has room for them, and is aligned as they are.
                unsafe { room.cast::<Places>().write(places) };
                Ok(())
            })?;
            let readers = self.others(blocks).fold(0, |all, (to, _)| all | 1 << to);
            self.shown = round.map(|round| (round, readers));
            return Ok(round.map(|round| (round, Means::Places)));
        }
        if may
            && let Some(takes) = takes
            && blocks.len() == 2
            && let Some(round) = self.show(EACH_BY_ADDRESS, &blocks[1 - self.comm.rank], takes)?
        {
            return Ok(Some((round, Means::Places)));
        }
        if !fits {
            let more = takes.map_or(0, |takes| self.more(takes));
            let pinned = self.announce_each(blocks, more)?;
            return Ok(pinned.map(|round| (round, Means::Messages)));
        }
        let pinned = self.pin(len, len, |room| {
            self.write_lengths(room, blocks, 0);
            let mut at = lengths;
            self.others(blocks).try_for_each(|(_, block)| {
                let len = block.bytes();
                at += len;
                block.give(0..len, room.wrapping_add(at - len))
            })
        })?;
        if may && let Some(round) = &pinned {
            round.expect_to_give(len);
        }
        Ok(pinned.map(|round| (round, Means::Note)))
    }

    /// Pins a note of blocks for the others that come as messages, and what it says of [more](Little::more).
    pub(super) fn announce_each(&self, blocks: &[Vector], more: More) -> Result<Option<Round<'a>>> {
        let longest = self.others(blocks).map(|(_, block)| block.bytes()).max();
        let len = (lengths(self.comm), longest.unwrap_or(0));
        self.pin_beside_messages(len, BY_MESSAGES, |room| {
            self.write_lengths(room, blocks, more);
            Ok(())
        })
    }

    /// Writes how long the blocks for the others are. This process has a place among them, which is for what is said of [more](Little::more).
    fn write_lengths(&self, room: *mut u8, blocks: &[Vector], more: More) {
        // SAFETY: the note begins with the lengths, and is aligned as they are.
        let told = unsafe { from_raw_parts_mut(room.cast::<u32>(), self.comm.meeting.size()) };
        told.fill(0);
        for (to, block) in self.others(blocks) {
            told[to] = u32::try_from(block.bytes()).unwrap_or(u32::MAX);
        }
        told[self.comm.rank] = more;
    }

    /// Where the blocks for the others lie, if all of them are in the segment.
    fn places_of(&self, blocks: &[Vector]) -> Result<Option<Places>> {
        let mut places = Places::default();
        for (to, block) in self.others(blocks) {
            let Some(at) = block.in_segment()? else {
                return Ok(None);
            };
            places[to] = Place {
                at,
                len: block.bytes(),
            };
        }
        Ok(Some(places))
    }

    /// Where the block of `len` bytes, more than none, that `from` gave to this process lies; `None` if it is a message.
    fn find(&mut self, round: &Round<'_>, from: usize, len: usize) -> Result<Option<*const u8>> {
        let lengths = lengths(self.comm);
        let number = self.number(round, from)?;
        if number == BY_PLACES {
            let place = place_in(round, from, self.comm);
            return self.reach((place.at, place.len), len).map(Some);
        }
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
        let begin = lengths + before.sum::<usize>();
        // In a note of another call anything may stand for lengths.
        if begin + len > number {
            same_length(number, begin + len)?;
        }
        Ok(Some(data.wrapping_add(begin)))
    }

    /// Gives the others their blocks, in one note or as messages. False as for `pin`.
    fn give_to_all(&mut self, blocks: &[Vector]) -> Result<bool> {
        let Some((_, means)) = self.give_each(blocks, true, None)? else {
            return Ok(false);
        };
        if means == Means::Messages {
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

/// How many bytes `from` gives to this process, whose note in `round` has this `number`.
pub(super) fn sent_to(round: &Round<'_>, from: usize, comm: &Comm, number: usize) -> usize {
    match number {
        ONE_BY_ADDRESS | EACH_BY_ADDRESS => gives(round, from),
        BY_PLACES => place_in(round, from, comm).len,
        BY_MESSAGES => told_in(round, from, comm, lengths(comm)),
        // Blocks that are as long, or one.
        number => length(number),
    }
}

/// The same where a note with this number begins with lengths, if it has the blocks.
pub(super) fn sent_by_lengths(round: &Round<'_>, from: usize, comm: &Comm, number: usize) -> usize {
    match number {
        EACH_BY_ADDRESS | BY_PLACES | BY_MESSAGES | NOTHING => sent_to(round, from, comm, number),
        number => told_in(round, from, comm, number),
    }
}

/// Where the block for this process lies by the note of `from`, whose number says that it has places.
fn place_in(round: &Round<'_>, from: usize, comm: &Comm) -> Place {
    let places = round.data(from, size_of::<Places>()).cast::<Places>();
    // SAFETY: the note has them.
    unsafe { (*places)[comm.rank] }
}

/// The length for this process in the note of `from`, of `len` bytes, which begins with one for each.
fn told_in(round: &Round<'_>, from: usize, comm: &Comm, len: usize) -> usize {
    let lengths = round.data(from, len).cast::<u32>();
    // SAFETY: there is room for them in any note, and it is aligned as they are.
    unsafe { *lengths.wrapping_add(comm.rank) as usize }
}
