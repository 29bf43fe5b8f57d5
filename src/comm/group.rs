//! Groups: ordered sets of the job's processes (MPI 4.1 §7.3). All of it is local.

use crate::error::{Error, Result};
use crate::handle::{Given, Kind, Share, Table};
use crate::info::kinds;
use crate::mpi::constants::*;
use crate::mpi::types::{MPI_Group, MPI_Session};
use crate::runtime::ties::{Ties, Why};
use crate::{bail, err, runtime};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// An ordered set of processes, each named by its rank in the job.
#[derive(Debug, Default)]
pub struct Group {
    /// Ranks in the job, in the order of ranks in the group.
    pub members: Arc<[u32]>,
    /// The caller's rank in the group.
    pub rank: Option<usize>,
    /// The memory allocation kinds of the session that it comes from; `None`: those of the world model.
    pub kinds: Option<Arc<str>>,
    /// That session.
    pub session: Option<MPI_Session>,
    given: Given,
    /// As long as a group names processes, others do not get their places.
    _ties: Ties,
}

impl Share for Group {
    fn given(&self) -> &Given {
        &self.given
    }
}

/// How two groups compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// The same processes in the same order.
    Identical,
    /// The same processes in another order.
    Similar,
    Unequal,
}

impl Group {
    /// The group of these processes, seen from the process with rank `me` in the job.
    pub fn new(members: impl Into<Arc<[u32]>>, me: u32) -> Group {
        let members = members.into();
        let rank = members.iter().position(|&m| m == me);
        Group {
            _ties: Ties::to(Why::Named, &members),
            members,
            rank,
            ..Group::default()
        }
    }

    /// The same, of a session and with its memory allocation kinds.
    pub fn of_session(self, session: MPI_Session, kinds: Arc<str>) -> Group {
        Group {
            kinds: Some(kinds),
            session: Some(session),
            ..self
        }
    }

    /// The group of these processes, derived from this one and seen from this process.
    pub fn of(&self, members: impl Into<Arc<[u32]>>) -> Group {
        let members = members.into();
        let derived = match runtime::try_job() {
            Some(job) => Group::new(members, job.rank),
            None => Group {
                members,
                ..Group::default()
            },
        };
        match (&self.kinds, self.session) {
            (Some(kinds), Some(session)) => derived.of_session(session, kinds.clone()),
            _ => derived,
        }
    }

    /// The memory allocation kinds that objects of this group support.
    pub fn kinds(&self) -> &str {
        self.kinds.as_deref().unwrap_or(kinds::world())
    }

    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// The rank here of each member, by its rank in the job.
    fn ranks(&self) -> HashMap<u32, usize> {
        self.members.iter().copied().zip(0..).collect()
    }

    /// Whether it is a part of `whole`, the group of a communicator. Error: `MPI_ERR_GROUP`.
    pub fn check_within(&self, whole: &Group) -> Result<()> {
        let known = whole.ranks();
        match self.members.iter().position(|m| !known.contains_key(m)) {
            None => Ok(()),
            Some(rank) => bail!(
                Group,
                "rank {rank} of group is not in the group of the communicator"
            ),
        }
    }

    /// The members of this group, then those of `other` that are not in it. Where this one is empty, and so belongs to no
    /// session, the result belongs to the other's.
    pub fn union(&self, other: &Group) -> Group {
        let mine = self.ranks();
        let more = other.members.iter().filter(|m| !mine.contains_key(m));
        let all: Vec<u32> = self.members.iter().chain(more).copied().collect();
        let source = if self.size() == 0 { other } else { self };
        source.of(all)
    }

    /// The members that are also in `other`, in the order of this group.
    pub fn intersection(&self, other: &Group) -> Group {
        let theirs = other.ranks();
        self.choose(|_, member| theirs.contains_key(&member))
    }

    /// The members that are not in `other`, in the order of this group.
    pub fn difference(&self, other: &Group) -> Group {
        let theirs = other.ranks();
        self.choose(|_, member| !theirs.contains_key(&member))
    }

    fn choose(&self, keep: impl Fn(usize, u32) -> bool) -> Group {
        let members = self.members.iter().enumerate();
        let kept: Vec<u32> = members
            .filter(|&(rank, &member)| keep(rank, member))
            .map(|(_, &member)| member)
            .collect();
        self.of(kept)
    }

    /// `ranks`, if each is a rank of this group and none comes twice. Error: `MPI_ERR_RANK`.
    fn check_ranks(&self, ranks: &[i32]) -> Result<Vec<usize>> {
        let mut seen = vec![false; self.size()];
        let check = |(i, &rank): (usize, &i32)| {
            let index = usize::try_from(rank).ok().filter(|&r| r < self.size());
            let index = index.ok_or_else(|| {
                err!(
                    Rank,
                    "ranks[{i}] is {rank}, but the group has {} processes",
                    self.size()
                )
            })?;
            if std::mem::replace(&mut seen[index], true) {
                bail!(Rank, "ranks[{i}] is {rank}, which comes before it already");
            }
            Ok(index)
        };
        ranks.iter().enumerate().map(check).collect()
    }

    /// The members with these ranks, in this order. Error: `MPI_ERR_RANK`.
    pub fn include(&self, ranks: &[i32]) -> Result<Group> {
        let ranks = self.check_ranks(ranks)?;
        let chosen: Vec<u32> = ranks.into_iter().map(|r| self.members[r]).collect();
        Ok(self.of(chosen))
    }

    /// The members but those with these ranks. Error: `MPI_ERR_RANK`.
    pub fn exclude(&self, ranks: &[i32]) -> Result<Group> {
        let mut out = vec![false; self.size()];
        for rank in self.check_ranks(ranks)? {
            out[rank] = true;
        }
        Ok(self.choose(|rank, _| !out[rank]))
    }

    /// The ranks that ranges of (first, last, stride) name. Errors: `MPI_ERR_ARG` (a stride of 0), `MPI_ERR_RANK` (a
    /// rank that is none of this group).
    pub fn expand(&self, ranges: &[[i32; 3]]) -> Result<Vec<i32>> {
        let mut ranks = Vec::new();
        for (i, &[first, last, stride]) in ranges.iter().enumerate() {
            if stride == 0 {
                bail!(Arg, "ranges[{i}] has a stride of 0");
            }
            let inside = |rank: i32| (0..self.size() as i64).contains(&i64::from(rank));
            if !inside(first) || !inside(last) {
                bail!(
                    Rank,
                    "ranges[{i}] is from {first} to {last}, but the group has {} processes",
                    self.size()
                );
            }
            let steps = (i64::from(last) - i64::from(first)) / i64::from(stride);
            if steps < 0 {
                bail!(
                    Arg,
                    "ranges[{i}] is from {first} to {last} with a stride of {stride}, which leads away"
                );
            }
            ranks.extend((0..=steps).map(|n| (i64::from(first) + n * i64::from(stride)) as i32));
        }
        Ok(ranks)
    }

    /// The rank in `other` of each of these ranks; `MPI_PROC_NULL` stays itself, who is not there becomes
    /// `MPI_UNDEFINED`. Error: `MPI_ERR_RANK`.
    pub fn translate(&self, ranks: &[i32], other: &Group) -> Result<Vec<i32>> {
        // Programs translate one rank at a time in inner loops.
        let theirs = (ranks.len() > 16).then(|| other.ranks());
        let find = |member: &u32| match &theirs {
            Some(theirs) => theirs.get(member).copied(),
            None => other.members.iter().position(|m| m == member),
        };
        let translate = |(i, &rank): (usize, &i32)| {
            if rank == MPI_PROC_NULL {
                return Ok(MPI_PROC_NULL);
            }
            let member = usize::try_from(rank).ok().and_then(|r| self.members.get(r));
            match member {
                Some(member) => Ok(find(member).map_or(MPI_UNDEFINED, |r| r as i32)),
                None => bail!(
                    Rank,
                    "ranks1[{i}] is {rank}, but the group has {} processes",
                    self.size()
                ),
            }
        };
        ranks.iter().enumerate().map(translate).collect()
    }

    pub fn compare(&self, other: &Group) -> Likeness {
        if self.members == other.members {
            return Likeness::Identical;
        }
        let theirs = other.ranks();
        let same =
            self.size() == other.size() && self.members.iter().all(|m| theirs.contains_key(m));
        match same {
            true => Likeness::Similar,
            false => Likeness::Unequal,
        }
    }
}

static GROUPS: Table<Group> = Table::new(Kind::Group);
static EMPTY: LazyLock<Arc<Group>> = LazyLock::new(Arc::default);

/// The group of a handle. Error: `MPI_ERR_GROUP`.
pub fn get(handle: MPI_Group) -> Result<Arc<Group>> {
    if handle == MPI_GROUP_EMPTY {
        return Ok(EMPTY.clone());
    }
    GROUPS.get_arc(handle.0).ok_or_else(|| no_group(handle))
}

/// Gives a group to the user, the same handle each time: one without members is `MPI_GROUP_EMPTY`. Error: `MPI_ERR_NO_MEM`
/// when handles are exhausted.
pub fn publish(group: &Arc<Group>) -> Result<MPI_Group> {
    if group.size() == 0 {
        return Ok(MPI_GROUP_EMPTY);
    }
    GROUPS.share(group).map(MPI_Group)
}

#[cold]
fn no_group(handle: MPI_Group) -> Error {
    match handle {
        MPI_GROUP_NULL => err!(Group, "group is MPI_GROUP_NULL"),
        _ => err!(Group, "group is {:#x}, which is no group", handle.0),
    }
}

/// Takes a handle of a group back that was given once more. `MPI_GROUP_EMPTY`, which may be a result like any other, stays.
/// Error: `MPI_ERR_GROUP`.
pub fn free(handle: MPI_Group) -> Result<()> {
    if handle == MPI_GROUP_EMPTY {
        return Ok(());
    }
    GROUPS.unshare(handle.0).ok_or_else(|| no_group(handle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Class;

    fn group(members: &[u32]) -> Group {
        Group::new(members, 3)
    }

    #[test]
    fn sets_keep_the_order_of_the_first() {
        let (a, b) = (group(&[4, 2, 0]), group(&[0, 1, 4]));
        assert_eq!(*a.union(&b).members, [4, 2, 0, 1]);
        assert_eq!(*a.intersection(&b).members, [4, 0]);
        assert_eq!(*a.difference(&b).members, [2]);
        assert_eq!(group(&[1, 3]).rank, Some(1));
        assert_eq!(a.rank, None);
    }

    #[test]
    fn what_is_made_of_a_sessions_group_is_of_the_session() {
        let session = MPI_Session(7);
        let whole = || group(&[1, 2, 3]).of_session(session, "mpi:alloc_mem".into());
        let (empty, some) = (
            Group::default(),
            group(&[2]).of_session(session, "mpi:alloc_mem".into()),
        );
        let made = [
            whole().union(&some),
            whole().union(&empty),
            empty.union(&whole()),
            whole().intersection(&some),
            whole().difference(&some),
            whole().difference(&empty),
            whole().include(&[2, 0]).unwrap(),
            whole().exclude(&[2]).unwrap(),
        ];
        for (i, made) in made.iter().enumerate() {
            assert_eq!(made.kinds(), "mpi:alloc_mem", "{i}");
            assert_eq!(made.session, Some(session), "{i}");
        }
    }

    #[test]
    fn ranks_outside_or_twice_are_errors() {
        let a = group(&[5, 6, 7]);
        assert_eq!(*a.include(&[2, 0]).unwrap().members, [7, 5]);
        assert_eq!(*a.exclude(&[2, 0]).unwrap().members, [6]);
        for ranks in [&[3][..], &[-1], &[0, 0]] {
            assert_eq!(a.include(ranks).unwrap_err().class, Class::Rank);
            assert_eq!(a.exclude(ranks).unwrap_err().class, Class::Rank);
        }
    }

    #[test]
    fn ranges_expand() {
        let a = group(&[0, 1, 2, 3, 4, 5, 6]);
        let ranks = a.expand(&[[1, 6, 2], [4, 0, -2], [6, 6, 9]]).unwrap();
        assert_eq!(ranks, [1, 3, 5, 4, 2, 0, 6]);
        assert_eq!(a.expand(&[[0, 3, 0]]).unwrap_err().class, Class::Arg);
        assert_eq!(a.expand(&[[0, 3, -1]]).unwrap_err().class, Class::Arg);
        assert_eq!(a.expand(&[[0, 7, 1]]).unwrap_err().class, Class::Rank);
        let extreme = [[0, 6, i32::MAX], [6, 0, i32::MIN]];
        assert_eq!(a.expand(&extreme).unwrap(), [0, 6]);
    }

    #[test]
    fn translation_knows_nobody_and_outsiders() {
        let (a, b) = (group(&[4, 2, 0]), group(&[0, 4]));
        let ranks = a.translate(&[0, 1, 2, MPI_PROC_NULL], &b).unwrap();
        assert_eq!(ranks, [1, MPI_UNDEFINED, 0, MPI_PROC_NULL]);
        let many = [0, 1, 2, MPI_PROC_NULL].repeat(9);
        assert_eq!(a.translate(&many, &b).unwrap(), ranks.repeat(9));
        assert_eq!(a.translate(&[3], &b).unwrap_err().class, Class::Rank);
    }

    #[test]
    fn likeness() {
        let a = group(&[1, 2]);
        assert_eq!(a.compare(&group(&[1, 2])), Likeness::Identical);
        assert_eq!(a.compare(&group(&[2, 1])), Likeness::Similar);
        assert_eq!(a.compare(&group(&[2, 3])), Likeness::Unequal);
        assert_eq!(a.compare(&group(&[1, 2, 3])), Likeness::Unequal);
    }
}
