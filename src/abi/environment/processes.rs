//! Starting processes, connecting to others, and names for that (MPI 4.1 §11.8-§11.10).
//!
//! Connecting is not offered: those functions check their arguments and then give `MPI_ERR_UNSUPPORTED_OPERATION`.

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::errhandler::initial;
use crate::error::Result;
use crate::info::kinds;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::runtime::spawn::{self, Program};
use crate::{bail, comm, info, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

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
    Ok(root_of(root, comm)? == comm.rank)
}

/// A root, which all processes give. Error: `MPI_ERR_ROOT`.
fn root_of(root: c_int, comm: &comm::Comm) -> Result<usize> {
    match usize::try_from(root) {
        Ok(root) if root < comm.size() => Ok(root),
        _ => bail!(
            Root,
            "root is {root}, but the communicator has {} processes",
            comm.size()
        ),
    }
}

/// The strings up to a null pointer; `argv` may be null itself, for none.
fn strings(argv: Mut<*mut c_char>) -> Result<Vec<Vec<u8>>> {
    let mut strings = Vec::new();
    if argv.is_null() {
        return Ok(strings);
    }
    loop {
        // One more than was looked at: it ends with a null pointer.
        let known = argv.cast::<In<c_char>>().slice(strings.len() + 1, "argv")?;
        let next = known[strings.len()];
        if next.is_null() {
            return Ok(strings);
        }
        strings.push(next.string("argv[i]")?.to_bytes().to_vec());
    }
}

/// A program that is to be started. Errors: `MPI_ERR_ARG`, `MPI_ERR_INFO`, `MPI_ERR_INFO_VALUE`.
fn program(
    command: In<c_char>,
    arguments: Vec<Vec<u8>>,
    most: c_int,
    hints: MPI_Info,
    name: &str,
) -> Result<Program> {
    let command = command.string(name)?.to_bytes().to_vec();
    if command.is_empty() {
        bail!(Arg, "{name} is empty, and names no program");
    }
    let most = number(most, "maxprocs")? as u32;
    let mut hints = info::hints(hints)?;
    // It runs where this process is, and from there a folder is found.
    if let Ok(here) = std::env::current_dir() {
        let folder = OsStr::from_bytes(hints.bytes("wdir").unwrap_or_default());
        hints.set("wdir", here.join(folder).as_os_str().as_bytes());
    }
    let numbers = match hints.get("soft") {
        None => vec![most],
        Some(soft) => {
            let others = spawn::soft(soft, most)?;
            let others = others.into_iter().filter(|&number| number != most);
            [most].into_iter().chain(others).collect()
        }
    };
    if let Some(handler) = hints.get(initial::KEY) {
        initial::check(handler)?;
    }
    if let Some(kinds) = hints.get(kinds::SUPPORTED) {
        kinds::elements(kinds)?;
    }
    Ok(Program {
        command,
        arguments,
        numbers,
        hints: hints
            .iter()
            .map(|(key, value)| (key.to_vec(), value.to_vec()))
            .collect(),
    })
}

/// Starts what the root has asked for, and tells the program what became of it.
fn begin(
    comm: MPI_Comm,
    root: c_int,
    programs: impl FnOnce() -> Result<Vec<Program>>,
    intercomm: Mut<MPI_Comm>,
    errcodes: Mut<c_int>,
    call: &str,
) -> Result<()> {
    let intercomm = intercomm.out("intercomm")?;
    let comm = comm::get_intra(comm)?;
    let root = root_of(root, comm)?;
    let programs = (root == comm.rank).then(|| {
        let programs = programs()?;
        match programs.iter().all(|program| program.numbers[0] == 0) {
            true => bail!(Arg, "no process is asked for: maxprocs is 0"),
            false => Ok(programs),
        }
    });
    let outcome = comm::spawn::start(comm, root, programs.transpose(), call)?;
    if !errcodes.is_null() {
        let code = |&started: &bool| if started { MPI_SUCCESS } else { MPI_ERR_SPAWN };
        let codes: Vec<c_int> = outcome.started.iter().map(code).collect();
        errcodes.fill(&codes, "array_of_errcodes")?;
    }
    let made = outcome.comm;
    intercomm.set(*made.as_ref().unwrap_or(&MPI_COMM_NULL));
    made.map(drop)
}

/// Starts `maxprocs` processes of `command`, which have an MPI_COMM_WORLD of their own, and makes an intercommunicator with them.
/// Collective over `comm`; only the root's arguments before `root` count. Blocks until the new processes have called MPI_Init.
///
/// The keys of `info` that count are `wdir`, `path`, `host`, `soft`, `mpi_initial_errhandler` and `mpi_memory_alloc_kinds`.
///
/// MPI 4.1 §11.8.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_ROOT`, `MPI_ERR_ARG` (null pointer, negative `maxprocs`, no process at all),
/// `MPI_ERR_INFO`, `MPI_ERR_INFO_VALUE`, `MPI_ERR_SPAWN` (there is no such program, or no room), `MPI_ERR_NO_MEM`,
/// `MPI_ERR_PROC_FAILED`; with the class of what the root has met, on all processes.
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
    let one = || {
        Ok(vec![program(
            command,
            strings(argv)?,
            maxprocs,
            info,
            "command",
        )?])
    };
    begin(comm, root, one, intercomm, array_of_errcodes, FUNCTION)
}

/// As `MPI_Comm_spawn`, for processes of several programs, which share an MPI_COMM_WORLD.
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
    let all = || {
        let count = number(count, "count")?;
        let commands = array_of_commands
            .cast::<In<c_char>>()
            .slice(count, "array_of_commands")?;
        let most = array_of_maxprocs.slice(count, "array_of_maxprocs")?;
        let hints = array_of_info.handles(count, "array_of_info")?;
        let argvs = match array_of_argv.is_null() {
            true => None,
            false => Some(
                array_of_argv
                    .cast::<Mut<*mut c_char>>()
                    .slice(count, "array_of_argv")?,
            ),
        };
        let one = |at: usize| {
            let arguments = argvs.map_or(Ok(Vec::new()), |argvs| strings(argvs[at]))?;
            program(
                commands[at],
                arguments,
                most[at],
                hints[at],
                "array_of_commands[i]",
            )
        };
        (0..count).map(one).collect()
    };
    begin(comm, root, all, intercomm, array_of_errcodes, FUNCTION)
}

/// Gives the intercommunicator with the processes that have started this one; `MPI_COMM_NULL` if a user has, or it was freed.
///
/// MPI 4.1 §11.8.2. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_get_parent(parent: Mut<MPI_Comm>) -> c_int {
    parent.out("parent")?.set(comm::spawn::parent());
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
