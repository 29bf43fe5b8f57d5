//! The name spaces in which the numbers of processes are said, and the times at which they were started. Ranks may be in
//! different ones: each in a container of its own, or started by `unshare --pid`. What is another rank's number there may be
//! any process here, so nothing is done to a rank by its number where it is in others than this process: its memory is not
//! reached by the kernel's copy, and its death is left for others to see.

use super::table::Process;
use crate::shm::atomic::Ordering;
use std::os::unix::fs::MetadataExt;
use std::sync::LazyLock;

/// A number for this process's name spaces of process numbers and of times, the same in all processes that share both. Never 0.
/// Where the system does not tell (no /proc) it is taken for one.
pub fn own() -> u64 {
    static OWN: LazyLock<u64> = LazyLock::new(|| {
        let of = |kind| std::fs::metadata(format!("/proc/self/ns/{kind}")).map_or(1, |ns| ns.ino());
        of("pid") << 32 | of("time")
    });
    *OWN
}

/// Whether the number that the process table has for a rank says here what it says there.
pub fn are_shared_with(process: &Process) -> bool {
    // Acquire: with them come the number and the birth.
    process.spaces.load(Ordering::Acquire) == own()
}
