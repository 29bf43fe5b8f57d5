//! Gathers in which many give much, in place.
//!
//! What many give to one is much for that one to copy, while the others wait for it. So the note of a gather's root says
//! where the large blocks shall come, if that is memory of the segment. Who gives one waits for that note, copies its block there
//! and sends an empty message: all copy at the same time. Where it cannot reach the place, the message has the block.

use super::{IN_PLACE, Little};
use crate::coll::elements::Vector;
use crate::error::Result;
use crate::runtime::notes::{MEMBERS, NOTE};
use crate::runtime::wait::spin;
use crate::shm::Offset;
use crate::shm::segment::segment;
use crate::transport::Buffer;

/// The number of the note of a gather's root that has places.
const PLACES: usize = 1;

/// Where the blocks of all shall come, by their ranks.
pub type Places = [Place; MEMBERS];

/// So many bytes of the segment, from this offset on. None: the block comes otherwise.
#[derive(Clone, Copy, Default)]
pub struct Place {
    pub at: Offset,
    pub len: usize,
}

/// Up to so many bytes are left to the root as a message where ranks share cores, and nobody waits.
const LEFT: usize = 16 << 10;

impl<'a> Little<'a> {
    /// The root's part where some blocks are large.
    // Out of line: what is little does without the places.
    #[inline(never)]
    pub(super) fn gather_in_place(
        mut self,
        mine: Option<&Vector>,
        blocks: &[Vector],
    ) -> Result<bool> {
        let places = self.places(blocks)?;
        let pinned = self.pin(size_of::<Places>(), PLACES, |room| {
            // SAFETY: the note has room for them, and is aligned as they are.
            unsafe { room.cast::<Places>().write(places) };
            Ok(())
        })?;
        let Some(round) = pinned else {
            return Ok(false);
        };
        let stayed = self.stay(mine, blocks);
        let taken = self.take_all(&round, blocks, Some(&places));
        stayed.and(taken).and(self.end(None))
    }

    /// Whether such a block goes to its place in a gather: of two there is nobody to copy at the same time, and where ranks share cores,
    /// less goes sooner as a message that waits for nobody.
    pub(super) fn is_for_place(&self, len: usize) -> bool {
        let least = if spin() > 0 { NOTE } else { LEFT };
        len > least && self.comm.meeting.size() > 2
    }

    /// Where the large ones of these blocks are, as far as that is in the segment.
    fn places(&self, blocks: &[Vector]) -> Result<Places> {
        let mut places = Places::default();
        for (from, block) in self.others(blocks) {
            let len = block.bytes();
            if len > NOTE
                && let Some(at) = block.in_segment()?
            {
                places[from] = Place { at, len };
            }
        }
        Ok(places)
    }

    /// Copies a block to its place at the root, or sends it if there is none. False as for `pin`.
    pub(super) fn give_in_place(&mut self, block: &Vector, root: usize) -> Result<bool> {
        let len = block.bytes();
        let write = |room| block.give(0..0, room);
        let Some(round) = self.pin(0, len | IN_PLACE, write)? else {
            return Ok(false);
        };
        if self.number(&round, root)? == PLACES {
            let places = round.data(root, size_of::<Places>()).cast::<Places>();
            // SAFETY: the root's number says that its note has places.
            let place = unsafe { (*places)[self.comm.rank] };
            if place.len == len && segment().reach(place.at, len).is_ok() {
                block.give(0..len, segment().at(place.at))?;
                self.messages().send_bytes(root, Buffer::empty());
                return Ok(true);
            }
        }
        self.messages().send(root, block)?;
        Ok(true)
    }
}
