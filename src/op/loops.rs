//! The loops that the predefined operations consist of, as types: a [`Loop`] is compiled for each operation and kind of
//! element by [`kernels`](super::kernels).
//!
//! A loop fetches what was there as it goes, for get_accumulate, and is compiled for vectors of 16, 32 and 64 bytes. It takes 128 bytes
//! at a time and loads them all before it stores any: processors that go by the lowest twelve bits of addresses make a load
//! wait for a store to another array, and large arrays begin at about the same place of a page (512 doubles: 92 ns, and 107
//! with 64 bytes at a time). From 4 KiB on it begins with single elements until vectors are aligned in the target. (Figures,
//! and what else was tried: `bench/RESULTS.md`.)

use super::number::*;
use crate::shm::copy::copy;
use std::arch::asm;
use std::marker::PhantomData;
use std::ops::Range;

/// A function of two elements. Those of reductions commute, to the bit (but for a NaN's own): both of two processes fold what both
/// gave, each with its own elements at hand, and have to get the same (MPI 4.1 §6.9.6). So of two zeros MAX takes the positive and
/// MIN the negative one, and a NaN goes before every number.
pub trait Function<T> {
    /// About how many instructions it is.
    const LENGTH: usize = 1;

    /// Whether elements of this size are combined by the [`Chunk`], which has code for each of them.
    const CHUNKED: bool = size_of::<T>() <= 8 && Self::LENGTH < 10;

    /// Whether it is worth code for vectors that not every processor has: complex numbers of halves are as much again as all others of a kind.
    const WIDENS: bool = size_of::<T>() <= 8 && Self::LENGTH < 100;

    /// Whether it is worth that for AVX-512, too, and where it fetches: programs have long arrays of sums, and hardly of logical functions.
    const IS_COMMON: bool = true;

    fn of(input: T, inout: T) -> T;
}

macro_rules! functions {
    (@LENGTH $value:expr) => { const LENGTH: usize = $value; };
    (@IS_COMMON $value:expr) => { const IS_COMMON: bool = $value; };
    ($($name:ident: $bound:path, |$a:ident, $b:ident| $body:expr $(, $constant:ident = $value:expr)?;)*) => {$(
        pub struct $name;
        impl<T: $bound> Function<T> for $name {
            $(functions!(@$constant $value);)?
            #[inline(always)]
            fn of($a: T, $b: T) -> T { $body }
        }
    )*};
}

functions! {
    Max: Ordered, |a, b| if a.greater(b) | !a.is_number() | (a.same(b) & b.has_minus()) { a } else { b };
    Min: Ordered, |a, b| if b.greater(a) | !a.is_number() | (a.same(b) & a.has_minus()) { a } else { b };
    Sum: Arithmetic, |a, b| a.add(b), LENGTH = T::LENGTH;
    Product: Arithmetic, |a, b| a.mul(b), LENGTH = T::LENGTH;
    LogicalAnd: Truth, |a, b| T::from_truth(a.is_true() & b.is_true()), IS_COMMON = false;
    LogicalOr: Truth, |a, b| T::from_truth(a.is_true() | b.is_true()), IS_COMMON = false;
    LogicalXor: Truth, |a, b| T::from_truth(a.is_true() ^ b.is_true()), IS_COMMON = false;
    BitAnd: Bits, |a, b| a.and(b);
    BitOr: Bits, |a, b| a.or(b);
    BitXor: Bits, |a, b| a.xor(b);
}

/// Not by chunks: the compiler copies those that nothing is done with by way of the stack.
pub struct Replace;

impl<T> Function<T> for Replace {
    const CHUNKED: bool = false;

    #[inline(always)]
    fn of(input: T, _inout: T) -> T {
        input
    }
}

/// A loop over elements.
pub trait Loop {
    /// Whether wider vectors make it faster.
    const WIDENS: bool = false;
    /// Whether also the widest do, and where it fetches.
    const IS_COMMON: bool = true;
    /// Bytes from one element to the next.
    const EXTENT: usize;

    /// Applies, or fetches too if `FETCH`.
    ///
    /// # Safety
    /// `input` must be readable and `inout` writable for `count` elements, and `before` for as many if `FETCH`. `input`
    /// and `inout` may be the same, but not overlap otherwise.
    unsafe fn run<const FETCH: bool>(
        input: *const u8,
        inout: *mut u8,
        before: *mut u8,
        count: usize,
    );
}

/// A loop over elements that are one number.
pub struct Single<T, F>(PhantomData<(T, F)>);

impl<T: Copy, F: Function<T>> Loop for Single<T, F> {
    const WIDENS: bool = F::WIDENS;
    const IS_COMMON: bool = F::IS_COMMON;
    const EXTENT: usize = size_of::<T>();

    #[inline(always)]
    unsafe fn run<const FETCH: bool>(
        input: *const u8,
        inout: *mut u8,
        before: *mut u8,
        count: usize,
    ) {
        let each = size_of::<T>();
        let mut done = 0;
        if F::CHUNKED {
            done = ahead(inout, count, each);
            // SAFETY: the caller's contract, for the first elements.
            unsafe { Self::one_by_one::<FETCH>(input, inout, before, 0..done) };
            while done + CHUNK / each <= count {
                let at = done * each;
                // SAFETY: the chunk's elements are among the `count`.
                unsafe {
                    let a = Chunk::load(input.add(at));
                    let b = Chunk::load(inout.add(at));
                    if FETCH {
                        b.store(before.add(at));
                    }
                    a.combine::<T, F>(b).store(inout.add(hidden(at)));
                }
                done += CHUNK / each;
            }
        }
        // SAFETY: the caller's contract, for the other elements.
        unsafe { Self::one_by_one::<FETCH>(input, inout, before, done..count) }
    }
}

impl<T: Copy, F: Function<T>> Single<T, F> {
    /// # Safety
    /// As [`Loop::run`], for the elements in `range`.
    #[inline(always)]
    unsafe fn one_by_one<const FETCH: bool>(
        input: *const u8,
        inout: *mut u8,
        before: *mut u8,
        range: Range<usize>,
    ) {
        let (input, inout, before) = (input.cast::<T>(), inout.cast::<T>(), before.cast::<T>());
        // At most 15: not worth vectors.
        let few = F::CHUNKED && size_of::<T>() == 8;
        for i in range {
            let i = if few { hidden(i) } else { i };
            // SAFETY: the caller's promise for element `i`, which is read and written at any alignment.
            unsafe {
                let a = input.add(i).read_unaligned();
                let b = inout.add(i).read_unaligned();
                if FETCH {
                    before.add(i).write_unaligned(b);
                }
                inout.add(i).write_unaligned(F::of(a, b));
            }
        }
    }
}

/// How many of `count` elements of `each` bytes lie ahead of the first that vectors are aligned from, if there is one and it
/// pays: vectors across two cache lines are loaded and stored twice.
#[inline(always)]
fn ahead(inout: *mut u8, count: usize, each: usize) -> usize {
    let bytes = inout.addr().wrapping_neg() % VECTOR;
    match count >= 32 * CHUNK / each && bytes.is_multiple_of(each) {
        true => bytes / each,
        false => 0,
    }
}

/// Bytes of the longest vectors.
const VECTOR: usize = 64;

/// Bytes of a chunk.
const CHUNK: usize = 2 * VECTOR;

/// Elements on the way through registers. All of them are loaded before any is stored: a processor that goes by the lowest
/// twelve bits of addresses makes loads wait for stores to other pages, and the arrays of large buffers begin at about the
/// same place of a page.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Chunk([u8; CHUNK]);

impl Chunk {
    /// # Safety
    /// A chunk at `from` is readable.
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Chunk {
        // SAFETY: the caller's promise.
        Chunk(unsafe { from.cast::<[u8; CHUNK]>().read_unaligned() })
    }

    /// # Safety
    /// A chunk at `to` is writable.
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[u8; CHUNK]>().write_unaligned(self.0) }
    }

    /// # Safety
    /// Both chunks are of numbers of type `T`, whose size divides that of a chunk.
    #[inline(always)]
    unsafe fn combine<T: Copy, F: Function<T>>(self, inout: Chunk) -> Chunk {
        let (a, b) = (self.0.as_ptr().cast::<T>(), inout.0.as_ptr().cast::<T>());
        let mut result = inout;
        let to = result.0.as_mut_ptr().cast::<T>();
        for i in 0..CHUNK / size_of::<T>() {
            // SAFETY: element `i` is one of the chunk's, which is aligned for all types.
            unsafe { to.add(i).write(F::of(a.add(i).read(), b.add(i).read())) }
        }
        result
    }
}

/// The same number, but the compiler does not know. Else it sees that MAX and MIN load from where they store, and makes them
/// leave what stays, by masked stores, which take five to ten times as long.
#[inline(always)]
fn hidden(mut offset: usize) -> usize {
    // SAFETY: a comment.
    unsafe {
        asm!("/* {0} */", inout(reg) offset, options(pure, nomem, nostack, preserves_flags));
    }
    offset
}

/// A loop over pairs of a value and an index at `INDEX` bytes from it, `EXTENT` bytes apart.
pub struct Pair<V, I, F, const INDEX: usize, const EXTENT: usize>(PhantomData<(V, I, F)>);

/// Which of two values wins: MAXLOC's and MINLOC's.
pub trait Choice {
    fn wins<V: Ordered>(a: V, b: V) -> bool;
}

pub struct Greater;
pub struct Less;

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
    unsafe fn run<const FETCH: bool>(
        input: *const u8,
        inout: *mut u8,
        before: *mut u8,
        count: usize,
    ) {
        for i in 0..count {
            // SAFETY: element `i` is one of `count`.
            unsafe {
                let to = inout.add(i * EXTENT);
                let a: (V, I) = read_pair::<_, _, INDEX>(input.add(i * EXTENT));
                let b: (V, I) = read_pair::<_, _, INDEX>(to);
                if FETCH {
                    write_pair::<_, _, INDEX>(before.add(i * EXTENT), b);
                }
                // Of those that are the same, and of two NaNs, the lesser index.
                let goes_first = || match (a.0.is_number(), b.0.is_number()) {
                    (false, true) => true,
                    (true, false) => false,
                    _ => b.1.greater(a.1),
                };
                if F::wins(a.0, b.0) || !F::wins(b.0, a.0) && goes_first() {
                    write_pair::<_, _, INDEX>(to, a);
                }
            }
        }
    }
}

/// Value and index of a pair.
///
/// # Safety
/// Both are readable, at any alignment.
#[inline(always)]
unsafe fn read_pair<V, I, const INDEX: usize>(at: *const u8) -> (V, I) {
    // SAFETY: the caller's promise.
    unsafe {
        (
            at.cast::<V>().read_unaligned(),
            at.add(INDEX).cast::<I>().read_unaligned(),
        )
    }
}

/// Writes value and index of a pair, and not the gaps.
///
/// # Safety
/// Both are writable, at any alignment.
#[inline(always)]
unsafe fn write_pair<V, I, const INDEX: usize>(at: *mut u8, pair: (V, I)) {
    // SAFETY: the caller's promise.
    unsafe {
        at.cast::<V>().write_unaligned(pair.0);
        at.add(INDEX).cast::<I>().write_unaligned(pair.1);
    }
}

/// REPLACE of pairs, or NO_OP: value and index, without the gaps, are fetched, and replaced or not.
pub struct PairMove<V, I, const REPLACE: bool, const INDEX: usize, const EXTENT: usize>(
    PhantomData<(V, I)>,
);

impl<V: Copy, I: Copy, const REPLACE: bool, const INDEX: usize, const EXTENT: usize> Loop
    for PairMove<V, I, REPLACE, INDEX, EXTENT>
{
    const EXTENT: usize = EXTENT;

    #[inline(always)]
    unsafe fn run<const FETCH: bool>(
        input: *const u8,
        inout: *mut u8,
        before: *mut u8,
        count: usize,
    ) {
        for i in 0..count {
            // SAFETY: element `i` is one of `count`.
            unsafe {
                let to = inout.add(i * EXTENT);
                if FETCH {
                    let b: (V, I) = read_pair::<_, _, INDEX>(to);
                    write_pair::<_, _, INDEX>(before.add(i * EXTENT), b);
                }
                if REPLACE {
                    let a: (V, I) = read_pair::<_, _, INDEX>(input.add(i * EXTENT));
                    write_pair::<_, _, INDEX>(to, a);
                }
            }
        }
    }
}

pub type PairReplace<V, I, const INDEX: usize, const EXTENT: usize> =
    PairMove<V, I, true, INDEX, EXTENT>;
pub type PairNothing<V, I, const INDEX: usize, const EXTENT: usize> =
    PairMove<V, I, false, INDEX, EXTENT>;
pub type MaxLoc<V, I, const INDEX: usize, const EXTENT: usize> = Pair<V, I, Greater, INDEX, EXTENT>;
pub type MinLoc<V, I, const INDEX: usize, const EXTENT: usize> = Pair<V, I, Less, INDEX, EXTENT>;

/// NO_OP: `inout` stays as it is, and `input` is not looked at.
pub struct Nothing<const EXTENT: usize>;

impl<const EXTENT: usize> Loop for Nothing<EXTENT> {
    const EXTENT: usize = EXTENT;

    #[inline(always)]
    unsafe fn run<const FETCH: bool>(
        _input: *const u8,
        inout: *mut u8,
        before: *mut u8,
        count: usize,
    ) {
        if FETCH {
            // SAFETY: the caller's contract.
            unsafe { copy(inout, before, count * EXTENT) }
        }
    }
}
