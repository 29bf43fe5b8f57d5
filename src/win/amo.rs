//! Atomic memory operations: elements of 1, 2, 4 or 8 bytes at aligned addresses, updated by the CPU's own atomic instructions,
//! so that a single update is wait-free, or a compare-and-swap loop, and a process that is preempted in the middle blocks
//! nobody. They are atomic against the program's own C11 atomics on the same address.

use crate::datatype::Basic;
use crate::mpi::constants::MPI_MAX;
use crate::mpi::types::MPI_Op;
use crate::op::{Predefined, Update, kernel_of};

/// An operation on one element.
#[derive(Clone, Copy)]
pub struct Amo(Update);

impl Amo {
    /// Updates the element at `at`.
    ///
    /// # Safety
    /// `at` is an element of the kind that this was found for, in live memory, and [`is_aligned`]. One at `operand` is
    /// readable (but for NO_OP, which has none), one at `before` writable.
    #[inline(always)]
    pub unsafe fn update(self, at: *mut u8, operand: *const u8, before: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.0)(at, operand, before) }
    }
}

/// Whether the CPU can update an element of this kind somewhere.
#[inline(always)]
pub const fn has_size(basic: Basic) -> bool {
    basic.is_dense() && matches!(basic.size(), 1 | 2 | 4 | 8)
}

/// Whether it can at this address, if the kind [`has_size`].
#[inline(always)]
pub fn is_aligned(at: *const u8, size: usize) -> bool {
    at.addr() & (size - 1) == 0
}

/// Whether the CPU can update an element of this kind at this address.
#[inline(always)]
pub fn can_update(basic: Basic, at: *const u8) -> bool {
    has_size(basic) && is_aligned(at, basic.size())
}

/// The operation on elements of a kind; `None` if MPI does not define it, or the CPU has none for this size.
pub fn of(op: Predefined, basic: Basic) -> Option<Amo> {
    find(op.handle(), basic)
}

/// The same for the handle of an operation; `None` also for operations that are not predefined.
#[inline(always)]
pub fn find(op: MPI_Op, basic: Basic) -> Option<Amo> {
    AMOS.get(place(op))?[basic as usize]
}

/// The same but for NO_OP, which changes nothing.
#[inline(always)]
pub fn find_changing(op: MPI_Op, basic: Basic) -> Option<Amo> {
    AMOS[..Predefined::NoOp as usize].get(place(op))?[basic as usize]
}

// NO_OP is the last of them.
const _: () = assert!(Predefined::NoOp as usize + 1 == Predefined::ALL.len());

/// The place of an operation's handle among those of the predefined ones.
#[inline(always)]
fn place(op: MPI_Op) -> usize {
    (op.0 as usize).wrapping_sub(MPI_MAX.0 as usize)
}

/// The instructions for words of one size.
macro_rules! word {
    ($name:ident, $word:ident, $atomic:ident) => {
        mod $name {
            use crate::shm::atomic::{Ordering::SeqCst, $atomic};

            macro_rules! update {
                ($update:ident, |$there:ident, $operand:ident| $body:expr) => {
                    /// # Safety
                    /// As [`super::Amo::update`], for elements of this size.
                    pub unsafe fn $update(at: *mut u8, operand: *const u8, before: *mut u8) {
                        // SAFETY: the caller's promise: an aligned element, alive for the access.
                        let $there = unsafe { $atomic::from_ptr(at.cast()) };
                        // SAFETY: the caller's promise: an operand, at any alignment.
                        let $operand = || unsafe { operand.cast::<$word>().read_unaligned() };
                        let found: $word = $body;
                        // SAFETY: the caller's promise: room for an element, at any alignment.
                        unsafe { before.cast::<$word>().write_unaligned(found) };
                    }
                };
            }

            update!(load, |there, _operand| there.load(SeqCst));
            update!(swap, |there, operand| there.swap(operand(), SeqCst));
            update!(add, |there, operand| there.fetch_add(operand(), SeqCst));
            update!(and, |there, operand| there.fetch_and(operand(), SeqCst));
            update!(or, |there, operand| there.fetch_or(operand(), SeqCst));
            update!(xor, |there, operand| there.fetch_xor(operand(), SeqCst));
            /// # Safety
            /// As [`super::compare_and_swap`], for elements of this size.
            #[inline(always)]
            pub unsafe fn compare_and_swap(
                at: *mut u8,
                expected: *const u8,
                new: *const u8,
                before: *mut u8,
            ) {
                // SAFETY: the caller's promise: an aligned element, alive for the access; elements at any alignment.
                unsafe {
                    let there = $atomic::from_ptr(at.cast());
                    let (expected, new) = (expected.cast::<$word>(), new.cast::<$word>());
                    let (expected, new) = (expected.read_unaligned(), new.read_unaligned());
                    let (Ok(found) | Err(found)) =
                        there.compare_exchange(expected, new, SeqCst, SeqCst);
                    before.cast::<$word>().write_unaligned(found);
                }
            }
        }
    };
}

word!(byte, u8, AtomicU8);
word!(half, u16, AtomicU16);
word!(word, u32, AtomicU32);
word!(long, u64, AtomicU64);

/// The function for words of a size.
macro_rules! for_size {
    ($size:expr, $function:ident) => {
        match $size {
            1 => byte::$function,
            2 => half::$function,
            4 => word::$function,
            _ => long::$function,
        }
    };
}

/// Puts the element at `new` where the one at `expected` is, and what was there to `before`.
///
/// # Safety
/// `size` is 1, 2, 4 or 8, and `at` an element of that size in live memory, aligned to it; elements at `expected` and
/// `new` are readable, one at `before` writable.
#[inline(always)]
pub unsafe fn compare_and_swap(
    size: usize,
    at: *mut u8,
    expected: *const u8,
    new: *const u8,
    before: *mut u8,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => byte::compare_and_swap(at, expected, new, before),
            2 => half::compare_and_swap(at, expected, new, before),
            4 => word::compare_and_swap(at, expected, new, before),
            _ => long::compare_and_swap(at, expected, new, before),
        }
    }
}

const fn amo(op: Predefined, basic: Basic) -> Option<Amo> {
    use Basic::*;
    let kernel = match kernel_of(op, basic) {
        Some(kernel) if has_size(basic) => kernel,
        _ => return None,
    };
    let integer = matches!(
        basic,
        I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 | Char | Byte | WideChar
    );
    let size = basic.size();
    let update: Update = match op {
        Predefined::NoOp => for_size!(size, load),
        Predefined::Replace => for_size!(size, swap),
        Predefined::Sum if integer => for_size!(size, add),
        Predefined::Band if integer => for_size!(size, and),
        Predefined::Bor if integer => for_size!(size, or),
        Predefined::Bxor if integer => for_size!(size, xor),
        _ => match kernel.update {
            Some(update) => update,
            None => return None,
        },
    };
    Some(Amo(update))
}

/// By the place of an operation's handle among the predefined ones', and the kind of element.
static AMOS: [[Option<Amo>; Basic::ALL.len()]; Predefined::ALL.len()] = {
    let mut amos = [[None; Basic::ALL.len()]; Predefined::ALL.len()];
    let mut op = 0;
    while op < Predefined::ALL.len() {
        let mut basic = 0;
        while basic < Basic::ALL.len() {
            amos[op][basic] = amo(Predefined::ALL[op], Basic::ALL[basic]);
            basic += 1;
        }
        op += 1;
    }
    amos
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::kernel_of;

    /// Each operation on each kind that the CPU can update is what the operation's loop makes of it.
    #[test]
    fn amos_do_what_kernels_do() {
        let mut compared = 0;
        for op in Predefined::ALL {
            for basic in Basic::ALL.into_iter().filter(|&b| has_size(b)) {
                let (amo, kernel) = (of(op, basic), kernel_of(op, basic));
                assert_eq!(amo.is_some(), kernel.is_some(), "{op:?} {basic:?}");
                let (Some(amo), Some(kernel)) = (amo, kernel) else {
                    continue;
                };
                for round in 0..100_u64 {
                    // No exponent is all ones: which NaN a sum of two is does not matter.
                    let word = |n: u64| {
                        ((round * 8 + n).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                            & 0xbfbf_bfbf_bfbf_bfbf)
                            .to_ne_bytes()
                    };
                    let (operand, start) = (word(1), word(2));
                    let mut wanted = start;
                    let mut is = u64::from_ne_bytes(start);
                    let mut before = [0; 8];
                    // SAFETY: words of eight bytes, aligned to eight where they are updated.
                    unsafe {
                        (kernel.apply)(operand.as_ptr(), wanted.as_mut_ptr(), 1);
                        amo.update((&raw mut is).cast(), operand.as_ptr(), before.as_mut_ptr());
                    }
                    assert_eq!(is.to_ne_bytes(), wanted, "{op:?} {basic:?}");
                    assert_eq!(before[..basic.size()], start[..basic.size()]);
                    compared += 1;
                }
            }
        }
        assert!(compared > 10_000);
    }
}
