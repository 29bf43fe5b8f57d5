//! How two processes of a communicator exchange long blocks: as messages, or each fetches the other's from where it lies. And how they reduce long
//! vectors of which both want the result: each folds a half of it and gets the other one, or each gets all that the other one has and folds all of it.
//!
//! The lower rank takes the time of both ways, for each size, and decides for both. Where blocks go as messages, it says so of the next ones of that
//! size, too: both count them.
//!
//! A half of a result is read by the other one's core, and the next result is written over it: between cores that share no cache that takes longer than
//! all the rest. (Allreduce of 256 KiB, AMD EPYC of family 25, in halves and whole, µs: between cores that share the last cache 19 and 30, between
//! others 110 and 30.) Either way one process may be done before the other one: so that one tells how long it has taken.

use crate::transport::trials::{Trials, Way};
use std::time::{Duration, Instant};

/// Sizes that are told apart, each twice the one before; what is longer is of the last one.
const SIZES: usize = 16;
/// So many go unasked at most, behind one that was asked.
const MOST: u32 = 15;
/// One that is asked, and those behind it.
const TRIAL: u32 = 1 + MOST;
/// Longer vectors are reduced by halves: to fold all of one takes as much memory beside it.
const MOST_WHOLE: usize = 4 << 20;

#[derive(Default)]
pub struct Exchanges {
    /// By sizes; none before the first exchange.
    trials: Vec<Trials>,
    /// The same of reductions, of which those by halves are as in parts, and the others as if fetched.
    reductions: Vec<Trials>,
    /// The one that is on its way; of a reduction, its way.
    begun: Option<(usize, Instant, Option<Way>)>,
    /// Whether the reduction that comes next is of all by each.
    whole: bool,
    /// The last one, and how long it has taken here.
    last: Option<(usize, Way, Duration)>,
    /// By sizes, how many go as messages unasked.
    unasked: [u32; SIZES],
}

/// The size of blocks of `len` bytes, one of the [`SIZES`].
fn size(len: usize) -> usize {
    let kib = (len / 1024).max(1);
    (kib.ilog2() as usize).min(SIZES - 1)
}

impl Exchanges {
    /// How the next blocks of `len` bytes go.
    pub fn next(&mut self, len: usize) -> Way {
        self.begun = None;
        self.trials.resize(SIZES, Trials::of(TRIAL));
        self.trials[size(len)].next()
    }

    /// How many of `len` bytes, behind the next one, are to go as messages unasked.
    pub fn unasked(&self, len: usize) -> u32 {
        match self.trials.get(size(len)) {
            Some(trials) if trials.next() == Way::InParts => trials.more().min(MOST),
            _ => 0,
        }
    }

    /// So many do.
    pub fn go_on(&mut self, len: usize, count: u32) {
        self.unasked[size(len)] = count.min(MOST);
    }

    /// Whether the present one, of `len` bytes, is such.
    pub fn take_unasked(&mut self, len: usize) -> bool {
        let rest = &mut self.unasked[size(len)];
        let is_such = *rest > 0;
        *rest -= u32::from(is_such);
        is_such
    }

    /// Both processes are here to exchange blocks of `len` bytes.
    pub fn begin(&mut self, len: usize) {
        self.begun = Some((size(len), Instant::now(), None));
    }

    /// Whether each of both is to fold all of the next reduction of `len` bytes, as the lower rank finds.
    pub fn is_next_whole(&mut self, len: usize) -> bool {
        self.reductions.resize(SIZES, Trials::NONE);
        len <= MOST_WHOLE && self.reductions[size(len)].next() == Way::Fetched
    }

    /// How long the last reduction has taken here, in ns, for the lower rank; once.
    pub fn take_last(&mut self) -> u32 {
        let last = self.last.take();
        last.map_or(0, |(_, _, took)| {
            took.as_nanos().try_into().unwrap_or(u32::MAX)
        })
    }

    /// Both are here for one of `len` bytes, and know what it is. The last one has taken the other process so long, as that one says to the lower rank:
    /// it may have gone on when this one was done.
    pub fn begin_reduction(&mut self, len: usize, whole: bool, told: Option<u32>) {
        if let (Some(told), Some((size, way, took))) = (told, self.last)
            && let Some(trials) = self.reductions.get_mut(size)
        {
            let longest = took.max(Duration::from_nanos(told.into()));
            trials.came(way, longest.as_nanos() as f32);
            self.last = None;
        }
        self.whole = whole;
        let way = if whole { Way::Fetched } else { Way::InParts };
        self.begun = Some((size(len), Instant::now(), Some(way)));
    }

    /// Whether the one that was begun last is of all by each. That is told once.
    pub fn take_whole(&mut self) -> bool {
        std::mem::take(&mut self.whole)
    }

    /// What was begun is done, if anything was; blocks have come that way.
    pub fn end(&mut self, way: Way) {
        let Some((size, at, reduction)) = self.begun.take() else {
            return;
        };
        if let Some(way) = reduction {
            self.last = Some((size, way, at.elapsed()));
        } else if let Some(trials) = self.trials.get_mut(size) {
            trials.came(way, at.elapsed().as_nanos() as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Way::{Fetched, InParts};

    #[test]
    fn sizes_are_told_apart() {
        let kib = [0, 1, 8, 15, 16, 64, 1 << 20];
        assert_eq!(kib.map(|kib| size(kib << 10)), [0, 0, 3, 3, 4, 6, 15]);
    }

    #[test]
    fn what_is_agreed_on_counts() {
        let mut exchanges = Exchanges::default();
        let mut asked = 0;
        for _ in 0..4000 {
            let is_asked = !exchanges.take_unasked(16 << 10);
            let way = match is_asked {
                true => exchanges.next(16 << 10),
                false => InParts,
            };
            let more = exchanges.unasked(16 << 10);
            exchanges.begin(16 << 10);
            let begun = exchanges.begun.as_mut().unwrap();
            begun.1 -= std::time::Duration::from_nanos(if way == InParts { 3000 } else { 5000 });
            exchanges.end(way);
            if is_asked {
                asked += 1;
                exchanges.go_on(16 << 10, more);
            }
        }
        assert!((250..500).contains(&asked), "{asked}");
        // Other sizes are asked.
        exchanges.go_on(16 << 10, 1);
        assert!(!exchanges.take_unasked(64 << 10) && exchanges.take_unasked(17 << 10));
        assert!(!exchanges.take_unasked(16 << 10));
    }

    /// What the other process tells counts where it takes longer; reductions and blocks of the same size know nothing of each other.
    #[test]
    fn the_slower_one_of_both_counts() {
        for (halves, whole, slower, expected) in
            [(9, 5, 3, true), (9, 5, 12, false), (5, 9, 9, false)]
        {
            let mut exchanges = Exchanges::default();
            let (len, mut told, mut wholes) = (64 << 10, 0, 0);
            for n in 0..2000 {
                let is_whole = exchanges.is_next_whole(len);
                wholes += u32::from(n >= 1000 && is_whole);
                exchanges.begin_reduction(len, is_whole, Some(told));
                assert_eq!(
                    [exchanges.take_whole(), exchanges.take_whole()],
                    [is_whole, false]
                );
                let took = if is_whole { whole } else { halves };
                told = if is_whole { slower * 1000 } else { 0 };
                let begun = exchanges.begun.as_mut().unwrap();
                begun.1 -= Duration::from_micros(took);
                exchanges.end(InParts);
            }
            // The other way is tried now and then.
            let expected = if expected { 901..1001 } else { 0..100 };
            assert!(
                expected.contains(&wholes),
                "{halves} {whole} {slower}: {wholes}"
            );
            assert!(!exchanges.is_next_whole(MOST_WHOLE + 1));
            assert_eq!(exchanges.next(len), InParts);
        }
        let mut other = Exchanges::default();
        assert_eq!(other.take_last(), 0);
        other.begin_reduction(64 << 10, true, None);
        other.begun.as_mut().unwrap().1 -= Duration::from_micros(7);
        other.end(InParts);
        assert!(other.take_last() >= 7000 && other.take_last() == 0);
    }

    /// Blocks of 16 KiB go faster as messages, those of 64 KiB fetched.
    #[test]
    fn each_size_finds_its_way() {
        let mut exchanges = Exchanges::default();
        let mut came = [[0; 2]; 2];
        for n in 0..4000 {
            let long = n % 2;
            let len = [16 << 10, 64 << 10][long];
            let way = exchanges.next(len);
            exchanges.begin(len);
            let took = 1000
                * if (way == Fetched) == (long == 1) {
                    3
                } else {
                    5
                };
            let begun = exchanges.begun.as_mut().unwrap();
            begun.1 -= std::time::Duration::from_nanos(took);
            exchanges.end(way);
            came[long][way as usize] += 1;
        }
        assert_eq!(
            [exchanges.next(16 << 10), exchanges.next(64 << 10)],
            [InParts, Fetched]
        );
        assert!(came[0][0] > 1800 && came[1][1] > 1800, "{came:?}");
        // What was never begun does not count, nor what has never ended.
        exchanges.end(Fetched);
        exchanges.begin(16 << 10);
        exchanges.next(16 << 10);
        exchanges.end(InParts);
        assert_eq!(exchanges.next(16 << 10), InParts);
    }
}
