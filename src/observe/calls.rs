//! The calls of the program: what is counted when one ends.

use super::tables::{About, Block, ROWS, Row, UNTIMED};
use super::trace::{self, Happening, Kind};
use super::waits::{Waiting, add, add_to};
use super::{OFF, STATE, brief, events, is_passed, own, ticks};
use crate::shm::atomic::{AtomicU32, Ordering, spin_loop};
use std::cell::Cell;

/// An exported function.
pub struct Call {
    name: &'static str,
    /// The row of its calls, counted from 1; 0 until the first one.
    row: AtomicU32,
    turns: Turns,
}

/// What this thread's call has come to so far.
pub(super) struct Current {
    /// How many calls the thread is in, one within another.
    depth: Cell<u32>,
    pub waited: Cell<u64>,
    /// The wait that it is in.
    pub waiting: Cell<Option<Waiting>>,
    bytes: Cell<u64>,
    /// When it began; [`UNTIMED`].
    began: Cell<u64>,
    /// Whether the clock was looked at later, when it turned out not to be brief.
    is_late: Cell<bool>,
    /// The thread's number in its process, counted from 1; 0: it has none yet.
    thread: Cell<u32>,
}

thread_local! {
    // Without a destructor: to reach it takes no look whether it is there.
    static CURRENT: Current = const {
        Current {
            depth: Cell::new(0),
            waited: Cell::new(0),
            waiting: Cell::new(None),
            bytes: Cell::new(0),
            began: Cell::new(0),
            is_late: Cell::new(false),
            thread: Cell::new(0),
        }
    };
}

/// When a call began.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Since(u64);

impl Since {
    /// Nobody has looked at the clock.
    const UNTIMED: Since = Since(UNTIMED);
}

/// A brief call moves no more bytes.
pub const BRIEF: usize = 1024;
/// One that takes so many ticks, some microseconds, without a wait, was interrupted.
const LONG: u64 = 1 << 14;
/// Where one takes so many, the next one is timed, too: a look at the clock is nothing to it.
const SLOW: u64 = LONG / 4;
/// So many calls of a function are all timed.
const ALL: u64 = 64;

/// Which of the calls of a function are timed, where they are only counted. A brief one, which neither waits nor moves much, takes about the time of any
/// other, and of that two looks at the clock would be the larger part: of those one of 8 is timed, behind the first ones, at distances that no loop of a program has,
/// and stands for those since the one before. A call that turns out not to be brief is timed [from there](lingers) on. (Threads
/// that come in between one another lose some calls' time.)
struct Turns {
    /// Untimed ones since the last that was timed.
    since: AtomicU32,
    /// So many are not.
    gap: AtomicU32,
    random: AtomicU32,
    /// What the last brief one took that was timed.
    typical: AtomicU32,
}

impl Turns {
    const fn new() -> Turns {
        Turns {
            since: AtomicU32::new(0),
            gap: AtomicU32::new(0),
            random: AtomicU32::new(1),
            typical: AtomicU32::new(0),
        }
    }

    /// Whether the next one is.
    #[inline(always)]
    fn is_timed(&self) -> bool {
        self.since.load(Ordering::Relaxed) >= self.gap.load(Ordering::Relaxed)
    }

    /// One was not.
    #[inline(always)]
    fn untimed(&self) {
        let since = self.since.load(Ordering::Relaxed);
        self.since.store(since + 1, Ordering::Relaxed);
    }

    /// One was, which `took` so long, is brief or not, and is the one with that `number`: what those take that it stands for.
    #[inline(always)]
    fn stands_for(&self, number: u64, took: u64, is_brief: bool) -> u64 {
        let others = self.timed(number);
        if took >= SLOW {
            self.gap.store(0, Ordering::Relaxed);
        }
        if is_brief && took < LONG {
            self.typical.store(took as u32, Ordering::Relaxed);
        }
        others * u64::from(self.typical.load(Ordering::Relaxed))
    }

    /// One was, after `before` calls: how many others it stands for.
    #[inline(always)]
    fn timed(&self, before: u64) -> u64 {
        let since = self.since.load(Ordering::Relaxed);
        self.since.store(0, Ordering::Relaxed);
        if before >= ALL {
            let random = self.random.load(Ordering::Relaxed);
            let next = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            self.random.store(next, Ordering::Relaxed);
            // 0 to 14: 7 on the average.
            self.gap.store((next >> 16) % 15, Ordering::Relaxed);
        }
        since.into()
    }
}

impl Call {
    pub const fn new(name: &'static str) -> Call {
        Call {
            name,
            row: AtomicU32::new(0),
            turns: Turns::new(),
        }
    }

    /// The place of its row.
    #[inline(always)]
    fn row(&self, about: &About) -> usize {
        match self.row.load(Ordering::Relaxed) {
            0 => self.first(about),
            row => row as usize - 1,
        }
    }

    /// So many bytes were moved in a call of it that is done [`briefly`].
    #[inline(always)]
    pub fn moved(&self, bytes: usize) {
        if let Some(about) = brief() {
            add_to(&about.calls[self.row(about)].bytes, bytes as u64);
        }
    }

    /// Gives it a row, if it has none.
    #[cold]
    #[inline(never)]
    fn first(&self, about: &About) -> usize {
        while about.giving.swap(true, Ordering::Acquire) {
            spin_loop();
        }
        let known = self.row.load(Ordering::Relaxed);
        let row = if known > 0 {
            known as usize - 1
        } else {
            let next = about.rows.load(Ordering::Relaxed) as usize;
            let row = next.min(ROWS - 1);
            if next < ROWS {
                let is_last = next == ROWS - 1;
                about.calls[row].call_it(if is_last { "others" } else { self.name });
                about.rows.store(next as u32 + 1, Ordering::Release);
            }
            self.row.store(row as u32 + 1, Ordering::Relaxed);
            row
        };
        about.giving.store(false, Ordering::Release);
        row
    }
}

/// Does `work`, a call of `call` by the program. It began `since`, if that is known.
#[inline(always)]
pub fn call<R>(call: &'static Call, since: Option<Since>, work: impl FnOnce() -> R) -> R {
    if is_passed() {
        return work();
    }
    CURRENT.with(|current| {
        enter(current, call, since);
        let result = work();
        leave(current, call);
        result
    })
}

/// Does `quick`, the fast path of a call of `call`, if of the call nothing is wanted but to be counted, and says whether it did all. If not,
/// the call began `since`, if that is known.
///
/// A fast path neither waits nor calls what is the program's; what it moves is [little](BRIEF), and it [tells](Call::moved) itself.
#[inline(always)]
pub fn briefly(
    call: &'static Call,
    since: &mut Option<Since>,
    quick: impl FnOnce() -> bool,
) -> bool {
    let Some((about, began)) = begin(call) else {
        return false;
    };
    let is_done = quick();
    match is_done {
        true => end(about, call, began),
        false => *since = (began != Since::UNTIMED).then_some(began),
    }
    is_done
}

/// A call begins that is done briefly. `None`: it cannot be.
#[inline(never)]
fn begin(call: &Call) -> Option<(&'static About, Since)> {
    let about = brief()?;
    if CURRENT.with(|current| current.depth.get()) > 0 {
        return None;
    }
    let row = call.row(about);
    let since = match call.turns.is_timed() {
        true => Since(ticks::now()),
        false => Since::UNTIMED,
    };
    be_in(about, row, since);
    Some((about, since))
}

/// The call that began then is over, and was brief.
#[inline(never)]
fn end(about: &About, call: &Call, since: Since) {
    if since == Since::UNTIMED {
        return count_untimed(about, call, 0);
    }
    let row = &about.calls[call.row(about)];
    let took = be_out(about, row, since.0, ticks::now());
    stand_for_others(about, row, call, took, true);
}

/// A call that was timed stands for others, if it is one of those that are timed by [turns](Turns).
#[inline(always)]
fn stand_for_others(about: &About, row: &Row, call: &Call, took: u64, is_brief: bool) {
    let number = row.count.load(Ordering::Relaxed);
    let more = call.turns.stands_for(number, took, is_brief);
    add_to(&row.ticks, more);
    add_to(&about.inside, more);
}

/// The call begins.
#[inline(never)]
fn enter(current: &Current, call: &Call, since: Option<Since>) {
    let depth = current.depth.get();
    current.depth.set(depth + 1);
    if depth > 0 {
        return;
    }
    current.waited.set(0);
    current.bytes.set(0);
    current.is_late.set(false);
    let began = match (own(), since) {
        // Before it is decided which clock there is, a call begins with the job.
        (None, _) => 0,
        (_, Some(Since(since))) => since,
        (Some(block), None) => {
            let is_timed = brief().is_none() || call.turns.is_timed();
            let began = if is_timed { ticks::now() } else { UNTIMED };
            be_in(block.about, call.row(block.about), Since(began));
            began
        }
    };
    current.began.set(began);
}

/// The call is over.
#[inline(never)]
fn leave(current: &Current, call: &Call) {
    let depth = current.depth.get() - 1;
    current.depth.set(depth);
    if depth > 0 {
        return;
    }
    if let Some(block) = own() {
        match current.began.get() {
            UNTIMED => count_untimed(block.about, call, current.bytes.get()),
            since => count_call(current, call, block, since),
        }
    }
    events::left();
}

/// The call counts, which was brief, was not timed, and has moved so many bytes that are not counted yet.
#[inline(always)]
fn count_untimed(about: &About, call: &Call, bytes: u64) {
    let row = &about.calls[call.row(about)];
    call.turns.untimed();
    add(&row.count, 1);
    add_to(&row.bytes, bytes);
    about.row.store(0, Ordering::Relaxed);
}

/// The call counts that began then.
#[inline(always)]
fn count_call(current: &Current, call: &Call, block: &Block, since: u64) {
    let about = block.about;
    let since = since.max(about.began.load(Ordering::Relaxed));
    let now = ticks::now();
    let (waited, bytes) = (current.waited.get(), current.bytes.get());
    let place = call.row(about);
    let row = &about.calls[place];
    add_to(&row.waited, waited);
    add_to(&row.bytes, bytes);
    let took = be_out(about, row, since, now);
    if brief().is_some() && !current.is_late.get() {
        let is_brief = waited == 0 && bytes <= BRIEF as u64;
        let took = took.saturating_sub(waited);
        stand_for_others(about, row, call, took, is_brief);
    }
    if trace::is_on(block) {
        let thread = number(current, block);
        let event = Happening {
            kind: Kind::Call,
            thread,
            time: since,
            whom: place as u32,
            bytes,
            also: now,
        };
        trace::write(block, event);
    }
}

/// The call that this thread is in is not brief: it is about to wait, if only for some looks, or to move more. From now on it is timed, if it is not.
#[inline(always)]
pub fn lingers() {
    if STATE.load(Ordering::Relaxed) != OFF {
        be_late();
    }
}

#[cold]
#[inline(never)]
fn be_late() {
    CURRENT.with(|current| {
        if current.depth.get() > 0
            && current.began.get() == UNTIMED
            && let Some(block) = own()
        {
            let now = ticks::now();
            current.began.set(now);
            current.is_late.set(true);
            block.about.since.store(now, Ordering::Relaxed);
        }
    });
}

/// The rank is in a call of the function of this row since then.
#[inline(always)]
fn be_in(about: &About, row: usize, since: Since) {
    about.since.store(since.0, Ordering::Relaxed);
    about.row.store(row as u32 + 1, Ordering::Relaxed);
}

/// It is in no call any more, and that one counts. The result is how long it took.
#[inline(always)]
fn be_out(about: &About, row: &Row, since: u64, now: u64) -> u64 {
    let took = now.saturating_sub(since);
    add(&row.count, 1);
    add(&row.ticks, took);
    if took > row.longest.load(Ordering::Relaxed) {
        row.longest.store(took, Ordering::Relaxed);
    }
    add(&about.inside, took);
    about.ended.store(now, Ordering::Relaxed);
    about.row.store(0, Ordering::Relaxed);
    took
}

/// What the call that this thread is in has come to.
pub(super) fn current<R>(look: impl FnOnce(&Current) -> R) -> R {
    CURRENT.with(look)
}

/// The number of this thread among those of its process that have called.
pub(super) fn thread(block: &Block) -> u32 {
    CURRENT.with(|current| number(current, block))
}

fn number(current: &Current, block: &Block) -> u32 {
    if current.thread.get() == 0 {
        let before = block.about.threads.fetch_add(1, Ordering::Relaxed);
        current.thread.set(before + 1);
    }
    current.thread.get() - 1
}

/// The call that this thread is in moves so many bytes, which is told before it does where they may be many.
#[inline(always)]
pub fn moved(bytes: usize) {
    if STATE.load(Ordering::Relaxed) != OFF {
        count(bytes);
    }
}

#[cold]
#[inline(never)]
fn count(bytes: usize) {
    let all = CURRENT.with(|current| {
        let all = current.bytes.get() + bytes as u64;
        current.bytes.set(all);
        all
    });
    if all > BRIEF as u64 {
        be_late();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_are_timed_stand_for_all() {
        let turns = Turns::new();
        let (mut timed, mut stands, mut untimed) = (0, 0, 0);
        // By how many others each stands for.
        let mut distances = [0_u64; 15];
        let calls = 100_000;
        for call in 0..calls {
            match turns.is_timed() {
                true => {
                    let more = turns.timed(call);
                    assert!(call >= ALL || more == 0, "{call}");
                    timed += 1;
                    stands += 1 + more;
                    distances[more as usize] += 1;
                    untimed = 0;
                }
                false => {
                    turns.untimed();
                    untimed += 1;
                }
            }
        }
        assert_eq!(stands + untimed, calls);
        assert!((11_000..14_000).contains(&timed), "{timed}");
        // No distance is rare or common, so that none of a program's own meets it.
        let fair = timed / 15;
        assert!(
            distances
                .iter()
                .all(|times| (fair / 2..fair * 2).contains(times)),
            "{distances:?}"
        );
    }

    /// Calls of a function until the next one that is timed.
    fn untimed(turns: &Turns) -> u64 {
        let mut calls = 0;
        while !turns.is_timed() {
            turns.untimed();
            calls += 1;
        }
        calls
    }

    /// What a call that was interrupted, waited or moved much took is no other's; and where calls are slow all are timed.
    #[test]
    fn only_brief_calls_stand_for_others() {
        let turns = Turns::new();
        let mut number = ALL;
        let mut others = 0;
        assert_eq!(turns.stands_for(number, 70, true), 0);
        for (took, is_brief, each) in [
            (80, true, 80),
            (3000, false, 80),
            (LONG, true, 80),
            (90, true, 90),
            (2 * LONG, false, 90),
            (100, true, 100),
        ] {
            for _ in 0..50 {
                let between = untimed(&turns);
                number += between + 1;
                others += between;
                assert_eq!(turns.stands_for(number, took, is_brief), between * each);
                let is_slow = took >= SLOW;
                assert!(!is_slow || turns.is_timed());
            }
        }
        assert!(others > 500, "{others}");
    }
}
