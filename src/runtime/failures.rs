//! Which failures of a communicator's processes this process has seen and acknowledged (`MPIX_Comm_get_failed`,
//! `MPIX_Comm_ack_failed`): by the communicator's number, as long as there are any.
//!
//! A receive from any rank ends with an error while there is a failure that was not acknowledged: the one who is gone may be the one
//! that it waits for. After that it waits for the others.

use super::job;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// What is known of one communicator.
#[derive(Default)]
struct Seen {
    /// The ranks in the job of those that have failed, in the order in which this process saw it.
    failed: Vec<u32>,
    /// How many of them, the first ones, are acknowledged.
    acknowledged: usize,
}

static SEEN: Mutex<Option<FxHashMap<u32, Seen>>> = Mutex::new(None);
/// How often something was acknowledged.
static ACKNOWLEDGEMENTS: AtomicU32 = AtomicU32::new(0);

fn with<R>(number: u32, work: impl FnOnce(&mut Seen) -> R) -> R {
    let mut seen = SEEN.lock();
    work(seen.get_or_insert_default().entry(number).or_default())
}

/// Whether the process does nothing for others any more.
pub fn has_failed(rank: u32) -> bool {
    job().table.end(rank).is_some()
}

fn look(seen: &mut Seen, members: &[u32]) {
    for &member in members {
        if has_failed(member) && !seen.failed.contains(&member) {
            seen.failed.push(member);
        }
    }
}

/// Those of the communicator's `members` that have failed: what was given before comes first.
pub fn failed(number: u32, members: &[u32]) -> Vec<u32> {
    with(number, |seen| {
        look(seen, members);
        seen.failed.clone()
    })
}

/// Acknowledges the first `most` of [`failed`], as [`failed`] has given them last; less never. Gives how many are acknowledged.
pub fn acknowledge(number: u32, most: usize) -> usize {
    let acknowledged = with(number, |seen| {
        seen.acknowledged = seen.acknowledged.max(most.min(seen.failed.len()));
        seen.acknowledged
    });
    ACKNOWLEDGEMENTS.fetch_add(1, Ordering::AcqRel);
    acknowledged
}

/// Those that are acknowledged.
pub fn acknowledged(number: u32) -> Vec<u32> {
    with(number, |seen| seen.failed[..seen.acknowledged].to_vec())
}

/// Changes whenever something is acknowledged; never 0.
pub fn generation() -> u32 {
    ACKNOWLEDGEMENTS.load(Ordering::Acquire) | 1 << 31
}

/// The communicator is no more.
pub fn forget(number: u32) {
    if let Some(seen) = SEEN.lock().as_mut() {
        seen.remove(&number);
    }
}
