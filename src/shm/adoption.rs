//! Private memory of this process becomes shared memory, at the same addresses, and private again.
//!
//! To take it in, its pages are copied to a range of the segment, and that is mapped over them, in one step of the kernel:
//! `mremap` of a shared mapping with a length of 0 makes a second one of the same pages, without the descriptor. To give it back
//! a private copy is moved over it. Who looks meanwhile, here or through the kernel, sees the one or the other, and what lies
//! in them is the same. Who *writes* meanwhile would write to pages that are about to go: this process's signal handlers and
//! other threads are kept off by [`Stillness`]; other processes, by their [door](super::visitors).
//!
//! All of it goes piece by piece, so that there are never more than a few MiB twice.
//!
//! | left alone                                       | because                                              |
//! |--------------------------------------------------|------------------------------------------------------|
//! | what is shared, or of a file, but for variables of programs and libraries | somebody else looks there     |
//! | what may not be written, or not be read          | it would have to be, for a moment                     |
//! | huge pages of the program's own, devices         | they are no pages that can be replaced                |
//! | everything, where any memory is locked or pinned | a device may know where it lies                       |
//! | everything, where address space is limited       | others would need some, too                           |
//! | what may be executed                             | the segment may not                                   |
//! | stacks                                           | who moves them, and who forks, runs on them            |
//! | everything, where input and output go on by themselves (AIO, io_uring) | pages are written that nobody has any more |
//!
//! Pages of zeros are not copied: a window that is used here and there takes no more memory than before.

use super::maps::{self, Mapping, Maps};
use super::segment::Segment;
use super::stillness::Stillness;
use super::{HUGE, Offset, PAGE, mapping};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use std::ffi::c_void;
use std::hint::black_box;
use std::ops::Range;
use std::ptr::with_exposed_provenance_mut;
use std::sync::OnceLock;

/// So much is moved at a time.
const PIECE: usize = HUGE;
/// From so many bytes on it is worth asking which pages of the segment hold nothing.
const SPARSE: usize = 1 << 20;
/// So many bytes on both sides of the end of the stack are left alone, and more lies between who moves memory and who asks.
const DEPTH: usize = 4 * PAGE;
/// linux/magic.h
const HUGETLBFS: i64 = 0x9584_58f6;

/// Why memory stays private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Unknown,
    Missing,
    Shared,
    File,
    ReadOnly,
    Huge,
    Device,
    Locked,
    Code,
    Stack,
    Devices,
    Threads,
    Memory,
    Mappings,
    AddressSpace,
    Visitors,
    Kernel,
}

impl Refusal {
    const ALL: [Refusal; 17] = [
        Refusal::Unknown,
        Refusal::Missing,
        Refusal::Shared,
        Refusal::File,
        Refusal::ReadOnly,
        Refusal::Huge,
        Refusal::Device,
        Refusal::Locked,
        Refusal::Code,
        Refusal::Stack,
        Refusal::Devices,
        Refusal::Threads,
        Refusal::Memory,
        Refusal::Mappings,
        Refusal::AddressSpace,
        Refusal::Visitors,
        Refusal::Kernel,
    ];

    /// The one with a number.
    pub fn of(number: u32) -> Option<Refusal> {
        Refusal::ALL.get(number as usize).copied()
    }

    /// Why, of memory that is "it".
    pub fn text(self) -> &'static str {
        match self {
            Refusal::Unknown => "/proc does not tell what it is",
            Refusal::Missing => "not all of it is there",
            Refusal::Shared => "it is shared already",
            Refusal::File => "it is of a file",
            Refusal::ReadOnly => "it may not be written",
            Refusal::Huge => "it has huge pages",
            Refusal::Device => "it is of a device",
            Refusal::Locked => "the program has locked or pinned memory",
            Refusal::Code => "it may be executed",
            Refusal::Stack => "it is a stack",
            Refusal::Devices => {
                "the kernel may be writing there on its own (asynchronous input and output)"
            }
            Refusal::Threads => {
                "other threads run, and userfaultfd is not allowed to keep them off"
            }
            Refusal::Memory => "there is no shared memory for it",
            Refusal::Mappings => "the process has too many mappings",
            Refusal::AddressSpace => "address space is limited (ulimit -v)",
            Refusal::Visitors => "other ranks were copying there all the time",
            Refusal::Kernel => "the kernel refused to map it",
        }
    }
}

/// What became of a range of the segment whose bytes went back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenBack {
    /// It is free.
    Free,
    /// The program's memory is a private mapping of it, from now on: it must never be used again.
    Lost,
    /// It stays where it is.
    Kept,
}

/// What the kernel tells of this process.
pub struct Process {
    maps: Maps,
    pub threads: usize,
    /// Whether some memory is locked or pinned.
    pinned: bool,
}

impl Process {
    pub fn look() -> Result<Process, Refusal> {
        let status = std::fs::read_to_string("/proc/self/status").map_err(|_| Refusal::Unknown)?;
        let number = |key: &str| -> Option<usize> {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.split_whitespace().next()?.parse().ok()
        };
        Ok(Process {
            maps: Maps::read().ok_or(Refusal::Unknown)?,
            threads: number("Threads:").ok_or(Refusal::Unknown)?,
            pinned: [number("VmLck:"), number("VmPin:")] != [Some(0), Some(0)],
        })
    }

    /// How many mappings there are.
    pub fn mappings(&self) -> usize {
        self.maps.iter().count()
    }

    /// Whether `range`, whole pages, can be taken in.
    pub fn may_take(&self, range: &Range<usize>) -> Result<(), Refusal> {
        if self.pinned {
            return Err(Refusal::Locked);
        }
        // Others would have to map it too, and could not say that they cannot.
        if getrlimit(Resource::RLIMIT_AS).is_ok_and(|(soft, _)| soft != RLIM_INFINITY) {
            return Err(Refusal::AddressSpace);
        }
        let asynchronous = |mapping: Mapping<'_>| {
            mapping.name.starts_with("/[aio]") || mapping.name.starts_with("anon_inode:[io_uring]")
        };
        if self.maps.iter().any(asynchronous) {
            return Err(Refusal::Devices);
        }
        let mut at = range.start;
        for mapping in self.maps.around(range) {
            if mapping.range.start > at {
                break;
            }
            self.may_replace(&mapping)?;
            at = mapping.range.end;
        }
        match at >= range.end {
            true => Ok(()),
            false => Err(Refusal::Missing),
        }
    }

    fn may_replace(&self, mapping: &Mapping<'_>) -> Result<(), Refusal> {
        let name = mapping.name;
        if name.starts_with("/anon_hugepage") {
            return Err(Refusal::Huge);
        }
        if mapping.shared {
            return Err(Refusal::Shared);
        }
        if !mapping.writable {
            return Err(Refusal::ReadOnly);
        }
        if mapping.executable {
            return Err(Refusal::Code);
        }
        let here = 0_u8;
        if name == "[stack]" || mapping.range.contains(&((&raw const here) as usize)) {
            return Err(Refusal::Stack);
        }
        if name.starts_with("/dev/") {
            return Err(Refusal::Device);
        }
        if mapping.inode == 0 {
            return Ok(());
        }
        let file = nix::sys::statfs::statfs(name);
        if file.is_ok_and(|file| file.filesystem_type().0 == HUGETLBFS) {
            return Err(Refusal::Huge);
        }
        // Variables: of the same file there is code.
        let is_code = |other: Mapping<'_>| other.executable && other.name == name;
        match self.maps.iter().any(is_code) {
            true => Ok(()),
            false => Err(Refusal::File),
        }
    }

    /// Whether the kernel gave the memory in which `range` lies huge pages. Shared memory has none there: what streams through
    /// such memory, or jumps about in it, would take half as long again. Slow: the kernel looks at all pages of the process.
    pub fn has_huge_pages(&self, range: &Range<usize>) -> bool {
        let Ok(details) = std::fs::read_to_string("/proc/self/smaps") else {
            return false;
        };
        let mut inside = false;
        details.lines().any(|line| {
            if let Some(mapping) = maps::parse(line) {
                inside = mapping.range.start < range.end && range.start < mapping.range.end;
            }
            let size = line.strip_prefix("AnonHugePages:").map(str::trim);
            inside && size.is_some_and(|size| size != "0 kB")
        })
    }

    /// The parts of `range`, whole pages, that are still mappings of the segment, of the bytes at `offset`; and whether each may
    /// be written.
    pub fn still_there(
        &self,
        segment: &Segment,
        range: &Range<usize>,
        offset: Offset,
    ) -> Vec<(Range<usize>, bool)> {
        let Some(file) = self.inode_of(segment) else {
            return Vec::new();
        };
        let there = self.maps.around(range).filter(|mapping| {
            let expected = (offset + mapping.range.start).wrapping_sub(range.start);
            mapping.shared && mapping.inode == file && mapping.offset == expected
        });
        let cut = |mapping: Mapping<'_>| {
            let part = mapping.range.start.max(range.start)..mapping.range.end.min(range.end);
            (part, mapping.writable)
        };
        there.map(cut).collect()
    }

    fn inode_of(&self, segment: &Segment) -> Option<u64> {
        let base = segment.base() as usize;
        let first = self.maps.around(&(base..base + PAGE)).next()?;
        Some(first.inode)
    }
}

/// Makes `range` of this process's memory, whole pages, a mapping of as many bytes at `offset` of the segment, with what is
/// there. An error leaves all as it was.
///
/// # Safety
/// `range` [may be taken](Process::may_take), nobody uses the bytes at `offset`, and no other process writes to the range.
pub unsafe fn take_in(
    segment: &Segment,
    range: &Range<usize>,
    offset: Offset,
    still: &Stillness,
) -> Result<(), Refusal> {
    if !can_map_again(segment) {
        return Err(Refusal::Kernel);
    }
    // What was used before is not zero.
    let zeroed = range.len() >= SPARSE && segment.punch(offset, range.len());
    let mut done = range.start;
    let mut result = Ok(());
    while done < range.end && result.is_ok() {
        let piece = done..range.end.min(done + PIECE);
        let to = offset + (piece.start - range.start);
        // SAFETY: the caller's promise.
        result = farther_down(|| unsafe { take_piece(segment, &piece, to, zeroed, still) });
        if result.is_ok() {
            done = piece.end;
        }
    }
    if result.is_err() && done > range.start {
        // SAFETY: what was taken in so far is a mapping of these bytes.
        unsafe { give_back(segment, &(range.start..done), offset, Some(still)) };
    }
    result
}

/// Calls `work` with some pages of the stack between it and the caller: it copies and replaces the caller's own frame, and must
/// not write to that meanwhile.
#[inline(never)]
fn farther_down<R>(work: impl FnOnce() -> R) -> R {
    let between = [0_u8; 2 * DEPTH];
    black_box(&between);
    let result = work();
    black_box(&between);
    result
}

/// # Safety
/// As [`take_in`].
#[inline(never)]
unsafe fn take_piece(
    segment: &Segment,
    piece: &Range<usize>,
    offset: Offset,
    zeroed: bool,
    still: &Stillness,
) -> Result<(), Refusal> {
    let here = 0_u8;
    let stack = (&raw const here) as usize;
    if piece.start < stack + DEPTH && stack.saturating_sub(2 * DEPTH) < piece.end {
        return Err(Refusal::Stack);
    }
    let (from, to) = (
        with_exposed_provenance_mut::<u8>(piece.start),
        segment.at::<u8>(offset),
    );
    still.protect(piece)?;
    for at in (0..piece.len()).step_by(PAGE) {
        // SAFETY: both are whole pages of live memory, and nobody else writes to either.
        unsafe {
            let page = from.add(at);
            if !zeroed || !is_zero(page) {
                copy_page(page, to.add(at));
            }
        }
    }
    // SAFETY: the range is the program's memory that is to be replaced, by what is the same.
    let mapped = unsafe { segment.map_again(offset, piece.len(), piece.start) };
    if !mapped {
        // SAFETY: as above; where the kernel had taken the old mapping away already, there is nothing now.
        unsafe { put_private(to, piece) };
    }
    still.let_go(piece);
    mapped.then_some(()).ok_or(Refusal::Kernel)
}

/// Copies a page. Not by libc, whose copies the sanitizers watch: between the bytes that the program may touch there are some
/// that it may not.
///
/// # Safety
/// One is readable and the other writable.
unsafe fn copy_page(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise; as many words as a page has, upwards.
    unsafe {
        std::arch::asm!(
            "rep movsq",
            inout("rcx") PAGE / size_of::<u64>() => _,
            inout("rsi") from => _,
            inout("rdi") to => _,
            options(nostack, preserves_flags)
        );
    }
}

/// Whether memory can be mapped over here at all. (valgrind, which also watches who reads what, does not let it.) Asked once.
fn can_map_again(segment: &Segment) -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        let Some(page) = mapping::map_private(PAGE, libc::PROT_NONE) else {
            return false;
        };
        // SAFETY: a page of its own, mapped over with the segment's first one, which nobody writes to there, and its end.
        unsafe {
            let can = segment.map_again(0, PAGE, page as usize);
            mapping::unmap(page, PAGE);
            can
        }
    })
}

/// Whether a page holds zeros alone.
///
/// # Safety
/// It is readable, and begins on a page.
unsafe fn is_zero(page: *const u8) -> bool {
    // SAFETY: the caller's promise; a page is aligned to any word.
    let words = unsafe { std::slice::from_raw_parts(page.cast::<u64>(), PAGE / size_of::<u64>()) };
    words
        .chunks_exact(8)
        .all(|chunk| chunk.iter().fold(0, |all, word| all | word) == 0)
}

/// Makes `range` of this process's memory, which is a mapping of the bytes at `offset` of the segment, private again, with what
/// is there. `still` is `None` where other threads cannot be kept off.
///
/// # Safety
/// It is such a mapping, whole pages, and no other process writes to it.
pub unsafe fn give_back(
    segment: &Segment,
    range: &Range<usize>,
    offset: Offset,
    still: Option<&Stillness>,
) -> GivenBack {
    let Some(still) = still else {
        // SAFETY: the caller's promise.
        return unsafe { give_back_in_place(segment, range, offset) };
    };
    // All copies out of one mapping, each from its own place there: so they become one mapping again.
    let Some(copies) = mapping::map_private(range.len(), libc::PROT_READ | libc::PROT_WRITE) else {
        // SAFETY: the caller's promise.
        return unsafe { give_back_in_place(segment, range, offset) };
    };
    let mut done = range.start;
    while done < range.end {
        let piece = done..range.end.min(done + PIECE);
        let skipped = piece.start - range.start;
        let (at, copy) = (offset + skipped, copies.wrapping_byte_add(skipped));
        // SAFETY: the caller's promise.
        let given = farther_down(|| unsafe { give_piece(segment, &piece, at, copy, still) });
        if !given {
            // What is left goes the other way, and so all counts as lost.
            let rest = done..range.end;
            // SAFETY: as above; what is left of the copies is nobody's.
            return unsafe {
                mapping::unmap(copy, rest.len());
                give_back_in_place(segment, &rest, at)
            };
        }
        if range.len() >= SPARSE {
            // To look at what was never touched has made pages of it.
            segment.punch(at, piece.len());
        }
        done = piece.end;
    }
    GivenBack::Free
}

/// # Safety
/// As [`give_back`].
#[inline(never)]
unsafe fn give_piece(
    segment: &Segment,
    piece: &Range<usize>,
    offset: Offset,
    copy: *mut c_void,
    still: &Stillness,
) -> bool {
    if still.protect(piece).is_err() {
        still.let_go(piece);
        return false;
    }
    // SAFETY: the caller's promise.
    let given = unsafe {
        copy_pages(segment.at(offset), copy.cast(), piece.len());
        mapping::move_over(copy, piece.len(), piece.len(), piece.start)
    };
    still.let_go(piece);
    given
}

/// Moves a private copy of the bytes at `from`, in the segment, to `range`.
///
/// # Safety
/// `range` is whole pages of the program's memory, or was.
unsafe fn put_private(from: *const u8, range: &Range<usize>) -> bool {
    let len = range.len();
    // SAFETY: the caller's promise.
    let Some(copy) = (unsafe { copy_privately(from, len) }) else {
        return false;
    };
    // SAFETY: the copy is as long, and goes to the place of what is the same, or away.
    unsafe {
        let moved = mapping::move_over(copy, len, len, range.start);
        if !moved {
            mapping::unmap(copy, len);
        }
        moved
    }
}

/// Copies whole pages to some that are zero.
///
/// # Safety
/// They are readable, and the others writable.
unsafe fn copy_pages(from: *const u8, to: *mut u8, len: usize) {
    for at in (0..len).step_by(PAGE) {
        // SAFETY: the caller's promise.
        unsafe {
            let page = from.add(at);
            if !is_zero(page) {
                copy_page(page, to.add(at));
            }
        }
    }
}

/// Where a private copy of whole pages is: a mapping of its own. `None` if there is no memory for it.
///
/// # Safety
/// They are readable.
pub unsafe fn copy_privately(from: *const u8, len: usize) -> Option<*mut c_void> {
    let copy = mapping::map_private(len, libc::PROT_READ | libc::PROT_WRITE)?;
    // SAFETY: the caller's promise; the copy is as long.
    unsafe { copy_pages(from, copy.cast(), len) };
    Some(copy)
}

/// Takes the right to write from `range`, whole pages of the program's, as it has done itself.
pub fn protect_again(range: &Range<usize>) {
    let at = with_exposed_provenance_mut::<libc::c_void>(range.start);
    // SAFETY: it had no such right before the memory was given back.
    unsafe { libc::mprotect(at, range.len(), libc::PROT_READ) };
}

/// Makes a private mapping of the same pages of the segment, which is one step of the kernel, and then each page a copy of its
/// own, which writes nothing: so others may write there all the time.
///
/// # Safety
/// As [`give_back`].
unsafe fn give_back_in_place(segment: &Segment, range: &Range<usize>, offset: Offset) -> GivenBack {
    let Some(fd) = segment.fd() else {
        return GivenBack::Kept;
    };
    // SAFETY: what is mapped over is a shared mapping of the same bytes.
    if !unsafe { mapping::map_over(range.start, range.len(), Some((fd, offset))) } {
        return GivenBack::Kept;
    }
    for page in range.clone().step_by(PAGE) {
        let page = with_exposed_provenance_mut::<u8>(page);
        // SAFETY: a write that changes nothing, whoever writes there at the same time.
        unsafe { std::arch::asm!("lock or byte ptr [{}], 0", in(reg) page) };
    }
    segment.punch(offset, range.len());
    GivenBack::Lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::segment::Segment;

    /// Memory of this process, whole pages, until it is dropped.
    struct Pages(Range<usize>);

    impl Pages {
        fn new(len: usize) -> Pages {
            let (access, flags) = (
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            );
            // SAFETY: a new mapping wherever the kernel likes.
            let at = unsafe { libc::mmap(std::ptr::null_mut(), len, access, flags, -1, 0) };
            assert_ne!(at, libc::MAP_FAILED);
            Pages(at as usize..at as usize + len)
        }

        fn bytes(&mut self) -> &mut [u8] {
            // SAFETY: the mapping is there, and only one thread of the test looks at it.
            unsafe { std::slice::from_raw_parts_mut(self.0.start as *mut u8, self.0.len()) }
        }

        fn fill(&mut self) {
            for (i, byte) in self.bytes().iter_mut().enumerate() {
                *byte = value(i);
            }
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: the mapping of `new`.
            unsafe { libc::munmap(self.0.start as *mut _, self.0.len()) };
        }
    }

    fn value(i: usize) -> u8 {
        (i / 7 + i / PAGE) as u8
    }

    /// As in a process with one thread: nobody but the test knows of its memory.
    fn alone() -> Stillness {
        Stillness::begin(1).unwrap()
    }

    #[test]
    fn refusals_have_numbers() {
        for (number, refusal) in (0..).zip(Refusal::ALL) {
            assert_eq!(refusal as u32, number);
        }
    }

    #[test]
    fn memory_comes_and_goes() {
        let segment = Segment::create(PAGE).unwrap();
        let mut all = Pages::new(3 * HUGE);
        all.fill();
        let offset = segment.lease(4 * HUGE).unwrap();
        for (from, to) in [(1, 2), (0, 3), (5, 5 + 300), (0, 3 * HUGE / PAGE)] {
            let range = all.0.start + from * PAGE..all.0.start + to * PAGE;
            let process = Process::look().unwrap();
            process.may_take(&range).unwrap();
            // SAFETY: nobody else knows of the memory, and the range of the segment.
            unsafe { take_in(&segment, &range, offset, &alone()) }.unwrap();
            let there = || {
                Process::look()
                    .unwrap()
                    .still_there(&segment, &range, offset)
            };
            assert_eq!(there(), [(range.clone(), true)]);
            assert_eq!(
                Process::look().unwrap().may_take(&range),
                Err(Refusal::Shared)
            );
            let middle = range.len() / 2;
            let i = from * PAGE + middle;
            // SAFETY: the byte lies in the range that was leased.
            let seen = unsafe { &mut *segment.at::<u8>(offset + middle) };
            assert_eq!(*seen, value(i));
            *seen = 99;
            assert_eq!(all.bytes()[i], 99);
            // SAFETY: as above.
            let given = unsafe { give_back(&segment, &range, offset, Some(&alone())) };
            assert_eq!(given, GivenBack::Free);
            assert!(there().is_empty());
            assert_eq!(all.bytes()[i], 99);
            *seen = 1;
            assert_eq!(all.bytes()[i], 99);
            all.bytes()[i] = value(i);
            assert!((0..3 * HUGE).all(|i| all.bytes()[i] == value(i)));
        }
    }

    #[test]
    fn what_was_never_touched_takes_no_memory() {
        let segment = Segment::create(PAGE).unwrap();
        let mut all = Pages::new(64 * HUGE);
        all.bytes()[20 * HUGE] = 5;
        let offset = segment.lease(64 * HUGE).unwrap();
        let before = segment.in_use();
        // SAFETY: as above.
        unsafe { take_in(&segment, &all.0, offset, &alone()) }.unwrap();
        assert_eq!(segment.in_use(), before + PAGE as u64);
        // SAFETY: as above.
        unsafe { give_back(&segment, &all.0, offset, Some(&alone())) };
        assert_eq!(segment.in_use(), before);
        assert_eq!(all.bytes()[20 * HUGE], 5);
    }

    #[test]
    fn where_others_write_it_goes_back_in_place() {
        let segment = Segment::create(PAGE).unwrap();
        let mut all = Pages::new(8 * PAGE);
        all.fill();
        let offset = segment.lease(HUGE).unwrap();
        // SAFETY: as above.
        unsafe { take_in(&segment, &all.0, offset, &alone()) }.unwrap();
        // SAFETY: as above.
        let given = unsafe { give_back(&segment, &all.0, offset, None) };
        assert_eq!(given, GivenBack::Lost);
        // SAFETY: the byte lies in the range that was leased.
        unsafe { segment.at::<u8>(offset).write(77) };
        assert!((0..all.0.len()).all(|i| all.bytes()[i] == value(i)));
    }

    #[test]
    fn huge_pages_are_seen() {
        let mut pages = Pages::new(8 * HUGE);
        let process = Process::look().unwrap();
        pages.bytes()[HUGE] = 1;
        assert!(!process.has_huge_pages(&(0..PAGE)));
        let whole = pages.0.clone();
        // SAFETY: advice for a mapping of the test's own.
        unsafe { libc::madvise(whole.start as *mut _, whole.len(), libc::MADV_HUGEPAGE) };
        pages.fill();
        let settings = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
        if settings.is_ok_and(|settings| !settings.contains("[never]")) {
            assert!(process.has_huge_pages(&whole));
            assert!(process.has_huge_pages(&(whole.start + PAGE..whole.start + 2 * PAGE)));
        }
        let local = 0_u8;
        let page = (&raw const local as usize) & !(PAGE - 1);
        assert!(!process.has_huge_pages(&(page..page + PAGE)));
    }

    #[test]
    fn what_is_in_the_way_is_told() {
        let pages = Pages::new(4 * PAGE);
        let protect = |page: usize, access| {
            // SAFETY: a page of the test's own.
            unsafe { libc::mprotect((pages.0.start + page * PAGE) as *mut _, PAGE, access) };
        };
        let may = || Process::look().unwrap().may_take(&pages.0);
        assert_eq!(may(), Ok(()));
        protect(2, libc::PROT_READ);
        assert_eq!(may(), Err(Refusal::ReadOnly));
        protect(2, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: as above.
        unsafe { libc::munmap((pages.0.start + PAGE) as *mut _, PAGE) };
        assert_eq!(may(), Err(Refusal::Missing));
        static mut VARIABLE: [u8; 3 * PAGE] = [1; 3 * PAGE];
        let page = (&raw const VARIABLE as usize).next_multiple_of(PAGE);
        assert_eq!(
            Process::look().unwrap().may_take(&(page..page + PAGE)),
            Ok(())
        );
        let local = 0_u8;
        let page = (&raw const local as usize) & !(PAGE - 1);
        let segment = Segment::create(PAGE).unwrap();
        let offset = segment.lease(HUGE).unwrap();
        let low = page - 10 * PAGE..page - 9 * PAGE;
        // SAFETY: it is refused.
        let taken = unsafe { take_in(&segment, &low, offset, &alone()) };
        assert_eq!(taken, Err(Refusal::Stack));
    }

    /// A window in the frame of who calls: the end of the stack is farther down by then.
    #[test]
    fn a_frame_of_the_stack_comes_and_goes() {
        let segment = Segment::create(PAGE).unwrap();
        let offset = segment.lease(HUGE).unwrap();
        let mut frame = [3_u8; 100];
        let at = black_box(&raw mut frame) as usize;
        let range = at & !(PAGE - 1)..(at + 100).next_multiple_of(PAGE);
        for round in 0..20_u8 {
            frame[7] = round;
            // SAFETY: as above.
            unsafe { take_in(&segment, &range, offset, &alone()) }.unwrap();
            let there = segment.at::<u8>(offset + (at - range.start) + 7);
            // SAFETY: the byte lies in the range that was leased.
            unsafe {
                assert_eq!(there.read_volatile(), round);
                there.write_volatile(round + 100);
            }
            assert_eq!(black_box(&frame)[7], round + 100);
            // SAFETY: as above.
            unsafe { give_back(&segment, &range, offset, Some(&alone())) };
            assert_eq!(black_box(&frame)[7], round + 100);
        }
    }
}
