//! The list of a process's attached regions in shared memory, sorted by address, for others to look addresses up in.
//!
//! The owner never changes the list that is in use: there are two [slots](Regions), the version's last bit says which is
//! current, and the owner writes the whole new list to the other one before one store makes that the current one. So a
//! reader never waits, also not for an owner that was killed while it wrote. A reader that is so slow that the owner
//! writes to its slot again finds the version changed, throws away what it read, and looks again. Where a slot's
//! list is can change with it, so a reader first makes sure that place and length belong together, then follows them, and
//! then that what it read belongs to them.

use crate::shm::Offset;
use crate::shm::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::shm::atomic::{AtomicU64, fence};

/// A region, in shared memory.
#[repr(C)]
#[derive(Default)]
pub struct Entry {
    address: AtomicU64,
    len: AtomicU64,
    /// Its offset in the job segment, or 0 if it is private memory.
    offset: AtomicU64,
}

/// The same, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub address: usize,
    pub len: usize,
    pub offset: Offset,
}

/// Where a list is. Zero is an empty list.
#[repr(C)]
#[derive(Default)]
struct Slot {
    place: AtomicU64,
    count: AtomicU64,
}

/// Where the lists are. Zero is an empty list.
#[repr(C)]
#[derive(Default)]
pub struct Regions {
    version: AtomicU64,
    slots: [Slot; 2],
}

impl Regions {
    /// The slot that the next list goes to. For the owner, one thread at a time, as [`Regions::write`] and
    /// [`Regions::publish`].
    pub fn next(&self) -> usize {
        (self.version.load(Relaxed).wrapping_add(1) % 2) as usize
    }

    /// Writes `regions` to the beginning of `list`, which lies at `place` and is the [next](Regions::next) slot's own.
    /// Nobody finds them before [`Regions::publish`].
    pub fn write(&self, place: Offset, list: &[Entry], regions: &[Region]) {
        // Who sees one of these changes, in a slot that was current once, sees that it is not any more.
        fence(Release);
        for (entry, region) in list.iter().zip(regions) {
            entry.address.store(region.address as u64, Relaxed);
            entry.len.store(region.len as u64, Relaxed);
            entry.offset.store(region.offset as u64, Relaxed);
        }
        let slot = &self.slots[self.next()];
        slot.place.store(place as u64, Relaxed);
        slot.count.store(regions.len() as u64, Relaxed);
    }

    /// Makes what was written the current list.
    pub fn publish(&self) {
        let version = self.version.load(Relaxed);
        self.version.store(version.wrapping_add(1), Release);
    }

    /// What changes with the list. What was looked up between two equal versions belongs to them.
    #[inline(always)]
    pub fn version(&self) -> u64 {
        self.version.load(Acquire)
    }

    /// The region that contains `address`. `list` finds the list of a place and a length that were published together.
    pub fn look_up<'a>(
        &self,
        address: usize,
        list: impl Fn(Offset, usize) -> &'a [Entry],
    ) -> Option<Region> {
        loop {
            let version = self.version.load(Acquire);
            let slot = &self.slots[(version % 2) as usize];
            let count = slot.count.load(Relaxed) as usize;
            let place = slot.place.load(Relaxed) as usize;
            if !self.is_still(version) {
                continue;
            }
            let entries = if count == 0 { &[] } else { list(place, count) };
            let at = entries.partition_point(|e| e.address.load(Relaxed) as usize <= address);
            let found = at.checked_sub(1).map(|i| entries[i].read());
            if self.is_still(version) {
                return found.filter(|r| address - r.address < r.len);
            }
        }
    }

    /// Whether all that was read since `version` was seen belongs to it.
    fn is_still(&self, version: u64) -> bool {
        // With the fence of `write`: who has read a word of a later list sees that version's successor at least.
        fence(Acquire);
        self.version.load(Relaxed) == version
    }
}

impl Entry {
    fn read(&self) -> Region {
        Region {
            address: self.address.load(Relaxed) as usize,
            len: self.len.load(Relaxed) as usize,
            offset: self.offset.load(Relaxed) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An owner that is killed while it writes a list leaves the last one it published.
    #[test]
    fn a_list_half_written_keeps_nobody_waiting() {
        let lists: [[Entry; 2]; 2] = Default::default();
        let regions = Regions::default();
        let list = |place: Offset, count: usize| &lists[place][..count];
        let region = |address| Region {
            address,
            len: 10,
            offset: 0,
        };
        for last in [100, 200, 300] {
            let next = regions.next();
            regions.write(next, &lists[next], &[region(50), region(last)]);
            let found = regions.look_up(last, list);
            assert_ne!(found, Some(region(last)), "not published yet");
            regions.publish();
            assert_eq!(regions.look_up(last + 9, list), Some(region(last)));
            assert_eq!(regions.look_up(last + 10, list), None);
            assert_eq!(regions.look_up(50, list), Some(region(50)));
        }
    }
}
