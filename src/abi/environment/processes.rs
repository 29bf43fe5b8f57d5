//! Starting processes, connecting to others, and names for that (MPI 4.1 §11.8-§11.10).

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::collectives::arguments::checked_root;
use crate::coll::Root;
use crate::comm::Hints;
use crate::comm::connect;
use crate::errhandler::initial;
use crate::error::Result;
use crate::info::{Info, kinds};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::runtime::spawn::{self, Program};
use crate::runtime::{names, port};
use crate::{bail, comm, info, mpi_api, runtime};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// A root, which all processes give. Error: `MPI_ERR_ROOT`.
fn root_of(root: c_int, comm: &comm::Comm) -> Result<usize> {
    match checked_root(comm, root)? {
        Root::There(rank) => Ok(rank),
        // In one group there is no other way to be it.
        Root::Here | Root::Elsewhere => Ok(comm.rank),
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
    promises: &mut Hints,
) -> Result<Program> {
    let command = command.string(name)?.to_bytes().to_vec();
    let most = number(most, "maxprocs")? as u32;
    let mut hints = info::hints(hints)?;
    promises.take(&hints)?;
    // It runs where this process is, and from there folders and files are found.
    if let Ok(here) = std::env::current_dir() {
        hints.set(spawn::HERE, here.as_os_str().as_bytes());
    }
    let numbers = match hints.get("soft") {
        None => vec![most],
        Some(soft) => {
            let numbers = spawn::soft(soft, most)?;
            if numbers.is_empty() {
                bail!(
                    Spawn,
                    "the info key soft is \"{soft}\", which allows no number of processes up to maxprocs, which is {most}"
                );
            }
            numbers
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
        most,
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
    programs: impl FnOnce(&mut Hints) -> Result<Vec<Program>>,
    intercomm: Mut<MPI_Comm>,
    errcodes: Mut<c_int>,
    call: &str,
) -> Result<()> {
    let intercomm = intercomm.out("intercomm")?;
    let comm = comm::get_intra(comm)?;
    let root = root_of(root, comm)?;
    let programs = (root == comm.rank).then(|| {
        let mut promises = Hints::default();
        let programs = programs(&mut promises)?;
        if programs.iter().all(|program| program.most == 0) {
            bail!(Arg, "no process is asked for: maxprocs is 0");
        }
        if let Some(place) = programs.iter().position(|one| one.command.is_empty()) {
            let name = match programs.len() {
                1 => "command".to_string(),
                _ => format!("array_of_commands[{place}]"),
            };
            bail!(Arg, "{name} is empty, and names no program");
        }
        Ok((programs, promises))
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
/// The keys of `info` that count are `wdir`, `path`, `host`, `file`, `soft`, `mpi_initial_errhandler` and `mpi_memory_alloc_kinds`. `file`
/// names a file with options of `mpiexec`, written as in one of its `-configfile`, but for number and program; the other keys go
/// before what stands there. What else `info` promises of the intercommunicator, `mpi_assert_memory_alloc_kinds` say, it promises of the
/// root.
///
/// MPI 4.1 §11.8.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_ROOT`, `MPI_ERR_ARG` (null pointer, negative `maxprocs`, no process at all),
/// `MPI_ERR_INFO`, `MPI_ERR_INFO_VALUE` (also where there is no such file, or something is wrong in it), `MPI_ERR_SPAWN` (there is no
/// such program, or no room), `MPI_ERR_NO_MEM`,
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
    let one = |promises: &mut Hints| {
        let arguments = strings(argv)?;
        let one = program(command, arguments, maxprocs, info, "command", promises)?;
        Ok(vec![one])
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
    let all = |promises: &mut Hints| {
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
        let mut one = |at: usize| {
            let arguments = argvs.map_or(Ok(Vec::new()), |argvs| strings(argvs[at]))?;
            program(
                commands[at],
                arguments,
                most[at],
                hints[at],
                "array_of_commands[i]",
                promises,
            )
        };
        (0..count).map(&mut one).collect()
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

/// A string that is a port's or a service's name. Error: `MPI_ERR_ARG` (null pointer, no text).
fn name(name: In<c_char>, what: &str) -> Result<String> {
    match name.string(what)?.to_str() {
        Ok(name) => Ok(name.to_string()),
        Err(_) => bail!(Arg, "{what} is no text"),
    }
}

fn put_port(to: Mut<c_char>, port: &str) -> Result<()> {
    to.put_string(MPI_MAX_PORT_NAME, port, "port_name")
        .map(drop)
}

/// Opens a port, at which other processes can connect: those of this job, and those that it has started. Does not block.
///
/// MPI 4.1 §11.9.2. Errors: `MPI_ERR_INFO`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Open_port(info: MPI_Info, port_name: Mut<c_char>) -> c_int {
    info::hints(info)?;
    port_name.out("port_name")?;
    put_port(port_name, &port::open()?)
}

/// Closes a port. Those that wait at it get `MPI_ERR_PORT`. Does not block.
///
/// MPI 4.1 §11.9.2. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_PORT` (there is none).
#[apply(mpi_api)]
pub extern "C" fn MPI_Close_port(port_name: In<c_char>) -> c_int {
    port::close(&name(port_name, "port_name")?)
}

/// What the root has to do with the others of `comm` at a port; `brought` is asked for at the root.
fn meet<T>(
    comm: MPI_Comm,
    root: c_int,
    info: MPI_Info,
    brought: impl FnOnce(&Info) -> Result<T>,
    newcomm: Mut<MPI_Comm>,
    meet: impl FnOnce(&comm::Comm, usize, Result<Option<(T, Hints)>>) -> Result<MPI_Comm>,
) -> Result<()> {
    let newcomm = newcomm.out("newcomm")?;
    let comm = comm::get_intra(comm)?;
    let root = root_of(root, comm)?;
    let brought = (root == comm.rank).then(|| {
        let info = info::hints(info)?;
        Ok((brought(&info)?, Hints::of(&info)?))
    });
    let brought = brought.transpose();
    newcomm.set(meet(comm, root, brought)?);
    Ok(())
}

/// Makes an intercommunicator with the processes that connect to a port. Collective over `comm`; `port_name` and `info` count at the
/// root only. Blocks until they do; where one of them dies before they are connected, until the next do.
///
/// MPI 4.1 §11.9.2. Errors: `MPI_ERR_COMM` (also: a process is in both groups), `MPI_ERR_ROOT`, `MPI_ERR_ARG` (null pointer),
/// `MPI_ERR_INFO`, `MPI_ERR_PORT` (there is none, or it was closed), `MPI_ERR_NO_MEM`, `MPI_ERR_PROC_FAILED`; with the class of what
/// the root has met, on all processes.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_accept(
    port_name: In<c_char>,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    let brought = |_: &Info| name(port_name, "port_name");
    meet(comm, root, info, brought, newcomm, |comm, root, given| {
        connect::accept(comm, root, given, FUNCTION)
    })
}

/// Makes an intercommunicator with the processes that accept at a port. Collective over `comm`; `port_name` and `info` count at the
/// root only. Blocks until they accept, or for as many seconds as the info key `timeout` says, else as `MPIR_CVAR_CH4_COMM_CONNECT_TIMEOUT`, else 180.
///
/// MPI 4.1 §11.9.3. Errors: as `MPI_Comm_accept`; `MPI_ERR_PROC_FAILED` also of those that accept; `MPI_ERR_INFO_VALUE`; `MPI_ERR_PORT` also where nobody accepts in time.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_connect(
    port_name: In<c_char>,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    let brought = |hints: &Info| {
        let most = match hints.get("timeout") {
            Some(text) => timeout(text)?,
            // MPICH's users have set it for all their programs.
            None => runtime::variable("MPIR_CVAR_CH4_COMM_CONNECT_TIMEOUT")
                .and_then(|text| timeout(&text).ok())
                .unwrap_or(PATIENCE),
        };
        Ok((name(port_name, "port_name")?, most))
    };
    meet(comm, root, info, brought, newcomm, |comm, root, given| {
        connect::connect(comm, root, given, FUNCTION)
    })
}

/// So long a process waits at a port for one that accepts, where the program says nothing. It is MPICH's time.
const PATIENCE: Duration = Duration::from_secs(180);

/// Seconds, perhaps with decimals. Error: `MPI_ERR_INFO_VALUE`.
fn timeout(text: &str) -> Result<Duration> {
    let (seconds, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
    let are_digits = decimals.bytes().all(|byte| byte.is_ascii_digit());
    let nanoseconds = format!("{decimals:0<9}");
    let nanoseconds = nanoseconds.get(..9).and_then(|digits| digits.parse().ok());
    match (seconds.parse(), nanoseconds) {
        (Ok(seconds), Some(nanoseconds)) if are_digits => Ok(Duration::new(seconds, nanoseconds)),
        _ => bail!(
            InfoValue,
            "the info key timeout is \"{text}\", which is no number of seconds"
        ),
    }
}

/// Makes an intercommunicator with the process at the other end of a socket, which calls this too; `MPI_COMM_NULL` where that is
/// of another job. Blocks until it has. What is in the socket before and after is the program's.
///
/// MPI 4.1 §11.10.4. Errors: `MPI_ERR_ARG` (no socket, null pointer), `MPI_ERR_OTHER` (it fails, or the other end says something
/// else), `MPI_ERR_COMM` (it leads to this process), `MPI_ERR_NO_MEM`, `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_join(fd: c_int, intercomm: Mut<MPI_Comm>) -> c_int {
    number(fd, "fd")?;
    let intercomm = intercomm.out("intercomm")?;
    intercomm.set(comm::connect::join(fd, FUNCTION)?);
    Ok(())
}

/// Publishes a port under a name, for the processes of this job, and those that it has started. Does not block.
///
/// MPI 4.1 §11.9.4. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_INFO`, `MPI_ERR_SERVICE` (there is the name), `MPI_ERR_NO_MEM`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Publish_name(
    service_name: In<c_char>,
    info: MPI_Info,
    port_name: In<c_char>,
) -> c_int {
    info::hints(info)?;
    let service = service_name.string("service_name")?;
    let port = name(port_name, "port_name")?;
    if service.is_empty() {
        bail!(Service, "service_name is empty");
    }
    names::publish(service.to_bytes(), &port)
}

/// Takes back a name under which this process has published that port. Does not block.
///
/// MPI 4.1 §11.9.4. Errors: as `MPI_Publish_name`, `MPI_ERR_SERVICE` (it has not, or another port).
#[apply(mpi_api)]
pub extern "C" fn MPI_Unpublish_name(
    service_name: In<c_char>,
    info: MPI_Info,
    port_name: In<c_char>,
) -> c_int {
    info::hints(info)?;
    let port = name(port_name, "port_name")?;
    names::unpublish(service_name.string("service_name")?.to_bytes(), &port)
}

/// Gives the port that is published under a name. Does not block.
///
/// MPI 4.1 §11.9.4. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_INFO`, `MPI_ERR_NAME` (it is not published).
#[apply(mpi_api)]
pub extern "C" fn MPI_Lookup_name(
    service_name: In<c_char>,
    info: MPI_Info,
    port_name: Mut<c_char>,
) -> c_int {
    info::hints(info)?;
    port_name.out("port_name")?;
    let service = service_name.string("service_name")?;
    put_port(port_name, &names::look_up(service.to_bytes())?)
}
