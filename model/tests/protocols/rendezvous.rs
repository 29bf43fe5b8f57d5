//! Who calls is accepted once, and both know each other.

use loom::sync::atomic::{AtomicU64, Ordering};
use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::rendezvous::Rendezvous;

const KEY: u64 = 1;

/// What a number may be.
const OLD: u64 = 1;
const CLOSED: u64 = 2;
const NEW: u64 = 3;

/// What each has found: the other's number, told by the one to the other where only they look.
type Stage = (Actors, Rendezvous, [Watched; 3]);

fn stage() -> Stage {
    let told = [(); 3].map(|()| Watched::default());
    (Actors::new(3), Rendezvous::default(), told)
}

/// Calls until it is accepted, and goes; tells the acceptor.
fn call((actors, place, told): &Stage, me: usize) {
    let (mut calls, mut by) = (None, None);
    actors.wait(me, || {
        if calls.is_none() {
            calls = Some(place.visit()).filter(|&visit| place.call(visit, me as u32));
            if calls.is_some() {
                actors.ring_key(KEY);
            }
        }
        by = calls.and_then(|visit| place.accepted_by(visit));
        by.is_some()
    });
    assert_eq!(by, Some(2));
    assert_eq!(told[2].read(), 7, "what the acceptor did before");
    place.go(calls.expect("it has called"));
    actors.ring_key(KEY);
}

fn accept((actors, place, _): &Stage, me: usize) -> usize {
    let mut taken = None;
    actors.wait(me, || {
        let visit = place.visit();
        taken = place
            .waits(visit)
            .filter(|&caller| place.accept(visit, caller, me as u32));
        taken.is_some()
    });
    actors.ring_key(KEY);
    taken.expect("it waited for one") as usize
}

/// Two call, one accepts both.
#[test]
fn two_callers() {
    explore("rendezvous, 2 callers", 2, || {
        act(stage(), 3, |stage, me| match me {
            2 => {
                stage.2[2].write(7);
                let (first, second) = (accept(stage, me), accept(stage, me));
                assert_eq!(first + second, 1, "each of them once");
            }
            _ => call(stage, me),
        });
    });
}

/// One gives up while it is accepted: either it does, and nobody has accepted it, or both go on.
#[test]
fn giving_up() {
    explore("rendezvous, giving up", 3, || {
        act(stage(), 2, |(_, place, told), me| match me {
            0 => {
                assert!(place.call(0, 0));
                if place.give_up(0, 0) {
                    told[0].write(1);
                } else {
                    assert_eq!(place.accepted_by(0), Some(1));
                    place.go(0);
                }
            }
            _ => {
                let waits = place.waits(0);
                if waits.is_some_and(|caller| place.accept(0, caller, 1)) {
                    assert_eq!(waits, Some(0));
                    // It has not given up, and will not.
                    told[0].write(2);
                }
            }
        });
    });
}

/// A caller that has died is taken away once, and not the next one with it.
#[test]
fn burying() {
    explore("rendezvous, burying", 3, || {
        let stage = stage();
        assert!(stage.1.call(0, 2));
        act(stage, 2, |(_, place, _), me| {
            place.bury(2);
            if me == 0 {
                // The word may be taken again at once.
                assert!(place.call(1, 0));
                assert_eq!(place.caller(), Some(0));
            }
        });
    });
}

/// The place of a caller that has died is given to another process, or it is accepted; who accepts says before that it has to do with it.
/// The same of an acceptor that has died, and its caller.
#[test]
fn places_given_again() {
    const GIVEN: u64 = 1;
    const MET: u64 = 2;
    for dead in [0, 1] {
        explore("rendezvous, places given again", 3, move || {
            let stage = (Rendezvous::default(), AtomicU64::new(0), AtomicU64::new(0));
            assert!(stage.0.call(0, 0) && (dead == 0 || stage.0.accept(0, 0, 1)));
            act(stage, 2, move |(place, names, became), me| {
                let note = || names.store(1, Ordering::Relaxed);
                let what = match (me, dead) {
                    (0, _) => {
                        let is_off = place.forget(dead, |_| false);
                        (is_off && names.load(Ordering::Relaxed) == 0).then_some(GIVEN)
                    }
                    (_, 0) => place.waits(0).and_then(|caller| {
                        note();
                        place.accept(0, caller, 1).then_some(MET)
                    }),
                    _ => {
                        assert_eq!(place.accepted_by(0), Some(1));
                        note();
                        place.go(0);
                        Some(MET)
                    }
                };
                if let Some(what) = what {
                    let before = became.fetch_or(what, Ordering::Relaxed);
                    assert_eq!(before & !what, 0, "met by a place that is another's");
                }
            });
        });
    }
}

/// What a place is for: the number that callers look for there. It becomes one for something else when it is not in use: who knows the
/// old number comes before that, or too late.
#[test]
fn another_use() {
    explore("rendezvous, another use", 3, || {
        let stage = (stage(), AtomicU64::new(OLD));
        act(stage, 2, |((_, place, _), number), me| match me {
            0 => {
                let visit = place.visit();
                if number.load(Ordering::Acquire) == OLD && place.call(visit, 0) {
                    assert_ne!(number.load(Ordering::Acquire), NEW);
                    assert!(place.give_up(visit, 0));
                }
            }
            _ => {
                number.store(CLOSED, Ordering::Release);
                if place.renew() {
                    number.store(NEW, Ordering::Release);
                    assert_eq!(place.caller(), None);
                }
            }
        });
    });
}
