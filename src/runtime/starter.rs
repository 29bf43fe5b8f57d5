//! Who starts processes for this job: our launcher, if it has started the job; else a helper that it is given when processes are first
//! asked for.
//!
//! The helper is the `mpiexec` of the library's own prefix in a mode of its own ([`WORD`]): it maps the segment, watches the job's
//! processes by the table, and starts and watches others as it does for a job of its own. So processes are started under all
//! launchers, and without any, in the same way, and the launchers need to know nothing of it.
//!
//! The [`Office`](crate::shm::office::Office) in the process table says which process it is, and whose turn it is to start it. It is no child of the program's,
//! which may wait for any child of its own, and is in a session of its own: neither the terminal's keys nor the end of a process
//! group concern it. It ends when none of the job's processes is left. Where it is killed, what it has started is killed with it; a
//! look at the others ([`super::lookout`]) finds that, and says it.
//!
//! The rank hands it descriptors under fixed numbers: the segment, and a pipe by which it says that it is ready, or why it cannot be.

use super::table::{self, Death, Table};
use super::{Waiting, job, launcher, lookout, neighbours, spaces, wait};
use crate::error::Result;
use crate::shm::atomic::Ordering;
use crate::shm::office::{Holder, State};
use crate::shm::segment::segment;
use crate::{bail, err};
use libc::{c_char, c_int, c_void};
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::signal::{SigSet, SigmaskHow, sigprocmask};
use nix::unistd::{pipe2, read};
use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

/// The first word of the helper's command line; the second is the rank that has started it.
pub const WORD: &str = "-starts-for-rank";
/// The helper's descriptors.
pub const SEGMENT: RawFd = 3;
pub const LINE: RawFd = 4;
/// What the helper says first on the line when it holds the office; what begins otherwise is the reason why it does not.
pub const READY: u8 = 0;

/// The process to which orders are given. Blocks until there is one.
///
/// Errors: `MPI_ERR_SPAWN`, if there is none and none can be started.
pub(super) fn find(call: &str) -> Result<Holder> {
    if let Some(launcher) = neighbours::launcher_of_own_world() {
        return Ok(launcher);
    }
    let job = job();
    let office = &job.table.job.starter;
    loop {
        match office.state() {
            State::Held(holder) => return Ok(holder),
            seen @ State::Filling(rank) if job.table.gone(rank).is_none() => {
                let what = || {
                    format!(
                        "{call}: waiting for the launcher's helper, which rank {rank} of the job starts"
                    )
                };
                wait(&Waiting::alone(&what), || {
                    office.state() != seen || job.table.gone(rank).is_some()
                })?;
            }
            seen => {
                if !office.fill(seen, job.rank) {
                    continue;
                }
                if let Err(error) = begin(call) {
                    office.give_up(job.rank);
                    job.table.ring_all();
                    return Err(error);
                }
            }
        }
    }
}

/// Whether the job has somebody who starts processes, or can have.
pub(super) fn can_be_found() -> bool {
    is_there(&job().table)
        || neighbours::launcher_of_own_world().is_some()
        || !launcher::is_privileged() && launcher_here().is_ok_and(|path| path.is_file())
}

/// Whether somebody starts processes for the job.
pub(super) fn is_there(table: &Table) -> bool {
    matches!(table.job.starter.state(), State::Held(_))
}

/// Whether its number is said in this process's name spaces.
pub(super) fn is_known_here(table: &Table) -> bool {
    table.job.starter_spaces.load(Ordering::Relaxed) == spaces::own()
}

/// Makes this process the one that starts others: the launcher that has made the table.
pub(super) fn hold_office(table: &Table) {
    let office = &table.job.starter;
    office.fill(State::Vacant, 0);
    // Nobody else is there yet.
    let _ = take_office(table, 0);
}

/// Makes this process the one that starts others, which `rank` has started for that. False if it is not the turn of `rank` any more.
pub(super) fn take_office(table: &Table, rank: u32) -> bool {
    let taken = table.job.starter.take(rank, neighbours::own());
    if taken {
        let spaces = &table.job.starter_spaces;
        spaces.store(spaces::own(), Ordering::Relaxed);
        table.job.watched.store(1, Ordering::Relaxed);
        table.ring_all();
    }
    taken
}

/// Whether that process has been found gone.
pub(super) fn is_lost(holder: Holder) -> bool {
    !neighbours::is_own_launcher(holder) && job().table.job.starter.state() != State::Held(holder)
}

/// Looks whether the helper is there, if the job has one: part of a look at the others.
pub(super) fn look(table: &Table) {
    let State::Held(holder) = table.job.starter.state() else {
        return;
    };
    let is_gone = || lookout::is_over(holder.process, holder.born);
    if !is_known_here(table) || !is_gone() {
        return;
    }
    // Asked while nobody else can start any.
    let started = started(table, holder);
    if table.job.starter.lose(holder) {
        table.job.starter_spaces.store(0, Ordering::Relaxed);
        bury(table, &started);
        eprintln!(
            "rmashm: the launcher's helper (pid {}), which has started processes for this job, is gone, and they with it",
            holder.process
        );
        table.ring_all();
    }
}

/// The processes that the helper has started and that have not ended, as far as is known.
fn started(table: &Table, helper: Holder) -> Vec<u32> {
    let has_ended = |rank: u32| table.gone(rank).is_some();
    let was_started = |rank: u32| {
        let was_asked_for = table.world(rank).spawner.load(Ordering::Relaxed) != 0;
        was_asked_for && table.launcher(rank) == Some(helper)
    };
    let ranks = 0..table.present().len() as u32;
    ranks
        .filter(|&rank| was_started(rank) && !has_ended(rank))
        .collect()
}

/// They have gone with the helper, also those that had not come to say who they are, whose end no look would find.
fn bury(table: &Table, started: &[u32]) {
    for rank in started.iter().map(|&rank| rank as usize) {
        match table.processes[rank].state() {
            table::State::Joining | table::State::Running => table.bury(rank, Death::Unseen),
            _ => table.retire(rank),
        }
    }
}

/// The launcher of this library's prefix, whether or not it is there: in `bin`, beside the folder that the library is in, or that
/// its folder is in.
fn launcher_here() -> Result<PathBuf> {
    let own = own_file().ok_or_else(|| {
        err!(
            Spawn,
            "it cannot be found out where rmashm's library is, beside which its mpiexec would be"
        )
    })?;
    let prefixes = own.ancestors().skip(2).take(2);
    let mut all = prefixes.map(|prefix| prefix.join("bin/mpiexec"));
    let first = all.next().unwrap_or_default();
    if first.is_file() {
        return Ok(first);
    }
    Ok(all.next().filter(|path| path.is_file()).unwrap_or(first))
}

/// The file that this code was loaded from.
fn own_file() -> Option<PathBuf> {
    let mut place = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: an address of this code, and room for what is said of it; the name is a string of the loader's, which stays.
    let name = unsafe {
        if libc::dladdr(own_file as *const c_void, place.as_mut_ptr()) == 0 {
            return None;
        }
        let name = place.assume_init().dli_fname;
        (!name.is_null()).then(|| CStr::from_ptr(name))?
    };
    Path::new(OsStr::from_bytes(name.to_bytes()))
        .canonicalize()
        .ok()
}

/// Starts the helper, and waits until it holds the office.
fn begin(call: &str) -> Result<()> {
    let rank = job().rank;
    if launcher::is_privileged() {
        bail!(
            Spawn,
            "{call} is not offered to a program with rights that its user has not (set-user-ID, set-group-ID or file capabilities): \
             the environment says what would be started"
        );
    }
    let path = launcher_here()?;
    if !path.is_file() {
        bail!(
            Spawn,
            "{call}: rmashm's mpiexec has not started this job, and is not at {}, from where it would be taken to start processes",
            path.display()
        );
    }
    let shared = segment().fd().ok_or_else(|| {
        err!(
            Spawn,
            "{call}: the descriptor of the job's shared memory was closed, which the launcher's helper would inherit"
        )
    })?;
    let cannot = |errno: Errno| {
        err!(
            Spawn,
            "{call}: {} cannot be started: {}",
            path.display(),
            errno.desc()
        )
    };
    let (reader, writer) = pipe2(OFlag::O_CLOEXEC).map_err(cannot)?;
    let words = [
        c_string(path.as_os_str().as_bytes().to_vec()),
        c_string(WORD.into()),
        c_string(rank.to_string().into()),
    ];
    let environment: Vec<CString> = std::env::vars_os()
        .map(|(name, value)| {
            let entry = [name.as_bytes(), value.as_bytes()].join(&b'=');
            c_string(entry)
        })
        .collect();
    Start {
        path: &words[0],
        words: &pointers(&words),
        environment: &pointers(&environment),
        segment: shared.as_raw_fd(),
        line: writer.as_raw_fd(),
        stack: ptr::null_mut(),
        errno: 0,
    }
    .run()
    .map_err(cannot)?;
    drop(writer);
    let mut said = [0; 1024];
    let len = loop {
        match read(&reader, &mut said) {
            Err(Errno::EINTR) => {}
            heard => break heard.unwrap_or(0),
        }
    };
    match &said[..len] {
        [READY, ..] => Ok(()),
        [] => bail!(
            Spawn,
            "{call}: {} has ended before it could start anything",
            path.display()
        ),
        why => bail!(
            Spawn,
            "{call}: the launcher's helper: {}",
            String::from_utf8_lossy(why)
        ),
    }
}

/// Up to its first zero byte, which neither names nor values of the environment have.
fn c_string(mut bytes: Vec<u8>) -> CString {
    bytes.truncate(
        bytes
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(bytes.len()),
    );
    CString::new(bytes).unwrap_or_default()
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    let all = strings.iter().map(|string| string.as_ptr());
    all.chain([ptr::null()]).collect()
}

/// What the two processes need that become the helper. They borrow this process's memory, so that a large program is not copied:
/// this thread stands still until the second has become the helper, and the first has ended.
struct Start<'a> {
    path: &'a CStr,
    words: &'a [*const c_char],
    environment: &'a [*const c_char],
    segment: RawFd,
    line: RawFd,
    /// The end of the second process's stack.
    stack: *mut c_void,
    /// Why it has failed; 0: it has not.
    errno: c_int,
}

/// Bytes of the stack of each of the two, which call the system and nothing else.
const STACK: usize = 64 << 10;
/// They send no signal when they end, and are not among those that an ordinary `wait` gives.
const BORROWED: c_int = libc::CLONE_VM | libc::CLONE_VFORK;

impl Start<'_> {
    fn run(mut self) -> nix::Result<()> {
        let mut stacks = [(); 2].map(|()| vec![0_u128; STACK / size_of::<u128>()]);
        let ends = stacks.each_mut().map(|stack| stack.as_mut_ptr_range().end);
        self.stack = ends[1].cast();
        // No handler of the program's runs in the two.
        let mut before = SigSet::empty();
        sigprocmask(
            SigmaskHow::SIG_SETMASK,
            Some(&SigSet::all()),
            Some(&mut before),
        )?;
        // SAFETY: the stack is this call's and large enough, and the process is over when the call returns; it changes nothing
        // of the memory that it borrows but `errno` of this value.
        let first = unsafe {
            let start = (&raw mut self).cast();
            libc::clone(leave_family, ends[0].cast(), BORROWED, start)
        };
        let failed = Errno::last();
        if first > 0 {
            // SAFETY: a child of this process that nobody else waits for, as it has no signal.
            while unsafe { libc::waitpid(first, ptr::null_mut(), libc::__WCLONE) } < 0
                && Errno::last() == Errno::EINTR
            {}
        }
        let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&before), None);
        match (first, self.errno) {
            (-1, _) => Err(failed),
            (_, 0) => Ok(()),
            (_, errno) => Err(Errno::from_raw(errno)),
        }
    }
}

/// The first process: its child is nobody's when it ends.
extern "C" fn leave_family(start: *mut c_void) -> c_int {
    // SAFETY: the value is that of the thread that has called `run`, and stands still.
    unsafe {
        let place: *mut Start<'_> = start.cast();
        if libc::clone(become_helper, (*place).stack, BORROWED, start) < 0 {
            (*place).errno = *libc::__errno_location();
        }
    }
    0
}

/// The second process, until it is the helper.
extern "C" fn become_helper(start: *mut c_void) -> c_int {
    // SAFETY: as above; only system calls, whose arrays end in NULL and whose strings are alive.
    unsafe {
        let place: *mut Start<'_> = start.cast();
        libc::setsid();
        // First above the numbers that they are to get: one may be the other's.
        let high = |fd| libc::fcntl(fd, libc::F_DUPFD, LINE + 1);
        let is_at = |from, to| from >= 0 && libc::dup2(from, to) == to;
        let (segment, line) = (high((*place).segment), (*place).line);
        let is_ready = segment >= 0
            && is_at(high(line), LINE)
            && is_at(segment, SEGMENT)
            && is_at(libc::open(c"/dev/null".as_ptr(), libc::O_RDWR), 0);
        if is_ready {
            // What the program has open is none of the helper's business, least of all the ends of its pipes.
            if libc::syscall(libc::SYS_close_range, LINE + 1, c_int::MAX, 0) != 0 {
                (LINE + 1..1024).for_each(|fd| {
                    libc::close(fd);
                });
            }
            libc::execve(
                (*place).path.as_ptr(),
                (*place).words.as_ptr(),
                (*place).environment.as_ptr(),
            );
        }
        (*place).errno = *libc::__errno_location();
    }
    1
}
