//! What a job may not leave behind: processes, and files in /dev/shm.

use nix::sys::signal::{Signal, kill as send_signal};
use nix::unistd::{Pid, Uid};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The variable by which the processes of one test are known, whatever their parent has become.
pub const MARKER: &str = "RMASHM_TEST_JOB";

/// A new value for [`MARKER`].
pub fn marker() -> String {
    static JOBS: AtomicU32 = AtomicU32::new(0);
    let job = JOBS.fetch_add(1, Ordering::Relaxed);
    format!("{}-{job}", std::process::id())
}

/// How long the system gets to finish what ended with the job: the last of its processes may still be exiting.
const GRACE: Duration = Duration::from_secs(20);

/// The living processes of the job with this marker. Zombies have no environment, hence are none.
pub fn processes(marker: &str) -> Vec<i32> {
    let wanted = format!("{MARKER}={marker}");
    let is_ours = |pid: &i32| {
        std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
            environment
                .split(|byte| *byte == 0)
                .any(|variable| variable == wanted.as_bytes())
        })
    };
    all_processes().filter(is_ours).collect()
}

/// Ends the processes of this job, and nobody else.
pub fn kill(marker: &str) {
    for pid in processes(marker) {
        let _ = send_signal(Pid::from_raw(pid), Signal::SIGKILL);
    }
}

/// Our user's files in /dev/shm that an MPI library may have made: their names say so. (This library makes none at all; other
/// programs of this user may leave their own meanwhile.)
pub fn shared_memory_files() -> BTreeSet<PathBuf> {
    let Ok(folder) = std::fs::read_dir("/dev/shm") else {
        return BTreeSet::new();
    };
    let user = Uid::current().as_raw();
    folder
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.contains("rmashm") || name.contains("mpi")
        })
        .filter(|entry| entry.metadata().is_ok_and(|data| data.uid() == user))
        .map(|entry| entry.path())
        .collect()
}

/// What is left of the job now that its launcher has returned.
pub fn complaints(marker: &str, before: &BTreeSet<PathBuf>) -> Vec<String> {
    let start = Instant::now();
    let mut left = processes(marker);
    while !left.is_empty() && start.elapsed() < GRACE {
        std::thread::sleep(Duration::from_millis(1));
        left = processes(marker);
    }
    let mut complaints = Vec::new();
    for pid in &left {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        complaints.push(format!("process {pid} is left behind: {command}"));
    }
    kill(marker);
    // Other programs of this user may be at work: a file is left behind only if nobody has it open, or is named in it.
    let files = shared_memory_files();
    for file in files
        .difference(before)
        .filter(|file| !is_in_use(file) && !names_a_process(file) && file.exists())
    {
        complaints.push(format!("{} is left behind", file.display()));
    }
    complaints
}

fn is_in_use(file: &Path) -> bool {
    let name = file.to_string_lossy();
    all_processes().any(|pid| {
        let is_mapped = std::fs::read_to_string(format!("/proc/{pid}/maps"))
            .is_ok_and(|maps| maps.contains(&*name));
        let is_open = || {
            std::fs::read_dir(format!("/proc/{pid}/fd")).is_ok_and(|fds| {
                fds.flatten()
                    .any(|fd| std::fs::read_link(fd.path()).is_ok_and(|target| target == file))
            })
        };
        is_mapped || is_open()
    })
}

/// Whether a number in the file's name is that of a living process, as those that need no open descriptor have it
/// (`__KMP_REGISTERED_LIB_1234_0`). The job's own have ended.
fn names_a_process(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .any(|number: u32| number > 1 && Path::new(&format!("/proc/{number}")).exists())
}

fn all_processes() -> impl Iterator<Item = i32> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
