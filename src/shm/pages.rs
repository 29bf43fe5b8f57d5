//! The pages of the segment: asking for huge ones, counting those that there are, and giving them back.

use super::segment::Segment;
use super::{HUGE, Offset, PAGE};
use nix::unistd::{Whence, lseek};
use std::ops::Range;

/// Says for each page of `range`, whole pages of private memory, whether it has memory of its own. False if the kernel does not tell. Allocates nothing.
pub fn used(range: &Range<usize>, pages: &mut [bool]) -> bool {
    const STEP: usize = 256;
    // linux/Documentation/admin-guide/mm/pagemap.rst. The page of zeros, which all share, is neither.
    const EXCLUSIVE: u64 = 1 << 56;
    const SHARED: u64 = 1 << 61;
    const SWAPPED: u64 = 1 << 62;
    // SAFETY: a path that ends with a zero.
    let map = unsafe {
        let flags = libc::O_RDONLY | libc::O_CLOEXEC;
        libc::open(c"/proc/self/pagemap".as_ptr(), flags)
    };
    if map < 0 {
        return false;
    }
    let mut told = true;
    let mut words = [0_u64; STEP];
    let all = &mut pages[..range.len() / PAGE];
    for (i, pages) in all.chunks_mut(STEP).enumerate() {
        let bytes = size_of_val(pages) * size_of::<u64>();
        let at = (range.start / PAGE + i * STEP) * size_of::<u64>();
        // SAFETY: there is room for a word for each page.
        let read = unsafe { libc::pread(map, words.as_mut_ptr().cast(), bytes, at as i64) };
        told &= read == bytes as isize;
        for (page, word) in pages.iter_mut().zip(words) {
            *page = told && word & (EXCLUSIVE | SHARED | SWAPPED) != 0;
        }
    }
    // SAFETY: the descriptor opened above.
    unsafe { libc::close(map) };
    told
}

impl Segment {
    /// The parts of a range, whole pages, that may hold something else than zeros. Allocates nothing.
    pub fn data(&self, offset: Offset, len: usize) -> impl Iterator<Item = Range<Offset>> {
        let end = offset + len;
        let mut at = offset;
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let seek = |from: usize, whence| {
                let found = lseek(self.fd()?, from as i64, whence);
                match found {
                    Ok(found) => Some(found as usize),
                    Err(nix::Error::ENXIO) => Some(end),
                    Err(_) => None,
                }
            };
            let (begin, behind) = match seek(at, Whence::SeekData) {
                Some(begin) if begin >= end => return None,
                Some(begin) => (begin, seek(begin, Whence::SeekHole).unwrap_or(end)),
                None => (at, end),
            };
            at = behind;
            Some(begin & !(PAGE - 1)..behind.next_multiple_of(PAGE).min(end))
        })
    }

    /// Asks for huge pages where `len` bytes at `offset` lie, in this process's mapping: a first touch then takes one of them.
    pub fn prefer_huge(&self, offset: Offset, len: usize) {
        // To the ends of huge pages, so that neighbours become one mapping and not three.
        let begin = offset & !(HUGE - 1);
        let end = (offset + len).next_multiple_of(HUGE).min(self.mapped());
        // A kernel that refuses gives small pages, as it does where it has no others.
        // SAFETY: the range lies in this mapping, and the advice changes nothing in it.
        unsafe { libc::madvise(self.at(begin), end - begin, libc::MADV_HUGEPAGE) };
    }

    /// Bytes of the segment that hold memory of the system.
    pub fn in_use(&self) -> u64 {
        match self.fd().map(nix::sys::stat::fstat) {
            // A file's blocks are of 512 bytes, whatever its file system's are.
            Some(Ok(status)) => status.st_blocks as u64 * 512,
            _ => self.count_pages(),
        }
    }

    /// The same without the descriptor, by looking at each page that is mapped here.
    fn count_pages(&self) -> u64 {
        const STEP: usize = 16 << 20;
        let mapped = self.mapped();
        let mut there = [0_u8; STEP / PAGE];
        let mut pages = 0;
        for at in (0..mapped).step_by(STEP) {
            let len = STEP.min(mapped - at);
            // SAFETY: the range is mapped, and the kernel writes a byte for each of its pages, for which there is room.
            if unsafe { libc::mincore(self.at(at), len, there.as_mut_ptr()) } == 0 {
                let here = there[..len / PAGE].iter().filter(|&&page| page & 1 != 0);
                pages += here.count();
            }
        }
        (pages * PAGE) as u64
    }

    /// Gives the pages of a range back to the system. They read as zero afterwards. False if the kernel refused, as it does
    /// where the program has locked its memory.
    pub fn punch(&self, offset: Offset, len: usize) -> bool {
        // Where nothing was touched there is nothing to give back. To find that out takes a microsecond; a hole takes three
        // for each process of the job where it is 512 MiB long, for the kernel looks through all mappings.
        if let Some(fd) = self.fd() {
            let first = lseek(fd, offset as i64, Whence::SeekData);
            if first == Err(nix::Error::ENXIO)
                || first.is_ok_and(|first| first as usize >= offset + len)
            {
                return true;
            }
        }
        // SAFETY: the range lies in this mapping, and its bytes are nobody's: the caller's promise as its owner.
        unsafe { libc::madvise(self.at(offset), len, libc::MADV_REMOVE) == 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::atomic::{AtomicU64, Ordering};

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
    fn without_the_descriptor_pages_are_counted_and_given_back() {
        let mut one = Segment::create(PAGE).unwrap();
        let range = one.lease(HUGE).unwrap();
        // SAFETY: the address lies in the range just leased, aligned, in a live mapping.
        unsafe { one.at::<AtomicU64>(range).as_ref() }
            .unwrap()
            .store(42, Ordering::Relaxed);
        let before = one.in_use();
        one.descriptor = None;
        assert_eq!(one.in_use(), before);
        assert!(one.punch(range, HUGE));
        assert_eq!(one.in_use(), before - PAGE as u64);
    }
}
