//! The receives of a context that wait for their messages, of which a message takes the oldest that it meets (MPI 4.1 §3.5).
//!
//! Those that ask for one source and one tag, either of which may be a wildcard, are a list, the oldest first. A message looks at the
//! beginning of one list, or of four if there are wildcards: to post, to take and to withdraw one of 100,000 takes as long as of ten.

use super::Envelope;
use super::matching::Receive;
use super::operation::Operation;
use super::recent::Recent;
use crate::mpi::constants::{MPI_ANY_SOURCE, MPI_ANY_TAG};
use crate::runtime;
use slab::Slab;

/// So many lists are kept when they are empty.
const LISTS: usize = 64;

#[derive(Default)]
pub struct Posted {
    /// The oldest receive, if it was posted when there was no other: most programs post one and wait for it.
    first: Option<(Envelope, Receive)>,
    /// The other ones. An operation has the number of its place here.
    others: Slab<Waiting>,
    lists: Recent<Envelope, List>,
    /// How many of these receives have wildcards.
    wild: usize,
    /// The receives are numbered in their order.
    number: u64,
}

struct Waiting {
    receive: Receive,
    number: u64,
    is_wild: bool,
    /// The place of its list.
    list: usize,
    older: Option<usize>,
    newer: Option<usize>,
}

/// Both ends; none of a list that is empty.
#[derive(Default)]
struct List {
    oldest: Option<usize>,
    newest: Option<usize>,
}

/// Where a receive waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    First,
    Among(usize),
}

impl Posted {
    pub fn is_empty(&self) -> bool {
        self.first.is_none() && self.others.is_empty()
    }

    #[inline(always)]
    pub fn post(&mut self, wanted: Envelope, receive: Receive) {
        match self.is_empty() {
            true => self.first = Some((wanted, receive)),
            false => self.post_among_many(wanted, receive),
        }
    }

    #[inline(always)]
    fn post_among_many(&mut self, wanted: Envelope, receive: Receive) {
        let is_wild = is_wild(wanted);
        self.wild += usize::from(is_wild);
        self.number += 1;
        let list = self.lists.place(wanted);
        if self.others.len() == self.others.capacity() {
            self.find_room();
        }
        let entry = self.others.vacant_entry();
        let place = entry.key();
        receive.operation.set_number(place as u64);
        let ends = &mut self.lists[list];
        let older = ends.newest.replace(place);
        entry.insert(Waiting {
            receive,
            number: self.number,
            is_wild,
            list,
            older,
            newer: None,
        });
        match older {
            Some(older) => self.others[older].newer = Some(place),
            None => ends.oldest = Some(place),
        }
    }

    /// Looks whether there is memory for twice as many, without which the job ends: a slab grows or ends the process.
    #[cold]
    fn find_room(&self) {
        let bytes = 2 * self.others.len() * size_of::<Waiting>();
        drop(runtime::must_hold(bytes));
    }

    /// Where the oldest receive is that a message of that source and tag meets.
    #[inline]
    pub fn oldest(&self, message: Envelope) -> Option<Position> {
        match &self.first {
            Some((wanted, _)) if wanted.meets(message.source, message.tag) => Some(Position::First),
            _ if self.others.is_empty() => None,
            _ => self.oldest_of_many(message).map(Position::Among),
        }
    }

    fn oldest_of_many(&self, message: Envelope) -> Option<usize> {
        let oldest = |wanted| self.lists[self.lists.find(wanted)?].oldest;
        if self.wild == 0 {
            return oldest(message);
        }
        let beginnings = wanting(message).into_iter().filter_map(oldest);
        beginnings.min_by_key(|&place| self.others[place].number)
    }

    /// Takes the oldest receive that a message of that source and tag meets.
    #[inline]
    pub fn take_oldest(&mut self, message: Envelope) -> Option<Receive> {
        let position = self.oldest(message)?;
        Some(self.take(position))
    }

    /// Takes the receive that waits there.
    #[inline]
    pub fn take(&mut self, position: Position) -> Receive {
        match position {
            Position::First => self.first.take().expect("it is where it was found").1,
            Position::Among(place) => {
                let Receive { operation, buffer } = self.take_of_many(place);
                let buffer = buffer.anew();
                Receive { operation, buffer }
            }
        }
    }

    fn take_of_many(&mut self, place: usize) -> Receive {
        let taken = self.others.remove(place);
        self.wild -= usize::from(taken.is_wild);
        let list = &mut self.lists[taken.list];
        match taken.older {
            Some(older) => self.others[older].newer = taken.newer,
            None => list.oldest = taken.newer,
        }
        match taken.newer {
            Some(newer) => self.others[newer].older = taken.older,
            None => list.newest = taken.older,
        }
        if list.oldest.is_none() && self.lists.len() > LISTS {
            self.lists.remove(taken.list);
        }
        taken.receive
    }

    /// Takes a receive back; false if it has met its message already.
    pub fn withdraw(&mut self, operation: &Operation) -> bool {
        let is_it = |receive: &Receive| std::ptr::eq(&*receive.operation, operation);
        if self.first.take_if(|(_, first)| is_it(first)).is_some() {
            return true;
        }
        let place = operation.number() as usize;
        let is_there = self.others.get(place).is_some_and(|it| is_it(&it.receive));
        if is_there {
            self.take_of_many(place);
        }
        is_there
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }
}

fn is_wild(Envelope { source, tag }: Envelope) -> bool {
    source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG
}

/// What receives may ask for that a message meets.
fn wanting(message: Envelope) -> [Envelope; 4] {
    let source = MPI_ANY_SOURCE;
    let tag = MPI_ANY_TAG;
    let any = Envelope { source, tag };
    [
        message,
        Envelope { source, ..message },
        Envelope { tag, ..message },
        any,
    ]
}
