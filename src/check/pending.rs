//! What operations that are not complete read and write, from the call that gives their request ([`began`]) until the program has heard that it
//! is complete ([`ended`]); of a persistent request, from each start on ([`prepared`], [`started`]). Of what is sent a [sum](super::sums) is made
//! when it begins, and looked at when it is complete. There are [`MOST`] at a time; others are not looked at.
//!
//! A one-sided operation with a request is here from when the program has that, or [later](race::requests), and until it is complete by a flush, at the
//! latest.

use super::buffers::{Access, Used, take, words};
use super::faults::Owner;
use super::race::On;
use super::ranges::{Range, Ranges, clash};
use super::room::Room;
use super::sums::Look;
use super::{
    Finding, Place, called, checker, here, local, partitions, place, race, rank, sums, tell,
    tell_of,
};
use crate::shm::atomic::{AtomicU64, AtomicUsize, Ordering};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Operations that are pending at a time.
const MOST: usize = 1 << 10;

/// An operation that is not complete.
struct Operation {
    request: i32,
    /// The call that made it.
    name: &'static str,
    /// Where it was begun.
    place: Place,
    used: Used,
    /// What the data that it reads was like.
    sum: Look,
    /// What ThreadSanitizer is told of it by.
    seen: Option<local::Use>,
    /// On what, if it is one-sided.
    on: Option<On>,
}

/// What is pending. The hulls of what the operations read and write lie apart, since each call looks at all of them.
struct Table {
    operations: Vec<Operation>,
    reads: Vec<Range>,
    writes: Vec<Range>,
    by_request: FxHashMap<i32, usize>,
    /// What inactive persistent requests use, when they are started.
    prepared: FxHashMap<i32, (&'static str, Used)>,
}

/// Bytes in common, what an operation does to them, which and where.
type Meeting = (Range, Access, &'static str, Place);

static TABLE: Mutex<Option<Table>> = Mutex::new(None);
/// How many are pending.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// How many of them are one-sided.
static ONE_SIDED: AtomicUsize = AtomicUsize::new(0);
/// Between which addresses all lie that are read, and written, by what was begun since nothing was pending.
static READ: Hull = Hull::new();
static WRITTEN: Hull = Hull::new();
/// How many found no room.
static MISSED: AtomicU64 = AtomicU64::new(0);

/// Addresses, of which the table's lock is for those who change them.
struct Hull {
    from: AtomicUsize,
    to: AtomicUsize,
}

impl Hull {
    const fn new() -> Hull {
        Hull {
            from: AtomicUsize::new(usize::MAX),
            to: AtomicUsize::new(0),
        }
    }

    fn join(&self, data: &Ranges) {
        if let Some((from, to)) = data.hull() {
            self.from.fetch_min(from, Ordering::Relaxed);
            self.to.fetch_max(to, Ordering::Relaxed);
        }
    }

    fn clear(&self) {
        self.from.store(usize::MAX, Ordering::Relaxed);
        self.to.store(0, Ordering::Relaxed);
    }

    #[inline(always)]
    fn range(&self) -> Range {
        let [from, to] = [&self.from, &self.to].map(|at| at.load(Ordering::Relaxed));
        (from, to)
    }
}

/// How many operations were not looked at, as others had all the room.
pub fn missed() -> u64 {
    MISSED.load(Ordering::Relaxed)
}

/// One more has no room.
pub(super) fn miss() {
    MISSED.fetch_add(1, Ordering::Relaxed);
}

/// Compares data with what is pending, one-sided operations first.
pub(super) fn compare(
    access: Access,
    argument: &str,
    data: &Ranges,
    hull: Range,
) -> Option<Finding> {
    let race = race::in_use(data, access == Access::Write);
    race.or_else(|| compare_requested(access, argument, data, hull))
}

/// Compares data with what has a request.
fn compare_requested(
    access: Access,
    argument: &str,
    data: &Ranges,
    hull: Range,
) -> Option<Finding> {
    if is_empty() {
        return None;
    }
    let table = TABLE.lock();
    let (range, other, name, place) = table.as_ref()?.conflict(access, data, hull)?;
    drop(table);
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
        section: section(name),
        text: format!(
            "it {own} {} of {argument}, and {name} at {}, {}, {other} them; {rule}",
            words(range),
            place.of(rank()),
            match name.contains("_begin") {
                true => "which is not ended",
                false => "whose request is not complete",
            }
        ),
    })
}

/// Where MPI says until when the buffer of an operation is in use, which the function `name` has begun.
fn section(name: &str) -> &'static str {
    let is_message = ["send", "Send", "recv", "Recv"]
        .iter()
        .any(|part| name.contains(part));
    match name {
        _ if is_message && name.ends_with("_init") && !name.starts_with("MPI_P") => "MPI 4.1 §3.9",
        _ if name.contains("_begin") => "MPI 4.1 §14.4.5",
        _ if name.starts_with("MPI_File") => "MPI 4.1 §14.4.1",
        _ if name.starts_with("MPI_R") && !is_message => "MPI 4.1 §12.3.5",
        _ if name.starts_with("MPI_P") || name.starts_with("MPI_Start") => "MPI 4.1 §4.2, §3.9",
        _ if name.starts_with("MPI_I") && !is_message => "MPI 4.1 §6.12",
        _ => "MPI 4.1 §3.7.2",
    }
}

/// Whether nothing is pending.
#[inline(always)]
pub fn is_empty() -> bool {
    COUNT.load(Ordering::Acquire) == 0
}

/// Whether nothing one-sided is.
#[inline(always)]
pub(super) fn has_one_sided() -> bool {
    ONE_SIDED.load(Ordering::Relaxed) != 0
}

/// Whether data that a one-sided operation is about to read, and to write, may be in use: it lies between what an operation uses, at least.
#[inline(always)]
pub(super) fn meets(reads: Range, writes: Range) -> bool {
    clash((reads, writes), (READ.range(), WRITTEN.range())) && meets_any(reads, writes)
}

#[cold]
fn meets_any(reads: Range, writes: Range) -> bool {
    TABLE.lock().as_ref().is_some_and(|table| {
        let mut all = table.reads.iter().zip(&table.writes);
        all.any(|(read, written)| clash((reads, writes), (*read, *written)))
    })
}

/// The present call, which is one-sided and has done its work, has used this: tells if some of it was in use. `result`: the argument that it has
/// written.
#[cold]
pub fn used_once(used: &Used, result: &str) {
    let sides = [
        (Access::Read, "origin_addr", &used.reads),
        (Access::Write, result, &used.writes),
    ];
    for (access, argument, data) in sides {
        if let Some(hull) = data.hull()
            && let Some(finding) = compare_requested(access, argument, data, hull)
        {
            tell(finding);
        }
    }
}

/// The function `name`, called at `place`, has begun a one-sided operation on `on`, whose request this is.
#[cold]
pub(super) fn began_one_sided(request: i32, name: &'static str, place: Place, on: On, used: Used) {
    // It has just been read, and is there.
    let sum = sums::of_used(&used.reads);
    add(request, name, place, used, sum, Some(on));
}

/// One-sided operations are complete here, those for which `is_one`: the program may use their buffers again.
#[cold]
pub(super) fn flushed(is_one: impl Fn(On) -> bool) {
    let over: Vec<i32> = match &*TABLE.lock() {
        Some(table) => {
            let is_over = |operation: &&Operation| operation.on.is_some_and(&is_one);
            let over = table.operations.iter().filter(is_over);
            over.map(|operation| operation.request).collect()
        }
        None => return,
    };
    over.into_iter().for_each(|request| end(request, tell));
}

/// The present call has begun an operation, whose request this is.
#[cold]
pub fn began(request: i32) {
    if let Some(used) = take() {
        let sum = sums::of(&used.reads);
        add(request, called(), here(), used, sum, None);
    }
}

/// The present call has made a persistent request.
#[cold]
pub fn prepared(request: i32) {
    if let Some(used) = take() {
        let mut table = TABLE.lock();
        let prepared = &mut table.get_or_insert_with(Table::new).prepared;
        if prepared.len() < MOST && prepared.has_room(1) {
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
        prepared.and_then(|(name, used)| Some((*name, used.copy()?)))
    };
    if let Some((name, used)) = prepared {
        for (access, data) in [(Access::Read, &used.reads), (Access::Write, &used.writes)] {
            if let Some(hull) = data.hull()
                && let Some(finding) = compare(access, "the buffer", data, hull)
            {
                tell(finding);
            }
        }
        let sum = sums::of(&used.reads);
        add(request, name, here(), used, sum, None);
    }
}

fn add(request: i32, name: &'static str, place: Place, used: Used, sum: Look, on: Option<On>) {
    let operation = Operation {
        request,
        name,
        place,
        sum,
        seen: None,
        on,
        used,
    };
    TABLE.lock().get_or_insert_with(Table::new).add(operation);
}

/// The operation of a request is complete, and the program knows.
#[cold]
pub fn ended(request: i32) {
    race::ended(request);
    for (_, partition) in partitions::take(request) {
        end(partition, tell);
    }
    end(request, tell);
}

/// The same of a one-sided one, for which the program has waited by a call of `function` that has said nothing else of itself.
#[cold]
pub(super) fn ended_by_wait(function: &'static str, request: i32) {
    let place = checker().map(|checker| checker.own.modules.place(place::came_from()));
    end(request, |finding| {
        tell_of(finding, function, place.unwrap_or(Place::UNKNOWN));
    });
}

fn end(request: i32, tell: impl Fn(Finding)) {
    let Some(operation) = remove(request) else {
        return;
    };
    let before = operation.sum;
    if !matches!(before, Look::Sum(_)) {
        return;
    }
    let Operation {
        name, place, used, ..
    } = operation;
    let after = sums::of(&used.reads);
    if after == before {
        return;
    }
    let place = place.of(rank());
    let (kind, text) = match after {
        Look::Unknown => return,
        Look::Sum(_) => (
            "buffer changed",
            format!(
                "the data that {name} at {place} sends was changed before its request was complete; others may have got either"
            ),
        ),
        Look::Gone => (
            "buffer freed",
            format!(
                "the memory that {name} at {place} sends was freed before its request was complete"
            ),
        ),
    };
    tell(Finding {
        kind,
        section: section(name),
        text,
    });
}

/// A request is given back; its operation goes on, and nobody knows until when.
#[cold]
pub fn let_go(request: i32) {
    for (_, partition) in partitions::take(request) {
        remove(partition);
    }
    remove(request);
    if let Some(table) = &mut *TABLE.lock() {
        table.prepared.remove(&request);
    }
}

/// Whose memory that is, as far as it can be asked in a handler of a signal: of an operation that is pending, or that the present call is about to
/// start, whose message may have come already.
pub(super) fn owner(address: usize) -> Option<Owner> {
    let table = TABLE.try_lock()?;
    let table = table.as_ref()?;
    let begun = table.operations.iter();
    let begun = begun.map(|operation| (operation.name, operation.place, &operation.used));
    let starts = called().starts_with("MPI_Start");
    let prepared = table.prepared.values().filter(|_| starts);
    let prepared = prepared.map(|(name, used)| (*name, here(), used));
    begun.chain(prepared).find_map(|(name, place, used)| {
        let does = match used.access_at(address)? {
            Access::Write => "writes to",
            Access::Read => "reads",
        };
        Some(Owner {
            words: format!("the memory that {name} at {} {does}", place.of(rank())),
            section: section(name),
            is_pending: true,
        })
    })
}

fn remove(request: i32) -> Option<Operation> {
    match is_empty() {
        true => None,
        false => TABLE.lock().as_mut()?.remove(request),
    }
}

impl Table {
    fn new() -> Table {
        Table {
            operations: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            by_request: FxHashMap::default(),
            prepared: FxHashMap::default(),
        }
    }

    /// Data that may not be used so, as an operation has it in use, and which that is.
    fn conflict(&self, access: Access, data: &Ranges, hull: Range) -> Option<Meeting> {
        let written = self.meeting(Access::Write, data, hull);
        written.or_else(|| match access {
            Access::Read => None,
            Access::Write => self.meeting(Access::Read, data, hull),
        })
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

    fn add(&mut self, mut operation: Operation) {
        self.remove(operation.request);
        let at = self.operations.len();
        if at >= MOST {
            miss();
        } else if self.has_room() {
            let Used { reads, writes } = &operation.used;
            operation.seen = local::uses(None, reads.iter(), writes.iter());
            self.by_request.insert(operation.request, at);
            if at == 0 {
                READ.clear();
                WRITTEN.clear();
            }
            READ.join(&operation.used.reads);
            WRITTEN.join(&operation.used.writes);
            let hull = |data: &Ranges| data.hull().unwrap_or_default();
            self.reads.push(hull(&operation.used.reads));
            self.writes.push(hull(&operation.used.writes));
            self.count_one_sided(&operation, 1);
            self.operations.push(operation);
            COUNT.store(at + 1, Ordering::Release);
        }
    }

    fn count_one_sided(&self, operation: &Operation, more: isize) {
        if operation.on.is_some() {
            ONE_SIDED.fetch_add(more as usize, Ordering::Relaxed);
        }
    }

    fn has_room(&mut self) -> bool {
        self.operations.has_room(1)
            && self.reads.has_room(1)
            && self.writes.has_room(1)
            && self.by_request.has_room(1)
    }

    fn remove(&mut self, request: i32) -> Option<Operation> {
        let at = self.by_request.remove(&request)?;
        let operation = self.operations.swap_remove(at);
        if let Some(seen) = operation.seen {
            local::used(seen);
        }
        self.reads.swap_remove(at);
        self.writes.swap_remove(at);
        self.count_one_sided(&operation, -1);
        if let Some(moved) = self.operations.get(at) {
            self.by_request.insert(moved.request, at);
        }
        COUNT.store(self.operations.len(), Ordering::Release);
        Some(operation)
    }
}
