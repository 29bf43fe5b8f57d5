//! Plans: what one process does in a collective operation, step by step, and carrying them out.
//!
//! A plan is made once and can be carried out many times (persistent operations). Its steps are done in order; sends and
//! receives are only started, a fence waits for all that were. Its messages have a tag of their own, which all processes
//! give it because they make their plans in the same order (MPI 4.1 §6.14).

use crate::abi::types::{MPI_Comm, MPI_Datatype, MPI_Status};
use crate::comm::{self, Comm};
use crate::datatype::{self, Datatype};
use crate::error::{Error, Object, Result};
use crate::op::Op;
use crate::p2p::operation::{block, wake_threads};
use crate::p2p::{
    About, Action, Buffer, Envelope, Operation, Partners, TAG_UB, Target, collective_context,
};
use crate::runtime::Ranks;
use crate::runtime::wait::{dead, name};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// What one process does in a collective operation.
pub struct Plan {
    name: &'static str,
    handle: MPI_Comm,
    context: u32,
    rank: u32,
    tag: i32,
    group: Arc<crate::comm::group::Group>,
    steps: Vec<Step>,
    /// Memory that steps use.
    _temporaries: Vec<Box<[u128]>>,
}

/// A plan that is being made.
pub struct Planner {
    plan: Plan,
    pub size: usize,
    pub rank: usize,
}

/// The number of the next collective operation of each communicator: their tags.
static NUMBERS: Mutex<Option<HashMap<u32, i32>>> = Mutex::new(None);

fn next_tag(comm: &Comm) -> i32 {
    let mut numbers = NUMBERS.lock();
    let number = numbers
        .get_or_insert_default()
        .entry(comm.context)
        .or_default();
    *number = (*number + 1) & TAG_UB;
    *number
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
            plan: Plan {
                name,
                handle,
                context: collective_context(comm.context),
                rank: comm.rank as u32,
                tag: next_tag(comm),
                group: comm.group.clone(),
                steps: Vec::new(),
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

    pub fn send_bytes(&mut self, to: usize, buffer: Buffer) {
        let to = self.plan.group.members[to];
        self.plan.steps.push(Step::Send(to, buffer));
    }

    pub fn receive_bytes(&mut self, from: usize, buffer: Buffer) {
        let world = self.plan.group.members[from];
        self.plan
            .steps
            .push(Step::Receive(world, from as i32, buffer));
    }

    pub fn fence(&mut self) {
        self.plan.steps.push(Step::Fence);
    }

    /// Copies elements, unless they are where they shall be.
    pub fn copy(&mut self, from: &Vector, to: &Vector) -> Result<()> {
        if from.address != to.address {
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
            crate::bail!(
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
        let mut memory = vec![0_u128; len.div_ceil(16).max(1)].into_boxed_slice();
        let start = memory.as_mut_ptr().expose_provenance();
        self.plan._temporaries.push(memory);
        start
    }
}

/// A plan on its way.
struct Run {
    plan: Arc<Plan>,
    next: usize,
    pending: Vec<Arc<Operation>>,
    error: Option<Error>,
}

impl Run {
    fn new(plan: Arc<Plan>) -> Run {
        Run {
            plan,
            next: 0,
            pending: Vec::new(),
            error: None,
        }
    }

    /// Does what can be done now; true when all is. An error does not stop it: the other processes wait for us.
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
        self.pending.retain(|operation| {
            if operation.is_done() {
                let outcome = operation.outcome();
                *error = error.take().or(outcome.error);
            }
            !operation.is_done()
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
                    source: plan.rank,
                    to: *to,
                    tag: plan.tag,
                };
                let sent = crate::p2p::send(target, buffer.clone(), false, || {
                    about(Action::Send, 0, *to)
                })?;
                self.pending.extend(sent);
            }
            Step::Receive(world, from, buffer) => {
                let envelope = Envelope {
                    source: *from,
                    tag: plan.tag,
                };
                let about = about(Action::Receive, *from, *world);
                let operation = crate::p2p::receive(plan.context, envelope, buffer.clone(), about);
                if !operation.is_done() {
                    self.pending.push(operation);
                } else if let Some(error) = operation.outcome().error {
                    return Err(error);
                }
            }
            // SAFETY: both are buffers of the operation, which the program leaves to it until it is complete, or temporary.
            Step::Copy(from, to) => unsafe { to.copy(from, from.len().min(to.len())) },
            Step::Reduce { op, input, inout } => {
                let Vector {
                    address,
                    count,
                    element,
                } = inout;
                let input = with_exposed_provenance(*input);
                let inout = with_exposed_provenance_mut(*address);
                // SAFETY: as above; both have `count` elements, and a temporary one never overlaps.
                unsafe { op.apply(input, inout, *count, &element.datatype, element.handle)? }
            }
        }
        Ok(())
    }

    /// Who keeps the plan from being carried out for ever, as [`Ranks::Who`] wants it: a process of the group that is
    /// dead, or one that something of the plan waits for now and that has given up.
    fn obstacle(&self) -> Option<(u32, String)> {
        let (plan, members) = (&self.plan, &self.plan.group.members);
        let mut pending = self.pending.iter().filter(|operation| !operation.is_done());
        let given_up = || pending.find_map(|operation| Some(operation.obstacle()?.0));
        let dead = dead(Ranks::These(members)).map(|(rank, _)| rank);
        let rank = dead.or_else(given_up)?;
        let who = name(rank, members);
        Some((rank, format!("{}: waiting for {who}", plan.name)))
    }

    fn abandon(&mut self) {
        for operation in self.pending.drain(..) {
            crate::p2p::withdraw(&operation);
        }
    }
}

/// Carries a plan out; blocks until this process's part is done.
///
/// Errors: those of messages and reductions, `MPI_ERR_PROC_FAILED`.
pub fn run(plan: Arc<Plan>) -> Result<()> {
    let run = RefCell::new(Run::new(plan.clone()));
    let what = || plan.name.to_string();
    let obstacle = || run.borrow().obstacle();
    let waited = block(&what, Ranks::Who(&obstacle), || run.borrow_mut().advance());
    let mut run = run.into_inner();
    if waited.is_err() {
        run.abandon();
    }
    let result = run.error.map_or(Ok(()), Err).and(waited);
    result.map_err(|error| error.on(Object::Comm(plan.handle)))
}

/// Plans on their way that nobody waits for in particular, with the operations that requests know.
static ACTIVE: Mutex<Vec<(Arc<Operation>, Run)>> = Mutex::new(Vec::new());
static HOW_MANY: AtomicUsize = AtomicUsize::new(0);

/// Starts to carry a plan out. `None`: it is done already.
pub fn start(plan: Arc<Plan>) -> Result<Option<Arc<Operation>>> {
    let operation = Operation::new(About {
        action: Action::Collective(plan.name),
        context: plan.context,
        peer: 0,
        tag: plan.tag,
        partners: Partners::Group(plan.group.clone()),
        comm: plan.handle,
    });
    let mut run = Run::new(plan);
    if run.advance() {
        return match run.error {
            None => Ok(None),
            Some(error) => Err(error),
        };
    }
    ACTIVE.lock().push((operation.clone(), run));
    HOW_MANY.fetch_add(1, Ordering::SeqCst);
    Ok(Some(operation))
}

/// Moves messages, and the collective operations that were started, along.
pub fn progress() -> bool {
    let moved = crate::p2p::progress();
    if HOW_MANY.load(Ordering::Relaxed) == 0 {
        return moved;
    }
    let Some(mut active) = ACTIVE.try_lock() else {
        return true;
    };
    let before = active.len();
    active.retain_mut(|(operation, run)| {
        // One that a wait has given up (a process died) goes no further.
        if !operation.is_done() {
            if !run.advance() {
                return true;
            }
            operation.complete(MPI_Status::EMPTY, run.error.take());
        } else {
            run.abandon();
        }
        false
    });
    let done = before - active.len();
    drop(active);
    if done > 0 {
        HOW_MANY.fetch_sub(done, Ordering::SeqCst);
        wake_threads();
    }
    moved || done > 0
}
