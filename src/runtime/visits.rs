//! Visits to private memory of a rank, which others copy to and from through the kernel, and the times in which the rank keeps
//! them out because it moves that memory. States and orderings: [`shm::visitors`](crate::shm::visitors).

use super::wait::{Waiting, ring_key, wait};
use super::{Ranks, job, me};
use crate::error::Result;
use crate::shm::atomic::{Ordering, spin_loop};
use crate::shm::segment::segment;
use crate::shm::visitors::Visitors;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// A visit to a rank's private memory, until this is dropped.
pub struct Visit(u32);

/// Blocks while the rank moves its memory. Error: `MPI_ERR_PROC_FAILED` if it dies over that.
pub fn visit(rank: u32) -> Result<Visit> {
    let visitors = visitors_of(rank);
    if !visitors.enter() {
        let what = || format!("an access to memory of rank {rank} of the job, which moves it");
        let waiting = Waiting {
            key: key(visitors),
            what: &what,
            ranks: Ranks::One(rank),
            announce: None,
        };
        wait(&waiting, || visitors.enter())?;
    }
    Ok(Visit(rank))
}

impl Drop for Visit {
    fn drop(&mut self) {
        visitors_of(self.0).leave();
    }
}

fn visitors_of(rank: u32) -> &'static Visitors {
    &job().table.processes[rank as usize].visitors
}

/// What those sleep for who find the door shut.
fn key(visitors: &'static Visitors) -> u64 {
    ((&raw const *visitors) as usize - segment().base() as usize) as u64
}

/// For how long a rank waits until its visitors have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// For as long as a visit mostly takes.
    Short,
    /// Until they have left, or died.
    Long,
}

const SHORT: Duration = Duration::from_millis(2);
/// Where so many are inside as have died, and nobody has left for so long, those inside are the dead.
const STUCK: Duration = Duration::from_secs(1);

/// One thread at a time moves memory.
static MOVING: Mutex<()> = Mutex::new(());

/// Does `work` while nobody else copies to or from this process's private memory. `None` if they did not leave.
pub fn without_visitors<R>(patience: Patience, work: impl FnOnce() -> R) -> Option<R> {
    let _one = MOVING.lock();
    let visitors = &me().visitors;
    visitors.shut();
    let alone = are_gone(visitors, patience);
    let result = alone.then(work);
    visitors.open();
    ring_key(key(visitors));
    result
}

fn are_gone(visitors: &Visitors, patience: Patience) -> bool {
    let began = Instant::now();
    for _ in 0..100 {
        if visitors.are_gone() {
            return true;
        }
        spin_loop();
    }
    let mut seen = visitors.inside();
    let mut since = began;
    loop {
        if visitors.are_gone() {
            return true;
        }
        let now = Instant::now();
        match patience {
            Patience::Short if now - began > SHORT => return false,
            Patience::Short => {}
            Patience::Long => {
                let inside = visitors.inside();
                if inside != seen {
                    (seen, since) = (inside, now);
                }
                let dead = job().table.job.deaths.load(Ordering::Acquire);
                if inside <= dead && now - since > STUCK {
                    return true;
                }
            }
        }
        if now - began > SHORT {
            std::thread::sleep(Duration::from_micros(100));
        } else {
            std::thread::yield_now();
        }
    }
}
