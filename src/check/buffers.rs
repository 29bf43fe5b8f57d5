//! The memory of the program's calls: each that is given buffers says so ([`uses`]) before it begins. There it is compared with what is
//! [pending](super::pending), with the call's other buffers, and with what memory there is.
//!
//! **Gaps are not touched**: the runs of a datatype are compared one by one. Data of more than [`RUNS`] runs is not looked at.

use super::faults::Owner;
use super::memory::{self, Memory};
use super::pending::compare;
use super::ranges::{Range, Ranges};
use super::{Finding, called, tell, threads, turn};
use std::cell::RefCell;

/// Runs of bytes of one call.
pub const RUNS: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// What a call uses.
#[derive(Default)]
pub struct Used {
    pub(super) reads: Ranges,
    pub(super) writes: Ranges,
}

/// What the thread's present call uses.
#[derive(Default)]
struct Call {
    /// Which call it is.
    turn: u64,
    used: Used,
    /// What is wrong with it.
    found: Vec<Finding>,
}

impl Call {
    /// Forgets what an earlier call has used.
    fn renew(&mut self) {
        if self.turn != turn() {
            *self = Call {
                turn: turn(),
                ..Call::default()
            };
        }
    }
}

thread_local! {
    static CALL: RefCell<Call> = RefCell::default();
}

impl Used {
    /// What is read, and what is written; as much of it as is looked at.
    pub fn of(reads: impl Iterator<Item = Range>, writes: impl Iterator<Item = Range>) -> Used {
        let mut used = Used::default();
        reads.take(RUNS).for_each(|run| _ = used.reads.add(run));
        writes.take(RUNS).for_each(|run| _ = used.writes.add(run));
        used
    }

    /// Adds a run, if so many are looked at.
    pub fn add_run(&mut self, access: Access, run: Range) {
        let into = self.side(access);
        if into.len() < RUNS {
            into.add(run);
        }
    }

    fn side(&mut self, access: Access) -> &mut Ranges {
        match access {
            Access::Read => &mut self.reads,
            Access::Write => &mut self.writes,
        }
    }

    /// Adds data; gives some of it that was there before, where one of both is written.
    fn add(&mut self, access: Access, data: &Ranges) -> Option<Range> {
        let Used { reads, writes } = self;
        if reads.len() + writes.len() + data.len() > RUNS {
            return None;
        }
        let met = data.iter().find_map(|range| match access {
            Access::Read => writes.meets(range),
            Access::Write => writes.meets(range).or_else(|| reads.meets(range)),
        });
        let into = self.side(access);
        data.iter().for_each(|range| _ = into.add(range));
        met
    }

    /// The same; `None` where there is no memory for it.
    pub(super) fn copy(&self) -> Option<Used> {
        Some(Used {
            reads: self.reads.copy()?,
            writes: self.writes.copy()?,
        })
    }

    /// What is done to the byte at an address, if anything is.
    pub(super) fn access_at(&self, address: usize) -> Option<Access> {
        let has = |data: &Ranges| data.meets((address, address + 1)).is_some();
        match (has(&self.writes), has(&self.reads)) {
            (true, _) => Some(Access::Write),
            (_, true) => Some(Access::Read),
            _ => None,
        }
    }

    fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }
}

/// The present call has the data `runs` (from and to, in the order of its type map) as its argument `argument`. `None`: there are too many.
/// What is wrong with that is told when the call begins ([`begins`]): it may yet be refused for its other arguments.
///
/// `is_one`: it has to lie in one array.
#[cold]
pub fn uses(
    access: Access,
    argument: &str,
    runs: Option<impl Iterator<Item = Range>>,
    is_one: bool,
) {
    let Some(runs) = runs else { return };
    // What the function of a reduction is given is the reduction's.
    if threads::is_called() {
        return;
    }
    let (mut data, mut twice) = (Ranges::default(), None);
    for run in runs {
        let met = data.add(run);
        twice = twice.or(met);
    }
    let Some(hull) = data.hull() else { return };
    let twice = twice.filter(|_| access == Access::Write).map(|range| Finding {
        kind: "overlapping receive type",
        section: "MPI 4.1 §5.1.11",
        text: format!(
            "the datatype of {argument} has {} more than once; data cannot be received into such a one",
            words(range)
        ),
    });
    let bad = memory::look(&data, access == Access::Write).err();
    let beyond = || memory::goes_beyond(std::iter::once(hull)).filter(|_| is_one);
    let bad = bad.or_else(beyond);
    let bad = bad.map(|(range, memory)| no_memory(argument, access, range, memory));
    // A request that is made to be started later uses nothing yet.
    let in_use = match called().contains("_init") {
        true => None,
        false => compare(access, argument, &data, hull),
    };
    CALL.with_borrow_mut(|call| {
        call.renew();
        let aliased = call.used.add(access, &data);
        let aliased = aliased.map(|range| overlapping(argument, range, "MPI 4.1 §2.3"));
        let found = [twice, bad, in_use, aliased];
        call.found.extend(found.into_iter().flatten());
    });
}

fn overlapping(argument: &str, range: Range, section: &'static str) -> Finding {
    Finding {
        kind: "overlapping arguments",
        section,
        text: format!(
            "{} of {argument} belong to another buffer of the same call too, and one of them is written",
            words(range)
        ),
    }
}

/// A one-sided operation that was carried out has read and written that: tells of what is both. `result`: the argument that is written.
#[cold]
pub fn are_apart(used: &Used, result: &str) {
    let both = used.writes.iter().find_map(|range| used.reads.meets(range));
    if let Some(range) = both {
        tell(overlapping(result, range, "MPI 4.1 §12.3.4"));
    }
}

/// The same of a one-sided operation, whose buffer `bytes` at `at` is of one predefined datatype: tells if it goes beyond static data or
/// memory of MPI_Alloc_mem that it begins in.
#[cold]
pub fn fits(access: Access, argument: &str, at: usize, bytes: usize) {
    let range = (at, at.saturating_add(bytes));
    if let Some(finding) = beyond(access, argument, std::iter::once(range)) {
        tell(finding);
    }
}

/// Operations of calls like the present one have these buffers, which are `argument`, in order: what is wrong with one that begins in
/// static data or memory of MPI_Alloc_mem, and goes on behind its end.
pub(super) fn beyond(
    access: Access,
    argument: &str,
    buffers: impl Iterator<Item = Range> + Clone,
) -> Option<Finding> {
    let (range, memory) = memory::goes_beyond(buffers)?;
    Some(no_memory(argument, access, range, memory))
}

/// The present call has found its arguments in order, and begins.
#[cold]
pub fn begins() {
    let found = CALL.with_borrow_mut(|call| {
        call.renew();
        std::mem::take(&mut call.found)
    });
    found.into_iter().for_each(tell);
}

fn no_memory(argument: &str, access: Access, range: Range, memory: Memory) -> Finding {
    let what = match access {
        Access::Read => "read",
        Access::Write => "written",
    };
    let like = match &memory {
        Memory::ReadOnly => "in memory that is only to be read".to_string(),
        Memory::Missing => "where the program has no memory (it may have been freed)".to_string(),
        Memory::Beyond => "behind the end of what MPI_Alloc_mem gave".to_string(),
        Memory::BeyondStatic(beyond) => {
            format!(
                "behind the end of {}, which has {} bytes",
                beyond.name, beyond.bytes
            )
        }
    };
    Finding {
        kind: "bad buffer",
        section: "MPI 4.1 §3.2.2",
        text: format!("{} of {argument} are to be {what}, {like}", words(range)),
    }
}

pub(super) fn words((from, to): Range) -> String {
    match to - from {
        1 => format!("1 byte at {from:#x}"),
        bytes => format!("{bytes} bytes at {from:#x}"),
    }
}

/// The present call gives `bytes` at `base` to the program.
#[cold]
pub fn given(base: usize, bytes: usize) {
    memory::given(base, bytes);
}

/// The present call takes back what was given at `base`.
#[cold]
pub fn taken(base: usize) {
    if let Some(range) = memory::taken(base) {
        let mut data = Ranges::default();
        data.add(range);
        if let Some(finding) = compare(Access::Write, "base, which it frees", &data, range) {
            tell(finding);
        }
    }
}

/// Whether that is memory of the present call, and what of it.
pub(super) fn owner(address: usize) -> Option<Owner> {
    CALL.with(|call| {
        let call = call.try_borrow().ok()?;
        if call.turn != turn() {
            return None;
        }
        let does = match call.used.access_at(address)? {
            Access::Write => "is to write to",
            Access::Read => "is to read",
        };
        Some(Owner {
            words: format!("the memory that it {does}"),
            section: "MPI 4.1 §3.2.2",
            is_pending: false,
        })
    })
}

/// What the present call uses, if it uses anything.
pub(super) fn take() -> Option<Used> {
    CALL.with_borrow_mut(|call| {
        let used = std::mem::take(&mut call.used);
        (call.turn == turn() && !used.is_empty()).then_some(used)
    })
}
