//! Buffered sends (MPI 4.1 §3.6): a copy of the message is sent, and the attached buffer says how much may be on its way.
//!
//! The copies lie in memory of our own; of the user's buffer only the size counts, and every message takes
//! `MPI_BSEND_OVERHEAD` of it beside its data, as the standard has it.

use super::start::{self, Mode};
use crate::bail;
use crate::comm::{self, Comm};
use crate::error::Result;
use crate::mpi::constants::{MPI_BSEND_OVERHEAD, MPI_PROC_NULL};
use crate::mpi::types::MPI_Session;
use crate::runtime::deaths::dead;
use crate::runtime::{Needs, Ranks};
use crate::transport::Buffer;
use crate::transport::counted::Counted;
use crate::transport::operation::{About, Action, Operation, Outcome, Partners, block};
use crate::transport::task::{self, Task};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Whose buffer it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    Process,
    /// By its number in the job.
    Comm(u32),
    Session(MPI_Session),
}

/// How much may be on its way.
#[derive(Clone, Copy)]
pub enum Room {
    Bytes(usize),
    /// As much as memory holds.
    Automatic,
}

/// The buffer that the user attached.
#[derive(Clone, Copy)]
struct Attached {
    address: usize,
    room: Room,
}

/// A copy on its way.
struct Copied {
    operation: Counted<Operation>,
    data: Box<[u8]>,
}

#[derive(Default)]
struct Copies {
    attached: Option<Attached>,
    copies: Vec<Copied>,
}

static SENDS: LazyLock<Mutex<HashMap<Owner, Copies>>> = LazyLock::new(Mutex::default);

fn cost(len: usize) -> usize {
    len.saturating_add(MPI_BSEND_OVERHEAD as usize)
}

/// Whether a message waits for a process that is gone, or that has come to MPI_Finalize since another died, or in a communicator that was
/// revoked, in which nobody receives any more: it never leaves.
fn is_lost(operation: &Operation) -> bool {
    let members = operation.about.partners.members();
    dead(Ranks::Needed(members)).is_some() || operation.about.revoked().is_some()
}

impl Copies {
    /// Bytes of the attached buffer in use. Copies for the dead never leave, but take no room in it.
    fn used(&mut self) -> usize {
        self.copies.retain(|copy| !copy.operation.is_done());
        let on_its_way = |copy: &&Copied| !is_lost(&copy.operation);
        let copies = self.copies.iter().filter(on_its_way);
        copies.map(|copy| cost(copy.data.len())).sum()
    }
}

/// Whose buffer a send on this communicator takes its room from.
fn owner(sends: &HashMap<Owner, Copies>, comm: &Comm) -> Owner {
    let session = comm.group.session.map(Owner::Session);
    let attached = |owner: &Owner| sends.get(owner).is_some_and(|s| s.attached.is_some());
    [Some(Owner::Comm(comm.context)), session]
        .into_iter()
        .flatten()
        .find(attached)
        .unwrap_or(Owner::Process)
}

/// Sends a copy of `buffer`; complete at once. To `MPI_PROC_NULL` nothing is sent, which takes no room.
///
/// Errors: `MPI_ERR_BUFFER` if the attached buffer has no room, `MPI_ERR_NO_MEM` for the copy, and those of a send.
pub fn send(comm: &Comm, buffer: Buffer, to: i32, tag: i32) -> Result<()> {
    crate::runtime::wait::progress();
    if to == MPI_PROC_NULL {
        return start::send(comm, buffer, to, tag, Mode::Standard).map(drop);
    }
    let mut sends = SENDS.lock();
    let owner = owner(&sends, comm);
    let sends = sends.entry(owner).or_default();
    let used = sends.used();
    let need = cost(buffer.len());
    let len = match sends.attached {
        None => 0,
        Some(Attached {
            room: Room::Bytes(len),
            ..
        }) => len,
        Some(Attached {
            room: Room::Automatic,
            ..
        }) => usize::MAX,
    };
    if used.saturating_add(need) > len {
        bail!(
            Buffer,
            "a buffered send of {} bytes takes {need} of the attached buffer, which has {len} bytes, {used} of them in use",
            buffer.len()
        );
    }
    let data = buffer.packed()?;
    // SAFETY: the data is kept until the send is complete.
    let copy = unsafe { Buffer::bytes(data.as_ptr(), data.len()) }.standing_for(&buffer);
    if let Some(operation) = start::send(comm, copy, to, tag, Mode::Standard)? {
        sends.copies.push(Copied { operation, data });
    }
    Ok(())
}

/// Attaches a buffer at `address`. Error: `MPI_ERR_BUFFER` if there is one already.
pub fn attach(owner: Owner, address: usize, room: Room) -> Result<()> {
    let mut sends = SENDS.lock();
    let sends = sends.entry(owner).or_default();
    if sends.attached.is_some() {
        bail!(Buffer, "a buffer is attached already");
    }
    sends.attached = Some(Attached { address, room });
    Ok(())
}

/// Blocks until no message of this buffer is on its way to a process that may receive it. What is then `found`, if there ever was
/// such a buffer: in the same look, as another thread may send at any time.
fn when_unused<T>(owner: Owner, found: impl Fn(&mut Copies) -> T) -> Result<Option<T>> {
    let what = || "buffered sends that are on their way".to_string();
    let mut last = None;
    block(&what, Ranks::None, Needs::Unknown, || {
        let mut sends = SENDS.lock();
        let Some(copies) = sends.get_mut(&owner) else {
            return true;
        };
        let unused = copies.used() == 0;
        if unused {
            last = Some(found(copies));
        }
        unused
    })?;
    Ok(last)
}

/// Blocks until no message of this buffer is on its way to a process that may receive it.
pub fn flush(owner: Owner) -> Result<()> {
    when_unused(owner, |_| ()).map(drop)
}

/// The same for all buffers.
pub fn flush_all() -> Result<()> {
    let owners: Vec<Owner> = SENDS.lock().keys().copied().collect();
    owners.into_iter().try_for_each(flush)
}

/// Detaches the buffer, when no message is in it any more: its address and room; null and none if there is no buffer.
pub fn detach(owner: Owner) -> Result<(usize, Room)> {
    // Copies for the dead stay: nobody knows whether they are looked at yet.
    let attached = when_unused(owner, |copies| copies.attached.take())?.flatten();
    Ok(attached.map_or((0, Room::Bytes(0)), |buffer| (buffer.address, buffer.room)))
}

/// Messages that a flush waits for.
struct Flush(Vec<Counted<Operation>>);

impl Task for Flush {
    fn advance(&mut self) -> bool {
        self.0
            .iter()
            .all(|operation| operation.is_done() || is_lost(operation))
    }

    fn end(&mut self) -> Outcome {
        Outcome::NOTHING
    }
}

/// An operation that ends when the messages that are on their way now have left; `None` if there are none.
pub fn start_flush(owner: Owner) -> Option<Counted<Operation>> {
    let mut all = SENDS.lock();
    let sends = all.get_mut(&owner)?;
    if sends.used() == 0 {
        return None;
    }
    let copies = sends.copies.iter().map(|copy| copy.operation.clone());
    let flush = Flush(copies.collect());
    drop(all);
    let operation = Operation::new(About {
        action: Action::Steps("a flush of buffered sends"),
        context: 0,
        peer: 0,
        tag: 0,
        partners: Partners::These([].into()),
        comm: comm::COMM_SELF,
    });
    task::begin(operation.clone(), flush);
    Some(operation)
}
