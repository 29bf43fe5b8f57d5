//! Reductions.

use super::unasked::{More, said};
use super::{AS_MESSAGE, IN_PIECES, Little, PIECE, PLACED, length};
use crate::coll::elements::Vector;
use crate::coll::fold::Fold;
use crate::coll::plan::same_length;
use crate::coll::shared;
use crate::error::Result;
use crate::op::Op;
use crate::runtime::notes::{MEMBERS, NOTE, Round};
use std::ptr::with_exposed_provenance;

/// More bytes are fetched before they are folded: what a loop reads as it folds comes slower from another core than a copy does.
const READ_TO_FOLD: usize = 128 << 10;

/// Elements to be folded go in pieces up to so many bytes.
const PIECES_TO_FOLD: usize = 64 << 10;

/// The lower rank's note says that each of two gets all that the other one has, and folds all of it.
const WHOLE: More = 1;

/// Whether a process folds all that there is, and the other one, which gets `others` of it, does so, too.
fn is_of_all(mine: &Vector, others: usize, out: &Vector) -> bool {
    (others, out.count) == (mine.count, mine.count)
}

impl<'a> Little<'a> {
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
            if of_two
                && self.are_two()
                && len <= READ_TO_FOLD
                && let Some(at) = self.placed(mine, false)?
            {
                return self.let_read(at, len);
            }
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
        match pinned {
            Some(round) => self.reduce_in(round, fold, mine, out),
            None => Ok(false),
        }
    }

    /// The same, of the root, in a round in which it has pinned.
    pub(super) fn reduce_in(
        mut self,
        round: Round<'a>,
        mut fold: Fold,
        mine: &Vector,
        out: &Vector,
    ) -> Result<bool> {
        let (len, size) = (mine.bytes(), mine.element.datatype.size());
        let piece = PIECE / size.max(1) * size;
        let of_two = self.comm.meeting.size() == 2 && fold.direct && piece > 0;
        if !of_two {
            fold.fold(self.parts(&round, len, 0)?, out)?;
            return Ok(true);
        }
        let other = 1 - self.comm.rank;
        let number = self.number(&round, other)?;
        if number & AS_MESSAGE != 0 {
            let sent = number & !AS_MESSAGE;
            if sent == len || shared::let_by(self.comm, self.what, sent, mine)? {
                return Ok(false);
            }
            // A message, which has to be received whatever its length.
            self.messages().receive(other, out)?;
            return self.end(None);
        }
        if number & PLACED != 0 {
            let own = with_exposed_provenance(mine.address);
            let shown = self.shown(&round, other, (number & !PLACED, len));
            let folded = shown.and_then(|data| fold.fold([data, own].into_iter(), out));
            return folded.and(self.tell(&round)).map(|()| true);
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
        let rank = self.comm.rank;
        let first: usize = counts[..rank].iter().sum();
        let out = out.part(0, counts[rank]);
        let mut fold = Fold::new(op, mine.element.clone());
        if counts.len() == 2 && fold.direct && len <= READ_TO_FOLD {
            return self.fold_of_two(fold, mine, first, counts[1 - rank], &out);
        }
        if len > NOTE {
            return Ok(false);
        }
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

    /// Both of two get the fold of all of both's `mine`. False also where another way is better.
    pub fn allreduce_of_two(self, op: Op, mine: &Vector, out: &Vector) -> Result<bool> {
        let fold = Fold::new(op, mine.element.clone());
        let is_such = self.comm.meeting.size() == 2 && fold.direct;
        if !is_such || self.comm.meeting.sharing_cores(self.what)? != Some(false) {
            return Ok(false);
        }
        self.fold_of_two(fold, mine, 0, mine.count, out)
    }

    /// The processes are two, for which it does not matter which of two elements is the first, and this one gets the fold of the
    /// elements of `mine` from the `first` on that there is room for in `out`. What the other one gives is read where it lies, if it
    /// can be. `others` is how many elements the other one gets.
    fn fold_of_two(
        mut self,
        fold: Fold,
        mine: &Vector,
        first: usize,
        others: usize,
        out: &Vector,
    ) -> Result<bool> {
        let (len, other) = (mine.bytes(), 1 - self.comm.rank);
        // What is folded over its own elements changes while the other one would read.
        let place = match self.are_two() && !mine.is_at(out) {
            true => self.placed(mine, true)?,
            false => None,
        };
        let pinned = match place {
            Some(at) => self.show_to(at, len, u16::from(others > 0) << other)?,
            None if len <= NOTE => self.give_again(mine)?,
            None => {
                let mut exchanges = self.comm.exchanges.lock();
                let more = match self.comm.rank {
                    _ if !is_of_all(mine, others, out) => 0,
                    0 if exchanges.is_next_whole(len) => WHOLE,
                    0 => 0,
                    _ => exchanges.take_last(),
                };
                drop(exchanges);
                self.announce_with(len, more)?
            }
        };
        match pinned {
            Some(round) => self.fold_in(round, fold, mine, first, out),
            None => Ok(false),
        }
    }

    /// The same, in a round in which this process has pinned.
    pub(super) fn fold_in(
        mut self,
        round: Round<'a>,
        mut fold: Fold,
        mine: &Vector,
        first: usize,
        out: &Vector,
    ) -> Result<bool> {
        let (len, other) = (mine.bytes(), 1 - self.comm.rank);
        let mut folded = Ok(());
        if len > NOTE || out.count > 0 {
            let number = self.number(&round, other)?;
            // Both find that, and that one of them has only messages.
            if let Err(error) = same_length(length(number), len) {
                self.reads = number & PLACED != 0;
                self.tell(&round)?;
                return Err(error);
            }
            if len > NOTE && (self.shown.is_none() || number & PLACED == 0) {
                self.learn_of(&round, number, first == 0 && out.count == mine.count, len);
                return Ok(false);
            }
            let given = match number & PLACED {
                0 => Ok(round.data(other, len)),
                _ => self.shown(&round, other, (number & !PLACED, len)),
            };
            let skip = first * mine.element.datatype.size();
            let own = with_exposed_provenance(mine.part(first, out.count).address);
            folded = given.and_then(|data| {
                let parts = [data.wrapping_add(skip), own];
                fold.fold(parts.into_iter(), out)
            });
            folded = folded.and(self.tell(&round));
        }
        folded.and(self.await_readers()).map(|()| true)
    }

    /// Hears how a reduction of `len` bytes goes over messages, if it `is_of_all`: as the lower rank says, if it has no more than a message either. The
    /// other one's note has that number.
    fn learn_of(&self, round: &Round<'a>, number: usize, is_of_all: bool, len: usize) {
        let (rank, is_message) = (self.comm.rank, number & AS_MESSAGE != 0);
        if is_of_all && is_message && self.shown.is_none() {
            let told = (rank == 0).then(|| said(round, 1));
            let whole = said(round, 0) == WHOLE;
            let mut exchanges = self.comm.exchanges.lock();
            exchanges.begin_reduction(len, whole, told);
        }
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
}
