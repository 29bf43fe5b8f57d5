//! Which memory of this process may be replaced by memory of the segment, and what the kernel tells about that.
//!
//! | left alone                                       | because                                              |
//! |--------------------------------------------------|------------------------------------------------------|
//! | what is shared, or of a file, but for variables of programs and libraries | somebody else looks there     |
//! | what may not be written, or not be read          | it would have to be, for a moment                     |
//! | huge pages of the program's own, devices         | they are no pages that can be replaced                |
//! | everything, where any memory is locked or pinned | a device may know where it lies                       |
//! | everything, where address space is limited       | others would need some, too                           |
//! | what may be executed                             | the segment may not                                   |
//! | pages of stacks with more than what is to be shared | who moves them, and who forks, runs on them         |
//! | what libc and the kernel keep about the thread that moves | they would write there meanwhile              |
//! | everything, where input and output go on by themselves (AIO, io_uring; in processes with threads files open for direct input) | pages are written that nobody has any more |
//! | where a thread sleeps for what other processes may do (a process-shared lock) | it is found by the page then |
//!
//! Of the stacks of threads only the thread itself knows where they are ([`is_on_this_stack`]).

use super::maps::{self, Mapping, Maps};
use super::segment::Segment;
use super::{Offset, PAGE};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use std::ops::Range;
use std::os::fd::BorrowedFd;

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
    Sleepers,
    Threads,
    Memory,
    Mappings,
    AddressSpace,
    Visitors,
    Kernel,
    Library,
}

impl Refusal {
    const ALL: [Refusal; 19] = [
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
        Refusal::Sleepers,
        Refusal::Threads,
        Refusal::Memory,
        Refusal::Mappings,
        Refusal::AddressSpace,
        Refusal::Visitors,
        Refusal::Kernel,
        Refusal::Library,
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
            Refusal::Stack => "it is a stack, or a thread's own variables lie there",
            Refusal::Devices => {
                "the kernel may be writing there on its own (asynchronous or direct input)"
            }
            Refusal::Sleepers => "a thread waits there for a process-shared lock",
            Refusal::Threads => {
                "other threads run, and userfaultfd is not allowed to keep them off"
            }
            Refusal::Memory => "there is no shared memory for it",
            Refusal::Mappings => "the process has too many mappings",
            Refusal::AddressSpace => "address space is limited (ulimit -v)",
            Refusal::Visitors => "other ranks were copying there all the time",
            Refusal::Kernel => "the kernel refused to map it",
            Refusal::Library => {
                "the C library keeps there what it changes in a child of fork (of other threads)"
            }
        }
    }
}

/// What the kernel tells of this process.
pub struct Process {
    maps: Maps,
    pub threads: usize,
    /// Whether some memory is locked, and whether some is pinned.
    locked: bool,
    pinned: bool,
}

/// Refuses where address space is limited: others would have to map it too, and could not say that they cannot. Allocates
/// nothing.
pub fn must_have_address_space() -> Result<(), Refusal> {
    match getrlimit(Resource::RLIMIT_AS) {
        Ok((soft, _)) if soft != RLIM_INFINITY => Err(Refusal::AddressSpace),
        _ => Ok(()),
    }
}

impl Process {
    pub fn look() -> Result<Process, Refusal> {
        let status = maps::read("/proc/self/status").ok_or(Refusal::Unknown)?;
        let number = |key: &str| -> Option<usize> {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.split_whitespace().next()?.parse().ok()
        };
        Ok(Process {
            maps: Maps::read().ok_or(Refusal::Unknown)?,
            threads: number("Threads:").ok_or(Refusal::Unknown)?,
            locked: number("VmLck:") != Some(0),
            pinned: number("VmPin:") != Some(0),
        })
    }

    /// How many mappings there are.
    pub fn mappings(&self) -> usize {
        self.maps.iter().count()
    }

    /// Whether `range`, whole pages, can be taken in. `whole`: what is to be shared fills them, and nothing else lies there.
    pub fn may_take(&self, range: &Range<usize>, whole: bool) -> Result<(), Refusal> {
        if self.locked || self.pinned {
            return Err(Refusal::Locked);
        }
        if self.has_asynchronous_input() || (self.threads > 1 && is_direct_input_possible()) {
            return Err(Refusal::Devices);
        }
        if is_of_this_thread(range) || (!whole && is_on_this_stack(range)) {
            return Err(Refusal::Stack);
        }
        let mut at = range.start;
        for mapping in self.maps.around(range) {
            if mapping.range.start > at {
                break;
            }
            self.may_replace(&mapping, whole)?;
            at = mapping.range.end;
        }
        match at >= range.end {
            true => Ok(()),
            false => Err(Refusal::Missing),
        }
    }

    fn has_asynchronous_input(&self) -> bool {
        let asynchronous =
            |mapping: Mapping<'_>| mapping.name.starts_with("/[aio]") || mapping.is_ring();
        self.maps.iter().any(asynchronous)
    }

    /// Whether a device may be writing to pages of this process: what was taken in has to stay for as long.
    pub fn is_known_to_devices(&self) -> bool {
        self.pinned || self.has_asynchronous_input()
    }

    fn may_replace(&self, mapping: &Mapping<'_>, whole: bool) -> Result<(), Refusal> {
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
        if !whole && name == "[stack]" {
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

    /// Whether the memory in which `range` lies has huge pages. In small ones what streams through it, or jumps about in it,
    /// takes up to half as long again. Slow: the kernel looks at all pages of the process.
    pub fn has_huge_pages(&self, range: &Range<usize>) -> bool {
        let Some(details) = maps::read("/proc/self/smaps") else {
            return false;
        };
        let mut inside = false;
        details.lines().any(|line| {
            if let Some(mapping) = maps::parse(line) {
                inside = mapping.range.start < range.end && range.start < mapping.range.end;
            }
            let size = ["AnonHugePages:", "ShmemPmdMapped:"]
                .iter()
                .find_map(|key| line.strip_prefix(key).map(str::trim));
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

/// Whether a file is open that is read without the kernel's copy, into pages that stay what they are meanwhile.
fn is_direct_input_possible() -> bool {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else {
        return true;
    };
    let is_direct = |fd: i32| {
        // SAFETY: the call takes two numbers.
        let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
        let direct = flags != -1 && flags & libc::O_DIRECT != 0;
        direct && flags & libc::O_ACCMODE != libc::O_WRONLY && is_no_pipe(fd)
    };
    let numbers = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers.into_iter().any(is_direct)
}

/// Of a pipe the same flag means something else.
fn is_no_pipe(fd: i32) -> bool {
    // SAFETY: a descriptor of the program's, for this call alone; a wrong one is an error.
    let status = nix::sys::stat::fstat(unsafe { BorrowedFd::borrow_raw(fd) });
    let kind = status.map(|status| status.st_mode & libc::S_IFMT);
    kind != Ok(libc::S_IFIFO)
}

thread_local! {
    static STACK: Range<usize> = stack_of_this_thread();
}

/// Whether bytes of `range` lie in the stack of this thread, or near what it uses for one now (a coroutine's).
pub fn is_on_this_stack(range: &Range<usize>) -> bool {
    const NEAR: usize = 64 << 10;
    let here = 0_u8;
    let here = (&raw const here) as usize;
    let meets = |stack: &Range<usize>| range.start < stack.end && stack.start < range.end;
    STACK.with(|stack| {
        // The first thread's may have grown since.
        let is_used = here < stack.end && stack.end - here < stack.len() + NEAR;
        meets(stack) || (!is_used && meets(&(here - NEAR..here + NEAR)))
    })
}

/// Whether what the kernel and libc write for this thread lies in `range`: they would wait for themselves.
fn is_of_this_thread(range: &Range<usize>) -> bool {
    /// libc's book of the thread, with what the kernel is told about it.
    const BOOK: usize = 4096;
    let book: usize;
    // SAFETY: reads the word that the thread pointer points to, which is the pointer.
    unsafe { std::arch::asm!("mov {}, fs:0", out(reg) book, options(nostack, readonly)) };
    // SAFETY: gives an address.
    let errno = unsafe { libc::__errno_location() } as usize;
    // On a thread's stack it is what lies highest.
    let end = STACK.with(|stack| match stack.contains(&book) {
        true => stack.end.min(book + BOOK),
        false => book + BOOK,
    });
    range.contains(&errno) || (range.start < end && book < range.end)
}

/// Nothing if it is not known. Asked once: the first thread's is found in the list of mappings, and what is taken in cuts it.
fn stack_of_this_thread() -> Range<usize> {
    let mut attributes = std::mem::MaybeUninit::uninit();
    let (mut low, mut len) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes are made by the first call, and ended by the last.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return 0..0;
        }
        libc::pthread_attr_getstack(attributes.as_ptr(), &mut low, &mut len);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    low as usize..low as usize + len
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::HUGE;
    use crate::shm::mapping::tests::Pages;

    #[test]
    fn refusals_have_numbers() {
        for (number, refusal) in (0..).zip(Refusal::ALL) {
            assert_eq!(refusal as u32, number);
        }
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
        pages.bytes().fill(1);
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
        let may = || Process::look().unwrap().may_take(&pages.0, false);
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
            Process::look()
                .unwrap()
                .may_take(&(page..page + PAGE), false),
            Ok(())
        );
        let local = 0_u8;
        let page = (&raw const local as usize) & !(PAGE - 1);
        assert_eq!(
            Process::look()
                .unwrap()
                .may_take(&(page..page + PAGE), false),
            Err(Refusal::Stack)
        );
        // The test's thread is not the first one: its stack is told by itself, wherever in it something lies.
        let deep = page - 100 * PAGE;
        assert!(is_on_this_stack(&(deep..deep + PAGE)));
    }
}
