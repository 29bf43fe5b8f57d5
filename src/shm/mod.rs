//! Shared memory: the job segment, its heap, futexes, and access to memory of other processes. Knows nothing of MPI.
//!
//! Everything that processes share lies in one memfd, of which each of them maps what the job uses ([`segment`]), and is
//! named by [`Offset`]s. Each process hands out memory from ranges that it alone leases ([`heap`]), so no allocator state is
//! shared and none can be left locked by a process that dies.

pub mod adoption;
pub mod atomic;
pub mod barrier;
pub mod bias;
pub mod cgroup;
pub mod claim;
pub mod clock;
pub mod consensus;
pub mod copy;
pub mod counter;
pub mod descriptor;
pub mod doorbell;
pub mod dump;
pub mod error;
pub mod futex;
pub mod gate;
pub mod heap;
pub mod holders;
pub mod idle;
pub mod late;
pub mod lock;
mod maker;
pub mod mapping;
pub mod maps;
pub mod membarrier;
pub mod memory;
pub mod notes;
pub mod office;
mod pages;
pub mod parcel;
pub mod peer;
pub mod reader;
mod records;
pub mod rendezvous;
pub mod replaceable;
pub mod segment;
pub mod sleepers;
pub mod stillness;
pub mod text;
pub mod view;
pub mod visitors;
pub mod watched;

/// A place in the job segment, in bytes from its beginning. 0 is the segment's header and so never an allocation.
pub type Offset = usize;

/// So many threads of a process can be in private memory of others at a time; more take turns.
pub const VISITS: usize = 16;

/// The size of a page, and the unit in which the heap hands out larger ranges.
pub const PAGE: usize = 4096;
/// The unit of large ranges: where huge pages are to be had, such a range can have them.
pub const HUGE: usize = 2 << 20;
/// What processes write at the same time lies this far apart (a pair of cache lines: the prefetcher takes two).
pub const LINE: usize = 128;

/// `n` rounded up to a multiple of the power of two `to`; `None` if that overflows.
pub fn round_up(n: usize, to: usize) -> Option<usize> {
    n.checked_add(to - 1).map(|n| n & !(to - 1))
}
