//! Buffered sends (MPI 4.1 §3.6): a copy of the message is sent, and the attached buffer says how much may be on its way.
//!
//! The copies lie in memory of our own; of the user's buffer only the size counts, and every message takes
//! `MPI_BSEND_OVERHEAD` of it beside its data, as the standard has it.

use super::Buffer;
use super::operation::{Operation, block};
use super::start::{self, Mode};
use crate::abi::constants::MPI_BSEND_OVERHEAD;
use crate::abi::types::MPI_Comm;
use crate::bail;
use crate::error::Result;
use crate::runtime::Ranks;
use crate::runtime::wait::dead;
use parking_lot::Mutex;
use std::sync::Arc;

/// The buffer that the user attached.
struct Attached {
    address: usize,
    len: usize,
}

/// A copy on its way.
struct Copied {
    operation: Arc<Operation>,
    data: Box<[u8]>,
}

struct Sends {
    attached: Option<Attached>,
    copies: Vec<Copied>,
}

static SENDS: Mutex<Sends> = Mutex::new(Sends {
    attached: None,
    copies: Vec::new(),
});

fn cost(len: usize) -> usize {
    len.saturating_add(MPI_BSEND_OVERHEAD as usize)
}

impl Sends {
    /// Bytes of the attached buffer in use. Copies for the dead never leave, but take no room in it.
    fn used(&mut self) -> usize {
        self.copies.retain(|copy| !copy.operation.is_done());
        let on_its_way =
            |copy: &&Copied| dead(Ranks::These(copy.operation.about.partners.members())).is_none();
        let copies = self.copies.iter().filter(on_its_way);
        copies.map(|copy| cost(copy.data.len())).sum()
    }
}

/// Sends a copy of `buffer`; complete at once.
///
/// Errors: `MPI_ERR_BUFFER` if the attached buffer has no room, and those of a send.
pub fn send(comm: MPI_Comm, buffer: Buffer, to: i32, tag: i32) -> Result<()> {
    crate::runtime::wait::progress();
    let mut sends = SENDS.lock();
    let used = sends.used();
    let len = sends.attached.as_ref().map_or(0, |a| a.len);
    let need = cost(buffer.len());
    if used.saturating_add(need) > len {
        bail!(
            Buffer,
            "a buffered send of {} bytes takes {need} of the attached buffer, which has {len} bytes, {used} of them in use",
            buffer.len()
        );
    }
    // SAFETY: the buffer is the caller's for this call.
    let data = unsafe { buffer.packed() };
    let copy = Buffer::bytes(data.as_ptr(), data.len());
    if let Some(operation) = start::send(comm, copy, to, tag, Mode::Standard)? {
        sends.copies.push(Copied { operation, data });
    }
    Ok(())
}

/// Attaches `len` bytes at `address`. Error: `MPI_ERR_BUFFER` if there is a buffer already.
pub fn attach(address: usize, len: usize) -> Result<()> {
    let mut sends = SENDS.lock();
    if sends.attached.is_some() {
        bail!(Buffer, "a buffer is attached already");
    }
    sends.attached = Some(Attached { address, len });
    Ok(())
}

/// Blocks until no buffered message of this process is on its way to a living process.
pub fn flush() -> Result<()> {
    let what = || "buffered sends that are on their way".to_string();
    block(&what, Ranks::None, || SENDS.lock().used() == 0)
}

/// Detaches the buffer, when no message is in it any more: its address and length. Error: `MPI_ERR_BUFFER` if there is none.
pub fn detach() -> Result<(usize, usize)> {
    if SENDS.lock().attached.is_none() {
        bail!(Buffer, "no buffer is attached");
    }
    flush()?;
    match SENDS.lock().attached.take() {
        Some(Attached { address, len }) => Ok((address, len)),
        None => bail!(Buffer, "the buffer was detached by another thread"),
    }
}
