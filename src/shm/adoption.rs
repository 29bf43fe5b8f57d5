//! Private memory of this process becomes shared memory, at the same addresses, and private again.
//!
//! To take it in, its pages are copied to a range of the segment, and that is mapped over them, in one step of the kernel:
//! `mremap` of a shared mapping with a length of 0 makes a second one of the same pages, without the descriptor. To give it back
//! a private copy is moved over it. Who looks meanwhile, here or through the kernel, sees the one or the other, and what lies
//! in them is the same. Who *writes* meanwhile would write to pages that are about to go: this process's signal handlers and
//! other threads are kept off by [`Stillness`]; other processes, by their [door](super::visitors). While others are kept off
//! nothing is allocated: they may hold malloc's lock.
//!
//! All of it goes piece by piece, so that there are never more than 16 MiB twice.
//!
//! **Huge pages.** Where 2 MiB of the program's have been used nearly everywhere, they become a huge page of the segment, and of
//! the program afterwards: the kernel makes those on request (`MADV_COLLAPSE`, Linux 6.1), whatever the machine's settings for
//! shared memory are, and the request takes a tenth of the time that 512 page faults take. For that both places must begin
//! equally far behind a multiple of 2 MiB ([`alloc_like`](super::heap::alloc_like)). Elsewhere pages of zeros are not copied:
//! a window that is used here and there takes no more memory than before.

use super::heap::{self, Owned};
use super::replaceable::Refusal;
use super::segment::{Segment, segment};
use super::stillness::Stillness;
use super::{HUGE, Offset, PAGE, mapping, pages, records, sleepers};
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::with_exposed_provenance_mut;
use std::sync::OnceLock;

/// So much is moved at a time. For a request for huge pages the kernel has something done on each core, so one is for several.
const PIECE: usize = 8 * HUGE;
/// Of 512 pages so many have been used where a huge page takes their place.
const DENSE: usize = HUGE / PAGE * 7 / 8;
/// From so many bytes on it is worth asking which pages of the segment hold nothing.
const SPARSE: usize = 1 << 20;

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

/// Makes `range` of this process's memory, whole pages, a mapping of as many bytes at `offset` of the segment, with what is
/// there. An error leaves all as it was.
///
/// # Safety
/// `range` [may be taken](super::replaceable::Process::may_take), nobody uses the bytes at `offset`, and no other process writes to the range.
pub unsafe fn take_in(
    segment: &Segment,
    range: &Range<usize>,
    offset: Offset,
    still: &Stillness,
) -> Result<(), Refusal> {
    if !can_map_again(segment) {
        return Err(Refusal::Kernel);
    }
    if !still.is_alone() && records::may_reach_into(range) {
        return Err(Refusal::Library);
    }
    // What was used before is not zero.
    let zeroed = range.len() >= SPARSE && segment.punch(offset, range.len());
    let mut done = range.start;
    let mut result = Ok(());
    while done < range.end && result.is_ok() {
        let piece = next_piece(done, range.end);
        let to = offset + (piece.start - range.start);
        // SAFETY: the caller's promise.
        result = unsafe { take_piece(segment, &piece, to, zeroed, still) };
        if result.is_ok() {
            done = piece.end;
        }
    }
    if result.is_err() && done > range.start {
        // SAFETY: what was taken in so far is a mapping of these bytes.
        unsafe { give_back(segment, &(range.start..done), offset, Some(still), true) };
    }
    result
}

/// # Safety
/// As [`take_in`].
unsafe fn take_piece(
    segment: &Segment,
    piece: &Range<usize>,
    offset: Offset,
    zeroed: bool,
    still: &Stillness,
) -> Result<(), Refusal> {
    let (from, to) = (
        with_exposed_provenance_mut::<u8>(piece.start),
        segment.at::<u8>(offset),
    );
    // SAFETY: the memory is there.
    if !still.is_alone() && unsafe { records::are_in(piece) } {
        return Err(Refusal::Library);
    }
    let mut used = [false; PIECE / PAGE];
    if zeroed && pages::used(piece, &mut used) {
        // SAFETY: nobody else uses what is made there.
        unsafe { make_huge(piece, &used, to.cast()) };
    }
    still.protect(piece)?;
    let result = if !still.is_alone() && sleepers::are_in(piece) {
        Err(Refusal::Sleepers)
    } else {
        // SAFETY: both are whole pages of live memory, and nobody else writes to either.
        unsafe {
            copy_pages(from, to, piece.len(), zeroed);
            replace(segment, piece, offset, still)
        }
    };
    still.let_go(piece);
    result
}

/// Maps what is at `offset` of the segment over the same at `piece`.
///
/// # Safety
/// As [`take_piece`].
unsafe fn replace(
    segment: &Segment,
    piece: &Range<usize>,
    offset: Offset,
    still: &Stillness,
) -> Result<(), Refusal> {
    let there = segment.at::<u8>(offset);
    // SAFETY: the range is the program's memory that is to be replaced, by what is the same.
    let mapped = unsafe { segment.map_again(offset, piece.len(), piece.start) };
    let in_vain = || !still.is_alone() && sleepers::are_in(piece);
    if mapped && !in_vain() {
        return Ok(());
    }
    // Who has gone to sleep meanwhile sleeps for the one page or the other; and where the kernel had taken the old mapping
    // away already, there is nothing now.
    // SAFETY: as above.
    let private = unsafe { put_private(there, piece) };
    match mapped {
        false => Err(Refusal::Kernel),
        true if private => {
            // And who was to wake them may have done so in vain.
            sleepers::wake(piece, there);
            sleepers::wake(piece, with_exposed_provenance_mut(piece.start));
            Err(Refusal::Sleepers)
        }
        true => Ok(()),
    }
}

/// The next piece of what ends at `end`. It ends where a huge page does.
fn next_piece(start: usize, end: usize) -> Range<usize> {
    start..end.min((start + PIECE) & !(HUGE - 1))
}

/// Makes huge pages of zeros at `to` for those of `piece` whose pages have been `used` nearly everywhere, if they lie alike.
///
/// # Safety
/// Nobody uses the memory at `to`, which is mapped, has zeros or nothing, and is as long.
unsafe fn make_huge(piece: &Range<usize>, used: &[bool], to: *mut c_void) {
    if !(to as usize).wrapping_sub(piece.start).is_multiple_of(HUGE) {
        return;
    }
    let begin = piece.start.next_multiple_of(HUGE);
    if begin + HUGE > piece.end {
        return;
    }
    let all = begin..piece.end & !(HUGE - 1);
    let used = &used[(begin - piece.start) / PAGE..];
    let mut dense = [false; PIECE / HUGE];
    let units = used.chunks(HUGE / PAGE);
    for (dense, unit) in dense.iter_mut().zip(units) {
        *dense = unit.iter().filter(|&&used| used).count() >= DENSE;
    }
    // Neighbours with one request.
    let mut skipped = all.start - piece.start;
    for run in dense[..all.len() / HUGE].chunk_by(|a, b| a == b) {
        let len = run.len() * HUGE;
        if run[0] {
            // SAFETY: the caller's promise.
            unsafe { mapping::make_huge(to.wrapping_byte_add(skipped), len) };
        }
        skipped += len;
    }
}

/// Which pages of a range of the segment have memory.
fn used_at(segment: &Segment, offset: Offset, len: usize) -> [bool; PIECE / PAGE] {
    let mut used = [false; PIECE / PAGE];
    for data in segment.data(offset, len) {
        used[(data.start - offset) / PAGE..(data.end - offset) / PAGE].fill(true);
    }
    used
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

/// Whether the kernel makes huge pages of the segment on request. Asked once.
pub fn can_make_huge() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        let Ok(offset) = heap::alloc(HUGE, HUGE) else {
            return false;
        };
        let unit = Owned::new(offset);
        // SAFETY: the allocation is new, and goes as it came.
        unsafe { mapping::make_huge(segment().at(unit.offset()), HUGE) }
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
/// is there. `still` is `None` where other threads cannot be kept off. `is_seen`: another process may read there meanwhile, by the
/// kernel.
///
/// # Safety
/// It is such a mapping, whole pages, and no other process writes to it.
pub unsafe fn give_back(
    segment: &Segment,
    range: &Range<usize>,
    offset: Offset,
    still: Option<&Stillness>,
    is_seen: bool,
) -> GivenBack {
    let Some(still) = still else {
        // SAFETY: the caller's promise.
        return unsafe { give_back_in_place(segment, range, offset) };
    };
    if still.is_alone() && !is_seen {
        // SAFETY: the caller's promise.
        return unsafe { give_back_alone(segment, range, offset) };
    }
    // All copies out of one mapping, each from its own place there: so they become one mapping again.
    let Some(copies) = mapping::map_private_like(range) else {
        // SAFETY: the caller's promise.
        return unsafe { give_back_in_place(segment, range, offset) };
    };
    let mut done = range.start;
    while done < range.end {
        let piece = next_piece(done, range.end);
        let skipped = piece.start - range.start;
        let (at, copy) = (offset + skipped, copies.wrapping_byte_add(skipped));
        // SAFETY: the caller's promise.
        let given = unsafe { give_piece(segment, &piece, at, copy, still) };
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
            segment.punch(at, piece.len());
        }
        done = piece.end;
    }
    GivenBack::Free
}

/// # Safety
/// As [`give_back`].
unsafe fn give_piece(
    segment: &Segment,
    piece: &Range<usize>,
    offset: Offset,
    copy: *mut c_void,
    still: &Stillness,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe { make_huge(piece, &used_at(segment, offset, piece.len()), copy) };
    if still.protect(piece).is_err() {
        return false;
    }
    // SAFETY: the caller's promise.
    let given = unsafe {
        copy_data(segment, offset, copy.cast(), piece.len());
        mapping::move_over(copy, piece.len(), piece.len(), piece.start)
    };
    still.let_go(piece);
    given
}

/// Where nobody looks meanwhile, neither here nor from elsewhere: new memory is made in its place, which joins the mappings beside it, and filled.
///
/// # Safety
/// As [`give_back`].
unsafe fn give_back_alone(segment: &Segment, range: &Range<usize>, offset: Offset) -> GivenBack {
    let mut done = range.start;
    while done < range.end {
        let piece = next_piece(done, range.end);
        let at = offset + (piece.start - range.start);
        let here = with_exposed_provenance_mut::<u8>(piece.start);
        // SAFETY: the caller's promise.
        unsafe {
            if !mapping::renew(&piece) {
                // Where the kernel had taken the old mapping away already, it comes back.
                segment.map_again(at, piece.len(), piece.start);
                return give_back_in_place(segment, &(done..range.end), at);
            }
            make_huge(&piece, &used_at(segment, at, piece.len()), here.cast());
            copy_data(segment, at, here, piece.len());
        }
        if range.len() >= SPARSE {
            segment.punch(at, piece.len());
        }
        done = piece.end;
    }
    GivenBack::Free
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

/// Copies whole pages; where the others are `zeroed` already, but those of zeros.
///
/// # Safety
/// They are readable, and the others writable.
unsafe fn copy_pages(from: *const u8, to: *mut u8, len: usize, zeroed: bool) {
    for at in (0..len).step_by(PAGE) {
        // SAFETY: the caller's promise.
        unsafe {
            let page = from.add(at);
            if !zeroed || !is_zero(page) {
                copy_page(page, to.add(at));
            }
        }
    }
}

/// Copies what there is at `offset` of the segment to pages that are zero. What was never touched there stays so.
///
/// # Safety
/// As many bytes, whole pages, are writable at `to`, and nobody else uses either.
unsafe fn copy_data(segment: &Segment, offset: Offset, to: *mut u8, len: usize) {
    for data in segment.data(offset, len) {
        let skipped = data.start - offset;
        // SAFETY: the caller's promise.
        unsafe { copy_pages(segment.at(data.start), to.add(skipped), data.len(), true) };
    }
}

/// Where a private copy of whole pages is: a mapping of its own. `None` if there is no memory for it.
///
/// # Safety
/// They are readable.
pub unsafe fn copy_privately(from: *const u8, len: usize) -> Option<*mut c_void> {
    let copy = mapping::map_private(len, libc::PROT_READ | libc::PROT_WRITE)?;
    // SAFETY: the caller's promise; the copy is as long.
    unsafe { copy_pages(from, copy.cast(), len, true) };
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
    for data in segment.data(offset, range.len()) {
        for at in data.step_by(PAGE) {
            let page = with_exposed_provenance_mut::<u8>(range.start + (at - offset));
            // SAFETY: a write that changes nothing, whoever writes there at the same time.
            unsafe { std::arch::asm!("lock or byte ptr [{}], 0", in(reg) page) };
        }
    }
    segment.punch(offset, range.len());
    GivenBack::Lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::mapping::tests::Pages;
    use crate::shm::replaceable::Process;

    fn fill(pages: &mut Pages) {
        for (i, byte) in pages.bytes().iter_mut().enumerate() {
            *byte = value(i);
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
    fn memory_comes_and_goes() {
        let segment = Segment::create(PAGE).unwrap();
        let mut all = Pages::new(3 * HUGE);
        fill(&mut all);
        let offset = segment.lease(4 * HUGE).unwrap();
        for (from, to) in [(1, 2), (0, 3), (5, 5 + 300), (0, 3 * HUGE / PAGE)] {
            let range = all.0.start + from * PAGE..all.0.start + to * PAGE;
            let process = Process::look().unwrap();
            process.may_take(&range, false).unwrap();
            // SAFETY: nobody else knows of the memory, and the range of the segment.
            unsafe { take_in(&segment, &range, offset, &alone()) }.unwrap();
            let there = || {
                Process::look()
                    .unwrap()
                    .still_there(&segment, &range, offset)
            };
            assert_eq!(there(), [(range.clone(), true)]);
            assert_eq!(
                Process::look().unwrap().may_take(&range, false),
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
            let given = unsafe { give_back(&segment, &range, offset, Some(&alone()), false) };
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
        unsafe { give_back(&segment, &all.0, offset, Some(&alone()), false) };
        assert_eq!(segment.in_use(), before);
        assert_eq!(all.bytes()[20 * HUGE], 5);
    }

    /// Where the kernel makes them. What is used here and there gets none, and takes what it took before.
    #[test]
    fn what_is_used_everywhere_gets_huge_pages() {
        let segment = Segment::create(PAGE).unwrap();
        let offset = segment.lease(18 * HUGE).unwrap();
        // SAFETY: what was just leased.
        if !unsafe { mapping::make_huge(segment.at(offset), HUGE) } {
            return;
        }
        segment.punch(offset, HUGE);
        let mut all = Pages::new(17 * HUGE);
        let skipped = all.0.start.next_multiple_of(HUGE) - all.0.start + 3 * PAGE;
        let range = all.0.start + skipped..all.0.end;
        for (i, byte) in all.bytes().iter_mut().enumerate() {
            if i < 10 * HUGE || i.is_multiple_of(4 * PAGE) {
                *byte = value(i);
            }
        }
        let seen_at = |at: usize| Process::look().unwrap().has_huge_pages(&(at..at + PAGE));
        let before = segment.in_use();
        let offset = offset + 3 * PAGE;
        // SAFETY: as above.
        unsafe { take_in(&segment, &range, offset, &alone()) }.unwrap();
        let check = |all: &mut Pages| {
            let is = |i: usize| i < 10 * HUGE || i.is_multiple_of(4 * PAGE);
            let right = |(i, &byte): (usize, &u8)| byte == if is(i) { value(i) } else { 0 };
            assert!(all.bytes().iter().enumerate().all(right));
        };
        assert!(segment.in_use() - before < 13 * HUGE as u64);
        check(&mut all);
        assert!(seen_at(range.start + 5 * HUGE));
        // SAFETY: as above.
        let given = unsafe { give_back(&segment, &range, offset, Some(&alone()), false) };
        assert_eq!((given, segment.in_use()), (GivenBack::Free, before));
        assert!(seen_at(range.start + 5 * HUGE));
        check(&mut all);
    }

    #[test]
    fn where_others_write_it_goes_back_in_place() {
        let segment = Segment::create(PAGE).unwrap();
        let mut all = Pages::new(8 * PAGE);
        fill(&mut all);
        let offset = segment.lease(HUGE).unwrap();
        // SAFETY: as above.
        unsafe { take_in(&segment, &all.0, offset, &alone()) }.unwrap();
        // SAFETY: as above.
        let given = unsafe { give_back(&segment, &all.0, offset, None, false) };
        assert_eq!(given, GivenBack::Lost);
        // SAFETY: the byte lies in the range that was leased.
        unsafe { segment.at::<u8>(offset).write(77) };
        assert!((0..all.0.len()).all(|i| all.bytes()[i] == value(i)));
    }
}
