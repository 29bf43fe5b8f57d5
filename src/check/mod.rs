//! What programs do wrong, found while they run: `mpiexec -check`.
//!
//! **It is the same library.** Every exported function asks one flag ([`observe`](crate::observe)); where it is set, calls come through
//! [`call`], and windows are [hidden](crate::handle) from the fast paths. So a job that is not checked pays nothing. The rooms above
//! ask [`is_on`] where they have something to look at that only they see.
//!
//! **What is found is a [`Finding`]**: a kind, the section of MPI that says so, and a sentence. [`tell`] puts it into the segment with the call
//! that the thread is in, and with its [place] in the program; the launcher finds the lines, and prints it. Unless the job is to go
//! on (`-check=report`) it ends there. The same kind at the same place is told once and counted.
//!
//! **No false alarm** is the first rule of every check: what may be right by any reading of the standard is silent. The second: a check
//! never changes what a program does, but for time and memory. Memory is bounded, what found no [room] is told, and where the system
//! gives none, less is looked at.

pub mod area;
pub mod buffers;
pub mod clock;
pub mod collectives;
mod faults;
pub mod local;
mod memory;
pub mod messages;
pub mod objects;
pub mod outside;
pub mod partitions;
pub mod pending;
pub mod place;
pub mod race;
pub mod ranges;
pub mod room;
pub mod sanitizer;
pub mod signature;
mod statics;
pub mod sums;
pub mod threads;

use crate::shm::Offset;
use crate::shm::atomic::{AtomicBool, AtomicPtr, Ordering};
use crate::shm::segment::Segment;
use area::{Area, Block};
pub use place::Place;
use std::cell::Cell;
use std::fmt::Write;

/// The status that a job ends with in which something was found.
pub const STATUS: i32 = 56;

/// Whether calls are nothing to this room: the job is not checked, and ThreadSanitizer does not look on.
static IS_PASSED: AtomicBool = AtomicBool::new(false);
/// What this process checks with, for good, or null: one load says all that calls ask.
static CHECKER: AtomicPtr<Checker> = AtomicPtr::new(std::ptr::null_mut());

/// What a checked process has.
pub struct Checker {
    pub rank: u32,
    pub area: Area,
    own: Block,
    /// This process, of which children of a fork are copies.
    pid: u32,
    /// Ends the job with that status.
    end: fn(i32) -> !,
}

/// Whether this job is checked.
#[inline(always)]
pub fn is_on() -> bool {
    !CHECKER.load(Ordering::Relaxed).is_null()
}

/// What this process checks with; `None` if it does not.
#[inline(always)]
pub fn checker() -> Option<&'static Checker> {
    // SAFETY: it is null, or what `open` has made, which is never freed.
    unsafe { CHECKER.load(Ordering::Acquire).as_ref() }
}

/// This process is `rank` of a job that is checked if it has an area for that, at `area` of the segment; else that is 0. `end` ends the job.
pub fn open(segment: &'static Segment, area: Offset, rank: u32, end: fn(i32) -> !) {
    if area == 0 {
        return IS_PASSED.store(!local::is_seen(), Ordering::Relaxed);
    }
    let area = Area::open(segment, area);
    let own = area.block(rank);
    let checker = Box::leak(Box::new(Checker {
        rank,
        area,
        own,
        pid: std::process::id(),
        end,
    }));
    race::favour();
    // SAFETY: the handler stores to atomics alone. Where it is refused, children are as before.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    CHECKER.store(checker, Ordering::Release);
    faults::watch();
}

/// What is noted is the parent's, which settles it.
extern "C" fn in_child() {
    race::forget();
}

/// The process exits: what was noted is told, as no other call comes. Whether this is a process of a checked job, and no child of one.
pub fn settle_at_exit() -> bool {
    let is_one = checker().is_some_and(|checker| checker.pid == std::process::id());
    if is_one {
        race::settle_at_exit();
    }
    is_one
}

/// A call of the program's.
#[derive(Clone, Copy)]
struct Called {
    name: &'static str,
    /// Where it returns to in the program, or in the library: see [`place`].
    back: usize,
    /// Which of the thread's calls it is, from 1 on.
    turn: u64,
}

thread_local! {
    // Without a destructor: to reach it takes no look whether it is there.
    static CALLED: Cell<Called> = const { Cell::new(Called { name: "", back: 0, turn: 0 }) };
    static TURNS: Cell<u64> = const { Cell::new(0) };
}

/// Does `work`, a call of the exported function `name`, which has come by [`called_through!`](crate::called_through).
#[inline(always)]
pub fn call<R>(name: &'static str, work: impl FnOnce() -> R) -> R {
    if IS_PASSED.load(Ordering::Relaxed) {
        return work();
    }
    let outer = begin(name);
    let result = work();
    end_call(outer);
    result
}

// Both are out of line, as there is a call of each in all functions.
#[inline(never)]
fn begin(name: &'static str) -> (Called, bool) {
    race::begins(name);
    let back = place::came_from();
    let turn = TURNS.get() + 1;
    TURNS.set(turn);
    let outer = CALLED.replace(Called { name, back, turn });
    let is_outer = outer.name.is_empty();
    place::set_inside(true);
    if is_outer {
        outside::begins(CALLED.get());
        local::begins();
    }
    (outer, threads::enter(is_outer))
}

#[inline(never)]
fn end_call((outer, looked): (Called, bool)) {
    if looked {
        threads::leave();
    }
    place::set_inside(!outer.name.is_empty());
    match outer.name.is_empty() {
        true => local::ends(),
        // The outer one goes on, and may tell others what has been done.
        false => race::settle(),
    }
    CALLED.set(outer);
}

/// The function that this thread's program has called, by its C name; empty outside of calls.
pub fn called() -> &'static str {
    CALLED.get().name
}

/// Whether this thread is in a call that has come by [`call`].
#[inline(always)]
pub fn is_inside() -> bool {
    place::is_inside()
}

/// Which of the thread's calls that is; no two have the same number.
fn turn() -> u64 {
    CALLED.get().turn
}

/// This process's rank in the job.
fn rank() -> u32 {
    checker().map_or(0, |checker| checker.rank)
}

/// Where in the program that was.
pub fn here() -> Place {
    match checker() {
        Some(checker) => checker.own.modules.place(CALLED.get().back),
        None => Place::UNKNOWN,
    }
}

/// Something that a program does wrong.
pub struct Finding {
    /// Names it, in lower case: "type mismatch", "data race".
    pub kind: &'static str,
    /// Where MPI says so: "MPI 4.1 §3.3.1".
    pub section: &'static str,
    /// One sentence or several, without the last full stop; places are put in by [`Place::of`].
    pub text: String,
}

/// What it means for the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// MPI forbids it: the job's status tells that, and it may end at once.
    Wrong,
    /// MPI allows it, and it may be a mistake all the same: it is told where the command line asks for checks, and nothing else changes.
    Note,
}

/// Tells it, as found in the call that this thread is in. Does not return where that ends the job.
#[cold]
pub fn tell(finding: Finding) {
    tell_of(finding, called(), here());
}

/// Tells it of another call than the present one, as where something was made that was never freed.
#[cold]
pub fn tell_of(finding: Finding, name: &str, place: Place) {
    put(finding, Severity::Wrong, name, place);
    end();
}

/// Tells what MPI allows, and may be a mistake.
#[cold]
pub fn note(finding: Finding) {
    put(finding, Severity::Note, called(), here());
}

/// Tells several. Does not return where one of them ends the job.
#[cold]
pub fn tell_all(findings: Vec<(Finding, Severity, &str, Place)>) {
    let is_wrong = |(_, severity, ..): &(_, Severity, _, _)| *severity == Severity::Wrong;
    let wrong = findings.iter().any(is_wrong);
    for (finding, severity, name, place) in findings {
        put(finding, severity, name, place);
    }
    if wrong {
        end();
    }
}

/// Ends the job, if findings do.
fn end() {
    if let Some(checker) = checker()
        && checker.area.ends()
    {
        (checker.end)(STATUS);
    }
}

fn put(finding: Finding, severity: Severity, name: &str, place: Place) {
    let Some(checker) = checker() else { return };
    let Finding {
        kind,
        section,
        text,
    } = finding;
    let mut whole = String::new();
    if !name.is_empty() {
        let _ = write!(whole, "{name}");
        if place != Place::UNKNOWN {
            let _ = write!(whole, " at {}", place.of(checker.rank));
        }
        whole += ": ";
    }
    let findings = checker.own.findings;
    let (list, note) = match severity {
        Severity::Wrong => (&findings.wrong, ""),
        Severity::Note => (&findings.notes, "note: "),
    };
    let _ = write!(whole, "{note}{kind}: {text} ({section})");
    list.put(kind, place, &whole);
}
