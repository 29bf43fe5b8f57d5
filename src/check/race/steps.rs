//! The steps of an operation that is looked at by itself: it begins, is logged, is carried out, and is compared. Those that others tell of what they do,
//! [noted](super::series), [listed](mod@super::element) or [repeated](super::again), take some of them together.

use super::content::Content;
use super::log::{Fence, On};
use super::own::{Clash, Race, STATE, State};
use super::report::{From, Words};
use super::span::Span;
use super::{Access, Begun, Kind, What, Window, again, report, requests, windows};
use crate::check::threads::Turn;
use crate::check::{Checker, Place, checker, clock, here, rank};
use smallvec::SmallVec;

/// An operation is about to be carried out: leaves this rank's clock where its effect is found.
#[cold]
pub fn begin(window: &Window, target: usize, what: What, spans: &[Span], reading: u8) -> Begun {
    let process = window.members[target];
    say_seen(On::new(window.id, target), process, what);
    let known = clock::known_of(process);
    if what.is(Kind::Get) || what.op() == reading && what.is_atomic() {
        return Begun { issued: 0, known };
    }
    clock::come(process, false);
    if !what.is_atomic() {
        return Begun { issued: 0, known };
    }
    let issued = clock::tick(false);
    match single(spans) {
        Some(span) => clock::keep(process, super::element(window, target, Some(span)), false),
        None => clock::keep_whole(process, super::element(window, target, None)),
    }
    Begun { issued, known }
}

/// Who makes the operation may see by it what others have stored there; so may the program of the target at any time, which is told of here where
/// it has to do with that.
#[cold]
pub(super) fn say_seen(on: On, process: u32, what: What) {
    if let Some(checker) = checker()
        && what.is_atomic()
        && (what.fetches() || process == checker.rank)
    {
        checker.area.say_seen(on);
    }
}

/// The span, if it is one element.
pub(super) fn single(spans: &[Span]) -> Option<&Span> {
    match spans {
        [span] if span.high - span.low <= 16 => Some(span),
        _ => None,
    }
}

/// So many ranks are listed without asking for memory.
pub(super) const LIMITS: usize = 16;

/// An operation that was logged.
pub struct Entered {
    pub(super) on: On,
    place: Place,
    /// Its first and its last number in the log.
    pub(super) numbers: (u64, u64),
    /// How much was in the others' logs then, by rank in the window, if it was not carried out yet. What they log later they compare with this.
    pub(super) limits: SmallVec<[u64; LIMITS]>,
    /// What it has put, if that has to be known: see [`content`](super::content()).
    pub(super) content: Option<Content>,
    // What is found is rare, and large.
    pub(super) own: Option<Box<Race>>,
}

/// Logs an operation that is about to be carried out, whose effect may be seen as soon as that is so: one that is atomic.
#[cold]
pub fn enter(window: &Window, access: &Access, words: &dyn Words) -> Option<Entered> {
    let checker = checker()?;
    let mut entered = log(
        &mut STATE.lock(),
        checker,
        window,
        access,
        words,
        here(),
        Fence::Here,
    );
    let count = |&rank: &u32| checker.area.block(rank).log.range().1;
    entered.limits = window.members.iter().map(count).collect();
    Some(entered)
}

#[inline(always)]
pub(super) fn log(
    state: &mut State,
    checker: &Checker,
    window: &Window,
    access: &Access,
    words: &dyn Words,
    place: Place,
    fence: Fence,
) -> Entered {
    let on = On::new(window.id, access.target);
    let (mut first, mut last) = (u64::MAX, 0);
    let mut own = None;
    let content = access.content;
    state.stay(checker.own.log);
    for span in access.spans {
        let logged = access.logged(on, place, span);
        if own.is_none() {
            let pair = access.written(span);
            own = state.own_conflict(&logged, pair.as_ref(), content, words.reading());
        }
    }
    for span in access.spans {
        let logged = access.logged(on, place, span);
        let number = state.log(
            checker.own.log,
            &logged,
            access.written(span),
            content,
            fence,
        );
        (first, last) = (first.min(number), last.max(number));
    }
    Entered {
        on,
        place,
        numbers: (first, last),
        limits: SmallVec::new(),
        content,
        own: own.map(Box::new),
    }
}

/// An operation that is not atomic was carried out: both at once. What others have logged since is compared too; this one, which is not
/// complete, cannot be ordered before it.
#[cold]
pub fn enter_and_end(
    window: &Window,
    access: &Access,
    words: &dyn Words,
) -> Option<windows::Shared> {
    let checker = checker()?;
    let known = clock::look();
    let mut state = STATE.lock();
    let entered = log(
        &mut state,
        checker,
        window,
        access,
        words,
        here(),
        Fence::Here,
    );
    let shared = windows::enter(window, access.target);
    let found = compare(&mut state, checker, window, access, &entered, known, words);
    drop(state);
    if let Some(found) = found {
        found.tell(From::here(), window, access, words);
    }
    shared
}

/// The operation failed, and has done nothing.
#[cold]
pub fn take_back(entered: Entered) {
    let mut state = STATE.lock();
    let (first, last) = entered.numbers;
    state
        .pending
        .retain(|pending| !(first..=last).contains(&pending.number));
    if let Some(checker) = checker() {
        (first..=last).for_each(|number| checker.own.log.void(number));
    }
}

/// The operation was carried out: compares it, and the use of its buffers, with all others.
#[cold]
pub fn end(window: &Window, access: &Access, entered: Entered, words: &dyn Words) {
    let Some(checker) = checker() else { return };
    let what = access.what;
    let known = clock::look();
    let mut state = STATE.lock();
    let found = compare(&mut state, checker, window, access, &entered, known, words);
    drop(state);
    // What orders the next operations does not order this one.
    if what.is_atomic() && what.fetches() {
        take_flags(window, access);
    }
    if let Some(found) = found {
        found.tell(From::here(), window, access, words);
    }
}

/// What `what` has fetched may be what the target's program has stored to tell something. Asked when all is compared.
#[inline(always)]
pub fn fetched(window: &Window, target: usize, what: What) {
    if what.fetches()
        && let Some(checker) = checker()
    {
        clock::fetched(checker, window.members[target]);
    }
}

/// What is wrong with an operation.
pub(super) struct Found {
    race: Option<Race>,
    buffer: Option<Clash>,
}

impl Found {
    #[cold]
    pub fn tell(self, from: From, window: &Window, access: &Access, words: &dyn Words) {
        let (target, what) = (access.target, access.what);
        if let Some(race) = self.race {
            report::race(from, window, rank(), target, what, &race, words);
        }
        if let Some(clash) = self.buffer {
            report::buffer(from, what, &clash, words);
        }
    }
}

#[inline(always)]
pub(super) fn compare(
    state: &mut Turn<'_, State>,
    checker: &Checker,
    window: &Window,
    access: &Access,
    entered: &Entered,
    known: impl Fn(u32) -> u64,
    words: &dyn Words,
) -> Option<Found> {
    let (on, place) = (entered.on, entered.place);
    let mut race = entered.own.as_deref().copied();
    let buffer = state.use_buffers(access, on, place);
    for (member, &rank) in window.members.iter().enumerate() {
        if rank != checker.rank && race.is_none() {
            let known = known(rank);
            let limit = entered.limits.get(member).copied().unwrap_or(u64::MAX);
            let mut spans = access.spans.iter();
            race = spans.find_map(|span| {
                let logged = access.logged(on, place, span);
                state.conflict(rank, limit, &logged, known, words.reading())
            });
        }
    }
    let is_kept = race.is_none() && buffer.is_none() && {
        let is_alone = state.has_only(access, entered);
        again::made(window, access, entered, is_alone)
    };
    if !is_kept && access.what.has_request() && access.what.fetches() {
        requests::made(state, entered.numbers);
    }
    (race.is_some() || buffer.is_some()).then_some(Found { race, buffer })
}

/// An operation that fetches knows what those knew that have stored what it may have fetched.
pub(super) fn take_flags(window: &Window, access: &Access) {
    let process = window.members[access.target];
    match single(access.spans) {
        Some(span) => {
            clock::take(process, super::element(window, access.target, Some(span)));
            clock::take(process, super::element(window, access.target, None));
        }
        // It may have read any of the flags.
        None => window
            .members
            .iter()
            .for_each(|&rank| clock::meet_now(rank)),
    }
}
