//! Atomic memory operations: elements of 1, 2, 4 or 8 bytes at aligned addresses, updated by the CPU's own atomic
//! instructions, so that a single update is wait-free, or a compare-and-swap loop, and a process that is preempted in the middle blocks
//! nobody. They are atomic against the program's own C11 atomics on the same address.

use crate::datatype::Basic;
use crate::op::Predefined;
use crate::op::{Kernel, Scalar};
use crate::shm::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};

/// Whether the CPU can update an element of this kind at this address.
#[inline(always)]
pub fn can_update(basic: Basic, at: *const u8) -> bool {
    let extent = basic.extent();
    extent <= 8 && basic.size() == extent && at.addr().is_multiple_of(extent)
}

/// The instruction for an update.
#[derive(Clone, Copy)]
pub enum Update {
    Load,
    Swap,
    Add,
    And,
    Or,
    Xor,
    /// None fits: a compare-and-swap loop around this function.
    Loop(Scalar),
}

impl Update {
    /// For elements that [`can_update`] allows.
    #[inline(always)]
    pub fn of(op: Predefined, basic: Basic, kernel: Kernel) -> Update {
        use Basic::*;
        let integer = matches!(
            basic,
            I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 | Char | Byte | WideChar
        );
        match op {
            Predefined::NoOp => Update::Load,
            Predefined::Replace => Update::Swap,
            Predefined::Sum if integer => Update::Add,
            Predefined::Band if integer => Update::And,
            Predefined::Bor if integer => Update::Or,
            Predefined::Bxor if integer => Update::Xor,
            _ => Update::Loop(kernel.scalar),
        }
    }
}

macro_rules! on_word {
    ($size:expr, $at:expr, |$word:ident: $type:ident| $body:expr) => {
        match $size {
            1 => {
                type $type = u8;
                // SAFETY: the caller's promise: an element of this size at an aligned address, alive for the access.
                let $word = unsafe { AtomicU8::from_ptr($at) };
                $body
            }
            2 => {
                type $type = u16;
                // SAFETY: as above.
                let $word = unsafe { AtomicU16::from_ptr($at.cast()) };
                $body
            }
            4 => {
                type $type = u32;
                // SAFETY: as above.
                let $word = unsafe { AtomicU32::from_ptr($at.cast()) };
                $body
            }
            _ => {
                type $type = u64;
                // SAFETY: as above.
                let $word = unsafe { AtomicU64::from_ptr($at.cast()) };
                $body
            }
        }
    };
}

/// Updates the element of `size` bytes at `at` and returns what was there, both in the low bytes of a word.
///
/// # Safety
/// `size` is 1, 2, 4 or 8, and `at` an element of that size in live memory, aligned to it.
#[inline(always)]
#[expect(
    clippy::unnecessary_cast,
    reason = "the same text for words of all sizes"
)]
pub unsafe fn update(how: Update, size: usize, at: *mut u8, operand: u64) -> u64 {
    on_word!(size, at, |word: Word| {
        let operand_word = operand as Word;
        match how {
            Update::Load => word.load(SeqCst) as u64,
            Update::Swap => word.swap(operand_word, SeqCst) as u64,
            Update::Add => word.fetch_add(operand_word, SeqCst) as u64,
            Update::And => word.fetch_and(operand_word, SeqCst) as u64,
            Update::Or => word.fetch_or(operand_word, SeqCst) as u64,
            Update::Xor => word.fetch_xor(operand_word, SeqCst) as u64,
            Update::Loop(of) => {
                let mut now = word.load(SeqCst);
                loop {
                    let next = of(now as u64, operand) as Word;
                    match word.compare_exchange_weak(now, next, SeqCst, SeqCst) {
                        Ok(before) => break before as u64,
                        Err(other) => now = other,
                    }
                }
            }
        }
    })
}

/// Puts `new` where `expected` is, and returns what was there.
///
/// # Safety
/// As [`update`].
#[inline(always)]
#[expect(
    clippy::unnecessary_cast,
    reason = "the same text for words of all sizes"
)]
pub unsafe fn compare_and_swap(size: usize, at: *mut u8, expected: u64, new: u64) -> u64 {
    on_word!(size, at, |word: Word| {
        match word.compare_exchange(expected as Word, new as Word, SeqCst, SeqCst) {
            Ok(before) | Err(before) => before as u64,
        }
    })
}

/// The element of `size` bytes at `from`, at any alignment.
///
/// # Safety
/// `from` is readable for `size` bytes, which is 1, 2, 4 or 8.
#[inline(always)]
pub unsafe fn read(size: usize, from: *const u8) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => from.read().into(),
            2 => from.cast::<u16>().read_unaligned().into(),
            4 => from.cast::<u32>().read_unaligned().into(),
            _ => from.cast::<u64>().read_unaligned(),
        }
    }
}

/// Puts the element in the low bytes of `word` to `to`, at any alignment.
///
/// # Safety
/// `to` is writable for `size` bytes, which is 1, 2, 4 or 8.
#[inline(always)]
pub unsafe fn write(size: usize, to: *mut u8, word: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => to.write(word as u8),
            2 => to.cast::<u16>().write_unaligned(word as u16),
            4 => to.cast::<u32>().write_unaligned(word as u32),
            _ => to.cast::<u64>().write_unaligned(word),
        }
    }
}
