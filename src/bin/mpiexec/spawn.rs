//! Starting one rank: everything is prepared before the fork, so that the child only makes system calls.
//!
//! What fails in the child comes back by a pipe as (rank, step, errno). Each rank has a process group of its own, unless it
//! reads from the launcher's terminal.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::RawFd;
use std::ptr;

use libc::{c_char, c_int, pid_t};
use nix::sched::CpuSet;
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, signal, sigprocmask};

use crate::keeper::Roster;

/// A NULL-terminated array of C strings, as `execve` wants it.
pub struct Pointers(Vec<*const c_char>);

impl Pointers {
    /// The strings must outlive the array; both live in the same [`Program`] or [`Rank`].
    pub fn new<'a>(strings: impl IntoIterator<Item = &'a CString>) -> Pointers {
        let mut pointers: Vec<_> = strings.into_iter().map(|string| string.as_ptr()).collect();
        pointers.push(ptr::null());
        Pointers(pointers)
    }
}

/// What the ranks of one part have in common.
pub struct Program {
    pub file: CString,
    pub arguments: Vec<CString>,
    pub environment: Vec<CString>,
    pub directory: Option<CString>,
    /// The names of variables that say a rank's place among those of its world.
    pub places: &'static [&'static str],
}

/// A limit on open files, the soft and the hard one.
pub type OpenFiles = (rlim_t, rlim_t);

/// What all ranks have in common.
pub struct Setting<'a> {
    pub roster: &'a Roster,
    /// The job segment's descriptor, which the ranks inherit.
    pub segment: Option<RawFd>,
    /// Where a child that cannot become its program says so.
    pub complaints: RawFd,
    /// What the launcher changed for itself and the ranks get back.
    pub signals: SigSet,
    pub open_files: OpenFiles,
    pub launcher: pid_t,
}

/// What is one rank's own.
pub struct Rank<'a> {
    pub number: u32,
    pub program: &'a Program,
    pub variables: Vec<CString>,
    pub stdin: RawFd,
    pub stdout: RawFd,
    pub stderr: RawFd,
    pub cpus: Option<CpuSet>,
    /// A process group of its own; not where the rank reads from the launcher's terminal.
    pub own_group: bool,
}

/// What failed in a child between fork and exec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Step {
    Directory = 1,
    Descriptors = 2,
    Exec = 3,
}

/// What a complaint of this step means.
pub fn why(step: i32, errno: nix::errno::Errno) -> String {
    let what = match step {
        step if step == Step::Directory as i32 => "its working directory cannot be entered",
        step if step == Step::Descriptors as i32 => "its descriptors cannot be set up",
        _ => "it cannot be run",
    };
    format!("{what}: {}", errno.desc())
}

/// A child's complaint: rank, step, errno. Shorter than `PIPE_BUF`, so it arrives whole.
pub type Complaint = [i32; 3];

/// Starts a rank. On return the process exists; whether it became its program, the complaint pipe says.
pub fn start(rank: &Rank, setting: &Setting) -> io::Result<pid_t> {
    let program = rank.program;
    let arguments = Pointers::new(&program.arguments);
    let environment = Pointers::new(program.environment.iter().chain(&rank.variables));
    // A file without a magic number is a shell script by tradition.
    let shell = CString::from(c"/bin/sh");
    let script = Pointers::new(
        [&shell, &program.file]
            .into_iter()
            .chain(program.arguments.iter().skip(1)),
    );
    // SAFETY: the child calls only `become_rank`, which makes system calls and touches memory prepared above; it
    // allocates nothing, takes no lock and never returns.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            // SAFETY: this is the forked child; the arrays end in NULL and their strings are alive.
            unsafe { become_rank(rank, setting, &arguments, &environment, &script) }
        }
        pid => {
            if rank.own_group {
                // SAFETY: plain system call. The child does the same; whoever comes first, the group exists
                // when this function returns. After the child's exec it fails, harmlessly.
                unsafe { libc::setpgid(pid, pid) };
            }
            Ok(pid)
        }
    }
}

/// The child's way from fork to exec.
///
/// # Safety
/// Only in a forked child. The arrays must end in NULL and their strings must be alive.
unsafe fn become_rank(
    rank: &Rank,
    setting: &Setting,
    arguments: &Pointers,
    environment: &Pointers,
    script: &Pointers,
) -> ! {
    // nix's functions are used where they are the system call and nothing besides.
    // SAFETY: system calls with arguments that live in the parent's copied memory; `execve` gets arrays that end in
    // NULL. Nothing here allocates.
    unsafe {
        // A dead launcher takes its ranks with it. If it died before this call, its death was missed: look.
        let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
        if libc::getppid() != setting.launcher {
            libc::_exit(1);
        }
        if rank.own_group {
            libc::setpgid(0, 0);
        }
        setting.roster.enter(rank.number, libc::getpid());
        for (from, to) in [(rank.stdin, 0), (rank.stdout, 1), (rank.stderr, 2)] {
            if from != to && libc::dup2(from, to) < 0 {
                complain(rank, setting, Step::Descriptors);
            }
        }
        if let Some(segment) = setting.segment
            && libc::fcntl(segment, libc::F_SETFD, 0) < 0
        {
            complain(rank, setting, Step::Descriptors);
        }
        if let Some(cpus) = &rank.cpus {
            // A core that went offline meanwhile is no reason not to run.
            let _ = nix::sched::sched_setaffinity(nix::unistd::Pid::from_raw(0), cpus);
        }
        if let Some(directory) = &rank.program.directory
            && libc::chdir(directory.as_ptr()) < 0
        {
            complain(rank, setting, Step::Directory);
        }
        let (soft, hard) = setting.open_files;
        let _ = setrlimit(Resource::RLIMIT_NOFILE, soft, hard);
        // The launcher ignores SIGPIPE; a shell may have had us ignore INT and QUIT (a job in the background), but a
        // rank gets those from us alone, and then they are meant.
        for which in [Signal::SIGPIPE, Signal::SIGINT, Signal::SIGQUIT] {
            let _ = signal(which, SigHandler::SigDfl);
        }
        let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&setting.signals), None);
        libc::execve(
            rank.program.file.as_ptr(),
            arguments.0.as_ptr(),
            environment.0.as_ptr(),
        );
        if *libc::__errno_location() == libc::ENOEXEC {
            libc::execve(script.0[0], script.0.as_ptr(), environment.0.as_ptr());
        }
        complain(rank, setting, Step::Exec)
    }
}

/// Tells the launcher what failed, and ends.
///
/// # Safety
/// Only in a forked child.
unsafe fn complain(rank: &Rank, setting: &Setting, step: Step) -> ! {
    // SAFETY: errno's location is always readable; the buffer is as long as said; `_exit` runs no handler.
    unsafe {
        let words: Complaint = [rank.number as i32, step as i32, *libc::__errno_location()];
        libc::write(
            setting.complaints,
            words.as_ptr().cast(),
            size_of::<Complaint>(),
        );
        libc::_exit(127)
    }
}

/// Open files that the launcher needs for itself beside those it was started with: signals, the segment, the keeper's line, the
/// event queue under two names, both ends of the pipe for complaints, an empty stdin, stdout and stderr under other names, and
/// the writing ends of the pipes of the rank that is being started.
const OWN_FILES: u64 = 12;

/// Raises the limit on open files for `ranks` ranks that take `each` of them; gives the limit as it was.
pub fn raise_open_files(ranks: u32, each: u64) -> Result<OpenFiles, String> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap_or_default();
    // The look itself is one of those it sees.
    let open = std::fs::read_dir("/proc/self/fd").map(|files| files.count() as u64 - 1);
    let inherited = open.unwrap_or(3);
    let wanted = u64::from(ranks) * each + OWN_FILES + inherited;
    if soft < wanted {
        let done = setrlimit(Resource::RLIMIT_NOFILE, wanted.min(hard), hard).is_ok();
        if !done || hard < wanted {
            return Err(format!(
                "{ranks} ranks need {wanted} open files, {each} for each rank, but the limit is {hard} (ulimit -Hn)"
            ));
        }
    }
    Ok((soft, hard))
}

/// The name of a signal as a user knows it: "Segmentation fault".
pub fn signal_text(signal: c_int) -> String {
    // SAFETY: strsignal gives a valid string for every number; it is copied before anything else could overwrite it.
    let text = unsafe {
        let text = libc::strsignal(signal);
        if text.is_null() {
            None
        } else {
            Some(CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    };
    text.or_else(|| {
        Signal::try_from(signal)
            .ok()
            .map(|signal| signal.to_string())
    })
    .unwrap_or_else(|| format!("signal {signal}"))
}
