//! What is not offered: starting processes, connecting to other jobs, and names for that (MPI 4.1 §11.8-§11.10).
//!
//! A job here is the processes that one launcher started. These functions check their arguments and then give
//! `MPI_ERR_UNSUPPORTED_OPERATION`: this file is the list of them. `MPI_Comm_get_parent`, which can say that there is none,
//! works.

use crate::abi::boundary::arguments::{number, out, slice, string};
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
pub unsafe extern "C" fn MPI_Comm_spawn(
    command: *const c_char,
    argv: *mut *mut c_char,
    maxprocs: c_int,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: *mut MPI_Comm,
    array_of_errcodes: *mut c_int,
) -> c_int {
    let _ = (argv, array_of_errcodes);
    // SAFETY: what is not null is a place for a handle; the command is the root's alone.
    unsafe {
        out(intercomm, "intercomm")?;
        if check_root(root, comm)? {
            string(command, "command")?;
            number(maxprocs, "maxprocs")?;
            info::hints(info)?;
        }
    }
    unsupported(FUNCTION)
}

/// Would start processes of several programs. Not offered.
///
/// MPI 4.1 §11.8.3. Errors: as `MPI_Comm_spawn`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Comm_spawn_multiple(
    count: c_int,
    array_of_commands: *mut *mut c_char,
    array_of_argv: *mut *mut *mut c_char,
    array_of_maxprocs: *const c_int,
    array_of_info: *const MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: *mut MPI_Comm,
    array_of_errcodes: *mut c_int,
) -> c_int {
    let _ = (array_of_argv, array_of_errcodes);
    // SAFETY: what is not null is a place for a handle; the arrays have `count` elements and are the root's alone.
    unsafe {
        out(intercomm, "intercomm")?;
        if check_root(root, comm)? {
            let count = number(count, "count")?;
            for &command in slice(array_of_commands.cast_const(), count, "array_of_commands")? {
                string(command, "array_of_commands[i]")?;
            }
            for &most in slice(array_of_maxprocs, count, "array_of_maxprocs")? {
                number(most, "array_of_maxprocs[i]")?;
            }
            for &hints in slice(array_of_info, count, "array_of_info")? {
                info::hints(hints)?;
            }
        }
    }
    unsupported(FUNCTION)
}

/// Gives the intercommunicator with the processes that have started this one: `MPI_COMM_NULL`, there are none.
///
/// MPI 4.1 §11.8.2. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Comm_get_parent(parent: *mut MPI_Comm) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    unsafe { out(parent, "parent")? }.set(MPI_COMM_NULL);
    Ok(())
}

/// Would open a port for other jobs. Not offered.
///
/// MPI 4.1 §11.9.2. Errors: `MPI_ERR_INFO`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Open_port(info: MPI_Info, port_name: *mut c_char) -> c_int {
    info::hints(info)?;
    // SAFETY: what is not null is an array.
    unsafe { out(port_name, "port_name")? };
    unsupported(FUNCTION)
}

/// Would close a port. Not offered, and so there is none.
///
/// MPI 4.1 §11.9.2. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Close_port(port_name: *const c_char) -> c_int {
    // SAFETY: what is not null is a string.
    unsafe { string(port_name, "port_name")? };
    unsupported(FUNCTION)
}

/// # Safety
/// What is not null is a string, and a place for a handle.
unsafe fn meet(
    port_name: *const c_char,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
    call: &str,
) -> Result<()> {
    // SAFETY: the same contract; the port is the root's alone.
    unsafe {
        out(newcomm, "newcomm")?;
        if check_root(root, comm)? {
            string(port_name, "port_name")?;
            info::hints(info)?;
        }
    }
    unsupported(call)
}

/// Would wait for another job to connect. Not offered.
///
/// MPI 4.1 §11.9.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_ROOT`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_INFO`,
/// `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Comm_accept(
    port_name: *const c_char,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
) -> c_int {
    // SAFETY: the same contract.
    unsafe { meet(port_name, info, root, comm, newcomm, FUNCTION) }
}

/// Would connect to another job. Not offered.
///
/// MPI 4.1 §11.9.3. Errors: as `MPI_Comm_accept`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Comm_connect(
    port_name: *const c_char,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
) -> c_int {
    // SAFETY: the same contract.
    unsafe { meet(port_name, info, root, comm, newcomm, FUNCTION) }
}

/// Would make an intercommunicator of two processes with a socket. Not offered.
///
/// MPI 4.1 §11.10.4. Errors: `MPI_ERR_ARG` (negative descriptor, null pointer), `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Comm_join(fd: c_int, intercomm: *mut MPI_Comm) -> c_int {
    number(fd, "fd")?;
    // SAFETY: what is not null is a place for a handle.
    unsafe { out(intercomm, "intercomm")? };
    unsupported(FUNCTION)
}

/// # Safety
/// What is not null are strings.
unsafe fn names(
    service_name: *const c_char,
    info: MPI_Info,
    port_name: *const c_char,
    call: &str,
) -> Result<()> {
    // SAFETY: the same contract.
    unsafe {
        string(service_name, "service_name")?;
        info::hints(info)?;
        string(port_name, "port_name")?;
    }
    unsupported(call)
}

/// Would publish a port under a name. Not offered.
///
/// MPI 4.1 §11.9.4. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_INFO`, `MPI_ERR_UNSUPPORTED_OPERATION`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Publish_name(
    service_name: *const c_char,
    info: MPI_Info,
    port_name: *const c_char,
) -> c_int {
    // SAFETY: the same contract.
    unsafe { names(service_name, info, port_name, FUNCTION) }
}

/// Would take a published name back. Not offered.
///
/// MPI 4.1 §11.9.4. Errors: as `MPI_Publish_name`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Unpublish_name(
    service_name: *const c_char,
    info: MPI_Info,
    port_name: *const c_char,
) -> c_int {
    // SAFETY: the same contract.
    unsafe { names(service_name, info, port_name, FUNCTION) }
}

/// Would find the port of a name. Not offered.
///
/// MPI 4.1 §11.9.4. Errors: as `MPI_Publish_name`.
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Lookup_name(
    service_name: *const c_char,
    info: MPI_Info,
    port_name: *mut c_char,
) -> c_int {
    // SAFETY: what is not null is a string, and an array.
    unsafe {
        string(service_name, "service_name")?;
        info::hints(info)?;
        out(port_name, "port_name")?;
    }
    unsupported(FUNCTION)
}
