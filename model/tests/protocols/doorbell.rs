//! No ring is lost.

use loom::sync::atomic::{AtomicU32, Ordering::Relaxed};
use rmashm_model::actor::{Actors, act, explore};

/// Two actors take turns, each sleeping for the other.
#[test]
fn turns() {
    explore("doorbell, 2 actors in turns", 4, || {
        let stage = (Actors::new(2), AtomicU32::new(0));
        act(stage, 2, |(actors, turn), me| {
            for round in 0..2 {
                let mine = 2 * round + me as u32;
                actors.wait(me, || turn.load(Relaxed) == mine);
                turn.store(mine + 1, Relaxed);
                actors.ring(1 - me);
            }
        });
    });
}

/// One sleeps for the sum of what two others do.
#[test]
fn two_ringers() {
    explore("doorbell, 2 ringers", 3, || {
        let stage = (Actors::new(3), AtomicU32::new(0));
        act(stage, 3, |(actors, done), me| {
            if me == 2 {
                actors.wait(2, || done.load(Relaxed) == 2);
            } else {
                done.fetch_add(1, Relaxed);
                actors.ring(2);
            }
        });
    });
}

/// Rung by what is waited for, while another sleeps for something else on the same matter.
#[test]
fn keys() {
    explore("doorbell, 2 keys", 3, || {
        let stage = (Actors::new(3), [AtomicU32::new(0), AtomicU32::new(0)]);
        act(stage, 3, |(actors, done), me| {
            if me < 2 {
                actors.wait_for(me, 10 + me as u64, || (), || done[me].load(Relaxed) == 1);
            } else {
                for key in [1, 0] {
                    done[key].store(1, Relaxed);
                    actors.ring_key(10 + key as u64);
                }
            }
        });
    });
}
