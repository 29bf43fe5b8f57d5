//! Sleeping and waking on a word of shared memory. Never FUTEX_PRIVATE: the sleeper is in another process.

use super::atomic::AtomicU32;
use std::ptr::null;
use std::time::Duration;

/// Sleeps while `word` holds `expected`, until woken, a signal, or `timeout`. May return at any time: check again.
pub fn wait(word: &AtomicU32, expected: u32, timeout: Duration) {
    let time = libc::timespec {
        tv_sec: timeout.as_secs() as libc::time_t,
        tv_nsec: timeout.subsec_nanos().into(),
    };
    // SAFETY: `word` and `time` live through the call; the kernel only reads them.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            expected,
            &time,
        )
    };
}

/// Wakes all who sleep on `word`.
pub fn wake_all(word: &AtomicU32) {
    let nobody = null::<libc::timespec>();
    // SAFETY: the kernel uses only the address of `word`.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE,
            i32::MAX,
            nobody,
        )
    };
}
