//! The job segment: one memfd, sparse and far larger than it will be used, of which every process maps the beginning.
//!
//! It begins with a [`Header`]. What lies behind that up to [`Header::heap_break`] is laid out by its creator; the rest is
//! leased to the processes' heaps. All that lies in it refers to other parts by [`Offset`]s, so to make a window, a
//! communicator or an allocation takes no name and no descriptor.
//!
//! **The file** is 16 TiB long, or half of that, and so on, where the kernel or `RLIMIT_FSIZE` allows no more; below 64 MiB the
//! job does not start. A memfd has no name in the file system and is not bounded by the size of /dev/shm. It is gone with the
//! last process that has it; the name that it has in lists of descriptors may say by which its job is to be found. It cannot be executed. Its length is sealed, because a shorter one would be SIGBUS for all.
//!
//! **The header** carries a number made of the sources of all rooms that lay something out here, and of the compiler. Launcher
//! and ranks of different sources refuse each other by it; those of different interfaces have the same.
//!
//! **The mapping** covers what the job has leased, in units of 2 MiB. So what limits, locks or shadows address space
//! (`RLIMIT_AS`, `mlockall`, ThreadSanitizer) sees what the job uses: some MiB after MPI_Init. It begins at `HOME` where that
//! is free (which `memmap2` cannot ask for, so it is made by `nix`), so that pointers are usually valid everywhere; nothing in
//! the library depends on that. Else it begins in the middle of the largest free range, where the program's next mappings are
//! not in the way soon. It grows at its end, in place, so that pointers stay what they are:
//!
//! - [`Segment::lease`] maps what it leases, before it takes it: what cannot be mapped is not lost to the others.
//! - [`Segment::reach`] makes sure that an offset told by another process is mapped: one compare, and rarely a system call. It
//!   stands where offsets come in: a meeting or a board is opened, an announced message is looked at, a window is made.
//!   [`Segment::at`] asks nothing, and so nothing is asked in puts, gets, locks, rings.
//! - What cannot be mapped is `MPI_ERR_NO_MEM`. Where several processes must map the same, each tells how much it has mapped,
//!   and only if one has to map more is there a second exchange. What has nobody to give an error to (the word of an announced
//!   message, an inbox) ends the job with a sentence.
//! - The kernel lets a mapping grow (`mremap`), and takes pages back (`MADV_REMOVE`), without the descriptor. So a program that
//!   closes all descriptors disturbs nothing. (Under valgrind, which lets no mapping grow, more is mapped with the descriptor,
//!   behind what is there.) What grows has the protection, the locks and the advice of where it grows from:
//!   that is a page behind all that is used, which belongs to nobody.

use super::atomic::{AtomicU64, Ordering};
use super::descriptor::Descriptor;
use super::maker::{self, Maker};
use super::reader::Plain;
use super::{HUGE, Offset, PAGE, mapping};
use crate::shm::error::{Result, failed};
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::resource::{Resource, getrlimit};
use parking_lot::Mutex;
use std::ffi::{CStr, c_void};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

/// Tells the sources of everything that launcher and ranks share (the build script makes it): where they differ, what one
/// process writes another would read as something else.
const MAGIC: u64 = match u64::from_str_radix(env!("RMASHM_SHARED_SOURCES"), 16) {
    Ok(digest) => digest,
    Err(_) => panic!("the build script gives 16 hexadecimal digits"),
};
/// How long the segment is when nothing limits it.
const WANTED: usize = 16 << 40;
/// With less than this a job is not worth starting.
const LEAST: usize = 64 << 20;
/// Where the segment is mapped when that place is free, so that pointers into it are valid in every process.
const HOME: usize = 0x2000_0000_0000;
/// Behind what is used of a mapping lies this much more of it, from which it grows: what grows has the protection, the
/// locks and the advice of where it grows from, and that must not be memory of the program.
const TAIL: usize = PAGE;

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

const _: () = assert!(size_of::<Header>() <= maker::AT);

// SAFETY: atomics only.
unsafe impl Plain for Header {}

/// Whether a segment of `len` bytes with this header was made by sources like these.
pub(super) fn is_ours(header: &Header, len: u64) -> bool {
    is_alike(header) && header.len.load(Ordering::Relaxed) == len
}

/// The same of what may be the beginning of one, of whatever length.
pub(super) fn is_alike(header: &Header) -> bool {
    header.magic.load(Ordering::Acquire) == MAGIC
}

/// A mapping of the job segment.
pub struct Segment {
    base: *mut u8,
    /// The length of the file.
    len: usize,
    /// How much of it can be used here: mapped, without the [`TAIL`]. Grows.
    mapped: AtomicUsize,
    /// Held while the mapping grows.
    growing: Mutex<()>,
    pub(super) descriptor: Option<Descriptor>,
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
    /// Makes a job segment and maps its beginning. The first `front` bytes behind the header page are the creator's to lay out.
    pub fn create(front: usize) -> Result<Segment> {
        Segment::create_as(c"rmashm", front)
    }

    /// The same, and the file is called `name`: `rmashm`, and what may follow of [`holders`](super::holders).
    pub fn create_as(name: &CStr, front: usize) -> Result<Segment> {
        let fd = memory_file(name).map_err(|e| {
            failed!(
                NoMemory,
                "the kernel refused a memfd for the job segment: {e}"
            )
        })?;
        let begin = (PAGE + front).next_multiple_of(HUGE);
        let mut len = WANTED;
        if let Ok((soft, _)) = getrlimit(Resource::RLIMIT_FSIZE) {
            len = len.min(usize::try_from(soft).unwrap_or(WANTED)) & !(HUGE - 1);
        }
        while len >= LEAST.max(2 * begin) && nix::unistd::ftruncate(&fd, len as i64).is_err() {
            len = (len / 2) & !(HUGE - 1);
        }
        if len < LEAST.max(2 * begin) {
            return Err(failed!(
                NoMemory,
                "the job segment would be shorter than {LEAST} bytes: see `ulimit -f`"
            ));
        }
        // Without sealing, on a file system or kernel that has none, all is as before.
        let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
        let _ = fcntl(&fd, FcntlArg::F_ADD_SEALS(seals));
        let segment = Segment::map(fd.as_fd(), len, begin)?;
        if segment.fd().is_none() {
            return Err(failed!(
                NoMemory,
                "no descriptor for the job segment to pass on: see `ulimit -n`"
            ));
        }
        // SAFETY: the place is the maker's, and nobody else has the segment yet.
        unsafe { Maker::write(segment.at(maker::AT)) };
        let header = segment.header();
        header.len.store(len as u64, Ordering::Relaxed);
        header.heap_break.store(begin as u64, Ordering::Relaxed);
        header.magic.store(MAGIC, Ordering::Release);
        Ok(segment)
    }

    /// Maps the job segment behind `fd`, made by another process.
    pub fn attach(fd: BorrowedFd<'_>) -> Result<Segment> {
        let status = nix::sys::stat::fstat(fd)
            .map_err(|e| failed!(Refused, "the job segment is not open: {e}"))?;
        let len = status.st_size as usize;
        if len < LEAST {
            return Err(failed!(
                Refused,
                "the descriptor given for the job segment is something else ({len} bytes)"
            ));
        }
        let segment = Segment::map(fd, len, HUGE)?;
        let header = segment.header();
        if !is_ours(header, len as u64) {
            // SAFETY: the place is the maker's in all builds, and any bytes are valid.
            let maker = unsafe { &*segment.at::<Maker>(maker::AT) };
            return Err(failed!(Refused, "{}", maker.refuse()));
        }
        segment.reach_leased()?;
        Ok(segment)
    }

    /// Maps the first `first` bytes.
    fn map(fd: BorrowedFd<'_>, len: usize, first: usize) -> Result<Segment> {
        let base = place(fd, len, first + TAIL).map_err(|e| {
            failed!(NoMemory,
                "{first} bytes of the job segment cannot be mapped ({e}): see `ulimit -v` and `ulimit -l`"
            )
        })?;
        Ok(Segment {
            base,
            len,
            mapped: AtomicUsize::new(first),
            growing: Mutex::new(()),
            descriptor: Descriptor::keep(fd),
        })
    }

    /// Makes this mapping the process's own one, for good.
    pub fn install(self) -> &'static Segment {
        SEGMENT.get_or_init(|| self)
    }

    /// Leaves the mapping out of children of this process (which get the descriptor, and map it themselves), so that
    /// starting them copies no page tables.
    pub fn keep_from_children(&self) {
        // SAFETY: the range is this mapping.
        unsafe { libc::madvise(self.base.cast(), self.mapped() + TAIL, libc::MADV_DONTFORK) };
    }

    /// Core dumps of this process have the first `len` bytes of the segment, which are mapped here; and, as the unit of large
    /// pages stays whole, what lies behind them in the last of it.
    pub fn keep_in_dumps(&self, len: usize) {
        let len = len.next_multiple_of(HUGE).min(self.mapped());
        // SAFETY: the range is this mapping's.
        unsafe { libc::madvise(self.base.cast(), len, libc::MADV_DODUMP) };
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

    /// How much of the segment this process has mapped.
    #[inline(always)]
    pub fn mapped(&self) -> usize {
        // Relaxed: the kernel has mapped what a thread that sees the number can then touch.
        self.mapped.load(Ordering::Relaxed)
    }

    /// The descriptor, if the program has left it alone.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.descriptor.as_ref()?.get()
    }

    /// Whether the segment lies where every process wants it: pointers into it are then the same in all of them.
    pub fn at_home(&self) -> bool {
        self.base as usize == HOME
    }

    /// The address of `offset` in this process, which has [reached](Segment::reach) it.
    #[inline(always)]
    pub fn at<T>(&self, offset: Offset) -> *mut T {
        debug_assert!(offset + size_of::<T>() <= self.mapped());
        self.base.wrapping_add(offset).cast()
    }

    /// Makes sure that `len` bytes at `offset`, of which another process told, are mapped here. Error: `MPI_ERR_NO_MEM`.
    #[inline(always)]
    pub fn reach(&self, offset: Offset, len: usize) -> Result<()> {
        match offset.saturating_add(len) {
            end if end <= self.mapped() => Ok(()),
            end => self.grow(end),
        }
    }

    /// The end of what was leased so far.
    pub fn leased(&self) -> usize {
        self.header().heap_break.load(Ordering::Relaxed) as usize
    }

    /// Reaches all that was leased so far.
    pub fn reach_leased(&self) -> Result<()> {
        self.reach(0, self.leased())
    }

    /// Maps more: up to `end`, and if possible all that was leased so far.
    #[cold]
    fn grow(&self, end: Offset) -> Result<()> {
        let _one = self.growing.lock();
        let mapped = self.mapped();
        if end <= mapped {
            return Ok(());
        }
        if end > self.len {
            return Err(failed!(
                NoMemory,
                "{end} bytes are more than the {} of the job segment",
                self.len
            ));
        }
        let leased = self.leased();
        let least = end.next_multiple_of(HUGE);
        let mut refused = nix::Error::ENOMEM;
        for to in [least.max(leased).min(self.len), least] {
            match self.extend(mapped, to) {
                Ok(()) => {
                    self.mapped.store(to, Ordering::Relaxed);
                    return Ok(());
                }
                Err(error) => refused = error,
            }
        }
        Err(failed!(
            NoMemory,
            "{} bytes more of the job segment, which has {mapped} bytes here, cannot be mapped ({refused}): see `ulimit -v` \
             and `ulimit -l`",
            least - mapped
        ))
    }

    /// Maps what lies between `mapped` and `to`, and the tail behind it.
    fn extend(&self, mapped: usize, to: usize) -> nix::Result<()> {
        let tail = self.base.wrapping_add(mapped);
        // SAFETY: the last page of the mapping, which nobody uses, is made longer where it is, or nothing happens. It is
        // shared with the file, so that what comes in is what lies behind it there.
        let grown = unsafe { libc::mremap(tail.cast(), TAIL, to - mapped + TAIL, 0) };
        if grown != libc::MAP_FAILED {
            return Ok(());
        }
        let refused = nix::Error::last();
        // valgrind lets no mapping grow where it is, but makes another one behind it.
        let fd = self.fd().ok_or(refused)?;
        let behind = tail as usize + TAIL;
        map_at(behind, fd, mapped + TAIL, to - mapped)
            .map(drop)
            .map_err(|_| refused)
    }

    /// Maps `len` bytes at `offset`, whole pages that are mapped here, at `address` besides, over what is there: whether the
    /// kernel did. Needs no descriptor.
    ///
    /// # Safety
    /// What lies at `address` may go.
    pub unsafe fn map_again(&self, offset: Offset, len: usize, address: usize) -> bool {
        let to = std::ptr::with_exposed_provenance_mut::<c_void>(address);
        // SAFETY: the caller's promise; the mapping of the segment stays.
        unsafe {
            let mapped = mapping::move_over(self.at(offset), 0, len, address);
            if mapped {
                // It is the program's own memory there.
                libc::syscall(libc::SYS_madvise, to, len, i64::from(libc::MADV_DODUMP));
            }
            mapped
        }
    }

    /// The offset of `len` bytes at `address`, if they lie in the segment.
    pub fn offset_of(&self, address: *const c_void, len: usize) -> Option<Offset> {
        let offset = (address as usize).checked_sub(self.base as usize)?;
        (offset.checked_add(len)? <= self.mapped()).then_some(offset)
    }

    /// Leases `len` bytes (a multiple of [`HUGE`]) of the segment to this process, for good, and maps them.
    pub fn lease(&self, len: usize) -> Result<Offset> {
        debug_assert!(len.is_multiple_of(HUGE));
        let cell = &self.header().heap_break;
        let mut at = cell.load(Ordering::Relaxed);
        loop {
            let end = at.checked_add(len as u64);
            let Some(end) = end.filter(|&end| end <= self.len as u64) else {
                return Err(failed!(
                    NoMemory,
                    "{len} bytes do not fit into the job segment: {} of its {} bytes are left",
                    self.len as u64 - at,
                    self.len
                ));
            };
            // First, so that what cannot be mapped is not lost to all.
            self.reach(at as usize, len)?;
            match cell.compare_exchange_weak(at, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Ok(at as usize),
                Err(now) => at = now,
            }
        }
    }
}

/// A memfd that cannot be executed, and whose length can be sealed, as far as the kernel knows that.
fn memory_file(name: &CStr) -> nix::Result<OwnedFd> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    memfd_create(name, flags | libc::MFD_NOEXEC_SEAL).or_else(|_| {
        // Linux before 6.3.
        let fd = memfd_create(name, flags)?;
        nix::sys::stat::fchmod(&fd, nix::sys::stat::Mode::from_bits_truncate(0o600))?;
        Ok(fd)
    })
}

/// A new file in memory. The kernel is called by number: glibc has a function for it from 2.27 on, and the library is to load with
/// older ones.
fn memfd_create(name: &CStr, flags: u32) -> nix::Result<OwnedFd> {
    // SAFETY: the kernel reads the name, which ends with a zero.
    let fd = unsafe { libc::syscall(libc::SYS_memfd_create, name.as_ptr(), flags) };
    let fd = nix::errno::Errno::result(fd)? as RawFd;
    // SAFETY: the descriptor is new, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Maps the first `first` bytes of the segment, of `len` bytes, where there is room for much more behind them.
fn place(fd: BorrowedFd<'_>, len: usize, first: usize) -> nix::Result<*mut u8> {
    map_at(HOME, fd, 0, first).or_else(|mut error| {
        let mut room = len;
        while room >= 2 * first.next_multiple_of(HUGE) {
            match middle_of_free(room).and_then(|base| map_at(base, fd, 0, first)) {
                Err(e) => error = e,
                base => return base,
            }
            room /= 2;
        }
        Err(error)
    })
}

/// Maps the `len` bytes from `from` on at `address`, if they fit there.
fn map_at(address: usize, fd: BorrowedFd<'_>, from: usize, len: usize) -> nix::Result<*mut u8> {
    use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
    use std::num::NonZeroUsize;
    let size = NonZeroUsize::new(len).ok_or(nix::Error::EINVAL)?;
    let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    let flags = MapFlags::MAP_SHARED | MapFlags::MAP_NORESERVE;
    // A wish and no more: a sanitizer that wants its own at the address takes an order for an error of the program.
    // SAFETY: a new mapping where nothing is mapped touches no memory of the program.
    let base = unsafe {
        mmap(
            NonZeroUsize::new(address),
            size,
            access,
            flags,
            fd,
            from as i64,
        )
    }?;
    if base.as_ptr() as usize == address {
        // The cores of all ranks would each hold the windows of all. (What they do hold: `keep_in_dumps`.)
        // SAFETY: the range is the mapping just made.
        unsafe { libc::madvise(base.as_ptr(), len, libc::MADV_DONTDUMP) };
        return Ok(base.as_ptr().cast());
    }
    // SAFETY: the mapping just made.
    unsafe { munmap(base, len) }?;
    Err(nix::Error::EEXIST)
}

/// The middle of a range of `room` free bytes, aligned for huge pages: whether the kernel gives the program its next mappings
/// from above or from below, they are not soon in the way of what grows from there.
fn middle_of_free(room: usize) -> nix::Result<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // By the bare system call: what watches the program's mappings need not know of a range that is gone at once.
    // SAFETY: a new mapping wherever the kernel likes, of which nobody knows, and its end.
    let found = unsafe {
        let found = libc::syscall(libc::SYS_mmap, 0_usize, room, libc::PROT_NONE, flags, -1, 0);
        if found != -1 {
            libc::syscall(libc::SYS_munmap, found, room);
        }
        found
    };
    match found {
        -1 => Err(nix::Error::last()),
        found => Ok((found as usize + room / 2).next_multiple_of(HUGE)),
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own, and whoever drops it holds no reference into it. The process's own
        // mapping (`install`) is never dropped.
        unsafe { libc::munmap(self.base.cast(), self.mapped() + TAIL) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_mappings_see_the_same_bytes_and_lease_apart() {
        let one = Segment::create(PAGE).unwrap();
        let two = Segment::attach(one.fd().unwrap()).unwrap();
        assert_ne!(one.base(), two.base());
        let a = one.lease(HUGE).unwrap();
        let b = two.lease(2 * HUGE).unwrap();
        assert_eq!(b, a + HUGE);
        assert!(
            one.mapped() < b + HUGE,
            "one has not heard of the second lease"
        );
        one.reach(b, 2 * HUGE).unwrap();
        two.reach(a, HUGE).unwrap();
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
        assert!(one.punch(a, HUGE));
        // SAFETY: as above.
        let there = unsafe { two.at::<AtomicU64>(a).as_ref() }.unwrap();
        assert_eq!(there.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_lease_beyond_the_end_is_refused() {
        let one = Segment::create(0).unwrap();
        assert!(one.lease(one.len()).is_err());
        assert!(one.lease(usize::MAX & !(HUGE - 1)).is_err());
        assert!(one.lease(HUGE).is_ok());
    }

    #[test]
    fn it_grows_where_it_is_wherever_that_is() {
        // The second cannot be where the first is.
        let (one, two) = (
            Segment::create(PAGE).unwrap(),
            Segment::create(PAGE).unwrap(),
        );
        for segment in [one, two] {
            assert!((segment.base() as usize).is_multiple_of(HUGE));
            let base = segment.base();
            assert!(segment.mapped() <= 2 * HUGE);
            for len in [HUGE, 5 * HUGE, 1 << 30, HUGE] {
                let at = segment.lease(len).unwrap();
                // The advice of what lies before does not spread.
                segment.prefer_huge(at, len);
                assert_eq!(segment.mapped(), at + len);
                // SAFETY: the last word of the range just leased, aligned, in a live mapping.
                let last = unsafe { segment.at::<AtomicU64>(at + len - 8).as_ref() };
                assert_eq!(last.unwrap().swap(42, Ordering::Relaxed), 0);
            }
            assert_eq!(segment.base(), base);
            assert!(segment.reach(segment.len(), HUGE).is_err());
            assert!(segment.reach(usize::MAX, 1).is_err());
        }
    }

    #[test]
    fn nobody_cuts_it_off_or_executes_it() {
        let one = Segment::create(PAGE).unwrap();
        let fd = one.fd().unwrap();
        for len in [0, HUGE, 2 * WANTED] {
            let cut = nix::unistd::ftruncate(fd, len as i64);
            assert_eq!(cut, Err(nix::Error::EPERM), "{len}");
        }
        assert_eq!(
            fcntl(fd, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_WRITE)),
            Err(nix::Error::EPERM)
        );
        assert_eq!(nix::sys::stat::fstat(fd).unwrap().st_mode & 0o111, 0);
    }

    #[test]
    fn a_segment_of_another_build_names_both() {
        let one = Segment::create(PAGE).unwrap();
        one.header().magic.store(!MAGIC, Ordering::Relaxed);
        let refused = Segment::attach(one.fd().unwrap())
            .err()
            .expect("it does not fit");
        let said = refused.text;
        assert!(said.contains("of different builds"), "{said}");
        assert_eq!(
            said.matches(crate::version::text().as_str()).count(),
            2,
            "{said}"
        );
    }

    #[test]
    fn another_file_is_refused() {
        let file = memfd_create(c"other", libc::MFD_CLOEXEC).unwrap();
        assert!(Segment::attach(file.as_fd()).is_err());
        nix::unistd::ftruncate(&file, LEAST as i64).unwrap();
        assert!(Segment::attach(file.as_fd()).is_err());
    }
}
