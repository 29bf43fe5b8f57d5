//! The kernel's futex: comparing and going to sleep is one step for those who wake. There is no time-out.

use super::atomic::{AtomicU32, Ordering};
use loom::sync::{Condvar, Mutex};
use std::time::Duration;

/// Who sleeps on a word.
pub struct Queue {
    bucket: Mutex<()>,
    sleepers: Condvar,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            bucket: Mutex::new(()),
            sleepers: Condvar::new(),
        }
    }
}

pub fn wait(word: &AtomicU32, expected: u32, _timeout: Duration) {
    let bucket = word.queue.bucket.lock().expect("no actor panicked");
    if word.load(Ordering::Relaxed) == expected {
        drop(word.queue.sleepers.wait(bucket));
    }
}

pub fn wake_all(word: &AtomicU32) {
    let bucket = word.queue.bucket.lock();
    word.queue.sleepers.notify_all();
    drop(bucket);
}
