//! The protocols of rmashm's shared memory, compiled against [loom](https://docs.rs/loom), which runs a model of two or three
//! actors in every order that its memory model allows, up to a number of preemptions. The models are in `tests/`.
//!
//! What is compiled here is the library's own source: the modules named by `path`. Only what lies below them is
//! replaced: atomics and fences ([`shm::atomic`]), the kernel's futex ([`shm::futex`]), and the bytes of a message ring
//! ([`transport::slots`]). The loop around a sleep is the one of [`actor`], without spinning, progress and deaths: what is left of
//! `runtime::wait`.
//!
//! What that shows: no interleaving, and no reordering that C11 allows, breaks mutual exclusion, loses a wake-up (the
//! futex has no time-out here, so a lost one is a deadlock, which loom reports), or reads what is not completely written.
//! What it does not show: anything beyond the actors and rounds of a model, or beyond its number of preemptions; fairness; the
//! kernel; the callers of these modules, whose few lines the models repeat.
//!
//! Two things are as on x86-64, on which the library relies. A SeqCst read-modify-write or store is a full fence (loom
//! itself takes SeqCst accesses as acquire and release only). Light and heavy fences (see `shm/atomic.rs`) are full ones, which
//! is what the kernel promises of them against each other. And a SeqCst load is a load, ordered by what comes before it.
//!
//! `tools/break-models` breaks each protocol in one place at a time, and makes sure that a model finds it.

pub mod actor;

pub mod shm {
    pub mod atomic;
    #[path = "../../../src/shm/barrier.rs"]
    pub mod barrier;
    #[path = "../../../src/shm/bias.rs"]
    pub mod bias;
    #[path = "../../../src/shm/claim.rs"]
    pub mod claim;
    #[path = "../../../src/shm/consensus.rs"]
    pub mod consensus;
    #[path = "../../../src/shm/counter.rs"]
    pub mod counter;
    #[path = "../../../src/shm/doorbell.rs"]
    pub mod doorbell;
    pub mod futex;
    #[path = "../../../src/shm/gate.rs"]
    pub mod gate;
    #[path = "../../../src/shm/late.rs"]
    pub mod late;
    #[path = "../../../src/shm/lock.rs"]
    pub mod lock;
    #[path = "../../../src/shm/notes.rs"]
    pub mod notes;
    #[path = "../../../src/shm/office.rs"]
    pub mod office;
    #[path = "../../../src/shm/parcel.rs"]
    pub mod parcel;
    #[path = "../../../src/shm/rendezvous.rs"]
    pub mod rendezvous;
    #[path = "../../../src/shm/visitors.rs"]
    pub mod visitors;

    pub type Offset = usize;
    pub const LINE: usize = 128;
    /// Few, so that threads of a process use the same one after the other.
    pub const VISITS: usize = 2;
}

pub mod transport {
    #[path = "../../../src/transport/offer.rs"]
    pub mod offer;
    #[path = "../../../src/transport/pending.rs"]
    pub mod pending;
    #[path = "../../../src/transport/ring/mod.rs"]
    pub mod ring;
    pub mod slots;
}

#[path = "../../src/block"]
pub mod block {
    /// Small, so that few regions make a tree of several levels, and nodes are soon used again.
    const FANOUT: usize = 2;
    const ROOTS: usize = 3;
    pub mod access;
    pub mod regions;
}
