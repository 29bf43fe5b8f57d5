//! The table of the predefined operations: a kernel for each operation and kind of element that MPI 4.1 §6.9.2 allows.
//!
//! What MPICH allows beyond the standard's table is allowed too, because programs rely on it: arithmetic and bits of
//! `MPI_CHAR`, logical operations on floating point numbers and on Fortran integers.

use super::half::F16;
use super::loops::*;
use super::number::{Bool, Complex, F80, F128, Logical};
use super::predefined::Predefined;
use crate::datatype::Basic;
use crate::shm::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::ptr::null_mut;

/// `inout[i] = input[i] op inout[i]` for `count` elements, one extent apart, at any alignment.
pub type Apply = unsafe fn(input: *const u8, inout: *mut u8, count: usize);

/// The same, and `before[i]` is what `inout[i]` was: in one pass, without the gaps of pairs. `before` overlaps neither.
pub type Fetch = unsafe fn(input: *const u8, inout: *mut u8, before: *mut u8, count: usize);

/// Updates one element atomically: the one at `operand`, at any alignment, is combined into the one at `at`, and what was
/// there goes to `before`, at any alignment.
pub type Update = unsafe fn(at: *mut u8, operand: *const u8, before: *mut u8);

#[derive(Clone, Copy)]
pub struct Kernel {
    pub apply: Apply,
    pub fetch: Fetch,
    /// Bytes from one element to the next.
    pub extent: usize,
    /// A compare-and-swap loop, for elements that are words of the CPU.
    pub update: Option<Update>,
}

/// The loop, with the widest vectors that are worth it.
///
/// # Safety
/// The loop's.
#[inline(always)]
unsafe fn run<L: Loop, const FETCH: bool>(
    input: *const u8,
    inout: *mut u8,
    before: *mut u8,
    count: usize,
) {
    if L::WIDENS && count >= LONG {
        if !FETCH && L::IS_COMMON && is_x86_feature_detected!("avx512vbmi2") {
            // SAFETY: the processor has AVX-512; the caller's contract is the loop's.
            return unsafe { run_avx512::<L>(input, inout, count) };
        }
        if (!FETCH || L::IS_COMMON) && is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2; the caller's contract is the loop's.
            return unsafe { run_avx2::<L, FETCH>(input, inout, before, count) };
        }
    }
    // SAFETY: the caller's contract is the loop's.
    unsafe { L::run::<FETCH>(input, inout, before, count) }
}

unsafe fn apply<L: Loop>(input: *const u8, inout: *mut u8, count: usize) {
    // SAFETY: the caller's contract is the loop's.
    unsafe { run::<L, false>(input, inout, null_mut(), count) }
}

unsafe fn fetch<L: Loop>(input: *const u8, inout: *mut u8, before: *mut u8, count: usize) {
    // SAFETY: the caller's contract is the loop's.
    unsafe { run::<L, true>(input, inout, before, count) }
}

/// From so many elements on vectors wider than every x86-64 has are worth asking for.
const LONG: usize = 64;

/// The same loop, compiled for vectors of 32 bytes. Results are the same to the bit: nothing is contracted or reordered.
#[target_feature(enable = "avx2")]
unsafe fn run_avx2<L: Loop, const FETCH: bool>(
    input: *const u8,
    inout: *mut u8,
    before: *mut u8,
    count: usize,
) {
    // SAFETY: the caller's contract is the loop's.
    unsafe { L::run::<FETCH>(input, inout, before, count) }
}

/// The same for vectors of 64 bytes, on processors that have a later part of AVX-512 too: the first ones with AVX-512 run slower
/// for a while after such an instruction. Loops that fetch go without: what they write twice takes as long (2.10 µs for 64 KiB, either
/// way), and all of them would be 40 KB of each packed library.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2")]
unsafe fn run_avx512<L: Loop>(input: *const u8, inout: *mut u8, count: usize) {
    // SAFETY: the caller's contract is the loop's.
    unsafe { L::run::<false>(input, inout, null_mut(), count) }
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
                    let (input, inout) = ((&raw const operand).cast(), (&raw mut next).cast());
                    L::run::<false>(input, inout, null_mut(), 1);
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
            fetch: fetch::<L>,
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
    ($basic:expr, $f:ty) => {
        single!($basic, $f; Bool Bool, Logical1 Logical<i8>, Logical2 Logical<i16>, Logical4 Logical<i32>,
            Logical8 Logical<i64>, Logical16 Logical<i128>)
    };
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
        Predefined::NoOp => match basic.size() {
            _ if basic.is_pair() => pairs!(basic, PairNothing),
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
