//! Memory of one process that others read, or write to, by the kernel's copy.

use super::buffer::Buffer;
use crate::error::{Error, Result};
use crate::runtime::visits::visit;
use crate::runtime::{access, reach};
use crate::shm::atomic::Ordering;
use crate::shm::peer::{self, Piece, Way};
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// What does not go to one run of bytes goes through a stage that fits the cache: pieces of a few bytes would cost the kernel more.
const STAGE: usize = 256 << 10;

/// Set when another process was not allowed to read this one's memory: from then on data goes through the segment.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// This process may not be read: it does not show anything again.
pub fn set_refused() {
    REFUSED.store(true, Ordering::Relaxed);
}

/// Copies `len` bytes from an address of another process, a rank in the job, which has shown them to this one.
///
/// Errors: `MPI_ERR_OTHER`, if the kernel refuses; `MPI_ERR_PROC_FAILED`.
pub fn fetch(from: u32, address: usize, to: &Buffer, len: usize) -> Result<()> {
    reach(from, |pid| copy(pid, Way::FromPeer, address, to, len))
}

/// Copies the data of `from` to an address of another process, a rank in the job, which has shown to this one that there is room for it. Blocks while
/// that one moves its memory.
///
/// Errors: `MPI_ERR_OTHER`, if the kernel refuses; `MPI_ERR_PROC_FAILED`.
pub fn put(from: &Buffer, to: u32, address: usize) -> Result<()> {
    let _visit = visit(to)?;
    reach(to, |pid| copy(pid, Way::ToPeer, address, from, from.len()))
}

/// Copies `len` bytes between `buffer`, which is an operation's that is not complete, and an address of process `pid`.
fn copy(pid: i32, way: Way, address: usize, buffer: &Buffer, len: usize) -> Result<()> {
    let remote = |at: usize, n: usize| Piece::new(std::ptr::without_provenance(address + at), n);
    if let Some(address) = buffer.run() {
        let local = Piece::new(std::ptr::with_exposed_provenance(address), len);
        // SAFETY: the buffer is the operation's until it is complete, and as long; the other side was shown.
        let copied = unsafe { peer::copy_run(pid, way, local, remote(0, len)) };
        return copied.map_err(Error::from);
    }
    let mut stage = vec![0_u8; len.min(STAGE)];
    let mut at = 0;
    while at < len {
        let n = STAGE.min(len - at);
        let local = Piece::new(stage.as_mut_ptr().cast(), n);
        // SAFETY: the stage is ours and has `n` bytes; the rest as above.
        unsafe {
            if way == Way::ToPeer {
                buffer.read(at..at + n, stage.as_mut_ptr());
            }
            peer::copy_run(pid, way, local, remote(at, n))?;
            if way == Way::FromPeer {
                buffer.write(at..at + n, stage.as_ptr());
            }
        }
        at += n;
    }
    Ok(())
}

/// Times that this process lets others read or write its memory by the kernel, without a message.
static SHOWN: AtomicUsize = AtomicUsize::new(0);

/// That this process lets others reach some memory of its own, until this is dropped.
pub struct Shown(());

impl Shown {
    pub fn new() -> Shown {
        access::allow();
        SHOWN.fetch_add(1, Ordering::Relaxed);
        Shown(())
    }

    pub fn is_any() -> bool {
        SHOWN.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        SHOWN.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The address of `buffer`, if others can copy it from there.
pub fn address(buffer: &Buffer) -> Option<usize> {
    buffer.run().filter(|_| !REFUSED.load(Ordering::Relaxed))
}
