//! Copies of memory that other processes see.
//!
//! | bytes                                | how                                                            |
//! |--------------------------------------|----------------------------------------------------------------|
//! | few                                  | libc                                                           |
//! | [`OWN`] and more                     | 32 bytes at a time: by words                                   |
//! | [`LONG`], or [`LONG_READ`], and more | by the string instruction, `rep movsb`, if that is faster here |
//! | a third of the last cache, more      | past the caches                                                |
//!
//! The string instruction is the slower one on some processors as soon as the addresses differ in their place in a cache line, as
//! those of a window and of malloc do. On others it does not read the lines that it writes over, which saves most where another core
//! has read them last. So the first copy that is long enough tries both, which takes 30 µs, most of it for memory. (libc does not try: it
//! takes the instruction on both.)
//!
//! Source and target that the last cache does not hold drive each other out of it; libc goes past it too late, or never, where a
//! virtual machine tells it of a cache that is not there.
//!
//! | AMD EPYC                                                | words   | string  | past the caches |
//! |---------------------------------------------------------|---------|---------|-----------------|
//! | 9004, 32 KiB                                            | 565 ns  | 630 ns  |                 |
//! | 9004, 16 MiB that are read next                         | 2.9 ms  |         | 2.3 ms          |
//! | 9005, 4 KiB                                             | 23 ns   | 34 ns   | 217 ns          |
//! | 9005, 4 KiB, read by a core that shares the last cache  | 0.26 µs | 0.27 µs | 0.30 µs         |
//! | 9005, 8 KiB                                             | 46 ns   | 59 ns   | 304 ns          |
//! | 9005, 8 KiB, read so                                    | 1.2 µs  | 0.38 µs | 0.41 µs         |
//! | 9005, 32 KiB                                            | 313 ns  | 205 ns  | 0.93 µs         |
//! | 9005, 32 KiB, the target 16 bytes further in its page   | 322 ns  | 337 ns  | 0.93 µs         |
//! | 9005, 64 KiB, read so                                   | 9.2 µs  | 1.8 µs  | 1.8 µs          |
//! | 9005, 1 MiB                                             | 18.6 µs | 15.7 µs | 26.4 µs         |
//!
//! Loops of 64 bytes at a time (AVX-512) take two thirds of the time of words within the first cache, and longer than words do
//! where another core has read the lines: twice as long for 4 KiB. To ask for lines ahead (`prefetchw`) makes that worse. The bounds are
//! found again by `make bench BENCH=--thresholds`.

use std::ops::RangeInclusive;
use std::ptr::copy as move_bytes;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

/// Fewer bytes are libc's.
pub const OWN: usize = 1024;

/// So many bytes may be the string instruction's.
pub const LONG: usize = 32 << 10;

/// So many may be where another core has read the lines that are written over.
pub const LONG_READ: usize = 5 << 10;

/// Fewer bytes stay in any last cache.
const MAY_LEAVE: usize = 1 << 20;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Copies `len` bytes, which may overlap.
///
/// # Safety
/// `from` is readable and `to` writable for `len` bytes.
// Out of line, so that the way to a single access saves no registers.
#[inline(never)]
pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { copy_with(LONG, from, to, len) }
}

/// [`copy`], by the string instruction from `long` bytes on if it is the faster one.
///
/// # Safety
/// As [`copy`].
#[inline(always)]
unsafe fn copy_with(long: usize, from: *const u8, to: *mut u8, len: usize) {
    let apart = from.addr().abs_diff(to.addr());
    // SAFETY: the caller's promise; none overlap of those that must not.
    unsafe {
        match len {
            _ if len < OWN || apart < len => move_bytes(from, to, len),
            _ if len >= MAY_LEAVE && len >= leaving() => past_caches(from, to, len),
            _ if len >= long && string_is_faster() => by_string(from, to, len),
            _ => by_words(from, to, len),
        }
    }
}

/// The kernel maps so many bytes around one that is read for the first time, as far as they are there, but of one that is
/// written its page alone.
const AROUND: usize = 64 << 10;

/// Fewer bytes have few pages, and their first line may be dear to read in vain.
const PAGES: usize = 16 << 10;

/// [`copy`] to memory of the segment, which its owner may have touched, but not this process: reads of each piece that the
/// kernel maps together first. (The first puts of 1 MiB to such memory run at 8.1 GB/s, not 2.6.)
///
/// # Safety
/// As [`copy`].
#[inline(never)]
pub unsafe fn copy_to_segment(from: *const u8, to: *mut u8, len: usize) {
    let mut at = 0;
    while len >= PAGES && at < len {
        // SAFETY: the caller's promise: the byte is one of the target's.
        unsafe { to.add(at).read_volatile() };
        at += AROUND - to.wrapping_add(at).addr() % AROUND;
    }
    // SAFETY: the caller's promise.
    unsafe { copy_with(LONG_READ, from, to, len) }
}

/// So many bytes, and as many of the target, leave the last cache while they are copied.
pub fn leaving() -> usize {
    last_cache() / 3
}

/// How a block of `len` bytes is copied that a process gives itself, where so many processes exchange blocks as long: past the caches where these, read
/// and written, fill half of the last one. Else what is fetched from others and what is copied drive each other out of it (allgather of two, 4 MiB, on an
/// EPYC 9004: 716 µs, so 577; gather 407, so 368).
pub fn way_among(processes: usize, len: usize) -> Way {
    let all = len.saturating_mul(processes).saturating_mul(processes);
    match len >= MAY_LEAVE && all >= last_cache() / 4 {
        true => Way::PastCaches,
        false => Way::Ordinary,
    }
}

/// The size of the last cache in bytes, as the kernel knows it; no end of it if that does not.
fn last_cache() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| known_last_cache().unwrap_or(usize::MAX))
}

fn known_last_cache() -> Option<usize> {
    let size =
        |i| std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{i}/size"));
    let last = (0..).map_while(|i| size(i).ok()).last()?;
    let kilobytes: usize = last.trim_end().strip_suffix('K')?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Whether the string instruction is the faster copy in the second cache, where to read the lines that it writes over costs
/// something, if less than where another core has them. Tried once.
fn string_is_faster() -> bool {
    static FASTER: OnceLock<bool> = OnceLock::new();
    *FASTER.get_or_init(|| {
        let [words, string] = tried([by_words, by_string]);
        string < words
    })
}

/// So many bytes and as many of the target fit into the second cache, and not into the first.
const TRIED: usize = 32 << 10;
/// The least of so many turns is what a copy takes. They are not turns about: a copy finds the lines as the one before left them.
const TURNS: u32 = 6;

/// What each of these takes to copy [`TRIED`] bytes.
fn tried(copies: [unsafe fn(*const u8, *mut u8, usize); 2]) -> [Duration; 2] {
    let mut took = [Duration::MAX; 2];
    // The addresses differ in their place in a line, as those of malloc and of a window do.
    const APART: usize = 16;
    const ALL: usize = LINE + TRIED + APART + TRIED;
    let mut memory = Vec::new();
    // Without memory neither is the faster one.
    if memory.try_reserve_exact(ALL).is_err() {
        return took;
    }
    memory.resize(ALL, 0_u8);
    let to = memory.as_mut_ptr();
    let to = to.wrapping_add(to.align_offset(LINE));
    let from = to.wrapping_add(TRIED + APART);
    for (copy, took) in copies.into_iter().zip(&mut took) {
        for _ in 0..TURNS {
            let begun = Instant::now();
            // SAFETY: both lie in the memory, and do not overlap.
            unsafe { copy(from, to, TRIED) };
            // Until all is stored.
            fence(Ordering::SeqCst);
            *took = begun.elapsed().min(*took);
        }
    }
    took
}

/// How memory is copied to where another core reads it next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As [`copy`] does.
    Ordinary,
    /// The beginning by words, and the rest, as much as the string instruction begins with at once, by that if it is the faster
    /// one. It is for bytes of [`IN_TWO`], whose lines are not far: neither way alone is done with them at once.
    InTwo,
    PastCaches,
}

/// Copies `len` bytes into shared memory.
///
/// # Safety
/// As [`std::ptr::copy_nonoverlapping`].
#[inline]
pub unsafe fn copy_by(way: Way, from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match way {
            Way::InTwo if IN_TWO.contains(&len) && string_is_faster() => {
                let words = len - AT_ONCE;
                by_words(from, to, words);
                by_string(from.add(words), to.add(words), AT_ONCE);
            }
            Way::Ordinary | Way::InTwo => copy_with(LONG_READ, from, to, len),
            Way::PastCaches => past_caches(from, to, len),
        }
    }
}

/// On an AMD EPYC 9005 the string instruction takes 80 ns to begin with more than so many bytes; up to them it writes as other
/// stores do, but whole lines at a time.
const AT_ONCE: usize = 2 << 10;

/// 4 KiB go from a core to one that shares the last cache in 165 ns then, by either way in 197 to 233. Longer ones are by the string
/// instruction alone.
pub const IN_TWO: RangeInclusive<usize> = AT_ONCE + OWN..=LONG_READ;

/// Copies `len` bytes that do not overlap, at least [`OWN`].
///
/// # Safety
/// As [`std::ptr::copy_nonoverlapping`].
pub unsafe fn by_words(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match is_x86_feature_detected!("avx2") {
            true => avx2::copy(from, to, len),
            false => move_bytes(from, to, len),
        }
    }
}

/// Copies `len` bytes that do not overlap.
///
/// # Safety
/// As [`std::ptr::copy_nonoverlapping`].
pub unsafe fn by_string(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rsi") from => _,
            inout("rdi") to => _,
            inout("rcx") len => _,
            options(nostack, preserves_flags)
        );
    }
}

/// Copies `len` bytes into shared memory, past the caches: lines need not be fetched from the other core's cache, which has
/// read there before, only to be overwritten, and that core then reads them at the pace of memory.
///
/// Ordered before all stores after it, as an ordinary copy is.
///
/// # Safety
/// As [`std::ptr::copy_nonoverlapping`].
pub unsafe fn past_caches(from: *const u8, to: *mut u8, len: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    let before = to.align_offset(LINE).min(len);
    let after = before + (len - before) / LINE * LINE;
    // SAFETY: the three pieces are the caller's bytes; each line of the middle one is aligned in `to`. SSE2 is part of
    // x86-64.
    unsafe {
        from.copy_to_nonoverlapping(to, before);
        for at in (before..after).step_by(LINE) {
            let (from, to) = (from.add(at).cast::<__m128i>(), to.add(at).cast::<__m128i>());
            let line = [0, 1, 2, 3].map(|i| _mm_loadu_si128(from.add(i)));
            for (i, part) in line.into_iter().enumerate() {
                _mm_stream_si128(to.add(i), part);
            }
        }
        let rest = len - after;
        from.add(after).copy_to_nonoverlapping(to.add(after), rest);
        _mm_sfence();
    }
}

pub mod avx2 {
    use std::arch::x86_64::*;

    const WORD: usize = size_of::<__m256i>();

    /// Copies at least [`WORD`] bytes that do not overlap.
    ///
    /// # Safety
    /// `from` is readable and `to` writable for `len` bytes.
    #[target_feature(enable = "avx2")]
    pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: every access lies within the `len` bytes: `done` is WORD at most to begin with, and the last word is
        // counted from the end.
        unsafe {
            let load = |at: usize| _mm256_loadu_si256(from.add(at).cast());
            let last = load(len - WORD);
            _mm256_storeu_si256(to.cast(), load(0));
            // From here on the stores do not cross cache lines.
            let mut done = WORD - to.addr() % WORD;
            let store = |at: usize, word| _mm256_store_si256(to.add(at).cast(), word);
            while done + 4 * WORD <= len {
                let words = [0, 1, 2, 3].map(|i| load(done + i * WORD));
                for (i, word) in words.into_iter().enumerate() {
                    store(done + i * WORD, word);
                }
                done += 4 * WORD;
            }
            while done + WORD <= len {
                store(done, load(done));
                done += WORD;
            }
            _mm256_storeu_si256(to.add(len - WORD).cast(), last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_and_length_is_copied_and_nothing_else() {
        let bytes: Vec<u8> = (0..20_000_u32).map(|i| (i * 7 % 251) as u8 + 1).collect();
        for len in (0..130).chain(1000..1200).chain([4096, PAGES + 1]) {
            for (skip, shift) in [(0, 0), (16, 0), (0, 1), (3, 31), (33, 64), (63, 17)] {
                let mut there = vec![0_u8; 20_000];
                let (from, to) = (bytes[skip..].as_ptr(), there[shift..].as_mut_ptr());
                // SAFETY: both arrays are longer.
                unsafe { copy_to_segment(from, to, len) };
                assert_eq!(there[shift..shift + len], bytes[skip..skip + len], "{len}");
                let mut others = there[..shift].iter().chain(&there[shift + len..]);
                assert!(others.all(|&b| b == 0), "{len} from {skip} to {shift}");
            }
        }
    }

    #[test]
    fn what_leaves_the_caches_arrives_all_the_same() {
        let cache = last_cache().min(16 << 20);
        assert!(cache >= MAY_LEAVE && leaving() >= cache / 3);
        let len = leaving().min(cache / 3) + 5;
        let bytes: Vec<u8> = (0..len).map(|i| (i * 7 % 251) as u8 + 1).collect();
        let mut there = vec![0_u8; len + 3];
        // SAFETY: both arrays are long enough.
        unsafe { copy(bytes.as_ptr(), there.as_mut_ptr().add(1), len) };
        assert!(there[1..=len] == bytes && there[0] == 0 && there[len + 1..] == [0, 0]);
    }

    #[test]
    fn what_overlaps_is_moved() {
        let before: Vec<u8> = (0..10_000_u32).map(|i| (i % 251) as u8).collect();
        for (from, to) in [(0, 100), (100, 0), (0, 1), (5, 5)] {
            let mut bytes = before.clone();
            let at = bytes.as_mut_ptr();
            // SAFETY: both parts lie within the array.
            unsafe { copy(at.add(from), at.add(to), 5000) };
            assert_eq!(bytes[to..to + 5000], before[from..from + 5000]);
        }
    }

    #[test]
    fn each_way_copies_all_places_and_lengths_and_nothing_else() {
        let source: Vec<u8> = (0..8192_u32).map(|i| (i * 7 + i / 256) as u8).collect();
        unsafe fn in_two(from: *const u8, to: *mut u8, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { copy_by(Way::InTwo, from, to, len) };
        }
        let copy_all = |way: unsafe fn(*const u8, *mut u8, usize), lengths: &[usize]| {
            for (from, to) in [(0, 0), (1, 0), (0, 1), (40, 16), (63, 40), (16, 63)] {
                for &len in lengths {
                    let mut target = vec![0xee_u8; 8192];
                    let begin = target.as_ptr().align_offset(LINE) + to;
                    let (here, there) = (source[from..].as_ptr(), target[begin..].as_mut_ptr());
                    // SAFETY: both have room for the longest of them behind the largest offset.
                    unsafe { way(here, there, len) };
                    assert_eq!(target[begin..begin + len], source[from..from + len]);
                    assert!(target[..begin].iter().all(|&byte| byte == 0xee));
                    assert!(target[begin + len..].iter().all(|&byte| byte == 0xee));
                }
            }
        };
        let long = [OWN, 1025, 1087, 1088, 3000];
        for way in [by_words, by_string, past_caches] {
            copy_all(way, &long);
        }
        copy_all(in_two, &[3071, 3072, 3073, 5120, 5121]);
        for way in [by_string, past_caches] {
            copy_all(way, &[0, 1, 63, 64, 65, 1023]);
        }
    }
}
