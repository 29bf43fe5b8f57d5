//! Reductions by predefined operations, of elements without gaps.

use super::{Begun, Run, Short};
use crate::coll::decide::Collective;
use crate::coll::little::placed::{BOTH_GIVE, ONE_GIVES};
use crate::coll::planner::Root;
use crate::coll::shared::ALLREDUCE_ALONE;
use crate::error::Result;
use crate::mpi::types::MPI_Datatype;
use crate::op::{Kernel, Op};
use crate::runtime::notes::MEMBERS;
use std::ptr::{null, with_exposed_provenance_mut};

/// What a process folds: a predefined operation, on elements without gaps.
#[derive(Clone, Copy)]
pub struct Folding {
    pub op: Op,
    pub datatype: MPI_Datatype,
    pub kernel: &'static Kernel,
    /// Bytes of an element of the kernel's.
    pub size: usize,
}

impl Folding {
    /// `out` = `parts[0]` op `parts[1]` op …, of `out.len` bytes each. The last may be `out` itself.
    ///
    /// # Safety
    /// They are there, and are elements of the operation's.
    unsafe fn fold(&self, parts: &Parts, out: Run) {
        let Some((last, parts)) = parts.all[..parts.len].split_last() else {
            return;
        };
        let inout = with_exposed_provenance_mut::<u8>(out.address);
        // SAFETY: the caller's promise.
        unsafe {
            if *last != inout.cast_const() {
                out.take(*last);
            }
            for part in parts.iter().rev() {
                (self.kernel.apply)(*part, inout, out.len / self.size);
            }
        }
    }
}

/// What everybody gave.
struct Parts {
    all: [*const u8; MEMBERS],
    len: usize,
}

impl Parts {
    const NONE: Parts = Parts {
        all: [null(); MEMBERS],
        len: 0,
    };

    #[inline(always)]
    fn push(&mut self, part: *const u8) {
        self.all[self.len] = part;
        self.len += 1;
    }
}

impl Short {
    /// Everybody's elements are folded into the root's `out`.
    #[inline(always)]
    pub fn reduce(&self, folding: &Folding, mine: Run, out: Option<Run>) -> Result<Option<()>> {
        let (len, of_two) = (mine.len, self.comm.meeting.size() == 2);
        // Of two elements it does not matter which is the first: the root's own stay where they are.
        let begun = match out {
            Some(_) if of_two => self.begin(Run::NONE, len, len)?,
            None if self.stays(mine, ONE_GIVES) => return Ok(None),
            _ => self.give(mine)?,
        };
        let Some(begun) = begun else {
            return Ok(None);
        };
        let Some(out) = out else {
            return Ok(Some(()));
        };
        let Some(parts) = self.parts(&begun, mine, 0)? else {
            let what = Collective::Reduce {
                op: folding.op,
                mine: Some(mine.vector(folding.datatype)?),
                out: Some(out.vector(folding.datatype)?),
                root: Root::Here,
            };
            return self.go_on(begun, what).map(Some);
        };
        // SAFETY: everybody gave so many bytes.
        unsafe { folding.fold(&parts, out) };
        Ok(Some(()))
    }

    /// Everybody's elements are folded into everybody's `out`.
    #[inline(always)]
    pub fn allreduce(&self, folding: &Folding, mine: Run, out: Run) -> Result<Option<()>> {
        let members = self.comm.meeting.size();
        if members == 2 {
            // The longer way of two asks for that.
            self.sharing_cores()?;
        } else if mine.len * (members - 1) > ALLREDUCE_ALONE {
            return Ok(None);
        }
        // What is folded over its own elements cannot stay.
        if mine.address != out.address && self.stays(mine, BOTH_GIVE) {
            return Ok(None);
        }
        let Some(begun) = self.give(mine)? else {
            return Ok(None);
        };
        begun.round.expect_to_give(mine.len);
        let Some(parts) = self.parts(&begun, mine, 0)? else {
            let what = Collective::Allreduce {
                op: folding.op,
                mine: mine.vector(folding.datatype)?,
                out: out.vector(folding.datatype)?,
            };
            return self.go_on(begun, what).map(Some);
        };
        // SAFETY: everybody gave so many bytes.
        unsafe { folding.fold(&parts, out) };
        Ok(Some(()))
    }

    /// The same, of which each process gets the part that begins at `skip`.
    #[inline(always)]
    pub fn reduce_scatter(
        &self,
        folding: &Folding,
        mine: Run,
        (skip, out): (usize, Run),
        counts: impl FnOnce() -> Vec<usize>,
    ) -> Result<Option<()>> {
        if self.stays(mine, BOTH_GIVE) {
            return Ok(None);
        }
        let Some(begun) = self.give(mine)? else {
            return Ok(None);
        };
        begun.round.expect_to_give(mine.len);
        let Some(parts) = self.parts(&begun, mine, skip)? else {
            let what = Collective::ReduceScatter {
                op: folding.op,
                mine: mine.vector(folding.datatype)?,
                counts: counts(),
                out: out.vector(folding.datatype)?,
            };
            return self.go_on(begun, what).map(Some);
        };
        // SAFETY: everybody gave so many bytes.
        unsafe { folding.fold(&parts, out) };
        Ok(Some(()))
    }

    /// What everybody gave, from byte `skip` on; of two, this process's own where it lies. `None`: the other one of two gave it otherwise.
    #[inline(always)]
    fn parts(&self, begun: &Begun, mine: Run, skip: usize) -> Result<Option<Parts>> {
        let mut parts = Parts::NONE;
        if self.comm.meeting.size() == 2 {
            let Some(other) = self.given(begun, 1 - self.comm.rank, mine.len) else {
                return Ok(None);
            };
            parts.push(other.wrapping_add(skip));
            parts.push(mine.bytes().wrapping_add(skip));
            return Ok(Some(parts));
        }
        for from in 0..self.comm.meeting.size() {
            let part = self.sure(begun, from, mine.len, mine.len)?;
            parts.push(part.wrapping_add(skip));
        }
        Ok(Some(parts))
    }
}
