//! What this process does in MPI, as seen from outside: which functions the program calls, how long they take, how long they wait
//! and for whom, how much they move. `mpiexec -report` and `-trace` ask for it.
//!
//! **One flag.** Every exported function asks [`is_on`]: one compare with a byte that hardly ever changes. Where it is set, the function goes
//! out of line and makes its work a [`call`]. The fast paths of windows, to which a compare is a third of a nanosecond and a spilled
//! register a whole one, do not ask: windows that are made while it is set are [hidden](crate::handle) from them. The rooms below ask it again where they
//! have something to tell about the call that is going on: [`moved`], [`Wait`], [`trace`].
//!
//! **What is kept lies in the segment** from the start ([`tables`]), so that the launcher finds it whatever becomes of this
//! process. Each process writes its own part only, and nobody reads that before the job is over.
//!
//! **A call within a call** counts to the outer one: MPI functions in callbacks of the program, and in our layers for other languages.
//!
//! **Events.** While a tool has handles of [events], the flag is set too, so that they can be told at the end of a call. It is the one
//! reason that may come and go. Nothing is kept in the segment for it.
//!
//! **States of the flag.** It is undecided until the process has become part of a job, since what the job wants stands in the segment:
//! so MPI_Init is seen from its beginning. Calls that end before are not counted.

pub mod calls;
pub mod events;
pub mod tables;
pub mod ticks;
pub mod trace;
mod waits;

use crate::shm::Offset;
use crate::shm::atomic::{AtomicPtr, AtomicU8, Ordering};
use crate::shm::segment::Segment;
pub use calls::{BRIEF, Call, Since, briefly, call, lingers, moved};
use parking_lot::Mutex;
use std::ptr::{self, null_mut};
use std::sync::OnceLock;
use tables::{About, Block, Tables};
pub use waits::{Wait, be_threaded, copying, hear, heard};

const OFF: u8 = 0;
const UNDECIDED: u8 = 1;
const ON: u8 = 2;
/// Calls are looked at, but nothing of them is kept, and no tool is there to be told.
const PASSED: u8 = 3;

static STATE: AtomicU8 = AtomicU8::new(UNDECIDED);
/// What the flag follows from.
static REASONS: Mutex<Reasons> = Mutex::new(Reasons {
    job: None,
    others: false,
    tools: false,
});
/// Where this process writes.
static OWN: OnceLock<Block> = OnceLock::new();
/// The same, if of calls nothing is wanted but to be counted: no events, no tool is there, and nobody else looks.
static COUNTED: AtomicPtr<About> = AtomicPtr::new(null_mut());

struct Reasons {
    /// Whether the job wants calls looked at; `None`: nobody knows yet.
    job: Option<bool>,
    /// Whether others look at calls, too.
    others: bool,
    /// Whether a tool has handles of events.
    tools: bool,
}

impl Reasons {
    fn decide(&self) {
        let state = match self.job {
            None => UNDECIDED,
            Some(false) if !self.tools => OFF,
            Some(true) if !self.tools && OWN.get().is_none() => PASSED,
            Some(_) => ON,
        };
        let counting = OWN
            .get()
            .filter(|own| state == ON && !self.others && !self.tools && !trace::is_on(own));
        let brief = counting.map_or(null_mut(), |own| ptr::from_ref(own.about).cast_mut());
        COUNTED.store(brief, Ordering::Release);
        STATE.store(state, Ordering::Release);
    }
}

/// Whether calls are looked at, or may have to be.
#[inline(always)]
pub fn is_on() -> bool {
    STATE.load(Ordering::Relaxed) != OFF
}

/// Whether others alone look at calls, and nothing here.
#[inline(always)]
pub fn is_passed() -> bool {
    STATE.load(Ordering::Relaxed) == PASSED
}

/// Where this process writes what it sees; `None` if nothing is to be seen, or nobody knows yet.
#[inline(always)]
fn own() -> Option<&'static Block> {
    match STATE.load(Ordering::Relaxed) {
        ON => OWN.get(),
        _ => None,
    }
}

/// The same, where calls are only counted.
#[inline(always)]
fn brief() -> Option<&'static About> {
    // SAFETY: it is null, or came from a reference for good.
    unsafe { COUNTED.load(Ordering::Relaxed).as_ref() }
}

/// Whether a tool has handles of events from now on.
pub fn attend(tools: bool) {
    let mut reasons = REASONS.lock();
    reasons.tools = tools;
    reasons.decide();
}

/// This process is `rank` of a job that wants its calls looked at if it has tables, at `tables` of the segment; else that is 0. Others may
/// look at calls too.
pub fn open(segment: &'static Segment, tables: Offset, rank: u32, others: bool) {
    if tables != 0 {
        let tables = Tables::open(segment, tables);
        tables.choose_clock();
        let block = OWN.get_or_init(|| tables.block(rank));
        block.about.began.store(ticks::now(), Ordering::Relaxed);
    }
    let mut reasons = REASONS.lock();
    reasons.job = Some(tables != 0 || others);
    reasons.others = others;
    reasons.decide();
}
