//! Groups and communicators.
//!
//! A communicator is made by its parent's processes in one or two exchanges in shared memory (`create`): every process
//! says whether it could do its part, so that either all of them get the communicator or all get an error. Where there is
//! no parent that has just these processes, they find each other by [`letter`]s.
//!
//! An intercommunicator has two groups, of which the caller is in the local one. The processes of both meet in one place:
//! each has a **seat** there, and the seats of a group lie together, those of one group, the same for all, first. Where
//! there is only one group a seat is the rank.
//!
//! Attributes' copies, arguments and a handle set apart are what a process's part is. The leader of each new group, its rank 0,
//! brings the context and the meeting, whose block it frees when all have left.

#[cfg(feature = "openmpi")]
pub mod affinity;
pub mod checked;
pub mod connect;
mod contexts;
pub mod create;
pub mod duplicate;
mod exchanges;
mod from_group;
pub mod group;
pub mod hardware;
mod hints;
pub mod inter;
mod letter;
mod making;
pub mod predefined;
pub mod recovery;
pub mod spawn;
pub mod topology;

pub use exchanges::Exchanges;
pub use from_group::{create_from_group, create_group, settings};
pub use hints::Hints;

use crate::attribute::Attributes;
use crate::errhandler::Slot;
use crate::error::Result;
use crate::handle::{Kind, Table};
use crate::info::Info;
use crate::mpi::types::{MPI_Comm, MPI_Errhandler};
use crate::naming;
use crate::runtime::meeting::Meeting;
use crate::runtime::{self, failures, job};
use crate::shm::Offset;
use crate::shm::atomic::{AtomicU32, Ordering};
use crate::{bail, err};
use group::{Group, Likeness};
use parking_lot::Mutex;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::{Arc, OnceLock};
use topology::Topology;

/// A communicator.
pub struct Comm {
    pub handle: MPI_Comm,
    /// Its number in the job: messages of different contexts never match. The same on all its processes.
    pub context: u32,
    /// The (local) group.
    pub group: Arc<Group>,
    /// The remote group, if it is an intercommunicator.
    pub remote: Option<Arc<Group>>,
    /// The caller's rank.
    pub rank: usize,
    /// Where its processes meet in shared memory, those of both groups.
    pub meeting: Meeting,
    /// How many collective operations by messages this process has begun.
    pub collectives: AtomicU32,
    /// How many collective calls of this process on it were [compared](checked) with those of others.
    compared: AtomicU32,
    /// How two processes exchange long blocks.
    pub exchanges: Mutex<Exchanges>,
    /// Its error handler at this process.
    pub handler: Slot,
    /// Its attributes at this process.
    pub attributes: Attributes,
    /// Who is whose neighbour, if that was said at its making.
    pub topology: OnceLock<Arc<Topology>>,
    name: Mutex<Box<[u8]>>,
    hints: Mutex<Hints>,
}

/// Communicators made by the user.
pub static COMMS: Table<Comm> = Table::new(Kind::Comm);
/// MPI_COMM_WORLD and MPI_COMM_SELF between MPI_Init and MPI_Finalize: what `Arc::into_raw` gave, else null.
static PREDEFINED: [AtomicPtr<Comm>; 2] = [const { AtomicPtr::new(null_mut()) }; 2];

pub const COMM_WORLD: MPI_Comm = MPI_Comm(0x4400_0000);
pub const COMM_SELF: MPI_Comm = MPI_Comm(0x4400_0001);

fn predefined_name(handle: MPI_Comm) -> &'static str {
    match handle {
        COMM_SELF => "MPI_COMM_SELF",
        _ => "MPI_COMM_WORLD",
    }
}

impl Comm {
    pub fn size(&self) -> usize {
        self.group.size()
    }

    /// The group that messages go to and come from: the remote one of an intercommunicator.
    #[inline(always)]
    pub fn peers(&self) -> &Arc<Group> {
        self.remote.as_ref().unwrap_or(&self.group)
    }

    /// The seats of the local group.
    pub fn local_seats(&self) -> Range<usize> {
        let first = self.meeting.rank - self.rank;
        first..first + self.size()
    }

    /// The seats of the peers.
    pub fn peer_seats(&self) -> Range<usize> {
        let local = self.local_seats();
        match &self.remote {
            None => local,
            Some(remote) if local.start > 0 => 0..remote.size(),
            Some(_) => local.end..self.meeting.size(),
        }
    }

    /// The rank in the job of the process that messages to `rank` go to.
    #[inline(always)]
    pub fn peer(&self, rank: usize) -> u32 {
        self.peers().members[rank]
    }

    /// The rank in the job of the process with `rank` here.
    #[inline(always)]
    pub fn world_rank(&self, rank: usize) -> u32 {
        self.group.members[rank]
    }

    /// Attaches an error handler. One that lets this process go on after an error says so to the launcher, if the
    /// communicator has other processes, which may die: so `MPI_COMM_SELF` does not. Error: `MPI_ERR_ERRHANDLER`.
    pub fn set_handler(&self, handler: MPI_Errhandler) -> Result<()> {
        self.handler.set(Kind::Comm, handler)?;
        self.tell_whether_it_survives();
        Ok(())
    }

    fn tell_whether_it_survives(&self) {
        self.check_handler();
        let alone = self.size() == 1 && self.remote.is_none();
        if !alone && self.handler.lets_go_on() {
            runtime::survive();
        }
    }

    /// What people read: its name, or else its handle.
    pub fn title(&self) -> String {
        let name = self.name.lock();
        match name.is_empty() {
            true => format!("{:#x}", self.handle.0),
            false => naming::printable(&name),
        }
    }

    pub fn name(&self) -> Box<[u8]> {
        self.name.lock().clone()
    }

    pub fn set_name(&self, name: &[u8]) {
        *self.name.lock() = name.into();
        // MPI_COMM_WORLD and MPI_COMM_SELF are known by the names that they have from the beginning.
        match name == predefined_name(self.handle).as_bytes() && self.context < 2 {
            true => naming::forget_communicator(self.context),
            false => naming::name_communicator(self.context, name),
        }
    }

    /// The collective call `name` on it, in words.
    pub fn calls(&self, name: &str) -> String {
        naming::collective(name, self.context)
    }

    /// Its hints, and its memory allocation kinds.
    pub fn info(&self) -> Info {
        self.hints.lock().info(self.group.kinds())
    }

    /// Takes over hints. Error: `MPI_ERR_INFO_VALUE` (a malformed list of memory allocation kinds).
    pub fn take_hints(&self, info: &Info) -> Result<()> {
        self.hints.lock().take(info)
    }

    /// The remote group. Error: `MPI_ERR_COMM` if it is no intercommunicator.
    pub fn remote_group(&self) -> Result<&Arc<Group>> {
        self.remote.as_ref().ok_or_else(|| {
            err!(
                Comm,
                "comm is {}, which is no intercommunicator",
                self.title()
            )
        })
    }

    /// How its processes compare with another's, in each group.
    pub fn compare(&self, other: &Comm) -> Likeness {
        let remotes = match (&self.remote, &other.remote) {
            (None, None) => Likeness::Identical,
            (Some(mine), Some(theirs)) => mine.compare(theirs),
            _ => Likeness::Unequal,
        };
        self.group.compare(&other.group).max(remotes)
    }
}

/// The communicator of a handle, if there is one.
#[inline(always)]
pub fn find(handle: MPI_Comm) -> Option<&'static Comm> {
    match handle {
        // SAFETY: the pointer is null or of a communicator that is never dropped.
        COMM_WORLD | COMM_SELF => unsafe {
            PREDEFINED[(handle.0 & 1) as usize]
                .load(Ordering::Acquire)
                .as_ref()
        },
        MPI_Comm(user) => COMMS.get(user),
    }
}

/// The communicator of a handle. Error: `MPI_ERR_COMM`.
#[inline(always)]
pub fn get(handle: MPI_Comm) -> Result<&'static Comm> {
    match find(handle) {
        Some(comm) => Ok(comm),
        None => no_communicator(handle),
    }
}

/// The intracommunicator of a handle. Error: `MPI_ERR_COMM`.
pub fn get_intra(handle: MPI_Comm) -> Result<&'static Comm> {
    let comm = get(handle)?;
    if comm.remote.is_some() {
        bail!(
            Comm,
            "comm is {}, an intercommunicator, and must be of one group",
            comm.title()
        );
    }
    Ok(comm)
}

/// Sets the error handler of a communicator, also of one that `MPI_Comm_idup` has only begun to make: some libraries do
/// so before they wait. Errors: `MPI_ERR_COMM`, `MPI_ERR_ERRHANDLER`.
pub fn set_handler(handle: MPI_Comm, errhandler: MPI_Errhandler) -> Result<()> {
    match duplicate::set_handler(handle, errhandler) {
        Some(done) => done,
        None => get(handle)?.set_handler(errhandler),
    }
}

#[cold]
fn no_communicator<T>(handle: MPI_Comm) -> Result<T> {
    match handle.0 {
        0x0400_0000 => bail!(Comm, "comm is MPI_COMM_NULL"),
        _ if handle == COMM_WORLD || handle == COMM_SELF => bail!(
            Comm,
            "comm is {}, which is there between MPI_Init and MPI_Finalize only",
            predefined_name(handle)
        ),
        _ => {}
    }
    bail!(Comm, "comm is {:#x}, which is no communicator", handle.0)
}

/// The first makes what the world's processes meet in, before it joins the others.
pub fn prepare_world() -> Result<()> {
    let job = job();
    if job.rank == job.first {
        let block = Meeting::create(job.ranks as usize)?;
        let world = job.table.world(job.rank);
        world.meeting.store(block as u64, Ordering::Release);
    }
    Ok(())
}

/// Makes MPI_COMM_WORLD and MPI_COMM_SELF, when all are there.
pub fn open_world() -> Result<()> {
    let job = job();
    let members: Arc<[u32]> = job.world().collect();
    let world = job.table.world(job.rank);
    let block = world.meeting.load(Ordering::Acquire) as Offset;
    let me: Arc<[u32]> = Arc::new([job.rank]);
    let alone = Meeting::open(Meeting::create(1)?, me.clone(), 0)?;
    let world = Meeting::open(block, members.clone(), (job.rank - job.first) as usize)?;
    let predefined = [(COMM_WORLD, world, members), (COMM_SELF, alone, me)];
    for (context, (handle, meeting, members)) in predefined.into_iter().enumerate() {
        let comm = Comm {
            handle,
            context: context as u32,
            rank: meeting.rank,
            remote: None,
            group: Arc::new(Group::new(members, job.rank)),
            meeting: meeting.revocable(context as u32),
            collectives: AtomicU32::new(0),
            compared: AtomicU32::new(0),
            exchanges: Mutex::default(),
            handler: Slot::initial(),
            attributes: Attributes::new(Kind::Comm),
            topology: OnceLock::new(),
            name: Mutex::new(predefined_name(handle).as_bytes().into()),
            hints: Mutex::default(),
        };
        comm.tell_whether_it_survives();
        let comm = Arc::into_raw(Arc::new(comm)).cast_mut();
        PREDEFINED[context].store(comm, Ordering::Release);
    }
    Ok(())
}

/// Makes MPI_COMM_WORLD and MPI_COMM_SELF unknown, when MPI is over. A thread that still uses them finds their memory, and so do
/// the tools that look for memory that nothing points to.
pub fn close_world() {
    // Nothing reads it: without the attribute an optimising build keeps nothing there.
    #[used]
    static CLOSED: [AtomicPtr<Comm>; 2] = [const { AtomicPtr::new(null_mut()) }; 2];
    for (comm, closed) in PREDEFINED.iter().zip(&CLOSED) {
        closed.store(comm.swap(null_mut(), Ordering::AcqRel), Ordering::Release);
    }
}

/// Deletes the attributes of MPI_COMM_SELF, then those of MPI_COMM_WORLD, each the one set last first. Error: the first that a
/// delete callback returns.
pub fn delete_world_attributes() -> Result<()> {
    let end = |handle: MPI_Comm| get(handle)?.attributes.end(handle.0);
    let of_self = end(COMM_SELF);
    of_self.and(end(COMM_WORLD))
}

/// Ends a communicator as [`free`]; where it has processes of other worlds all wait for each other first. So what they did there is
/// done at all of them, and nobody meets the end of one that is independent then. Those that have ended are not waited for. Errors:
/// as [`free`].
pub fn disconnect(handle: MPI_Comm, call: &str) -> Result<()> {
    let comm = get(handle)?;
    if comm.meeting.has_strangers() {
        let what = || {
            format!(
                "{call}: waiting for the other processes of {}",
                comm.title()
            )
        };
        // It may fail, and then all is as it was.
        comm.attributes.delete_all(handle.0)?;
        comm.meeting.part(&what);
        return remove(comm);
    }
    free(handle)
}

/// Ends a communicator's handle, after its attributes. What is still under way in it is completed. Errors:
/// `MPI_ERR_COMM`, and what a delete callback returns: then it is still there.
pub fn free(handle: MPI_Comm) -> Result<()> {
    let comm = get(handle)?;
    if matches!(handle, COMM_WORLD | COMM_SELF) {
        bail!(Comm, "comm is {}, which cannot be freed", comm.title());
    }
    comm.attributes.delete_all(handle.0)?;
    remove(comm)
}

/// Ends its handle. Error: `MPI_ERR_COMM`.
fn remove(comm: &Comm) -> Result<()> {
    let handle = comm.handle;
    match COMMS.remove(handle.0) {
        Some(comm) => {
            failures::forget(comm.context);
            naming::forget_communicator(comm.context);
            spawn::forget(handle);
            Ok(())
        }
        None => Err(err!(Comm, "comm is {:#x}, which was just freed", handle.0)),
    }
}
