//! Taking turns at the elements of a target, where they are updated under its accumulate lock.

use super::elements::Sides;
use super::update::Operation;
use super::waiting;
use super::{Reach, Target, Window, obstacle};
use crate::error::Result;
use crate::runtime::job;
use crate::shm::atomic::{full_fence, heavy_fence, spin_loop};
use crate::shm::lock::Ring;

/// After so many bytes the lock is offered to others.
pub(super) const TURN: usize = 256 << 10;
/// So many single updates under the lock, with no array between, cost about as much as a heavy fence.
pub(super) const CREDIT: u32 = 64;
/// So often a mark is looked at before it counts as being up: a short access takes some ten nanoseconds.
const LOOKS: usize = 50;

impl Window {
    /// Whether the mark of every process has been seen down, or will never be lowered nor used again.
    pub(super) fn all_marks_down(&self) -> bool {
        self.control
            .ranks
            .iter()
            .zip(&self.targets)
            .all(|(rank, target)| {
                let down = (0..LOOKS).any(|_| {
                    let up = rank.updating.is_up();
                    if up {
                        spin_loop();
                    }
                    !up
                });
                down || obstacle::is_gone(target.process())
            })
    }
}

/// The accumulate lock of a target, held until this is dropped.
pub(super) struct Turn<'a> {
    window: &'a Window,
    target: &'a Target,
    held: bool,
    /// Whether those are kept out who come without the lock; `None` until that was asked for.
    alone: Option<bool>,
    /// Bytes updated since the lock was taken.
    spent: usize,
}

impl<'a> Turn<'a> {
    /// Blocks until the lock is taken. Error: `MPI_ERR_PROC_FAILED` if who holds it has died.
    pub fn take(window: &'a Window, target: &'a Target) -> Result<Turn<'a>> {
        let mut turn = Turn {
            window,
            target,
            held: false,
            alone: None,
            spent: 0,
        };
        turn.acquire()?;
        Ok(turn)
    }

    #[inline]
    fn acquire(&mut self) -> Result<()> {
        if !self.target.block.accumulate.try_exclusive(job().rank) {
            self.wait()?;
        }
        (self.held, self.alone, self.spent) = (true, None, 0);
        Ok(())
    }

    #[cold]
    fn wait(&self) -> Result<()> {
        let (window, word) = (self.window, &self.target.block.accumulate);
        let rank = window.rank_of(self.target);
        let call = || format!("an accumulate at {}", window.name_of(rank));
        let name = || format!("{} (its elements are updated under a lock)", call());
        let members = &window.meeting.members;
        let obstacle = || {
            let held = format!("accumulate lock of {}", window.name_of(rank));
            obstacle::of_lock(word, true, members, &call(), &held)
        };
        waiting::take(word, true, members, &name, &obstacle)
    }

    #[inline]
    fn release(&mut self) {
        let lock = &self.target.block.accumulate;
        if std::mem::take(&mut self.held) {
            let whom = lock.release_exclusive(job().rank);
            if whom != Ring::Nobody {
                waiting::ring(lock, whom);
            }
        }
    }

    /// Whether plain loops may update what others update by atomic instructions.
    #[inline]
    fn is_alone(&mut self) -> bool {
        let (window, bias) = (self.window, &self.target.block.bias);
        *self.alone.get_or_insert_with(|| {
            // Where no process has light fences, all marks are raised by full ones.
            let fence = || match window.light_fences {
                true => heavy_fence(),
                false => {
                    full_fence();
                    true
                }
            };
            bias.long(CREDIT, fence, || window.all_marks_down())
        })
    }

    /// Updates an array of `n` elements at `at`.
    ///
    /// # Safety
    /// As [`Window::update_array`].
    pub unsafe fn update(
        &mut self,
        reach: Reach,
        at: *mut u8,
        n: usize,
        operation: &Operation,
        sides: Sides,
    ) -> Result<()> {
        let amo = operation.amo_at(reach, at);
        let mut result = Ok(());
        operation.in_pieces(TURN, n, |offset, n| {
            if self.spent >= TURN && result.is_ok() {
                self.release();
                result = self.acquire();
            }
            if result.is_err() {
                return;
            }
            self.spent += n * operation.kernel.extent;
            let (at, sides) = (at.wrapping_add(offset), sides.skip(offset));
            match amo {
                // SAFETY: the caller's promise, for the elements from `offset` on; `amo_at` found instructions for them.
                Some(amo) if !self.is_alone() => unsafe { operation.by_amo(amo, at, n, sides) },
                // SAFETY: the caller's promise. Who else updates them holds the lock, too.
                _ => unsafe { operation.by_kernel(at, n, sides) },
            }
        });
        result
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.release();
    }
}
