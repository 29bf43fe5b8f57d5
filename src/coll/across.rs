//! Collective operations between the two groups of an intercommunicator (MPI 4.1 §6.2.3).
//!
//! Operations with a root are those of one group, in the circle of the group that gives or gets the data and the root. In the
//! others each group gets what the other one gives: directly, or by the leaders, their ranks 0, where it is reduced first.

use super::elements::Vector;
use super::planner::{Planner, Root};
use crate::error::Result;
use crate::op::Op;

impl Planner {
    /// Block i goes to process i of the other group, and from there comes what `receive[i]` is for.
    pub fn alltoall_across(&mut self, send: &[Vector], receive: &[Vector]) -> Result<()> {
        self.before_peers();
        for (from, block) in receive.iter().enumerate() {
            self.receive(from, block)?;
        }
        for (to, block) in send.iter().enumerate() {
            self.send(to, block)?;
        }
        Ok(())
    }

    /// Everybody's elements go to all of the other group.
    pub fn allgather_across(&mut self, mine: &Vector, blocks: &[Vector]) -> Result<()> {
        let send = vec![mine.clone(); blocks.len()];
        self.alltoall_across(&send, blocks)
    }

    /// Folds the local group's `mine` at its leader, who alone gets the result.
    fn reduce_to_leader(&mut self, op: Op, mine: &Vector) -> Result<Option<Vector>> {
        self.among_locals();
        let sum = match self.rank {
            0 => Some(self.temporary(&mine.element, mine.count)?),
            _ => None,
        };
        self.reduce_to(op, mine, sum.as_ref(), 0)?;
        self.fence();
        Ok(sum)
    }

    /// The `mine` of the group that has not got the root are folded into the root's `out`.
    pub fn reduce_across(
        &mut self,
        op: Op,
        mine: Option<&Vector>,
        out: Option<&Vector>,
        root: Root,
    ) -> Result<()> {
        if let (Root::Here, Some(out)) = (root, out) {
            self.before_peers();
            self.receive(0, out)?;
        }
        if let (Root::There(root), Some(mine)) = (root, mine)
            && let Some(sum) = self.reduce_to_leader(op, mine)?
        {
            self.with_peer(root);
            self.send(self.size - 1, &sum)?;
        }
        Ok(())
    }

    /// The `mine` of each group are folded into everybody's `out` of the other.
    pub fn allreduce_across(&mut self, op: Op, mine: &Vector, out: &Vector) -> Result<()> {
        if let Some(sum) = self.reduce_to_leader(op, mine)? {
            self.before_peers();
            self.broadcast(&sum, self.size - 1)?;
        }
        self.with_peer(0);
        self.broadcast(out, self.size - 1)
    }

    /// The `mine` of each group are folded, and shared out to the other: `counts[i]` elements to its process i.
    pub fn reduce_scatter_across(
        &mut self,
        op: Op,
        mine: &Vector,
        counts: &[usize],
        out: &Vector,
    ) -> Result<()> {
        let mut blocks = Vec::new();
        if let Some(sum) = self.reduce_to_leader(op, mine)? {
            let theirs = self.temporary(&mine.element, mine.count)?;
            self.before_peers();
            self.receive(0, &theirs)?;
            self.send(0, &sum)?;
            self.fence();
            let mut first = 0;
            for &count in counts {
                blocks.push(theirs.part(first, count));
                first += count;
            }
        }
        self.among_locals();
        self.scatter(&blocks, Some(out), 0)
    }
}
