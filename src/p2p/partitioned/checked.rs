//! The buffers of partitioned operations, as [checks](crate::check) look at them: each partition is in use by itself.

use super::{Channel, Incoming, Outgoing, Parts};
use crate::check::buffers::{self, Access};
use crate::check::partitions;
use crate::mpi::types::MPI_Request;

impl Parts {
    /// The present call has a partition in use from now on, as one of the request.
    fn tell(&self, access: Access, request: MPI_Request, partition: usize) {
        let Ok(buffer) = self.buffer(partition, 1) else {
            return;
        };
        buffer.tell_use(access, "buf");
        buffers::begins();
        partitions::began(request.0, partition);
    }
}

impl Outgoing {
    /// Partitions of the request are about to be ready.
    #[cold]
    fn tell_ready(&self, request: MPI_Request, which: &[i32]) {
        if self.way.to.is_some() {
            let which = which.iter().filter_map(|&i| self.check(i).ok());
            which.for_each(|i| self.parts.tell(Access::Read, request, i));
        }
    }

    /// They are not.
    #[cold]
    fn tell_failed(&self, request: MPI_Request, which: &[i32]) {
        let which = which.iter().filter_map(|&i| self.check(i).ok());
        which.for_each(|i| partitions::taken_back(request.0, i));
    }

    /// [`Outgoing::ready`] in a job that may be checked. What is told comes first: with the last partition the request may end in another
    /// thread.
    pub fn ready_of(&self, request: MPI_Request, which: &[i32]) -> crate::error::Result<()> {
        if !crate::check::is_on() {
            return self.ready(which);
        }
        self.tell_ready(request, which);
        self.ready(which)
            .inspect_err(|_| self.tell_failed(request, which))
    }
}

impl Incoming {
    /// The program knows that a partition is there.
    pub fn saw_arrived(&self, request: MPI_Request, partition: i32) {
        if crate::check::is_on()
            && let Ok(partition) = self.check(partition)
        {
            partitions::ended(request.0, partition);
        }
    }
}

impl Channel {
    /// The request was started.
    #[cold]
    pub fn tell_started(&self, request: MPI_Request) {
        if let Channel::Receive(channel) = self
            && channel.way.to.is_some()
        {
            let all = 0..channel.parts.partitions;
            all.for_each(|i| channel.parts.tell(Access::Write, request, i));
        }
    }
}
