//! What kinds of events there are, what comes with them, and where they come from.

use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::observe::events::Kind;
use crate::shm::clock;
use crate::tools::{About, BASIC, MEMORY, MESSAGES, TUNER, WAITING, WINDOWS};
use std::ffi::c_int;

/// What an event or its handle belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Nothing,
    Window,
    Communicator,
}

/// A value that comes with an event.
pub struct Element {
    pub name: &'static str,
    /// Whether it is an `int`; else it is an `unsigned long long`.
    pub is_int: bool,
}

/// A kind of events.
pub struct Type {
    pub about: About,
    pub kind: Kind,
    /// An index into [`SOURCES`].
    pub source: usize,
    pub bound: Bound,
    pub elements: &'static [Element],
}

/// Where events come from: name and description.
pub const SOURCES: [(&str, &str); 2] = [
    (
        "rmashm_actions",
        "What this process does, or is done to it; told where it happens, or at the end of the program's call",
    ),
    (
        "rmashm_waits",
        "Waits of this process; told while it waits, or at the end of the program's call",
    ),
];

/// Ticks of all sources in a second.
pub const TICKS: i64 = 1_000_000_000;

/// The time of all sources.
pub fn now() -> i64 {
    clock::now().as_nanos() as i64
}

const ACTIONS: usize = 0;
const WAITS: usize = 1;

const fn int(name: &'static str) -> Element {
    Element { name, is_int: true }
}

const fn long(name: &'static str) -> Element {
    Element {
        name,
        is_int: false,
    }
}

const fn about(name: &'static str, text: &'static str, category: usize, verbosity: c_int) -> About {
    About {
        name,
        text,
        category,
        verbosity,
    }
}

static TYPES: [Type; 8] = [
    Type {
        about: about(
            "rmashm_lock_contended",
            "A lock of the window is not free: of which rank, -1 for MPI_Win_lock_all, and whether it is wanted exclusively",
            WAITING,
            TUNER,
        ),
        kind: Kind::LockContended,
        source: ACTIONS,
        bound: Bound::Window,
        elements: &[int("target"), int("exclusive")],
    },
    Type {
        about: about(
            "rmashm_long_wait",
            "A wait goes on for longer than rmashm_long_wait_ns, told once: for which rank of the job, -1 for one of \
             several, and nanoseconds so far",
            WAITING,
            BASIC,
        ),
        kind: Kind::LongWait,
        source: WAITS,
        bound: Bound::Nothing,
        elements: &[int("rank"), long("nanoseconds")],
    },
    Type {
        about: about(
            "rmashm_deadlock_suspected",
            "This wait can never end, as far as is known, told once: how many ranks wait so, and for which rank of the job \
             this one does, -1 for one of several",
            WAITING,
            BASIC,
        ),
        kind: Kind::DeadlockSuspected,
        source: WAITS,
        bound: Bound::Nothing,
        elements: &[int("ranks"), int("rank")],
    },
    Type {
        about: about(
            "rmashm_message_unexpected",
            "A message has come before its receive: from which rank of the communicator, its tag and its bytes",
            MESSAGES,
            TUNER,
        ),
        kind: Kind::MessageUnexpected,
        source: ACTIONS,
        bound: Bound::Communicator,
        elements: &[int("source"), int("tag"), long("bytes")],
    },
    Type {
        about: about(
            "rmashm_window_made",
            "A window was made: its handle as Fortran has it, bytes of this process's part, number of processes",
            WINDOWS,
            BASIC,
        ),
        kind: Kind::WindowMade,
        source: ACTIONS,
        bound: Bound::Nothing,
        elements: &[int("window"), long("bytes"), int("processes")],
    },
    Type {
        about: about(
            "rmashm_window_freed",
            "A window was freed: the handle that it had, as Fortran has it",
            WINDOWS,
            BASIC,
        ),
        kind: Kind::WindowFreed,
        source: ACTIONS,
        bound: Bound::Nothing,
        elements: &[int("window")],
    },
    Type {
        about: about(
            "rmashm_memory_adopted",
            "Memory of the program's own was taken into shared memory, for a window: its address and bytes",
            MEMORY,
            TUNER,
        ),
        kind: Kind::MemoryAdopted,
        source: ACTIONS,
        bound: Bound::Nothing,
        elements: &[long("address"), long("bytes")],
    },
    Type {
        about: about(
            "rmashm_memory_refused",
            "Memory of the program's own could not be taken into shared memory: its address and bytes, and the number of \
             the reason",
            MEMORY,
            TUNER,
        ),
        kind: Kind::MemoryRefused,
        source: ACTIONS,
        bound: Bound::Nothing,
        elements: &[long("address"), long("bytes"), int("reason")],
    },
];

/// All kinds of events. Their number and order do not change while a program runs.
pub fn types() -> &'static [Type] {
    &TYPES
}

pub fn type_of(kind: Kind) -> &'static Type {
    let found = TYPES.iter().find(|one| one.kind == kind);
    found.expect("every kind has a row")
}

impl Type {
    /// Where its elements lie in what `MPI_T_event_copy` gives, and the bytes of all.
    pub fn layout(&self) -> (Vec<usize>, usize) {
        let mut end = 0_usize;
        let place = |element: &Element| {
            let size = element.size();
            let at = end.next_multiple_of(size);
            end = at + size;
            at
        };
        let places = self.elements.iter().map(place).collect();
        (places, end)
    }
}

impl Element {
    fn size(&self) -> usize {
        match self.is_int {
            true => size_of::<c_int>(),
            false => size_of::<u64>(),
        }
    }

    pub fn datatype(&self) -> MPI_Datatype {
        match self.is_int {
            true => MPI_INT,
            false => MPI_UNSIGNED_LONG_LONG,
        }
    }

    /// The bytes of a value.
    pub fn bytes(&self, value: i64) -> Vec<u8> {
        match self.is_int {
            true => (value as c_int).to_ne_bytes().to_vec(),
            false => value.to_ne_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::events::VALUES;

    /// `docs/hints.md`, of which `rmashm(7)` is made, has a row for each.
    #[test]
    fn every_event_is_documented() {
        let paper = include_str!("../../../docs/hints.md");
        for one in &TYPES {
            assert!(one.elements.len() <= VALUES);
            let name = one.about.name;
            assert!(paper.contains(&format!("\n| `{name}` |")), "{name}");
        }
    }

    #[test]
    fn elements_lie_where_c_would_put_them() {
        let (places, len) = type_of(Kind::MessageUnexpected).layout();
        assert_eq!((places, len), (vec![0, 4, 8], 16));
        let (places, len) = type_of(Kind::WindowMade).layout();
        assert_eq!((places, len), (vec![0, 8, 16], 20));
    }
}
