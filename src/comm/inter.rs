//! Intercommunicators of two groups, and what becomes of them when they are merged (MPI 4.1 §7.6).
//!
//! The two leaders tell each other their groups by letters, whether they can or not, and one of them gives the site; then
//! each writes it to its own group, and all processes of both agree in the new meeting.
//!
//! The lower leader in the job makes the offer.

use super::Comm;
use super::from_group::{Settings, inherited};
use super::group::Group;
use super::hints::Hints;
use super::letter::{self, Key};
use super::making::{Fresh, Mine, Shape, Site, agree, open, told, welcome};
use crate::errhandler::Slot;
use crate::error::{Class, Error, Result};
use crate::mpi::types::MPI_Comm;
use crate::runtime::deaths::{dead, name};
use crate::runtime::meeting::Meeting;
use crate::runtime::ties::{Ties, Why};
use crate::runtime::{Ranks, cannot_go_on, job, revoked};
use crate::transport::check_tag;
use crate::{bail, err, neutral};
use macro_rules_attribute::apply;
use std::sync::Arc;

/// Two groups on the way to an intercommunicator, as a process of one of them sees it.
pub(super) struct Bridge<'a> {
    pub local: Arc<Group>,
    /// The local leader's rank in the job.
    pub leader: u32,
    /// The communicator of that group, if it has one: once it is revoked, nobody waits.
    pub context: Option<u32>,
    /// The key of the local leader's letters to its group.
    pub key: Key,
    pub call: &'a str,
}

/// The other group's leader, as the local leader knows it.
pub(super) struct Other {
    /// Its rank in the job.
    pub leader: u32,
    /// The key of the letters between the two.
    pub key: Key,
}

/// What leaders agree on.
struct Agreed {
    site: Site,
    remote_first: bool,
    remote: Arc<Group>,
}

/// What leaders agree on, in a letter, with the names of a group behind it.
fn words(site: Site, remote_first: bool, group: &Group) -> Vec<u64> {
    let Site { block, context, .. } = site;
    let mut words = vec![0, block as u64, context.into(), remote_first.into()];
    let table = &job().table;
    words.extend(group.members.iter().map(|&member| table.named(member)));
    words
}

impl Agreed {
    /// `local`: the caller's group. Error: `MPI_ERR_PROC_FAILED` (one of the other group has ended, and another process has its place).
    fn of_words(words: &[u64], local: &Group) -> Result<Agreed> {
        // Each is tied to when its name is looked at, and then by the group.
        let named = words[4..].iter().map(|&name| job().table.tie(name));
        let (members, _ties): (Vec<u32>, Vec<Ties>) =
            named.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        Ok(Agreed {
            site: Site::of_words(&words[1..]),
            remote_first: words[3] != 0,
            remote: Arc::new(local.of(members)),
        })
    }
}

/// The first word of a letter says whether its writer has failed, and how.
fn failure(error: &Error) -> [u64; 1] {
    [error.class as u64]
}

/// That somebody has died is an error of that class everywhere.
fn check_letter(words: &[u64], who: &str) -> Result<()> {
    if words[0] == 0 {
        return Ok(());
    }
    let class = Class::of(words[0] as i32);
    let name = class.map_or("an error", Class::name);
    let told = class.filter(|&class| class == Class::ProcFailed);
    Err(Error::new(
        told.unwrap_or(Class::Other),
        format!("{who} failed with {name}, so that nobody goes on"),
    ))
}

impl Bridge<'_> {
    /// Connects the groups; `other` at the local leader only, which is `None` at all others. Errors of this process are told
    /// to all that can be told: those in `settings` to both groups; a leader's in `other` to the local group, since then it
    /// does not know the other one.
    pub fn cross(self, other: Result<Option<Other>>, settings: Settings) -> Result<MPI_Comm> {
        self.prepare(other, settings, Why::Shared)?.publish()
    }

    /// All of [`Bridge::cross`] but the last, which is done here alone. `why`: what the caller has in common with the others until then.
    /// It is `Shared` where it is certain that it goes on: others may have theirs, and end, before this process hears that it can.
    pub fn prepare(
        self,
        other: Result<Option<Other>>,
        settings: Settings,
        why: Why,
    ) -> Result<Crossed> {
        let mine = settings.and_then(|settings| Ok((Mine::plain()?, settings)));
        let agreed = match other.transpose() {
            Some(other) => self.lead(other)?,
            None => {
                let what = || format!("{}: waiting for the leader of the group", self.call);
                let members = &self.local.members;
                let ranks = Ranks::Needed(members);
                let words = revoked::unless(self.context, ranks, |ranks| {
                    letter::receive(self.key, self.leader, members, ranks, &what)
                })?;
                check_letter(&words, "the leader of the group")?;
                Agreed::of_words(&words, &self.local)?
            }
        };
        let shape = Shape {
            remote: Some(agreed.remote),
            group: self.local,
            remote_first: agreed.remote_first,
        };
        let mine = mine.and_then(|mine| welcome(&shape).map(|()| mine));
        let meeting = agreed.site.sure_meeting(&shape, why)?;
        let all = agree(&meeting, &told(&mine), self.call);
        Ok(Crossed {
            shape,
            site: agreed.site,
            meeting,
            mine: mine.and_then(|mine| all.map(|_| mine)),
        })
    }

    /// Who keeps the leaders from going on: the other one, or a process of the local group, which waits for this one.
    fn obstacle(&self, other: u32) -> Option<(u32, String)> {
        let call = self.call;
        if dead(Ranks::Needed(&[other])).is_some() {
            let words = format!("{call}: waiting for the other leader, rank {other} of the job");
            return Some((other, words));
        }
        let members = &self.local.members;
        let (rank, _) = dead(Ranks::Needed(members))?;
        Some((rank, format!("{call}: it needs {}", name(rank, members))))
    }

    /// The leader's part: agrees with the other leader, and tells its own group.
    fn lead(&self, other: Result<Other>) -> Result<Agreed> {
        let agreed = other.and_then(|other| self.negotiate(&other, Ok(())));
        let words = match &agreed {
            Ok(agreed) => words(agreed.site, agreed.remote_first, &agreed.remote),
            Err(error) => failure(error).into(),
        };
        let members = self.local.members.iter().copied();
        let others: Vec<u32> = members.filter(|&m| m != self.leader).collect();
        let what = || format!("{}: telling the processes of the group", self.call);
        letter::send(self.key, &others, &words, &what)?;
        agreed
    }

    /// The leader's part where its group knows already that it cannot go on: the other leader hears of it.
    pub fn refuse(&self, other: &Other, error: &Error) {
        // What the other one says does not matter.
        let _ = self.negotiate(other, Err(error.clone()));
    }

    /// Both leaders write as many letters, whatever happens, so that none is left for the next call. `prepared` says
    /// whether the local group can go on; where it can no more, this one does not wait for the other.
    fn negotiate(&self, other: &Other, prepared: Result<()>) -> Result<Agreed> {
        let what = || format!("{}: waiting for the other leader", self.call);
        let partners: Arc<[u32]> = Arc::new([other.leader]);
        let _named = Ties::to(Why::Named, &partners);
        let obstacle = || self.obstacle(other.leader);
        let send = |words: &[u64]| letter::send(other.key, &partners, words, &what);
        let exchange = |words: &[u64]| -> Result<Vec<u64>> {
            send(words)?;
            revoked::unless(self.context, Ranks::Who(&obstacle), |ranks| {
                letter::receive(other.key, other.leader, &partners, ranks, &what)
            })
        };
        let introduction = match &prepared {
            Ok(()) => words(Site::default(), false, &self.local),
            Err(error) => failure(error).into(),
        };
        let answer = exchange(&introduction);
        let is_heard = answer.is_ok();
        let heard = prepared.and(answer).and_then(|answer| {
            check_letter(&answer, OTHER_LEADER)?;
            let heard = Agreed::of_words(&answer, &self.local);
            let mut members = heard.iter().flat_map(|heard| &*heard.remote.members);
            if let Some(both) = members.find(|m| self.local.members.contains(m)) {
                bail!(
                    Comm,
                    "the groups of an intercommunicator must have no process in common, but rank {both} of the job is in both"
                );
            }
            Ok(heard)
        });
        let heard = heard.inspect_err(|error| {
            // The other one hears of it in the second letter, if it lives.
            if send(&failure(error)).is_ok() {
                letter::ignore(other.key, other.leader, LETTERS - usize::from(is_heard));
            }
        })?;
        let remote_first = other.leader < self.leader;
        let fresh = match (&heard, remote_first) {
            (Ok(heard), false) => Fresh::new(self.local.size() + heard.remote.size()).map(Some),
            _ => Ok(None),
        };
        let agreed = heard.and_then(|heard| {
            let site = told(&fresh).map(|()| fresh.iter().flatten().map(Fresh::site).next())?;
            Ok(Agreed {
                site: site.unwrap_or_default(),
                remote_first,
                ..heard
            })
        });
        let words = match &agreed {
            Ok(agreed) => words(agreed.site, remote_first, &agreed.remote),
            Err(error) => failure(error).into(),
        };
        let answer = exchange(&words)
            .inspect_err(|_| letter::ignore(other.key, other.leader, LETTERS - 1))?;
        let mut agreed = agreed?;
        check_letter(&answer, OTHER_LEADER)?;
        match fresh? {
            Some(fresh) => {
                fresh.accept();
            }
            None => agreed.site = Site::of_words(&answer[1..]),
        }
        Ok(agreed)
    }
}

/// So many letters each leader writes to the other.
const LETTERS: usize = 2;
const OTHER_LEADER: &str = "the leader of the other group";

/// An intercommunicator that all of both groups can have, or not, as this process knows it.
pub(super) struct Crossed {
    shape: Shape,
    site: Site,
    meeting: Meeting,
    /// What this process brings, or the error of its own or of another's.
    mine: Result<(Mine, (Slot, Hints))>,
}

impl Crossed {
    /// The error, where not all can.
    pub fn error(&self) -> Option<&Error> {
        self.mine.as_ref().err()
    }

    /// Makes it.
    pub fn publish(self) -> Result<MPI_Comm> {
        let (mine, (handler, hints)) = self.mine?;
        let meeting = self.meeting.connect();
        Ok(mine.publish(self.shape, self.site, meeting, handler, hints))
    }

    /// It is not made. Those of the other group that live may have it, and get to know that there is nobody on this side.
    pub fn give_up(self) {
        let table = &job().table;
        let mut remote = self.shape.remote.iter().flat_map(|group| &*group.members);
        if remote.any(|&member| table.gone(member).is_none()) {
            revoked::revoke(self.site.context).unwrap_or_else(|error| cannot_go_on(error));
        }
    }
}

/// A leader's rank in the job. Error: `MPI_ERR_RANK`.
fn leader_of(rank: i32, group: &Group, name: &str) -> Result<u32> {
    let member = usize::try_from(rank)
        .ok()
        .and_then(|r| group.members.get(r));
    member.copied().ok_or_else(|| {
        err!(
            Rank,
            "{name} is {rank}, but the group has {} processes",
            group.size()
        )
    })
}

/// The remote leader's rank in the job, which must not be in the local group. Error: `MPI_ERR_RANK`.
fn remote_leader_of(rank: i32, group: &Group, local: &Group) -> Result<u32> {
    let leader = leader_of(rank, group, "remote_leader")?;
    if local.members.contains(&leader) {
        bail!(
            Rank,
            "remote_leader is {rank}, a process of the local group"
        );
    }
    Ok(leader)
}

/// Makes an intercommunicator of the processes of `local` and those of the other group, whose leader the local leader
/// knows as `remote_leader` of `peer`, which matters at the leader only. `given` is an error that this process met before.
/// Collective over both groups; blocks.
///
/// Errors: `MPI_ERR_RANK` (no leader), `MPI_ERR_TAG`, `MPI_ERR_COMM` (`peer`; the groups are not disjoint),
/// `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`.
pub fn create(
    local: &Comm,
    leader: i32,
    peer: impl FnOnce() -> Result<&'static Comm>,
    remote_leader: i32,
    tag: i32,
    given: Result<()>,
    call: &str,
) -> Result<MPI_Comm> {
    let me = job().rank;
    let checked = check_tag(tag).and_then(|()| {
        let leader = leader_of(leader, &local.group, "local_leader")?;
        if leader != me {
            return Ok((leader, None));
        }
        let peer = peer()?;
        let other = remote_leader_of(remote_leader, peer.peers(), &local.group)?;
        let both = (me.min(other), me.max(other));
        let key = letter::key(("inter", peer.context, tag, both));
        Ok((leader, Some(Other { leader: other, key })))
    });
    let agreed = agree(&local.meeting, &told(&checked).and(given), call).map(|_| ());
    let (leader, other) = checked?;
    let bridge = Bridge {
        local: local.group.clone(),
        leader,
        context: Some(local.context),
        key: letter::key(("inter", local.context, tag)),
        call,
    };
    match (agreed, other) {
        (Ok(()), other) => bridge.cross(Ok(other), inherited(local)),
        // The processes of the group know already, the other leader does not.
        (Err(error), Some(other)) => bridge.negotiate(&other, Err(error.clone())).and(Err(error)),
        (Err(error), None) => Err(error),
    }
}

/// The caller's group, and its leader's rank there.
pub struct Local {
    pub group: Arc<Group>,
    pub leader: i32,
}

/// Makes an intercommunicator of two groups, of which `local` has the caller; the remote one and its leader matter at the
/// local leader only. All processes of both groups call, with the same `stringtag`, which tells their call from others at
/// the same time. An error in `settings` is told to the others, and a leader's of the remote group to the local one. `None` if
/// the local group is empty.
///
/// Errors: `MPI_ERR_GROUP` (the caller is not in `local`, or the groups are not disjoint), `MPI_ERR_RANK` (no leader),
/// `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`.
pub fn create_from_groups(
    Local {
        group: local,
        leader,
    }: Local,
    remote: impl FnOnce() -> Result<Arc<Group>>,
    remote_leader: i32,
    stringtag: &[u8],
    settings: Settings,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    if local.size() == 0 {
        return settings.map(|_| None);
    }
    if local.rank.is_none() {
        bail!(
            Group,
            "local_group has {} processes, but not the caller",
            local.size()
        );
    }
    let leader = leader_of(leader, &local, "local_leader")?;
    let bridge = Bridge {
        context: None,
        key: letter::key(("inter from groups", stringtag, leader, &local.members)),
        local,
        leader,
        call,
    };
    let local = &bridge.local;
    let meet_other = || {
        if leader != job().rank {
            return Ok(None);
        }
        let remote = remote()?;
        let other = remote_leader_of(remote_leader, &remote, local)?;
        if let Some(both) = remote.members.iter().find(|m| local.members.contains(m)) {
            bail!(
                Group,
                "local_group and remote_group must have no process in common, but rank {both} of the job is in both"
            );
        }
        let both = (leader.min(other), leader.max(other));
        let key = letter::key(("inter from groups", stringtag, both));
        Ok(Some(Other { leader: other, key }))
    };
    // Of two errors the first argument's is told.
    let other = meet_other().map_err(|error| told(&settings).err().unwrap_or(error));
    bridge.cross(other, settings).map(Some)
}

/// A process's part of a merge.
#[apply(neutral)]
#[derive(Clone, Copy, Default)]
struct Part {
    high: bool,
    site: Site,
}

/// Makes an intracommunicator of both groups of `parent`, that with `high` behind the other; where both say the same, the
/// one with the first seats comes first. Collective over `parent`; blocks.
///
/// Errors: `MPI_ERR_ARG` (the processes of a group do not agree), `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process
/// failed), `MPI_ERR_PROC_FAILED`.
pub fn merge(parent: &Comm, high: Result<bool>, call: &str) -> Result<MPI_Comm> {
    let mine = Mine::plain();
    let fresh = match parent.meeting.rank {
        0 => Fresh::new(parent.meeting.size()).map(Some),
        _ => Ok(None),
    };
    let part = high.and_then(|high| {
        told(&mine)?;
        let fresh = fresh.as_ref().map_err(Error::clone)?.as_ref();
        let site = fresh.map_or(Site::new(0, 0), Fresh::site);
        Ok(Part { high, site })
    });
    let parts = agree(&parent.meeting, &part, call)?;
    let mut sides = [parent.local_seats(), parent.peer_seats()];
    sides.sort_by_key(|seats| seats.start);
    for seats in &sides {
        let (first, of_side) = (parts[seats.start].high, &parts[seats.clone()]);
        if of_side.iter().any(|part| part.high != first) {
            bail!(
                Arg,
                "high is not the same on all processes of one group of the intercommunicator"
            );
        }
    }
    sides.sort_by_key(|seats| parts[seats.start].high);
    let members: Vec<u32> = sides
        .into_iter()
        .flatten()
        .map(|seat| parent.meeting.members[seat])
        .collect();
    if let Some(fresh) = fresh? {
        fresh.accept();
    }
    let shape = Shape::of_one(Arc::new(parent.group.of(members)));
    let sites: Vec<Site> = parts.iter().map(|part| part.site).collect();
    let meeting = open(parent, &sites, Some((sites[0], &shape)), call)?;
    let meeting = meeting.expect("this process is one of the new communicator's");
    let handler = parent.handler.inherit();
    Ok(mine?.publish(shape, sites[0], meeting, handler, Hints::default()))
}
