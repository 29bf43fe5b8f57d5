//! Post, start, complete, wait: the counters, with and without MPI_MODE_NOCHECK, over the end of 32 bits.

use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::atomic::full_fence;
use rmashm_model::shm::counter::{Counter, Expected};

/// One target and its origins.
struct Stage {
    actors: Actors,
    posts: Vec<Counter>,
    completed: Counter,
    /// Each origin's part of the target's memory.
    memory: Vec<Watched>,
    begin: u32,
}

impl Stage {
    fn new(origins: usize, begin: u32) -> Stage {
        Stage {
            actors: Actors::new(origins + 1),
            posts: (0..origins).map(|_| Counter::at(begin)).collect(),
            completed: Counter::at(begin),
            memory: (0..origins).map(|_| Watched::default()).collect(),
            begin,
        }
    }

    /// As `Window::post`, then `Window::wait`, once for each group.
    fn target(&self, groups: &[&[usize]]) {
        let mut expected = Expected::at(self.begin);
        for (epoch, origins) in groups.iter().enumerate() {
            for &origin in *origins {
                // What is exposed: until the post it is the target's own.
                self.memory[origin].write(10 * epoch as u32);
            }
            expected = expected.and(origins.len());
            for &origin in *origins {
                self.posts[origin].count();
            }
            full_fence();
            for &origin in *origins {
                self.actors.ring(origin);
            }
            let me = self.posts.len();
            self.actors.wait(me, || self.completed.reached(expected));
            for &origin in *origins {
                assert_eq!(self.memory[origin].read(), 10 * epoch as u32 + 1);
            }
        }
    }

    /// As `Window::start`, an operation, then `Window::complete`.
    fn origin(&self, me: usize, epochs: usize) {
        let mut expected = Expected::at(self.begin);
        for _ in 0..epochs {
            expected = expected.and(1);
            self.actors.wait(me, || self.posts[me].reached(expected));
            self.memory[me].add(1);
            full_fence();
            self.completed.count();
            full_fence();
            self.actors.ring(self.posts.len());
        }
    }
}

#[test]
fn one_origin() {
    explore("counters, 1 origin, 3 epochs, wrapping", 3, || {
        act(Stage::new(1, u32::MAX - 1), 2, |stage, me| match me {
            1 => stage.target(&[&[0], &[0], &[0]]),
            _ => stage.origin(me, 3),
        });
    });
}

#[test]
fn two_origins() {
    explore("counters, 2 origins, 2 epochs, wrapping", 2, || {
        act(Stage::new(2, u32::MAX), 3, |stage, me| match me {
            2 => stage.target(&[&[0, 1], &[0, 1]]),
            _ => stage.origin(me, 2),
        });
    });
}

#[test]
fn changing_groups() {
    explore("counters, 2 origins, changing groups", 2, || {
        act(Stage::new(2, u32::MAX), 3, |stage, me| match me {
            2 => stage.target(&[&[0], &[1, 0], &[1]]),
            _ => stage.origin(me, 2),
        });
    });
}

/// An epoch in which nobody waits for the post (MPI_MODE_NOCHECK: the program has made sure of it), then a checked one.
#[test]
fn checked_after_unchecked() {
    use loom::sync::atomic::{AtomicU32, Ordering};
    explore("counters, unchecked, then checked", 3, || {
        let stage = (Stage::new(1, u32::MAX), AtomicU32::new(0));
        act(stage, 2, |(stage, program), me| {
            if me == 0 {
                let mut expected = Expected::at(stage.begin).and(1);
                stage
                    .actors
                    .wait(0, || program.load(Ordering::Acquire) == 1);
                stage.memory[0].add(1);
                stage.completed.count();
                stage.actors.ring(1);
                expected = expected.and(1);
                stage.actors.wait(0, || stage.posts[0].reached(expected));
                stage.memory[0].add(1);
                stage.completed.count();
                stage.actors.ring(1);
            } else {
                let mut expected = Expected::at(stage.begin);
                for epoch in 0..2 {
                    stage.memory[0].write(10 * epoch);
                    expected = expected.and(1);
                    stage.posts[0].count();
                    program.store(1, Ordering::Release);
                    stage.actors.ring(0);
                    stage.actors.wait(1, || stage.completed.reached(expected));
                    assert_eq!(stage.memory[0].read(), 10 * epoch + 1);
                }
            }
        });
    });
}
