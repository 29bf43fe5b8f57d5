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

/// So many lists are kept when they are empty.
const LISTS: usize = 64;

#[derive(Default)]
pub struct Posted {
    /// The oldest receive, if it was posted when there was no other: most programs post one and wait for it.
    first: Option<(Envelope, Receive)>,
    /// The other ones, and places that are free again. An operation has the number of its place here.
    others: Vec<Waiting>,
    /// How many wait there.
    count: usize,
    /// The free place that is taken next; the next one is the `newer` of each.
    free: Option<usize>,
    lists: Recent<Envelope, List>,
    /// How many of these receives have wildcards.
    wild: usize,
    /// The receives are numbered in their order.
    number: u64,
}

/// It is written and read where it is, field by field: a whole one that is put together elsewhere and then moved here, as a slab does, takes 6 ns
/// more each way, as the processor does not find what it has stored in smaller pieces a moment ago. (64 receives of 4 bytes.)
struct Waiting {
    /// `None`: the place is free.
    receive: Option<Receive>,
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
        self.first.is_none() && self.count == 0
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
        let place = match self.free {
            Some(place) => place,
            None => self.add_place(),
        };
        receive.operation.set_number(place as u64);
        let ends = &mut self.lists[list];
        let older = ends.newest.replace(place);
        let waiting = &mut self.others[place];
        self.free = waiting.newer;
        self.count += 1;
        waiting.receive = Some(receive);
        waiting.number = self.number;
        waiting.is_wild = is_wild;
        waiting.list = list;
        waiting.older = older;
        waiting.newer = None;
        match older {
            Some(older) => self.others[older].newer = Some(place),
            None => ends.oldest = Some(place),
        }
    }

    /// Makes one more place. Looks whether there is memory for twice as many, if it takes more, without which the job ends.
    #[cold]
    fn add_place(&mut self) -> usize {
        if self.others.len() == self.others.capacity() {
            let bytes = 2 * self.others.len() * size_of::<Waiting>();
            drop(runtime::must_hold(bytes));
        }
        self.others.push(Waiting {
            receive: None,
            number: 0,
            is_wild: false,
            list: 0,
            older: None,
            newer: None,
        });
        self.others.len() - 1
    }

    /// Where the oldest receive is that a message of that source and tag meets.
    #[inline]
    pub fn oldest(&self, message: Envelope) -> Option<Position> {
        match &self.first {
            Some((wanted, _)) if wanted.meets(message.source, message.tag) => Some(Position::First),
            _ if self.count == 0 => None,
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

    #[inline(always)]
    fn take_of_many(&mut self, place: usize) -> Receive {
        let taken = &mut self.others[place];
        let receive = taken.receive.take().expect("a receive waits there");
        self.wild -= usize::from(taken.is_wild);
        let (older, newer, of) = (taken.older, taken.newer, taken.list);
        taken.newer = self.free.replace(place);
        self.count -= 1;
        let list = &mut self.lists[of];
        match older {
            Some(older) => self.others[older].newer = newer,
            None => list.oldest = newer,
        }
        match newer {
            Some(newer) => self.others[newer].older = older,
            None => list.newest = older,
        }
        if list.oldest.is_none() && self.lists.len() > LISTS {
            self.lists.remove(of);
        }
        receive
    }

    /// Takes a receive back; false if it has met its message already.
    pub fn withdraw(&mut self, operation: &Operation) -> bool {
        let is_it = |receive: &Receive| std::ptr::eq(&*receive.operation, operation);
        if self.first.take_if(|(_, first)| is_it(first)).is_some() {
            return true;
        }
        let place = operation.number() as usize;
        let waiting = self.others.get(place).and_then(|it| it.receive.as_ref());
        let is_there = waiting.is_some_and(is_it);
        if is_there {
            self.take_of_many(place);
        }
        is_there
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.count
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
