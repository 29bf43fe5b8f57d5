//! Copies of memory that other processes see.
//!
//! | bytes                           | how                |
//! |---------------------------------|--------------------|
//! | few                             | libc               |
//! | [`OWN`] and more                | 32 bytes at a time |
//! | a third of the last cache, more | past the caches    |
//!
//! libc takes `rep movsb` on many processors, a tenth slower than 32 bytes at a time as soon as the addresses differ in their
//! place in a cache line, as those of a window and of malloc do. Source and target that the last cache does not hold drive each
//! other out of it; libc goes past it too late, or never, where a virtual machine tells it of a cache that is not there.
//!
//! On an AMD EPYC 9004 with a last cache of 32 MiB, own way and libc: 32 KiB 565 ns and 630, 4 MiB 93 µs and 103, 16 MiB 1.2 ms
//! and 2.0, and if the target is read next 2.3 ms and 2.9. The bounds are found again by `make bench BENCH=--thresholds`.

use std::ptr::copy as move_bytes;
use std::sync::OnceLock;

/// Fewer bytes are libc's.
pub const OWN: usize = 1024;

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
    if len >= OWN && from.addr().abs_diff(to.addr()) >= len {
        if len >= MAY_LEAVE && len >= leaving() {
            // SAFETY: the caller's promise; the bytes do not overlap.
            return unsafe { copy_past_caches(from, to, len) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the same; they are at least a kilobyte.
            return unsafe { avx2::copy(from, to, len) };
        }
    }
    // SAFETY: the caller's promise.
    unsafe { move_bytes(from, to, len) }
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
    unsafe { copy(from, to, len) }
}

/// So many bytes, and as many of the target, leave the last cache while they are copied.
pub fn leaving() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| last_cache().map_or(usize::MAX, |cache| cache / 3))
}

/// The size of the last cache in bytes, as the kernel knows it.
fn last_cache() -> Option<usize> {
    let size =
        |i| std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{i}/size"));
    let last = (0..).map_while(|i| size(i).ok()).last()?;
    let kilobytes: usize = last.trim_end().strip_suffix('K')?.parse().ok()?;
    Some(kilobytes << 10)
}

/// How memory is copied to where another core reads it next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As any other: [`copy`].
    Words,
    /// By the string instruction, which need not read a line before it writes all of it. On some processors it takes half as long,
    /// where another core has read those lines last; on others, longer.
    String,
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
            Way::Words => copy(from, to, len),
            Way::String => std::arch::asm!(
                "rep movsb",
                inout("rsi") from => _,
                inout("rdi") to => _,
                inout("rcx") len => _,
                options(nostack, preserves_flags)
            ),
            Way::PastCaches => copy_past_caches(from, to, len),
        }
    }
}

/// Copies `len` bytes into shared memory, past the caches: lines need not be fetched from the other core's cache, which has
/// read there before, only to be overwritten, and that core then reads them at the pace of memory.
///
/// Ordered before all stores after it, as an ordinary copy is.
///
/// # Safety
/// As [`std::ptr::copy_nonoverlapping`].
pub unsafe fn copy_past_caches(from: *const u8, to: *mut u8, len: usize) {
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
        let cache = last_cache().unwrap_or(16 << 20);
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
    fn ways_to_other_cores_for_all_alignments_and_lengths() {
        let source: Vec<u8> = (0..4096_u32).map(|i| (i * 7 + i / 256) as u8).collect();
        for (from, to) in [(0, 0), (1, 0), (0, 1), (40, 16), (63, 40), (16, 63)] {
            let lengths = [0, 1, 63, 64, 65, 1023, 1024, 1025, 1087, 1088, 3000];
            let ways = [Way::Words, Way::String, Way::PastCaches];
            for (len, way) in lengths
                .into_iter()
                .flat_map(|len| ways.map(|way| (len, way)))
            {
                let mut target = vec![0xee_u8; 4096];
                let begin = target.as_ptr().align_offset(LINE) + to;
                // SAFETY: both have room for the longest of them behind the largest offset.
                unsafe {
                    copy_by(
                        way,
                        source[from..].as_ptr(),
                        target[begin..].as_mut_ptr(),
                        len,
                    )
                };
                assert_eq!(target[begin..begin + len], source[from..from + len]);
                assert!(target[..begin].iter().all(|&byte| byte == 0xee));
                assert!(target[begin + len..].iter().all(|&byte| byte == 0xee));
            }
        }
    }
}
