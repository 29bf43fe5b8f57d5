//! What another job of this user has that is asked for in vain in this one: a port, or a published name. So the program is told what can
//! be done about it.

use super::names::Name;
use super::table::{Job, Process, Table};
use super::{job, neighbours};
use crate::error::Result;
use crate::shm::atomic::Ordering;
use crate::shm::holders::{Held, held};
use crate::shm::reader::{Opened, Reader};
use crate::shm::{Offset, PAGE};
use parking_lot::Mutex;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a launcher asks of a job that is not its own.
pub struct Outside {
    pub id: u64,
    /// Whether ranks of another launcher can be started in it, so far as can be told before it is mapped.
    pub can_be_joined: bool,
}

impl Outside {
    /// None: it is of another build, or has just ended.
    pub fn look(held: &Held) -> Option<Outside> {
        let mut looks = held.holders.iter().filter_map(|(_, path)| read(path));
        let (_, job) = looks.next()?;
        Some(Outside {
            id: job.id.load(Ordering::Relaxed),
            can_be_joined: neighbours::check_job(&job).is_ok(),
        })
    }
}

/// What can be read of a job, by a descriptor of its segment.
fn read(path: &Path) -> Option<(Reader, Box<Job>)> {
    let Ok(Opened::Segment(reader)) = Reader::open(path) else {
        return None;
    };
    let job = reader.read(PAGE).ok()?;
    Some((reader, job))
}

/// Where there is the job with this number; nothing where there is none.
pub(super) fn advice_on_job(id: u64) -> String {
    advice(|_, job| job.id.load(Ordering::Relaxed) == id)
}

/// Where this name is published; nothing where it is not.
pub(super) fn advice_on_name(service: &[u8]) -> String {
    advice(|reader, job| has_published(reader, job, service))
}

/// What can be done about it that another job is the one of which this is so: it is called by this process.
fn advice(is_it: impl Fn(&Reader, &Job) -> bool) -> String {
    match other_job(is_it) {
        None => String::new(),
        Some((pid, Ok(()))) => format!(
            "; the job of process {pid} has it: a program that is started by mpiexec -join {pid} is of that job"
        ),
        Some((pid, Err(error))) => format!(
            "; the job of process {pid} has it, which cannot be joined: {}",
            error.text
        ),
    }
}

/// The process by which another job of this user is called of which this is so, and whether it can be joined. Looks again after a while only: a program may ask again
/// and again until something is published.
fn other_job(is_it: impl Fn(&Reader, &Job) -> bool) -> Option<(u32, Result<()>)> {
    static NEXT: Mutex<Option<Instant>> = Mutex::new(None);
    let mut next = NEXT.lock();
    if next.is_some_and(|next| Instant::now() < next) {
        return None;
    }
    let own = job().table.job.id.load(Ordering::Relaxed);
    let found = held().into_iter().find_map(|held| {
        let (pid, path) = held.holders.first()?;
        let (reader, job) = read(path)?;
        let is_other = job.id.load(Ordering::Relaxed) != own;
        (is_other && is_it(&reader, &job)).then(|| (*pid, neighbours::check_job(&job)))
    });
    *next = Instant::now().checked_add(LOOK_ELSEWHERE);
    found
}

const LOOK_ELSEWHERE: Duration = Duration::from_secs(1);

/// Whether a process of another job has published a name, as far as can be read from here while that goes on.
fn has_published(reader: &Reader, job: &Job, service: &[u8]) -> bool {
    let present = job.present().min(job.room());
    let processes = reader.read_many::<Process>(Table::first(), present);
    processes.unwrap_or_default().iter().any(|process| {
        if process.has_ended() {
            return false;
        }
        let mut next = process.names.load(Ordering::Relaxed) as Offset;
        // What changes meanwhile is no list without an end.
        for _ in 0..MOST_NAMES {
            let Some(name) = (next != 0)
                .then(|| reader.read::<Name>(next).ok())
                .flatten()
            else {
                return false;
            };
            let len = name.name.load(Ordering::Relaxed) as usize;
            let bytes = || reader.read_many::<u8>(next + size_of::<Name>(), len);
            if len == service.len() && len > 0 && bytes().is_ok_and(|bytes| bytes == service) {
                return true;
            }
            next = name.next.load(Ordering::Relaxed) as Offset;
        }
        false
    })
}

const MOST_NAMES: usize = 10_000;
