//! Half precision.

use super::number::{Arithmetic, Ordered, Truth};

/// IEEE half precision. Computed in single precision, which rounds correctly for one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct F16(pub u16);

impl F16 {
    #[inline]
    pub fn to_f32(self) -> f32 {
        let sign = (self.0 as u32 & 0x8000) << 16;
        let exponent = self.0 as u32 >> 10 & 0x1f;
        let fraction = self.0 as u32 & 0x3ff;
        let magnitude = match exponent {
            0 => return f32::from_bits(sign | (fraction as f32 / 16_777_216.0).to_bits()),
            0x1f => 0x7f80_0000 | fraction << 13,
            _ => (exponent + 112) << 23 | fraction << 13,
        };
        f32::from_bits(sign | magnitude)
    }

    /// Numbers have the order of these, and both zeros the same.
    #[inline]
    fn rank(self) -> i16 {
        let magnitude = (self.0 & 0x7fff) as i16;
        if self.has_minus() {
            -magnitude
        } else {
            magnitude
        }
    }

    /// Rounds to nearest, ties to even.
    #[inline]
    pub fn from_f32(value: f32) -> F16 {
        let bits = value.to_bits();
        let sign = (bits >> 16 & 0x8000) as u16;
        let magnitude = bits & 0x7fff_ffff;
        let half = if magnitude > 0x7f80_0000 {
            0x7e00 | (magnitude >> 13 & 0x3ff)
        } else if magnitude >= 0x477f_f000 {
            0x7c00
        } else if magnitude < 0x3880_0000 {
            // Subnormal: adding 0.5 puts the unit of the last place where the rounding of f32 is.
            (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000
        } else {
            let odd = magnitude >> 13 & 1;
            (magnitude - 0x3800_0000 + 0xfff + odd) >> 13
        };
        F16(sign | half as u16)
    }
}

impl Arithmetic for F16 {
    const LENGTH: usize = 30;

    #[inline]
    fn add(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() + other.to_f32())
    }
    #[inline]
    fn sub(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() - other.to_f32())
    }
    #[inline]
    fn mul(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() * other.to_f32())
    }
}

impl Ordered for F16 {
    #[inline]
    fn greater(self, other: Self) -> bool {
        self.rank() > other.rank() && self.is_number() && other.is_number()
    }
    #[inline]
    fn same(self, other: Self) -> bool {
        self.rank() == other.rank() && self.is_number()
    }
    #[inline]
    fn is_number(self) -> bool {
        self.0 & 0x7fff <= 0x7c00
    }
    #[inline]
    fn has_minus(self) -> bool {
        self.0 & 0x8000 != 0
    }
}

impl Truth for F16 {
    #[inline]
    fn is_true(self) -> bool {
        self.0 & 0x7fff != 0
    }
    #[inline]
    fn from_truth(truth: bool) -> Self {
        F16(if truth { 0x3c00 } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_to_single_and_back() {
        for bits in 0..=u16::MAX {
            let value = F16(bits).to_f32();
            if value.is_nan() {
                assert!(F16::from_f32(value).to_f32().is_nan());
            } else {
                assert_eq!(F16::from_f32(value).0, bits, "{value}");
            }
        }
    }

    #[test]
    fn halves_have_the_order_of_singles() {
        let some = (0..=u16::MAX).step_by(127);
        let edges = [0, 1, 0x3ff, 0x400, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff];
        let all: Vec<F16> = some
            .chain(edges.iter().flat_map(|&bits| [bits, bits | 0x8000]))
            .map(F16)
            .collect();
        for &a in &all {
            assert_eq!(a.is_number(), !a.to_f32().is_nan());
            for &b in &all {
                assert_eq!(a.greater(b), a.to_f32() > b.to_f32(), "{a:?} {b:?}");
                assert_eq!(a.same(b), a.to_f32() == b.to_f32(), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn halves_round_to_nearest_even() {
        for bits in 0..0x7bffu16 {
            let (low, high) = (F16(bits).to_f32(), F16(bits + 1).to_f32());
            let middle = (low + high) / 2.0;
            let even = if bits.is_multiple_of(2) {
                bits
            } else {
                bits + 1
            };
            assert_eq!(F16::from_f32(middle).0, even);
            assert_eq!(F16::from_f32(middle.next_down()).0, bits);
            assert_eq!(F16::from_f32(middle.next_up()).0, bits + 1);
        }
        assert_eq!(F16::from_f32(65519.0).0, 0x7bff);
        assert_eq!(F16::from_f32(65520.0).0, 0x7c00);
    }
}
