//! What tools are told of a wait that takes long ([`events`]): that it does, and that it may never end.
//!
//! A wait looks for this where it sleeps, between two naps, so that waits that are short pay nothing, and those that sleep one look at
//! a word. A nap is no longer than until the wait is long, if somebody wants to know.
//!
//! **When a deadlock is suspected**: when every rank of a set has looked in vain at least once, and none of them can go on without another
//! of them ([`deadlock`]). The launcher, which ends jobs, waits for two more looks until it is certain; a suspicion may be wrong
//! where some of the ranks were read before others had begun to act.

use super::deadlock::{self, Node};
use super::job;
use super::needs::Need;
use super::table::State;
use super::wait::{NAP, Waiting};
use crate::observe::events::{self, Kind};
use crate::shm::atomic::{AtomicU64, Ordering};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Nanoseconds after which a wait is long.
static LONG: AtomicU64 = AtomicU64::new(100_000_000);

/// The nanoseconds after which a wait is long.
pub fn long() -> u64 {
    LONG.load(Ordering::Relaxed)
}

/// Sets them.
pub fn set_long(nanoseconds: u64) {
    LONG.store(nanoseconds, Ordering::Relaxed);
}

/// What was told of a wait so far.
pub(super) struct Overlong {
    began: Instant,
    long: Cell<bool>,
    deadlock: Cell<bool>,
}

impl Overlong {
    /// The wait began then.
    pub fn new(began: Instant) -> Overlong {
        Overlong {
            began,
            long: Cell::new(false),
            deadlock: Cell::new(false),
        }
    }

    /// The longest nap until there may be something to tell.
    pub fn nap(&self) -> Duration {
        if self.long.get() || !events::are_wanted(Kind::LongWait) {
            return NAP;
        }
        // A nap of nothing would be none.
        let rest = Duration::from_nanos(long()).saturating_sub(self.began.elapsed());
        rest.clamp(Duration::from_micros(1), NAP)
    }

    /// Tells what there is to tell.
    pub fn tell(&self, waiting: &Waiting<'_>) {
        if events::are_wanted(Kind::LongWait) && !self.long.get() {
            let waited = self.began.elapsed().as_nanos() as u64;
            if waited >= long() {
                self.long.set(true);
                events::raise(Kind::LongWait, 0, [whom(waiting), waited as i64, 0]);
            }
        }
        if events::are_wanted(Kind::DeadlockSuspected)
            && !self.deadlock.get()
            && let Some(ranks) = suspected()
        {
            self.deadlock.set(true);
            events::raise(Kind::DeadlockSuspected, 0, [ranks as i64, whom(waiting), 0]);
        }
    }
}

/// The rank that a wait is for, -1 if it is for one of several.
fn whom(waiting: &Waiting<'_>) -> i64 {
    let only = waiting.ranks.only();
    only.or_else(|| Need::of(waiting.needs).only())
        .map_or(-1, i64::from)
}

/// How many ranks can never go on, as far as is known, if this one is among them.
fn suspected() -> Option<usize> {
    let (me, table) = (job().rank, &job().table);
    let node = |rank: usize| {
        let process = &table.processes[rank];
        if matches!(process.state(), State::Exited | State::Quit | State::Dead) {
            return Node::Ended;
        }
        let reading = process.rest.read();
        let need = table.posted(rank);
        // What was posted belongs to the rest if that is still the same.
        let rests = reading.looks > 0 && reading.sure;
        match rests && process.rest.read().number == reading.number {
            true => Node::Rests(need),
            false => Node::Acts,
        }
    };
    // Mostly this rank has not rested long enough itself.
    if !matches!(node(me as usize), Node::Rests(_)) {
        return None;
    }
    let nodes: Vec<Node> = (0..table.present().len()).map(node).collect();
    let acts = nodes.iter().any(|node| matches!(node, Node::Acts));
    let dead = match acts {
        true => deadlock::dead(&nodes),
        // Nobody is left who could do anything.
        false => (0..)
            .zip(&nodes)
            .filter(|(_, node)| matches!(node, Node::Rests(_)))
            .map(|(rank, _)| rank)
            .collect(),
    };
    dead.contains(&me).then_some(dead.len())
}
