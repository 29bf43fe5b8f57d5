//! Groups and communicators.

pub mod group;

use crate::abi::types::MPI_Comm;
use crate::bail;
use crate::error::Result;
use crate::handle::{Kind, Table};
use crate::runtime::meeting::Meeting;
use crate::runtime::{job, new_context};
use crate::shm::atomic::Ordering;
use group::Group;
use std::sync::{Arc, OnceLock};

/// A communicator.
pub struct Comm {
    /// Its number in the job: messages of different contexts never match. The same on all its processes.
    pub context: u32,
    /// The (local) group.
    pub group: Arc<Group>,
    /// The caller's rank.
    pub rank: usize,
    /// Where its processes meet in shared memory.
    pub meeting: Meeting,
}

/// Communicators made by the user.
pub static COMMS: Table<Comm> = Table::new(Kind::Comm);
static WORLD: OnceLock<Arc<Comm>> = OnceLock::new();
static SELF: OnceLock<Arc<Comm>> = OnceLock::new();

pub const COMM_WORLD: MPI_Comm = MPI_Comm(0x4400_0000);
pub const COMM_SELF: MPI_Comm = MPI_Comm(0x4400_0001);

impl Comm {
    pub fn size(&self) -> usize {
        self.group.size()
    }

    /// The group that messages go to and come from: the remote one of an intercommunicator.
    #[inline]
    pub fn peers(&self) -> &Arc<Group> {
        &self.group
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
}

/// The communicator of a handle. Error: `MPI_ERR_COMM`.
pub fn get(handle: MPI_Comm) -> Result<&'static Comm> {
    let found = match handle {
        COMM_WORLD => WORLD.get().map(|c| &**c),
        COMM_SELF => SELF.get().map(|c| &**c),
        MPI_Comm(user) => COMMS.get(user),
    };
    match found {
        Some(comm) => Ok(comm),
        None => bail!(Comm, "comm is {:#x}, which is no communicator", handle.0),
    }
}

/// Rank 0 makes what the world's processes meet in, before it joins the others.
pub fn prepare_world() -> Result<()> {
    let job = job();
    if job.rank == 0 {
        let block = Meeting::create(job.ranks as usize)?;
        // Contexts 0 and 1 are the world's and the selves'.
        job.table.job.contexts.store(2, Ordering::Relaxed);
        job.table.job.world.store(block as u64, Ordering::Release);
    }
    Ok(())
}

/// Makes MPI_COMM_WORLD and MPI_COMM_SELF, when all are there.
pub fn open_world() -> Result<()> {
    let job = job();
    let members: Arc<[u32]> = (0..job.ranks).collect();
    let block = job.table.job.world.load(Ordering::Acquire) as usize;
    let world = Comm {
        context: 0,
        group: Arc::new(Group::new(members.clone(), job.rank)),
        rank: job.rank as usize,
        meeting: Meeting::open(block, members, job.rank as usize),
    };
    let me: Arc<[u32]> = Arc::new([job.rank]);
    let alone = Comm {
        context: 1,
        group: Arc::new(Group::new(me.clone(), job.rank)),
        rank: 0,
        meeting: Meeting::open(Meeting::create(1)?, me, 0),
    };
    let _ = WORLD.set(Arc::new(world));
    let _ = SELF.set(Arc::new(alone));
    let _ = new_context;
    Ok(())
}
