//! The job segment: one memfd, sparse and far larger than it will be used, mapped whole by every process.
//!
//! It begins with a [`Header`]; what lies behind that up to [`Header::heap_break`] is laid out by its creator, the rest
//! is leased to the processes' heaps. A memfd has no name in the file system and is not bounded by the size of
//! /dev/shm; it is gone with the last process that has it.

use super::atomic::{AtomicU64, Ordering};
use super::{HUGE, Offset, PAGE};
use crate::error::Result;
use crate::{bail, err};
use nix::fcntl::{FallocateFlags, fallocate};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::resource::{Resource, getrlimit};
use nix::unistd::Whence;
use std::ffi::c_void;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

/// Tells the sources of everything that launcher and ranks share (the build script makes it): where they differ, what one
/// process writes another would read as something else.
const MAGIC: u64 = match u64::from_str_radix(env!("RMASHM_SHARED_SOURCES"), 16) {
    Ok(digest) => digest,
    Err(_) => panic!("the build script gives 16 hexadecimal digits"),
};
/// How much address range a job gets when nothing limits it.
const WANTED: usize = 16 << 40;
/// With less than this a job is not worth starting.
const LEAST: usize = 64 << 20;
/// Where the segment is mapped when that range is free, so that pointers into it are valid in every process.
const HOME: usize = 0x2000_0000_0000;

/// The first page of the segment.
#[repr(C)]
pub struct Header {
    magic: AtomicU64,
    len: AtomicU64,
    /// The first byte that no heap has leased yet.
    heap_break: AtomicU64,
    /// Bytes promised to users of all heaps and not freed yet.
    pub promised: AtomicU64,
    /// What [`super::memory`] last found out about what the machine can give.
    pub looked: AtomicU64,
}

const _: () = assert!(size_of::<Header>() <= PAGE);

/// A mapping of the job segment.
pub struct Segment {
    base: *mut u8,
    len: usize,
    fd: OwnedFd,
}

// SAFETY: the mapping lives until the process ends; what lies in it is shared by design and accessed through atomics or
// under the protocols of its owners.
unsafe impl Send for Segment {}
// SAFETY: as above.
unsafe impl Sync for Segment {}

static SEGMENT: OnceLock<Segment> = OnceLock::new();

/// This process's mapping of its job's segment.
///
/// # Panics
/// If the process has not become part of a job yet.
#[inline(always)]
pub fn segment() -> &'static Segment {
    SEGMENT.get().expect("the process is part of a job")
}

/// This process's mapping, if it is part of a job.
pub fn try_segment() -> Option<&'static Segment> {
    SEGMENT.get()
}

impl Segment {
    /// Makes a job segment and maps it. The first `front` bytes behind the header page are the creator's to lay out.
    pub fn create(front: usize) -> Result<Segment> {
        let fd = memfd_create(c"rmashm", MFdFlags::MFD_CLOEXEC)
            .map_err(|e| err!(NoMem, "the kernel refused a memfd for the job segment: {e}"))?;
        let mut len = WANTED;
        for limit in [Resource::RLIMIT_AS, Resource::RLIMIT_FSIZE] {
            if let Ok((soft, _)) = getrlimit(limit) {
                len = len.min(usize::try_from(soft / 2).unwrap_or(WANTED));
            }
        }
        len &= !(HUGE - 1);
        loop {
            if len < LEAST.max(2 * front) {
                bail!(
                    NoMem,
                    "no address range of {LEAST} bytes for the job segment: see `ulimit -v` and `ulimit -f`"
                );
            }
            let sized = nix::unistd::ftruncate(&fd, len as i64);
            if let Ok(base) = sized.and_then(|()| map(&fd, len)) {
                let segment = Segment { base, len, fd };
                let header = segment.header();
                let begin = (PAGE + front + HUGE - 1) & !(HUGE - 1);
                header.len.store(len as u64, Ordering::Relaxed);
                header.heap_break.store(begin as u64, Ordering::Relaxed);
                header.magic.store(MAGIC, Ordering::Release);
                return Ok(segment);
            }
            len = (len / 2) & !(HUGE - 1);
        }
    }

    /// Maps the job segment behind `fd`, made by another process.
    pub fn attach(fd: OwnedFd) -> Result<Segment> {
        let status = nix::sys::stat::fstat(&fd)
            .map_err(|e| err!(Other, "the job segment is not open: {e}"))?;
        let len = status.st_size as usize;
        if len < LEAST {
            bail!(
                Other,
                "the descriptor given for the job segment is something else ({len} bytes)"
            );
        }
        let base = map(&fd, len).map_err(|e| {
            err!(
                NoMem,
                "no address range for the job segment of {len} bytes ({e}): see `ulimit -v`"
            )
        })?;
        let segment = Segment { base, len, fd };
        let header = segment.header();
        if header.magic.load(Ordering::Acquire) != MAGIC
            || header.len.load(Ordering::Relaxed) != len as u64
        {
            bail!(
                Other,
                "the job segment was made by another version of rmashm: use the mpiexec that belongs to it"
            );
        }
        Ok(segment)
    }

    /// Makes this mapping the process's own one, for good.
    pub fn install(self) -> &'static Segment {
        SEGMENT.get_or_init(|| self)
    }

    /// Leaves the mapping out of children of this process (which get the descriptor, and map it themselves), so that
    /// starting them copies no page tables.
    pub fn keep_from_children(&self) {
        // SAFETY: the range is this mapping.
        unsafe { libc::madvise(self.base.cast(), self.len, libc::MADV_DONTFORK) };
    }

    pub fn header(&self) -> &Header {
        // SAFETY: the mapping is at least a page, page-aligned, and the header is made of atomics: any bytes are valid.
        unsafe { &*self.base.cast::<Header>() }
    }

    #[inline(always)]
    pub fn base(&self) -> *mut u8 {
        self.base
    }

    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Whether the segment lies where every process wants it: pointers into it are then the same in all of them.
    pub fn at_home(&self) -> bool {
        self.base as usize == HOME
    }

    /// The address of `offset` in this process.
    #[inline(always)]
    pub fn at<T>(&self, offset: Offset) -> *mut T {
        debug_assert!(offset + size_of::<T>() <= self.len);
        self.base.wrapping_add(offset).cast()
    }

    /// The offset of `len` bytes at `address`, if they lie in the segment.
    pub fn offset_of(&self, address: *const c_void, len: usize) -> Option<Offset> {
        let offset = (address as usize).checked_sub(self.base as usize)?;
        (offset.checked_add(len)? <= self.len).then_some(offset)
    }

    /// Leases `len` bytes (a multiple of [`HUGE`]) of the segment to this process, for good.
    pub fn lease(&self, len: usize) -> Result<Offset> {
        debug_assert!(len.is_multiple_of(HUGE));
        let cell = &self.header().heap_break;
        let taken = cell.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |at| {
            at.checked_add(len as u64)
                .filter(|&end| end <= self.len as u64)
        });
        match taken {
            Ok(at) => Ok(at as usize),
            Err(at) => bail!(
                NoMem,
                "{len} bytes do not fit into the job segment: {} of its {} bytes of address range are left",
                self.len as u64 - at,
                self.len
            ),
        }
    }

    /// Asks for huge pages where `len` bytes at `offset` lie, in this process's mapping: a first touch then takes one of them.
    pub fn prefer_huge(&self, offset: Offset, len: usize) {
        // To the ends of huge pages, so that neighbours become one mapping and not three.
        let begin = offset & !(HUGE - 1);
        let end = (offset + len).next_multiple_of(HUGE).min(self.len);
        // A kernel that refuses gives small pages, as it does where it has no others.
        // SAFETY: the range lies in this mapping, and the advice changes nothing in it.
        unsafe { libc::madvise(self.at(begin), end - begin, libc::MADV_HUGEPAGE) };
    }

    /// Bytes of the segment that hold memory of the system.
    pub fn in_use(&self) -> u64 {
        // A file's blocks are of 512 bytes, whatever its file system's are.
        nix::sys::stat::fstat(&self.fd).map_or(0, |status| status.st_blocks as u64 * 512)
    }

    /// Gives the pages of a range back to the system. They read as zero afterwards.
    pub fn punch(&self, offset: Offset, len: usize) {
        // Where nothing was touched there is nothing to give back. To find that out takes a microsecond; a hole takes three
        // for each process of the job where it is 512 MiB long, for the kernel looks through all mappings.
        let first = nix::unistd::lseek(&self.fd, offset as i64, Whence::SeekData);
        if first == Err(nix::Error::ENXIO)
            || first.is_ok_and(|first| first as usize >= offset + len)
        {
            return;
        }
        let flags = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
        // A kernel that refuses leaves the pages in use, which costs memory but breaks nothing.
        let _ = fallocate(&self.fd, flags, offset as i64, len as i64);
    }
}

fn map(fd: &OwnedFd, len: usize) -> nix::Result<*mut u8> {
    use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap};
    use std::num::NonZeroUsize;
    let size = NonZeroUsize::new(len).ok_or(nix::Error::EINVAL)?;
    let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    let flags = MapFlags::MAP_SHARED | MapFlags::MAP_NORESERVE;
    // SAFETY: a new mapping at an address where nothing is mapped (NOREPLACE) touches no memory of the program.
    let home = unsafe {
        mmap(
            NonZeroUsize::new(HOME),
            size,
            access,
            flags | MapFlags::MAP_FIXED_NOREPLACE,
            fd,
            0,
        )
    };
    let base = match home {
        Ok(base) => base,
        // SAFETY: the kernel picks a free range.
        Err(_) => unsafe { mmap(None, size, access, flags, fd, 0) }?,
    };
    // A core dump of terabytes, most of them never touched, helps nobody.
    // SAFETY: the range is the mapping just made.
    let _ = unsafe { madvise(base, len, MmapAdvise::MADV_DONTDUMP) };
    Ok(base.as_ptr().cast())
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own, and whoever drops it holds no reference into it. The process's own
        // mapping (`install`) is never dropped.
        unsafe { libc::munmap(self.base.cast(), self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_mappings_see_the_same_bytes_and_lease_apart() {
        let one = Segment::create(PAGE).unwrap();
        let two = Segment::attach(one.fd().try_clone_to_owned().unwrap()).unwrap();
        assert_ne!(one.base(), two.base());
        let a = one.lease(HUGE).unwrap();
        let b = two.lease(2 * HUGE).unwrap();
        assert_eq!(b, a + HUGE);
        // SAFETY: both addresses lie in the range just leased, aligned, in live mappings of the same file.
        unsafe {
            one.at::<AtomicU64>(a)
                .as_ref()
                .unwrap()
                .store(42, Ordering::Relaxed);
            assert_eq!(
                two.at::<AtomicU64>(a)
                    .as_ref()
                    .unwrap()
                    .load(Ordering::Relaxed),
                42
            );
        }
        assert!(one.in_use() > 0);
        one.punch(a, HUGE);
        // SAFETY: as above.
        let there = unsafe { two.at::<AtomicU64>(a).as_ref() }.unwrap();
        assert_eq!(there.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_hole_takes_what_was_touched_wherever_it_lies() {
        let one = Segment::create(PAGE).unwrap();
        let range = one.lease(4 * HUGE).unwrap();
        let before = one.in_use();
        for at in [range, range + HUGE + PAGE, range + 4 * HUGE - PAGE] {
            // SAFETY: the address lies in the range just leased, aligned, in a live mapping.
            unsafe { one.at::<AtomicU64>(at).as_ref() }
                .unwrap()
                .store(42, Ordering::Relaxed);
            assert_eq!(one.in_use(), before + PAGE as u64);
            one.punch(range, HUGE);
            one.punch(range + HUGE, 3 * HUGE);
            assert_eq!(one.in_use(), before);
        }
    }

    #[test]
    fn huge_pages_are_asked_for_where_they_are_wanted_only() {
        let one = Segment::create(PAGE).unwrap();
        let range = one.lease(4 * HUGE).unwrap();
        one.prefer_huge(range + HUGE, HUGE + PAGE);
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let base = one.base() as usize;
        let of = |offset: usize| {
            let mut lines = maps.lines().skip_while(|line| {
                let range = line.split(' ').next().and_then(|ends| ends.split_once('-'));
                let parsed = range.and_then(|(begin, end)| {
                    let number = |text| usize::from_str_radix(text, 16).ok();
                    Some(number(begin)?..number(end)?)
                });
                parsed.is_none_or(|range| !range.contains(&(base + offset)))
            });
            let flags = lines.find_map(|line| line.strip_prefix("VmFlags:"));
            flags.unwrap().split(' ').any(|flag| flag == "hg")
        };
        let asked = [0, 1, 2, 3].map(|i| of(range + i * HUGE));
        assert_eq!(asked, [false, true, true, false]);
    }

    #[test]
    fn a_lease_beyond_the_end_is_refused() {
        let one = Segment::create(0).unwrap();
        assert!(one.lease(one.len()).is_err());
        assert!(one.lease(usize::MAX & !(HUGE - 1)).is_err());
        assert!(one.lease(HUGE).is_ok());
    }

    #[test]
    fn another_file_is_refused() {
        let file = memfd_create(c"other", MFdFlags::MFD_CLOEXEC).unwrap();
        assert!(Segment::attach(file.try_clone().unwrap()).is_err());
        nix::unistd::ftruncate(&file, LEAST as i64).unwrap();
        assert!(Segment::attach(file).is_err());
    }
}
