//! Which way long messages come sooner, from each other process: in parts through the ring, or by one copy of the kernel's.
//!
//! No rule tells it beforehand. In parts both cores copy at the same time, but each byte twice, by lines that the other core wrote last; a fetch is
//! one copy, of lines that this core may still have where the sender sends the same buffer again, and of others if it has written to it. Two that both send and
//! receive have two copies to make each by the one way, and one by the other. (256 KiB there and back and by `MPI_Sendrecv`, µs: AMD EPYC
//! of family 25 8.7 and 13.8 in parts, 16.4 fetched; Intel Xeon of model 207 22.7 and 41.5 in parts, 35 and 17 fetched.) So the receiver takes the time
//! of both, for each size, and now and then tries the other way again. Messages whose senders receive in the same call (`MPI_Sendrecv`,
//! `MPI_Alltoall`) are of another sort than those that only go there or back.
//!
//! It says to the sender which messages it would fetch, those of the sizes that else come without being asked for; of any other it
//! decides when it is to ask for them. Up to 64 KiB that is for senders that receive in the same call alone: what a program only sends does not wait
//! for its receive. (`MPI_Sendrecv` of 64 KiB 7.3 to 11.5 µs in parts, 5.4 fetched, on the Xeon.)

use super::ring::Control;
use super::trials::Trials;
use super::trials::Way::{self, Fetched, InParts};
use std::time::{Duration, Instant};

/// Messages of so many bytes come as they are sent.
const SHORT: u64 = 32 << 10;
/// Sizes that are told apart, each up to twice the last one.
const SIZES: usize = 7;
/// Of each size there are messages of two sorts.
const SORTS: usize = 2 * SIZES;
/// What a fetch takes beside the copy, in ns: the announcement and the answer go between the cores, and a receive is posted in between. (There and back of
/// 128 KiB, where the copies alone take 10 µs either way, takes 11 in parts and 13.5 fetched.)
const ASKING: f32 = 3000.0;
/// The same where messages are exchanged: the announcements pass each other, and so do the answers. (`MPI_Sendrecv` of 64 KiB takes 5.4 µs, the copy
/// 4.2 of it.)
const ASKING_EACH_OTHER: f32 = 1000.0;

/// A message that began to be copied.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    sort: usize,
    /// KiB of it.
    len: f32,
    at: Instant,
}

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
    sort: usize,
    took: Duration,
    /// Those beside which none was read yet.
    count: u32,
}

/// No more are remembered: one that receives from others, or less, reads none.
const WRITTEN: u32 = 64;

impl Wrote {
    fn add(&mut self, sort: usize, took: Duration) {
        let before = if self.sort == sort { self.count } else { 0 };
        *self = Wrote {
            sort,
            took,
            count: (before + 1).min(WRITTEN),
        };
    }

    /// One of that sort is read: what it took to write the one beside it.
    fn take(&mut self, sort: usize) -> Duration {
        if self.count == 0 || self.sort != sort {
            return Duration::ZERO;
        }
        self.count -= 1;
        self.took
    }
}

/// What is known of long messages of one sender.
struct Sender {
    sorts: [Trials; SORTS],
    /// When the last one had come.
    last: Option<Instant>,
}

/// Which sort a message of so many bytes is, if it is one of those: whether it is `exchanged`, its header says.
#[inline]
fn sort(bytes: u64, exchanged: bool) -> Option<usize> {
    let is_long = bytes > SHORT;
    let size = is_long.then(|| (bytes - 1).ilog2() as usize - SHORT.ilog2() as usize);
    let size = size.filter(|size| *size < SIZES)?;
    Some(size + if exchanged { SIZES } else { 0 })
}

/// When the copying of a message begins, if it is of a sort that is looked at.
#[inline]
pub fn begin(bytes: u64, exchanged: bool) -> Option<Begun> {
    sort(bytes, exchanged).map(|sort| Begun {
        sort,
        len: bytes as f32 / 1024.0,
        at: Instant::now(),
    })
}

/// Whether those that have these [`bits`](Ways::came) are fetched.
#[inline]
pub fn are_fetched(bits: u32, bytes: u64, exchanged: bool) -> bool {
    bits != 0 && sort(bytes, exchanged).is_some_and(|sort| bits >> sort & 1 != 0)
}

impl Ways {
    fn sender(&mut self, from: u32) -> &mut Sender {
        let from = from as usize;
        if self.senders.len() <= from {
            self.senders.resize_with(from + 1, || None);
        }
        let unknown = || Sender {
            sorts: [Trials::NONE; SORTS],
            last: None,
        };
        self.senders[from].get_or_insert_with(|| Box::new(unknown()))
    }

    /// Which way a message of so many bytes is to come.
    pub fn next(&mut self, from: u32, bytes: u64, exchanged: bool) -> Way {
        let sort = sort(bytes, exchanged);
        sort.map_or(InParts, |sort| self.sender(from).sorts[sort].next())
    }

    /// This process has written the parts of a message that is exchanged.
    pub fn wrote(&mut self, begun: Begun) {
        self.wrote.add(begun.sort, begun.at.elapsed());
    }

    /// A message that `begun` has come by `now`, and tells its sender which ones are fetched from now on. Of several that come at the same time
    /// each takes the time behind the one before.
    pub fn came(&mut self, from: u32, way: Way, begun: Begun, now: Instant, control: &Control) {
        let Begun { sort, len, at } = begun;
        let beside = match way {
            Fetched if sort < SIZES => ASKING,
            Fetched => ASKING_EACH_OTHER,
            InParts => self.wrote.take(sort).as_nanos() as f32,
        };
        let Sender { sorts, last } = self.sender(from);
        let at = last.map_or(at, |last| at.max(last));
        *last = Some(now);
        let before = sorts[sort].next();
        let took = now.saturating_duration_since(at).as_nanos() as f32 + beside;
        sorts[sort].came(way, took / len);
        if sorts[sort].next() != before {
            let bit = |(at, sort): (usize, &Trials)| u32::from(sort.next() == Fetched) << at;
            control.set_fetched(sorts.iter().enumerate().map(bit).sum());
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

    /// A message of such a sort, begun at that time.
    fn begun(exchanged: bool, at: Instant) -> Begun {
        let begun = begin(BYTES, exchanged).unwrap();
        Begun { at, ..begun }
    }

    fn time(ns_a_kib: u64) -> Duration {
        Duration::from_nanos(ns_a_kib * BYTES / 1024)
    }

    /// Messages that take so long either way, in ns a KiB: how many of the last come in parts, and how many fetched.
    fn after(ways: &mut Ways, control: &Control, costs: [u64; 2], messages: u32) -> [u32; 2] {
        let (mut came, mut now) = ([0; 2], Instant::now());
        for n in 0..messages {
            let way = ways.next(3, BYTES, false);
            assert_eq!(are_fetched(control.fetched(), BYTES, false), way == Fetched);
            let noise = Duration::from_nanos(if n % 3 == 0 { 400 } else { 0 });
            // Begun before the last one had come, each second time.
            let at = now - Duration::from_micros(u64::from(n % 2) * 1000);
            now += time(costs[way as usize]) + noise;
            ways.came(3, way, begun(false, at), now, control);
            if n >= messages / 2 {
                came[way as usize] += 1;
            }
        }
        came
    }

    /// To read a message takes 80 ns a KiB in parts and 100 fetched, and to write one in parts as long as to read it. What is exchanged is
    /// fetched, and what is not comes in parts, by turns.
    #[test]
    fn what_is_written_beside_it_counts() {
        let (mut ways, control) = (Ways::default(), Control::default());
        let (mut now, mut came) = (Instant::now(), [[0; 2]; 2]);
        for n in 0..4000 {
            let exchanged = n % 2 == 1;
            let way = ways.next(3, BYTES, exchanged);
            let begun = begun(exchanged, now);
            if exchanged && way == InParts {
                ways.wrote.add(begun.sort, time(80));
            }
            now += time(if way == InParts { 80 } else { 100 });
            ways.came(3, way, begun, now, &control);
            came[usize::from(exchanged)][way as usize] += 1;
        }
        let [[there, fetched], [exchanged, both_fetched]] = came;
        assert!(there > 1800 && both_fetched > 1800, "{came:?}");
        assert!(fetched > 0 && exchanged > 0, "{came:?}");
        for exchanged in [false, true] {
            assert_eq!(
                are_fetched(control.fetched(), BYTES, exchanged),
                ways.next(3, BYTES, exchanged) == Fetched
            );
        }
        assert_eq!(ways.wrote.take(sort(BYTES, true).unwrap()), Duration::ZERO);
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
    fn sorts_are_told_apart() {
        let kib = [32, 64, 65, 128, 129, 4096, 4097];
        let sorts = kib.map(|kib| sort(kib << 10, false));
        let expected = [None, Some(0), Some(1), Some(1), Some(2), Some(6), None];
        assert_eq!(sorts, expected);
        let exchanged = kib.map(|kib| sort(kib << 10, true));
        assert_eq!(exchanged, expected.map(|sort| Some(sort? + SIZES)));
        let are = |exchanged, kib: u64| are_fetched(1 << 6, kib << 10, exchanged);
        assert!(are(false, 4096) && !are(false, 2048) && !are(true, 4096));
    }
}
