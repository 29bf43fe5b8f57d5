//! What the machine and the cgroup can give: asked before memory is promised, so that a request that cannot be met is an
//! error and not a SIGBUS or the out-of-memory killer later.

use super::atomic::Ordering;
use super::segment::Segment;
use crate::bail;
use crate::error::Result;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Requests below this are not held against the machine: finding out costs more than they do.
const SMALL: usize = 1 << 20;
/// How long what was found out counts, and for which part of what was still to be had then. To find out takes 100 us, as
/// long as a large window that is made and freed; other programs can take the memory after a look as well as after this.
const FRESH: Duration = Duration::from_millis(10);
const PART: u64 = 16;

/// Until when, and up to how many bytes promised in all, no new look is needed.
static LOOKED: Mutex<Option<(Instant, u64)>> = Mutex::new(None);

/// Promises `len` bytes to a user, or refuses. Ended by [`release`].
pub fn promise(segment: &Segment, len: usize) -> Result<()> {
    let promised = &segment.header().promised;
    let len = len as u64;
    if len < SMALL as u64 {
        promised.fetch_add(len, Ordering::Relaxed);
        return Ok(());
    }
    let take = |fits: &dyn Fn(u64) -> bool| {
        promised.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |before| {
            before.checked_add(len).filter(|&all| fits(all))
        })
    };
    let mut looked = LOOKED.lock();
    let now = Instant::now();
    if let Some((until, most)) = *looked
        && now < until
        && take(&|all| all <= most).is_ok()
    {
        return Ok(());
    }
    let (total, available, in_use) = (*TOTAL, available(), segment.in_use());
    // What was promised and not touched yet is still to be taken from what is available.
    let most = total.min(available.saturating_add(in_use));
    match take(&|all| all <= most) {
        Ok(before) => {
            let all = before + len;
            *looked = Some((now + FRESH, all + (most - all) / PART));
            Ok(())
        }
        Err(before) => bail!(
            NoMem,
            "{len} bytes are more than this machine (or the job's cgroup) can give: {available} of {total} bytes are \
             available, {before} bytes are promised to this job's windows and allocations, which have taken {in_use}"
        ),
    }
}

/// Takes a promise back.
pub fn release(segment: &Segment, len: usize) {
    segment
        .header()
        .promised
        .fetch_sub(len as u64, Ordering::Relaxed);
}

/// All memory there is for the job: the machine's, or less where the cgroup says so.
static TOTAL: LazyLock<u64> = LazyLock::new(|| {
    let machine = meminfo("MemTotal:")
        .unwrap_or(u64::MAX)
        .saturating_add(meminfo("SwapTotal:").unwrap_or(0));
    LIMITS.iter().map(|g| g.max).fold(machine, u64::min)
});

/// What can be had now without swapping.
fn available() -> u64 {
    let machine = meminfo("MemAvailable:")
        .unwrap_or(u64::MAX)
        .saturating_add(meminfo("SwapFree:").unwrap_or(0));
    LIMITS.iter().map(Limit::available).fold(machine, u64::min)
}

fn meminfo(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(key))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

/// Whether the machine gives huge pages of shared memory to who asks for them. (It may also give them to all, or to none.)
pub fn huge_on_request() -> bool {
    *HUGE_ON_REQUEST
}

static HUGE_ON_REQUEST: LazyLock<bool> = LazyLock::new(|| {
    let settings = Path::new("/sys/kernel/mm/transparent_hugepage");
    ["shmem_enabled", "hugepages-2048kB/shmem_enabled"]
        .iter()
        .filter_map(|name| std::fs::read_to_string(settings.join(name)).ok())
        .any(|setting| setting.contains("[advise]"))
});

/// A cgroup on the way from the job's to the root that limits memory.
struct Limit {
    max: u64,
    current: PathBuf,
    stat: PathBuf,
    /// What `stat` calls the cache that can be dropped.
    cache: &'static str,
}

impl Limit {
    fn available(&self) -> u64 {
        let used = number(&self.current).unwrap_or(0);
        let stat = std::fs::read_to_string(&self.stat).unwrap_or_default();
        let cache = stat
            .lines()
            .find_map(|l| l.strip_prefix(self.cache)?.trim().parse::<u64>().ok())
            .unwrap_or(0);
        self.max.saturating_sub(used.saturating_sub(cache))
    }
}

static LIMITS: LazyLock<Vec<Limit>> = LazyLock::new(|| {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    limits(&groups, Path::new("/sys/fs/cgroup"))
});

/// The limits that the lines of a /proc/PID/cgroup put on memory, read below `root`.
fn limits(groups: &str, root: &Path) -> Vec<Limit> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let (mount, names) = if controllers.is_empty() {
            (
                root.to_path_buf(),
                ["memory.max", "memory.current", "inactive_file "],
            )
        } else if controllers.split(',').any(|c| c == "memory") {
            let names = [
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file ",
            ];
            (root.join("memory"), names)
        } else {
            continue;
        };
        // In a container the path may name a group that its mount does not show: then the mount's own root counts.
        let mut at = mount.join(path.trim_start_matches('/'));
        loop {
            if let Some(max) = number(&at.join(names[0])) {
                found.push(Limit {
                    max,
                    current: at.join(names[1]),
                    stat: at.join("memory.stat"),
                    cache: names[2],
                });
            }
            if at == mount || !at.pop() {
                break;
            }
        }
    }
    found
}

fn number(path: &Path) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cgroup_limits_what_is_available() {
        let root = std::env::temp_dir().join(format!("rmashm-cgroup-{}", std::process::id()));
        let job = root.join("a/job");
        std::fs::create_dir_all(&job).unwrap();
        for (at, max, current) in [(&job, "max", "5"), (&root.join("a"), "1000", "300")] {
            std::fs::write(at.join("memory.max"), max).unwrap();
            std::fs::write(at.join("memory.current"), current).unwrap();
            std::fs::write(at.join("memory.stat"), "anon 1\ninactive_file 100\n").unwrap();
        }
        let found = limits("0::/a/job\n", &root);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].available(), 800);
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn promises_have_an_end() {
        let segment = Segment::create(0).unwrap();
        assert!(promise(&segment, 1 << 50).is_err());
        promise(&segment, 4 << 20).unwrap();
        release(&segment, 4 << 20);
        assert_eq!(segment.header().promised.load(Ordering::Relaxed), 0);
    }
}
