//! An office that one process holds for all others, and that of those who need its holder one fills: by starting a process that
//! takes it.
//!
//! | state    | set by                   | when                                                               |
//! |----------|--------------------------|--------------------------------------------------------------------|
//! | Vacant   | the creator, who fills it | nobody holds it; what was started has not taken it                |
//! | Filling  | who needs a holder       | it starts a process, alone; another takes its turn if it dies      |
//! | Held     | the holder               | it was started by the one whose turn it is                         |
//! | Lost     | whoever finds it gone    | the holder has ended without a word; the next who needs one fills it |
//!
//! All of it is one word. So there is never more than one holder: a process that was started by one who has died meanwhile, and
//! whose turn another has taken, does not get the office. Who changes the word rings those that wait at it.

use super::atomic::{AtomicU64, Ordering};

/// A process: its number, and when it was started, so that another one that gets the number is not taken for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    pub process: u32,
    /// In the kernel's ticks; 0: not known.
    pub born: u64,
}

/// Where the office stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Vacant,
    /// By this rank.
    Filling(u32),
    Held(Holder),
    Lost(Holder),
}

const FILLING: u64 = 1;
const HELD: u64 = 2;
const LOST: u64 = 3;

/// Bits of a time, and of a number (of a process, which has 22 at most, or a rank). The state's number is above both.
const TIME: u32 = 40;
const NUMBER: u32 = 22;

impl State {
    fn word(self) -> u64 {
        let of = |kind: u64, number: u32, time: u64| {
            let number = u64::from(number) & ((1 << NUMBER) - 1);
            kind << (NUMBER + TIME) | number << TIME | time & ((1 << TIME) - 1)
        };
        match self {
            State::Vacant => 0,
            State::Filling(rank) => of(FILLING, rank, 0),
            State::Held(Holder { process, born }) => of(HELD, process, born),
            State::Lost(Holder { process, born }) => of(LOST, process, born),
        }
    }
}

/// The word.
#[repr(transparent)]
#[derive(Default)]
pub struct Office(AtomicU64);

impl Office {
    /// With it comes all that the holder has written before it took the office.
    pub fn state(&self) -> State {
        let word = self.0.load(Ordering::Acquire);
        let holder = Holder {
            process: (word >> TIME) as u32 & ((1 << NUMBER) - 1),
            born: word & ((1 << TIME) - 1),
        };
        match word >> (NUMBER + TIME) {
            FILLING => State::Filling(holder.process),
            HELD => State::Held(holder),
            LOST => State::Lost(holder),
            _ => State::Vacant,
        }
    }

    fn change(&self, from: State, to: State) -> bool {
        self.0
            .compare_exchange(from.word(), to.word(), Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// Gives it to `holder`, where nobody else knows of it yet.
    pub fn give(&self, holder: Holder) {
        self.0.store(State::Held(holder).word(), Ordering::Release);
    }

    /// `rank` fills the office, which was `seen` with no holder. False if it is another's turn.
    pub fn fill(&self, seen: State, rank: u32) -> bool {
        !matches!(seen, State::Held(_)) && self.change(seen, State::Filling(rank))
    }

    /// What `rank` has started does not take the office.
    pub fn give_up(&self, rank: u32) {
        self.change(State::Filling(rank), State::Vacant);
    }

    /// `holder`, which `rank` has started, takes the office. False if it is not the turn of `rank` any more.
    #[must_use]
    pub fn take(&self, rank: u32, holder: Holder) -> bool {
        self.change(State::Filling(rank), State::Held(holder))
    }

    /// `holder` was found gone. True for the first who finds it.
    pub fn lose(&self, holder: Holder) -> bool {
        self.change(State::Held(holder), State::Lost(holder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(process: u32) -> Holder {
        Holder {
            process,
            born: 4711,
        }
    }

    #[test]
    fn it_has_one_holder() {
        let office = Office::default();
        assert_eq!(office.state(), State::Vacant);
        assert!(office.fill(State::Vacant, 3));
        assert!(!office.fill(State::Vacant, 4), "another's turn");
        assert!(!office.take(4, holder(70)));
        assert!(office.take(3, holder(70)));
        assert_eq!(office.state(), State::Held(holder(70)));
        assert!(!office.fill(office.state(), 4));
        let namesake = Holder {
            process: 70,
            born: 4712,
        };
        assert!(!office.lose(namesake));
        assert!(office.lose(holder(70)) && !office.lose(holder(70)));
        assert_eq!(office.state(), State::Lost(holder(70)));
        assert!(office.fill(office.state(), 4));
        office.give_up(3);
        assert_eq!(office.state(), State::Filling(4));
        office.give_up(4);
        assert_eq!(office.state(), State::Vacant);
    }

    #[test]
    fn the_turn_of_a_dead_rank_is_anothers() {
        let office = Office::default();
        assert!(office.fill(State::Vacant, 3));
        assert!(office.fill(State::Filling(3), 4));
        assert!(
            !office.take(3, holder(70)),
            "it was started by the dead one"
        );
        assert!(office.take(4, holder(71)));
    }

    #[test]
    fn the_largest_fit() {
        let office = Office::default();
        let last = Holder {
            process: (1 << NUMBER) - 1,
            born: (1 << TIME) - 1,
        };
        assert!(office.fill(State::Vacant, 1 << 20));
        assert_eq!(office.state(), State::Filling(1 << 20));
        assert!(office.take(1 << 20, last));
        assert_eq!(office.state(), State::Held(last));
    }
}
