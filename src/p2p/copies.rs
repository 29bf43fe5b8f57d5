//! Requests of operations on copies of the caller's buffers, as array sections of Fortran that are not contiguous need them
//! (MPI 4.1 §19.1.12).
//!
//! The operation is made on the copies, and then its request is bound to them, before the program has it: what there is to wait
//! for is from then on a task that waits for the operation, gives back what that has written, and ends as it did. Requests
//! without copies know nothing of all this, nor do waits and tests.

use super::request::{LASTING, Lasting, REQUESTS, Request, Start, request};
use crate::check::{self, pending};
use crate::mpi::types::{MPI_Request, MPI_Status};
use crate::transport::counted::Counted;
use crate::transport::operation::{Operation, Outcome};
use crate::transport::task::{self, Task};
use std::sync::Arc;

/// Copies of the buffers of one operation.
pub trait Copies: Send + Sync {
    /// Called before an operation that reads them is started once more.
    fn fill(&self);
    /// Called when an operation is complete: what it has written goes where it belongs.
    fn give_back(&self);
}

/// Binds the request of an operation, which was just made, to the copies that it is on. One that is complete is done with them.
pub fn bind(handle: MPI_Request, copies: Arc<dyn Copies>) {
    if check::is_on() {
        // The copies are the library's, and go when the operation ends.
        pending::let_go(handle.0);
    }
    match request(handle) {
        Some(Request::Once(operation)) if !operation.is_done() => {
            if let Some(operation) = REQUESTS.get_arc(handle.0) {
                REQUESTS.replace(handle.0, begin(operation, copies));
            }
        }
        Some(Request::Persistent(persistent)) => {
            let bound = persistent.started_by(|start| start_on(copies, start));
            LASTING.replace(handle.0, Arc::new(Lasting::Persistent(bound)));
        }
        _ => copies.give_back(),
    }
}

/// A start that fills the copies before, and gives them back after the end.
fn start_on(copies: Arc<dyn Copies>, start: Start) -> Start {
    Arc::new(move || {
        copies.fill();
        match start() {
            Ok(Some(operation)) if !operation.is_done() => {
                Ok(Some(begin(operation, copies.clone())))
            }
            ended => {
                copies.give_back();
                ended
            }
        }
    })
}

/// The operation that ends when `inner` has and its copies were given back.
fn begin(inner: Counted<Operation>, copies: Arc<dyn Copies>) -> Counted<Operation> {
    let operation = Operation::new(inner.about.clone());
    task::begin(operation.clone(), Copied { inner, copies });
    operation
}

/// An operation on copies, on its way.
struct Copied {
    inner: Counted<Operation>,
    copies: Arc<dyn Copies>,
}

impl Task for Copied {
    fn advance(&mut self) -> bool {
        self.inner.is_done()
    }

    fn end(&mut self) -> Outcome {
        self.copies.give_back();
        self.inner.outcome()
    }

    fn abandon(&mut self) {
        task::withdraw(&self.inner);
        self.inner.complete(MPI_Status::EMPTY, None);
        // A task that the operation is of may be at them until it is abandoned, too.
        std::mem::forget(self.copies.clone());
    }

    fn inner(&self) -> Option<&Counted<Operation>> {
        Some(&self.inner)
    }
}
