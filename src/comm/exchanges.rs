//! How two processes of a communicator exchange long blocks: as messages, or each fetches the other's from where it lies.
//!
//! The lower rank takes the time of both ways, for each size, and decides for both. Where they go as messages, it says so of the next ones of that
//! size, too: both count them.

use crate::transport::trials::{Trials, Way};
use std::time::Instant;

/// Sizes that are told apart, each twice the one before; what is longer is of the last one.
const SIZES: usize = 16;
/// So many go unasked at most, behind one that was asked.
const MOST: u32 = 15;
/// One that is asked, and those behind it.
const TRIAL: u32 = 1 + MOST;

#[derive(Default)]
pub struct Exchanges {
    /// By sizes; none before the first exchange.
    trials: Vec<Trials>,
    /// The one that is on its way.
    begun: Option<(usize, Instant)>,
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
        self.begun = Some((size(len), Instant::now()));
    }

    /// What was begun has come that way, if anything was.
    pub fn end(&mut self, way: Way) {
        if let Some((size, at)) = self.begun.take()
            && let Some(trials) = self.trials.get_mut(size)
        {
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
