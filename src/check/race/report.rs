//! What is told of races.

use super::buffers::Held;
use super::span::Span;
use super::{Kind, Race, What, Window};
use crate::check::{Finding, Place, called, checker, tell};

/// What the rooms above have words for.
pub trait Words {
    /// The window, as the text goes on after "of rank 1's part of".
    fn window(&self) -> String;
    fn operation(&self, op: u8) -> &'static str;
    fn basic(&self, basic: u8) -> String;
    /// The number of the operation that changes nothing.
    fn reading(&self) -> u8;
}

const SECTION: &str = "MPI 4.1 §12.7";

impl What {
    /// The function's name, without `_c`.
    pub fn name(self) -> &'static str {
        let with = |plain: &'static str, request: &'static str| match self.has_request() {
            true => request,
            false => plain,
        };
        match self.0 & 0xff {
            1 => with("MPI_Put", "MPI_Rput"),
            2 => with("MPI_Get", "MPI_Rget"),
            3 => with("MPI_Accumulate", "MPI_Raccumulate"),
            4 => with("MPI_Get_accumulate", "MPI_Rget_accumulate"),
            5 => "MPI_Fetch_and_op",
            _ => "MPI_Compare_and_swap",
        }
    }

    /// With operation and type, if they say something.
    fn in_words(self, words: &dyn Words) -> String {
        match self.is_atomic() && !self.is(Kind::CompareAndSwap) {
            true => format!(
                "{} ({}, {})",
                self.name(),
                words.operation(self.op()),
                words.basic(self.basic())
            ),
            false => self.name().to_string(),
        }
    }

    fn does(self, reading: u8) -> &'static str {
        match self.is(Kind::Get) || self.op() == reading && self.is_atomic() {
            true => "reads",
            false if self.is_atomic() => "updates",
            false => "writes",
        }
    }
}

fn bytes(low: u64, high: u64) -> String {
    match high - low {
        1 => format!("byte {low}"),
        _ => format!("bytes {low} to {}", high - 1),
    }
}

fn at(place: Place, rank: u32) -> String {
    match place {
        Place::UNKNOWN => String::new(),
        place => format!(" at {}", place.of(rank)),
    }
}

#[cold]
pub fn race(window: &Window, me: u32, target: usize, what: What, race: &Race, words: &dyn Words) {
    let rank_of = |process: u32| {
        window
            .members
            .iter()
            .position(|&member| member == process)
            .unwrap_or(usize::MAX)
    };
    let (mine, theirs) = (rank_of(me), rank_of(race.rank));
    let other = race.other.what;
    let reading = words.reading();
    let of = format!(
        "{} of rank {target}'s part of {}",
        bytes(race.low, race.high),
        words.window()
    );
    let first = format!(
        "{}{}",
        other.in_words(words),
        at(race.other.place, race.rank)
    );
    let why = if race.rank == me {
        format!(
            "{} is not complete: there is no MPI_Win_flush or end of the epoch between the two",
            other.name()
        )
    } else if race.other.done == 0 {
        format!(
            "rank {theirs}'s {} was not complete at rank {target}: it was not followed by MPI_Win_flush or the end of its epoch",
            other.name()
        )
    } else {
        format!(
            "rank {theirs}'s {} was complete by then, but no message, barrier, lock or other synchronisation of the two ranks comes between",
            other.name()
        )
    };
    let both_atomic = what.is_atomic() && other.is_atomic();
    let differ = match both_atomic {
        true if what.basic() != other.basic() => {
            "; accumulates of different basic types are not atomic to each other"
        }
        true => {
            "; concurrent accumulates have to be of one operation, unless the window's hint accumulate_ops says otherwise"
        }
        false => "",
    };
    let who = match race.rank == me {
        true => "the same rank".to_string(),
        false => format!("rank {theirs}"),
    };
    let text = format!(
        "rank {mine} {} {of} by {}, which {who} {} by {first}, and nothing orders the two: {why}{differ}",
        what.does(reading),
        what.in_words(words),
        other.does(reading),
    );
    tell(Finding {
        kind: "data race",
        section: SECTION,
        text,
    });
}

/// A buffer of an operation, by its address, and what another one does with it.
fn held_text(span: &Span, held: &Held, held_writes: bool) -> String {
    let (low, high) = span.common(&held.span).unwrap_or((span.low, span.high));
    let me = checker().map_or(0, |checker| checker.rank);
    let does = if held_writes {
        "writes its result to"
    } else {
        "reads from"
    };
    format!(
        "{} bytes at {low:#x}, which {}{} {does}, and that is not complete here: call MPI_Win_flush_local or \
         MPI_Win_flush, or end the epoch, before the buffer is used again",
        high - low,
        held.what.name(),
        at(held.place, me),
    )
}

fn uses(writes: bool) -> &'static str {
    if writes { "writes to" } else { "reads" }
}

#[cold]
pub fn buffer(
    what: What,
    span: &Span,
    writes: bool,
    held: &Held,
    held_writes: bool,
    words: &dyn Words,
) {
    let text = format!(
        "{} on {} {} {}",
        what.name(),
        words.window(),
        uses(writes),
        held_text(span, held, held_writes)
    );
    tell(Finding {
        kind: "buffer race",
        section: "MPI 4.1 §12.3",
        text,
    });
}

#[cold]
pub fn elsewhere(span: &Span, writes: bool, held: &Held, held_writes: bool) {
    let text = format!(
        "{} {} {}",
        called(),
        uses(writes),
        held_text(span, held, held_writes)
    );
    tell(Finding {
        kind: "buffer race",
        section: "MPI 4.1 §12.3",
        text,
    });
}
