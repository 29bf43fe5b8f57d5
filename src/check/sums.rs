//! Sums of memory, by which a change is seen: of all of it up to [`WHOLE`] bytes, of more of pages here and there.
//!
//! The memory may be gone when it is looked at again. So the kernel is asked first, and what is not there has no sum.

use super::ranges::{Range, Ranges};
use crate::shm::PAGE;
use std::arch::is_x86_feature_detected;
use std::ffi::c_void;
use std::ptr::with_exposed_provenance;

const WHOLE: usize = 64 << 10;
/// Of more data so many places are looked at, a page each.
const PLACES: usize = 16;
/// So many ranges are asked for one by one.
const RANGES: usize = 16;
/// Words that are summed side by side: four registers of the widest kind that all machines of today have.
const LANES: usize = 32;

/// What memory is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Sum(u64),
    /// Some of it is not mapped.
    Gone,
    /// Nobody can say.
    Unknown,
}

/// The same of all bytes of a range.
pub fn of_range(range: Range) -> Look {
    let mut data = Ranges::default();
    data.add(range);
    of(&data)
}

/// Of bytes that are there, as those of a call's buffer: of the first [`WHOLE`] of them.
pub fn of_present(blocks: impl Iterator<Item = Range>) -> u64 {
    let mut left = WHOLE;
    let mut total = 0;
    for (from, to) in blocks {
        let to = to.min(from + left);
        total = sum(total, (from, to));
        left -= to - from;
        if left == 0 {
            break;
        }
    }
    total
}

/// What the memory is like now.
pub fn of(data: &Ranges) -> Look {
    let Some(hull) = data.hull() else {
        return Look::Unknown;
    };
    match data.len() {
        0..=RANGES if !data.iter().all(is_there) => Look::Gone,
        0..=RANGES => of_used(data),
        // Between them there may be none.
        _ if !is_there(hull) => Look::Unknown,
        _ => of_used(data),
    }
}

/// The same of memory that is there, as the present call has used it.
pub fn of_used(data: &Ranges) -> Look {
    if data.is_empty() {
        return Look::Unknown;
    }
    let bytes = data.bytes();
    if bytes <= WHOLE {
        return Look::Sum(data.iter().fold(0, sum));
    }
    let step = bytes / PLACES;
    let (mut total, mut next, mut before) = (0, 0, 0);
    for (from, to) in data.iter() {
        while next < before + (to - from) {
            let at = from + (next - before);
            total = sum(total, (at, to.min(at + PAGE)));
            next += step;
        }
        before += to - from;
    }
    Look::Sum(total)
}

/// Whether the memory is mapped.
pub fn is_there((from, to): Range) -> bool {
    let first = from & !(PAGE - 1);
    // SAFETY: with MS_ASYNC the kernel looks whether all of it is mapped, and does nothing.
    let answer = unsafe {
        libc::msync(
            with_exposed_provenance::<c_void>(first).cast_mut(),
            to - first,
            libc::MS_ASYNC,
        )
    };
    answer == 0
}

/// One step of a sum.
#[inline(always)]
fn mix(sum: u64, word: u64) -> u64 {
    let mixed = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed.rotate_left(29)
}

/// As [`of_present`], of a word.
#[inline(always)]
pub fn of_word(at: usize) -> u64 {
    // SAFETY: as in `sum`.
    let word = unsafe { with_exposed_provenance::<u64>(at).read_unaligned() };
    mix(0, word)
}

/// Goes on from `before` with the bytes of a range that are there.
fn sum(before: u64, (from, to): Range) -> u64 {
    // SAFETY: the program has given the memory to be read; it is there.
    let bytes =
        unsafe { std::slice::from_raw_parts(with_exposed_provenance::<u8>(from), to - from) };
    let (blocks, rest) = bytes.as_chunks::<{ 4 * LANES }>();
    let sum = match blocks.is_empty() {
        true => before,
        false => {
            let lanes = match is_x86_feature_detected!("avx2") {
                // SAFETY: the machine has the instructions.
                true => unsafe { lanes_wide(blocks) },
                false => lanes(blocks),
            };
            lanes
                .iter()
                .fold(before, |sum, lane| mix(sum, (*lane).into()))
        }
    };
    let (words, rest) = rest.as_chunks::<8>();
    let sum = words
        .iter()
        .fold(sum, |sum, word| mix(sum, u64::from_ne_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| mix(sum, (*byte).into()))
}

#[target_feature(enable = "avx2")]
fn lanes_wide(blocks: &[[u8; 4 * LANES]]) -> [u32; LANES] {
    lanes(blocks)
}

/// Each step can be undone, so that one word that differs makes another sum.
#[inline(always)]
fn lanes(blocks: &[[u8; 4 * LANES]]) -> [u32; LANES] {
    let mut lanes = [0x9e37_79b9_u32; LANES];
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<4>().0) {
            let mixed = *lane ^ u32::from_ne_bytes(*word);
            *lane = mixed.wrapping_add(mixed << 7);
        }
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Ranges {
        let mut data = Ranges::default();
        let from = bytes.as_ptr().expose_provenance();
        data.add((from, from + bytes.len()));
        data
    }

    #[test]
    fn every_byte_counts_and_its_place() {
        let word = 0x1234_5678_9abc_def0_u64;
        let at = (&raw const word).expose_provenance();
        assert_eq!(of_word(at), of_present([(at, at + 8)].into_iter()));
        for len in [1, 7, 64, 100, 4096, WHOLE] {
            let mut bytes: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
            let before = of(&all(&bytes));
            for at in (0..len).step_by(1 + len / 50) {
                bytes[at] ^= 0x10;
                assert_ne!(of(&all(&bytes)), before, "byte {at} of {len}");
                bytes[at] ^= 0x10;
            }
            assert_eq!(of(&all(&bytes)), before);
        }
        let (a, b) = ([1_u8, 2].repeat(64), [2_u8, 1].repeat(64));
        assert_ne!(of(&all(&a)), of(&all(&b)));
    }

    #[test]
    fn much_is_looked_at_here_and_there() {
        let mut bytes = vec![3_u8; 40 * WHOLE];
        let before = of(&all(&bytes));
        bytes[0] = 4;
        assert_ne!(of(&all(&bytes)), before);
        bytes.fill(9);
        assert_ne!(of(&all(&bytes)), before);
    }

    #[test]
    fn memory_that_is_gone_has_no_sum() {
        let (free, len) = (std::ptr::null_mut(), 64 * PAGE);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: new memory is mapped, and unmapped again.
        let at = unsafe { libc::mmap(free, len, access, flags, -1, 0) };
        let (mut little, mut much) = (Ranges::default(), Ranges::default());
        little.add((at.addr() + 5, at.addr() + 2 * PAGE));
        much.add((at.addr() + 5, at.addr() + len));
        let is_sum = |data| matches!(of(data), Look::Sum(_));
        assert!(is_sum(&little) && is_sum(&much));
        // SAFETY: as above.
        unsafe { libc::munmap(at, len) };
        assert_eq!((of(&little), of(&much)), (Look::Gone, Look::Gone));
    }
}
