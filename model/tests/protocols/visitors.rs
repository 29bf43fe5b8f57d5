//! A process moves its memory while others are used to copy there: nothing that they write stays behind, and no update through
//! the kernel meets one by an atomic instruction.

use super::lock::Room;
use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering::AcqRel, Ordering::Relaxed};
use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::atomic::{AtomicU64, Ordering};
use rmashm_model::shm::visitors::{Door, Entry, Whereabouts};

const KEY: u64 = 3;
const OWNER: u32 = 0;

/// The owner's door, where its memory is told to be, and where the visiting processes are.
struct House {
    actors: Actors,
    door: Door,
    processes: Vec<Whereabouts>,
    place: AtomicU64,
}

impl House {
    /// So many actors, of which the last is the owner, in so many visiting processes.
    fn new(actors: usize, processes: usize) -> House {
        House {
            actors: Actors::new(actors),
            door: Door::default(),
            processes: (0..processes).map(|_| Whereabouts::default()).collect(),
            place: AtomicU64::new(0),
        }
    }

    fn process_of(&self, me: usize) -> &Whereabouts {
        &self.processes[me % self.processes.len()]
    }

    /// As `visits::visit`.
    fn enter(&self, me: usize) -> usize {
        loop {
            match self.process_of(me).enter(OWNER, &self.door) {
                Entry::In(place) => return place,
                Entry::Full => unreachable!("as many places as visitors"),
                Entry::Shut => self.actors.wait_for(me, KEY, || (), || self.door.is_open()),
            }
        }
    }

    /// As `Window::visit`: inside, or it was told that the memory has moved.
    fn visit(&self, me: usize) -> Option<usize> {
        let inside = self.enter(me);
        let moved = self.place.load(Ordering::Acquire) != 0;
        if moved {
            self.leave(me, inside);
        }
        (!moved).then_some(inside)
    }

    fn leave(&self, me: usize, inside: usize) {
        self.process_of(me).leave(inside);
    }

    /// As `without_visitors`, with no patience at all: whether it was done.
    fn move_by(&self, work: impl FnOnce()) -> bool {
        self.door.shut();
        let alone = !self.processes.iter().any(|process| process.is_at(OWNER));
        if alone {
            work();
            self.place.store(1, Ordering::Release);
        }
        self.door.open();
        self.actors.ring_key(KEY);
        alone
    }
}

/// Each visitor writes a word of its own, where it is. The owner copies all.
#[test]
fn nothing_stays_behind() {
    explore("visitors, 2 write, 1 moves", 2, || writers(2));
}

/// The same for threads of one process, which write down their visits in each other's places.
#[test]
fn nothing_of_threads_stays_behind() {
    explore("visitors, 2 threads write, 1 moves", 2, || writers(1));
}

fn writers(processes: usize) {
    let words = || [Watched::default(), Watched::default()];
    let stage = (
        House::new(3, processes),
        words(),
        words(),
        AtomicU32::new(0),
    );
    act(stage, 3, |(house, old, new, done), me| {
        if me < 2 {
            for _ in 0..2 {
                if let Some(inside) = house.visit(me) {
                    old[me].add(1);
                    house.leave(me, inside);
                } else {
                    new[me].add(1);
                }
            }
        } else {
            house.move_by(|| (0..2).for_each(|i| new[i].write(old[i].read())));
        }
        if done.fetch_add(1, AcqRel) == 2 {
            let moved = house.place.load(Ordering::Relaxed) != 0;
            let there = if moved { new } else { old };
            assert!(there.iter().all(|word| word.read() == 2));
        }
    });
}

/// All update one element: through the kernel, under a lock, at the owner's address, whatever is mapped there; or by an atomic
/// instruction where it is told to be.
#[test]
fn updates_are_of_one_kind() {
    explore("visitors, 2 update, 1 moves", 2, || {
        let element = || AtomicU32::new(0);
        let stage = (
            (House::new(3, 2), Room::new(3), AtomicBool::new(false)),
            (element(), element(), element()),
        );
        act(stage, 3, |((house, room, mapped), (old, new, done)), me| {
            let at_owner = || if mapped.load(Relaxed) { new } else { old };
            if me < 2 {
                if let Some(inside) = house.visit(me) {
                    room.take(me, true, false);
                    let now = at_owner().load(Relaxed);
                    at_owner().store(now + 1, Relaxed);
                    room.give_back(true);
                    house.leave(me, inside);
                } else {
                    new.fetch_add(1, Relaxed);
                }
            } else {
                house.move_by(|| {
                    new.store(old.load(Relaxed), Relaxed);
                    mapped.store(true, Relaxed);
                });
            }
            if done.fetch_add(1, AcqRel) == 2 {
                assert_eq!(at_owner().load(Relaxed), 2);
            }
        });
    });
}

/// Two threads of a process move its memory by turns, and a visitor always comes in at last.
#[test]
fn nobody_waits_for_ever() {
    explore("visitors, 1 comes, 1 moves twice", 4, || {
        let stage = (House::new(2, 1), Watched::default());
        act(stage, 2, |(house, word), me| {
            if me == 0 {
                for _ in 0..2 {
                    let inside = house.enter(me);
                    word.add(1);
                    house.leave(me, inside);
                }
            } else {
                for _ in 0..2 {
                    house.move_by(|| word.write(word.read()));
                }
            }
        });
    });
}
