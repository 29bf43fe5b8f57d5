//! The ways to the other ranks' inboxes, and what waits for room in their rings.

use super::buffer::Buffer;
use super::inbox::Outbox;
use super::operation::Operation;
use super::ring::{Header, Kind};
use super::transfer::Announced;
use crate::runtime::Ranks;
use crate::runtime::wait::dead;
use std::collections::VecDeque;
use std::sync::Arc;

pub struct Links {
    /// By the other's rank in the job, made when they are first used.
    links: Vec<Option<Link>>,
    /// Cells that wait, in all links.
    waiting: usize,
}

struct Link {
    outbox: Outbox,
    /// What found no room in the ring, in order.
    waiting: VecDeque<(Header, Payload)>,
}

pub enum Payload {
    None,
    Announced(Announced),
    /// The data of an eager message, whose send is complete when it is in the ring.
    Data(Buffer, Arc<Operation>),
}

impl Links {
    pub fn new(ranks: usize) -> Links {
        Links {
            links: (0..ranks).map(|_| None).collect(),
            waiting: 0,
        }
    }

    #[inline]
    fn link(&mut self, to: u32) -> &mut Link {
        self.links[to as usize].get_or_insert_with(|| Link {
            outbox: Outbox::new(to),
            waiting: VecDeque::new(),
        })
    }

    /// Puts an eager message into the ring to `to`; false if there is no room for it now.
    #[inline]
    pub fn push_eager(&mut self, to: u32, header: &Header, buffer: &Buffer) -> bool {
        let link = self.link(to);
        // SAFETY: the ring gives room for the payload; the buffer is the caller's.
        let write = |to: *mut u8| unsafe { buffer.read(0..buffer.len(), to) };
        let pushed = link.waiting.is_empty() && link.outbox.push(header, write);
        if pushed {
            link.outbox.notify();
        }
        pushed
    }

    /// Puts a cell into the queue before the ring.
    pub fn queue(&mut self, to: u32, header: Header, payload: Payload) {
        self.link(to).waiting.push_back((header, payload));
        self.waiting += 1;
    }

    /// Puts a cell into the ring, or into the queue before it.
    pub fn post(&mut self, to: u32, mut header: Header, payload: Payload) {
        if let Payload::Announced(_) = payload {
            header.payload = size_of::<Announced>() as u32;
        }
        let link = self.link(to);
        if link.waiting.is_empty() && link.push(&header, &payload) {
            link.outbox.notify();
        } else {
            self.queue(to, header, payload);
        }
    }

    /// Moves what waits into the rings that have room again, and tells of the sends that are complete by that. True if
    /// something moved.
    #[inline]
    pub fn flush(&mut self, complete: impl FnMut(&Operation)) -> bool {
        self.waiting > 0 && self.move_on(complete)
    }

    fn move_on(&mut self, mut complete: impl FnMut(&Operation)) -> bool {
        let mut moved = 0;
        for link in self.links.iter_mut().flatten() {
            let before = moved;
            while let Some((header, payload)) = link.waiting.pop_front() {
                if !link.push(&header, &payload) {
                    link.waiting.push_front((header, payload));
                    break;
                }
                if let Payload::Data(_, operation) = payload {
                    complete(&operation);
                }
                moved += 1;
            }
            if moved > before {
                link.outbox.notify();
            }
        }
        self.waiting -= moved;
        moved > 0
    }

    /// Takes the announcement of a message out of the queues.
    pub fn unannounce(&mut self, id: u64) {
        self.take_out(|header, _| header.kind == Kind::Announce && header.id == id);
    }

    /// Takes the data of a send out of the queues; false if it has left.
    pub fn take_back(&mut self, operation: &Arc<Operation>) -> bool {
        self.take_out(
            |_, payload| matches!(payload, Payload::Data(_, sent) if Arc::ptr_eq(sent, operation)),
        )
    }

    fn take_out(&mut self, is_it: impl Fn(&Header, &Payload) -> bool) -> bool {
        if self.waiting == 0 {
            return false;
        }
        let before = self.waiting;
        for link in self.links.iter_mut().flatten() {
            let length = link.waiting.len();
            link.waiting
                .retain(|(header, payload)| !is_it(header, payload));
            self.waiting -= length - link.waiting.len();
        }
        self.waiting < before
    }

    /// Whether nothing waits, but for what those were to get that are gone.
    pub fn is_flushed(&self) -> bool {
        let is_flushed = |(to, link): (u32, &Option<Link>)| match link {
            Some(link) if !link.waiting.is_empty() => dead(Ranks::One(to)).is_some(),
            _ => true,
        };
        self.waiting == 0 || (0..).zip(&self.links).all(is_flushed)
    }
}

impl Link {
    fn push(&mut self, header: &Header, payload: &Payload) -> bool {
        self.outbox.push(header, |to| match payload {
            Payload::None => {}
            // SAFETY: `post` set the payload's length to this.
            Payload::Announced(announced) => unsafe { announced.to_payload(to) },
            // SAFETY: the header says the buffer's length; the buffer is the send's until it is complete.
            Payload::Data(buffer, _) => unsafe { buffer.read(0..buffer.len(), to) },
        })
    }
}
