//! What is told of races.

use super::{Clash, Kind, Race, What, Window};
use crate::check::{Finding, Place, called, checker, here, tell_of};
use crate::naming;

/// What the rooms above have words for.
pub trait Words: Sync {
    fn checked(&self) -> Window<'_>;
    /// The window, as the text goes on after "of rank 1's part of".
    fn window(&self) -> String;
    fn operation(&self, op: u8) -> &'static str;
    fn basic(&self, basic: u8) -> String;
    /// The number of the operation that changes nothing.
    fn reading(&self) -> u8;
}

/// The call that something is told of.
#[derive(Clone, Copy)]
pub struct From {
    pub function: &'static str,
    pub place: Place,
}

impl From {
    /// The present one.
    pub fn here() -> From {
        From {
            function: called(),
            place: here(),
        }
    }

    pub fn tell(self, finding: Finding) {
        tell_of(finding, self.function, self.place);
    }
}

const SECTION: &str = "MPI 4.1 §12.7";
/// Of what ranks are told.
const OF: &str = "the window";

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
pub fn race(
    from: From,
    window: &Window,
    me: u32,
    target: usize,
    what: What,
    race: &Race,
    words: &dyn Words,
) {
    let rank_of = |process: u32| {
        window
            .members
            .iter()
            .position(|&member| member == process)
            .unwrap_or(usize::MAX)
    };
    let theirs = naming::owned(rank_of(race.rank), race.rank, OF, race.other.what.name());
    let name = |process: u32| naming::rank(rank_of(process), process, OF);
    let there = name(window.members[target]);
    let other = race.other.what;
    let reading = words.reading();
    let of = format!(
        "{} of {}",
        bytes(race.low, race.high),
        naming::part(target, window.members[target], &words.window())
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
            "{theirs} was not complete at {there}: it was not followed by MPI_Win_flush or the end of its epoch"
        )
    } else if race.other.by_wait {
        format!(
            "{theirs} was complete there by MPI_Win_complete, but at {there} not before MPI_Win_wait of that, and no message, barrier, \
             lock or other synchronisation comes from there"
        )
    } else {
        format!(
            "{theirs} was complete by then, but no message, barrier, lock or other synchronisation of the two ranks comes between its \
             completion and this; what comes before a flush or the end of its epoch does not order it"
        )
    };
    let both_atomic = what.is_atomic() && other.is_atomic();
    let differ = match both_atomic {
        true if what.basic() != other.basic() => {
            "; accumulates of different basic types are not atomic to each other"
        }
        true if what.cuts(other) => {
            "; their elements lie across each other, and accumulates are atomic element by element"
        }
        true => {
            "; concurrent accumulates of one place have to be of one operation, or MPI_NO_OP (§12.2.1, accumulate_ops)"
        }
        false => "",
    };
    let who = match race.rank == me {
        true => "the same rank".to_string(),
        false => name(race.rank),
    };
    let text = format!(
        "{} {} {of} by {}, which {who} {} by {first}, and nothing orders the two: {why}{differ}",
        name(me),
        what.does(reading),
        what.in_words(words),
        other.does(reading),
    );
    from.tell(Finding {
        kind: "data race",
        section: SECTION,
        text,
    });
}

/// What one use of a buffer does beside the other.
fn in_use(clash: &Clash) -> String {
    let held = &clash.held;
    let (low, high) = clash
        .span
        .common(&held.span)
        .unwrap_or((held.span.low, held.span.high));
    let me = checker().map_or(0, |checker| checker.rank);
    format!(
        "{} {} bytes at {low:#x}, which {}{} {}, and that is not complete here: call MPI_Win_flush_local or \
         MPI_Win_flush, or end the epoch, before the buffer is used again",
        if clash.writes { "writes to" } else { "reads" },
        high - low,
        held.what.name(),
        at(held.place, me),
        if clash.held_writes {
            "writes its result to"
        } else {
            "reads from"
        },
    )
}

const BUFFERS: &str = "MPI 4.1 §12.3";

#[cold]
pub fn buffer(from: From, what: What, clash: &Clash, words: &dyn Words) {
    let text = format!("{} on {} {}", what.name(), words.window(), in_use(clash));
    from.tell(Finding {
        kind: "buffer race",
        section: BUFFERS,
        text,
    });
}

#[cold]
pub fn elsewhere(clash: &Clash) -> Finding {
    Finding {
        kind: "buffer race",
        section: BUFFERS,
        text: format!("{} {}", called(), in_use(clash)),
    }
}
