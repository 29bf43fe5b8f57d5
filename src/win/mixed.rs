//! Updating elements in a dynamic window that lie in several places: some in the segment, others in private memory, or in parts
//! of the segment that are no neighbours. Each is updated by itself, in the way that all others update it who meet it alone.

use super::elements::{Beside, Room};
use super::transfer::Checked;
use super::turn::Turn;
use super::update::{Operation, move_part};
use super::{Reach, Window};
use crate::error::Result;
use crate::op::Predefined;
use crate::shm::peer::Way;
use std::ffi::c_int;
use std::ops::Range;
use std::ptr::with_exposed_provenance_mut;

impl Window {
    /// Updates the target's elements.
    ///
    /// # Safety
    /// As [`Window::update_target`].
    pub(super) unsafe fn update_mixed(
        &self,
        checked: &Checked<'_>,
        operation: &Operation,
        mut beside: Beside<'_>,
    ) -> Result<()> {
        let basic = operation.basic;
        let size = basic.size();
        // An element begins so far before the first of its bytes that have data.
        let skipped = basic.parts().first().map_or(0, |part| part.0);
        let rank = self.rank_of(checked.target) as c_int;
        let mut room = Room::new(basic, 1)?;
        let mut turn = Turn::take(self, checked.target)?;
        for element in 0..checked.remote.size() / size {
            let positions = element * size..(element + 1) * size;
            let bytes = span_of(checked, positions.clone());
            let start = bytes.start.wrapping_sub(skipped);
            let place = self.find_attached(rank, start, bytes.start as i128, bytes.end as i128)?;
            // SAFETY: the caller's promise; the element's own bytes were found.
            unsafe {
                let (_, sides) = beside.next(1);
                if place.reach == Reach::Shared || checked.reach == Reach::Own {
                    let at = with_exposed_provenance_mut(place.address);
                    turn.update(place.reach, at, 1, operation, sides)?;
                    continue;
                }
                move_part(Way::FromPeer, checked, positions.clone(), room.packed())?;
                room.expand(1);
                operation.by_kernel(room.array(), 1, sides);
                if operation.op != Predefined::NoOp {
                    room.compress(1);
                    move_part(Way::ToPeer, checked, positions, room.packed())?;
                }
            }
        }
        // SAFETY: the caller's promise.
        unsafe { beside.finish() };
        Ok(())
    }
}

/// From the first byte to the last of some positions of the target's side.
fn span_of(checked: &Checked<'_>, positions: Range<usize>) -> Range<usize> {
    let mut span: Option<Range<usize>> = None;
    checked
        .remote
        .walk_range(positions, &mut |at: usize, len: usize| {
            let all = span.get_or_insert(at..at);
            *all = all.start.min(at)..all.end.max(at + len);
        });
    span.unwrap_or(0..0)
}
