//! Bytes that an operation touches: blocks of one length at one distance from each other.

use smallvec::SmallVec;

/// `block` bytes from `low` on, and again each `stride` bytes further, the last of them before `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub low: u64,
    pub high: u64,
    /// Bytes of a block, and from one's beginning to the next one's; equal where there is one block.
    pub block: u64,
    pub stride: u64,
}

/// Blocks that are looked at one by one where both sides have gaps.
const LOOKS: u64 = 1 << 16;

impl Span {
    #[inline(always)]
    pub fn run(low: u64, len: u64) -> Span {
        Span {
            low,
            high: low.saturating_add(len),
            block: len,
            stride: len,
        }
    }

    #[inline]
    fn has_gaps(&self) -> bool {
        self.stride != self.block
    }

    /// The first bytes that both have, as far as that is found.
    #[inline]
    pub fn common(&self, other: &Span) -> Option<(u64, u64)> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low >= high {
            return None;
        }
        match (self.has_gaps(), other.has_gaps()) {
            (false, false) => Some((low, high)),
            (true, false) => self.block_in(low, high),
            (false, true) => other.block_in(low, high),
            (true, true) => self
                .blocks_from(low)
                .take(LOOKS as usize)
                .find_map(|(from, to)| {
                    let to = to.min(high);
                    if from >= to {
                        None
                    } else {
                        other.block_in(from.max(low), to)
                    }
                }),
        }
    }

    /// The blocks that do not end before `low`.
    pub fn blocks_from(&self, low: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
        let first = low.saturating_sub(self.low) / self.stride;
        let blocks = (self.high - self.low).div_ceil(self.stride);
        let (begin, stride, block) = (self.low, self.stride, self.block);
        (first..blocks).map(move |number| {
            let from = begin + number * stride;
            (from, from + block)
        })
    }

    /// What the first block within these bytes has of them.
    fn block_in(&self, low: u64, high: u64) -> Option<(u64, u64)> {
        let parts = self
            .blocks_from(low)
            .take(2)
            .map(|(from, to)| (from.max(low), to.min(high)));
        parts.into_iter().find(|(from, to)| from < to)
    }
}

/// Spans made of the runs of a message, in their order. What is too irregular is left out.
#[derive(Default)]
pub struct Spans {
    all: SmallVec<[Span; 1]>,
    /// Whether some runs are not in it.
    pub is_cut: bool,
}

impl Spans {
    /// So many spans are kept.
    const MOST: usize = 8;

    #[inline(always)]
    pub fn add(&mut self, at: usize, len: usize) {
        let (at, len) = (at as u64, len as u64);
        match self.all.is_empty() {
            _ if len == 0 => {}
            true => self.all.push(Span::run(at, len)),
            false => self.add_more(at, len),
        }
    }

    #[inline(never)]
    fn add_more(&mut self, at: u64, len: u64) {
        if let Some(last) = self.all.last_mut() {
            let is_single = last.high - last.low == last.block;
            let wanted = match is_single {
                true => at
                    .checked_sub(last.low)
                    .filter(|stride| *stride >= last.block),
                false => Some(last.stride),
            };
            let next = wanted.map(|stride| (last.high - last.block).saturating_add(stride));
            if is_single && !last.has_gaps() && at == last.high {
                *last = Span::run(last.low, last.block + len);
                return;
            }
            if len == last.block && next == Some(at) {
                last.stride = wanted.unwrap_or(len);
                last.high = at + len;
                return;
            }
        }
        if self.all.len() < Spans::MOST {
            self.all.push(Span::run(at, len));
        } else {
            self.is_cut = true;
        }
    }

    pub fn append(&mut self, others: &Spans) {
        let room = Spans::MOST - self.all.len();
        self.is_cut |= others.is_cut || others.all.len() > room;
        self.all.extend(others.all.iter().take(room).copied());
    }

    pub fn all(&self) -> &[Span] {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(span: &Span) -> Vec<u64> {
        let blocks = span.blocks_from(span.low);
        blocks.flat_map(|(from, to)| from..to).collect()
    }

    #[test]
    fn what_two_spans_have_in_common_is_found_as_by_their_lists() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let (mut some, mut none) = (0, 0);
        for _ in 0..20_000 {
            let mut span = || {
                let (low, block, count) = (random(40), 1 + random(5), 1 + random(6));
                let stride = if count == 1 { block } else { block + random(7) };
                let high = low + (count - 1) * stride + block;
                match stride == block {
                    true => Span::run(low, high - low),
                    false => Span {
                        low,
                        high,
                        block,
                        stride,
                    },
                }
            };
            let (a, b) = (span(), span());
            let (of_a, of_b) = (bytes(&a), bytes(&b));
            let first = of_a.iter().find(|byte| of_b.contains(byte));
            match a.common(&b) {
                Some((low, high)) => {
                    assert_eq!(Some(&low), first, "{a:?} {b:?}");
                    assert!((low..high).all(|n| of_a.contains(&n) && of_b.contains(&n)));
                    some += 1;
                }
                None => {
                    assert_eq!(first, None, "{a:?} {b:?}");
                    none += 1;
                }
            }
        }
        assert!(some > 1000 && none > 1000);
    }

    #[test]
    fn runs_become_few_spans() {
        let mut spans = Spans::default();
        for row in 0..100 {
            spans.add(1000 + row * 64, 8);
        }
        assert_eq!(
            spans.all(),
            [Span {
                low: 1000,
                high: 1000 + 99 * 64 + 8,
                block: 8,
                stride: 64
            }]
        );
        for part in 0..5 {
            spans.add(20_000 + part * 16, 16);
        }
        assert_eq!(spans.all()[1], Span::run(20_000, 80));
        assert!(!spans.is_cut);
        for number in 0..20_usize {
            spans.add(50_000 + number.pow(3) * 100, 1 + number % 3);
        }
        assert!(spans.is_cut && spans.all().len() == Spans::MOST);
    }
}
