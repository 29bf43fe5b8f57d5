//! Rounds without a barrier: each member pins one note in every round, and reads those of the others that it needs, or none.
//!
//! | word of a note | state                                                            |
//! |----------------|------------------------------------------------------------------|
//! | r + 1          | the note of round r is there, and those of all rounds before were |
//!
//! | word of a reader | state                                                                                        |
//! |------------------|----------------------------------------------------------------------------------------------|
//! | r + 1            | it has read what the notes up to that of round r say where it lies; they may change it again |
//!
//! A member has [`KEPT`] notes, used in turn, so it can be ahead of the others: a broadcast's root pins and goes on. It pins in
//! a round when it is done with what it read in those before. So its words say how far it is, and a member that wants to
//! write over an old note asks them: at the beginning of every half of its notes it waits until all have pinned at the
//! beginning of the half before ([`awaited`]). A note of round r is written over in round r + `KEPT`, whose half begins at most
//! half a `KEPT` before that, so all have pinned in round r + 1 by then, or in a later one: they have read.
//!
//! **Orderings.** A note is written, then its word (release). One that finds the word (acquire) sees the note. What a member
//! reads in a round happens before the word that it writes in the next one, so before an awaited word is found, and so before
//! the note is written over. Numbers of rounds wrap; only their distance is asked, which is at most twice `KEPT`. Words begin
//! with 0, as after round -1.

use super::atomic::{AtomicU32, Ordering};

/// How many notes of a member there are.
pub use super::NOTES as KEPT;

const HALF: u32 = KEPT / 2;

/// The word of a note, or of a reader.
#[derive(Default)]
pub struct Pin(AtomicU32);

impl Pin {
    /// The note of `round` is written; or what it tells of is read.
    #[inline]
    pub fn set(&self, round: u32) {
        self.0.store(round.wrapping_add(1), Ordering::Release);
    }

    /// Whether the note of `round` is there, or was.
    #[inline]
    pub fn has(&self, round: u32) -> bool {
        self.0.load(Ordering::Acquire).wrapping_sub(round) as i32 > 0
    }
}

/// Which of a member's notes is that of `round`.
#[inline]
pub fn place(round: u32) -> usize {
    (round % KEPT) as usize
}

/// The round in which everybody has to have pinned before a member writes its note of `round`, if it has to be asked for now.
#[inline]
pub fn awaited(round: u32) -> Option<u32> {
    round.is_multiple_of(HALF).then(|| round.wrapping_sub(HALF))
}
