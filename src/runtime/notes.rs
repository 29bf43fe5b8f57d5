//! A meeting's notes: little that some members give and some take, in rounds in which nobody waits for more than it needs.
//!
//! In an operation every member pins a note ([`crate::shm::notes`]), if only to say that it has come so far. A broadcast's root
//! goes on when its note is pinned, and so do those that give to a reduction; one that reads waits for the notes that it reads. So
//! one line goes from a core to another, where a barrier takes two, and members that come late keep nobody up until they are
//! some rounds behind: [many](SHARED_CORES) where ranks share cores, and each turn of all of them on a core takes long.
//!
//! What a note says may lie elsewhere in the segment. Who has read it there says so by a word of its own, and whose it is waits for
//! the words of those that read.
//!
//! A note is a line with the word, a number and up to 112 bytes. What is more, up to 8 KiB, lies behind the lines of all. The
//! notes are made when they are first needed. In meetings of many members there are none: everybody would look at everybody.
//!
//! Those that sleep for a note are counted, so that one who pins has to look at one word. It passes no fence if all members'
//! processes take part in [heavy ones](crate::shm::membarrier): then those that go to sleep pass one for it.

use super::board::{Shared, failed};
use super::deaths::{Ranks, check_alive};
use super::meeting::Meeting;
use super::needs::Needs;
use super::wait::{Announce, Nap, Waiting, spin, wait};
use crate::check::clock::{self, Key};
use crate::error::Result;
use crate::shm::atomic::{
    AtomicU32, Ordering, fence, full_fence, heavy_fence, light_fence, prefetch_to_write,
};
use crate::shm::notes::{Depth, Pin, is_after};
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, heap, membarrier};
use std::cell::Cell;
use std::mem::offset_of;

/// The most bytes that a member gives in a note.
pub const NOTE: usize = 8 << 10;
/// The room of a note: there is some more, to say where in it what lies.
pub const ROOM: usize = NOTE + 64;
/// The most members that have notes.
pub const MEMBERS: usize = 16;
/// The number of a member that could not write what it was to give.
pub(super) const FAILED: usize = usize::MAX;

/// How many notes a member has.
#[derive(Clone, Copy)]
struct Depths {
    lines: Depth,
    /// Of what is more than a line takes.
    rooms: Depth,
}

/// Where ranks have cores of their own, many large notes would not stay in the nearest cache: with 16 a broadcast of 4 KiB takes 0.63 µs instead of 0.44.
const OWN_CORES: Depths = Depths {
    lines: Depth::new(16),
    rooms: Depth::new(4),
};
/// Where they share cores, who waits for all waits for a turn of all of them on a core. (8 ranks on 2 cores, a broadcast of 8 B and of 4 KiB, µs: 3.4 and 4.4 with 4 of
/// each, 0.56 and 1.6 so.)
const SHARED_CORES: Depths = Depths {
    lines: Depth::new(32),
    rooms: Depth::new(16),
};
/// The same of more than 8 members, whose notes would take as much as a huge page else, and so all of one.
const MANY_ON_SHARED_CORES: Depths = Depths {
    rooms: Depth::new(8),
    ..SHARED_CORES
};

/// How far a member is ahead of others to whom a message of so many bytes comes beside its note: more would not find room in their rings, and
/// all would wait. (8 ranks on 2 cores, a broadcast of 16 KiB with 8 and 16 of them 9.7 and 16 µs, of 32 KiB with 4 and 8 of them 18 and 23.)
fn messages(bytes: usize) -> Depth {
    Depth::new(match bytes {
        _ if bytes <= 8 << 10 => 16,
        _ if bytes <= 16 << 10 => 8,
        _ => 4,
    })
}

/// Every so many rounds, who goes on says that it has read all that it was shown before.
const SAID: u32 = 2;

/// So many looks at a word come before a member waits in earnest, where every rank can have a core.
const LOOKS: u32 = 256;

/// What all members see first.
#[repr(C, align(128))]
struct Head {
    /// Members that have left for good.
    gone: AtomicU32,
    _line: [u8; LINE - 4],
    /// Members that sleep for a note, or are about to.
    sleepers: AtomicU32,
}

/// A note's line.
#[repr(C, align(128))]
struct Line {
    pin: Pin,
    number: usize,
    data: [u8; INLINE],
}

const INLINE: usize = LINE - 16;

/// What cores pass each other; a [`LINE`] is two of them.
const CACHE_LINE: usize = 64;

/// The line by which a member says what it has read.
#[repr(C, align(128))]
struct Reader {
    read: Pin,
}

const _: () = assert!(size_of::<Line>() == LINE && offset_of!(Line, data) == 16);

/// One member's view of the notes.
pub struct Notes {
    offset: Offset,
    head: &'static Head,
    members: usize,
    /// The caller's place among them.
    rank: usize,
    depths: Depths,
    /// The number of the next round.
    next: AtomicU32,
    /// A round in which all have pinned.
    all: AtomicU32,
    /// Whether all processes take part in heavy fences.
    light: bool,
}

/// Where the lines of the notes begin.
fn notes_at(members: usize) -> usize {
    size_of::<Head>() + members * size_of::<Reader>()
}

impl Notes {
    /// Makes a meeting's notes. Collective. `None` if there is no memory for them.
    #[cold]
    pub(super) fn make(meeting: &Meeting, what: &dyn Fn() -> String) -> Result<Option<Notes>> {
        let (rank, members) = (meeting.rank, meeting.size());
        // What the first member finds holds for all, who may not all count cores alike.
        let shares = meeting.exchange(spin() == 0, what)?[0];
        let depths = match shares {
            false => OWN_CORES,
            true if members <= 8 => SHARED_CORES,
            true => MANY_ON_SHARED_CORES,
        };
        let lines = notes_at(members) + members * depths.lines.places() * LINE;
        let bytes = lines + members * depths.rooms.places() * ROOM;
        let made = meeting.common(bytes, lines, membarrier::register(), what)?;
        let Some((offset, registered)) = made else {
            return Ok(None);
        };
        Ok(Some(Notes {
            offset,
            // SAFETY: it was zeroed before the exchange, and is freed when all have left.
            head: unsafe { &*segment().at::<Head>(offset) },
            members,
            rank,
            depths,
            next: AtomicU32::new(0),
            // As the words begin.
            all: AtomicU32::new(u32::MAX),
            light: !registered.contains(&false),
        }))
    }

    #[inline]
    fn line(&self, round: u32, member: usize) -> *mut Line {
        let lines = segment().at::<Line>(self.offset + notes_at(self.members));
        let depth = self.depths.lines;
        lines.wrapping_add(member * depth.places() + depth.place(round))
    }

    #[inline]
    fn pin(&self, round: u32, member: usize) -> &Pin {
        // SAFETY: the word is one of the lines', zeroed before anybody saw it, and lives as long as the notes.
        unsafe { &(*self.line(round, member)).pin }
    }

    /// The word by which a member says that it has read.
    #[inline]
    fn read(&self, member: usize) -> &Pin {
        let readers = segment().at::<Reader>(self.offset + size_of::<Head>());
        // SAFETY: as `pin`.
        unsafe { &(*readers.wrapping_add(member)).read }
    }

    /// Where a note's number is, and its `len` bytes.
    #[inline]
    pub(super) fn part(&self, round: u32, member: usize, len: usize) -> (*mut usize, *mut u8) {
        let line = self.line(round, member);
        // SAFETY: places within the line.
        let (number, data) = unsafe { (&raw mut (*line).number, &raw mut (*line).data) };
        if len <= INLINE {
            return (number, data.cast());
        }
        let Depths { lines, rooms } = self.depths;
        let at = member * rooms.places() + rooms.place(round);
        let all = notes_at(self.members) + self.members * lines.places() * LINE;
        (number, segment().at(self.offset + all + at * ROOM))
    }

    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// Waits until `member` has pinned in `round`.
    #[inline]
    fn wait_for(
        &self,
        meeting: &Meeting,
        round: u32,
        member: usize,
        what: &dyn Fn() -> String,
    ) -> Result<()> {
        self.wait_for_word(meeting, self.pin(round, member), round, member, what)?;
        clock::meet(meeting.members[member], || self.key(round));
        Ok(())
    }

    /// What a note of a round stands for, in checks.
    fn key(&self, round: u32) -> Key {
        Key::new(clock::NOTE, self.offset as u64, round.into(), 0)
    }

    /// Waits until `member` has set its word for `round`.
    #[inline]
    fn wait_for_word(
        &self,
        meeting: &Meeting,
        word: &Pin,
        round: u32,
        member: usize,
        what: &dyn Fn() -> String,
    ) -> Result<()> {
        let looks = if spin() > 0 { LOOKS } else { 0 };
        for _ in 0..looks {
            if word.has(round) {
                return Ok(());
            }
        }
        match word.has(round) {
            true => Ok(()),
            false => self.wait_long(meeting, member, &|| word.has(round), what),
        }
    }

    #[cold]
    fn wait_long(
        &self,
        meeting: &Meeting,
        member: usize,
        ready: &dyn Fn() -> bool,
        what: &dyn Fn() -> String,
    ) -> Result<()> {
        let counted = Cell::new(false);
        let sleeper = || {
            if !counted.replace(true) {
                self.head.sleepers.fetch_add(1, Ordering::SeqCst);
            }
            // With the fence of `ring`: either what is pinned is seen now, or this one is counted there.
            if self.light {
                heavy_fence();
            }
        };
        let awaited = Ranks::Awaited(meeting.members[member], &meeting.members);
        let result = meeting.unless_revoked(awaited, |ranks| {
            let waiting = Waiting {
                key: 0,
                what,
                ranks,
                needs: Needs::One(meeting.members[member]),
                announce: Some(Announce {
                    sleeper: &sleeper,
                    nap: &|| Nap::UntilRung,
                }),
            };
            wait(&waiting, ready)
        });
        if counted.get() {
            self.head.sleepers.fetch_sub(1, Ordering::SeqCst);
        }
        result
    }

    /// Waits until all are so far that a member with as many places writes in this round where nobody reads any more.
    #[inline]
    fn await_all(
        &self,
        meeting: &Meeting,
        round: u32,
        places: Depth,
        what: &dyn Fn() -> String,
    ) -> Result<()> {
        let before = places.awaited(round);
        // (One thread at a time is here.)
        if is_after(before, self.all.load(Ordering::Relaxed)) {
            for member in 0..self.members {
                self.wait_for_word(meeting, self.pin(before, member), before, member, what)?;
            }
            self.all.store(before, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Rings those that sleep for a note, after one was pinned.
    #[inline]
    fn ring(&self, meeting: &Meeting) {
        match self.light {
            true => light_fence(),
            false => full_fence(),
        }
        if self.head.sleepers.load(Ordering::Relaxed) != 0 {
            meeting.ring_others();
        }
    }
}

/// A round in which the caller has pinned its note.
#[derive(Clone, Copy)]
pub struct Round<'a> {
    meeting: &'a Meeting,
    notes: &'a Notes,
    round: u32,
}

impl Meeting {
    /// Error: as [`Meeting::barrier`], if a member has died or this is revoked.
    #[inline]
    fn check(&self, what: &dyn Fn() -> String) -> Result<()> {
        let these = Ranks::These(&self.members);
        self.unless_revoked(these, |ranks| check_alive(ranks, what))
    }

    /// Pins a note of `len` bytes, which `write` writes, and a number. `None`, and nothing was done, if there are no notes in
    /// this meeting, the same for all members. Collective, and waits only for those that are many rounds behind. `len` is at most
    /// [`ROOM`].
    ///
    /// Errors: those of `write`, of which those that read the note learn; as [`Meeting::barrier`].
    #[inline]
    pub fn pin(
        &self,
        len: usize,
        number: usize,
        what: &dyn Fn() -> String,
        write: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<Option<Round<'_>>> {
        let Some(notes) = self.notes(what)? else {
            return Ok(None);
        };
        let Depths { lines, rooms } = notes.depths;
        let places = if len <= INLINE { lines } else { rooms };
        self.pin_at(notes, places, (len, number), what, write)
    }

    /// The same of a note of at most 112 bytes beside which messages of so many bytes come.
    pub fn pin_beside_messages(
        &self,
        (len, bytes): (usize, usize),
        number: usize,
        what: &dyn Fn() -> String,
        write: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<Option<Round<'_>>> {
        debug_assert!(len <= INLINE);
        match self.notes(what)? {
            None => Ok(None),
            Some(notes) => self.pin_at(notes, messages(bytes), (len, number), what, write),
        }
    }

    #[inline(always)]
    fn pin_at<'a>(
        &'a self,
        notes: &'a Notes,
        places: Depth,
        (len, number): (usize, usize),
        what: &dyn Fn() -> String,
        write: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<Option<Round<'a>>> {
        debug_assert!(len <= ROOM);
        // Rounds in which a member died are counted differently by the others: nobody goes on. One that has ended in order has
        // pinned in all that it takes part in.
        self.check(what)?;
        // One thread at a time calls collective operations on a communicator.
        let round = notes.next.load(Ordering::Relaxed);
        notes.next.store(round.wrapping_add(1), Ordering::Relaxed);
        notes.await_all(self, round, places, what)?;
        if round.is_multiple_of(SAID) {
            // Who goes on has read. Told so often, the distance of a word from the round that is asked for stays small.
            notes.read(notes.rank).set(round.wrapping_sub(1));
        }
        let (place, data) = notes.part(round, notes.rank, len);
        let written = write(data);
        let number = if written.is_ok() { number } else { FAILED };
        // SAFETY: the note is this member's own, and all have read what it was before.
        unsafe { place.write(number) };
        clock::leave(|| notes.key(round));
        notes.pin(round, notes.rank).set(round);
        // The line of the caller's next note comes from the core that read there last, while this one does something else.
        prefetch_to_write(notes.line(round.wrapping_add(1), notes.rank));
        notes.ring(self);
        written?;
        let meeting = self;
        Ok(Some(Round {
            meeting,
            notes,
            round,
        }))
    }
}

impl<'a> Round<'a> {
    /// The number that a member gave. Blocks until it has.
    ///
    /// Error: `MPI_ERR_OTHER`, if it failed; as [`Meeting::barrier`].
    #[inline]
    pub fn number(&self, member: usize, what: &dyn Fn() -> String) -> Result<usize> {
        self.notes
            .wait_for(self.meeting, self.round, member, what)?;
        // SAFETY: the member wrote it before it pinned, and writes there again when this one has pinned once more.
        match unsafe { self.place(member).read() } {
            FAILED => Err(failed(member)),
            number => Ok(number),
        }
    }

    /// Where the number of a member is that has given it.
    #[inline]
    pub(super) fn place(&self, member: usize) -> *const usize {
        self.notes.part(self.round, member, 0).0
    }

    /// The `len` bytes of a member whose number was found, aligned as any element of a datatype, to be read until the caller pins
    /// again. If it gave more or fewer of them, they are anything.
    #[inline]
    pub fn data(&self, member: usize, len: usize) -> *const u8 {
        self.notes.part(self.round, member, len).1
    }

    /// Two give each other `len` bytes in this round, and as many in the next one, as programs do: the lines of the caller's next note come while it
    /// waits for the other one's. (Alltoall of 2 KiB, Intel Xeon of model 207: 1.35 and 1.1 µs. Where one only gives, the other one still reads there.)
    #[inline]
    pub fn expect_to_give(&self, len: usize) {
        if len > INLINE && self.notes.members == 2 {
            let (_, next) = self
                .notes
                .part(self.round.wrapping_add(1), self.notes.rank, len);
            for at in (0..len).step_by(CACHE_LINE) {
                prefetch_to_write(next.wrapping_add(at));
            }
        }
    }

    /// Whether a member has pinned its note. Does not wait.
    pub fn has(&self, member: usize) -> bool {
        self.notes.pin(self.round, member).has(self.round)
    }

    /// Says that the caller has read what the notes of this round, and of those before, say where it lies.
    pub fn has_read(&self) {
        self.notes.read(self.notes.rank).set(self.round);
        self.notes.ring(self.meeting);
    }

    /// What the caller has read where others have it is right: none of them has gone on because of an error that ends waits here. Error: as
    /// [`Meeting::barrier`].
    #[inline]
    pub fn check(&self, what: &dyn Fn() -> String) -> Result<()> {
        // What it has read before it looks for that.
        fence(Ordering::Acquire);
        self.meeting.check(what)
    }

    /// Waits until a member has said so. Error: as [`Meeting::barrier`].
    pub fn await_read(&self, member: usize, what: &dyn Fn() -> String) -> Result<()> {
        let word = self.notes.read(member);
        self.notes
            .wait_for_word(self.meeting, word, self.round, member, what)?;
        clock::meet_now(self.meeting.members[member]);
        Ok(())
    }

    /// What everybody gives, when they all have.
    pub(super) fn all(self, len: usize, what: &dyn Fn() -> String) -> Result<Shared<'a>> {
        for member in 0..self.notes.members {
            self.notes
                .wait_for(self.meeting, self.round, member, what)?;
        }
        Ok(Shared::of_notes(self.notes, self.round, len))
    }
}

impl Drop for Notes {
    /// The member leaves for good. The one whose heap they came from sees to their end.
    fn drop(&mut self) {
        let all = self.members as u32;
        heap::leave(self.offset, &self.head.gone, all, self.rank == 0);
    }
}
