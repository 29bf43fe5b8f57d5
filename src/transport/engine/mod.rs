//! The engine: what this process is sending and receiving, under one lock of its own.
//!
//! Everything that is long (copies of large messages) or wakes others happens after the lock was given back: the engine
//! collects it in [`After`].
//!
//! A waiter that finds the lock taken leaves progress to the thread that has it. An operation has the number under which the
//! engine has it (of its receive in the queue, of its message on offer, of its cell that waits for room), so to cancel one of
//! 100,000 takes as long as to cancel one of ten.

mod cancelling;
mod direct;
mod receiving;
mod sending;
mod short;

pub use cancelling::{cancel, withdraw};
pub use direct::receive_at_once;
pub use receiving::{answer_fetched, find, hold, look_for_left, receive, receive_held, refuse};
pub use sending::{eager_limit, send, set_awaited};
pub use short::{SHORTEST, receive_short, send_short};

use self::direct::Direct;
use super::Envelope;
use super::held::Held;
use super::inbox::{self, Inbox};
use super::links::Links;
use super::lock::{Mutex, MutexGuard};
use super::matching::Queues;
use super::operation::{Operation, wake_threads};
use super::recent::Recent;
use super::ring::{Cell, Header, Kind, Room};
use super::sends::Sends;
use super::streams::{Key, Streams};
use super::transfer::{Announced, Transfer};
use super::ways::Ways;
use crate::check::{self, clock};
use crate::error::Result;
use crate::mpi::types::MPI_Status;
use crate::observe;
use crate::runtime::job;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// So many contexts may have queues before the empty ones are thrown away.
const CONTEXTS: usize = 4096;
/// So many cells are taken from one ring before the next has its turn.
const TURN: usize = 64;
/// And so many bytes.
const TURN_BYTES: usize = 64 << 10;

/// So many looks are made at most before a receive that is checked: others may go on sending.
const LOOKS_BEFORE: u32 = 64;

static ENGINE: OnceLock<Mutex<Engine>> = OnceLock::new();

struct Engine {
    inbox: Inbox,
    core: Core,
    /// How many receives in a row have looked at their own ring alone.
    short: u32,
}

struct Core {
    me: u32,
    /// Bytes of a ring.
    ring: usize,
    links: Links,
    contexts: Recent<u32, Queues>,
    direct: Option<Direct>,
    /// Messages and receives are numbered in their order.
    number: u64,
    sends: Sends,
    /// Announced messages of others whose data we asked for in the segment.
    refused: FxHashMap<Key, Transfer>,
    /// Messages of others that come in parts.
    streams: Streams,
    /// Which way long ones come sooner.
    ways: Ways,
    held: Held,
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
    #[inline]
    fn is_nothing(&self) -> bool {
        !self.completed && self.transfers.is_empty()
    }

    fn run(self) {
        for transfer in self.transfers {
            transfer.run();
        }
        if self.completed {
            wake_threads();
        }
    }
}

/// Opens this process's inbox. Before the other ranks are met.
pub fn open() -> Result<()> {
    if ENGINE.get().is_some() {
        return Ok(());
    }
    let (inbox, ring) = (Inbox::open()?, inbox::ring_bytes());
    let mut held = Held::new(job().room(), ring)?;
    held.begin(inbox.controls(0));
    let engine = Engine {
        inbox,
        short: 0,
        core: Core {
            me: job().rank,
            ring,
            links: Links::new(job().room(), inbox::longest())?,
            contexts: Recent::default(),
            direct: None,
            number: 0,
            sends: Sends::default(),
            refused: FxHashMap::default(),
            streams: Streams::default(),
            ways: Ways::default(),
            held,
            after: After::default(),
        },
    };
    let _ = ENGINE.set(Mutex::new(engine));
    Ok(())
}

/// This process will have to do with these, by their ranks in the job, of which some were not started together with it: they can
/// send to it from now on. Error: `MPI_ERR_NO_MEM`.
pub fn welcome(ranks: impl IntoIterator<Item = u32>) -> Result<()> {
    let mut engine = lock();
    let before = engine.inbox.rings();
    engine.inbox.open_annex()?;
    let Engine { inbox, core, .. } = &mut *engine;
    core.held.begin(inbox.controls(before));
    let job = job();
    for rank in ranks.into_iter().filter(|&rank| !job.is_of_world(rank)) {
        if let Some(ring) = engine.inbox.ring_of_before(rank) {
            // Who was there may have sent something before it ended that nobody has looked for yet.
            while engine.drain(ring) {}
            engine.inbox.renew(rank);
            engine.core.links.renew(rank);
            engine.core.held.renew(rank);
            engine.core.ways.renew(rank);
        }
    }
    unlock(engine);
    Ok(())
}

#[inline]
fn lock() -> MutexGuard<'static, Engine> {
    ENGINE.get().expect("messages are open").lock()
}

/// Gives the lock back and does what was left for after it.
#[inline]
fn unlock(mut engine: MutexGuard<'static, Engine>) {
    if engine.core.after.is_nothing() {
        return;
    }
    let after = std::mem::take(&mut engine.core.after);
    drop(engine);
    after.run();
}

/// Moves messages along: looks for some, up to so many times. True if something moved, or if another thread is at it.
#[inline]
pub fn look(times: u32) -> bool {
    let Some(engine) = ENGINE.get() else {
        return false;
    };
    let Some(mut engine) = engine.try_lock() else {
        return true;
    };
    let moved = (0..times).any(|_| engine.poll());
    if moved {
        unlock(engine);
    }
    moved
}

/// Ends the sends of short messages that no receive has met yet: who waits is about to sleep.
#[inline]
pub fn leave_short() {
    if let Some(engine) = ENGINE.get() {
        let mut engine = engine.lock();
        engine.core.leave_short();
        unlock(engine);
    }
}

/// Whether nothing of this process's sends waits to leave it, but for what the dead were to get.
pub fn is_flushed() -> bool {
    lock().core.links.is_flushed()
}

impl Header {
    fn control(kind: Kind, id: u64) -> Header {
        Header {
            kind,
            exchanged: false,
            context: 0,
            source: 0,
            tag: 0,
            payload: 0,
            released: 0,
            bytes: 0,
            id,
        }
    }

    /// Where the message is from, and its tag.
    fn envelope(&self) -> Envelope {
        Envelope {
            source: self.source as i32,
            tag: self.tag,
        }
    }

    /// Announces the message as number `id`, with its data to be fetched.
    pub(super) fn announce(&mut self, id: u64) {
        self.kind = Kind::Announce;
        self.id = id;
    }
}

impl Engine {
    /// Where messages are checked, what has been sent before a receive is posted is taken before: else it would seem to have come
    /// behind it.
    #[inline(always)]
    fn take_what_is_there(&mut self) {
        if check::is_on() {
            self.take_all();
        }
    }

    #[cold]
    fn take_all(&mut self) {
        let _ = (0..LOOKS_BEFORE).all(|_| self.poll());
    }

    fn poll(&mut self) -> bool {
        let mut moved = false;
        for word in 0..self.inbox.words() {
            let mut pending = self.inbox.pending(word);
            while pending != 0 {
                let ring = self.inbox.ring_of(word, pending.trailing_zeros() as usize);
                pending &= pending - 1;
                if self.drain(ring) {
                    moved = true;
                } else if self.inbox.in_vain(ring) && self.drain(ring) {
                    self.inbox.not_in_vain(ring);
                    moved = true;
                }
            }
        }
        moved |= self.core.flush() | self.core.look_for_answers();
        moved || self.core.sends.is_out_of_patience() && self.core.leave_short()
    }

    fn drain(&mut self, ring: usize) -> bool {
        let Engine { inbox, core, .. } = self;
        let sender = inbox.sender(ring);
        let mut taken = 0;
        let mut bytes = 0;
        while taken < TURN
            && bytes < TURN_BYTES
            && let Some(cell) = inbox.peek(ring)
        {
            core.take_cell(sender, &cell);
            let (room, payload) = (cell.room(), cell.payload.len());
            core.is_done_with(inbox, ring, room);
            taken += 1;
            bytes += payload.max(room.size() as usize);
            // What comes next may be for the caller's next receive.
            if core.is_direct_over() {
                break;
            }
        }
        if taken > 0 {
            inbox.offer_room(ring);
        }
        taken > 0
    }
}

impl Core {
    /// The oldest cell in a ring, which takes that `room`, has been taken.
    #[inline(always)]
    fn is_done_with(&mut self, inbox: &mut Inbox, ring: usize, room: Room) {
        inbox.release(ring, room);
        if room.hands_over() {
            self.links.take_turn(inbox.sender(ring));
        }
    }

    #[inline]
    fn queues(&mut self, context: u32) -> &mut Queues {
        let contexts = &mut self.contexts;
        if contexts.len() > CONTEXTS && contexts.find(context).is_none() {
            contexts.retain(|queues| !queues.is_empty());
        }
        let place = contexts.place(context);
        &mut contexts[place]
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// Moves what waits into the rings that have room again.
    #[inline]
    fn flush(&mut self) -> bool {
        let Core {
            links,
            after,
            sends,
            ..
        } = self;
        let complete = |operation: &Operation| {
            operation.complete(MPI_Status::EMPTY, None);
            after.completed = true;
        };
        links.flush(complete, |number, to, data| {
            sends.offer_waiting(number, to, data)
        })
    }

    /// Does what a cell says.
    #[inline]
    fn take_cell(&mut self, from: u32, cell: &Cell<'_>) {
        let header = cell.header;
        observe::hear(from);
        clock::cell_came(from);
        match header.kind {
            Kind::Eager => self.arrive(from, header, cell.payload),
            Kind::Announce => self.announced(header, from, Announced::from_payload(cell.payload)),
            Kind::Fetched => self.end_send(header.id),
            Kind::Refused => self.move_to_segment(from, header.id),
            Kind::Wanted => self.send_in_parts(from, header.id),
            Kind::Part => {
                let key = (from, header.id);
                if !self.go_on_directly(key, cell.payload) {
                    self.part(key, cell.payload);
                }
            }
            Kind::Moved => {
                if let Some(mut transfer) = self.refused.remove(&(from, header.id)) {
                    transfer.place = Announced::from_payload(cell.payload).place;
                    self.after.transfers.push(transfer);
                }
            }
        }
    }
}
