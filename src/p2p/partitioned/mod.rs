//! Partitioned communication (MPI 4.1 chapter 4): a message whose parts are sent when each of them is ready.
//!
//! When a send is made it tells its receive, which it meets in a context of its own by the order in which both were made,
//! how many partitions of how many bytes there are, and the tags of these. Every partition is then a message by itself,
//! so the two sides may divide the data as they like: what is a partition here is any number of bytes there.
//!
//! The two sides meet in one hidden context of the communicator; data goes in another. A range of tags rests after its send was
//! freed. Data for memory with gaps arrives beside it.

mod checked;
mod incoming;
mod outgoing;

pub use incoming::{Incoming, receive};
pub use outgoing::{Outgoing, send};

use super::start::peer_of;
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::types::{MPI_Comm, MPI_Datatype};
use crate::transport::counted::Counted;
use crate::transport::operation::{About, Action, Operation, Partners};
use crate::transport::{Buffer, partition_context};
use crate::{bail, err};
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
            partners: match self.to {
                Some(to) => Partners::InParts(to),
                None => Partners::These([].into()),
            },
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

impl Channel {
    pub fn start(&self) -> Result<Counted<Operation>> {
        Ok(match self {
            Channel::Send(channel) => channel.start(),
            Channel::Receive(channel) => channel.start(),
        })
    }
}
