//! What puts with requests have put, as sums: the program may have put something else into the buffer since, and that is another operation.

use super::span::Span;
use crate::shm::atomic::{AtomicU64, Ordering::Relaxed};

/// So many blocks that differ are known, the last ones.
const KNOWN: usize = 1024;

/// The contents of blocks, by number, and how many there were. One thread writes: that which takes series.
static BLOCKS: [AtomicU64; KNOWN] = [const { AtomicU64::new(0) }; KNOWN];
static COUNT: AtomicU64 = AtomicU64::new(0);

/// What an operation has put, or a series of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// All of it this.
    One(u64),
    /// Each block something else: from which number to behind which.
    Each(u64, u64),
}

impl Content {
    /// What the operation has put, if that is one.
    pub fn one(self) -> Option<u64> {
        match self {
            Content::One(content) => Some(content),
            Content::Each(..) => None,
        }
    }

    /// A series goes on by a block of `next`: whether that has room beside the others. `is_one`: there was one block.
    #[inline(always)]
    pub fn goes_on(&mut self, is_one: bool, next: u64) -> bool {
        match self {
            Content::One(content) if *content == next => true,
            Content::One(content) if is_one => {
                let first = add(*content);
                *self = Content::Each(first, add(next) + 1);
                true
            }
            Content::Each(_, behind) if *behind == COUNT.load(Relaxed) => {
                *behind = add(next) + 1;
                true
            }
            _ => false,
        }
    }

    /// That of a block, if it is known.
    fn of(self, block: u64) -> Option<u64> {
        match self {
            Content::One(content) => Some(content),
            Content::Each(first, _) => {
                let number = first + block;
                let is_known = number + KNOWN as u64 >= COUNT.load(Relaxed);
                is_known.then(|| BLOCKS[number as usize % KNOWN].load(Relaxed))
            }
        }
    }

    /// Whether a block of `at` has not what one of `other`, on the same bytes, has. Blocks with bytes in common are the same.
    pub fn differs(self, at: &Span, other: Content, other_at: &Span) -> bool {
        if let (Content::One(one), Content::One(other)) = (self, other) {
            return one != other;
        }
        let number = |span: &Span, low: u64| (low - span.low) / span.stride;
        at.blocks_from(other_at.low)
            .take_while(|(low, _)| *low < other_at.high)
            .filter(|(low, _)| *low >= other_at.low)
            .any(|(low, _)| {
                let ours = self.of(number(at, low));
                let theirs = other.of(number(other_at, low));
                ours.zip(theirs)
                    .is_some_and(|(ours, theirs)| ours != theirs)
            })
    }
}

#[inline(always)]
fn add(content: u64) -> u64 {
    let number = COUNT.load(Relaxed);
    BLOCKS[number as usize % KNOWN].store(content, Relaxed);
    COUNT.store(number + 1, Relaxed);
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_compared_block_by_block() {
        let series = |low: u64, contents: &[u64]| {
            let (mut at, mut all) = (Span::run(low, 8), Content::One(contents[0]));
            for (n, content) in contents.iter().enumerate().skip(1) {
                assert!(all.goes_on(n == 1, *content));
                at = at.with(low + 8 * n as u64, 8).unwrap();
            }
            (at, all)
        };
        let (at, all) = series(80, &[5, 6, 7]);
        assert_eq!((all.one(), Content::One(5).one()), (None, Some(5)));
        for (n, content) in [(0, 5), (1, 6), (2, 7)] {
            let (one_at, one) = series(80 + 8 * n, &[content]);
            let (_, other) = series(80 + 8 * n, &[content + 1]);
            assert!(!all.differs(&at, one, &one_at) && !one.differs(&one_at, all, &at));
            assert!(all.differs(&at, other, &one_at) && other.differs(&one_at, all, &at));
        }
        let (same_at, mut same) = series(72, &[1, 5, 6]);
        let (other_at, other) = series(88, &[6, 8]);
        assert!(!all.differs(&at, same, &same_at) && !same.differs(&same_at, all, &at));
        assert!(all.differs(&at, other, &other_at) && other.differs(&other_at, all, &at));
        // Other blocks have come between; and what is overwritten is not known.
        assert!(!same.goes_on(false, 9));
        let mut last = Content::One(1);
        assert!((0..KNOWN as u64).all(|n| last.goes_on(n == 0, n)));
        assert!(!all.differs(&at, Content::One(4), &at));
    }
}
