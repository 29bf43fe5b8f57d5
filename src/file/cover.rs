//! What a collective access covers of a file, as its processes tell each other of it, and what follows from that.
//!
//! Whether the runs of all processes cover their span exactly once is seen from a sum: each run adds a hash of where it ends, and
//! takes away one of where it begins. If the sum of all runs is that of one run over the whole span, places where runs begin are
//! places where others end, but for the two ends: so the number of runs over a byte is the same everywhere in the span, and it is
//! 1. (A sum that is right by chance has one chance in 2^64.)

use crate::neutral;
use macro_rules_attribute::apply;

/// What the access of one process covers.
#[apply(neutral)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covered {
    /// The first byte of the file, and the one behind the last.
    pub low: u64,
    pub high: u64,
    /// Of data.
    pub bytes: u64,
    /// The sum of its runs, if it was made.
    pub sum: Option<u64>,
}

impl Covered {
    /// No data at all.
    pub const NOTHING: Covered = Covered {
        low: u64::MAX,
        high: 0,
        bytes: 0,
        sum: Some(0),
    };
}

/// What the accesses of all cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub low: u64,
    pub high: u64,
    /// Whether each byte is covered by exactly one run, as far as is known.
    pub exactly: bool,
}

/// A run's part of a sum.
pub fn run(place: u64, len: usize) -> u64 {
    hash(place + len as u64).wrapping_sub(hash(place))
}

/// Different for each place, with nothing in common for places in a row.
fn hash(place: u64) -> u64 {
    let mut x = place.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// What processes cover that move their data by way of shared memory; `None` if that is not worth it: where one of them cannot, where
/// their data does not interleave, or lies far apart. With `always` it is done for everything that has not far more holes than data.
pub fn span(all: &[Option<Covered>], always: bool) -> Option<Span> {
    /// Bytes that are moved at once by one process in less time than several take to agree.
    const FEW: u64 = 64 << 10;
    let mut sum = Some(0_u64);
    let (mut low, mut high, mut bytes, mut spans) = (u64::MAX, 0, 0_u64, 0_u64);
    for covered in all {
        let covered = (*covered)?;
        if covered.bytes == 0 {
            continue;
        }
        low = low.min(covered.low);
        high = high.max(covered.high);
        bytes = bytes.saturating_add(covered.bytes);
        spans = spans.saturating_add(covered.high - covered.low);
        sum = sum.zip(covered.sum).map(|(a, b)| a.wrapping_add(b));
    }
    let span = high.checked_sub(low).filter(|&span| span > 0)?;
    let worth_it = match always {
        true => bytes >= span / 16,
        false => bytes >= FEW && bytes >= span / 2 && spans >= span.saturating_add(span / 2),
    };
    let exactly = sum == Some(run(low, span as usize));
    worth_it.then_some(Span { low, high, exactly })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(runs: &[(u64, usize)]) -> Option<Covered> {
        let last = runs[runs.len() - 1];
        let sum = |sum: u64, &(place, len): &(u64, usize)| sum.wrapping_add(run(place, len));
        Some(Covered {
            low: runs[0].0,
            high: last.0 + last.1 as u64,
            bytes: runs.iter().map(|run| run.1 as u64).sum(),
            sum: Some(runs.iter().fold(0, sum)),
        })
    }

    fn exactly(all: &[Option<Covered>]) -> bool {
        span(all, true).expect("it is worth it").exactly
    }

    #[test]
    fn exact_covers() {
        let columns = |first| covered(&[(first, 8), (first + 16, 8), (first + 32, 8)]);
        assert!(exactly(&[columns(100), columns(108)]));
        assert!(exactly(&[
            columns(100),
            Some(Covered::NOTHING),
            columns(108)
        ]));
        let uneven = [covered(&[(0, 5), (9, 1)]), covered(&[(5, 4), (10, 7)])];
        assert!(exactly(&uneven));
        assert_eq!(
            span(&uneven, true),
            Some(Span {
                low: 0,
                high: 17,
                exactly: true
            })
        );
    }

    #[test]
    fn holes_and_overlaps() {
        let columns = |first| covered(&[(first, 8), (first + 16, 8)]);
        // A hole; an overlap; both, so that there are as many bytes as the span has.
        assert!(!exactly(&[columns(0), columns(0)]));
        assert!(!exactly(&[
            columns(0),
            covered(&[(8, 8), (24, 7), (32, 1)])
        ]));
        assert!(!exactly(&[columns(0), covered(&[(4, 8), (24, 8)])]));
        // Each byte twice.
        let twice = [columns(0), columns(0), columns(8), columns(8)];
        assert!(!exactly(&twice));
        // A sum that was not made.
        let unknown = columns(8).map(|covered| Covered {
            sum: None,
            ..covered
        });
        assert!(!exactly(&[columns(0), unknown]));
    }

    #[test]
    fn what_is_not_worth_it() {
        let of = |low, high, bytes| {
            Some(Covered {
                low,
                high,
                bytes,
                sum: None,
            })
        };
        let mib = 1 << 20;
        let worth = |all: &[Option<Covered>]| span(all, false).is_some();
        assert!(worth(&[of(0, 2 * mib, mib), of(8, 2 * mib + 8, mib)]));
        // One after the other; little; far apart; one that cannot.
        assert!(!worth(&[of(0, mib, mib), of(mib, 2 * mib, mib)]));
        assert!(!worth(&[of(0, 16, 8), of(8, 24, 8)]));
        assert!(!worth(&[of(0, 8 * mib, mib), of(8, 8 * mib + 8, mib)]));
        assert!(!worth(&[of(0, 2 * mib, mib), None]));
        assert!(span(&[of(0, 16, 8), of(8, 24, 8)], true).is_some());
        assert!(span(&[of(0, 1000, 8), of(8, 1008, 8)], true).is_none());
        assert!(span(&[Some(Covered::NOTHING); 2], true).is_none());
    }
}
