//! The list of a process's attached regions in shared memory, sorted by address, for others to look addresses up in.
//!
//! It is guarded by its owner's version number (a sequence lock): odd while the list is being changed; a reader that finds it
//! odd or changed looks again. Where the list is can change with it, so a reader first makes sure that place and length
//! belong together, then follows them, and then that what it read belongs to them.

use crate::shm::Offset;
use crate::shm::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::shm::atomic::{AtomicU64, fence, spin_loop};

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

/// Where the list is. Zero is an empty list.
#[repr(C)]
#[derive(Default)]
pub struct Regions {
    version: AtomicU64,
    place: AtomicU64,
    count: AtomicU64,
}

impl Regions {
    /// Writes `regions` to the beginning of `list`, which lies at `place`. For the owner, one thread at a time.
    pub fn publish(&self, place: Offset, list: &[Entry], regions: &[Region]) {
        let version = self.version.load(Relaxed);
        self.version.store(version.wrapping_add(1), Relaxed);
        // The odd version is visible before any change.
        fence(Release);
        for (entry, region) in list.iter().zip(regions) {
            entry.address.store(region.address as u64, Relaxed);
            entry.len.store(region.len as u64, Relaxed);
            entry.offset.store(region.offset as u64, Relaxed);
        }
        self.place.store(place as u64, Relaxed);
        self.count.store(regions.len() as u64, Relaxed);
        self.version.store(version.wrapping_add(2), Release);
    }

    /// The region that contains `address`. `list` finds the list of a place and a length that were published together.
    pub fn look_up<'a>(
        &self,
        address: usize,
        list: impl Fn(Offset, usize) -> &'a [Entry],
    ) -> Option<Region> {
        loop {
            let version = self.version.load(Acquire);
            if version.is_multiple_of(2) {
                let count = self.count.load(Relaxed) as usize;
                let place = self.place.load(Relaxed) as usize;
                if self.is_still(version) {
                    let entries = if count == 0 { &[] } else { list(place, count) };
                    let at =
                        entries.partition_point(|e| e.address.load(Relaxed) as usize <= address);
                    let found = at.checked_sub(1).map(|i| entries[i].read());
                    if self.is_still(version) {
                        return found.filter(|r| address - r.address < r.len);
                    }
                }
            }
            spin_loop();
            std::thread::yield_now();
        }
    }

    /// Whether all that was read since `version` was seen belongs to it.
    fn is_still(&self, version: u64) -> bool {
        // With the fence of `publish`: who has read a changed word sees the odd version.
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
