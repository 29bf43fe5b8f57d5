//! Private memory of another process, read and written by single copies in the kernel
//! (`process_vm_readv`, `process_vm_writev`).
//!
//! Whether it works is found out by really reading a byte of the peer, since seccomp, Yama and user namespaces can each refuse.
//! For which processes this one allows it is the affair of `runtime::access`.

use crate::shm::PAGE;
use crate::shm::error::{Result, failed};
use std::ffi::c_void;
use std::ptr::with_exposed_provenance;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that this process has copied.
pub static COPIED: AtomicU64 = AtomicU64::new(0);

/// The kernel takes at most this many pieces in a call (UIO_MAXIOV).
pub const MAX_PIECES: usize = 1024;

/// A piece of memory: address and length in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub address: *mut c_void,
    pub len: usize,
}

impl Piece {
    pub fn new(address: *const c_void, len: usize) -> Piece {
        Piece {
            address: address.cast_mut(),
            len,
        }
    }

    /// At an address that may be another process's.
    pub fn at(address: usize, len: usize) -> Piece {
        Piece::new(with_exposed_provenance(address), len)
    }

    /// The address behind it.
    pub fn end(&self) -> usize {
        self.address.addr().wrapping_add(self.len)
    }
}

// An iovec is what the kernel wants; ours has the names we use.
const _: () = assert!(size_of::<Piece>() == size_of::<libc::iovec>());

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    FromPeer,
    ToPeer,
}

/// Pieces that were not copied yet.
pub struct Pieces<'a>(&'a mut [Piece]);

impl<'a> Pieces<'a> {
    pub fn new(pieces: &'a mut [Piece]) -> Pieces<'a> {
        let mut pieces = Pieces(pieces);
        pieces.advance(0);
        pieces
    }

    /// As many as a call takes.
    fn first(&self) -> &[Piece] {
        &self.0[..self.0.len().min(MAX_PIECES)]
    }

    /// Leaves out the first `n` bytes.
    fn advance(&mut self, mut n: usize) {
        while let Some(first) = self.0.first_mut() {
            if first.len > n {
                *first = Piece::new(first.address.wrapping_byte_add(n), first.len - n);
                return;
            }
            n -= first.len;
            let pieces = std::mem::take(&mut self.0);
            self.0 = &mut pieces[1..];
        }
    }
}

/// Copies between `local` pieces of this process and `remote` pieces of process `pid`, until those of one side are used up.
///
/// Error: `MPI_ERR_OTHER` if the kernel refuses (the sentence names the setting), or an address is not mapped, or not for this.
///
/// # Safety
/// The local pieces are memory that the caller may read (`ToPeer`) or write (`FromPeer`).
pub unsafe fn copy(
    pid: i32,
    way: Way,
    local: &mut Pieces<'_>,
    remote: &mut Pieces<'_>,
) -> Result<()> {
    while !local.0.is_empty() && !remote.0.is_empty() {
        // SAFETY: the caller's promise.
        let done = unsafe { call(pid, way, local.first(), remote.first()) };
        if done <= 0 {
            return refused(pid, way);
        }
        COPIED.fetch_add(done as u64, Ordering::Relaxed);
        local.advance(done as usize);
        remote.advance(done as usize);
    }
    Ok(())
}

/// [`copy`] of one run.
///
/// # Safety
/// As [`copy`].
pub unsafe fn copy_run(pid: i32, way: Way, mut local: Piece, mut remote: Piece) -> Result<()> {
    let mut local = Pieces::new(std::slice::from_mut(&mut local));
    let mut remote = Pieces::new(std::slice::from_mut(&mut remote));
    // SAFETY: the caller's promise.
    unsafe { copy(pid, way, &mut local, &mut remote) }
}

/// One call of the kernel: the bytes it copied; 0 or less if it refused.
///
/// # Safety
/// As [`copy`].
unsafe fn call(pid: i32, way: Way, local: &[Piece], remote: &[Piece]) -> isize {
    let call = match way {
        Way::FromPeer => libc::process_vm_readv,
        Way::ToPeer => libc::process_vm_writev,
    };
    let (near, far) = (local.as_ptr().cast(), remote.as_ptr().cast());
    let (near_count, far_count) = (local.len() as libc::c_ulong, remote.len() as libc::c_ulong);
    // SAFETY: the pieces are laid out as iovecs; the local ones are the caller's promise, remote addresses are checked by
    // the kernel.
    unsafe { call(pid, near, near_count, far, far_count, 0) }
}

#[cold]
fn refused(pid: i32, way: Way) -> Result<()> {
    let verb = if way == Way::FromPeer {
        "process_vm_readv from"
    } else {
        "process_vm_writev to"
    };
    match nix::Error::last() {
        nix::Error::EPERM => Err(failed!(
            Refused,
            "the kernel refused {verb} process {pid}: see kernel.yama.ptrace_scope (0 or 1 is needed), seccomp \
             (containers: CAP_SYS_PTRACE) and user namespaces"
        )),
        nix::Error::ESRCH => Err(failed!(Ended, "{verb} process {pid}: it has ended")),
        nix::Error::ENOSYS => Err(failed!(
            Refused,
            "{verb} process {pid}: this kernel or its seccomp filter has no cross-process copies"
        )),
        nix::Error::EFAULT => Err(failed!(
            Refused,
            "{verb} process {pid}: not all of that memory is there, or it may not be accessed so"
        )),
        e => Err(failed!(Refused, "{verb} process {pid}: {e}")),
    }
}

/// Whether there is memory of this process at `address`, as far as the kernel tells. It may be such as nobody can access yet: reserved, or of a file that
/// is to grow.
pub fn is_mapped(address: *const c_void) -> bool {
    let page = address.map_addr(|at| at & !(PAGE - 1)).cast_mut();
    let mut in_memory = 0;
    // SAFETY: of one page the kernel writes one byte, by which it tells nothing that is asked here.
    let is_there = unsafe { libc::mincore(page, PAGE, &raw mut in_memory) } == 0;
    is_there || nix::Error::last() != nix::Error::ENOMEM
}

/// Whether memory of process `pid` can be read: asks for the byte at `address`, which need not be there yet.
pub fn probe(pid: i32, address: usize) -> Result<()> {
    match read_byte(pid, address) || nix::Error::last() == nix::Error::EFAULT {
        true => Ok(()),
        false => refused(pid, Way::FromPeer),
    }
}

/// Whether the kernel lets the byte at `address` of process `pid` be read; else `errno` says why not.
fn read_byte(pid: i32, address: usize) -> bool {
    read(pid, address, &mut [0])
}

/// Reads what process `pid`, which may be this one, has at `address`, in one call that counts as no copy: whether all of it is there.
pub fn read(pid: i32, address: usize, into: &mut [u8]) -> bool {
    let near = [Piece::new(into.as_mut_ptr().cast(), into.len())];
    // SAFETY: the local piece is `into`.
    let done = unsafe { call(pid, Way::FromPeer, &near, &[Piece::at(address, into.len())]) };
    done == into.len() as isize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_pieces_of_different_shapes() {
        let source: Vec<u8> = (0..100_000_u32).map(|i| (i * 7) as u8).collect();
        let mut target = vec![0_u8; source.len()];
        let cut = |base: *const u8, step: usize| -> Vec<Piece> {
            (0..source.len())
                .step_by(step)
                .map(|i| Piece::new(base.wrapping_add(i).cast(), step.min(source.len() - i)))
                .collect()
        };
        let (mut local, mut remote) = (cut(target.as_mut_ptr(), 13), cut(source.as_ptr(), 29));
        let (mut local, mut remote) = (Pieces::new(&mut local), Pieces::new(&mut remote));
        let me = std::process::id() as i32;
        // SAFETY: the local pieces cover `target`, which nobody else uses.
        unsafe { copy(me, Way::FromPeer, &mut local, &mut remote) }.unwrap();
        assert_eq!(source, target);
    }

    #[test]
    fn memory_need_not_be_there_where_it_may_be_read() {
        let me = std::process::id() as i32;
        assert!(probe(me, 8).is_ok() && probe(i32::MAX, 8).is_err());
        assert!(probe(me, (&raw const me) as usize).is_ok());
    }
}
