//! Dynamic windows: memory attached and detached while the window lives (MPI 4.1 §12.2.4).
//!
//! Each process keeps a tree of its attached [regions](super::regions) in the job segment, for others to look addresses up
//! in. The memory of its nodes is freed with the window, as a reader may still be in nodes that the tree has left behind.
//!
//! Readers take no lock and the target does nothing. An operation costs a look-up more, or a compare where the region found
//! last still serves: as long as the tree's version stands, put and get find their place by that, in 9 ns with a flush. (Not
//! with MPI_THREAD_MULTIPLE, where threads would have to agree on what is remembered.) Neighbouring regions serve one operation
//! together if they are neighbours for the origin too. Where not all between the first and the last byte of an operation is
//! attached, each of its runs is looked for by itself.

use super::regions::{Books, Change, Node, Region};
use super::{Flavor, Reach, Target, Window, memory};
use crate::bail;
use crate::error::Result;
use crate::mpi::constants::MPI_THREAD_MULTIPLE;
use crate::mpi::types::MPI_Aint;
use crate::runtime::{must_reach, phase};
use crate::shm::Offset;
use crate::shm::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use crate::shm::heap::{self, Owned};
use crate::shm::segment::segment;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{c_int, c_void};
use std::ptr::with_exposed_provenance_mut;

/// What the owner keeps privately.
#[derive(Default)]
pub struct Attached {
    /// Where regions begin, and their lengths in bytes.
    regions: BTreeMap<usize, usize>,
    /// Where nothing was attached, with a size of 0, and not detached yet; how often.
    empty: HashMap<usize, usize>,
    books: Books,
    /// The memory of all nodes, and how many those are.
    memory: Vec<Owned>,
    nodes: usize,
}

impl Attached {
    /// Makes sure that a region can be added to the tree, and that none lacks a node that is removed later. Error:
    /// `MPI_ERR_NO_MEM`.
    fn provide(&mut self) -> Result<()> {
        let wanted = self.books.wanted(node);
        if self.books.spare() < wanted {
            let more = wanted.max(self.nodes / 2);
            // Not zeroed: nodes are written before they are looked at.
            let offset = heap::alloc(more * size_of::<Node>(), align_of::<Node>())?;
            self.memory.push(Owned::new(offset));
            self.nodes += more;
            let places = (0..more).rev().map(|i| offset + i * size_of::<Node>());
            places.for_each(|place| self.books.add(place));
        }
        Ok(())
    }
}

/// The node at an offset of the segment.
fn node(place: Offset) -> &'static Node {
    must_reach(place, size_of::<Node>());
    // SAFETY: only places that the owner has published come here, or the owner's own: nodes that are not freed before the
    // window. They are aligned, and of atomics only, so any bytes make one.
    unsafe { &*segment().at::<Node>(place) }
}

/// The region of a target that was found last, if all processes reach it by load and store. This process's own.
#[derive(Default)]
pub struct Recent {
    version: AtomicU64,
    address: AtomicUsize,
    len: AtomicUsize,
    /// Where it is here.
    here: AtomicUsize,
}

impl Recent {
    fn keep(&self, version: u64, region: Region) {
        let here = segment().at::<u8>(region.offset) as usize;
        self.version.store(version, Relaxed);
        self.address.store(region.address, Relaxed);
        self.len.store(region.len, Relaxed);
        self.here.store(here, Relaxed);
    }

    /// Where the `len` bytes at `address` are here, if they are in it and the tree of regions is still that version.
    #[inline(always)]
    fn find(&self, version: u64, address: usize, len: usize) -> Option<*mut u8> {
        let at = address.wrapping_sub(self.address.load(Relaxed));
        let size = self.len.load(Relaxed);
        let found = self.version.load(Relaxed) == version && at <= size && len <= size - at;
        found.then(|| with_exposed_provenance_mut(self.here.load(Relaxed).wrapping_add(at)))
    }
}

impl Window {
    /// Where `count` elements of `size` bytes, 255 at most, at an address of `target` are here, if they are in the region that was found last.
    #[inline(always)]
    pub(super) fn recently_attached(
        &self,
        target: &Target,
        address: MPI_Aint,
        count: i64,
        size: usize,
    ) -> Option<*mut u8> {
        let recent = self.recent.get(self.rank_of(target))?;
        let (len, too_long) = (count as usize).overflowing_mul(size);
        // Several threads would need a lock for it.
        if too_long || phase::level() == MPI_THREAD_MULTIPLE {
            return None;
        }
        recent.find(target.block.attached.version(), address as usize, len)
    }

    /// `MPI_Win_attach`. Does not block. Errors: `MPI_ERR_RMA_FLAVOR`, `MPI_ERR_SIZE`, `MPI_ERR_BASE`, `MPI_ERR_RMA_ATTACH`
    /// if the region overlaps one that is attached, `MPI_ERR_NO_MEM`.
    pub fn attach(&self, base: *mut c_void, size: isize) -> Result<()> {
        self.must_be_dynamic()?;
        let Ok(len) = usize::try_from(size) else {
            bail!(Size, "size is {size}, and a size is not negative");
        };
        let address = base as usize;
        if len == 0 {
            let mut attached = self.attached.lock();
            let empty = &mut attached.get_or_insert_default().empty;
            *empty.entry(address).or_default() += 1;
            return Ok(());
        }
        let Some(end) = address.checked_add(len) else {
            bail!(
                Size,
                "base {base:p} and size {size} reach beyond the end of memory"
            );
        };
        if base.is_null() {
            bail!(Base, "base is a null pointer, but size is {size}");
        }
        let mut attached = self.attached.lock();
        let attached = attached.get_or_insert_default();
        let before = attached.regions.range(..end).next_back();
        if before.is_some_and(|(&begin, &len)| begin + len > address) {
            bail!(
                RmaAttach,
                "{size} bytes at {base:p} overlap memory that is attached already"
            );
        }
        let offset = memory::offset_of(base, len)?.unwrap_or(0);
        attached.provide()?;
        attached.regions.insert(address, len);
        let region = Region {
            address,
            len,
            offset,
        };
        self.publish(&mut attached.books, Change::Add(region));
        Ok(())
    }

    /// `MPI_Win_detach` of the region that was attached at `base`. Does not block. Errors: `MPI_ERR_RMA_FLAVOR`,
    /// `MPI_ERR_BASE`.
    pub fn detach(&self, base: *const c_void) -> Result<()> {
        self.must_be_dynamic()?;
        let address = base as usize;
        let mut attached = self.attached.lock();
        let attached = attached.get_or_insert_default();
        if attached.regions.remove(&address).is_some() {
            self.publish(&mut attached.books, Change::Remove { address });
            return Ok(());
        }
        let Some(times) = attached.empty.get_mut(&address) else {
            bail!(Base, "base is {base:p}, where nothing was attached");
        };
        *times -= 1;
        if *times == 0 {
            attached.empty.remove(&address);
        }
        Ok(())
    }

    fn publish(&self, books: &mut Books, change: Change) {
        let tree = &self.targets[self.rank].block.attached;
        tree.prepare(books, change, node);
        tree.publish(books);
    }

    fn must_be_dynamic(&self) -> Result<()> {
        if self.flavor != Flavor::Dynamic {
            bail!(
                RmaFlavor,
                "memory is attached to and detached from windows of MPI_Win_create_dynamic only"
            );
        }
        Ok(())
    }

    /// How private memory of a rank of the window is reached.
    pub(super) fn reach_of_private(&self, rank: c_int) -> Reach {
        if rank as usize == self.rank {
            Reach::Own
        } else {
            Reach::Peer
        }
    }

    /// How the bytes `first` to `behind` of the target's address space are reached, and where `at` among them is for this
    /// process. Error: `MPI_ERR_RMA_RANGE` if they are not all attached.
    pub(super) fn find_attached(
        &self,
        rank: c_int,
        at: usize,
        first: i128,
        behind: i128,
    ) -> Result<(usize, Reach)> {
        let private = self.reach_of_private(rank);
        let block = self.targets[rank as usize].block;
        let version = block.attached.version();
        let mut from = first;
        let mut reach = None;
        while from < behind || reach.is_none() {
            let Some(region) = usize::try_from(from)
                .ok()
                .and_then(|from| block.attached.look_up(from, node))
            else {
                break;
            };
            let step = if region.offset != 0 {
                segment().reach(region.offset, region.len)?;
                (
                    at.wrapping_add(region.offset).wrapping_sub(region.address),
                    Reach::Shared,
                )
            } else {
                (at, private)
            };
            // Neighbouring regions serve together if they are neighbours for this process too.
            if *reach.get_or_insert(step) != step {
                break;
            }
            from = (region.address + region.len) as i128;
            if region.offset != 0
                && phase::level() != MPI_THREAD_MULTIPLE
                && block.attached.version() == version
            {
                self.recent[rank as usize].keep(version, region);
            }
            if from >= behind {
                let (place, reach) = step;
                let base = if reach == Reach::Shared {
                    segment().base() as usize
                } else {
                    0
                };
                return Ok((base.wrapping_add(place), reach));
            }
        }
        bail!(
            RmaRange,
            "bytes {first:#x} to {behind:#x} of rank {rank}'s memory are asked for, which are not (all) attached to the window"
        )
    }
}
