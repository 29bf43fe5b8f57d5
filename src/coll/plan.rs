//! Plans: what one process does in a collective operation, step by step, and carrying them out.
//!
//! A plan is made once and can be carried out many times (persistent operations). Its steps are done in order; sends and
//! receives are only started, a fence waits for all that were. Its messages have a tag of their own, which all processes
//! give it because they make their plans in the same order (MPI 4.1 §6.14).

use super::scratch::Scratch;
use crate::bail;
use crate::comm::{self, Comm};
use crate::datatype::{self, Datatype};
use crate::error::{Error, Object, Result};
use crate::mpi::types::{MPI_Comm, MPI_Datatype, MPI_Status};
use crate::op::Op;
use crate::p2p::operation::block;
use crate::p2p::task::{self, Task, withdraw_all};
use crate::p2p::{
    About, Action, Buffer, Envelope, Operation, Outcome, Partners, TAG_UB, Target,
    collective_context,
};
use crate::runtime::Ranks;
use crate::runtime::wait::{dead, name};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::ops::Range;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The datatype of elements that take part in a collective operation, kept until it is complete.
#[derive(Clone)]
pub struct Element {
    pub datatype: Arc<Datatype>,
    /// For users' reduction functions.
    pub handle: MPI_Datatype,
}

impl Element {
    /// Errors: `MPI_ERR_TYPE` (no datatype, not committed).
    pub fn new(handle: MPI_Datatype) -> Result<Element> {
        datatype::get_committed(handle)?;
        Ok(Element {
            datatype: datatype::get_arc(handle)?,
            handle,
        })
    }
}

/// `count` elements in memory.
#[derive(Clone)]
pub struct Vector {
    pub address: usize,
    pub count: usize,
    pub element: Element,
}

impl Vector {
    /// `count` of the elements from number `first` on.
    pub fn part(&self, first: usize, count: usize) -> Vector {
        let skip = (first as isize).wrapping_mul(self.element.datatype.extent());
        Vector {
            address: self.address.wrapping_add_signed(skip),
            count,
            element: self.element.clone(),
        }
    }

    /// Whether the data of both begins at one place. (The addresses alone do not tell: with absolute displacements both are
    /// `MPI_BOTTOM`.)
    pub fn is_at(&self, other: &Vector) -> bool {
        let begin = |v: &Vector| {
            let low = v
                .element
                .datatype
                .span(v.count.min(1))
                .map_or(0, |(low, _)| low);
            v.address.wrapping_add_signed(low)
        };
        begin(self) == begin(other)
    }

    /// Bytes of data.
    pub fn bytes(&self) -> usize {
        self.element.datatype.size().saturating_mul(self.count)
    }

    pub fn buffer(&self) -> Result<Buffer> {
        Buffer::typed(
            with_exposed_provenance(self.address),
            self.count,
            &self.element.datatype,
        )
    }

    /// The vector, if it can be memory of a program. Errors: `MPI_ERR_BUFFER`, `MPI_ERR_COUNT`.
    pub fn checked(self, name: &str) -> Result<Vector> {
        self.buffer()?.checked(name)?;
        Ok(self)
    }
}

enum Step {
    Send(u32, Buffer),
    Receive(u32, i32, Buffer),
    /// Waits for all sends and receives before it.
    Fence,
    Copy(Buffer, Buffer),
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
    name: &'static str,
    handle: MPI_Comm,
    context: u32,
    tag: i32,
    /// The caller's seat.
    seat: u32,
    /// All processes of the communicator, by their seats.
    members: Arc<[u32]>,
    steps: Vec<Step>,
    end: Mutex<Option<End>>,
    /// Memory that steps use.
    _temporaries: Vec<Scratch>,
}

/// A plan that is being made, in a **circle** of processes: at first the local group, with its ranks. It can be changed on
/// the way; in an intercommunicator, to circles with processes of the other group.
pub struct Planner {
    plan: Plan,
    /// How many processes are in the circle.
    pub size: usize,
    /// The caller's place among them.
    pub rank: usize,
    /// The seats of the circle's processes, but for the guest's.
    seats: Range<usize>,
    /// The seat of one more, who comes last.
    guest: usize,
    local: Range<usize>,
    peers: Range<usize>,
}

/// Who is the root of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// This process. In an intercommunicator it is the root of the other group.
    Here,
    /// The one with this rank; in an intercommunicator, in the other group.
    There(usize),
    /// One of the local group of an intercommunicator: this process has nothing to do.
    Elsewhere,
}

/// The number of the next collective operation of a communicator: its tag.
fn next_tag(comm: &Comm) -> i32 {
    (comm.collectives.fetch_add(1, Ordering::Relaxed) as i32).wrapping_add(1) & TAG_UB
}

impl Planner {
    /// Begins a plan for the operation `name`. Error: `MPI_ERR_COMM`.
    ///
    /// Every call takes a number of the communicator: it comes after all checks that can fail on one process alone.
    pub fn new(handle: MPI_Comm, name: &'static str) -> Result<Planner> {
        let comm = comm::get(handle)?;
        Ok(Planner {
            size: comm.size(),
            rank: comm.rank,
            seats: comm.local_seats(),
            guest: 0,
            local: comm.local_seats(),
            peers: comm.peer_seats(),
            plan: Plan {
                name,
                handle,
                context: collective_context(comm.context),
                tag: next_tag(comm),
                seat: comm.meeting.rank as u32,
                members: comm.meeting.members.clone(),
                steps: Vec::new(),
                end: Mutex::new(None),
                _temporaries: Vec::new(),
            },
        })
    }

    pub fn finish(self) -> Arc<Plan> {
        Arc::new(self.plan)
    }

    pub fn send(&mut self, to: usize, what: &Vector) -> Result<()> {
        let buffer = what.buffer()?;
        self.send_bytes(to, buffer);
        Ok(())
    }

    pub fn receive(&mut self, from: usize, into: &Vector) -> Result<()> {
        let buffer = into.buffer()?;
        self.receive_bytes(from, buffer);
        Ok(())
    }

    /// Whether the communicator has two groups.
    pub fn is_inter(&self) -> bool {
        self.local != self.peers
    }

    fn seat(&self) -> usize {
        self.plan.seat as usize
    }

    /// A circle of the processes of both groups.
    pub fn among_all(&mut self) {
        self.size = self.plan.members.len();
        (self.seats, self.rank) = (0..self.size, self.seat());
    }

    /// A circle of the local group.
    pub fn among_locals(&mut self) {
        self.size = self.local.len();
        (self.seats, self.rank) = (self.local.clone(), self.seat() - self.local.start);
    }

    /// A circle of the peers, by their ranks, and this process behind them.
    pub fn before_peers(&mut self) {
        (self.seats, self.guest) = (self.peers.clone(), self.seat());
        (self.size, self.rank) = (self.peers.len() + 1, self.peers.len());
    }

    /// A circle of the local group and the peer with rank `peer` behind it.
    pub fn with_peer(&mut self, peer: usize) {
        self.among_locals();
        self.size += 1;
        self.guest = self.peers.start + peer;
    }

    /// The circle of an operation with a root, and the root's place in it: the local group, or, in an intercommunicator,
    /// the group that it is the root of and it. `None`: this process is not in it.
    pub fn around(&mut self, root: Root) -> Option<usize> {
        match root {
            Root::Elsewhere => return None,
            Root::Here if self.is_inter() => self.before_peers(),
            Root::Here => return Some(self.rank),
            Root::There(root) if self.is_inter() => self.with_peer(root),
            Root::There(root) => return Some(root),
        }
        Some(self.size - 1)
    }

    /// The seat of the process at `place` in the circle.
    fn seat_of(&self, place: usize) -> usize {
        match place {
            place if place < self.seats.len() => self.seats.start + place,
            _ => self.guest,
        }
    }

    pub fn send_bytes(&mut self, to: usize, buffer: Buffer) {
        let to = self.plan.members[self.seat_of(to)];
        self.plan.steps.push(Step::Send(to, buffer));
    }

    pub fn receive_bytes(&mut self, from: usize, buffer: Buffer) {
        let seat = self.seat_of(from);
        let world = self.plan.members[seat];
        self.plan
            .steps
            .push(Step::Receive(world, seat as i32, buffer));
    }

    /// Does `end` once, when all steps are done and have had no error.
    pub fn at_end(&mut self, end: impl FnOnce() -> Result<()> + Send + 'static) {
        *self.plan.end.get_mut() = Some(Box::new(end));
    }

    pub fn fence(&mut self) {
        self.plan.steps.push(Step::Fence);
    }

    /// Copies elements, unless they are where they shall be.
    pub fn copy(&mut self, from: &Vector, to: &Vector) -> Result<()> {
        if !from.is_at(to) {
            let step = Step::Copy(from.buffer()?, to.buffer()?);
            self.plan.steps.push(step);
        }
        Ok(())
    }

    pub fn copy_bytes(&mut self, from: Buffer, to: Buffer) {
        self.plan.steps.push(Step::Copy(from, to));
    }

    pub fn reduce(&mut self, op: Op, input: &Vector, inout: &Vector) {
        self.plan.steps.push(Step::Reduce {
            op,
            input: input.address,
            inout: inout.clone(),
        });
    }

    /// Room for `count` elements, laid out as the user's.
    pub fn temporary(&mut self, element: &Element, count: usize) -> Result<Vector> {
        let Some((low, high)) = element.datatype.span(count) else {
            bail!(
                Count,
                "count is {count}, and that many elements do not fit in memory"
            );
        };
        let start = self.memory((high - low) as usize);
        Ok(Vector {
            address: start.wrapping_add_signed(low.wrapping_neg()),
            count,
            element: element.clone(),
        })
    }

    /// Room for as many bytes.
    pub fn temporary_bytes(&mut self, len: usize) -> Buffer {
        Buffer::bytes(with_exposed_provenance(self.memory(len)), len)
    }

    fn memory(&mut self, len: usize) -> usize {
        let mut memory = Scratch::new(len);
        let start = memory.address();
        self.plan._temporaries.push(memory);
        start
    }
}

/// A send or receive of a plan, not known to be complete.
struct Pending {
    operation: Arc<Operation>,
    /// How many bytes have to come, if any have.
    expected: Option<usize>,
}

impl Pending {
    /// What was wrong with it, now that it is done.
    fn error(&self) -> Option<Error> {
        let outcome = self.operation.outcome();
        let came = outcome.status.count() as usize;
        outcome
            .error
            .or_else(|| same_length(came, self.expected?).err())
    }
}

/// Checks that what one process sends is as long as what another receives. Errors: `MPI_ERR_TRUNCATE` if it is longer,
/// `MPI_ERR_COUNT` if it is shorter.
pub(super) fn same_length(sent: usize, received: usize) -> Result<()> {
    if sent == received {
        return Ok(());
    }
    let text = format!(
        "a process gives {sent} bytes where {received} are taken: counts and datatypes have to match (MPI 4.1 §6.1)"
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
    /// Whether the caller does nothing else until the plan is carried out.
    waits: bool,
}

impl Run {
    fn new(plan: Arc<Plan>, waits: bool) -> Run {
        Run {
            plan,
            next: 0,
            pending: Vec::new(),
            error: None,
            waits,
        }
    }

    /// Does what can be done now; true when all is. An error does not stop it, as the other processes wait for us, but what
    /// they get then is empty, by which they know of it.
    fn advance(&mut self) -> bool {
        let plan = self.plan.clone();
        while let Some(step) = plan.steps.get(self.next) {
            if matches!(step, Step::Fence) && !self.settled() {
                return false;
            }
            if let Err(error) = self.step(&plan, step) {
                self.error.get_or_insert(error);
            }
            self.next += 1;
        }
        self.settled()
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
            Step::Fence => {}
            Step::Send(to, buffer) => {
                let target = Target {
                    context: plan.context,
                    source: plan.seat,
                    to: *to,
                    tag: plan.tag,
                    waits: self.waits,
                };
                let buffer = match self.error {
                    None => buffer.clone(),
                    Some(_) => Buffer::empty(),
                };
                let sent = crate::p2p::send(target, buffer, false, || about(Action::Send, 0, *to))?;
                self.pending.extend(sent.map(|operation| Pending {
                    operation,
                    expected: None,
                }));
            }
            Step::Receive(world, from, buffer) => {
                let envelope = Envelope {
                    source: *from,
                    tag: plan.tag,
                };
                let about = about(Action::Receive, *from, *world);
                let operation = crate::p2p::receive(plan.context, envelope, buffer.clone(), about);
                let pending = Pending {
                    operation,
                    expected: Some(buffer.len()),
                };
                if !pending.operation.is_done() {
                    self.pending.push(pending);
                } else if let Some(error) = pending.error() {
                    return Err(error);
                }
            }
            // SAFETY: both are buffers of the operation, which the program leaves to it until it is complete, or temporary.
            Step::Copy(from, to) => unsafe {
                to.copy(from, from.len().min(to.len()));
                same_length(from.len(), to.len())?;
            },
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
        let (plan, members) = (&self.plan, &self.plan.members);
        let operations = self.pending.iter().map(|pending| &pending.operation);
        let mut pending = operations.filter(|operation| !operation.is_done());
        let given_up = || pending.find_map(|operation| Some(operation.obstacle()?.0));
        let dead = dead(Ranks::These(members)).map(|(rank, _)| rank);
        let rank = dead.or_else(given_up)?;
        let who = name(rank, members);
        Some((rank, format!("{}: waiting for {who}", plan.name)))
    }

    /// What comes after the steps. No lock is held: it may call functions of the user's.
    fn end(&mut self) -> Option<Error> {
        let end = self.plan.end.lock().take();
        if let (None, Some(end)) = (&self.error, end) {
            self.error = end().err();
        }
        self.error.take()
    }

    fn abandon(&mut self) {
        let pending = std::mem::take(&mut self.pending).into_iter();
        let operations: Vec<_> = pending.map(|pending| pending.operation).collect();
        withdraw_all(&operations);
    }
}

impl Plan {
    /// The communicator.
    pub fn comm(&self) -> MPI_Comm {
        self.handle
    }
}

/// Carries a plan out; blocks until this process's part is done.
///
/// Errors: those of messages and reductions, `MPI_ERR_PROC_FAILED`.
pub fn run(plan: Arc<Plan>) -> Result<()> {
    let run = RefCell::new(Run::new(plan.clone(), true));
    let what = || plan.name.to_string();
    let obstacle = || run.borrow().obstacle();
    let waited = block(&what, Ranks::Who(&obstacle), || run.borrow_mut().advance());
    let mut run = run.into_inner();
    let result = match waited {
        Ok(()) => run.end().map_or(Ok(()), Err),
        Err(death) => {
            run.abandon();
            Err(run.error.unwrap_or(death))
        }
    };
    result.map_err(|error| error.on(Object::Comm(plan.handle)))
}

/// Starts to carry a plan out. `None`: it is done already.
pub fn start(plan: Arc<Plan>) -> Result<Option<Arc<Operation>>> {
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
        Run::advance(self)
    }

    fn end(&mut self) -> Outcome {
        Outcome::new(MPI_Status::EMPTY, Run::end(self))
    }

    fn abandon(&mut self) {
        Run::abandon(self);
    }
}
