//! Making communicators.
//!
//! The parent's processes exchange, in shared memory, whether each of them could do its part (check its arguments, copy
//! attributes, set a handle apart), and the leader of each new communicator, its rank 0, gives its context and where its
//! processes meet. So all of them get the communicator, or all get an error.

use super::attributes::Attributes;
use super::group::Group;
use super::hardware::{Level, Places, Wish};
use super::topology::Topology;
use super::{COMMS, Comm, board, hardware};
use crate::abi::constants::*;
use crate::abi::types::MPI_Comm;
use crate::error::{Error, Result, class_name};
use crate::handle::{Kind, Reserved};
use crate::info::Info;
use crate::runtime::meeting::Meeting;
use crate::runtime::{job, new_context};
use crate::shm::{Offset, heap};
use crate::{bail, err};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// What a leader gives to the others of a new communicator.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Offer {
    block: Offset,
    context: u32,
}

/// A leader's offer, taken back unless it is accepted.
struct Fresh(Offer);

impl Fresh {
    fn new(size: usize) -> Result<Fresh> {
        let block = Meeting::create(size)?;
        let context = new_context();
        Ok(Fresh(Offer { block, context }))
    }

    fn accept(self) {
        std::mem::forget(self);
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // The block is this process's own and nobody else has opened it, so that freeing it cannot fail.
        let _ = heap::free(self.0.block);
    }
}

/// Gives every process's part to all, if all succeeded. The error of one is an error of all.
pub(super) fn agree<T: Copy + Default>(
    place: &Meeting,
    mine: &Result<T>,
    call: &str,
) -> Result<Vec<T>> {
    let (class, part) = match mine {
        Ok(part) => (0, *part),
        Err(error) => (error.class as i32, T::default()),
    };
    let what = || format!("{call}: waiting for the other processes of the communicator");
    let parts = place.exchange((class, part), &what)?;
    if let Err(error) = mine {
        return Err(error.clone());
    }
    match parts.iter().position(|&(class, _)| class != 0) {
        None => Ok(parts.into_iter().map(|(_, part)| part).collect()),
        Some(rank) => bail!(
            Other,
            "rank {rank} of the communicator failed with {}, so that nobody goes on",
            class_name(parts[rank].0)
        ),
    }
}

/// What a process brings to its new communicator.
struct Mine {
    handle: Reserved<'static, Comm>,
    attributes: Attributes,
    topology: OnceLock<Arc<Topology>>,
}

impl Mine {
    fn new(attributes: Attributes) -> Result<Mine> {
        Ok(Mine {
            handle: COMMS.reserve()?,
            attributes,
            topology: OnceLock::new(),
        })
    }

    /// Makes the communicator that was agreed on.
    fn open(self, parent: &Comm, context: u32, meeting: Meeting, group: Arc<Group>) -> Opened {
        Opened {
            handle: self.handle,
            comm: Comm {
                context,
                group,
                remote: None,
                rank: meeting.rank,
                meeting,
                handler: parent.handler.inherit(),
                attributes: self.attributes,
                topology: self.topology,
                name: Mutex::default(),
                info: Mutex::default(),
            },
        }
    }
}

/// A communicator that only lacks being known.
struct Opened {
    handle: Reserved<'static, Comm>,
    comm: Comm,
}

impl Opened {
    fn publish(mut self, info: Info) -> MPI_Comm {
        *self.comm.info.get_mut() = info;
        MPI_Comm(self.handle.fill(Arc::new(self.comm)))
    }
}

impl Offer {
    fn meeting(&self, group: &Group) -> Meeting {
        let rank = group.rank.expect("the caller is a member");
        Meeting::open(self.block, group.members.clone(), rank)
    }
}

/// A part that only tells that it succeeded.
fn told<T>(part: &Result<T>) -> Result<()> {
    part.as_ref().map(|_| ()).map_err(Error::clone)
}

/// Duplicates `parent`, whose handle is `handle`, with its attributes, its topology and with `info`. Collective over `parent`.
pub fn duplicate(
    parent: &Comm,
    handle: MPI_Comm,
    info: Result<Info>,
    call: &str,
) -> Result<MPI_Comm> {
    let copies = parent.attributes.copies(handle.0);
    let mine = copies.and_then(Mine::new).map(|mine| Mine {
        topology: parent.topology.clone(),
        ..mine
    });
    let fresh = match parent.rank {
        0 => Fresh::new(parent.size()).map(Some),
        _ => Ok(None),
    };
    let part = told(&info)
        .and_then(|()| told(&mine))
        .and_then(|()| fresh.as_ref().map_err(Error::clone))
        .map(|fresh| fresh.as_ref().map_or(Offer::default(), |f| f.0));
    let offers = match agree(&parent.meeting, &part, call) {
        Ok(offers) => offers,
        Err(error) => {
            if let Ok(mine) = &mine {
                // The error of the call is the one to tell.
                let _ = mine.attributes.delete_all(handle.0);
            }
            return Err(error);
        }
    };
    if let Some(fresh) = fresh? {
        fresh.accept();
    }
    let (offer, group) = (offers[0], parent.group.clone());
    let opened = mine?.open(parent, offer.context, offer.meeting(&group), group);
    Ok(opened.publish(info?))
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
    info: Info,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let choices = agree(&parent.meeting, &choice, call)?;
    by_color(parent, &choices, info, call)
}

/// Splits `parent` by the colors of all its processes.
fn by_color(parent: &Comm, choices: &[Choice], info: Info, call: &str) -> Result<Option<MPI_Comm>> {
    let color = choices[parent.rank].color;
    let group = (color != MPI_UNDEFINED).then(|| {
        let mut ranks: Vec<usize> = (0..parent.size())
            .filter(|&r| choices[r].color == color)
            .collect();
        // A stable sort: the same keys stay in the order of ranks.
        ranks.sort_by_key(|&r| choices[r].key);
        let members: Vec<u32> = ranks.iter().map(|&r| parent.world_rank(r)).collect();
        Arc::new(Group::new(members, job().rank))
    });
    gather(parent, Ok(group), info, call)
}

/// What a process says about its part of a split by kinds of hardware.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Request {
    /// `MPI_COMM_TYPE_SHARED` and so on, or `MPI_UNDEFINED`.
    pub kind: i32,
    pub key: i32,
    pub wish: Wish,
    pub places: Places,
}

/// Splits `parent` by what its processes share. Collective over `parent`. Gives the communicator and the level that
/// `MPI_COMM_TYPE_HW_UNGUIDED` found.
pub fn split_by_type(
    parent: &Comm,
    request: Result<Request>,
    info: Info,
    call: &str,
) -> Result<(Option<MPI_Comm>, Option<Level>)> {
    let requests = agree(&parent.meeting, &request, call)?;
    let mut asking = requests.iter().filter(|r| r.kind != MPI_UNDEFINED);
    if let Some(first) = asking.next()
        && let Some(other) = asking.find(|r| (r.kind, r.wish) != (first.kind, first.wish))
    {
        bail!(
            NotSame,
            "split_type and what info asks for must be the same on all processes, but there are {} ({:?}) and {} ({:?})",
            first.kind,
            first.wish,
            other.kind,
            other.wish
        );
    }
    let places: Vec<Option<Places>> = requests
        .iter()
        .map(|r| (r.kind != MPI_UNDEFINED).then_some(r.places))
        .collect();
    let wish = requests.iter().find(|r| r.kind != MPI_UNDEFINED);
    let (colors, level) = hardware::colors(wish.map_or(Wish::Nothing, |r| r.wish), &places);
    let choices: Vec<Choice> = colors
        .into_iter()
        .zip(&requests)
        .map(|(color, r)| Choice {
            color: color.unwrap_or(MPI_UNDEFINED),
            key: r.key,
        })
        .collect();
    Ok((by_color(parent, &choices, info, call)?, level))
}

/// Makes communicators of disjoint groups, each of which all its members give; `None` for who is in no group. Collective
/// over `parent`.
pub fn from_groups(
    parent: &Comm,
    group: Result<Arc<Group>>,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let checked = group.and_then(|group| {
        let known: HashMap<u32, ()> = parent.group.members.iter().map(|&m| (m, ())).collect();
        match group.members.iter().position(|m| !known.contains_key(m)) {
            None => Ok(group.rank.is_some().then_some(group)),
            Some(rank) => bail!(
                Group,
                "rank {rank} of group is not in the group of the communicator"
            ),
        }
    });
    gather(parent, checked, Info::new(), call)
}

/// A process's part in [`gather`]: its group's fingerprint, and the offer if it leads it.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Part {
    fingerprint: u64,
    leader: u32,
    offer: Offer,
}

/// The exchange by which each group gets its communicator.
fn gather(
    parent: &Comm,
    group: Result<Option<Arc<Group>>>,
    info: Info,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let prepared = group.and_then(|group| {
        let Some(group) = group else {
            return Ok((Part::default(), None));
        };
        let mine = Mine::new(Attributes::new(Kind::Comm))?;
        let fresh = match group.rank {
            Some(0) => Some(Fresh::new(group.size())?),
            _ => None,
        };
        let part = Part {
            fingerprint: board::key(&group.members),
            leader: group.members[0],
            offer: fresh.as_ref().map_or(Offer::default(), |f| f.0),
        };
        Ok((part, Some((group, mine, fresh))))
    });
    let part = prepared
        .as_ref()
        .map(|(part, _)| *part)
        .map_err(Error::clone);
    let parts = agree(&parent.meeting, &part, call)?;
    let places: HashMap<u32, usize> = parent.group.members.iter().copied().zip(0..).collect();
    // Everybody checks everybody's, so that all come to the same answer.
    for (rank, part) in parts.iter().enumerate().filter(|(_, p)| p.fingerprint != 0) {
        if parts[places[&part.leader]].fingerprint != part.fingerprint {
            bail!(
                Group,
                "rank {rank} of the communicator gave another group than rank {}, which is first in it",
                places[&part.leader]
            );
        }
    }
    let (part, Some((group, mine, fresh))) = prepared? else {
        return Ok(None);
    };
    if let Some(fresh) = fresh {
        fresh.accept();
    }
    let offer = parts[places[&part.leader]].offer;
    let opened = mine.open(parent, offer.context, offer.meeting(&group), group);
    Ok(Some(opened.publish(info)))
}

/// Makes a communicator of `group`, a part of `parent`'s; only its members call. Their call is told from others at the
/// same time by `tag`.
pub fn from_group(
    parent: &Comm,
    group: Arc<Group>,
    tag: i32,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    if let Some(rank) =
        (0..group.size()).find(|&r| !parent.group.members.contains(&group.members[r]))
    {
        bail!(
            Group,
            "rank {rank} of group is not in the group of the communicator"
        );
    }
    if tag < 0 {
        bail!(Tag, "tag is {tag}, and must not be negative");
    }
    let Some(rank) = group.rank else {
        return Ok(None);
    };
    let mine = Mine::new(Attributes::new(Kind::Comm));
    let key = board::key((parent.context, tag, &group.members));
    let what = || format!("{call}: waiting for the other processes of the group");
    let (leader, others) = (group.members[0], &group.members[1..]);
    let offer = if rank == 0 {
        let fresh = Fresh::new(group.size());
        let offer = fresh.as_ref().map_or(Offer::default(), |f| f.0);
        board::post(
            key,
            [offer.block as u64, offer.context.into()],
            others,
            &what,
        )?;
        fresh?.accept();
        offer
    } else {
        let [block, context] = board::read(key, leader, &group.members, &what)?;
        Offer {
            block: block as usize,
            context: context as u32,
        }
    };
    if offer.block == 0 {
        bail!(NoMem, "rank 0 of group has no memory for the communicator");
    }
    let meeting = offer.meeting(&group);
    agree(&meeting, &told(&mine), call)?;
    let opened = mine?.open(parent, offer.context, meeting, group);
    Ok(Some(opened.publish(Info::new())))
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
