//! Looking whether the other ranks still live, where no launcher of ours watches them: under Hydra or Slurm. Ours watches the
//! processes it has started; what a rank's script has started in turn, and outlives, is missed here too, so a look is taken
//! under our launcher as well, which is given the time until the next to tell more.
//!
//! A process descriptor (pidfd) of each rank becomes readable when its process ends, also while nobody has waited for it, and
//! never speaks of another process that got the same number. Kernels and sandboxes without them leave `kill(pid, 0)`.

use super::table::{Death, State};
use super::{Job, job};
use crate::shm::atomic::{AtomicU64, Ordering};
use parking_lot::Mutex;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How often to look, at most.
const EVERY: Duration = Duration::from_millis(400);

/// What is known of one rank's process.
struct Process {
    handle: Handle,
    /// It was gone at the last look.
    missed: bool,
}

enum Handle {
    Unknown,
    Watched(OwnedFd),
    /// There are no process descriptors: its number is asked for.
    ByNumber,
}

static PROCESSES: Mutex<Vec<Process>> = Mutex::new(Vec::new());
static BEGAN: OnceLock<Instant> = OnceLock::new();
/// Milliseconds from the beginning to the next look. The first comes no sooner than the others: it makes the descriptors, one
/// for each other rank, of which a job that is short needs none.
static NEXT: AtomicU64 = AtomicU64::new(EVERY.as_millis() as u64);

/// Marks those dead that are gone, and rings everybody. Does nothing where the last look was a moment ago; so it can be
/// called by whoever asks again and again.
#[inline]
pub fn look_around() {
    let job = job();
    if job.ranks > 1 {
        look(job);
    }
}

#[cold]
fn look(job: &Job) {
    let now = BEGAN.get_or_init(Instant::now).elapsed().as_millis() as u64;
    if now < NEXT.load(Ordering::Relaxed) {
        return;
    }
    let Some(mut processes) = PROCESSES.try_lock() else {
        return;
    };
    NEXT.store(now + EVERY.as_millis() as u64, Ordering::Relaxed);
    processes.resize_with(job.ranks as usize, || Process {
        handle: Handle::Unknown,
        missed: false,
    });
    let watched = job.table.job.watched.load(Ordering::Relaxed) != 0;
    for (rank, entry) in job.table.processes.iter().enumerate() {
        // Between sessions it may end, but then it comes to no other.
        let resting = || entry.state() == State::Finalized;
        let living = || matches!(entry.state(), State::Joining | State::Running) || resting();
        let pid = entry.pid.load(Ordering::Relaxed) as i32;
        if rank == job.rank as usize || pid <= 0 || !living() {
            continue;
        }
        let process = &mut processes[rank];
        // It may have finalized and left between the two looks at its state.
        if is_gone(&mut process.handle, pid) && living() {
            match process.missed || !watched {
                true if resting() => job.table.retire(rank),
                true => job.table.bury(rank, Death::Unseen),
                false => {}
            }
            process.missed = true;
        }
    }
}

fn is_gone(process: &mut Handle, pid: i32) -> bool {
    if let Handle::Unknown = process {
        // SAFETY: a plain system call; the descriptor it gives is close-on-exec and ours.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) } as i32;
        *process = if fd >= 0 {
            // SAFETY: the kernel has just made the descriptor for us.
            Handle::Watched(unsafe { OwnedFd::from_raw_fd(fd) })
        } else {
            Handle::ByNumber
        };
    }
    match process {
        Handle::Watched(fd) => {
            let mut poll = libc::pollfd {
                fd: fd.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: one valid pollfd, and no time to wait.
            unsafe { libc::poll(&mut poll, 1, 0) == 1 && poll.revents & libc::POLLIN != 0 }
        }
        _ => {
            // SAFETY: signal 0 only asks whether the process exists.
            (unsafe { libc::kill(pid, 0) }) != 0 && nix::Error::last() == nix::Error::ESRCH
        }
    }
}
