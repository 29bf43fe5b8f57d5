//! Messages and receives that are given up.

use super::{Core, lock, unlock};
use crate::check;
use crate::error::Result;
use crate::mpi::types::MPI_Status;
use crate::runtime::Ranks;
use crate::runtime::deaths::dead;
use crate::transport::checked;
use crate::transport::operation::{Action, Operation};
use std::time::Duration;

/// Cancels an operation: one that has not met its other side ends as cancelled, and a send whose message a matched probe
/// holds as usual, with its data left to the receiver. Others go on; a wait for a send that a receive has taken is over
/// when the data is fetched, whether the receiver calls MPI again or not. Error: `MPI_ERR_NO_MEM` for that data.
pub fn cancel(operation: &Operation) -> Result<()> {
    let mut engine = lock();
    let ended = engine.core.cancel(operation);
    if let Ok(Some(status)) = ended {
        operation.complete(status, None);
        engine.core.after.completed = true;
    }
    unlock(engine);
    ended.map(|_| ())
}

/// Forgets a send or receive that will not end any more because a process died, or its communicator was revoked: nothing touches its buffer
/// after this, but for a copy into it that another thread is just making. While another process that lives reads the data of a
/// send it blocks, which is as long as that takes.
pub fn withdraw(operation: &Operation) {
    let mut looks = 0;
    loop {
        let mut engine = lock();
        if engine.core.withdraw(operation) {
            return;
        }
        engine.poll();
        unlock(engine);
        looks += 1;
        match looks {
            ..LOOKS => std::thread::yield_now(),
            _ => std::thread::sleep(NAP),
        }
    }
}

/// So often the data of a send is looked after before the one who waits for its reader sleeps for a while each time.
const LOOKS: u32 = 1000;
const NAP: Duration = Duration::from_micros(50);

impl Core {
    /// Forgets an operation, if nobody is reading its buffer.
    fn withdraw(&mut self, operation: &Operation) -> bool {
        if self.take_back(operation) || self.links.detach(operation).is_some() {
            return true;
        }
        let receiver = self.sends.receiver(operation);
        if let Some(rank) = receiver.filter(|&rank| dead(Ranks::One(rank)).is_none()) {
            if self.sends.hand_over(operation).unwrap_or(false) {
                return true;
            }
            if rank != self.me && self.sends.may_be_read(operation) {
                return false;
            }
        }
        self.forget(operation);
        true
    }

    /// Cancels an operation: how it has ended by that, if it has. Error: `MPI_ERR_NO_MEM`.
    fn cancel(&mut self, operation: &Operation) -> Result<Option<MPI_Status>> {
        if self.take_back(operation) {
            let mut status = MPI_Status::EMPTY;
            status.set_cancelled(true);
            return Ok(Some(status));
        }
        if self.links.detach(operation).is_some() || self.sends.hand_over(operation)? {
            return Ok(Some(MPI_Status::EMPTY));
        }
        self.sends.watch(operation);
        Ok(None)
    }

    /// Takes an operation back, if it has not met its other side.
    fn take_back(&mut self, operation: &Operation) -> bool {
        match operation.about.action {
            Action::Receive => {
                if check::is_on() {
                    checked::withdrawn(operation);
                }
                let queues = self.queues(operation.about.context);
                queues.posted.withdraw(operation)
            }
            Action::Send => match self.sends.take_back(operation) {
                Some(id) => {
                    self.links.unannounce(id);
                    true
                }
                None => self.links.take_back(operation),
            },
            Action::Collective(_) | Action::Steps(_) => false,
        }
    }

    /// Forgets an operation that has met its other side.
    fn forget(&mut self, operation: &Operation) {
        self.refused
            .retain(|_, transfer| !std::ptr::eq(&*transfer.receive.operation, operation));
        self.streams
            .forget(|receive| std::ptr::eq(&*receive.operation, operation));
        self.sends.forget(operation);
    }
}
