//! Making communicators of a part of another's processes.
//!
//! The parent's processes exchange, in shared memory, whether each of them could do its part (check its arguments, copy
//! attributes, set a handle apart), and the leader of each new communicator, which has the first seat there, gives its context
//! and where its processes meet. So all of them get the communicator, or all get an error.

use super::group::Group;
use super::hardware::{Level, Places, Wish};
use super::hints::Hints;
use super::making::{Fresh, Mine, Shape, Site, agree, open};
use super::{Comm, hardware, letter};
use crate::error::{Error, Result};
use crate::mpi::constants::MPI_UNDEFINED;
use crate::mpi::types::MPI_Comm;
use crate::{bail, neutral};
use macro_rules_attribute::apply;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// What a process says about its part of a split.
#[apply(neutral)]
#[derive(Clone, Copy, Default)]
pub struct Choice {
    /// Processes of the same color come together; `None`: the process wants no communicator.
    pub color: Option<u32>,
    /// They are ordered by this, then by rank.
    pub key: i64,
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
    let shape = color.map(|_| Shape {
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

/// The kinds of `MPI_Comm_split_type`.
#[apply(neutral)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitType {
    Shared,
    HwGuided,
    HwUnguided,
    ResourceGuided,
    Neighborhood,
    /// One of Open MPI's own.
    OfOpenmpi,
}

impl SplitType {
    /// Its name in C.
    fn name(self) -> &'static str {
        match self {
            SplitType::Shared => "MPI_COMM_TYPE_SHARED",
            SplitType::HwGuided => "MPI_COMM_TYPE_HW_GUIDED",
            SplitType::HwUnguided => "MPI_COMM_TYPE_HW_UNGUIDED",
            SplitType::ResourceGuided => "MPI_COMM_TYPE_RESOURCE_GUIDED",
            SplitType::Neighborhood => "MPIX_COMM_TYPE_NEIGHBORHOOD",
            SplitType::OfOpenmpi => "one of OMPI_COMM_TYPE_...",
        }
    }
}

/// What a process asks for by its part of a split by type.
pub struct Request {
    /// `None`: the process wants no communicator.
    pub kind: Option<SplitType>,
    pub key: i32,
    /// What the kind of split may go by: the first that counts.
    pub hints: [Hint; 3],
    pub places: Places,
}

/// What it tells the others of that.
#[apply(neutral)]
#[derive(Clone, Copy, Default)]
struct Told {
    kind: Option<SplitType>,
    key: i64,
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
        key: mine.key.into(),
        values: mine.hints.map(|hint| hint.value),
        places: mine.places,
    });
    let requests = agree(&parent.meeting, &mine, call)?;
    let asking = || requests.iter().filter(|r| r.kind.is_some());
    let mut kinds = requests.iter().filter_map(|r| r.kind);
    if let Some(first) = kinds.next()
        && let Some(other) = kinds.find(|&kind| kind != first)
    {
        bail!(
            NotSame,
            "split_type must be the same on all processes, but there are {} and {}",
            first.name(),
            other.name()
        );
    }
    let same = |i: usize, hint: &Hint| asking().all(|r| r.values[i] == hint.value);
    let mut hinted = request?.hints.into_iter().enumerate();
    let wish = hinted
        .find(|(i, hint)| hint.wish != Wish::Nothing && same(*i, hint))
        .map_or(Wish::Nothing, |(_, hint)| hint.wish);
    let places: Vec<Option<Places>> = requests.iter().map(|r| r.kind.map(|_| r.places)).collect();
    let (colors, level) = hardware::colors(wish, &places);
    let choices: Vec<Choice> = colors
        .into_iter()
        .zip(&requests)
        .map(|(color, r)| Choice { color, key: r.key })
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
#[apply(neutral)]
#[derive(Clone, Copy, Default)]
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
            color: group.rank.map(|_| 0),
            key: group.rank.unwrap_or(0) as i64,
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
#[apply(neutral)]
#[derive(Clone, Copy, Default)]
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
        let leader = seats[&part.leader];
        if parts[leader].fingerprint != part.fingerprint {
            bail!(
                Group,
                "rank {seat} of the communicator{} gave another group than rank {leader}{}, which is first in it",
                parent.meeting.in_job(seat),
                parent.meeting.in_job(leader)
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
    let color = match color {
        0.. => Some(color as u32),
        MPI_UNDEFINED => None,
        _ => bail!(
            Arg,
            "color is {color}, and must not be negative unless it is MPI_UNDEFINED"
        ),
    };
    let key = key.into();
    Ok(Choice { color, key })
}
