//! The sending end of another rank's inbox.

use super::geometry::Geometry;
use crate::check::clock;
use crate::runtime::{job, me, must_reach};
use crate::shm::Offset;
use crate::shm::atomic::Ordering;
use crate::transport::pending::Pending;
use crate::transport::ring::{Header, Sender};

/// What is sent to another rank goes through here.
pub struct Outbox {
    rank: u32,
    /// `None` until the other rank has opened its inbox.
    way: Option<Way>,
}

/// The way to another rank's inbox.
struct Way {
    ring: Sender,
    bits: &'static Pending,
    bit: u64,
}

impl Outbox {
    /// For what goes to `rank`. Once for each rank in a process.
    pub fn new(rank: u32) -> Outbox {
        let way = Way::find(rank);
        Outbox { rank, way }
    }

    /// Puts a cell into the ring, its payload on the `shelf` if that is wanted and free; false if the ring is full, or not there
    /// yet. The receiver learns of it by [`Outbox::notify`].
    #[inline]
    pub fn push(&mut self, header: &Header, shelf: bool, write: impl FnOnce(*mut u8)) -> bool {
        self.push_by(|ring| ring.push(header, shelf, write))
    }

    /// The same of the next part of a message, or the `last` one, on the tray, if it [is to go there](Outbox::is_for_tray).
    #[inline]
    pub fn push_on_tray(
        &mut self,
        header: &Header,
        last: bool,
        write: impl FnOnce(*mut u8),
    ) -> bool {
        self.push_by(|ring| ring.push_on_tray(header, last, write))
    }

    #[inline]
    fn push_by(&mut self, push: impl FnOnce(&mut Sender) -> bool) -> bool {
        let rank = self.rank;
        let Some(way) = self.way() else {
            return false;
        };
        clock::before_cell(rank);
        let is_in = push(&mut way.ring);
        if is_in {
            clock::cell_sent(rank);
        }
        is_in
    }

    /// The way, which is looked for again while there is none.
    #[inline]
    fn way(&mut self) -> Option<&mut Way> {
        if self.way.is_none() {
            self.way = Way::find(self.rank);
        }
        self.way.as_mut()
    }

    /// Whether a message of `len` bytes is to go by the tray.
    #[inline]
    pub fn is_for_tray(&self, len: usize) -> bool {
        let way = self.way.as_ref();
        way.is_some_and(|way| way.ring.is_for_tray(len))
    }

    /// The receiver's turn at the tray is over, and this one's begins.
    pub fn take_turn(&mut self) {
        if let Some(way) = self.way() {
            way.ring.take_turn();
        }
    }

    /// Whether a message of `len` bytes has room now, in cells with payloads of up to `piece`.
    pub fn has_room(&mut self, len: usize, piece: usize) -> bool {
        self.way().is_some_and(|way| way.ring.has_room(len, piece))
    }

    /// The receiver has said how far it is.
    #[inline]
    pub fn learn(&mut self, released: u32) {
        if let Some(way) = &mut self.way {
            way.ring.learn(released);
        }
    }

    /// Whether the ring's lines leave the cores' caches before they are used again.
    #[inline]
    pub fn is_beyond_cache(&self) -> bool {
        self.way
            .as_ref()
            .is_some_and(|way| way.ring.is_beyond_cache())
    }

    /// Looks how far the receiver is.
    pub fn look(&mut self) {
        if let Some(way) = &mut self.way {
            way.ring.look();
        }
    }

    /// Whether there is a way, and messages are not to be announced.
    #[inline]
    pub fn is_ready(&self) -> bool {
        let way = self.way.as_ref();
        way.is_some_and(|way| !way.ring.may_announce())
    }

    /// Whether the receiver wants messages announced.
    #[inline]
    pub fn is_to_announce(&mut self) -> bool {
        match &mut self.way {
            Some(way) => way.ring.is_to_announce(),
            None => false,
        }
    }

    /// The sorts of long messages that the receiver wants announced.
    pub fn fetched(&self) -> u32 {
        self.way.as_ref().map_or(0, |way| way.ring.fetched())
    }

    /// Tells the receiver of the cells pushed, and wakes it if it sleeps.
    #[inline]
    pub fn notify(&self) {
        if let Some(way) = &self.way {
            way.bits.set(way.bit);
        }
        job().table.processes[self.rank as usize].ring_sleepers();
    }
}

impl Way {
    #[cold]
    fn find(rank: u32) -> Option<Way> {
        let job = job();
        let other = &job.table.processes[rank as usize];
        let (geometry, place, sender) = match job.is_of_world(rank) {
            true => (
                Geometry::new(job.ranks as usize),
                &other.inbox,
                job.rank - job.first,
            ),
            false => (Geometry::annex(), &other.annex, job.rank),
        };
        let (offset, sender) = (place.get()? as Offset, sender as usize);
        must_reach(offset, geometry.bytes());
        // What this process's place was before may still be in the receiver's mind.
        let is_for_this = || {
            let mark = &geometry.generations(offset)[sender];
            mark.load(Ordering::Acquire) == me().generation.load(Ordering::Relaxed)
        };
        if !job.is_of_world(rank) && !is_for_this() {
            return None;
        }
        let (control, small, larger) = geometry.ring(offset, sender);
        let receiver = rank.wrapping_sub(job.first) as usize;
        let own = me().inbox.get()? as Offset;
        let tray = geometry.tray((sender, own), (receiver, offset));
        Some(Way {
            // SAFETY: the receiver made the ring before it told of its inbox; this is the only sending end.
            ring: unsafe { Sender::new(control, small, larger, tray) },
            bits: &geometry.bits(offset)[sender / 64],
            bit: 1 << (sender % 64),
        })
    }
}
