//! The memory of the program's operations: what a call reads and writes, and what operations that are not complete still read and write.
//!
//! Every call that is given buffers says so ([`uses`]) before it begins. There it is compared with what is pending, and with the call's
//! other buffers. If the call gives a request, what it uses is pending until that is complete ([`began`], [`ended`]); of a persistent request,
//! from each start on ([`prepared`], [`started`]). Of what is sent a sum is made when it begins, and looked at when it is complete.
//!
//! **Gaps are not touched**: the runs of a datatype are compared one by one. Data of more than [`RUNS`] runs is not looked at, nor are more
//! than [`PENDING`] operations at a time.

use super::memory::{self, Memory};
use super::ranges::{Range, Ranges};
use super::{Finding, Place, called, here, sums, tell, turn};
use crate::shm::atomic::{AtomicUsize, Ordering};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::HashMap;

/// Runs of bytes of one call.
pub const RUNS: usize = 4096;
/// Operations that are pending at a time.
const PENDING: usize = 4 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// What a call uses.
#[derive(Clone, Default)]
struct Used {
    reads: Ranges,
    writes: Ranges,
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

/// An operation that is not complete.
struct Operation {
    request: i32,
    /// The call that made it.
    name: &'static str,
    /// Where it was begun.
    place: Place,
    used: Used,
    /// What the data that it reads was like.
    sum: Option<u64>,
}

/// What is pending. The hulls of what the operations read and write lie apart, since each call looks at all of them.
struct Table {
    operations: Vec<Operation>,
    reads: Vec<Range>,
    writes: Vec<Range>,
    by_request: HashMap<i32, usize>,
    /// What inactive persistent requests use, when they are started.
    prepared: HashMap<i32, (&'static str, Used)>,
}

/// Bytes in common, what an operation does to them, which and where.
type Meeting = (Range, Access, &'static str, Place);

static TABLE: Mutex<Option<Table>> = Mutex::new(None);
/// How many are pending.
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Used {
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
        let into = match access {
            Access::Read => reads,
            Access::Write => writes,
        };
        data.iter().for_each(|range| _ = into.add(range));
        met
    }

    fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }
}

/// The present call has the data `runs` (from and to, in the order of its type map) as its argument `argument`. `None`: there are too many.
/// What is wrong with that is told when the call begins ([`begins`]): it may yet be refused for its other arguments.
#[cold]
pub fn uses(access: Access, argument: &str, runs: Option<impl Iterator<Item = Range>>) {
    let Some(runs) = runs else { return };
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
    let bad = bad.map(|(range, memory)| no_memory(argument, access, range, memory));
    // A request that is made to be started later uses nothing yet.
    let in_use = match called().contains("_init") {
        true => None,
        false => compare(access, argument, &data, hull),
    };
    CALL.with_borrow_mut(|call| {
        call.renew();
        let aliased = call.used.add(access, &data).map(|range| Finding {
            kind: "overlapping arguments",
            section: "MPI 4.1 §2.3",
            text: format!(
                "{} of {argument} belong to another buffer of the same call too, and one of them is written",
                words(range)
            ),
        });
        let found = [twice, bad, in_use, aliased];
        call.found.extend(found.into_iter().flatten());
    });
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
    let like = match memory {
        Memory::ReadOnly => "in memory that is only to be read",
        Memory::Missing => "where the program has no memory (it may have been freed)",
        Memory::Beyond => "behind the end of what MPI_Alloc_mem gave",
    };
    Finding {
        kind: "bad buffer",
        section: "MPI 4.1 §3.2.2",
        text: format!("{} of {argument} are to be {what}, {like}", words(range)),
    }
}

/// Compares data with what is pending.
fn compare(access: Access, argument: &str, data: &Ranges, hull: Range) -> Option<Finding> {
    if COUNT.load(Ordering::Acquire) == 0 {
        return None;
    }
    let (range, other, name, place) = TABLE.lock().as_ref().and_then(|table| {
        let written = table.meeting(Access::Write, data, hull);
        written.or_else(|| match access {
            Access::Read => None,
            Access::Write => table.meeting(Access::Read, data, hull),
        })
    })?;
    let own = match access {
        Access::Read => "reads",
        Access::Write => "writes",
    };
    let (other, rule) = match other {
        Access::Read => (
            "reads",
            "a buffer that is sent may be read until then, and not written",
        ),
        Access::Write => (
            "writes",
            "a buffer that is received into may not be touched until then",
        ),
    };
    Some(Finding {
        kind: "buffer in use",
        section: match name.starts_with("MPI_I") && !is_message(name) {
            true => "MPI 4.1 §6.12",
            false => "MPI 4.1 §3.7.2",
        },
        text: format!(
            "it {own} {} of {argument}, and {name} at {}, whose request is not complete, {other} them; {rule}",
            words(range),
            place.of(super::rank()),
        ),
    })
}

fn is_message(name: &str) -> bool {
    name.contains("send") || name.contains("recv")
}

fn words((from, to): Range) -> String {
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

/// What the present call uses, if it uses anything.
fn take() -> Option<Used> {
    CALL.with_borrow_mut(|call| {
        let used = std::mem::take(&mut call.used);
        (call.turn == turn() && !used.is_empty()).then_some(used)
    })
}

/// The present call has begun an operation, whose request this is.
#[cold]
pub fn began(request: i32) {
    if let Some(used) = take() {
        add(request, called(), used);
    }
}

/// The present call has made a persistent request.
#[cold]
pub fn prepared(request: i32) {
    if let Some(used) = take() {
        let mut table = TABLE.lock();
        let prepared = &mut table.get_or_insert_with(Table::new).prepared;
        if prepared.len() < PENDING {
            prepared.insert(request, (called(), used));
        }
    }
}

/// The present call has started a persistent request.
#[cold]
pub fn started(request: i32) {
    let prepared = {
        let table = TABLE.lock();
        let prepared = table
            .as_ref()
            .and_then(|table| table.prepared.get(&request));
        prepared.cloned()
    };
    if let Some((name, used)) = prepared {
        for (access, data) in [(Access::Read, &used.reads), (Access::Write, &used.writes)] {
            if let Some(hull) = data.hull() {
                if let Some(finding) = compare(access, "the buffer", data, hull) {
                    tell(finding);
                }
            }
        }
        add(request, name, used);
    }
}

fn add(request: i32, name: &'static str, used: Used) {
    let operation = Operation {
        request,
        name,
        place: here(),
        sum: sums::of(&used.reads),
        used,
    };
    TABLE.lock().get_or_insert_with(Table::new).add(operation);
}

/// The operation of a request is complete, and the program knows.
#[cold]
pub fn ended(request: i32) {
    let Some(operation) = remove(request) else {
        return;
    };
    let Some(before) = operation.sum else { return };
    let Operation {
        name, place, used, ..
    } = operation;
    let place = place.of(super::rank());
    match sums::of(&used.reads) {
        Some(after) if after == before => {}
        Some(_) => tell(Finding {
            kind: "buffer changed",
            section: "MPI 4.1 §3.7.2",
            text: format!(
                "the data that {name} at {place} sends was changed before its request was complete; others may have got either"
            ),
        }),
        None => tell(Finding {
            kind: "buffer freed",
            section: "MPI 4.1 §3.7.2",
            text: format!(
                "the memory that {name} at {place} sends was freed before its request was complete"
            ),
        }),
    }
}

/// A request is given back; its operation goes on, and nobody knows until when.
#[cold]
pub fn let_go(request: i32) {
    remove(request);
    if let Some(table) = &mut *TABLE.lock() {
        table.prepared.remove(&request);
    }
}

fn remove(request: i32) -> Option<Operation> {
    match COUNT.load(Ordering::Acquire) {
        0 => None,
        _ => TABLE.lock().as_mut()?.remove(request),
    }
}

impl Table {
    fn new() -> Table {
        Table {
            operations: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            by_request: HashMap::new(),
            prepared: HashMap::new(),
        }
    }

    /// Bytes of the data that an operation reads or writes, as `access` says, and which operation that is.
    fn meeting(&self, access: Access, data: &Ranges, hull: Range) -> Option<Meeting> {
        let all = match access {
            Access::Read => &self.reads,
            Access::Write => &self.writes,
        };
        let near = |(_, other): &(usize, &Range)| other.0 < hull.1 && hull.0 < other.1;
        all.iter().enumerate().filter(near).find_map(|(at, _)| {
            let Operation {
                used, name, place, ..
            } = &self.operations[at];
            let used = match access {
                Access::Read => &used.reads,
                Access::Write => &used.writes,
            };
            let range = data.iter().find_map(|range| used.meets(range))?;
            Some((range, access, *name, *place))
        })
    }

    fn add(&mut self, operation: Operation) {
        self.remove(operation.request);
        let at = self.operations.len();
        if at < PENDING {
            self.by_request.insert(operation.request, at);
            let hull = |data: &Ranges| data.hull().unwrap_or_default();
            self.reads.push(hull(&operation.used.reads));
            self.writes.push(hull(&operation.used.writes));
            self.operations.push(operation);
            COUNT.store(at + 1, Ordering::Release);
        }
    }

    fn remove(&mut self, request: i32) -> Option<Operation> {
        let at = self.by_request.remove(&request)?;
        let operation = self.operations.swap_remove(at);
        self.reads.swap_remove(at);
        self.writes.swap_remove(at);
        if let Some(moved) = self.operations.get(at) {
            self.by_request.insert(moved.request, at);
        }
        COUNT.store(self.operations.len(), Ordering::Release);
        Some(operation)
    }
}
