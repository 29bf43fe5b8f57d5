//! Which entries run at the same time.

use crate::testlist::Entry;
use crate::verdict::Expectation;
use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex};

/// Entries with their numbers in the run.
type Numbered<'a> = Vec<(usize, &'a Entry)>;

/// The entries of a run.
pub struct Company<'a> {
    /// Those that sleep until a time is over, which their environment says: they run beside all others.
    pub asleep: Numbered<'a>,
    /// Those that may run beside others.
    pub together: Numbered<'a>,
    /// Those that run by themselves.
    pub alone: Numbered<'a>,
}

impl<'a> Company<'a> {
    pub fn of(entries: &[&'a Entry], cores: usize) -> Self {
        let numbered = entries.iter().copied().enumerate();
        let (asleep, awake): (Numbered, Numbered) = numbered.partition(|(_, entry)| {
            let mut variables = entry.environment.iter();
            variables.any(|(name, _)| name.ends_with("_TIMEOUT"))
        });
        let (together, alone) = awake.into_iter().partition(|(_, entry)| {
            let fills_the_machine = entry.ranks as usize > cores;
            // Programs that have to come to their own end are those that measure.
            let measures = entry.expectation == Expectation::OwnEnd;
            !fills_the_machine && !measures
        });
        Self {
            asleep,
            together,
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

    /// The first entry of those whose folder is free, when there is one; nothing once all have begun.
    pub fn next(&self) -> Option<Turn<'a, '_>> {
        let mut state = self.state.lock().expect("no thread has panicked");
        while !state.waiting.is_empty() {
            let is_free = |(_, entry): &(usize, &Entry)| !state.busy.contains(&*entry.folder);
            if let Some(place) = state.waiting.iter().position(is_free) {
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
        assert_eq!(numbers(company.alone), [1, 2]);
        assert_eq!(numbers(company.asleep), [4]);
        assert_eq!(Company::of(&entries, 4).alone.len(), 1);
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
