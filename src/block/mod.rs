//! A window's control block: what its processes share besides the data, in the job segment.
//!
//! It begins with the window's [`Meeting`]; behind that lie a [`Record`] of what the window is, a [`Gate`] for the whole
//! window, a [`PerRank`] and a [`Share`] for each process and a matrix of [posts](Control::posts). What is written by different processes
//! at the same time lies on different cache lines.
//!
//! For each process there are: its lock word with the exposure flag, its accumulate lock with the bias, completions, lock_all
//! flag, mark, attached regions, what others ask of it. Rank 0 allocates the block, and offers it with its part in the one exchange that makes the
//! window.
//!
//! - [`access`]: the word of the access epoch; [`regions`]: the tree of attached memory; [`move_in`]: when memory becomes shared
//! - [`listed`]: the list of windows; [`seen`]: what is read of it from outside
//!
//! Windows themselves are the room `win`; the launcher and `rmashm-top` are built with this room and without that.

pub mod access;
pub mod listed;
mod move_in;
pub mod regions;
pub mod seen;

use crate::error::Result;
use crate::runtime::meeting::Meeting;
use crate::shm::Offset;
use crate::shm::atomic::AtomicU32;
use crate::shm::bias::{Bias, Mark};
use crate::shm::counter::Counter;
use crate::shm::gate::{Flag, Gate};
use crate::shm::lock::Lock;
use crate::shm::segment::segment;
use listed::{Record, Share};
use move_in::MoveIn;
use regions::Regions;

/// Entries in a node of the tree of attached [regions], and how many of the last trees' roots are kept.
const FANOUT: usize = 16;
const ROOTS: usize = 4;

/// For one process: what others do to it as a target, and what it does as an origin.
#[repr(C, align(64))]
pub struct PerRank {
    /// MPI_Win_lock on this target.
    pub lock: Lock,
    /// 1 while the target is exposed by post, on the line that lockers have anyway.
    pub exposed: AtomicU32,
    _line: [u8; 52],
    /// Held while elements of this target are updated other than by one atomic instruction of the CPU each, unless the
    /// bias is such that these need not be kept out (see `win::update`).
    pub accumulate: Lock,
    pub bias: Bias,
    _line2: [u8; 48],
    /// As a target: MPI_Win_complete calls of all origins so far. Never reset, wraps.
    pub completed: Counter,
    _line3: [u8; 60],
    /// As an origin: 1 while in a lock_all epoch.
    pub in_lock_all: Flag,
    /// As an origin: up while elements are updated by atomic instructions without the target's accumulate lock.
    pub updating: Mark,
    _line4: [u8; 56],
    /// As the owner of attached memory (see `win::dynamic`).
    pub attached: Regions,
    /// 1 when it has given the window up: where one of its processes has died, others look at that (see `win::lost`).
    pub left: AtomicU32,
    _line5: [u8; 20],
    /// As the owner of memory of the program's own.
    pub move_in: MoveIn,
}

const _: () = assert!(size_of::<Gate>() == 128 && size_of::<PerRank>() == 384);

/// The control block of a window, mapped.
#[derive(Clone, Copy)]
pub struct Control {
    pub record: &'static Record,
    /// Between lock_all and exclusive locks at any target (see `win::passive`).
    pub gate: &'static Gate,
    pub ranks: &'static [PerRank],
    pub shares: &'static [Share],
    posts: &'static [Counter],
}

impl Control {
    /// Makes the block for a window of `ranks` processes; one of them does, and hands it to the others.
    pub fn create(ranks: usize) -> Result<Offset> {
        Meeting::create_with(ranks, Control::bytes(ranks) - Meeting::bytes(ranks))
    }

    /// Bytes of the block, with the meeting.
    pub fn bytes(ranks: usize) -> usize {
        let one = size_of::<Record>() + size_of::<Gate>();
        let each = ranks * size_of::<PerRank>() + Control::share_bytes(ranks);
        Meeting::bytes(ranks) + one + each + ranks * ranks * size_of::<Counter>()
    }

    /// Bytes of the shares, up to the next cache line.
    const fn share_bytes(ranks: usize) -> usize {
        (ranks * size_of::<Share>()).next_multiple_of(64)
    }

    /// The block at `offset`. It is freed when the window's meeting ends, so the window keeps both together.
    pub fn open(offset: Offset, ranks: usize) -> Control {
        let mut at = offset + Meeting::bytes(ranks);
        let mut next = |bytes: usize| {
            at += bytes;
            at - bytes
        };
        // SAFETY: `create` allocated the block, zeroed, with room for all of this in this order, aligned to 128 bytes; all
        // of it is atomics. The window that keeps the references keeps the meeting, which keeps the block.
        unsafe {
            let record = &*segment().at::<Record>(next(size_of::<Record>()));
            let gate = &*segment().at::<Gate>(next(size_of::<Gate>()));
            let per_rank = segment().at::<PerRank>(next(ranks * size_of::<PerRank>()));
            let shares = segment().at::<Share>(next(Control::share_bytes(ranks)));
            let posts = segment().at::<Counter>(next(ranks * ranks * size_of::<Counter>()));
            Control {
                record,
                gate,
                ranks: std::slice::from_raw_parts(per_rank, ranks),
                shares: std::slice::from_raw_parts(shares, ranks),
                posts: std::slice::from_raw_parts(posts, ranks * ranks),
            }
        }
    }

    /// How often `target` has posted to `origin` so far. Never reset, wraps.
    pub fn posts(&self, target: usize, origin: usize) -> &'static Counter {
        &self.posts[target * self.ranks.len() + origin]
    }

    /// What those sleep for who wait for something at this address of the block.
    pub fn key<T>(place: &'static T) -> u64 {
        (place as *const T as usize - segment().base() as usize) as u64
    }
}
