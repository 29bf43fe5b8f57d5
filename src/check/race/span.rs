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

    #[inline(always)]
    pub fn is_one_block(&self) -> bool {
        self.high - self.low == self.block
    }

    /// Whether some of the bytes from this one's first to its last may be the other's.
    #[inline(always)]
    pub fn meets(&self, other: &Span) -> bool {
        self.low < other.high && other.low < self.high
    }

    /// How many blocks there are.
    #[inline(always)]
    pub fn blocks(&self) -> u64 {
        (self.high - self.low).div_ceil(self.stride)
    }

    /// With one more block of `len` bytes at `at`, if that goes on as the blocks before.
    #[inline(always)]
    pub fn with(&self, at: u64, len: u64) -> Option<Span> {
        let stride = match self.is_one_block() {
            true => at.checked_sub(self.low)?,
            false => self.stride,
        };
        let is_next = len == self.block && stride >= len && at == self.high - len + stride;
        let high = at.checked_add(len)?;
        let (low, block) = (self.low, len);
        is_next.then_some(Span {
            low,
            high,
            block,
            stride,
        })
    }

    /// With all blocks of `next`, if those go on as the blocks before.
    pub fn with_all(&self, next: &Span) -> Option<Span> {
        let all = self.with(next.low, next.block)?;
        let goes_on = next.is_one_block() || next.stride == all.stride;
        let high = next.high;
        goes_on.then_some(Span { high, ..all })
    }

    /// Whether this one, without gaps, has all of the other's bytes.
    #[inline]
    pub fn has(&self, other: &Span) -> bool {
        !self.has_gaps() && self.low <= other.low && other.high <= self.high
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
            (true, true) if self.is_between(other) => None,
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

    /// Whether no block meets one of the other, wherever they begin and end: by the least distance that both steps lead to.
    fn is_between(&self, other: &Span) -> bool {
        let grid = gcd(self.stride, other.stride);
        let apart = self.low.abs_diff(other.low) % grid;
        let behind = match apart {
            apart if apart > 0 && other.low < self.low => grid - apart,
            apart => apart,
        };
        behind >= self.block && grid - behind >= other.block
    }

    /// The blocks that do not end before `low`.
    pub fn blocks_from(&self, low: u64) -> impl Iterator<Item = (u64, u64)> + Clone + use<> {
        let first = low.saturating_sub(self.low) / self.stride;
        let blocks = self.blocks();
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

/// Which bytes of a target an operation, or a series of them, takes from which of the origin, or brings there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub far: Span,
    /// In a series: block for block as `far`, or one block for all of them.
    pub near: Span,
    pub is_series: bool,
}

impl Pair {
    /// Both as one series, if `next` goes on as this one does.
    pub fn with(&self, next: &Pair) -> Option<Pair> {
        if ![self, next].into_iter().all(Pair::is_in_blocks) {
            return None;
        }
        let is_paired = |pair: &Pair| pair.near.blocks() == pair.far.blocks();
        let near = match self.near == next.near && self.near.is_one_block() {
            true => self.near,
            false if is_paired(self) && is_paired(next) => self.near.with_all(&next.near)?,
            false => return None,
        };
        let far = self.far.with_all(&next.far)?;
        Some(Pair {
            far,
            near,
            is_series: true,
        })
    }

    /// Whether it is a series, or may begin one.
    fn is_in_blocks(&self) -> bool {
        self.is_series || self.far.is_one_block()
    }

    /// Whether bytes that both have are paired alike by both: then it does not matter which comes first.
    pub fn agrees(&self, other: &Pair) -> bool {
        if self == other {
            return true;
        }
        let blocks = [self.far, self.near, other.far, other.near].map(|span| span.block);
        let are_alike = blocks.iter().all(|block| *block == blocks[0]);
        if !are_alike || !self.is_in_blocks() || !other.is_in_blocks() {
            return false;
        }
        let (steps, other_steps): ((u64, u64), _) =
            match (self.far.is_one_block(), other.far.is_one_block()) {
                (true, true) => return false,
                (true, false) => (other.steps(), other.steps()),
                (false, true) => (self.steps(), self.steps()),
                (false, false) => (self.steps(), other.steps()),
            };
        let (far_step, near_step) = steps;
        // Blocks that have a byte in common are the same block.
        let grid = gcd(far_step, other_steps.0);
        if grid < blocks[0] || !self.far.low.abs_diff(other.far.low).is_multiple_of(grid) {
            return false;
        }
        let between = |a: &Span, b: &Span| i128::from(b.low) - i128::from(a.low);
        let far = between(&self.far, &other.far);
        let near = between(&self.near, &other.near);
        let times = |a: u64, b: u64| u128::from(a) * u128::from(b);
        match times(far_step, other_steps.1) == times(other_steps.0, near_step) {
            true => near * i128::from(far_step) == far * i128::from(near_step),
            false => self.agree_in_one(other),
        }
    }

    /// Whether two series, whose steps differ, have one block in common, and that from the same bytes.
    fn agree_in_one(&self, other: &Pair) -> bool {
        let high = self.far.high.min(other.far.high);
        let blocks = self.far.blocks_from(self.far.low.max(other.far.low));
        let mut common = blocks
            .map(|(low, _)| low)
            .take_while(|low| *low < high)
            .filter(|low| other.near_of(*low).is_some());
        match (common.next(), common.next()) {
            (Some(low), None) => self.near_of(low) == other.near_of(low),
            _ => false,
        }
    }

    /// Where the block of the origin is that goes with the one at `far` of the target, if there is one.
    fn near_of(&self, far: u64) -> Option<u64> {
        let (far_step, near_step) = self.steps();
        let behind = far.checked_sub(self.far.low)?;
        let is_one = behind.is_multiple_of(far_step) && far < self.far.high;
        is_one.then(|| self.near.low + behind / far_step * near_step)
    }

    /// From a block to the next one, on both sides.
    fn steps(&self) -> (u64, u64) {
        let near = match self.near.is_one_block() {
            true => 0,
            false => self.near.stride,
        };
        (self.far.stride, near)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        b => gcd(b, a % b),
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
    fn blocks_that_go_on_are_one_span() {
        let first = Span::run(100, 8);
        let gaps = first.with(124, 8).unwrap();
        assert_eq!(bytes(&gaps), [bytes(&first), (124..132).collect()].concat());
        assert_eq!(gaps.with(148, 8).map(|span| span.high), Some(156));
        for (at, len) in [(140, 8), (148, 4), (124, 8), (100, 8)] {
            assert_eq!(gaps.with(at, len), None);
        }
        assert_eq!((first.with(92, 8), first.with(104, 8)), (None, None));
        let close = first.with(108, 8).and_then(|span| span.with(116, 8));
        assert_eq!(close.unwrap().common(&Span::run(0, 500)), Some((100, 124)));
    }

    #[test]
    fn pairs_agree_where_each_block_has_one_partner() {
        let series = |far: u64, step: u64, near: u64, near_step: u64, count: u64| {
            let (mut fars, mut nears) = (Span::run(far, 8), Span::run(near, 8));
            for n in 1..count {
                fars = fars.with(far + n * step, 8).unwrap();
                if near_step > 0 {
                    nears = nears.with(near + n * near_step, 8).unwrap();
                }
            }
            Pair {
                far: fars,
                near: nears,
                is_series: true,
            }
        };
        let all = series(0, 16, 1000, 8, 10);
        for n in 0..10 {
            let one = series(16 * n, 0, 1000 + 8 * n, 0, 1);
            let other = series(16 * n, 0, 1008 + 8 * n, 0, 1);
            assert!(all.agrees(&one) && one.agrees(&all));
            assert!(!all.agrees(&other) && !other.agrees(&all));
            assert!(all.agrees(&series(16 * n, 16, 1000 + 8 * n, 8, 3)));
            // The last one has but its first block in common.
            let has_more = n < 9;
            assert_ne!(
                all.agrees(&series(16 * n, 16, 1000 + 8 * n, 16, 3)),
                has_more
            );
            assert!(!all.agrees(&series(16 * n, 16, 1008 + 8 * n, 16, 3)));
            assert!(!all.agrees(&series(16 * n + 4, 16, 1000 + 8 * n, 8, 3)));
            assert!(all.agrees(&series(16 * n, 48, 1000 + 8 * n, 24, 3)));
            let has_more = n < 7;
            assert_ne!(
                all.agrees(&series(16 * n, 48, 1000 + 8 * n, 16, 3)),
                has_more
            );
            assert!(!all.agrees(&series(16 * n, 20, 1000 + 8 * n, 10, 3)));
        }
        let from_one = series(0, 16, 1000, 0, 10);
        assert!(from_one.agrees(&series(32, 0, 1000, 0, 1)) && !from_one.agrees(&all));
        // A datatype's blocks are no series.
        let column = Pair {
            near: Span::run(1000, 80),
            is_series: false,
            ..all
        };
        let shifted = Pair {
            far: series(16, 16, 0, 8, 10).far,
            ..column
        };
        assert!(column.agrees(&column) && !column.agrees(&shifted));
    }

    #[test]
    fn pairs_that_go_on_are_one_series() {
        let pair = |far: Span, near: Span| Pair {
            far,
            near,
            is_series: false,
        };
        let block = |n: u64, near: u64| pair(Span::run(8 * n, 8), Span::run(near, 8));
        let first = block(0, 1000);
        let near_to_near = first.with(&block(1, 1016)).unwrap();
        let more = near_to_near.with(&block(2, 1032)).unwrap();
        let from_one = first.with(&block(1, 1000)).unwrap();
        for (n, near) in [(0, 1000), (1, 1016), (2, 1032)] {
            assert!(more.agrees(&block(n, near)) && !more.agrees(&block(n, 2000)));
            assert!(from_one.agrees(&block(n, 1000)) && !from_one.agrees(&block(n, 1016)));
        }
        // A series goes on by another one, if the steps are the same.
        let next = block(3, 1048).with(&block(4, 1064)).unwrap();
        let all = more.with(&next).unwrap();
        assert_eq!((all.far.high, all.near.high), (40, 1072));
        assert!(all.agrees(&block(4, 1064)) && !all.agrees(&block(4, 1000)));
        let other = block(3, 1048).with(&block(4, 1056)).unwrap();
        assert_eq!(
            (more.with(&other), more.with(&block(3, 1000))),
            (None, None)
        );
        assert_eq!(
            (from_one.with(&next), near_to_near.with(&from_one)),
            (None, None)
        );
        // A datatype's blocks are none.
        let column = pair(Span::run(8, 16), more.near);
        assert_eq!(
            (first.with(&column), column.with(&block(3, 1048))),
            (None, None)
        );
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
