//! What a process knows of its own accesses, and how it compares them with those of others.

use super::buffers::{Buffers, Held};
use super::log::{Log, Logged, On};
use super::pending::Pending;
use super::span::Span;
use super::touched::Places;
use super::{Access, Kind, What};
use crate::check::room::Room;
use crate::check::threads::OneByOne;
use crate::check::{Checker, Place, checker, clock, local};

/// What this process knows of its own accesses, and how far those of others are known to be ordered before all that comes.
pub struct State {
    pub pending: Vec<Pending>,
    /// Whether one of them may not be complete here, either.
    pub(super) are_in_use: bool,
    /// Where those are.
    pub(super) places: Places,
    /// When the log has come to that number some of them may be so old that they [are logged once more](State::stay).
    pub(super) stay_until: u64,
    /// By rank in the job: the number of the first that is not known to be.
    seen: Vec<u64>,
    pub reads: Buffers,
    pub writes: Buffers,
    /// What the program is told by for what of those.
    uses: Vec<(On, local::Use)>,
}

pub static STATE: OneByOne<State> = OneByOne::new(State {
    pending: Vec::new(),
    are_in_use: false,
    places: Places::new(),
    stay_until: 0,
    seen: Vec::new(),
    reads: Buffers::new(),
    writes: Buffers::new(),
    uses: Vec::new(),
});

/// Two accesses that nothing orders.
#[derive(Clone, Copy)]
pub struct Race {
    /// The rank in the job of the other one.
    pub rank: u32,
    pub other: Logged,
    /// The bytes that both have.
    pub low: u64,
    pub high: u64,
}

/// Accesses of another rank; some of those after the first may be ordered all the same.
pub struct Unordered {
    rank: u32,
    pub log: &'static Log,
    known: u64,
    complete: u64,
    pub first: u64,
    pub last: u64,
}

impl Unordered {
    /// The numbers of those whose calls `may` be in conflict, which is asked once for several.
    #[inline]
    pub fn of_calls(&self, may: impl Fn(On, What) -> bool) -> impl Iterator<Item = u64> {
        let (mut next, mut until) = (self.first, 0);
        std::iter::from_fn(move || {
            while next <= self.last {
                let number = next;
                if number > until {
                    match self.log.call_of(number, self.last) {
                        Some((on, what, last)) if may(on, what) => until = last,
                        Some((_, _, last)) => {
                            next = last + 1;
                            continue;
                        }
                        // What has taken its place finds this process's.
                        None => {
                            next += 1;
                            continue;
                        }
                    }
                }
                next += 1;
                return Some(number);
            }
            None
        })
    }

    /// Whether nothing orders the one of this number before `new`, and they conflict.
    pub fn race(&self, number: u64, new: &Logged, reading: u8) -> Option<Race> {
        let old = self.log.find(number, new.on, new.span.low, new.span.high)?;
        let (low, high) = old.span.common(&new.span)?;
        let both_atomic = old.what.is_atomic() && new.what.is_atomic();
        let is_done = old.done != 0 && old.done <= self.known;
        let is_seen = || {
            both_atomic
                && old.issued <= self.known
                && checker().is_some_and(|checker| checker.area.may_be_seen(new.on))
        };
        let is_race = !is_done
            && number != self.complete
            && new.what.conflicts(old.what, false, reading)
            && !is_seen();
        is_race.then_some(Race {
            rank: self.rank,
            other: old,
            low,
            high,
        })
    }
}

impl State {
    /// Whether nothing is pending, nor any buffer in use.
    pub fn is_idle(&self) -> bool {
        self.pending.is_empty() && self.are_buffers_free()
    }

    /// Whether what is pending is complete here, and no buffer is in use.
    pub fn has_left(&self) -> bool {
        (!self.are_in_use || self.pending.is_empty()) && self.are_buffers_free()
    }

    /// Accesses on those targets, none of which fetches, are complete here.
    pub fn leave(&mut self, are_complete: impl Fn(On) -> bool) {
        let mut are_in_use = false;
        for pending in &mut self.pending {
            if are_complete(pending.on) {
                pending.pair = None;
            } else {
                are_in_use = true;
            }
        }
        self.are_in_use = are_in_use;
        self.give_buffers_back(are_complete);
    }

    /// The buffers of accesses on those targets are the program's.
    pub fn give_buffers_back(&mut self, are_complete: impl Fn(On) -> bool) {
        self.reads.free(&are_complete);
        self.writes.free(&are_complete);
        self.end_uses(&are_complete);
    }

    /// Whether no buffer is in use.
    pub fn are_buffers_free(&self) -> bool {
        self.reads.are_free() && self.writes.are_free() && self.uses.is_empty()
    }

    /// Whether there may be accesses of `rank` that are not ordered before now.
    #[inline(always)]
    pub fn may_have_unordered(&self, checker: &Checker, rank: u32) -> bool {
        let last = checker.area.block(rank).log.count();
        let seen = self.seen.get(rank as usize);
        seen.is_none_or(|seen| *seen <= last)
    }

    /// The accesses of `rank`, which this one knows until `known`, from the first that is not ordered before now; `None` if there
    /// is none.
    #[inline(always)]
    pub fn unordered(&mut self, rank: u32, known: u64) -> Option<Unordered> {
        let checker = checker()?;
        match self.may_have_unordered(checker, rank) {
            true => self.unordered_of(checker.area.block(rank).log, rank, known),
            false => None,
        }
    }

    /// The same where there may be some.
    #[inline(never)]
    fn unordered_of(&mut self, log: &'static Log, rank: u32, known: u64) -> Option<Unordered> {
        let (oldest, last) = log.range();
        let complete = clock::was_complete(rank, known);
        let seen = match self.seen.get_mut(rank as usize) {
            Some(seen) => seen,
            None => self.see(rank)?,
        };
        *seen = oldest.max(*seen);
        let is_ordered = |done: u64| done != 0 && done <= known;
        while *seen <= last && log.done(*seen).is_none_or(is_ordered) {
            *seen += 1;
        }
        (*seen <= last).then_some(Unordered {
            rank,
            log,
            known,
            complete,
            first: *seen,
            last,
        })
    }

    #[cold]
    #[inline(never)]
    fn see(&mut self, rank: u32) -> Option<&mut u64> {
        let ranks = rank as usize + 1;
        let more = ranks.saturating_sub(self.seen.len());
        if !self.seen.has_room(more) {
            return None;
        }
        self.seen.resize(ranks, 1);
        self.seen.last_mut()
    }

    /// An access of `rank`, until its number `limit`, which this one knows until `known`, that is not ordered before `new`.
    pub fn conflict(
        &mut self,
        rank: u32,
        limit: u64,
        new: &Logged,
        known: u64,
        reading: u8,
    ) -> Option<Race> {
        let mut all = self.unordered(rank, known)?;
        all.last = all.last.min(limit);
        all.of_calls(|on, what| on == new.on && new.what.conflicts(what, false, reading))
            .find_map(|number| all.race(number, new, reading))
    }

    /// Tells of a buffer of the access that another operation, not complete here, writes to, or uses and this one writes to. Keeps its
    /// buffers as in use.
    pub fn use_buffers(&mut self, access: &Access, on: On, place: Place) -> Option<Clash> {
        let what = access.what;
        let far = access.spans.first();
        let held = |span: &Span| Held {
            on,
            what,
            place,
            span: *span,
            pair: far.map(|far| access.pair(far, span)),
        };
        // To fetch the same once more to the same place changes nothing.
        let again = |old: &Held, span: &Span| {
            let pairs = old.pair.zip(far.map(|far| access.pair(far, span)));
            let agree = || pairs.is_some_and(|(old, new)| old.agrees(&new));
            what.is(Kind::Get) && (old.on, old.what) == (on, what) && agree()
        };
        let mut reads = access.reads.iter();
        let of_reads = reads.find_map(|span| self.clash(span, false, |_| false));
        let clash = of_reads.or_else(|| {
            let mut writes = access.writes.iter();
            writes.find_map(|span| self.clash(span, true, |old| again(old, span)))
        });
        // A request that is there is complete.
        if !what.has_request() {
            access
                .reads
                .iter()
                .for_each(|span| self.reads.add(held(span)));
            access
                .writes
                .iter()
                .for_each(|span| self.writes.add(held(span)));
            if local::is_seen() {
                self.begin_use(on, access);
            }
        }
        clash
    }

    /// The program's own loads and stores are no good in the access's buffers from now on.
    fn begin_use(&mut self, on: On, access: &Access) {
        let known = self.uses.iter().find(|(other, _)| *other == on);
        let more = known.map(|(_, it)| *it);
        let begun = local::uses(more, blocks(access.reads), blocks(access.writes));
        if more.is_none() {
            self.uses.extend(begun.map(|begun| (on, begun)));
        }
    }

    /// They are good again in those for which `are_free` are free.
    pub fn end_uses(&mut self, are_free: impl Fn(On) -> bool) {
        self.uses.retain(|(on, it)| {
            let is_free = are_free(*on);
            if is_free {
                local::used(*it);
            }
            !is_free
        });
    }

    /// A buffer in use that has bytes of `span` and is written to, or read while these bytes are to be written; none of those that `fit`.
    pub fn clash(&self, span: &Span, writes: bool, fit: impl Fn(&Held) -> bool) -> Option<Clash> {
        let clash = |held: &Held, held_writes| Clash {
            span: *span,
            writes,
            held: *held,
            held_writes,
        };
        let written = self.writes.find(span).filter(|held| !fit(held));
        let read = || self.reads.find(span).filter(|_| writes);
        written
            .map(|held| clash(held, true))
            .or_else(|| Some(clash(read()?, false)))
    }
}

/// Addresses from and to which those bytes lie.
pub fn blocks(spans: &[Span]) -> impl Iterator<Item = (usize, usize)> {
    let blocks = spans.iter().flat_map(|span| span.blocks_from(span.low));
    blocks.map(|(from, to)| (from as usize, to as usize))
}

/// Two uses of one buffer.
pub struct Clash {
    pub span: Span,
    pub writes: bool,
    pub held: Held,
    pub held_writes: bool,
}
