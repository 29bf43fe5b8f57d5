//! The keeper: a small process that outlives a launcher killed with SIGKILL, and ends what is left of its ranks.
//!
//! What the launcher has started itself dies with it (`PR_SET_PDEATHSIG`), but what that has started in turn (the program in
//! `sh -c './a.out; ...'`) does not. The keeper holds the reading end of a pipe whose writing end only the launcher
//! has; at its end of file it kills the ranks' process groups, and every process that still carries the job's name
//! in its environment. It is cloned without an exit signal, so that an ordinary `waitpid` does not see it.

use std::io;
use std::num::NonZeroUsize;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::{c_int, pid_t};
use nix::errno::Errno;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, killpg, sigprocmask};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

/// The variable that carries the job's name.
pub const JOB_VARIABLE: &str = "RMASHM_JOB";
/// What the keeper is called in process lists; at most 15 bytes. It differs from `mpiexec` so that `killall -9
/// mpiexec` leaves it to do its work.
const NAME: &std::ffi::CStr = c"rmashm-keeper";

/// The process ids of all ranks, in memory shared by launcher, ranks (until they exec) and keeper.
///
/// A rank enters itself before its exec, so that no instant is left in which the launcher's death would miss it.
pub struct Roster {
    pids: NonNull<AtomicI32>,
    ranks: usize,
}

impl Roster {
    pub fn new(ranks: u32) -> io::Result<Roster> {
        let ranks = ranks as usize;
        let bytes = NonZeroUsize::new(ranks * size_of::<AtomicI32>()).ok_or(Errno::EINVAL)?;
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new anonymous mapping; nothing else is touched.
        let memory = unsafe { mmap_anonymous(None, bytes, access, MapFlags::MAP_SHARED) }?;
        Ok(Roster {
            pids: memory.cast(),
            ranks,
        })
    }

    fn pids(&self) -> &[AtomicI32] {
        // SAFETY: the mapping has room for that many, zero is a valid value, and it lives as long as the process.
        unsafe { std::slice::from_raw_parts(self.pids.as_ptr(), self.ranks) }
    }

    pub fn enter(&self, rank: u32, pid: pid_t) {
        self.pids()[rank as usize].store(pid, Ordering::Relaxed);
    }

    /// The rank has ended and was waited for: its number may become another process's.
    pub fn leave(&self, rank: u32) {
        self.enter(rank, 0);
    }
}

/// The launcher's hold on its keeper. Dropping it ends the keeper.
pub struct Keeper {
    pid: pid_t,
    /// The job's name as it stands in the environment of its processes.
    mark: Vec<u8>,
    _line: OwnedFd,
}

impl Keeper {
    /// Starts the keeper of the job called `job`. The process must have one thread.
    pub fn start(roster: &Roster, job: &str) -> io::Result<Keeper> {
        let (reader, writer) = nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
        let mark = format!("{JOB_VARIABLE}={job}").into_bytes();
        // SAFETY: no flags means a fork whose child sends no signal at its end. The process has one thread, so the
        // child may use all of the standard library.
        match unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                watch(reader.as_raw_fd(), roster, &mark);
                // SAFETY: ends the child without running the launcher's exit handlers.
                unsafe { libc::_exit(0) }
            }
            pid => Ok(Keeper {
                pid: pid as pid_t,
                mark,
                _line: writer,
            }),
        }
    }
}

impl Keeper {
    pub fn pid(&self) -> pid_t {
        self.pid
    }

    /// Kills a process, if it is one of the job.
    pub fn kill(&self, pid: pid_t) {
        if pid > 0 && carries(pid, &self.mark) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let keeper = Pid::from_raw(self.pid);
        let _ = kill(keeper, Signal::SIGKILL);
        let _ = waitpid(keeper, Some(WaitPidFlag::__WALL));
    }
}

fn watch(line: RawFd, roster: &Roster, mark: &[u8]) {
    let _ = nix::unistd::setsid();
    let _ = nix::sys::prctl::set_name(NAME);
    let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), None);
    // SAFETY: system calls on this process itself. All descriptors but the line are closed: none of them is used
    // again here, and the keeper must not hold the user's pipes open.
    unsafe {
        libc::dup2(line, 0);
        if libc::syscall(libc::SYS_close_range, 1, c_int::MAX, 0) != 0 {
            (1..1024).for_each(|fd| {
                libc::close(fd);
            });
        }
        rename_command_line();
    }
    let _ = nix::unistd::chdir("/");
    while nix::unistd::read(std::io::stdin(), &mut [0]) != Ok(0) {}
    kill_all(roster, mark);
}

/// Writes the keeper's name over the launcher's command line, so that neither a person nor `pkill -f` takes the one for
/// the other.
///
/// # Safety
/// Only in the keeper, which has one thread and does not look at its arguments.
unsafe fn rename_command_line() {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 48 and 49 of proc(5); the first after the name is field 3.
    let mut fields = stat
        .rsplit_once(')')
        .map_or("", |parts| parts.1)
        .split_whitespace()
        .skip(45);
    let mut address = || fields.next().and_then(|field| field.parse::<usize>().ok());
    if let (Some(start), Some(end)) = (address(), address())
        && start != 0
        && start < end
    {
        // SAFETY: the kernel says that the arguments lie between the two addresses, in this process's writable stack; nothing
        // in the keeper refers to them (caller's promise).
        let arguments = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, end - start) };
        arguments.fill(0);
        let kept = NAME.to_bytes().len().min(arguments.len() - 1);
        arguments[..kept].copy_from_slice(&NAME.to_bytes()[..kept]);
    }
}

/// Kills until nothing is found any more: what is being killed may still be forking.
fn kill_all(roster: &Roster, mark: &[u8]) {
    for pid in roster
        .pids()
        .iter()
        .map(|pid| pid.load(Ordering::Relaxed))
        .filter(|pid| *pid > 0)
    {
        // The group is the rank's own: the launcher, now dead, did not give its number back.
        let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
    }
    for _ in 0..100 {
        let marked: Vec<pid_t> = processes().filter(|pid| carries(*pid, mark)).collect();
        if marked.is_empty() {
            return;
        }
        for pid in marked {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// All processes of this machine (or container).
pub fn processes() -> impl Iterator<Item = pid_t> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        std::str::from_utf8(entry.file_name().as_bytes())
            .ok()?
            .parse()
            .ok()
    })
}

fn carries(pid: pid_t, mark: &[u8]) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    // Another job's keeper, whose launcher ran in this one, has its own work to do yet.
    environment
        .split(|byte| *byte == 0)
        .any(|variable| variable == mark)
        && std::fs::read(format!("/proc/{pid}/comm"))
            .is_ok_and(|name| name.trim_ascii_end() != NAME.to_bytes())
}
