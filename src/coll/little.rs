//! Blocking operations of little within one group, by notes: who gives pins one and goes on, who takes waits for those that it
//! needs. So a broadcast's root, and those that give to a gather or a reduction, wait for nobody.
//!
//! Where blocks are of different lengths, each process decides by what it gives: if that is more than a note takes, its note says
//! so, and messages follow for those that take something. The tags of messages are counted alike everywhere, so every process
//! counts one, whether it has a message or not.
//!
//! A note with a block for each process begins with their lengths. Nobody looks at what is to be empty.
//!
//! **In place.** What many give to one is much for that one to copy, while the others wait for it. So the note of a gather's root says
//! where the large blocks shall come, if that is memory of the segment. Who gives one waits for that note, copies its block there
//! and sends an empty message: all copy at the same time. Where it cannot reach the place, the message has the block.
//!
//! **In pieces.** Between two processes with cores of their own, what one gives goes on in a note a piece, if that is faster than
//! a message: the one writes the next piece while the other takes the last. Its first note says so, and how long it is.

use super::elements::Vector;
use super::fold::Fold;
use super::plan::{self, same_length};
use super::planner::{Planner, Root, next_tag};
use super::shared::rounds;
use crate::comm::Comm;
use crate::error::Result;
use crate::op::Op;
use crate::runtime::notes::{MEMBERS, NOTE, ROOM, Round};
use crate::runtime::wait::spin;
use crate::shm::Offset;
use crate::shm::segment::segment;
use crate::transport::Buffer;
use std::ops::Range;
use std::ptr::{with_exposed_provenance, without_provenance};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// The number of a note of nothing, which has no lengths either.
const NOTHING: usize = 0;

/// The number of a note that has only lengths: the blocks come as messages.
const BY_MESSAGES: usize = usize::MAX - 1;

/// Set in the number of the first note of a block that goes in pieces, beside its length.
const IN_PIECES: usize = 1 << (usize::BITS - 1);

/// Set in the number of a note of a gather, beside the block's length: the block comes to its place, if the root's note has one.
const IN_PLACE: usize = 1 << (usize::BITS - 2);

/// The number of the note of a gather's root that has places.
const PLACES: usize = 1;

/// Where the blocks of all shall come, by their ranks.
type Places = [Place; MEMBERS];

/// So many bytes of the segment, from this offset on. None: the block comes otherwise.
#[derive(Clone, Copy, Default)]
struct Place {
    at: Offset,
    len: usize,
}

/// Set in the number of a note, beside the length of a block that comes as a message.
const AS_MESSAGE: usize = 1 << (usize::BITS - 3);

/// The bytes of a piece.
const PIECE: usize = 4 << 10;

/// What one of two processes has of more bytes goes as a message, which is one copy: of those that lie in the segment, of others, and
/// of elements to be folded.
const PIECES_SHARED: usize = NOTE;
const PIECES: usize = 32 << 10;
const PIECES_TO_FOLD: usize = 64 << 10;

/// How a block goes.
enum Way {
    Note,
    Pieces,
    Message,
}

/// Up to so many bytes are left to the root as a message where ranks share cores, and nobody waits.
const LEFT: usize = 16 << 10;

/// An operation of those that have notes.
pub struct Little<'a> {
    comm: &'a Comm,
    name: &'static str,
    /// Says it in words.
    what: &'a dyn Fn() -> String,
    /// What goes by messages, if anything does.
    plan: Option<Planner>,
}

impl<'a> Little<'a> {
    /// `None` if the processes have no notes.
    pub fn new(
        comm: &'a Comm,
        name: &'static str,
        what: &'a dyn Fn() -> String,
    ) -> Option<Little<'a>> {
        let few = (2..=MEMBERS).contains(&comm.meeting.size());
        (few && comm.remote.is_none()).then_some(Little {
            comm,
            name,
            what,
            plan: None,
        })
    }

    /// Takes part where this process gives nothing and takes nothing. False if that needs more than a note.
    #[inline]
    pub fn pass(comm: &Comm, name: &str) -> bool {
        let what = || name.to_string();
        let passed = match comm.meeting.size() {
            1 => true,
            2..=MEMBERS => {
                let pinned = comm.meeting.pin(0, NOTHING, &what, |_| Ok(()));
                pinned.is_ok_and(|round| round.is_some())
            }
            _ => false,
        };
        if passed {
            next_tag(comm);
        }
        passed
    }

    /// Pins a note of `len` bytes. `None`, and nothing was done: there is no memory for notes.
    fn pin(
        &self,
        len: usize,
        number: usize,
        write: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<Option<Round<'a>>> {
        self.comm.meeting.pin(len, number, self.what, write)
    }

    fn number(&self, round: &Round<'_>, from: usize) -> Result<usize> {
        round.number(from, self.what)
    }

    /// The ranks of the others with their blocks that are not empty.
    fn others<'b>(
        &self,
        blocks: &'b [Vector],
    ) -> impl Iterator<Item = (usize, &'b Vector)> + use<'b> {
        let me = self.comm.rank;
        let blocks = blocks.iter().enumerate();
        blocks.filter(move |&(rank, block)| rank != me && block.bytes() > 0)
    }

    fn messages(&mut self) -> &mut Planner {
        self.plan
            .get_or_insert_with(|| Planner::new(self.comm, self.name))
    }

    /// Sends and receives what goes by messages, and copies what stays here.
    fn end(self, stays: Option<(&Vector, &Vector)>) -> Result<bool> {
        match (self.plan, stays) {
            (None, stays) => {
                next_tag(self.comm);
                if let Some((from, to)) = stays
                    && !from.is_at(to)
                {
                    same_length(from.bytes(), to.bytes())?;
                    to.buffer()?.copy(&from.buffer()?, from.bytes());
                }
            }
            (Some(mut plan), stays) => {
                // While they come.
                stays.map_or(Ok(()), |(from, to)| plan.copy(from, to))?;
                plan::run(plan.finish())?;
            }
        }
        Ok(true)
    }

    /// Pins a note of nothing. `None` as for `pin`.
    fn come(&self) -> Result<Option<Round<'a>>> {
        self.pin(0, NOTHING, |_| Ok(()))
    }

    /// Pins a note with a block. `None` as for `pin`.
    fn give(&self, block: &Vector) -> Result<Option<Round<'a>>> {
        let len = block.bytes();
        self.pin(len, len, |room| block.give(0..len, room))
    }

    /// Pins a note of a block of `len` bytes that comes as a message. `None` as for `pin`.
    fn announce(&self, len: usize) -> Result<Option<Round<'a>>> {
        self.pin(0, len | AS_MESSAGE, |_| Ok(()))
    }

    /// How a block goes that this process gives to one, or one to all.
    fn way(&self, block: &Vector) -> Result<Way> {
        let len = block.bytes();
        Ok(match self.are_two() {
            true if len <= PIECE => Way::Note,
            true if len <= PIECES_SHARED => Way::Pieces,
            true if len < PIECES && block.in_segment()?.is_none() => Way::Pieces,
            false if len <= NOTE => Way::Note,
            _ => Way::Message,
        })
    }

    /// Whether there are two processes, each with a core.
    fn are_two(&self) -> bool {
        self.comm.meeting.size() == 2 && spin() > 0
    }

    /// Gives a block to the other one in pieces of at most so many bytes. False as for `pin`.
    fn give_in_pieces(&self, block: &Vector, most: usize) -> Result<bool> {
        let len = block.bytes();
        for range in rounds(len, most) {
            let write = |room| block.give(range.clone(), room);
            if self.pin(range.len(), len | IN_PIECES, write)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes what `from` gives in pieces: `sent` bytes, which have to be `len`. Else they are let by, so that the notes of both stay
    /// those of one round.
    fn take_in_pieces(
        &self,
        first: Round<'a>,
        from: usize,
        (sent, len): (usize, usize),
        most: usize,
        mut take: impl FnMut(Range<usize>, *const u8) -> Result<()>,
    ) -> Result<()> {
        let mut result = same_length(sent, len);
        let mut next = Some(first);
        for range in rounds(sent, most) {
            let round = match next.take() {
                Some(first) => first,
                None => match self.come()? {
                    Some(round) => round,
                    None => break,
                },
            };
            self.number(&round, from)?;
            if result.is_ok() {
                result = take(range.clone(), round.data(from, range.len()));
            }
        }
        result
    }

    /// Takes the block that `from` gave to all, or leaves it to messages. It may have a place of so many bytes.
    fn take(&mut self, round: &Round<'a>, from: usize, block: &Vector, place: usize) -> Result<()> {
        let (sent, len) = (self.number(round, from)?, block.bytes());
        if sent == place | IN_PLACE {
            return self.messages().receive_or_nothing(from, block);
        }
        if sent & IN_PIECES != 0 {
            // SAFETY: so many bytes were given, and so long is the block.
            let take = |range, data| unsafe { block.take(range, data) };
            let sent = sent & !IN_PIECES;
            return self.take_in_pieces(*round, from, (sent, len), PIECE, take);
        }
        if sent & (AS_MESSAGE | IN_PLACE) != 0 {
            return self.messages().receive(from, block);
        }
        same_length(sent, len)?;
        // SAFETY: `from` gave `len` bytes, and so long is the block.
        unsafe { block.take(0..len, round.data(from, len)) }
    }

    /// Takes those of all others. An error does not keep it from the next: messages are to be received.
    fn take_all(
        &mut self,
        round: &Round<'a>,
        blocks: &[Vector],
        places: Option<&Places>,
    ) -> Result<()> {
        let mut taken = Ok(());
        for (from, block) in self.others(blocks) {
            let place = places.map_or(0, |places| places[from].len);
            taken = taken.and(self.take(round, from, block, place));
        }
        taken
    }

    /// Gives a block to one. False as for `pin`.
    fn give_to(&mut self, to: usize, block: &Vector) -> Result<bool> {
        Ok(match self.way(block)? {
            Way::Pieces => self.give_in_pieces(block, PIECE)?,
            Way::Note => self.give(block)?.is_some(),
            Way::Message => {
                let is_pinned = self.announce(block.bytes())?.is_some();
                if is_pinned {
                    self.messages().send(to, block)?;
                }
                is_pinned
            }
        })
    }

    /// What the root has goes to everybody. False if nothing was done, here and below; of a broadcast the root says so.
    pub fn broadcast(mut self, what: &Vector, root: Root) -> Result<bool> {
        let len = what.bytes();
        let Root::There(root) = root else {
            return match self.way(what)? {
                Way::Pieces => self.give_in_pieces(what, PIECE),
                Way::Note => Ok(self.give(what)?.is_some()),
                Way::Message => self.announce(len).map(|_| false),
            };
        };
        let Some(round) = self.come()? else {
            return Ok(false);
        };
        if self.number(&round, root)? & AS_MESSAGE != 0 {
            return Ok(false);
        }
        self.take(&round, root, what, 0)?;
        Ok(true)
    }

    /// Everybody's elements go to the root's blocks. `mine` is `None` if they are there already.
    pub fn gather(mut self, mine: Option<&Vector>, blocks: &[Vector], root: Root) -> Result<bool> {
        if let (Some(given), Root::There(root)) = (mine, root) {
            let len = given.bytes();
            let is_pinned = match self.is_for_place(len) {
                true => self.give_in_place(given, root)?,
                false => self.give_to(root, given)?,
            };
            return Ok(is_pinned && self.end(None)?);
        }
        if self.comm.meeting.size() > 2 && self.others(blocks).any(|(_, b)| b.bytes() > NOTE) {
            return self.gather_in_place(mine, blocks);
        }
        let Some(round) = self.come()? else {
            return Ok(false);
        };
        let taken = self.take_all(&round, blocks, None);
        let own = &blocks[self.comm.rank];
        taken.and(self.end(mine.map(|mine| (mine, own))))
    }

    /// The root's part where some blocks are large.
    // Out of line: what is little does without the places.
    #[inline(never)]
    fn gather_in_place(mut self, mine: Option<&Vector>, blocks: &[Vector]) -> Result<bool> {
        let places = self.places(blocks)?;
        let pinned = self.pin(size_of::<Places>(), PLACES, |room| {
            // SAFETY: the note has room for them, and is aligned as they are.
            unsafe { room.cast::<Places>().write(places) };
            Ok(())
        })?;
        let Some(round) = pinned else {
            return Ok(false);
        };
        let taken = self.take_all(&round, blocks, Some(&places));
        let own = &blocks[self.comm.rank];
        taken.and(self.end(mine.map(|mine| (mine, own))))
    }

    /// Whether such a block goes to its place in a gather: of two there is nobody to copy at the same time, and where ranks share cores,
    /// less goes sooner as a message that waits for nobody.
    fn is_for_place(&self, len: usize) -> bool {
        let least = if spin() > 0 { NOTE } else { LEFT };
        len > least && self.comm.meeting.size() > 2
    }

    /// Where the large ones of these blocks are, as far as that is in the segment.
    fn places(&self, blocks: &[Vector]) -> Result<Places> {
        let mut places = Places::default();
        for (from, block) in self.others(blocks) {
            let len = block.bytes();
            if len > NOTE
                && let Some(address) = block.buffer()?.run()
                && let Some(at) = segment().offset_of(without_provenance(address), len)
            {
                places[from] = Place { at, len };
            }
        }
        Ok(places)
    }

    /// Copies a block to its place at the root, or sends it if there is none. False as for `pin`.
    fn give_in_place(&mut self, block: &Vector, root: usize) -> Result<bool> {
        let len = block.bytes();
        let write = |room| block.give(0..0, room);
        let Some(round) = self.pin(0, len | IN_PLACE, write)? else {
            return Ok(false);
        };
        if self.number(&round, root)? == PLACES {
            let places = round.data(root, size_of::<Places>()).cast::<Places>();
            // SAFETY: the root's number says that its note has places.
            let place = unsafe { (*places)[self.comm.rank] };
            if place.len == len && segment().reach(place.at, len).is_ok() {
                block.give(0..len, segment().at(place.at))?;
                self.messages().send_bytes(root, Buffer::empty());
                return Ok(true);
            }
        }
        self.messages().send(root, block)?;
        Ok(true)
    }

    /// Everybody's elements go to everybody's blocks. `mine` is `None` if they are in their block already.
    pub fn allgather(mut self, mine: Option<&Vector>, blocks: &[Vector]) -> Result<bool> {
        let (size, rank) = (blocks.len(), self.comm.rank);
        let own = &blocks[rank];
        let given = mine.unwrap_or(own);
        let len = given.bytes();
        let is_message = len > NOTE;
        let pinned = match is_message {
            true => self.announce(len)?,
            false => self.give(given)?,
        };
        let Some(round) = pinned else {
            return Ok(false);
        };
        let taken = self.take_all(&round, blocks, None);
        if is_message {
            (1..size).try_for_each(|i| self.messages().send((rank + i) % size, given))?;
        }
        taken.and(self.end(mine.map(|mine| (mine, own))))
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

    /// Takes the block that `from` gave to this process beside those for the others, or leaves it to messages.
    fn take_own(&mut self, round: &Round<'_>, from: usize, block: &Vector) -> Result<()> {
        let len = block.bytes();
        match self.find(round, from, len)? {
            None => self.messages().receive(from, block),
            // SAFETY: `from` gave `len` bytes, and so long is the block.
            Some(data) => unsafe { block.take(0..len, data) },
        }
    }

    /// The root's blocks go to everybody. `mine` is `None` if the root's shall stay.
    pub fn scatter(mut self, blocks: &[Vector], mine: Option<&Vector>, root: Root) -> Result<bool> {
        let of_two = self.comm.meeting.size() == 2;
        let Root::There(root) = root else {
            if of_two {
                let to = 1 - self.comm.rank;
                if !self.give_to(to, &blocks[to])? {
                    return Ok(false);
                }
            } else {
                let Some((_, fits)) = self.give_each(blocks)? else {
                    return Ok(false);
                };
                if !fits {
                    let mut others = self.others(blocks);
                    others.try_for_each(|(to, block)| self.messages().send(to, block))?;
                }
            }
            let own = &blocks[self.comm.rank];
            return self.end(mine.map(|mine| (own, mine)));
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

    /// The `len` bytes that everybody gave, from number `skip` on.
    fn parts(
        &self,
        round: &Round<'_>,
        len: usize,
        skip: usize,
    ) -> Result<impl DoubleEndedIterator<Item = *const u8> + Clone> {
        let members = self.comm.meeting.size();
        let mut parts = [std::ptr::null(); MEMBERS];
        for (from, part) in parts[..members].iter_mut().enumerate() {
            same_length(self.number(round, from)?, len)?;
            *part = round.data(from, len).wrapping_add(skip);
        }
        Ok(parts.into_iter().take(members))
    }

    /// Everybody's `mine` are folded into the root's `out`: nobody else waits.
    pub fn reduce(self, op: Op, mine: &Vector, out: Option<&Vector>) -> Result<bool> {
        let (len, size) = (mine.bytes(), mine.element.datatype.size());
        let mut fold = Fold::new(op, mine.element.clone());
        let piece = PIECE / size.max(1) * size;
        let of_two = self.comm.meeting.size() == 2 && fold.direct && piece > 0;
        if len > NOTE && !of_two {
            return Ok(false);
        }
        let Some(out) = out else {
            let in_pieces = of_two && self.are_two() && (piece + 1..PIECES_TO_FOLD).contains(&len);
            return match in_pieces {
                true => self.give_in_pieces(mine, piece),
                false if len <= NOTE => Ok(self.give(mine)?.is_some()),
                false => self.announce(len).map(|_| false),
            };
        };
        // Of two elements it does not matter which is the first: the root's own stay where they are.
        let given = if of_two { 0 } else { len };
        let pinned = self.pin(given, len, |room| {
            fold.make_room(mine.count, false)?;
            mine.give(0..given, room)
        })?;
        let Some(round) = pinned else {
            return Ok(false);
        };
        if !of_two {
            fold.fold(self.parts(&round, len, 0)?, out)?;
            return Ok(true);
        }
        let other = 1 - self.comm.rank;
        let number = self.number(&round, other)?;
        if number & AS_MESSAGE != 0 {
            same_length(number & !AS_MESSAGE, len)?;
            return Ok(false);
        }
        let sent = number & !IN_PIECES;
        let most = if number == sent { NOTE } else { piece };
        self.take_in_pieces(round, other, (sent, len), most, |range, data| {
            let (at, count) = (range.start / size, range.len() / size);
            let own = with_exposed_provenance(mine.part(at, count).address);
            fold.fold([data, own].into_iter(), &out.part(at, count))
        })?;
        Ok(true)
    }

    /// Each process gets the fold of its own part of everybody's `mine`: `counts[i]` elements to process i.
    pub fn reduce_scatter(
        self,
        op: Op,
        mine: &Vector,
        counts: &[usize],
        out: &Vector,
    ) -> Result<bool> {
        let len = mine.bytes();
        if len > NOTE {
            return Ok(false);
        }
        let rank = self.comm.rank;
        let first: usize = counts[..rank].iter().sum();
        let out = out.part(0, counts[rank]);
        let mut fold = Fold::new(op, mine.element.clone());
        let pinned = self.pin(len, len, |room| {
            fold.make_room(out.count, false)?;
            mine.give(0..len, room)
        })?;
        if let Some(round) = pinned
            && out.count > 0
        {
            let skip = first * mine.element.datatype.size();
            fold.fold(self.parts(&round, len, skip)?, &out)?;
        }
        Ok(pinned.is_some())
    }
}

/// Bytes of the lengths at the beginning of a note.
fn lengths(comm: &Comm) -> usize {
    comm.meeting.size() * size_of::<u32>()
}
