//! Room for what checks keep. A checked process must go on where the system refuses it memory: what finds no room then is not kept, so
//! less is found, and it is told how often.

use crate::shm::atomic::{AtomicU64, Ordering};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{Array, SmallVec};
use std::hash::Hash;

static REFUSED: AtomicU64 = AtomicU64::new(0);

/// How often memory was refused.
pub(super) fn refused() -> u64 {
    REFUSED.load(Ordering::Relaxed)
}

/// What grows.
pub trait Room {
    fn ask(&mut self, more: usize) -> bool;

    /// Whether there is room for so many more; if not, that is counted.
    #[inline]
    fn has_room(&mut self, more: usize) -> bool {
        let has = self.ask(more);
        if !has {
            REFUSED.fetch_add(1, Ordering::Relaxed);
        }
        has
    }
}

impl<T> Room for Vec<T> {
    #[inline]
    fn ask(&mut self, more: usize) -> bool {
        self.try_reserve(more).is_ok()
    }
}

impl<A: Array> Room for SmallVec<A> {
    #[inline]
    fn ask(&mut self, more: usize) -> bool {
        self.try_reserve(more).is_ok()
    }
}

impl<K: Eq + Hash, V> Room for FxHashMap<K, V> {
    #[inline]
    fn ask(&mut self, more: usize) -> bool {
        self.try_reserve(more).is_ok()
    }
}

impl<K: Eq + Hash> Room for FxHashSet<K> {
    #[inline]
    fn ask(&mut self, more: usize) -> bool {
        self.try_reserve(more).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_counted() {
        let mut all: Vec<u64> = Vec::new();
        assert!(all.has_room(10));
        let before = refused();
        assert!(!all.has_room(1 << 58));
        assert!(!SmallVec::<[u64; 1]>::new().has_room(1 << 58));
        assert!(refused() >= before + 2 && all.capacity() >= 10);
    }
}
