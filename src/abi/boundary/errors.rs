//! What becomes of the error of an MPI function: the error handler that the standard assigns gets it, which is that of the
//! first valid communicator, window, session or file among the arguments, else the one of `MPI_COMM_SELF` (MPI 4.1 §9.3).

use super::caller;
use crate::check;
use crate::errhandler::{self, FILES, Handler, initial};
use crate::error::{self, Class, Error, Object};
use crate::mpi::constants::{MPI_ERRORS_ABORT, MPI_ERRORS_RETURN, MPI_FILE_NULL};
use crate::naming;
use crate::p2p::request;
use crate::runtime::phase::{self, Phase};
use crate::{comm, file, runtime, session, win};
use std::borrow::Cow;
use std::ffi::c_int;
use std::io::Write;

/// What an error goes to.
struct Holder {
    handler: Handler,
    object: Object,
    /// "communicator MPI_COMM_WORLD"; empty where the error concerns no object.
    name: String,
}

/// The holder that is meant by `object`; `None` if its handle is not valid.
fn holder_of(object: Object) -> Option<Holder> {
    match object {
        Object::Comm(handle) => {
            let comm = comm::find(handle)?;
            Some(Holder {
                handler: comm.handler.handler(),
                object,
                name: format!("communicator {}", comm.title()),
            })
        }
        Object::File(handle) | Object::EndingFile(handle) => Some(match file::get(handle) {
            Ok(file) => Holder {
                handler: file.handler.handler(),
                object: Object::File(handle),
                name: format!("file {}", file.title()),
            },
            // Errors that concern no open file are MPI_FILE_NULL's (MPI 4.1 §14.7).
            Err(_) => Holder {
                handler: FILES.handler(),
                object: Object::File(MPI_FILE_NULL),
                name: "file MPI_FILE_NULL".into(),
            },
        }),
        Object::Win(handle) | Object::Ending(handle) => {
            let window = win::get(handle).ok()?;
            let name = match &**window.name.lock() {
                b"" => format!("window {:#x}", handle.0),
                name => format!("window {}", naming::printable(name)),
            };
            Some(Holder {
                handler: window.handler.handler(),
                object: Object::Win(handle),
                name,
            })
        }
        Object::Session(handle) => Some(Holder {
            handler: session::get(handle).ok()?.handler.handler(),
            object,
            name: format!("session {:#x}", handle.0),
        }),
        Object::Given(errhandler) => Some(Holder {
            handler: errhandler::of(errhandler)?,
            object,
            name: String::new(),
        }),
        Object::Request(handle) => holder_of(Object::Comm(request::communicator(handle)?)),
    }
}

/// What takes the errors that concern no object: the handler of `MPI_COMM_SELF` (MPI 4.1 §9.3). Until MPI 3.1 it was that
/// of `MPI_COMM_WORLD`: a program that has set the latter's and not the former's is written for that.
fn without_object() -> Option<Holder> {
    let chosen = |handle| comm::find(handle).is_some_and(|comm| comm.handler.is_chosen());
    let meant = match chosen(comm::COMM_WORLD) && !chosen(comm::COMM_SELF) {
        true => comm::COMM_WORLD,
        false => comm::COMM_SELF,
    };
    Some(Holder {
        name: String::new(),
        ..holder_of(Object::Comm(meant))?
    })
}

/// Gives `error` of the MPI function `function` to the error handler of the first object among its arguments.
/// Returns the code for the caller, if the handler returns at all.
///
/// Errors that concern no valid object go to [`without_object`], and before MPI_Init and after MPI_Finalize
/// to the initial one (MPI 4.1 §9.3).
#[cold]
#[inline(never)]
pub fn raise(function: &'static str, error: Error, arguments: &[Option<Object>]) -> c_int {
    if function.starts_with("MPI_T_") {
        // Tools get classes, and call no error handler (MPI 4.1 §15.3.10).
        return match error.class {
            Class::Arg => Class::TInvalid.number(),
            class => class.number(),
        };
    }
    let mut error = out_of_phase(function, error);
    if let Some(told) = caller::sentence(&error.text) {
        error.text = told.into();
    }
    let code = error::register(&error);
    let holder = error
        .object
        .into_iter()
        .chain(arguments.iter().copied().flatten())
        .find_map(holder_of)
        .or_else(without_object);
    if check::is_on() {
        note(code, holder.as_ref());
    }
    let code = handle(function, code, holder);
    match error.object {
        Some(Object::Ending(handle)) => win::lost::lose(handle),
        Some(Object::EndingFile(handle)) => file::end(handle),
        _ => {}
    }
    code
}

/// What a function gives that a tool calls where it must not: no error handler is called, which could do no more.
#[cold]
pub fn barred() -> c_int {
    Class::TNotAccessible.number()
}

/// Where this job is checked, an error that no function of the program's is told is noted, with the line of its call: codes that are
/// returned are often not looked at. (But not each survivor's that ends because another has died, which is told.) MPI forbids that
/// processes differ in what all have to give alike: that is a finding.
#[cold]
fn note(code: c_int, holder: Option<&Holder>) {
    let then = match holder.map(|holder| holder.handler) {
        Some(Handler::Return) => "the call returns the error's code, and goes no further",
        _ if error::class_of(code) == Class::ProcFailed.number() => return,
        Some(Handler::Fatal | Handler::Abort) | None => "the job ends",
        _ => return,
    };
    let class = error::class_of(code);
    let (tell, kind, section): (fn(check::Finding), _, _) = match class {
        class if class == Class::NotSame.number() => {
            (check::tell, "collective mismatch", "MPI 4.1 §9.4")
        }
        _ => (check::note, "error", "MPI 4.1 §9.3"),
    };
    tell(check::Finding {
        kind,
        section,
        text: format!(
            "{}: {}; {then}",
            error::class_name(class),
            naming::printable(&error::text_of(code)),
        ),
    });
}

/// Calls the error handler of `object` with `code`, as `MPI_Comm_call_errhandler` and its kin do.
pub fn call_handler(function: &'static str, object: Object, code: c_int) {
    handle(function, code, holder_of(object));
}

/// Gives the code to be returned, which is the handler's to change.
fn handle(function: &str, code: c_int, holder: Option<Holder>) -> c_int {
    let Some(holder) = holder else {
        return match initial::handle() {
            MPI_ERRORS_RETURN => code,
            MPI_ERRORS_ABORT => end(function, code, None, "MPI_ERRORS_ABORT"),
            _ => end(function, code, None, "MPI_ERRORS_ARE_FATAL"),
        };
    };
    match holder.handler {
        Handler::Return => code,
        Handler::Throw => {
            errhandler::note_to_throw(code);
            code
        }
        Handler::Fatal => end(function, code, Some(holder), "MPI_ERRORS_ARE_FATAL"),
        Handler::Abort => end(function, code, Some(holder), "MPI_ERRORS_ABORT"),
        // SAFETY: the function is what the user gave for objects of this kind (`Slot::set` checks it).
        user => unsafe { user.call_user(holder.object, code) },
    }
}

/// Says what went wrong, in one piece, and ends the job.
///
/// `MPI_ERRORS_ABORT` ends the job too: the processes outside the communicator have lost members of theirs, and MPI 4.1
/// §9.3 leaves their state open.
fn end(function: &str, code: c_int, holder: Option<Holder>, handler: &str) -> ! {
    let rank = match runtime::try_job() {
        Some(job) => format!("rank {} (process {})", job.rank, std::process::id()),
        None => format!("process {}", std::process::id()),
    };
    let object = match holder {
        Some(holder) if !holder.name.is_empty() => format!(" on {}", holder.name),
        _ => String::new(),
    };
    let block = format!(
        "rmashm: {rank}: error in {}{object}\n  {}: {}\n  {handler}: the job ends\n",
        caller::name(function),
        error::class_name(error::class_of(code)),
        naming::printable(&error::text_of(code)),
    );
    // Nothing is left to do for a process that cannot even say why it ends.
    let _ = std::io::stderr().write_all(block.as_bytes());
    let class = error::class_of(code);
    // The number of a class of the program's does not fit in an exit status.
    runtime::abort::abort(Class::of_number(class).unwrap_or(Class::Other) as c_int)
}

/// The error of a call at the wrong time is that, whatever its arguments looked like.
fn out_of_phase(function: &str, error: Error) -> Error {
    if phase::usable() {
        return error;
    }
    let when: Cow<str> = match phase::phase() {
        Phase::Running | Phase::Ending => return error,
        Phase::Before => "before MPI_Init".into(),
        Phase::Starting => "while MPI_Init was not complete".into(),
        Phase::Over => "after MPI_Finalize".into(),
    };
    let name = function.strip_prefix("MPI_").unwrap_or(function);
    let any_time = [
        "Abi_",
        "Init",
        "Final",
        "Info_",
        "Session_",
        "T_",
        "Get_",
        "Error_",
        "Add_error",
        "Remove_error",
    ];
    if any_time.iter().any(|p| name.starts_with(p)) || name.contains("rrhandler") {
        return error;
    }
    Error::new(Class::Other, format!("{function} was called {when}"))
}
