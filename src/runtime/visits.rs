//! Visits to private memory of a rank, which others copy to and from through the kernel, and the times in which the rank keeps
//! them out because it moves that memory. States and orderings: [`shm::visitors`](crate::shm::visitors).

use super::lookout::look_around;
use super::wait::{Waiting, ring_key, wait};
use super::{Needs, Ranks, job, me};
use crate::error::Result;
use crate::shm::atomic::spin_loop;
use crate::shm::segment::segment;
use crate::shm::visitors::{Door, Entry};
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// A visit to a rank's private memory, until this is dropped: the place where it is written down.
pub struct Visit(usize);

/// Blocks while the rank moves its memory. Error: `MPI_ERR_PROC_FAILED` if it dies over that.
pub fn visit(rank: u32) -> Result<Visit> {
    let door = &job().table.processes[rank as usize].door;
    loop {
        match me().whereabouts.enter(rank, door) {
            Entry::In(place) => return Ok(Visit(place)),
            Entry::Full => std::thread::yield_now(),
            Entry::Shut => {
                let what =
                    || format!("an access to memory of rank {rank} of the job, which moves it");
                let waiting = Waiting {
                    key: key(door),
                    what: &what,
                    ranks: Ranks::One(rank),
                    needs: Needs::One(rank),
                    announce: None,
                };
                wait(&waiting, || door.is_open())?;
            }
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        me().whereabouts.leave(self.0);
    }
}

/// What those sleep for who find the door shut.
fn key(door: &'static Door) -> u64 {
    ((&raw const *door) as usize - segment().base() as usize) as u64
}

/// For how long a rank waits until its visitors have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// For as long as a visit mostly takes.
    Short,
    /// Until they have left, or died.
    Long,
}

/// A visitor that shares its core with others may have to wait for a time slice or two.
const SHORT: Duration = Duration::from_millis(10);
/// From then on the owner sleeps between looks.
const BRISK: Duration = Duration::from_millis(2);

/// One thread at a time moves memory.
static MOVING: Mutex<()> = Mutex::new(());

/// Does `work` while nobody else copies to or from this process's private memory. `None` if they did not leave.
pub fn without_visitors<R>(patience: Patience, work: impl FnOnce() -> R) -> Option<R> {
    let _one = MOVING.lock();
    let door = &me().door;
    door.shut();
    let alone = are_gone(patience);
    let result = alone.then(work);
    door.open();
    ring_key(key(door));
    result
}

fn are_gone(patience: Patience) -> bool {
    let began = Instant::now();
    let table = &job().table;
    let mut inside: Vec<u32> = (0..table.present().len() as u32).collect();
    let mut turns = 0;
    loop {
        inside.retain(|&rank| {
            let is_here = table.processes[rank as usize].whereabouts.is_at(job().rank);
            is_here && table.gone(rank).is_none()
        });
        if inside.is_empty() {
            return true;
        }
        match began.elapsed() {
            _ if turns < 100 => spin_loop(),
            waited if waited < BRISK => std::thread::yield_now(),
            waited if patience == Patience::Short && waited > SHORT => return false,
            _ => {
                look_around();
                std::thread::sleep(Duration::from_micros(100));
            }
        }
        turns += 1;
    }
}
