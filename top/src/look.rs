//! One look at a job, and what two of them tell together.

use crate::find::{Job, Segment};
use crate::process::Usage;
use rmashm::seeing::{
    Counted, Moved, Part, Rank, Reader, Seen, State, Wait, Wanted, Window, wanted, windows,
};
use std::io;
use std::time::Instant;

/// What is seen of a job in one moment.
pub struct Look {
    pub at: Instant,
    /// The process that the job is called by; that of the dump, where it is seen in one.
    pub pid: u32,
    /// The program whose core dump it is seen in.
    pub dumped: Option<String>,
    pub seen: Seen,
    pub windows: Vec<Window>,
    /// Of each rank's process.
    pub usage: Vec<Option<Usage>>,
    /// Bytes of memory that the job's segment takes. A core dump does not tell.
    pub shared: Option<u64>,
}

/// What a rank has moved and done in all, and how fast: put, got, accumulated, sent, collective operations, read, written.
pub fn kinds(seen: &Rank, rates: &Rates) -> [(Counted, Rate); 7] {
    [
        (total(&seen.moved, |m| m.put), rates.put),
        (total(&seen.moved, |m| m.got), rates.got),
        (total(&seen.moved, |m| m.accumulated), rates.accumulated),
        (total(&seen.moved, |m| m.sent), rates.sent),
        (seen.collective, rates.collective),
        (seen.read, rates.read),
        (seen.written, rates.written),
    ]
}

/// By kind, in one direction of a matrix or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rate {
    /// A second.
    pub operations: f64,
    pub bytes: f64,
}

/// What a rank did between two looks, a second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    /// Of a core, 1 is all of it.
    pub cpu: f64,
    pub put: Rate,
    pub got: Rate,
    pub accumulated: Rate,
    pub sent: Rate,
    pub collective: Rate,
    pub read: Rate,
    pub written: Rate,
    /// Bytes to or from each rank, by windows and messages.
    pub moved: Vec<f64>,
}

impl Rates {
    /// Bytes a second by windows and messages.
    pub fn bytes(&self) -> f64 {
        [self.put, self.got, self.accumulated, self.sent]
            .iter()
            .map(|rate| rate.bytes)
            .sum()
    }
}

/// A kind's sum over all ranks that one rank has moved to or from.
fn total(moved: &[Moved], of: impl Fn(&Moved) -> Counted) -> Counted {
    moved
        .iter()
        .map(of)
        .fold(Counted::default(), |sum, more| Counted {
            operations: sum.operations.wrapping_add(more.operations),
            bytes: sum.bytes.wrapping_add(more.bytes),
        })
}

/// All bytes of a cell.
pub fn bytes(moved: &Moved) -> u64 {
    let parts = [moved.put, moved.got, moved.accumulated, moved.sent];
    parts
        .iter()
        .fold(0, |sum, part| part.bytes.wrapping_add(sum))
}

impl Look {
    /// Looks at a job. Errors: the system's; `InvalidData` for a job whose segment is of another build, or not ready.
    pub fn at(job: &Job) -> io::Result<Look> {
        match &job.segment {
            Segment::Open(reader) => Look::through(reader, job),
            Segment::Other(_) => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn through(reader: &Reader, job: &Job) -> io::Result<Look> {
        let seen = Seen::look(reader)?;
        let dumped = reader.dump().map(|dump| dump.program.clone());
        let usage = |rank: &Rank| match rank.state {
            State::Exited | State::Dead | State::Quit => None,
            _ if dumped.is_some() => None,
            _ => rank.pid.and_then(Usage::of),
        };
        Ok(Look {
            at: Instant::now(),
            pid: job.pid,
            windows: windows(reader, &seen),
            usage: seen.ranks.iter().map(usage).collect(),
            shared: match dumped {
                None => Some(reader.in_use()?),
                Some(_) => None,
            },
            dumped,
            seen,
        })
    }

    /// The program's name, of the first rank that has one.
    pub fn program(&self) -> &str {
        let mut usage = self.usage.iter().flatten();
        let running = usage.next().map(|usage| usage.program.as_str());
        running.or(self.dumped.as_deref()).unwrap_or("-")
    }

    /// The rank whose core dump it is seen in.
    pub fn dumped_rank(&self) -> Option<usize> {
        let is_it = |rank: &Rank| self.dumped.is_some() && rank.pid == Some(self.pid);
        self.seen.ranks.iter().position(is_it)
    }

    /// Whether there are windows of which the dump has nothing.
    pub fn lacks_windows(&self) -> bool {
        let has_some = self.seen.ranks.iter().any(Rank::has_windows);
        self.dumped.is_some() && self.windows.is_empty() && has_some
    }

    /// The core that a rank is on, or was on when it last told.
    pub fn core(&self, rank: usize) -> Option<u32> {
        let usage = self.usage[rank].as_ref();
        usage.map(|usage| usage.core).or(self.seen.ranks[rank].core)
    }

    /// What each rank has done since a look before. Of another job, or of the same moment: nothing.
    pub fn since(&self, before: &Look) -> Vec<Rates> {
        let seconds = self.at.duration_since(before.at).as_secs_f64();
        let ranks = self.seen.ranks.iter().zip(&self.usage);
        let fits = seconds > 0.0 && before.seen.ranks.len() == self.seen.ranks.len();
        let rates = |(at, (rank, usage)): (usize, (&Rank, &Option<Usage>))| {
            if !fits {
                return Rates::default();
            }
            let was = &before.seen.ranks[at];
            // What is less than it was is another job's, or nonsense.
            let more = |now: u64, was: u64| now.saturating_sub(was) as f64 / seconds;
            let rate = |now: Counted, was: Counted| Rate {
                operations: more(now.operations, was.operations),
                bytes: more(now.bytes, was.bytes),
            };
            let kind =
                |of: fn(&Moved) -> Counted| rate(total(&rank.moved, of), total(&was.moved, of));
            let cpu = match (usage, &before.usage[at]) {
                (Some(now), Some(was)) => more(now.time, was.time) / 1e9,
                _ => 0.0,
            };
            let pairs = rank.moved.iter().zip(&was.moved);
            Rates {
                cpu,
                put: kind(|m| m.put),
                got: kind(|m| m.got),
                accumulated: kind(|m| m.accumulated),
                sent: kind(|m| m.sent),
                collective: rate(rank.collective, was.collective),
                read: rate(rank.read, was.read),
                written: rate(rank.written, was.written),
                moved: pairs
                    .map(|(now, was)| more(bytes(now), bytes(was)))
                    .collect(),
            }
        };
        ranks.enumerate().map(rates).collect()
    }

    /// What a rank does, in a word.
    pub fn doing(&self, rank: usize) -> &'static str {
        let seen = &self.seen.ranks[rank];
        let process = self.usage[rank].as_ref().map(|usage| usage.state);
        match (seen.state, process) {
            (State::Dead, _) => "dead",
            (State::Exited | State::Quit, _) => "exited",
            (_, Some('T' | 't')) => "stopped",
            (_, Some('Z' | 'X')) => "gone",
            (State::Unborn | State::Started, _) => "starts",
            (State::Finalized, _) => "finalized",
            _ if !seen.waits.is_empty() => "waits",
            (State::Joining, _) => "joins",
            (_, Some('D')) => "disk",
            (_, Some('S')) => "sleeps",
            _ => "runs",
        }
    }

    /// What a rank waits for and who has it, a sentence for each of its threads that sleep.
    pub fn waits(&self, rank: usize) -> Vec<String> {
        let waits = &self.seen.ranks[rank].waits;
        waits.iter().map(|wait| self.wait(wait)).collect()
    }

    fn wait(&self, wait: &Wait) -> String {
        // What the waiter saw when it fell asleep; what is so now follows.
        let words = wait.words.split(", held ").next().unwrap_or_default();
        let text = match wanted(&self.windows, wait) {
            Some(Wanted::Lock { window, rank }) => {
                let window = &self.windows[window];
                let lock = words.strip_prefix("MPI_Win_lock: ").unwrap_or(words);
                let part = &window.parts[rank];
                // Whose it is is told by the rank in the job, as all ranks here.
                let lock = lock.split(" of ").next().unwrap_or(lock);
                format!(
                    "{lock} of rank {} in {}, {}",
                    part.process,
                    name(window),
                    holders(part)
                )
            }
            Some(Wanted::Elements { window, rank }) => {
                let window = &self.windows[window];
                match window.parts[rank].updating {
                    Some(holder) => format!("{words} of window {}, by rank {holder}", name(window)),
                    None => format!("{words} of window {}", name(window)),
                }
            }
            Some(Wanted::Gate { window }) => {
                let window = &self.windows[window];
                match words.contains(" of window ") {
                    true => format!("{words}{}", inside(window)),
                    false => format!("{words}, window {}{}", name(window), inside(window)),
                }
            }
            None => match wait.come {
                Some((come, of)) => format!("{words}, {come} of {of} there"),
                None => wait.words.clone(),
            },
        };
        // When a dump was made is not known: only what came before that.
        let least = if self.dumped.is_some() {
            " at least"
        } else {
            ""
        };
        format!("{text} ({}{least})", crate::words::duration(wait.since))
    }
}

/// A window's name, or how it is called without one.
pub fn name(window: &Window) -> String {
    match window.name.as_str() {
        "" => format!("({})", window.flavor),
        // What ends a line or moves the cursor is told by its name.
        name => format!("{name:?}"),
    }
}

/// Who has a lock.
pub fn holders(part: &Part) -> String {
    let next = part
        .next
        .map(|rank| format!(", then {rank}"))
        .unwrap_or_default();
    match (part.exclusive, part.shared) {
        (Some(rank), _) => format!("held by rank {rank} exclusively{next}"),
        (None, 0) => format!("free{next}"),
        (None, many) => format!("held shared by {many}{next}"),
    }
}

/// Who keeps the gate of a window shut.
fn inside(window: &Window) -> String {
    let ranks = window.parts.iter().filter(|part| part.in_lock_all);
    let ranks: Vec<String> = ranks.map(|part| part.process.to_string()).collect();
    let exclusive = window.parts.iter().filter_map(|part| part.exclusive);
    let exclusive: Vec<String> = exclusive.map(|rank| rank.to_string()).collect();
    let mut said = String::new();
    if !ranks.is_empty() {
        said += &format!(", in lock_all: {}", ranks.join(" "));
    }
    if !exclusive.is_empty() {
        said += &format!(", exclusive: {}", exclusive.join(" "));
    }
    said
}
