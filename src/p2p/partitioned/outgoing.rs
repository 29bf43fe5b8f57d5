//! The sending side.

use super::{Channel, Parts, Terms, Way, way};
use crate::check;
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::types::MPI_Status;
use crate::p2p::completion::settled;
use crate::transport::counted::Counted;
use crate::transport::operation::{About, Action, Operation, Outcome, Partners};
use crate::transport::task::{self, Task};
use crate::transport::{self, Buffer, Mode, Target, partition_context, partitioned_context};
use crate::{bail, err};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

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
    pub(super) way: Way,
    pub(super) parts: Parts,
    buffers: Vec<Buffer>,
    first_tag: i32,
    state: Mutex<Sending>,
}

#[derive(Default)]
struct Sending {
    /// Which partitions are ready, and how many are not.
    ready: Vec<bool>,
    missing: usize,
    pending: Vec<Counted<Operation>>,
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        TAGS.lock().taken.remove(&self.first_tag);
    }
}

/// Waits until the terms have left, and keeps their memory.
struct Telling {
    sent: Counted<Operation>,
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
        receives: false,
    };
    let about = || About {
        partners: Partners::One(world),
        ..way.about(Action::Send)
    };
    // SAFETY: the terms are kept until they were told.
    let bytes = unsafe { Buffer::bytes(terms.as_ptr().cast(), size_of::<Terms>()) };
    let bytes = match check::is_on() {
        true => bytes.standing_for(&channel.parts.buffer(0, channel.parts.partitions)?),
        false => bytes,
    };
    if let Some(sent) = transport::send(target, bytes, Mode::Standard, about)? {
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

impl Outgoing {
    pub(super) fn start(self: &Arc<Outgoing>) -> Counted<Operation> {
        let partitions = self.parts.partitions;
        *self.state.lock() = Sending {
            ready: vec![false; partitions],
            missing: partitions,
            pending: Vec::new(),
        };
        let operation = Operation::new(self.way.about(Action::Steps("a partitioned send to")));
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

    fn send_partition(&self, i: usize) -> Result<Option<Counted<Operation>>> {
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
            receives: false,
        };
        let about = || About {
            tag: target.tag,
            partners: Partners::One(to),
            ..way.about(Action::Send)
        };
        transport::send(target, self.buffers[i].clone(), Mode::Standard, about)
    }
}

/// A send on its way.
struct SendTask(Arc<Outgoing>);

impl Task for SendTask {
    fn advance(&mut self) -> bool {
        let state = self.0.state.lock();
        state.missing == 0 && state.pending.iter().all(|part| settled(part))
    }

    fn end(&mut self) -> Outcome {
        let pending = std::mem::take(&mut self.0.state.lock().pending);
        let error = pending.iter().find_map(|sent| sent.outcome().error);
        Outcome::new(MPI_Status::EMPTY, error)
    }

    fn abandon(&mut self) {
        let pending = std::mem::take(&mut self.0.state.lock().pending);
        task::withdraw_all(&pending);
    }
}
