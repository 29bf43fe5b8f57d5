//! Updating elements of a target, each of them atomically against every other call of the accumulate family.
//!
//! How depends only on where an element is and of what kind, so any two calls, from whatever process, agree on it. A *word* is
//! an element of 1, 2, 4 or 8 bytes without gaps, aligned to its size, in shared memory. (The segment begins on a page in every
//! process, so all agree on what is aligned.)
//!
//! | elements                                                     | how                                                     |
//! |--------------------------------------------------------------|---------------------------------------------------------|
//! | one word; up to 4 while that goes without the lock           | one atomic instruction each, or a compare-and-swap loop ([`amo`]) |
//! | more words                                                   | under the target's accumulate lock, plain vector loops; atomic instructions where the [bias](crate::shm::bias) finds others at it without the lock |
//! | all others: pairs with gaps, long double, unaligned, private | under the lock, plain loops                             |
//! | private memory that is reached through the kernel            | the same; fetched, updated, put back, 64 KiB at a time; or all of that by the target, if it waits in MPI ([`parcel`]) |
//! | any, while this process alone holds the target exclusively   | plain loops (not with `MPI_THREAD_MULTIPLE`)            |
//!
//! One word alone is always updated by an atomic instruction, with or without the lock, so the program's own atomics on its
//! address fit in. Operations of one origin are done in program order, so every value of `accumulate_ordering` is kept. Lock
//! and bias are those of a target in a window: memory that is reached through two windows at a time is not kept apart, which
//! MPI leaves undefined.
//!
//! **Policy.** The first single update of a target makes its bias Direct, so programs with one kind only never leave their
//! mode. After an array 64 single updates in turn stay under the lock before the mode goes back: together they cost about what
//! leaving it costs. Arrays offer the lock to others every 256 KiB. get_accumulate puts what was there directly into the result
//! buffer where that is an array.
//!
//! **Cost** (2.5 GHz Xeon): mark and mode add 0.4 ns to the 11.8 of a fetch_and_op with its flush, as their stores drain behind
//! the call's other work; a mark raised by a locked instruction would add 11.6. A heavy fence takes 0.3 to 0.5 µs. Other ways
//! were weighed. An atomic instruction for each element is 37 times slower than a vector loop for doubles, and vector loads
//! before compare-and-swaps do not help. Singles that drop a lease at their next MPI call make arrays wait while the holder
//! computes. A lock that singles share costs them two locked instructions on a contended line.

use super::amo::{self, Amo};
use super::elements::{Beside, Room, Sides, part_of};
use super::epoch::Hold;
use super::private::move_range;
use super::transfer::Checked;
use super::turn::{CREDIT, TURN, Turn};
use super::waiting;
use super::{Reach, Target, Window, parcel};
use crate::bail;
use crate::datatype::{self, Basic, Datatype};
use crate::error::Result;
use crate::mpi::constants::MPI_BYTE;
use crate::mpi::types::MPI_Op;
use crate::op::{Kernel, Predefined, kernel_of};
use crate::runtime::{job, phase};
use crate::shm::bias::Mark;
use crate::shm::lock::Ring;
use crate::shm::membarrier;
use crate::shm::peer::Way;
use std::ops::Range;
use std::ptr::with_exposed_provenance_mut;

/// So few elements are updated one by one while that goes without the lock.
const FEW: usize = 4;
/// What happens to each element.
#[derive(Clone, Copy)]
pub struct Operation {
    pub op: Predefined,
    pub basic: Basic,
    pub(super) kernel: &'static Kernel,
}

impl Operation {
    /// An operation on elements of a kind; `None` if MPI does not define it.
    pub fn of(op: Predefined, basic: Basic) -> Option<Operation> {
        let kernel = kernel_of(op, basic)?;
        Some(Operation { op, basic, kernel })
    }

    /// The operation of a handle on the elements of a datatype. Error: `MPI_ERR_OP`.
    pub fn new(op: Predefined, datatype: &Datatype) -> Result<Operation> {
        let basic = crate::op::check(op, datatype)?;
        match Operation::of(op, basic) {
            Some(operation) => Ok(operation),
            None => bail!(
                Op,
                "op is {}, which is not defined for the datatype",
                op.name()
            ),
        }
    }

    /// The operation of a handle, whatever it is applied to. Error: `MPI_ERR_OP`.
    pub fn named(op: MPI_Op) -> Result<Predefined> {
        match Predefined::of(op) {
            Some(op) => Ok(op),
            None => bail!(
                Op,
                "op is {:#x}, but windows take predefined operations only",
                op.0
            ),
        }
    }

    /// By plain loads and stores.
    ///
    /// # Safety
    /// `n` elements at `at` are alive, and nobody else touches them; `sides` has as many.
    pub(super) unsafe fn by_kernel(&self, at: *mut u8, n: usize, sides: Sides) {
        let (kernel, operands) = (self.kernel, sides.operands);
        // SAFETY: the caller's promise.
        unsafe {
            match sides.before {
                None => (kernel.apply)(operands, at, n),
                Some(before) => (kernel.fetch)(operands, at, before.as_ptr(), n),
            }
        }
    }

    /// Cuts `n` elements into pieces of at most so many bytes: calls `piece` with the bytes before each, and its elements.
    #[inline(always)]
    pub(super) fn in_pieces(&self, bytes: usize, n: usize, mut piece: impl FnMut(usize, usize)) {
        let mut done = 0;
        loop {
            let rest = n - done;
            let whole = rest * self.kernel.extent <= bytes;
            let now = if whole {
                rest
            } else {
                bytes / self.kernel.extent
            };
            piece(done * self.kernel.extent, now);
            done += now;
            if whole {
                return;
            }
        }
    }

    /// By the CPU's atomic instructions.
    ///
    /// # Safety
    /// `n` elements at `at` are alive, aligned and in shared memory, and the operation has such instructions; `sides` has
    /// as many.
    pub(super) unsafe fn by_amo(&self, amo: Amo, at: *mut u8, n: usize, sides: Sides) {
        let mut unwanted = 0_u64;
        for i in 0..n {
            let offset = i * self.kernel.extent;
            let before = match sides.before {
                Some(before) => before.as_ptr().wrapping_add(offset),
                None => (&raw mut unwanted).cast(),
            };
            // SAFETY: the caller's promise; no element that an instruction updates is larger than the word.
            unsafe { amo.update(at.add(offset), sides.operands.wrapping_add(offset), before) };
        }
    }

    /// The instruction for elements at `at`, if they are where the CPU can update them.
    pub(super) fn amo_at(&self, reach: Reach, at: *const u8) -> Option<Amo> {
        let amo = amo::of(self.op, self.basic)?;
        (reach == Reach::Shared && amo::is_aligned(at, self.kernel.extent)).then_some(amo)
    }
}

/// This process's mark, raised: updates by atomic instructions without the lock go on until [`Raised::lower`].
#[must_use]
pub(super) struct Raised {
    mark: &'static Mark,
    /// By a plain store: see [`crate::shm::bias`].
    alone: bool,
}

impl Raised {
    #[inline(always)]
    pub fn lower(self) {
        self.mark.lower(self.alone);
    }
}

impl Window {
    /// Begins updates of `target` by atomic instructions without its lock. `None`: that does not go now.
    #[inline(always)]
    pub(super) fn enter(&self, target: &Target) -> Option<Raised> {
        let alone = (!phase::is_threaded()) & membarrier::is_registered();
        let mark = &self.mine.updating;
        let entered = target.block.bias.enter(mark, alone);
        entered.then_some(Raised { mark, alone })
    }

    /// Runs `update`, which updates elements of `target` by atomic instructions.
    pub(super) fn with_amos(&self, target: &Target, update: impl FnOnce()) -> Result<()> {
        if let Some(raised) = self.enter(target) {
            update();
            raised.lower();
        } else {
            let _turn = Turn::take(self, target)?;
            target.block.bias.short();
            update();
        }
        Ok(())
    }

    /// Whether nobody else may access the target now, other threads of this process included.
    fn has_to_itself(&self, target: &Target) -> bool {
        matches!(target.hold(), Hold::Exclusive | Hold::ExclusiveCounted) && !phase::is_threaded()
    }

    /// Updates an array of `n` elements at `at`, which is reached by load and store.
    ///
    /// # Safety
    /// The elements are alive, and an extent apart; `sides` has as many.
    pub(super) unsafe fn update_array(
        &self,
        target: &Target,
        reach: Reach,
        at: *mut u8,
        n: usize,
        operation: &Operation,
        sides: Sides,
    ) -> Result<()> {
        let amo = operation.amo_at(reach, at);
        if let Some(amo) = amo
            && (n == 1 || (n <= FEW && target.block.bias.is_direct()))
        {
            // SAFETY: the caller's promise, and `amo_at`'s.
            return self.with_amos(target, || unsafe { operation.by_amo(amo, at, n, sides) });
        }
        if self.has_to_itself(target) {
            // SAFETY: the caller's promise; nobody else may touch them.
            unsafe { operation.by_kernel(at, n, sides) };
            return Ok(());
        }
        // SAFETY: the caller's promise.
        if unsafe { self.update_at_once(target, at, n, operation, sides) } {
            return Ok(());
        }
        let mut turn = Turn::take(self, target)?;
        // SAFETY: the caller's promise.
        unsafe { turn.update(reach, at, n, operation, sides) }
    }

    /// What a [`Turn`] does where the lock is free, nobody comes without it, and one turn is enough: whether it was so.
    ///
    /// # Safety
    /// As [`Window::update_array`].
    unsafe fn update_at_once(
        &self,
        target: &Target,
        at: *mut u8,
        n: usize,
        operation: &Operation,
        sides: Sides,
    ) -> bool {
        let (lock, bias, me) = (&target.block.accumulate, &target.block.bias, job().rank);
        let one_turn = n * operation.kernel.extent <= TURN;
        if !one_turn || !lock.try_exclusive(me) {
            return false;
        }
        let alone = bias.long_again(CREDIT);
        if alone {
            // SAFETY: the caller's promise; who else updates them holds the lock, too.
            unsafe { operation.by_kernel(at, n, sides) };
        }
        let whom = lock.release_exclusive(me);
        if whom != Ring::Nobody {
            waiting::ring(lock, whom);
        }
        alone
    }

    /// Updates the target's elements: `count` of `datatype`.
    ///
    /// # Safety
    /// `beside` has as many elements as the target's part, and its messages are readable and writable.
    pub(super) unsafe fn update_target(
        &self,
        checked: &Checked<'_>,
        datatype: &Datatype,
        count: usize,
        operation: &Operation,
        mut beside: Beside<'_>,
    ) -> Result<()> {
        let (target, reach, basic) = (checked.target, checked.reach, operation.basic);
        let extent = operation.kernel.extent;
        if reach == Reach::Peer {
            // SAFETY: the caller's promise.
            return unsafe { self.update_private(checked, datatype, count, operation, beside) };
        }
        if basic.is_dense()
            && let Some(run) = checked.remote.as_run()
        {
            let (mut at, mut rest) = (run, checked.remote.size() / basic.size());
            while rest > 0 {
                // SAFETY: the caller's promise; the elements lie within the window, in this process's address space.
                let n = unsafe {
                    let (n, sides) = beside.next(rest);
                    let at = with_exposed_provenance_mut(at);
                    self.update_array(target, reach, at, n, operation, sides)?;
                    n
                };
                (at, rest) = (at + n * extent, rest - n);
            }
        } else {
            let mut turn = match self.has_to_itself(target) {
                true => None,
                false => Some(Turn::take(self, target)?),
            };
            let mut result = Ok(());
            // What lies beside the next elements, and of how many of them.
            let (mut left, mut sides) = (0, Sides::NONE);
            datatype.for_each_element(checked.remote.base, count, basic, |address, n| {
                let (mut at, mut rest) = (address, n);
                while rest > 0 && result.is_ok() {
                    if left == 0 {
                        // SAFETY: the caller's promise.
                        (left, sides) = unsafe { beside.next(usize::MAX) };
                    }
                    let n = rest.min(left);
                    let there = with_exposed_provenance_mut(at);
                    match &mut turn {
                        // SAFETY: as above.
                        None => unsafe { operation.by_kernel(there, n, sides) },
                        // SAFETY: as above.
                        Some(turn) => unsafe {
                            result = turn.update(reach, there, n, operation, sides)
                        },
                    }
                    sides = sides.skip(n * extent);
                    (at, rest, left) = (at + n * extent, rest - n, left - n);
                }
            });
            result?;
        }
        // SAFETY: the caller's promise.
        unsafe { beside.finish() };
        Ok(())
    }

    /// Updates elements in private memory that is reached through the kernel: fetched, updated here, and put back, a part
    /// at a time, under the target's lock; or by the target, if it waits in MPI.
    ///
    /// # Safety
    /// As [`Window::update_target`].
    unsafe fn update_private(
        &self,
        checked: &Checked<'_>,
        datatype: &Datatype,
        count: usize,
        operation: &Operation,
        mut beside: Beside<'_>,
    ) -> Result<()> {
        let (basic, size) = (operation.basic, operation.basic.size());
        let elements = checked.remote.size() / size;
        let mut by_kernel = None;
        let mut done = 0;
        while done < elements {
            // SAFETY: the caller's promise.
            let (part, sides) = unsafe { beside.next(part_of(basic).min(elements - done)) };
            // SAFETY: the sides have so many elements.
            let mut at = unsafe {
                let part = done..done + part;
                parcel::leave_update(checked.target, checked.remote, part, operation, sides)?
            };
            while at < part {
                let (most, room) = match &mut by_kernel {
                    Some(found) => found,
                    // Of an element that is fetched twice at a time one update would be lost. An accumulate may not name one so
                    // (MPI 4.1 §12.3.4), but programs do, and rely on what all other ways, and other MPIs, do: each entry is
                    // combined.
                    None => by_kernel.insert(match datatype.overlaps(count)? {
                        true => (1, Room::new(basic, 1)?),
                        false => (part_of(basic), Room::new(basic, elements)?),
                    }),
                };
                let n = (*most).min(part - at);
                let sides = sides.skip(at * operation.kernel.extent);
                let range = (done + at) * size..(done + at + n) * size;
                let _turn = Turn::take(self, checked.target)?;
                // SAFETY: there is room for a part.
                unsafe { move_part(Way::FromPeer, checked, range.clone(), room.packed()) }?;
                room.expand(n);
                // SAFETY: the array is ours, and has so many elements, an extent apart; so have the sides.
                unsafe { operation.by_kernel(room.array(), n, sides) };
                if operation.op != Predefined::NoOp {
                    room.compress(n);
                    // SAFETY: only read from.
                    unsafe { move_part(Way::ToPeer, checked, range, room.packed()) }?;
                }
                at += n;
            }
            done += part;
        }
        // SAFETY: the caller's promise.
        unsafe { beside.finish() };
        Ok(())
    }
}

/// Moves the target's side from or to a packed buffer.
///
/// # Safety
/// `buffer` has as many bytes; it is written (`FromPeer`) or read.
pub(super) unsafe fn move_target(way: Way, checked: &Checked<'_>, buffer: *mut u8) -> Result<()> {
    let all = 0..checked.remote.size();
    match (checked.reach, way) {
        // SAFETY: the caller's promise.
        (Reach::Peer, way) => unsafe { move_part(way, checked, all, buffer) }?,
        // SAFETY: the caller's promise; the side lies in the window, in this process's address space.
        (_, Way::FromPeer) => unsafe { datatype::pack(checked.remote, all, buffer) },
        // SAFETY: as above.
        (_, Way::ToPeer) => unsafe { datatype::unpack(checked.remote, all, buffer) },
    }
    Ok(())
}

/// Moves the positions `range` of a target's side that is reached through the kernel from or to a packed buffer.
///
/// # Safety
/// `buffer` has as many bytes; it is written (`FromPeer`) or read.
pub(super) unsafe fn move_part(
    way: Way,
    checked: &Checked<'_>,
    range: Range<usize>,
    buffer: *mut u8,
) -> Result<()> {
    // The buffer holds these positions alone, of a message of as many bytes as the whole side.
    let whole = buffer.wrapping_sub(range.start);
    let near = datatype::get(MPI_BYTE)?.message(whole, checked.remote.size());
    // SAFETY: the caller's promise, for these positions.
    unsafe { move_range(way, checked.target, near, checked.remote, range) }
}
