//! Which entries run at the same time.

use crate::testlist::Entry;
use crate::verdict::Expectation;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex};

/// Entries with their numbers in the run.
type Numbered<'a> = Vec<(usize, &'a Entry)>;

/// The entries of a run.
pub struct Company<'a> {
    /// Those that sleep until a time is over, which their environment says: they run beside all others.
    pub asleep: Numbered<'a>,
    /// Those that may run beside others.
    pub together: Numbered<'a>,
    /// Those that fill the machine, unless they sleep.
    pub full: Numbered<'a>,
    /// Those that run by themselves: they measure.
    pub alone: Numbered<'a>,
}

impl<'a> Company<'a> {
    pub fn of(entries: &[&'a Entry], cores: usize) -> Self {
        let numbered = entries.iter().copied().enumerate();
        let (asleep, awake): (Numbered, Numbered) = numbered.partition(|(_, entry)| {
            let mut variables = entry.environment.iter();
            variables.any(|(name, _)| name.ends_with("_TIMEOUT"))
        });
        // Programs that have to come to their own end are those that measure.
        let measures = |entry: &Entry| entry.expectation == Expectation::OwnEnd;
        let (alone, awake): (Numbered, Numbered) =
            awake.into_iter().partition(|(_, entry)| measures(entry));
        let (full, together) = awake
            .into_iter()
            .partition(|(_, entry)| entry.ranks as usize > cores);
        Self {
            asleep,
            together,
            full,
            alone,
        }
    }
}

/// What workers take entries from. No two entries of one queue and folder run at the same time: their programs write files there, under the
/// same names.
pub struct Queue<'a> {
    state: Mutex<State<'a>>,
    freed: Condvar,
}

struct State<'a> {
    waiting: Numbered<'a>,
    /// The folders of the entries that run.
    busy: BTreeSet<&'a str>,
}

/// An entry that runs until this is dropped.
pub struct Turn<'a, 'q> {
    pub number: usize,
    pub entry: &'a Entry,
    queue: &'q Queue<'a>,
}

impl<'a> Queue<'a> {
    pub fn of(entries: Numbered<'a>) -> Self {
        Self {
            state: Mutex::new(State {
                waiting: entries,
                busy: BTreeSet::new(),
            }),
            freed: Condvar::new(),
        }
    }

    /// The first entry of the folder that most wait for of those that are free, when there is one; nothing once all have begun.
    pub fn next(&self) -> Option<Turn<'a, '_>> {
        let mut state = self.state.lock().expect("no thread has panicked");
        while !state.waiting.is_empty() {
            if let Some(place) = state.first() {
                let (number, entry) = state.waiting.remove(place);
                state.busy.insert(&entry.folder);
                return Some(Turn {
                    number,
                    entry,
                    queue: self,
                });
            }
            state = self.freed.wait(state).expect("no thread has panicked");
        }
        None
    }
}

impl State<'_> {
    /// The place of the entry that is to begin. What is left at the end, one after another, is little if the longest lines go first.
    fn first(&self) -> Option<usize> {
        let mut lines: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (place, (_, entry)) in self.waiting.iter().enumerate() {
            let (_, length) = lines.entry(&entry.folder).or_insert((place, 0));
            *length += 1;
        }
        let free = lines
            .iter()
            .filter(|(folder, _)| !self.busy.contains(*folder));
        let longest = free.max_by_key(|(_, (place, length))| (*length, Reverse(*place)));
        longest.map(|(_, (place, _))| *place)
    }
}

impl Drop for Turn<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock().expect("no thread has panicked");
        state.busy.remove(&*self.entry.folder);
        self.queue.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testlist::entry;

    fn lines<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<String> {
        entries.into_iter().map(Entry::to_string).collect()
    }

    #[test]
    fn many_ranks_and_measurements_run_by_themselves() {
        let entries = [
            entry("rma", "few 2"),
            entry("rma", "many 4"),
            entry("perf", "timer 1"),
            entry("io", "one 1"),
            entry("spawn", "wait 5 env=A_TIMEOUT=20"),
        ];
        let entries: Vec<&Entry> = entries.iter().collect();
        let company = Company::of(&entries, 2);
        assert_eq!(
            lines(company.together.into_iter().map(|(_, entry)| entry)),
            ["rma/few 2", "io/one 1"]
        );
        let numbers = |entries: Numbered| entries.iter().map(|(n, _)| *n).collect::<Vec<_>>();
        assert_eq!(numbers(company.full), [1]);
        assert_eq!(numbers(company.alone), [2]);
        assert_eq!(numbers(company.asleep), [4]);
        assert!(Company::of(&entries, 4).full.is_empty());
    }

    #[test]
    fn the_longest_line_goes_first() {
        let entries = [entry("rma", "a 1"), entry("io", "b 1"), entry("io", "c 1")];
        let queue = Queue::of(entries.iter().enumerate().collect());
        let numbers: Vec<usize> =
            std::iter::from_fn(|| queue.next().map(|turn| turn.number)).collect();
        assert_eq!(numbers, [1, 0, 2]);
    }

    #[test]
    fn no_two_of_one_folder() {
        let entries = [
            entry("io", "a 1"),
            entry("io", "b 1"),
            entry("rma", "c 1"),
            entry("io", "d 1"),
        ];
        let queue = Queue::of(entries.iter().enumerate().collect());
        let first = queue.next().expect("all wait");
        let second = queue.next().expect("that of another folder");
        assert_eq!(lines([first.entry, second.entry]), ["io/a 1", "rma/c 1"]);
        std::thread::scope(|scope| {
            let third = scope.spawn(|| queue.next().expect("two wait"));
            drop(second);
            assert!(!third.is_finished());
            drop(first);
            let third = third.join().unwrap();
            assert_eq!(third.number, 1);
        });
        assert_eq!(queue.next().expect("the last").number, 3);
        assert!(queue.next().is_none());
    }
}
