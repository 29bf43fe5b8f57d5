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

use super::pending::Pending;
use super::ring::{Cell, Control, Header, Larger, Receiver, Room, Sender, Tray};
use super::slots::Slots;
use crate::bail;
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
/// The most that a ring has then, and the least; between them the rings of an inbox share [`ALL_RINGS`] bytes.
const LARGE_RING: usize = 128 << 10;
const SMALLEST_RING: usize = 8 << 10;
const ALL_RINGS: usize = 8 << 20;
/// What finds no room in that, or comes from a sender that is far ahead, goes into a ring of at most so many bytes, if there is more for it
/// than in the one before. Those of a job share about [`LARGEST_RINGS`] bytes, as all of it is promised to the ranks.
///
/// In the largest one a window of 256 messages of 4 KiB has room: what finds none is a send that waits, and costs twice as much. And it is
/// more than the second cache of a core holds: when the sender comes to a line again, the receiver has lost it to the last
/// cache, from where it comes sooner. (256 messages one way, between cores that share the last cache, AMD EPYC of family 25, in rings of 128
/// KiB, 1 and 2 MiB: 1 KiB 0.20, 0.14 and 0.12 µs each, 4 KiB 0.55, 0.25 and 0.17; both ways, for each, 2 KiB 0.39, 0.14 and 0.11.)
const LARGEST_RING: usize = 2 << 20;
const LARGEST_RINGS: usize = 16 << 20;
/// The most that a tray has, which both rings of a pair use, and what those of a job share about.
const LARGEST_TRAY: usize = 512 << 10;
const TRAYS: usize = 16 << 20;
/// The most that a ring of an annex has: enough for the longest piece.
const LARGEST_ANNEXED: usize = 64 << 10;
/// What goes in pieces goes in such of so many bytes.
const LARGEST_SHELF: usize = 8 << 10;
/// A header has 16 bits for the length of its cell's payload.
const _: () = assert!(Sender::longest(LARGEST_ANNEXED) <= u16::MAX as usize);
/// After so many looks in vain a ring's bit is cleared: where ranks have cores of their own, and look again and again, and
/// where they share cores, and look only when they have got one.
const LOOKS: u32 = 1000;
const LOOKS_SHARING: u32 = 50;

/// Where things lie in the inboxes of a world of `ranks` ranks, and in annexes for so many.
#[derive(Clone, Copy)]
struct Geometry {
    ranks: usize,
    ring: usize,
    /// Bytes of the ring to which that one may grow; 0: to none.
    largest: usize,
    /// Bytes of the tray that its pair has; 0: none.
    tray: usize,
}

impl Geometry {
    fn new(ranks: usize) -> Geometry {
        let ranks_or_one = ranks.max(1);
        let share = (ALL_RINGS / ranks_or_one).next_power_of_two();
        let largest = (LARGEST_RINGS / ranks_or_one / ranks_or_one).next_power_of_two();
        let ring = share.clamp(SMALLEST_RING, LARGE_RING);
        // One rank has a ring to itself alone, which it does not use.
        let largest = match largest.min(LARGEST_RING) {
            len if ranks > 1 && len > ring => len,
            _ => 0,
        };
        let tray = (TRAYS / ranks_or_one / ranks_or_one).next_power_of_two();
        let tray = match largest {
            0 => 0,
            _ => tray.min(LARGEST_TRAY),
        };
        Geometry {
            ranks,
            ring,
            largest,
            tray,
        }
    }

    /// Of an annex: any process of the job may have a ring there.
    fn annex() -> Geometry {
        let geometry = Geometry::new(job().room());
        Geometry {
            ring: geometry.ring.min(LARGEST_ANNEXED),
            largest: 0,
            tray: 0,
            ..geometry
        }
    }

    fn words(self) -> usize {
        self.ranks.div_ceil(64)
    }

    /// Makes the rings, and adds them to the others. Error: `MPI_ERR_NO_MEM`.
    fn build(self, rings: &mut Vec<Receiver>) -> Result<Offset> {
        if rings.try_reserve_exact(self.ranks).is_err() {
            bail!(
                NoMem,
                "there is no memory for the rings of {} ranks",
                self.ranks
            );
        }
        let len = self.bytes().next_multiple_of(PAGE);
        let offset = heap::alloc(len, PAGE)?;
        me().keep(offset, len);
        // Zero, without touching it if the kernel helps.
        if !segment().punch(offset, len) {
            // SAFETY: the block was just allocated, and nobody else knows of it.
            unsafe { segment().at::<u8>(offset).write_bytes(0, len) };
        }
        rings.extend((0..self.ranks).map(|sender| {
            let (control, small, larger) = self.ring(offset, sender);
            // SAFETY: the ring was made just now; this is the only receiving end.
            unsafe { Receiver::new(control, small, larger) }
        }));
        Ok(offset)
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
        self.slots() + self.ranks * self.share()
    }

    /// The bytes of the slots of one sender.
    fn share(self) -> usize {
        let largest = match self.largest {
            0 => 0,
            len => len + self.shelf(),
        };
        self.ring + self.shelf() + largest + self.tray
    }

    /// The tray of two ranks, this process' first, whose inboxes are at these offsets. It lies in that of the lower rank, behind
    /// the slots of the higher one. (The other way round there is as much room, which nobody uses: so all inboxes have one form.)
    ///
    /// The first turn is the higher one's: what the lower one is to read there is mapped where it is, and what the higher one is to
    /// read it has written to before.
    fn tray(self, own: (usize, Offset), other: (usize, Offset)) -> Option<Tray> {
        if self.tray == 0 {
            return None;
        }
        let is_first = own.0 > other.0;
        let (higher, lower) = if is_first { (own, other) } else { (other, own) };
        let at = lower.1 + self.slots() + (higher.0 + 1) * self.share() - self.tray;
        // SAFETY: the inbox is never freed, and this part of it serves nothing else.
        Some(unsafe { Tray::new(segment().at(at), self.tray, is_first) })
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
    fn ring(self, offset: Offset, sender: usize) -> (&'static Control, Slots, Larger) {
        let control = offset + self.controls() + sender * (size_of::<Control>() + SMALL_RING);
        let small = segment().at(control + size_of::<Control>());
        let large = segment().at::<u8>(offset + self.slots() + sender * self.share());
        // SAFETY: a control block is made of atomics and bytes nobody reads, and all is zero at the beginning; the inbox is
        // never freed, and this ring's part of it serves nothing else.
        unsafe {
            let small = Slots::new(small, SMALL_RING, 0);
            let largest = match self.largest {
                0 => None,
                len => {
                    let largest = large.add(self.ring + self.shelf());
                    Some(Slots::new(largest, len, self.shelf()))
                }
            };
            let large = Some(Slots::new(large, self.ring, self.shelf()));
            let control = &*segment().at::<Control>(control);
            (control, small, [large, largest])
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
        let (control, small, larger) = geometry.ring(self.annex, place);
        // SAFETY: the sender of before has ended, and the one that has come waits for the mark.
        unsafe {
            let control = &raw const *control;
            let len = size_of::<Control>() + SMALL_RING;
            control.cast::<u8>().cast_mut().write_bytes(0, len);
            let len = geometry.share();
            let at = self.annex + geometry.slots() + place * len;
            segment().at::<u8>(at).write_bytes(0, len);
            self.rings[ring] = Receiver::new(&*control, small, larger);
        }
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

    /// The same of the next part of a long message, or the `last` one, on the tray, if it [is to go there](Outbox::is_for_tray).
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

    /// Whether the next part of a long message is to go by the tray.
    #[inline]
    pub fn is_for_tray(&self) -> bool {
        self.way.as_ref().is_some_and(|way| way.ring.is_for_tray())
    }

    /// The receiver's turn at the tray is over, and this one's begins.
    pub fn take_turn(&mut self) {
        if let Some(way) = self.way() {
            way.ring.take_turn();
        }
    }

    /// Whether so many `cells` with payloads of up to `len` bytes have room now.
    pub fn has_room(&mut self, cells: usize, len: usize) -> bool {
        self.way().is_some_and(|way| way.ring.has_room(cells, len))
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

    /// The sizes of long messages that the receiver wants announced.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What docs/performance.md says of the memory that messages take.
    #[test]
    fn rings_have_a_bound() {
        for ranks in 1..=4096 {
            let geometry = Geometry::new(ranks);
            let of_inbox = ranks * (geometry.ring + geometry.shelf());
            assert!(of_inbox <= ranks.max(1000) * (18 << 20) / 1000, "{ranks}");
            let largest = ranks * (ranks - 1) * (geometry.largest + geometry.shelf());
            assert!(geometry.largest == 0 || largest <= 29 << 20, "{ranks}");
            // Twice as much is promised.
            let trays = ranks * (ranks - 1) / 2 * geometry.tray;
            assert!(
                trays <= 14 << 20 && (geometry.tray > 0) == (geometry.largest > 0),
                "{ranks}"
            );
            assert_eq!(geometry.largest > 0, (2..12).contains(&ranks), "{ranks}");
        }
        let largest = [2, 4, 8].map(|ranks| Geometry::new(ranks).largest >> 10);
        assert_eq!(largest, [2048, 1024, 256]);
        let trays = [2, 4, 8].map(|ranks| Geometry::new(ranks).tray >> 10);
        assert_eq!(trays, [512, 512, 256]);
        let large = [2, 64, 256].map(|ranks| Geometry::new(ranks).ring >> 10);
        assert_eq!(large, [128, 128, 32]);
        let of_inbox = [64, 256].map(|ranks| (ranks, Geometry::new(ranks)));
        let of_inbox = of_inbox.map(|(ranks, it)| (it.ring + it.shelf()) / 1024 * ranks);
        assert_eq!(of_inbox, [8704, 9216]);
    }
}
