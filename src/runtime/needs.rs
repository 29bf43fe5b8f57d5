//! Who has to act so that a wait ends. A rank says it in the process table with each look in vain that it counts; by it a cycle
//! of waits is found while others go on ([`super::deadlock`]).
//!
//! A wait is over when several things have been done, each of which any of some ranks can do. What is said of it is one of
//! two: a set of ranks of which **each** has something to do, or a set of which **any** may do the one thing. Where more is
//! known than these can say, less is said: a wait that needs a rank and one of three others says that it needs the rank. Of
//! what is said all is so; a wait of which nothing certain is known says nothing, and is in no cycle.
//!
//! Those that have come to a meeting count themselves there without their names. So a wait for the others names the **place**:
//! who waits at the same one has come. (Nobody waits there for an earlier round: its next look finds that all had come.)
//!
//! A rank whose progress may send for an operation that was begun before, by something that others send it, says nothing either:
//! it may act though it waits.

use super::table::Table;
use crate::shm::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, full_fence};

/// What a wait says of those that it needs.
#[derive(Clone, Copy)]
pub enum Needs<'a> {
    /// Nothing.
    Unknown,
    /// This rank has something to do.
    One(u32),
    /// Each of the members that has not come to this place, a number that is not 0.
    Arrivals { place: u64, members: &'a [u32] },
    /// What the function tells.
    Told(&'a dyn Fn(&mut Need)),
}

/// Whether all of a set are needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum How {
    #[default]
    Unknown = 0,
    /// Each of them has something to do.
    Each = 1,
    /// One of them has, and any can.
    Any = 2,
}

/// Those that a wait needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Need {
    pub how: How,
    /// Where those that are needed have not come; 0: anywhere.
    pub place: u64,
    pub ranks: Set,
}

/// A set of ranks of the job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set(Vec<u64>);

impl Set {
    pub fn insert(&mut self, rank: u32) {
        let word = rank as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (rank % 64);
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = |(i, &word): (usize, &u64)| {
            let has = move |bit: &u32| word >> bit & 1 == 1;
            (0..64).filter(has).map(move |bit| 64 * i as u32 + bit)
        };
        self.0.iter().enumerate().flat_map(bits)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}

impl FromIterator<u32> for Set {
    fn from_iter<T: IntoIterator<Item = u32>>(ranks: T) -> Set {
        let mut set = Set::default();
        ranks.into_iter().for_each(|rank| set.insert(rank));
        set
    }
}

impl Need {
    /// Each of `ranks` has something to do.
    pub fn each(ranks: impl IntoIterator<Item = u32>) -> Need {
        Need::new(How::Each, ranks.into_iter().collect())
    }

    /// One of `ranks` has, and any can.
    pub fn any(ranks: impl IntoIterator<Item = u32>) -> Need {
        Need::new(How::Any, ranks.into_iter().collect())
    }

    /// The rank that has something to do, if it is one alone.
    pub fn only(&self) -> Option<u32> {
        let mut ranks = self.ranks.iter();
        ranks.next().filter(|_| ranks.next().is_none())
    }

    /// What is needed for all, or for any, of what `needs` are for.
    pub fn of_many(how: How, needs: &mut dyn Iterator<Item = Need>) -> Need {
        let known: Vec<Need> = match how {
            How::Unknown => return Need::default(),
            // Of things that are all needed, those say most that one rank each is needed for; and one is enough.
            How::Each => {
                let (each, any): (Vec<_>, Vec<_>) = needs
                    .filter(|need| need.how != How::Unknown && need.place == 0)
                    .partition(|need| need.how == How::Each);
                if each.is_empty() {
                    return any.into_iter().next().unwrap_or_default();
                }
                each
            }
            How::Any => {
                let needs: Vec<_> = needs.collect();
                // What needs several may be helped by one as far as is known.
                if needs
                    .iter()
                    .any(|need| need.how == How::Unknown || need.place != 0)
                {
                    return Need::default();
                }
                needs
            }
        };
        let ranks = known.iter().flat_map(|need| need.ranks.iter());
        Need::new(how, ranks.collect())
    }

    /// Of nobody nothing follows.
    fn new(how: How, ranks: Set) -> Need {
        let how = if ranks.is_empty() { How::Unknown } else { how };
        Need {
            how,
            place: 0,
            ranks,
        }
    }

    /// What a wait says now.
    pub(super) fn of(needs: Needs<'_>) -> Need {
        let mut need = Need::default();
        if acts_in_waits() {
            return need;
        }
        match needs {
            Needs::Unknown => {}
            Needs::One(rank) => need = Need::each([rank]),
            Needs::Arrivals { place, members } => {
                need = Need::each(members.iter().copied());
                need.place = place;
            }
            Needs::Told(tell) => tell(&mut need),
        }
        need
    }
}

/// The function that says whether progress may act for others: a `fn() -> bool`, or 0.
static ACTS: AtomicUsize = AtomicUsize::new(0);

/// Names the function that says whether moving messages along may do something for others that none of them waits for alone.
pub fn set_acts(acts: fn() -> bool) {
    ACTS.store(acts as usize, Ordering::Release);
}

fn acts_in_waits() -> bool {
    match ACTS.load(Ordering::Acquire) {
        0 => false,
        // SAFETY: only `set_acts` writes the word, and it writes a `fn() -> bool`.
        function => unsafe { std::mem::transmute::<usize, fn() -> bool>(function)() },
    }
}

/// What is said in the process table; the set is a row of bits behind it ([`Table::needs`]).
#[repr(C)]
pub struct Posted {
    how: AtomicU32,
    _pad: u32,
    place: AtomicU64,
}

impl Table {
    /// Says what the wait of `rank` needs. Another need than before is another rest: who reads the same number of the rest
    /// before and after has read one need, and the same one as long as the number stays.
    pub(super) fn post(&self, rank: usize, need: &Need) {
        let (process, row) = (&self.processes[rank], self.needs(rank));
        let how = if row.is_empty() {
            How::Unknown
        } else {
            need.how
        };
        let bits = || need.ranks.0.iter().copied().chain(std::iter::repeat(0));
        let relaxed = Ordering::Relaxed;
        let is_known = process.posted.how.load(relaxed) == how as u32
            && process.posted.place.load(relaxed) == need.place
            && row
                .iter()
                .zip(bits())
                .all(|(word, bits)| word.load(relaxed) == bits);
        if is_known {
            return;
        }
        process.rest.disturb();
        // Who sees any of the following sees the other number.
        full_fence();
        process.posted.how.store(how as u32, relaxed);
        process.posted.place.store(need.place, relaxed);
        for (word, bits) in row.iter().zip(bits()) {
            word.store(bits, relaxed);
        }
    }

    /// What the wait of `rank` needs, if it rests; read by [`super::rest::Reading`]s that are the same before and after.
    pub fn posted(&self, rank: usize) -> Need {
        let posted = &self.processes[rank].posted;
        let relaxed = Ordering::Relaxed;
        let how = match posted.how.load(relaxed) {
            1 => How::Each,
            2 => How::Any,
            _ => How::Unknown,
        };
        let row = self.needs(rank).iter();
        let need = Need {
            how,
            place: posted.place.load(relaxed),
            ranks: Set(row.map(|word| word.load(relaxed)).collect()),
        };
        full_fence();
        need
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::segment::Segment;

    #[test]
    fn another_need_is_another_rest() {
        let segment = Box::leak(Box::new(Segment::create(Table::bytes(130)).unwrap()));
        let table = Table::create(segment, 130, 130, true);
        let number = || table.processes[1].rest.read().number;
        for (need, changes) in [
            (Need::each([0, 64, 129]), true),
            (Need::each([0, 64, 129]), false),
            (Need::any([0, 64, 129]), true),
            (Need::any([0, 129]), true),
            (Need::default(), true),
            (Need::default(), false),
        ] {
            let before = number();
            table.post(1, &need);
            assert_eq!(number() != before, changes, "{need:?}");
            let posted = table.posted(1);
            assert_eq!(posted.how, need.how);
            assert!(posted.ranks.iter().eq(need.ranks.iter()));
        }
        let others = table.posted(0);
        assert!(others.how == How::Unknown && others.ranks.is_empty());
    }

    #[test]
    fn needs_of_many() {
        let of = |how, needs: &[Need]| Need::of_many(how, &mut needs.iter().cloned());
        let (one, two, any) = (Need::each([1]), Need::each([2]), Need::any([0, 3]));
        assert_eq!(
            of(How::Each, &[one.clone(), any.clone(), two.clone()]),
            Need::each([1, 2])
        );
        assert_eq!(of(How::Each, &[Need::default(), any.clone()]), any);
        assert_eq!(of(How::Each, &[Need::default(), one.clone()]), one);
        assert_eq!(
            of(How::Any, &[one.clone(), any.clone()]),
            Need::any([0, 1, 3])
        );
        assert_eq!(of(How::Any, &[one, Need::default()]), Need::default());
        assert_eq!(of(How::Any, &[]), Need::default());
    }

    #[test]
    fn of_nobody_nothing_follows() {
        assert_eq!(Need::any([]).how, How::Unknown);
        assert_eq!(Need::each([]).how, How::Unknown);
    }
}
