//! Partitioned communication (MPI 4.1 chapter 4): a message whose parts are sent when each of them is ready.
//!
//! When a send is made it tells its receive, which it meets in a context of its own by the order in which both were made,
//! how many partitions of how many bytes there are, and the tags of these. Every partition is then a message by itself,
//! so the two sides may divide the data as they like: what is a partition here is any number of bytes there.
//!
//! The two sides meet in one hidden context of the communicator; data goes in another. A range of tags rests after its send was
//! freed. Data for memory with gaps arrives beside it.

use super::completion::settled;
use super::start::{NOBODY, about_receive, peer_of};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::types::{MPI_Comm, MPI_Datatype, MPI_Status};
use crate::transport::operation::{About, Action, Operation, Outcome, Partners};
use crate::transport::task::{self, Task};
use crate::transport::{self, Buffer, Envelope, Target, partition_context, partitioned_context};
use crate::{bail, err};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::with_exposed_provenance;
use std::sync::Arc;

/// One side of a partitioned message.
#[derive(Clone)]
pub enum Channel {
    Send(Arc<Outgoing>),
    Receive(Arc<Incoming>),
}

/// What a send tells its receive: partitions, the bytes of each, the tag of the first.
type Terms = [u64; 3];

/// What both sides know of the communicator and of each other.
struct Way {
    comm: MPI_Comm,
    /// The communicator's number.
    number: u32,
    /// This process's rank in it.
    rank: u32,
    /// The other side's, which may be `MPI_PROC_NULL`.
    peer: i32,
    /// The other side's rank in the job.
    to: Option<u32>,
    tag: i32,
}

impl Way {
    fn about(&self, action: Action) -> About {
        About {
            action,
            context: partition_context(self.number),
            peer: self.peer,
            tag: self.tag,
            // Its parts have theirs.
            partners: Partners::These([].into()),
            comm: self.comm,
        }
    }
}

/// Memory in `partitions` equal parts.
pub struct Parts {
    address: usize,
    partitions: usize,
    /// Elements of a partition.
    count: usize,
    datatype: MPI_Datatype,
}

impl Parts {
    /// `partitions` times `count` elements at `address`.
    ///
    /// # Safety
    /// They are there for as long as the channel that is made of them.
    pub unsafe fn new(
        address: usize,
        partitions: usize,
        count: usize,
        datatype: MPI_Datatype,
    ) -> Parts {
        Parts {
            address,
            partitions,
            count,
            datatype,
        }
    }

    fn buffer(&self, first: usize, partitions: usize) -> Result<Buffer> {
        let count = self.count.checked_mul(partitions);
        let count = count.ok_or_else(|| err!(Count, "count is {}, too many", self.count))?;
        if self.count == 0 {
            let nowhere = with_exposed_provenance(self.address);
            // SAFETY: no elements need no memory.
            return unsafe { Buffer::elements(nowhere, 0, self.datatype) };
        }
        let extent = crate::datatype::get(self.datatype)?.extent();
        let skip = extent.wrapping_mul((self.count * first) as isize);
        let start = with_exposed_provenance(self.address.wrapping_add_signed(skip));
        // SAFETY: the partitions lie in the memory that the maker of `self` has promised.
        unsafe { Buffer::elements(start, count, self.datatype) }?.checked("buf")
    }

    fn check(&self, partition: i32) -> Result<usize> {
        match usize::try_from(partition) {
            Ok(i) if i < self.partitions => Ok(i),
            _ => bail!(
                Arg,
                "partition is {partition}, but the request has {} partitions",
                self.partitions
            ),
        }
    }
}

/// The tags of this process's partitions: given one after the other, so that those of what was freed rest.
struct Tags {
    next: i32,
    /// Those in use: the first, and how many.
    taken: BTreeMap<i32, i32>,
}

static TAGS: Mutex<Tags> = Mutex::new(Tags {
    next: 0,
    taken: BTreeMap::new(),
});

impl Tags {
    /// Takes tags for so many partitions, and gives the first.
    fn take(&mut self, partitions: usize) -> Result<i32> {
        let count = i32::try_from(partitions.max(1))
            .map_err(|_| err!(Arg, "partitions is {partitions}, too many"))?;
        for begin in [self.next, 0] {
            let mut first = begin;
            while let Some(end) = first.checked_add(count) {
                let before = self.taken.range(..end).next_back();
                match before.map(|(taken, n)| taken + n) {
                    Some(over) if over > first => first = over,
                    _ => {
                        self.next = end;
                        self.taken.insert(first, count);
                        return Ok(first);
                    }
                }
            }
        }
        bail!(Other, "{count} partitions more cannot be told apart")
    }
}

/// A partitioned send.
pub struct Outgoing {
    way: Way,
    parts: Parts,
    buffers: Vec<Buffer>,
    first_tag: i32,
    state: Mutex<Sending>,
}

#[derive(Default)]
struct Sending {
    /// Which partitions are ready, and how many are not.
    ready: Vec<bool>,
    missing: usize,
    pending: Vec<Arc<Operation>>,
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        TAGS.lock().taken.remove(&self.first_tag);
    }
}

/// Waits until the terms have left, and keeps their memory.
struct Telling {
    sent: Arc<Operation>,
    _terms: Box<Terms>,
    /// The tags are in use as long.
    _channel: Arc<Outgoing>,
}

impl Task for Telling {
    fn advance(&mut self) -> bool {
        settled(&self.sent)
    }

    fn end(&mut self) -> Outcome {
        Outcome::NOTHING
    }
}

/// Makes a partitioned send to rank `to`, and tells the other side.
///
/// Errors: `MPI_ERR_COMM`, `MPI_ERR_RANK`, `MPI_ERR_TAG`, `MPI_ERR_TYPE`, `MPI_ERR_COUNT`, `MPI_ERR_BUFFER`.
pub fn send(comm: &Comm, parts: Parts, to: i32, tag: i32) -> Result<Channel> {
    let way = way(comm, to, tag)?;
    let buffers: Result<Vec<Buffer>> = (0..parts.partitions).map(|i| parts.buffer(i, 1)).collect();
    let buffers = buffers?;
    let bytes = parts.buffer(0, 1)?.len();
    let channel = Arc::new(Outgoing {
        first_tag: TAGS.lock().take(parts.partitions)?,
        way,
        buffers,
        state: Mutex::default(),
        parts,
    });
    let way = &channel.way;
    let Some(world) = way.to else {
        return Ok(Channel::Send(channel));
    };
    let terms = [
        channel.parts.partitions as u64,
        bytes as u64,
        channel.first_tag as u64,
    ];
    let terms = Box::new(terms);
    let target = Target {
        context: partitioned_context(way.number),
        source: way.rank,
        to: world,
        tag,
        waits: false,
    };
    let about = || About {
        partners: Partners::One(world),
        ..way.about(Action::Send)
    };
    // SAFETY: the terms are kept until they were told.
    let bytes = unsafe { Buffer::bytes(terms.as_ptr().cast(), size_of::<Terms>()) };
    if let Some(sent) = transport::send(target, bytes, false, about)? {
        let telling = Telling {
            sent,
            _terms: terms,
            _channel: channel.clone(),
        };
        task::begin(
            Operation::new(way.about(Action::Steps("MPI_Psend_init"))),
            telling,
        );
    }
    Ok(Channel::Send(channel))
}

fn way(comm: &Comm, peer: i32, tag: i32) -> Result<Way> {
    Ok(Way {
        comm: comm.handle,
        number: comm.context,
        rank: comm.rank as u32,
        peer,
        to: peer_of(comm, peer, tag)?,
        tag,
    })
}

impl Outgoing {
    fn start(self: &Arc<Outgoing>) -> Arc<Operation> {
        let partitions = self.parts.partitions;
        *self.state.lock() = Sending {
            ready: vec![false; partitions],
            missing: partitions,
            pending: Vec::new(),
        };
        let operation = Operation::new(self.way.about(Action::Steps("a partitioned send")));
        task::begin(operation.clone(), SendTask(self.clone()));
        operation
    }

    /// Error: `MPI_ERR_ARG` if there is no such partition.
    pub fn check(&self, partition: i32) -> Result<usize> {
        self.parts.check(partition)
    }

    /// Sends the partitions `which`.
    ///
    /// Errors: `MPI_ERR_ARG` if one of them is none, or was ready before; then nothing is sent.
    ///
    /// All is done under the lock: once the last partition is ready, another thread may end its wait and free the request as
    /// soon as the lock is free.
    pub fn ready(&self, which: &[i32]) -> Result<()> {
        let mut state = self.state.lock();
        let mut now = Vec::with_capacity(which.len());
        for &partition in which {
            let i = self.parts.check(partition)?;
            if state.ready[i] || now.contains(&i) {
                bail!(Arg, "partition {partition} is ready already");
            }
            now.push(i);
        }
        for i in now {
            state.ready[i] = true;
            state.missing -= 1;
            state.pending.extend(self.send_partition(i)?);
        }
        Ok(())
    }

    fn send_partition(&self, i: usize) -> Result<Option<Arc<Operation>>> {
        let way = &self.way;
        let Some(to) = way.to else {
            return Ok(None);
        };
        let target = Target {
            context: partition_context(way.number),
            source: way.rank,
            to,
            tag: self.first_tag + i as i32,
            waits: false,
        };
        let about = || About {
            tag: target.tag,
            partners: Partners::One(to),
            ..way.about(Action::Send)
        };
        transport::send(target, self.buffers[i].clone(), false, about)
    }
}

/// A send on its way.
struct SendTask(Arc<Outgoing>);

impl Task for SendTask {
    fn advance(&mut self) -> bool {
        let state = self.0.state.lock();
        state.missing == 0 && state.pending.iter().all(settled)
    }

    fn end(&mut self) -> Outcome {
        let pending = std::mem::take(&mut self.0.state.lock().pending);
        let error = pending.iter().find_map(|sent| sent.outcome().error);
        Outcome::new(MPI_Status::EMPTY, error)
    }
}

/// A partitioned receive.
pub struct Incoming {
    way: Way,
    parts: Parts,
    buffer: Buffer,
    /// Bytes of a partition.
    bytes: usize,
    /// The terms come here, once.
    met: Option<(Arc<Operation>, Box<Terms>)>,
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
    operation: Arc<Operation>,
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
/// Errors: as [`send`].
pub fn receive(comm: &Comm, parts: Parts, from: i32, tag: i32) -> Result<Channel> {
    let way = way(comm, from, tag)?;
    let buffer = parts.buffer(0, parts.partitions)?;
    let bytes = parts.buffer(0, 1)?.len();
    let met = way.to.is_some().then(|| -> Result<_> {
        let mut terms = Box::new(Terms::default());
        // SAFETY: the terms are kept beside their receive.
        let into = unsafe { Buffer::bytes(terms.as_mut_ptr().cast(), size_of::<Terms>()) };
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
    fn start(self: &Arc<Incoming>) -> Arc<Operation> {
        *self.state.lock() = Receiving::default();
        let operation = Operation::new(self.way.about(Action::Steps("a partitioned receive")));
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
}

impl Channel {
    pub fn start(&self) -> Result<Arc<Operation>> {
        Ok(match self {
            Channel::Send(channel) => channel.start(),
            Channel::Receive(channel) => channel.start(),
        })
    }
}
