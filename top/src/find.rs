//! The jobs of this user on this machine: segments that processes of the user have open.

use rmashm::seeing::{Held, Opened, Reader, held};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A job, or what can only be named.
pub struct Job {
    /// The process that it is called by: the launcher's, or that of rank 0.
    pub pid: u32,
    /// Who has it open: processes, and the descriptors by which.
    pub holders: Vec<(u32, PathBuf)>,
    pub segment: Segment,
    /// Of the segment's file.
    identity: (u64, u64),
}

pub enum Segment {
    Open(Reader),
    /// One of another build: which.
    Other(String),
}

impl Job {
    /// The one that is in a core dump. Errors: in words.
    pub fn dumped(path: &Path) -> Result<Job, String> {
        let opened = Reader::open_dump(path);
        let path = path.display();
        let segment = match opened {
            Err(error) => return Err(format!("{path} cannot be read: {error}")),
            Ok(Opened::Segment(reader)) => Segment::Open(reader),
            Ok(Opened::Other(maker)) => Segment::Other(maker),
            Ok(Opened::Without) => {
                return Err(format!(
                    "{path} is the core dump of a rank without what the job has in shared memory: it was cut, or made when bit 1 \
                     was not in /proc/PID/coredump_filter (0x33 is usual)"
                ));
            }
            Ok(Opened::Nothing) => {
                return Err(format!("{path} is no core dump of a rank of rmashm's"));
            }
        };
        let pid = match &segment {
            Segment::Open(reader) => reader.dump().map_or(0, |dump| dump.pid),
            Segment::Other(_) => 0,
        };
        Ok(Job {
            pid,
            holders: Vec::new(),
            segment,
            identity: (0, 0),
        })
    }

    /// Whether a process has the segment open still. Where none has, the job is over.
    pub fn is_alive(&self) -> bool {
        let has = |(_, path): &(u32, PathBuf)| identity(path) == Some(self.identity);
        self.holders.iter().any(has)
    }

    /// Whether it is the same one.
    pub fn is(&self, other: &Job) -> bool {
        self.identity == other.identity
    }

    /// Whether a process belongs to it.
    pub fn has(&self, pid: u32) -> bool {
        self.pid == pid || self.holders.iter().any(|holder| holder.0 == pid)
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let file = fs::metadata(path).ok()?;
    Some((file.dev(), file.ino()))
}

/// All jobs, by their processes' numbers.
pub fn jobs() -> Vec<Job> {
    let mut jobs: Vec<Job> = held().into_iter().filter_map(open).collect();
    jobs.sort_by_key(|job| job.pid);
    jobs
}

fn open(held: Held) -> Option<Job> {
    let Held {
        identity, holders, ..
    } = held;
    let opened = holders
        .iter()
        .find_map(|(_, path)| Reader::open(path).ok())?;
    let segment = match opened {
        Opened::Segment(reader) => Segment::Open(reader),
        Opened::Other(maker) => Segment::Other(maker),
        Opened::Without | Opened::Nothing => return None,
    };
    let pid = holders.first()?.0;
    Some(Job {
        pid,
        holders,
        segment,
        identity,
    })
}
