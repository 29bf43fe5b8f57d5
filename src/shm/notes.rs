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
//! A member's notes are used in turn, as many as their [depth](Depth) says, so it can be ahead of the others: a broadcast's root pins and goes
//! on. It pins in a round when it is done with what it read in those before. So its words say how far it is, and a member that wants
//! to write over an old note looks at them. It does so once for each half of its notes ([`Depth::awaited`]): while it writes one half, all have
//! pinned at the beginning of the half before. A note of round r is written over in round r + the depth; the half before that one's begins behind r, and
//! who has pinned there has read.
//!
//! What a note has no room for lies in one of other places, which have a depth of their own: a smaller one where many would not stay
//! in the caches.
//!
//! **Orderings.** A note is written, then its word (release). One that finds the word (acquire) sees the note. What a member
//! reads in a round happens before the word that it writes in the next one, so before an awaited word is found, and so before
//! the note is written over. Numbers of rounds wrap; only their distance is asked, which is at most twice the depth. Words begin
//! with 0, as after round -1.

use super::atomic::{AtomicU32, Ordering};

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
        is_after(self.0.load(Ordering::Acquire), round)
    }
}

/// How many notes of a member there are, or places for what is more: a power of two, 2 at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth(u32);

impl Depth {
    pub const fn new(places: u32) -> Depth {
        assert!(places.is_power_of_two() && places >= 2);
        Depth(places)
    }

    /// How many there are.
    #[inline]
    pub const fn places(self) -> usize {
        self.0 as usize
    }

    /// Which of them is that of `round`.
    #[inline]
    pub fn place(self, round: u32) -> usize {
        (round & (self.0 - 1)) as usize
    }

    /// The round in which everybody has to have pinned before a member writes there in `round`: the same for half of them in turn.
    #[inline]
    pub fn awaited(self, round: u32) -> u32 {
        let half = self.0 / 2;
        (round & !(half - 1)).wrapping_sub(half)
    }
}

/// Whether round `first` comes after round `second`.
#[inline]
pub fn is_after(first: u32, second: u32) -> bool {
    first.wrapping_sub(second) as i32 > 0
}
