//! Sums of memory, by which a change is seen: of all of it up to [`WHOLE`] bytes, of more of pages here and there.
//!
//! The memory may be gone when it is looked at again. So the kernel is asked first, and what is not there has no sum.

use super::ranges::{Range, Ranges};
use crate::shm::PAGE;
use std::ffi::c_void;
use std::ptr::with_exposed_provenance;

const WHOLE: usize = 64 << 10;
/// Of more data so many places are looked at, a page each.
const PLACES: usize = 16;
/// Words that are summed side by side.
const LANES: usize = 16;

/// The sum of what is in the memory now. `None`: there is nothing, some of it is not there, or it lies too far apart.
pub fn of(data: &Ranges) -> Option<u64> {
    let hull = data.hull()?;
    let bytes = data.bytes();
    if bytes <= WHOLE {
        // One question for all.
        if hull.1 - hull.0 > 16 * WHOLE || !is_there(hull) {
            return None;
        }
        return Some(data.iter().fold(0, sum));
    }
    let step = bytes / PLACES;
    let (mut total, mut next, mut before) = (0, 0, 0);
    for (from, to) in data.iter() {
        while next < before + (to - from) {
            let at = from + (next - before);
            // Within a page, so that none behind it is needed.
            let part = (at, to.min((at + 1).next_multiple_of(PAGE)));
            if !is_there(part) {
                return None;
            }
            total = sum(total, part);
            next += step;
        }
        before += to - from;
    }
    Some(total)
}

/// Whether the memory is mapped.
fn is_there((from, to): Range) -> bool {
    let first = from & !(PAGE - 1);
    let len = to - first;
    let mut pages = [0_u8; 16 * WHOLE / PAGE + 2];
    // SAFETY: the kernel looks at its own tables, and writes a byte for each page: the hulls that are asked for are bounded.
    let answer = unsafe {
        libc::mincore(
            with_exposed_provenance::<c_void>(first).cast_mut(),
            len,
            pages.as_mut_ptr(),
        )
    };
    answer == 0
}

/// Goes on from `before` with the bytes of a range that are there.
fn sum(before: u64, (from, to): Range) -> u64 {
    // SAFETY: the program has given the memory to be read; it is there.
    let bytes =
        unsafe { std::slice::from_raw_parts(with_exposed_provenance::<u8>(from), to - from) };
    let mut lanes = [0x9e37_79b9_u32; LANES];
    let mut blocks = bytes.chunks_exact(4 * LANES);
    for block in &mut blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<4>().0) {
            *lane = lane.rotate_left(5) ^ u32::from_ne_bytes(*word);
        }
    }
    let mix = |sum: u64, word: u64| {
        (sum ^ word)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    let sum = lanes
        .iter()
        .fold(before, |sum, lane| mix(sum, (*lane).into()));
    let rest = blocks.remainder().iter();
    rest.fold(sum, |sum, byte| mix(sum, (*byte).into()))
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
        for len in [1, 7, 64, 100, 4096, WHOLE] {
            let mut bytes: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
            let before = of(&all(&bytes)).unwrap();
            for at in (0..len).step_by(1 + len / 50) {
                bytes[at] ^= 0x10;
                assert_ne!(of(&all(&bytes)), Some(before), "byte {at} of {len}");
                bytes[at] ^= 0x10;
            }
            assert_eq!(of(&all(&bytes)), Some(before));
        }
        let (a, b) = ([1_u8, 2].repeat(64), [2_u8, 1].repeat(64));
        assert_ne!(of(&all(&a)), of(&all(&b)));
    }

    #[test]
    fn much_is_looked_at_here_and_there() {
        let mut bytes = vec![3_u8; 40 * WHOLE];
        let before = of(&all(&bytes)).unwrap();
        bytes[0] = 4;
        assert_ne!(of(&all(&bytes)), Some(before));
        bytes.fill(9);
        assert_ne!(of(&all(&bytes)), Some(before));
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
        assert!(of(&little).is_some() && of(&much).is_some());
        // SAFETY: as above.
        unsafe { libc::munmap(at, len) };
        assert_eq!((of(&little), of(&much)), (None, None));
    }
}
