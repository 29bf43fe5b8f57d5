//! Where the members of a meeting decide something together though some of them may die meanwhile: rounds of a
//! [consensus](crate::shm::consensus), and what they are about.
//!
//! The place is made by the first member that needs it, as most communicators never do. It ends when all members have left it. Where one
//! has died it stays until the job ends, as the meeting does.
//!
//! A member's rounds go one after another, in the order in which they were begun.

use super::failures::has_failed;
use super::needs::Need;
use super::{job, ring};
use crate::check::clock::{self, Key};
use crate::error::Result;
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::shm::consensus::Consensus;
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, heap};
use std::sync::Arc;

/// The shared part, followed by the words of the consensus.
#[repr(C, align(128))]
struct Block {
    /// Members that have left for good.
    gone: AtomicU32,
    /// The rank in the job of the member that made the block.
    owner: AtomicU32,
}

/// Words of a part before its sets of members.
const HEAD: usize = 3;

/// One member's view of the place.
pub struct Council {
    offset: Offset,
    block: &'static Block,
    table: Consensus<'static>,
    /// The members' ranks in the job, and this one's place among them.
    pub members: Arc<[u32]>,
    pub seat: usize,
    /// Rounds that this member has begun, and those of them that it has ended.
    begun: AtomicU64,
    ended: AtomicU64,
}

/// Whose seats, a bit each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seats(Vec<u64>);

/// What a member gives to a round, and what is decided from what all have given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Decided: the bits that all have.
    pub flag: u64,
    /// Two numbers, of one member alone; of others 0.
    pub site: [u64; 2],
    /// Members whose failure is acknowledged. Decided: by all that took part.
    pub acknowledged: Seats,
    /// Decided: those that were gone.
    pub gone: Seats,
}

impl Seats {
    fn words(seats: usize) -> usize {
        seats.div_ceil(64)
    }

    /// Those of `members` that are among `ranks` of the job.
    pub fn of(members: &[u32], ranks: &[u32]) -> Seats {
        let mut seats = Seats(vec![0; Seats::words(members.len())]);
        for (seat, member) in members.iter().enumerate() {
            if ranks.contains(member) {
                seats.insert(seat);
            }
        }
        seats
    }

    fn insert(&mut self, seat: usize) {
        self.0[seat / 64] |= 1 << (seat % 64);
    }

    pub fn contains(&self, seat: usize) -> bool {
        self.0[seat / 64] >> (seat % 64) & 1 == 1
    }

    /// The first that is not one of `others`.
    pub fn first_beside(&self, others: &Seats) -> Option<usize> {
        let seats = 0..64 * self.0.len();
        seats
            .into_iter()
            .find(|&seat| self.contains(seat) && !others.contains(seat))
    }
}

impl Part {
    /// One that says nothing, among so many members.
    pub fn new(members: usize) -> Part {
        let nobody = Seats(vec![0; Seats::words(members)]);
        Part {
            flag: u64::MAX,
            site: [0; 2],
            acknowledged: nobody.clone(),
            gone: nobody,
        }
    }

    const fn width(members: usize) -> usize {
        HEAD + 2 * members.div_ceil(64)
    }

    fn words(&self) -> Vec<u64> {
        let head = [self.flag, self.site[0], self.site[1]];
        [&head, &*self.acknowledged.0, &*self.gone.0].concat()
    }

    fn of_words(words: &[u64]) -> Part {
        let (head, sets) = words.split_at(HEAD);
        let (acknowledged, gone) = sets.split_at(sets.len() / 2);
        Part {
            flag: head[0],
            site: [head[1], head[2]],
            acknowledged: Seats(acknowledged.to_vec()),
            gone: Seats(gone.to_vec()),
        }
    }

    /// Takes another member's part into what is proposed.
    fn add(&mut self, other: &Part) {
        self.flag &= other.flag;
        if self.site == [0; 2] {
            self.site = other.site;
        }
        for (all, theirs) in self.acknowledged.0.iter_mut().zip(&other.acknowledged.0) {
            *all &= theirs;
        }
    }
}

impl Council {
    fn bytes(members: usize) -> usize {
        size_of::<Block>() + 8 * Consensus::words(members, Part::width(members))
    }

    /// The place of a meeting, whose offset stands in `place`, or is put there. Error: `MPI_ERR_NO_MEM`.
    pub(super) fn open(place: &AtomicU64, members: Arc<[u32]>, seat: usize) -> Result<Council> {
        let bytes = Council::bytes(members.len());
        let mut offset = place.load(Ordering::Acquire);
        if offset == 0 {
            let fresh = heap::Owned::new(heap::alloc_zeroed(bytes, LINE)?);
            let block = Council::block(fresh.offset());
            block.owner.store(job().rank, Ordering::Relaxed);
            let own = fresh.offset() as u64;
            offset = match place.compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => fresh.keep() as u64,
                Err(other) => other,
            };
        }
        let offset = offset as Offset;
        segment().reach(offset, bytes)?;
        let words = Consensus::words(members.len(), Part::width(members.len()));
        // SAFETY: the words lie behind the head of a block of this size, are atomics, and are freed only after every member has left.
        let words = unsafe {
            let first = segment().at::<AtomicU64>(offset + size_of::<Block>());
            std::slice::from_raw_parts(first, words)
        };
        Ok(Council {
            offset,
            block: Council::block(offset),
            table: Consensus::new(words, members.len(), Part::width(members.len())),
            members,
            seat,
            begun: AtomicU64::new(0),
            ended: AtomicU64::new(0),
        })
    }

    fn block(offset: Offset) -> &'static Block {
        // SAFETY: `offset` is of a zeroed block of atomics, freed only after every member has left.
        unsafe { &*segment().at::<Block>(offset) }
    }

    /// Begins a round, the next of this member's.
    pub fn begin(self: Arc<Council>, part: Part) -> Round {
        let number = self.begun.fetch_add(1, Ordering::AcqRel) + 1;
        Round {
            council: self,
            number,
            part,
            has_entered: false,
        }
    }

    fn ring_others(&self) {
        self.members.iter().for_each(|&member| ring(member));
    }
}

impl Drop for Council {
    fn drop(&mut self) {
        let own = self.block.owner.load(Ordering::Relaxed) == job().rank;
        let members = self.members.len() as u32;
        heap::leave(self.offset, &self.block.gone, members, own);
    }
}

/// A round in which this member takes part.
pub struct Round {
    pub council: Arc<Council>,
    number: u64,
    part: Part,
    has_entered: bool,
}

impl Round {
    /// Goes on without blocking: what was decided, once it is.
    pub fn advance(&mut self) -> Option<Part> {
        let council = &*self.council;
        let table = council.table;
        if !self.has_entered {
            if council.ended.load(Ordering::Acquire) + 1 != self.number {
                return None;
            }
            clock::leave(|| self.key());
            table.enter(self.number, council.seat, &self.part.words());
            self.has_entered = true;
            council.ring_others();
        }
        if table.decided(self.number).is_none() {
            let proposal = self.proposal()?;
            table.propose(self.number, council.seat, &proposal.words());
            council.ring_others();
        }
        let decided = table.decided(self.number)?;
        council.ended.store(self.number, Ordering::Release);
        // Something of each member's part is in it.
        for &member in council.members.iter() {
            clock::meet(member, || self.key());
        }
        Some(Part::of_words(&decided))
    }

    /// What the round stands for, in checks.
    fn key(&self) -> Key {
        Key::new(clock::COUNCIL, self.council.offset as u64, self.number, 0)
    }

    /// What follows from the parts, if nobody is waited for any more.
    fn proposal(&self) -> Option<Part> {
        let council = &*self.council;
        let mut proposal = self.part.clone();
        for (seat, &member) in council.members.iter().enumerate() {
            // Asked first: a part that was given before counts.
            let is_gone = has_failed(member);
            match council.table.part(self.number, seat) {
                Some(part) => proposal.add(&Part::of_words(&part)),
                None if is_gone => {}
                None => return None,
            }
            if is_gone {
                proposal.gone.insert(seat);
            }
        }
        Some(proposal)
    }

    /// Who has to come so that it is decided.
    pub fn need(&self) -> Need {
        let council = &*self.council;
        let missing = council
            .members
            .iter()
            .enumerate()
            .filter(|&(seat, _)| council.table.part(self.number, seat).is_none());
        Need::each(missing.map(|(_, &member)| member))
    }
}
