//! The C types of `mpi.h`: handles, integers, `MPI_Status`.

use std::ffi::c_int;

/// An address or a byte displacement.
pub type MPI_Aint = isize;
/// Large counts.
pub type MPI_Count = i64;
/// File offsets.
pub type MPI_Offset = i64;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub c_int);
    )*};
}

handles! {
    /// A communicator.
    MPI_Comm;
    /// A window.
    MPI_Win;
    /// A group of processes.
    MPI_Group;
    /// A datatype.
    MPI_Datatype;
    /// A reduction operation.
    MPI_Op;
    /// An info object.
    MPI_Info;
    /// A request.
    MPI_Request;
    /// An error handler.
    MPI_Errhandler;
    /// A matched message.
    MPI_Message;
    /// A session.
    MPI_Session;
}
