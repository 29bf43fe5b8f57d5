//! Small blocking operations by a meeting in shared memory: one barrier, no message.

use super::plan::{Vector, same_length};
use crate::comm::Comm;
use crate::error::Result;
use crate::op::Op;
use crate::runtime::meeting::SLOT;
use std::ptr::with_exposed_provenance_mut;

/// Blocks until all processes have come.
pub fn barrier(comm: &Comm) -> Result<()> {
    comm.meeting.barrier(&|| "MPI_Barrier".to_string())
}

/// A slot's worth of elements, aligned for all of them.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Bytes([u8; SLOT]);

impl Bytes {
    /// Room for `len` bytes, of blocks that are `each` bytes long, which is noted where there is room.
    fn new(len: usize, each: usize) -> Bytes {
        let mut bytes = Bytes([0; SLOT]);
        if len < SLOT {
            bytes.0[SLOT - 1] = u8::try_from(each).unwrap_or(u8::MAX);
        }
        bytes
    }

    /// Checks what another process noted: its blocks have to be as long as those that are taken.
    fn check(&self, len: usize, each: usize) -> Result<()> {
        match len < SLOT {
            true => same_length(self.0[SLOT - 1].into(), each),
            false => Ok(()),
        }
    }
}

/// Does an allgather of few bytes within one group; false if they are too many, and nothing was done.
pub fn allgather(comm: &Comm, mine: Option<&Vector>, blocks: &[Vector]) -> Result<bool> {
    // All blocks are alike, and everybody's as long.
    let len = blocks[0].bytes();
    if comm.remote.is_some() || len > SLOT || len == 0 {
        return Ok(false);
    }
    let own = mine.unwrap_or(&blocks[comm.rank]);
    let mut bytes = Bytes::new(len, own.bytes());
    put(own, &mut bytes.0[..len])?;
    let all = comm
        .meeting
        .exchange(bytes, &|| "MPI_Allgather".to_string())?;
    for (block, part) in blocks.iter().zip(&all) {
        part.check(len, len)?;
        // SAFETY: the block is the caller's, and has `len` bytes.
        unsafe { block.buffer()?.write(0..len, part.0.as_ptr()) };
    }
    Ok(true)
}

/// Does an alltoall of few bytes within one group; false if they are too many, and nothing was done. `send` is `None` if
/// the blocks to be sent are where the others shall come.
pub fn alltoall(comm: &Comm, send: Option<&[Vector]>, receive: &[Vector]) -> Result<bool> {
    let send = send.unwrap_or(receive);
    let len = receive[0].bytes();
    let total = len.saturating_mul(receive.len());
    if comm.remote.is_some() || total > SLOT || len == 0 {
        return Ok(false);
    }
    let mut bytes = Bytes::new(total, send[0].bytes());
    for (block, room) in send.iter().zip(bytes.0.chunks_exact_mut(len)) {
        put(block, room)?;
    }
    let all = comm
        .meeting
        .exchange(bytes, &|| "MPI_Alltoall".to_string())?;
    for (block, part) in receive.iter().zip(&all) {
        part.check(total, len)?;
        let mine = &part.0[comm.rank * len..][..len];
        // SAFETY: the block is the caller's, and has `len` bytes.
        unsafe { block.buffer()?.write(0..len, mine.as_ptr()) };
    }
    Ok(true)
}

/// Copies a block, as far as there is room.
fn put(block: &Vector, room: &mut [u8]) -> Result<()> {
    let buffer = block.buffer()?;
    let len = buffer.len().min(room.len());
    // SAFETY: the block is the caller's, and the room is large enough.
    unsafe { buffer.read(0..len, room.as_mut_ptr()) };
    Ok(())
}

/// Does an allreduce of few bytes, of the peers' elements; false if they are too many, and nothing was done. All processes
/// decide alike: the bytes are the same everywhere, though perhaps not the datatypes.
pub fn allreduce(comm: &Comm, op: Op, mine: &Vector, out: &Vector) -> Result<bool> {
    let len = mine.bytes();
    if len > SLOT || len == 0 {
        return Ok(false);
    }
    let mut bytes = Bytes::new(len, len);
    // SAFETY: the buffer is the caller's.
    unsafe { mine.buffer()?.read(0..len, bytes.0.as_mut_ptr()) };
    let what = || "MPI_Allreduce".to_string();
    let mut all = comm.meeting.exchange(bytes, &what)?;
    all.iter().try_for_each(|part| part.check(len, len))?;
    let Some((last, others)) = all[comm.peer_seats()].split_last_mut() else {
        return Ok(true);
    };
    let (datatype, handle) = (&*out.element.datatype, out.element.handle);
    let result = out.buffer()?;
    if datatype.is_dense() {
        for part in others.iter().rev() {
            let (input, inout) = (part.0.as_ptr(), last.0.as_mut_ptr());
            // SAFETY: both are slots with `count` dense elements, aligned as any.
            unsafe { op.apply(input, inout, out.count, datatype, handle)? };
        }
        // SAFETY: the result buffer is the caller's.
        unsafe { result.write(0..len, last.0.as_ptr()) };
        return Ok(true);
    }
    let Some((low, high)) = datatype.span(out.count) else {
        return Ok(false);
    };
    // SAFETY: the result buffer is the caller's.
    unsafe { result.write(0..len, last.0.as_ptr()) };
    let mut room = vec![0_u128; ((high - low) as usize).div_ceil(16)];
    let input = room.as_mut_ptr().cast::<u8>().wrapping_offset(-low);
    let inout = with_exposed_provenance_mut::<u8>(out.address);
    for part in others.iter().rev() {
        // SAFETY: `input` has room for `count` elements laid out as the result's, which is the caller's.
        unsafe {
            datatype.unpack(part.0.as_ptr(), input, out.count, 0..len);
            op.apply(input, inout, out.count, datatype, handle)?;
        }
    }
    Ok(true)
}
