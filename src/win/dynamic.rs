//! Dynamic windows: memory attached and detached while the window lives (MPI 4.1 §12.2.4).
//!
//! Each process keeps a tree of its attached [regions](crate::block::regions) in the job segment, for others to look addresses up
//! in. The memory of its nodes is freed with the window, as a reader may still be in nodes that the tree has left behind.
//!
//! Readers take no lock and the target does nothing. An operation costs a look-up more, or a compare where the region found
//! last still serves: as long as the tree's version stands, put and get find their place by that, in 9 ns with a flush. (Not
//! with MPI_THREAD_MULTIPLE, where threads would have to agree on what is remembered.) Neighbouring regions serve one operation
//! together if they are neighbours for the origin too. Where not all between the first and the last byte of an operation is
//! attached, each of its runs is looked for by itself.

use super::adoption::Adoption;
use super::hints::Adopt;
use super::moving::movable;
use super::transfer::Resolved;
use super::{Flavor, Reach, Target, Window, memory};
use crate::bail;
use crate::block::regions::{Books, Change, Node, Region};
use crate::error::Result;
use crate::mpi::types::MPI_Aint;
use crate::naming;
use crate::runtime::errands::run_errand;
use crate::runtime::visits::Patience;
use crate::runtime::{must_reach, phase};
use crate::shm::Offset;
use crate::shm::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use crate::shm::heap::{self, Owned};
use crate::shm::replaceable::Refusal;
use crate::shm::segment::segment;
use crate::shm::view::Piece;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr::with_exposed_provenance_mut;

/// What the owner keeps privately.
#[derive(Default)]
pub struct Attached {
    /// By where they begin.
    regions: BTreeMap<usize, Attachment>,
    /// Where nothing was attached, with a size of 0, and not detached yet; how often.
    empty: HashMap<usize, usize>,
    books: Books,
    /// The memory of all nodes, and how many those are.
    memory: Vec<Owned>,
    nodes: usize,
}

/// A region that is attached.
struct Attachment {
    /// Bytes.
    len: usize,
    /// What may be taken in of it, and has not been.
    movable: Range<usize>,
    /// If it was taken in, and why it was not.
    adoption: Option<Adoption>,
    refusal: Option<Refusal>,
    /// Where its regions in the tree but the first begin.
    borders: Vec<usize>,
}

impl Attached {
    /// What may be taken in, and has not been, of the region in which an address lies, if it lies there.
    pub(super) fn movable_at(&self, address: usize) -> Option<Range<usize>> {
        let (_, region) = self.regions.range(..=address).next_back()?;
        let movable = region.movable.clone();
        movable.contains(&address).then_some(movable)
    }

    /// The region in which an address lies.
    pub(super) fn region_at(&self, address: usize) -> Option<Range<usize>> {
        let (&begin, region) = self.regions.range(..=address).next_back()?;
        let range = begin..begin + region.len;
        range.contains(&address).then_some(range)
    }

    /// Whether all regions were taken in, if there are some; and why the first one was not of those that were to be.
    pub(super) fn outcome(&self) -> Option<std::result::Result<(), Refusal>> {
        let mut refusals = self.regions.values().filter_map(|region| region.refusal);
        if let Some(refusal) = refusals.next() {
            return Some(Err(refusal));
        }
        let are_all = self
            .regions
            .values()
            .all(|region| region.adoption.is_some());
        (are_all && !self.regions.is_empty()).then_some(Ok(()))
    }

    /// Ends what was taken in.
    pub(super) fn move_out(&mut self) {
        for region in self.regions.values_mut() {
            region.adoption = None;
        }
    }

    /// Makes sure that so many regions can be added to the tree, and that none lacks a node that is removed later. Error:
    /// `MPI_ERR_NO_MEM`.
    fn provide(&mut self, regions: usize) -> Result<()> {
        let wanted = regions * self.books.wanted(node);
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
    /// Where `count` elements of `size` bytes, 255 at most, at a displacement of `target` are here, if they are in the region that was found last.
    #[inline(always)]
    pub(super) fn recently_attached(
        &self,
        target: &Target,
        disp: MPI_Aint,
        count: i64,
        size: usize,
    ) -> Option<*mut u8> {
        let recent = self.recent.get(self.rank_of(target))?;
        // A displacement in a dynamic window is an address; a window whose part was attached has a base and a unit.
        let at = (disp as usize).checked_mul(target.disp_unit)?;
        let address = (target.there as usize).wrapping_add(at);
        let (len, too_long) = (count as usize).overflowing_mul(size);
        // Several threads would need a lock for it.
        if too_long || phase::is_threaded() {
            return None;
        }
        recent.find(target.block.attached.version(), address, len)
    }

    /// `MPI_Win_attach`. Does not block. Errors: `MPI_ERR_RMA_FLAVOR`, `MPI_ERR_SIZE`, `MPI_ERR_BASE`, `MPI_ERR_RMA_ATTACH`
    /// if the region overlaps one that is attached, `MPI_ERR_NO_MEM`.
    pub fn attach(&self, base: *mut c_void, size: isize) -> Result<()> {
        self.must_be_dynamic()?;
        run_errand();
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
        if before.is_some_and(|(&begin, region)| begin + region.len > address) {
            bail!(
                RmaAttach,
                "{size} bytes at {base:p} overlap memory that is attached already"
            );
        }
        let offset = memory::offset_of(base, len)?.unwrap_or(0);
        self.attach_bytes(attached, address..end, offset)
    }

    /// Attaches this process's part of a window that is not dynamic. Error: `MPI_ERR_NO_MEM`.
    pub(super) fn attach_part(&self, bytes: Range<usize>) -> Result<()> {
        let mut attached = self.attached.lock();
        self.attach_bytes(attached.get_or_insert_default(), bytes, 0)
    }

    /// `offset`: in the segment, or 0. In the tree are what may be taken in and what lies before and behind it.
    fn attach_bytes(
        &self,
        attached: &mut Attached,
        bytes: Range<usize>,
        offset: Offset,
    ) -> Result<()> {
        let movable = match offset {
            0 => movable(&bytes),
            _ => 0..0,
        };
        let mut ends = vec![bytes.start];
        if !movable.is_empty() {
            ends.extend([movable.start, movable.end]);
        }
        ends.push(bytes.end);
        ends.dedup();
        attached.provide(ends.len() - 1)?;
        let attachment = Attachment {
            len: bytes.len(),
            movable: movable.clone(),
            adoption: None,
            refusal: None,
            borders: ends[1..ends.len() - 1].to_vec(),
        };
        attached.regions.insert(bytes.start, attachment);
        for ends in ends.windows(2) {
            let region = Region {
                address: ends[0],
                len: ends[1] - ends[0],
                offset,
            };
            self.publish(&mut attached.books, Change::Add(region));
        }
        if !movable.is_empty() && self.hints.lock().adopt == Adopt::AtOnce {
            // What cannot be taken in is reached as it was.
            let _ = self.adopt_region(attached, movable, Patience::Long);
        }
        Ok(())
    }

    /// Takes in what may be of an attached region. In the tree it becomes as many as it has pieces there, from behind: until
    /// the first one is told, all of it is what is found before those.
    pub(super) fn adopt_region(
        &self,
        attached: &mut Attached,
        movable: Range<usize>,
        patience: Patience,
    ) -> std::result::Result<(), Refusal> {
        let (begin, mut behind) = (movable.start, movable.end);
        let mut borders = Vec::new();
        let adoption = Adoption::of(movable, patience, |pieces| {
            attached.provide(pieces.len())?;
            for &Piece { offset, len } in pieces.iter().rev() {
                behind -= len;
                let address = behind;
                let region = Region {
                    address,
                    len,
                    offset,
                };
                self.publish(&mut attached.books, Change::Add(region));
                borders.push(address);
            }
            Ok(())
        });
        let mut all_before = attached.regions.range_mut(..=begin);
        let Some((_, region)) = all_before.next_back() else {
            return adoption.map(drop);
        };
        region.refusal = adoption.as_ref().err().copied();
        // The first piece begins where a region did.
        borders.pop();
        region.adoption = Some(adoption?);
        region.borders.extend(borders);
        region.movable = 0..0;
        Ok(())
    }

    /// `MPI_Win_detach` of the region that was attached at `base`. Does not block. Errors: `MPI_ERR_RMA_FLAVOR`,
    /// `MPI_ERR_BASE`.
    pub fn detach(&self, base: *const c_void) -> Result<()> {
        self.must_be_dynamic()?;
        run_errand();
        let address = base as usize;
        let mut attached = self.attached.lock();
        let attached = attached.get_or_insert_default();
        if let Some(region) = attached.regions.remove(&address) {
            for &address in [address].iter().chain(&region.borders) {
                self.publish(&mut attached.books, Change::Remove { address });
            }
            // Private again before this returns.
            drop(region);
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
    ) -> Result<Resolved> {
        let private = Resolved::new(at, self.reach_of_private(rank));
        let block = self.targets[rank as usize].block;
        let version = block.attached.version();
        let mut from = first;
        let mut found: Option<Resolved> = None;
        while from < behind || found.is_none() {
            let Some(region) = usize::try_from(from)
                .ok()
                .and_then(|from| block.attached.look_up(from, node))
            else {
                break;
            };
            let step = if region.offset != 0 {
                segment().reach(region.offset, region.len)?;
                let here = segment().at::<u8>(region.offset) as usize;
                Resolved::new(
                    at.wrapping_add(here).wrapping_sub(region.address),
                    Reach::Shared,
                )
            } else {
                private
            };
            // Neighbouring regions serve together as they are if they are neighbours for this process too, else as private
            // memory, which is the same where it is shared.
            found = match found {
                Some(before) if before != step => Some(Resolved {
                    mixed: true,
                    ..private
                }),
                _ => Some(step),
            };
            from = (region.address + region.len) as i128;
            if region.offset != 0 && !phase::is_threaded() && block.attached.version() == version {
                self.recent[rank as usize].keep(version, region);
            }
        }
        match found {
            Some(found) if from >= behind => Ok(found),
            _ => bail!(
                RmaRange,
                "bytes {first:#x} to {behind:#x} of {} are asked for, which are not (all) attached to the window",
                naming::owned(
                    rank as usize,
                    self.targets[rank as usize].process(),
                    "the window",
                    "memory"
                )
            ),
        }
    }
}
