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
    reach(from, |pid| read_peer(pid, address, to, len))
}

fn read_peer(pid: i32, address: usize, to: &Buffer, len: usize) -> Result<()> {
    let remote = |at: usize, n: usize| Piece::new(std::ptr::without_provenance(address + at), n);
    if let Some(address) = to.run() {
        let local = Piece::new(std::ptr::with_exposed_provenance(address), len);
        // SAFETY: the buffer is the receive's until it is complete, and as long.
        let copied = unsafe { peer::copy_run(pid, Way::FromPeer, local, remote(0, len)) };
        return copied.map_err(Error::from);
    }
    let mut stage = vec![0_u8; len.min(STAGE)];
    let mut at = 0;
    while at < len {
        let n = STAGE.min(len - at);
        let local = Piece::new(stage.as_mut_ptr().cast(), n);
        // SAFETY: the stage is ours and has `n` bytes; the buffer as above.
        unsafe {
            peer::copy_run(pid, Way::FromPeer, local, remote(at, n))?;
            to.write(at..at + n, stage.as_ptr());
        }
        at += n;
    }
    Ok(())
}

/// Copies the data of `from` to an address of another process, a rank in the job, which has shown to this one that there is room for it. Blocks while
/// that one moves its memory.
///
/// Errors: `MPI_ERR_OTHER`, if the kernel refuses; `MPI_ERR_PROC_FAILED`.
pub fn put(from: &Buffer, to: u32, address: usize) -> Result<()> {
    let _visit = visit(to)?;
    let remote = |at: usize, n: usize| Piece::new(std::ptr::without_provenance(address + at), n);
    let len = from.len();
    reach(to, |pid| {
        if let Some(address) = from.run() {
            let local = Piece::new(std::ptr::with_exposed_provenance(address), len);
            // SAFETY: the buffer is the caller's, and has so many bytes; the place was shown for them.
            let copied = unsafe { peer::copy_run(pid, Way::ToPeer, local, remote(0, len)) };
            return copied.map_err(Error::from);
        }
        let mut stage = vec![0_u8; len.min(STAGE)];
        let mut at = 0;
        while at < len {
            let n = STAGE.min(len - at);
            let local = Piece::new(stage.as_ptr().cast(), n);
            // SAFETY: the stage is ours and has `n` bytes; the rest as above.
            unsafe {
                from.read(at..at + n, stage.as_mut_ptr());
                peer::copy_run(pid, Way::ToPeer, local, remote(at, n))?;
            }
            at += n;
        }
        Ok(())
    })
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
