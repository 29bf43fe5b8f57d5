//! What others have changed in a window's part since some moment, by their logs: for promises that nobody does so.

use super::log::On;
use super::own::STATE;
use super::{Place, What, checker};
use crate::check::rank;
use crate::check::room::Room;

/// How far the logs of some ranks of the job had come at a moment.
pub struct Watch(Vec<(u32, u64)>);

/// A change of a window's part: by which rank of the job, by what, where in its program.
pub type Change = (u32, What, Place);

impl Watch {
    /// From now on. `None` if there is no memory to keep that.
    pub fn begin(ranks: &[u32]) -> Option<Watch> {
        let checker = checker()?;
        let mut counts = Vec::new();
        if !counts.has_room(ranks.len()) {
            return None;
        }
        counts.extend(ranks.iter().map(|&rank| {
            let (_, count) = checker.area.block(rank).log.range();
            (rank, count)
        }));
        Some(Watch(counts))
    }

    /// Since then: a change of the part of the window's rank `target`.
    pub fn change(&self, window: u64, target: usize) -> Option<Change> {
        let checker = checker()?;
        let on = On::new(window, target);
        self.0.iter().find_map(|&(rank, count)| {
            let log = checker.area.block(rank).log;
            let (oldest, last) = log.range();
            (oldest.max(count + 1)..=last).find_map(|number| {
                let found = log.find(number, on, 0, u64::MAX)?;
                found
                    .what
                    .changes()
                    .then_some((rank, found.what, found.place))
            })
        })
    }

    /// Whether logs have gone on so far since then that something is lost.
    pub fn is_cut(&self) -> bool {
        let Some(checker) = checker() else {
            return true;
        };
        self.0
            .iter()
            .any(|&(rank, count)| checker.area.block(rank).log.range().0 > count + 1)
    }
}

/// Of the changes of this rank's in a window that are not complete the first for which `is_it` holds of its target, if there is one.
pub fn pending_change(
    window: u64,
    mut is_it: impl FnMut(usize) -> bool,
) -> Option<(usize, Change)> {
    let state = STATE.lock();
    let mut last = None;
    let found = state.pending.iter().find(|pending| {
        let target = pending.on.target();
        let is_new = last != Some(target);
        let is_change = pending.on.is_of(window) && pending.what.changes();
        if is_change {
            last = Some(target);
        }
        is_change && is_new && is_it(target)
    })?;
    let change = (rank(), found.what, found.place);
    Some((found.on.target(), change))
}
