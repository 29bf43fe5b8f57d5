//! Gathers in which many give much, in place.
//!
//! What many give to one is much for that one to copy, while the others wait for it. So the note of a gather's root says
//! where the large blocks shall come, in memory of the segment or of the program's own. Who gives one waits for that note, copies its block there,
//! by the kernel where it must, and sends an empty message: all copy at the same time. Where it cannot reach the place, the message has the block.
//!
//! A root that cannot wait for all of them, as a process has died or the communicator was revoked, takes the places back first
//! ([`claim`](crate::shm::claim)).

use super::{IN_PLACE, Little};
use crate::coll::elements::Vector;
use crate::comm::Comm;
use crate::error::{Class, Error, Result};
use crate::observe;
use crate::runtime::Ranks;
use crate::runtime::deaths::dead;
use crate::runtime::notes::{MEMBERS, NOTE, Round};
use crate::runtime::wait::spin;
use crate::shm::Offset;
use crate::shm::claim::Claim;
use crate::shm::segment::segment;
use crate::shm::watched::others_wrote;
use crate::transport::Buffer;
use crate::transport::shown::{self, Shown};
use std::time::Duration;

/// The number of the note of a gather's root that has places.
const PLACES: usize = 1;

/// Where the blocks of all shall come, by their ranks.
pub type Places = [Place; MEMBERS];

/// So many bytes, from this offset of the segment on. None: the block comes otherwise.
#[derive(Clone, Copy, Default)]
pub struct Place {
    pub at: Offset,
    pub len: usize,
}

/// What the note of a gather's root says.
#[repr(C)]
struct Offered {
    places: Places,
    /// Of which ranks the place begins at an address of the root's, a bit for each.
    private: u16,
    claims: [Claim; MEMBERS],
}

/// How long the root sleeps before it looks again whether somebody has written.
const NAP: Duration = Duration::from_micros(50);

/// Up to so many bytes are left to the root as a message where ranks share cores, and nobody waits.
const LEFT: usize = 12 << 10;

impl<'a> Little<'a> {
    /// The root's part where some blocks are large.
    // Out of line: what is little does without the places.
    #[inline(never)]
    pub(super) fn gather_in_place(
        mut self,
        mine: Option<&Vector>,
        blocks: &[Vector],
    ) -> Result<bool> {
        let (places, private) = self.places(blocks)?;
        let _shown = (private != 0).then(Shown::new);
        let pinned = self.pin(size_of::<Offered>(), PLACES, |room| {
            let offered = Offered {
                places,
                private,
                claims: Default::default(),
            };
            // SAFETY: the note has room for it, and is aligned as it is.
            unsafe { room.cast::<Offered>().write(offered) };
            Ok(())
        })?;
        let Some(round) = pinned else {
            return Ok(false);
        };
        let stayed = self.stay(mine, blocks);
        let taken = self.take_all(&round, blocks, Some(&places));
        let comm = self.comm;
        let ended = stayed.and(taken).and(self.end(None));
        if ended.is_err() {
            take_back(comm, offered(&round, comm.rank));
        }
        for (from, place) in places.iter().enumerate() {
            if private >> from & 1 != 0 {
                others_wrote(place.at, place.len);
            }
        }
        ended
    }

    /// Whether such a block goes to its place in a gather: of two there is nobody to copy at the same time, and where ranks share cores,
    /// less goes sooner as a message that waits for nobody.
    pub(super) fn is_for_place(&self, len: usize) -> bool {
        let least = if spin() > 0 { NOTE } else { LEFT };
        len > least && self.comm.meeting.size() > 2
    }

    /// Where the large ones of these blocks are, and which of these places are no memory of the segment.
    fn places(&self, blocks: &[Vector]) -> Result<(Places, u16)> {
        let (mut places, mut private) = (Places::default(), 0);
        let large = self
            .others(blocks)
            .filter(|(_, block)| block.bytes() > NOTE);
        for (from, block) in large {
            let len = block.bytes();
            if let Some(at) = block.in_segment()? {
                places[from] = Place { at, len };
            } else if let Some(at) = shown::address(&block.buffer()?) {
                places[from] = Place { at, len };
                private |= 1 << from;
            }
        }
        Ok((places, private))
    }

    /// Copies a block to its place at the root, or sends it if there is none. False as for `pin`.
    pub(super) fn give_in_place(&mut self, block: &Vector, root: usize) -> Result<bool> {
        let len = block.bytes();
        let write = |room| block.give(0..0, room);
        let Some(round) = self.pin(0, len | IN_PLACE, write)? else {
            return Ok(false);
        };
        if self.number(&round, root)? == PLACES {
            let offered = offered(&round, root);
            let (place, claim) = (
                offered.places[self.comm.rank],
                &offered.claims[self.comm.rank],
            );
            let is_private = offered.private >> self.comm.rank & 1 != 0;
            let may = is_private || segment().reach(place.at, len).is_ok();
            if place.len == len && may && claim.begin() {
                let given = match is_private {
                    true => {
                        let root = self.comm.meeting.members[root];
                        observe::copying(root, || shown::put(&block.buffer()?, root, place.at))
                    }
                    false => block.give(0..len, segment().at(place.at)),
                };
                claim.end();
                let is_refused = |error: &Error| is_private && error.class == Class::Other;
                if !given.as_ref().is_err_and(is_refused) {
                    given?;
                    self.messages().send_bytes(root, Buffer::empty());
                    return Ok(true);
                }
            }
        }
        self.messages().send(root, block)?;
        Ok(true)
    }
}

/// What the note of `root` says, whose number says that it has places.
fn offered<'a>(round: &Round<'a>, root: usize) -> &'a Offered {
    let note = round.data(root, size_of::<Offered>()).cast::<Offered>();
    // SAFETY: it was written before the note was pinned, but for the claims nothing changes it, and it is written over in a later round only, in
    // which the one that asks takes part.
    unsafe { &*note }
}

/// Takes the places back: nobody writes there after this. Blocks while somebody does.
#[cold]
fn take_back(comm: &Comm, offered: &Offered) {
    for (claim, &member) in offered.claims.iter().zip(&*comm.meeting.members) {
        while !claim.close() && dead(Ranks::One(member)).is_none() {
            std::thread::sleep(NAP);
        }
    }
}
