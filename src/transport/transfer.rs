//! Fetching the data of a message that was only announced: one copy, straight from the sender's memory where it lies in
//! the segment or the kernel lets us read it, else from a copy in the segment that the sender makes on request.
//!
//! | message                                                              | goes                                                           |
//! |----------------------------------------------------------------------|----------------------------------------------------------------|
//! | up to 8 KiB                                                          | eager: through the ring, copied twice                          |
//! | 1 to 8 KiB of the segment, on own cores (but streams of up to 2 KiB) | announced; after a moment its sender leaves a copy             |
//! | up to 64 KiB from outside the segment, on own cores *                | eager, in pieces                                               |
//! | up to 512 KiB from there, in the largest ring, its sender waits      | the same: there is room for several                            |
//! | up to 32 KiB from there, where ranks share cores *                   | eager, in pieces: an announcement takes more turns on them     |
//! | larger, and synchronous ones                                         | announced; the receiver copies and answers *fetched*           |
//! | announced, its sender waits, cores for all, up to 4 MiB              | the receiver answers *wanted*; pieces through the ring         |
//! | these and long eager ones, where it has found that to be faster      | announced; the receiver copies (see [`ways`])                  |
//! | announced, the kernel refuses                                        | the receiver answers *refused*; a copy in the segment, *moved* |
//!
//! \* if its sender waits, or the ring has room for all of it; else announced.
//!
//! After a *refused* that sender makes the copy at once from then on. Buffers with gaps are packed into the segment. Only a
//! sender that waits is asked for pieces, be it in a call that sends or in one that waits for what was begun: a receiver never waits for a
//! sender that computes. (Where both ranks send each core has two copies to make through the rings, and one by the kernel: 256 KiB by
//! `MPI_Sendrecv` 14.7 and 16.4 µs, AMD EPYC of family 25.)

use super::buffer::Buffer;
use super::matching::Receive;
use super::offer::Data;
use super::ways::Begun;
use super::{Envelope, Outcome, engine, shown, ways};
use crate::err;
use crate::error::{Class, Error, Result};
use crate::mpi::types::MPI_Status;
use crate::observe;
use crate::runtime::{access, wait};
use crate::shm::Offset;
use crate::shm::heap::{self, Owned};
use crate::shm::segment::segment;

/// Up to so many bytes two cores that copy through the ring at the same time are faster than one that copies once through
/// the kernel.
const IN_PARTS: u64 = 4 << 20;

/// Where the data of an announced message is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Place {
    kind: PlaceKind,
    /// Whether the sender does nothing else until the message has left: it sends the data in parts when it is asked to.
    waits: bool,
    at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum PlaceKind {
    /// At an offset of the segment.
    Segment = 1,
    /// At an address of the sender's.
    Private = 2,
    /// In this process: the sender is the receiver.
    Own = 3,
    /// Nowhere: the sender found no memory for a copy.
    Lost = 4,
}

impl Place {
    const fn new(kind: PlaceKind, at: u64) -> Place {
        Place {
            kind,
            waits: false,
            at,
        }
    }

    pub const OWN: Place = Place::new(PlaceKind::Own, 0);
    pub const LOST: Place = Place::new(PlaceKind::Lost, 0);

    /// Where in the segment the buffer is, if it is one run of bytes there.
    pub fn shared(buffer: &Buffer) -> Option<Place> {
        let pointer = std::ptr::without_provenance(buffer.run()?);
        let offset = segment().offset_of(pointer, buffer.len())?;
        Some(Place::new(PlaceKind::Segment, offset as u64))
    }

    /// Whether the receiver can load the data from where it is.
    pub fn is_shared(buffer: &Buffer) -> bool {
        Place::shared(buffer).is_some()
    }

    /// Where another process finds the data of `buffer`, whose sender may wait, and the block of the segment that was
    /// allocated for that.
    pub fn of(buffer: &Buffer, waits: bool) -> Result<(Place, Option<Owned>)> {
        if buffer.is_empty() {
            return Ok((Place::new(PlaceKind::Segment, 0), None));
        }
        if let Some(place) = Place::shared(buffer) {
            return Ok((place, None));
        }
        if let Some(address) = shown::address(buffer) {
            access::allow();
            let place = Place::new(PlaceKind::Private, address as u64);
            return Ok((Place { waits, ..place }, None));
        }
        Place::copied(buffer)
    }

    /// Whether the data, of `bytes` bytes, comes sooner in parts than by a copy of the receiver's alone. A sender that did not wait
    /// when it announced them may do so now.
    pub fn is_for_parts(self, bytes: u64, comes_to_wait: impl FnOnce() -> bool) -> bool {
        let can = self.kind == PlaceKind::Private && bytes <= IN_PARTS && wait::spin() > 0;
        can && (self.waits || comes_to_wait())
    }

    /// Where a copy of the data is, made in the segment now.
    pub fn copied(buffer: &Buffer) -> Result<(Place, Option<Owned>)> {
        let block = heap::alloc(buffer.len(), 64)?;
        // SAFETY: the block is new and as long as the data; the buffer is the sender's until the send is complete.
        unsafe { buffer.read(0..buffer.len(), segment().at(block)) };
        let place = Place::new(PlaceKind::Segment, block as u64);
        Ok((place, Some(Owned::new(block))))
    }

    /// At the offset `at` of the segment.
    pub fn in_segment(at: Offset) -> Place {
        Place::new(PlaceKind::Segment, at as u64)
    }

    /// Whether the data can be loaded from where it is.
    pub fn is_in_segment(self) -> bool {
        self.kind == PlaceKind::Segment
    }

    /// Loads `len` bytes of the data, which is in the segment, into the buffer of a receive. Error: they cannot be mapped.
    pub fn load(self, to: &Buffer, len: usize) -> Result<()> {
        segment().reach(self.at as Offset, len)?;
        let from = segment().at::<u8>(self.at as Offset);
        // SAFETY: the sender keeps the bytes there until it is answered; the buffer is the receive's until it is complete.
        unsafe { to.write(0..len, from) };
        Ok(())
    }

    /// Whether the data is in the buffer of a send of this process.
    pub fn is_own(&self) -> bool {
        self.kind == PlaceKind::Own
    }
}

/// What a receiver is told of a message in advance: where the data is, and where in the segment the message is on offer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Announced {
    pub place: Place,
    pub offer: Offset,
}

impl Announced {
    /// Notes where the data of the message is that was taken; false if it was not.
    pub fn find(&mut self, taken: Option<Data>) -> bool {
        if let Some(Data::Left(at)) = taken {
            self.place = Place::in_segment(at);
        }
        taken.is_some()
    }

    /// What a payload's bytes say.
    pub fn from_payload(payload: &[u8]) -> Announced {
        assert!(payload.len() >= size_of::<Announced>());
        // SAFETY: the payload is what `to_payload` of another process of this library wrote, and long enough.
        unsafe { payload.as_ptr().cast::<Announced>().read_unaligned() }
    }

    /// Writes it to a payload.
    ///
    /// # Safety
    /// `to` has room for `size_of::<Announced>()` bytes.
    pub unsafe fn to_payload(self, to: *mut u8) {
        // SAFETY: the caller's contract.
        unsafe { to.cast::<Announced>().write_unaligned(self) }
    }
}

/// A receive and the announced message it has met.
pub struct Transfer {
    pub receive: Receive,
    pub envelope: Envelope,
    /// Bytes of the message.
    pub bytes: u64,
    /// The sender's rank in the job, and its number of the message.
    pub from: u32,
    pub id: u64,
    /// Whether its sender receives in the same call.
    pub exchanged: bool,
    pub place: Place,
    /// Where the message was on offer.
    pub offer: Offset,
    /// The sender's buffer, if the sender is this process.
    pub own: Option<Buffer>,
}

impl Transfer {
    /// Fetches the data, completes the receive, and answers the sender. Called without the engine's lock.
    pub fn run(self) {
        let len = self.receive.buffer.len().min(self.bytes as usize);
        let begun = match self.place.kind {
            PlaceKind::Private => ways::begin(self.bytes, self.exchanged),
            _ => None,
        };
        match observe::copying(self.from, || self.fetch(len)) {
            Ok(()) => self.finish(None, begun),
            // A message cannot get lost by this: the sender tries the segment instead.
            Err(error) if error.class == Class::Other => engine::refuse(self),
            Err(error) => self.finish(Some(error), None),
        }
    }

    fn finish(self, failure: Option<Error>, begun: Option<Begun>) {
        settle(&self.receive, self.envelope, self.bytes, failure);
        engine::answer_fetched(&self, begun);
    }

    fn fetch(&self, len: usize) -> Result<()> {
        let to = &self.receive.buffer;
        if let Some(own) = &self.own {
            to.copy(own, len);
            return Ok(());
        }
        match self.place.kind {
            PlaceKind::Segment => self.place.load(to, len),
            PlaceKind::Private => shown::fetch(self.from, self.place.at as usize, to, len),
            PlaceKind::Own => unreachable!("a message to oneself has its buffer at hand"),
            PlaceKind::Lost => Err(err!(
                NoMem,
                "the sender of a message of {} bytes has no memory in the segment to pass it on",
                self.bytes
            )),
        }
    }
}

/// Completes a receive whose data has arrived, all that fits in its buffer.
#[inline]
pub fn settle(receive: &Receive, envelope: Envelope, bytes: u64, failure: Option<Error>) {
    let Outcome { status, error, .. } = received(envelope, bytes, receive.buffer.len());
    receive.operation.complete(status, failure.or(error));
}

/// How a receive into a buffer with so much `room` ends, of a message of so many `bytes`.
#[inline]
pub fn received(envelope: Envelope, bytes: u64, room: usize) -> Outcome {
    let room = room as u64;
    let mut status = MPI_Status::EMPTY;
    status.MPI_SOURCE = envelope.source;
    status.MPI_TAG = envelope.tag;
    status.set_count(bytes.min(room));
    let error = (bytes > room).then(|| {
        err!(
            Truncate,
            "the message from rank {} with tag {} has {bytes} bytes, but the receive buffer takes {room}",
            envelope.source,
            envelope.tag
        )
    });
    Outcome::new(status, error)
}
