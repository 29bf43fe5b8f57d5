//! The heavy half of an asymmetric fence: the kernel makes every thread that runs now pass a full fence (Linux's `membarrier`),
//! so that the many that have the [light half](super::atomic::light_fence) pay nothing for it.
//!
//! A thread that does not run passed a fence when it was taken off its core.

use super::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Once;

const GLOBAL_EXPEDITED: i32 = 1 << 1;
const REGISTER_GLOBAL_EXPEDITED: i32 = 1 << 2;

/// Whether this process takes part.
static REGISTERED: AtomicBool = AtomicBool::new(false);

/// Lets the heavy fences of other processes reach the threads of this one. Whether the kernel does that: asked once, so that
/// the answer stays what others were told.
pub fn register() -> bool {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| REGISTERED.store(call(REGISTER_GLOBAL_EXPEDITED), Relaxed));
    is_registered()
}

/// Whether light fences of this process are worth as much as full ones against heavy fences.
#[inline(always)]
pub fn is_registered() -> bool {
    REGISTERED.load(Relaxed)
}

/// The heavy fence, also a full one of the caller. False where the kernel has none to offer.
pub fn fence() -> bool {
    call(GLOBAL_EXPEDITED)
}

fn call(command: i32) -> bool {
    // SAFETY: the call takes numbers and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}
