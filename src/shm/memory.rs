//! What the machine and the cgroup can give: asked before memory is promised, so that a request that cannot be met is an
//! error and not a SIGBUS or the out-of-memory killer later.
//!
//! A request of 1 MiB and more is held against what the machine has available and what the cgroups on the way to the root
//! leave, together with what was promised to the job before and not touched yet. The sum of promises changes by
//! compare-and-swap, so two ranks are never promised the same memory. Against other programs it is a check and no reservation:
//! what they take between promise and first touch is not seen.
//!
//! To ask the system takes 100 µs, so an answer counts for 10 ms and for a sixteenth of what was to be had, for all ranks. A
//! window of 64 MiB is made and freed in 7 µs instead of 174 by that, and of 32 ranks that open inboxes of 1 MiB only a few
//! ask.

use super::PAGE;
use super::atomic::Ordering;
use super::cgroup::{self, Group};
use super::clock;
use super::segment::{Header, Segment};
use crate::shm::error::{Result, failed};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

/// Requests below this are not held against the machine: finding out costs more than they do.
const SMALL: usize = 1 << 20;
/// How long what was found out counts, and for which part of what was still to be had then. To find out takes 100 us, as
/// long as a large window that is made and freed; other programs can take the memory after a look as well as after this.
const FRESH: Duration = Duration::from_millis(10);
const PART: u64 = 16;

/// What a look found, as all ranks know it: they share the machine, and mostly the cgroup. Up to how many MiB may be promised in
/// all (lower half) without another look, until which millisecond of the clock (upper half).
#[derive(Clone, Copy)]
struct Look(u64);

impl Look {
    /// After a look that found room for `most` bytes promised in all, of which there are `now`.
    fn new(now: u64, most: u64) -> Look {
        let mebibytes = (now + (most - now) / PART) >> 20;
        let until = milliseconds().wrapping_add(FRESH.as_millis() as u32);
        Look(u64::from(until) << 32 | mebibytes.min(u32::MAX.into()))
    }

    /// Up to how many bytes may be promised in all; 0 if it was too long ago.
    fn most(self) -> u64 {
        let left = ((self.0 >> 32) as u32).wrapping_sub(milliseconds());
        match (1..=FRESH.as_millis() as u32).contains(&left) {
            true => u64::from(self.0 as u32) << 20,
            false => 0,
        }
    }
}

/// Of the clock that all processes share. Wraps.
fn milliseconds() -> u32 {
    clock::now().as_millis() as u32
}

/// Promises `len` bytes to a user, or refuses. Ended by [`release`].
pub fn promise(segment: &Segment, len: usize) -> Result<()> {
    let Header {
        promised, looked, ..
    } = segment.header();
    let len = len as u64;
    if len < SMALL as u64 {
        promised.fetch_add(len, Ordering::Relaxed);
        return Ok(());
    }
    let take = |most: u64| {
        promised.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |before| {
            before.checked_add(len).filter(|&all| all <= most)
        })
    };
    if take(Look(looked.load(Ordering::Relaxed)).most()).is_ok() {
        return Ok(());
    }
    let (total, available) = total_and_available();
    let in_use = segment.in_use();
    // What was promised and not touched yet is still to be taken from what is available.
    let most = total.min(available.saturating_add(in_use));
    match take(most) {
        Ok(before) => {
            let look = Look::new(before + len, most);
            looked.store(look.0, Ordering::Relaxed);
            Ok(())
        }
        Err(before) => Err(failed!(
            NoMemory,
            "{len} bytes are more than this machine (or the job's cgroup) can give: {available} of {total} bytes are \
             available, {before} bytes are promised to this job's windows and allocations, which have taken {in_use}"
        )),
    }
}

/// Takes a promise back.
pub fn release(segment: &Segment, len: usize) {
    segment
        .header()
        .promised
        .fetch_sub(len as u64, Ordering::Relaxed);
}

/// All memory there is for the job, the machine's, or less where the cgroup says so; and what can be had now without swapping.
fn total_and_available() -> (u64, u64) {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let number = |key: &str| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(key))?;
        let kilobytes = line.trim().strip_suffix("kB")?.trim().parse::<u64>();
        kilobytes.ok()?.checked_mul(1024)
    };
    let machine = |memory, swap| {
        let memory = number(memory).unwrap_or(u64::MAX);
        memory.saturating_add(number(swap).unwrap_or(0))
    };
    let total = machine("MemTotal:", "SwapTotal:");
    let available = machine("MemAvailable:", "SwapFree:");
    (
        LIMITS.iter().map(|limit| limit.max).fold(total, u64::min),
        LIMITS
            .iter()
            .map(Limit::available)
            .fold(available, u64::min),
    )
}

/// Bytes that this process could take now and leave an eighth: of the memory of the machine or cgroup, and of what its own
/// limits let it have. Finding out takes 100 us.
pub fn spare() -> usize {
    let shared = total_and_available();
    let own = own_limits();
    let left = |&(total, available): &(u64, u64)| available.saturating_sub(total / 8);
    let spare = own.iter().chain([&shared]).map(left).min();
    spare.map_or(0, |bytes| bytes as usize)
}

/// The limits on this process's address space and on its private memory, where there are any, and what is left of each.
fn own_limits() -> Vec<(u64, u64)> {
    let limits = [(Resource::RLIMIT_AS, 0), (Resource::RLIMIT_DATA, 5)];
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Vec<u64> = statm
        .split_whitespace()
        .filter_map(|n| n.parse().ok())
        .collect();
    let mut found = Vec::new();
    for (limit, field) in limits {
        if let Ok((soft, _)) = getrlimit(limit)
            && soft != RLIM_INFINITY
            && let Some(used) = pages.get(field)
        {
            found.push((soft, soft.saturating_sub(used * PAGE as u64)));
        }
    }
    found
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
    group: Group,
}

impl Limit {
    /// `None` if the group sets no limit.
    fn of(group: Group) -> Option<Limit> {
        let name = match group.unified {
            true => "memory.max",
            false => "memory.limit_in_bytes",
        };
        let max = group.number(name)?;
        Some(Limit { max, group })
    }

    fn available(&self) -> u64 {
        // The cache can be dropped.
        let (current, cache) = match self.group.unified {
            true => ("memory.current", "inactive_file "),
            false => ("memory.usage_in_bytes", "total_inactive_file "),
        };
        let used: u64 = self.group.number(current).unwrap_or(0);
        let stat = self.group.read("memory.stat").unwrap_or_default();
        let cache = stat
            .lines()
            .find_map(|l| l.strip_prefix(cache)?.trim().parse::<u64>().ok())
            .unwrap_or(0);
        self.max.saturating_sub(used.saturating_sub(cache))
    }
}

static LIMITS: LazyLock<Vec<Limit>> = LazyLock::new(|| limits(cgroup::groups("memory")));

fn limits(groups: Vec<Group>) -> Vec<Limit> {
    groups.into_iter().filter_map(Limit::of).collect()
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
        let found = limits(cgroup::find("0::/a/job\n", &root, "memory"));
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

    #[test]
    fn a_look_counts_for_a_part_and_for_a_moment() {
        let look = Look::new(100 << 20, 260 << 20);
        let most = look.most();
        assert!(most == 110 << 20 || most == 0, "{most}");
        let hour = 3_600_000 << 32;
        assert_eq!(Look(look.0.wrapping_add(hour)).most(), 0);
        assert_eq!(Look(look.0.wrapping_sub(hour)).most(), 0);
        assert_eq!(Look(0).most(), 0);
    }
}
