//! PMIx: a manager that is asked by calls of its own library, [`Library`].
//!
//! The library has a thread for its connection. It is made with all signals blocked, so that handlers of the program run in the
//! program's threads. The end of the manager is an event to that thread, which then ends this process.
//!
//! Where the library cannot be loaded a job of several ranks cannot be. One that has one rank only, as the launcher's variables
//! tell, needs nobody.

use super::super::launcher::variable;
use super::library::{Data, Handled, Handler, Info, Library, Proc, Value};
use crate::err;
use crate::error::Result;
use libc::{c_char, c_int, c_void, size_t};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, bind, socket};
use nix::unistd::Pid;
use std::ffi::{CStr, CString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is asked of a job, not of one of its processes.
const RANK_WILDCARD: u32 = u32::MAX - 1;
const JOB_SIZE: &CStr = c"pmix.job.size";
const APPNUM: &CStr = c"pmix.appnum";
/// A fence is to bring what was put.
const COLLECT_DATA: &CStr = c"pmix.collect";
/// Processes on this machine and on others may get it.
const GLOBAL: u8 = 3;
const LOST_CONNECTION: c_int = -61;
/// An event was handled, and no other handler needs to be called.
const ACTION_COMPLETE: c_int = -334;

const BOOL: u16 = 1;
const STRING: u16 = 3;
const SIZE: u16 = 4;
const INT: u16 = 6;
const INT32: u16 = 9;
const UINT: u16 = 11;
const UINT16: u16 = 13;
const UINT32: u16 = 14;

/// The connection is wanted: its loss ends this process.
static IS_TIED: AtomicBool = AtomicBool::new(false);

/// This process as a client of the PMIx server.
pub(super) struct Client {
    library: Library,
    me: Proc,
    /// That this process is the rank; until it has finalized.
    claim: Option<OwnedFd>,
}

impl Client {
    /// Connects to the server, and gives the rank and the number of ranks. `None` if the library is not there, and this process
    /// is alone in its job. Blocks until the server has answered.
    pub fn connect() -> Result<Option<(Client, u32, u32)>> {
        let library = match Library::load() {
            Ok(library) => library,
            Err(_) if is_told_to_be_alone() => return Ok(None),
            Err(error) => {
                let job = variable("PMIX_NAMESPACE").unwrap_or_default();
                return Err(err!(
                    Other,
                    "started by a PMIx launcher (PMIX_NAMESPACE is {job}), but the library by which its processes find each \
                     other cannot be loaded: {}. Install it (Debian: libpmix2), or put the folder of the launcher's own \
                     libpmix.so.2 into LD_LIBRARY_PATH, or start the program with rmashm's own mpiexec",
                    error.text
                ));
            }
        };
        let mut client = Client {
            library,
            claim: Some(claim()?),
            me: Proc {
                nspace: [0; 256],
                rank: 0,
            },
        };
        client.begin()?;
        let job = Proc {
            rank: RANK_WILDCARD,
            ..client.me.clone()
        };
        let ranks = client.number(&job, JOB_SIZE)?;
        let rank = client.me.rank;
        Ok(Some((client, rank, ranks)))
    }

    fn begin(&mut self) -> Result<()> {
        let former = SigSet::all().thread_swap_mask(nix::sys::signal::SigmaskHow::SIG_SETMASK);
        // SAFETY: the place is that of one process's name; nothing else is said.
        let status = unsafe { (self.library.init)(&mut self.me, null_mut(), 0) };
        if let Ok(former) = former {
            let _ = former.thread_set_mask();
        }
        self.judge("PMIx_Init", status)
    }

    /// An error, if a call has failed.
    fn judge(&self, call: &str, status: c_int) -> Result<()> {
        match status {
            0 => Ok(()),
            _ => Err(err!(
                Other,
                "the process manager (PMIx): {call} failed: {} (called of {})",
                self.library.words(status),
                self.library.path.display()
            )),
        }
    }

    /// From now on this process ends when the server's connection is lost.
    pub fn end_with_server(&self) {
        IS_TIED.store(true, Ordering::Relaxed);
        let mut codes = [LOST_CONNECTION];
        // Without it this process lives on when the manager has gone, as after MPI_Finalize.
        // SAFETY: the codes are read during the call; the handler stays, as this library does once it is told of exits.
        let _ = unsafe {
            (self.library.register)(
                codes.as_mut_ptr(),
                1,
                null_mut(),
                0,
                on_loss,
                null_mut(),
                null_mut(),
            )
        };
    }

    /// Puts a string, which the next fence brings to the others.
    pub fn put(&mut self, key: &str, value: &str) -> Result<()> {
        let text = |text: &str| CString::new(text).map_err(|e| err!(Other, "PMIx: {e}"));
        let (key, value) = (text(key)?, text(value)?);
        let mut value = Value {
            kind: STRING,
            data: Data {
                string: value.as_ptr().cast_mut(),
            },
        };
        // SAFETY: the library copies key and value.
        let status = unsafe { (self.library.put)(GLOBAL, key.as_ptr(), &mut value) };
        self.judge("PMIx_Put", status)?;
        // SAFETY: a call without arguments.
        let status = unsafe { (self.library.commit)() };
        self.judge("PMIx_Commit", status)
    }

    /// A string of rank 0's.
    pub fn get(&mut self, key: &str) -> Result<String> {
        let key = CString::new(key).map_err(|e| err!(Other, "PMIx: {e}"))?;
        let zero = Proc {
            rank: 0,
            ..self.me.clone()
        };
        let value = self.value(&zero, &key)?;
        value
            .string()
            .ok_or_else(|| self.not_that(&key, &value, "a string"))
    }

    pub fn fence(&mut self) -> Result<()> {
        let mut collect = Info {
            key: [0; 512],
            flags: 0,
            value: Value {
                kind: BOOL,
                data: Data { flag: true },
            },
        };
        for (place, byte) in collect.key.iter_mut().zip(COLLECT_DATA.to_bytes()) {
            *place = *byte as c_char;
        }
        // SAFETY: no processes are all of the job, and one thing is said.
        let status = unsafe { (self.library.fence)(null(), 0, &collect, 1) };
        self.judge("PMIx_Fence", status)
    }

    pub fn appnum(&mut self) -> Option<i32> {
        let number = self.number(&self.me, APPNUM).ok()?;
        i32::try_from(number).ok()
    }

    pub fn finalize(&mut self) {
        IS_TIED.store(false, Ordering::Relaxed);
        // SAFETY: nothing is said.
        unsafe { (self.library.finalize)(null(), 0) };
        self.claim = None;
    }

    pub fn abort(&mut self, status: i32) {
        // The process ends with its own status, not by the manager's end.
        IS_TIED.store(false, Ordering::Relaxed);
        // SAFETY: a string of C; no processes are all of the job.
        unsafe { (self.library.abort)(status, c"MPI_Abort".as_ptr(), null_mut(), 0) };
    }

    /// What is known of a process under a key.
    fn value(&self, process: &Proc, key: &CStr) -> Result<Answer> {
        let mut value = null_mut();
        // SAFETY: the value's place is written, or not, before the call returns.
        let status = unsafe { (self.library.get)(process, key.as_ptr(), null(), 0, &mut value) };
        self.judge(&format!("PMIx_Get of {}", key.to_string_lossy()), status)?;
        match value.is_null() {
            false => Ok(Answer(value)),
            true => Err(err!(
                Other,
                "the process manager (PMIx): PMIx_Get of {} gave no value (called of {})",
                key.to_string_lossy(),
                self.library.path.display()
            )),
        }
    }

    fn number(&self, process: &Proc, key: &CStr) -> Result<u32> {
        let value = self.value(process, key)?;
        value
            .number()
            .ok_or_else(|| self.not_that(key, &value, "a number"))
    }

    fn not_that(&self, key: &CStr, value: &Answer, wanted: &str) -> crate::error::Error {
        err!(
            Other,
            "the process manager (PMIx): {} is of type {}, not {wanted} (by {})",
            key.to_string_lossy(),
            value.get().kind,
            self.library.path.display()
        )
    }
}

/// A value that the library has allocated; ours from then on.
struct Answer(*mut Value);

impl Answer {
    fn get(&self) -> &Value {
        // SAFETY: not null, and nobody else has it.
        unsafe { &*self.0 }
    }

    fn string(&self) -> Option<String> {
        let value = self.get();
        if value.kind != STRING {
            return None;
        }
        // SAFETY: the type is the string's, and it is one of C where it is not null.
        unsafe {
            let string = value.data.string;
            (!string.is_null()).then(|| CStr::from_ptr(string).to_string_lossy().into_owned())
        }
    }

    fn number(&self) -> Option<u32> {
        let data = &self.get().data;
        // SAFETY: the type says which it is.
        unsafe {
            match self.get().kind {
                UINT32 | UINT => Some(data.uint32),
                UINT16 => Some(data.uint16.into()),
                INT | INT32 => u32::try_from(data.integer).ok(),
                SIZE => u32::try_from(data.size).ok(),
                _ => None,
            }
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // SAFETY: the library has allocated both by malloc, and gave them away.
        unsafe {
            if self.get().kind == STRING {
                libc::free(self.get().data.string.cast());
            }
            libc::free(self.0.cast());
        }
    }
}

/// In the library's thread: the server's connection is lost.
extern "C" fn on_loss(
    _: size_t,
    _: c_int,
    _: *const Proc,
    _: *mut Info,
    _: size_t,
    _: *mut Info,
    _: size_t,
    handled: Option<Handled>,
    data: *mut c_void,
) {
    if IS_TIED.load(Ordering::Relaxed) {
        let _ = kill(Pid::this(), Signal::SIGKILL);
    }
    if let Some(handled) = handled {
        handled(ACTION_COMPLETE, null_mut(), 0, null_mut(), null_mut(), data);
    }
}
const _: Handler = on_loss;

/// Makes this process the rank. What a rank starts inherits the variables by which it would take itself for that rank, too, and
/// wait for the others for ever. So the rank keeps a name, that of a socket in the abstract name space, which goes with it.
fn claim() -> Result<OwnedFd> {
    let mut place = DefaultHasher::new();
    nix::unistd::getuid().as_raw().hash(&mut place);
    for name in ["PMIX_NAMESPACE", "PMIX_RANK", "PMIX_SERVER_URI2"] {
        variable(name).hash(&mut place);
    }
    let name = format!("rmashm-rank-{:016x}", place.finish());
    let failed = |e: nix::Error| match e {
        nix::Error::EADDRINUSE => err!(
            Other,
            "this rank runs an MPI program already, which has started this one: one launcher runs one MPI program per rank"
        ),
        e => err!(Other, "no Unix socket to claim the rank by: {e}"),
    };
    let flags = SockFlag::SOCK_CLOEXEC;
    let socket = socket(AddressFamily::Unix, SockType::Datagram, flags, None).map_err(failed)?;
    let address = UnixAddr::new_abstract(name.as_bytes()).map_err(failed)?;
    bind(socket.as_raw_fd(), &address).map_err(failed)?;
    Ok(socket)
}

/// Whether the launcher's variables say that the job has this rank only.
fn is_told_to_be_alone() -> bool {
    let sizes = ["OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"];
    sizes
        .iter()
        .any(|name| variable(name).as_deref() == Some("1"))
}
