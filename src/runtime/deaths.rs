//! The ranks whose death ends a wait, and how that is told. A communicator that was revoked ends the waits in it, too.

use super::job;
use super::needs::Needs;
use super::table::{Death, MISSED, State};
use super::wait::Waiting;
use crate::err;
use crate::error::{Error, Result};
use crate::shm::atomic::Ordering;
use std::cell::Cell;

/// The ranks whose death ends a wait.
#[derive(Clone, Copy)]
pub enum Ranks<'a> {
    None,
    /// One rank; the end of its process counts too.
    One(u32),
    /// Any of the members of an object, given by their ranks in the job; the place among them is the rank in the object.
    These(&'a [u32]),
    /// All that were started together with this process; that one has quit counts too.
    All,
    /// As `These`, where each of them has something to do yet: also one whose process has ended, or that has come to
    /// MPI_Finalize after another died, ends the wait.
    Needed(&'a [u32]),
    /// As `Needed`, where this one of the members alone has something to do yet: others may have ended in order.
    Awaited(u32, &'a [u32]),
    /// As `Needed`, where it cannot be told which of them have something to do yet: one that has quit counts as one that has
    /// not.
    Perhaps(&'a [u32]),
    /// The rank that the function finds in the way, by its number in the job, and what it has there in words, to which ", which
    /// was killed" is added. The function is called only when a process has ended, and finds only ranks that are as
    /// [`Ranks::Needed`] says.
    Who(&'a dyn Fn() -> Option<(u32, String)>),
    /// As these; or that a communicator was revoked, of which the function tells in words.
    Unless(&'a dyn Fn() -> Option<String>, &'a Ranks<'a>),
}

impl Ranks<'_> {
    /// The rank that is meant, if it is one alone.
    pub fn only(self) -> Option<u32> {
        match self {
            Ranks::One(rank) | Ranks::Awaited(rank, _) => Some(rank),
            Ranks::Unless(_, ranks) => ranks.only(),
            _ => None,
        }
    }

    /// Whether this rank of the job may be one of them.
    pub fn may_be(self, rank: u32) -> bool {
        match self {
            Ranks::None => false,
            Ranks::One(one) | Ranks::Awaited(one, _) => one == rank,
            Ranks::These(members) | Ranks::Needed(members) | Ranks::Perhaps(members) => {
                members.contains(&rank)
            }
            Ranks::All | Ranks::Who(_) => true,
            Ranks::Unless(_, ranks) => ranks.may_be(rank),
        }
    }
}

/// The first of `ranks` that has died, and how. One load while none has.
pub fn dead(ranks: Ranks<'_>) -> Option<(u32, Death)> {
    in_the_way(ranks).map(|obstacle| (obstacle.rank, obstacle.death))
}

/// A death that ends a wait.
struct Obstacle {
    /// In the job.
    rank: u32,
    death: Death,
    /// Which rank it is, or what it has in the way.
    who: String,
}

fn in_the_way(ranks: Ranks<'_>) -> Option<Obstacle> {
    let table = &job().table;
    if table.job.incidents.load(Ordering::Acquire) == 0 {
        return None;
    }
    let of_job = |(rank, death)| Obstacle {
        rank,
        death,
        who: format!("rank {rank} of the job"),
    };
    match ranks {
        Ranks::None => None,
        Ranks::Unless(_, ranks) => in_the_way(*ranks),
        Ranks::One(rank) => table.gone(rank).map(|death| of_job((rank, death))),
        Ranks::These(members) => {
            let (rank, death) = table.first_dead(members.iter().copied())?;
            let who = name(rank, members);
            Some(Obstacle { rank, death, who })
        }
        Ranks::Needed(members) | Ranks::Perhaps(members) => {
            let spared = |rank| matches!(ranks, Ranks::Perhaps(_)) && has_quit(rank);
            let end = |&rank: &u32| Some((rank, table.end(rank).filter(|_| !spared(rank))?));
            // The dead first: they are the reason.
            let found = table.first_dead(members.iter().copied());
            let (rank, death) = found.or_else(|| members.iter().find_map(end))?;
            let who = name(rank, members);
            Some(Obstacle { rank, death, who })
        }
        Ranks::Awaited(awaited, members) => {
            let found = table.first_dead(members.iter().copied());
            let (rank, death) = found.or_else(|| Some((awaited, table.end(awaited)?)))?;
            let who = name(rank, members);
            Some(Obstacle { rank, death, who })
        }
        Ranks::All => {
            let all = || job().world();
            let quit = || {
                let rank = all().find(|&rank| has_quit(rank))?;
                Some((rank, table.gone(rank)?))
            };
            table.first_dead(all()).or_else(quit).map(of_job)
        }
        Ranks::Who(who) => {
            let (rank, who) = who()?;
            let death = table.end(rank)?;
            Some(Obstacle { rank, death, who })
        }
    }
}

/// Names a rank of the job as a member of an object: "rank 2 (rank 5 of the job)".
pub fn name(rank: u32, members: &[u32]) -> String {
    match members.iter().position(|&member| member == rank) {
        Some(place) => format!("rank {place} (rank {rank} of the job)"),
        None => format!("rank {rank} of the job"),
    }
}

fn has_quit(rank: u32) -> bool {
    job().table.processes[rank as usize].state() == State::Quit
}

/// Why a wait will not end.
pub(super) enum Failure {
    /// A rank died, or the communicator was revoked.
    Over(Error),
    /// This rank has quit, and was not missed before. Once the launcher knows that it is, that is a death.
    Quit(u32),
}

/// Says that the caller waits for a rank that has quit.
pub(super) fn miss(rank: u32) {
    job().table.processes[rank as usize].say(MISSED);
}

/// Why the wait will not end, if it will not. There is nothing yet to be told of a rank that was missed already.
pub(super) fn failure(waiting: &Waiting<'_>) -> Option<Failure> {
    if job().table.job.incidents.load(Ordering::Acquire) == 0 {
        return None;
    }
    let mut ranks = waiting.ranks;
    while let Ranks::Unless(revoked, others) = ranks {
        if let Some(sentence) = revoked() {
            let what = (waiting.what)();
            return Some(Failure::Over(err!(Revoked, "{what}: {sentence}")));
        }
        ranks = *others;
    }
    let Obstacle { rank, death, who } = in_the_way(ranks)?;
    if has_quit(rank) {
        let is_missed = job().table.processes[rank as usize].says(MISSED);
        return (!is_missed).then_some(Failure::Quit(rank));
    }
    Some(Failure::Over(match ranks {
        Ranks::Who(_) => err!(ProcFailed, "{who}, which {death}"),
        _ => err!(
            ProcFailed,
            "{}: waiting for {who}, which {death}",
            (waiting.what)()
        ),
    }))
}

thread_local! {
    /// 1 + the rank that this thread has seen to have quit before it last looked; or 0.
    static SEEN_QUIT: Cell<u32> = const { Cell::new(0) };
}

/// The error of a wait for `ranks` that is not even begun because one of them is dead: for what those that are left cannot do.
/// `what` is as in [`Waiting`]. The caller has looked, and found nothing. A rank that has quit is missed when it is in the way
/// for the second time: what it did before it quit was done at the first.
pub fn check_alive(ranks: Ranks<'_>, what: &dyn Fn() -> String) -> Result<()> {
    if job().table.job.incidents.load(Ordering::Relaxed) == 0 {
        return Ok(());
    }
    let waiting = Waiting {
        key: 0,
        what,
        ranks,
        needs: Needs::Unknown,
        announce: None,
    };
    match failure(&waiting) {
        None => Ok(()),
        Some(Failure::Over(error)) => Err(error),
        Some(Failure::Quit(rank)) => {
            if SEEN_QUIT.replace(rank + 1) == rank + 1 {
                miss(rank);
            }
            Ok(())
        }
    }
}
