//! Messages between the processes of a job: the sender is a rank in the job, and what keeps messages apart is a number, the
//! context. Of communicators nothing is known here.
//!
//! May call `runtime`, `shm` and `datatype`. It keeps these promises: messages between two processes in one context match in
//! the order they were sent; nothing is ever lost but by the death of a process; no lock is shared between processes, so a
//! process killed at any instant leaves no other stuck; what is held of messages that no receive has met is bounded.
//!
//! - [`ring`]: cells from one sender to one receiver, [`inbox`]: a rank's rings and the bits that say which to look at.
//! - [`matching`]: posted receives and unexpected messages.
//! - [`held`]: how much of the latter there may be.
//! - [`engine`]: takes cells, matches, sends; one lock in each process, held for short times.
//! - [`links`]: the ways to the others, and what waits for room.
//! - [`streams`]: messages that come in several cells; [`distance`]: how their data is best copied into a ring.
//! - [`transfer`]: large messages, fetched by the receiver in one copy; [`sends`]: those announced and not fetched yet;
//!   [`offer`]: the word by which they are taken, or taken back.
//! - [`operation`]: one send or receive from start to end; [`task`]: operations of several steps.
//!
//! A message of at most a few KiB is copied into the ring (eager), in several pieces if it takes more than a cell; one of up to 64 KiB,
//! too, that lies where the receiver cannot load from, if its sender waits or all of it has room. A larger one is announced: the
//! receiver, when it has matched it, copies from the sender's memory and answers "fetched", or, if the sender does nothing but wait, asks
//! it to send the data through the ring, which both then copy at the same time. So the sender of a large message waits for the
//! receiver, which MPI allows every send that is not buffered. Short ones are announced too while their receiver holds enough of
//! that sender that no receive has met, and those of 1 to 8 KiB from memory of the segment: such a sender waits for a moment, and
//! leaves a copy.

mod arrived;
pub mod buffer;
mod checked;
pub mod counted;
pub mod distance;
mod engine;
mod held;
mod inbox;
mod links;
pub mod lock;
mod matching;
mod observed;
mod offer;
pub mod operation;
mod pending;
mod posted;
mod recent;
mod ring;
mod sends;
pub mod shown;
mod slots;
mod streams;
pub mod task;
mod transfer;
pub mod trials;
mod ways;

pub use buffer::Buffer;
pub use engine::{
    SHORTEST, cancel, eager_limit, find, hold, leave_short, look, look_for_left, receive,
    receive_at_once, receive_held, receive_short, send, send_short, set_awaited, welcome, withdraw,
};
pub use held::BYTES as HELD_BYTES;
pub use matching::Arrival;
pub use observed::number;
pub use operation::{About, Action, Operation, Outcome, Partners};
pub use sends::may_be_fetched;

use crate::bail;
use crate::error::Result;
use crate::mpi::constants::{MPI_ANY_SOURCE, MPI_ANY_TAG};
use crate::runtime::needs::{Needs, set_acts};
use crate::runtime::wait::set_progress;

/// Opens this process's inbox. After the job is attached to, before the other ranks are met.
pub fn open() -> Result<()> {
    engine::open()?;
    set_progress(task::progress);
    set_acts(task::are_begun);
    Ok(())
}

/// Blocks until everything this process has sent to living processes has left it.
pub fn close() -> Result<()> {
    let what = || "MPI_Finalize: messages that wait for room in their receivers' rings".to_string();
    let ranks = crate::runtime::Ranks::None;
    operation::block(&what, ranks, Needs::Unknown, engine::is_flushed)
}

/// The largest tag of a message. Messages of collectives use the same range in a context of their own.
pub const TAG_UB: i32 = (1 << 28) - 1;

/// Error: `MPI_ERR_TAG`.
#[inline]
pub fn check_tag(tag: i32) -> Result<()> {
    if !(0..=TAG_UB).contains(&tag) {
        bail!(Tag, "tag is {tag}, and must be in 0..{TAG_UB} (MPI_TAG_UB)");
    }
    Ok(())
}

/// Where a message came from, or what a receive asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Envelope {
    /// A rank in the communicator, or `MPI_ANY_SOURCE`.
    pub source: i32,
    /// A tag, or `MPI_ANY_TAG`.
    pub tag: i32,
}

impl Envelope {
    /// Whether what asks for this meets a message from `source` with `tag`.
    #[inline]
    pub fn meets(self, source: i32, tag: i32) -> bool {
        (self.source == source || self.source == MPI_ANY_SOURCE)
            && (self.tag == tag || self.tag == MPI_ANY_TAG)
    }
}

/// Where a message goes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The hidden context: see [`context`].
    pub context: u32,
    /// The sender's rank in the communicator.
    pub source: u32,
    /// The receiver's rank in the job.
    pub to: u32,
    pub tag: i32,
    /// Whether the caller does nothing else until the send is complete.
    pub waits: bool,
    /// Whether the same call also receives, for which it needs others anyway.
    pub receives: bool,
}

/// When a send is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// When its buffer is free.
    Standard,
    /// The same, and its receive waits already.
    Ready,
    /// When its receive was found.
    Synchronous,
}

/// The contexts from here on are those of letters (`comm::letter`), whose senders need nobody to be there.
pub const LETTERS: u32 = 1 << 31;

/// The hidden contexts of one communicator.
const HIDDEN: u32 = 4;

/// Communicators have numbers below this.
pub const COMMUNICATORS: u32 = LETTERS / HIDDEN;

const _: () = assert!(partition_context(COMMUNICATORS - 1) < LETTERS);

/// Whether messages of this context may be announced, so that their senders wait for a receive, however short they are.
fn can_be_announced(context: u32) -> bool {
    context < LETTERS
}

/// The number of the communicator that has the context, if one has.
pub fn communicator(context: u32) -> Option<u32> {
    (context < LETTERS).then_some(context / HIDDEN)
}

/// The context of a communicator's own messages.
pub const fn context(communicator: u32) -> u32 {
    communicator * HIDDEN
}

/// The context of the messages of its collective operations.
pub const fn collective_context(communicator: u32) -> u32 {
    communicator * HIDDEN + 1
}

/// Whether messages of this context are of collective operations.
fn is_collective(context: u32) -> bool {
    can_be_announced(context) && context % HIDDEN == collective_context(0)
}

/// The context in which partitioned communication finds its other side.
pub const fn partitioned_context(communicator: u32) -> u32 {
    communicator * HIDDEN + 2
}

/// The context of its data.
pub const fn partition_context(communicator: u32) -> u32 {
    communicator * HIDDEN + 3
}
