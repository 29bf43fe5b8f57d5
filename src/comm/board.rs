//! The job's notice board: how processes that have no communicator of just themselves find each other.
//!
//! One of them, the leader, posts what the others need under a key that all of them can compute; each of the others
//! reads it; the leader takes it down when all have. The board is made by whoever comes first, and stays with the job.
//!
//! | key   | state of a post                                            | goes there                   |
//! |-------|------------------------------------------------------------|------------------------------|
//! | 0     | free                                                       | leader, when `unread` is 0   |
//! | 1     | a leader is writing it                                     | leader, by compare-exchange  |
//! | other | it can be read by those who know the key, `unread` of them | leader, after writing        |

use crate::error::Result;
use crate::runtime::{Ranks, Waiting, job, ring, wait};
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, heap};
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many posts there can be at the same time; who finds none free waits.
const POSTS: usize = 64;

#[repr(C)]
struct Post {
    key: AtomicU64,
    value: [AtomicU64; 2],
    unread: AtomicU32,
}

/// The board in the segment.
#[repr(C, align(128))]
pub struct Board {
    /// Where the processes of MPI_COMM_WORLD meet, by rank 0 in MPI_Init.
    pub world: AtomicU64,
    posts: [Post; POSTS],
}

/// Makes the board, in this process's part of the segment, unless the job has one.
pub fn install() -> Result<()> {
    let place = &job().table.job.board;
    if place.load(Ordering::Acquire) != 0 {
        return Ok(());
    }
    let mine: Offset = heap::alloc_zeroed(size_of::<Board>(), LINE)?;
    match place.compare_exchange(0, mine as u64, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Ok(()),
        // Another process came first.
        Err(_) => heap::free(mine),
    }
}

/// The job's board, which [`install`] has seen to.
pub fn board() -> &'static Board {
    let offset = job().table.job.board.load(Ordering::Acquire) as usize;
    // SAFETY: `offset` came from `install` of some process, which never frees it: zeroed memory, made of atomics only.
    unsafe { &*segment().at::<Board>(offset) }
}

/// The key for what these have in common. Different on every board's two special values.
pub fn key(what: impl Hash) -> u64 {
    // Processes of one job run the same code, so that the hash is the same in all of them.
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish() | 2
}

/// Posts `value` under `key` for the `readers` (ranks in the job, the caller not among them) and waits until all have
/// read it. Error: `MPI_ERR_PROC_FAILED` when one of them dies.
pub fn post(key: u64, value: [u64; 2], readers: &[u32], what: &dyn Fn() -> String) -> Result<()> {
    let waiting = Waiting {
        key: 0,
        what,
        ranks: Ranks::Needed(readers),
        announce: None,
    };
    let place: Cell<Option<&Post>> = Cell::new(None);
    wait(&waiting, || {
        let claim = |post: &&Post| {
            post.key
                .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
        };
        place.set(board().posts.iter().find(claim));
        place.get().is_some()
    })?;
    let post = place.get().expect("the wait ends with a place");
    for (word, value) in post.value.iter().zip(value) {
        word.store(value, Ordering::Relaxed);
    }
    post.unread.store(readers.len() as u32, Ordering::Relaxed);
    // Release: who finds the key finds the value.
    post.key.store(key, Ordering::Release);
    for &reader in readers {
        ring(reader);
    }
    let read = wait(&waiting, || post.unread.load(Ordering::Acquire) == 0);
    post.key.store(0, Ordering::Release);
    // Others may wait for a free place.
    job().table.ring_all();
    read
}

/// Waits until `leader`, the first of `group` (ranks in the job), has posted under `key`, and reads it. Error:
/// `MPI_ERR_PROC_FAILED` when one of the group dies: the leader may then have given up.
pub fn read(key: u64, leader: u32, group: &[u32], what: &dyn Fn() -> String) -> Result<[u64; 2]> {
    let waiting = Waiting {
        key: 0,
        what,
        ranks: Ranks::Needed(group),
        announce: None,
    };
    let found: Cell<Option<&Post>> = Cell::new(None);
    wait(&waiting, || {
        let posts = &board().posts;
        found.set(posts.iter().find(|p| p.key.load(Ordering::Acquire) == key));
        found.get().is_some()
    })?;
    let post = found.get().expect("the wait ends with a post");
    let value = [0, 1].map(|i| post.value[i].load(Ordering::Relaxed));
    // Release: the leader reuses the place only after this value was read.
    post.unread.fetch_sub(1, Ordering::Release);
    ring(leader);
    Ok(value)
}
