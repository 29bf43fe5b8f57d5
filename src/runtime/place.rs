//! Where in the program a rank waits: the return addresses of the thread that waits, which it writes down itself when the
//! launcher asks ([`Errand::Tell`](super::errands::Errand)). The launcher finds the names and lines, of many ranks at once.

use super::me;
use crate::check::place::stack;
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// So many frames are told.
pub const FRAMES: usize = 32;
/// So many are looked at: those of the library come first.
const DEPTH: usize = 96;

/// What a rank has told. Zero: nothing.
#[repr(C)]
pub struct Place {
    /// How many frames.
    count: AtomicU32,
    _pad: u32,
    frames: [AtomicU64; FRAMES],
}

impl Place {
    /// Forgets what was told.
    pub fn clear(&self) {
        self.count.store(0, Ordering::Release);
    }

    /// The addresses, the innermost first, of which the first is the library's: the call that the program has made. Empty if
    /// nothing was told.
    pub fn frames(&self) -> Vec<u64> {
        let count = self.count.load(Ordering::Acquire) as usize;
        let frames = self.frames.iter().take(count);
        frames.map(|frame| frame.load(Ordering::Relaxed)).collect()
    }

    fn tell(&self, addresses: &[usize]) {
        for (frame, address) in self.frames.iter().zip(addresses) {
            frame.store(*address as u64, Ordering::Relaxed);
        }
        let count = addresses.len().min(FRAMES) as u32;
        self.count.store(count, Ordering::Release);
    }
}

/// Writes down where the calling thread is.
pub(super) fn tell() {
    let mut addresses = [0; DEPTH];
    let all = stack(&mut addresses);
    let own = module(tell as *const c_void);
    let is_own = |address: &&usize| module(**address as *const c_void) == own;
    let inner = all.iter().take_while(is_own);
    let first = inner.count().saturating_sub(1);
    me().place.tell(&all[first..]);
}

/// Where the module begins that an address is in; null if it is in none.
fn module(address: *const c_void) -> *mut c_void {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: the address is only compared, and the answer is written whole where the call succeeds.
    unsafe {
        match libc::dladdr(address, info.as_mut_ptr()) {
            0 => null_mut(),
            _ => info.assume_init().dli_fbase,
        }
    }
}
