//! Messages that leave.

use super::{Core, ENGINE, unlock};
use crate::check::clock;
use crate::error::Result;
use crate::mpi::types::MPI_Status;
use crate::runtime::{job, traffic, wait};
use crate::transport::buffer::Buffer;
use crate::transport::counted::Counted;
use crate::transport::links::{Outgoing, Payload};
use crate::transport::matching::{Body, Receive};
use crate::transport::operation::{About, Operation};
use crate::transport::ring::{Header, Kind};
use crate::transport::sends::Sending;
use crate::transport::transfer::{Announced, Place, settle};
use crate::transport::{Mode, Target, can_be_announced, is_collective, observed, shown, ways};

/// Messages up to this many bytes go through the rings, larger ones are announced. (`make bench BENCH="--families sizes"` shows
/// the step at it.)
const EAGER: usize = 8 << 10;
/// Messages of more than this from memory that the receiver can load from are announced: one copy takes less time than two. If no
/// receive meets one within a moment, the sender leaves a copy: so short sends end without their receivers.
/// (`make bench BENCH="--families sizes"`)
const FETCHED: usize = 1 << 10;
/// The same in a stream one way of a sender that waits for the end of each, which has the next one to copy meanwhile.
const FETCHED_STREAM: usize = 2 << 10;
/// The same where ranks share cores, for those from memory that the receiver cannot load from: an announcement takes more turns on a
/// core, and its sender waits for them. (Eight ranks on two cores, each sends 16 KiB to the next one: 11 µs through the rings, 23
/// announced; 32 KiB 19 and 33. From memory of the segment 14 and 11.)
const EAGER_SHARED_CORES: usize = 32 << 10;
/// And for those where each has a core of its own, and one copies in while the other copies out. (Two `MPI_Isend` of 16 KiB 0.75 µs each, and
/// announced 3.3; of 64 KiB 2.1 and 6.6.) Above it the receiver is asked first: what no receive waits for is not to fill its memory.
const EAGER_OWN_CORES: usize = 64 << 10;
/// And in the largest ring, which has room for some of that, if the sender waits. (AMD EPYC of family 25, asked and not: 128 KiB one way 5.2 and
/// 4.7 µs, Sendrecv 7.7 and 7.0, Gather 7.6 and 6.2; 512 KiB 18.6 and 18.7, 29.8 and 27.8, 29.9 and 25.)
const EAGER_LARGEST_RING: usize = 512 << 10;

/// Bytes up to which messages go through the rings.
pub fn eager_limit() -> u64 {
    ENGINE
        .get()
        .map_or(EAGER, |engine| EAGER.min(engine.lock().core.ring)) as u64
}

/// Sends the data of `buffer`. `None`: it is in the ring, the buffer is free again.
///
/// A synchronous message is always announced: its send ends when the receiver has fetched it.
pub fn send(
    target: Target,
    buffer: Buffer,
    mode: Mode,
    about: impl FnOnce() -> About,
) -> Result<Option<Counted<Operation>>> {
    let mut header = Header {
        kind: Kind::Eager,
        exchanged: target.receives,
        context: target.context,
        source: target.source,
        tag: target.tag,
        payload: 0,
        released: 0,
        bytes: buffer.len() as u64,
        id: 0,
    };
    let engine = ENGINE.get().expect("messages are open");
    let mut is_short = false;
    let shared = match buffer.len() > EAGER {
        true => Place::shared(&buffer),
        false => None,
    };
    if mode != Mode::Synchronous && buffer.len() <= EAGER_LARGEST_RING && shared.is_none() {
        let mut engine = engine.lock();
        let core = &mut engine.core;
        if core.is_eager(&target, buffer.len())
            && !core.is_to_announce(&target)
            && core.can_write(&target, buffer.len())
            && !core.would_be_fetched(&target, &buffer)
        {
            if !engine.core.is_to_be_fetched(&target, &buffer) {
                let links = &mut engine.core.links;
                observed::sent(target.to, mode, &mut header, &buffer, || {
                    links.next_number()
                });
                header.released = engine.inbox.released(target.to);
                let bytes = header.bytes;
                let begun = target.receives.then(|| ways::begin(bytes, true)).flatten();
                let sent = engine.core.send_eager(target.to, header, buffer, about);
                if let Some(begun) = begun {
                    engine.core.ways.wrote(begun);
                }
                unlock(engine);
                return Ok(sent);
            }
            is_short = true;
        }
    }
    let operation = Operation::new(about());
    let own = target.to == job().rank;
    let (place, block) = match shared {
        _ if own => (Place::OWN, None),
        Some(place) => (place, None),
        None => Place::of(&buffer, target.waits)?,
    };
    let sending = Sending {
        operation: operation.clone(),
        buffer,
        block,
    };
    let mut engine = engine.lock();
    let links = &mut engine.core.links;
    observed::sent(target.to, mode, &mut header, &sending.buffer, || {
        links.next_number()
    });
    let announced = engine
        .core
        .announce(target.to, header, place, sending, is_short);
    unlock(engine);
    announced.map(|()| Some(operation))
}

/// Says that this process does nothing else until the operation, a send, has ended.
pub fn set_awaited(operation: &Operation) {
    // What was never announced has no number.
    if operation.number() != 0 {
        ENGINE
            .get()
            .expect("messages are open")
            .lock()
            .core
            .sends
            .set_awaited(operation);
    }
}

impl Core {
    /// Whether a message of so many bytes, which the receiver cannot load if it is long, is to go through the ring.
    #[inline]
    fn is_eager(&mut self, target: &Target, bytes: usize) -> bool {
        let has_cores = wait::spin() > 0;
        let most = match has_cores {
            _ if bytes <= EAGER => EAGER,
            true => EAGER_OWN_CORES,
            false => EAGER_SHARED_CORES,
        };
        bytes <= most.min(self.ring)
            || has_cores && target.waits && target.to != self.me && self.links.is_largest(target.to)
    }

    /// Whether a message is to be announced, however short, because its receiver holds enough.
    #[inline]
    fn is_to_announce(&mut self, target: &Target) -> bool {
        let is_told = match target.to == self.me {
            true => self.held.is_much_of(self.me),
            false => self.links.is_to_announce(target.to),
        };
        is_told && can_be_announced(target.context)
    }

    /// Whether the sender of so many bytes will be there to write all of them. What finds no room is written later, by one that waits; any
    /// other may compute by then, and its receiver would wait for that. (8 KiB and less are so little that it is left to chance.)
    #[inline]
    fn can_write(&mut self, target: &Target, bytes: usize) -> bool {
        let is_sure = bytes <= EAGER || target.waits;
        is_sure || target.to != self.me && self.links.has_room(target.to, bytes)
    }

    /// Whether the receiver has found that it comes sooner if it is announced, and fetched. What a program sends is not to wait for its receive
    /// if it is short, and nothing else needs the receiver.
    #[inline]
    fn would_be_fetched(&mut self, target: &Target, buffer: &Buffer) -> bool {
        let is_short = buffer.len() <= EAGER_OWN_CORES;
        (!is_short || target.receives || is_collective(target.context))
            && buffer.len() > EAGER
            && target.to != self.me
            && can_be_announced(target.context)
            && shown::address(buffer).is_some()
            && self
                .links
                .is_fetched(target.to, buffer.len() as u64, target.receives)
    }

    /// Whether a message that could go through the ring comes sooner if the receiver fetches it.
    #[inline]
    fn is_to_be_fetched(&mut self, target: &Target, buffer: &Buffer) -> bool {
        let is_streamed = target.waits && buffer.len() <= FETCHED_STREAM;
        FETCHED < buffer.len()
            && buffer.len() <= EAGER
            && wait::spin() > 0
            && target.to != self.me
            && can_be_announced(target.context)
            && Place::is_shared(buffer)
            && self.links.is_to_be_fetched(target.to, is_streamed)
    }

    /// Ends the sends of short messages that no receive has met: copies of them are left.
    pub(super) fn leave_short(&mut self) -> bool {
        let Core { sends, links, .. } = self;
        let ended = sends.leave(self.ring, |to| links.lose_patience(to));
        self.after.completed |= ended;
        ended
    }

    pub(super) fn send_eager(
        &mut self,
        to: u32,
        mut header: Header,
        buffer: Buffer,
        about: impl FnOnce() -> About,
    ) -> Option<Counted<Operation>> {
        // Whoever counts has the engine's lock.
        traffic::towards(to).sent.add_alone(buffer.len());
        if to == self.me {
            clock::told_itself();
            self.eager_to_self(&header, &buffer);
            return None;
        }
        if buffer.len() > self.links.piece(buffer.len()) && header.id == 0 {
            header.id = self.links.next_number();
        }
        let mut sent = 0;
        if self.links.push_eager(to, &mut header, &buffer, &mut sent) {
            return None;
        }
        if header.id == 0 {
            header.id = self.links.next_number();
        }
        let operation = Operation::new(about());
        let data = Outgoing::new(buffer, operation.clone(), sent);
        self.links.queue(to, header, Payload::Data(data));
        Some(operation)
    }

    pub(super) fn eager_to_self(&mut self, header: &Header, buffer: &Buffer) {
        let envelope = header.envelope();
        match self.queues(header.context).posted.take_oldest(envelope) {
            Some(receive) => {
                let Receive {
                    buffer: into,
                    operation,
                } = &receive;
                observed::received(self.me, header, into, Some(operation));
                let len = buffer.len().min(receive.buffer.len());
                receive.buffer.copy(buffer, len);
                settle(&receive, envelope, header.bytes, None);
                self.after.completed = true;
            }
            None => {
                self.keep(header, self.me, Body::Here(buffer.must_pack()));
            }
        }
    }

    /// Announces a message, which is on offer until a receive has met it, and kept until it is fetched.
    pub(super) fn announce(
        &mut self,
        to: u32,
        mut header: Header,
        place: Place,
        sending: Sending,
        is_short: bool,
    ) -> Result<()> {
        traffic::towards(to).sent.add_alone(sending.buffer.len());
        let id = match header.id {
            0 => self.links.next_number(),
            id => id,
        };
        let offer = self.sends.offer(id, to, sending, is_short)?;
        header.announce(id);
        let announced = Announced { place, offer };
        if to == self.me {
            clock::told_itself();
            self.announced(&header, self.me, announced);
        } else {
            self.links.post(to, header, Payload::Announced(announced));
        }
        Ok(())
    }

    /// The receiver wants to copy while this process does.
    pub(super) fn send_in_parts(&mut self, to: u32, id: u64) {
        let Some(Sending {
            operation, buffer, ..
        }) = self.sends.end(id)
        else {
            return;
        };
        let header = Header {
            bytes: buffer.len() as u64,
            ..Header::control(Kind::Part, id)
        };
        let data = Outgoing::new(buffer, operation, 0);
        self.links.queue(to, header, Payload::Data(data));
        self.flush();
    }

    /// The receiver may not read our memory: gives it a copy in the segment.
    pub(super) fn move_to_segment(&mut self, to: u32, id: u64) {
        shown::set_refused();
        let Some(sending) = self.sends.get_mut(id) else {
            return;
        };
        let (place, failure) = match sending.copied() {
            Ok(copy) => (Place::in_segment(copy), None),
            Err(error) => (Place::LOST, Some(error)),
        };
        // The buffer is free again, and the message was received; what is kept until that is answered is the copy.
        self.after.completed |= sending.operation.complete(MPI_Status::EMPTY, failure);
        let announced = Announced { place, offer: 0 };
        let header = Header::control(Kind::Moved, id);
        self.links.post(to, header, Payload::Announced(announced));
    }

    pub(super) fn look_for_answers(&mut self) -> bool {
        let found = self.sends.look_for_answers();
        self.after.completed |= found;
        found
    }

    pub(super) fn end_send(&mut self, id: u64) {
        if let Some(to) = self.sends.short(id) {
            self.links.gain_patience(to);
        }
        // A send whose data was copied has ended before.
        if let Some(sending) = self.sends.end(id) {
            self.after.completed |= sending.operation.complete(MPI_Status::EMPTY, None);
        }
    }
}
