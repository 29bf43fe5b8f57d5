//! Copying to and from shared memory by which one core hands data to another.
//!
//! Both are loops over lines of 64 bytes: the C library's `memcpy` takes instructions of the processor's from 2 KiB on that
//! are half as fast where source and destination are aligned differently, as data in a ring and a program's mostly are.

/// Bytes of a line.
const LINE: usize = 64;

/// Fewer bytes are copied as any others.
const LEAST: usize = 1 << 10;

/// Copies `len` bytes out of shared memory, or into it.
///
/// # Safety
/// As [`std::ptr::copy_nonoverlapping`].
#[inline]
pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        match len < LEAST {
            true => from.copy_to_nonoverlapping(to, len),
            false => by_lines::<false>(from, to, len),
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
    // SAFETY: the caller's contract.
    unsafe { by_lines::<true>(from, to, len) }
}

#[cfg(target_arch = "x86_64")]
unsafe fn by_lines<const PAST_CACHES: bool>(from: *const u8, to: *mut u8, len: usize) {
    use std::arch::x86_64::{
        __m128i, _mm_loadu_si128, _mm_sfence, _mm_store_si128, _mm_stream_si128,
    };
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
                match PAST_CACHES {
                    true => _mm_stream_si128(to.add(i), part),
                    false => _mm_store_si128(to.add(i), part),
                }
            }
        }
        let rest = len - after;
        from.add(after).copy_to_nonoverlapping(to.add(after), rest);
        if PAST_CACHES {
            _mm_sfence();
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn by_lines<const PAST_CACHES: bool>(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's contract.
    unsafe { from.copy_to_nonoverlapping(to, len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_alignments_and_lengths() {
        let source: Vec<u8> = (0..4096_u32).map(|i| (i * 7 + i / 256) as u8).collect();
        for copy in [copy, copy_past_caches] {
            for (from, to) in [(0, 0), (1, 0), (0, 1), (40, 16), (63, 40), (16, 63)] {
                for len in [0, 1, 63, 64, 65, 1023, 1024, 1025, 1087, 1088, 3000] {
                    let mut target = vec![0xee_u8; 4096];
                    let begin = target.as_ptr().align_offset(LINE) + to;
                    // SAFETY: both have room for the longest of them behind the largest offset.
                    unsafe { copy(source[from..].as_ptr(), target[begin..].as_mut_ptr(), len) };
                    assert_eq!(target[begin..begin + len], source[from..from + len]);
                    assert!(target[..begin].iter().all(|&byte| byte == 0xee));
                    assert!(target[begin + len..].iter().all(|&byte| byte == 0xee));
                }
            }
        }
    }
}
