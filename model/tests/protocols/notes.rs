//! Rounds without a barrier: nobody reads a note that is not there, or writes over one that is still to be read, and those
//! that sleep for one are rung.

use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::atomic::{AtomicU32, Ordering, full_fence, light_fence};
use rmashm_model::shm::notes::{Depth, Pin, is_after};
use std::sync::atomic::AtomicU32 as Own;

/// Few, so that they are soon used again.
const LINES: Depth = Depth::new(4);
const ROOMS: Depth = Depth::new(2);
/// As in the library.
const SAID: u32 = 2;
const KEPT: u32 = LINES.places() as u32;

struct Place {
    actors: Actors,
    sleepers: AtomicU32,
    /// Those of each member, and its places for what is more.
    notes: Vec<Vec<(Pin, Watched)>>,
    rooms: Vec<Vec<Watched>>,
    /// A round in which all have pinned, as each member knows it for itself.
    all: Vec<Own>,
    /// What each member has read, and memory of its own that its notes tell of.
    read: Vec<Pin>,
    own: Vec<Watched>,
}

impl Place {
    fn new(members: usize) -> Place {
        let notes = || (0..LINES.places()).map(|_| Default::default()).collect();
        let rooms = || (0..ROOMS.places()).map(|_| Watched::default()).collect();
        Place {
            actors: Actors::new(members),
            sleepers: AtomicU32::new(0),
            notes: (0..members).map(|_| notes()).collect(),
            rooms: (0..members).map(|_| rooms()).collect(),
            all: (0..members).map(|_| Own::new(u32::MAX)).collect(),
            read: (0..members).map(|_| Pin::default()).collect(),
            own: (0..members).map(|_| Watched::default()).collect(),
        }
    }

    /// As `Notes::wait_for`.
    fn wait_for(&self, me: usize, round: u32, member: usize) {
        self.wait_for_word(me, &self.notes[member][LINES.place(round)].0, round);
    }

    /// As `Notes::wait_for_word`.
    fn wait_for_word(&self, me: usize, word: &Pin, round: u32) {
        if word.has(round) {
            return;
        }
        let sleeper = || {
            self.sleepers.fetch_add(1, Ordering::SeqCst);
            light_fence();
        };
        self.actors.wait_for(me, 1, sleeper, || word.has(round));
    }

    /// As `Notes::ring`.
    fn ring(&self) {
        light_fence();
        if self.sleepers.load(Ordering::Relaxed) != 0 {
            full_fence();
            self.actors.ring_all();
        }
    }

    /// As `Notes::await_all`.
    fn await_all(&self, me: usize, round: u32, depth: Depth) {
        let before = depth.awaited(round);
        if is_after(before, self.all[me].load(Ordering::Relaxed)) {
            (0..self.notes.len()).for_each(|member| self.wait_for(me, before, member));
            self.all[me].store(before, Ordering::Relaxed);
        }
    }

    /// As `Meeting::pin`, of what fits into a line or is more.
    fn pin(&self, me: usize, round: u32, value: u32, is_more: bool) {
        self.await_all(me, round, if is_more { ROOMS } else { LINES });
        if round.is_multiple_of(SAID) {
            self.read[me].set(round.wrapping_sub(1));
        }
        self.note(me, round, is_more).write(value);
        self.notes[me][LINES.place(round)].0.set(round);
        self.ring();
    }

    /// As `Notes::part`.
    fn note(&self, member: usize, round: u32, is_more: bool) -> &Watched {
        match is_more {
            true => &self.rooms[member][ROOMS.place(round)],
            false => &self.notes[member][LINES.place(round)].1,
        }
    }

    /// As `Round::has_read`.
    fn has_read(&self, me: usize, round: u32) {
        self.read[me].set(round);
        self.ring();
    }

    /// As `Round::await_read`.
    fn await_read(&self, me: usize, round: u32, member: usize) {
        self.wait_for_word(me, &self.read[member], round);
    }

    /// As `Round::data`, behind `Round::number`.
    fn read(&self, me: usize, round: u32, member: usize, is_more: bool) -> u32 {
        self.wait_for(me, round, member);
        self.note(member, round, is_more).read()
    }
}

/// One gives in so many rounds, in some of them more than fits into a line, and the other takes.
fn root_ahead(what: &'static str, rounds: u32, is_more: fn(u32) -> bool) {
    explore(what, 2, move || {
        act(Place::new(2), 2, move |place, me| {
            for round in 0..rounds {
                let is_more = is_more(round);
                place.pin(me, round, 100 + round, is_more && me == 0);
                if me > 0 {
                    assert_eq!(place.read(me, round, 0, is_more), 100 + round);
                }
            }
        });
    });
}

#[test]
fn a_root_that_is_ahead() {
    let what = "notes, broadcasts until all are written over";
    root_ahead(what, 2 * KEPT, |_| false);
}

/// What it gives has its place in notes and elsewhere, as it comes.
#[test]
fn a_root_that_gives_more() {
    let what = "notes, broadcasts of little and of more";
    root_ahead(what, KEPT + 3, |round| round % 3 != 1);
}

/// Each takes in turn what the other gives.
#[test]
fn roots_in_turn() {
    explore("notes, roots in turn", 2, || {
        act(Place::new(2), 2, |place, me| {
            for round in 0..KEPT + 2 {
                place.pin(me, round, 100 * me as u32 + round, false);
                if round as usize % 2 == me {
                    let other = 1 - me;
                    assert_eq!(
                        place.read(me, round, other, false),
                        100 * other as u32 + round
                    );
                }
            }
        });
    });
}

/// One takes of two.
#[test]
fn three_members() {
    explore("notes, 3 members", 1, || {
        act(Place::new(3), 3, |place, me| {
            for round in 0..KEPT + 1 {
                place.pin(me, round, 100 * me as u32 + round, false);
                if me == 0 {
                    assert_eq!(place.read(me, round, 1, false), 100 + round);
                    assert_eq!(place.read(me, round, 2, false), 200 + round);
                }
            }
        });
    });
}

/// What a note tells of is read where it lies, and changes again when all have read.
#[test]
fn read_in_place() {
    explore("notes, memory that is read in place", 2, || {
        act(Place::new(2), 2, |place, me| {
            for round in 0..KEPT {
                let other = 1 - me;
                place.own[me].write(100 * me as u32 + round);
                place.pin(me, round, 0, false);
                place.wait_for(me, round, other);
                assert_eq!(place.own[other].read(), 100 * other as u32 + round);
                place.has_read(me, round);
                place.await_read(me, round, other);
            }
        });
    });
}

/// One does not say so in the round, but goes on: that is enough.
#[test]
fn who_goes_on_has_read() {
    explore("notes, a reader that goes on", 2, || {
        act(Place::new(2), 2, |place, me| {
            for round in 0..KEPT {
                if me == 0 && round == 0 {
                    place.own[0].write(7);
                }
                place.pin(me, round, 0, false);
                if me == 1 && round == 0 {
                    place.wait_for(me, 0, 0);
                    assert_eq!(place.own[0].read(), 7);
                }
                if me == 0 && round == 1 {
                    place.await_read(0, 0, 1);
                    place.own[0].write(8);
                }
            }
        });
    });
}
