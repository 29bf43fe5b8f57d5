//! Generalized requests: operations of the program's own, which the library only waits for (MPI 4.1 §13.2).

use crate::bail;
use crate::comm::COMM_SELF;
use crate::error::{Error, Result};
use crate::mpi::types::*;
use crate::transport::counted::Counted;
use crate::transport::operation::{About, Action, Operation, Outcome, Partners, wake_threads};
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// The program's functions, and what it wants to be called with.
pub struct Callbacks {
    pub query: MPI_Grequest_query_function,
    pub free: MPI_Grequest_free_function,
    pub cancel: MPI_Grequest_cancel_function,
    pub state: AtomicPtr<c_void>,
}

/// The same functions as Fortran has them: what they return comes by an argument, and what others read too.
type FortranQuery = unsafe extern "C" fn(*mut c_void, *mut MPI_Status, *mut MPI_Fint);
type FortranFree = unsafe extern "C" fn(*mut c_void, *mut MPI_Fint);
type FortranCancel = unsafe extern "C" fn(*mut c_void, *mut MPI_Fint, *mut MPI_Fint);

impl Callbacks {
    /// # Safety
    /// The functions are those that the program gave, in the language that `fortran` says.
    unsafe fn query(&self, fortran: bool, state: *mut c_void, status: &mut MPI_Status) -> c_int {
        if !fortran {
            // SAFETY: the caller's contract; called as MPI 4.1 §13.2 says.
            return unsafe { (self.query)(state, status) };
        }
        let mut code = 0;
        // SAFETY: the function is one of Fortran. A status is the same array of integers in both languages.
        unsafe {
            transmute::<MPI_Grequest_query_function, FortranQuery>(self.query)(
                state, status, &mut code,
            )
        };
        code
    }

    /// # Safety
    /// As `query`.
    unsafe fn free(&self, fortran: bool, state: *mut c_void) -> c_int {
        if !fortran {
            // SAFETY: as in `query`.
            return unsafe { (self.free)(state) };
        }
        let mut code = 0;
        // SAFETY: the function is one of Fortran.
        unsafe {
            transmute::<MPI_Grequest_free_function, FortranFree>(self.free)(state, &mut code)
        };
        code
    }

    /// # Safety
    /// As `query`.
    unsafe fn cancel(&self, fortran: bool, state: *mut c_void, complete: bool) -> c_int {
        if !fortran {
            // SAFETY: as in `query`.
            return unsafe { (self.cancel)(state, complete.into()) };
        }
        let (mut complete, mut code) = (MPI_Fint::from(complete), 0);
        // SAFETY: the function is one of Fortran, whose `.TRUE.` is 1.
        unsafe {
            transmute::<MPI_Grequest_cancel_function, FortranCancel>(self.cancel)(
                state,
                &mut complete,
                &mut code,
            )
        };
        code
    }
}

/// A generalized request.
pub struct Generalized {
    pub(super) operation: Counted<Operation>,
    callbacks: Callbacks,
    /// Whether the functions are Fortran's.
    fortran: AtomicBool,
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
            fortran: AtomicBool::new(false),
            let_go: Mutex::new(false),
        }
    }

    /// Says that the functions are Fortran's.
    pub(super) fn set_fortran(&self) {
        self.fortran.store(true, Ordering::Relaxed);
    }

    fn language_and_state(&self) -> (bool, *mut c_void) {
        let state = self.callbacks.state.load(Ordering::Relaxed);
        (self.fortran.load(Ordering::Relaxed), state)
    }

    /// Ends it. If its handle was given back before, nobody will ask for it any more: what the program's free function says.
    ///
    /// Error: `MPI_ERR_REQUEST` if it is complete already.
    pub(super) fn complete(&self, handle: MPI_Request) -> Result<Option<Result<()>>> {
        let let_go = self.let_go.lock();
        if self.operation.is_done() {
            bail!(Request, "request {:#x} is complete already", handle.0);
        }
        self.operation.complete(MPI_Status::EMPTY, None);
        wake_threads();
        Ok(let_go.then(|| self.free()))
    }

    /// Gives its handle back. If it is complete, it is freed with this: what the program's free function says.
    pub(super) fn let_go(&self) -> Option<Result<()>> {
        let mut let_go = self.let_go.lock();
        let complete = self.operation.is_done();
        *let_go = !complete;
        complete.then(|| self.free())
    }

    /// Asks the program how it ended.
    pub(super) fn query(&self) -> Outcome {
        let mut status = MPI_Status::EMPTY;
        let (fortran, state) = self.language_and_state();
        // SAFETY: the program's functions, and it has said if they are Fortran's.
        let code = unsafe { self.callbacks.query(fortran, state, &mut status) };
        let error = result(code).err();
        Outcome::new(status, error)
    }

    /// Asks the program how it ended, and lets it free what it has for it.
    pub(super) fn finish(&self) -> Outcome {
        let Outcome { status, error, .. } = self.query();
        Outcome::new(status, error.or(self.free().err()))
    }

    fn free(&self) -> Result<()> {
        let (fortran, state) = self.language_and_state();
        // SAFETY: as in `query`.
        result(unsafe { self.callbacks.free(fortran, state) })
    }

    /// Asks the program to cancel it.
    pub(super) fn cancel(&self) -> Result<()> {
        let (fortran, state) = self.language_and_state();
        let complete = self.operation.is_done();
        // SAFETY: as in `query`.
        result(unsafe { self.callbacks.cancel(fortran, state, complete) })
    }
}
