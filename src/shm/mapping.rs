//! Mapping memory by bare system calls. Other libraries put functions of their own in the place of libc's, to watch what is
//! mapped: UCX's, which MPICH and Open MPI bring along, hand on four of the five arguments of `mremap`. And what is mapped here
//! over the program's memory is the same to the program.

use super::{HUGE, PAGE};
use std::ffi::c_void;
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::with_exposed_provenance_mut;

/// New private memory of zeros, wherever the kernel likes, if there is some. `access`: 0, or PROT_READ and PROT_WRITE.
pub fn map_private(len: usize, access: i32) -> Option<*mut c_void> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, of which nobody knows.
    unsafe { map(0, len, access, flags, None, 0) }
}

/// The same with the right to read and write, for what will be moved to `range`: huge pages can then move along.
pub fn map_private_like(range: &Range<usize>) -> Option<*mut c_void> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let len = range.len();
    if len < HUGE {
        return map_private(len, access);
    }
    let room = map_private(len + HUGE, access)?;
    let before = range.start.wrapping_sub(room as usize) % HUGE;
    // SAFETY: the ends of what was just made.
    unsafe {
        unmap(room, before);
        unmap(room.wrapping_byte_add(before + len), HUGE - before);
    }
    Some(room.wrapping_byte_add(before))
}

/// Makes new private memory of zeros in the place of `range`: whether the kernel did. It is as what malloc has, so that it
/// becomes one mapping with such beside it.
///
/// # Safety
/// What lies there may go.
pub unsafe fn renew(range: &Range<usize>) -> bool {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the caller's promise.
    unsafe { map(range.start, range.len(), access, flags, None, 0) }.is_some()
}

/// Makes huge pages where there are small ones or none, of `len` bytes, both multiples of 2 MiB: whether the kernel did. What
/// was not there is zero.
///
/// # Safety
/// It is mapped, readable and writable.
pub unsafe fn make_huge(at: *mut c_void, len: usize) -> bool {
    for skipped in (0..len).step_by(HUGE) {
        // The kernel looks at what has page tables only.
        let page = at.wrapping_byte_add(skipped);
        // SAFETY: the caller's promise; a write that changes nothing.
        unsafe { std::arch::asm!("lock or byte ptr [{}], 0", in(reg) page) };
    }
    // linux/mman.h, since Linux 6.1.
    const COLLAPSE: i64 = 25;
    // SAFETY: the pages change, and not what is in them.
    unsafe { libc::syscall(libc::SYS_madvise, at, len, COLLAPSE) == 0 }
}

/// Makes pages be there as a store to each would: whether the kernel did, which it does not where a store would end the process
/// (since Linux 5.14, before never).
pub fn make_written(pages: &Range<usize>) -> bool {
    // linux/mman.h.
    const POPULATE_WRITE: i64 = 23;
    let (at, len) = (pages.start, pages.len());
    // SAFETY: what is in the pages does not change.
    unsafe { libc::syscall(libc::SYS_madvise, at, len, POPULATE_WRITE) == 0 }
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

/// Makes the page at `at` a mapping of its own in the one that it lies in: `mremap` makes no range longer that lies in two, so that what is
/// behind a mapping of the segment there does not come to lie behind it here. Nothing else changes, whatever is there.
pub fn divide(at: usize) {
    // SAFETY: advice, which changes no memory.
    unsafe { libc::syscall(libc::SYS_madvise, at, PAGE, libc::MADV_RANDOM) };
}

/// # Safety
/// Nobody uses what is there any more.
pub unsafe fn unmap(at: *mut c_void, len: usize) {
    if len > 0 {
        // SAFETY: the caller's promise.
        unsafe { libc::syscall(libc::SYS_munmap, at, len) };
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Memory of this process, whole pages, until it is dropped.
    pub struct Pages(pub Range<usize>);

    impl Pages {
        pub fn new(len: usize) -> Pages {
            let (access, flags) = (
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            );
            // SAFETY: a new mapping wherever the kernel likes.
            let at = unsafe { libc::mmap(std::ptr::null_mut(), len, access, flags, -1, 0) };
            assert_ne!(at, libc::MAP_FAILED);
            Pages(at as usize..at as usize + len)
        }

        pub fn bytes(&mut self) -> &mut [u8] {
            // SAFETY: the mapping is there, and only one thread of the test looks at it.
            unsafe { std::slice::from_raw_parts_mut(self.0.start as *mut u8, self.0.len()) }
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: the mapping of `new`.
            unsafe { libc::munmap(self.0.start as *mut _, self.0.len()) };
        }
    }
}
