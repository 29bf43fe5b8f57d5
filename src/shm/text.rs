//! Short texts in shared memory, for whoever looks at the job. A reader that comes while a text is written sees some of both; what is
//! too long is cut.

use super::atomic::{AtomicU64, Ordering::Relaxed, store_if_new};
use std::fmt;

/// Up to 8 bytes a word. Zero is an empty one.
#[repr(C)]
pub struct Text<const WORDS: usize> {
    len: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl<const WORDS: usize> Text<WORDS> {
    /// One writer at a time. What is there already is not written again: its lines stay with those that have read them.
    pub fn put(&self, text: &[u8]) {
        let text = &text[..text.len().min(8 * WORDS)];
        for (word, chunk) in self.words.iter().zip(text.chunks(8)) {
            store_if_new(word, word_of(chunk));
        }
        store_if_new(&self.len, text.len() as u64);
    }

    pub fn get(&self) -> String {
        self.copy().to_string()
    }

    /// As it is now.
    #[inline]
    pub fn copy(&self) -> Copied<WORDS> {
        Copied {
            len: (self.len.load(Relaxed) as usize).min(8 * WORDS),
            words: self.words.each_ref().map(|word| word.load(Relaxed)),
        }
    }
}

/// A word of a text, from up to 8 bytes.
#[inline]
fn word_of(chunk: &[u8]) -> u64 {
    match chunk.first_chunk() {
        Some(all) => u64::from_ne_bytes(*all),
        None => {
            let mut padded = [0; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(padded)
        }
    }
}

/// A text that was read.
#[derive(Clone, Copy)]
pub struct Copied<const WORDS: usize> {
    len: usize,
    words: [u64; WORDS],
}

impl<const WORDS: usize> Copied<WORDS> {
    /// Whether that was [put](Text::put).
    #[inline]
    pub fn is(&self, text: &str) -> bool {
        let text = &text.as_bytes()[..text.len().min(8 * WORDS)];
        let mut both = self.words.iter().zip(text.chunks(8));
        self.len == text.len() && both.all(|(word, chunk)| *word == word_of(chunk))
    }
}

impl<const WORDS: usize> fmt::Display for Copied<WORDS> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.words.map(u64::to_ne_bytes);
        to.write_str(&String::from_utf8_lossy(&bytes.as_flattened()[..self.len]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_and_what_was_there_is_gone() {
        let text = Text {
            len: AtomicU64::new(0),
            words: [const { AtomicU64::new(0) }; 2],
        };
        assert_eq!(text.get(), "");
        for (put, got) in [
            ("0123456789abcdefgh", "0123456789abcdef"),
            ("grid", "grid"),
            ("", ""),
        ] {
            text.put(put.as_bytes());
            assert_eq!(text.get(), got);
        }
        text.len.store(u64::MAX, Relaxed);
        assert_eq!(text.get().len(), 16);
    }

    #[test]
    fn what_was_put_is_found_and_nothing_else() {
        let text = Text {
            len: AtomicU64::new(0),
            words: [const { AtomicU64::new(0) }; 2],
        };
        let all = [
            "",
            "grid",
            "gridded",
            "01234567",
            "0123456789",
            "0123456789abcdefgh",
        ];
        for put in all {
            text.put(put.as_bytes());
            for other in all {
                assert_eq!(text.copy().is(other), put == other, "{put} {other}");
            }
        }
        assert!(text.copy().is("0123456789abcdef"));
    }
}
