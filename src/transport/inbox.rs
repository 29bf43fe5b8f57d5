//! A rank's inbox: a ring from every other rank, and a bit for each ring that has something in it.
//!
//! Each rank makes its own inbox before it joins the job and announces it in its entry of the process table. The block is
//! memory only where rings were used.
//! Why no message is overlooked is in [`super::pending`].
//!
//! A large ring has 8 to 128 KiB; those of an inbox share 8 MiB. A pair that says little takes 384 bytes.
//!
//! That is the inbox for those that were started together. For all others a rank makes another one, its **annex**, when it first
//! has to do with any: what they send before waits with them, as what is sent to an inbox that is not there yet.
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
use crate::shm::atomic::{AtomicU32, Ordering};
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
/// The most that a ring of an annex has: enough for the longest piece.
const LARGEST_ANNEXED: usize = 64 << 10;
/// What goes in pieces goes in such of so many bytes.
const LARGEST_SHELF: usize = 8 << 10;
/// A header has 16 bits for the length of its cell's payload.
const _: () = assert!(Sender::longest(LARGEST_RING) <= u16::MAX as usize);
/// After so many looks in vain a ring's bit is cleared: where ranks have cores of their own, and look again and again, and
/// where they share cores, and look only when they have got one.
const LOOKS: u32 = 1000;
const LOOKS_SHARING: u32 = 50;

/// Where things lie in the inboxes of a world of `ranks` ranks, and in annexes for so many.
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

    /// Of an annex: any process of the job may have a ring there.
    fn annex() -> Geometry {
        let geometry = Geometry::new(job().room());
        Geometry {
            ring: geometry.ring.min(LARGEST_ANNEXED),
            ..geometry
        }
    }

    fn words(self) -> usize {
        self.ranks.div_ceil(64)
    }

    /// Makes the rings.
    fn build(self) -> Result<(Offset, Vec<Receiver>)> {
        let len = self.bytes().next_multiple_of(PAGE);
        let offset = heap::alloc(len, PAGE)?;
        me().keep(offset, len);
        // Zero, without touching it if the kernel helps.
        if !segment().punch(offset, len) {
            // SAFETY: the block was just allocated, and nobody else knows of it.
            unsafe { segment().at::<u8>(offset).write_bytes(0, len) };
        }
        let rings = (0..self.ranks).map(|sender| {
            let (control, [small, large]) = self.ring(offset, sender);
            // SAFETY: the ring was made just now; this is the only receiving end.
            unsafe { Receiver::new(control, small, Some(large)) }
        });
        Ok((offset, rings.collect()))
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

    /// Where it stands of which generation of senders the rings are.
    fn marks(self) -> usize {
        self.slots() + self.ranks * (self.ring + self.shelf())
    }

    fn bytes(self) -> usize {
        self.marks() + self.ranks * size_of::<AtomicU32>()
    }

    /// Of which generation of senders the rings of the annex at `offset` are.
    fn generations(self, offset: Offset) -> &'static [AtomicU32] {
        // SAFETY: they lie behind the rings; an inbox is never freed.
        unsafe { std::slice::from_raw_parts(segment().at(offset + self.marks()), self.ranks) }
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
        let (offset, rings) = geometry.build()?;
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
        let (offset, rings) = geometry.build()?;
        let processes = job().table.processes.iter();
        for (to, process) in geometry.generations(offset).iter().zip(processes) {
            to.store(
                process.generation.load(Ordering::Relaxed),
                Ordering::Relaxed,
            );
        }
        self.annexed = geometry.bits(offset);
        self.annex = offset;
        self.rings.extend(rings);
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
        let (control, slots) = geometry.ring(self.annex, place);
        let [small, large] = slots;
        // SAFETY: the sender of before has ended, and the one that has come waits for the mark.
        unsafe {
            let control = &raw const *control;
            let len = size_of::<Control>() + SMALL_RING;
            control.cast::<u8>().cast_mut().write_bytes(0, len);
            let len = geometry.ring + geometry.shelf();
            let at = self.annex + geometry.slots() + place * len;
            segment().at::<u8>(at).write_bytes(0, len);
            self.rings[ring] = Receiver::new(&*control, small, Some(large));
        }
        mark.store(generation, Ordering::Release);
        crate::runtime::ring(sender);
    }

    /// How far this rank is with what comes from `sender`, a rank in the job, to be told there; 0 where it has no ring.
    #[inline]
    pub fn released(&self, sender: u32) -> u32 {
        let job = job();
        let ring = match job.is_of_world(sender) {
            true => (sender - job.first) as usize,
            false => self.own() + sender as usize,
        };
        self.rings.get(ring).map_or(0, Receiver::released)
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

    /// Is done with the oldest cell in a ring, of size `size`.
    #[inline]
    pub fn release(&mut self, ring: usize, size: u32) {
        self.idle[ring] = 0;
        self.rings[ring].release(size);
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
        let (control, [small, large]) = geometry.ring(offset, sender);
        Some(Way {
            // SAFETY: the receiver made the ring before it told of its inbox; this is the only sending end.
            ring: unsafe { Sender::new(control, small, Some(large)) },
            bits: &geometry.bits(offset)[sender / 64],
            bit: 1 << (sender % 64),
        })
    }
}
