//! The barrier, and the exchange over two kinds of slots.

use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::atomic::full_fence;
use rmashm_model::shm::barrier::{Barrier, slot};

struct Place {
    actors: Actors,
    barrier: Barrier,
    slots: Vec<Watched>,
}

impl Place {
    fn new(members: usize) -> Place {
        Place {
            actors: Actors::new(members),
            barrier: Barrier::default(),
            slots: (0..2 * members).map(|_| Watched::default()).collect(),
        }
    }

    /// As `Meeting::barrier`.
    fn meet(&self, me: usize, members: usize) {
        match self.barrier.arrive(members as u32) {
            None => {
                full_fence();
                self.actors.ring_all();
            }
            Some(round) => self.actors.wait(me, || self.barrier.passed(round)),
        }
    }

    /// As `Meeting::exchange`, `exchanges` times: everybody reads everybody's value of just this exchange.
    fn exchange(&self, me: usize, members: usize, exchanges: u32) {
        for exchange in 0..exchanges {
            let value = |member: usize| 100 * exchange + member as u32;
            self.slots[slot(exchange, members, me)].write(value(me));
            self.meet(me, members);
            for member in 0..members {
                let slot = &self.slots[slot(exchange, members, member)];
                assert_eq!(slot.read(), value(member));
            }
        }
    }
}

#[test]
fn two_members() {
    explore("barrier, 2 members, 4 exchanges", 3, || {
        act(Place::new(2), 2, |place, me| place.exchange(me, 2, 4));
    });
}

#[test]
fn three_members() {
    explore("barrier, 3 members, 3 exchanges", 2, || {
        act(Place::new(3), 3, |place, me| place.exchange(me, 3, 3));
    });
}
