//! The messages of a context that have arrived before their receives, of which a receive takes the oldest that it meets (MPI 4.1 §3.5).
//!
//! Few are a list that is searched from the oldest on, as most programs never have many. Those that come when there are more are sorted:
//! a message can be met by receives of four patterns (its source or any, its tag or any), and is found by each of them, and by a number
//! that grows with every message, so a search costs a logarithm however many there are. All of the list are older than all of those.
//!
//! An announcement that was taken back leaves when it is looked at, when the list is full, or when the others have doubled.

use super::Envelope;
use super::matching::{Arrival, Body};
use crate::mpi::constants::{MPI_ANY_SOURCE, MPI_ANY_TAG};
use std::collections::{BTreeMap, BTreeSet};

/// So many are few.
const FEW: usize = 8;

#[derive(Default)]
pub struct Arrived {
    few: Vec<Arrival>,
    many: Many,
}

impl Arrived {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.few.is_empty() && self.many.is_empty()
    }

    /// Keeps a message that no receive was posted for; its number is larger than that of any before.
    pub fn keep(&mut self, number: u64, arrival: Arrival) {
        if self.many.is_empty() && self.few.len() == FEW {
            self.few.retain(|arrival| arrival.body.stands());
        }
        match self.many.is_empty() && self.few.len() < FEW {
            true => self.few.push(arrival),
            false => self.many.keep(number, arrival),
        }
    }

    /// The oldest message that such a receive meets.
    pub fn find(&mut self, wanted: Envelope) -> Option<&Arrival> {
        while let Some(place) = self.oldest_of_few(wanted) {
            if self.few[place].body.stands() {
                return self.few.get(place);
            }
            self.few.remove(place);
        }
        self.many.find(wanted)
    }

    /// Takes that message, as `take` ([`Body::take`] or [`Body::hold`]) does.
    #[inline]
    pub fn take(&mut self, wanted: Envelope, take: fn(&mut Body) -> bool) -> Option<Arrival> {
        while let Some(place) = self.oldest_of_few(wanted) {
            let mut arrival = self.few.remove(place);
            if take(&mut arrival.body) {
                return Some(arrival);
            }
        }
        match self.many.is_empty() {
            true => None,
            false => self.many.take(wanted, take),
        }
    }

    #[inline]
    fn oldest_of_few(&self, wanted: Envelope) -> Option<usize> {
        let meets = |arrival: &Arrival| wanted.meets(arrival.source, arrival.tag);
        self.few.iter().position(meets)
    }

    /// Throws away what was taken back.
    pub fn sweep(&mut self) {
        self.few.retain(|arrival| arrival.body.stands());
        self.many.sweep();
    }

    /// All messages that were not taken back.
    pub fn all(&mut self) -> impl Iterator<Item = &Arrival> {
        self.sweep();
        self.few.iter().chain(self.many.arrived.values())
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        assert_eq!(self.many.index.len(), 3 * self.many.arrived.len());
        self.few.len() + self.many.arrived.len()
    }
}

/// The source and tag of a message, or what a receive may ask for in place of them, and its number.
type Key = (i32, i32, u64);

#[derive(Default)]
struct Many {
    arrived: BTreeMap<u64, Arrival>,
    /// Every arrival under its own source and tag, and under each replaced by a wildcard.
    index: BTreeSet<Key>,
    /// When so many have arrived, those that were taken back meanwhile are thrown away.
    full: usize,
}

impl Many {
    #[inline]
    fn is_empty(&self) -> bool {
        self.arrived.is_empty()
    }

    fn keep(&mut self, number: u64, arrival: Arrival) {
        if self.arrived.len() >= self.full {
            self.sweep();
        }
        let (source, tag) = (arrival.source, arrival.tag);
        self.index.insert((source, tag, number));
        self.index.insert((MPI_ANY_SOURCE, tag, number));
        self.index.insert((source, MPI_ANY_TAG, number));
        self.arrived.insert(number, arrival);
    }

    fn find(&mut self, wanted: Envelope) -> Option<&Arrival> {
        loop {
            let number = self.oldest(wanted)?;
            if self.arrived[&number].body.stands() {
                return self.arrived.get(&number);
            }
            self.remove(number);
        }
    }

    fn take(&mut self, wanted: Envelope, take: fn(&mut Body) -> bool) -> Option<Arrival> {
        loop {
            let number = self.oldest(wanted)?;
            let mut arrival = self.remove(number)?;
            if take(&mut arrival.body) {
                return Some(arrival);
            }
        }
    }

    fn oldest(&self, Envelope { source, tag }: Envelope) -> Option<u64> {
        if source == MPI_ANY_SOURCE && tag == MPI_ANY_TAG {
            return self.arrived.keys().next().copied();
        }
        let all = (source, tag, 0)..=(source, tag, u64::MAX);
        self.index.range(all).next().map(|key| key.2)
    }

    fn remove(&mut self, number: u64) -> Option<Arrival> {
        let arrival = self.arrived.remove(&number)?;
        let (source, tag) = (arrival.source, arrival.tag);
        self.index.remove(&(source, tag, number));
        self.index.remove(&(MPI_ANY_SOURCE, tag, number));
        self.index.remove(&(source, MPI_ANY_TAG, number));
        Some(arrival)
    }

    fn sweep(&mut self) {
        let gone = self
            .arrived
            .iter()
            .filter(|(_, arrival)| !arrival.body.stands());
        let gone: Vec<u64> = gone.map(|(&number, _)| number).collect();
        for number in gone {
            self.remove(number);
        }
        self.full = 2 * self.arrived.len() + 64;
    }
}
