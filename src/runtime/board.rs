//! A meeting's board: where the members put what is too large for an exchange, for all to read after one barrier.
//!
//! It is made when it is first needed, so a meeting that needs none costs no more.

use super::meeting::Meeting;
use super::wait::spin;
use crate::error::Result;
use crate::shm::atomic::{AtomicU32, Ordering};
use crate::shm::barrier;
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, heap};

/// What is read by all is soon slower than messages: the most bytes that a member gives, and all of them together, where
/// each has a core of its own, and where they share cores, and each message would take a turn on one.
const OWN_CORES: Limits = Limits {
    each: 4 << 10,
    all: 64 << 10,
};
const SHARED_CORES: Limits = Limits {
    each: 16 << 10,
    all: 256 << 10,
};

struct Limits {
    each: usize,
    all: usize,
}

/// What a member gives begins with a number, on a line of its own; on the same line are the bytes, if they are no more than
/// this. Others lie behind the lines of all members.
const NUMBER: usize = 16;
const INLINE: usize = LINE - NUMBER;

/// One member's view of the board. Everything but the first line, which has `gone`, is there twice, for odd and even rounds.
pub struct Board {
    offset: Offset,
    /// The most bytes that a member can give.
    room: usize,
    members: usize,
    /// The caller's place among them.
    rank: usize,
    rounds: AtomicU32,
    /// Members that have left for good.
    gone: &'static AtomicU32,
}

/// What the first member tells the others of the board; nothing is allocated at 0.
#[derive(Clone, Copy, Default)]
struct Offer {
    offset: Offset,
    room: usize,
}

impl Offer {
    fn new(members: usize) -> Result<Offer> {
        let limits = match spin() {
            0 => SHARED_CORES,
            _ => OWN_CORES,
        };
        let share = (limits.all / members).min(limits.each);
        let room = (share / LINE * LINE).max(LINE);
        let offset = heap::alloc(LINE + 2 * members * (LINE + room), LINE)?;
        // SAFETY: the allocation is the caller's alone yet.
        unsafe { segment().at::<u8>(offset).write_bytes(0, LINE) };
        Ok(Offer { offset, room })
    }
}

impl Board {
    /// Makes a meeting's board. Collective. `None` if there is no memory for it.
    #[cold]
    pub(super) fn make(meeting: &Meeting, what: &dyn Fn() -> String) -> Result<Option<Board>> {
        let (rank, members) = (meeting.rank, meeting.size());
        let mine = match rank {
            0 => Offer::new(members).unwrap_or_default(),
            _ => Offer::default(),
        };
        let Offer { offset, room } = meeting.exchange(mine, what)?[0];
        let view = || Board {
            offset,
            room,
            members,
            rank,
            rounds: AtomicU32::new(0),
            // SAFETY: the first line was zeroed before the exchange, and is freed when all have left.
            gone: unsafe { &*segment().at::<AtomicU32>(offset) },
        };
        Ok((offset != 0).then(view))
    }

    /// Where a member's number is, and its `len` bytes.
    #[inline]
    fn part(&self, round: u32, member: usize, len: usize) -> (*mut usize, *mut u8) {
        let slot = barrier::slot(round, self.members, member);
        let lines = self.offset + LINE;
        let line = segment().at::<u8>(lines + slot * LINE);
        let data = match len <= INLINE {
            true => line.wrapping_add(NUMBER),
            false => segment().at(lines + 2 * self.members * LINE + slot * self.room),
        };
        (line.cast(), data)
    }
}

impl Meeting {
    /// Gives everybody's `len` bytes, which `write` writes, to everybody, and a number. A barrier besides. `None`, and nothing
    /// was done, if they are too many. All members have to give as many.
    ///
    /// Errors: those of `write`, and as [`Meeting::barrier`].
    #[inline]
    pub fn share(
        &self,
        len: usize,
        number: usize,
        what: &dyn Fn() -> String,
        write: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<Option<Shared<'_>>> {
        if len > SHARED_CORES.each {
            return Ok(None);
        }
        let board = match self.board(what)? {
            Some(board) if len <= board.room => board,
            _ => return Ok(None),
        };
        // After a failed round others may still read what this member gave to the last good one.
        self.check_alive(what)?;
        let round = board.rounds.fetch_add(1, Ordering::Relaxed);
        let (place, data) = board.part(round, board.rank, len);
        // SAFETY: the part is this member's own, and nobody reads it before the barrier (see [`barrier::slot`]).
        unsafe { place.write(number) };
        write(data)?;
        self.barrier(what)?;
        Ok(Some(Shared { board, round, len }))
    }
}

/// What everybody gave: to be read until the caller shares something again.
pub struct Shared<'a> {
    board: &'a Board,
    round: u32,
    len: usize,
}

impl Shared<'_> {
    /// The number that a member gave, and its bytes, aligned as any element of a datatype. If it gave more or fewer of them
    /// than the caller, they are anything.
    #[inline]
    pub fn by(&self, member: usize) -> (usize, *const u8) {
        let (place, data) = self.board.part(self.round, member, self.len);
        // SAFETY: the member wrote it before it came to the barrier, and writes there again only after the next one.
        (unsafe { place.read() }, data)
    }
}

impl Drop for Board {
    /// The member leaves for good. The one whose heap the board came from sees to its end.
    fn drop(&mut self) {
        heap::leave(self.offset, self.gone, self.members as u32, self.rank == 0);
    }
}
