//! What all ways of making communicators have in common: agreeing, where a new one meets, its processes, and this process's
//! part of it.

use super::group::Group;
use super::hints::Hints;
use super::topology::Topology;
use super::{COMMS, Comm, contexts};
use crate::attribute::Attributes;
use crate::err;
use crate::errhandler::Slot;
use crate::error::{Class, Error, Result};
use crate::handle::{Kind, Reserved};
use crate::mpi::types::MPI_Comm;
use crate::neutral;
use crate::runtime::meeting::Meeting;
use crate::runtime::neutral::Neutral;
use crate::runtime::ties::Why;
use crate::runtime::{job, must_reach};
use crate::shm::atomic::AtomicU32;
use crate::shm::segment::segment;
use crate::shm::{Offset, heap};
use crate::transport;
use macro_rules_attribute::apply;
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// Where a new communicator meets, and its number: what its leader gives to the others. What these give says only what they
/// have mapped.
#[apply(neutral)]
#[derive(Clone, Copy, Default)]
pub(super) struct Site {
    pub block: Offset,
    pub context: u32,
    /// How much of the segment the process has mapped.
    mapped: usize,
}

impl Site {
    /// Of a process at this place in the segment; 0: of one that leads nobody.
    pub fn new(block: Offset, context: u32) -> Site {
        Site {
            block,
            context,
            mapped: segment().mapped(),
        }
    }

    /// False: the leader had no memory.
    pub fn is_there(&self) -> bool {
        self.block != 0
    }

    pub fn words(&self) -> [u64; 2] {
        [self.block as u64, self.context.into()]
    }

    pub fn of_words(words: &[u64]) -> Site {
        Site::new(words[0] as Offset, words[1] as u32)
    }

    /// `why`: what the members have in common by it.
    fn meeting(&self, shape: &Shape, why: Why) -> Result<Meeting> {
        let meeting = Meeting::open_as(self.block, shape.members(), shape.seat(), why)?;
        Ok(meeting.revocable(self.context))
    }

    /// The same where the others would not hear of an error: the job ends if this process cannot map the place.
    pub fn sure_meeting(&self, shape: &Shape, why: Why) -> Result<Meeting> {
        let members = shape.members();
        must_reach(self.block, Meeting::bytes(members.len()));
        self.meeting(shape, why)
    }
}

/// Opens the meeting of the new communicator of this process, `own`, if it gets one. `sites` are those of all processes of
/// `parent`. Mostly everybody has mapped what they give; else all tell each other whether they can. Collective over
/// `parent`; an error of one is an error of all.
pub(super) fn open(
    parent: &Comm,
    sites: &[Site],
    own: Option<(Site, &Shape)>,
    call: &str,
) -> Result<Option<Meeting>> {
    let opened = own
        .map(|(site, shape)| site.meeting(shape, Why::Shared))
        .transpose();
    let last = sites.iter().map(|site| site.block).max().unwrap_or(0);
    let end = last + Meeting::bytes(parent.meeting.size());
    if sites.iter().any(|site| site.mapped < end) {
        agree(&parent.meeting, &told(&opened), call)?;
    }
    opened
}

/// A new site, given back unless it is accepted.
pub(super) struct Fresh(Site);

impl Fresh {
    /// For so many processes.
    pub fn new(size: usize) -> Result<Fresh> {
        let block = Meeting::create(size)?;
        let mut fresh = Fresh(Site::new(block, 0));
        fresh.0.context = contexts::number(block)?;
        Ok(fresh)
    }

    pub fn site(&self) -> Site {
        self.0
    }

    pub fn accept(self) -> Site {
        std::mem::ManuallyDrop::new(self).0
    }

    /// What was accepted too early.
    pub fn again(site: Site) -> Fresh {
        Fresh(site)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // The block is this process's own and nobody else has opened it, so that freeing it cannot fail.
        let _ = heap::free(self.0.block);
    }
}

/// Gives every process's part to all, by their seats, if all succeeded. The error of one is an error of all.
pub(super) fn agree<T: Neutral>(place: &Meeting, mine: &Result<T>, call: &str) -> Result<Vec<T>> {
    let what = || format!("{call}: waiting for the other processes of the communicator");
    place.agree(mine, &what, |failure| {
        failed_elsewhere(failure.rank, failure.class)
    })
}

/// The error of those that were right themselves.
pub(super) fn failed_elsewhere(seat: usize, class: Class) -> Error {
    err!(
        Other,
        "process {seat} of the communicator failed with {}, so that nobody goes on",
        class.name()
    )
}

/// A part that only tells that it succeeded.
pub(super) fn told<T>(part: &Result<T>) -> Result<()> {
    part.as_ref().map(|_| ()).map_err(Error::clone)
}

/// Makes sure that the processes of a new communicator can send to this one, whichever world they are of. Before they agree.
pub(super) fn welcome(shape: &Shape) -> Result<()> {
    let (job, members) = (job(), shape.members());
    match members.iter().all(|&member| job.is_of_world(member)) {
        true => Ok(()),
        false => transport::welcome(members.iter().copied()),
    }
}

/// The processes of a communicator.
pub(super) struct Shape {
    pub group: Arc<Group>,
    pub remote: Option<Arc<Group>>,
    /// Whether the remote group has the first seats.
    pub remote_first: bool,
}

impl Shape {
    pub fn of_one(group: Arc<Group>) -> Shape {
        Shape {
            group,
            remote: None,
            remote_first: false,
        }
    }

    pub fn of(comm: &Comm) -> Shape {
        Shape {
            group: comm.group.clone(),
            remote: comm.remote.clone(),
            remote_first: comm.local_seats().start > 0,
        }
    }

    /// The caller's rank.
    fn rank(&self) -> usize {
        self.group.rank.expect("the caller is a member")
    }

    /// The caller's seat.
    pub fn seat(&self) -> usize {
        match &self.remote {
            Some(remote) if self.remote_first => remote.size() + self.rank(),
            _ => self.rank(),
        }
    }

    /// All processes, by their seats.
    pub fn members(&self) -> Arc<[u32]> {
        let local = &self.group.members;
        match &self.remote {
            None => local.clone(),
            Some(remote) if self.remote_first => [&*remote.members, &**local].concat().into(),
            Some(remote) => [&**local, &*remote.members].concat().into(),
        }
    }
}

/// What a process brings to its new communicator.
pub(super) struct Mine {
    pub handle: Reserved<'static, Comm>,
    pub attributes: Attributes,
    pub topology: OnceLock<Arc<Topology>>,
}

impl Mine {
    pub fn new(attributes: Attributes) -> Result<Mine> {
        Ok(Mine {
            handle: COMMS.reserve()?,
            attributes,
            topology: OnceLock::new(),
        })
    }

    /// Without attributes.
    pub fn plain() -> Result<Mine> {
        Mine::new(Attributes::new(Kind::Comm))
    }

    /// Makes the communicator that was agreed on.
    pub fn publish(
        self,
        shape: Shape,
        site: Site,
        meeting: Meeting,
        handler: Slot,
        hints: Hints,
    ) -> MPI_Comm {
        let comm = Comm {
            handle: MPI_Comm(self.handle.handle()),
            context: site.context,
            rank: shape.rank(),
            group: shape.group,
            remote: shape.remote,
            meeting,
            collectives: AtomicU32::new(0),
            compared: AtomicU32::new(0),
            exchanges: Mutex::default(),
            handler,
            attributes: self.attributes,
            topology: self.topology,
            name: Mutex::default(),
            hints: Mutex::new(hints),
        };
        comm.tell_whether_it_survives();
        MPI_Comm(self.handle.fill(Arc::new(comm)))
    }
}
