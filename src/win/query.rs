//! What a window says about itself: its hints, and where its memory is.

use super::{Flavor, Reach, Target, Window};
use crate::error::Result;
use crate::info::Info;
use crate::mpi::constants::MPI_PROC_NULL;
use crate::naming;
use crate::runtime::job;
use crate::shm::atomic::Ordering;
use crate::{bail, err};
use std::ffi::{c_int, c_void};

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
            for target in &self.targets {
                self.look_again(target)?;
            }
            let first = self
                .targets
                .iter()
                .find(|t| t.size > 0 && self.is_loadable(t));
            first.unwrap_or(&self.targets[0])
        } else {
            let target = self.target(rank)?;
            self.look_again(target)?;
            target
        };
        let base = target.base();
        // A part without bytes of a noncontiguous shared window is a null pointer, as in its owner.
        let has_base = !base.is_null() || (self.flavor == Flavor::Shared && rank != MPI_PROC_NULL);
        let reachable = self.is_loadable(target) && has_base;
        if reachable {
            self.shares(target);
        }
        let (size, base) = if reachable {
            (target.size, base)
        } else {
            (0, self.nowhere())
        };
        Ok(Segment {
            size: size as isize,
            disp_unit: target.disp_unit as isize,
            base: base.cast(),
        })
    }

    /// Whether this process can load and store all of a target's part.
    fn is_loadable(&self, target: &Target) -> bool {
        match target.reach() {
            Reach::Shared | Reach::Own => true,
            Reach::Peer => false,
            Reach::Attached => target.process() == job().rank,
        }
    }

    /// A valid address for a segment without bytes.
    fn nowhere(&self) -> *mut u8 {
        (self.control.ranks.as_ptr() as *mut u8).wrapping_add(32)
    }

    /// Takes hints over after creation, as [`Hints::change`](super::hints::Hints::change) does. The same on all processes.
    pub fn set_hints(&self, info: &Info) -> Result<()> {
        self.hints.lock().change(info)?;
        self.list_again();
        Ok(())
    }

    /// All hints of the window, with their values: for `rmashm_adopt` what became of this process's part.
    pub fn info(&self) -> Info {
        let mut info = self.hints.lock().info(self.group.kinds());
        let of_part = self.part.lock().outcome();
        let of_attached = || self.attached.lock().as_ref()?.outcome();
        match of_part.or_else(of_attached) {
            Some(Ok(())) => info.set("rmashm_adopt", "true"),
            Some(Err(refusal)) => info.set("rmashm_adopt_refused", refusal.text()),
            None => {}
        }
        info
    }

    /// A rank of the window, in words.
    pub fn name_of(&self, rank: usize) -> String {
        naming::rank(rank, self.targets[rank].process(), "the window")
    }

    /// The same with the window, if it has a name or is not the only one.
    pub fn told_in_waits(&self, rank: usize) -> String {
        let name = self.name.lock();
        let window = match name.is_empty() {
            true if super::MADE.load(Ordering::Relaxed) < 2 => return self.name_of(rank),
            true => format!("window number {}", self.number),
            false => format!("window {}", naming::quoted(&name)),
        };
        match self.targets[rank].process() {
            process if process as usize == rank => format!("rank {rank} of {window}"),
            process => naming::rank(rank, process, &window),
        }
    }

    /// Names the window.
    pub fn set_name(&self, name: &[u8]) {
        *self.name.lock() = name.into();
        self.list_again();
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
