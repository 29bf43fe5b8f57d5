//! The control groups that this process is in, and the time of how many cores they leave it.

use std::path::{Path, PathBuf};

const MOUNTS: &str = "/sys/fs/cgroup";

/// A control group: its folder, and whether its files are those of cgroup v2.
pub struct Group {
    pub folder: PathBuf,
    pub unified: bool,
}

impl Group {
    /// The content of one of its files; `None` if there is no such file.
    pub fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(name)).ok()
    }

    /// The number in one of its files; `None` if there is none, as where it says that there is no limit.
    pub fn number<N: std::str::FromStr>(&self, name: &str) -> Option<N> {
        self.read(name)?.trim().parse().ok()
    }

    /// The cores of whose time its processes may use all, rounded down, but one at least; `None` if it sets no limit.
    fn cores(&self) -> Option<u32> {
        let (quota, period): (u64, u64) = match self.unified {
            true => {
                let max = self.read("cpu.max")?;
                let (quota, period) = max.trim().split_once(' ')?;
                (quota.parse().ok()?, period.parse().ok()?)
            }
            false => (
                self.number("cpu.cfs_quota_us")?,
                self.number("cpu.cfs_period_us")?,
            ),
        };
        let cores = quota.checked_div(period)?;
        Some(cores.clamp(1, u32::MAX.into()) as u32)
    }
}

/// The groups of this process that `controller` has limits for, from its own to the root.
pub fn groups(controller: &str) -> Vec<Group> {
    let lines = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    find(&lines, Path::new(MOUNTS), controller)
}

/// The cores of whose time this process may use all, together with all others of its groups; `None` if there is no limit.
pub fn cores() -> Option<u32> {
    groups("cpu").iter().filter_map(Group::cores).min()
}

/// The groups in the lines of a /proc/PID/cgroup, mounted below `root`.
pub fn find(lines: &str, root: &Path, controller: &str) -> Vec<Group> {
    let mut found = Vec::new();
    for line in lines.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let unified = controllers.is_empty();
        let mount = match unified {
            // Beside groups of the first version, those of the second have a folder of their own.
            true if root.join("unified").exists() => root.join("unified"),
            true => root.to_path_buf(),
            false if controllers.split(',').any(|c| c == controller) => root.join(controller),
            false => continue,
        };
        // In a container the path may name a group that its mount does not show: then the mount's own root counts.
        let mut folder = mount.join(path.trim_start_matches('/'));
        loop {
            found.push(Group {
                folder: folder.clone(),
                unified,
            });
            if folder == mount || !folder.pop() {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_quota_on_the_way_to_the_root_counts() {
        let root = std::env::temp_dir().join(format!("rmashm-cores-{}", std::process::id()));
        let cores = |lines: &str| {
            let groups = find(lines, &root, "cpu");
            groups.iter().filter_map(Group::cores).min()
        };
        let write = |file: &str, text: &str| {
            let file = root.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write("a/job/cpu.max", "max 100000\n");
        assert_eq!(cores("0::/a/job\n"), None);
        write("a/cpu.max", "250000 100000\n");
        assert_eq!(cores("0::/a/job\n"), Some(2));
        write("a/job/cpu.max", "50000 100000\n");
        assert_eq!(cores("0::/a/job\n"), Some(1));
        // A container sees its own group as the root, whatever its path is called outside.
        write("cpu.max", "400000 100000\n");
        assert_eq!(cores("0::/not/shown\n"), Some(4));
        write("cpu/cpu.cfs_quota_us", "-1\n");
        write("cpu/cpu.cfs_period_us", "100000\n");
        assert_eq!(cores("3:cpuacct:/\n1:cpu:/\n"), None);
        write("cpu/b/cpu.cfs_quota_us", "300000\n");
        write("cpu/b/cpu.cfs_period_us", "100000\n");
        assert_eq!(cores("3:cpuset:/\n1:cpu,cpuacct:/b\n"), Some(3));
        write("unified/cpu.max", "100000 100000\n");
        assert_eq!(cores("0::/\n"), Some(1));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
