//! Short accesses against long ones: a long one that is plain excludes all others, no update is lost, and nobody waits for
//! ever.

use super::lock::Room;
use loom::sync::atomic::{AtomicU32, Ordering::Relaxed};
use rmashm_model::actor::{act, explore};
use rmashm_model::shm::atomic::full_fence;
use rmashm_model::shm::bias::{Bias, Mark};

/// A target: its lock with what that guards (read by atomic accesses, written by plain ones), its bias, an element.
struct Target {
    room: Room,
    bias: Bias,
    marks: Vec<Mark>,
    element: AtomicU32,
}

impl Target {
    /// `direct`: a short access was made before.
    fn new(actors: usize, direct: bool) -> Target {
        let target = Target {
            room: Room::new(actors),
            bias: Bias::default(),
            marks: (0..actors).map(|_| Mark::default()).collect(),
            element: AtomicU32::new(0),
        };
        if direct {
            target.bias.short();
        }
        target
    }

    fn atomically(&self) {
        self.room.data.read();
        self.element.fetch_add(1, Relaxed);
    }

    fn plainly(&self) {
        self.room.data.add(1);
        let now = self.element.load(Relaxed);
        self.element.store(now + 1, Relaxed);
    }

    /// As `Window::with_amos`. `alone`: the actor is a process of its own; else a thread of process 0.
    fn short(&self, me: usize, alone: bool) {
        let mark = &self.marks[if alone { me } else { 0 }];
        if self.bias.enter(mark, alone) {
            self.atomically();
            mark.lower(alone);
        } else {
            self.room.take(me, true, false);
            self.bias.short();
            self.atomically();
            self.room.give_back(true);
        }
    }

    /// As `Window::update_at_once`, then `Turn::update`.
    fn long(&self, me: usize, credit: u32) {
        let heavy_fence = || {
            full_fence();
            true
        };
        let all_down = || self.marks.iter().all(|mark| !mark.is_up());
        self.room.take(me, true, false);
        if self.bias.long_again(credit) || self.bias.long(credit, heavy_fence, all_down) {
            self.plainly();
        } else {
            self.atomically();
        }
        self.room.give_back(true);
    }

    /// Counts out an actor that has updated the element so often; the last one finds them all.
    fn check(&self, done: &AtomicU32, actors: u32, updates: u32) {
        if done.fetch_add(1, loom::sync::atomic::Ordering::AcqRel) + 1 == actors {
            assert_eq!(self.element.load(Relaxed), updates);
        }
    }
}

/// Explores `actors` that make `updates` in all.
fn play(
    name: &str,
    preemptions: usize,
    direct: bool,
    (actors, updates): (usize, u32),
    actions: impl Fn(&Target, usize) + Copy + Send + Sync + 'static,
) {
    explore(name, preemptions, move || {
        let stage = (Target::new(actors, direct), AtomicU32::new(0));
        act(stage, actors, move |(target, done), me| {
            actions(target, me);
            target.check(done, actors as u32, updates);
        });
    });
}

#[test]
fn one_each() {
    play(
        "bias, 1 short, 1 long, twice",
        3,
        true,
        (2, 4),
        |target, me| {
            for _ in 0..2 {
                match me {
                    0 => target.short(me, true),
                    _ => target.long(me, 0),
                }
            }
        },
    );
}

#[test]
fn one_each_undecided() {
    play(
        "bias, 1 short twice, 1 long, undecided",
        3,
        false,
        (2, 3),
        |target, me| match me {
            0 => (0..2).for_each(|_| target.short(me, true)),
            _ => target.long(me, 1),
        },
    );
}

#[test]
fn two_shorts() {
    play(
        "bias, 2 short, 1 long",
        2,
        true,
        (3, 3),
        |target, me| match me {
            2 => target.long(me, 0),
            _ => target.short(me, true),
        },
    );
}

/// The long access needs no look at marks, and one of the short ones turns the mode while the other has raised its mark.
#[test]
fn two_shorts_undecided() {
    play(
        "bias, 2 short, 1 long, undecided",
        2,
        false,
        (3, 3),
        |target, me| match me {
            2 => target.long(me, 0),
            _ => target.short(me, true),
        },
    );
}

#[test]
fn two_longs() {
    play(
        "bias, 1 short twice, 2 long",
        2,
        true,
        (3, 4),
        |target, me| match me {
            2 => (0..2).for_each(|_| target.short(me, true)),
            _ => target.long(me, 0),
        },
    );
}

/// Two threads of a process share a mark.
#[test]
fn threads() {
    play(
        "bias, 2 threads short, 1 long",
        2,
        true,
        (3, 3),
        |target, me| match me {
            2 => target.long(me, 0),
            _ => target.short(me, false),
        },
    );
}

#[test]
fn one_thread_each() {
    play(
        "bias, 1 thread short, 1 long, twice",
        3,
        true,
        (2, 4),
        |target, me| {
            for _ in 0..2 {
                match me {
                    0 => target.short(me, false),
                    _ => target.long(me, 0),
                }
            }
        },
    );
}
