//! Actors that sleep and ring, and the exploration of what they do.

use crate::shm::atomic::{AtomicU64, Ordering, full_fence};
use crate::shm::doorbell::Doorbell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A rank: its doorbell, and what its one thread sleeps for.
#[derive(Default)]
struct Actor {
    doorbell: Doorbell,
    /// As a `Wait` of the process table: 0, or what it waits for.
    key: AtomicU64,
}

/// The actors of a model.
pub struct Actors(Vec<Actor>);

impl Actors {
    pub fn new(actors: usize) -> Actors {
        Actors((0..actors).map(|_| Actor::default()).collect())
    }

    /// Blocks until `ready` says true; as `runtime::wait`.
    pub fn wait_for(
        &self,
        me: usize,
        key: u64,
        announce: impl Fn(),
        mut ready: impl FnMut() -> bool,
    ) {
        if ready() {
            return;
        }
        let actor = &self.0[me];
        actor.key.store(key, Ordering::Release);
        loop {
            let nap = || Duration::MAX;
            if actor.doorbell.sleep_unless(1, &announce, &mut ready, nap) || ready() {
                break;
            }
        }
        actor.key.store(0, Ordering::Release);
    }

    /// The same without announcement.
    pub fn wait(&self, me: usize, ready: impl FnMut() -> bool) {
        self.wait_for(me, 1, || (), ready);
    }

    /// As `runtime::ring`.
    pub fn ring(&self, rank: usize) {
        full_fence();
        self.0[rank].doorbell.ring();
    }

    /// As `runtime::ring_key`.
    pub fn ring_key(&self, key: u64) {
        full_fence();
        for actor in &self.0 {
            if actor.doorbell.sleepers() != 0 && actor.key.load(Ordering::Acquire) == key {
                actor.doorbell.ring();
            }
        }
    }

    /// As `runtime::ring_one`.
    pub fn ring_one(&self, me: usize, key: u64) {
        full_fence();
        let (before, after) = self.0.split_at(me + 1);
        let sleeps =
            |a: &&Actor| a.doorbell.sleepers() != 0 && a.key.load(Ordering::Acquire) == key;
        if let Some(actor) = after.iter().chain(before).find(sleeps) {
            actor.doorbell.ring();
        }
    }

    /// As `Process::ring_sleepers`, where the caller has a fence of its own.
    pub fn ring_unfenced(&self, rank: usize) {
        self.0[rank].doorbell.ring();
    }

    /// Rings everybody, where the caller has a fence of its own.
    pub fn ring_all(&self) {
        for actor in &self.0 {
            actor.doorbell.ring();
        }
    }
}

/// Runs `model` in every order with up to `preemptions` preemptions (LOOM_MAX_PREEMPTIONS says otherwise), and says how many
/// these were.
pub fn explore(name: &str, preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(preemptions);
    builder.max_branches = 20_000;
    let bound = builder.preemption_bound.unwrap_or_default();
    let orders = Arc::new(AtomicUsize::new(0));
    let count = orders.clone();
    let began = Instant::now();
    builder.check(move || {
        count.fetch_add(1, Relaxed);
        model();
    });
    let (orders, seconds) = (orders.load(Relaxed), began.elapsed().as_secs_f32());
    println!("model: {name}: {orders} orders with {bound} preemptions, {seconds:.1} s");
}

/// Runs `act` as each of `actors` actors, the last one on this thread, until all are done.
pub fn act<T: Send + Sync + 'static>(
    stage: T,
    actors: usize,
    act: impl Fn(&T, usize) + Send + Sync + 'static,
) {
    let play = loom::sync::Arc::new((stage, act));
    let threads: Vec<_> = (0..actors - 1)
        .map(|me| {
            let play = play.clone();
            loom::thread::spawn(move || (play.1)(&play.0, me))
        })
        .collect();
    (play.1)(&play.0, actors - 1);
    for thread in threads {
        thread.join().expect("no actor panicked");
    }
}

/// Memory that is no atomic: loom stops at accesses of two actors, one of them writing, that no synchronisation orders.
#[derive(Default)]
pub struct Watched(loom::cell::UnsafeCell<u32>);

// SAFETY: loom watches who touches it when.
unsafe impl Sync for Watched {}

impl Watched {
    pub fn read(&self) -> u32 {
        // SAFETY: loom lets nobody write meanwhile.
        self.0.with(|value| unsafe { *value })
    }

    pub fn write(&self, value: u32) {
        // SAFETY: loom gives the pointer only where nobody else has one.
        self.0.with_mut(|there| unsafe { *there = value });
    }

    pub fn add(&self, more: u32) {
        self.write(self.read() + more);
    }
}
