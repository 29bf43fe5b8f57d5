//! Dynamic windows: memory attached and detached while the window lives (MPI 4.1 §12.2.4).
//!
//! Each process keeps a list of its attached [regions](super::regions) in the job segment, for others to look addresses up
//! in. A list that becomes too short is replaced by a longer one; the old one stays until the window is freed, since a
//! reader may still be in it. Lengths double, so all old ones together are no longer than the last.

use super::regions::{Entry, Region};
use super::{Flavor, Reach, Target, Window};
use crate::abi::constants::MPI_THREAD_MULTIPLE;
use crate::abi::types::MPI_Aint;
use crate::bail;
use crate::error::Result;
use crate::runtime::{must_reach, phase};
use crate::shm::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use crate::shm::heap::{self, Owned};
use crate::shm::segment::segment;
use std::ffi::{c_int, c_void};
use std::ptr::with_exposed_provenance_mut;

/// What the owner keeps privately.
#[derive(Default)]
pub struct Attached {
    regions: Vec<Region>,
    /// Where nothing was attached, with a size of 0, and not detached yet.
    empty: Vec<usize>,
    /// The lists in the segment, for the two slots that take turns.
    lists: [Lists; 2],
}

/// The lists that a slot has had, the current one last, and how long that is.
#[derive(Default)]
struct Lists {
    all: Vec<Owned>,
    capacity: usize,
}

impl Lists {
    /// Makes sure that there is a list of at least `len` entries.
    fn reach(&mut self, len: usize) -> Result<()> {
        if len > self.capacity {
            let capacity = len.next_power_of_two().max(16);
            let offset = heap::alloc_zeroed(capacity * size_of::<Entry>(), 64)?;
            self.all.push(Owned::new(offset));
            self.capacity = capacity;
        }
        Ok(())
    }
}

/// The shared list at `offset`.
fn list(offset: usize, len: usize) -> &'static [Entry] {
    must_reach(offset, len * size_of::<Entry>());
    // SAFETY: offset and length were published together by the owner, for a zeroed allocation of as many entries (atomics only)
    // that is not freed before the window; a torn pair is found out by the version and used for addresses only
    // after that.
    unsafe { std::slice::from_raw_parts(segment().at::<Entry>(offset), len) }
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

    /// Where the `len` bytes at `address` are here, if they are in it and the list of regions is still that version.
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
    /// if the region overlaps one that is attached.
    pub fn attach(&self, base: *mut c_void, size: isize) -> Result<()> {
        self.must_be_dynamic()?;
        let Ok(len) = usize::try_from(size) else {
            bail!(Size, "size is {size}, and a size is not negative");
        };
        let address = base as usize;
        if len == 0 {
            self.attached.lock().empty.push(address);
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
        let at = attached.regions.partition_point(|r| r.address < address);
        let before = at.checked_sub(1).map(|i| attached.regions[i]);
        let after = attached.regions.get(at).copied();
        let overlaps = before.is_some_and(|r| r.address + r.len > address)
            || after.is_some_and(|r| r.address < end);
        if overlaps {
            bail!(
                RmaAttach,
                "{size} bytes at {base:p} overlap memory that is attached already"
            );
        }
        let offset = segment().offset_of(base, len).unwrap_or(0);
        attached.regions.insert(
            at,
            Region {
                address,
                len,
                offset,
            },
        );
        let published = self.publish(&mut attached);
        if published.is_err() {
            attached.regions.remove(at);
        }
        published
    }

    /// `MPI_Win_detach` of the region that was attached at `base`. Does not block. Errors: `MPI_ERR_RMA_FLAVOR`,
    /// `MPI_ERR_BASE`.
    pub fn detach(&self, base: *const c_void) -> Result<()> {
        self.must_be_dynamic()?;
        let mut attached = self.attached.lock();
        let Ok(at) = attached
            .regions
            .binary_search_by_key(&(base as usize), |r| r.address)
        else {
            if let Some(at) = attached.empty.iter().position(|&e| e == base as usize) {
                attached.empty.swap_remove(at);
                return Ok(());
            }
            bail!(Base, "base is {base:p}, where nothing was attached");
        };
        attached.regions.remove(at);
        self.publish(&mut attached)
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

    /// Makes the owner's regions the shared list.
    fn publish(&self, attached: &mut Attached) -> Result<()> {
        let shared = &self.targets[self.rank].block.attached;
        let len = attached.regions.len();
        // Both, so that a list that becomes shorter never needs memory.
        for lists in &mut attached.lists {
            lists.reach(len)?;
        }
        let lists = &attached.lists[shared.next()];
        let place = lists.all.last().map_or(0, Owned::offset);
        let entries = if len == 0 { &[] } else { list(place, len) };
        shared.write(place, entries, &attached.regions);
        shared.publish();
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
                .and_then(|from| block.attached.look_up(from, list))
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
