//! Operations that repeat the last one: programs put, and flush, and put to the same bytes in a loop. Such a call says nothing that the log does not
//! have already, and is as quick as compares allow.
//!
//! | state      | the last operation                                           | its entry in the log | goes on by                        |
//! |------------|--------------------------------------------------------------|----------------------|-----------------------------------|
//! | `NONE`     | cannot be repeated                                           |                      | [`made`], in a call that logs one |
//! | `MADE`     | is logged, and its call has not returned                     | not complete         | [`keep`]                          |
//! | `PENDING`  | is not complete                                              | not complete         | [`ends`]                          |
//! | `COMPLETE` | is complete, of which nobody knows but by a flag of the program's | not complete, but for those | [`repeats`], to `PENDING` |
//!
//! A get that has a request is `COMPLETE` when the program has waited for that; what it has not waited for when another call begins is
//! [bound](super::State::bind) to the request. **Requests**: one handle serves each repetition. It is given anew when the
//! program has waited for it ([`waits`]), and freed by [`settle`]; one that is not waited for by then is as any other. From then on the program may
//! change the buffer of what is not complete: a put with something else in it is another one.
//!
//! From each to `NONE` by [`settle`], when any other call begins, or one inside another ends: what is complete becomes so in the log, at a time of
//! its own, before anything can be known of it.
//!
//! **Why nothing is missed or told wrongly.** Between the operation and its repetition this process makes no call, so that its clock goes to
//! nobody, and nobody comes to know of the completion between them. Who conflicts with the one conflicts with the other: they have the bytes,
//! the kind and the place in common, and one entry stands for both. What this process knows is the same too: what may have [come](clock::may_have_seen) to
//! it, or been left [at the element](clock::has_news), ends the repetition. What was left while the operation went on it may have fetched: so that is
//! looked at behind it as well. So is whether the target's program [knows more](clock::is_behind) than this process, as it may have stored a flag.
//!
//! Others may learn of a completion without a call of this process's: by a flag that its program stores, and that they [load](clock::sees_loads) or
//! fetch. So that an operation is `COMPLETE` is told in the log, too: who learns of it counts it as having this process's next time, which it gets
//! when it is settled, and says that something has come, so that it is not repeated from then on. Where this process may load what others store,
//! it looks at their times, too, before each repetition.
//!
//! Only the thread that has initialized MPI is here, and only where no other one may call ([`threads::is_alone`]). So the words are plain; they are
//! atomic for programs that break that rule.

use super::log::On;
use super::requests::{self, Function, Uses};
use super::span::Span;
use super::{Access, Content, Entered, What, Window, element, single};
use crate::check::{checker, clock, local, pending, place, threads};
use crate::shm::atomic::{
    AtomicI32, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed,
};

const NONE: u8 = 0;
const MADE: u8 = 1;
const PENDING: u8 = 2;
const COMPLETE: u8 = 3;

/// The most arguments of an operation that may be repeated.
pub const ARGUMENTS: usize = 10;
/// In jobs of more ranks those that are atomic are not repeated: each is to be looked at for what all ranks may have left.
const RANKS: usize = 16;

static STATE: AtomicU8 = AtomicU8::new(NONE);
static LAST: Last = Last {
    function: AtomicUsize::new(0),
    back: AtomicUsize::new(0),
    arguments: [const { AtomicU64::new(0) }; ARGUMENTS],
    on: AtomicU64::new(0),
    number: AtomicU64::new(0),
    fetches: AtomicU8::new(0),
    process: AtomicU32::new(NOWHERE),
    from: AtomicU32::new(NOWHERE),
    keys: [const { AtomicU64::new(0) }; 2],
    is_at_once: AtomicU8::new(0),
    request: AtomicU8::new(NO_REQUEST),
    handle: AtomicI32::new(0),
    buffer: [const { AtomicU64::new(0) }; 2],
    content: AtomicU64::new(0),
    what: AtomicU32::new(0),
    is_held: AtomicU8::new(0),
    uses: [const { AtomicUsize::new(0) }; 4],
};

/// The operation: its call, and what was logged.
struct Last {
    /// The address of the function's name.
    function: AtomicUsize,
    back: AtomicUsize,
    arguments: [AtomicU64; ARGUMENTS],
    on: AtomicU64,
    number: AtomicU64,
    /// 1: it is atomic, and has a result.
    fetches: AtomicU8,
    /// If it is atomic: at which rank others leave their clocks for it, else [`NOWHERE`].
    process: AtomicU32,
    keys: [AtomicU64; 2],
    /// If it has a result: the rank whose memory that is from, else [`NOWHERE`].
    from: AtomicU32,
    /// 1: what it has fetched is complete when its request is.
    is_at_once: AtomicU8,
    /// One of those below, and the handle.
    request: AtomicU8,
    handle: AtomicI32,
    /// From where to where it reads what it puts, and what was there, if it has a request; else nowhere.
    buffer: [AtomicU64; 2],
    content: AtomicU64,
    /// If it has a request: what it is, and between which addresses it reads and writes.
    what: AtomicU32,
    /// 1: [what is pending](pending) has its request.
    is_held: AtomicU8,
    uses: [AtomicUsize; 4],
}

/// It has no request, or must have one; the program has that, or has waited for it.
const NO_REQUEST: u8 = 0;
const WANTED: u8 = 1;
const GIVEN: u8 = 2;
const ENDED: u8 = 3;

/// No rank.
pub(super) const NOWHERE: u32 = u32::MAX;

/// An argument as a number.
#[inline(always)]
pub fn word<T: Copy>(argument: T) -> u64 {
    const { assert!(size_of::<T>() <= size_of::<u64>()) };
    let mut word = 0_u64;
    // SAFETY: it fits. Arguments of C functions are integers and pointers, all of whose bytes have values.
    unsafe {
        (&raw const argument)
            .cast::<u8>()
            .copy_to_nonoverlapping((&raw mut word).cast(), size_of::<T>())
    };
    word
}

/// Whether a call of `function` is the last operation once more.
#[inline(always)]
pub fn repeats<const N: usize>(function: &'static str, arguments: &[u64; N]) -> bool {
    let state = STATE.load(Relaxed);
    if state < PENDING || !threads::is_alone() {
        return false;
    }
    let same = |(known, given): (&AtomicU64, &u64)| known.load(Relaxed) == *given;
    let is_same = LAST.function.load(Relaxed) == function.as_ptr().addr()
        && LAST.arguments.iter().zip(arguments).all(same)
        && LAST.back.load(Relaxed) == place::came_from();
    // Before it is complete, its result may not be written once more.
    let is_free = state == COMPLETE || LAST.fetches.load(Relaxed) == 0;
    let is_free = is_free && LAST.request.load(Relaxed) != GIVEN;
    is_same && is_free && !clock::may_have_seen() && !is_news() && !is_changed()
}

/// Whether what it puts is not what was put before.
#[inline(always)]
fn is_changed() -> bool {
    LAST.request.load(Relaxed) != NO_REQUEST && {
        let [low, high] = LAST.buffer.each_ref().map(|at| at.load(Relaxed));
        low < high && super::sum(&[Span::run(low, high - low)]) != LAST.content.load(Relaxed)
    }
}

/// Whether others have left at the element what this process does not know.
#[inline(always)]
fn is_news() -> bool {
    let process = LAST.process.load(Relaxed);
    let [element, whole] = &LAST.keys;
    let key = |of: &AtomicU64| clock::Key::of_bits(of.load(Relaxed));
    process != NOWHERE && clock::has_news(process, [key(element), key(whole)])
}

/// It was done once more.
#[inline(always)]
pub fn repeated() -> bool {
    say(PENDING);
    if LAST.fetches.load(Relaxed) != 0 && is_news() {
        learn();
    }
    // It may have fetched a flag that the target's program has stored.
    let from = LAST.from.load(Relaxed);
    if from != NOWHERE
        && let Some(checker) = checker()
        && clock::is_behind(checker, from)
    {
        settle_last();
        clock::fetched(checker, from);
    }
    true
}

/// The present call gives this handle: whether it is the last operation's.
pub(super) fn gives(handle: i32) -> bool {
    let is_it = STATE.load(Relaxed) == MADE && LAST.request.load(Relaxed) == WANTED;
    if is_it {
        LAST.is_held.store(1, Relaxed);
        LAST.handle.store(handle, Relaxed);
        LAST.request.store(GIVEN, Relaxed);
    }
    is_it
}

/// Whether the program has the request of the last operation.
#[inline(always)]
pub(super) fn has_given() -> bool {
    LAST.request.load(Relaxed) == GIVEN
}

/// The handle of an operation that is done once more, which the program gets.
#[inline(always)]
pub fn give() -> i32 {
    LAST.request.store(GIVEN, Relaxed);
    LAST.handle.load(Relaxed)
}

/// Whether the program has this handle, and to wait for it is to wait for the last operation alone, which is done.
#[inline(always)]
pub(super) fn is_given(handle: i32) -> bool {
    STATE.load(Relaxed) >= PENDING
        && LAST.request.load(Relaxed) == GIVEN
        && LAST.handle.load(Relaxed) == handle
        && threads::is_alone()
}

/// Whether [that](is_given) is so: then the handle is over.
#[inline(always)]
pub(super) fn waits(function: &'static str, handle: i32) -> bool {
    let is_it = is_given(handle);
    if is_it {
        if LAST.is_held.load(Relaxed) != 0 {
            LAST.is_held.store(0, Relaxed);
            pending::ended_by_wait(function, handle);
        }
        LAST.request.store(ENDED, Relaxed);
        if LAST.is_at_once.load(Relaxed) != 0 {
            say(COMPLETE);
        }
    }
    is_it
}

/// It may have fetched what others have left at the element.
#[cold]
fn learn() {
    settle_last();
    for key in &LAST.keys {
        let key = clock::Key::of_bits(key.load(Relaxed));
        clock::take(LAST.process.load(Relaxed), key);
    }
}

/// Whether to complete the operations on those targets of a window is to complete the last one alone.
#[inline(always)]
pub fn ends(is_one: impl Fn(On) -> bool) -> bool {
    let last = || On::of_bits(LAST.on.load(Relaxed));
    STATE.load(Relaxed) >= PENDING && is_one(last()) && threads::is_alone()
}

/// Whether the last operation has a result.
#[inline(always)]
pub fn has_fetched() -> bool {
    LAST.from.load(Relaxed) != NOWHERE
}

/// They are complete.
#[inline(always)]
pub fn ended() {
    say(COMPLETE);
}

#[inline(always)]
fn say(state: u8) {
    STATE.store(state, Relaxed);
    if let Some(checker) = checker() {
        let number = LAST.number.load(Relaxed);
        checker.own.log.say_complete(number, state == COMPLETE);
    }
}

/// This process is a child of a fork: the last operation is the parent's.
pub(super) fn forget() {
    STATE.store(NONE, Relaxed);
}

/// Another call begins.
#[inline(always)]
pub fn settle() {
    if STATE.load(Relaxed) != NONE {
        settle_last();
    }
}

#[cold]
#[inline(never)]
fn settle_last() {
    let state = STATE.swap(NONE, Relaxed);
    let Some(checker) = checker() else { return };
    let (request, handle) = (LAST.request.load(Relaxed), LAST.handle.load(Relaxed));
    LAST.request.store(NO_REQUEST, Relaxed);
    let name = What(LAST.what.load(Relaxed)).name();
    let back = LAST.back.load(Relaxed);
    // Before the call has returned, nothing is known of where.
    if request == ENDED || request == GIVEN && state >= PENDING {
        let at = LAST.function.load(Relaxed);
        requests::keep(Function { at, name }, back, handle, request == ENDED);
    }
    let is_at_once = LAST.is_at_once.load(Relaxed) != 0;
    if state == COMPLETE || is_at_once && request != GIVEN {
        let on = On::of_bits(LAST.on.load(Relaxed));
        super::complete_on(|other| other == on);
    }
    let is_held = LAST.is_held.swap(0, Relaxed) != 0;
    if state != COMPLETE && request == GIVEN {
        if !is_held {
            let [read_from, read_to, from, to] = LAST.uses.each_ref().map(|at| at.load(Relaxed));
            let uses = Uses {
                on: On::of_bits(LAST.on.load(Relaxed)),
                reads: (read_from, read_to),
                writes: (from, to),
                far: requests::NOWHERE,
            };
            uses.begin(handle, name, back);
        }
        if is_at_once {
            let number = LAST.number.load(Relaxed);
            super::STATE.lock().bind((number, number), handle);
        }
    }
    if state >= PENDING {
        // After it is complete in the log: who looks finds the one or the other.
        checker.own.log.say_complete(0, false);
    }
}

/// The present call has made an access, and logged it as one that is not complete: whether it stays so. `is_alone`: no other one of this process's
/// is not complete, and the entry is its own.
pub(super) fn made(window: &Window, access: &Access, entered: &Entered, is_alone: bool) -> bool {
    let what = access.what;
    let is_atomic = what.is_atomic();
    let ranks = checker().map_or(0, |checker| checker.area.ranks());
    let is_at_once = what.has_request() && what.fetches();
    if !is_alone
        || is_at_once && is_atomic
        || !threads::is_alone()
        || local::is_seen()
        || is_atomic && ranks > RANKS
    {
        return false;
    }
    LAST.on.store(entered.on.bits(), Relaxed);
    LAST.number.store(entered.numbers.0, Relaxed);
    LAST.fetches
        .store((is_atomic && what.fetches()).into(), Relaxed);
    let process = match is_atomic {
        true => window.members[access.target],
        false => NOWHERE,
    };
    LAST.process.store(process, Relaxed);
    let from = match what.fetches() {
        true => window.members[access.target],
        false => NOWHERE,
    };
    LAST.from.store(from, Relaxed);
    if is_atomic {
        for (key, span) in LAST.keys.iter().zip([single(access.spans), None]) {
            key.store(element(window, access.target, span).bits(), Relaxed);
        }
    }
    LAST.is_at_once.store(is_at_once.into(), Relaxed);
    let request = match what.has_request() {
        true => WANTED,
        false => NO_REQUEST,
    };
    LAST.request.store(request, Relaxed);
    if request == WANTED {
        let runs = [access.reads, access.writes].map(|spans| match spans {
            [] => Some([0, 0]),
            [span] if span.is_one_block() => Some([span.low as usize, span.high as usize]),
            _ => None,
        });
        let [Some(reads), Some(writes)] = runs else {
            return false;
        };
        for (at, is) in LAST.uses.iter().zip(reads.into_iter().chain(writes)) {
            at.store(is, Relaxed);
        }
        LAST.what.store(what.0, Relaxed);
        let content = entered.content.and_then(Content::one);
        let (low, high) = match (content, access.reads) {
            (Some(_), [buffer]) if buffer.is_one_block() => (buffer.low, buffer.high),
            (Some(_), _) => return false,
            (None, _) => (0, 0),
        };
        LAST.buffer[0].store(low, Relaxed);
        LAST.buffer[1].store(high, Relaxed);
        LAST.content.store(content.unwrap_or(0), Relaxed);
    }
    STATE.store(MADE, Relaxed);
    true
}

/// A call of `function` has succeeded that is repeated by the same arguments at the same place.
#[inline]
pub fn keep<const N: usize>(function: &'static str, arguments: &[u64; N]) {
    const { assert!(N <= ARGUMENTS) };
    if STATE.load(Relaxed) == MADE && LAST.request.load(Relaxed) != WANTED {
        LAST.function.store(function.as_ptr().addr(), Relaxed);
        LAST.back.store(place::came_from(), Relaxed);
        for (known, given) in LAST.arguments.iter().zip(arguments) {
            known.store(*given, Relaxed);
        }
        say(PENDING);
    }
}
