//! Which way long messages come sooner, from each other process: in parts through the ring, or by one copy of the kernel's.
//!
//! No rule tells it beforehand. In parts both cores copy at the same time, but each byte twice, by lines that the other core wrote last; a fetch is
//! one copy, of lines that this core may still have where the sender sends the same buffer again, and of others if it has written to it. Two that both send and
//! receive have two copies to make each by the one way, and one by the other. (256 KiB there and back and by `MPI_Sendrecv`, µs: AMD EPYC
//! of family 25 8.7 and 13.8 in parts, 16.4 fetched; Intel Xeon of model 207 22.7 and 41.5 in parts, 35 and 17 fetched.) So the receiver takes the time
//! of both, for each size, and now and then tries the other way again.
//!
//! It says to the sender which messages it would fetch, those of the sizes that else come without being asked for; of any other it
//! decides when it is to ask for them. Up to 64 KiB that is for senders that receive in the same call alone: what a program only sends does not wait
//! for its receive. (`MPI_Sendrecv` of 64 KiB 11.5 µs in parts, 7.8 fetched, on the Xeon.)

use super::ring::Control;
use std::time::{Duration, Instant};

/// Messages of so many bytes come as they are sent.
const SHORT: u64 = 32 << 10;
/// Sizes that are told apart, each up to twice the last one.
const SIZES: usize = 7;
/// So many messages in a row try the other way: of the last ones the mean counts, but for the longest.
const TRIAL: u32 = 6;
/// Behind the first trial there are so many messages until the next one, then twice as many each time: at first neither way has met the pages, or
/// the lines, that it will have later. At last there are so many, and more where the other way was far behind.
const SOON: u32 = 8;
const AGAIN: u32 = 128;
const LATER: u32 = 1024;
/// What a fetch takes beside the copy, in ns: the announcement and the answer go between the cores, and a receive is posted in between. (There and back of
/// 128 KiB, where the copies alone take 10 µs either way, takes 11 in parts and 13.5 fetched.)
const ASKING: f32 = 3000.0;

/// How a message came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    InParts,
    Fetched,
}

use Way::{Fetched, InParts};

#[derive(Default)]
pub struct Ways {
    /// By the sender's rank in the job, of those that have sent long messages.
    senders: Vec<Option<Box<Sender>>>,
    /// What this process has written in parts in calls that also receive.
    wrote: Wrote,
}

/// Messages that were written in parts, and what each takes. Where two exchange messages in parts, each has one to write and one to read: both are what
/// is to be compared with one fetch.
#[derive(Default)]
struct Wrote {
    size: usize,
    took: Duration,
    /// Those beside which none was read yet.
    count: u32,
}

/// No more are remembered: one that receives from others, or less, reads none.
const WRITTEN: u32 = 64;

impl Wrote {
    fn add(&mut self, size: usize, took: Duration) {
        let before = if self.size == size { self.count } else { 0 };
        *self = Wrote {
            size,
            took,
            count: (before + 1).min(WRITTEN),
        };
    }

    /// One of that size is read: what it took to write the one beside it.
    fn take(&mut self, size: usize) -> Duration {
        if self.count == 0 || self.size != size {
            return Duration::ZERO;
        }
        self.count -= 1;
        self.took
    }
}

/// What is known of long messages of one sender.
struct Sender {
    sizes: [Size; SIZES],
    /// When the last one had come.
    last: Option<Instant>,
}

/// What is known of messages of one size.
#[derive(Clone, Copy)]
struct Size {
    /// What a KiB takes by the way that was the better one, in ns; 0: nothing is known.
    cost: f32,
    better: Way,
    /// Whether the other one is tried.
    is_trial: bool,
    /// Messages until that changes.
    rest: u32,
    /// How many follow the next trial, at most.
    pause: u32,
    /// Of the messages of this trial.
    sum: f32,
    longest: f32,
}

impl Size {
    const UNKNOWN: Size = Size {
        cost: 0.0,
        better: InParts,
        is_trial: false,
        rest: TRIAL,
        pause: SOON,
        sum: 0.0,
        longest: 0.0,
    };

    /// The way that the next message is to come.
    fn next(&self) -> Way {
        match (self.better, self.is_trial) {
            (InParts, false) | (Fetched, true) => InParts,
            _ => Fetched,
        }
    }

    /// A message has come so, and took so long for each KiB.
    fn came(&mut self, way: Way, cost: f32) {
        if way != self.next() {
            return;
        }
        self.rest = self.rest.saturating_sub(1);
        if self.is_trial || self.cost == 0.0 {
            // The first one finds what the other way has left.
            if self.rest < TRIAL - 1 {
                self.sum += cost;
                self.longest = self.longest.max(cost);
            }
        } else {
            // What the system does between has no weight.
            self.cost += (cost.min(2.0 * self.cost) - self.cost) / 16.0;
        }
        if self.rest == 0 {
            self.change();
        }
    }

    /// Ends a trial, or begins one.
    fn change(&mut self) {
        let mean = (self.sum - self.longest) / (TRIAL - 2) as f32;
        if !self.is_trial {
            if self.cost == 0.0 {
                self.cost = mean;
            }
            (self.is_trial, self.rest) = (true, TRIAL);
            (self.sum, self.longest) = (0.0, 0.0);
            return;
        }
        let most = if mean > 1.4 * self.cost { LATER } else { AGAIN };
        if mean < 0.9 * self.cost {
            (self.better, self.cost) = (self.next(), mean);
        }
        (self.is_trial, self.rest) = (false, self.pause.min(most));
        self.pause = (2 * self.pause).min(LATER);
    }
}

/// Which size so many bytes are, if that is one of those.
#[inline]
fn size(bytes: u64) -> Option<usize> {
    let is_long = bytes > SHORT;
    let size = is_long.then(|| (bytes - 1).ilog2() as usize - SHORT.ilog2() as usize);
    size.filter(|size| *size < SIZES)
}

/// When the copying of a message of so many bytes begins, if it is of a size that is looked at.
#[inline]
pub fn begin(bytes: u64) -> Option<Instant> {
    size(bytes).map(|_| Instant::now())
}

/// Whether those that have these [`bits`](Ways::came) are fetched.
#[inline]
pub fn are_fetched(bits: u32, bytes: u64) -> bool {
    bits != 0 && size(bytes).is_some_and(|size| bits >> size & 1 != 0)
}

impl Ways {
    fn sender(&mut self, from: u32) -> &mut Sender {
        let from = from as usize;
        if self.senders.len() <= from {
            self.senders.resize_with(from + 1, || None);
        }
        let unknown = || Sender {
            sizes: [Size::UNKNOWN; SIZES],
            last: None,
        };
        self.senders[from].get_or_insert_with(|| Box::new(unknown()))
    }

    /// Which way a message of so many bytes is to come.
    pub fn next(&mut self, from: u32, bytes: u64) -> Way {
        size(bytes).map_or(InParts, |size| self.sender(from).sizes[size].next())
    }

    /// This process has written the parts of so many bytes, in the time since it has `begun`, in a call that also receives.
    pub fn wrote(&mut self, bytes: u64, begun: Instant) {
        if let Some(size) = size(bytes) {
            self.wrote.add(size, begun.elapsed());
        }
    }

    /// A message has come in the time from when it was `begun` to `now`, and tells its sender which ones are fetched from now on. Of several
    /// that come at the same time each takes the time behind the one before.
    pub fn came(
        &mut self,
        from: u32,
        bytes: u64,
        way: Way,
        (begun, now): (Instant, Instant),
        control: &Control,
    ) {
        let Some(size) = size(bytes) else { return };
        let beside = match way {
            Fetched => ASKING,
            InParts => self.wrote.take(size).as_nanos() as f32,
        };
        let Sender { sizes, last } = self.sender(from);
        let begun = last.map_or(begun, |last| begun.max(last));
        *last = Some(now);
        let before = sizes[size].next();
        let took = now.saturating_duration_since(begun).as_nanos() as f32 + beside;
        sizes[size].came(way, took / (bytes as f32 / 1024.0));
        if sizes[size].next() != before {
            let bit = |(at, size): (usize, &Size)| u32::from(size.next() == Fetched) << at;
            control.set_fetched(sizes.iter().enumerate().map(bit).sum());
        }
    }

    /// Another process has come to the place of this one.
    pub fn renew(&mut self, from: u32) {
        if let Some(sender) = self.senders.get_mut(from as usize) {
            *sender = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: u64 = 256 << 10;

    /// Messages that take so long either way, in ns a KiB: how many of the last come in parts, and how many fetched.
    fn after(ways: &mut Ways, control: &Control, costs: [u64; 2], messages: u32) -> [u32; 2] {
        let (mut came, mut now) = ([0; 2], Instant::now());
        for n in 0..messages {
            let way = ways.next(3, BYTES);
            assert_eq!(are_fetched(control.fetched(), BYTES), way == Fetched);
            let noise = if n % 3 == 0 { 400 } else { 0 };
            let took = Duration::from_nanos(costs[way as usize] * BYTES / 1024 + noise);
            // Begun before the last one had come, each second time.
            let begun = now - Duration::from_micros(u64::from(n % 2) * 1000);
            now += took;
            ways.came(3, BYTES, way, (begun, now), control);
            if n >= messages / 2 {
                came[way as usize] += 1;
            }
        }
        came
    }

    /// To read a message takes 80 ns a KiB in parts and 100 fetched, and to write one in parts as long as to read it.
    #[test]
    fn what_is_written_beside_it_counts() {
        for (exchanges, expected) in [(false, InParts), (true, Fetched)] {
            let (mut ways, control) = (Ways::default(), Control::default());
            let mut now = Instant::now();
            for _ in 0..2000 {
                let way = ways.next(3, BYTES);
                if exchanges && way == InParts {
                    ways.wrote.add(
                        size(BYTES).unwrap(),
                        Duration::from_nanos(80 * BYTES / 1024),
                    );
                }
                let cost = if way == InParts { 80 } else { 100 };
                let begun = now;
                now += Duration::from_nanos(cost * BYTES / 1024);
                ways.came(3, BYTES, way, (begun, now), &control);
            }
            assert_eq!(ways.sender(3).sizes[size(BYTES).unwrap()].better, expected);
            assert_eq!(ways.wrote.take(size(BYTES).unwrap()), Duration::ZERO);
        }
    }

    #[test]
    fn the_better_way_is_found_and_found_again() {
        let (mut ways, control) = (Ways::default(), Control::default());
        for _ in 0..2 {
            let [parts, fetched] = after(&mut ways, &control, [80, 160], 20_000);
            assert!(fetched < 100 && parts > 9_900, "{parts} {fetched}");
            let [parts, fetched] = after(&mut ways, &control, [160, 80], 20_000);
            assert!(parts < 100 && fetched > 9_900, "{parts} {fetched}");
        }
    }

    #[test]
    fn sizes_are_told_apart() {
        let kib = [32, 64, 65, 128, 129, 4096, 4097];
        let sizes = kib.map(|kib| size(kib << 10));
        let expected = [None, Some(0), Some(1), Some(1), Some(2), Some(6), None];
        assert_eq!(sizes, expected);
        assert!(are_fetched(1 << 6, 4 << 20) && !are_fetched(1 << 6, 2 << 20));
    }
}
