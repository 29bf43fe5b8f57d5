//! Messages that arrive, and the receives they meet.

use super::{Core, lock, unlock};
use crate::observe::events::{self, Kind as Happening};
use crate::runtime::{self, ring};
use crate::shm::Offset;
use crate::transport::buffer::Buffer;
use crate::transport::checked::Met;
use crate::transport::counted::Counted;
use crate::transport::links::Payload;
use crate::transport::matching::{Arrival, Body, Queues, Receive};
use crate::transport::offer::Answer;
use crate::transport::operation::{About, Operation};
use crate::transport::ring::{Header, Kind};
use crate::transport::sends::offer_at;
use crate::transport::streams::{Key, Message};
use crate::transport::transfer::{Announced, Transfer, settle};
use crate::transport::trials::Way;
use crate::transport::ways::Begun;
use crate::transport::{Envelope, checked, observed};
use crate::{check, observe};
use std::time::Instant;

/// Receives into `buffer` from a rank (of the communicator) or any, with a tag or any.
#[inline(always)]
pub fn receive(
    context: u32,
    envelope: Envelope,
    buffer: Buffer,
    about: About,
) -> Counted<Operation> {
    let (receive, operation) = Receive::new(buffer, about);
    let mut engine = lock();
    engine.take_what_is_there();
    engine.core.begin_receive(context, envelope, receive);
    unlock(engine);
    operation
}

/// Receives a message that a matched probe holds.
pub fn receive_held(mut arrival: Arrival, buffer: Buffer, about: About) -> Counted<Operation> {
    let (receive, operation) = Receive::new(buffer, about);
    let mut engine = lock();
    arrival.body.take_held();
    engine.core.meet(receive, arrival);
    unlock(engine);
    operation
}

/// The oldest message that such a receive would get: its envelope and its bytes.
pub fn find(context: u32, envelope: Envelope) -> Option<(Envelope, u64)> {
    let mut engine = lock();
    let found = engine.core.queues(context).arrived.find(envelope);
    found.map(|arrival| (arrival.envelope(), arrival.bytes))
}

/// Takes that message out of the queue, to be held until it is received.
pub fn hold(context: u32, envelope: Envelope) -> Option<Arrival> {
    let mut engine = lock();
    engine
        .core
        .queues(context)
        .arrived
        .take(envelope, Body::hold)
}

/// Looks for messages of the program's that no receive will meet any more, when all that was sent has come: a job that is checked ends.
#[cold]
pub fn look_for_left() {
    let mut engine = lock();
    while engine.poll() {}
    let context = |(&context, queues): (&u32, &mut Queues)| {
        let left = queues.arrived.all();
        left.map(|arrival| arrival.met(context)).collect::<Vec<_>>()
    };
    let left: Vec<Met> = engine.core.contexts.each().flat_map(context).collect();
    unlock(engine);
    left.iter().for_each(checked::left);
}

/// Tells the sender that its message was fetched, since then if that is to be known.
pub fn answer_fetched(transfer: &Transfer, begun: Option<Begun>) {
    let mut engine = lock();
    if let Some(begun) = begun {
        engine.core.came(transfer.from, Way::Fetched, begun);
    }
    if transfer.from == engine.core.me {
        engine.core.end_send(transfer.id);
    } else {
        let Transfer {
            from, id, offer, ..
        } = *transfer;
        engine.core.answer(from, id, offer, Answer::Fetched);
    }
    engine.core.after.completed = true;
    unlock(engine);
}

/// Asks the sender to put the data of a message into the segment.
pub fn refuse(transfer: Transfer) {
    let mut engine = lock();
    let Transfer {
        from, id, offer, ..
    } = transfer;
    engine.core.answer(from, id, offer, Answer::Refused);
    let key = (transfer.from, transfer.id);
    engine.core.refused.insert(key, transfer);
    unlock(engine);
}

impl Core {
    /// Meets a receive with its message, or posts it.
    #[inline(always)]
    pub(super) fn begin_receive(&mut self, context: u32, envelope: Envelope, receive: Receive) {
        let queues = self.queues(context);
        match queues.arrived.take(envelope, Body::take) {
            Some(arrival) => {
                let Receive { operation, buffer } = receive;
                let buffer = buffer.anew();
                self.meet(Receive { operation, buffer }, arrival);
            }
            None => {
                if check::is_on() {
                    checked::posted(&receive.operation.clone());
                }
                queues.posted.post(envelope, receive);
            }
        }
    }

    #[inline]
    pub(super) fn arrive(&mut self, from: u32, header: &Header, data: &[u8]) {
        self.links.heard(from, header.released);
        let envelope = header.envelope();
        if header.bytes > data.len() as u64 {
            return self.arrive_in_parts(from, header, data);
        }
        if self.deliver_directly(from, header, data) {
            return;
        }
        match self.queues(header.context).posted.take_oldest(envelope) {
            Some(receive) => {
                let Receive { buffer, operation } = &receive;
                observed::received(from, header, buffer, Some(operation));
                self.deliver(&receive, envelope, data)
            }
            None => {
                let mut kept = runtime::must_hold(data.len());
                kept.extend_from_slice(data);
                self.keep(header, from, Body::Here(kept.into_boxed_slice()))
            }
        }
    }

    pub(super) fn arrive_in_parts(&mut self, from: u32, header: &Header, data: &[u8]) {
        if self.begin_directly(from, header, data) {
            return;
        }
        let (envelope, id) = (header.envelope(), header.id);
        let receive = self.queues(header.context).posted.take_oldest(envelope);
        let is_kept = receive.is_none();
        if let Some(Receive { buffer, operation }) = &receive {
            observed::received(from, header, buffer, Some(operation));
        }
        let key = (from, id);
        let about = (header.bytes, header.exchanged);
        self.streams.begin(key, envelope, about, receive);
        self.part(key, data);
        if is_kept {
            self.keep(header, from, Body::Coming { id });
        }
    }

    pub(super) fn announced(&mut self, header: &Header, from: u32, announced: Announced) {
        self.links.heard(from, header.released);
        if self.fetch_directly(header, from, announced) {
            return;
        }
        let mut body = Body::There {
            id: header.id,
            announced,
        };
        let queues = self.queues(header.context);
        let Some(position) = queues.posted.oldest(header.envelope()) else {
            return self.keep(header, from, body);
        };
        // If its sender has taken the message back, the receive goes on waiting in its place.
        if body.take() {
            let receive = queues.posted.take(position);
            let arrival = Arrival::new(header, from, body);
            self.meet(receive, arrival);
        }
    }

    pub(super) fn keep(&mut self, header: &Header, from: u32, body: Body) {
        self.end_direct(header);
        self.held.add(from, body.held(header.bytes));
        if check::is_on() {
            checked::kept(&Met::new(header, from));
        }
        let number = self.next_number();
        let arrival = Arrival::new(header, from, body);
        self.queues(header.context).arrived.keep(number, arrival);
        // A thread may wait for it in a probe.
        self.after.completed = true;
        if events::are_wanted(Happening::MessageUnexpected) {
            observed::unexpected(header);
        }
    }

    /// Brings a receive and its message together.
    pub(super) fn meet(&mut self, receive: Receive, arrival: Arrival) {
        let envelope = arrival.envelope();
        if observe::is_on() {
            let Receive { buffer, operation } = &receive;
            let met = arrival.met(operation.about.context);
            observed::met(&met, buffer, Some(operation));
        }
        self.held
            .remove(arrival.from, arrival.body.held(arrival.bytes));
        match arrival.body {
            Body::Here(data) => self.deliver(&receive, envelope, &data),
            Body::Coming { id } => {
                let met = self.streams.meet((arrival.from, id), receive);
                self.after.completed |= met.is_some();
            }
            Body::There { id, announced } if self.is_for_parts(id, announced, &arrival) => {
                offer_at(announced.offer).ask(id);
                let from = arrival.from;
                let about = (arrival.bytes, arrival.exchanged);
                let receive = Some(receive);
                self.streams.begin((from, id), envelope, about, receive);
                let header = Header::control(Kind::Wanted, id);
                self.links.post(from, header, Payload::None);
            }
            Body::There { id, announced } => {
                let own = if announced.place.is_own() {
                    self.sends.get_mut(id).map(|sending| sending.buffer.clone())
                } else {
                    None
                };
                self.after.transfers.push(Transfer {
                    receive,
                    envelope,
                    bytes: arrival.bytes,
                    from: arrival.from,
                    id,
                    exchanged: arrival.exchanged,
                    place: announced.place,
                    offer: announced.offer,
                    own,
                });
            }
        }
    }

    /// Whether the data comes sooner in parts, of which the sender makes a copy of its own, than by a copy of this process' alone. Where this
    /// process has something on offer itself, its receivers copy that, and each core has enough to do.
    fn is_for_parts(&mut self, id: u64, announced: Announced, arrival: &Arrival) -> bool {
        let Announced { place, offer } = announced;
        let comes_to_wait = || self.sends.are_over() && offer_at(offer).comes_to_be_awaited(id);
        let Arrival {
            from,
            bytes,
            exchanged,
            ..
        } = *arrival;
        place.is_for_parts(bytes, comes_to_wait)
            && self.ways.next(from, bytes, exchanged) == Way::InParts
    }

    /// A long message has come.
    #[cold]
    fn came(&mut self, from: u32, way: Way, begun: Begun) {
        if from != self.me {
            let control = self.held.control(from);
            self.ways.came(from, way, begun, Instant::now(), control);
        }
    }

    /// The same of one in parts, if the time of that was taken.
    #[inline]
    pub(super) fn came_in_parts(&mut self, message: &Message) {
        if let Some(begun) = message.begun {
            self.came(message.key.0, Way::InParts, begun);
        }
    }

    /// The next part of a message has come.
    pub(super) fn part(&mut self, key: Key, data: &[u8]) {
        if let Some(message) = self.streams.part(key, data) {
            self.came_in_parts(&message);
            self.after.completed = true;
        }
    }

    #[inline]
    pub(super) fn deliver(&mut self, receive: &Receive, envelope: Envelope, data: &[u8]) {
        let len = data.len().min(receive.buffer.len());
        // SAFETY: the receive is incomplete, so the buffer is its own.
        unsafe { receive.buffer.take_over(0..len, data.as_ptr()) };
        settle(receive, envelope, data.len() as u64, None);
        self.after.completed = true;
    }

    /// Answers the sender of a message: in the ring, and in the word, for a sender that does not wait for this process.
    pub(super) fn answer(&mut self, from: u32, id: u64, offer: Offset, answer: Answer) {
        offer_at(offer).answer(id, answer);
        let kind = match answer {
            Answer::Fetched => Kind::Fetched,
            Answer::Refused => Kind::Refused,
        };
        let header = Header::control(kind, id);
        if !self.links.post(from, header, Payload::None) {
            ring(from);
        }
    }
}
