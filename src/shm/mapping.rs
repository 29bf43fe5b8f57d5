//! Mapping memory by bare system calls. Other libraries put functions of their own in the place of libc's, to watch what is
//! mapped: UCX's, which MPICH and Open MPI bring along, hand on four of the five arguments of `mremap`. And what is mapped here
//! over the program's memory is the same to the program.

use std::ffi::c_void;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::with_exposed_provenance_mut;

/// New private memory of zeros, wherever the kernel likes, if there is some. `access`: 0, or PROT_READ and PROT_WRITE.
pub fn map_private(len: usize, access: i32) -> Option<*mut c_void> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, of which nobody knows.
    unsafe { map(0, len, access, flags, None, 0) }
}

/// Maps over what is at `address`: whether the kernel did. A file's private pages from `offset` on, else nothing that may be
/// read.
///
/// # Safety
/// What lies there may go.
pub unsafe fn map_over(address: usize, len: usize, file: Option<(BorrowedFd<'_>, usize)>) -> bool {
    let (access, flags) = match file {
        Some(_) => (libc::PROT_READ | libc::PROT_WRITE, 0),
        None => (libc::PROT_NONE, libc::MAP_ANONYMOUS),
    };
    let (fd, offset) = file.map_or((None, 0), |(fd, offset)| (Some(fd), offset));
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_FIXED;
    // SAFETY: the caller's promise.
    unsafe { map(address, len, access, flags, fd, offset) }.is_some()
}

unsafe fn map(
    address: usize,
    len: usize,
    access: i32,
    flags: i32,
    fd: Option<BorrowedFd<'_>>,
    offset: usize,
) -> Option<*mut c_void> {
    let fd = fd.map_or(-1, |fd| fd.as_raw_fd());
    // The kernel looks at whole words.
    let (access, flags, fd) = (i64::from(access), i64::from(flags), i64::from(fd));
    // SAFETY: the caller's promise.
    let mapped = unsafe { libc::syscall(libc::SYS_mmap, address, len, access, flags, fd, offset) };
    (mapped != -1).then(|| with_exposed_provenance_mut(mapped as usize))
}

/// Moves `len` bytes, whole pages, to the place of what is at `to`; of a shared mapping, with a length of 0, makes a second one
/// there, of `new_len` bytes. Whether the kernel did.
///
/// # Safety
/// What lies at `to` may go.
pub unsafe fn move_over(from: *mut c_void, len: usize, new_len: usize, to: usize) -> bool {
    let how = i64::from(libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED);
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(libc::SYS_mremap, from, len, new_len, how, to) == to as i64 }
}

/// # Safety
/// Nobody uses what is there any more.
pub unsafe fn unmap(at: *mut c_void, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(libc::SYS_munmap, at, len) };
}
