//! A rank's inbox: a ring from every other rank, and a bit for each ring that has something in it.
//!
//! Each rank makes its own inbox before it joins the job and announces it in its entry of the process table. The block is
//! memory only where rings were used.
//! Why no message is overlooked is in [`super::pending`].
//!
//! A large ring has 8 to 128 KiB; those of an inbox share 8 MiB. A pair that says little takes 384 bytes. Where ranks are few, one whose sender
//! is far ahead of its receiver goes on in a ring of up to 2 MiB.
//!
//! That is the inbox for those that were started together. For all others a rank makes another one, its **annex**, when it first
//! has to do with any: what they send before waits with them, as what is sent to an inbox that is not there yet.
//!
//! The inboxes of all ranks are mapped at the end of MPI_Init; one of a rank that opens only a session, when it is first sent
//! to.

mod geometry;
mod outbox;

pub use outbox::Outbox;

use self::geometry::Geometry;
use super::pending::Pending;
use super::ring::{Cell, Control, Receiver, Room, Sender};
use crate::error::Result;
use crate::runtime::wait::spin;
use crate::runtime::{job, me};
use crate::shm::Offset;
use crate::shm::atomic::Ordering;

/// After so many looks in vain a ring's bit is cleared: where ranks have cores of their own, and look again and again, and
/// where they share cores, and look only when they have got one.
const LOOKS: u32 = 1000;
const LOOKS_SHARING: u32 = 50;

/// Bytes of the least ring that this process sends through.
pub fn ring_bytes() -> usize {
    let world = Geometry::new(job().ranks as usize);
    world.ring.min(Geometry::annex().ring)
}

/// The longest payload of a cell in any of them.
pub fn longest() -> usize {
    Sender::longest(ring_bytes())
}

/// This rank's inbox, and its annex behind it. A ring has a number here: those of its world come first.
pub struct Inbox {
    bits: &'static [Pending],
    annexed: &'static [Pending],
    /// Where the annex is, if there is one.
    annex: Offset,
    rings: Vec<Receiver>,
    /// Looks in vain since the last cell.
    idle: Vec<u32>,
}

impl Inbox {
    /// Makes this rank's inbox and announces it. Once in a process.
    pub fn open() -> Result<Inbox> {
        let geometry = Geometry::new(job().ranks as usize);
        let mut rings = Vec::new();
        let offset = geometry.build(&mut rings)?;
        let inbox = Inbox {
            bits: geometry.bits(offset),
            annexed: &[],
            annex: 0,
            idle: vec![0; rings.len()],
            rings,
        };
        // Those that came first may have something for this one.
        if me().inbox.set(offset as u64) {
            job().table.ring_all();
        }
        Ok(inbox)
    }

    /// Makes the annex and announces it, if there is none yet.
    pub fn open_annex(&mut self) -> Result<()> {
        if !self.annexed.is_empty() {
            return Ok(());
        }
        let geometry = Geometry::annex();
        let offset = geometry.build(&mut self.rings)?;
        let processes = job().table.processes.iter();
        for (to, process) in geometry.generations(offset).iter().zip(processes) {
            to.store(
                process.generation.load(Ordering::Relaxed),
                Ordering::Relaxed,
            );
        }
        self.annexed = geometry.bits(offset);
        self.annex = offset;
        self.idle.resize(self.rings.len(), 0);
        if me().annex.set(offset as u64) {
            job().table.ring_all();
        }
        Ok(())
    }

    /// The ring of the process that was at the place of `sender`, of another world, before the one that is there now; `None` if that is the
    /// same.
    pub fn ring_of_before(&self, sender: u32) -> Option<usize> {
        let place = sender as usize;
        let mark = &Geometry::annex().generations(self.annex)[place];
        let process = &job().table.processes[place];
        let is_same = mark.load(Ordering::Relaxed) == process.generation.load(Ordering::Acquire);
        (!is_same).then_some(self.own() + place)
    }

    /// Another process has come to the place of `sender`, of another world: what was between this one and the one before is over, and
    /// the ring is empty.
    pub fn renew(&mut self, sender: u32) {
        let geometry = Geometry::annex();
        let place = sender as usize;
        let mark = &geometry.generations(self.annex)[place];
        let process = &job().table.processes[place];
        let generation = process.generation.load(Ordering::Acquire);
        let ring = self.own() + place;
        let (bits, bit) = self.bit_of(ring);
        bits.clear(bit);
        self.idle[ring] = 0;
        // SAFETY: the sender of before has ended, and the one that has come waits for the mark.
        self.rings[ring] = unsafe { geometry.renew(self.annex, place) };
        mark.store(generation, Ordering::Release);
        crate::runtime::ring(sender);
    }

    /// How far this rank is with what comes from `sender`, a rank in the job, to be told there; 0 where it has no ring.
    #[inline]
    pub fn released(&self, sender: u32) -> u32 {
        let ring = self.ring_from(sender);
        ring.map_or(0, |ring| self.rings[ring].released())
    }

    /// The ring of what comes from `sender`, a rank in the job.
    #[inline]
    pub fn ring_from(&self, sender: u32) -> Option<usize> {
        let job = job();
        let ring = match job.is_of_world(sender) {
            true => (sender - job.first) as usize,
            false => self.own() + sender as usize,
        };
        (ring < self.rings.len()).then_some(ring)
    }

    /// How many rings are not the annex's.
    #[inline]
    fn own(&self) -> usize {
        job().ranks as usize
    }

    /// The ring of this bit of the word with this number.
    #[inline]
    pub fn ring_of(&self, word: usize, bit: usize) -> usize {
        match word < self.bits.len() {
            true => word * 64 + bit,
            false => self.own() + (word - self.bits.len()) * 64 + bit,
        }
    }

    /// Who sends through this ring: its rank in the job.
    #[inline]
    pub fn sender(&self, ring: usize) -> u32 {
        match ring < self.own() {
            true => job().first + ring as u32,
            false => (ring - self.own()) as u32,
        }
    }

    /// Where the bit of this ring is.
    fn bit_of(&self, ring: usize) -> (&'static Pending, u64) {
        let (bits, place) = match ring < self.own() {
            true => (self.bits, ring),
            false => (self.annexed, ring - self.own()),
        };
        (&bits[place / 64], 1 << (place % 64))
    }

    /// The oldest cell in a ring.
    #[inline]
    pub fn peek(&mut self, ring: usize) -> Option<Cell<'_>> {
        self.rings[ring].peek()
    }

    /// Is done with the oldest cell in a ring, which takes that `room`.
    #[inline]
    pub fn release(&mut self, ring: usize, room: Room) {
        self.idle[ring] = 0;
        self.rings[ring].release(room);
    }

    /// What this rank shares with each sender, of the rings from `first` on.
    pub fn controls(&self, first: usize) -> impl Iterator<Item = (u32, &'static Control)> {
        let rings = self.rings.iter().enumerate().skip(first);
        rings.map(|(number, ring)| (self.sender(number), ring.control()))
    }

    /// How many rings there are.
    pub fn rings(&self) -> usize {
        self.rings.len()
    }

    /// Rings the sender if it waits for room: after cells of its were released, half a ring of them.
    #[inline]
    pub fn offer_room(&mut self, ring: usize) {
        if self.rings[ring].is_wanted() {
            crate::runtime::ring(self.sender(ring));
        }
    }

    /// The rings that may have something, 64 of them as the bits of a word.
    #[inline]
    pub fn pending(&self, word: usize) -> u64 {
        match self.bits.get(word) {
            Some(bits) => bits.get(),
            None => self.annexed[word - self.bits.len()].get(),
        }
    }

    pub fn words(&self) -> usize {
        self.bits.len() + self.annexed.len()
    }

    /// Counts a look in vain at a ring. True if its bit was cleared just now: look once more.
    #[inline]
    pub fn in_vain(&mut self, ring: usize) -> bool {
        self.idle[ring] += 1;
        let most = match spin() {
            0 => LOOKS_SHARING,
            _ => LOOKS,
        };
        if self.idle[ring] < most {
            return false;
        }
        self.idle[ring] = 0;
        let (bits, bit) = self.bit_of(ring);
        bits.clear(bit);
        true
    }

    /// The look after that found something: goes on looking.
    pub fn not_in_vain(&self, ring: usize) {
        let (bits, bit) = self.bit_of(ring);
        bits.keep(bit);
    }
}
