//! Hints to windows (MPI 4.1 §12.2.1 to §12.2.4, and §10.1 for values): one table says which keys there are, what is
//! understood of a value, and what is told of it. What is not understood keeps what was there before, as hints do.
//!
//! A new hint is a field of [`Hints`], its default, and a row of the table.

use crate::error::Result;
use crate::info::Info;
use crate::info::kinds::Assertion;
use crate::runtime;
use std::sync::LazyLock;

/// Allocations are aligned to this much without being asked (a cache line).
pub const ALIGNMENT: usize = 64;

#[derive(Clone, Debug)]
pub struct Hints {
    pub no_locks: bool,
    accumulate_ordering: String,
    accumulate_ops: String,
    same_size: bool,
    same_disp_unit: bool,
    pub noncontiguous: bool,
    /// Bytes; a power of two.
    pub alignment: usize,
    granularity: usize,
    /// No hint of the program's: whether the job's segment has one address in all processes of the window.
    pub same_address: bool,
    /// Whether memory of the program's own is taken into the segment.
    pub adopt: Adopt,
    kinds: Assertion,
    /// Whether anything was said that is understood.
    asked: bool,
}

/// Whether memory of the program's own is taken into the segment (see [`super::moving`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adopt {
    Never,
    /// When the window is made, or the memory attached.
    AtOnce,
    /// When that pays.
    WhenWorthIt,
}

impl Adopt {
    fn of(text: &str) -> Option<Adopt> {
        match text {
            "false" => Some(Adopt::Never),
            "true" => Some(Adopt::AtOnce),
            "auto" => Some(Adopt::WhenWorthIt),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Adopt::Never => "false",
            Adopt::AtOnce => "true",
            Adopt::WhenWorthIt => "auto",
        }
    }

    /// What holds for windows that do not say: by the environment variable RMASHM_ADOPT, else when that pays.
    fn usual() -> Adopt {
        *USUAL
    }
}

static USUAL: LazyLock<Adopt> = LazyLock::new(|| {
    let asked = runtime::variable("RMASHM_ADOPT");
    let asked = asked.and_then(|text| Adopt::of(text.trim()));
    asked.unwrap_or(Adopt::WhenWorthIt)
});

impl Default for Hints {
    fn default() -> Hints {
        Hints {
            no_locks: false,
            accumulate_ordering: "rar,raw,war,waw".into(),
            accumulate_ops: "same_op_no_op".into(),
            same_size: false,
            same_disp_unit: false,
            noncontiguous: false,
            alignment: ALIGNMENT,
            granularity: 0,
            same_address: false,
            adopt: Adopt::usual(),
            kinds: Assertion::default(),
            asked: false,
        }
    }
}

struct Hint {
    key: &'static str,
    /// What the text of a value says, if it says something, is put into the hints.
    take: fn(&mut Hints, &str) -> Option<()>,
    tell: fn(&Hints) -> String,
}

const TABLE: [Hint; 10] = [
    Hint {
        key: "no_locks",
        take: |hints, text| truth(text).map(|value| hints.no_locks = value),
        tell: |hints| hints.no_locks.to_string(),
    },
    Hint {
        key: "accumulate_ordering",
        take: |hints, text| ordering(text).map(|value| hints.accumulate_ordering = value),
        tell: |hints| hints.accumulate_ordering.clone(),
    },
    Hint {
        key: "accumulate_ops",
        take: |hints, text| operations(text).map(|value| hints.accumulate_ops = value),
        tell: |hints| hints.accumulate_ops.clone(),
    },
    Hint {
        key: "same_size",
        take: |hints, text| truth(text).map(|value| hints.same_size = value),
        tell: |hints| hints.same_size.to_string(),
    },
    Hint {
        key: "same_disp_unit",
        take: |hints, text| truth(text).map(|value| hints.same_disp_unit = value),
        tell: |hints| hints.same_disp_unit.to_string(),
    },
    Hint {
        key: "alloc_shared_noncontig",
        take: |hints, text| truth(text).map(|value| hints.noncontiguous = value),
        tell: |hints| hints.noncontiguous.to_string(),
    },
    Hint {
        key: "mpi_minimum_memory_alignment",
        take: |hints, text| alignment(text).map(|value| hints.alignment = value),
        tell: |hints| hints.alignment.to_string(),
    },
    Hint {
        key: "mpi_accumulate_granularity",
        take: |hints, text| number(text).map(|value| hints.granularity = value),
        tell: |hints| hints.granularity.to_string(),
    },
    Hint {
        key: "rmashm_adopt",
        take: |hints, text| Adopt::of(text).map(|value| hints.adopt = value),
        tell: |hints| hints.adopt.name().into(),
    },
    Hint {
        key: "rmashm_same_address",
        take: |_, _| None,
        tell: |hints| hints.same_address.to_string(),
    },
];

fn truth(text: &str) -> Option<bool> {
    text.parse().ok()
}

fn number(text: &str) -> Option<usize> {
    text.parse().ok()
}

fn alignment(text: &str) -> Option<usize> {
    let bytes = number(text).filter(|bytes| bytes.is_power_of_two())?;
    Some(bytes.max(ALIGNMENT))
}

fn operations(text: &str) -> Option<String> {
    matches!(text, "same_op" | "same_op_no_op").then(|| text.into())
}

/// A list of rar, raw, war, waw, or "none".
fn ordering(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let known = |word: &&str| matches!(*word, "rar" | "raw" | "war" | "waw");
    (words == ["none"] || words.iter().all(known)).then(|| words.join(","))
}

impl Hints {
    /// What is understood of `info`. Error: `MPI_ERR_INFO_VALUE` for a list of memory kinds that is malformed.
    pub fn of(info: &Info) -> Result<Hints> {
        let mut hints = Hints::default();
        hints.take(info)?;
        Ok(hints)
    }

    fn take(&mut self, info: &Info) -> Result<()> {
        self.kinds.take(info)?;
        for hint in &TABLE {
            if let Some(text) = info.get(hint.key) {
                self.asked |= (hint.take)(self, text.trim()).is_some();
            }
        }
        Ok(())
    }

    /// Takes over what is understood of `info` after the window was made; what it does not speak of stays. So does what
    /// says how the memory lies: the memory is there. Error: as [`Hints::of`].
    pub fn change(&mut self, info: &Info) -> Result<()> {
        let (alignment, noncontiguous) = (self.alignment, self.noncontiguous);
        let adopt = self.adopt;
        self.take(info)?;
        (self.alignment, self.adopt) = (alignment, adopt);
        // Contiguous memory stays so, whatever is asked for. That gaps are no longer wanted can be told.
        self.noncontiguous &= noncontiguous;
        Ok(())
    }

    /// Those that are not the default, in words.
    pub fn unusual(&self) -> String {
        if !self.asked {
            return String::new();
        }
        let usual = Hints::default();
        let told = |hint: &Hint| (hint.key, (hint.tell)(self), (hint.tell)(&usual));
        let told = TABLE.iter().map(told);
        // Of nobody's asking.
        let unusual =
            told.filter(|(key, value, usual)| value != usual && *key != "rmashm_same_address");
        let words: Vec<String> = unusual
            .map(|(key, value, _)| format!("{key}={value}"))
            .collect();
        words.join(", ")
    }

    /// All of them, as `MPI_Win_get_info` gives them. `supported` are the memory allocation kinds of the window's session, or
    /// the world's.
    pub fn info(&self, supported: &str) -> Info {
        let mut info = Info::new();
        for hint in &TABLE {
            info.set(hint.key, (hint.tell)(self));
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
            ("no_locks", "maybe"),
            ("accumulate_ordering", "rar,sometimes"),
            ("accumulate_ops", "any"),
            ("mpi_minimum_memory_alignment", "100"),
            ("mpi_accumulate_granularity", "-8"),
            ("rmashm_same_address", "true"),
            ("rmashm_adopt", "perhaps"),
        ]);
        let told = |hints: Hints| format!("{hints:?}");
        assert_eq!(told(Hints::of(&asked).unwrap()), told(Hints::default()));
    }

    #[test]
    fn every_hint_is_taken_and_told() {
        let asked = [
            ("no_locks", "true", "true"),
            ("accumulate_ordering", "rar, waw", "rar,waw"),
            ("accumulate_ops", " same_op ", "same_op"),
            ("same_size", "true", "true"),
            ("same_disp_unit", "true", "true"),
            ("alloc_shared_noncontig", " true", "true"),
            ("mpi_minimum_memory_alignment", "4096", "4096"),
            ("mpi_accumulate_granularity", "8", "8"),
            ("rmashm_adopt", "false", "false"),
        ];
        let given: Vec<_> = asked.iter().map(|(key, value, _)| (*key, *value)).collect();
        let told = Hints::of(&info(&given)).unwrap().info("system,mpi");
        for (key, _, wanted) in asked {
            assert_eq!(told.get(key), Some(wanted), "{key}");
        }
        // All but the one that is only told.
        assert_eq!(asked.len() + 1, TABLE.len());
        assert_eq!(told.len(), TABLE.len() + 1);
        assert_eq!(ordering("none"), Some("none".into()));
        let small = info(&[("mpi_minimum_memory_alignment", "8")]);
        assert_eq!(Hints::of(&small).unwrap().alignment, ALIGNMENT);
    }

    /// `docs/hints.md`, of which `rmashm(7)` is made, has a row for each.
    #[test]
    fn every_hint_is_documented_with_its_default() {
        let paper = include_str!("../../docs/hints.md");
        let told = Hints::default().info("system,mpi");
        for hint in &TABLE {
            let named = |row: &&str| {
                row.split(" | ")
                    .next()
                    .is_some_and(|keys| keys.contains(&format!("`{}`", hint.key)))
            };
            let row = paper
                .lines()
                .filter(|row| row.starts_with("| `"))
                .find(named);
            let row = row.unwrap_or_else(|| panic!("{} has no row", hint.key));
            let value = format!("| `{}` |", told.get(hint.key).expect("it is told"));
            assert!(row.contains(&value) || row.contains("only told"), "{row}");
        }
    }

    #[test]
    fn how_memory_lies_does_not_change() {
        let asked = info(&[
            ("alloc_shared_noncontig", "true"),
            ("mpi_minimum_memory_alignment", "4096"),
            ("same_size", "true"),
            ("rmashm_adopt", "true"),
        ]);
        let mut hints = Hints::default();
        let adopt = hints.adopt;
        hints.change(&asked).unwrap();
        assert_eq!(hints.adopt, adopt);
        assert!(!hints.noncontiguous && hints.same_size);
        assert_eq!(hints.alignment, ALIGNMENT);
    }
}
