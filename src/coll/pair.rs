//! Allreduce of two processes with cores of their own where elements lie in the segment: each folds what the other one has, where it
//! is, with its own. Nothing is copied.
//!
//! | round  | what a note says                                                                       |
//! |--------|----------------------------------------------------------------------------------------|
//! | first  | where the elements are; or it has them, if they are few; or only how long they are     |
//! | second | that this process has read: the other one's elements are the program's again           |
//!
//! Each process decides by its own elements what its first note says. The second round is there if anything is read where it is. If
//! much is not to be reached on one side, both find that, and nothing was done.

use super::elements::Vector;
use super::fold::Fold;
use super::plan::same_length;
use crate::comm::Comm;
use crate::error::Result;
use crate::op::Op;
use crate::runtime::notes::NOTE;
use crate::shm::Offset;
use crate::shm::segment::segment;
use std::ptr::with_exposed_provenance;

/// Fewer bytes are copied into a note in less time than the second round takes. (`make bench BENCH="--families sizes"`)
const LEAST: usize = 2 << 10;

/// Set in the number of a note, beside the length, that says where the elements are.
pub const PLACED: usize = 1 << (usize::BITS - 1);

/// Folds the elements of both into both's `out`; false if another way is better, and nothing was done.
pub fn allreduce(
    comm: &Comm,
    what: &dyn Fn() -> String,
    op: Op,
    mine: &Vector,
    out: &Vector,
) -> Result<bool> {
    let (meeting, len) = (&comm.meeting, mine.bytes());
    if comm.remote.is_some() || meeting.size() != 2 || len < LEAST {
        return Ok(false);
    }
    let mut fold = Fold::new(op, mine.element.clone());
    if !fold.direct || meeting.sharing_cores(what)? != Some(false) {
        return Ok(false);
    }
    // What is folded over its own elements changes while the other one would read.
    let place = if mine.is_at(out) {
        None
    } else {
        mine.in_segment()?
    };
    let (given, number) = match place {
        Some(_) => (size_of::<Offset>(), len | PLACED),
        None if len <= NOTE => (len, len),
        None => (0, len),
    };
    let pinned = meeting.pin(given, number, what, |room| {
        let Some(at) = place else {
            return mine.give(0..given, room);
        };
        // SAFETY: the note has room for it, and is aligned as it is.
        unsafe { room.cast::<Offset>().write(at) };
        Ok(())
    })?;
    let Some(round) = pinned else {
        return Ok(false);
    };
    let other = 1 - comm.rank;
    let number = round.number(other, what)?;
    same_length(number & !PLACED, len)?;
    let theirs = number & PLACED != 0;
    if len > NOTE && !(place.is_some() && theirs) {
        return Ok(false);
    }
    let data = match theirs {
        true => {
            // SAFETY: the other one's number says that its note has a place.
            let at = unsafe { *round.data(other, size_of::<Offset>()).cast::<Offset>() };
            let reached = segment().reach(at, len);
            reached.map(|()| segment().at::<u8>(at).cast_const())
        }
        false => Ok(round.data(other, len)),
    };
    let own = with_exposed_provenance::<u8>(mine.address());
    let folded = data
        .map_err(Into::into)
        .and_then(|data| fold.fold([data, own].into_iter(), out));
    if (theirs || place.is_some())
        && let Some(round) = meeting.pin(0, 0, what, |_| Ok(()))?
        && place.is_some()
    {
        round.number(other, what)?;
    }
    folded.map(|()| true)
}
