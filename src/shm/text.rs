//! Short texts in shared memory, for whoever looks at the job. A reader that comes while a text is written sees some of both; what is
//! too long is cut.

use super::atomic::{AtomicU64, Ordering::Relaxed};

/// Up to 8 bytes a word. Zero is an empty one.
#[repr(C)]
pub struct Text<const WORDS: usize> {
    len: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl<const WORDS: usize> Text<WORDS> {
    /// One writer at a time.
    pub fn put(&self, text: &[u8]) {
        let text = &text[..text.len().min(8 * WORDS)];
        for (word, chunk) in self.words.iter().zip(text.chunks(8)) {
            let mut padded = [0; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            word.store(u64::from_ne_bytes(padded), Relaxed);
        }
        self.len.store(text.len() as u64, Relaxed);
    }

    pub fn get(&self) -> String {
        let bytes = self
            .words
            .iter()
            .flat_map(|w| w.load(Relaxed).to_ne_bytes());
        let bytes: Vec<u8> = bytes.take(self.len.load(Relaxed) as usize).collect();
        String::from_utf8_lossy(&bytes).into_owned()
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
}
