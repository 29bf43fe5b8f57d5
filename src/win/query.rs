//! What a window says about itself: hints, and where its memory is.

use super::{Flavor, Reach, Window};
use crate::error::Result;
use crate::info::kinds;
use crate::mpi::constants::MPI_PROC_NULL;
use crate::{bail, err};
use std::ffi::{c_int, c_void};

/// The info keys that windows take, with their values. What is not understood keeps its default, as hints do.
#[derive(Clone, Debug)]
pub struct Hints {
    pub no_locks: bool,
    pub accumulate_ordering: String,
    pub accumulate_ops: String,
    pub same_size: bool,
    pub same_disp_unit: bool,
    pub noncontiguous: bool,
    /// Bytes; a power of two.
    pub alignment: usize,
    pub granularity: usize,
    /// What the program asserts of its buffers, as it said it.
    pub asserted_kinds: Option<String>,
    /// No hint of the program's: whether the job's segment has one address in all processes of the window.
    pub same_address: bool,
}

/// Allocations are aligned to this much without being asked (a cache line).
pub const ALIGNMENT: usize = 64;

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
            asserted_kinds: None,
            same_address: false,
        }
    }
}

impl Hints {
    /// Takes over what `value_of` knows. Error: `MPI_ERR_INFO_VALUE` for a list of memory kinds that is malformed.
    pub fn take(&mut self, value_of: impl Fn(&str) -> Option<String>) -> Result<()> {
        if let Some(asserted) = value_of(kinds::ASSERTED)
            && kinds::accepts(&asserted)?
        {
            self.asserted_kinds = Some(asserted);
        }
        let flag = |key: &str, now: bool| match value_of(key).as_deref().map(str::trim) {
            Some("true") => true,
            Some("false") => false,
            _ => now,
        };
        self.no_locks = flag("no_locks", self.no_locks);
        self.same_size = flag("same_size", self.same_size);
        self.same_disp_unit = flag("same_disp_unit", self.same_disp_unit);
        self.noncontiguous = flag("alloc_shared_noncontig", self.noncontiguous);
        if let Some(ordering) = value_of("accumulate_ordering").and_then(|v| ordering(&v)) {
            self.accumulate_ordering = ordering;
        }
        if let Some(ops) =
            value_of("accumulate_ops").filter(|v| v == "same_op" || v == "same_op_no_op")
        {
            self.accumulate_ops = ops;
        }
        let number = |key: &str| value_of(key)?.trim().parse::<usize>().ok();
        if let Some(n) = number("mpi_minimum_memory_alignment").filter(|n| n.is_power_of_two()) {
            self.alignment = n.max(ALIGNMENT);
        }
        if let Some(n) = number("mpi_accumulate_granularity") {
            self.granularity = n;
        }
        Ok(())
    }

    /// All of them, as `MPI_Win_get_info` gives them. `kinds` are those of the window's session, or the world's.
    pub fn entries(&self, kinds: &str) -> Vec<(&'static str, String)> {
        let mut entries = vec![
            ("no_locks", self.no_locks.to_string()),
            ("accumulate_ordering", self.accumulate_ordering.clone()),
            ("accumulate_ops", self.accumulate_ops.clone()),
            ("same_size", self.same_size.to_string()),
            ("same_disp_unit", self.same_disp_unit.to_string()),
            ("alloc_shared_noncontig", self.noncontiguous.to_string()),
            ("mpi_minimum_memory_alignment", self.alignment.to_string()),
            ("mpi_accumulate_granularity", self.granularity.to_string()),
            ("rmashm_same_address", self.same_address.to_string()),
        ];
        // An assertion restricts what the window needs to support to itself.
        let supported = self.asserted_kinds.as_deref().unwrap_or(kinds);
        entries.push((kinds::SUPPORTED, supported.to_string()));
        entries.extend(
            self.asserted_kinds
                .clone()
                .map(|asserted| (kinds::ASSERTED, asserted)),
        );
        entries
    }
}

/// A list of rar, raw, war, waw, or "none"; `None` if it is something else.
fn ordering(value: &str) -> Option<String> {
    let known = |word: &str| matches!(word, "rar" | "raw" | "war" | "waw");
    let words: Vec<&str> = value.split(',').map(str::trim).collect();
    (words == ["none"] || words.iter().all(|w| known(w))).then(|| words.join(","))
}

/// A part of a window, for load and store.
pub struct Segment {
    pub size: isize,
    pub disp_unit: isize,
    pub base: *mut c_void,
}

impl Window {
    /// `MPI_Win_shared_query`: where this process can load and store the part of `rank`; for `MPI_PROC_NULL`, of the
    /// lowest rank with a size above 0 (MPI 4.1 §12.2.3). Where load and store cannot reach: size 0. Errors:
    /// `MPI_ERR_RANK`, `MPI_ERR_RMA_FLAVOR` on a dynamic window.
    pub fn shared_query(&self, rank: c_int) -> Result<Segment> {
        if self.flavor == Flavor::Dynamic {
            bail!(
                RmaFlavor,
                "a window made by MPI_Win_create_dynamic has no segment of its own to be queried"
            );
        }
        let target = if rank == MPI_PROC_NULL {
            let first = self
                .targets
                .iter()
                .find(|t| t.size > 0 && t.reach != Reach::Peer);
            first.unwrap_or(&self.targets[0])
        } else {
            self.target(rank)?
        };
        // A part without bytes of a noncontiguous shared window is a null pointer, as in its owner.
        let has_base =
            !target.base.is_null() || (self.flavor == Flavor::Shared && rank != MPI_PROC_NULL);
        let reachable = target.reach != Reach::Peer && has_base;
        let (size, base) = if reachable {
            (target.size, target.base)
        } else {
            (0, self.nowhere())
        };
        Ok(Segment {
            size: size as isize,
            disp_unit: target.disp_unit as isize,
            base: base.cast(),
        })
    }

    /// A valid address for a segment without bytes.
    fn nowhere(&self) -> *mut u8 {
        (self.control.ranks.as_ptr() as *mut u8).wrapping_add(32)
    }

    /// Takes hints over after creation. What says how the memory lies stays as it is: the memory is there. The same on all
    /// processes.
    pub fn set_hints(&self, value_of: impl Fn(&str) -> Option<String>) -> Result<()> {
        let mut hints = self.hints.lock();
        let (alignment, noncontiguous) = (hints.alignment, hints.noncontiguous);
        hints.take(value_of)?;
        hints.alignment = alignment;
        // Contiguous memory stays so, whatever is asked for. That somebody no longer cares about gaps can be told.
        hints.noncontiguous &= noncontiguous;
        Ok(())
    }

    /// Names the window.
    pub fn set_name(&self, name: &[u8]) {
        *self.name.lock() = name.into();
    }
}

/// The displacement unit as an `int`. Error: `MPI_ERR_VALUE_TOO_LARGE`.
pub fn narrow<N: TryFrom<isize>>(value: isize, what: &str) -> Result<N> {
    N::try_from(value).map_err(|_| {
        err!(
            ValueTooLarge,
            "{what} is {value}, which an int does not hold: use the _c form"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_that_make_no_sense_change_nothing() {
        let mut hints = Hints::default();
        let default = hints.entries_without_place();
        hints
            .take(|key| match key {
                "no_locks" => Some("maybe".into()),
                "accumulate_ordering" => Some("rar,sometimes".into()),
                "accumulate_ops" => Some("any".into()),
                "mpi_minimum_memory_alignment" => Some("100".into()),
                _ => None,
            })
            .unwrap();
        assert_eq!(hints.entries_without_place(), default);
    }

    #[test]
    fn hints_are_taken() {
        let mut hints = Hints::default();
        hints
            .take(|key| match key {
                "no_locks" | "alloc_shared_noncontig" => Some("true".into()),
                "accumulate_ordering" => Some("rar, waw".into()),
                "mpi_minimum_memory_alignment" => Some("4096".into()),
                _ => None,
            })
            .unwrap();
        assert!(hints.no_locks && hints.noncontiguous && !hints.same_size);
        assert_eq!(
            (hints.accumulate_ordering.as_str(), hints.alignment),
            ("rar,waw", 4096)
        );
        assert_eq!(ordering("none"), Some("none".into()));
    }

    impl Hints {
        fn entries_without_place(&self) -> String {
            format!("{self:?}")
        }
    }
}
