//! Messages and receives that are given up.

use super::{Core, lock, unlock};
use crate::abi::types::MPI_Status;
use crate::error::Result;
use crate::p2p::operation::{Action, Operation};
use std::sync::Arc;

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

impl Core {
    /// Takes an operation back that has not met its other side.
    pub(super) fn take_back(&mut self, operation: &Arc<Operation>) -> bool {
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
    pub(super) fn forget(&mut self, operation: &Arc<Operation>) {
        self.refused
            .retain(|_, transfer| !Arc::ptr_eq(&transfer.receive.operation, operation));
        self.streams
            .forget(|receive| Arc::ptr_eq(&receive.operation, operation));
        self.sends.forget(operation);
    }
}
