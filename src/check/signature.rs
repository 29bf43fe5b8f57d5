//! A type signature as a number: two of one number are one sequence of elements, but for a chance of 2^-60.
//!
//! It is a polynomial over the field of 2^61 - 1 with a number for each kind of element, so that of a sequence follows from those of
//! its parts, and of a repetition by squaring: a million elements cost twenty steps.

const PRIME: u64 = (1 << 61) - 1;
/// Where the polynomial is taken.
const AT: u64 = 0x0bad_5eed_0dd5_1de5 % PRIME;

/// The signature of some elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    pub elements: u64,
    hash: u64,
    /// `AT` to the power of `elements`.
    power: u64,
    /// Some of it matches whatever there is.
    pub is_any: bool,
}

const fn times(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

const fn plus(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

impl Signature {
    pub const EMPTY: Signature = Signature {
        elements: 0,
        hash: 0,
        power: 1,
        is_any: false,
    };

    /// What matches whatever there is: packed data.
    pub const ANY: Signature = Signature {
        is_any: true,
        ..Signature::EMPTY
    };

    /// One element of a kind.
    pub const fn one(kind: u8) -> Signature {
        // Spread over the field; not 0, so that lengths tell.
        let hash = times(kind as u64 + 1, 0x1234_5678_9abc_def1 % PRIME);
        Signature {
            elements: 1,
            hash,
            power: AT,
            is_any: false,
        }
    }

    /// These and then those.
    pub const fn then(self, next: Signature) -> Signature {
        Signature {
            elements: self.elements.wrapping_add(next.elements),
            hash: plus(times(self.hash, next.power), next.hash),
            power: times(self.power, next.power),
            is_any: self.is_any || next.is_any,
        }
    }

    /// So many times the same.
    pub const fn repeat(self, count: usize) -> Signature {
        let (mut all, mut square, mut left) = (Signature::EMPTY, self, count);
        while left > 0 {
            if left & 1 == 1 {
                all = all.then(square);
            }
            square = square.then(square);
            left >>= 1;
        }
        all
    }

    /// The two words by which another process compares it.
    pub const fn words(self) -> [u64; 2] {
        [self.elements, self.hash | (self.is_any as u64) << 63]
    }
}

/// Whether two signatures, by their words, are the same, or one may be any.
pub fn fit(one: [u64; 2], other: [u64; 2]) -> bool {
    (one[1] | other[1]) >> 63 == 1 || one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(kinds: &[u8]) -> Signature {
        let one = |all: Signature, &kind: &u8| all.then(Signature::one(kind));
        kinds.iter().fold(Signature::EMPTY, one)
    }

    #[test]
    fn how_it_was_described_does_not_matter() {
        let (a, b) = (Signature::one(3), Signature::one(4));
        assert_eq!(a.then(a).repeat(2), a.repeat(4));
        let part = a.repeat(3).then(b);
        let kinds = [3, 3, 3, 4].repeat(5);
        assert_eq!(part.repeat(5), naive(&kinds));
        assert_eq!(part.repeat(2).then(part.repeat(3)), naive(&kinds));
        assert_eq!(a.repeat(0), Signature::EMPTY);
        assert_eq!(a.repeat(1 << 40).elements, 1 << 40);
    }

    #[test]
    fn order_kinds_and_lengths_tell() {
        let all = [
            &[][..],
            &[0],
            &[0, 0],
            &[1],
            &[0, 1],
            &[1, 0],
            &[0, 0, 1],
            &[0, 1, 0],
        ];
        for (i, one) in all.iter().enumerate() {
            for (j, other) in all.iter().enumerate() {
                assert_eq!(fit(naive(one).words(), naive(other).words()), i == j);
            }
        }
        assert!(fit(Signature::ANY.words(), naive(&[1, 2]).words()));
    }
}
