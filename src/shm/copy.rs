//! Copies of memory that other processes see.
//!
//! libc's, except for the middle sizes: there it takes `rep movsb` on many processors, which is a tenth slower than 32 bytes at
//! a time as soon as the addresses differ in their place in a cache line, as those of a window and of malloc do
//! (32 KiB on an AMD EPYC 9004: 630 ns against 565). Beyond the level-two cache nothing makes a difference.

use std::ptr::copy as move_bytes;

/// The sizes in bytes that are copied here.
#[cfg(target_arch = "x86_64")]
const MIDDLE: std::ops::Range<usize> = 1024..1 << 20;

/// Copies `len` bytes, which may overlap.
///
/// # Safety
/// `from` is readable and `to` writable for `len` bytes.
// Out of line, so that the way to a single access saves no registers.
#[inline(never)]
pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if MIDDLE.contains(&len)
        && from.addr().abs_diff(to.addr()) >= len
        && is_x86_feature_detected!("avx2")
    {
        // SAFETY: the caller's promise; the bytes do not overlap, and are at least a kilobyte.
        return unsafe { avx2::copy(from, to, len) };
    }
    // SAFETY: the caller's promise.
    unsafe { move_bytes(from, to, len) }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
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
    use super::copy;

    #[test]
    fn every_place_and_length_is_copied_and_nothing_else() {
        let bytes: Vec<u8> = (0..20_000_u32).map(|i| (i * 7 % 251) as u8 + 1).collect();
        for len in (0..130).chain(1000..1200).chain([4096, 16_000]) {
            for (skip, shift) in [(0, 0), (16, 0), (0, 1), (3, 31), (33, 64), (63, 17)] {
                let mut there = vec![0_u8; 20_000];
                // SAFETY: both arrays are longer.
                unsafe { copy(bytes.as_ptr().add(skip), there.as_mut_ptr().add(shift), len) };
                assert_eq!(there[shift..shift + len], bytes[skip..skip + len], "{len}");
                let mut others = there[..shift].iter().chain(&there[shift + len..]);
                assert!(others.all(|&b| b == 0), "{len} from {skip} to {shift}");
            }
        }
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
}
