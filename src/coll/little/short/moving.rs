//! Operations that move blocks.

use super::{Begun, Blocks, Run, Short};
use crate::coll::decide::Collective;
use crate::coll::little::placed::{BOTH_GIVE, ONE_GIVES};
use crate::coll::planner::Root;
use crate::error::Result;
use crate::mpi::constants::MPI_BYTE;
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

    /// Each gets its block of the root's, of as many bytes as `mine`.
    #[inline(always)]
    pub fn scatter(&self, blocks: Run, mine: Run, root: usize) -> Result<Option<()>> {
        let (me, len, size) = (self.comm.rank, mine.len, self.comm.meeting.size());
        let of_two = size == 2;
        let begun = match root == me {
            false => self.come(0)?,
            true if of_two => {
                let outgoing = blocks.block(1 - me, len);
                if self.stays(outgoing, ONE_GIVES) {
                    return Ok(None);
                }
                self.begin(outgoing, len, 2 * len)?
            }
            true => self.give_each(blocks, len)?,
        };
        let Some(begun) = begun else {
            return Ok(None);
        };
        if root == me {
            // SAFETY: the block is as long.
            unsafe { mine.take(blocks.block(me, len).bytes()) };
            return Ok(Some(()));
        }
        let data = match of_two {
            true => self.given(&begun, root, len),
            false => self.given_here(&begun, root, len),
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
                return self.go_on(begun, what).map(Some);
            }
        }
        Ok(Some(()))
    }

    /// Begins by a note with a block of `len` bytes for each of the others, behind the lengths of all.
    fn give_each(&self, blocks: Run, len: usize) -> Result<Option<Begun>> {
        let (me, size) = (self.comm.rank, self.comm.meeting.size());
        let (lengths, before, after) = (size * size_of::<u32>(), me * len, (size - me - 1) * len);
        let all = lengths + before + after;
        let pinned = self.comm.meeting.pin(all, all, &self.what(), |room| {
            // SAFETY: the note has room for all, and is aligned as lengths are; the blocks are the operation's.
            unsafe {
                let told = from_raw_parts_mut(room.cast::<u32>(), size);
                told.fill(len as u32);
                told[me] = 0;
                let room = room.wrapping_add(lengths);
                copy(blocks.bytes(), room, before);
                let others = blocks.block(me + 1, len);
                copy(others.bytes(), room.wrapping_add(before), after);
            }
            Ok(())
        })?;
        Ok(pinned.map(|round| self.begun(round, size * len)))
    }

    /// The block of `len` bytes that `from` gave to this process in such a note.
    fn given_here(&self, begun: &Begun, from: usize, len: usize) -> Option<*const u8> {
        let (me, size) = (self.comm.rank, self.comm.meeting.size());
        let (lengths, blocks) = (size * size_of::<u32>(), (size - 1) * len);
        let data = self.given(begun, from, lengths + blocks)?;
        // SAFETY: such a note begins with lengths, and is aligned as they are.
        let told = unsafe { from_raw_parts(data.cast::<u32>(), size) };
        let before: usize = told[..me].iter().map(|&len| len as usize).sum();
        // One of another call may be as long.
        let is_such = told[me] as usize == len && before + len <= blocks;
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
        if !self.take_all(&begun, blocks) {
            if may_stay {
                return self
                    .allgather_otherwise(begun, mine, blocks, alike)
                    .map(Some);
            }
            for from in self.others() {
                self.sure(&begun, from, mine.len, mine.len)?;
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
            return match self.stays(send.block(1 - me, len), BOTH_GIVE) {
                true => Ok(None),
                false => self.exchange(send, receive, len),
            };
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

    /// The same of two by notes that have the other one's block alone.
    fn exchange(&self, send: Run, receive: Run, len: usize) -> Result<Option<()>> {
        let (me, other) = (self.comm.rank, 1 - self.comm.rank);
        let Some(begun) = self.give_each(send, len)? else {
            return Ok(None);
        };
        let Some(data) = self.given_here(&begun, other, len) else {
            return self.exchange_otherwise(begun, send, receive, len).map(Some);
        };
        // SAFETY: the blocks are as long.
        unsafe {
            receive.block(me, len).take(send.block(me, len).bytes());
            receive.block(other, len).take(data);
        }
        Ok(Some(()))
    }

    #[cold]
    fn exchange_otherwise(&self, begun: Begun, send: Run, receive: Run, len: usize) -> Result<()> {
        let what = Collective::Alltoall {
            send: Some(self.vectors(send, len)?),
            receive: self.vectors(receive, len)?,
            alike: true,
        };
        self.go_on(begun, what)
    }
}
