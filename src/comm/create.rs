//! Making communicators of a part of another's processes.
//!
//! The parent's processes exchange, in shared memory, whether each of them could do its part (check its arguments, copy
//! attributes, set a handle apart), and the leader of each new communicator, which has the first seat there, gives its context
//! and where its processes meet. So all of them get the communicator, or all get an error.

use super::group::Group;
use super::hardware::{Level, Places, Wish};
use super::hints::Hints;
use super::topology::Topology;
use super::{COMMS, Comm, contexts, hardware, letter};
use crate::attribute::Attributes;
use crate::errhandler::Slot;
use crate::error::{Error, Result, class_name};
use crate::handle::{Kind, Reserved};
use crate::mpi::constants::*;
use crate::mpi::types::MPI_Comm;
use crate::runtime::meeting::Meeting;
use crate::runtime::must_reach;
use crate::shm::atomic::AtomicU32;
use crate::shm::segment::segment;
use crate::shm::{Offset, heap};
use crate::{bail, err};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Where a new communicator meets, and its number: what its leader gives to the others. What these give says only what they
/// have mapped.
#[derive(Clone, Copy, Default)]
#[repr(C)]
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

    fn meeting(&self, shape: &Shape) -> Result<Meeting> {
        Meeting::open(self.block, shape.members(), shape.seat())
    }

    /// The same where the others would not hear of an error: the job ends if this process cannot map the place.
    pub fn sure_meeting(&self, shape: &Shape) -> Result<Meeting> {
        let members = shape.members();
        must_reach(self.block, Meeting::bytes(members.len()));
        Meeting::open(self.block, members, shape.seat())
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
    let opened = own.map(|(site, shape)| site.meeting(shape)).transpose();
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
pub(super) fn agree<T: Copy>(place: &Meeting, mine: &Result<T>, call: &str) -> Result<Vec<T>> {
    let what = || format!("{call}: waiting for the other processes of the communicator");
    place.agree(mine, &what, |failure| {
        failed_elsewhere(failure.rank, failure.class as i32)
    })
}

/// The error of those that were right themselves.
pub(super) fn failed_elsewhere(seat: usize, class: i32) -> Error {
    err!(
        Other,
        "process {seat} of the communicator failed with {}, so that nobody goes on",
        class_name(class)
    )
}

/// A part that only tells that it succeeded.
pub(super) fn told<T>(part: &Result<T>) -> Result<()> {
    part.as_ref().map(|_| ()).map_err(Error::clone)
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
            handler,
            attributes: self.attributes,
            topology: self.topology,
            name: Mutex::default(),
            hints: Mutex::new(hints),
        };
        MPI_Comm(self.handle.fill(Arc::new(comm)))
    }
}

/// What a process says about its part of a split.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Choice {
    /// Processes of the same color come together; `MPI_UNDEFINED`: the process wants no communicator.
    pub color: i32,
    /// They are ordered by this, then by rank.
    pub key: i32,
}

/// Splits `parent` by color; `None` for who wants none. Collective over `parent`.
pub fn split(
    parent: &Comm,
    choice: Result<Choice>,
    hints: Hints,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let choices = agree(&parent.meeting, &choice, call)?;
    by_color(parent, &choices, hints, call)
}

/// Splits `parent` by the choices of all its processes. Of an intercommunicator, a color makes a communicator if there
/// are processes of both groups that have it.
fn by_color(
    parent: &Comm,
    choices: &[Choice],
    hints: Hints,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let color = choices[parent.meeting.rank].color;
    let chosen = |seats: Range<usize>| {
        let mut seats: Vec<usize> = seats.filter(|&s| choices[s].color == color).collect();
        // A stable sort: the same keys stay in the order of ranks.
        seats.sort_by_key(|&s| choices[s].key);
        let members: Vec<u32> = seats.iter().map(|&s| parent.meeting.members[s]).collect();
        Arc::new(parent.group.of(members))
    };
    let shape = (color != MPI_UNDEFINED).then(|| Shape {
        group: chosen(parent.local_seats()),
        remote: parent.remote.is_some().then(|| chosen(parent.peer_seats())),
        remote_first: parent.local_seats().start > 0,
    });
    let shape = shape.filter(|s| s.remote.as_ref().is_none_or(|r| r.size() > 0));
    gather(parent, Ok(shape), hints, call)
}

/// A hint by which a split may go.
#[derive(Clone, Copy, Default)]
pub struct Hint {
    /// A fingerprint of its value; 0: it was not given.
    value: u64,
    wish: Wish,
}

impl Hint {
    pub fn new(value: &str, wish: Wish) -> Hint {
        Hint {
            value: letter::fingerprint(value),
            wish,
        }
    }
}

/// What a process asks for by its part of a split by type.
pub struct Request {
    /// `MPI_COMM_TYPE_SHARED` and so on, or `MPI_UNDEFINED`.
    pub kind: i32,
    pub key: i32,
    /// What the kind of split may go by: the first that counts.
    pub hints: [Hint; 3],
    pub places: Places,
}

/// What it tells the others of that.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Told {
    kind: i32,
    key: i32,
    values: [u64; 3],
    places: Places,
}

/// Splits `parent` by what its processes share. A hint whose value is not the same at all of them is ignored. Collective over
/// `parent`. Gives the communicator and the level that `MPI_COMM_TYPE_HW_UNGUIDED` found.
pub fn split_by_type(
    parent: &Comm,
    request: Result<Request>,
    hints: Hints,
    call: &str,
) -> Result<(Option<MPI_Comm>, Option<Level>)> {
    let mine = request.as_ref().map_err(Error::clone).map(|mine| Told {
        kind: mine.kind,
        key: mine.key,
        values: mine.hints.map(|hint| hint.value),
        places: mine.places,
    });
    let requests = agree(&parent.meeting, &mine, call)?;
    let asking = || requests.iter().filter(|r| r.kind != MPI_UNDEFINED);
    if let Some(first) = asking().next()
        && let Some(other) = asking().find(|r| r.kind != first.kind)
    {
        bail!(
            NotSame,
            "split_type must be the same on all processes, but there are {} and {}",
            first.kind,
            other.kind
        );
    }
    let same = |i: usize, hint: &Hint| asking().all(|r| r.values[i] == hint.value);
    let mut hinted = request?.hints.into_iter().enumerate();
    let wish = hinted
        .find(|(i, hint)| hint.wish != Wish::Nothing && same(*i, hint))
        .map_or(Wish::Nothing, |(_, hint)| hint.wish);
    let places: Vec<Option<Places>> = requests
        .iter()
        .map(|r| (r.kind != MPI_UNDEFINED).then_some(r.places))
        .collect();
    let (colors, level) = hardware::colors(wish, &places);
    let choices: Vec<Choice> = colors
        .into_iter()
        .zip(&requests)
        .map(|(color, r)| Choice {
            color: color.unwrap_or(MPI_UNDEFINED),
            key: r.key,
        })
        .collect();
    Ok((by_color(parent, &choices, hints, call)?, level))
}

/// Makes communicators of disjoint groups, each of which all its members give; `None` for who is in no group. Of an
/// intercommunicator, one of the two groups that its two groups' processes give. Collective over `parent`.
pub fn from_groups(
    parent: &Comm,
    group: Result<Arc<Group>>,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let checked = group.and_then(|group| {
        group.check_within(&parent.group)?;
        Ok(group)
    });
    if parent.remote.is_some() {
        return from_two_groups(parent, checked, call);
    }
    let shape = checked.map(|group| group.rank.is_some().then(|| Shape::of_one(group)));
    gather(parent, shape, Hints::default(), call)
}

/// What a process of an intercommunicator says about the group it gives.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Membership {
    fingerprint: u64,
    choice: Choice,
}

fn from_two_groups(
    parent: &Comm,
    group: Result<Arc<Group>>,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let mine = group.map(|group| Membership {
        fingerprint: letter::fingerprint(&group.members),
        choice: Choice {
            color: group.rank.map_or(MPI_UNDEFINED, |_| 0),
            key: group.rank.unwrap_or(0) as i32,
        },
    });
    let all = agree(&parent.meeting, &mine, call)?;
    // Everybody checks both groups, so that all come to the same answer.
    for seats in [parent.local_seats(), parent.peer_seats()] {
        let first = &all[seats.start];
        if all[seats]
            .iter()
            .any(|m| m.fingerprint != first.fingerprint)
        {
            bail!(
                Group,
                "the processes of one group of the intercommunicator gave different groups"
            );
        }
    }
    let choices: Vec<Choice> = all.iter().map(|m| m.choice).collect();
    by_color(parent, &choices, Hints::default(), call)
}

/// A process's part in [`gather`]: the fingerprint of its communicator's processes, and the site if it leads them.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Part {
    fingerprint: u64,
    leader: u32,
    site: Site,
}

/// The exchange by which the processes of each shape get their communicator.
fn gather(
    parent: &Comm,
    shape: Result<Option<Shape>>,
    hints: Hints,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let prepared = shape.and_then(|shape| {
        let Some(shape) = shape else {
            let part = Part {
                site: Site::new(0, 0),
                ..Part::default()
            };
            return Ok((part, None));
        };
        let mine = Mine::plain()?;
        let members = shape.members();
        let fresh = match shape.seat() {
            0 => Some(Fresh::new(members.len())?),
            _ => None,
        };
        let part = Part {
            fingerprint: letter::fingerprint(&members),
            leader: members[0],
            site: fresh.as_ref().map_or(Site::new(0, 0), Fresh::site),
        };
        Ok((part, Some((shape, mine, fresh))))
    });
    let part = prepared
        .as_ref()
        .map(|(part, _)| *part)
        .map_err(Error::clone);
    let parts = agree(&parent.meeting, &part, call)?;
    let seats: HashMap<u32, usize> = parent.meeting.members.iter().copied().zip(0..).collect();
    // Everybody checks everybody's, so that all come to the same answer.
    for (seat, part) in parts.iter().enumerate().filter(|(_, p)| p.fingerprint != 0) {
        if parts[seats[&part.leader]].fingerprint != part.fingerprint {
            bail!(
                Group,
                "rank {seat} of the communicator gave another group than rank {}, which is first in it",
                seats[&part.leader]
            );
        }
    }
    let (part, made) = prepared?;
    let sites: Vec<Site> = parts.iter().map(|part| part.site).collect();
    let Some((shape, mine, fresh)) = made else {
        return open(parent, &sites, None, call).map(|_| None);
    };
    if let Some(fresh) = fresh {
        fresh.accept();
    }
    let site = sites[seats[&part.leader]];
    let meeting = open(parent, &sites, Some((site, &shape)), call)?;
    let handler = parent.handler.inherit();
    Ok(meeting.map(|meeting| mine.publish(shape, site, meeting, handler, hints)))
}

/// The choice of `MPI_Comm_split`. Error: `MPI_ERR_ARG` if `color` is negative and not `MPI_UNDEFINED`.
pub fn choice(color: i32, key: i32) -> Result<Choice> {
    if color < 0 && color != MPI_UNDEFINED {
        return Err(err!(
            Arg,
            "color is {color}, and must not be negative unless it is MPI_UNDEFINED"
        ));
    }
    Ok(Choice { color, key })
}
