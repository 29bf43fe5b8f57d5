//! What is not offered: starting processes, connecting to other jobs, and names for that (MPI 4.1 §11.8-§11.10).
//!
//! A job here is the processes that one launcher started. These functions check their arguments and then give
//! `MPI_ERR_UNSUPPORTED_OPERATION`: this file is the list of them. `MPI_Comm_get_parent`, which can say that there is none,
//! works.

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, comm, info, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int};

/// The error of all of these.
fn unsupported(call: &str) -> Result<()> {
    bail!(
        UnsupportedOperation,
        "{call} is not offered: a job is the processes that its launcher started"
    )
}

/// What a root checks before the others are asked anything.
fn check_root(root: c_int, comm: MPI_Comm) -> Result<bool> {
    let comm = comm::get_intra(comm)?;
    match usize::try_from(root) {
        Ok(root) if root < comm.size() => Ok(root == comm.rank),
        _ => bail!(
            Root,
            "root is {root}, but the communicator has {} processes",
            comm.size()
        ),
    }
}

/// Would start processes. Not offered.
///
/// MPI 4.1 §11.8.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_ROOT`, `MPI_ERR_ARG` (null pointer, negative `maxprocs`), `MPI_ERR_INFO`,
/// `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_spawn(
    command: In<c_char>,
    argv: Mut<*mut c_char>,
    maxprocs: c_int,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: Mut<MPI_Comm>,
    array_of_errcodes: Mut<c_int>,
) -> c_int {
    let _ = (argv, array_of_errcodes);
    intercomm.out("intercomm")?;
    if check_root(root, comm)? {
        command.string("command")?;
        number(maxprocs, "maxprocs")?;
        info::hints(info)?;
    }
    unsupported(FUNCTION)
}

/// Would start processes of several programs. Not offered.
///
/// MPI 4.1 §11.8.3. Errors: as `MPI_Comm_spawn`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_spawn_multiple(
    count: c_int,
    array_of_commands: Mut<*mut c_char>,
    array_of_argv: Mut<*mut *mut c_char>,
    array_of_maxprocs: In<c_int>,
    array_of_info: In<MPI_Info>,
    root: c_int,
    comm: MPI_Comm,
    intercomm: Mut<MPI_Comm>,
    array_of_errcodes: Mut<c_int>,
) -> c_int {
    let _ = (array_of_argv, array_of_errcodes);
    intercomm.out("intercomm")?;
    if check_root(root, comm)? {
        let count = number(count, "count")?;
        for command in array_of_commands
            .cast::<In<c_char>>()
            .slice(count, "array_of_commands")?
        {
            command.string("array_of_commands[i]")?;
        }
        for &most in array_of_maxprocs.slice(count, "array_of_maxprocs")? {
            number(most, "array_of_maxprocs[i]")?;
        }
        for &hints in array_of_info.handles(count, "array_of_info")?.iter() {
            info::hints(hints)?;
        }
    }
    unsupported(FUNCTION)
}

/// Gives the intercommunicator with the processes that have started this one: `MPI_COMM_NULL`, there are none.
///
/// MPI 4.1 §11.8.2. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_get_parent(parent: Mut<MPI_Comm>) -> c_int {
    parent.out("parent")?.set(MPI_COMM_NULL);
    Ok(())
}

/// Would open a port for other jobs. Not offered.
///
/// MPI 4.1 §11.9.2. Errors: `MPI_ERR_INFO`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Open_port(info: MPI_Info, port_name: Mut<c_char>) -> c_int {
    info::hints(info)?;
    port_name.out("port_name")?;
    unsupported(FUNCTION)
}

/// Would close a port. Not offered, and so there is none.
///
/// MPI 4.1 §11.9.2. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Close_port(port_name: In<c_char>) -> c_int {
    port_name.string("port_name")?;
    unsupported(FUNCTION)
}

fn meet(
    port_name: In<c_char>,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: Mut<MPI_Comm>,
    call: &str,
) -> Result<()> {
    newcomm.out("newcomm")?;
    if check_root(root, comm)? {
        port_name.string("port_name")?;
        info::hints(info)?;
    }
    unsupported(call)
}

/// Would wait for another job to connect. Not offered.
///
/// MPI 4.1 §11.9.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_ROOT`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_INFO`,
/// `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_accept(
    port_name: In<c_char>,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    meet(port_name, info, root, comm, newcomm, FUNCTION)
}

/// Would connect to another job. Not offered.
///
/// MPI 4.1 §11.9.3. Errors: as `MPI_Comm_accept`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_connect(
    port_name: In<c_char>,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    meet(port_name, info, root, comm, newcomm, FUNCTION)
}

/// Would make an intercommunicator of two processes with a socket. Not offered.
///
/// MPI 4.1 §11.10.4. Errors: `MPI_ERR_ARG` (negative descriptor, null pointer), `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_join(fd: c_int, intercomm: Mut<MPI_Comm>) -> c_int {
    number(fd, "fd")?;
    intercomm.out("intercomm")?;
    unsupported(FUNCTION)
}

fn names(
    service_name: In<c_char>,
    info: MPI_Info,
    port_name: In<c_char>,
    call: &str,
) -> Result<()> {
    service_name.string("service_name")?;
    info::hints(info)?;
    port_name.string("port_name")?;
    unsupported(call)
}

/// Would publish a port under a name. Not offered.
///
/// MPI 4.1 §11.9.4. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_INFO`, `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Publish_name(
    service_name: In<c_char>,
    info: MPI_Info,
    port_name: In<c_char>,
) -> c_int {
    names(service_name, info, port_name, FUNCTION)
}

/// Would take a published name back. Not offered.
///
/// MPI 4.1 §11.9.4. Errors: as `MPI_Publish_name`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Unpublish_name(
    service_name: In<c_char>,
    info: MPI_Info,
    port_name: In<c_char>,
) -> c_int {
    names(service_name, info, port_name, FUNCTION)
}

/// Would find the port of a name. Not offered.
///
/// MPI 4.1 §11.9.4. Errors: as `MPI_Publish_name`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Lookup_name(
    service_name: In<c_char>,
    info: MPI_Info,
    port_name: Mut<c_char>,
) -> c_int {
    service_name.string("service_name")?;
    info::hints(info)?;
    port_name.out("port_name")?;
    unsupported(FUNCTION)
}
