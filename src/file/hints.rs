//! Hints to files (MPI 4.1 §14.2.8, and ROMIO's): one table says which keys there are, what is understood of a value, and what is
//! told of it. What is not understood keeps what was there before, as hints do.
//!
//! A new hint is a field of [`Hints`], its default, and a row of the table.

use super::access::Direction;
use crate::error::Result;
use crate::info::Info;
use crate::info::kinds::Assertion;
use crate::neutral;
use macro_rules_attribute::apply;
use nix::fcntl::PosixFadviseAdvice;

/// Whether something is done.
#[apply(neutral)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    Never,
    Always,
    /// Where it pays.
    WhenWorthIt,
}

impl Choice {
    fn of(text: &str) -> Option<Choice> {
        match text {
            "disable" => Some(Choice::Never),
            "enable" => Some(Choice::Always),
            "automatic" => Some(Choice::WhenWorthIt),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Choice::Never => "disable",
            Choice::Always => "enable",
            Choice::WhenWorthIt => "automatic",
        }
    }
}

/// How collective accesses go by way of memory that all processes share (see [`super::two_phase`]): the same for all of them.
#[apply(neutral)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffering {
    pub reads: Choice,
    pub writes: Choice,
    /// Bytes of that memory.
    pub memory: u64,
    /// Processes that call the system; 0: all.
    pub nodes: u64,
}

impl Buffering {
    pub fn choice(&self, direction: Direction) -> Choice {
        match direction {
            Direction::Read => self.reads,
            Direction::Write => self.writes,
        }
    }

    /// How many of a file's processes call the system.
    pub fn callers(&self, processes: usize) -> usize {
        match self.nodes as usize {
            0 => processes,
            nodes => nodes.min(processes),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Hints {
    pub buffering: Buffering,
    /// Data sieving (see [`super::runs`]).
    sieving_reads: Choice,
    sieving_writes: Choice,
    /// A list of words that the system is told, empty if there are none.
    access_style: String,
    /// The permissions of a file that is created; `None`: as usual.
    pub permissions: Option<u32>,
    kinds: Assertion,
}

/// Bytes of the memory of collective accesses without a hint.
const MEMORY: u64 = 2 << 20;
/// It has at least and at most so many.
const LEAST: u64 = 64 << 10;
const MOST: u64 = 1 << 30;

impl Default for Hints {
    fn default() -> Hints {
        Hints {
            buffering: Buffering {
                reads: Choice::WhenWorthIt,
                writes: Choice::WhenWorthIt,
                memory: MEMORY,
                nodes: 0,
            },
            sieving_reads: Choice::WhenWorthIt,
            sieving_writes: Choice::WhenWorthIt,
            access_style: String::new(),
            permissions: None,
            kinds: Assertion::default(),
        }
    }
}

struct Hint {
    key: &'static str,
    /// What the text of a value says, if it says something, is put into the hints.
    take: fn(&mut Hints, &str) -> Option<()>,
    /// `processes` has the file; `None`: there is nothing to tell.
    tell: fn(&Hints, processes: usize) -> Option<String>,
}

const TABLE: [Hint; 9] = [
    Hint {
        key: "collective_buffering",
        take: |hints, text| {
            let choice = match text.parse().ok()? {
                true => Choice::WhenWorthIt,
                false => Choice::Never,
            };
            (hints.buffering.reads, hints.buffering.writes) = (choice, choice);
            Some(())
        },
        tell: |hints, _| {
            let choices = [hints.buffering.reads, hints.buffering.writes];
            Some((choices != [Choice::Never; 2]).to_string())
        },
    },
    Hint {
        key: "romio_cb_read",
        take: |hints, text| Choice::of(text).map(|value| hints.buffering.reads = value),
        tell: |hints, _| Some(hints.buffering.reads.name().into()),
    },
    Hint {
        key: "romio_cb_write",
        take: |hints, text| Choice::of(text).map(|value| hints.buffering.writes = value),
        tell: |hints, _| Some(hints.buffering.writes.name().into()),
    },
    Hint {
        key: "cb_buffer_size",
        take: |hints, text| {
            positive(text).map(|value| hints.buffering.memory = value.clamp(LEAST, MOST))
        },
        tell: |hints, _| Some(hints.buffering.memory.to_string()),
    },
    Hint {
        key: "cb_nodes",
        take: |hints, text| positive(text).map(|value| hints.buffering.nodes = value),
        tell: |hints, processes| Some(hints.buffering.callers(processes).to_string()),
    },
    Hint {
        key: "romio_ds_read",
        take: |hints, text| Choice::of(text).map(|value| hints.sieving_reads = value),
        tell: |hints, _| Some(hints.sieving_reads.name().into()),
    },
    Hint {
        key: "romio_ds_write",
        take: |hints, text| Choice::of(text).map(|value| hints.sieving_writes = value),
        tell: |hints, _| Some(hints.sieving_writes.name().into()),
    },
    Hint {
        key: "access_style",
        take: |hints, text| style(text).map(|value| hints.access_style = value),
        tell: |hints, _| Some(hints.access_style.clone()).filter(|style| !style.is_empty()),
    },
    Hint {
        key: "file_perm",
        take: |hints, text| permissions(text).map(|value| hints.permissions = Some(value)),
        tell: |hints, _| hints.permissions.map(|value| format!("{value:o}")),
    },
];

fn positive(text: &str) -> Option<u64> {
    text.parse().ok().filter(|&value: &u64| value > 0)
}

/// Those of a list of MPI's words that the system can be told.
fn style(text: &str) -> Option<String> {
    const WORDS: [&str; 4] = ["read_once", "write_once", "read_mostly", "write_mostly"];
    const TOLD: [&str; 3] = ["sequential", "reverse_sequential", "random"];
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let known = |word: &&str| WORDS.contains(word) || TOLD.contains(word);
    let told = words.iter().filter(|word| TOLD.contains(word)).copied();
    words
        .iter()
        .all(known)
        .then(|| told.collect::<Vec<_>>().join(","))
}

/// Of an octal number, as of `chmod`: without the bits that give away more than access.
fn permissions(text: &str) -> Option<u32> {
    let mode = u32::from_str_radix(text, 8).ok()?;
    (mode <= 0o777).then_some(mode)
}

impl Hints {
    /// What is understood of `info`. Error: `MPI_ERR_INFO_VALUE` for a list of memory kinds that is malformed.
    pub fn of(info: &Info) -> Result<Hints> {
        let mut hints = Hints::default();
        hints.take(info)?;
        Ok(hints)
    }

    /// Takes over what is understood of `info`; what it does not speak of stays. Error: as [`Hints::of`].
    pub fn take(&mut self, info: &Info) -> Result<()> {
        self.kinds.take(info)?;
        for hint in &TABLE {
            if let Some(text) = info.get(hint.key) {
                (hint.take)(self, text.trim());
            }
        }
        Ok(())
    }

    /// The same of a file that is open, whose permissions are given already. Error: as [`Hints::of`].
    pub fn change(&mut self, info: &Info) -> Result<()> {
        let permissions = self.permissions;
        self.take(info)?;
        self.permissions = permissions;
        Ok(())
    }

    /// Whether runs are moved by data sieving.
    pub fn sieving(&self, direction: Direction) -> Choice {
        match direction {
            Direction::Read => self.sieving_reads,
            Direction::Write => self.sieving_writes,
        }
    }

    /// What the system is told of the accesses to come, if something was said of them.
    pub fn advice(&self) -> Option<PosixFadviseAdvice> {
        let says = |word| self.access_style.split(',').any(|said| said == word);
        if says("random") || says("reverse_sequential") {
            return Some(PosixFadviseAdvice::POSIX_FADV_RANDOM);
        }
        says("sequential").then_some(PosixFadviseAdvice::POSIX_FADV_SEQUENTIAL)
    }

    /// All that are honoured, as `MPI_File_get_info` gives them. `supported` are the memory allocation kinds of the file's session,
    /// or the world's.
    pub fn info(&self, processes: usize, supported: &str) -> Info {
        let mut info = Info::new();
        for hint in &TABLE {
            if let Some(value) = (hint.tell)(self, processes) {
                info.set(hint.key, value);
            }
        }
        self.kinds.tell(supported, &mut info);
        info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(entries: &[(&str, &str)]) -> Info {
        let mut info = Info::new();
        for (key, value) in entries {
            info.set(key, value);
        }
        info
    }

    #[test]
    fn hints_that_make_no_sense_change_nothing() {
        let asked = info(&[
            ("collective_buffering", "maybe"),
            ("romio_cb_read", "true"),
            ("romio_cb_write", "2"),
            ("cb_buffer_size", "-1"),
            ("cb_nodes", "0"),
            ("romio_ds_read", ""),
            ("romio_ds_write", "yes"),
            ("access_style", "sequential,sometimes"),
            ("file_perm", "4755"),
            ("striping_factor", "4"),
        ]);
        let told = |hints: Hints| format!("{hints:?}");
        assert_eq!(told(Hints::of(&asked).unwrap()), told(Hints::default()));
        let told = Hints::of(&asked).unwrap().info(4, "system,mpi");
        assert_eq!(told.get("striping_factor"), None);
    }

    #[test]
    fn every_hint_is_taken_and_told() {
        let asked = [
            ("collective_buffering", "true", "true"),
            ("romio_cb_read", "disable", "disable"),
            ("romio_cb_write", " enable", "enable"),
            ("cb_buffer_size", "1000000", "1000000"),
            ("cb_nodes", "2", "2"),
            ("romio_ds_read", "disable", "disable"),
            ("romio_ds_write", "enable", "enable"),
            ("access_style", "random, read_once", "random"),
            ("file_perm", "600", "600"),
        ];
        let given: Vec<_> = asked.iter().map(|(key, value, _)| (*key, *value)).collect();
        let mut hints = Hints::of(&info(&given)).unwrap();
        let told = hints.info(4, "system,mpi");
        for (key, _, wanted) in asked {
            assert_eq!(told.get(key), Some(wanted), "{key}");
        }
        assert_eq!(asked.len(), TABLE.len());
        assert_eq!(hints.buffering.callers(1), 1);
        hints.change(&info(&[("file_perm", "644")])).unwrap();
        assert_eq!(hints.permissions, Some(0o600));
    }

    #[test]
    fn neither_reads_nor_writes_are_buffered() {
        let hints = Hints::of(&info(&[("collective_buffering", "false")])).unwrap();
        let told = hints.info(4, "system,mpi");
        for (key, wanted) in [
            ("collective_buffering", "false"),
            ("romio_cb_read", "disable"),
            ("romio_cb_write", "disable"),
        ] {
            assert_eq!(told.get(key), Some(wanted), "{key}");
        }
    }

    /// `docs/hints.md`, of which `rmashm(7)` is made, has a row for each.
    #[test]
    fn every_hint_is_documented_with_its_default() {
        let paper = include_str!("../../docs/hints.md");
        let told = Hints::default().info(4, "system,mpi");
        for hint in &TABLE {
            let named = format!("| `{}` |", hint.key);
            let row = paper.lines().find(|row| row.starts_with(&named));
            let row = row.unwrap_or_else(|| panic!("{} has no row", hint.key));
            match told.get(hint.key) {
                Some("4") => assert!(row.contains("| all |"), "{row}"),
                Some(value) => assert!(row.contains(&format!("| `{value}` |")), "{row}"),
                None => assert!(row.contains("| |"), "{row}"),
            }
        }
    }
}
