//! What a sleeping thread says of its wait: a key, by which it is found, and words.

use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::shm::clock;

/// How many threads of one rank can say what they wait for at the same time. More can wait, unseen.
pub const WAITS: usize = 8;
/// Words of text that say what a thread waits for.
const TEXT_WORDS: usize = 21;

/// What one sleeping thread waits for.
#[repr(C)]
pub struct Wait {
    /// 0: free; 1: taken, no key; else what [`waits_for`](super::Process::waits_for) is asked for, for instance a lock word's offset.
    pub key: AtomicU64,
    /// Length of the text in bytes.
    len: AtomicU32,
    /// When it began, in milliseconds of the clock that all processes share; wraps.
    pub(super) since: AtomicU32,
    text: [AtomicU64; TEXT_WORDS],
}

const _: () = assert!(size_of::<Wait>() == 184);

impl Wait {
    /// Takes the slot if it is free.
    pub fn take(&self, key: u64, text: &str) -> bool {
        if self
            .key
            .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed)
            .is_err()
        {
            return false;
        }
        self.say(text);
        self.key.store(key.max(1), Ordering::Release);
        true
    }

    /// Says something else in a slot that is taken. Who reads it meanwhile may read some of both.
    pub fn say(&self, text: &str) {
        let bytes = text.as_bytes();
        for (word, chunk) in self.text.iter().zip(bytes.chunks(8)) {
            let mut padded = [b' '; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            word.store(u64::from_ne_bytes(padded), Ordering::Relaxed);
        }
        self.len
            .store(bytes.len().min(TEXT_WORDS * 8) as u32, Ordering::Relaxed);
        let now = clock::now().as_millis() as u32;
        self.since.store(now, Ordering::Relaxed);
    }

    pub fn leave(&self) {
        self.key.store(0, Ordering::Release);
    }

    /// Its key, for how many milliseconds it has lasted at a time of the clock that all share, and its words, if there is a wait.
    pub(in crate::runtime) fn seen(&self, now: u32) -> Option<(u64, u32, String)> {
        let key = self.key.load(Ordering::Acquire);
        let since = now.wrapping_sub(self.since.load(Ordering::Relaxed));
        (key > 1 || key == 1 && self.len.load(Ordering::Relaxed) != 0)
            .then(|| (key, since, self.text()))
    }

    pub(super) fn text(&self) -> String {
        let bytes: Vec<u8> = self
            .text
            .iter()
            .flat_map(|w| w.load(Ordering::Relaxed).to_ne_bytes())
            .collect();
        let len = self.len.load(Ordering::Relaxed) as usize;
        String::from_utf8_lossy(&bytes[..len.min(bytes.len())]).into_owned()
    }
}
