//! Blocking operations through memory that all processes see. No message is sent, and there is nothing to match, announce or
//! fetch. Everybody gives, and after a barrier, or with little when all have pinned their notes, everybody takes what it needs.
//! What is more than the board takes goes in rounds, whose parts stay in the caches.
//!
//! Reductions of little are folded by each process that wants the result. Of much, each folds a share, and after one barrier
//! more all copy the shares. Predefined operations fold on the board, over what the last process gave there: of two elements it
//! does not matter which is the first, so the result is that of the order of ranks all the same. Others fold elsewhere, and write
//! the share over their own.
//!
//! Data that only moves is one copy more than a message's, so among few processes large blocks go by messages: the board takes
//! up to 4 KiB a process and 64 KiB in all where ranks have cores of their own, and much more where they share cores and
//! every message waits for its receiver's turn. (Figures: `bench/RESULTS.md`.)
//!
//! The bounds are found again by `make bench BENCH="--families sizes --peers none"`, which names sizes that take longer than
//! the next larger one.

use super::FEW;
use super::elements::Vector;
use super::fold::Fold;
use super::little;
use super::plan::same_length;
use crate::comm::Comm;
use crate::error::Result;
use crate::op::Op;
use crate::runtime::board::Shared;
use std::ops::Range;
use std::ptr::with_exposed_provenance;

/// The most bytes that go better over the board than by messages, each of which is one copy, where ranks have cores of their own: of one process, and
/// of all of them together.
const EACH: usize = 4 << 10;
const ALL: usize = 64 << 10;
/// The same of one process where ranks share cores, and every message takes a turn on one: of what goes to all, of what is for one each, and of what is
/// folded by one each. (8 ranks on 2 cores, µs by messages and so: allgather of 256 KiB 838 and 399, alltoall of 32 KiB 217 and 85, reduce_scatter_block of
/// 32 KiB 237 and 81.)
const TO_ALL: usize = 4 << 20;
const TO_EACH: usize = 512 << 10;
const FOLDED_BY_EACH: usize = 64 << 20;
/// But not in more than so many times the rounds that as much would take in shares that are alike.
const UNEVEN: usize = 4;
/// From so many bytes on a broadcast goes so where ranks share cores: less is on its way while its root goes on. (8 ranks on 2 cores, 64 KiB 48 and 20 µs, 1 MB 443
/// and 242.)
const BROADCAST: usize = 20 << 10;

// Where these numbers do not suit a machine, `make bench BENCH="--families sizes"` shows a step.

/// A fold of all that the others gave is work for each process that wants the result; a share of it costs one barrier more.
pub(super) const ALLREDUCE_ALONE: usize = 32 << 10;
const ALLREDUCE_ALONE_OF_TWO: usize = 4 << 10;
const REDUCE_ALONE: usize = 512 << 10;
/// Fewer bytes are reduced by messages, which keep nobody but the root waiting, in communicators of fewer processes.
const REDUCE_LEAST: usize = 16 << 10;
const REDUCE_FEW: usize = 8;
/// What the root alone folds comes in pieces of so many bytes: the others write the next one meanwhile.
const PIECE: usize = 64 << 10;
/// Two processes with cores of their own fetch shares of so much from each other, in one copy, and a root all of it.
const FETCH: usize = 64 << 10;

/// Whether data moves better over the board than by messages, where each of the processes gives `len` bytes, and `most` are the most of them where ranks share
/// cores. Collective, and the same for all of them.
fn is_worth(comm: &Comm, len: usize, most: usize, what: &dyn Fn() -> String) -> Result<bool> {
    let processes = comm.meeting.size();
    if comm.remote.is_some() || processes <= FEW && len > most {
        return Ok(false);
    }
    let is_less = match comm.meeting.sharing_cores(what)? {
        Some(true) => len <= most,
        Some(false) => len <= EACH && len.saturating_mul(processes) <= ALL,
        None => return Ok(false),
    };
    Ok(processes > FEW || is_less)
}

/// The ranges of `len` bytes that go in one round each, of at most `most` bytes; one empty one if there are none.
pub(super) fn rounds(len: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    let begins = (0..len.max(1)).step_by(most.max(1));
    begins.map(move |begin| begin..len.min(begin + most))
}

/// Does an allgather within one group; false if messages are the better way, and nothing was done.
pub fn allgather(
    comm: &Comm,
    what: &dyn Fn() -> String,
    mine: Option<&Vector>,
    blocks: &[Vector],
) -> Result<bool> {
    // All blocks are alike, and everybody's as long.
    let len = blocks[0].bytes();
    let room = comm.meeting.room();
    if !is_worth(comm, len, TO_ALL, what)? {
        return Ok(false);
    }
    let own = mine.unwrap_or(&blocks[comm.rank]);
    for range in rounds(len, room) {
        let write = |room| own.give(range.clone(), room);
        let given = comm.meeting.share(range.len(), own.bytes(), what, write)?;
        let Some(given) = given else {
            return Ok(false);
        };
        for (seat, block) in blocks.iter().enumerate() {
            let data = block_by(&given, seat, len)?;
            // SAFETY: the block has `len` bytes, as what was given.
            unsafe { block.take(range.clone(), data)? };
        }
    }
    Ok(true)
}

/// Does an alltoall within one group; false if messages are the better way, and nothing was done. `send` is `None` if the
/// blocks to be sent are where the others shall come.
pub fn alltoall(
    comm: &Comm,
    what: &dyn Fn() -> String,
    send: Option<&[Vector]>,
    receive: &[Vector],
) -> Result<bool> {
    let send = send.unwrap_or(receive);
    let len = receive[0].bytes();
    let (size, room) = (comm.meeting.size(), comm.meeting.room());
    let total = len.saturating_mul(size);
    if !is_worth(comm, total, TO_EACH, what)? {
        return Ok(false);
    }
    for range in rounds(len, room / size) {
        let piece = range.len();
        let write = |room: *mut u8| {
            let parts = (0..).map(|i| room.wrapping_add(i * piece));
            send.iter()
                .zip(parts)
                .try_for_each(|(block, part)| block.give(range.clone(), part))
        };
        let given = comm
            .meeting
            .share(piece * size, send[0].bytes(), what, write)?;
        let Some(given) = given else {
            return Ok(false);
        };
        for (seat, block) in receive.iter().enumerate() {
            let mine = block_by(&given, seat, len)?.wrapping_add(comm.rank * piece);
            // SAFETY: the block has `len` bytes, as what was given.
            unsafe { block.take(range.clone(), mine)? };
        }
    }
    Ok(true)
}

/// Does a broadcast within one group, of `len` bytes, which the root has told everybody; false if messages are the better way, and nothing was done.
/// Error: what is `block` here has another length; the others go on.
pub fn broadcast(
    comm: &Comm,
    what: &dyn Fn() -> String,
    (block, len): (&Vector, usize),
    root: usize,
) -> Result<bool> {
    if comm.meeting.size() == 2
        || len < BROADCAST
        || comm.meeting.sharing_cores(what)? != Some(true)
    {
        return Ok(false);
    }
    let fits = same_length(len, block.bytes());
    let gives = comm.rank == root;
    for range in rounds(len, comm.meeting.room()) {
        let write = |room: *mut u8| match gives {
            true => block.give(range.clone(), room),
            false => Ok(()),
        };
        let given = comm.meeting.share(range.len(), len, what, write)?;
        let Some(given) = given else {
            return Ok(false);
        };
        let (_, data) = given.by(root)?;
        if !gives && fits.is_ok() {
            // SAFETY: the block is as long as what was given.
            unsafe { block.take(range, data)? };
        }
    }
    fits.map(|()| true)
}

/// What the process in `seat` gave. Errors: its blocks are not `len` bytes long, or it failed.
fn block_by(given: &Shared<'_>, seat: usize, len: usize) -> Result<*const u8> {
    let (sent, address) = given.by(seat)?;
    // One that gives more may have said where it is, or how it comes.
    same_length(little::length(sent), len)?;
    Ok(address)
}

/// Does a reduce_scatter within one group, of `counts[i]` elements for process i; false if messages are the better way, and nothing was done.
pub fn reduce_scatter(
    comm: &Comm,
    what: &dyn Fn() -> String,
    op: Op,
    (mine, counts): (&Vector, &[usize]),
    out: &Vector,
) -> Result<bool> {
    let (len, size) = (mine.bytes(), mine.element.datatype.size().max(1));
    let (members, rank) = (counts.len(), comm.rank);
    // So many elements for each go in a round.
    let (room, all) = (comm.meeting.room() / size, mine.count);
    let most = room / members;
    let longest = counts.iter().copied().max().unwrap_or(0);
    // Where some get much more than others, most rounds have little.
    let is_even = most > 0 && longest.div_ceil(most) <= UNEVEN * all.div_ceil(room);
    if !is_even || !is_worth(comm, len, FOLDED_BY_EACH, what)? {
        return Ok(false);
    }
    let mut fold = Fold::new(op, mine.element.clone());
    // In place, the result is written where elements are that were given before, but perhaps over the own ones.
    let keeps = fold.direct && !mine.is_at(out);
    for range in rounds(longest, most) {
        // What each gets in this round: the first of its elements, and how many bytes lie before them on the board.
        let pieces = || {
            counts.iter().scan((0, 0), |(first, at), &count| {
                let part = range.start.min(count)..range.end.min(count);
                let piece = (mine.part(*first + part.start, part.len()), *at);
                (*first, *at) = (*first + count, *at + part.len() * size);
                Some(piece)
            })
        };
        let bytes = pieces().map(|(piece, _)| piece.bytes()).sum();
        let (own, at) = pieces().nth(rank).expect("this process's");
        let write = |room: *mut u8| {
            fold.make_room(own.count, false)?;
            let mut pieces = pieces().enumerate();
            pieces.try_for_each(|(process, (piece, at))| match keeps && process == rank {
                true => Ok(()),
                false => piece.give(0..piece.bytes(), room.wrapping_add(at)),
            })
        };
        let given = comm.meeting.share(bytes, len, what, write)?;
        let Some(given) = given else {
            return Ok(false);
        };
        // Everybody's are checked before anything is changed.
        (0..members).try_for_each(|seat| block_by(&given, seat, len).map(drop))?;
        if own.count == 0 {
            continue;
        }
        let parts = (0..members).map(|seat| match keeps && seat == rank {
            true => with_exposed_provenance(own.address),
            false => given.bytes_by(seat).wrapping_add(at),
        });
        fold.fold(parts, &out.part(range.start, own.count))?;
    }
    Ok(true)
}

/// Does an allreduce of the peers' elements; false if messages are the better way, and nothing was done.
pub fn allreduce(
    comm: &Comm,
    what: &dyn Fn() -> String,
    op: Op,
    mine: &Vector,
    out: &Vector,
) -> Result<bool> {
    reduction(comm, op, mine, Some(out), true, what)
}

/// Does a reduce within one group, with `out` at the root alone; false if messages are the better way, and nothing was done.
pub fn reduce(
    comm: &Comm,
    what: &dyn Fn() -> String,
    op: Op,
    mine: &Vector,
    out: Option<&Vector>,
) -> Result<bool> {
    let (len, size) = (mine.bytes(), comm.meeting.size());
    if comm.remote.is_some() || size == 1 {
        return Ok(false);
    }
    if len < REDUCE_LEAST && size < REDUCE_FEW {
        return Ok(false);
    }
    reduction(comm, op, mine, out, false, what)
}

/// Of two, the one that gives to a reduce gives `sent` bytes by messages or by the board, and this one, which takes, has others, `mine`.
/// Lets by what is given by the board, which is an error of both; false, and nothing was done, if it comes by a message.
pub fn let_by(comm: &Comm, what: &dyn Fn() -> String, sent: usize, mine: &Vector) -> Result<bool> {
    if sent < REDUCE_LEAST || sent >= FETCH && comm.meeting.sharing_cores(what)? == Some(false) {
        return Ok(false);
    }
    let size = mine.element.datatype.size().max(1);
    let most = comm.meeting.room().min(PIECE) / size * size;
    let given = comm
        .meeting
        .share(sent.min(most), mine.bytes(), what, |_| Ok(()))?;
    let Some(given) = given else {
        return Ok(false);
    };
    block_by(&given, 1 - comm.rank, mine.bytes()).map(|_| true)
}

/// Folds the peers' elements into everybody's `out`, those that have one: all or the root. All processes decide alike: the
/// bytes are the same everywhere.
fn reduction(
    comm: &Comm,
    op: Op,
    mine: &Vector,
    out: Option<&Vector>,
    everywhere: bool,
    what: &dyn Fn() -> String,
) -> Result<bool> {
    let (len, element) = (mine.bytes(), &mine.element);
    let members = comm.meeting.size();
    if comm.remote.is_none()
        && members == 2
        && len >= FETCH
        && comm.meeting.sharing_cores(what)? == Some(false)
    {
        return Ok(false);
    }
    let mut fold = Fold::new(op, element.clone());
    let direct = fold.direct;
    let alone = match everywhere {
        true if members == 2 => ALLREDUCE_ALONE_OF_TWO,
        true => ALLREDUCE_ALONE,
        false => REDUCE_ALONE,
    };
    // Of two the root alone folds no more than either would copy.
    let others = members.saturating_sub(if everywhere && direct { 1 } else { 2 });
    // Above, each folds a share for all; so it can be in one group only.
    let together = comm.remote.is_none() && len.saturating_mul(others) > alone;
    // Who alone gets the result need not give: of two elements it does not matter which is the first.
    let keeps = !together && !everywhere && direct;
    let keeps = keeps && out.is_some_and(|out| members == 2 || !mine.is_at(out));
    // Whole elements go in a round.
    let size = element.datatype.size().max(1);
    let room = match together || everywhere {
        true => comm.meeting.room(),
        false => comm.meeting.room().min(PIECE),
    };
    let most = room / size * size;
    if most == 0 || len > most && comm.remote.is_some() {
        return Ok(false);
    }
    for range in rounds(len, most) {
        let (first, count) = (range.start / size, range.len() / size);
        let begin = |i: usize| (count as u128 * i as u128 / members as u128) as usize;
        let (at, end) = match out {
            _ if together => (begin(comm.rank), begin(comm.rank + 1)),
            Some(_) => (0, count),
            None => (0, 0),
        };
        let mine = mine.part(first, count);
        let write = |room: *mut u8| {
            fold.make_room(end - at, together && out.is_none())?;
            match () {
                () if keeps => Ok(()),
                () if together && direct => {
                    mine.give(0..at * size, room)?;
                    mine.give(end * size..range.len(), room.wrapping_add(end * size))
                }
                () => mine.give(0..range.len(), room),
            }
        };
        let given = comm.meeting.share(range.len(), len, what, write)?;
        let Some(given) = given else {
            return Ok(false);
        };
        // Everybody's are checked before anything is changed; also those of the caller's own group, between groups.
        (0..members).try_for_each(|seat| block_by(&given, seat, len).map(drop))?;
        if len == 0 {
            break;
        }
        let out = out.map(|out| out.part(first, count));
        let part = |seat: usize| match seat == comm.rank && direct && (keeps || together) {
            true => with_exposed_provenance(mine.address),
            false => given.bytes_by(seat),
        };
        if !together {
            let Some(out) = &out else { continue };
            if keeps && members == 2 {
                fold.fold([part(1 - comm.rank), part(comm.rank)].into_iter(), out)?;
            } else {
                fold.fold(comm.peer_seats().map(part), out)?;
            }
            continue;
        }
        let begin = |i: usize| begin(i) * size;
        let home = |seat: usize| match direct {
            true => given.bytes_by(lender(seat, members)),
            false => given.bytes_by(seat),
        };
        if end > at && direct {
            let parts = (0..members).map(|seat| part(seat).wrapping_add(at * size));
            let lender = lender(comm.rank, members);
            fold.fold_at(parts, lender, end - at)?;
        } else if end > at {
            let share = match &out {
                Some(out) => out.part(at, end - at),
                None => fold.share(end - at),
            };
            let parts = (0..members).map(|seat| given.bytes_by(seat).wrapping_add(at * size));
            fold.fold(parts, &share)?;
            // The others read this share of what this process gave only now.
            share.give(0..share.bytes(), given.own().wrapping_add(at * size))?;
        }
        comm.meeting.barrier(what)?;
        let Some(out) = out else { continue };
        for seat in (0..members).filter(|&seat| direct || seat != comm.rank) {
            let range = begin(seat)..begin(seat + 1);
            let from = home(seat).wrapping_add(range.start);
            // SAFETY: the result is as long as what was given.
            unsafe { out.take(range, from)? };
        }
    }
    Ok(true)
}

/// Over whose elements on the board the process in `seat` folds its share, which nobody else reads: the last one's, who is the
/// first to be folded, and gives all but its own share.
fn lender(seat: usize, members: usize) -> usize {
    match seat + 1 == members {
        true => members - 2,
        false => members - 1,
    }
}
