//! Making a plan: its steps, and the processes among which they are.

use super::areas::{self, Act, Areas};
use super::elements::{Element, Vector};
use super::plan::{Plan, Step};
use super::scratch::Scratch;
use crate::bail;
use crate::comm::Comm;
use crate::error::Result;
use crate::op::Op;
use crate::shm::copy::{Way, way_among};
use crate::transport::{Buffer, TAG_UB, collective_context};
use parking_lot::Mutex;
use std::ops::Range;
use std::ptr::with_exposed_provenance;
use std::sync::Arc;
use std::sync::atomic::Ordering;

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

/// The number of the next collective operation of a communicator: the tag of its messages. Each takes one, whether it has messages or not, once
/// all that can be wrong in one process alone was looked at: so all count alike, also where some find an error in the others.
pub(super) fn next_tag(comm: &Comm) -> i32 {
    // One thread at a time calls collective operations on a communicator.
    let number = comm.collectives.load(Ordering::Relaxed).wrapping_add(1);
    comm.collectives.store(number, Ordering::Relaxed);
    number as i32 & TAG_UB
}

/// An address that is aligned as any, and at which nobody looks.
const NOWHERE: usize = 64;

impl Planner {
    /// Begins a plan for the operation `name` with a [number](next_tag).
    pub fn new(comm: &Comm, name: &'static str, tag: i32) -> Planner {
        Planner {
            size: comm.size(),
            rank: comm.rank,
            seats: comm.local_seats(),
            guest: 0,
            local: comm.local_seats(),
            peers: comm.peer_seats(),
            plan: Plan {
                name,
                handle: comm.handle,
                context: collective_context(comm.context),
                tag,
                seat: comm.meeting.rank as u32,
                members: comm.meeting.members.clone(),
                steps: Vec::new(),
                areas: None,
                otherwise: Vec::new(),
                end: Mutex::new(None),
                _temporaries: Vec::new(),
                lacks: None,
            },
        }
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

    /// Receives what may have come otherwise: then the message is empty.
    pub fn receive_or_nothing(&mut self, from: usize, into: &Vector) -> Result<()> {
        let seat = self.seat_of(from);
        let (world, buffer) = (self.plan.members[seat], into.buffer()?);
        let step = Step::ReceiveOrNothing(world, seat as i32, buffer);
        self.plan.steps.push(step);
        Ok(())
    }

    /// What was planned is done where not all have memory for an [area](Areas). Else the reduction goes over these.
    pub fn over_areas(&mut self, op: Op, mine: &Vector, out: &Vector) {
        let told = self.memory(Areas::bytes(self.size));
        let areas = Areas::new(told, (self.rank, self.size), op, (mine, out));
        self.plan.otherwise = std::mem::take(&mut self.plan.steps);
        for act in areas::acts(areas.rounds()) {
            match act {
                Act::Tell => self.tell_all(&areas),
                act => self.plan.steps.push(Step::Area(act)),
            }
        }
        if self.plan.lacks.is_none() {
            areas.forget();
            self.plan.areas = Some(areas);
        }
    }

    /// Tells all of the own area, and hears of theirs.
    fn tell_all(&mut self, areas: &Areas) {
        let (size, rank) = (self.size, self.rank);
        for i in 1..size {
            let from = (rank + size - i) % size;
            self.receive_bytes(from, areas.told_by(from));
        }
        for i in 1..size {
            self.send_bytes((rank + i) % size, areas.told_by(rank));
        }
        self.fence();
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
        self.copy_by(Way::Ordinary, from, to)
    }

    /// The same of the block that this process gives itself, where all give each other, or one, such blocks.
    pub fn copy_own(&mut self, from: &Vector, to: &Vector) -> Result<()> {
        self.copy_by(way_among(self.size, from.bytes()), from, to)
    }

    fn copy_by(&mut self, way: Way, from: &Vector, to: &Vector) -> Result<()> {
        if !from.is_at(to) {
            let step = Step::Copy(from.buffer()?, to.buffer()?, way);
            self.plan.steps.push(step);
        }
        Ok(())
    }

    pub fn copy_bytes(&mut self, from: Buffer, to: Buffer) {
        self.plan.steps.push(Step::Copy(from, to, Way::Ordinary));
    }

    pub fn reduce(&mut self, op: Op, input: &Vector, inout: &Vector) {
        self.plan.steps.push(Step::Reduce {
            op,
            input: input.address,
            inout: inout.clone(),
        });
    }

    /// Room for `count` elements, laid out as the user's. Error: `MPI_ERR_COUNT`.
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
        let start = with_exposed_provenance(self.memory(len));
        // SAFETY: the plan keeps its memory for as long as it is carried out.
        unsafe { Buffer::bytes(start, len) }
    }

    /// Where memory of the plan's begins. Where there is none the plan is carried out without: the others wait for this process.
    fn memory(&mut self, len: usize) -> usize {
        match Scratch::new(len) {
            Ok(mut memory) => {
                let start = memory.address();
                self.plan._temporaries.push(memory);
                start
            }
            Err(error) => {
                self.plan.lacks.get_or_insert(error);
                NOWHERE
            }
        }
    }
}
