//! The atomics that protocols in shared memory use: one façade, so that a model checker's can stand in.
//!
//! Where a comment says *locked instruction* it means a read-modify-write that is sequentially consistent. On x86-64 weaker
//! orderings of those cost the same, so they stand only where they help a reader.

pub use std::hint::spin_loop;
pub use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
    Ordering, compiler_fence, fence,
};

/// A full memory fence: no load after it is taken before the stores ahead of it are seen by all.
///
/// On x86-64 a locked instruction on the stack does it at a tenth of the price of `mfence`; not at the stack's top, where a
/// return address was just stored and is about to be read, which costs as much as four fences.
#[inline(always)]
pub fn full_fence() {
    // SAFETY: this writes back what it read within the 128 bytes below the stack's top, which are the function's own;
    // nothing changes, and without `nomem` the compiler moves no memory access across it.
    unsafe { std::arch::asm!("lock or dword ptr [rsp - 64], 0", options(nostack)) }
}

/// Asks for the cache line of something that is to be read soon.
#[inline(always)]
pub fn prefetch<T>(at: *const T) {
    // SAFETY: a hint, which reads and writes nothing.
    unsafe {
        std::arch::asm!("prefetcht0 [{}]", in(reg) at, options(nostack, preserves_flags, readonly))
    }
}

/// Asks for the cache line of something that is to be written soon.
#[inline(always)]
pub fn prefetch_to_write<T>(at: *const T) {
    // SAFETY: a hint, which reads and writes nothing.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) at, options(nostack, preserves_flags, readonly))
    }
}

/// Stores what is not there yet. Else the word's line stays with all that have read it, and the next of them need not wait for it.
#[inline(always)]
pub fn store_if_new(word: &AtomicU64, value: u64) {
    if word.load(Ordering::Relaxed) != value {
        word.store(value, Ordering::Relaxed);
    }
}

/// The light half of an asymmetric fence: for this thread a full fence against [`heavy_fence`], if its process is
/// [registered](super::membarrier::register). Costs nothing: it only keeps the compiler from moving accesses across.
#[inline(always)]
pub fn light_fence() {
    compiler_fence(Ordering::SeqCst);
}

/// The heavy half: a full fence of this thread, and of every thread of every registered process at some moment of the
/// call. A system call, below a microsecond on an idle machine. False if the kernel has none: nothing happened then.
#[cold]
pub fn heavy_fence() -> bool {
    super::membarrier::fence()
}
