//! A rank's inbox: a ring from every other rank, and a bit for each ring that has something in it.
//!
//! Each rank makes its own inbox before it joins the job and announces it in its entry of the process table. The block is
//! memory only where rings were used.
//! Why no message is overlooked is in [`super::pending`].
//!
//! A large ring has 8 to 128 KiB; those of an inbox share 8 MiB. A pair that says little takes 384 bytes.
//!
//! The inboxes of all ranks are mapped at the end of MPI_Init; one of a rank that opens only a session, when it is first sent
//! to.

use super::pending::Pending;
use super::ring::{Cell, Control, Header, Receiver, Sender};
use super::slots::Slots;
use crate::check::clock;
use crate::error::Result;
use crate::runtime::wait::spin;
use crate::runtime::{job, me, must_reach};
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, PAGE, heap};

/// The bytes of a ring while a pair has not said much. It lies behind the pair's control block, so a pair that says little takes
/// no page of its own.
const SMALL_RING: usize = 2 * LINE;
/// The most that a ring has then, and the least; between them the rings of an inbox share [`ALL_RINGS`] bytes. In the largest one a
/// window of 64 messages of 1 KiB has room: what finds none is a send that waits, and costs twice as much.
const LARGEST_RING: usize = 128 << 10;
const SMALLEST_RING: usize = 8 << 10;
const ALL_RINGS: usize = 8 << 20;
/// What goes in pieces goes in such of so many bytes.
const LARGEST_SHELF: usize = 8 << 10;
/// A header has 16 bits for the length of its cell's payload.
const _: () = assert!(Sender::longest(LARGEST_RING) <= u16::MAX as usize);
/// After so many looks in vain a ring's bit is cleared: where ranks have cores of their own, and look again and again, and
/// where they share cores, and look only when they have got one.
const LOOKS: u32 = 1000;
const LOOKS_SHARING: u32 = 50;

/// Where things lie in the inboxes of a job of `ranks` ranks.
#[derive(Clone, Copy)]
struct Geometry {
    ranks: usize,
    ring: usize,
}

impl Geometry {
    fn new(ranks: usize) -> Geometry {
        let share = (ALL_RINGS / ranks.max(1)).next_power_of_two();
        Geometry {
            ranks,
            ring: share.clamp(SMALLEST_RING, LARGEST_RING),
        }
    }

    fn words(self) -> usize {
        self.ranks.div_ceil(64)
    }

    /// Where the control blocks are, each with the small ring behind it.
    fn controls(self) -> usize {
        (self.words() * 8).next_multiple_of(LINE)
    }

    /// Where the large rings are.
    fn slots(self) -> usize {
        let controls = self.ranks * (size_of::<Control>() + SMALL_RING);
        (self.controls() + controls).next_multiple_of(PAGE)
    }

    /// The bytes beside a ring for one payload, of which a cell with every ring takes as many.
    fn shelf(self) -> usize {
        (self.ring / 8).min(LARGEST_SHELF)
    }

    fn bytes(self) -> usize {
        self.slots() + self.ranks * (self.ring + self.shelf())
    }

    /// The bits of the inbox at `offset`.
    fn bits(self, offset: Offset) -> &'static [Pending] {
        // SAFETY: an inbox begins with its bits; it is never freed and its bits are atomics.
        unsafe { std::slice::from_raw_parts(segment().at(offset), self.words()) }
    }

    /// The control block of the ring from `sender` in the inbox at `offset`, and the slots of the small ring and the large one.
    fn ring(self, offset: Offset, sender: usize) -> (&'static Control, [Slots; 2]) {
        let control = offset + self.controls() + sender * (size_of::<Control>() + SMALL_RING);
        let small = segment().at(control + size_of::<Control>());
        let large = segment().at(offset + self.slots() + sender * (self.ring + self.shelf()));
        // SAFETY: a control block is made of atomics and bytes nobody reads, and all is zero at the beginning; the inbox is
        // never freed, and this ring's part of it serves nothing else.
        unsafe {
            let small = Slots::new(small, SMALL_RING, 0);
            let large = Slots::new(large, self.ring, self.shelf());
            (&*segment().at::<Control>(control), [small, large])
        }
    }
}

/// Bytes of a ring in a job of `ranks` ranks.
pub fn ring_bytes(ranks: usize) -> usize {
    Geometry::new(ranks).ring
}

/// The longest payload of a cell in such a job.
pub fn longest(ranks: usize) -> usize {
    Sender::longest(ring_bytes(ranks))
}

/// This rank's inbox.
pub struct Inbox {
    bits: &'static [Pending],
    rings: Vec<Receiver>,
    /// Looks in vain since the last cell.
    idle: Vec<u32>,
}

impl Inbox {
    /// Makes this rank's inbox and announces it. Once in a process.
    pub fn open() -> Result<Inbox> {
        let ranks = job().ranks as usize;
        let geometry = Geometry::new(ranks);
        let len = geometry.bytes().next_multiple_of(PAGE);
        let offset = heap::alloc(len, PAGE)?;
        // Zero, without touching it if the kernel helps.
        if !segment().punch(offset, len) {
            // SAFETY: the block was just allocated, and nobody else knows of it.
            unsafe { segment().at::<u8>(offset).write_bytes(0, len) };
        }
        let rings = (0..ranks).map(|sender| {
            let (control, [small, large]) = geometry.ring(offset, sender);
            // SAFETY: the ring was made just now; this is the only receiving end.
            unsafe { Receiver::new(control, small, Some(large)) }
        });
        let inbox = Inbox {
            bits: geometry.bits(offset),
            rings: rings.collect(),
            idle: vec![0; ranks],
        };
        // Those that came first may have something for this one.
        if me().inbox.set(offset as u64) {
            job().table.ring_all();
        }
        Ok(inbox)
    }

    /// The oldest cell from `sender`.
    #[inline]
    pub fn peek(&mut self, sender: usize) -> Option<Cell<'_>> {
        self.rings[sender].peek()
    }

    /// Is done with the oldest cell from `sender`, of size `size`.
    #[inline]
    pub fn release(&mut self, sender: usize, size: u32) {
        self.idle[sender] = 0;
        self.rings[sender].release(size);
    }

    /// How far this rank is with what comes from `sender`, to be told there.
    #[inline]
    pub fn released(&self, sender: usize) -> u32 {
        self.rings[sender].released()
    }

    /// What this rank shares with each sender, by their ranks.
    pub fn controls(&self) -> impl Iterator<Item = &'static Control> {
        self.rings.iter().map(Receiver::control)
    }

    /// Rings `sender` if it waits for room: after cells of its were released, half a ring of them.
    #[inline]
    pub fn offer_room(&mut self, sender: usize) {
        if self.rings[sender].is_wanted() {
            crate::runtime::ring(sender as u32);
        }
    }

    /// The ranks that may have something, as 64 bits from rank 64 × `word` on.
    #[inline]
    pub fn pending(&self, word: usize) -> u64 {
        self.bits[word].get()
    }

    pub fn words(&self) -> usize {
        self.bits.len()
    }

    /// Counts a look in vain at the ring from `sender`. True if the bit was cleared just now: look once more.
    #[inline]
    pub fn in_vain(&mut self, sender: usize) -> bool {
        self.idle[sender] += 1;
        let most = match spin() {
            0 => LOOKS_SHARING,
            _ => LOOKS,
        };
        if self.idle[sender] < most {
            return false;
        }
        self.idle[sender] = 0;
        self.bits[sender / 64].clear(1 << (sender % 64));
        true
    }

    /// The look after that found something: goes on looking.
    pub fn not_in_vain(&self, sender: usize) {
        self.bits[sender / 64].keep(1 << (sender % 64));
    }
}

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
        if self.way.is_none() {
            self.way = Way::find(self.rank);
        }
        match &mut self.way {
            Some(way) => {
                clock::before_cell(self.rank);
                let is_in = way.ring.push(header, shelf, write);
                if is_in {
                    clock::cell_sent(self.rank);
                }
                is_in
            }
            None => false,
        }
    }

    /// The receiver has said how far it is.
    #[inline]
    pub fn learn(&mut self, released: u32) {
        if let Some(way) = &mut self.way {
            way.ring.learn(released);
        }
    }

    /// Looks how far the receiver is.
    pub fn look(&mut self) {
        if let Some(way) = &mut self.way {
            way.ring.look();
        }
    }

    /// Whether the receiver wants messages announced.
    #[inline]
    pub fn is_to_announce(&mut self) -> bool {
        match &mut self.way {
            Some(way) => way.ring.is_to_announce(),
            None => false,
        }
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
        let geometry = Geometry::new(job.ranks as usize);
        let sender = job.rank as usize;
        let offset = job.table.processes[rank as usize].inbox.get()? as Offset;
        must_reach(offset, geometry.bytes());
        let (control, [small, large]) = geometry.ring(offset, sender);
        Some(Way {
            // SAFETY: the receiver made the ring before it told of its inbox; this is the only sending end.
            ring: unsafe { Sender::new(control, small, Some(large)) },
            bits: &geometry.bits(offset)[sender / 64],
            bit: 1 << (sender % 64),
        })
    }
}
