//! Small blocking operations in shared memory: one barrier, no message.

use super::plan::{Vector, same_length};
use crate::comm::Comm;
use crate::error::Result;
use crate::op::Op;
use crate::runtime::board::Shared;
use std::ptr::with_exposed_provenance_mut;

/// Blocks until all processes have come.
pub fn barrier(comm: &Comm) -> Result<()> {
    comm.meeting.barrier(&|| "MPI_Barrier".to_string())
}

/// Does an allgather of few bytes within one group; false if they are too many, and nothing was done.
pub fn allgather(comm: &Comm, mine: Option<&Vector>, blocks: &[Vector]) -> Result<bool> {
    if comm.remote.is_some() {
        return Ok(false);
    }
    // All blocks are alike, and everybody's as long.
    let len = blocks[0].bytes();
    let own = mine.unwrap_or(&blocks[comm.rank]);
    let what = || "MPI_Allgather".to_string();
    let write = |room| put(own, room, len);
    let given = comm.meeting.share(len, own.bytes(), &what, write)?;
    let Some(given) = given else {
        return Ok(false);
    };
    for (seat, block) in blocks.iter().enumerate() {
        // SAFETY: the block is the caller's, and has `len` bytes.
        unsafe { block.buffer()?.write(0..len, block_by(&given, seat, len)?) };
    }
    Ok(true)
}

/// Does an alltoall of few bytes within one group; false if they are too many, and nothing was done. `send` is `None` if
/// the blocks to be sent are where the others shall come.
pub fn alltoall(comm: &Comm, send: Option<&[Vector]>, receive: &[Vector]) -> Result<bool> {
    if comm.remote.is_some() {
        return Ok(false);
    }
    let send = send.unwrap_or(receive);
    let len = receive[0].bytes();
    let total = len.saturating_mul(receive.len());
    let what = || "MPI_Alltoall".to_string();
    let write = |room: *mut u8| {
        let parts = (0..).map(|i| room.wrapping_add(i * len));
        send.iter()
            .zip(parts)
            .try_for_each(|(block, part)| put(block, part, len))
    };
    let given = comm.meeting.share(total, send[0].bytes(), &what, write)?;
    let Some(given) = given else {
        return Ok(false);
    };
    for (seat, block) in receive.iter().enumerate() {
        let mine = block_by(&given, seat, len)?.wrapping_add(comm.rank * len);
        // SAFETY: the block is the caller's, and has `len` bytes.
        unsafe { block.buffer()?.write(0..len, mine) };
    }
    Ok(true)
}

/// What the process in `seat` gave. Errors: its blocks are not `len` bytes long.
fn block_by(given: &Shared<'_>, seat: usize, len: usize) -> Result<*const u8> {
    let (sent, address) = given.by(seat);
    same_length(sent, len)?;
    Ok(address)
}

/// Copies a block to where there is room for `room` bytes, as far as there is.
fn put(block: &Vector, to: *mut u8, room: usize) -> Result<()> {
    let buffer = block.buffer()?;
    // SAFETY: the block is the caller's, and the room is large enough.
    unsafe { buffer.read(0..buffer.len().min(room), to) };
    Ok(())
}

/// Does an allreduce of few bytes, of the peers' elements; false if they are too many, and nothing was done. All processes
/// decide alike: the bytes are the same everywhere, though perhaps not the datatypes.
pub fn allreduce(comm: &Comm, op: Op, mine: &Vector, out: &Vector) -> Result<bool> {
    let len = mine.bytes();
    let what = || "MPI_Allreduce".to_string();
    let write = |room| put(mine, room, len);
    let given = comm.meeting.share(len, len, &what, write)?;
    let Some(given) = given else {
        return Ok(false);
    };
    // Everybody's are checked before anything is changed; also those of the caller's own group, between groups.
    (0..comm.meeting.size()).try_for_each(|seat| block_by(&given, seat, len).map(drop))?;
    if len == 0 {
        return Ok(true);
    }
    let mut seats = comm.peer_seats().rev();
    let Some(last) = seats.next() else {
        return Ok(true);
    };
    let (datatype, handle) = (&*out.element.datatype, out.element.handle);
    let by = |seat| given.by(seat).1;
    // SAFETY: the result buffer is the caller's.
    unsafe { out.buffer()?.write(0..len, by(last)) };
    let inout = with_exposed_provenance_mut::<u8>(out.address);
    if datatype.is_dense() && op.predefined().is_some() {
        for seat in seats {
            // SAFETY: both are `count` dense elements, what was given aligned as any.
            unsafe { op.apply(by(seat), inout, out.count, datatype, handle)? };
        }
        return Ok(true);
    }
    let Some((low, high)) = datatype.span(out.count) else {
        return Ok(true);
    };
    // A user's function may also change its input, which others read here.
    let mut room = vec![0_u128; ((high - low) as usize).div_ceil(16)];
    let input = room.as_mut_ptr().cast::<u8>().wrapping_offset(-low);
    for seat in seats {
        // SAFETY: `input` has room for `count` elements laid out as the result's, which is the caller's.
        unsafe {
            datatype.unpack(by(seat), input, out.count, 0..len);
            op.apply(input, inout, out.count, datatype, handle)?;
        }
    }
    Ok(true)
}
