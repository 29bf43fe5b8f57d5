//! Puts and gets that go elsewhere each time: programs move pieces of a row or a table in a loop. What is known of one at its call is only noted
//! here; it is logged and compared when the process makes any other call ([`settle()`]), or when there is no [room](MOST) for more. Calls
//! from one place of the program that go on by the same step on both sides are one [`Note`], one entry of the log, and are compared once. Where
//! there is only one, and it is flushed, it is logged and compared before that, and complete at once ([`flush()`]); so are several, if none of them is in
//! the way of another one. The same call may go elsewhere behind that: it takes the same [note](Series::note_elsewhere).
//!
//! **Why nothing is missed or told wrongly.** Between a note and its settling this process makes no other call, but for those below. So what it knows
//! stays as it was, and what the operation is ordered after is the same when it is compared ([`clock::as_it_is`]). (What it may see by loads of its
//! own it takes before a note: how far all others are by then. What the target's program may have told by what is fetched it takes when that is
//! complete.) None of the operations is complete at its target, so that nothing can be ordered behind one, and who conflicts with one does so whenever
//! it comes. Of two processes that compare, one finds the other's entry: each logs before it looks. Operations that are atomic order others by their
//! effect alone, and so cannot be late.
//!
//! **Operations on an element** are [listed](mod@element) beside the notes, as long as none of their bytes, there or here, is one of a note's that one of
//! both writes to: what meets is settled first, and compared as any other. They give this process's clock other times, but complete no note. Before
//! what they fetch makes it know more, the notes are settled; and where notes are settled the list is, too, as what is pending may be in its way.
//!
//! **MPI_Win_flush_local** gives the buffers of puts back to the program ([`note::Here`]). What comes behind it is no repetition of those before. What
//! may be one, and is in use still, is compared before.
//!
//! **Operations with requests** end sooner: what MPI_Rget fetches is complete when its request is, and by MPI_Wait the program has its buffer back.
//! So they are never among others, and no bytes of such puts are noted together with those of such gets, but of what is put behind gets that the program
//! has waited for: these are complete. What MPI_Rput puts may be something
//! else the next time: of what goes side by side from one buffer the [content](mod@super::content) of each block is kept, with a sum of that, and what
//! goes elsewhere is a note of its own. What MPI_Rget fetches is complete in the log as soon as it is compared, but what the program has not
//! waited for: that is [logged](super::own::State::log_bound) once more. One that comes [again and again](REPEATED) is left to be [repeated](super::again).
//!
//! Only the thread that has initialized MPI is here, where no other one may call ([`Alone`]). While something is noted, nothing
//! [repeats](super::again).

mod flush;
mod note;
mod scattered;
mod settle;
mod take;

use super::again::NOWHERE;
use super::log::On;
use super::span::Span;
use super::touched::Touched;
use super::{Content, What, Window, Words, element, requests};
use crate::check::threads::{Alone, is_alone};
use crate::check::{Place, clock, local, sums};
use crate::shm::atomic::{AtomicBool, Ordering::Relaxed};
use flush::FEW;
use note::Note;
use scattered::Scattered;

/// So many notes are taken before they are compared.
const MOST: usize = 48;
/// So many there is room for: what was [no series](Note::halve) becomes two.
const ROOM: usize = u64::BITS as usize;
/// An operation with a request that comes again so often is left to be [repeated](super::again), which costs half as much; the whole call between costs as
/// much as six that are noted.
const REPEATED: usize = 24;
/// Places of the program of which the last note is known: a power of two.
const SITES: usize = 32;

/// A place of the program that has made such calls.
#[derive(Clone, Copy)]
struct Site {
    /// Where the call returns to.
    back: usize,
    place: Place,
    /// Which note was its last one.
    note: usize,
}

/// What is asked of an operation that may go elsewhere.
#[derive(Clone, Copy)]
struct Flushed {
    on: On,
    what: What,
    place: Place,
    /// Whose memory it is.
    process: u32,
    near: u64,
    bytes: u64,
}

/// An operation, as it is given.
#[derive(Clone, Copy)]
pub struct Operation {
    pub window: Window<'static>,
    pub words: &'static dyn Words,
    pub function: &'static str,
    pub target: usize,
    pub what: What,
    /// Where the bytes are: in the target's part, or at which address; in this process.
    pub far: u64,
    pub near: u64,
    pub bytes: u64,
}

impl Operation {
    /// What it puts, if that has to be known.
    #[inline(always)]
    fn content(&self) -> Option<u64> {
        if self.what.has_content() && self.bytes == 8 {
            return Some(sums::of_word(self.near as usize));
        }
        let buffer = [Span::run(self.near, self.bytes)];
        super::content(self.what, &buffer).and_then(Content::one)
    }
}

/// One operation, and from where it was called.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Once {
    on: On,
    what: What,
    back: usize,
    far: u64,
    near: u64,
    bytes: u64,
}

struct Series {
    notes: [Option<Note>; ROOM],
    count: usize,
    sites: [Site; SITES],
    /// The operation of the first note, if that was flushed alone, when nothing else was pending, and nothing was noted since.
    flushed: Option<Flushed>,
    /// Whether this process has taken a lock, or given one back, since.
    is_locked: bool,
    /// Whether an operation on an element was listed since something was noted.
    has_beside: bool,
    /// Whether the notes may be of more than one kind of operation.
    is_mixed: bool,
    /// Whether the only note is such a one, of an operation that has gone [elsewhere](Series::note_elsewhere) since.
    is_elsewhere: bool,
    /// Whose memory the last operation was from, if that is noted and has a request.
    fetched_from: u32,
    /// The last operation with a request, and how often it has come again.
    last: Once,
    times: usize,
    /// Where operations may be noted, as was found since this process has made another call.
    open: Option<On>,
    /// Whether no other thread of this process has anything of the check meanwhile.
    is_alone: bool,
    /// Buffers that were found to end before what they begin in, since the process has made another call: the last one of each note.
    fits: [(u64, u64); FEW],
    /// Where the notes are that are compared.
    noted: Touched,
    /// The operations of one of the notes, if they go anywhere: also of the first one, if that was flushed, and nothing was noted since.
    scattered: Scattered,
}

static SERIES: Alone<Series> = Alone::new(Series {
    notes: [None; ROOM],
    count: 0,
    open: None,
    is_alone: false,
    fits: [(0, 0); FEW],
    fetched_from: NOWHERE,
    last: Once {
        on: On::NONE,
        what: What(0),
        back: 0,
        far: 0,
        near: 0,
        bytes: 0,
    },
    times: 0,
    sites: [const {
        Site {
            back: 0,
            place: Place::UNKNOWN,
            note: ROOM,
        }
    }; SITES],
    flushed: None,
    is_locked: false,
    has_beside: false,
    is_mixed: false,
    is_elsewhere: false,
    noted: Touched::new(),
    scattered: Scattered::new(),
});
/// Whether something is noted, or may be more quickly.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Whether operations of this thread may be noted now, as far as the process is concerned.
#[inline(always)]
pub fn may_note() -> bool {
    is_alone() && !local::is_seen()
}

/// Notes an operation that is about to be carried out: whether it could be. [`may_note`] holds.
#[inline(always)]
pub fn note(operation: &Operation) -> bool {
    match SERIES.get() {
        Some(mut series) => series.note(operation),
        None => false,
    }
}

impl Flushed {
    /// Whether it is this operation, called from there, wherever that goes.
    #[inline(always)]
    fn is(&self, operation: &Operation, on: On, place: Place) -> bool {
        let Operation {
            what, near, bytes, ..
        } = *operation;
        (self.on, self.what, self.place, self.near, self.bytes) == (on, what, place, near, bytes)
    }
}

/// Whether something is noted.
#[inline(always)]
pub fn has_notes() -> bool {
    is_open() && SERIES.get().is_some_and(|series| series.count > 0)
}

/// Settles what is noted if an operation on an element may not be [listed](mod@element) beside that.
#[inline(never)]
pub fn let_beside(operation: &element::Operation) {
    if let Some(mut series) = SERIES.get() {
        series.has_beside = true;
        if series.count > 0 && !series.lets(operation) {
            series.settle();
        }
    }
}

/// Settles what is noted beside a list: whether there was something.
#[cold]
pub fn settle_beside() -> bool {
    match SERIES.get() {
        Some(mut series) if series.count > 0 => {
            series.settle();
            true
        }
        _ => false,
    }
}

/// Whether something is noted, or may be more quickly.
#[inline(always)]
pub fn is_open() -> bool {
    OPEN.load(Relaxed)
}

/// This process makes another call or exits, or one inside another ends.
#[inline(always)]
pub fn settle() {
    if is_open() {
        settle_all();
    }
}

#[cold]
#[inline(never)]
fn settle_all() {
    if let Some(mut series) = SERIES.get() {
        OPEN.store(false, Relaxed);
        series.settle();
        series.scattered.end();
        (series.open, series.flushed, series.fits) = (None, None, [(0, 0); FEW]);
    }
}

/// The same for what is noted alone.
#[inline(always)]
pub fn settle_noted() {
    if is_open() {
        settle_notes();
    }
}

#[inline(always)]
fn settle_notes() {
    if let Some(mut series) = SERIES.get() {
        series.is_locked = true;
        if series.count > 0 {
            series.settle();
        }
    }
}

/// A call that has waited for requests of what is noted is over. Where others may know that by a load, what it has fetched is complete before.
#[inline(always)]
pub fn waited() {
    if is_open() && clock::has_loads() {
        end_fetched();
    }
}

#[inline(never)]
fn end_fetched() {
    if let Some(mut series) = SERIES.get()
        && series.notes[..series.count]
            .iter()
            .flatten()
            .any(Note::is_over)
        && requests::has_ended_fetch()
        && !series.end_fetched()
    {
        series.settle();
    }
}

/// The operations on those targets are complete here behind a full fence, if `may` says that they may be, and no other call is made: whether that is
/// so. Else all is to be settled.
#[inline(always)]
pub fn leave(is_one: impl Fn(On) -> bool, may: impl FnOnce() -> bool) -> bool {
    match SERIES.get() {
        Some(mut series) => series.leave(is_one, may),
        None => false,
    }
}

/// The operations on those targets are complete behind a full fence, if `may` says that they may be, and no other call is made: what it says. `None`:
/// that is not asked, and all is to be settled.
#[inline(always)]
pub fn flush(is_one: impl Fn(On) -> bool, may: impl FnOnce() -> bool) -> Option<bool> {
    match SERIES.get() {
        Some(mut series) => series.flush(is_one, may),
        None => None,
    }
}
