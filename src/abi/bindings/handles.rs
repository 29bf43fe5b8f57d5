//! Handles between C and Fortran (MPI 4.1 §19.3.4), and between a handle and its integer (MPI 5.0 §20.3, which programs
//! for many versions ask for). All are the same integer, so nothing is checked: what becomes of a wrong handle is an
//! error of the function that it is given to.
//!
//! `mpi.h` has macros of the names in `c2f` and `f2c`, as MPICH's does: a program compiled with them asks no library for
//! these functions.

use crate::mpi::types::*;
use crate::mpi_plain;
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// The Fortran handle of a communicator.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Comm_c2f(comm: MPI_Comm) -> MPI_Fint {
    comm.0
}

/// The communicator of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Comm_f2c(comm: MPI_Fint) -> MPI_Comm {
    MPI_Comm(comm)
}

/// The Fortran handle of a datatype.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Type_c2f(datatype: MPI_Datatype) -> MPI_Fint {
    datatype.0
}

/// The datatype of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Type_f2c(datatype: MPI_Fint) -> MPI_Datatype {
    MPI_Datatype(datatype)
}

/// The Fortran handle of a group.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Group_c2f(group: MPI_Group) -> MPI_Fint {
    group.0
}

/// The group of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Group_f2c(group: MPI_Fint) -> MPI_Group {
    MPI_Group(group)
}

/// The Fortran handle of a info object.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Info_c2f(info: MPI_Info) -> MPI_Fint {
    info.0
}

/// The info object of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Info_f2c(info: MPI_Fint) -> MPI_Info {
    MPI_Info(info)
}

/// The Fortran handle of a request.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Request_c2f(request: MPI_Request) -> MPI_Fint {
    request.0
}

/// The request of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Request_f2c(request: MPI_Fint) -> MPI_Request {
    MPI_Request(request)
}

/// The Fortran handle of a reduction operation.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Op_c2f(op: MPI_Op) -> MPI_Fint {
    op.0
}

/// The reduction operation of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Op_f2c(op: MPI_Fint) -> MPI_Op {
    MPI_Op(op)
}

/// The Fortran handle of a error handler.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Errhandler_c2f(errhandler: MPI_Errhandler) -> MPI_Fint {
    errhandler.0
}

/// The error handler of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Errhandler_f2c(errhandler: MPI_Fint) -> MPI_Errhandler {
    MPI_Errhandler(errhandler)
}

/// The Fortran handle of a window.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Win_c2f(win: MPI_Win) -> MPI_Fint {
    win.0
}

/// The window of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Win_f2c(win: MPI_Fint) -> MPI_Win {
    MPI_Win(win)
}

/// The Fortran handle of a message.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Message_c2f(message: MPI_Message) -> MPI_Fint {
    message.0
}

/// The message of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Message_f2c(message: MPI_Fint) -> MPI_Message {
    MPI_Message(message)
}

/// The Fortran handle of a session.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Session_c2f(session: MPI_Session) -> MPI_Fint {
    session.0
}

/// The session of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Session_f2c(session: MPI_Fint) -> MPI_Session {
    MPI_Session(session)
}

/// The Fortran handle of a file.
#[apply(mpi_plain)]
pub extern "C" fn MPI_File_c2f(file: MPI_File) -> MPI_Fint {
    file.0
}

/// The file of a Fortran handle.
#[apply(mpi_plain)]
pub extern "C" fn MPI_File_f2c(file: MPI_Fint) -> MPI_File {
    MPI_File(file)
}

/// The integer of a communicator.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Comm_toint(comm: MPI_Comm) -> c_int {
    comm.0
}

/// The communicator of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Comm_fromint(comm: c_int) -> MPI_Comm {
    MPI_Comm(comm)
}

/// The integer of an error handler.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Errhandler_toint(errhandler: MPI_Errhandler) -> c_int {
    errhandler.0
}

/// The error handler of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Errhandler_fromint(errhandler: c_int) -> MPI_Errhandler {
    MPI_Errhandler(errhandler)
}

/// The integer of a group.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Group_toint(group: MPI_Group) -> c_int {
    group.0
}

/// The group of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Group_fromint(group: c_int) -> MPI_Group {
    MPI_Group(group)
}

/// The integer of an info object.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Info_toint(info: MPI_Info) -> c_int {
    info.0
}

/// The info object of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Info_fromint(info: c_int) -> MPI_Info {
    MPI_Info(info)
}

/// The integer of a message.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Message_toint(message: MPI_Message) -> c_int {
    message.0
}

/// The message of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Message_fromint(message: c_int) -> MPI_Message {
    MPI_Message(message)
}

/// The integer of a reduction operation.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Op_toint(op: MPI_Op) -> c_int {
    op.0
}

/// The reduction operation of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Op_fromint(op: c_int) -> MPI_Op {
    MPI_Op(op)
}

/// The integer of a request.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Request_toint(request: MPI_Request) -> c_int {
    request.0
}

/// The request of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Request_fromint(request: c_int) -> MPI_Request {
    MPI_Request(request)
}

/// The integer of a session.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Session_toint(session: MPI_Session) -> c_int {
    session.0
}

/// The session of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Session_fromint(session: c_int) -> MPI_Session {
    MPI_Session(session)
}

/// The integer of a datatype.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Type_toint(datatype: MPI_Datatype) -> c_int {
    datatype.0
}

/// The datatype of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Type_fromint(datatype: c_int) -> MPI_Datatype {
    MPI_Datatype(datatype)
}

/// The integer of a window.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Win_toint(win: MPI_Win) -> c_int {
    win.0
}

/// The window of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Win_fromint(win: c_int) -> MPI_Win {
    MPI_Win(win)
}

/// The integer of a file.
#[apply(mpi_plain)]
pub extern "C" fn MPI_File_toint(file: MPI_File) -> c_int {
    file.0
}

/// The file of an integer.
#[apply(mpi_plain)]
pub extern "C" fn MPI_File_fromint(file: c_int) -> MPI_File {
    MPI_File(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::constants::*;

    #[test]
    fn handles_survive_the_way_to_integers_and_back() {
        assert_eq!(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)), MPI_COMM_WORLD);
        assert_eq!(MPI_Type_c2f(MPI_DOUBLE_INT), 0x8c000001_u32 as MPI_Fint);
        assert_eq!(MPI_Type_fromint(MPI_Type_toint(MPI_INT)), MPI_INT);
        assert_eq!(MPI_File_c2f(MPI_FILE_NULL.foreign()), 0);
        let file = MPI_File_f2c(0x9000_0003_u32 as MPI_Fint);
        assert_eq!(file.addr(), 0x9000_0003);
        assert_eq!(MPI_File_c2f(file), 0x9000_0003_u32 as MPI_Fint);
    }
}
