//! The numbers of communicators, which tell their messages apart.
//!
//! Each process numbers the communicators that it leads, out of a part of the numbers that is its own. A number goes with the
//! block of shared memory where the communicator's processes meet: the block is given out again only when all of them have
//! left, so two communicators that are there at the same time have different blocks, and may be numbered by them. Until half
//! of its part is used up, a process takes a new number each time all the same, so that nothing left over from a freed
//! communicator meets messages of a later one; the other half is for blocks that had none yet. So the numbers never run out:
//! there are more than there is memory for blocks. A process in whose place another one was before it, and in whose part of the
//! numbers, goes on where that has stopped.
//!
//! Of the 2^29 numbers each process has a part; contexts from 2^31 on are those of [letters](super::letter). A communicator has
//! four: its messages', its collectives', and two of partitioned communication.

use crate::bail;
use crate::error::Result;
use crate::runtime::{job, me, revoked};
use crate::shm::Offset;
use crate::shm::atomic::Ordering;
use crate::transport::COMMUNICATORS;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// The first are MPI_COMM_WORLD's and MPI_COMM_SELF's.
const PREDEFINED: u32 = 2;

/// The numbers of one process.
struct Own {
    used: u32,
    /// The number that went with a block last.
    of_block: BTreeMap<Offset, u32>,
}

static OWN: Mutex<Own> = Mutex::new(Own {
    used: 0,
    of_block: BTreeMap::new(),
});

impl Own {
    /// A number below `all` for the communicator that has `block`. One that was revoked is never given again. `before` have been used by
    /// processes that had the same part.
    fn number(
        &mut self,
        block: Offset,
        all: u32,
        before: u32,
        is_revoked: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        if self.used == 0 && before < all / 2 {
            self.used = before;
        }
        if self.used >= all / 2
            && let Some(&number) = self.of_block.get(&block)
            && !is_revoked(number)
        {
            return Some(number);
        }
        let number = (self.used..all).find(|&number| !is_revoked(number))?;
        self.used = number + 1;
        self.of_block.insert(block, number);
        Some(number)
    }
}

/// The number of a communicator that this process leads, whose processes meet in `block`. Error: `MPI_ERR_NO_MEM` when there
/// are no numbers left.
pub fn number(block: Offset) -> Result<u32> {
    let job = job();
    let all = (COMMUNICATORS - PREDEFINED) / job.room() as u32;
    let whole = |number| PREDEFINED + job.rank * all + number;
    let is_revoked = |number| revoked::revoker(whole(number)).is_some();
    let mut own = OWN.lock();
    let before = &me().numbers;
    match own.number(block, all, before.load(Ordering::Relaxed), is_revoked) {
        Some(number) => {
            before.store(own.used, Ordering::Relaxed);
            Ok(whole(number))
        }
        None => bail!(
            NoMem,
            "this process leads as many communicators as there are numbers for, {all}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn communicators_of_different_blocks_have_different_numbers_for_ever() {
        let (mut own, all) = (
            Own {
                used: 0,
                of_block: BTreeMap::new(),
            },
            1000,
        );
        let never = |_| false;
        // Three at a time, far more often than there are numbers.
        for round in 0..all {
            let blocks = [1, 2, 3 + round as Offset % 100];
            let numbers = blocks.map(|block| own.number(block, all, 0, never).unwrap());
            assert!(numbers[0] != numbers[1] && !numbers[..2].contains(&numbers[2]));
            assert!(numbers.into_iter().all(|number| number < all));
            if round < all / 6 {
                assert_eq!(numbers, [0, 1, 2].map(|i| 3 * round + i));
            }
        }
        // Blocks that had none get one, until there are none.
        let fresh = (own.used..all).map(|i| own.number(1000 + i as Offset, all, 0, never));
        let fresh: Vec<_> = fresh.collect();
        assert!(fresh.iter().all(Option::is_some));
        assert_eq!(own.number(5000, all, 0, never), None);
        assert!(own.number(1, all, 0, never).is_some());
        assert_eq!(own.number(1, all, 0, |_| true), None);
    }

    #[test]
    fn who_gets_a_part_that_was_used_goes_on_there() {
        let new = || Own {
            used: 0,
            of_block: BTreeMap::new(),
        };
        assert_eq!(new().number(1, 1000, 7, |_| false), Some(7));
        assert_eq!(new().number(1, 1000, 7, |number| number < 9), Some(9));
        // What is left over from the first ones is long gone.
        assert_eq!(new().number(1, 1000, 500, |_| false), Some(0));
    }
}
