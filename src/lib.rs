//! rmashm: a single-node MPI library (MPICH ABI) whose heart is one-sided communication through shared memory.
//!
//! The rooms and their layers are in ARCHITECTURE.md; calls go inwards only, which `tests/layers.rs` keeps so.

// The documentation is for those who work on the library: it is made with private items.
#![allow(rustdoc::private_intra_doc_links)]
// The tools are built with the inner rooms alone, and use little of those.
#![cfg_attr(
    not(any(feature = "interface", test)),
    allow(dead_code, unused_imports)
)]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!(
    "rmashm runs on Linux on x86-64: its fences, copies and atomics are made and model-checked for that memory model"
);

#[cfg(all(feature = "openmpi", feature = "standard"))]
compile_error!("one interface is compiled at a time");

#[cfg(any(feature = "interface", test))]
mod abi;
#[cfg(any(feature = "interface", test))]
mod attribute;
mod block;
mod check;
#[cfg(any(feature = "interface", test))]
mod coll;
#[cfg(any(feature = "interface", test))]
mod comm;
#[cfg(any(feature = "interface", test))]
mod datatype;
mod errhandler;
mod error;
#[cfg(any(feature = "interface", test))]
mod file;
mod handle;
mod info;
pub mod mpi;
mod naming;
mod observe;
#[cfg(any(feature = "interface", test))]
mod op;
#[cfg(any(feature = "interface", test))]
mod p2p;
mod reserve;
mod runtime;
#[cfg(any(feature = "interface", test))]
mod session;
mod shm;
#[cfg(any(feature = "interface", test))]
mod startup;
#[cfg(any(feature = "interface", test))]
mod tools;
#[cfg(any(feature = "interface", test))]
mod transport;
mod version;
#[cfg(any(feature = "interface", test))]
mod win;

/// What is to be seen of a job from outside: for `rmashm-top`.
pub mod seeing {
    pub use crate::block::seen::{Access, Part, Place, Wanted, Window, wanted, windows};
    pub use crate::runtime::seen::{Counted, Moved, Rank, Seen, Wait};
    pub use crate::runtime::table::{Death, State};
    pub use crate::shm::dump::Dump;
    pub use crate::shm::holders::{Held, held};
    pub use crate::shm::maps::read as read_proc;
    pub use crate::shm::reader::{Opened, Reader};
    pub use crate::version::text as version;
}

/// What the launcher uses of the library, and the tests of the launcher.
pub mod launching {
    use crate::error::Result;
    use crate::runtime::{self, phase};

    pub use crate::check::STATUS as CHECK_FAILED;
    pub use crate::check::area::{Area, MOST as MOST_CHECKED};
    pub use crate::check::place::{BEGIN as PLACE_BEGINS, END as PLACE_ENDS, Place as CallPlace};
    pub use crate::errhandler::initial;
    pub use crate::error::{Class, Error};
    pub use crate::info::kinds::elements as memory_kinds;
    pub use crate::observe::tables::{MOST as MOST_OBSERVED, Tables};
    pub use crate::observe::ticks::both as both_clocks;
    pub use crate::observe::trace::{Happening, Kind};
    pub use crate::runtime::OBSERVING;
    pub use crate::runtime::abort::abort;
    pub use crate::runtime::access::parent_of;
    pub use crate::runtime::deadlock::{self, Awaited, Node};
    pub use crate::runtime::elsewhere::Outside;
    pub use crate::runtime::job;
    pub use crate::runtime::launch::{APPSIZE, JobSegment, Moved, Order, foreign_ranks, room_for};
    pub use crate::runtime::lookout::is_over;
    pub use crate::runtime::needs::Need;
    pub use crate::runtime::neighbours::{News, Turn};
    pub use crate::runtime::phase::{Level, THREAD_LEVEL};
    pub use crate::runtime::port::job_of as job_of_port;
    pub use crate::runtime::rest::Reading;
    pub use crate::runtime::signals::handler;
    pub use crate::runtime::spawn::{HERE, ORDER, Program as Asked, Started};
    pub use crate::runtime::starter;
    pub use crate::runtime::table::{Death, State};
    pub use crate::runtime::wait::NAP;
    pub use crate::shm::holders::{Held, held, is_segment};
    pub use crate::shm::maps::read as read_proc;
    pub use crate::shm::reader::{Opened, Reader};
    pub use crate::version::text as version;

    /// A process becomes a rank without the rooms above, as far as a launcher sees: what the tests' ranks do.
    pub fn start(level: Level) -> Result<()> {
        phase::starting(level)?;
        runtime::attach()?;
        runtime::meet()?;
        phase::running();
        Ok(())
    }

    /// It has no more to do with the others.
    pub fn end() -> Result<()> {
        phase::ending()?;
        let left = runtime::leave();
        phase::over();
        runtime::rest();
        left
    }
}
