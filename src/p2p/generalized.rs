//! Generalized requests: operations of the program's own, which the library only waits for (MPI 4.1 §13.2).

use super::operation::{About, Action, Operation, Outcome, Partners, wake_threads};
use crate::abi::types::*;
use crate::bail;
use crate::comm::COMM_SELF;
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The program's functions, and what it wants to be called with.
pub struct Callbacks {
    pub query: MPI_Grequest_query_function,
    pub free: MPI_Grequest_free_function,
    pub cancel: MPI_Grequest_cancel_function,
    pub state: AtomicPtr<std::ffi::c_void>,
}

/// A generalized request.
pub struct Generalized {
    pub(super) operation: Arc<Operation>,
    callbacks: Callbacks,
    /// Whether its handle was given back before it was complete.
    let_go: Mutex<bool>,
}

/// What a callback said.
fn result(code: c_int) -> Result<()> {
    match code {
        0 => Ok(()),
        code => Err(Error::from_code(code)),
    }
}

impl Generalized {
    pub fn new(callbacks: Callbacks) -> Generalized {
        let operation = Operation::new(About {
            action: Action::Steps("a generalized request"),
            context: 0,
            peer: 0,
            tag: 0,
            // Nobody's death ends it: only the program does.
            partners: Partners::These([].into()),
            comm: COMM_SELF,
        });
        Generalized {
            operation,
            callbacks,
            let_go: Mutex::new(false),
        }
    }

    /// Ends it; true if its handle was given back before, and nobody will ask for it any more.
    ///
    /// Errors: `MPI_ERR_REQUEST` if it is complete already, and what the program's free function says.
    pub(super) fn complete(&self, handle: MPI_Request) -> Result<bool> {
        let let_go = self.let_go.lock();
        if self.operation.is_done() {
            bail!(Request, "request {:#x} is complete already", handle.0);
        }
        self.operation.complete(MPI_Status::EMPTY, None);
        wake_threads();
        if *let_go {
            self.free()?;
        }
        Ok(*let_go)
    }

    /// Gives its handle back; true if it is complete, and freed with this.
    pub(super) fn let_go(&self) -> Result<bool> {
        let mut let_go = self.let_go.lock();
        let complete = self.operation.is_done();
        match complete {
            true => self.free()?,
            false => *let_go = true,
        }
        Ok(complete)
    }

    /// Asks the program how it ended.
    pub(super) fn query(&self) -> Outcome {
        let mut status = MPI_Status::EMPTY;
        let state = self.callbacks.state.load(Ordering::Relaxed);
        // SAFETY: the program's function, called as MPI 4.1 §13.2 says.
        let code = unsafe { (self.callbacks.query)(state, &mut status) };
        let error = result(code).err();
        Outcome { status, error }
    }

    /// Asks the program how it ended, and lets it free what it has for it.
    pub(super) fn finish(&self) -> Outcome {
        let Outcome { status, error } = self.query();
        let error = error.or(self.free().err());
        Outcome { status, error }
    }

    fn free(&self) -> Result<()> {
        let state = self.callbacks.state.load(Ordering::Relaxed);
        // SAFETY: as in `query`.
        result(unsafe { (self.callbacks.free)(state) })
    }

    /// Asks the program to cancel it.
    pub(super) fn cancel(&self) -> Result<()> {
        let state = self.callbacks.state.load(Ordering::Relaxed);
        let complete = self.operation.is_done().into();
        // SAFETY: as in `query`.
        result(unsafe { (self.callbacks.cancel)(state, complete) })
    }
}
