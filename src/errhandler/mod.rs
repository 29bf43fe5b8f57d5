//! Error handlers (MPI 4.1 §9.3): the predefined ones, those made of the user's functions, and the [`Slot`] by which a
//! communicator, window, session or file has one.
//!
//! A handler made by the user lives as long as the program holds its handle (`users`) or it is attached to an object
//! (`attached`). Its handle is good while there are users; `MPI_Comm_get_errhandler` adds one, so the handle it gives is the
//! one that was set.
//!
//! Of the user's functions no more than 8 run inside each other in a thread: an error in the innermost only returns its code,
//! so a handler whose own calls fail comes to an end. One that was left by longjmp does not count, as its place on the stack
//! tells.

pub mod initial;

use crate::bail;
use crate::check::{self, objects};
use crate::error::{Object, Result};
use crate::handle::{Kind, Table};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use parking_lot::Mutex;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::from_mut;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

/// What happens to an error.
#[derive(Clone, Copy)]
pub enum Handler {
    /// The job ends.
    Fatal,
    /// The processes of the communicator, window or session end.
    Abort,
    /// The code is returned.
    Return,
    /// The user's function is called, then the code is returned that it leaves.
    User(Function),
    /// The code is returned, and noted for the class in C++ whose function was called to throw it.
    Throw,
    /// The user's function in another language is called by that of its library, then the code is returned that it leaves.
    Proxied(Function, Proxy),
}

/// Calls the user's function in C++ or Fortran with what that language has for the handle. The kind is 0 for a communicator, 1 for a
/// file, 2 for a window, 3 for a session (of which C++ has no class).
pub type Proxy = unsafe extern "C" fn(
    kind: c_int,
    handle: *mut c_void,
    code: *mut c_int,
    function: *const c_void,
);

/// The user's function, by the kind of object it was made for.
#[derive(Clone, Copy)]
pub enum Function {
    Comm(MPI_Comm_errhandler_function),
    Win(MPI_Win_errhandler_function),
    File(MPI_File_errhandler_function),
    Session(MPI_Session_errhandler_function),
}

impl Function {
    pub fn kind(&self) -> Kind {
        match self {
            Function::Comm(_) => Kind::Comm,
            Function::Win(_) => Kind::Win,
            Function::File(_) => Kind::File,
            Function::Session(_) => Kind::Session,
        }
    }

    fn address(&self) -> *const c_void {
        match *self {
            Function::Comm(function) => function as *const c_void,
            Function::Win(function) => function as *const c_void,
            Function::File(function) => function as *const c_void,
            Function::Session(function) => function as *const c_void,
        }
    }
}

struct Counts {
    /// Programs may ask for it for ever and free nothing.
    users: u64,
    attached: u32,
}

/// A handler made by the user.
struct Made {
    function: Function,
    /// Set where the function is another language's.
    proxy: OnceLock<Proxy>,
    counts: Mutex<Counts>,
}

static MADE: Table<Made> = Table::new(Kind::Errhandler);

/// Makes a handler of the user's function. Error: `MPI_ERR_NO_MEM` when handles are exhausted.
pub fn create(function: Function) -> Result<MPI_Errhandler> {
    let counts = Mutex::new(Counts {
        users: 1,
        attached: 0,
    });
    let proxy = OnceLock::new();
    MADE.insert(Arc::new(Made {
        function,
        proxy,
        counts,
    }))
    .map(MPI_Errhandler)
}

/// Says that the function of `handle` is another language's. One that does not exist, or is so already, stays as it is: only that
/// language's library calls this, right after it made the handler.
pub fn set_proxy(handle: MPI_Errhandler, proxy: Proxy) {
    if let Some(made) = MADE.get_arc(handle.0) {
        let _ = made.proxy.set(proxy);
    }
}

fn is_predefined(handle: MPI_Errhandler) -> bool {
    matches!(
        handle,
        MPI_ERRORS_ARE_FATAL | MPI_ERRORS_RETURN | MPI_ERRORS_ABORT | MPIR_ERRORS_THROW_EXCEPTIONS
    )
}

/// The user's handler, if somebody holds its handle.
fn held(handle: MPI_Errhandler) -> Result<Arc<Made>> {
    match MADE.get_arc(handle.0) {
        Some(made) if made.counts.lock().users > 0 => Ok(made),
        _ if handle == MPI_ERRHANDLER_NULL => {
            bail!(Errhandler, "errhandler is MPI_ERRHANDLER_NULL")
        }
        _ => bail!(
            Errhandler,
            "errhandler is {:#x}, which is no error handler",
            handle.0
        ),
    }
}

/// Changes the counts of a user's handler, which dies when both are zero.
fn recount(handle: MPI_Errhandler, made: &Made, change: impl FnOnce(&mut Counts)) {
    let mut counts = made.counts.lock();
    change(&mut counts);
    if counts.users == 0 && counts.attached == 0 {
        MADE.remove(handle.0);
    }
}

/// Gives a handle up. What it is attached to keeps it. Predefined handlers cannot die. Error: `MPI_ERR_ERRHANDLER`.
pub fn free(handle: MPI_Errhandler) -> Result<()> {
    if !is_predefined(handle) {
        let made = held(handle)?;
        recount(handle, &made, |c| c.users -= 1);
        if check::is_on() && made.counts.lock().users == 0 {
            objects::gone(Kind::Errhandler as u32, handle.0 as usize);
        }
    }
    Ok(())
}

/// The handler of `MPI_FILE_NULL`, which files inherit and calls without a file use. `MPI_ERRORS_RETURN` at first
/// (MPI 4.1 §14.7).
pub static FILES: Slot = Slot {
    handle: Mutex::new(MPI_ERRORS_RETURN),
    chosen: AtomicBool::new(false),
};

/// Which error handler an object has.
pub struct Slot {
    handle: Mutex<MPI_Errhandler>,
    /// Whether the program has ever set it.
    chosen: AtomicBool,
}

impl Default for Slot {
    fn default() -> Slot {
        Slot::new()
    }
}

impl Slot {
    /// With `MPI_ERRORS_ARE_FATAL`.
    pub const fn new() -> Slot {
        Slot {
            handle: Mutex::new(MPI_ERRORS_ARE_FATAL),
            chosen: AtomicBool::new(false),
        }
    }

    /// With the initial error handler.
    pub fn initial() -> Slot {
        Slot {
            handle: Mutex::new(initial::handle()),
            chosen: AtomicBool::new(false),
        }
    }

    /// A slot of another object, with the same handler.
    pub fn inherit(&self) -> Slot {
        let handle = self.handle.lock();
        if let Some(made) = MADE.get_arc(handle.0) {
            recount(*handle, &made, |c| c.attached += 1);
        }
        Slot {
            handle: Mutex::new(*handle),
            chosen: AtomicBool::new(false),
        }
    }

    /// Attaches a handler to the object, which is of kind `kind`. Error: `MPI_ERR_ERRHANDLER` if it is none, or one for
    /// other objects.
    pub fn set(&self, kind: Kind, handle: MPI_Errhandler) -> Result<()> {
        if !is_predefined(handle) {
            let made = held(handle)?;
            if made.function.kind() != kind {
                bail!(
                    Errhandler,
                    "errhandler is {:#x}, which was made for a {:?}, not for a {kind:?}",
                    handle.0,
                    made.function.kind()
                );
            }
            recount(handle, &made, |c| c.attached += 1);
        }
        let before = std::mem::replace(&mut *self.handle.lock(), handle);
        detach(before);
        self.chosen.store(true, Relaxed);
        Ok(())
    }

    /// Whether the program has set the handler of this very object.
    pub fn is_chosen(&self) -> bool {
        self.chosen.load(Relaxed)
    }

    /// Whether an error lets the process go on.
    pub fn lets_go_on(&self) -> bool {
        !matches!(self.handler(), Handler::Fatal | Handler::Abort)
    }

    /// The handle of the object's handler, for the caller to free.
    pub fn get(&self) -> MPI_Errhandler {
        let handle = self.handle.lock();
        if let Some(made) = MADE.get_arc(handle.0) {
            recount(*handle, &made, |c| c.users += 1);
        }
        *handle
    }

    /// What is to happen to an error of this object.
    pub fn handler(&self) -> Handler {
        of(*self.handle.lock()).unwrap_or(Handler::Fatal)
    }
}

/// What an error handler does; `None` if it is none.
pub fn of(handle: MPI_Errhandler) -> Option<Handler> {
    Some(match handle {
        MPI_ERRORS_ARE_FATAL => Handler::Fatal,
        MPI_ERRORS_RETURN => Handler::Return,
        MPIR_ERRORS_THROW_EXCEPTIONS => Handler::Throw,
        MPI_ERRORS_ABORT => Handler::Abort,
        made => {
            let made = MADE.get(made.0)?;
            match made.proxy.get() {
                Some(proxy) => Handler::Proxied(made.function, *proxy),
                None => Handler::User(made.function),
            }
        }
    })
}

thread_local! {
    /// The last code that this thread was given to be thrown.
    static TO_THROW: Cell<c_int> = const { Cell::new(MPI_SUCCESS) };
}

/// Notes that `code` is to be thrown by the caller.
pub fn note_to_throw(code: c_int) {
    TO_THROW.set(code);
}

/// Whether `code`, which the last call returned, is to be thrown. Asked once.
pub fn take_to_throw(code: c_int) -> bool {
    TO_THROW.replace(MPI_SUCCESS) == code
}

fn detach(handle: MPI_Errhandler) {
    if let Some(made) = MADE.get_arc(handle.0) {
        recount(handle, &made, |c| c.attached -= 1);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        detach(*self.handle.get_mut());
    }
}

/// So many of the user's functions may run inside each other in a thread. An error in the innermost of them only returns its
/// code: a handler whose own calls fail comes to an end before the stack does.
const NESTED: usize = 8;

thread_local! {
    /// Where on the stack this thread has called the functions that are running, the outermost first; 0 behind the last.
    static RUNNING: Cell<[usize; NESTED]> = const { Cell::new([0; NESTED]) };
}

/// Calls a function of the user's, if not as many as may be are running.
fn nested(call: impl FnOnce()) {
    let mark = 0_u8;
    let here = (&raw const mark).addr();
    let mut running = RUNNING.get();
    // Stacks grow downwards: what was called from here or below has ended, if not by returning then by longjmp.
    for place in running.iter_mut().filter(|place| **place <= here) {
        *place = 0;
    }
    if let Some(place) = running.iter_mut().find(|place| **place == 0) {
        *place = here;
        RUNNING.set(running);
        call();
        *running
            .iter_mut()
            .rfind(|place| **place != 0)
            .expect("it was just added") = 0;
        RUNNING.set(running);
    }
}

impl Handler {
    /// Calls the user's function, if there is one, with the object's handle. Gives the code that it leaves to be returned.
    ///
    /// # Safety
    /// The function keeps the contract of error handlers (MPI 4.1 §9.3): it is called with a handle and a code.
    pub unsafe fn call_user(self, object: Object, mut code: c_int) -> c_int {
        let (function, proxy) = match self {
            Handler::User(function) => (function, None),
            Handler::Proxied(function, proxy) => (function, Some(proxy)),
            _ => return code,
        };
        // A call that was given its handler has made no object yet.
        let object = match (function, object) {
            (Function::Comm(_), Object::Given(_)) => Object::Comm(MPI_COMM_NULL),
            (Function::Session(_), Object::Given(_)) => Object::Session(MPI_SESSION_NULL),
            _ => object,
        };
        if let Some(proxy) = proxy {
            let user = function.address();
            let mut call = |kind, handle| {
                // SAFETY: the library of the other language gave the proxy for this function.
                nested(|| unsafe { proxy(kind, handle, &mut code, user) });
            };
            match object {
                Object::Comm(handle) => call(0, from_mut(&mut handle.foreign()).cast()),
                Object::File(handle) => call(1, from_mut(&mut handle.foreign()).cast()),
                Object::Win(handle) => call(2, from_mut(&mut handle.foreign()).cast()),
                Object::Session(handle) => call(3, from_mut(&mut handle.foreign()).cast()),
                _ => {}
            }
            return code;
        }
        // SAFETY: the caller promised the function's contract; handle and code live through the call.
        nested(|| unsafe {
            match (function, object) {
                (Function::Comm(f), Object::Comm(handle)) => f(&mut handle.foreign(), &mut code),
                (Function::Win(f), Object::Win(handle)) => f(&mut handle.foreign(), &mut code),
                (Function::File(f), Object::File(handle)) => f(&mut handle.foreign(), &mut code),
                (Function::Session(f), Object::Session(handle)) => {
                    f(&mut handle.foreign(), &mut code)
                }
                // A slot takes only handlers of its object's kind, and calls that are given one make no other objects.
                _ => {}
            }
        });
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Class;

    unsafe extern "C" {
        // A variadic function to point to; never called.
        fn printf(format: *const std::ffi::c_char, ...) -> c_int;
    }

    fn some_function() -> MPI_Comm_errhandler_function {
        // SAFETY: both are addresses of variadic C functions, and the handler is never called.
        unsafe { std::mem::transmute(printf as *const ()) }
    }

    #[test]
    fn a_freed_handler_lives_while_it_is_attached() {
        let made = create(Function::Comm(some_function())).unwrap();
        let slot = Slot::new();
        slot.set(Kind::Comm, made).unwrap();
        free(made).unwrap();
        assert_eq!(free(made).unwrap_err().class, Class::Errhandler);
        assert!(matches!(slot.handler(), Handler::User(_)));
        assert_eq!(slot.get(), made);
        free(made).unwrap();
        let second = slot.inherit();
        drop(slot);
        assert!(MADE.get(made.0).is_some());
        second.set(Kind::Comm, MPI_ERRORS_RETURN).unwrap();
        assert!(MADE.get(made.0).is_none());
        assert!(matches!(second.handler(), Handler::Return));
    }

    #[test]
    fn functions_run_inside_each_other_up_to_a_depth() {
        fn within(depth: &Cell<usize>) {
            nested(|| {
                depth.set(depth.get() + 1);
                within(depth);
                within(&Cell::new(0));
            });
        }
        for _ in 0..3 {
            let depth = Cell::new(0);
            within(&depth);
            assert_eq!(depth.get(), NESTED);
        }
        // One that left by a jump, from here or further down, does not count.
        RUNNING.set([1; NESTED]);
        within(&Cell::new(0));
        assert_eq!(RUNNING.get(), [0; NESTED]);
    }

    #[test]
    fn a_handler_of_another_kind_is_refused() {
        let made = create(Function::Comm(some_function())).unwrap();
        let slot = Slot::new();
        assert_eq!(
            slot.set(Kind::Win, made).unwrap_err().class,
            Class::Errhandler
        );
        for garbage in [MPI_ERRHANDLER_NULL, MPI_Errhandler(0), MPI_Errhandler(-1)] {
            assert_eq!(
                slot.set(Kind::Win, garbage).unwrap_err().class,
                Class::Errhandler
            );
        }
        assert!(matches!(slot.handler(), Handler::Fatal));
        free(made).unwrap();
    }
}
