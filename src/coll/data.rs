//! Collective operations that move data (MPI 4.1 §6.3-§6.8).
//!
//! All processes are on one machine and a large message is one copy by its receiver, so whoever needs data gets it from
//! where it is: everybody's copies run at the same time. Only small broadcasts go down a tree.

use super::plan::{Planner, Vector};
use crate::error::Result;
use crate::p2p::Buffer;

/// Broadcasts of more bytes are fetched from the root by everybody.
const TREE: usize = 8 << 10;

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
            if rank != root {
                return self.receive(root, what);
            }
            return (1..size).try_for_each(|i| self.send((root + i) % size, what));
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

    /// Everybody's elements go to the root's blocks. `mine` is `None` if they are there already, `blocks` is empty
    /// elsewhere.
    pub fn gather(&mut self, mine: Option<&Vector>, blocks: &[Vector], root: usize) -> Result<()> {
        if self.rank != root {
            return mine.map_or(Ok(()), |mine| self.send(root, mine));
        }
        for (from, block) in blocks.iter().enumerate() {
            if from != root {
                self.receive(from, block)?;
            } else if let Some(mine) = mine {
                self.copy(mine, block)?;
            }
        }
        Ok(())
    }

    /// The root's blocks go to everybody. `mine` is `None` if the root's shall stay, `blocks` is empty elsewhere.
    pub fn scatter(&mut self, blocks: &[Vector], mine: Option<&Vector>, root: usize) -> Result<()> {
        if self.rank != root {
            return mine.map_or(Ok(()), |mine| self.receive(root, mine));
        }
        for (to, block) in blocks.iter().enumerate() {
            if to != root {
                self.send(to, block)?;
            } else if let Some(mine) = mine {
                self.copy(block, mine)?;
            }
        }
        Ok(())
    }

    /// Everybody's elements go to everybody's blocks. `mine` is `None` if they are in their block already.
    pub fn allgather(&mut self, mine: Option<&Vector>, blocks: &[Vector]) -> Result<()> {
        let (size, rank) = (self.size, self.rank);
        let own = &blocks[rank];
        for i in 1..size {
            let from = (rank + size - i) % size;
            self.receive(from, &blocks[from])?;
        }
        for i in 1..size {
            self.send((rank + i) % size, mine.unwrap_or(own))?;
        }
        mine.map_or(Ok(()), |mine| self.copy(mine, own))
    }

    /// Block i of process j goes to block j of process i. `send` is `None` if the blocks to be sent are where the others
    /// shall come.
    pub fn alltoall(&mut self, send: Option<&[Vector]>, receive: &[Vector]) -> Result<()> {
        let (size, rank) = (self.size, self.rank);
        let mut outgoing = Vec::with_capacity(size);
        for i in 1..size {
            let to = (rank + i) % size;
            outgoing.push((
                to,
                match send {
                    Some(blocks) => blocks[to].buffer()?,
                    None => {
                        let block = receive[to].buffer()?;
                        let copy = self.temporary_bytes(block.len());
                        self.copy_bytes(block, copy.clone());
                        copy
                    }
                },
            ));
        }
        for i in 1..size {
            let from = (rank + size - i) % size;
            self.receive(from, &receive[from])?;
        }
        for (to, buffer) in outgoing {
            self.send_bytes(to, buffer);
        }
        match send {
            Some(blocks) => self.copy(&blocks[rank], &receive[rank]),
            None => Ok(()),
        }
    }
}
