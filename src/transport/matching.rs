//! Which receive gets which message: the two queues of a context (MPI 4.1 §3.5), one of [receives](Posted) and one of messages
//! that have [arrived](Arrived) before theirs.

use super::Envelope;
use super::arrived::Arrived;
use super::buffer::Buffer;
use super::checked::Met;
use super::counted::Counted;
use super::operation::{About, Operation};
use super::posted::Posted;
use super::ring::Header;
use super::sends::offer_at;
use super::transfer::Announced;

/// A receive that waits for its message.
pub struct Receive {
    pub operation: Counted<Operation>,
    pub buffer: Buffer,
}

impl Receive {
    /// A new one, and its operation.
    #[inline(always)]
    pub fn new(buffer: Buffer, about: About) -> (Receive, Counted<Operation>) {
        let operation = Operation::new(about);
        let waiting = operation.clone();
        let receive = Receive { operation, buffer };
        (receive, waiting)
    }
}

/// A message that waits for its receive.
pub struct Arrival {
    /// The sender's rank in the communicator.
    pub source: i32,
    pub tag: i32,
    /// Bytes of data.
    pub bytes: u64,
    /// The sender's rank in the job.
    pub from: u32,
    /// The sender's number of it, if it has one.
    pub id: u64,
    /// Whether its sender receives in the same call.
    pub exchanged: bool,
    pub body: Body,
}

/// Where the data of a message is.
pub enum Body {
    Here(Box<[u8]>),
    /// In parts, of which some have come: message `id` of the [streams](super::streams).
    Coming {
        id: u64,
    },
    /// To be taken, fetched, and then the sender is to be told about its message `id`.
    There {
        id: u64,
        announced: Announced,
    },
}

impl Body {
    /// Bytes that this process holds of such a message of so many `bytes`; `None` if its sender does.
    pub fn held(&self, bytes: u64) -> Option<usize> {
        match self {
            Body::Here(_) | Body::Coming { .. } => Some(bytes as usize),
            Body::There { .. } => None,
        }
    }

    /// Takes the message for a receive; false if its sender has taken it back.
    pub fn take(&mut self) -> bool {
        match self {
            Body::Here(_) | Body::Coming { .. } => true,
            Body::There { id, announced } => announced.find(offer_at(announced.offer).take(*id)),
        }
    }

    /// Takes the message for a matched probe; false if its sender has taken it back.
    pub fn hold(&mut self) -> bool {
        match self {
            Body::There { id, announced } => offer_at(announced.offer).hold(*id),
            _ => true,
        }
    }

    /// Takes the message, which a matched probe holds, for its receive.
    pub fn take_held(&mut self) {
        if let Body::There { id, announced } = self {
            announced.find(offer_at(announced.offer).take_held(*id));
        }
    }

    /// Whether its sender has not taken it back.
    pub(super) fn stands(&self) -> bool {
        match self {
            Body::Here(_) | Body::Coming { .. } => true,
            Body::There { id, announced } => offer_at(announced.offer).stands(*id),
        }
    }
}

impl Arrival {
    pub fn new(header: &Header, from: u32, body: Body) -> Arrival {
        Arrival {
            source: header.source as i32,
            tag: header.tag,
            bytes: header.bytes,
            from,
            id: header.id,
            exchanged: header.exchanged,
            body,
        }
    }

    /// It, in such a context, as checks see it.
    pub fn met(&self, context: u32) -> Met {
        Met {
            context,
            source: self.source,
            from: self.from,
            tag: self.tag,
            bytes: self.bytes,
            id: self.id,
        }
    }

    pub fn envelope(&self) -> Envelope {
        Envelope {
            source: self.source,
            tag: self.tag,
        }
    }
}

/// The queues of one context.
#[derive(Default)]
pub struct Queues {
    pub posted: Posted,
    pub arrived: Arrived,
}

impl Queues {
    /// Whether there is nothing in them but what was taken back.
    pub fn is_empty(&mut self) -> bool {
        self.arrived.sweep();
        self.are_unused()
    }

    /// Whether there is nothing in them.
    pub fn are_unused(&self) -> bool {
        self.posted.is_empty() && self.arrived.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::operation::{Action, Partners};
    use super::*;
    use crate::mpi::constants::{MPI_ANY_SOURCE, MPI_ANY_TAG};
    use std::collections::BTreeMap;

    fn receive(source: i32, tag: i32) -> Receive {
        Receive {
            operation: Operation::new(About {
                action: Action::Receive,
                context: 0,
                peer: source,
                tag,
                partners: Partners::One(0),
                comm: crate::mpi::constants::MPI_COMM_WORLD,
            }),
            buffer: Buffer::empty(),
        }
    }

    fn arrival(source: i32, tag: i32, id: u64) -> Arrival {
        Arrival {
            source,
            tag,
            bytes: id,
            from: 0,
            id,
            exchanged: false,
            body: Body::Here(Box::new([])),
        }
    }

    /// The rules written down naively: lists in order, searched from the beginning.
    #[derive(Default)]
    struct Lists {
        posted: Vec<(i32, i32, u64)>,
        arrived: Vec<(i32, i32, u64)>,
    }

    #[test]
    fn the_queues_match_as_lists_searched_in_order_do() {
        let (mut queues, mut lists) = (Queues::default(), Lists::default());
        let mut posted = BTreeMap::new();
        let mut x = 88_172_645_463_325_252_u64;
        let mut next = |below: u64| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            (x % below) as i32
        };
        let envelope = |source, tag| Envelope { source, tag };
        let meets = |(source, tag, _): (i32, i32, u64), message: (i32, i32)| {
            envelope(source, tag).meets(message.0, message.1)
        };
        let mut matches = 0;
        for number in 0..50_000_u64 {
            if next(2) == 0 {
                let (source, tag) = (next(4), next(4));
                let message = (source, tag, number);
                let expected = lists.posted.iter().position(|&r| meets(r, (source, tag)));
                let got = queues.posted.take_oldest(envelope(source, tag));
                match expected {
                    Some(i) => {
                        let (_, _, id) = lists.posted.remove(i);
                        let operation: Counted<Operation> = posted.remove(&id).unwrap();
                        assert!(got.unwrap().operation.is_same(&operation));
                        matches += 1;
                    }
                    None => {
                        assert!(got.is_none());
                        lists.arrived.push(message);
                        queues.arrived.keep(number, arrival(source, tag, number));
                    }
                }
            } else {
                let source = if next(5) == 0 {
                    MPI_ANY_SOURCE
                } else {
                    next(4)
                };
                let tag = if next(5) == 0 { MPI_ANY_TAG } else { next(4) };
                let wanted = (source, tag, number);
                let expected = lists
                    .arrived
                    .iter()
                    .position(|&m| meets(wanted, (m.0, m.1)));
                let asked = envelope(source, tag);
                assert_eq!(queues.arrived.find(asked).is_some(), expected.is_some());
                let got = queues.arrived.take(asked, Body::take);
                match expected {
                    Some(i) => {
                        assert_eq!(got.unwrap().bytes, lists.arrived.remove(i).2);
                        matches += 1;
                    }
                    None => {
                        assert!(got.is_none());
                        let r = receive(source, tag);
                        if next(20) == 0 {
                            let operation = r.operation.clone();
                            queues.posted.post(envelope(source, tag), r);
                            assert!(!queues.posted.withdraw(&receive(source, tag).operation));
                            assert!(queues.posted.withdraw(&operation));
                            assert!(!queues.posted.withdraw(&operation));
                            continue;
                        }
                        posted.insert(number, r.operation.clone());
                        lists.posted.push(wanted);
                        queues.posted.post(envelope(source, tag), r);
                    }
                }
            }
        }
        assert!(matches > 10_000);
        assert_eq!(queues.posted.len(), lists.posted.len());
        assert_eq!(queues.arrived.len(), lists.arrived.len());
    }
}
