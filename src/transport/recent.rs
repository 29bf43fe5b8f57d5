//! A map whose entry of last time is at hand: most programs ask for the same one again and again.

use crate::runtime;
use rustc_hash::FxHashMap;
use slab::Slab;
use std::hash::Hash;
use std::ops::{Index, IndexMut};

pub struct Recent<K, V> {
    places: FxHashMap<K, usize>,
    entries: Slab<(K, V)>,
    /// The place that was made or asked for last.
    last: usize,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Recent {
            places: FxHashMap::default(),
            entries: Slab::new(),
            last: 0,
        }
    }
}

impl<K: Copy + Eq + Hash, V: Default> Recent<K, V> {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The place of a key that is there. It stays the same until it is removed.
    #[inline]
    pub fn find(&self, key: K) -> Option<usize> {
        match self.entries.get(self.last) {
            Some((last, _)) if *last == key => Some(self.last),
            _ => self.places.get(&key).copied(),
        }
    }

    /// The place of a key, which is made if it is not there.
    #[inline]
    pub fn place(&mut self, key: K) -> usize {
        match self.entries.get(self.last) {
            Some((last, _)) if *last == key => self.last,
            _ => self.place_of_another(key),
        }
    }

    #[inline(never)]
    fn place_of_another(&mut self, key: K) -> usize {
        self.last = match self.places.get(&key) {
            Some(place) => *place,
            None => self.make(key),
        };
        self.last
    }

    fn make(&mut self, key: K) -> usize {
        let (entries, places) = (&self.entries, &self.places);
        if entries.len() == entries.capacity() || places.len() == places.capacity() {
            self.find_room();
        }
        let place = self.entries.insert((key, V::default()));
        self.places.insert(key, place);
        place
    }

    /// Looks whether there is memory for twice as many, without which the job ends: both grow or end the process.
    #[cold]
    fn find_room(&self) {
        let bytes = 2 * self.entries.len() * size_of::<(K, V)>();
        drop(runtime::must_hold(bytes));
        let bytes = 4 * self.places.len() * size_of::<(K, usize)>();
        drop(runtime::must_hold(bytes));
    }

    pub fn remove(&mut self, place: usize) {
        let (key, _) = self.entries.remove(place);
        self.places.remove(&key);
    }

    /// All of them.
    pub fn each(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.entries
            .iter_mut()
            .map(|(_, (key, value))| (&*key, value))
    }

    /// Removes all but those of which it is said that they stay.
    pub fn retain(&mut self, mut stays: impl FnMut(&mut V) -> bool) {
        let places = &mut self.places;
        self.entries.retain(|_, (key, value)| {
            let stays = stays(value);
            if !stays {
                places.remove(key);
            }
            stays
        });
    }
}

impl<K, V> Index<usize> for Recent<K, V> {
    type Output = V;

    fn index(&self, place: usize) -> &V {
        &self.entries[place].1
    }
}

impl<K, V> IndexMut<usize> for Recent<K, V> {
    fn index_mut(&mut self, place: usize) -> &mut V {
        &mut self.entries[place].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_keys_until_they_are_removed() {
        let mut map = Recent::<u32, Vec<u32>>::default();
        for key in [5, 5, 7, 5, 9, 7] {
            let place = map.place(key);
            map[place].push(key);
            assert_eq!(map.find(key), Some(place));
        }
        assert_eq!(map.len(), 3);
        for (key, times) in [(5, 3), (7, 2), (9, 1)] {
            let place = map.find(key).unwrap();
            assert_eq!(map[place], vec![key; times]);
        }
        // The last one, and another.
        for key in [7, 5] {
            map.remove(map.find(key).unwrap());
            assert_eq!(map.find(key), None);
        }
        let place = map.place(7);
        assert!(map[place].is_empty());
        map.retain(|value| !value.is_empty());
        assert_eq!((map.len(), map.find(7)), (1, None));
        assert_eq!(map[map.find(9).unwrap()], [9]);
    }
}
