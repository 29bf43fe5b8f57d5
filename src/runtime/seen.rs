//! The job as one sees it from outside: what `rmashm-top` reads of the process table and of what the ranks have moved. Nothing of it
//! is locked, so a look is of many moments: two words of it may not fit together, and each may be nonsense if the job's memory is.

use super::meeting;
use super::spaces;
use super::table::{CAME, Death, Job, LEAVING, Process, State, Table};
use super::traffic::{self, Cell, Count, Own};
use crate::shm::atomic::Ordering::Relaxed;
use crate::shm::reader::{Plain, Reader};
use crate::shm::replaceable::Refusal;
use crate::shm::{PAGE, clock, lock};
use std::io;

// SAFETY: these are made of atomics and numbers.
unsafe impl Plain for Job {}
// SAFETY: as above.
unsafe impl Plain for Process {}
// SAFETY: as above.
unsafe impl Plain for Own {}
// SAFETY: as above.
unsafe impl Plain for Cell {}

/// A job.
pub struct Seen {
    /// Whether its launcher is ours, and watches its ranks.
    pub watched: bool,
    pub ranks: Vec<Rank>,
}

/// A rank of it.
pub struct Rank {
    pub state: State,
    /// How it died, if it did.
    pub death: Option<Death>,
    /// Its process, unless its number is said in other name spaces than the caller's. (In a core dump it is what was said there.)
    pub pid: Option<u32>,
    /// The launcher that has started its world, of which it is the first, if that is ours.
    pub launcher: Option<u32>,
    /// The core that it was on when it last told.
    pub core: Option<u32>,
    /// Whether it has come to MPI_Init; and to MPI_Finalize.
    pub came: bool,
    pub leaving: bool,
    /// The most bytes of its own memory that were in the segment; why some last stayed private, if any did.
    pub adopted: u64,
    pub refused: Option<&'static str>,
    /// What its sleeping threads wait for.
    pub waits: Vec<Wait>,
    pub collective: Counted,
    pub read: Counted,
    pub written: Counted,
    /// What it has moved to and from each rank of the job.
    pub moved: Vec<Moved>,
    /// The first of the windows that it has listed, an offset.
    pub(crate) windows: u64,
}

/// What a thread waits for.
#[derive(Clone, Debug)]
pub struct Wait {
    pub words: String,
    /// For how long it has slept for it, in milliseconds.
    pub since: u32,
    /// Of a barrier: how many of how many have come.
    pub come: Option<(u32, u32)>,
    /// What it is rung by; of a window's lock its offset.
    pub(crate) key: u64,
}

/// Operations and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub operations: u64,
    pub bytes: u64,
}

/// What a rank has moved to or from another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    pub put: Counted,
    pub got: Counted,
    pub accumulated: Counted,
    pub sent: Counted,
}

impl From<&Count> for Counted {
    fn from(count: &Count) -> Counted {
        Counted {
            operations: count.operations.load(Relaxed),
            bytes: count.bytes.load(Relaxed),
        }
    }
}

impl From<&Cell> for Moved {
    fn from(cell: &Cell) -> Moved {
        Moved {
            put: (&cell.put).into(),
            got: (&cell.got).into(),
            accumulated: (&cell.accumulated).into(),
            sent: (&cell.sent).into(),
        }
    }
}

impl Seen {
    /// A look at the job. Errors: the system's; `InvalidData` where the segment has no table yet, or nonsense in its place.
    pub fn look(reader: &Reader) -> io::Result<Seen> {
        let job: Box<Job> = reader.read(PAGE)?;
        let (room, ranks) = (job.room(), job.present());
        if ranks == 0 || ranks > room || room > lock::MAX_RANKS {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let processes: Vec<Process> = reader.read_many(Table::first(), ranks)?;
        let rows = Table::first() + room * size_of::<Process>();
        let now = match reader.dump() {
            None => clock::now().as_millis() as u32,
            Some(_) => last(&processes),
        };
        let rank = |(rank, process): (usize, &Process)| {
            let row = rows + rank * traffic::row_bytes(room);
            let own: Box<Own> = reader.read(row)?;
            let cells: Vec<Cell> = reader.read_many(row + size_of::<Own>(), ranks)?;
            Ok(Rank::of(reader, process, now, &own, &cells))
        };
        let watched = job.watched.load(Relaxed) != 0;
        let ranks: io::Result<Vec<Rank>> = processes.iter().enumerate().map(rank).collect();
        Ok(Seen {
            watched,
            ranks: ranks?,
        })
    }
}

/// When a core dump was made, it does not say: that is after the last that any rank has done.
fn last(processes: &[Process]) -> u32 {
    let times = processes.iter().flat_map(Process::times);
    let later = |one: u32, other: u32| match (other.wrapping_sub(one) as i32) > 0 {
        true => other,
        false => one,
    };
    times.reduce(later).unwrap_or(0)
}

impl Rank {
    /// Whether it has listed windows.
    pub fn has_windows(&self) -> bool {
        self.windows != 0
    }

    fn of(reader: &Reader, process: &Process, now: u32, own: &Own, cells: &[Cell]) -> Rank {
        let pid = process.pid.load(Relaxed);
        let refused = process.refused.load(Relaxed).checked_sub(1);
        let waits = process.waits.iter().filter_map(|wait| wait.seen(now));
        let waits = waits.map(|(key, since, words)| Wait {
            come: meeting::come(reader, key),
            words,
            since,
            key,
        });
        // What a dump says need not be true here.
        let is_said_here = || {
            reader.dump().is_some()
                || process.spaces.load(Relaxed) == 0
                || spaces::are_shared_with(process)
        };
        Rank {
            state: process.state(),
            death: process.death(),
            pid: (pid != 0 && is_said_here()).then_some(pid),
            launcher: process.launcher(),
            core: process.core.load(Relaxed).checked_sub(1),
            came: process.says(CAME),
            leaving: process.says(LEAVING),
            adopted: process.adopted.load(Relaxed),
            refused: refused.and_then(Refusal::of).map(Refusal::text),
            waits: waits.collect(),
            collective: (&own.collective).into(),
            read: (&own.read).into(),
            written: (&own.written).into(),
            moved: cells.iter().map(Moved::from).collect(),
            windows: process.windows.load(Relaxed),
        }
    }
}
