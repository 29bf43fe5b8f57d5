//! The program's own loads and stores, against what operations do: where the program was compiled for [ThreadSanitizer](super::sanitizer),
//! which sees the former, it is told the latter, and what MPI orders.
//!
//! **Before each call** a thread releases what it has done so far: at a [token](RELEASES) of the number that this process's
//! [`clock`] gets by that. So who knows this process until a number knows of all that its threads had done then.
//!
//! **After each call** the [logs](super::race::log) of all ranks are looked at for accesses to this process's parts of windows. A fiber for each
//! rank makes them once more, for ThreadSanitizer: after what that rank knew of this process when it began, which the log says. An
//! access that is ordered before now, by the clock, is then ordered before what the program does next.
//!
//! **Buffers** of operations that are not complete are accessed by other fibers, from the call that began them on, and ordered before
//! what the thread does that completes them.
//!
//! All errors go one way: what is ordered for ThreadSanitizer and not by MPI is missed.
//!
//! - Fibers of ranks know what all of them know, so that they do not race with each other: that is for [races](super::race).
//! - What a rank reads from a window's memory may have told it anything of its owner.
//! - Where memory is shared for load and store, order may come by that: nothing is told of accesses by processes that have asked for such
//!   memory, or to theirs, nor of dynamic windows.
//! - Small operations, and those of the accumulate family, are told as atomic accesses: polling by atomic loads is no race with them.

use super::clock;
use super::race::What;
use super::race::log::{Logged, On};
use super::race::span::Span;
use super::sanitizer::{Fiber, How, Sanitizer, Stack, Token, sanitizer};
use super::{CALLED, Checker, checker, here};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::cell::Cell;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tokens that are used in turn. Where one is used again too early, it orders more than it should.
const TOKENS: usize = 1024;
/// Fibers for buffers. Where all are in use, buffers are not looked at.
const FIBERS: usize = 16;
/// Pieces of one access, and bytes of an atomic one, that are looked at.
const PIECES: usize = 4096;
const ATOMIC_BYTES: u64 = 1 << 16;
/// Operations of up to so many bytes are told as atomic.
const SMALL: u64 = 8;

/// By number of the clock: what this process's threads had done then.
static RELEASES: [Token; TOKENS] = [const { Token::new() }; TOKENS];
/// By rank and number in its log.
static ACCESSES: [Token; TOKENS] = [const { Token::new() }; TOKENS];
/// What the fibers of ranks know.
static RANKS: Token = Token::new();
/// Accesses of others that are ordered before now.
static ORDERED: Token = Token::new();
/// In a job that is not checked: all that was done before any call.
static ALL: Token = Token::new();
/// By fiber: when operations began, and that they have accessed their buffers.
static BEGUN: [Token; FIBERS] = [const { Token::new() }; FIBERS];
static USED: [Token; FIBERS] = [const { Token::new() }; FIBERS];

/// This process may have seen by loads what others have done.
static SEEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Until which number this thread has acquired what others of its process have released.
    static ACQUIRED: Cell<u64> = const { Cell::new(0) };
}

static STATE: Mutex<State> = Mutex::new(State {
    windows: Vec::new(),
    ranks: Vec::new(),
    taken: 0,
    open: Vec::new(),
    gatherer: None,
    fibers: Vec::new(),
    free: Vec::new(),
});

struct State {
    windows: Vec<Part>,
    /// By rank in the job.
    ranks: Vec<Rank>,
    /// Until which number those fibers know this process.
    taken: u64,
    open: Vec<Open>,
    /// The fiber that brings together what is ordered before now.
    gatherer: Option<Fiber>,
    /// Fibers for buffers, and which of them are free.
    fibers: Vec<Fiber>,
    free: Vec<usize>,
}

/// This process's part of a window.
struct Part {
    on: On,
    base: usize,
}

struct Rank {
    /// The number in its log of what comes next.
    next: u64,
    fiber: Option<Fiber>,
}

/// An access to this process's memory that is not ordered before now.
struct Open {
    rank: u32,
    number: u64,
    base: usize,
    /// Until where it was made, as far as it had come.
    high: u64,
}

fn token(rank: u32, number: u64) -> &'static Token {
    let turn = u64::from(rank)
        .wrapping_mul(0x9e37_79b9)
        .wrapping_add(number);
    &ACCESSES[turn as usize % TOKENS]
}

/// The numbers after `from` up to `to` whose tokens have to be acquired.
fn numbers(from: u64, to: u64) -> impl Iterator<Item = &'static Token> {
    let first = (from + 1).max((to + 1).saturating_sub(TOKENS as u64));
    (first..=to).map(|number| &RELEASES[number as usize % TOKENS])
}

/// Whether loads and stores are seen.
#[inline]
pub fn is_seen() -> bool {
    sanitizer().is_some()
}

/// This thread begins a call that is not inside another one.
#[inline]
pub(super) fn begins() {
    if let Some(sanitizer) = sanitizer() {
        begins_seen(sanitizer);
    }
}

#[cold]
fn begins_seen(sanitizer: &Sanitizer) {
    sanitizer.ignore();
    match checker() {
        Some(_) => {
            // Before the number is reached: who knows it finds this. Where another thread reaches it first, others may have taken what was there
            // by then, and look at later numbers alone.
            loop {
                let number = clock::own_time() + 1;
                sanitizer.release(&RELEASES[number as usize % TOKENS]);
                if clock::tick_to(number) {
                    break;
                }
            }
        }
        None => sanitizer.release(&ALL),
    }
}

/// It ends.
#[inline]
pub(super) fn ends() {
    if let Some(sanitizer) = sanitizer() {
        ends_seen(sanitizer);
    }
}

#[cold]
fn ends_seen(sanitizer: &Sanitizer) {
    match checker() {
        Some(checker) => {
            STATE.lock().look(sanitizer, checker);
            sanitizer.acquire(&ORDERED);
            let from = ACQUIRED.get();
            let to = clock::own_known();
            if to > from {
                numbers(from, to).for_each(|token| sanitizer.acquire(token));
                ACQUIRED.set(to);
            }
        }
        None => sanitizer.acquire(&ALL),
    }
    sanitizer.heed();
}

/// This process has a part of a window of these ranks of the job, from `base` on.
pub fn has_part(window: u64, rank: usize, base: usize, members: &[u32]) {
    if let (Some(sanitizer), Some(checker)) = (sanitizer(), checker()) {
        let on = On::new(window, rank);
        let mut state = STATE.lock();
        state.begin(sanitizer, checker, members);
        state.windows.push(Part { on, base });
    }
}

/// It is about to give it up; others make no accesses any more.
pub fn gives_up(window: u64) {
    if let (Some(sanitizer), Some(checker)) = (sanitizer(), checker()) {
        let mut state = STATE.lock();
        state.look(sanitizer, checker);
        state.windows.retain(|part| !part.on.is_of(window));
    }
}

/// This process may have seen by loads what others have done to its memory.
pub fn saw() {
    SEEN.store(true, Ordering::Relaxed);
}

/// Bytes, and whether they are written.
type Pieces = SmallVec<[(usize, usize, How); 4]>;

/// Buffers in use: the number of the fiber that accesses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use(usize);

/// The present call begins an operation that uses these bytes until [`used`]. With `more`, which stays in use, they are added to those.
pub fn uses(
    more: Option<Use>,
    reads: impl Iterator<Item = (usize, usize)>,
    writes: impl Iterator<Item = (usize, usize)>,
) -> Option<Use> {
    let sanitizer = sanitizer()?;
    let reads = reads.map(|(from, to)| (from, to, How::Read));
    let writes = writes.map(|(from, to)| (from, to, How::Write));
    let pieces: Pieces = reads.chain(writes).take(PIECES).collect();
    let modules = checker()?.own.modules;
    let back = modules.here(modules, here());
    let stack = Stack::new(CALLED.get().name, back.unwrap_or(0));
    let mut state = STATE.lock();
    let Use(number) = more.or_else(|| state.free_fiber(sanitizer).map(Use))?;
    sanitizer.release(&BEGUN[number]);
    sanitizer.on(&mut state.fibers[number], || {
        sanitizer.acquire(&BEGUN[number]);
        for &(from, to, how) in &pieces {
            // SAFETY: this only tells of it.
            unsafe { sanitizer.access(stack, how, from, to) };
        }
        sanitizer.release(&USED[number]);
    });
    Some(Use(number))
}

/// This thread knows that those are not used any more.
pub fn used(Use(number): Use) {
    if let Some(sanitizer) = sanitizer() {
        sanitizer.acquire(&USED[number]);
        STATE.lock().free.push(number);
    }
}

impl State {
    fn free_fiber(&mut self, sanitizer: &Sanitizer) -> Option<usize> {
        self.free.pop().or_else(|| {
            let number = self.fibers.len();
            (number < FIBERS).then(|| {
                self.fibers.push(sanitizer.fiber(c"operation not complete"));
                number
            })
        })
    }

    /// Makes the fibers of ranks. A new one knows what this thread has done; so it is made before it is needed.
    fn begin(&mut self, sanitizer: &Sanitizer, checker: &Checker, members: &[u32]) {
        self.gatherer
            .get_or_insert_with(|| sanitizer.fiber(c"order by MPI"));
        let make = || Rank {
            next: 1,
            fiber: None,
        };
        self.ranks.resize_with(checker.area.ranks(), make);
        for &rank in members {
            self.ranks[rank as usize].fiber.get_or_insert_with(|| {
                let name = CString::new(format!("rank {rank}"));
                sanitizer.fiber(&name.unwrap_or_default())
            });
        }
    }

    /// Looks for accesses of others, and which are ordered before now.
    fn look(&mut self, sanitizer: &Sanitizer, checker: &Checker) {
        // First: what is ordered before now is in the logs by now.
        let known = clock::look();
        let seen = SEEN.swap(false, Ordering::Relaxed) || clock::sees_loads();
        for rank in 0..self.ranks.len() as u32 {
            self.look_at(rank, checker);
        }
        let mut open = std::mem::take(&mut self.open);
        open.retain_mut(|open| {
            let Some(logged) = checker.area.block(open.rank).log.read(open.number) else {
                self.order(sanitizer, open);
                return false;
            };
            if open.high < logged.span.high && !clock::sees_loads() {
                self.make(sanitizer, checker, open, &logged);
                open.high = logged.span.high;
            }
            let is_ordered = logged.done != 0 && logged.done <= known(open.rank);
            if is_ordered || seen {
                self.order(sanitizer, open);
            }
            !(is_ordered || seen)
        });
        self.open = open;
    }

    /// Finds accesses of a rank that are new.
    fn look_at(&mut self, rank: u32, checker: &Checker) {
        let log = checker.area.block(rank).log;
        let (oldest, last) = log.range();
        let next = &mut self.ranks[rank as usize].next;
        let first = (*next).max(oldest);
        *next = last + 1;
        if self.windows.is_empty() {
            return;
        }
        for number in first..=last {
            let part = log.on(number).and_then(|on| {
                let mut parts = self.windows.iter();
                parts.find(|part| part.on == on)
            });
            if let Some(part) = part {
                self.open.push(Open {
                    rank,
                    number,
                    base: part.base,
                    high: 0,
                });
            }
        }
    }

    /// Makes an access once more, as its rank's fiber.
    fn make(&mut self, sanitizer: &Sanitizer, checker: &Checker, open: &Open, logged: &Logged) {
        let Logged {
            what, span, known, ..
        } = *logged;
        if known == clock::ANYTHING {
            return;
        }
        let pieces = pieces(what, &span, open);
        let others = checker.area.block(open.rank).modules;
        // This call's place is known by now, and with it the file that the program is in.
        here();
        let back = checker.own.modules.here(others, logged.place);
        let stack = Stack::new(what.name(), back.unwrap_or(0));
        let Some(fiber) = &mut self.ranks[open.rank as usize].fiber else {
            return;
        };
        let taken = self.taken;
        sanitizer.on(fiber, || {
            sanitizer.acquire(&RANKS);
            numbers(taken, known).for_each(|token| sanitizer.acquire(token));
            for &(from, to, how) in &pieces {
                // SAFETY: the window is there until all its processes give it up, and with it its memory.
                unsafe { sanitizer.access(stack, how, from, to) };
            }
            sanitizer.release(&RANKS);
            sanitizer.release(token(open.rank, open.number));
        });
        self.taken = taken.max(known);
    }

    /// Orders an access before what this process does next.
    fn order(&mut self, sanitizer: &Sanitizer, open: &Open) {
        let Some(gatherer) = &mut self.gatherer else {
            return;
        };
        sanitizer.on(gatherer, || {
            sanitizer.acquire(token(open.rank, open.number));
            sanitizer.release(&ORDERED);
        });
    }
}

/// What an access touches that was not made before.
fn pieces(what: What, span: &Span, open: &Open) -> Pieces {
    let bytes = span.high - span.low;
    let how = match (what.is_atomic() || bytes <= SMALL, what.changes()) {
        (true, _) if bytes > ATOMIC_BYTES => return Pieces::new(),
        (true, true) => How::AtomicWrite,
        (true, false) => How::AtomicRead,
        (false, true) => How::Write,
        (false, false) => How::Read,
    };
    let from = span.low.max(open.high);
    let blocks = span.blocks_from(from).take(PIECES);
    let at = |offset: u64| open.base + offset as usize;
    blocks
        .map(|(low, high)| (at(low.max(from)), at(high), how))
        .collect()
}
