//! A meeting's board: where the members put what is too large for an exchange, for all to read after one barrier.
//!
//! It is made when it is first needed, so a meeting that needs none costs no more. It takes memory as far as it was used.
//!
//! Two rounds of parts, one barrier, and everybody reads where the others wrote: as in an exchange. A part is a line for each
//! member, with a number (the length of its blocks, which the readers compare, or that it failed) and up to 112 bytes. What is
//! more lies behind the lines of all: up to 128 KiB a member, less where there are more than 64 of them (8 MiB in all), and a
//! word at least for each pair. All give as many bytes in a round, so parts lie close together. If there is no memory for a
//! board, messages do its work.
//!
//! What fits goes by notes. One of two members that gives more pins one too, with its number and the board's round, in place of the
//! barrier: so two that give different lengths by mistake always find each other. (Of more members each note would wake all that
//! wait.)

use super::meeting::Meeting;
use super::notes::{FAILED, MEMBERS, NOTE, Notes, Round};
use super::wait::spin;
use crate::err;
use crate::error::{Error, Result};
use crate::shm::atomic::{AtomicU32, Ordering};
use crate::shm::barrier;
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, heap};

/// The bytes that members can give in a round: each of them, and all together. (`make bench BENCH="--families sizes"` shows
/// where a collective gets slower for it.)
const EACH: usize = 128 << 10;
const ALL: usize = 8 << 20;

/// What a member gives begins with a number, on a line of its own; on the same line are the bytes, if they are no more than
/// this. Others lie behind the lines of all members.
const NUMBER: usize = 16;
const INLINE: usize = LINE - NUMBER;

/// One member's view of the board. Everything but the first line, which has `gone`, is there twice, for odd and even rounds.
pub struct Board {
    offset: Offset,
    /// Whether the ranks share cores, as the first member sees it: the same for all.
    sharing: bool,
    members: usize,
    /// The caller's place among them.
    rank: usize,
    rounds: AtomicU32,
    /// Members that have left for good.
    gone: &'static AtomicU32,
}

/// The most bytes that each of `members` can give in a round, in whole lines: at least a word for each of the others.
fn room(members: usize) -> usize {
    let share = (ALL / members).min(EACH).max(members * size_of::<u64>());
    share.next_multiple_of(LINE)
}

/// Bytes of the segment that their board takes.
fn bytes(members: usize) -> usize {
    LINE + 2 * members * (LINE + room(members))
}

impl Board {
    /// Makes a meeting's board. Collective. `None` if there is no memory for it.
    #[cold]
    pub(super) fn make(meeting: &Meeting, what: &dyn Fn() -> String) -> Result<Option<Board>> {
        let (rank, members) = (meeting.rank, meeting.size());
        let made = meeting.common(bytes(members), LINE, spin() == 0, what)?;
        let Some((offset, sharing)) = made else {
            return Ok(None);
        };
        Ok(Some(Board {
            offset,
            sharing: sharing[0],
            members,
            rank,
            rounds: AtomicU32::new(0),
            // SAFETY: the first line was zeroed before the exchange, and is freed when all have left.
            gone: unsafe { &*segment().at::<AtomicU32>(offset) },
        }))
    }

    /// Where a member's number is, and its `len` bytes. All give as many in a round, so their parts lie close together.
    #[inline]
    fn part(&self, round: u32, member: usize, len: usize) -> (*mut usize, *mut u8) {
        let slot = barrier::slot(round, self.members, member);
        let lines = self.offset + LINE;
        let line = segment().at::<u8>(lines + slot * LINE);
        let data = match len <= INLINE {
            true => line.wrapping_add(NUMBER),
            false => {
                let first = barrier::slot(round, self.members, 0) * room(self.members);
                let stride = len.next_multiple_of(LINE);
                segment().at(lines + 2 * self.members * LINE + first + member * stride)
            }
        };
        (line.cast(), data)
    }
}

impl Meeting {
    /// The most bytes that [`Meeting::share`] takes of each member.
    pub fn room(&self) -> usize {
        room(self.size())
    }

    /// Whether the ranks share cores, as its board says: the same for all members. Makes the board, if there is none yet.
    /// Collective. `None` if there is no memory for it.
    #[inline]
    pub fn sharing_cores(&self, what: &dyn Fn() -> String) -> Result<Option<bool>> {
        Ok(self.board(what)?.map(|board| board.sharing))
    }

    /// Gives everybody's `len` bytes, which `write` writes, to everybody, and a number. A barrier besides. `None`, and nothing
    /// was done, if there is no memory for it. All members have to give as many, and at most [`Meeting::room`].
    ///
    /// Errors: those of `write`, of which the others learn by [`Shared::by`]; as [`Meeting::barrier`].
    #[inline]
    pub fn share(
        &self,
        len: usize,
        number: usize,
        what: &dyn Fn() -> String,
        write: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<Option<Shared<'_>>> {
        if len <= NOTE && self.size() <= MEMBERS {
            let pinned = self.pin(len, number, what, write)?;
            return pinned.map(|round| round.all(len, what)).transpose();
        }
        let Some(board) = self.board(what)? else {
            return Ok(None);
        };
        debug_assert!(len <= self.room());
        // After a failed round others may still read what this member gave to the last good one.
        self.check_alive(what)?;
        let round = board.rounds.fetch_add(1, Ordering::Relaxed);
        let (place, data) = board.part(round, board.rank, len);
        let written = write(data);
        let number = if written.is_ok() { number } else { FAILED };
        let noted = match self.size() {
            2 => self.pin(size_of::<u32>(), number, what, |room| {
                // SAFETY: a note has room for it, aligned as any element.
                unsafe { room.cast::<u32>().write(round) };
                Ok(())
            })?,
            _ => None,
        };
        match noted {
            Some(noted) => {
                noted.all(0, what)?;
            }
            None => {
                // SAFETY: the part is this member's own, and nobody reads it before the barrier (see [`barrier::slot`]).
                unsafe { place.write(number) };
                self.barrier(what)?;
            }
        }
        written?;
        Ok(Some(Shared {
            place: Place::Board(board),
            round,
            len,
            noted,
        }))
    }
}

/// What everybody gave: to be read until the caller shares something again.
pub struct Shared<'a> {
    place: Place<'a>,
    round: u32,
    len: usize,
    /// The round of notes whose numbers are those of what lies on the board. Each says in which of the board's rounds: of two that
    /// gave different lengths only one has counted one.
    noted: Option<Round<'a>>,
}

#[derive(Clone, Copy)]
enum Place<'a> {
    Board(&'a Board),
    Notes(&'a Notes),
}

impl<'a> Shared<'a> {
    pub(super) fn of_notes(notes: &'a Notes, round: u32, len: usize) -> Shared<'a> {
        Shared {
            place: Place::Notes(notes),
            round,
            len,
            noted: None,
        }
    }

    #[inline]
    fn part(&self, member: usize) -> (*mut usize, *mut u8) {
        match self.place {
            Place::Board(board) => board.part(self.round_of(member), member, self.len),
            Place::Notes(notes) => notes.part(self.round, member, self.len),
        }
    }

    /// The board's round in which a member gave.
    #[inline]
    fn round_of(&self, member: usize) -> u32 {
        match &self.noted {
            // SAFETY: the member wrote it before it pinned. One that gave what fits into a note has something else there, and any
            // number is that of a slot.
            Some(noted) => unsafe { noted.data(member, size_of::<u32>()).cast::<u32>().read() },
            None => self.round,
        }
    }

    /// The number that a member gave, and its bytes, aligned as any element of a datatype. If it gave more or fewer of them
    /// than the caller, they are anything.
    ///
    /// Error: `MPI_ERR_OTHER`, if it failed.
    #[inline]
    pub fn by(&self, member: usize) -> Result<(usize, *const u8)> {
        let (beside, data) = self.part(member);
        let place = match &self.noted {
            Some(noted) => noted.place(member),
            None => beside,
        };
        // SAFETY: the member wrote it before it came to the barrier, or pinned; it writes there again only after the next one, or when
        // all have pinned once more.
        match unsafe { place.read() } {
            FAILED => Err(failed(member)),
            number => Ok((number, data)),
        }
    }

    /// The bytes alone, of a member that is known to have given them.
    #[inline]
    pub fn bytes_by(&self, member: usize) -> *const u8 {
        self.part(member).1
    }

    /// The caller's own bytes. It may write to those that nobody reads before they all meet once more.
    pub fn own(&self) -> *mut u8 {
        self.part(match self.place {
            Place::Board(board) => board.rank,
            Place::Notes(notes) => notes.rank(),
        })
        .1
    }
}

#[cold]
pub(super) fn failed(member: usize) -> Error {
    err!(
        Other,
        "process {member} of the communicator failed in this operation, so that nobody goes on"
    )
}

impl Drop for Board {
    /// The member leaves for good. The one whose heap the board came from sees to its end.
    fn drop(&mut self) {
        heap::leave(self.offset, self.gone, self.members as u32, self.rank == 0);
    }
}
