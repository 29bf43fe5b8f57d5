//! Blocking operations of little within one group, by notes: who gives pins one and goes on, who takes waits for those that it
//! needs. So a broadcast's root, and those that give to a gather or a reduction, wait for nobody.
//!
//! Where blocks are of different lengths, each process decides by what it gives: if that is more than a note takes, its note says
//! so, and messages follow for those that take something.
//!
//! **Between two** processes with cores of their own what one gives is read where it lies, from some length on, if it lies in the
//! segment ([`placed`]). Else it goes on in a note a piece, if that is faster than a message: the one writes the next piece while the
//! other takes the last. Its first note says so, and how long it is. What both give each other is [fetched], if it is long, or goes as messages, which
//! need [no answer](unasked).

mod each;
mod fetched;
mod folding;
mod placed;
mod places;
pub mod short;
mod unasked;

use self::places::Places;
use super::elements::Vector;
use super::plan::{self, same_length};
use super::planner::{Planner, Root, next_tag};
use super::shared::{self, rounds};
use crate::comm::Comm;
use crate::error::Result;
use crate::runtime::notes::{MEMBERS, NOTE, Round};
use crate::runtime::wait::spin;
use crate::shm::Offset;
use crate::shm::copy::way_among;
use crate::transport::shown::Shown;
use std::ops::Range;

/// The number of a note of nothing, which has no lengths either.
const NOTHING: usize = 0;

/// Set in the number of the first note of a block that goes in pieces, beside its length.
const IN_PIECES: usize = 1 << (usize::BITS - 1);

/// Set in the number of a note, beside the length of a block that comes as a message.
const AS_MESSAGE: usize = 1 << (usize::BITS - 3);

/// Set in the number of a note that says where a block lies in the segment, beside the block's length.
const PLACED: usize = 1 << (usize::BITS - 4);

/// Set in the number of a note of a gather, beside the block's length: the block comes to its place, if the root's note has one.
const IN_PLACE: usize = 1 << (usize::BITS - 2);

/// The length in the number of a note.
pub fn length(number: usize) -> usize {
    number & !(IN_PIECES | AS_MESSAGE | PLACED | IN_PLACE)
}

/// The bytes of a piece.
const PIECE: usize = 4 << 10;

/// From so many bytes on what one of two processes gives goes as a message: its sender writes ahead as far as the ring has room, but no
/// more than a few notes. (AMD EPYC 9004, 16 KiB in pieces and as a message: Bcast 2.20 and 1.41 µs, Gather 2.57 and 1.47, Scatter 2.25
/// and 1.54.)
const PIECES: usize = 12 << 10;

/// How a block goes.
enum Way {
    Note,
    Pieces,
    /// It stays where it is.
    Placed(Offset),
    Message,
}

/// An operation of those that have notes.
pub struct Little<'a> {
    comm: &'a Comm,
    name: &'static str,
    /// Says it in words.
    what: &'a dyn Fn() -> String,
    /// Of its messages.
    tag: i32,
    /// What goes by messages, if anything does.
    plan: Option<Planner>,
    /// Whether anything was read where another process has it.
    reads: bool,
    /// The round whose note tells where something lies, and who is to read that, a bit for each rank.
    shown: Option<(Round<'a>, u16)>,
    /// That the other one of two may fetch something from memory that is the program's own.
    private: Option<Shown>,
}

const _: () = assert!(MEMBERS <= u16::BITS as usize);

impl<'a> Little<'a> {
    /// `None` if the processes have no notes.
    pub fn new(
        comm: &'a Comm,
        name: &'static str,
        what: &'a dyn Fn() -> String,
        tag: i32,
    ) -> Option<Little<'a>> {
        let few = (2..=MEMBERS).contains(&comm.meeting.size());
        (few && comm.remote.is_none()).then_some(Little {
            comm,
            name,
            what,
            tag,
            plan: None,
            reads: false,
            shown: None,
            private: None,
        })
    }

    /// Takes part where this process gives nothing and takes nothing. False if that needs more than a note.
    #[inline]
    pub fn pass(comm: &Comm, name: &str) -> bool {
        let what = || comm.calls(name);
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

    /// The same, of a note of `len` bytes beside which messages of so many bytes come.
    fn pin_beside_messages(
        &self,
        (len, bytes): (usize, usize),
        number: usize,
        write: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<Option<Round<'a>>> {
        let meeting = &self.comm.meeting;
        meeting.pin_beside_messages((len, bytes), number, self.what, write)
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
            .get_or_insert_with(|| Planner::new(self.comm, self.name, self.tag))
    }

    /// Sends and receives what goes by messages, and copies what stays here.
    fn carry_out(&mut self, stays: Option<(&Vector, &Vector)>) -> Result<()> {
        match (self.plan.take(), stays) {
            (None, stays) => stays.map_or(Ok(()), |(from, to)| self.copy_own(from, to)),
            (Some(mut plan), stays) => {
                // While they come.
                stays.map_or(Ok(()), |(from, to)| plan.copy_own(from, to))?;
                plan::run(plan.finish())
            }
        }
    }

    /// The same, and waits until the others have read what they were shown.
    fn end(mut self, stays: Option<(&Vector, &Vector)>) -> Result<bool> {
        let carried_out = self.carry_out(stays);
        carried_out.and(self.await_readers()).map(|()| true)
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

    /// The same, where all give, and give as much again. `None` as for `pin`.
    fn give_again(&self, block: &Vector) -> Result<Option<Round<'a>>> {
        let round = self.give(block)?;
        if let Some(round) = &round {
            round.expect_to_give(block.bytes());
        }
        Ok(round)
    }

    /// Pins a note of a block of `len` bytes that comes as a message. `None` as for `pin`.
    fn announce(&self, len: usize) -> Result<Option<Round<'a>>> {
        self.pin_beside_messages((0, len), len | AS_MESSAGE, |_| Ok(()))
    }

    /// How a block goes that this process gives to one, or one to all.
    fn way(&self, block: &Vector) -> Result<Way> {
        let len = block.bytes();
        if !self.are_two() {
            return Ok(if len <= NOTE { Way::Note } else { Way::Message });
        }
        Ok(match self.placed(block, false)? {
            Some(at) => Way::Placed(at),
            None if len <= PIECE => Way::Note,
            None if len < PIECES => Way::Pieces,
            None => Way::Message,
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
        if sent & PLACED != 0 {
            return self.take_placed(round, from, (sent & !PLACED, len), block);
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
        // Of two one may give in pieces, which the other one lets by if it wants none.
        let (me, of_two) = (self.comm.rank, blocks.len() == 2);
        let wanted =
            |&(rank, block): &(usize, &Vector)| rank != me && (of_two || block.bytes() > 0);
        for (from, block) in blocks.iter().enumerate().filter(wanted) {
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
            Way::Placed(at) => self.show_to(at, block.bytes(), 1 << to)?.is_some(),
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
    pub fn broadcast(self, what: &Vector, root: Root) -> Result<bool> {
        let len = what.bytes();
        let Root::There(root) = root else {
            return match self.way(what)? {
                Way::Pieces => self.give_in_pieces(what, PIECE),
                Way::Note => Ok(self.give(what)?.is_some()),
                Way::Placed(at) => self.let_read(at, len),
                Way::Message => match self.announce(len)? {
                    Some(_) => {
                        let rank = self.comm.rank;
                        self.broadcast_much(what, len, rank)
                    }
                    None => Ok(false),
                },
            };
        };
        match self.come()? {
            Some(round) => self.broadcast_in(round, what, root),
            None => Ok(false),
        }
    }

    /// The same, of one that gets it, in a round in which it has pinned.
    fn broadcast_in(mut self, round: Round<'a>, what: &Vector, root: usize) -> Result<bool> {
        let number = self.number(&round, root)?;
        if number & AS_MESSAGE != 0 {
            return self.broadcast_much(what, length(number), root);
        }
        let taken = self.take(&round, root, what, 0);
        taken.and(self.tell(&round)).map(|()| true)
    }

    /// All know how long it is: more than a note takes. So it goes the same way for all, also to one that has room for less.
    fn broadcast_much(mut self, what: &Vector, len: usize, root: usize) -> Result<bool> {
        let is_done = shared::broadcast(self.comm, self.what, (what, len), root)?;
        if is_done || self.comm.meeting.size() == 2 {
            return Ok(is_done);
        }
        self.messages().broadcast_from(what, root)?;
        self.end(None)
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
        match self.come()? {
            Some(round) => self.gather_in(round, mine, blocks),
            None => Ok(false),
        }
    }

    /// The same, of the root, in a round in which it has pinned.
    fn gather_in(
        mut self,
        round: Round<'a>,
        mine: Option<&Vector>,
        blocks: &[Vector],
    ) -> Result<bool> {
        let stayed = self.stay(mine, blocks);
        let taken = self.take_all(&round, blocks, None);
        let taken = taken.and(self.tell(&round));
        stayed.and(taken).and(self.end(None))
    }

    /// Copies what this process gives itself, before it looks whether the others' blocks are there.
    pub(super) fn stay(&self, mine: Option<&Vector>, blocks: &[Vector]) -> Result<()> {
        let own = &blocks[self.comm.rank];
        mine.map_or(Ok(()), |mine| self.copy_own(mine, own))
    }

    /// Copies the block that this process gives itself to another one, which is as long.
    fn copy_own(&self, from: &Vector, to: &Vector) -> Result<()> {
        if from.is_at(to) {
            return Ok(());
        }
        let len = from.bytes();
        same_length(len, to.bytes())?;
        let way = way_among(self.comm.size(), len);
        to.buffer()?.copy_by(way, &from.buffer()?, len);
        Ok(())
    }
}
