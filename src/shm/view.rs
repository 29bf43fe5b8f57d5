//! Ranges of the segment side by side, in the order that somebody else has them in.

use super::segment::Segment;
use super::{Offset, PAGE, mapping};
use crate::shm::error::{Result, failed};
use std::ffi::c_void;

/// A range of the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub offset: Offset,
    /// Bytes.
    pub len: usize,
}

/// Where pieces lie one behind the other in this process, until this is dropped, if they are mapped for that.
pub struct View {
    first: *mut u8,
    /// What is mapped for it: nothing if the pieces lie so in the segment.
    mapped: Option<(*mut c_void, usize)>,
}

// SAFETY: a range of addresses; what lies there is shared by design.
unsafe impl Send for View {}

impl View {
    /// All but the first piece begin with a page, and all but the last end with one. Error: `MPI_ERR_NO_MEM`.
    pub fn of(segment: &Segment, pieces: &[Piece]) -> Result<View> {
        for piece in pieces {
            segment.reach(piece.offset, piece.len)?;
        }
        let first = pieces[0];
        if let [only] = pieces {
            return Ok(View {
                first: segment.at(only.offset),
                mapped: None,
            });
        }
        let skipped = first.offset % PAGE;
        let len =
            (skipped + pieces.iter().map(|piece| piece.len).sum::<usize>()).next_multiple_of(PAGE);
        let room = mapping::map_private(len, libc::PROT_NONE).ok_or_else(|| {
            failed!(
                NoMemory,
                "there is no room to map {len} bytes of a window: see `ulimit -v`"
            )
        })?;
        let view = View {
            first: room.cast::<u8>().wrapping_add(skipped),
            mapped: Some((room, len)),
        };
        let mut at = room as usize;
        for piece in pieces {
            let begin = piece.offset - piece.offset % PAGE;
            let whole = (piece.offset + piece.len - begin).next_multiple_of(PAGE);
            // SAFETY: what is mapped over is the room just made.
            if !unsafe { segment.map_again(begin, whole, at) } {
                return Err(failed!(
                    NoMemory,
                    "{whole} bytes of a window cannot be mapped: see `ulimit -v`"
                ));
            }
            at += whole;
        }
        Ok(view)
    }

    pub fn first(&self) -> *mut u8 {
        self.first
    }
}

impl Drop for View {
    fn drop(&mut self) {
        if let Some((room, len)) = self.mapped {
            // SAFETY: the view's own mapping, which goes with the window that it is of.
            unsafe { mapping::unmap(room, len) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::HUGE;

    #[test]
    fn pieces_lie_side_by_side() {
        let segment = Segment::create(PAGE).unwrap();
        let start = segment.lease(HUGE).unwrap();
        let write = |offset: Offset, value: u8| {
            // SAFETY: the byte lies in the range just leased.
            unsafe { segment.at::<u8>(offset).write(value) };
        };
        // The last bytes of a page, one that lies before it, and the beginning of another.
        let pieces = [
            (start + 9 * PAGE - 3, 3),
            (start + 2 * PAGE, PAGE),
            (start + 20 * PAGE, 2),
        ];
        for (value, (offset, len)) in (1..).zip(pieces) {
            (0..len).for_each(|i| write(offset + i, value));
        }
        let pieces = pieces.map(|(offset, len)| Piece { offset, len });
        let view = View::of(&segment, &pieces).unwrap();
        // SAFETY: the view has so many bytes.
        let seen = unsafe { std::slice::from_raw_parts(view.first(), 3 + PAGE + 2) };
        let wanted = [vec![1; 3], vec![2; PAGE], vec![3; 2]].concat();
        assert!(seen == wanted);
        write(start + 2 * PAGE, 7);
        assert_eq!(seen[3], 7);
        let alone = View::of(&segment, &pieces[..1]).unwrap();
        assert_eq!(alone.first(), segment.at::<u8>(pieces[0].offset));
    }
}
