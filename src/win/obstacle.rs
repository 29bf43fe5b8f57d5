//! What the dead hold: whose death ends which wait for a lock. (MPI 4.1 leaves the window's state open then.)
//!
//! Nothing is taken from the dead: what they were writing may be half written. A lock that a dead process holds is never given
//! again, and a wait for it ends with `MPI_ERR_PROC_FAILED`. The other locks of the window go on working, and so does access to
//! the memory of the dead that lies in the job segment.
//!
//! | waiting for                        | ended by a dead process that                              |
//! |------------------------------------|-----------------------------------------------------------|
//! | a lock word, exclusively or shared | holds it exclusively (the word names it)                   |
//! | a lock word, exclusively           | may be one of the readers: they are counted, not named, so any dead process of the window is one while there are readers |
//! | the lock_all epochs to end         | was in one (its flag is up)                               |
//! | the exclusive locks to end         | holds one at any target: who counts itself there holds that target's word |
//!
//! A dead process's claim to be the next holder is void ([`void_claim`]). A process that has come to MPI_Finalize after another
//! died, with locks that it had no reason to give back, is like the dead here.

use super::Window;
use crate::runtime::deaths::{dead, name};
use crate::runtime::{Ranks, job};
use crate::shm::atomic::Ordering::Acquire;
use crate::shm::lock::Lock;

/// A rank of the job, and what it has in the way; as [`Ranks::Who`] wants it.
pub type Obstacle = Option<(u32, String)>;

/// Whether a rank of the job does nothing for others any more.
pub fn is_gone(rank: u32) -> bool {
    dead(Ranks::Needed(&[rank])).is_some()
}

/// The dead process that keeps others from the lock called `lock` ("lock of rank 1") in `call`.
pub fn of_lock(word: &Lock, exclusive: bool, members: &[u32], call: &str, lock: &str) -> Obstacle {
    if let Some(writer) = word.writer() {
        let who = name(writer, members);
        let text = || format!("{call}: the exclusive {lock} is held by {who}");
        return is_gone(writer).then(|| (writer, text()));
    }
    let readers = word.readers();
    if !exclusive || readers == 0 {
        return None;
    }
    let (reader, _) = dead(Ranks::Perhaps(members))?;
    let who = name(reader, members);
    Some((
        reader,
        format!("{call}: the {lock} is held shared by {readers}, and one of them may be {who}"),
    ))
}

/// Takes the claim of a dead process to a lock back.
pub fn void_claim(word: &Lock) {
    if job().table.job.incidents.load(Acquire) != 0
        && let Some((claimant, _)) = word.claim_standing()
        && is_gone(claimant)
    {
        word.unclaim(claimant);
    }
}

impl Window {
    /// The dead process that will not leave its lock_all epoch, for `call` that waits until nobody is in one.
    pub fn dead_in_lock_all(&self, call: &str) -> Obstacle {
        let inside = |&rank: &usize| self.control.ranks[rank].in_lock_all.is_up();
        let rank = (0..self.size())
            .filter(inside)
            .map(|rank| self.targets[rank].process())
            .find(|&rank| is_gone(rank))?;
        let who = name(rank, &self.meeting.members);
        Some((
            rank,
            format!("{call}: waiting for the end of the MPI_Win_lock_all of {who}"),
        ))
    }

    /// The dead process that holds an exclusive lock at any target.
    pub fn dead_exclusive(&self, call: &str) -> Obstacle {
        (0..self.size()).find_map(|rank| {
            let word = &self.targets[rank].block.lock;
            let lock = format!("lock of {}", self.name_of(rank));
            of_lock(word, false, &self.meeting.members, call, &lock)
        })
    }

    /// The first dead process of a group, which the window waits for in `call`.
    pub fn dead_of(&self, group: Ranks<'_>, call: &str) -> Obstacle {
        let (rank, _) = dead(group)?;
        let who = name(rank, &self.meeting.members);
        Some((rank, format!("{call} of {who}")))
    }
}
