//! Sets of bytes: ranges of addresses, in order and apart from each other.

use super::room::Room;
use smallvec::SmallVec;

/// From an address up to another, which is not in it.
pub type Range = (usize, usize);

/// Whether both have a byte.
#[inline(always)]
fn meet(a: Range, b: Range) -> bool {
    a.0.max(b.0) < a.1.min(b.1)
}

/// Whether two uses, each of what is read and what is written, have a byte that one of them writes.
#[inline(always)]
pub fn clash(
    (reads, writes): (Range, Range),
    (others_reads, others_writes): (Range, Range),
) -> bool {
    meet(reads, others_writes) || meet(writes, others_writes) || meet(writes, others_reads)
}

/// A set of bytes.
#[derive(Debug, Default)]
pub struct Ranges(SmallVec<[Range; 2]>);

impl Ranges {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = Range> + Clone + '_ {
        self.0.iter().copied()
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.iter().map(|(from, to)| to - from).sum()
    }

    /// From the first byte to the last.
    pub fn hull(&self) -> Option<Range> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// Bytes that are in the set and in `range`, the first of them that lie together.
    pub fn meets(&self, (from, to): Range) -> Option<Range> {
        let at = self.0.partition_point(|range| range.1 <= from);
        let &(first, last) = self.0.get(at)?;
        let met = (first.max(from), last.min(to));
        (met.0 < met.1).then_some(met)
    }

    /// The same; `None` where there is no memory for it.
    pub fn copy(&self) -> Option<Ranges> {
        let mut copy = Ranges::default();
        copy.0.has_room(self.len()).then(|| {
            copy.0.extend_from_slice(&self.0);
            copy
        })
    }

    /// Adds bytes; gives some that were in it before. Where there is no memory for that, they are left out.
    pub fn add(&mut self, range: Range) -> Option<Range> {
        let (mut from, mut to) = range;
        if from >= to {
            return None;
        }
        // Mostly they come in order.
        match self.0.last_mut() {
            Some(last) if last.1 == from => {
                last.1 = to;
                return None;
            }
            Some(last) if last.1 > from => {}
            _ => {
                if self.0.has_room(1) {
                    self.0.push(range);
                }
                return None;
            }
        }
        let met = self.meets(range);
        let first = self.0.partition_point(|range| range.1 < from);
        let mut end = first;
        while let Some(&(other_from, other_to)) = self.0.get(end)
            && other_from <= to
        {
            from = from.min(other_from);
            to = to.max(other_to);
            end += 1;
        }
        match end - first {
            0 if self.0.has_room(1) => self.0.insert(first, (from, to)),
            0 => {}
            _ => {
                self.0[first] = (from, to);
                self.0.drain(first + 1..end);
            }
        }
        met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_as_if_every_byte_were_kept() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..2000 {
            let (mut set, mut bytes) = (Ranges::default(), [false; 40]);
            for _ in 0..8 {
                let from = random(36) as usize;
                let to = from + random(5) as usize;
                let is_there = |range: Range| bytes[range.0..range.1].iter().any(|byte| *byte);
                let (asked, met) = (set.meets((from, to)), set.add((from, to)));
                assert_eq!(
                    met.is_some(),
                    is_there((from, to)),
                    "{from}..{to} of {bytes:?}"
                );
                assert_eq!(met, asked);
                if let Some((first, last)) = met {
                    assert!(from <= first && first < last && last <= to);
                    assert!(bytes[first..last].iter().all(|byte| *byte));
                }
                bytes[from..to].fill(true);
                let mut again = [false; 40];
                set.iter()
                    .for_each(|range| again[range.0..range.1].fill(true));
                assert_eq!(again, bytes);
                let apart = |pair: &[Range]| pair[0].1 < pair[1].0;
                assert!(set.0.windows(2).all(apart), "{set:?}");
                assert_eq!(set.bytes(), bytes.iter().filter(|byte| **byte).count());
            }
        }
    }
}
