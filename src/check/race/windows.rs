//! Windows over the same memory of a process (MPI 4.1 §12.2.1): accesses through one are compared with those through the others.
//!
//! Each process keeps a list of its parts of windows in its block: number, rank there, address, bytes; how many of them lie over another
//! one is beside it, mostly 0. Whoever accesses a part that is such one looks for accesses through those of the others that it is a member of
//! too, in the logs of their members, by the bytes that they have in common. (Numbers are used again: members have made the window together,
//! and so know of what was done under its number before.) A dynamic window is one of all addresses. What of the list has no room is not
//! compared.

use super::log::On;
use super::own::{Race, STATE};
use super::span::Span;
use super::{Access, What, Window, Words, clock};
use crate::check::room::Room;
use crate::check::{Checker, Finding, Place, checker, here, tell};
use crate::naming;
use crate::shm::atomic::{AtomicU64, Ordering, fence};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// So many parts are listed.
const MOST: usize = 64;

/// A process's parts of windows. It alone writes.
#[repr(C)]
pub struct Parts {
    /// How many lie over another one.
    shared: AtomicU64,
    all: [Part; MOST],
}

#[repr(C)]
struct Part {
    /// The window's number above 1 bit that is set; 0: nothing is here.
    number: AtomicU64,
    rank: AtomicU64,
    from: AtomicU64,
    to: AtomicU64,
}

static MADE: AtomicU64 = AtomicU64::new(0);

/// A part, as it was read.
#[derive(Clone, Copy)]
struct Listed {
    window: u64,
    rank: usize,
    from: u64,
    to: u64,
}

impl Listed {
    fn meets(&self, other: &Listed) -> bool {
        self.from < other.to && other.from < self.to
    }
}

/// The windows of this process, and their members. Who has it alone changes the list.
static MEMBERS: Mutex<Option<FxHashMap<u64, Arc<[u32]>>>> = Mutex::new(None);

impl Part {
    fn read(&self) -> Option<Listed> {
        let number = self.number.load(Ordering::Acquire);
        let read = Listed {
            window: number >> 1,
            rank: self.rank.load(Ordering::Relaxed) as usize,
            from: self.from.load(Ordering::Relaxed),
            to: self.to.load(Ordering::Relaxed),
        };
        fence(Ordering::Acquire);
        (number != 0 && self.number.load(Ordering::Relaxed) == number).then_some(read)
    }
}

impl Parts {
    fn iter(&self) -> impl Iterator<Item = Listed> {
        self.all.iter().filter_map(Part::read)
    }

    /// Whether one lies over another one.
    #[inline]
    pub fn are_shared(&self) -> bool {
        self.shared.load(Ordering::Acquire) != 0
    }

    fn count_shared(&self) {
        let is_shared = |part: &Listed| {
            let others = self.iter().filter(|other| other.window != part.window);
            others.into_iter().any(|other| other.meets(part))
        };
        let shared = self.iter().filter(is_shared).count();
        self.shared.store(shared as u64, Ordering::Release);
    }
}

/// This process, `rank` of the window's `members`, has these bytes in it.
#[cold]
pub fn made(window: u64, members: &Arc<[u32]>, rank: usize, (from, to): (usize, usize)) {
    let Some(checker) = checker() else { return };
    let mut all = MEMBERS.lock();
    let all = all.get_or_insert_default();
    if !all.has_room(1) {
        return;
    }
    all.insert(window, members.clone());
    MADE.fetch_add(1, Ordering::Relaxed);
    let parts = checker.own.parts;
    let is_free = |part: &&Part| part.number.load(Ordering::Relaxed) == 0;
    if from < to
        && let Some(part) = parts.all.iter().find(is_free)
    {
        part.rank.store(rank as u64, Ordering::Relaxed);
        part.from.store(from as u64, Ordering::Relaxed);
        part.to.store(to as u64, Ordering::Relaxed);
        part.number.store(window << 1 | 1, Ordering::Release);
        parts.count_shared();
    }
}

/// How often a window was made here, and whether one of them has memory of another now.
pub fn are_shared() -> (u64, bool) {
    let shared = checker().is_some_and(|own| own.own.parts.shared.load(Ordering::Relaxed) != 0);
    (MADE.load(Ordering::Relaxed), shared)
}

/// The window is freed.
#[cold]
pub fn gone(window: u64) {
    let Some(checker) = checker() else { return };
    let mut all = MEMBERS.lock();
    if let Some(all) = &mut *all {
        all.remove(&window);
    }
    let parts = checker.own.parts;
    for part in &parts.all {
        if part.number.load(Ordering::Relaxed) == window << 1 | 1 {
            part.number.store(0, Ordering::Release);
        }
    }
    parts.count_shared();
}

/// An access to memory that other windows have too, from its entering the log on.
pub struct Shared {
    mine: Listed,
    others: Vec<Other>,
    place: Place,
}

/// Another window of it.
struct Other {
    part: Listed,
    /// Its members, and how much was in their logs then.
    limits: Vec<(u32, u64)>,
}

/// The access has just been logged.
#[inline]
pub fn enter(window: &Window, target: usize) -> Option<Shared> {
    let checker = checker()?;
    let parts = checker.area.block(window.members[target]).parts;
    match parts.are_shared() {
        false => None,
        true => enter_shared(checker, parts, window.id),
    }
}

#[cold]
fn enter_shared(checker: &Checker, parts: &Parts, window: u64) -> Option<Shared> {
    let window = window & u64::MAX >> 1;
    let mine = parts.iter().find(|part| part.window == window)?;
    let is_other = |part: &Listed| part.window != window && part.meets(&mine);
    let mut others = Vec::new();
    for part in parts.iter().filter(is_other) {
        let members = MEMBERS.lock().as_ref()?.get(&part.window).cloned();
        let mut limits = Vec::new();
        if let Some(members) = members
            && others.has_room(1)
            && limits.has_room(members.len())
        {
            let limit = |&rank: &u32| (rank, checker.area.block(rank).log.range().1);
            limits.extend(members.iter().map(limit));
            others.push(Other { part, limits });
        }
    }
    if others.is_empty() {
        return None;
    }
    let place = here();
    Some(Shared {
        mine,
        others,
        place,
    })
}

/// The span in the other window, as far as that has it.
fn moved(span: &Span, mine: &Listed, other: &Listed) -> Option<Span> {
    let mut low = mine.from.checked_add(span.low)?;
    let high = mine.from.checked_add(span.high)?;
    if low < other.from {
        low = match span.block == span.stride {
            true => other.from,
            // To the first block that begins there.
            false => low + (other.from - low).div_ceil(span.stride) * span.stride,
        };
    }
    if low >= high || low >= other.to {
        return None;
    }
    let (low, high) = (low - other.from, high - other.from);
    Some(match span.block == span.stride {
        true => Span::run(low, high - low),
        false => Span { low, high, ..*span },
    })
}

/// The access was carried out: compares it with those through the other windows.
#[cold]
pub fn end(shared: &Shared, access: &Access, words: &dyn Words) {
    let Some(checker) = checker() else { return };
    let known = clock::look();
    let reading = words.reading();
    let mut state = STATE.lock();
    for Other { part, limits } in &shared.others {
        let on = On::new(part.window, part.rank);
        for span in access.spans {
            let Some(span) = moved(span, &shared.mine, part) else {
                continue;
            };
            let logged = access.logged(on, shared.place, &span);
            let mut found = state.own_conflict(&logged, None, None, reading);
            for &(rank, limit) in limits {
                if found.is_none() && rank != checker.rank {
                    found = state.conflict(rank, limit, &logged, known(rank), reading);
                }
            }
            if let Some(race) = found {
                drop(state);
                return told(access.what, shared, part, &race, words);
            }
        }
    }
}

fn told(what: What, shared: &Shared, other: &Listed, race: &Race, words: &dyn Words) {
    let place = race.other.place.of(race.rank);
    let is_own = checker().is_some_and(|checker| checker.rank == race.rank);
    let who = match is_own {
        true => "the same process".to_string(),
        false => format!("rank {} of the job", race.rank),
    };
    let bytes = race.high - race.low;
    let first = (race.low + other.from).wrapping_sub(shared.mine.from);
    let rank = shared.mine.rank;
    let part = naming::part(rank, words.checked().members[rank], &words.window());
    tell(Finding {
        kind: "data race",
        section: "MPI 4.1 §12.2.1",
        text: format!(
            "{} touches {bytes} bytes from byte {first} on of {part}, which lie in another window too, and {who} touches them \
             through that by {} at {place}; one of both changes them, and nothing orders the two",
            what.name(),
            race.other.what.name(),
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_in_the_other_window() {
        let listed = |from, to| Listed {
            window: 1,
            rank: 0,
            from,
            to,
        };
        let (mine, other) = (listed(1000, 1100), listed(1040, 1200));
        assert!(mine.meets(&other) && !mine.meets(&listed(1100, 1200)));
        let run = |low, len| moved(&Span::run(low, len), &mine, &other);
        assert_eq!(run(50, 8), Some(Span::run(10, 8)));
        assert_eq!(run(36, 8), Some(Span::run(0, 4)));
        assert_eq!(run(0, 40), None);
        let gaps = Span {
            low: 4,
            high: 94,
            block: 2,
            stride: 11,
        };
        let there = moved(&gaps, &mine, &other).unwrap();
        assert_eq!((there.low, there.high, there.stride), (8, 54, 11));
        let back = moved(&Span::run(0, 8), &other, &mine);
        assert_eq!(back, Some(Span::run(40, 8)));
    }
}
