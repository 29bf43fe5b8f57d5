//! Which processes of this user have which segments open, as the kernel tells: by this jobs are found by those that are no part of
//! them.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How the descriptor of a segment reads in /proc, where its job has no name. A name stands behind a colon.
const LINK: &str = "/memfd:rmashm";
/// What the kernel adds.
const SUFFIX: &str = " (deleted)";

/// What the file of a segment is called whose job has this name, if it has one. The name has no zero byte.
pub fn title(name: Option<&str>) -> CString {
    let title = name.map_or("rmashm".to_string(), |name| format!("rmashm:{name}"));
    CString::new(title).expect("a name has no zero byte")
}

/// A segment that is open somewhere.
pub struct Held {
    /// Of its file: the device, and the number there.
    pub identity: (u64, u64),
    /// Its job's, if that has one.
    pub name: Option<String>,
    /// Who has it open: processes, and the descriptors by which, the lowest first. Under our launcher that is it, else the first of the
    /// ranks.
    pub holders: Vec<(u32, PathBuf)>,
}

/// All that this user's processes have open. Blocks for as long as a look at the descriptors of each takes.
pub fn held() -> Vec<Held> {
    let me = nix::unistd::geteuid().as_raw();
    let mut found: BTreeMap<(u64, u64), Vec<(u32, PathBuf)>> = BTreeMap::new();
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = process.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // Also what root could read of others stays theirs.
        if !process.metadata().is_ok_and(|folder| folder.uid() == me) {
            continue;
        }
        let descriptors = fs::read_dir(process.path().join("fd"));
        for descriptor in descriptors.into_iter().flatten().flatten() {
            let path = descriptor.path();
            if !is_segment(&path) || !is_written_by(&path) {
                continue;
            }
            let file = fs::metadata(&path).ok().filter(|file| file.uid() == me);
            if let Some(file) = file {
                let holders = found.entry((file.dev(), file.ino())).or_default();
                holders.push((pid, path));
            }
        }
    }
    let held = |(identity, mut holders): (_, Vec<(u32, PathBuf)>)| {
        holders.sort();
        // Some of them may have ended since.
        let name = holders.iter().find_map(|(_, path)| name_in(path));
        Held {
            identity,
            name,
            holders,
        }
    };
    found.into_iter().map(held).collect()
}

/// Whether a descriptor, by its path in /proc, is a segment's.
pub fn is_segment(descriptor: &Path) -> bool {
    let is_one = |link: PathBuf| link.to_string_lossy().starts_with(LINK);
    fs::read_link(descriptor).is_ok_and(is_one)
}

/// The name of the job whose segment a descriptor is.
fn name_in(descriptor: &Path) -> Option<String> {
    let link = fs::read_link(descriptor).ok()?;
    let title = link.to_str()?.strip_prefix(LINK)?.strip_suffix(SUFFIX)?;
    title.strip_prefix(':').map(str::to_string)
}

/// Whether a process may write by a descriptor: who only reads looks at the job from outside.
fn is_written_by(descriptor: &Path) -> bool {
    fs::symlink_metadata(descriptor).is_ok_and(|link| link.mode() & 0o200 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::PAGE;
    use crate::shm::segment::Segment;
    use std::os::fd::AsRawFd;

    #[test]
    fn own_segments_are_found() {
        let segment = Segment::create_as(&title(Some("a name")), PAGE).unwrap();
        let path = format!("/proc/self/fd/{}", segment.fd().unwrap().as_raw_fd());
        let file = fs::metadata(path).unwrap();
        let identity = (file.dev(), file.ino());
        let is_it = |held: &Held| held.identity == identity;
        let found = held();
        let own = found.iter().find(|held| is_it(held)).unwrap();
        let me = std::process::id();
        assert!(own.holders.iter().any(|(pid, _)| *pid == me));
        assert_eq!(own.name.as_deref(), Some("a name"));
    }
}
