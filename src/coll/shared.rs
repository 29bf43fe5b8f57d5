//! Blocking operations through memory that all processes see. No message is sent, and there is nothing to match, announce or
//! fetch.
//!
//! Little goes by notes: who gives pins one and goes on, who takes waits for those that it needs. So a broadcast's root and
//! those that give to a reduction wait for nobody. More goes to the meeting's board, and after a barrier everybody takes what it
//! needs; what is more than the board takes goes in rounds, whose parts stay in the caches.
//!
//! Reductions of little are folded by each process that wants the result. Of much, each folds a share, and after one barrier
//! more all copy the shares. Predefined operations fold on the board, over what the last process gave there: of two elements it
//! does not matter which is the first, so the result is that of the order of ranks all the same. Others fold elsewhere, and write
//! the share over their own.
//!
//! Data that only moves is one copy more than a message's, so among few processes large blocks go by messages: the board takes
//! up to 4 KiB a process and 64 KiB in all where ranks have cores of their own, 128 KiB and 1 MiB where they share cores and
//! every message waits for its receiver's turn. (Figures: `bench/RESULTS.md`.)
//!
//! The bounds are found again by `make bench BENCH="--families sizes --peers none"`, which names sizes that take longer than
//! the next larger one.

use super::FEW;
use super::elements::{Element, Vector};
use super::plan::same_length;
use super::planner::Root;
use crate::comm::Comm;
use crate::err;
use crate::error::Result;
use crate::op::Op;
use crate::runtime::board::Shared;
use crate::runtime::notes::{MEMBERS, NOTE};
use crate::runtime::wait::spin;
use crate::shm::atomic::full_fence;
use crate::shm::copy::copy;
use crate::transport::distance::{Distance, Manner};
use parking_lot::Mutex;
use std::ops::Range;
use std::ptr::with_exposed_provenance;

/// The most bytes that go better over the board than by messages, each of which is one copy: of one process, and of all of
/// them together. Where ranks share cores, every message takes a turn on one.
const OWN_CORES: Limits = Limits {
    each: 4 << 10,
    all: 64 << 10,
};
const SHARED_CORES: Limits = Limits {
    each: 128 << 10,
    all: 1 << 20,
};

struct Limits {
    each: usize,
    all: usize,
}

// Where these numbers do not suit a machine, `make bench BENCH="--families sizes"` shows a step.

/// A fold of all that the others gave is work for each process that wants the result; a share of it costs one barrier more.
const ALLREDUCE_ALONE: usize = 32 << 10;
const ALLREDUCE_ALONE_OF_TWO: usize = 4 << 10;
const REDUCE_ALONE: usize = 512 << 10;
/// Fewer bytes are reduced by messages, which keep nobody but the root waiting, in communicators of fewer processes.
const REDUCE_LEAST: usize = 16 << 10;
const REDUCE_FEW: usize = 8;
/// What the root alone folds comes in pieces of so many bytes: the others write the next one meanwhile.
const PIECE: usize = 64 << 10;
/// So many bytes are copied past the caches, to cores that do not share them.
const MUCH: usize = 8 << 10;
/// Two processes fetch shares of so much from each other, in one copy.
const FETCH: usize = 512 << 10;
/// What is folded at a time, so that it stays in the nearest cache.
const BLOCK: usize = 8 << 10;

/// Whether data moves better over the board than by messages, where each of the processes gives `len` bytes. Collective, and the
/// same for all of them.
fn is_worth(comm: &Comm, len: usize, what: &dyn Fn() -> String) -> Result<bool> {
    let processes = comm.meeting.size();
    if comm.remote.is_some() || processes <= FEW && len > SHARED_CORES.each {
        return Ok(false);
    }
    let limits = match comm.meeting.sharing_cores(what)? {
        Some(true) => SHARED_CORES,
        Some(false) => OWN_CORES,
        None => return Ok(false),
    };
    let all = len.saturating_mul(processes);
    Ok(processes > FEW || len <= limits.each && all <= limits.all)
}

/// The ranges of `len` bytes that go in one round each, of at most `most` bytes; one empty one if there are none.
fn rounds(len: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    let begins = (0..len.max(1)).step_by(most.max(1));
    begins.map(move |begin| begin..len.min(begin + most))
}

/// Does an allgather within one group; false if messages are the better way, and nothing was done.
pub fn allgather(
    comm: &Comm,
    name: &str,
    mine: Option<&Vector>,
    blocks: &[Vector],
) -> Result<bool> {
    // All blocks are alike, and everybody's as long.
    let len = blocks[0].bytes();
    let room = comm.meeting.room();
    let what = || name.to_string();
    if !is_worth(comm, len, &what)? {
        return Ok(false);
    }
    let own = mine.unwrap_or(&blocks[comm.rank]);
    for range in rounds(len, room) {
        let write = |room| put(own, range.clone(), room);
        let given = comm.meeting.share(range.len(), own.bytes(), &what, write)?;
        let Some(given) = given else {
            return Ok(false);
        };
        for (seat, block) in blocks.iter().enumerate() {
            let data = block_by(&given, seat, len)?;
            // SAFETY: the block is the caller's, and has `len` bytes.
            unsafe { block.buffer()?.take_over(range.clone(), data) };
        }
    }
    Ok(true)
}

/// Does an alltoall within one group; false if messages are the better way, and nothing was done. `send` is `None` if the
/// blocks to be sent are where the others shall come.
pub fn alltoall(
    comm: &Comm,
    name: &str,
    send: Option<&[Vector]>,
    receive: &[Vector],
) -> Result<bool> {
    let send = send.unwrap_or(receive);
    let len = receive[0].bytes();
    let (size, room) = (comm.meeting.size(), comm.meeting.room());
    let total = len.saturating_mul(size);
    let what = || name.to_string();
    if !is_worth(comm, total, &what)? {
        return Ok(false);
    }
    for range in rounds(len, room / size) {
        let piece = range.len();
        let write = |room: *mut u8| {
            let parts = (0..).map(|i| room.wrapping_add(i * piece));
            send.iter()
                .zip(parts)
                .try_for_each(|(block, part)| put(block, range.clone(), part))
        };
        let given = comm
            .meeting
            .share(piece * size, send[0].bytes(), &what, write)?;
        let Some(given) = given else {
            return Ok(false);
        };
        for (seat, block) in receive.iter().enumerate() {
            let mine = block_by(&given, seat, len)?.wrapping_add(comm.rank * piece);
            // SAFETY: the block is the caller's, and has `len` bytes.
            unsafe { block.buffer()?.take_over(range.clone(), mine) };
        }
    }
    Ok(true)
}

/// Does a broadcast within one group; false if messages are the better way. The root says which it is: the others learn how
/// much it gives before they take it.
pub fn broadcast(comm: &Comm, name: &str, what: &Vector, root: Root) -> Result<bool> {
    let name = || name.to_string();
    let (len, size) = (what.bytes(), comm.meeting.size());
    if comm.remote.is_some() || !(2..=MEMBERS).contains(&size) {
        return Ok(false);
    }
    let given = match root {
        Root::Here if len <= NOTE => len,
        _ => 0,
    };
    let write = |room| put(what, 0..given, room);
    let Some(round) = comm.meeting.pin(given, len, &name, write)? else {
        return Ok(false);
    };
    let Root::There(root) = root else {
        return Ok(len <= NOTE);
    };
    // Nothing comes to those that take nothing.
    if len == 0 {
        return Ok(true);
    }
    let (sent, data) = round.from(root, len, &name)?;
    if sent > NOTE {
        return Ok(false);
    }
    same_length(sent, len)?;
    // SAFETY: the buffer is the caller's, and has `len` bytes.
    unsafe { what.buffer()?.take_over(0..len, data) };
    Ok(true)
}

/// What the process in `seat` gave. Errors: its blocks are not `len` bytes long, or it failed.
fn block_by(given: &Shared<'_>, seat: usize, len: usize) -> Result<*const u8> {
    let (sent, address) = given.by(seat)?;
    same_length(sent, len)?;
    Ok(address)
}

/// What is known of the cores of those who read what this process gives.
static READERS: Mutex<Distance> = Mutex::new(Distance::new());

/// Copies the bytes `range` of a block, as far as it has them, to where there is room for them and others read them.
fn put(block: &Vector, range: Range<usize>, to: *mut u8) -> Result<()> {
    let buffer = block.buffer()?;
    let end = buffer.len().min(range.end);
    let range = range.start.min(end)..end;
    let len = range.len();
    // As pieces of a message: the others fetch what lies in this core's caches line by line.
    let manner = match len >= MUCH && spin() > 0 {
        true => READERS.lock().next(len, true),
        false => Manner::Ordinary,
    };
    let past_caches = matches!(manner, Manner::PastCaches);
    // SAFETY: the block is the caller's, and the room is large enough, and no part of it.
    unsafe { buffer.hand_over(range, to, past_caches) };
    if let Manner::Timed(begin) = manner {
        full_fence();
        READERS.lock().learn(begin, len);
    }
    Ok(())
}

/// Does an allreduce of the peers' elements; false if messages are the better way, and nothing was done.
pub fn allreduce(comm: &Comm, name: &str, op: Op, mine: &Vector, out: &Vector) -> Result<bool> {
    let what = || name.to_string();
    // Who has nothing to give has nothing to wait for.
    if mine.bytes() == 0 && comm.remote.is_none() && comm.meeting.size() <= MEMBERS {
        return Ok(comm.meeting.pin(0, 0, &what, |_| Ok(()))?.is_some());
    }
    reduction(comm, op, mine, Some(out), true, &what)
}

/// Does a reduce within one group, with `out` at the root alone; false if messages are the better way, and nothing was done.
pub fn reduce(
    comm: &Comm,
    name: &str,
    op: Op,
    mine: &Vector,
    out: Option<&Vector>,
) -> Result<bool> {
    let (len, size) = (mine.bytes(), comm.meeting.size());
    if comm.remote.is_some() || size == 1 {
        return Ok(false);
    }
    let what = || name.to_string();
    if len <= NOTE && size <= MEMBERS {
        return reduce_notes(comm, op, mine, out, &what);
    }
    if len < REDUCE_LEAST && size < REDUCE_FEW {
        return Ok(false);
    }
    reduction(comm, op, mine, out, false, &what)
}

/// Does a reduction of little: nobody waits but the root.
fn reduce_notes(
    comm: &Comm,
    op: Op,
    mine: &Vector,
    out: Option<&Vector>,
    what: &dyn Fn() -> String,
) -> Result<bool> {
    let len = mine.bytes();
    let mut fold = Fold::new(op, mine.element.clone());
    let write = |room| {
        if out.is_some() {
            fold.make_room(mine.count, false)?;
        }
        put(mine, 0..len, room)
    };
    let Some(round) = comm.meeting.pin(len, len, what, write)? else {
        return Ok(false);
    };
    let Some(out) = out.filter(|_| len > 0) else {
        return Ok(true);
    };
    let mut parts = [std::ptr::null(); MEMBERS];
    let parts = &mut parts[..comm.meeting.size()];
    for (seat, part) in parts.iter_mut().enumerate() {
        let (sent, data) = round.from(seat, len, what)?;
        same_length(sent, len)?;
        *part = data;
    }
    fold.fold(parts.iter().copied(), out)?;
    Ok(true)
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
                    put(&mine, 0..at * size, room)?;
                    put(
                        &mine,
                        end * size..range.len(),
                        room.wrapping_add(end * size),
                    )
                }
                () => put(&mine, 0..range.len(), room),
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
            put(
                &share,
                0..share.bytes(),
                given.own().wrapping_add(at * size),
            )?;
        }
        comm.meeting.barrier(what)?;
        let Some(out) = out else { continue };
        for seat in (0..members).filter(|&seat| direct || seat != comm.rank) {
            let range = begin(seat)..begin(seat + 1);
            let from = home(seat).wrapping_add(range.start);
            // SAFETY: the result buffer is the caller's.
            unsafe { out.buffer()?.take_over(range, from) };
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

/// Folding what processes gave, packed, in the order of their ranks.
struct Fold {
    op: Op,
    element: Element,
    /// Whether what was given can be an operand where it is: it looks as elements in memory do, and is not changed. (A user's
    /// function may change its input, which others read.)
    direct: bool,
    /// Room for an operand, and for a share that nobody wants here.
    operand: Vec<u128>,
    share: Vec<u128>,
}

impl Fold {
    fn new(op: Op, element: Element) -> Fold {
        Fold {
            direct: element.datatype.is_dense() && op.predefined().is_some(),
            op,
            element,
            operand: Vec::new(),
            share: Vec::new(),
        }
    }

    /// `out = parts[0] op parts[1] op …`
    fn fold(
        &mut self,
        parts: impl DoubleEndedIterator<Item = *const u8> + Clone,
        out: &Vector,
    ) -> Result<()> {
        let mut parts = parts.rev();
        let Some(last) = parts.next() else {
            return Ok(());
        };
        let (count, len) = (out.count, out.bytes());
        let inout = std::ptr::with_exposed_provenance_mut::<u8>(out.address);
        if self.direct {
            let size = self.element.datatype.size();
            let step = (BLOCK / size.max(1)).max(1);
            // What was copied is still near when it is folded.
            for begin in (0..count).step_by(step) {
                let (at, n) = (begin * size, step.min(count - begin));
                let inout = inout.wrapping_add(at);
                // SAFETY: the result buffer is the caller's; the elements have no gaps.
                unsafe {
                    if last.wrapping_add(at) != inout.cast_const() {
                        copy(last.wrapping_add(at), inout, n * size);
                    }
                    for part in parts.clone() {
                        self.apply(part.wrapping_add(at), inout, n)?;
                    }
                }
            }
            return Ok(());
        }
        // SAFETY: the result buffer is the caller's, or this one's share.
        unsafe { out.buffer()?.write(0..len, last) };
        for part in parts {
            let input = start_of(&mut self.operand, &self.element, count);
            // SAFETY: `input` has room for `count` elements; both are laid out as the datatype says.
            unsafe {
                self.element.datatype.unpack(part, input, count, 0..len);
                self.apply(input, inout, count)?;
            }
        }
        Ok(())
    }

    /// Folds `count` elements of all parts over those of the `lender`, which is the last but for the caller: elements without
    /// gaps, by an operation for which it does not matter which of two is the first.
    fn fold_at(
        &self,
        parts: impl DoubleEndedIterator<Item = *const u8> + Clone + ExactSizeIterator,
        lender: usize,
        count: usize,
    ) -> Result<()> {
        let inout = parts.clone().nth(lender).expect("a member's").cast_mut();
        for (seat, part) in parts.enumerate().rev() {
            if seat != lender {
                // SAFETY: the part is the lender's on the board, and this share of it the caller's to change.
                unsafe { self.apply(part, inout, count)? };
            }
        }
        Ok(())
    }

    /// `inout = input op inout`
    ///
    /// # Safety
    /// Both are `count` elements laid out as the datatype says, aligned as any.
    unsafe fn apply(&self, input: *const u8, inout: *mut u8, count: usize) -> Result<()> {
        let Element { datatype, handle } = &self.element;
        // SAFETY: the caller's promise.
        unsafe { self.op.apply(input, inout, count, datatype, *handle) }
    }

    /// Makes room to fold `count` elements, if `is_apart` into memory of its own. Error: `MPI_ERR_NO_MEM`.
    fn make_room(&mut self, count: usize, is_apart: bool) -> Result<()> {
        let (low, high) = span(&self.element, count);
        let words = ((high - low) as usize).div_ceil(16);
        let needed = [
            (&mut self.operand, !self.direct),
            (&mut self.share, is_apart),
        ];
        for (memory, _) in needed.into_iter().filter(|(_, is_needed)| *is_needed) {
            let more = words.saturating_sub(memory.len());
            memory.try_reserve_exact(more).map_err(|_| {
                err!(
                    NoMem,
                    "no {} bytes to reduce {count} elements in",
                    16 * words
                )
            })?;
            memory.resize(memory.len() + more, 0);
        }
        Ok(())
    }

    /// The room for `count` elements that nobody wants here.
    fn share(&mut self, count: usize) -> Vector {
        let start = start_of(&mut self.share, &self.element, count);
        Vector {
            address: start.expose_provenance(),
            count,
            element: self.element.clone(),
        }
    }
}

/// Where `count` elements begin and end, in bytes from their address on.
fn span(element: &Element, count: usize) -> (isize, isize) {
    element.datatype.span(count).unwrap_or((0, 0))
}

/// The address for `count` elements in `memory`, which has room for them.
fn start_of(memory: &mut [u128], element: &Element, count: usize) -> *mut u8 {
    let low = span(element, count).0;
    memory.as_mut_ptr().cast::<u8>().wrapping_offset(-low)
}
