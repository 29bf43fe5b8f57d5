//! Collective operations that move data (MPI 4.1 §6.3-§6.8).
//!
//! All processes are on one machine and a large message is one copy by its receiver, so each gets the data that it needs from
//! where it is, and all copies run at the same time. Only small broadcasts go down a tree. Where there are many processes, each
//! talks to few others even if data goes from each to each: a pair that talks takes the memory of a ring.

use super::FEW;
use super::elements::Vector;
use super::planner::Planner;
use crate::error::Result;
use crate::transport::Buffer;

/// Broadcasts of more bytes are fetched from the root by everybody.
const TREE: usize = 8 << 10;
/// Blocks of an all to all that are handed on are no longer than this.
const HANDED_ON: usize = 256;

impl Planner {
    /// Nobody goes on before everybody has come.
    pub fn barrier(&mut self) {
        let (size, rank) = (self.size, self.rank);
        let mut distance = 1;
        while distance < size {
            self.receive_bytes((rank + size - distance) % size, Buffer::empty());
            self.send_bytes((rank + distance) % size, Buffer::empty());
            self.fence();
            distance *= 2;
        }
    }

    /// What the root has goes to everybody.
    pub fn broadcast(&mut self, what: &Vector, root: usize) -> Result<()> {
        let (size, rank) = (self.size, self.rank);
        if what.bytes() > TREE {
            return self.broadcast_from(what, root);
        }
        // A binomial tree: process number n (counted from the root) gets it from n without its lowest bit.
        let number = (rank + size - root) % size;
        let lowest = match number {
            0 => size.next_power_of_two(),
            n => n & n.wrapping_neg(),
        };
        if number > 0 {
            self.receive((number - lowest + root) % size, what)?;
            self.fence();
        }
        let mut bit = lowest / 2;
        while bit > 0 {
            if number + bit < size {
                self.send((number + bit + root) % size, what)?;
            }
            bit /= 2;
        }
        Ok(())
    }

    /// The same, which each gets from the root.
    pub fn broadcast_from(&mut self, what: &Vector, root: usize) -> Result<()> {
        let (size, rank) = (self.size, self.rank);
        if rank != root {
            return self.receive(root, what);
        }
        (1..size).try_for_each(|i| self.send((root + i) % size, what))
    }

    /// Everybody's elements go to the root's blocks. `mine` is `None` if they are there already, `blocks` is empty
    /// elsewhere.
    pub fn gather(&mut self, mine: Option<&Vector>, blocks: &[Vector], root: usize) -> Result<()> {
        if self.rank != root {
            return mine.map_or(Ok(()), |mine| self.send(root, mine));
        }
        let mut others = blocks.iter().enumerate().filter(|&(from, _)| from != root);
        others.try_for_each(|(from, block)| self.receive(from, block))?;
        mine.map_or(Ok(()), |mine| self.copy_own(mine, &blocks[root]))
    }

    /// The root's blocks go to everybody. `mine` is `None` if the root's shall stay, `blocks` is empty elsewhere.
    pub fn scatter(&mut self, blocks: &[Vector], mine: Option<&Vector>, root: usize) -> Result<()> {
        if self.rank != root {
            return mine.map_or(Ok(()), |mine| self.receive(root, mine));
        }
        let mut others = blocks.iter().enumerate().filter(|&(to, _)| to != root);
        others.try_for_each(|(to, block)| self.send(to, block))?;
        mine.map_or(Ok(()), |mine| self.copy_own(&blocks[root], mine))
    }

    /// Everybody's elements go to everybody's blocks. `mine` is `None` if they are in their block already.
    pub fn allgather(&mut self, mine: Option<&Vector>, blocks: &[Vector]) -> Result<()> {
        let (size, rank) = (self.size, self.rank);
        let own = &blocks[rank];
        if size > FEW {
            if let Some(mine) = mine {
                self.copy(mine, own)?;
            }
            return self.hand_on(blocks);
        }
        for i in 1..size {
            let from = (rank + size - i) % size;
            self.receive(from, &blocks[from])?;
        }
        for i in 1..size {
            self.send((rank + i) % size, mine.unwrap_or(own))?;
        }
        mine.map_or(Ok(()), |mine| self.copy_own(mine, own))
    }

    /// An allgather in log2 n rounds: before the one for distance d, a process has the d blocks from its own on.
    fn hand_on(&mut self, blocks: &[Vector]) -> Result<()> {
        let (size, rank) = (self.size, self.rank);
        let mut distance = 1;
        while distance < size {
            let more = distance.min(size - distance);
            let (before, behind) = ((rank + size - distance) % size, (rank + distance) % size);
            (0..more).try_for_each(|i| self.receive(behind, &blocks[(behind + i) % size]))?;
            (0..more).try_for_each(|i| self.send(before, &blocks[(rank + i) % size]))?;
            self.fence();
            distance *= 2;
        }
        Ok(())
    }

    /// An alltoall in log2 n rounds: a block for the process at distance d goes the powers of two that d is made of.
    fn alltoall_handed_on(&mut self, send: &[Vector], receive: &[Vector]) -> Result<()> {
        let (size, rank) = (self.size, self.rank);
        let len = receive[0].bytes();
        // By the distance that is to go at the beginning.
        let blocks = self.temporary_bytes(size * len);
        let came = self.temporary_bytes(size * len);
        for distance in 0..size {
            let block = send[(rank + distance) % size].buffer()?;
            self.copy_bytes(block, blocks.part(distance * len..(distance + 1) * len));
        }
        let mut step = 1;
        while step < size {
            let (before, behind) = ((rank + size - step) % size, (rank + step) % size);
            let runs = (step..size).step_by(2 * step);
            let runs = runs.map(|first| first * len..size.min(first + step) * len);
            for run in runs.clone() {
                self.receive_bytes(before, came.part(run));
            }
            for run in runs.clone() {
                self.send_bytes(behind, blocks.part(run));
            }
            self.fence();
            for run in runs {
                self.copy_bytes(came.part(run.clone()), blocks.part(run));
            }
            step *= 2;
        }
        for distance in 0..size {
            let block = receive[(rank + size - distance) % size].buffer()?;
            self.copy_bytes(blocks.part(distance * len..(distance + 1) * len), block);
        }
        Ok(())
    }

    /// Block i of process j goes to block j of process i, all of them alike.
    pub fn alltoall_alike(&mut self, send: Option<&[Vector]>, receive: &[Vector]) -> Result<()> {
        match self.size > FEW && receive[0].bytes() <= HANDED_ON {
            true => self.alltoall_handed_on(send.unwrap_or(receive), receive),
            false => self.alltoall(send, receive),
        }
    }

    /// Block i of process j goes to block j of process i. `send` is `None` if the blocks to be sent are where the others
    /// shall come.
    pub fn alltoall(&mut self, send: Option<&[Vector]>, receive: &[Vector]) -> Result<()> {
        self.exchange(send, receive, |_| true, |_| true)?;
        match send {
            Some(blocks) => self.copy_own(&blocks[self.rank], &receive[self.rank]),
            None => Ok(()),
        }
    }

    /// The same `to` some of the others and `from` some.
    pub fn exchange(
        &mut self,
        send: Option<&[Vector]>,
        receive: &[Vector],
        to: impl Fn(usize) -> bool,
        from: impl Fn(usize) -> bool,
    ) -> Result<()> {
        let (size, rank) = (self.size, self.rank);
        let mut outgoing = Vec::with_capacity(size);
        for to in (1..size).map(|i| (rank + i) % size).filter(|&i| to(i)) {
            let buffer = match send {
                Some(blocks) => blocks[to].buffer()?,
                None => {
                    let block = receive[to].buffer()?;
                    let copy = self.temporary_bytes(block.len());
                    self.copy_bytes(block, copy.clone());
                    copy
                }
            };
            outgoing.push((to, buffer));
        }
        for from in (1..size)
            .map(|i| (rank + size - i) % size)
            .filter(|&i| from(i))
        {
            self.receive(from, &receive[from])?;
        }
        for (to, buffer) in outgoing {
            self.send_bytes(to, buffer);
        }
        Ok(())
    }
}
