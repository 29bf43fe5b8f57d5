//! Operations that move blocks.

use super::{Begun, Blocks, Run, Short};
use crate::coll::decide::Collective;
use crate::coll::little::placed::{BOTH_GIVE, ONE_GIVES};
use crate::coll::planner::Root;
use crate::error::Result;
use crate::mpi::constants::MPI_BYTE;
use crate::runtime::notes::ROOM;
use crate::shm::copy::copy;
use std::slice::{from_raw_parts, from_raw_parts_mut};

impl Short {
    /// The root's run goes to everybody.
    #[inline(always)]
    pub fn broadcast(&self, what: Run, root: usize) -> Result<Option<()>> {
        if root == self.comm.rank {
            if self.stays(what, ONE_GIVES) {
                return Ok(None);
            }
            let begun = self.give(what)?;
            return Ok(begun.map(drop));
        }
        let Some(begun) = self.come(0)? else {
            return Ok(None);
        };
        match self.given(&begun, root, what.len) {
            // SAFETY: `root` gave so many bytes.
            Some(data) => unsafe { what.take(data) },
            None => {
                let (what, root) = (what.vector(MPI_BYTE)?, Root::There(root));
                self.go_on(begun, Collective::Broadcast { what, root })?;
            }
        }
        Ok(Some(()))
    }

    /// Everybody's run goes to its block of as many bytes, which the root has.
    #[inline(always)]
    pub fn gather(&self, mine: Run, blocks: Option<&Blocks>, root: usize) -> Result<Option<()>> {
        let begun = match blocks {
            Some(_) => self.come(mine.len)?,
            None if self.stays(mine, ONE_GIVES) => return Ok(None),
            None => self.give(mine)?,
        };
        let Some(begun) = begun else {
            return Ok(None);
        };
        if let Some(blocks) = blocks {
            // SAFETY: the block is as long.
            unsafe { blocks.get()[root].take(mine.bytes()) };
            if !self.take_all(&begun, blocks) {
                return self.gather_otherwise(begun, mine, blocks).map(Some);
            }
        }
        Ok(Some(()))
    }

    /// Takes what the others gave. False, if one gave something else than is wanted.
    #[inline(always)]
    fn take_all(&self, begun: &Begun, blocks: &Blocks) -> bool {
        let blocks = blocks.get();
        self.others().all(|from| {
            let block = blocks[from];
            // Of more than two nobody waits for what is to be empty.
            if block.len == 0 && blocks.len() > 2 {
                return true;
            }
            let data = self.given(begun, from, block.len);
            // SAFETY: `from` gave so many bytes.
            data.map(|data| unsafe { block.take(data) }).is_some()
        })
    }

    #[cold]
    fn gather_otherwise(&self, begun: Begun, mine: Run, blocks: &Blocks) -> Result<()> {
        let what = Collective::Gather {
            mine: Some(mine.vector(MPI_BYTE)?),
            blocks: blocks.vectors()?,
            root: Root::Here,
            alike: true,
        };
        self.go_on(begun, what)
    }

    /// Each gets its block, of as many bytes as `mine`, of those that the root has.
    #[inline(always)]
    pub fn scatter(&self, blocks: Option<&Blocks>, mine: Run, root: usize) -> Result<Option<()>> {
        let (me, of_two) = (self.comm.rank, self.comm.meeting.size() == 2);
        let Some(blocks) = blocks else {
            return self.take_mine(mine, root);
        };
        let begun = match of_two {
            true => {
                let outgoing = blocks.get()[1 - me];
                if self.stays(outgoing, ONE_GIVES) {
                    return Ok(None);
                }
                self.begin(outgoing, outgoing.len, mine.len + outgoing.len)?
            }
            false => self.give_each(blocks)?,
        };
        if begun.is_some() {
            // SAFETY: the block is as long.
            unsafe { mine.take(blocks.get()[me].bytes()) };
        }
        Ok(begun.map(drop))
    }

    /// The part of one that is not the root.
    #[inline(always)]
    fn take_mine(&self, mine: Run, root: usize) -> Result<Option<()>> {
        let Some(begun) = self.come(0)? else {
            return Ok(None);
        };
        let data = match self.comm.meeting.size() {
            2 => self.given(&begun, root, mine.len),
            _ => self.given_here(&begun, root, mine.len),
        };
        match data {
            // SAFETY: `root` gave so many bytes.
            Some(data) => unsafe { mine.take(data) },
            None => {
                let what = Collective::Scatter {
                    blocks: Vec::new(),
                    mine: Some(mine.vector(MPI_BYTE)?),
                    root: Root::There(root),
                    alike: true,
                };
                self.go_on(begun, what)?;
            }
        }
        Ok(Some(()))
    }

    /// Begins by a note with a block for each of the others, behind the lengths of all.
    fn give_each(&self, blocks: &Blocks) -> Result<Option<Begun>> {
        let (me, blocks) = (self.comm.rank, blocks.get());
        let lengths = blocks.len() * size_of::<u32>();
        let given: usize = blocks.iter().map(|block| block.len).sum();
        let all = lengths + given - blocks[me].len;
        let pinned = self.comm.meeting.pin(all, all, &self.what(), |room| {
            // SAFETY: the note has room for all, and is aligned as lengths are.
            let told = unsafe { from_raw_parts_mut(room.cast::<u32>(), blocks.len()) };
            let mut at = lengths;
            for (to, block) in blocks.iter().enumerate() {
                told[to] = if to == me { 0 } else { block.len as u32 };
                if to != me {
                    // SAFETY: the blocks are the operation's.
                    unsafe { copy(block.bytes(), room.wrapping_add(at), block.len) };
                    at += block.len;
                }
            }
            Ok(())
        })?;
        Ok(pinned.map(|round| self.begun(round, given)))
    }

    /// The block of `len` bytes that `from` gave to this process in such a note.
    fn given_here(&self, begun: &Begun, from: usize, len: usize) -> Option<*const u8> {
        let (me, size) = (self.comm.rank, self.comm.meeting.size());
        let lengths = size * size_of::<u32>();
        let number = begun.round.number(from, &self.what()).ok()?;
        // Other numbers say that something else is there.
        if !(lengths..=ROOM).contains(&number) {
            return None;
        }
        let data = begun.round.data(from, number);
        // SAFETY: such a note begins with lengths, and is aligned as they are.
        let told = unsafe { from_raw_parts(data.cast::<u32>(), size) };
        let before: usize = told[..me].iter().map(|&len| len as usize).sum();
        // In one of another call anything may stand for lengths.
        let is_such = told[me] as usize == len && lengths + before + len <= number;
        is_such.then(|| data.wrapping_add(lengths + before))
    }

    /// Everybody's run goes to its block of as many bytes at everybody. `alike`: all blocks are as long.
    #[inline(always)]
    pub fn allgather(&self, mine: Run, blocks: &Blocks, alike: bool) -> Result<Option<()>> {
        // Of two, such blocks may stay where they are: then their notes say so. Those that are alike are on the board else.
        let of_two = self.comm.meeting.size() == 2;
        let may_stay = match alike {
            false => true,
            true => match self.sharing_cores()? {
                None => return Ok(None),
                Some(sharing) => of_two && mine.len >= BOTH_GIVE && !sharing,
            },
        };
        if may_stay && self.stays(mine, BOTH_GIVE) {
            return Ok(None);
        }
        let Some(begun) = self.give(mine)? else {
            return Ok(None);
        };
        begun.round.expect_to_give(mine.len);
        if !self.take_all(&begun, blocks) {
            if may_stay {
                return self
                    .allgather_otherwise(begun, mine, blocks, alike)
                    .map(Some);
            }
            // What could not be taken then may be there now.
            for from in self.others() {
                let data = self.sure(&begun, from, mine.len, mine.len)?;
                // SAFETY: `from` gave so many bytes.
                unsafe { blocks.get()[from].take(data) };
            }
        }
        // SAFETY: the block is as long.
        unsafe { blocks.get()[self.comm.rank].take(mine.bytes()) };
        Ok(Some(()))
    }

    #[cold]
    fn allgather_otherwise(
        &self,
        begun: Begun,
        mine: Run,
        blocks: &Blocks,
        alike: bool,
    ) -> Result<()> {
        let what = Collective::Allgather {
            mine: Some(mine.vector(MPI_BYTE)?),
            blocks: blocks.vectors()?,
            alike,
        };
        self.go_on(begun, what)
    }

    /// Block i of process j, of `len` bytes, goes to block j of process i.
    #[inline(always)]
    pub fn alltoall(&self, send: Run, receive: Run, len: usize) -> Result<Option<()>> {
        let (me, of_two) = (self.comm.rank, self.comm.meeting.size() == 2);
        let Some(sharing) = self.sharing_cores()? else {
            return Ok(None);
        };
        if of_two && send.len >= BOTH_GIVE && !sharing {
            let blocks = |all| Blocks::alike(all, len, 2);
            let (send, receive) = (blocks(send), blocks(receive));
            return self.exchange(&send, &receive, true);
        }
        let Some(begun) = self.begin(send, len, send.len)? else {
            return Ok(None);
        };
        // SAFETY: the block is as long.
        unsafe { receive.block(me, len).take(send.block(me, len).bytes()) };
        for from in self.others() {
            let blocks = self.sure(&begun, from, len, send.len)?;
            // SAFETY: `from` gave as many blocks of so many bytes.
            unsafe { receive.block(from, len).take(blocks.wrapping_add(me * len)) };
        }
        Ok(Some(()))
    }

    /// The same of blocks of any length, by notes that have those for the others alone. `alike`: all blocks are as long.
    #[inline(never)]
    pub fn exchange(&self, send: &Blocks, receive: &Blocks, alike: bool) -> Result<Option<()>> {
        let me = self.comm.rank;
        if self.comm.meeting.size() == 2 && self.stays(send.get()[1 - me], BOTH_GIVE) {
            return Ok(None);
        }
        let Some(begun) = self.give_each(send)? else {
            return Ok(None);
        };
        begun.round.expect_to_give(send.get()[0].len);
        for from in self.others() {
            let block = receive.get()[from];
            // Nobody looks at what is to be empty.
            if block.len == 0 {
                continue;
            }
            let Some(data) = self.given_here(&begun, from, block.len) else {
                let what = Collective::Alltoall {
                    send: Some(send.vectors()?),
                    receive: receive.vectors()?,
                    alike,
                };
                return self.go_on(begun, what).map(Some);
            };
            // SAFETY: `from` gave so many bytes.
            unsafe { block.take(data) };
        }
        // SAFETY: the block is as long.
        unsafe { receive.get()[me].take(send.get()[me].bytes()) };
        Ok(Some(()))
    }
}
