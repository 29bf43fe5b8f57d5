//! Models of the protocols. `LOOM_MAX_PREEMPTIONS` changes how far they are explored, `LOOM_LOG=trace LOOM_LOCATION=1` and
//! `LOOM_CHECKPOINT_FILE` (see loom) tell of a failure.

mod access;
mod barrier;
mod bias;
mod claim;
mod consensus;
mod counter;
mod doorbell;
mod gate;
mod late;
mod lock;
mod notes;
mod offer;
mod office;
mod parcel;
mod regions;
mod rendezvous;
mod ring;
mod visitors;
