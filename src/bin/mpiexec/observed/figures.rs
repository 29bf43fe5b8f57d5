//! The numbers of a report, from what the ranks have left in the segment. Times are seconds.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rmashm::launching::{JobSegment, Tables, both_clocks};

/// All of a job's.
pub struct Figures {
    pub ranks: Vec<Rank>,
    pub scale: Scale,
    /// Bytes that went from the one to the other: by messages, puts and accumulates of the first, gets of the second.
    pub traffic: Vec<Vec<u64>>,
}

/// What the job's ticks are.
#[derive(Clone, Copy)]
pub struct Scale {
    first: u64,
    /// Nanoseconds of one.
    tick: f64,
    /// When the job was over, in ticks.
    pub end: u64,
}

/// One rank's.
#[derive(Default)]
pub struct Rank {
    /// Whether it has come to MPI_Init.
    pub came: bool,
    /// From MPI_Init to the end of the last call.
    pub total: f64,
    pub inside: f64,
    pub waited: f64,
    /// The part that was for any of several, or for nobody that is known.
    pub waited_for_several: f64,
    pub waited_for: Vec<f64>,
    pub calls: BTreeMap<String, Calls>,
    /// The names of the calls by their rows.
    pub names: Vec<String>,
    pub unfinished: Option<Unfinished>,
    pub threads: u32,
}

/// A call in which a rank was when it ended. It is counted until the job's end.
#[derive(Clone)]
pub struct Unfinished {
    pub name: String,
    pub since: u64,
    pub seconds: f64,
    /// How long it had waited, and for whom if it is known.
    pub waiting: Option<(f64, Option<u32>)>,
}

/// The calls of one function.
#[derive(Clone, Default)]
pub struct Calls {
    pub count: u64,
    pub seconds: f64,
    pub longest: f64,
    pub waited: f64,
    pub bytes: u64,
}

impl Calls {
    fn add(&mut self, other: &Calls) {
        self.count += other.count;
        self.seconds += other.seconds;
        self.longest = self.longest.max(other.longest);
        self.waited += other.waited;
        self.bytes += other.bytes;
    }
}

impl Scale {
    fn read(tables: &Tables) -> Scale {
        let (first, began) = tables.beginning();
        let (end, now) = both_clocks();
        let ticks = end.saturating_sub(first).max(1);
        Scale {
            first,
            tick: now.saturating_sub(began) as f64 / ticks as f64,
            end,
        }
    }

    /// Nanoseconds since the beginning of the job.
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        (ticks.saturating_sub(self.first) as f64 * self.tick) as u64
    }

    fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 * self.tick / 1e9
    }
}

impl Figures {
    pub fn read(segment: &JobSegment, tables: &Tables) -> Figures {
        let scale = Scale::read(tables);
        let present = segment.present();
        let read = |rank| Rank::read(tables, rank, present, &scale);
        Figures {
            ranks: (0..present).map(read).collect(),
            scale,
            traffic: traffic(segment, present as usize),
        }
    }

    /// The ranks that have come, and their numbers.
    pub fn here(&self) -> impl Iterator<Item = (usize, &Rank)> {
        self.ranks.iter().enumerate().filter(|(_, rank)| rank.came)
    }

    /// From the first MPI_Init to the end of the last call, as long as the longest rank took.
    pub fn total(&self) -> f64 {
        self.here().map(|(_, rank)| rank.total).fold(0.0, f64::max)
    }

    /// The calls of all ranks by their names, those that took longest first.
    pub fn calls(&self) -> Vec<(String, Calls)> {
        let mut all: BTreeMap<&str, Calls> = BTreeMap::new();
        for (name, calls) in self.ranks.iter().flat_map(|rank| &rank.calls) {
            all.entry(name).or_default().add(calls);
        }
        let mut all: Vec<_> = all.into_iter().map(|(n, c)| (n.to_owned(), c)).collect();
        all.sort_by(|a, b| b.1.seconds.total_cmp(&a.1.seconds));
        all
    }

    /// Who waited for whom how long, the longest first; `None` where nobody is known.
    pub fn waits(&self) -> Vec<(usize, Option<usize>, f64)> {
        let mut all = Vec::new();
        for (rank, figures) in self.here() {
            let known = figures.waited_for.iter().enumerate();
            all.extend(known.map(|(whom, seconds)| (rank, Some(whom), *seconds)));
            all.push((rank, None, figures.waited_for_several));
        }
        all.retain(|(_, _, seconds)| *seconds > 0.0);
        all.sort_by(|a, b| b.2.total_cmp(&a.2));
        all
    }

    /// The ranks by the time that they spent outside MPI: the longest, whose it is, and the mean.
    pub fn imbalance(&self) -> Option<(f64, usize, f64)> {
        let outside = || self.here().map(|(rank, of)| (rank, of.outside()));
        let (rank, longest) = outside().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let mean = outside().map(|(_, time)| time).sum::<f64>() / outside().count() as f64;
        Some((longest, rank, mean))
    }
}

impl Rank {
    /// Of one of the first `present`: the tables have room for more.
    fn read(tables: &Tables, rank: u32, present: u32, scale: &Scale) -> Rank {
        let block = tables.block(rank);
        let about = block.about;
        let seconds = |number: &AtomicU64| scale.seconds(number.load(Relaxed));
        let began = about.began.load(Relaxed);
        if began == 0 {
            return Rank::default();
        }
        let rows = about.rows.load(std::sync::atomic::Ordering::Acquire) as usize;
        let rows = &about.calls[..rows.min(about.calls.len())];
        let names: Vec<String> = rows.iter().map(|row| row.name()).collect();
        let mut calls: BTreeMap<String, Calls> = BTreeMap::new();
        for (row, name) in rows.iter().zip(&names) {
            let found = Calls {
                count: row.count.load(Relaxed),
                seconds: seconds(&row.ticks),
                longest: seconds(&row.longest),
                waited: seconds(&row.waited),
                bytes: row.bytes.load(Relaxed),
            };
            if found.count > 0 {
                calls.entry(name.clone()).or_default().add(&found);
            }
        }
        let waited_for = block.waited_for.iter().take(present as usize);
        let mut told = Rank {
            came: true,
            inside: seconds(&about.inside),
            waited: seconds(&about.waited),
            waited_for_several: seconds(&about.waited_for_several),
            waited_for: waited_for.map(seconds).collect(),
            calls,
            threads: about.threads.load(Relaxed),
            ..Rank::default()
        };
        let mut ended = about.ended.load(Relaxed);
        let row = about.row.load(Relaxed) as usize;
        if let Some(name) = row.checked_sub(1).and_then(|row| names.get(row)) {
            ended = scale.end;
            let lasts = |since: u64| scale.seconds(ended.saturating_sub(since));
            let whom = about.waiting_for.load(Relaxed).checked_sub(1);
            let waiting = match about.waiting_since.load(Relaxed) {
                0 => None,
                since => Some((lasts(since), whom)),
            };
            let since = about.since.load(Relaxed).max(began);
            told.add_unfinished(Unfinished {
                name: name.clone(),
                since,
                seconds: lasts(since),
                waiting,
            });
        }
        told.names = names;
        told.total = scale.seconds(ended.saturating_sub(began));
        told
    }

    fn add_unfinished(&mut self, call: Unfinished) {
        let (waited, whom) = call.waiting.unwrap_or_default();
        let calls = self.calls.entry(call.name.clone()).or_default();
        calls.add(&Calls {
            count: 1,
            seconds: call.seconds,
            longest: call.seconds,
            waited,
            bytes: 0,
        });
        self.inside += call.seconds;
        self.waited += waited;
        match whom.and_then(|rank| self.waited_for.get_mut(rank as usize)) {
            Some(seconds) => *seconds += waited,
            None => self.waited_for_several += waited,
        }
        self.unfinished = Some(call);
    }

    pub fn outside(&self) -> f64 {
        (self.total - self.inside).max(0.0)
    }

    /// In MPI, and not waiting.
    pub fn working(&self) -> f64 {
        (self.inside - self.waited).max(0.0)
    }
}

/// Bytes from each rank to each.
fn traffic(segment: &JobSegment, ranks: usize) -> Vec<Vec<u64>> {
    let mut bytes = vec![vec![0; ranks]; ranks];
    for (rank, towards) in (0..ranks).map(|rank| (rank, segment.traffic(rank))) {
        for (other, moved) in towards.into_iter().take(ranks).enumerate() {
            bytes[rank][other] += moved.sent + moved.put + moved.accumulated;
            bytes[other][rank] += moved.got;
        }
    }
    bytes
}
