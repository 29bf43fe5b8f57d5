//! Where the members of a communicator or a window meet: a barrier, and an exchange of small values, both directly in
//! shared memory.
//!
//! **Exchange.** A member has a slot of 128 bytes in each of two rounds of slots. It writes its value, passes the barrier,
//! reads all. One barrier is enough: the slots of the next exchange are the others, and those of this one are written again two
//! exchanges later, when all have passed the barrier between, and so have read. Agreement is built on it: each member gives its
//! part, or the class of its error. All see the same values, so all go on or all return an error, and nobody is left waiting
//! for one that has failed. With its value each gives a mark: what kind of value it is, and of which exchange. So members that are in
//! different collective calls by mistake get an error, and not values of something else.
//!
//! The block is allocated by one member and freed when all have left ([`heap::leave`]). After a death nobody comes to the
//! barrier any more: a round that cannot be complete is refused before it is counted, so the arrivals of a round are always
//! those of different members.

use super::board::Board;
use super::council::Council;
use super::deaths::{Ranks, check_alive};
use super::failures::has_failed;
use super::job;
use super::needs::Needs;
use super::neutral::Neutral;
use super::notes::{self, Notes};
use super::revoked;
use super::ties::{Ties, Why};
use super::wait::{Waiting, wait};
use crate::bail;
use crate::check;
use crate::check::clock::{self, Key};
use crate::error::Result;
use crate::naming;
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering, full_fence};
use crate::shm::barrier::{self, Barrier};
use crate::shm::reader::{Plain, Reader};
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, PAGE, heap};
use parking_lot::Mutex;
use rustc_hash::FxHasher;
use std::any::type_name;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Bytes of a member's place in an exchange, and the most that it can give.
const SLOT: usize = LINE;
pub const MOST: usize = SLOT - size_of::<u64>();

/// What a member gives.
#[repr(C)]
struct Given<T> {
    /// Of what kind and which exchange it is.
    mark: u64,
    what: T,
}

/// The mark of a value of type `T` in an exchange: the same in all interfaces.
fn mark<T>(exchange: u32) -> u64 {
    let mut hasher = FxHasher::default();
    type_name::<T>().hash(&mut hasher);
    hasher.finish() << 32 | u64::from(exchange)
}

/// The shared part, followed by two rounds of slots.
#[repr(C, align(128))]
struct Block {
    barrier: Barrier,
    /// Members that have left for good; the block's owner frees it when all have.
    gone: AtomicU32,
    /// The rank in the job of the member that made the block.
    owner: AtomicU32,
    members: AtomicU32,
    /// [`MARK`], for those that look at the job from outside.
    mark: AtomicU32,
    /// Where they decide something though some may die (an offset), once anybody has needed that; 0 before.
    council: AtomicU64,
}

/// What marks a meeting's block.
const MARK: u32 = u32::from_le_bytes(*b"meet");

// SAFETY: atomics, and the padding of lines.
unsafe impl Plain for Block {}

/// Of the barrier whose members wait with this key: how many of how many have come. For those that look at the job from outside.
pub(super) fn come(reader: &Reader, key: u64) -> Option<(u32, u32)> {
    let is_place = key >= PAGE as u64 && key.is_multiple_of(LINE as u64);
    let block: Box<Block> = is_place.then(|| reader.read(key as Offset).ok())??;
    let members = block.members.load(Ordering::Relaxed);
    let come = block.barrier.come();
    let fits = block.mark.load(Ordering::Relaxed) == MARK && come <= members;
    fits.then_some((come, members))
}

/// One member's view of the place.
pub struct Meeting {
    block: &'static Block,
    offset: Offset,
    /// The members' ranks in the job, in the order of their ranks here.
    pub members: Arc<[u32]>,
    /// The caller's place among them.
    pub rank: usize,
    /// How many exchanges there were.
    exchanges: AtomicU32,
    /// How many barriers, for checks.
    barriers: AtomicU32,
    /// Set when it was first needed; `None` if there was no memory for it.
    board: OnceLock<Option<Board>>,
    /// As the board.
    notes: OnceLock<Option<Notes>>,
    /// Where they decide, once this member has needed that.
    council: Mutex<Option<Arc<Council>>>,
    /// The number of the communicator that meets here, which may be revoked.
    revocable: Option<u32>,
    /// To the worlds of the others.
    ties: Ties,
    /// Where there are such, what [`generations`] were.
    generations: u32,
}

/// A number that grows when the place of one of these is given to another process.
fn generations(members: &[u32]) -> u32 {
    let places = members
        .iter()
        .map(|&member| &job().table.processes[member as usize]);
    places
        .map(|place| place.generation.load(Ordering::Acquire))
        .fold(0, u32::wrapping_add)
}

impl Meeting {
    /// Bytes of the segment that a meeting of `size` members needs.
    pub fn bytes(size: usize) -> usize {
        size_of::<Block>() + 2 * size * SLOT
    }

    /// Makes the shared part, for one of the members to hand to the others; they all then [`Meeting::open`] it.
    pub fn create(size: usize) -> Result<Offset> {
        Meeting::create_with(size, 0)
    }

    /// The same with `more` zeroed bytes behind the [`Meeting::bytes`] of it, which end with the meeting.
    pub fn create_with(size: usize, more: usize) -> Result<Offset> {
        let offset = heap::alloc_zeroed(Meeting::bytes(size) + more, LINE)?;
        let block = Meeting::block(offset);
        block.owner.store(job().rank, Ordering::Relaxed);
        block.members.store(size as u32, Ordering::Relaxed);
        block.mark.store(MARK, Ordering::Relaxed);
        Ok(offset)
    }

    fn block(offset: Offset) -> &'static Block {
        // SAFETY: `offset` came from `create`: a zeroed block of atomics, freed only after every member has left.
        unsafe { &*segment().at::<Block>(offset) }
    }

    /// The meeting at `offset`, for member number `rank` of `members`. Error: `MPI_ERR_NO_MEM` where this process cannot map
    /// it.
    pub fn open(offset: Offset, members: Arc<[u32]>, rank: usize) -> Result<Meeting> {
        Meeting::open_as(offset, members, rank, Why::Shared)
    }

    /// The same; `why`: what the members have in common by it. Those that only name each other are not connected.
    pub fn open_as(offset: Offset, members: Arc<[u32]>, rank: usize, why: Why) -> Result<Meeting> {
        segment().reach(offset, Meeting::bytes(members.len()))?;
        let ties = Ties::to(why, &members);
        let generations = match ties.are_none() {
            true => 0,
            false => generations(&members),
        };
        Ok(Meeting {
            block: Meeting::block(offset),
            offset,
            members,
            rank,
            exchanges: AtomicU32::new(0),
            barriers: AtomicU32::new(0),
            board: OnceLock::new(),
            notes: OnceLock::new(),
            council: Mutex::new(None),
            revocable: None,
            ties,
            generations,
        })
    }

    /// The same, of the communicator with this number: once that is [revoked], waits here end with an error.
    pub fn revocable(mut self, number: u32) -> Meeting {
        self.revocable = Some(number);
        self
    }

    /// The same; from now on the members are connected.
    pub fn connect(mut self) -> Meeting {
        self.ties = Ties::to(Why::Shared, &self.members);
        self
    }

    /// Does `work` with those whose end ends a wait here: `ranks`, and the communicator's being revoked.
    #[inline]
    pub(super) fn unless_revoked<R>(
        &self,
        ranks: Ranks<'_>,
        work: impl FnOnce(Ranks<'_>) -> R,
    ) -> R {
        revoked::unless(self.revocable, ranks, work)
    }

    /// Where its members decide. Error: `MPI_ERR_NO_MEM`.
    pub fn council(&self) -> Result<Arc<Council>> {
        let mut own = self.council.lock();
        if let Some(council) = &*own {
            return Ok(council.clone());
        }
        let (place, members) = (&self.block.council, self.members.clone());
        let council = Arc::new(Council::open(place, members, self.rank)?);
        *own = Some(council.clone());
        Ok(council)
    }

    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// What follows the number of a member in a sentence, if it is another rank of the job.
    pub fn in_job(&self, rank: usize) -> String {
        naming::in_job(rank, self.members[rank])
    }

    /// Whether some of its members are of other worlds than the caller.
    pub fn has_strangers(&self) -> bool {
        !self.ties.are_none()
    }

    /// Waits until all members are here. `what` names the MPI call for diagnosis.
    ///
    /// Error: `MPI_ERR_PROC_FAILED` when a member dies, and ever after: nobody comes to a barrier that cannot be complete.
    /// So who has failed once does not come again, and the arrivals of a round are those of different members.
    #[inline]
    pub fn barrier(&self, what: &dyn Fn() -> String) -> Result<()> {
        match check::is_on() {
            true => self.checked_barrier(what),
            false => self.plain_barrier(what),
        }
    }

    /// The same in a job that is checked: all that was done before it is ordered before all that comes after it.
    #[cold]
    fn checked_barrier(&self, what: &dyn Fn() -> String) -> Result<()> {
        let number = self.barriers.fetch_add(1, Ordering::Relaxed);
        let key = || Key::new(clock::BARRIER, self.offset as u64, number.into(), 0);
        clock::leave(key);
        self.plain_barrier(what)?;
        self.members
            .iter()
            .for_each(|&member| clock::meet(member, key));
        Ok(())
    }

    #[inline]
    fn plain_barrier(&self, what: &dyn Fn() -> String) -> Result<()> {
        self.check_alive(what)?;
        let Some(round) = self.block.barrier.arrive(self.members.len() as u32) else {
            self.ring_others();
            return Ok(());
        };
        let needs = Needs::Arrivals {
            place: self.offset as u64,
            members: &self.members,
        };
        let passed = || self.block.barrier.passed(round);
        self.unless_revoked(Ranks::Needed(&self.members), |ranks| {
            let waiting = Waiting {
                // Nobody rings for it: it tells those that look at the job where the barrier is.
                key: self.offset as u64,
                what,
                ranks,
                needs,
                announce: None,
            };
            wait(&waiting, passed)
        })
    }

    /// The caller does not come here any more, and names nobody by it.
    pub fn let_go(&mut self) {
        self.ties = Ties::default();
    }

    /// Waits until all members are here, for the last time, where some are [strangers](Meeting::has_strangers); or until one has
    /// ended, however, which nobody misses here, or the communicator is revoked.
    pub fn part(&self, what: &dyn Fn() -> String) {
        let has_ended = || {
            let incidents = job().table.job.incidents.load(Ordering::Acquire);
            // Another process may have the place of one that has ended.
            let has_gone = || generations(&self.members) != self.generations;
            incidents != 0 && (self.members.iter().any(|&m| has_failed(m)) || has_gone())
        };
        let is_revoked = || {
            let alive = |ranks: Ranks<'_>| check_alive(ranks, what);
            self.unless_revoked(Ranks::None, alive).is_err()
        };
        if has_ended() || is_revoked() {
            return;
        }
        let Some(round) = self.block.barrier.arrive(self.members.len() as u32) else {
            self.ring_others();
            return;
        };
        // Where it is revoked there is nothing more to wait for.
        let _ = self.unless_revoked(Ranks::None, |ranks| {
            let waiting = Waiting {
                key: self.offset as u64,
                what,
                ranks,
                needs: Needs::Arrivals {
                    place: self.offset as u64,
                    members: &self.members,
                },
                announce: None,
            };
            wait(&waiting, || self.block.barrier.passed(round) || has_ended())
        });
    }

    /// Errors: `MPI_ERR_PROC_FAILED` when a member has died, `MPIX_ERR_REVOKED`.
    #[inline]
    pub(super) fn check_alive(&self, what: &dyn Fn() -> String) -> Result<()> {
        let needed = Ranks::Needed(&self.members);
        self.unless_revoked(needed, |ranks| check_alive(ranks, what))
    }

    /// The board, made by the first who need it. Collective.
    #[inline]
    pub(super) fn board(&self, what: &dyn Fn() -> String) -> Result<Option<&Board>> {
        if let Some(board) = self.board.get() {
            return Ok(board.as_ref());
        }
        let board = Board::make(self, what)?;
        Ok(self.board.get_or_init(|| board).as_ref())
    }

    /// The notes, likewise. `None` also if there are too many members.
    #[inline]
    pub(super) fn notes(&self, what: &dyn Fn() -> String) -> Result<Option<&Notes>> {
        if let Some(notes) = self.notes.get() {
            return Ok(notes.as_ref());
        }
        let notes = match self.size() <= notes::MEMBERS {
            true => Notes::make(self, what)?,
            false => None,
        };
        Ok(self.notes.get_or_init(|| notes).as_ref())
    }

    /// Memory of the segment for all members, of so many bytes, of which the first are zeroed; and everybody's `mine`. Collective.
    /// `None` if it is not there for all of them. It comes from the heap of the first.
    ///
    /// Error: `MPI_ERR_OTHER`, if they want different sizes; as [`Meeting::exchange`].
    pub fn common<T: Neutral>(
        &self,
        bytes: usize,
        zeroed: usize,
        mine: T,
        what: &dyn Fn() -> String,
    ) -> Result<Option<(Offset, Vec<T>)>> {
        // Nothing is allocated at 0.
        let offset = match self.rank {
            0 => heap::alloc(bytes, LINE).unwrap_or(0),
            _ => 0,
        };
        if offset != 0 {
            // SAFETY: the allocation is the caller's alone yet.
            unsafe { segment().at::<u8>(offset).write_bytes(0, zeroed) };
        }
        let all = self.exchange(((offset, bytes), mine, segment().mapped()), what)?;
        if let Some(rank) = all.iter().position(|&((_, wanted), ..)| wanted != bytes) {
            if offset != 0 {
                // So all members find, and nobody looks at it.
                heap::free(offset)?;
            }
            bail!(
                Other,
                "rank {rank} of the communicator{} is in another collective call, or gives another count: all have to make the same \
                 calls in the same order (MPI 4.1 §6.1)",
                self.in_job(rank)
            );
        }
        let (offset, _) = all[0].0;
        if offset == 0 {
            return Ok(None);
        }
        // Mostly everybody has mapped it; else all tell each other whether they can.
        if all.iter().any(|&(_, _, mapped)| mapped < offset + bytes) {
            let is_mapped = segment().reach(offset, bytes).is_ok();
            if self.exchange(is_mapped, what)?.contains(&false) {
                if self.rank == 0 {
                    // Nobody else looks at it.
                    heap::free(offset)?;
                }
                return Ok(None);
            }
        }
        let given = all.iter().map(|&(_, given, _)| given).collect();
        Ok(Some((offset, given)))
    }

    pub(super) fn ring_others(&self) {
        full_fence();
        let table = &job().table;
        for &member in self.members.iter() {
            table.processes[member as usize].ring_sleepers();
        }
    }

    /// Gives everybody's value to everybody, in the order of ranks. A barrier besides.
    pub fn exchange<T: Neutral>(&self, mine: T, what: &dyn Fn() -> String) -> Result<Vec<T>> {
        // SAFETY: the place is this member's own.
        let write = |own: *mut T| unsafe { own.write(mine) };
        let given = self.exchange_in_place(write, what)?;
        // SAFETY: every member has written a whole value.
        Ok(given.map(|given| unsafe { given.read() }).collect())
    }

    /// The same; `write` writes the own value where it lies. Gives the places of all, to be read before the caller gives something
    /// again.
    pub(super) fn exchange_in_place<T>(
        &self,
        write: impl FnOnce(*mut T),
        call: &dyn Fn() -> String,
    ) -> Result<impl ExactSizeIterator<Item = *const T>> {
        const { assert!(size_of::<Given<T>>() <= SLOT && align_of::<T>() <= LINE) };
        // After a failed exchange others may still read what this member gave to the last good one.
        self.check_alive(call)?;
        let exchange = self.exchanges.fetch_add(1, Ordering::Relaxed);
        let mark = mark::<T>(exchange);
        let slot = move |rank: usize| -> *mut Given<T> {
            let slot = barrier::slot(exchange, self.size(), rank);
            segment().at::<Given<T>>(self.offset + size_of::<Block>() + slot * SLOT)
        };
        // SAFETY: the slot lies in the block, which this member has not left.
        let what = move |rank: usize| unsafe { &raw mut (*slot(rank)).what };
        // The slot is this member's own, large and aligned enough for a T, and nobody reads it before the barrier (see
        // [`barrier::slot`]). Every member writes before it comes there, and again only after the next one.
        // SAFETY: as said.
        unsafe { (&raw mut (*slot(self.rank)).mark).write(mark) };
        write(what(self.rank));
        self.barrier(call)?;
        // SAFETY: whatever a member has written there, it is a number.
        let is_other = |&rank: &usize| unsafe { (&raw const (*slot(rank)).mark).read() } != mark;
        if let Some(rank) = (0..self.size()).find(is_other) {
            bail!(
                Other,
                "rank {rank} of the communicator{} is in another collective call: all have to make the same ones in the same order \
                 (MPI 4.1 §6.1)",
                self.in_job(rank)
            );
        }
        Ok((0..self.size()).map(move |rank| what(rank).cast_const()))
    }
}

impl Drop for Meeting {
    /// The member leaves for good. The one whose heap the block came from sees to its end.
    fn drop(&mut self) {
        // Asked before it leaves: the block may then be gone at any time.
        let own = self.block.owner.load(Ordering::Relaxed) == job().rank;
        heap::leave(
            self.offset,
            &self.block.gone,
            self.members.len() as u32,
            own,
        );
    }
}
