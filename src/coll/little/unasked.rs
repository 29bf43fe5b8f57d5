//! Long blocks that two processes exchange as messages, without a look at what the other one does before.
//!
//! The notes of both say how a block goes ([`fetched`](super::fetched)), and each waits for the other's before it does anything: where the blocks come as
//! messages in the end, that is a line there and back for nothing. So the lower rank's note says how many of the next ones of that size go so, too: both
//! [count](crate::comm::Exchanges) them, send at once, and look at the other's note while the messages are on their way. (AMD EPYC of family 25,
//! MPI_Alltoall of two, blocks of 16 KiB: 3.7 and 2.1 µs.)
//!
//! The notes still say how long the blocks are. Where the other one's is of another length and goes otherwise, no message of it comes, and this process
//! takes its own back; where both go unasked the messages themselves tell it.

use super::each::{BY_MESSAGES, sent_by_lengths, sent_to};
use super::fetched::ONE_BY_ADDRESS;
use super::{AS_MESSAGE, Little};
use crate::coll::elements::Vector;
use crate::coll::plan::{self, same_length};
use crate::comm::Comm;
use crate::error::Result;
use crate::runtime::notes::{NOTE, Round};
use crate::transport::trials::Way;

/// What a note says of a block that comes as a message, at its process's place among those of both: how many of the next ones go unasked, if it is the
/// lower rank's, or that this one does; of a reduction, whether each folds all.
pub(super) type More = u32;
const UNASKED: More = More::MAX;

/// Whether the block of an allgather whose note has this number comes as a message.
pub(super) fn comes_as_message(number: usize) -> bool {
    number != ONE_BY_ADDRESS && number & AS_MESSAGE != 0
}

pub(super) fn said(round: &Round<'_>, from: usize) -> More {
    let data = round.data(from, size_of::<[More; 2]>());
    // SAFETY: such a note has them, of each of two.
    unsafe { (*data.cast::<[More; 2]>())[from] }
}

impl<'a> Little<'a> {
    /// Whether an exchange of blocks that are alike, of `len` bytes, goes so. It is one of those that were agreed on then.
    pub(super) fn goes_unasked(&self, len: usize) -> bool {
        self.comm.meeting.size() == 2 && len > NOTE && self.comm.exchanges.lock().take_unasked(len)
    }

    /// What this process's note says of the next ones, if this one comes as a message.
    pub(super) fn more(&self, len: usize) -> More {
        let decides = self.comm.rank == 0 && self.are_two() && len > NOTE;
        match decides {
            true => self.comm.exchanges.lock().unasked(len),
            false => 0,
        }
    }

    /// Both are here, and exchange blocks of `len` bytes as messages; the lower rank's note says so, if `is_said`, and what is true of the next ones.
    pub(super) fn agree(&self, round: &Round<'a>, len: usize, is_said: bool) {
        if self.comm.meeting.size() == 2 && is_said {
            let more = said(round, 0);
            if more != UNASKED {
                self.comm.exchanges.lock().go_on(len, more);
            }
        }
    }

    /// Pins a note of a block of `len` bytes that comes as a message, and what it says of [more](Little::more). `None` as for `pin`.
    pub(super) fn announce_with(&self, len: usize, more: More) -> Result<Option<Round<'a>>> {
        let note = (size_of::<[More; 2]>(), len);
        self.pin_beside_messages(note, len | AS_MESSAGE, |room| {
            // SAFETY: the note has room for both, and is aligned as they are.
            unsafe { room.cast::<[More; 2]>().write([more; 2]) };
            Ok(())
        })
    }

    /// An allgather of such blocks.
    pub(super) fn allgather_unasked(
        mut self,
        mine: Option<&Vector>,
        blocks: &[Vector],
    ) -> Result<bool> {
        let other = 1 - self.comm.rank;
        let Some(round) = self.announce_with(blocks[other].bytes(), UNASKED)? else {
            return Ok(false);
        };
        self.messages().allgather(mine, blocks)?;
        self.look_beside(&round, &blocks[other], comes_as_message, sent_to)
    }

    /// An alltoall of such blocks.
    pub(super) fn alltoall_unasked(
        mut self,
        send: Option<&[Vector]>,
        receive: &[Vector],
    ) -> Result<bool> {
        let other = 1 - self.comm.rank;
        let Some(round) = self.announce_each(send.unwrap_or(receive), UNASKED)? else {
            return Ok(false);
        };
        self.messages().alltoall_alike(send, receive)?;
        let is_message = |number| number == BY_MESSAGES;
        self.look_beside(&round, &receive[other], is_message, sent_by_lengths)
    }

    /// Carries the messages out. Meanwhile it looks how many bytes the other one gives, as its note says by `sent`: as many as this one `takes`.
    fn look_beside(
        mut self,
        round: &Round<'a>,
        takes: &Vector,
        is_message: impl Fn(usize) -> bool,
        sent: impl Fn(&Round<'a>, usize, &Comm, usize) -> usize,
    ) -> Result<bool> {
        let (other, len) = (1 - self.comm.rank, takes.bytes());
        let Some(plan) = self.plan.take() else {
            return Ok(false);
        };
        // The time of both begins when both are here.
        let begin = || {
            if self.comm.rank == 0 {
                self.comm.exchanges.lock().begin(len);
            }
        };
        begin();
        let look = || {
            let is_here = round.has(other);
            let number = self.number(round, other)?;
            if !is_here {
                begin();
            }
            // Messages of both tell it by themselves.
            match is_message(number) && said(round, other) == UNASKED {
                true => Ok(()),
                false => same_length(sent(round, other, self.comm, number), len),
            }
        };
        plan::run_beside(plan.finish(), look)?;
        self.comm.exchanges.lock().end(Way::InParts);
        Ok(true)
    }
}
