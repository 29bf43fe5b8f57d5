//! Reductions that do not block, over memory of the segment: each process lays out there what it gives, in an area of its own, and tells the others by a
//! message of little where. Each folds a share, and tells that it has; then all copy the result. As over the [board](super::shared), but nobody waits
//! at a barrier, and the messages carry no data.
//!
//! It goes in rounds, whose parts stay in the caches:
//!
//! | step | does                                                                     |
//! |------|--------------------------------------------------------------------------|
//! | lay  | lays out what this process gives to a round                              |
//! | fold | folds this process's share of a round over what the last process gave    |
//! | take | copies the result of a round, which is in the last one's area            |
//!
//! Take, fold and lay, of one round, of the next one and of that behind it, come together ([`acts`]); then all tell that they have done them, and wait for
//! the others. So there are [`PARTS`] parts of an area in turn: what is laid out where a result was comes when all have taken that. (The test below tries all
//! orders in which processes can act.)
//!
//! Who has no memory for an area is [`NOWHERE`], and all go another way. After an error all go on, and nothing is folded or taken. An area is its owner's
//! again when all have left it. Where a process has died those that it has not left stay in use until the job ends.

use super::elements::Vector;
use super::fold::Fold;
use super::plan::same_length;
use crate::error::Result;
use crate::op::Op;
use crate::shm::atomic::{AtomicU32, Ordering};
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, heap};
use crate::transport::Buffer;
use parking_lot::Mutex;
use std::ptr::with_exposed_provenance_mut;

/// So many bytes at most go in a round: a part of an area, of which there are so many.
const ROUND: usize = 128 << 10;
const PARTS: usize = 3;
const AREA: usize = LINE + PARTS * ROUND;

/// Where a process has laid out what it gives, and how many bytes that are in all.
#[repr(C)]
#[derive(Clone, Copy)]
struct Laid {
    at: u64,
    len: u64,
}

/// No area, or one that this process has left: no area begins there.
const NOWHERE: u64 = 0;

/// An area of this process that it has left, and which it may use again when so many have.
struct Left {
    at: Offset,
    all: u32,
}

/// Those that are kept, up to some.
static LEFT: Mutex<Vec<Left>> = Mutex::new(Vec::new());
const KEPT: usize = 4;

/// How many have left the area.
fn gone(at: Offset) -> &'static AtomicU32 {
    // SAFETY: every area begins with such a word, from before it is told until all have left it.
    unsafe { &*segment().at::<AtomicU32>(at) }
}

/// An area of this process's that nobody has a part in. Error: `MPI_ERR_NO_MEM`.
fn take_area() -> Result<Offset> {
    let mut left = LEFT.lock();
    let is_free = |area: &Left| gone(area.at).load(Ordering::Acquire) == area.all;
    let found = left.iter().position(is_free);
    let at = match found {
        Some(found) => left.swap_remove(found).at,
        None => heap::alloc(AREA, LINE)?,
    };
    // SAFETY: nobody else has a part in it.
    unsafe { segment().at::<u32>(at).write(0) };
    Ok(at)
}

/// This process leaves an area, of which that many have a part.
fn leave_area(at: Offset, all: u32, is_own: bool) {
    let mut left = LEFT.lock();
    match is_own && left.len() < KEPT {
        true => {
            left.push(Left { at, all });
            gone(at).fetch_add(1, Ordering::AcqRel);
        }
        false => heap::leave(at, gone(at), all, is_own),
    }
}

/// What a process does with a round, or behind that.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    Lay(usize),
    Fold(usize),
    Take(usize),
    /// Tells all others, and waits until all have told.
    Tell,
    /// Has no part in any area any more.
    Leave,
}

/// What a process does in so many rounds.
pub fn acts(rounds: usize) -> impl Iterator<Item = Act> {
    (0..rounds + 2).flat_map(move |turn| {
        let take = turn.checked_sub(2).map(Act::Take);
        let folded = turn.checked_sub(1).filter(|round| *round < rounds);
        let lay = (turn < rounds).then_some(Act::Lay(turn));
        let tell = (turn <= rounds).then_some(Act::Tell);
        let leave = (turn > rounds).then_some(Act::Leave);
        let all = [take, folded.map(Act::Fold), lay, tell, leave];
        all.into_iter().flatten()
    })
}

/// The areas of one operation, as this process sees them.
pub struct Areas {
    /// Where what each has told comes to: a [`Laid`] for each member.
    told: usize,
    members: usize,
    rank: usize,
    op: Op,
    mine: Vector,
    out: Vector,
}

impl Areas {
    /// For a process that gives `mine` and gets the fold of all in `out`. At `told` are [`Areas::bytes`], for as long as the operation is carried out.
    pub fn new(
        told: usize,
        (rank, members): (usize, usize),
        op: Op,
        (mine, out): (&Vector, &Vector),
    ) -> Areas {
        Areas {
            told,
            members,
            rank,
            op,
            mine: mine.clone(),
            out: out.clone(),
        }
    }

    /// Whether an operation goes over areas: elements that are folded where they lie, and of which some go in a round.
    pub fn are_for(op: Op, mine: &Vector) -> bool {
        let size = mine.element.datatype.size();
        Fold::new(op, mine.element.clone()).direct && (1..=ROUND).contains(&size)
    }

    /// What is told by so many members takes so many bytes.
    pub fn bytes(members: usize) -> usize {
        members * size_of::<Laid>()
    }

    /// In how many rounds it goes.
    pub fn rounds(&self) -> usize {
        self.mine.count.div_ceil(self.elements())
    }

    /// How many elements go in a round, but the last one.
    fn elements(&self) -> usize {
        ROUND / self.size()
    }

    fn size(&self) -> usize {
        self.mine.element.datatype.size()
    }

    /// The first element of a round, and how many there are.
    fn part(&self, round: usize) -> (usize, usize) {
        let first = round * self.elements();
        (first, self.elements().min(self.mine.count - first))
    }

    /// Where the messages of a member come to, and what this process sends.
    pub fn told_by(&self, member: usize) -> Buffer {
        let place = self.place(member).cast::<u8>();
        // SAFETY: the plan that this is of keeps it for as long as it is carried out.
        unsafe { Buffer::bytes(place, size_of::<Laid>()) }
    }

    fn place(&self, member: usize) -> *mut Laid {
        with_exposed_provenance_mut::<Laid>(self.told).wrapping_add(member)
    }

    fn laid(&self, member: usize) -> Laid {
        // SAFETY: there is one for each member; it is written by messages before the fence behind them, and by this process.
        unsafe { self.place(member).read() }
    }

    fn set(&self, member: usize, at: u64) {
        let len = self.mine.bytes() as u64;
        // SAFETY: as above.
        unsafe { self.place(member).write(Laid { at, len }) };
    }

    /// Nothing is told yet.
    pub fn forget(&self) {
        (0..self.members).for_each(|member| self.set(member, NOWHERE));
    }

    /// Where a member has laid out what it gives to a round.
    fn data(&self, member: usize, round: usize) -> *mut u8 {
        let part = LINE + round % PARTS * ROUND;
        segment().at(self.laid(member).at as Offset + part)
    }

    /// Does what is no message; after an error this process leaves, and does nothing else. Errors: those of what is done.
    pub fn act(&self, act: Act, has_failed: bool) -> Result<()> {
        match act {
            Act::Leave => self.leave(),
            _ if has_failed => {}
            Act::Lay(round) => self.lay(round)?,
            Act::Fold(round) => self.fold(round)?,
            Act::Take(round) => self.take(round)?,
            Act::Tell => {}
        }
        Ok(())
    }

    /// Lays out what this process gives to a round: nothing if there is no memory for that, or the operation is over.
    fn lay(&self, round: usize) -> Result<()> {
        if round == 0 {
            // A plan may be carried out once more.
            self.forget();
            let Ok(at) = take_area() else {
                return Ok(());
            };
            self.set(self.rank, at as u64);
        }
        let (first, count) = self.part(round);
        let part = self.mine.part(first, count);
        part.give(0..part.bytes(), self.data(self.rank, round))
    }

    /// Whether all have laid out what they give. All processes find the same, but after an error.
    pub fn are_all(&self) -> bool {
        (0..self.members).all(|member| self.laid(member).at != NOWHERE)
    }

    /// Errors, of all processes: those of [`same_length`].
    pub fn are_alike(&self) -> Result<()> {
        let mut lengths = (0..self.members).map(|member| self.laid(member).len as usize);
        lengths.try_for_each(|len| same_length(len, self.mine.bytes()))
    }

    /// Folds this process's share of a round, which all have laid out. Error: `MPI_ERR_NO_MEM`.
    fn fold(&self, round: usize) -> Result<()> {
        let mut members = 0..self.members;
        members.try_for_each(|member| segment().reach(self.laid(member).at as Offset, AREA))?;
        let (_, count) = self.part(round);
        let begin = |i: usize| count * i / self.members;
        let share = begin(self.rank)..begin(self.rank + 1);
        let at = share.start * self.size();
        let fold = Fold::new(self.op, self.mine.element.clone());
        let parts = (0..self.members).map(|member| self.data(member, round).wrapping_add(at));
        fold.fold_at(
            parts.map(|part| part.cast_const()),
            self.members - 1,
            share.len(),
        )
    }

    /// Copies the result of a round, which all have folded, to where it shall be.
    fn take(&self, round: usize) -> Result<()> {
        let (first, count) = self.part(round);
        let out = self.out.part(first, count);
        // SAFETY: all give as much, and the result is as long.
        unsafe { out.take(0..out.bytes(), self.data(self.members - 1, round)) }
    }

    /// This process has no part in any area any more.
    pub fn leave(&self) {
        for member in 0..self.members {
            let at = self.laid(member).at;
            self.set(member, NOWHERE);
            if at != NOWHERE && segment().reach(at as Offset, LINE).is_ok() {
                leave_area(at as Offset, self.members as u32, member == self.rank);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const MEMBERS: usize = 3;
    const ROUNDS: usize = 5;

    /// What is in a part of an area: of which round, and whose shares are folded.
    type Part = Option<(usize, usize)>;

    #[derive(Clone, Default, PartialEq, Eq, Hash)]
    struct Job {
        /// How much each has done, and how often it has told.
        done: [usize; MEMBERS],
        told: [usize; MEMBERS],
        parts: [[Part; PARTS]; MEMBERS],
    }

    impl Job {
        /// Whether a process may go on: all have told as often as it.
        fn may(&self, process: usize) -> bool {
            self.told.iter().all(|told| *told >= self.told[process])
        }

        /// A process does its next act, with so many parts to an area: whether what it finds is right.
        fn act(&mut self, process: usize, act: Act, parts: usize) -> bool {
            self.done[process] += 1;
            let last = MEMBERS - 1;
            match act {
                Act::Lay(round) => self.parts[process][round % parts] = Some((round, 0)),
                Act::Fold(round) => {
                    let given = self.parts.map(|area| area[round % parts]);
                    let Some((_, folded)) = &mut self.parts[last][round % parts] else {
                        return false;
                    };
                    *folded |= 1 << process;
                    return given
                        .iter()
                        .all(|part| part.is_some_and(|part| part.0 == round));
                }
                Act::Take(round) => {
                    return self.parts[last][round % parts] == Some((round, (1 << MEMBERS) - 1));
                }
                Act::Tell => self.told[process] += 1,
                Act::Leave => {}
            }
            true
        }
    }

    /// Whether all find what they are to find, in every order, and come to their end.
    fn is_right(parts: usize) -> bool {
        let acts: Vec<Act> = acts(ROUNDS).collect();
        let (mut seen, mut next) = (HashSet::new(), vec![Job::default()]);
        let mut has_ended = false;
        while let Some(job) = next.pop() {
            let can = |process: &usize| job.done[*process] < acts.len() && job.may(*process);
            let able: Vec<usize> = (0..MEMBERS).filter(can).collect();
            let is_over = job.done == [acts.len(); MEMBERS];
            if able.is_empty() && !is_over {
                return false;
            }
            has_ended |= is_over;
            for process in able {
                let mut after = job.clone();
                if !after.act(process, acts[job.done[process]], parts) {
                    return false;
                }
                if seen.insert(after.clone()) {
                    next.push(after);
                }
            }
        }
        has_ended
    }

    #[test]
    fn all_find_what_was_laid_out_and_folded() {
        assert!(is_right(PARTS));
        // One less, and a part is laid over what somebody is still to take.
        assert!(!is_right(PARTS - 1));
    }
}
