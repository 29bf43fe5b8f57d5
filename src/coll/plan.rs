//! Plans: what one process does in a collective operation, step by step, and carrying them out.
//!
//! A plan is made once and can be carried out many times (persistent operations). Its steps are done in order; sends and
//! receives are only started, a fence waits for all that were. Its messages have a tag of their own, which all processes
//! give it because they make their plans in the same order (MPI 4.1 §6.14).
//!
//! The tag is the number of the operation on its communicator, taken after all checks that can fail on one process alone. An
//! error does not stop a plan, as others wait for its messages; they are empty from the next fence on. What arrives has to be as long as
//! what is taken, in messages and on the board alike: so counts that differ are an error where that can be known. (Other
//! libraries take less than there is room for. MPI forbids it, §6.1, and four programs of MPICH's suite ask that it be told.) A
//! user's function gets copies of what is the caller's or needed again, because it may write to its first argument.

use super::areas::{Act, Areas};
use super::elements::Vector;
use super::scratch::Scratch;
use crate::bail;
use crate::datatype;
use crate::error::{Class, Error, Object, Result};
use crate::mpi::types::{MPI_Comm, MPI_Status};
use crate::naming;
use crate::op::Op;
use crate::runtime::deaths::{check_alive, dead, name};
use crate::runtime::{Need, Needs, Ranks, revoked};
use crate::shm::copy::Way;
use crate::transport::counted::Counted;
use crate::transport::operation::block;
use crate::transport::task::{self, Task, withdraw_all};
use crate::transport::{
    About, Action, Buffer, Envelope, Mode, Operation, Outcome, Partners, Target, communicator,
};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::Arc;

pub(super) enum Step {
    Send(u32, Buffer),
    Receive(u32, i32, Buffer),
    /// The same of a message that is empty if its data has come otherwise.
    ReceiveOrNothing(u32, i32, Buffer),
    /// Waits for all sends and receives before it.
    Fence,
    Copy(Buffer, Buffer, Way),
    /// What is done with [areas](Areas), but for messages.
    Area(Act),
    /// `inout = input op inout`.
    Reduce {
        op: Op,
        input: usize,
        inout: Vector,
    },
}

/// What is done once, when all steps are.
type End = Box<dyn FnOnce() -> Result<()> + Send>;

/// What one process does in a collective operation.
pub struct Plan {
    pub(super) name: &'static str,
    pub(super) handle: MPI_Comm,
    pub(super) context: u32,
    pub(super) tag: i32,
    /// The caller's seat.
    pub(super) seat: u32,
    /// All processes of the communicator, by their seats.
    pub(super) members: Arc<[u32]>,
    pub(super) steps: Vec<Step>,
    /// What it lays out, and what is done instead where not all have memory for that.
    pub(super) areas: Option<Areas>,
    pub(super) otherwise: Vec<Step>,
    pub(super) end: Mutex<Option<End>>,
    /// Memory that steps use.
    pub(super) _temporaries: Vec<Scratch>,
    /// Why it has not all of that memory: then it is carried out as after an error, and nothing is in it.
    pub(super) lacks: Option<Error>,
}

impl Plan {
    /// The call that it is of, in words.
    fn what(&self) -> String {
        match communicator(self.context) {
            Some(number) => naming::collective(self.name, number),
            None => self.name.to_string(),
        }
    }

    /// Says that the communicator was revoked, if it was; as [`Ranks::Unless`] wants it.
    fn revoked(&self) -> Option<String> {
        revoked::told(communicator(self.context)?)
    }

    /// Error: `MPIX_ERR_REVOKED`.
    fn check_revoked(&self) -> Result<()> {
        match communicator(self.context) {
            Some(number) => {
                revoked::check(number).map_err(|error| error.on(Object::Comm(self.handle)))
            }
            None => Ok(()),
        }
    }

    fn steps(&self, otherwise: bool) -> &[Step] {
        if otherwise {
            &self.otherwise
        } else {
            &self.steps
        }
    }

    /// Whether something comes from that process of the job, too.
    fn receives_from(&self, process: u32) -> bool {
        let is_from = |step: &Step| match step {
            Step::Receive(from, ..) | Step::ReceiveOrNothing(from, ..) => *from == process,
            _ => false,
        };
        self.steps.iter().any(is_from)
    }
}

/// A send or receive of a plan, not known to be complete.
struct Pending {
    operation: Counted<Operation>,
    /// How many bytes have to come, if any have.
    expected: Option<usize>,
    /// Whether nothing may come instead.
    or_nothing: bool,
}

impl Pending {
    /// What was wrong with it, now that it is done.
    fn error(&self) -> Option<Error> {
        let outcome = self.operation.outcome();
        let came = outcome.status.count() as usize;
        let is_left_out = self.or_nothing && came == 0;
        let expected = self.expected.filter(|_| !is_left_out);
        outcome.error.or_else(|| same_length(came, expected?).err())
    }
}

/// Checks that what one process sends is as long as what another receives. Errors: `MPI_ERR_TRUNCATE` if it is longer,
/// `MPI_ERR_COUNT` if it is shorter.
pub(super) fn same_length(sent: usize, received: usize) -> Result<()> {
    if sent == received {
        return Ok(());
    }
    // After an error a process gives nothing that depends on what it has not got.
    let hint = match sent {
        0 => ", or that process has had an error in this operation",
        _ => "",
    };
    let text = format!(
        "a process gives {sent} bytes where {received} are taken: counts and datatypes have to match (MPI 4.1 §6.1){hint}"
    );
    match sent > received {
        true => bail!(Truncate, "{text}"),
        false => bail!(Count, "{text}"),
    }
}

/// A plan on its way.
struct Run {
    plan: Arc<Plan>,
    next: usize,
    pending: Vec<Pending>,
    error: Option<Error>,
    /// Whether not all have memory for what they lay out.
    is_otherwise: bool,
    /// Whether it has passed a fence.
    is_behind_fence: bool,
    /// Whether the caller does nothing else until the plan is carried out.
    waits: bool,
}

impl Run {
    fn new(plan: Arc<Plan>, waits: bool) -> Run {
        Run {
            next: 0,
            pending: Vec::new(),
            error: plan.lacks.clone(),
            is_otherwise: false,
            is_behind_fence: false,
            plan,
            waits,
        }
    }

    /// Does what can be done now; true when all is. An error does not stop it, as the other processes wait for us, but what
    /// they get from the next fence on is empty, by which they know of it.
    fn advance(&mut self) -> bool {
        let plan = self.plan.clone();
        while let Some(step) = plan.steps(self.is_otherwise).get(self.next) {
            if matches!(step, Step::Fence) && !self.settled() {
                return false;
            }
            if matches!(step, Step::Area(Act::Fold(0))) && self.goes_elsewhere(&plan) {
                continue;
            }
            if let Err(error) = self.step(&plan, step) {
                self.error.get_or_insert(error);
            }
            self.next += 1;
        }
        self.settled()
    }

    /// Whether the next step is another one, as all processes find: not all have laid out what they give, or not all give as much. After an error, of
    /// which all know, they go on.
    fn goes_elsewhere(&mut self, plan: &Plan) -> bool {
        let areas = plan.areas.as_ref().filter(|_| self.error.is_none());
        let Some(areas) = areas else { return false };
        if !areas.are_all() {
            areas.leave();
            (self.is_otherwise, self.next, self.is_behind_fence) = (true, 0, false);
            return true;
        }
        self.error = areas.are_alike().err();
        if self.error.is_some() {
            // There may be fewer rounds in others: all go to the end.
            self.next = plan.steps.len() - 1;
        }
        self.error.is_some()
    }

    fn settled(&mut self) -> bool {
        let error = &mut self.error;
        self.pending.retain(|pending| {
            let done = pending.operation.is_done();
            if done {
                *error = error.take().or_else(|| pending.error());
            }
            !done
        });
        self.pending.is_empty()
    }

    fn step(&mut self, plan: &Plan, step: &Step) -> Result<()> {
        let about = |action, peer, world| About {
            action,
            context: plan.context,
            peer,
            tag: plan.tag,
            partners: Partners::One(world),
            comm: plan.handle,
        };
        match step {
            Step::Fence => self.is_behind_fence = true,
            Step::Send(to, buffer) => {
                let target = Target {
                    context: plan.context,
                    source: plan.seat,
                    to: *to,
                    tag: plan.tag,
                    waits: self.waits,
                    receives: self.plan.receives_from(*to),
                };
                let buffer = match (&plan.lacks, &self.error) {
                    (None, None) => buffer.clone(),
                    // What is sent before a fence is not made of anything that comes.
                    (None, Some(_)) if !self.is_behind_fence => buffer.clone(),
                    _ => Buffer::empty(),
                };
                let sent = crate::transport::send(target, buffer, Mode::Standard, || {
                    about(Action::Send, 0, *to)
                })?;
                self.pending.extend(sent.map(|operation| Pending {
                    operation,
                    expected: None,
                    or_nothing: false,
                }));
            }
            Step::Receive(world, from, buffer) | Step::ReceiveOrNothing(world, from, buffer) => {
                let envelope = Envelope {
                    source: *from,
                    tag: plan.tag,
                };
                let about = about(Action::Receive, *from, *world);
                let buffer = match plan.lacks {
                    None => buffer.clone(),
                    Some(_) => Buffer::empty(),
                };
                let operation =
                    crate::transport::receive(plan.context, envelope, buffer.clone(), about);
                let pending = Pending {
                    operation,
                    expected: Some(buffer.len()),
                    or_nothing: matches!(step, Step::ReceiveOrNothing(..)),
                };
                if !pending.operation.is_done() {
                    self.pending.push(pending);
                } else if let Some(error) = pending.error() {
                    return Err(error);
                }
            }
            Step::Copy(..) | Step::Reduce { .. } if plan.lacks.is_some() => {}
            Step::Area(act) => {
                if let Some(areas) = &plan.areas {
                    areas.act(*act, self.error.is_some())?;
                }
            }
            Step::Copy(from, to, way) => {
                to.copy_by(*way, from, from.len().min(to.len()));
                same_length(from.len(), to.len())?;
            }
            Step::Reduce { op, input, inout } => {
                let Vector {
                    address,
                    count,
                    element,
                } = inout;
                let input = with_exposed_provenance(*input);
                let inout = with_exposed_provenance_mut(*address);
                let lent = datatype::lend(&element.datatype, element.handle)?;
                // SAFETY: as above; both have `count` elements, and a temporary one never overlaps.
                unsafe { op.apply(input, inout, *count, &element.datatype, lent.handle)? }
            }
        }
        Ok(())
    }

    /// Who keeps the plan from being carried out for ever, as [`Ranks::Who`] wants it: a process of the group that is
    /// dead, or one that something of the plan waits for now and that has given up.
    fn obstacle(&self) -> Option<(u32, String)> {
        let dead = dead(Ranks::These(&self.plan.members)).map(|(rank, _)| rank);
        let rank = dead.or_else(|| self.given_up())?;
        Some(self.waits_for(rank))
    }

    /// The process that something of the plan waits for now, and that does nothing for it any more.
    fn given_up(&self) -> Option<u32> {
        let operations = self.pending.iter().map(|pending| &pending.operation);
        let mut pending = operations.filter(|operation| !operation.is_done());
        pending.find_map(|operation| Some(operation.obstacle()?.0))
    }

    fn waits_for(&self, rank: u32) -> (u32, String) {
        let who = name(rank, &self.plan.members);
        (rank, format!("{}: waiting for {who}", self.plan.what()))
    }

    /// Gives the plan up if it cannot be carried out any more: true then.
    fn gives_up(&mut self) -> bool {
        let check = |run: &Run| {
            let obstacle = || Some(run.waits_for(run.given_up()?));
            let (who, revoked) = (Ranks::Who(&obstacle), || run.plan.revoked());
            check_alive(Ranks::Unless(&revoked, &who), &|| run.plan.what())
        };
        if check(self).is_ok() {
            return false;
        }
        // What a process has sent before it went counts.
        while crate::transport::look(1) {}
        if Run::advance(self) {
            return true;
        }
        let Err(error) = check(self) else {
            return false;
        };
        self.error.get_or_insert(error);
        self.abandon();
        true
    }

    /// Each of those that the steps up to the next fence wait for: nothing else is begun before.
    fn need(&self) -> Need {
        let operations = self.pending.iter().map(|pending| &pending.operation);
        let pending = operations.filter(|operation| !operation.is_done());
        Need::each(pending.flat_map(|operation| operation.about.partners.members().iter().copied()))
    }

    /// What comes after the steps. No lock is held: it may call functions of the user's.
    fn end(&mut self) -> Option<Error> {
        let end = self.plan.end.lock().take();
        if let (None, Some(end)) = (&self.error, end) {
            self.error = end().err();
        }
        let error = self.error.take()?;
        Some(self.reason_of(error))
    }

    /// What is behind an error: a process that has heard of a death, or that the communicator was revoked, sends nothing where data
    /// is expected.
    fn reason_of(&self, error: Error) -> Error {
        if error.class != Class::Count {
            return error;
        }
        let obstacle = || self.obstacle();
        let (who, revoked) = (Ranks::Who(&obstacle), || self.plan.revoked());
        let ranks = Ranks::Unless(&revoked, &who);
        let reason = check_alive(ranks, &|| self.plan.what());
        reason.err().unwrap_or(error)
    }

    fn abandon(&mut self) {
        let pending = std::mem::take(&mut self.pending).into_iter();
        let operations: Vec<_> = pending.map(|pending| pending.operation).collect();
        withdraw_all(&operations);
        if let Some(areas) = &self.plan.areas {
            areas.leave();
        }
    }
}

/// Carries a plan out; blocks until this process's part is done.
///
/// Errors: those of messages and reductions, `MPI_ERR_PROC_FAILED`, `MPIX_ERR_REVOKED`.
pub fn run(plan: Arc<Plan>) -> Result<()> {
    plan.check_revoked()?;
    carry_out(Run::new(plan, true))
}

/// The same. `beside` is done when the first messages have begun; after its error, which is given, all are taken back.
pub fn run_beside(plan: Arc<Plan>, beside: impl FnOnce() -> Result<()>) -> Result<()> {
    plan.check_revoked()?;
    let mut run = Run::new(plan, true);
    run.advance();
    if let Err(error) = beside() {
        run.abandon();
        return Err(error);
    }
    carry_out(run)
}

fn carry_out(run: Run) -> Result<()> {
    let plan = run.plan.clone();
    let run = RefCell::new(run);
    let what = || plan.what();
    let obstacle = || run.borrow().obstacle();
    let needs = Needs::Told(&|need| *need = run.borrow().need());
    let (who, revoked) = (Ranks::Who(&obstacle), || plan.revoked());
    let waited = block(&what, Ranks::Unless(&revoked, &who), needs, || {
        run.borrow_mut().advance()
    });
    let mut run = run.into_inner();
    let result = match waited {
        Ok(()) => run.end().map_or(Ok(()), Err),
        Err(death) => {
            run.abandon();
            // Who has heard of it sends nothing where data is expected.
            let own = run.error.filter(|error| error.class != Class::Count);
            Err(own.unwrap_or(death))
        }
    };
    result.map_err(|error| error.on(Object::Comm(plan.handle)))
}

/// Starts to carry a plan out. `None`: it is done already.
pub fn start(plan: Arc<Plan>) -> Result<Option<Counted<Operation>>> {
    plan.check_revoked()?;
    let operation = Operation::new(About {
        action: Action::Collective(plan.name),
        context: plan.context,
        peer: 0,
        tag: plan.tag,
        partners: Partners::These(plan.members.clone()),
        comm: plan.handle,
    });
    let mut run = Run::new(plan, false);
    if run.advance() {
        return match run.end() {
            None => Ok(None),
            Some(error) => Err(error),
        };
    }
    task::begin(operation.clone(), run);
    Ok(Some(operation))
}

impl Task for Run {
    fn advance(&mut self) -> bool {
        Run::advance(self) || self.gives_up()
    }

    fn set_awaited(&mut self) {
        self.waits = true;
        task::set_awaited(self.pending.iter().map(|pending| &*pending.operation));
    }

    fn end(&mut self) -> Outcome {
        Outcome::new(MPI_Status::EMPTY, Run::end(self))
    }

    fn abandon(&mut self) {
        Run::abandon(self);
    }
}
