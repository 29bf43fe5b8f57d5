//! Handles between C and Fortran (MPI 4.1 §19.3.4), and between a handle and its integer (MPI 5.0 §20.4.5, which programs
//! for many versions ask for). Both are the same integer, and nothing is checked: what becomes of a wrong handle is an
//! error of the function that it is given to. Programs of Open MPI have numbers of their own for predefined objects
//! (`src/mpi/constants/fortran.rs`).
//!
//! `mpi.h` has macros of the names in `c2f` and `f2c`, as MPICH's does: a program compiled with them asks no library for
//! these functions. `mpi_abi.h` does not have them any more; programs that were compiled with drafts of it ask for them.

use crate::mpi::types::*;
use crate::mpi_plain;
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// A handle as an integer.
trait Integer {
    fn integer(self) -> c_int;
    fn of_integer(integer: c_int) -> Self;
}

macro_rules! integers {
    ($($kind:ident),* $(,)?) => {$(
        /// The library's own handle.
        #[cfg(not(any(feature = "openmpi", feature = "standard")))]
        impl Integer for $kind {
            #[inline(always)]
            fn integer(self) -> c_int {
                self.0
            }

            #[inline(always)]
            fn of_integer(integer: c_int) -> $kind {
                $kind(integer)
            }
        }

        /// Predefined objects have the numbers of Open MPI's `mpif.h`.
        #[cfg(feature = "openmpi")]
        impl Integer for $kind {
            #[inline]
            fn integer(self) -> c_int {
                crate::mpi::constants::fortran::number_of(&self).unwrap_or(self.0)
            }

            #[inline]
            fn of_integer(integer: c_int) -> $kind {
                crate::mpi::constants::fortran::handle_of(integer).unwrap_or($kind(integer))
            }
        }

        /// Predefined objects have the numbers that C has (MPI 5.0 annex A.1).
        #[cfg(feature = "standard")]
        impl Integer for $kind {
            #[inline(always)]
            fn integer(self) -> c_int {
                self.foreign().addr() as u32 as c_int
            }

            #[inline(always)]
            fn of_integer(integer: c_int) -> $kind {
                $kind::of(std::ptr::without_provenance_mut(integer as u32 as usize))
            }
        }
    )*};
}

integers! {
    MPI_Comm, MPI_Datatype, MPI_Errhandler, MPI_File, MPI_Group, MPI_Info, MPI_Message, MPI_Op, MPI_Request, MPI_Session, MPI_Win,
}

/// The Fortran handle of a communicator.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Comm_c2f(comm: MPI_Comm) -> MPI_Fint {
    comm.integer()
}

/// The communicator of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Comm_f2c(comm: MPI_Fint) -> MPI_Comm {
    MPI_Comm::of_integer(comm)
}

/// The Fortran handle of a datatype.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Type_c2f(datatype: MPI_Datatype) -> MPI_Fint {
    datatype.integer()
}

/// The datatype of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Type_f2c(datatype: MPI_Fint) -> MPI_Datatype {
    MPI_Datatype::of_integer(datatype)
}

/// The Fortran handle of a group.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Group_c2f(group: MPI_Group) -> MPI_Fint {
    group.integer()
}

/// The group of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Group_f2c(group: MPI_Fint) -> MPI_Group {
    MPI_Group::of_integer(group)
}

/// The Fortran handle of an info object.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Info_c2f(info: MPI_Info) -> MPI_Fint {
    info.integer()
}

/// The info object of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Info_f2c(info: MPI_Fint) -> MPI_Info {
    MPI_Info::of_integer(info)
}

/// The Fortran handle of a request.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Request_c2f(request: MPI_Request) -> MPI_Fint {
    request.integer()
}

/// The request of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Request_f2c(request: MPI_Fint) -> MPI_Request {
    MPI_Request::of_integer(request)
}

/// The Fortran handle of a reduction operation.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Op_c2f(op: MPI_Op) -> MPI_Fint {
    op.integer()
}

/// The reduction operation of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Op_f2c(op: MPI_Fint) -> MPI_Op {
    MPI_Op::of_integer(op)
}

/// The Fortran handle of an error handler.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Errhandler_c2f(errhandler: MPI_Errhandler) -> MPI_Fint {
    errhandler.integer()
}

/// The error handler of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Errhandler_f2c(errhandler: MPI_Fint) -> MPI_Errhandler {
    MPI_Errhandler::of_integer(errhandler)
}

/// The Fortran handle of a window.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Win_c2f(win: MPI_Win) -> MPI_Fint {
    win.integer()
}

/// The window of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Win_f2c(win: MPI_Fint) -> MPI_Win {
    MPI_Win::of_integer(win)
}

/// The Fortran handle of a message.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Message_c2f(message: MPI_Message) -> MPI_Fint {
    message.integer()
}

/// The message of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Message_f2c(message: MPI_Fint) -> MPI_Message {
    MPI_Message::of_integer(message)
}

/// The Fortran handle of a session.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Session_c2f(session: MPI_Session) -> MPI_Fint {
    session.integer()
}

/// The session of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Session_f2c(session: MPI_Fint) -> MPI_Session {
    MPI_Session::of_integer(session)
}

/// The Fortran handle of a file.
#[apply(mpi_plain)]
pub extern "C" fn MPI_File_c2f(file: MPI_File) -> MPI_Fint {
    file.integer()
}

/// The file of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_File_f2c(file: MPI_Fint) -> MPI_File {
    MPI_File::of_integer(file)
}

/// The integer of a communicator.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Comm_toint(comm: MPI_Comm) -> c_int {
    comm.integer()
}

/// The communicator of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Comm_fromint(comm: c_int) -> MPI_Comm {
    MPI_Comm::of_integer(comm)
}

/// The integer of an error handler.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Errhandler_toint(errhandler: MPI_Errhandler) -> c_int {
    errhandler.integer()
}

/// The error handler of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Errhandler_fromint(errhandler: c_int) -> MPI_Errhandler {
    MPI_Errhandler::of_integer(errhandler)
}

/// The integer of a group.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Group_toint(group: MPI_Group) -> c_int {
    group.integer()
}

/// The group of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Group_fromint(group: c_int) -> MPI_Group {
    MPI_Group::of_integer(group)
}

/// The integer of an info object.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Info_toint(info: MPI_Info) -> c_int {
    info.integer()
}

/// The info object of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Info_fromint(info: c_int) -> MPI_Info {
    MPI_Info::of_integer(info)
}

/// The integer of a message.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Message_toint(message: MPI_Message) -> c_int {
    message.integer()
}

/// The message of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Message_fromint(message: c_int) -> MPI_Message {
    MPI_Message::of_integer(message)
}

/// The integer of a reduction operation.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Op_toint(op: MPI_Op) -> c_int {
    op.integer()
}

/// The reduction operation of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Op_fromint(op: c_int) -> MPI_Op {
    MPI_Op::of_integer(op)
}

/// The integer of a request.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Request_toint(request: MPI_Request) -> c_int {
    request.integer()
}

/// The request of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Request_fromint(request: c_int) -> MPI_Request {
    MPI_Request::of_integer(request)
}

/// The integer of a session.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Session_toint(session: MPI_Session) -> c_int {
    session.integer()
}

/// The session of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Session_fromint(session: c_int) -> MPI_Session {
    MPI_Session::of_integer(session)
}

/// The integer of a datatype.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Type_toint(datatype: MPI_Datatype) -> c_int {
    datatype.integer()
}

/// The datatype of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Type_fromint(datatype: c_int) -> MPI_Datatype {
    MPI_Datatype::of_integer(datatype)
}

/// The integer of a window.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Win_toint(win: MPI_Win) -> c_int {
    win.integer()
}

/// The window of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Win_fromint(win: c_int) -> MPI_Win {
    MPI_Win::of_integer(win)
}

/// The integer of a file.
#[apply(mpi_plain)]
pub extern "C" fn MPI_File_toint(file: MPI_File) -> c_int {
    file.integer()
}

/// The file of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_File_fromint(file: c_int) -> MPI_File {
    MPI_File::of_integer(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::constants::*;

    #[test]
    fn handles_survive_the_way_to_integers_and_back() {
        for comm in [
            MPI_COMM_WORLD,
            MPI_COMM_NULL,
            MPI_Comm(0x8400_0007_u32 as c_int),
        ] {
            assert_eq!(MPI_Comm::of_integer(comm.integer()), comm);
        }
        for file in [MPI_FILE_NULL, MPI_File(0x9000_0003_u32 as c_int)] {
            assert_eq!(MPI_File::of_integer(file.integer()), file);
        }
        let number = match () {
            () if cfg!(feature = "standard") => 0x229,
            () if cfg!(feature = "openmpi") => 49,
            () => 0x8c00_0001_u32 as c_int,
        };
        assert_eq!(MPI_DOUBLE_INT.integer(), number);
    }
}
