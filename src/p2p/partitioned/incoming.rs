//! The receiving side.

use super::{Channel, Parts, Terms, Way, way};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::types::MPI_Status;
use crate::p2p::completion::settled;
use crate::p2p::start::{NOBODY, about_receive};
use crate::transport::counted::Counted;
use crate::transport::operation::{About, Action, Operation, Outcome, Partners};
use crate::transport::task::{self, Task};
use crate::transport::{self, Buffer, Envelope, partition_context, partitioned_context};
use parking_lot::Mutex;
use std::ops::Range;
use std::ptr::with_exposed_provenance;
use std::sync::Arc;

/// A partitioned receive.
pub struct Incoming {
    pub(super) way: Way,
    pub(super) parts: Parts,
    buffer: Buffer,
    /// Bytes of a partition.
    bytes: usize,
    /// The terms come here, once.
    met: Option<(Counted<Operation>, Box<Terms>)>,
    state: Mutex<Receiving>,
}

#[derive(Default)]
struct Receiving {
    /// The sender's partitions of this round; empty until they are asked for.
    arriving: Vec<Arriving>,
    /// Whether they were.
    asked: bool,
}

struct Arriving {
    operation: Counted<Operation>,
    /// Its bytes in the whole.
    place: Range<usize>,
    /// Where the data comes first, if the memory it is for has gaps.
    beside: Option<Box<[u8]>>,
}

/// Waits until the terms have come, and keeps their memory meanwhile.
struct Meeting(Arc<Incoming>);

impl Task for Meeting {
    fn advance(&mut self) -> bool {
        self.0.met.as_ref().is_none_or(|(met, _)| settled(met))
    }

    fn end(&mut self) -> Outcome {
        Outcome::NOTHING
    }
}

/// Makes a partitioned receive from rank `from`.
///
/// Errors: as [`super::send`].
pub fn receive(comm: &Comm, parts: Parts, from: i32, tag: i32) -> Result<Channel> {
    let way = way(comm, from, tag)?;
    let buffer = parts.buffer(0, parts.partitions)?;
    let bytes = parts.buffer(0, 1)?.len();
    let met = way.to.is_some().then(|| -> Result<_> {
        let mut terms = Box::new(Terms::default());
        // SAFETY: the terms are kept beside their receive.
        let into = unsafe { Buffer::bytes(terms.as_mut_ptr().cast(), size_of::<Terms>()) };
        let into = into.standing_for(&buffer);
        let envelope = Envelope { source: from, tag };
        let context = partitioned_context(way.number);
        let about = About {
            context,
            ..about_receive(comm, from, tag)
        };
        Ok((transport::receive(context, envelope, into, about), terms))
    });
    let channel = Arc::new(Incoming {
        buffer,
        bytes,
        met: met.transpose()?,
        state: Mutex::default(),
        parts,
        way,
    });
    if channel.met.is_some() {
        let name = Action::Steps("MPI_Precv_init");
        task::begin(
            Operation::new(channel.way.about(name)),
            Meeting(channel.clone()),
        );
    }
    Ok(Channel::Receive(channel))
}

impl Incoming {
    pub(super) fn start(self: &Arc<Incoming>) -> Counted<Operation> {
        *self.state.lock() = Receiving::default();
        let operation = Operation::new(self.way.about(Action::Steps("a partitioned receive from")));
        match self.met {
            None => _ = operation.complete(NOBODY, None),
            Some(_) => task::begin(operation.clone(), Receives(self.clone())),
        }
        operation
    }

    /// Asks for the sender's partitions as soon as it is known what they are.
    fn ask(&self, state: &mut Receiving) {
        if state.asked {
            return;
        }
        let Some((met, terms)) = &self.met else {
            return;
        };
        if !settled(met) {
            return;
        }
        state.asked = true;
        if met.outcome().error.is_some() {
            return;
        }
        // SAFETY: the engine wrote the terms before it completed the receive, and does not touch them any more.
        let [partitions, bytes, first_tag] = unsafe { (&raw const **terms).read_volatile() };
        for i in 0..partitions {
            let tag = (first_tag + i) as i32;
            let place = (i * bytes) as usize..((i + 1) * bytes) as usize;
            state.arriving.push(self.receive_partition(tag, place));
        }
    }

    fn receive_partition(&self, tag: i32, place: Range<usize>) -> Arriving {
        let way = &self.way;
        // What is more than there is room for is thrown away, and an error.
        let end = place.end.min(self.buffer.len());
        let place = place.start.min(end)..end;
        let mut beside = None;
        let into = match self.buffer.run() {
            Some(address) => {
                let start = with_exposed_provenance(address.wrapping_add(place.start));
                // SAFETY: a part of the channel's buffer.
                unsafe { Buffer::bytes(start, place.len()) }
            }
            None => {
                let memory = beside.insert(vec![0; place.len()].into_boxed_slice());
                // SAFETY: the memory is kept beside its receive.
                unsafe { Buffer::bytes(memory.as_mut_ptr(), place.len()) }
            }
        };
        let source = way.peer;
        let about = About {
            tag,
            partners: Partners::One(way.to.unwrap_or_default()),
            ..way.about(Action::Receive)
        };
        let context = partition_context(way.number);
        Arriving {
            operation: transport::receive(context, Envelope { source, tag }, into, about),
            place,
            beside,
        }
    }

    /// Error: `MPI_ERR_ARG` if there is no such partition.
    pub fn check(&self, partition: i32) -> Result<usize> {
        self.parts.check(partition)
    }

    /// Whether the data of the partition is there.
    ///
    /// Error: `MPI_ERR_ARG` if there is no such partition.
    pub fn arrived(&self, partition: i32) -> Result<bool> {
        let i = self.parts.check(partition)?;
        let wanted = i * self.bytes..(i + 1) * self.bytes;
        let mut state = self.state.lock();
        if self.met.is_none() {
            return Ok(true);
        }
        self.ask(&mut state);
        // A partition without bytes is there when all of the message is.
        let mut concerned = state.arriving.iter_mut().filter(|arriving| {
            wanted.is_empty()
                || arriving.place.start < wanted.end && wanted.start < arriving.place.end
        });
        Ok(concerned.all(|arriving| arriving.is_there(&self.buffer)) && state.asked)
    }
}

impl Arriving {
    /// Whether its data is there, and where it belongs.
    fn is_there(&mut self, buffer: &Buffer) -> bool {
        if !settled(&self.operation) {
            return false;
        }
        if let Some(data) = self.beside.take() {
            // SAFETY: the buffer is the request's until it is complete; the data has the bytes of its place.
            unsafe { buffer.write(self.place.clone(), data.as_ptr()) }
        }
        true
    }
}

/// A receive on its way.
struct Receives(Arc<Incoming>);

impl Task for Receives {
    fn advance(&mut self) -> bool {
        let mut state = self.0.state.lock();
        self.0.ask(&mut state);
        let there = |arriving: &mut Arriving| arriving.is_there(&self.0.buffer);
        state.asked && state.arriving.iter_mut().all(there)
    }

    fn end(&mut self) -> Outcome {
        let Incoming {
            way, met, state, ..
        } = &*self.0;
        let state = state.lock();
        let mut status = MPI_Status::EMPTY;
        (status.MPI_SOURCE, status.MPI_TAG) = (way.peer, way.tag);
        let outcomes = state.arriving.iter().map(|a| a.operation.outcome());
        let mut error = met.as_ref().and_then(|(met, _)| met.outcome().error);
        let mut bytes = 0;
        for outcome in outcomes {
            bytes += outcome.status.count();
            error = error.or(outcome.error);
        }
        status.set_count(bytes);
        Outcome::new(status, error)
    }

    fn abandon(&mut self) {
        let state = self.0.state.lock();
        let operations = state.arriving.iter().map(|a| a.operation.clone());
        task::withdraw_all(&operations.collect::<Vec<_>>());
    }
}
