//! Who asks for a number too early learns of it.

use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::late::Late;

/// Two ask, one makes it known.
#[test]
fn two_who_ask() {
    explore("late, 2 ask", 3, || {
        let stage = (Actors::new(3), Late::default(), Watched::default());
        act(stage, 3, |(actors, late, behind), me| {
            if me < 2 {
                // It asks first when it is about to sleep.
                let mut looked = false;
                actors.wait(me, || {
                    std::mem::replace(&mut looked, true) && late.get().is_some()
                });
                assert_eq!((late.get(), behind.read()), (Some(7), 5));
            } else {
                behind.write(5);
                if late.set(7) {
                    actors.ring(0);
                    actors.ring(1);
                }
            }
        });
    });
}

/// Who finds it sees what was done before.
#[test]
fn found() {
    explore("late, found", 3, || {
        let stage = (Late::default(), Watched::default());
        act(stage, 2, |(late, behind), me| {
            if me == 0 {
                behind.write(5);
                let _ = late.set(7);
            } else if late.get().is_some() {
                assert_eq!(behind.read(), 5);
            }
        });
    });
}
