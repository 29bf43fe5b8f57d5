//! Collective operations that reduce (MPI 4.1 §6.9-§6.11).
//!
//! Every result is folded in the order of ranks, whether the operation commutes or not, and the same elements are folded
//! once (large) or by the same sequence everywhere (small): all processes get the same bits.

use super::areas::Areas;
use super::elements::Vector;
use super::planner::Planner;
use crate::error::Result;
use crate::op::Op;
use std::ops::RangeInclusive;

/// Reductions of at least so many bytes are shared out: each process reduces a part.
const SHARED_OUT: usize = 32 << 10;
/// An allreduce of more processes than some is so from here on, where each would send all of it to each, and fold it.
const SHARED_OUT_OF_MORE: usize = 12 << 10;
const SOME: usize = 4;
/// An allreduce of so many bytes is done over areas in the segment. (A reduce or reduce_scatter, where each gets less than it gives, takes 0.6 to 4
/// times as long there: mostly more.)
const LAID_OUT: RangeInclusive<usize> = 32 << 10..=8 << 20;
/// In larger communicators a small allreduce is a reduce and a broadcast.
const ALL_TO_ALL: usize = 16;

impl Planner {
    /// `out = parts[0] op parts[1] op …`; `out` may be the last of them, and no other. The others are read only, but by a
    /// user's function that writes to its input.
    fn fold(&mut self, op: Op, parts: &[Vector], out: &Vector) -> Result<()> {
        let Some((last, others)) = parts.split_last() else {
            return Ok(());
        };
        self.copy(last, out)?;
        for part in others.iter().rev() {
            self.reduce(op, part, out);
        }
        Ok(())
    }

    /// Receives everybody's `count` elements, folds them with `mine` into `out`. What this process sends by `send` goes when its receives are there:
    /// what comes before finds no place of its own.
    fn collect(
        &mut self,
        op: Op,
        mine: &Vector,
        out: &Vector,
        send: impl FnOnce(&mut Planner) -> Result<()>,
    ) -> Result<()> {
        if self.size == 2 && op.predefined().is_some() {
            return self.collect_of_two(op, mine, out, send);
        }
        let mut parts = Vec::with_capacity(self.size);
        for from in 0..self.size {
            // Not even the last part comes to where it is folded: if a process has died, nothing is written.
            parts.push(match from == self.rank {
                true => mine.clone(),
                false => self.temporary(&mine.element, mine.count)?,
            });
        }
        // From the next one on: not all send to one process at a time.
        for i in 1..self.size {
            let from = (self.rank + self.size - i) % self.size;
            self.receive(from, &parts[from])?;
        }
        send(self)?;
        if self.rank + 1 < self.size && (mine.is_at(out) || op.may_change_input()) {
            // Folding would write over it.
            let copy = self.temporary(&mine.element, mine.count)?;
            self.copy(mine, &copy)?;
            parts[self.rank] = copy;
        }
        self.fence();
        self.fold(op, &parts, out)
    }

    /// The same where it does not matter which of two elements is the first: those of the other one come to where the result shall
    /// be, unless the own ones are there.
    fn collect_of_two(
        &mut self,
        op: Op,
        mine: &Vector,
        out: &Vector,
        send: impl FnOnce(&mut Planner) -> Result<()>,
    ) -> Result<()> {
        let in_place = mine.is_at(out);
        let into = match in_place {
            true => self.temporary(&mine.element, mine.count)?,
            false => out.part(0, mine.count),
        };
        self.receive(1 - self.rank, &into)?;
        send(self)?;
        self.fence();
        self.reduce(
            op,
            if in_place { &into } else { mine },
            &out.part(0, mine.count),
        );
        Ok(())
    }

    /// Each process gets the fold of its own part of everybody's `mine`: `counts[i]` elements to process i.
    pub fn reduce_scatter(
        &mut self,
        op: Op,
        mine: &Vector,
        counts: &[usize],
        out: &Vector,
    ) -> Result<()> {
        let mut first = 0;
        let share = |&count: &usize| {
            first += count;
            (first - count, count)
        };
        let shares: Vec<_> = counts.iter().map(share).collect();
        let own = counts[self.rank];
        // In place, `out` is where the first part is, which is to be sent before it is overwritten.
        if own == 0 || !mine.is_at(out) || self.rank == 0 {
            return self.reduce_shares(op, mine, &shares, out);
        }
        let result = self.temporary(&mine.element, own)?;
        self.reduce_shares(op, mine, &shares, &result)?;
        self.copy(&result, &out.part(0, own))
    }

    /// How the elements are shared out among the processes: (first, count) of each.
    fn shares(&self, count: usize) -> Vec<(usize, usize)> {
        let first = |i: usize| (count as u128 * i as u128 / self.size as u128) as usize;
        (0..self.size)
            .map(|i| (first(i), first(i + 1) - first(i)))
            .collect()
    }

    /// Reduces this process's share into `out`, and gives the others what belongs to theirs.
    fn reduce_shares(
        &mut self,
        op: Op,
        mine: &Vector,
        shares: &[(usize, usize)],
        out: &Vector,
    ) -> Result<()> {
        let (size, rank) = (self.size, self.rank);
        let send = |plan: &mut Planner| {
            let mut others = (1..size).map(|i| (rank + i) % size);
            others.try_for_each(|to| match shares[to] {
                (_, 0) => Ok(()),
                (first, count) => plan.send(to, &mine.part(first, count)),
            })
        };
        match shares[rank] {
            (_, 0) => send(self),
            (first, count) => self.collect(op, &mine.part(first, count), out, send),
        }
    }

    fn is_shared_out(&self, what: &Vector, from: usize) -> bool {
        what.bytes() >= from && what.count >= self.size && self.size > 1
    }

    /// Everybody's `mine` are folded into the root's `out`.
    pub fn reduce_to(
        &mut self,
        op: Op,
        mine: &Vector,
        out: Option<&Vector>,
        root: usize,
    ) -> Result<()> {
        // Of two the root folds no more than either would copy.
        if !self.is_shared_out(mine, SHARED_OUT) || self.size == 2 {
            return match out {
                Some(out) => self.collect(op, mine, out, |_| Ok(())),
                None => self.send(root, mine),
            };
        }
        let shares = self.shares(mine.count);
        let (first, count) = shares[self.rank];
        let part = match out {
            Some(out) => out.part(first, count),
            None => self.temporary(&mine.element, count)?,
        };
        self.reduce_shares(op, mine, &shares, &part)?;
        self.fence();
        match out {
            None => self.send(root, &part),
            Some(out) => {
                let others = shares.iter().enumerate().filter(|&(from, _)| from != root);
                others
                    .map(|(from, &(first, count))| (from, out.part(first, count)))
                    .try_for_each(|(from, part)| self.receive(from, &part))
            }
        }
    }

    /// Everybody's `mine` are folded into everybody's `out`.
    pub fn allreduce(&mut self, op: Op, mine: &Vector, out: &Vector) -> Result<()> {
        let from = match self.size > SOME && self.size <= ALL_TO_ALL {
            true => SHARED_OUT_OF_MORE,
            false => SHARED_OUT,
        };
        if self.is_shared_out(mine, from) {
            let shares = self.shares(mine.count);
            let parts: Vec<Vector> = shares.iter().map(|&(f, n)| out.part(f, n)).collect();
            let own = &parts[self.rank];
            self.reduce_shares(op, mine, &shares, own)?;
            self.fence();
            self.allgather(None, &parts)?;
            let are_some = (3..=ALL_TO_ALL).contains(&self.size);
            if are_some && LAID_OUT.contains(&mine.bytes()) && Areas::are_for(op, mine) {
                self.over_areas(op, mine, out);
            }
            return Ok(());
        }
        if self.size > ALL_TO_ALL {
            let root = (self.rank == 0).then_some(out);
            self.reduce_to(op, mine, root, 0)?;
            self.fence();
            return self.broadcast(out, 0);
        }
        self.allreduce_by_each(op, mine, out)
    }

    /// The same: each gets all that the others have, and folds all of it.
    pub fn allreduce_by_each(&mut self, op: Op, mine: &Vector, out: &Vector) -> Result<()> {
        self.collect(op, mine, out, |plan| {
            (1..plan.size).try_for_each(|i| plan.send((plan.rank + i) % plan.size, mine))
        })
    }

    /// `out` of process i is the fold of `mine` of the processes 0 to i.
    pub fn scan(&mut self, op: Op, mine: &Vector, out: &Vector) -> Result<()> {
        self.copy(mine, out)?;
        if self.rank > 0 {
            let before = self.temporary(&mine.element, mine.count)?;
            self.receive(self.rank - 1, &before)?;
            self.fence();
            self.reduce(op, &before, out);
        }
        if self.rank + 1 < self.size {
            self.send(self.rank + 1, out)?;
        }
        Ok(())
    }

    /// `out` of process i is the fold of `mine` of the processes 0 to i - 1; that of process 0 stays as it is.
    pub fn exscan(&mut self, op: Op, mine: &Vector, out: &Vector) -> Result<()> {
        let last = self.rank + 1 == self.size;
        if self.rank == 0 {
            return if last { Ok(()) } else { self.send(1, mine) };
        }
        let with_me = self.temporary(&mine.element, mine.count)?;
        self.copy(mine, &with_me)?;
        self.receive(self.rank - 1, out)?;
        self.fence();
        if !last {
            let mut before = out.clone();
            if op.may_change_input() {
                before = self.temporary(&out.element, out.count)?;
                self.copy(out, &before)?;
            }
            self.reduce(op, &before, &with_me);
            self.send(self.rank + 1, &with_me)?;
        }
        Ok(())
    }
}
