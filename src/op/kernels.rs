//! The loops of the predefined operations: one for each operation and kind of element that MPI 4.1 §6.9.2 allows.
//!
//! What MPICH allows beyond the standard's table is allowed too, because programs rely on it: arithmetic and bits of
//! `MPI_CHAR`, logical operations on floating point numbers and on Fortran integers.

use super::number::*;
use super::predefined::Predefined;
use crate::datatype::Basic;
use crate::shm::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::marker::PhantomData;

/// `inout[i] = input[i] op inout[i]` for `count` elements, one extent apart, at any alignment.
pub type Apply = unsafe fn(input: *const u8, inout: *mut u8, count: usize);

/// Updates one element atomically: the one at `operand`, at any alignment, is combined into the one at `at`, and what was
/// there goes to `before`, at any alignment.
pub type Update = unsafe fn(at: *mut u8, operand: *const u8, before: *mut u8);

#[derive(Clone, Copy)]
pub struct Kernel {
    pub apply: Apply,
    /// Bytes from one element to the next.
    pub extent: usize,
    /// A compare-and-swap loop, for elements that are words of the CPU.
    pub update: Option<Update>,
}

/// A function of two elements.
trait Function<T> {
    fn of(input: T, inout: T) -> T;
}

macro_rules! functions {
    ($($name:ident: $bound:path, |$a:ident, $b:ident| $body:expr;)*) => {$(
        struct $name;
        impl<T: $bound> Function<T> for $name {
            #[inline(always)]
            fn of($a: T, $b: T) -> T { $body }
        }
    )*};
}

functions! {
    Max: Ordered, |a, b| if a.greater(b) { a } else { b };
    Min: Ordered, |a, b| if b.greater(a) { a } else { b };
    Sum: Arithmetic, |a, b| a.add(b);
    Product: Arithmetic, |a, b| a.mul(b);
    LogicalAnd: Truth, |a, b| T::from_truth(a.is_true() & b.is_true());
    LogicalOr: Truth, |a, b| T::from_truth(a.is_true() | b.is_true());
    LogicalXor: Truth, |a, b| T::from_truth(a.is_true() ^ b.is_true());
    BitAnd: Bits, |a, b| a.and(b);
    BitOr: Bits, |a, b| a.or(b);
    BitXor: Bits, |a, b| a.xor(b);
    Replace: Copy, |a, _b| a;
}

/// A loop over elements.
trait Loop {
    /// Whether wider vectors make it faster.
    const WIDENS: bool = false;
    /// Bytes from one element to the next.
    const EXTENT: usize;

    /// # Safety
    /// `input` must be readable and `inout` writable for `count` elements. They may be the same, but not overlap
    /// otherwise.
    unsafe fn apply(input: *const u8, inout: *mut u8, count: usize);
}

/// A loop over elements that are one number.
struct Single<T, F>(PhantomData<(T, F)>);

impl<T: Copy, F: Function<T>> Loop for Single<T, F> {
    const WIDENS: bool = size_of::<T>() <= 8;
    const EXTENT: usize = size_of::<T>();

    #[inline(always)]
    unsafe fn apply(input: *const u8, inout: *mut u8, count: usize) {
        let (input, inout) = (input.cast::<T>(), inout.cast::<T>());
        for i in 0..count {
            // SAFETY: element `i` is one of `count`, and is read and written at any alignment.
            unsafe {
                let a = input.add(i).read_unaligned();
                let b = inout.add(i).read_unaligned();
                inout.add(i).write_unaligned(F::of(a, b));
            }
        }
    }
}

/// A loop over pairs of a value and an index at `INDEX` bytes from it, `EXTENT` bytes apart.
struct Pair<V, I, F, const INDEX: usize, const EXTENT: usize>(PhantomData<(V, I, F)>);

/// Which of two values wins: MAXLOC's and MINLOC's.
trait Choice {
    fn wins<V: Ordered>(a: V, b: V) -> bool;
}

struct Greater;
struct Less;

impl Choice for Greater {
    #[inline(always)]
    fn wins<V: Ordered>(a: V, b: V) -> bool {
        a.greater(b)
    }
}

impl Choice for Less {
    #[inline(always)]
    fn wins<V: Ordered>(a: V, b: V) -> bool {
        b.greater(a)
    }
}

impl<V: Ordered, I: Ordered, F: Choice, const INDEX: usize, const EXTENT: usize> Loop
    for Pair<V, I, F, INDEX, EXTENT>
{
    const EXTENT: usize = EXTENT;

    #[inline(always)]
    unsafe fn apply(input: *const u8, inout: *mut u8, count: usize) {
        for i in 0..count {
            // SAFETY: element `i` is one of `count`; its value and index are read and written at any alignment, the
            // gaps are not touched.
            unsafe {
                let (from, to) = (input.add(i * EXTENT), inout.add(i * EXTENT));
                let a = from.cast::<V>().read_unaligned();
                let b = to.cast::<V>().read_unaligned();
                let a_index = from.add(INDEX).cast::<I>().read_unaligned();
                let b_index = to.add(INDEX).cast::<I>().read_unaligned();
                if F::wins(a, b) {
                    to.cast::<V>().write_unaligned(a);
                    to.add(INDEX).cast::<I>().write_unaligned(a_index);
                } else if a.same(b) && b_index.greater(a_index) {
                    to.add(INDEX).cast::<I>().write_unaligned(a_index);
                }
            }
        }
    }
}

/// REPLACE of pairs: value and index, without the gaps.
struct PairReplace<V, I, const INDEX: usize, const EXTENT: usize>(PhantomData<(V, I)>);

impl<V: Copy, I: Copy, const INDEX: usize, const EXTENT: usize> Loop
    for PairReplace<V, I, INDEX, EXTENT>
{
    const EXTENT: usize = EXTENT;

    #[inline(always)]
    unsafe fn apply(input: *const u8, inout: *mut u8, count: usize) {
        for i in 0..count {
            // SAFETY: element `i` is one of `count`, read and written at any alignment.
            unsafe {
                let (from, to) = (input.add(i * EXTENT), inout.add(i * EXTENT));
                to.cast::<V>()
                    .write_unaligned(from.cast::<V>().read_unaligned());
                to.add(INDEX)
                    .cast::<I>()
                    .write_unaligned(from.add(INDEX).cast::<I>().read_unaligned());
            }
        }
    }
}

type MaxLoc<V, I, const INDEX: usize, const EXTENT: usize> = Pair<V, I, Greater, INDEX, EXTENT>;
type MinLoc<V, I, const INDEX: usize, const EXTENT: usize> = Pair<V, I, Less, INDEX, EXTENT>;

/// NO_OP: `inout` stays as it is.
struct Nothing<const EXTENT: usize>;

impl<const EXTENT: usize> Loop for Nothing<EXTENT> {
    const EXTENT: usize = EXTENT;

    #[inline(always)]
    unsafe fn apply(_input: *const u8, _inout: *mut u8, _count: usize) {}
}

unsafe fn apply<L: Loop>(input: *const u8, inout: *mut u8, count: usize) {
    #[cfg(target_arch = "x86_64")]
    if L::WIDENS && count >= LONG && is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2; the caller's contract is the loop's.
        return unsafe { apply_avx2::<L>(input, inout, count) };
    }
    // SAFETY: the caller's contract is the loop's.
    unsafe { L::apply(input, inout, count) }
}

/// From so many elements on vectors wider than every x86-64 has are worth asking for.
#[cfg(target_arch = "x86_64")]
const LONG: usize = 64;

/// The same loop, compiled for vectors of 32 bytes. Results are the same to the bit: nothing is contracted or reordered.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn apply_avx2<L: Loop>(input: *const u8, inout: *mut u8, count: usize) {
    // SAFETY: the caller's contract is the loop's.
    unsafe { L::apply(input, inout, count) }
}

/// The loop of an [`Update`] of words of one size.
macro_rules! update {
    ($name:ident, $word:ident, $atomic:ident) => {
        /// # Safety
        /// `at` is an aligned element in live memory, one at `operand` is readable, and one at `before` writable.
        unsafe fn $name<L: Loop>(at: *mut u8, operand: *const u8, before: *mut u8) {
            // SAFETY: the caller's contract; a word is an element of the loop.
            unsafe {
                let there = $atomic::from_ptr(at.cast());
                let operand = operand.cast::<$word>().read_unaligned();
                let mut found = there.load(SeqCst);
                loop {
                    let mut next = found;
                    L::apply((&raw const operand).cast(), (&raw mut next).cast(), 1);
                    match there.compare_exchange_weak(found, next, SeqCst, SeqCst) {
                        Ok(_) => break,
                        Err(other) => found = other,
                    }
                }
                before.cast::<$word>().write_unaligned(found);
            }
        }
    };
}

update!(update_byte, u8, AtomicU8);
update!(update_half, u16, AtomicU16);
update!(update_word, u32, AtomicU32);
update!(update_long, u64, AtomicU64);

impl Kernel {
    const fn of<L: Loop>() -> Option<Kernel> {
        Some(Kernel {
            apply: apply::<L>,
            extent: L::EXTENT,
            update: match L::EXTENT {
                1 => Some(update_byte::<L>),
                2 => Some(update_half::<L>),
                4 => Some(update_word::<L>),
                8 => Some(update_long::<L>),
                _ => None,
            },
        })
    }
}

macro_rules! single {
    ($basic:expr, $f:ty; $($kind:ident $t:ty),*) => {
        match $basic {
            $(Basic::$kind => Kernel::of::<Single<$t, $f>>(),)*
            _ => None,
        }
    };
}

macro_rules! integers {
    ($basic:expr, $f:ty) => {
        single!($basic, $f; I8 i8, I16 i16, I32 i32, I64 i64, I128 i128, U8 u8, U16 u16, U32 u32, U64 u64, Char i8)
    };
}

macro_rules! reals {
    ($basic:expr, $f:ty) => {
        single!($basic, $f; F16 F16, F32 f32, F64 f64, F80 F80, F128 F128)
    };
}

macro_rules! complexes {
    ($basic:expr, $f:ty) => {
        single!($basic, $f; ComplexF16 Complex<F16>, ComplexF32 Complex<f32>, ComplexF64 Complex<f64>,
            ComplexF80 Complex<F80>, ComplexF128 Complex<F128>)
    };
}

macro_rules! bytes {
    ($basic:expr, $f:ty) => {
        single!($basic, $f; Byte u8)
    };
}

macro_rules! truths {
    ($basic:expr, $f:ty) => { single!($basic, $f; Bool Bool, Logical Logical) };
}

macro_rules! pairs {
    ($basic:expr, $loop:ident) => {
        match $basic {
            Basic::FloatInt => Kernel::of::<$loop<f32, i32, 4, 8>>(),
            Basic::DoubleInt => Kernel::of::<$loop<f64, i32, 8, 16>>(),
            Basic::LongInt => Kernel::of::<$loop<i64, i32, 8, 16>>(),
            Basic::ShortInt => Kernel::of::<$loop<i16, i32, 4, 8>>(),
            Basic::IntInt => Kernel::of::<$loop<i32, i32, 4, 8>>(),
            Basic::LongDoubleInt => Kernel::of::<$loop<F80, i32, 16, 32>>(),
            Basic::RealReal => Kernel::of::<$loop<f32, f32, 4, 8>>(),
            Basic::DoubleDouble => Kernel::of::<$loop<f64, f64, 8, 16>>(),
            _ => None,
        }
    };
}

/// The first that exists.
macro_rules! first {
    ($only:expr) => { $only };
    ($first:expr, $($rest:expr),+) => {
        match $first {
            Some(kernel) => Some(kernel),
            None => first!($($rest),+),
        }
    };
}

const fn kernel(op: Predefined, basic: Basic) -> Option<Kernel> {
    match op {
        Predefined::Max => first!(integers!(basic, Max), reals!(basic, Max)),
        Predefined::Min => first!(integers!(basic, Min), reals!(basic, Min)),
        Predefined::Sum => first!(
            integers!(basic, Sum),
            reals!(basic, Sum),
            complexes!(basic, Sum)
        ),
        Predefined::Prod => first!(
            integers!(basic, Product),
            reals!(basic, Product),
            complexes!(basic, Product)
        ),
        Predefined::Land => first!(
            integers!(basic, LogicalAnd),
            truths!(basic, LogicalAnd),
            reals!(basic, LogicalAnd)
        ),
        Predefined::Lor => first!(
            integers!(basic, LogicalOr),
            truths!(basic, LogicalOr),
            reals!(basic, LogicalOr)
        ),
        Predefined::Lxor => first!(
            integers!(basic, LogicalXor),
            truths!(basic, LogicalXor),
            reals!(basic, LogicalXor)
        ),
        Predefined::Band => first!(integers!(basic, BitAnd), bytes!(basic, BitAnd)),
        Predefined::Bor => first!(integers!(basic, BitOr), bytes!(basic, BitOr)),
        Predefined::Bxor => first!(integers!(basic, BitXor), bytes!(basic, BitXor)),
        Predefined::Maxloc => pairs!(basic, MaxLoc),
        Predefined::Minloc => pairs!(basic, MinLoc),
        Predefined::Replace => match basic.size() {
            _ if basic.is_pair() => pairs!(basic, PairReplace),
            1 => Kernel::of::<Single<u8, Replace>>(),
            2 => Kernel::of::<Single<u16, Replace>>(),
            4 => Kernel::of::<Single<u32, Replace>>(),
            8 => Kernel::of::<Single<u64, Replace>>(),
            16 => Kernel::of::<Single<u128, Replace>>(),
            _ => Kernel::of::<Single<[u64; 4], Replace>>(),
        },
        Predefined::NoOp => match basic.extent() {
            1 => Kernel::of::<Nothing<1>>(),
            2 => Kernel::of::<Nothing<2>>(),
            4 => Kernel::of::<Nothing<4>>(),
            8 => Kernel::of::<Nothing<8>>(),
            16 => Kernel::of::<Nothing<16>>(),
            _ => Kernel::of::<Nothing<32>>(),
        },
    }
}

static KERNELS: [[Option<Kernel>; Basic::ALL.len()]; Predefined::ALL.len()] = {
    let mut kernels = [[None; Basic::ALL.len()]; Predefined::ALL.len()];
    let mut op = 0;
    while op < Predefined::ALL.len() {
        let mut basic = 0;
        while basic < Basic::ALL.len() {
            kernels[op][basic] = kernel(Predefined::ALL[op], Basic::ALL[basic]);
            basic += 1;
        }
        op += 1;
    }
    kernels
};

/// The loop of an operation on a kind of element; `None` if MPI does not define the operation for it.
#[inline]
pub const fn kernel_of(op: Predefined, basic: Basic) -> Option<&'static Kernel> {
    KERNELS[op as usize][basic as usize].as_ref()
}
