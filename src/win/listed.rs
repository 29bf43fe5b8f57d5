//! What those that look at the job from outside see of a window ([`crate::block::listed`]).

use super::entry::{Entry, Location};
use super::hints::Hints;
use super::{Flavor, Window};
use crate::block::Control;
use crate::block::listed::{self, Listed, Part, What};
use crate::comm::Comm;

/// Puts a window into the list, if this process is the one that does.
pub(super) fn list(
    control: &Control,
    comm: &Comm,
    flavor: Flavor,
    hints: &Hints,
    entries: &[Entry],
) -> Option<Listed> {
    if comm.rank != 0 {
        return None;
    }
    let what = What {
        flavor: flavor as u32,
        context: comm.context,
        hints: &hints.unusual(),
    };
    let parts = entries.iter().enumerate().map(|(rank, entry)| Part {
        size: entry.size,
        disp_unit: entry.disp_unit,
        process: comm.world_rank(rank),
        location: match entry.location {
            Location::Segment | Location::Guess => listed::Location::Segment,
            Location::Private | Location::Attached => listed::Location::Own,
            Location::None => listed::Location::Attached,
        },
    });
    Some(Listed::publish(control, &what, parts))
}

impl Window {
    /// What others see of the window changes: its name or its hints.
    pub(super) fn list_again(&self) {
        if let Some(listed) = &self.listed {
            let hints = self.hints.lock().unusual();
            listed.tell(&self.name.lock(), hints.as_bytes());
        }
    }
}
