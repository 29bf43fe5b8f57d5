//! The engine: what this process is sending and receiving, under one lock of its own.
//!
//! Everything that is long (copies of large messages) or wakes somebody happens after the lock was given back: the engine
//! collects it in [`After`].

use super::buffer::Buffer;
use super::inbox::{self, Inbox};
use super::links::{Links, Outgoing, Payload};
use super::matching::{Arrival, Body, Queues, Receive};
use super::offer::Answer;
use super::operation::{About, Action, Operation, wake_threads};
use super::ring::{Cell, Header, Kind};
use super::sends::{Sending, Sends, offer_at};
use super::streams::{Key, Streams};
use super::transfer::{self, Announced, Place, Transfer, settle};
use super::{Envelope, Target};
use crate::abi::types::MPI_Status;
use crate::error::Result;
use crate::runtime::{job, ring, wait};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Messages up to this many bytes go through the rings, larger ones are announced: those from memory that the receiver can
/// load from, and all others.
const EAGER_SHARED: usize = 8 << 10;
const EAGER: usize = 16 << 10;
/// The same for those whose sender waits on a core of its own, and so copies while the receiver does. Above it the
/// receiver is asked first: what no receive waits for is not to fill its memory.
const EAGER_WAITING: usize = 64 << 10;
/// So many contexts may have queues before the empty ones are thrown away.
const CONTEXTS: usize = 4096;
/// So many cells are taken from one ring before the next has its turn.
const TURN: usize = 64;
/// And so many bytes.
const TURN_BYTES: usize = 64 << 10;

static ENGINE: OnceLock<Mutex<Engine>> = OnceLock::new();

struct Engine {
    inbox: Inbox,
    core: Core,
}

struct Core {
    me: u32,
    /// Bytes of a ring.
    ring: usize,
    links: Links,
    contexts: HashMap<u32, Queues>,
    /// Messages and receives are numbered in their order.
    number: u64,
    sends: Sends,
    /// Announced messages of others whose data we asked for in the segment.
    refused: HashMap<Key, Transfer>,
    /// Messages of others that come in parts.
    streams: Streams,
    after: After,
}

/// What is to be done when the lock is free.
#[derive(Default)]
struct After {
    transfers: Vec<Transfer>,
    /// Operations were completed that other threads may wait for.
    completed: bool,
}

impl After {
    fn run(self) {
        for transfer in self.transfers {
            transfer.run();
        }
        if self.completed {
            wake_threads();
        }
    }
}

/// Bytes up to which messages go through the rings.
pub fn eager_limit() -> u64 {
    ENGINE.get().map_or(EAGER_SHARED, |engine| {
        EAGER_SHARED.min(engine.lock().core.ring)
    }) as u64
}

/// Opens this process's inbox. Before the other ranks are met.
pub fn open() -> Result<()> {
    if ENGINE.get().is_some() {
        return Ok(());
    }
    let ranks = job().ranks as usize;
    let engine = Engine {
        inbox: Inbox::open()?,
        core: Core {
            me: job().rank,
            ring: inbox::ring_bytes(ranks),
            links: Links::new(ranks, inbox::longest(ranks)),
            contexts: HashMap::new(),
            number: 0,
            sends: Sends::default(),
            refused: HashMap::new(),
            streams: Streams::default(),
            after: After::default(),
        },
    };
    let _ = ENGINE.set(Mutex::new(engine));
    Ok(())
}

fn lock() -> MutexGuard<'static, Engine> {
    ENGINE.get().expect("messages are open").lock()
}

/// Gives the lock back and does what was left for after it.
fn unlock(mut engine: MutexGuard<'static, Engine>) {
    let after = std::mem::take(&mut engine.core.after);
    drop(engine);
    after.run();
}

/// Moves messages along. True if something moved, or if another thread is at it.
pub fn progress() -> bool {
    let Some(engine) = ENGINE.get() else {
        return false;
    };
    let Some(mut engine) = engine.try_lock() else {
        return true;
    };
    let moved = engine.poll();
    if moved {
        unlock(engine);
    }
    moved
}

/// Whether such a message is to go through the ring, of a sender that may wait for it.
#[inline]
fn is_eager(buffer: &Buffer, waits: bool) -> bool {
    buffer.len() <= EAGER_SHARED
        || match waits && wait::spin() > 0 {
            true => buffer.len() <= EAGER_WAITING,
            false => buffer.len() <= EAGER,
        } && !Place::is_shared(buffer)
}

/// Sends the data of `buffer`. `None`: it is in the ring, the buffer is free again.
///
/// A synchronous message is always announced: its send ends when the receiver has fetched it.
pub fn send(
    target: Target,
    buffer: Buffer,
    synchronous: bool,
    about: impl FnOnce() -> About,
) -> Result<Option<Arc<Operation>>> {
    let header = Header {
        kind: Kind::Eager,
        context: target.context,
        source: target.source,
        tag: target.tag,
        payload: 0,
        bytes: buffer.len() as u64,
        id: 0,
    };
    let engine = ENGINE.get().expect("messages are open");
    if !synchronous && is_eager(&buffer, target.waits) {
        let mut engine = engine.lock();
        if buffer.len() <= engine.core.ring {
            let sent = engine.core.send_eager(target.to, header, buffer, about);
            unlock(engine);
            return Ok(sent);
        }
    }
    let operation = Operation::new(about());
    let own = target.to == job().rank;
    let (place, block) = if own {
        (Place::OWN, None)
    } else {
        Place::of(&buffer, target.waits)?
    };
    let sending = Sending {
        operation: operation.clone(),
        buffer,
        block,
    };
    let mut engine = engine.lock();
    let announced = engine.core.announce(target.to, header, place, sending);
    unlock(engine);
    announced.map(|()| Some(operation))
}

/// Receives into `buffer` from a rank (of the communicator) or any, with a tag or any.
pub fn receive(context: u32, envelope: Envelope, buffer: Buffer, about: About) -> Arc<Operation> {
    let operation = Operation::new(about);
    let receive = Receive {
        operation: operation.clone(),
        buffer,
    };
    let mut engine = lock();
    let core = &mut engine.core;
    match core
        .queues(context)
        .take_arrived(envelope.source, envelope.tag, Body::take)
    {
        Some(arrival) => core.meet(receive, arrival),
        None => {
            let number = core.next_number();
            core.queues(context)
                .post(envelope.source, envelope.tag, number, receive);
        }
    }
    unlock(engine);
    operation
}

/// Receives a message that a matched probe holds.
pub fn receive_held(mut arrival: Arrival, buffer: Buffer, about: About) -> Arc<Operation> {
    let operation = Operation::new(about);
    let receive = Receive {
        operation: operation.clone(),
        buffer,
    };
    let mut engine = lock();
    arrival.body.take_held();
    engine.core.meet(receive, arrival);
    unlock(engine);
    operation
}

/// The oldest message that such a receive would get: its envelope and its bytes.
pub fn find(context: u32, envelope: Envelope) -> Option<(Envelope, u64)> {
    let mut engine = lock();
    let found = engine
        .core
        .queues(context)
        .find(envelope.source, envelope.tag);
    found.map(|arrival| (arrival.envelope(), arrival.bytes))
}

/// Takes that message out of the queue, to be held until it is received.
pub fn hold(context: u32, envelope: Envelope) -> Option<Arrival> {
    let mut engine = lock();
    engine
        .core
        .queues(context)
        .take_arrived(envelope.source, envelope.tag, Body::hold)
}

/// Cancels an operation: one that has not met its other side ends as cancelled, and a send whose message a matched probe
/// holds as usual, with its data left to the receiver. Others go on; a wait for a send that a receive has taken is over
/// when the data is fetched, whether the receiver calls MPI again or not. Error: `MPI_ERR_NO_MEM` for that data.
pub fn cancel(operation: &Arc<Operation>) -> Result<()> {
    if take_back(operation) {
        return Ok(());
    }
    let mut engine = lock();
    let over = engine.core.sends.hand_over(operation);
    if let Ok(true) = over {
        operation.complete(MPI_Status::EMPTY, None);
        engine.core.after.completed = true;
    } else {
        engine.core.sends.watch(operation);
    }
    unlock(engine);
    over.map(|_| ())
}

/// Takes a posted receive, or a send that no receive has met, back and completes it as cancelled; false if it has met its
/// other side.
fn take_back(operation: &Arc<Operation>) -> bool {
    let mut engine = lock();
    let taken_back = engine.core.take_back(operation);
    if taken_back {
        let mut status = MPI_Status::EMPTY;
        status.set_cancelled(true);
        operation.complete(status, None);
        engine.core.after.completed = true;
    }
    unlock(engine);
    taken_back
}

/// Forgets a send or receive that will not end any more because a process died: nothing touches its buffer after this,
/// but for a copy that another thread is just making.
pub fn withdraw(operation: &Arc<Operation>) {
    if !take_back(operation) {
        lock().core.forget(operation);
    }
}

/// Tells the sender that its message was fetched.
pub(super) fn answer_fetched(transfer: &Transfer) {
    let mut engine = lock();
    if transfer.from == engine.core.me {
        engine.core.end_send(transfer.id);
    } else {
        engine.core.answer(transfer, Answer::Fetched);
    }
    engine.core.after.completed = true;
    unlock(engine);
}

/// Asks the sender to put the data of a message into the segment.
pub(super) fn refuse(transfer: Transfer) {
    let mut engine = lock();
    engine.core.answer(&transfer, Answer::Refused);
    let key = (transfer.from, transfer.id);
    engine.core.refused.insert(key, transfer);
    unlock(engine);
}

/// Whether nothing of this process's sends waits to leave it, but for what the dead were to get.
pub fn is_flushed() -> bool {
    lock().core.links.is_flushed()
}

impl Header {
    fn control(kind: Kind, id: u64) -> Header {
        Header {
            kind,
            context: 0,
            source: 0,
            tag: 0,
            payload: 0,
            bytes: 0,
            id,
        }
    }
}

impl Engine {
    fn poll(&mut self) -> bool {
        let mut moved = false;
        for word in 0..self.inbox.words() {
            let mut hints = self.inbox.hints(word);
            while hints != 0 {
                let sender = word * 64 + hints.trailing_zeros() as usize;
                hints &= hints - 1;
                if self.drain(sender) {
                    moved = true;
                } else if self.inbox.in_vain(sender) && self.drain(sender) {
                    self.inbox.not_in_vain(sender);
                    moved = true;
                }
            }
        }
        moved | self.core.flush() | self.core.look_for_answers()
    }

    fn drain(&mut self, sender: usize) -> bool {
        let Engine { inbox, core } = self;
        let mut taken = 0;
        let mut bytes = 0;
        while taken < TURN
            && bytes < TURN_BYTES
            && let Some(cell) = inbox.peek(sender)
        {
            core.take_cell(sender as u32, &cell);
            let size = cell.size();
            inbox.release(sender, size);
            taken += 1;
            bytes += size as usize;
        }
        if taken > 0 {
            inbox.offer_room(sender);
        }
        taken > 0
    }
}

impl Core {
    fn queues(&mut self, context: u32) -> &mut Queues {
        if self.contexts.len() > CONTEXTS && !self.contexts.contains_key(&context) {
            self.contexts.retain(|_, queues| !queues.is_empty());
        }
        self.contexts.entry(context).or_default()
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn send_eager(
        &mut self,
        to: u32,
        mut header: Header,
        buffer: Buffer,
        about: impl FnOnce() -> About,
    ) -> Option<Arc<Operation>> {
        if to == self.me {
            self.eager_to_self(&header, &buffer);
            return None;
        }
        if buffer.len() > self.links.piece(buffer.len()) {
            header.id = self.sends.next_id();
        }
        let mut sent = 0;
        if self.links.push_eager(to, &mut header, &buffer, &mut sent) {
            return None;
        }
        let operation = Operation::new(about());
        let data = Outgoing::new(buffer, operation.clone(), sent);
        self.links.queue(to, header, Payload::Data(data));
        Some(operation)
    }

    fn eager_to_self(&mut self, header: &Header, buffer: &Buffer) {
        let (source, tag) = (header.source as i32, header.tag);
        match self.queues(header.context).take_posted(source, tag) {
            Some(receive) => {
                let len = buffer.len().min(receive.buffer.len());
                // SAFETY: the sender's buffer is the caller's, the receiver's is its operation's.
                unsafe { receive.buffer.copy(buffer, len) };
                settle(&receive, Envelope { source, tag }, header.bytes, None);
                self.after.completed = true;
            }
            None => {
                // SAFETY: the buffer is the caller's.
                let body = Body::Here(unsafe { buffer.packed() });
                self.keep(header, self.me, body);
            }
        }
    }

    /// Announces a message, which is on offer until a receive has met it, and kept until it is fetched.
    fn announce(
        &mut self,
        to: u32,
        mut header: Header,
        place: Place,
        sending: Sending,
    ) -> Result<()> {
        let (id, offer) = self.sends.offer(sending)?;
        header.kind = Kind::Announce;
        header.id = id;
        let announced = Announced { place, offer };
        if to == self.me {
            self.announced(&header, self.me, announced);
        } else {
            self.links.post(to, header, Payload::Announced(announced));
        }
        Ok(())
    }

    /// Moves what waits into the rings that have room again.
    #[inline]
    fn flush(&mut self) -> bool {
        let Core { links, after, .. } = self;
        links.flush(|operation| {
            operation.complete(MPI_Status::EMPTY, None);
            after.completed = true;
        })
    }

    /// Does what a cell says.
    #[inline]
    fn take_cell(&mut self, from: u32, cell: &Cell<'_>) {
        let header = cell.header;
        match header.kind {
            Kind::Eager => self.arrive(from, header, cell.payload),
            Kind::Announce => self.announced(header, from, Announced::from_payload(cell.payload)),
            Kind::Fetched => self.end_send(header.id),
            Kind::Refused => self.move_to_segment(from, header.id),
            Kind::Wanted => self.send_in_parts(from, header.id),
            Kind::Part => {
                self.after.completed |= self.streams.part((from, header.id), cell.payload)
            }
            Kind::Moved => {
                if let Some(mut transfer) = self.refused.remove(&(from, header.id)) {
                    transfer.place = Announced::from_payload(cell.payload).place;
                    self.after.transfers.push(transfer);
                }
            }
        }
    }

    #[inline]
    fn arrive(&mut self, from: u32, header: &Header, data: &[u8]) {
        let (source, tag) = (header.source as i32, header.tag);
        if header.bytes > data.len() as u64 {
            return self.arrive_in_parts(from, header, data);
        }
        match self.queues(header.context).take_posted(source, tag) {
            Some(receive) => {
                self.deliver(&receive, Envelope { source, tag }, data);
            }
            None => self.keep(header, from, Body::Here(data.into())),
        }
    }

    fn arrive_in_parts(&mut self, from: u32, header: &Header, data: &[u8]) {
        let (source, tag, id) = (header.source as i32, header.tag, header.id);
        let receive = self.queues(header.context).take_posted(source, tag);
        let (envelope, is_kept) = (Envelope { source, tag }, receive.is_none());
        let key = (from, id);
        self.streams.begin(key, envelope, header.bytes, receive);
        self.streams.part(key, data);
        if is_kept {
            self.keep(header, from, Body::Coming { id });
        }
    }

    fn announced(&mut self, header: &Header, from: u32, announced: Announced) {
        let (source, tag) = (header.source as i32, header.tag);
        let body = Body::There {
            id: header.id,
            announced,
        };
        let queues = self.queues(header.context);
        let Some(key) = queues.oldest_posted(source, tag) else {
            return self.keep(header, from, body);
        };
        // If its sender has taken the message back, the receive goes on waiting in its place.
        if body.take() {
            let receive = queues.remove_posted(key);
            let arrival = Arrival::new(header, from, body);
            self.meet(receive, arrival);
        }
    }

    fn keep(&mut self, header: &Header, from: u32, body: Body) {
        let number = self.next_number();
        let arrival = Arrival::new(header, from, body);
        self.queues(header.context).keep(number, arrival);
        // A thread may wait for it in a probe.
        self.after.completed = true;
    }

    /// Brings a receive and its message together.
    fn meet(&mut self, receive: Receive, arrival: Arrival) {
        let envelope = arrival.envelope();
        match arrival.body {
            Body::Here(data) => self.deliver(&receive, envelope, &data),
            Body::Coming { id } => {
                self.after.completed |= self.streams.meet((arrival.from, id), receive);
            }
            Body::There { id, announced } if announced.place.is_for_parts(arrival.bytes) => {
                let from = arrival.from;
                let (key, receive) = ((from, id), Some(receive));
                self.streams.begin(key, envelope, arrival.bytes, receive);
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
                    place: announced.place,
                    offer: announced.offer,
                    own,
                });
            }
        }
    }

    #[inline]
    fn deliver(&mut self, receive: &Receive, envelope: Envelope, data: &[u8]) {
        let len = data.len().min(receive.buffer.len());
        // SAFETY: the receive is incomplete, so the buffer is its own.
        unsafe { receive.buffer.take_over(0..len, data.as_ptr()) };
        settle(receive, envelope, data.len() as u64, None);
        self.after.completed = true;
    }

    /// Takes an operation back that has not met its other side.
    fn take_back(&mut self, operation: &Arc<Operation>) -> bool {
        match operation.about.action {
            Action::Receive => self.queues(operation.about.context).withdraw(operation),
            Action::Send => {
                if let Some(id) = self.sends.take_back(operation) {
                    self.links.unannounce(id);
                    return true;
                }
                if self.links.take_back(operation) {
                    return true;
                }
                if let Some(sent) = self.links.detach(operation) {
                    sent.complete(MPI_Status::EMPTY, None);
                    self.after.completed = true;
                }
                false
            }
            Action::Collective(_) | Action::Steps(_) => false,
        }
    }

    /// Forgets an operation that has met its other side.
    fn forget(&mut self, operation: &Arc<Operation>) {
        self.refused
            .retain(|_, transfer| !Arc::ptr_eq(&transfer.receive.operation, operation));
        self.streams
            .forget(|receive| Arc::ptr_eq(&receive.operation, operation));
        self.sends.forget(operation);
    }

    /// Answers the sender of a message: in the ring, and in the word, for a sender that does not wait for this process.
    fn answer(&mut self, transfer: &Transfer, answer: Answer) {
        let Transfer { from, id, .. } = *transfer;
        offer_at(transfer.offer).answer(id, answer);
        let kind = match answer {
            Answer::Fetched => Kind::Fetched,
            Answer::Refused => Kind::Refused,
        };
        let header = Header::control(kind, id);
        if !self.links.post(from, header, Payload::None) {
            ring(from);
        }
    }

    fn look_for_answers(&mut self) -> bool {
        let found = self.sends.look_for_answers();
        self.after.completed |= found;
        found
    }

    fn end_send(&mut self, id: u64) {
        // A send whose data was copied has ended before.
        if let Some(sending) = self.sends.end(id)
            && !sending.operation.is_done()
        {
            sending.operation.complete(MPI_Status::EMPTY, None);
            self.after.completed = true;
        }
    }

    /// The receiver wants to copy while this process does.
    fn send_in_parts(&mut self, to: u32, id: u64) {
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
    fn move_to_segment(&mut self, to: u32, id: u64) {
        transfer::set_refused();
        let Some(sending) = self.sends.get_mut(id) else {
            return;
        };
        let (place, failure) = match sending.copied() {
            Ok(copy) => (Place::in_segment(copy), None),
            Err(error) => (Place::LOST, Some(error)),
        };
        // The buffer is free again, and the message was received; what is kept until that is answered is the copy.
        if !sending.operation.is_done() {
            sending.operation.complete(MPI_Status::EMPTY, failure);
            self.after.completed = true;
        }
        let announced = Announced { place, offer: 0 };
        let header = Header::control(Kind::Moved, id);
        self.links.post(to, header, Payload::Announced(announced));
    }
}
