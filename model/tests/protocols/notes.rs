//! Rounds without a barrier: nobody reads a note that is not there, or writes over one that is still to be read, and those
//! that sleep for one are rung.

use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::atomic::{AtomicU32, Ordering, full_fence, light_fence};
use rmashm_model::shm::notes::{KEPT, Pin, awaited, place};

struct Place {
    actors: Actors,
    sleepers: AtomicU32,
    /// Those of each member.
    notes: Vec<Vec<(Pin, Watched)>>,
}

impl Place {
    fn new(members: usize) -> Place {
        let notes = || (0..KEPT).map(|_| Default::default()).collect();
        Place {
            actors: Actors::new(members),
            sleepers: AtomicU32::new(0),
            notes: (0..members).map(|_| notes()).collect(),
        }
    }

    /// As `Notes::wait_for`.
    fn wait_for(&self, me: usize, round: u32, member: usize) {
        let (pin, _) = &self.notes[member][place(round)];
        if pin.has(round) {
            return;
        }
        let sleeper = || {
            self.sleepers.fetch_add(1, Ordering::SeqCst);
            light_fence();
        };
        self.actors.wait_for(me, 1, sleeper, || pin.has(round));
    }

    /// As `Meeting::pin`.
    fn pin(&self, me: usize, round: u32, value: u32) {
        if let Some(before) = awaited(round) {
            (0..self.notes.len()).for_each(|member| self.wait_for(me, before, member));
        }
        let (pin, note) = &self.notes[me][place(round)];
        note.write(value);
        pin.set(round);
        light_fence();
        if self.sleepers.load(Ordering::Relaxed) != 0 {
            full_fence();
            self.actors.ring_all();
        }
    }

    /// As `Round::from`.
    fn read(&self, me: usize, round: u32, member: usize) -> u32 {
        self.wait_for(me, round, member);
        self.notes[member][place(round)].1.read()
    }
}

/// One gives in every round, the others take.
#[test]
fn a_root_that_is_ahead() {
    explore("notes, broadcasts until all are written over", 2, || {
        act(Place::new(2), 2, |place, me| {
            for round in 0..2 * KEPT {
                place.pin(me, round, 100 + round);
                if me > 0 {
                    assert_eq!(place.read(me, round, 0), 100 + round);
                }
            }
        });
    });
}

/// Each takes in turn what the other gives.
#[test]
fn roots_in_turn() {
    explore("notes, roots in turn", 2, || {
        act(Place::new(2), 2, |place, me| {
            for round in 0..KEPT + 2 {
                place.pin(me, round, 100 * me as u32 + round);
                if round as usize % 2 == me {
                    let other = 1 - me;
                    assert_eq!(place.read(me, round, other), 100 * other as u32 + round);
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
                place.pin(me, round, 100 * me as u32 + round);
                if me == 0 {
                    assert_eq!(place.read(me, round, 1), 100 + round);
                    assert_eq!(place.read(me, round, 2), 200 + round);
                }
            }
        });
    });
}
