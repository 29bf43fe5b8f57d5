//! What each rank has moved so far, and to whom, in the segment: behind the processes of the [table](super::table) each rank has a row,
//! with [`Own`] of the rank and a [`Cell`] for every rank of the job, itself included.
//!
//! A row is written by its rank alone, so that no counter's line goes from core to core, and read by anybody at any time. Nothing
//! is reset. A cell is one cache line, 64 bytes: of 256 ranks the rows take 4 MiB of the segment's file, of which only the pages
//! exist in which somebody has counted.
//!
//! **Cost**: a put counts by two loads and two additions to a line that is in the first-level cache. With `MPI_THREAD_MULTIPLE` an
//! exact count would take a locked instruction, which is longer than the put. So there the counts of windows may miss some, of
//! threads that count in the same moment. All others are exact.

use super::phase;
use super::table::Table;
use crate::observe;
use crate::shm::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use crate::shm::segment::Segment;
use crate::shm::{LINE, Offset};

/// Operations of one kind, and their bytes. Both wrap.
#[repr(C)]
#[derive(Default)]
pub struct Count {
    pub operations: AtomicU64,
    pub bytes: AtomicU64,
}

/// What a rank has moved to or from one other.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Cell {
    /// Into the other's part of windows.
    pub put: Count,
    /// From there.
    pub got: Count,
    /// The accumulate family, also where it only reads. Bytes are those of the target's elements, where they are several.
    pub accumulated: Count,
    /// Messages to the other, counted when they start, also those of which collective operations are made.
    pub sent: Count,
}

/// What a rank has done that is towards no other.
#[repr(C, align(128))]
#[derive(Default)]
pub struct Own {
    /// Calls of collective operations of communicators, and what the rank itself gave to them.
    pub collective: Count,
    /// Of files.
    pub read: Count,
    pub written: Count,
}

const _: () = assert!(size_of::<Cell>() == 64 && size_of::<Own>() == LINE);

/// The rows of all ranks.
#[derive(Clone, Copy)]
pub struct Rows {
    first: *const u8,
    ranks: usize,
}

// SAFETY: rows are atomics in the segment, which stays mapped.
unsafe impl Send for Rows {}
// SAFETY: as above.
unsafe impl Sync for Rows {}

/// One rank's.
#[derive(Clone, Copy)]
pub struct Row {
    pub own: &'static Own,
    /// By rank of the job.
    pub cells: &'static [Cell],
}

/// Where the row of this process is; 0 before it has one.
static ROW: AtomicUsize = AtomicUsize::new(0);

/// Bytes of a row.
pub const fn row_bytes(ranks: usize) -> usize {
    (size_of::<Own>() + ranks * size_of::<Cell>()).next_multiple_of(LINE)
}

impl Rows {
    /// Those at `offset` of the segment.
    ///
    /// # Safety
    /// There are `ranks` rows, of zeros when the segment was made.
    pub unsafe fn open(segment: &'static Segment, offset: Offset, ranks: usize) -> Rows {
        let first = segment.at::<u8>(offset).cast_const();
        Rows { first, ranks }
    }

    pub fn row(&self, rank: usize) -> Row {
        assert!(rank < self.ranks, "rank {rank} of {}", self.ranks);
        let at = self.first.wrapping_add(rank * row_bytes(self.ranks));
        // SAFETY: the maker's promise; a row is its own counts and a cell for each rank, all atomics.
        unsafe {
            Row {
                own: &*at.cast(),
                cells: std::slice::from_raw_parts(at.add(size_of::<Own>()).cast(), self.ranks),
            }
        }
    }
}

/// From now on this process counts in the row of its rank.
pub(super) fn begin(table: &Table, rank: u32) {
    let row = table.rows.row(rank as usize);
    ROW.store((&raw const *row.own).expose_provenance(), Relaxed);
}

/// A rank of the job, as the place of its cell in a row: so a put finds it by two loads.
#[derive(Clone, Copy)]
pub struct Towards(u32);

impl Towards {
    pub fn new(rank: u32) -> Towards {
        Towards((size_of::<Own>() + rank as usize * size_of::<Cell>()) as u32)
    }

    #[inline(always)]
    pub fn rank(self) -> u32 {
        (self.0 - size_of::<Own>() as u32) / size_of::<Cell>() as u32
    }

    /// This process's counts towards the rank.
    #[inline(always)]
    pub fn cell(self) -> &'static Cell {
        let row = ROW.load(Relaxed);
        debug_assert!(row != 0, "windows and messages come after the job");
        // SAFETY: who has a rank of the job is part of it, and so this process has a row, with a cell for every rank.
        unsafe { &*std::ptr::with_exposed_provenance(row + self.0 as usize) }
    }
}

/// This process's counts towards a rank of the job.
#[inline(always)]
pub fn towards(rank: u32) -> &'static Cell {
    Towards::new(rank).cell()
}

/// This process's counts of its own.
#[inline]
pub fn own() -> &'static Own {
    let row = ROW.load(Relaxed);
    assert!(
        row != 0,
        "collective operations and files come after the job"
    );
    // SAFETY: a row begins with them.
    unsafe { &*std::ptr::with_exposed_provenance(row) }
}

/// The sum of one of this process's counts over all ranks. Before there is a job: 0.
pub fn total(of: impl Fn(&Cell) -> &AtomicU64) -> u64 {
    let Some(job) = super::try_job() else {
        return 0;
    };
    let cells = job.table.rows.row(job.rank as usize).cells;
    let counts = cells.iter().map(|cell| of(cell).load(Relaxed));
    counts.fold(0, u64::wrapping_add)
}

/// One of this process's counts of its own. Before there is a job: 0.
pub fn of_own(of: impl Fn(&Own) -> &AtomicU64) -> u64 {
    super::try_job().map_or(0, |_| of(own()).load(Relaxed))
}

impl Count {
    /// Counts an operation.
    #[inline]
    pub fn add(&self, bytes: usize) {
        observe::moved(bytes);
        match phase::is_threaded() {
            true => {
                self.operations.fetch_add(1, Relaxed);
                self.bytes.fetch_add(bytes as u64, Relaxed);
            }
            false => self.add_alone(bytes),
        }
    }

    /// The same of a thread that counts alone, or else may be missed.
    #[inline(always)]
    pub fn add_alone(&self, bytes: usize) {
        add_alone(&self.bytes, bytes as u64);
        add_alone(&self.operations, 1);
    }

    /// The same without bytes.
    #[inline(always)]
    pub fn add_operation(&self) {
        add_alone(&self.operations, 1);
    }
}

#[inline(always)]
fn add_alone(to: &AtomicU64, more: u64) {
    to.store(to.load(Relaxed).wrapping_add(more), Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lie_side_by_side_and_do_not_touch() {
        for ranks in [1, 2, 3, 256] {
            let segment = Box::leak(Box::new(Segment::create(Table::bytes(ranks)).unwrap()));
            let table = Table::create(segment, ranks as u32, ranks as u32, true);
            for rank in 0..ranks {
                let row = table.rows.row(rank);
                assert_eq!(row.cells.len(), ranks);
                row.own.collective.add_alone(1 + rank);
                row.cells.iter().enumerate().for_each(|(to, cell)| {
                    let counts = [&cell.put, &cell.got, &cell.accumulated, &cell.sent];
                    counts
                        .iter()
                        .for_each(|count| count.add_alone(rank * ranks + to));
                });
            }
            for rank in 0..ranks {
                let row = table.rows.row(rank);
                assert_eq!(row.own.collective.bytes.load(Relaxed), 1 + rank as u64);
                assert_eq!(row.own.written.operations.load(Relaxed), 0);
                for (to, cell) in row.cells.iter().enumerate() {
                    assert_eq!(cell.put.bytes.load(Relaxed), (rank * ranks + to) as u64);
                    assert_eq!(cell.sent.operations.load(Relaxed), 1);
                }
            }
            let process = &raw const table.processes[ranks - 1];
            let behind = process.wrapping_add(1).addr();
            assert!(behind <= (&raw const *table.rows.row(0).own).addr());
        }
    }
}
