//! Going on after the death of a process (User-Level Failure Mitigation, `MPIX_`): to interrupt a communicator for all, to agree though some
//! die, and to make a communicator of those that live.
//!
//! What is agreed on is decided by a [council](crate::runtime::council): one round for a flag. A communicator of the survivors takes
//! two. The first decides who has gone. In the second the first survivor brings the place for the new communicator, which is made if nobody
//! else has gone by then; else the second is made again.

use super::Comm;
use super::group::Group;
use super::hints::Hints;
use super::making::{Fresh, Mine, Shape, Site};
use crate::errhandler::Slot;
use crate::error::{Error, Result};
use crate::mpi::types::{MPI_Comm, MPI_Status};
use crate::runtime::council::{Council, Part, Round, Seats};
use crate::runtime::ties::Why;
use crate::runtime::{Need, Needs, Ranks, failures, revoked};
use crate::transport::LETTERS;
use crate::transport::counted::Counted;
use crate::transport::operation::{About, Action, Operation, Outcome, Partners, block};
use crate::transport::task::{self, Task};
use crate::{bail, err};
use std::ops::Range;
use std::sync::Arc;

/// The seats' processes, those of both groups.
fn members(comm: &Comm) -> &[u32] {
    &comm.meeting.members
}

impl Comm {
    /// Interrupts all communication in the communicator, at all its processes. Error: `MPI_ERR_NO_MEM`.
    pub fn revoke(&self) -> Result<()> {
        revoked::revoke(self.context)
    }

    pub fn is_revoked(&self) -> bool {
        revoked::revoker(self.context).is_some()
    }

    /// Error: `MPIX_ERR_REVOKED` if it was revoked.
    #[inline(always)]
    pub fn check_revoked(&self) -> Result<()> {
        revoked::check(self.context)
    }

    /// Its processes that have failed, in the order in which this process saw it.
    pub fn failed(&self) -> Group {
        self.group.of(failures::failed(self.context, members(self)))
    }

    /// Acknowledges the first `most` of them; gives how many are acknowledged.
    pub fn acknowledge(&self, most: usize) -> usize {
        failures::acknowledge(self.context, most)
    }

    /// Those that are acknowledged.
    pub fn acknowledged(&self) -> Group {
        self.group.of(failures::acknowledged(self.context))
    }
}

/// What a decision is awaited for.
trait Decision: Send + 'static {
    /// Goes on without blocking; true when all is done.
    fn advance(&mut self) -> bool;
    fn need(&self) -> Need;
    /// What comes after, when no lock is held.
    fn end(&mut self) -> Result<()>;
}

/// Blocks until it is decided. Those that die meanwhile are not waited for.
fn decide(mut decision: impl Decision, call: &'static str) -> Result<()> {
    let decision = std::cell::RefCell::new(&mut decision);
    let what = || format!("{call}: waiting for the other processes of the communicator");
    let needs = Needs::Told(&|need| *need = decision.borrow().need());
    block(&what, Ranks::None, needs, || {
        decision.borrow_mut().advance()
    })?;
    decision.into_inner().end()
}

struct Begun<D>(D);

impl<D: Decision> Task for Begun<D> {
    fn advance(&mut self) -> bool {
        self.0.advance()
    }

    fn end(&mut self) -> Outcome {
        Outcome::new(MPI_Status::EMPTY, self.0.end().err())
    }
}

/// Decides by and by. `None`: it is decided.
fn begin(
    mut decision: impl Decision,
    comm: &Comm,
    call: &'static str,
) -> Result<Option<Counted<Operation>>> {
    let is_decided = decision.advance();
    let ended = if is_decided { decision.end() } else { Ok(()) };
    if is_decided && ended.is_ok() {
        return Ok(None);
    }
    let operation = Operation::new(About {
        action: Action::Steps(call),
        // No message is sent, and what is revoked goes on here.
        context: LETTERS,
        peer: 0,
        tag: 0,
        // No death ends it.
        partners: Partners::These(Arc::new([])),
        comm: comm.handle,
    });
    match ended {
        Ok(()) => task::begin(operation.clone(), Begun(decision)),
        // The call has succeeded; what it began has not.
        Err(error) => {
            operation.complete(MPI_Status::EMPTY, Some(error));
        }
    }
    Ok(Some(operation))
}

/// An agreement on a flag.
struct Agreement<P> {
    round: Round,
    decided: Option<Part>,
    /// Puts the flag where it is wanted.
    put: P,
    call: &'static str,
}

impl<P: FnMut(i32) + Send + 'static> Agreement<P> {
    fn new(comm: &Comm, flag: i32, put: P, call: &'static str) -> Result<Agreement<P>> {
        let council = comm.meeting.council()?;
        let members = &council.members;
        let part = Part {
            flag: u64::from(flag as u32),
            acknowledged: Seats::of(members, &failures::acknowledged(comm.context)),
            ..Part::new(members.len())
        };
        Ok(Agreement {
            round: council.begin(part),
            decided: None,
            put,
            call,
        })
    }
}

impl<P: FnMut(i32) + Send + 'static> Decision for Agreement<P> {
    fn advance(&mut self) -> bool {
        self.decided = self.decided.take().or_else(|| self.round.advance());
        self.decided.is_some()
    }

    fn need(&self) -> Need {
        self.round.need()
    }

    fn end(&mut self) -> Result<()> {
        let Some(decided) = &self.decided else {
            bail!(Intern, "an agreement ended without a decision");
        };
        (self.put)(decided.flag as u32 as i32);
        let Some(seat) = decided.gone.first_beside(&decided.acknowledged) else {
            return Ok(());
        };
        bail!(
            ProcFailed,
            "{}: rank {} of the job has failed, which not all of the others have acknowledged; the flag is agreed on nevertheless",
            self.call,
            self.round.council.members[seat]
        )
    }
}

/// Gives `put` the bits of `flag` that all processes of the communicator give which live. All that return give the same, and the same
/// error; blocks until all that live have called, also in a communicator that was revoked. Collective over both groups.
///
/// Errors: `MPI_ERR_PROC_FAILED` if a process has failed, and not all have acknowledged that; the flag is given too. `MPI_ERR_NO_MEM`.
pub fn agree(comm: &Comm, flag: i32, put: impl FnMut(i32) + Send + 'static) -> Result<()> {
    let call = "MPIX_Comm_agree";
    decide(Agreement::new(comm, flag, put, call)?, call)
}

/// The same, by and by. `None`: it is complete.
pub fn begin_agree(
    comm: &Comm,
    flag: i32,
    put: impl FnMut(i32) + Send + 'static,
) -> Result<Option<Counted<Operation>>> {
    let call = "MPIX_Comm_iagree";
    begin(Agreement::new(comm, flag, put, call)?, comm, call)
}

/// The seats that stay.
fn stay(seats: Range<usize>, gone: &Seats, members: &[u32]) -> Vec<u32> {
    let stays = seats.filter(|&seat| !gone.contains(seat));
    stays.map(|seat| members[seat]).collect()
}

/// How far a communicator of survivors is.
enum Stage {
    /// It is being decided who has gone.
    Who(Round),
    /// These have gone, and nobody else is to have gone by the time the place is known. It is this process's own, if it is the first.
    Place(Seats, Round, Result<Option<Fresh>>),
    /// What is decided: who has gone, and the place, if there is one.
    Decided(Seats, Option<Site>, Result<Option<Fresh>>),
    Over,
}

/// The making of a communicator of survivors.
struct Shrink<P> {
    council: Arc<Council>,
    group: Arc<Group>,
    is_inter: bool,
    local: Range<usize>,
    peers: Range<usize>,
    mine: Option<Mine>,
    handler: Option<Slot>,
    stage: Stage,
    put: P,
    call: &'static str,
}

impl<P: FnMut(MPI_Comm) + Send + 'static> Shrink<P> {
    fn new(comm: &Comm, put: P, call: &'static str) -> Result<Shrink<P>> {
        let council = comm.meeting.council()?;
        let mine = Mine::plain();
        let part = Part {
            flag: mine.is_ok().into(),
            ..Part::new(council.members.len())
        };
        let round = council.clone().begin(part);
        Ok(Shrink {
            council,
            group: comm.group.clone(),
            is_inter: comm.remote.is_some(),
            local: comm.local_seats(),
            peers: comm.peer_seats(),
            mine: mine.ok(),
            handler: Some(comm.handler.inherit()),
            stage: Stage::Who(round),
            put,
            call,
        })
    }

    /// Begins the round in which the place becomes known, now that these have gone.
    fn ask_for_place(&self, gone: Seats) -> Stage {
        let survivors = stay(0..self.council.members.len(), &gone, &self.council.members);
        let is_first = survivors.first() == Some(&self.council.members[self.council.seat]);
        let own = match is_first {
            true => Fresh::new(survivors.len()).map(Some),
            false => Ok(None),
        };
        let site = own
            .as_ref()
            .ok()
            .and_then(|fresh| Some(fresh.as_ref()?.site()));
        let part = Part {
            flag: own.is_ok().into(),
            site: site.map_or([0; 2], |site| site.words()),
            ..Part::new(self.council.members.len())
        };
        let round = self.council.clone().begin(part);
        Stage::Place(gone, round, own)
    }

    fn shape(&self, gone: &Seats) -> Shape {
        let group = |seats: &Range<usize>| {
            let members = stay(seats.clone(), gone, &self.council.members);
            Arc::new(self.group.of(members))
        };
        Shape {
            group: group(&self.local),
            remote: self.is_inter.then(|| group(&self.peers)),
            remote_first: self.local.start > 0,
        }
    }
}

impl<P: FnMut(MPI_Comm) + Send + 'static> Decision for Shrink<P> {
    fn advance(&mut self) -> bool {
        loop {
            match &mut self.stage {
                Stage::Who(round) => {
                    let Some(decided) = round.advance() else {
                        return false;
                    };
                    self.stage = match decided.flag & 1 {
                        0 => Stage::Decided(decided.gone, None, Ok(None)),
                        _ => self.ask_for_place(decided.gone),
                    };
                }
                Stage::Place(gone, round, own) => {
                    let Some(decided) = round.advance() else {
                        return false;
                    };
                    let own = std::mem::replace(own, Ok(None));
                    // One more has gone. Who has brought a place takes it back.
                    self.stage = match decided.gone == *gone {
                        false => self.ask_for_place(decided.gone),
                        true => {
                            let site = decided.flag & 1 == 1;
                            let site = site.then(|| Site::of_words(&decided.site));
                            Stage::Decided(decided.gone, site, own)
                        }
                    };
                }
                Stage::Decided(..) | Stage::Over => return true,
            }
        }
    }

    fn need(&self) -> Need {
        match &self.stage {
            Stage::Who(round) | Stage::Place(_, round, _) => round.need(),
            Stage::Decided(..) | Stage::Over => Need::default(),
        }
    }

    fn end(&mut self) -> Result<()> {
        let stage = std::mem::replace(&mut self.stage, Stage::Over);
        let Stage::Decided(gone, site, own) = stage else {
            bail!(
                Intern,
                "a communicator of survivors ended without a decision"
            );
        };
        let own = own?;
        let mine = self.mine.take().ok_or_else(|| self.no_room())?;
        let (site, handler) = site
            .zip(self.handler.take())
            .ok_or_else(|| self.no_room())?;
        let shape = self.shape(&gone);
        if shape
            .remote
            .as_ref()
            .is_some_and(|remote| remote.size() == 0)
        {
            bail!(
                ProcFailed,
                "{}: all processes of the remote group have failed",
                self.call
            );
        }
        let meeting = site.sure_meeting(&shape, Why::Shared)?;
        own.map(Fresh::accept);
        let handle = mine.publish(shape, site, meeting, handler, Hints::default());
        (self.put)(handle);
        Ok(())
    }
}

impl<P> Shrink<P> {
    fn no_room(&self) -> Error {
        err!(
            NoMem,
            "{}: a process has no room for one more communicator",
            self.call
        )
    }
}

/// Makes a communicator of the processes that live; blocks until it is there, also if the communicator was revoked, and if more die
/// meanwhile. Gives it to `put`. It has the error handler of `comm`, and no attributes. Collective over both groups.
///
/// Errors, the same at all: `MPI_ERR_NO_MEM`, `MPI_ERR_PROC_FAILED` (of an intercommunicator: nobody of the other group lives).
pub fn shrink(comm: &Comm, put: impl FnMut(MPI_Comm) + Send + 'static) -> Result<()> {
    let call = "MPIX_Comm_shrink";
    decide(Shrink::new(comm, put, call)?, call)
}

/// The same, by and by. `None`: it is complete.
pub fn begin_shrink(
    comm: &Comm,
    put: impl FnMut(MPI_Comm) + Send + 'static,
) -> Result<Option<Counted<Operation>>> {
    let call = "MPIX_Comm_ishrink";
    begin(Shrink::new(comm, put, call)?, comm, call)
}
