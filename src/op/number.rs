//! Arithmetic on every kind of number that reductions know, those included that Rust has no type for: extended (x87) and
//! quadruple precision, half precision in [`super::half`], and complex numbers of each.

use std::arch::asm;
use std::arch::x86_64::__m128i;

/// What SUM and PROD need.
pub trait Arithmetic: Copy {
    /// How many instructions an operation is, about.
    const LENGTH: usize = 1;

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
}

/// What MAX and MIN need.
pub trait Ordered: Copy {
    fn greater(self, other: Self) -> bool;
    fn same(self, other: Self) -> bool;
    /// Whether its sign bit is set: it tells two zeros apart, which are the same.
    fn has_minus(self) -> bool;

    /// Not so of a NaN.
    #[inline(always)]
    fn is_number(self) -> bool {
        self.same(self)
    }
}

/// What LAND, LOR and LXOR need.
pub trait Truth: Copy {
    fn is_true(self) -> bool;
    fn from_truth(truth: bool) -> Self;
}

/// What BAND, BOR and BXOR need.
pub trait Bits: Copy {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Arithmetic for $t {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
        }
        impl Bits for $t {
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
            #[inline(always)]
            fn xor(self, other: Self) -> Self { self ^ other }
        }
        impl Truth for $t {
            #[inline(always)]
            fn is_true(self) -> bool { self != 0 }
            #[inline(always)]
            fn from_truth(truth: bool) -> Self { truth as $t }
        }
        // Those that are the same have the same bits.
        native!($t, |_a| false);
    )*};
}

macro_rules! native {
    ($t:ty, |$a:ident| $has_minus:expr) => {
        impl Ordered for $t {
            #[inline(always)]
            fn greater(self, other: Self) -> bool {
                self > other
            }
            #[inline(always)]
            fn same(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn has_minus(self) -> bool {
                let $a = self;
                $has_minus
            }
        }
    };
}

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Arithmetic for $t {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
        }
        impl Truth for $t {
            #[inline(always)]
            fn is_true(self) -> bool { self != 0.0 }
            #[inline(always)]
            fn from_truth(truth: bool) -> Self { truth as u8 as $t }
        }
        native!($t, |a| a.is_sign_negative());
    )*};
}

integers! { i8 i16 i32 i64 i128 u8 u16 u32 u64 }
floats! { f32 f64 }

/// A complex number in memory: the real part, then the imaginary part.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Complex<T> {
    pub re: T,
    pub im: T,
}

impl<T: Arithmetic> Arithmetic for Complex<T> {
    const LENGTH: usize = 4 * T::LENGTH;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Complex {
            re: self.re.add(other.re),
            im: self.im.add(other.im),
        }
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Complex {
            re: self.re.sub(other.re),
            im: self.im.sub(other.im),
        }
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Complex {
            re: self.re.mul(other.re).sub(self.im.mul(other.im)),
            im: self.re.mul(other.im).add(self.im.mul(other.re)),
        }
    }
}

/// x87 extended precision: ten bytes of value, six of padding, which results have as zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct F80(pub [u8; 16]);

macro_rules! x87 {
    ($name:ident, $instruction:literal) => {
        #[inline]
        fn $name(self, other: Self) -> Self {
            let mut result = F80([0; 16]);
            // SAFETY: reads ten bytes at `self` and at `other`, writes ten at `result`, and leaves the x87 stack as
            // it was: empty, as the calling convention has it between functions.
            unsafe {
                asm!(
                    "fld tbyte ptr [{a}]",
                    "fld tbyte ptr [{b}]",
                    $instruction,
                    "fstp tbyte ptr [{r}]",
                    a = in(reg) &self,
                    b = in(reg) &other,
                    r = in(reg) &mut result,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                    options(nostack),
                );
            }
            result
        }
    };
}

impl F80 {
    /// (greater, equal), both false if unordered.
    #[inline]
    fn compare(self, other: Self) -> (bool, bool) {
        let (above, equal, ordered): (u8, u8, u8);
        // SAFETY: reads ten bytes at `self` and at `other`, and leaves the x87 stack as it was.
        unsafe {
            asm!(
                "fld tbyte ptr [{b}]",
                "fld tbyte ptr [{a}]",
                "fucomip st, st(1)",
                "fstp st(0)",
                "seta {above}",
                "sete {equal}",
                "setnp {ordered}",
                a = in(reg) &self,
                b = in(reg) &other,
                above = out(reg_byte) above,
                equal = out(reg_byte) equal,
                ordered = out(reg_byte) ordered,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack, readonly),
            );
        }
        (above & ordered != 0, equal & ordered != 0)
    }
}

impl Arithmetic for F80 {
    x87!(add, "faddp st(1), st");
    x87!(sub, "fsubp st(1), st");
    x87!(mul, "fmulp st(1), st");
}

impl Ordered for F80 {
    #[inline]
    fn greater(self, other: Self) -> bool {
        self.compare(other).0
    }
    #[inline]
    fn same(self, other: Self) -> bool {
        self.compare(other).1
    }
    #[inline]
    fn has_minus(self) -> bool {
        self.0[9] & 0x80 != 0
    }
}

impl Truth for F80 {
    #[inline]
    fn is_true(self) -> bool {
        self.0[..8] != [0; 8]
    }
    #[inline]
    fn from_truth(truth: bool) -> Self {
        let mut one = [0; 16];
        if truth {
            one[7] = 0x80;
            one[8] = 0xff;
            one[9] = 0x3f;
        }
        F80(one)
    }
}

/// IEEE quadruple precision, computed by the compiler's runtime (`libgcc`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct F128(pub u128);

unsafe extern "C" {
    // Their arguments and results are in vector registers, which stable Rust cannot declare.
    fn __addtf3();
    fn __subtf3();
    fn __multf3();
    fn __gttf2();
    fn __eqtf2();
}

impl F128 {
    #[inline]
    fn vector(self) -> __m128i {
        // SAFETY: both types are sixteen bytes without invalid values.
        unsafe { std::mem::transmute(self) }
    }
}

macro_rules! quadruple {
    ($name:ident, $function:ident) => {
        #[inline]
        fn $name(self, other: Self) -> Self {
            let result: __m128i;
            // SAFETY: `__float128 f(__float128, __float128)` takes xmm0 and xmm1 and returns in xmm0; the C calling
            // convention's other registers are declared lost.
            unsafe {
                asm!(
                    "call {f}",
                    f = sym $function,
                    inlateout("xmm0") self.vector() => result,
                    in("xmm1") other.vector(),
                    clobber_abi("C"),
                );
                std::mem::transmute(result)
            }
        }
    };
}

macro_rules! compare {
    ($name:ident, $function:ident, |$r:ident| $holds:expr) => {
        #[inline]
        fn $name(self, other: Self) -> bool {
            let $r: i32;
            // SAFETY: `int f(__float128, __float128)` takes xmm0 and xmm1 and returns in eax; the C calling
            // convention's other registers are declared lost.
            unsafe {
                asm!(
                    "call {f}",
                    f = sym $function,
                    in("xmm0") self.vector(),
                    in("xmm1") other.vector(),
                    lateout("eax") $r,
                    clobber_abi("C"),
                );
            }
            $holds
        }
    };
}

impl Arithmetic for F128 {
    quadruple!(add, __addtf3);
    quadruple!(sub, __subtf3);
    quadruple!(mul, __multf3);
}

impl Ordered for F128 {
    compare!(greater, __gttf2, |r| r > 0);
    compare!(same, __eqtf2, |r| r == 0);

    #[inline]
    fn has_minus(self) -> bool {
        self.0 >> 127 != 0
    }
}

impl Truth for F128 {
    #[inline]
    fn is_true(self) -> bool {
        self.0 << 1 != 0
    }
    #[inline]
    fn from_truth(truth: bool) -> Self {
        F128(if truth { 0x3fff << 112 } else { 0 })
    }
}

/// `_Bool` of C: one byte, results are 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Bool(pub u8);

/// Fortran's `LOGICAL` of the size of an integer: nonzero is `.TRUE.`, results are 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Logical<I>(pub I);

impl Truth for Bool {
    #[inline(always)]
    fn is_true(self) -> bool {
        self.0 != 0
    }
    #[inline(always)]
    fn from_truth(truth: bool) -> Self {
        Bool(truth as u8)
    }
}

impl<I: Copy + PartialEq + From<bool>> Truth for Logical<I> {
    #[inline(always)]
    fn is_true(self) -> bool {
        self.0 != I::from(false)
    }
    #[inline(always)]
    fn from_truth(truth: bool) -> Self {
        Logical(I::from(truth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An exactly representable number in extended precision.
    fn f80(value: f64) -> F80 {
        let mut result = F80([0; 16]);
        // SAFETY: reads eight bytes at `value`, writes ten at `result`, and leaves the x87 stack empty.
        unsafe {
            asm!("fld qword ptr [{v}]", "fstp tbyte ptr [{r}]", v = in(reg) &value, r = in(reg) &mut result,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _);
        }
        result
    }

    /// An exactly representable number in quadruple precision (normal numbers and zero).
    fn f128(value: f64) -> F128 {
        if value == 0.0 {
            return F128((value.to_bits() as u128) << 64);
        }
        let bits = value.to_bits() as u128;
        let exponent = (bits >> 52 & 0x7ff) + 16383 - 1023;
        F128((bits >> 63) << 127 | exponent << 112 | (bits & ((1 << 52) - 1)) << 60)
    }

    #[test]
    fn extended_and_quadruple_agree_with_exact_sums() {
        let values = [0.0, 1.0, -2.5, 1e10, -3.0, 0.125, 65536.0];
        for a in values {
            for b in values {
                assert_eq!(f80(a).add(f80(b)), f80(a + b), "{a} + {b}");
                assert_eq!(f80(a).sub(f80(b)), f80(a - b), "{a} - {b}");
                assert_eq!(f80(a).mul(f80(b)), f80(a * b), "{a} * {b}");
                assert_eq!(f80(a).greater(f80(b)), a > b, "{a} > {b}");
                assert_eq!(f80(a).same(f80(b)), a == b, "{a} == {b}");
                assert_eq!(f128(a).add(f128(b)), f128(a + b), "{a} + {b}");
                assert_eq!(f128(a).sub(f128(b)), f128(a - b), "{a} - {b}");
                assert_eq!(f128(a).mul(f128(b)), f128(a * b), "{a} * {b}");
                assert_eq!(f128(a).greater(f128(b)), a > b, "{a} > {b}");
                assert_eq!(f128(a).same(f128(b)), a == b, "{a} == {b}");
            }
            assert_eq!(f80(a).is_true(), a != 0.0);
            assert_eq!(f128(a).is_true(), a != 0.0);
            assert_eq!(f80(a).has_minus(), a < 0.0);
            assert_eq!(f128(a).has_minus(), a < 0.0);
        }
        assert!((-0.0_f64).has_minus() && f80(-0.0).has_minus() && f128(-0.0).has_minus());
        let nan = f80(f64::NAN);
        assert!(!nan.greater(f80(0.0)) && !f80(0.0).greater(nan) && !nan.same(nan));
    }

    #[test]
    fn extended_precision_has_64_bits_and_quadruple_113() {
        let tiny = |bits: i32| f64::from_bits(((1023 - bits) as u64) << 52);
        assert_ne!(f80(1.0).add(f80(tiny(63))), f80(1.0));
        assert_eq!(f80(1.0).add(f80(tiny(65))), f80(1.0));
        assert_ne!(f128(1.0).add(f128(tiny(112))), f128(1.0));
        assert_eq!(f128(1.0).add(f128(tiny(114))), f128(1.0));
    }
}
