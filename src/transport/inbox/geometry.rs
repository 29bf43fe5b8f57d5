//! Where things lie in an inbox, and how long its rings are.
//!
//! An inbox is, from its first byte: the bits, the control blocks with a small ring behind each, the slots of each sender (a large ring, a
//! larger one, the tray of the pair), and of which generation the senders are.

use crate::bail;
use crate::error::Result;
use crate::runtime::{job, me};
use crate::shm::atomic::AtomicU32;
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, PAGE, heap};
use crate::transport::pending::Pending;
use crate::transport::ring::{Control, Larger, Receiver, Sender, Tray};
use crate::transport::slots::Slots;

/// The bytes of a ring while a pair has not said much. It lies behind the pair's control block, so a pair that says little takes
/// no page of its own.
const SMALL_RING: usize = 2 * LINE;
const CONTROL: usize = size_of::<Control>() + SMALL_RING;
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
const LARGEST_TRAY: usize = 1 << 20;
const TRAYS: usize = 16 << 20;
/// The most that a ring of an annex has: enough for the longest piece.
const LARGEST_ANNEXED: usize = 64 << 10;
/// What goes in pieces goes in such of so many bytes.
const LARGEST_SHELF: usize = 8 << 10;
/// A header has 16 bits for the length of its cell's payload.
const _: () = assert!(Sender::longest(LARGEST_ANNEXED) <= u16::MAX as usize);
/// Where things lie in the inboxes of a world of `ranks` ranks, and in annexes for so many.
#[derive(Clone, Copy)]
pub struct Geometry {
    ranks: usize,
    pub ring: usize,
    /// Bytes of the ring to which that one may grow; 0: to none.
    largest: usize,
    /// Bytes of the tray that its pair has; 0: none.
    tray: usize,
}

impl Geometry {
    pub fn new(ranks: usize) -> Geometry {
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
    pub fn annex() -> Geometry {
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
    pub fn build(self, rings: &mut Vec<Receiver>) -> Result<Offset> {
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
        // SAFETY: the rings were made just now; these are the only receiving ends.
        rings.extend((0..self.ranks).map(|sender| unsafe { self.receiver(offset, sender) }));
        Ok(offset)
    }

    /// The receiving end of the ring from `sender` in the inbox at `offset`.
    ///
    /// # Safety
    /// The ring is empty, and has no other one.
    unsafe fn receiver(self, offset: Offset, sender: usize) -> Receiver {
        let (control, small, larger) = self.ring(offset, sender);
        // SAFETY: the caller's contract.
        unsafe { Receiver::new(control, small, larger) }
    }

    /// Makes the ring from `sender` in the inbox at `offset` anew: its receiving end.
    ///
    /// # Safety
    /// Nobody uses either end of the ring that is there.
    pub unsafe fn renew(self, offset: Offset, sender: usize) -> Receiver {
        let control = offset + self.control(sender);
        let slots = offset + self.slots() + sender * self.share();
        // SAFETY: both parts are this ring's alone, which nobody uses, and are zero at the beginning of a ring.
        unsafe {
            segment().at::<u8>(control).write_bytes(0, CONTROL);
            segment().at::<u8>(slots).write_bytes(0, self.share());
            self.receiver(offset, sender)
        }
    }

    /// Where the control blocks are, each with the small ring behind it.
    fn controls(self) -> usize {
        (self.words() * 8).next_multiple_of(LINE)
    }

    /// Where that of `sender` is.
    fn control(self, sender: usize) -> usize {
        self.controls() + sender * CONTROL
    }

    /// Where the large rings are.
    fn slots(self) -> usize {
        self.control(self.ranks).next_multiple_of(PAGE)
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
    pub fn tray(self, own: (usize, Offset), other: (usize, Offset)) -> Option<Tray> {
        if self.tray == 0 {
            return None;
        }
        let is_first = own.0 > other.0;
        let (higher, lower) = if is_first { (own, other) } else { (other, own) };
        let at = lower.1 + self.slots() + (higher.0 + 1) * self.share() - self.tray;
        // SAFETY: the inbox is never freed, and this part of it serves nothing else.
        Some(unsafe { Tray::new(segment().at(at), self.tray, is_first) })
    }

    pub fn bytes(self) -> usize {
        self.marks() + self.ranks * size_of::<AtomicU32>()
    }

    /// Of which generation of senders the rings of the annex at `offset` are.
    pub fn generations(self, offset: Offset) -> &'static [AtomicU32] {
        // SAFETY: they lie behind the rings; an inbox is never freed.
        unsafe { std::slice::from_raw_parts(segment().at(offset + self.marks()), self.ranks) }
    }

    /// The bits of the inbox at `offset`.
    pub fn bits(self, offset: Offset) -> &'static [Pending] {
        // SAFETY: an inbox begins with its bits; it is never freed and its bits are atomics.
        unsafe { std::slice::from_raw_parts(segment().at(offset), self.words()) }
    }

    /// The control block of the ring from `sender` in the inbox at `offset`, and the slots of the small ring and the large one.
    pub fn ring(self, offset: Offset, sender: usize) -> (&'static Control, Slots, Larger) {
        let control = offset + self.control(sender);
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
        assert_eq!(trays, [1024, 1024, 256]);
        let large = [2, 64, 256].map(|ranks| Geometry::new(ranks).ring >> 10);
        assert_eq!(large, [128, 128, 32]);
        let of_inbox = [64, 256].map(|ranks| (ranks, Geometry::new(ranks)));
        let of_inbox = of_inbox.map(|(ranks, it)| (it.ring + it.shelf()) / 1024 * ranks);
        assert_eq!(of_inbox, [8704, 9216]);
    }
}
